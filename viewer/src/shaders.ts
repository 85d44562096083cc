// SPDX-License-Identifier: Apache-2.0
// Shaders. Vertices come from textures by their ids: positions at both ends of the step, faces, contacts. One draw call
// shows a surface of any number of parts, and a change of time, part or slice uploads nothing large.

/// Texels in a row of every texture.
export const ROW = 2048;

// A place moved towards the eye by a part of its distance, so that it is drawn over the surface that it lies in.
const nearerCode = /* glsl */ `
vec4 nearer(vec3 x, float by) {
  vec4 seen = viewMatrix * vec4(x, 1.0);
  seen.xyz *= 1.0 - by;
  return projectionMatrix * seen;
}
`;

const common = /* glsl */ `
precision highp float;
precision highp int;
uniform highp sampler2D startAt, endAt;
uniform float time;
ivec2 at(uint i) { return ivec2(int(i & 2047u), int(i >> 11)); }
vec3 place(uint v) { return mix(texelFetch(startAt, at(v), 0).xyz, texelFetch(endAt, at(v), 0).xyz, time); }
${nearerCode}
`;

/// Early contacts are yellow, late ones blue; the order of lightness is right for the colour-blind, too.
export const ramp: [number, number, number][] = [
  [0.98, 0.86, 0.15],
  [0.96, 0.53, 0.22],
  [0.84, 0.26, 0.45],
  [0.53, 0.11, 0.63],
  [0.14, 0.15, 0.58],
];

const rampCode = /* glsl */ `
vec3 rampAt(float x) {
  vec3 colours[5] = vec3[5](${ramp.map((c) => `vec3(${c.map((x) => x.toFixed(3)).join(',')})`).join(', ')});
  float s = clamp(x, 0.0, 1.0) * 4.0;
  int i = min(int(s), 3);
  return mix(colours[i], colours[i + 1], s - float(i));
}
`;

/// Maps of colours for fields, from low to high.
export const maps: Record<string, string[]> = {
  viridis: ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725'],
  inferno: ['#000004', '#1b0c41', '#4a0c6b', '#781c6d', '#a52c60', '#cf4446', '#ed6925', '#fb9b06', '#f7d13d', '#fcffa4'],
  'cool to warm': ['#3b4cc0', '#6788ee', '#9abbff', '#c9d7f0', '#edd1c2', '#f7a889', '#e26952', '#b40426'],
  grey: ['#101010', '#f4f4f4'],
  // Times of contact: early ones are yellow, late ones blue, as those of the markers.
  time: ramp.map((c) => `#${c.map((x) => Math.round(255 * x).toString(16).padStart(2, '0')).join('')}`),
};

