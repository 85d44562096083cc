// SPDX-License-Identifier: Apache-2.0
// Data for shaders as textures, in rows of ROW texels.
import * as THREE from 'three';
import { ROW, glyphText, mapColour } from './shaders';

export function dataTexture(
  count: number,
  components: 1 | 2 | 4,
  kind: 'f32' | 'u32' | 'u8',
  fill: (to: Float32Array | Uint32Array | Uint8Array) => void,
): THREE.DataTexture {
  const height = Math.max(1, Math.ceil(count / ROW));
  const length = ROW * height * components;
  const array = kind === 'f32' ? new Float32Array(length) : kind === 'u32' ? new Uint32Array(length) : new Uint8Array(length);
  fill(array);
  const integer = kind !== 'f32';
  const formats = integer
    ? { 1: THREE.RedIntegerFormat, 2: THREE.RGIntegerFormat, 4: THREE.RGBAIntegerFormat }
    : { 1: THREE.RedFormat, 2: THREE.RGFormat, 4: THREE.RGBAFormat };
  const type = kind === 'f32' ? THREE.FloatType : kind === 'u32' ? THREE.UnsignedIntType : THREE.UnsignedByteType;
  const texture = new THREE.DataTexture(array as never, ROW, height, formats[components] as THREE.PixelFormat, type);
  texture.magFilter = texture.minFilter = THREE.NearestFilter;
  texture.generateMipmaps = false;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}

/// Numbers in rows of 1 or 3, as texels of four.
export function rowTexture(x: Float32Array, components: 1 | 3): THREE.DataTexture {
  const count = x.length / components;
  return dataTexture(count, 4, 'f32', (to) => {
    if (components === 1) {
      for (let i = 0; i < count; i++) to[4 * i] = x[i];
      return;
    }
    for (let i = 0; i < count; i++) {
      to[4 * i] = x[3 * i];
      to[4 * i + 1] = x[3 * i + 1];
      to[4 * i + 2] = x[3 * i + 2];
    }
  });
}

export function mapTexture(name: string): THREE.DataTexture {
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) bytes.set([...mapColour(name, i / 255), 255], 4 * i);
  const texture = new THREE.DataTexture(bytes, 256, 1);
  texture.magFilter = texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/// The characters of counts, side by side.
export function glyphTexture(): THREE.CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = 32 * glyphText.length;
  canvas.height = 48;
  const ink = canvas.getContext('2d')!;
  ink.font = 'bold 46px system-ui, sans-serif';
  ink.textAlign = 'center';
  ink.textBaseline = 'middle';
  [...glyphText].forEach((glyph, i) => {
    const wide = Math.max(1, ink.measureText(glyph).width / 31);
    ink.setTransform(1 / wide, 0, 0, 1, 32 * i + 16, 26);
    ink.fillText(glyph, 0, 0);
  });
  const texture = new THREE.CanvasTexture(canvas);
  texture.generateMipmaps = false;
  texture.minFilter = THREE.LinearFilter;
  return texture;
}

/// A geometry without attributes: shaders go by the number of the vertex.
export function bare(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setDrawRange(0, 0);
  return geometry;
}
