// SPDX-License-Identifier: Apache-2.0
// The picture: a surface in motion, its contacts and layers, a camera that orbits and flies. Draws only when something
// has changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Contacts, Surface } from './data';
import { Arrows } from './arrows';
import { Markers } from './markers';
import { Occlusion, SHADED } from './occlusion';
import { FIELD, featureFragment, featureVertex, lineFragment, lineVertex, surfaceFragment, surfaceVertex } from './shaders';
import { bare, dataTexture, mapTexture, rowTexture } from './textures';

export type Up = 'x' | 'y' | 'z';
export type PartStyle = 'shown' | 'faded' | 'hidden';
export type Edges = 'none' | 'lines' | 'wire';

export interface Slice {
  on: boolean;
  axis: Up;
  at: number; // 0 .. 1 of the extent
  flip: boolean;
}

export interface Eye {
  position: [number, number, number];
  target: [number, number, number];
}

const upVectors = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] } as const;

export const partColours: [number, number, number][] = [
  [0.46, 0.62, 0.82],
  [0.93, 0.8, 0.58],
  [0.5, 0.74, 0.63],
  [0.74, 0.61, 0.8],
  [0.83, 0.63, 0.55],
  [0.66, 0.71, 0.76],
];

/// The values that colour the surface, at both ends of the step.
export interface FieldValues {
  place: 'vertex' | 'element';
  components: 1 | 3;
  start: Float32Array;
  end: Float32Array;
}

export class View3D {
  readonly renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  private controls!: OrbitControls;
  private upAxis: Up = 'z';
  private extent = 1;
  private low = new THREE.Vector3(-1, -1, -1);
  private high = new THREE.Vector3(1, 1, 1);
  private frameRequested = false;
  private flight: { from: Eye; to: Eye; begun: number } | null = null;

  private start: Float32Array = new Float32Array(0);
  private end: Float32Array = new Float32Array(0);
  private surface: Surface | null = null;
  private contacts: Contacts | null = null;
  private marks: THREE.DataTexture | null = null;
  private centroids = new Float32Array(0);
  private slice: Slice = { on: false, axis: 'x', at: 0.5, flip: false };
  private seeThrough = false;
  private untilNow = false;
  private outline = { value: new THREE.Color(0x1a1a1a) };
  private fitted = false; // the camera shows everything, and does so in a window of another size

  private shared = {
    startAt: { value: rowTexture(new Float32Array(3), 3) },
    endAt: { value: rowTexture(new Float32Array(3), 3) },
    time: { value: 0 },
  };
  private fieldUniforms = {
    fieldStart: { value: dataTexture(1, 4, 'f32', () => {}) },
    fieldEnd: { value: dataTexture(1, 4, 'f32', () => {}) },
    map: { value: mapTexture('viridis') },
    range: { value: new THREE.Vector2(0, 1) },
  };
  private surfaceUniforms = {
    ...this.shared,
    ...this.fieldUniforms,
    fieldKind: { value: FIELD.none },
    faces: { value: dataTexture(1, 4, 'u32', () => {}) },
    owners: { value: dataTexture(1, 4, 'u32', () => {}) },
    kept: { value: dataTexture(1, 1, 'u8', () => {}) },
    styles: { value: dataTexture(1, 4, 'f32', () => {}) },
    byElement: { value: false },
    plane: { value: new THREE.Vector4() },
    sliced: { value: false },
    lineStrength: { value: 0.4 },
    wire: { value: false },
    lineColour: { value: new THREE.Color(0x20262e) },
    up: { value: new THREE.Vector3(0, 0, 1) },
  };
  private contactUniforms = {
    ...this.shared,
    contactPoints: { value: dataTexture(1, 4, 'f32', () => {}) },
    contactMarks: { value: dataTexture(1, 1, 'u8', () => {}) },
    contactVertices: { value: dataTexture(1, 4, 'u32', () => {}) },
    contactWeights: { value: dataTexture(1, 4, 'f32', () => {}) },
    onFeatures: { value: false },
    untilNow: { value: false },
  };
  private surfaceGeometry = bare();
  private passes: THREE.Mesh[]; // opaque parts, faded ones
  private viewSize = { value: new THREE.Vector2(1, 1) };
  private markers: Markers;
  private arrows: Arrows;
  private occlusion: Occlusion;
  private wantsOcclusion = true;
  private slow = false; // frames take long: occlusion waits until the camera rests
  private restTimer = 0;
  private lastFrame = 0;
  private longFrames = 0;
  private markersAreOld = true;
  private markerValues: Float64Array | Float32Array = new Float32Array(0);
  private isShown: (i: number) => boolean = () => true;
  private selected = -1;
  private contactFaces: THREE.Mesh;
  private contactEdges: THREE.LineSegments;
  private chosen: THREE.Mesh;
  private chosenUniforms = {
    ...this.shared,
    chosenIds: { value: new THREE.Vector4() },
    edges: { value: false },
    view: this.viewSize,
    thick: { value: 2.5 },
    tint: { value: new THREE.Color(0x00bcd4) },
    opacity: { value: 1 },
  };
  private overlapLayer: THREE.Points;
  private nearLayer: THREE.LineSegments;

