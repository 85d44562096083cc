// SPDX-License-Identifier: Apache-2.0
// Shaders. Vertices come from textures by their ids: positions at both ends of the step, faces, contacts. One draw call
// shows a surface of any number of parts, and a change of time, part or slice uploads nothing large.

/// Texels in a row of every texture.
export const ROW = 2048;

const common = /* glsl */ `
precision highp float;
precision highp int;
uniform highp sampler2D startAt, endAt;
uniform float time;
ivec2 at(uint i) { return ivec2(int(i & 2047u), int(i >> 11)); }
vec3 place(uint v) { return mix(texelFetch(startAt, at(v), 0).xyz, texelFetch(endAt, at(v), 0).xyz, time); }
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

export const surfaceVertex = /* glsl */ `
${common}
uniform highp usampler2D faces, owners, kept;
uniform highp sampler2D styles;
uniform bool byElement;   // faces between a kept element and none or a removed one
uniform float wantedPass; // 0: opaque parts, 1: faded ones
flat out vec3 facing;
flat out vec4 colour;
flat out uint flags;
out vec3 corner, world;
bool isKept(uint element) { return element != 0xffffffffu && texelFetch(kept, at(element), 0).r != 0u; }
void main() {
  uint face = uint(gl_VertexID) / 3u, k = uint(gl_VertexID) % 3u;
  uvec4 f = texelFetch(faces, at(face), 0);
  vec4 style = texelFetch(styles, at(f.w & 0xffffffu), 0);
  bool shown = style.a > 0.0 && (style.a < 1.0) == (wantedPass > 0.5);
  if (byElement && shown) {
    uvec4 of = texelFetch(owners, at(face), 0);
    shown = isKept(of.x) != isKept(of.y);
  }
  if (!shown) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec3 a = place(f.x), b = place(f.y), c = place(f.z);
  vec3 across = cross(b - a, c - a);
  float size = length(across);
  facing = size > 0.0 ? across / size : vec3(0.0, 0.0, 1.0);
  colour = style;
  flags = f.w >> 24;
  corner = vec3(k == 0u, k == 1u, k == 2u);
  world = k == 0u ? a : k == 1u ? b : c;
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
flat in vec3 facing;
flat in vec4 colour;
flat in uint flags;
in vec3 corner, world;
out vec4 pixel;
// 1 on a side of an element, 0 away from it. Lines of tiny faces fade: they would darken the whole surface.
float lineAt(float height, float width, bool real) {
  if (!real) return 0.0;
  float room = clamp(0.28 / max(width, 1e-6) / 2.0 - 0.15, 0.0, 1.0);
  return (1.0 - smoothstep(0.35, 1.15, height / max(width, 1e-9))) * room;
}
void main() {
  if (sliced && dot(plane.xyz, world) > plane.w) discard;
  vec3 width = fwidth(corner);
  float line = max(lineAt(corner.z, width.z, (flags & 1u) != 0u),
               max(lineAt(corner.x, width.x, (flags & 2u) != 0u), lineAt(corner.y, width.y, (flags & 4u) != 0u)));
  if (wire && line < 0.25) discard;
  vec3 eye = normalize(cameraPosition - world);
  vec3 n = dot(facing, eye) < 0.0 ? -facing : facing;
  vec3 right = normalize(cross(up, eye) + vec3(1e-6));
  vec3 key = normalize(eye + 0.55 * cross(eye, right) - 0.45 * right);
  float light = 0.34 + 0.16 * dot(n, up) + 0.52 * max(dot(n, key), 0.0) + 0.12 * max(dot(n, eye), 0.0);
  float shine = 0.10 * pow(max(dot(n, normalize(key + eye)), 0.0), 28.0);
  vec3 base = colour.rgb * light + shine;
  if (wire) base = lineColour;
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

export const pointVertex = /* glsl */ `
${common}
${contactCode}
uniform float pointSize;
flat out float when;
flat out uint chosen;
void main() {
  uint i = uint(gl_VertexID);
  vec4 p = texelFetch(contactPoints, at(i), 0);
  uint mark = texelFetch(contactMarks, at(i), 0).r;
  when = p.w;
  chosen = (mark >> 3) & 1u;
  gl_Position = isShown(mark, when) ? projectionMatrix * viewMatrix * vec4(pointOf(i, mark, p.xyz), 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
  gl_Position.z -= 0.0004 * gl_Position.w;
  gl_PointSize = pointSize * (chosen == 1u ? 2.0 : 1.0);
}
`;

export const pointFragment = /* glsl */ `
precision highp float;
precision highp int;
${rampCode}
uniform float opacity;
uniform vec3 outline;
flat in float when;
flat in uint chosen;
out vec4 pixel;
void main() {
  float out1 = length(gl_PointCoord - 0.5) * 2.0;
  if (out1 > 1.0) discard;
  vec3 fill = rampAt(when);
  vec3 rim = chosen == 1u ? vec3(0.0, 0.75, 0.85) : outline;
  pixel = vec4(mix(fill, rim, smoothstep(0.62, 0.74, out1)), opacity * (1.0 - smoothstep(0.9, 1.0, out1)));
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
  gl_Position = fits ? projectionMatrix * viewMatrix * vec4(place(id), 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
  gl_Position.z -= 0.0002 * gl_Position.w;
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