/// The colour of a map at x, 0 to 1, as bytes.
export function mapColour(name: string, x: number): [number, number, number] {
  const colours = maps[name] ?? maps.viridis;
  const s = Math.min(Math.max(x, 0), 1) * (colours.length - 1);
  const i = Math.min(Math.floor(s), colours.length - 2);
  const byte = (text: string, k: number) => parseInt(text.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mix = (k: number) => Math.round(byte(colours[i], k) + (byte(colours[i + 1], k) - byte(colours[i], k)) * (s - i));
  return [mix(0), mix(1), mix(2)];
}

// Values of a field at both ends of the step; vectors count by their lengths. One that is not finite has no colour.
const fieldCode = /* glsl */ `
uniform highp sampler2D fieldStart, fieldEnd, map;
uniform vec2 range;
vec3 fieldAt(uint i) { return mix(texelFetch(fieldStart, at(i), 0).xyz, texelFetch(fieldEnd, at(i), 0).xyz, time); }
bool isNumber(vec3 v) { return !any(isnan(v)) && !any(isinf(v)); }
float inRange(float x) { return range.y > range.x ? clamp((x - range.x) / (range.y - range.x), 0.0, 1.0) : 0.5; }
`;

/// How a field colours the surface.
export const FIELD = { none: 0, scalar: 1, vector: 2, elementScalar: 3, elementVector: 4 };

export const surfaceVertex = /* glsl */ `
${common}
${fieldCode}
uniform highp usampler2D faces, owners, kept;
uniform highp sampler2D styles;
uniform bool byElement;   // faces between a kept element and none or a removed one
uniform float wantedPass; // 0: opaque parts, 1: faded ones
uniform int fieldKind;
flat out vec4 colour;
flat out uint flags;
out vec3 corner, world;
out vec2 value;           // and whether it is a number
bool isKept(uint element) { return element != 0xffffffffu && texelFetch(kept, at(element), 0).r != 0u; }
void main() {
  uint face = uint(gl_VertexID) / 3u, k = uint(gl_VertexID) % 3u;
  uvec4 f = texelFetch(faces, at(face), 0);
  vec4 style = texelFetch(styles, at(f.w & 0xffffffu), 0);
  bool shown = style.a > 0.0 && (style.a < 1.0) == (wantedPass > 0.5);
  uvec4 of = uvec4(0xffffffffu);
  if (byElement || fieldKind > 2) of = texelFetch(owners, at(face), 0);
  if (byElement && shown) shown = isKept(of.x) != isKept(of.y);
  if (!shown) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  uint v = k == 0u ? f.x : k == 1u ? f.y : f.z;
  world = place(v);
  colour = style;
  flags = f.w >> 24;
  corner = vec3(k == 0u, k == 1u, k == 2u);
  value = vec2(0.0);
  if (fieldKind > 0) {
    uint owner = byElement && !isKept(of.x) ? of.y : of.x;
    vec3 x = fieldAt(fieldKind > 2 ? owner : v);
    if (isNumber(x)) value = vec2(fieldKind == 2 || fieldKind == 4 ? length(x) : x.x, 1.0);
  }
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const surfaceFragment = /* glsl */ `
precision highp float;
precision highp int;
uniform vec4 plane;      // of the slice; only w > plane is shown
uniform bool sliced;
uniform float opacity, lineStrength;
uniform bool wire;
uniform vec3 lineColour, up;
uniform int fieldKind;
uniform vec2 range;
uniform highp sampler2D map;
flat in vec4 colour;
flat in uint flags;
in vec3 corner, world;
in vec2 value;
out vec4 pixel;
// 1 on a side of an element, 0 away from it. Lines of tiny faces fade: they would darken the whole surface.
float lineAt(float height, float width, bool real) {
  if (!real) return 0.0;
  float room = clamp(0.28 / max(width, 1e-6) / 2.0 - 0.15, 0.0, 1.0);
  return (1.0 - smoothstep(0.35, 1.15, height / max(width, 1e-9))) * room;
}
void main() {
  vec3 width = fwidth(corner), across = cross(dFdx(world), dFdy(world));
  if (sliced && dot(plane.xyz, world) > plane.w) discard;
  float line = max(lineAt(corner.z, width.z, (flags & 1u) != 0u),
               max(lineAt(corner.x, width.x, (flags & 2u) != 0u), lineAt(corner.y, width.y, (flags & 4u) != 0u)));
  if (wire && line < 0.25) discard;
  vec3 eye = normalize(cameraPosition - world);
  // The normal of a face from its own plane on the screen: vertices need no neighbours.
  float size = length(across);
  vec3 n = size > 0.0 ? across / size : eye;
  n = dot(n, eye) < 0.0 ? -n : n;
  vec3 right = normalize(cross(up, eye) + vec3(1e-6));
  vec3 key = normalize(eye + 0.55 * cross(eye, right) - 0.45 * right);
  float light = 0.34 + 0.16 * dot(n, up) + 0.52 * max(dot(n, key), 0.0) + 0.12 * max(dot(n, eye), 0.0);
  float shine = 0.10 * pow(max(dot(n, normalize(key + eye)), 0.0), 28.0);
  vec3 own = colour.rgb;
  if (fieldKind > 0) {
    float s = range.y > range.x ? clamp((value.x - range.x) / (range.y - range.x), 0.0, 1.0) : 0.5;
    own = value.y > 0.999 ? texture(map, vec2((s * 255.0 + 0.5) / 256.0, 0.5)).rgb : vec3(0.62);
  }
  vec3 base = own * light + shine;
  if (wire) base = fieldKind > 0 ? own : lineColour;
  else base = mix(base, lineColour, line * lineStrength);
  pixel = vec4(base, wire ? max(line, 0.4) * opacity : colour.a * opacity);
}
`;

// Bits of a contact's mark: 1 edge-edge, 2 undecided, 4 hidden by the filter, 8 selected.
const contactCode = /* glsl */ `
uniform highp sampler2D contactPoints; // xyz, time
uniform highp usampler2D contactMarks, contactVertices;
uniform bool untilNow;
uniform highp sampler2D contactWeights;
uniform bool onFeatures; // points move with the first feature: a vertex, or an edge
vec3 pointOf(uint i, uint mark, vec3 fixedPoint) {
  if (!onFeatures) return fixedPoint;
  uvec4 v = texelFetch(contactVertices, at(i), 0);
  vec4 w = texelFetch(contactWeights, at(i), 0);
  return (mark & 1u) != 0u ? w.x * place(v.x) + w.y * place(v.y) : place(v.x);
}
bool isShown(uint mark, float when) { return (mark & 4u) == 0u && !(untilNow && when > time); }
`;

/// Markers of contacts: an instance is a contact, or several that are near each other on the screen, with their count.
/// Sizes are in pixels.
export const markerVertex = /* glsl */ `
precision highp float;
in vec3 position, centre;
in vec4 look; // radius, time, 1 for the selected one, characters of the count
in vec3 label;
uniform mat4 projectionMatrix, viewMatrix;
uniform vec2 view;
uniform float bias;
${nearerCode}
out vec2 corner;
flat out vec4 shown;
flat out vec3 characters;
void main() {
  corner = position.xy;
  shown = look;
  characters = label;
  gl_Position = nearer(centre, bias);
  gl_Position.xy += 2.0 * position.xy * look.x / view * gl_Position.w;
}
`;

export const markerFragment = /* glsl */ `
precision highp float;
precision highp int;
${rampCode}
uniform float opacity;
uniform vec3 outline;
uniform sampler2D glyphs; // the characters of glyphText in a row
in vec2 corner;
flat in vec4 shown;
flat in vec3 characters;
out vec4 pixel;
float inkAt(vec2 p, float count) {
  // Characters are 0.62 wide and 0.95 tall, in radii.
  float x = p.x / 0.62 + 0.5 * count, y = 0.5 - p.y / 0.95;
  int k = int(floor(x));
  if (x < 0.0 || k >= int(count) || y < 0.0 || y > 1.0) return 0.0;
  float glyph = k == 0 ? characters.x : k == 1 ? characters.y : characters.z;
  return texture(glyphs, vec2((glyph + fract(x)) / 12.0, 1.0 - y)).a;
}
void main() {
  float out1 = length(corner), soft = fwidth(out1);
  if (out1 > 1.0) discard;
  vec3 fill = rampAt(shown.y);
  float width = shown.x > 0.0 ? clamp(1.6 / shown.x, 0.08, 0.3) : 0.2;
  vec3 rim = shown.z > 0.5 ? vec3(0.0, 0.75, 0.85) : outline;
  vec3 colour = mix(fill, rim, smoothstep(1.0 - width - soft, 1.0 - width + soft, out1));
  if (shown.w > 0.5) {
    float dark = dot(fill, vec3(0.3, 0.59, 0.11));
    colour = mix(colour, dark > 0.5 ? vec3(0.05) : vec3(1.0), inkAt(corner, shown.w));
  }
  pixel = vec4(colour, opacity * (1.0 - smoothstep(1.0 - soft, 1.0, out1)));
}
`;

/// The characters of counts, in the order of their numbers.
export const glyphText = '0123456789kM';

/// Arrows of a field of vectors: nine corners each, a shaft and a head that face the eye.
export const arrowVertex = /* glsl */ `
${common}
${fieldCode}
in float vertexId;
uniform float lengthScale, halfWidth;
out vec3 tint;
void main() {
  uint v = uint(vertexId);
  vec3 x = fieldAt(v);
  float size = length(x);
  if (!isNumber(x) || size == 0.0) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec3 from = place(v), along = x * lengthScale, tip = from + along;
  vec3 side = cross(along, cameraPosition - from);
  side = length(side) > 0.0 ? normalize(side) * halfWidth : vec3(0.0);
  float head = min(0.5 * length(along), 5.0 * halfWidth);
  vec3 neck = tip - normalize(along) * head;
  int k = gl_VertexID % 9;
  vec3 p = k == 0 || k == 3 ? from - side : k == 1 ? from + side : k == 2 || k == 4 ? neck + side : k == 5 ? neck - side
         : k == 6 ? neck + 2.6 * side : k == 7 ? neck - 2.6 * side : tip;
  tint = texture(map, vec2((inRange(size) * 255.0 + 0.5) / 256.0, 0.5)).rgb * 0.82;
  gl_Position = nearer(p, 0.002);
}
`;

export const arrowFragment = /* glsl */ `
precision highp float;
in vec3 tint;
out vec4 pixel;
void main() { pixel = vec4(tint, 1.0); }
`;

/// Ambient occlusion, as pictures of the command have it (tools/canvas.c): opposite directions are paired, so that a
/// slanted plane is not dark, and the directions form one spiral for all pixels.
export const occlusionVertex = /* glsl */ `
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }
`;

export const occlusionFragment = /* glsl */ `
precision highp float;
uniform sampler2D colours;
uniform highp sampler2D depths;
uniform vec2 nearFar, size;
uniform float reach, reachDepth; // in pixels, and as a length
out vec4 pixel;
float depthAt(vec2 p) {
  float z = texture(depths, p / size).r;
  return z >= 1.0 ? -1.0 : nearFar.x * nearFar.y / (nearFar.y - z * (nearFar.y - nearFar.x));
}
// The difference in depth, positive if that place is nearer to the eye. A much nearer one is another body and counts less.
float nearerAt(vec2 p, float here) {
  float depth = depthAt(p), nearer = depth < 0.0 ? -1.0 : (here - depth) / reachDepth;
  return nearer > 0.0 ? nearer / (1.0 + nearer * nearer) : max(nearer, -1.0);
}
void main() {
  vec2 p = gl_FragCoord.xy;
  pixel = texture(colours, p / size);
  gl_FragDepth = texture(depths, p / size).r;
  float here = depthAt(p);
  if (here < 0.0) return;
  float sum = 0.0;
  for (int i = 0; i < 14; i++) {
    float out1 = reach * sqrt((float(i) + 0.5) / 14.0), angle = 2.39996 * float(i);
    vec2 d = out1 * vec2(cos(angle), sin(angle));
    sum += max(0.0, nearerAt(p + d, here) + nearerAt(p - d, here));
  }
  pixel.rgb *= 1.0 - 0.6 * min(1.0, sum / (0.6 * 14.0));
}
`;

/// The features of contacts: a face for three vertices, two edges for four.
export const featureVertex = /* glsl */ `
${common}
${contactCode}
uniform bool edges;
flat out float when;
void main() {
  uint size = edges ? 4u : 3u, i = uint(gl_VertexID) / size, k = uint(gl_VertexID) % size;
  uint mark = texelFetch(contactMarks, at(i), 0).r;
  uvec4 v = texelFetch(contactVertices, at(i), 0);
  when = texelFetch(contactPoints, at(i), 0).w;
  uint id = edges ? (k == 0u ? v.x : k == 1u ? v.y : k == 2u ? v.z : v.w) : (k == 0u ? v.y : k == 1u ? v.z : v.w);
  bool fits = ((mark & 1u) != 0u) == edges && isShown(mark, when);
  gl_Position = fits ? nearer(place(id), 0.0015) : vec4(0.0, 0.0, 2.0, 1.0);
}
`;

export const featureFragment = /* glsl */ `
precision highp float;
${rampCode}
uniform float opacity;
flat in float when;
out vec4 pixel;
void main() { pixel = vec4(rampAt(when), opacity); }
`;

/// Thick lines between chosen vertices: six corners each.
export const lineVertex = /* glsl */ `
${common}
uniform vec4 chosenIds; // whole numbers
uniform bool edges;
uniform vec2 view; // in pixels
uniform float thick;
void main() {
  uvec4 ids = uvec4(chosenIds);
  uint line = uint(gl_VertexID) / 6u, k = uint(gl_VertexID) % 6u;
  uint a, b;
  if (edges) { a = line == 0u ? ids.x : ids.z; b = line == 0u ? ids.y : ids.w; }
  else { a = line == 0u ? ids.y : line == 1u ? ids.z : ids.w; b = line == 0u ? ids.z : line == 1u ? ids.w : ids.y; }
  vec4 p = projectionMatrix * viewMatrix * vec4(place(a), 1.0), q = projectionMatrix * viewMatrix * vec4(place(b), 1.0);
  vec2 along = (q.xy / q.w - p.xy / p.w) * view;
  vec2 side = normalize(vec2(-along.y, along.x) + vec2(1e-6, 0.0)) * thick / view;
  bool far = k == 2u || k == 3u || k == 4u, left = k == 1u || k == 2u || k == 4u;
  vec4 r = far ? q : p;
  gl_Position = r + vec4(side * (left ? 1.0 : -1.0) * r.w, -0.0006 * r.w, 0.0);
}
`;

export const lineFragment = /* glsl */ `
precision highp float;
uniform vec3 tint;
uniform float opacity;
out vec4 pixel;
void main() { pixel = vec4(tint, opacity); }
`;