  /// Called after the camera has moved.
  onMove: () => void = () => {};

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    const surfaceMaterial = (pass: number) =>
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: surfaceVertex,
        fragmentShader: surfaceFragment,
        uniforms: { ...this.surfaceUniforms, wantedPass: { value: pass }, opacity: { value: 1 } },
        side: THREE.DoubleSide,
        transparent: pass > 0,
        depthWrite: pass === 0,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
    this.passes = [0, 1].map((pass) => this.add(new THREE.Mesh(this.surfaceGeometry, surfaceMaterial(pass)), pass));
    this.passes[0].layers.set(SHADED);
    this.camera.layers.enable(SHADED);

    const contactMaterial = (vertexShader: string, fragmentShader: string, more: object, uniforms: object) =>
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader,
        fragmentShader,
        uniforms: { ...this.contactUniforms, ...uniforms },
        side: THREE.DoubleSide,
        transparent: true,
        ...more,
      });
    this.markers = new Markers(this.outline, this.viewSize);
    this.markers.layers.forEach((layer, i) => this.add(layer, 4 + i));
    this.arrows = new Arrows({ ...this.shared, ...this.fieldUniforms });
    this.add(this.arrows.mesh, 3);
    this.occlusion = new Occlusion(this.renderer);
    this.contactFaces = this.add(
      new THREE.Mesh(bare(), contactMaterial(featureVertex, featureFragment, { depthWrite: false }, { opacity: { value: 0.55 }, edges: { value: false } })),
      2,
    );
    this.contactEdges = this.add(
      new THREE.LineSegments(bare(), contactMaterial(featureVertex, featureFragment, {}, { opacity: { value: 1 }, edges: { value: true } })),
      3,
    );
    this.chosen = this.add(
      new THREE.Mesh(
        bare(),
        new THREE.ShaderMaterial({
          glslVersion: THREE.GLSL3,
          vertexShader: lineVertex,
          fragmentShader: lineFragment,
          uniforms: this.chosenUniforms,
          side: THREE.DoubleSide,
          transparent: true,
          depthTest: false,
        }),
      ),
      6,
    );
    this.overlapLayer = this.add(
      new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xd81b60, size: 5, sizeAttenuation: false })),
      3,
    );
    this.nearLayer = this.add(
      new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0x2e9e5b })),
      3,
    );
    this.makeControls();
    canvas.addEventListener('webglcontextrestored', () => this.request());
  }

  private add<T extends THREE.Object3D>(object: T, order: number): T {
    object.frustumCulled = false;
    object.renderOrder = order;
    this.scene.add(object);
    return object;
  }

  private makeControls(): void {
    const target = this.controls?.target.clone();
    this.controls?.dispose();
    this.camera.up.fromArray(upVectors[this.upAxis]);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    if (target) this.controls.target.copy(target);
    this.controls.addEventListener('change', () => {
      this.request();
      this.onMove();
    });
    this.controls.addEventListener('start', () => {
      this.flight = null;
      this.fitted = false;
    });
  }

  // ---- data

  setSurface(surface: Surface): void {
    this.surface = surface;
    const count = surface.faces.length / 4;
    const u = this.surfaceUniforms;
    u.faces.value.dispose();
    u.faces.value = dataTexture(count, 4, 'u32', (to) => to.set(surface.faces));
    u.owners.value.dispose();
    const owners = surface.owners;
    u.owners.value = dataTexture(owners ? count : 1, 4, 'u32', (to) => {
      for (let i = 0; owners && i < count; i++) {
        to[4 * i] = owners[2 * i];
        to[4 * i + 1] = owners[2 * i + 1];
      }
    });
    this.arrows.setSurface(surface);
    this.updateSlice();
  }

  /// Positions at both ends of the step.
  setEnds(start: Float32Array, end: Float32Array): void {
    const u = this.shared;
    if (start !== this.start) {
      // In a sequence the old end is the new start: its texture is there already.
      if (start === this.end && start.length) {
        u.startAt.value.dispose();
        u.startAt.value = u.endAt.value;
      } else {
        if (u.startAt.value !== u.endAt.value) u.startAt.value.dispose();
        u.startAt.value = rowTexture(start, 3);
      }
    }
    if (end !== this.end) {
      if (u.endAt.value !== u.startAt.value) u.endAt.value.dispose();
      u.endAt.value = end === start ? u.startAt.value : rowTexture(end, 3);
    }
    this.start = start;
    this.end = end;
    this.updateSlice();
    this.request();
  }

  setTime(time: number): void {
    if (time !== this.shared.time.value && (this.untilNow || this.contacts?.simulated)) this.markersAreOld = true;
    this.shared.time.value = time;
    if (this.slice.on) this.updateSlice();
    this.request();
  }

  /// Colour the surface by values; null for the colours of the parts.
  setField(field: FieldValues | null): void {
    const u = this.fieldUniforms;
    const kinds = { vertex: [FIELD.scalar, FIELD.vector], element: [FIELD.elementScalar, FIELD.elementVector] };
    this.surfaceUniforms.fieldKind.value = field ? kinds[field.place][field.components === 3 ? 1 : 0] : FIELD.none;
    if (u.fieldEnd.value !== u.fieldStart.value) u.fieldEnd.value.dispose();
    u.fieldStart.value.dispose();
    u.fieldStart.value = field ? rowTexture(field.start, field.components) : dataTexture(1, 4, 'f32', () => {});
    u.fieldEnd.value = !field || field.end === field.start ? u.fieldStart.value : rowTexture(field.end, field.components);
    this.request();
  }

  setColourMap(map: string, from: number, to: number): void {
    const u = this.fieldUniforms;
    u.map.value.dispose();
    u.map.value = mapTexture(map);
    u.range.value.set(from, to);
    this.request();
  }

  /// @param longest the length of the longest vector; @param scale of its arrow: 1 for a twentieth of the extent.
  setArrows(on: boolean, longest: number, scale: number): void {
    this.arrows.mesh.visible = on;
    this.arrows.setScale(longest, 0.05 * scale * this.extent, this.extent);
    this.request();
  }

  /// The place of a vertex at the current time.
  vertexAt(v: number): [number, number, number] {
    const t = this.shared.time.value;
    const at = (k: number) => this.start[3 * v + k] + (this.end[3 * v + k] - this.start[3 * v + k]) * t;
    return [at(0), at(1), at(2)];
  }

  setContacts(contacts: Contacts | null): void {
    this.contacts = contacts;
    const count = contacts?.count ?? 0;
    const u = this.contactUniforms;
    const simulated = contacts?.simulated;
    for (const uniform of [u.contactPoints, u.contactMarks, u.contactVertices, u.contactWeights]) uniform.value.dispose();
    // Contacts of a simulation are coloured by their distances, relative to the largest one.
    const shades = simulated?.distances ?? contacts?.times;
    const most = simulated ? simulated.distances.reduce((a, b) => Math.max(a, b), 1e-300) : 1;
    u.contactPoints.value = dataTexture(count, 4, 'f32', (to) => {
      for (let i = 0; contacts && i < count; i++) {
        for (let k = 0; k < 3; k++) to[4 * i + k] = contacts.points[3 * i + k];
        to[4 * i + 3] = shades![i] / most;
      }
    });
    u.contactWeights.value = dataTexture(simulated ? count : 1, 4, 'f32', (to) => simulated && to.set(simulated.weights));
    u.onFeatures.value = !!simulated;
    u.untilNow.value = this.untilNow && !simulated;
    u.contactVertices.value = dataTexture(count, 4, 'u32', (to) => contacts && to.set(contacts.vertices));
    this.marks = dataTexture(count, 1, 'u8', (to) => contacts && to.set(contacts.kinds));
    u.contactMarks.value = this.marks;
    this.markers.setPoints(contacts?.points ?? new Float32Array(0));
    this.markerValues = simulated ? Float32Array.from(simulated.distances, (x) => x / most) : (contacts?.times ?? new Float32Array(0));
    this.markersAreOld = true;
    this.contactFaces.geometry.setDrawRange(0, 3 * count);
    this.contactEdges.geometry.setDrawRange(0, 4 * count);
    this.request();
  }

  /// Which contacts are shown, and which one is selected (-1 for none).
  setMarks(isShown: (i: number) => boolean, selected: number): void {
    this.isShown = isShown;
    this.selected = selected;
    this.markersAreOld = true;
    if (!this.marks || !this.contacts) return;
    const marks = this.marks.image.data as unknown as Uint8Array;
    for (let i = 0; i < this.contacts.count; i++) {
      marks[i] = this.contacts.kinds[i] | (isShown(i) ? 0 : 4) | (i === selected ? 8 : 0);
    }
    this.marks.needsUpdate = true;
    const chosen = this.chosenUniforms;
    if (selected >= 0) {
      const v = this.contacts.vertices;
      chosen.chosenIds.value.set(v[4 * selected], v[4 * selected + 1], v[4 * selected + 2], v[4 * selected + 3]);
      chosen.edges.value = (this.contacts.kinds[selected] & 1) === 1;
    }
    this.chosen.geometry.setDrawRange(0, selected < 0 ? 0 : chosen.edges.value ? 12 : 18);
    this.request();
  }

  setLayers(overlaps: Float32Array | null, near: [Float32Array, Float32Array] | null): void {
    this.overlapLayer.geometry.dispose();
    this.overlapLayer.geometry = new THREE.BufferGeometry();
    this.overlapLayer.geometry.setAttribute('position', new THREE.BufferAttribute(overlaps ?? new Float32Array(0), 3));
    const count = near ? near[0].length / 3 : 0;
    const ends = new Float32Array(6 * count);
    for (let i = 0; near && i < count; i++) {
      ends.set(near[0].subarray(3 * i, 3 * i + 3), 6 * i);
      ends.set(near[1].subarray(3 * i, 3 * i + 3), 6 * i + 3);
    }
    this.nearLayer.geometry.dispose();
    this.nearLayer.geometry = new THREE.BufferGeometry();
    this.nearLayer.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
    this.request();
  }

  // ---- looks

  setStyles(count: number, styleOf: (part: number) => PartStyle): void {
    const u = this.surfaceUniforms;
    u.styles.value.dispose();
    const needed = [false, false];
    u.styles.value = dataTexture(count, 4, 'f32', (to) => {
      for (let i = 0; i < count; i++) {
        to.set(partColours[i % partColours.length], 4 * i);
        const style = styleOf(i);
        const faded = style === 'faded' || this.seeThrough;
        to[4 * i + 3] = style === 'hidden' ? 0 : faded ? 0.22 : 1;
        if (style !== 'hidden') needed[faded ? 1 : 0] = true;
      }
    });
    // A pass costs as much as the other, even if all of its faces are dropped.
    this.passes.forEach((mesh, pass) => (mesh.visible = needed[pass]));
    this.request();
  }

  setSeeThrough(on: boolean): void {
    this.seeThrough = on;
  }

  setEdges(edges: Edges): void {
    this.surfaceUniforms.wire.value = edges === 'wire';
    this.surfaceUniforms.lineStrength.value = edges === 'none' ? 0 : 0.4;
    this.request();
  }

  showLayers(contacts: boolean, features: boolean, overlaps: boolean, near: boolean): void {
    for (const layer of this.markers.layers) layer.visible = contacts;
    this.contactFaces.visible = this.contactEdges.visible = features;
    this.overlapLayer.visible = overlaps;
    this.nearLayer.visible = near;
    this.request();
  }

  setUntilNow(on: boolean): void {
    this.untilNow = on;
    this.markersAreOld = true;
    this.contactUniforms.untilNow.value = on && !this.contacts?.simulated;
    this.request();
  }

  setDark(dark: boolean): void {
    // Late contacts are dark themselves: their rims tell them from a dark background.
    this.outline.value.set(dark ? 0xd5dde5 : 0x1a1a1a);
    this.surfaceUniforms.lineColour.value.set(dark ? 0x0b0e12 : 0x20262e);
    if (this.surfaceUniforms.wire.value) this.surfaceUniforms.lineColour.value.set(dark ? 0xb8c4d0 : 0x20262e);
    this.request();
  }

  setSlice(slice: Slice): void {
    this.slice = { ...slice };
    this.updateSlice();
    this.request();
  }

  /// Elements are kept or left out as a whole, by their centres. Surfaces are cut by the plane itself.
  private updateSlice(): void {
    const u = this.surfaceUniforms;
    const surface = this.surface;
    const whole = this.slice.on && !!surface?.owners && surface.volumes;
    u.byElement.value = whole;
    u.sliced.value = this.slice.on && !whole;
    if (surface) this.surfaceGeometry.setDrawRange(0, 3 * (whole ? surface.faces.length / 4 : surface.boundary));
    if (!this.slice.on) return;
    const normal = new THREE.Vector3().fromArray(upVectors[this.slice.axis]);
    const from = this.low.dot(normal);
    const to = this.high.dot(normal);
    const at = from + (to - from) * this.slice.at;
    const sign = this.slice.flip ? -1 : 1;
    u.plane.value.set(normal.x * sign, normal.y * sign, normal.z * sign, at * sign);
    if (whole && surface?.owners) this.keepElements(surface, surface.owners, u.plane.value);
  }

  /// The centre of an element is taken as the mean of the corners of its faces.
  private keepElements(surface: Surface, owners: Uint32Array, plane: THREE.Vector4): void {
    const elements = surface.elementParts?.length ?? 0;
    if (this.centroids.length !== 2 * elements) this.centroids = new Float32Array(2 * elements);
    this.centroids.fill(0);
    const t = this.shared.time.value;
    const axis = plane.x !== 0 ? 0 : plane.y !== 0 ? 1 : 2;
    const sign = plane.getComponent(axis);
    const faces = surface.faces;
    for (let i = 0; i < faces.length / 4; i++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) {
        const v = 3 * faces[4 * i + k] + axis;
        sum += this.start[v] + (this.end[v] - this.start[v]) * t;
      }
      for (let k = 0; k < 2; k++) {
        const element = owners[2 * i + k];
        if (element === 0xffffffff) continue;
        this.centroids[2 * element] += sum;
        this.centroids[2 * element + 1] += 3;
      }
    }
    const u = this.surfaceUniforms;
    u.kept.value.dispose();
    u.kept.value = dataTexture(elements, 1, 'u8', (to) => {
      for (let e = 0; e < elements; e++) {
        const count = this.centroids[2 * e + 1];
        to[e] = count > 0 && (this.centroids[2 * e] / count) * sign <= plane.w ? 1 : 0;
      }
    });
  }

  // ---- camera

  setBounds(low: [number, number, number], high: [number, number, number]): void {
    this.low.set(...low);
    this.high.set(...high);
    this.extent = Math.max(this.low.distanceTo(this.high), 1e-30);
    this.updateSlice();
  }

  setUp(up: Up): void {
    this.upAxis = up;
    this.surfaceUniforms.up.value.fromArray(upVectors[up]);
    this.makeControls();
  }

  private aspectFactor(): number {
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    return 0.5 / (half * Math.min(1, this.camera.aspect));
  }

  /// The whole scene, seen from the side and a little above.
  fit(): void {
    const k = { x: 0, y: 1, z: 2 }[this.upAxis];
    const back: [number, number, number] = [0, 0, 0];
    back[(k + 1) % 3] = 0.62;
    back[(k + 2) % 3] = -0.7;
    back[k] = 0.42;
    const target = this.low.clone().add(this.high).multiplyScalar(0.5);
    const eye = new THREE.Vector3(...back).normalize();
    const right = new THREE.Vector3().fromArray(upVectors[this.upAxis]).cross(eye).normalize();
    const top = eye.clone().cross(right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.94;
    // Step back until every corner of the bounds is in view.
    let away = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(
        (i & 1 ? this.high : this.low).x,
        (i & 2 ? this.high : this.low).y,
        (i & 4 ? this.high : this.low).z,
      ).sub(target);
      const wide = Math.abs(corner.dot(right)) / (tall * this.camera.aspect);
      away = Math.max(away, corner.dot(eye) + Math.max(wide, Math.abs(corner.dot(top)) / tall));
    }
    const position = eye.multiplyScalar(Math.max(away, 1e-6 * this.extent)).add(target);
    this.moveTo({ position: position.toArray(), target: target.toArray() }, false);
    this.fitted = true;
  }

  eye(): Eye {
    return { position: this.camera.position.toArray(), target: this.controls.target.toArray() };
  }

  moveTo(eye: Eye, animate: boolean): void {
    if (animate && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.fitted = false;
      this.flight = { from: this.eye(), to: eye, begun: performance.now() };
      this.request();
      return;
    }
    this.flight = null;
    this.fitted = false;
    this.camera.position.set(...eye.position);
    this.controls.target.set(...eye.target);
    this.controls.update();
    this.request();
    this.onMove();
  }

  /// Look at a point from the current side, so near that a length fills a fifth of the view.
  flyTo(point: [number, number, number], length: number): void {
    const from = this.camera.position.clone().sub(this.controls.target).normalize();
    const away = Math.max(length * 5 * this.aspectFactor(), 1e-4 * this.extent);
    const target = new THREE.Vector3(...point);
    this.moveTo({ position: from.multiplyScalar(away).add(target).toArray(), target: point }, true);
  }

  /// The point of a contact at the current time: one of a simulation moves with its first feature.
  private pointAt(i: number): [number, number, number] {
    const c = this.contacts!;
    if (!c.simulated) return [c.points[3 * i], c.points[3 * i + 1], c.points[3 * i + 2]];
    const p = this.vertexAt(c.vertices[4 * i]);
    if (!(c.kinds[i] & 1)) return p;
    const q = this.vertexAt(c.vertices[4 * i + 1]);
    const [a, b] = [c.simulated.weights[4 * i], c.simulated.weights[4 * i + 1]];
    return [a * p[0] + b * q[0], a * p[1] + b * q[1], a * p[2] + b * q[2]];
  }

  flyToContact(i: number): void {
    const c = this.contacts;
    if (!c) return;
    let length = 0;
    const corners = [0, 1, 2, 3].map((k) => new THREE.Vector3(...this.vertexAt(c.vertices[4 * i + k])));
    const pairs = c.kinds[i] & 1 ? [[0, 1], [2, 3]] : [[1, 2], [2, 3], [1, 3]];
    for (const [a, b] of pairs) length = Math.max(length, corners[a].distanceTo(corners[b]));
    this.flyTo(this.pointAt(i), Math.max(length, 1e-4 * this.extent) * 1.6);
  }

  /// The marker under a place on the canvas: a contact, or a place where several are; null for none.
  pick(x: number, y: number): { contact: number } | { near: [number, number, number]; size: number } | null {
    if (!this.contacts || !this.markers.layers[0].visible) return null;
    const canvas = this.renderer.domElement;
    const found = this.markers.pick(x, y, this.camera, canvas.clientWidth, canvas.clientHeight);
    if (!found) return null;
    // Contacts at one place stay one marker from any distance.
    if (found.count === 1 || found.size < 1e-3 * this.extent) return { contact: found.first };
    return { near: [found.x, found.y, found.z], size: found.size };
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    if (this.fitted) this.fit();
    this.viewSize.value.set(width, height);
    this.request();
  }

  // ---- drawing

  request(): void {
    if (this.frameRequested) return;
    this.frameRequested = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  private fly(now: number): void {
    if (!this.flight) return;
    const s = Math.min(1, (now - this.flight.begun) / 450);
    const ease = s * s * (3 - 2 * s);
    const { from, to } = this.flight;
    const mix = (a: number[], b: number[]) => a.map((x, k) => x + (b[k] - x) * ease) as [number, number, number];
    this.camera.position.set(...mix(from.position, to.position));
    this.controls.target.set(...mix(from.target, to.target));
    this.controls.update();
    if (s >= 1) {
      this.flight = null;
      this.onMove();
    } else {
      this.request();
    }
  }

  private frame(now: number): void {
    this.frameRequested = false;
    this.fly(now);
    this.watchSpeed(now);
    this.draw(!this.slow);
    if (!this.slow || !this.wantsOcclusion) return;
    window.clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      this.restTimer = 0;
      this.draw(true);
    }, 150);
  }

  /// Whether the picture will change by itself, for tests.
  get isBusy(): boolean {
    return this.frameRequested || this.restTimer !== 0;
  }

  /// Whether frames that follow each other take longer than a thirtieth of a second.
  private watchSpeed(now: number): void {
    const passed = now - this.lastFrame;
    this.lastFrame = now;
    if (passed > 400) return; // nothing was drawn in between
    this.longFrames = passed > 34 ? this.longFrames + 1 : Math.max(0, this.longFrames - 1);
    if (this.longFrames > 4) this.slow = true;
    if (this.longFrames === 0) this.slow = false;
  }

  setOcclusion(on: boolean): void {
    this.wantsOcclusion = on;
    this.request();
  }

  /// Markers for the contacts, filters, time and camera of now.
  private placeMarkers(): void {
    const c = this.contacts;
    if (c && this.markersAreOld) {
      const now = this.shared.time.value;
      const isShown = this.untilNow && !c.simulated ? (i: number) => c.times[i] <= now && this.isShown(i) : this.isShown;
      this.markers.update(isShown, this.markerValues, c.simulated ? this.pointsNow(c) : c.points);
    }
    this.markersAreOld = false;
    const chosen = c && this.selected >= 0 && this.selected < c.count ? this.pointAt(this.selected) : null;
    this.markers.choose(chosen && { x: chosen[0], y: chosen[1], z: chosen[2], value: this.markerValues[this.selected] });
    this.markers.place(this.camera, this.renderer.domElement.clientHeight);
  }

  private pointsNow(contacts: Contacts): Float32Array {
    const points = new Float32Array(3 * contacts.count);
    for (let i = 0; i < contacts.count; i++) points.set(this.pointAt(i), 3 * i);
    return points;
  }

  draw(shaded = true): void {
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.002 * away, 1e-5 * this.extent);
    this.camera.far = away + 4 * this.extent;
    this.camera.updateProjectionMatrix();
    this.placeMarkers();
    this.renderer.info.autoReset = false;
    this.renderer.info.reset();
    const opaque = this.passes[0].visible && !this.surfaceUniforms.wire.value;
    if (shaded && this.wantsOcclusion && opaque) this.occlusion.render(this.scene, this.camera, away);
    else this.renderer.render(this.scene, this.camera);
  }

  /// Counts of the last frame, for tests and measurements.
  drawn(): { calls: number; triangles: number; markers: number; contacts: number } {
    const { calls, triangles } = this.renderer.info.render;
    return { calls, triangles, ...this.markers.counts() };
  }

  /// The directions of x, y and z on the screen, towards the eye last.
  axes(): [number, number, number][] {
    this.camera.updateMatrixWorld();
    const e = this.camera.matrixWorldInverse.elements;
    return [0, 1, 2].map((k) => [e[4 * k], e[4 * k + 1], e[4 * k + 2]]);
  }

  /// Look along an axis at the same target: "+x" from its positive side.
  lookAlong(axis: string): void {
    const direction = new THREE.Vector3().fromArray(upVectors[axis[1] as Up]).multiplyScalar(axis[0] === '-' ? -1 : 1);
    // From exactly above there is no horizon.
    if (axis[1] === this.upAxis) direction[axis[1] === 'x' ? 'y' : 'x'] += 1e-4;
    const { target } = this.controls;
    const away = this.camera.position.distanceTo(target);
    this.moveTo({ position: direction.multiplyScalar(away).add(target).toArray(), target: target.toArray() }, true);
  }

  dispose(): void {
    window.clearTimeout(this.restTimer);
    this.controls.dispose();
    this.occlusion.dispose();
    this.renderer.dispose();
  }

  /// A PNG of the view, on a plain background. @param over draws more on it.
  async picture(background: string, over: (ink: CanvasRenderingContext2D, ratio: number) => void): Promise<Blob> {
    this.renderer.setClearColor(new THREE.Color(background), 1);
    this.draw(true);
    const canvas = this.renderer.domElement;
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const ink = copy.getContext('2d')!;
    ink.drawImage(canvas, 0, 0);
    over(ink, this.renderer.getPixelRatio());
    const blob = await new Promise<Blob | null>((done) => copy.toBlob(done, 'image/png'));
    this.renderer.setClearColor(0x000000, 0);
    this.request();
    if (!blob) throw new Error('The browser could not make the picture.');
    return blob;
  }
}
