// SPDX-License-Identifier: Apache-2.0
// The surface is drawn apart, with its depths, and shaded by what stands before it. Everything else is drawn over it.
import * as THREE from 'three';
import { occlusionFragment, occlusionVertex } from './shaders';

/// The layer of three.js for what is shaded; all else is on layer 0.
export const SHADED = 1;

const REACH = 24; // pixels, and a part of the distance to the target, as in pictures of the command
const REACH_DEPTH = 0.02;

export class Occlusion {
  private target: THREE.WebGLRenderTarget;
  private scene = new THREE.Scene();
  private screen = new THREE.Camera();
  private uniforms = {
    colours: { value: null as THREE.Texture | null },
    depths: { value: null as THREE.Texture | null },
    nearFar: { value: new THREE.Vector2() },
    size: { value: new THREE.Vector2(1, 1) },
    reach: { value: REACH },
    reachDepth: { value: 1 },
  };

  constructor(private renderer: THREE.WebGLRenderer) {
    this.target = new THREE.WebGLRenderTarget(1, 1, { samples: 4, depthTexture: new THREE.DepthTexture(1, 1, THREE.UnsignedIntType) });
    this.target.texture.minFilter = this.target.texture.magFilter = THREE.NearestFilter;
    const triangle = new THREE.BufferGeometry();
    triangle.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const material = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: occlusionVertex,
      fragmentShader: occlusionFragment,
      uniforms: this.uniforms,
      depthFunc: THREE.AlwaysDepth,
      blending: THREE.NoBlending,
    });
    const mesh = new THREE.Mesh(triangle, material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  render(scene: THREE.Scene, camera: THREE.PerspectiveCamera, away: number): void {
    const { renderer, uniforms } = this;
    const size = renderer.getDrawingBufferSize(new THREE.Vector2());
    if (this.target.width !== size.x || this.target.height !== size.y) this.target.setSize(size.x, size.y);
    uniforms.colours.value = this.target.texture;
    uniforms.depths.value = this.target.depthTexture;
    uniforms.nearFar.value.set(camera.near, camera.far);
    uniforms.size.value.copy(size);
    uniforms.reach.value = REACH * renderer.getPixelRatio();
    uniforms.reachDepth.value = REACH_DEPTH * away;
    camera.layers.set(SHADED);
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    renderer.render(this.scene, this.screen);
    camera.layers.set(0);
    renderer.autoClear = false;
    renderer.render(scene, camera);
    renderer.autoClear = true;
    camera.layers.enable(SHADED);
  }

  dispose(): void {
    this.target.dispose();
  }
}
