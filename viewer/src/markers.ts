// SPDX-License-Identifier: Apache-2.0
// Markers of contacts as instances, of a size in pixels. Where they would cover each other, one marker with their count
// stands for them. Markers behind the surface are faint.
import * as THREE from 'three';
import { Clusters, type Cluster } from './clusters';
import { glyphText, markerFragment, markerVertex } from './shaders';
import { glyphTexture } from './textures';

const MERGE = 30; // pixels: cells below are one marker
const RADIUS = 5.5;

/// A count in three characters at most: 12, 345, 1k, 23k, 4M.
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999500) return `${Math.round(count / 1000)}k`;
  return `${Math.min(99, Math.round(count / 1e6))}M`;
}

const radiusOf = (count: number): number => (count === 1 ? RADIUS : Math.min(15, 8.5 + 1.6 * Math.log10(count)));

export class Markers {
  readonly layers: THREE.Mesh[]; // the faint ones behind the surface, then the others
  private geometry = new THREE.InstancedBufferGeometry();
  private shown: Cluster[] = [];
  private chosen: { x: number; y: number; z: number; value: number } | null = null;
  private clusters: Clusters | null = null;
  private uniforms;

  constructor(outline: { value: THREE.Color }, view: { value: THREE.Vector2 }) {
    this.uniforms = { outline, view, glyphs: { value: glyphTexture() } };
    const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0];
    this.geometry.setAttribute('position', new THREE.Float32BufferAttribute(corners, 3));
    this.reserve(256);
    const layer = (opacity: number, bias: number, more: object) => {
      const uniforms = { ...this.uniforms, opacity: { value: opacity }, bias: { value: bias } };
      const material = new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: markerVertex,
        fragmentShader: markerFragment,
        uniforms,
        transparent: true,
        ...more,
      });
      return new THREE.Mesh(this.geometry, material);
    };
    this.layers = [layer(0.22, 0, { depthTest: false, depthWrite: false }), layer(1, 0.006, {})];
  }

  private reserve(count: number): void {
    const attribute = (name: string, size: number) => {
      const made = new THREE.InstancedBufferAttribute(new Float32Array(size * count), size);
      made.setUsage(THREE.DynamicDrawUsage);
      this.geometry.setAttribute(name, made);
    };
    attribute('centre', 3);
    attribute('look', 4);
    attribute('label', 3);
  }

  private get room(): number {
    return this.geometry.getAttribute('centre').count;
  }

  /// @param values the colours of the points, 0 to 1.
  setPoints(points: Float32Array): void {
    this.clusters = points.length ? new Clusters(points) : null;
    this.shown = [];
    this.chosen = null;
  }

  update(isShown: (i: number) => boolean, values: Float64Array | Float32Array, points: Float32Array): void {
    this.clusters?.set(isShown, values, points);
  }

  choose(chosen: { x: number; y: number; z: number; value: number } | null): void {
    this.chosen = chosen;
  }

  /// The markers for a camera. @param height of the canvas in pixels.
  place(camera: THREE.PerspectiveCamera, height: number): void {
    this.shown.length = 0;
    camera.updateMatrixWorld();
    const e = camera.matrixWorldInverse.elements;
    const tall = Math.tan((camera.fov * Math.PI) / 360);
    const wide = tall * camera.aspect;
    const pixels = (x: number, y: number, z: number, size: number): number => {
      const depth = -(e[2] * x + e[6] * y + e[10] * z + e[14]);
      if (depth < -size) return -1;
      const near = Math.max(depth, 1e-3 * size);
      const [sx, sy] = [e[0] * x + e[4] * y + e[8] * z + e[12], e[1] * x + e[5] * y + e[9] * z + e[13]];
      const reach = Math.max(near, size);
      if (Math.abs(sx) > wide * reach + size || Math.abs(sy) > tall * reach + size) return -1;
      return (0.5 * height * size) / (tall * near);
    };
    this.clusters?.cut(pixels, MERGE, (cluster) => this.shown.push(cluster));
    this.write();
  }

  private write(): void {
    const count = this.shown.length + (this.chosen ? 1 : 0);
    if (count > this.room) this.reserve(2 * count);
    const [centre, look, label] = ['centre', 'look', 'label'].map((name) => this.geometry.getAttribute(name) as THREE.BufferAttribute);
    this.shown.forEach((cluster, i) => {
      centre.setXYZ(i, cluster.x, cluster.y, cluster.z);
      const text = cluster.count > 1 ? shortCount(cluster.count) : '';
      look.setXYZW(i, radiusOf(cluster.count), cluster.value, 0, text.length);
      label.setXYZ(i, ...([0, 1, 2].map((k) => Math.max(0, glyphText.indexOf(text[k] ?? '0'))) as [number, number, number]));
    });
    if (this.chosen) {
      centre.setXYZ(count - 1, this.chosen.x, this.chosen.y, this.chosen.z);
      look.setXYZW(count - 1, 2 * RADIUS, this.chosen.value, 1, 0);
    }
    for (const attribute of [centre, look, label]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, count * attribute.itemSize);
      attribute.needsUpdate = true;
    }
    this.geometry.instanceCount = count;
  }

  /// The marker under a place of the canvas, in pixels; null for none.
  pick(x: number, y: number, camera: THREE.PerspectiveCamera, width: number, height: number): Cluster | null {
    const matrix = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
    const p = new THREE.Vector4();
    let best: Cluster | null = null;
    let depth = Infinity;
    for (const cluster of this.shown) {
      p.set(cluster.x, cluster.y, cluster.z, 1).applyMatrix4(matrix);
      if (p.w <= 0 || p.w >= depth) continue;
      const [dx, dy] = [(0.5 + (0.5 * p.x) / p.w) * width - x, (0.5 - (0.5 * p.y) / p.w) * height - y];
      if (dx * dx + dy * dy > (radiusOf(cluster.count) + 2.5) ** 2) continue;
      best = cluster;
      depth = p.w;
    }
    return best;
  }

  /// The drawn markers: how many, and how many contacts they stand for.
  counts(): { markers: number; contacts: number } {
    return { markers: this.shown.length, contacts: this.shown.reduce((sum, cluster) => sum + cluster.count, 0) };
  }
}
