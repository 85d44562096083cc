// SPDX-License-Identifier: Apache-2.0
// Arrows of a field of vectors at vertices of the surface, in one call. Of many vertices a part is taken, spread by their
// numbers.
import * as THREE from 'three';
import type { Surface } from './data';
import { arrowFragment, arrowVertex } from './shaders';

const MOST = 4000;

export class Arrows {
  readonly mesh: THREE.Mesh;
  readonly uniforms;
  private geometry = new THREE.InstancedBufferGeometry();

  constructor(shared: Record<string, THREE.IUniform>) {
    this.uniforms = { ...shared, lengthScale: { value: 1 }, halfWidth: { value: 1 } };
    this.geometry.setAttribute('position', new THREE.Float32BufferAttribute(new Float32Array(27), 3));
    this.geometry.instanceCount = 0;
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: arrowVertex,
      fragmentShader: arrowFragment,
      uniforms: this.uniforms,
      side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.visible = false;
  }

  setSurface(surface: Surface): void {
    const used = new Set<number>();
    for (let i = 0; i < surface.boundary; i++) for (let k = 0; k < 3; k++) used.add(surface.faces[4 * i + k]);
    const part = MOST / Math.max(used.size, 1);
    // Fractions of multiples of the golden ratio are even: so is the choice.
    const chosen = [...used].filter((v) => part >= 1 || (v * 0.6180339887498949) % 1 < part);
    this.geometry.setAttribute('vertexId', new THREE.InstancedBufferAttribute(Float32Array.from(chosen), 1));
    this.geometry.instanceCount = chosen.length;
  }

  /// @param longest the length of the longest vector. @param length of its arrow in the scene.
  setScale(longest: number, length: number, extent: number): void {
    this.uniforms.lengthScale.value = longest > 0 ? length / longest : 0;
    this.uniforms.halfWidth.value = 0.0015 * extent;
  }
}
