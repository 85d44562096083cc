// SPDX-License-Identifier: Apache-2.0
// The data of the page: the object and the blocks that tools/view_data.c writes, or those of the engine.

/// A block of numbers: in the page as base64, on the server, or in memory already.
export interface BlockRef {
  type: 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
  count: number;
  block: number;
}

export interface FrameInfo {
  name: string;
  time: number | null;
  positions: BlockRef;
  /// Those that a simulation wrote at this frame.
  contacts?: {
    count: number;
    kinds: BlockRef;
    vertices: BlockRef;
    weights: BlockRef;
    distances: BlockRef;
    normals: BlockRef;
    points: BlockRef;
  };
}

export interface SurfaceInfo {
  boundary: number;
  faces: BlockRef;
  vertexParts: BlockRef;
  owners?: BlockRef;
  elementParts?: BlockRef;
}

export interface Stage {
  name: string;
  in: number;
  out: number;
  ms: number;
}

export interface StepInfo {
  surface: number;
  start?: BlockRef;
  preset?: string;
  chosen?: string;
  ms?: number;
  stages?: Stage[];
  contacts: {
    count: number;
    kinds: BlockRef;
    vertices: BlockRef;
    times: BlockRef;
    normals: BlockRef;
    points: BlockRef;
    bodies?: BlockRef;
  };
  overlaps?: { count: number; points: BlockRef };
  near?: { count: number; distance: number; from: BlockRef; to: BlockRef };
}

export interface PageData {
  layout: number;
  version: string;
  up: 'x' | 'y' | 'z';
  centre: [number, number, number];
  frames: FrameInfo[];
  surfaces: SurfaceInfo[];
  steps: StepInfo[];
  parts: string[];
}

/// A surface with its arrays. A face has four numbers: three vertex ids, and the part with the flags above it.
export interface Surface {
  boundary: number;
  faces: Uint32Array;
  vertexParts: Uint32Array;
  owners?: Uint32Array;
  elementParts?: Uint32Array;
}

export interface Contacts {
  count: number;
  kinds: Uint8Array; // bit 0: edge-edge; bit 1: undecided
  vertices: Uint32Array;
  times: Float64Array;
  normals: Float32Array;
  points: Float32Array; // relative to the centre
  bodies?: Uint32Array;
  simulated?: Simulated;
}

/// Contacts at a frame instead of within a step: their times are 0. Their points move with the features.
export interface Simulated {
  frame: number;
  distances: Float64Array;
  weights: Float32Array;
}

const sizes = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 };

export class DataError extends Error {}

/// Bytes of base64, in pieces: one text for a whole block would be copied as a whole.
function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const piece = 4 << 18;
  for (let from = 0, at = 0; from < text.length; from += piece) {
    const binary = atob(text.slice(from, from + piece));
    for (let i = 0; i < binary.length; i++) bytes[at++] = binary.charCodeAt(i);
  }
  return bytes;
}

/// Let the browser answer to people before the next piece of work.
const breathe = (): Promise<void> => new Promise((done) => setTimeout(done));

/// Where the bytes of blocks come from.
export type BlockSource = (block: number) => Uint8Array | Promise<Uint8Array>;

/// Blocks in script elements of the page, or on the server that sent the page. An element goes once it is read.
export function pageBlocks(): BlockSource {
  return async (block) => {
    const element = document.getElementById(`toccata-block-${block}`);
    if (element) {
      await breathe();
      try {
        return fromBase64((element.textContent ?? '').trim());
      } catch {
        throw new DataError(`Block ${block} of this page is damaged. Write the page again with toccata view.`);
      } finally {
        element.textContent = '';
      }
    }
    let answer: Response;
    try {
      answer = await fetch(`blocks/${block}`);
    } catch {
      throw new DataError('The server has stopped. Start toccata view --serve again, and reload this page.');
    }
    if (!answer.ok) throw new DataError(`The server does not have block ${block} (${answer.status}).`);
    return new Uint8Array(await answer.arrayBuffer());
  };
}

export class Model {
  private kept = new Map<number, Promise<ArrayBufferView>>();

  constructor(
    readonly data: PageData,
    private source: BlockSource,
  ) {
    if (data.layout !== 1) throw new DataError(`This page has data of layout ${data.layout}; it can show layout 1.`);
  }

  get steps(): number {
    return this.data.steps.length;
  }

  private async decode(ref: BlockRef): Promise<ArrayBufferView> {
    const bytes = await this.source(ref.block);
    if (bytes.byteLength !== ref.count * sizes[ref.type]) {
      throw new DataError(
        `Block ${ref.block} has ${bytes.byteLength} bytes, not ${ref.count * sizes[ref.type]}: the page is truncated. ` +
          'Write it again with toccata view.',
      );
    }
    const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
    const buffer = aligned.buffer as ArrayBuffer;
    const at = aligned.byteOffset;
    switch (ref.type) {
      case 'u8':
        return new Uint8Array(buffer, at, ref.count);
      case 'u16':
        return new Uint16Array(buffer, at, ref.count);
      case 'u32':
        return new Uint32Array(buffer, at, ref.count);
      case 'f32':
        return new Float32Array(buffer, at, ref.count);
      case 'f64':
        return new Float64Array(buffer, at, ref.count);
    }
  }

  /// The numbers of a block, decoded once.
  private numbers<T extends ArrayBufferView>(ref: BlockRef): Promise<T> {
    let found = this.kept.get(ref.block);
    if (!found) {
      found = this.decode(ref);
      this.kept.set(ref.block, found);
    }
    return found as Promise<T>;
  }

  frame(index: number): Promise<Float32Array> {
    return this.numbers(this.data.frames[index].positions);
  }

  /// Positions at both ends of a step; at rest if there is no step.
  async ends(step: number): Promise<[Float32Array, Float32Array]> {
    if (this.steps === 0) {
      const only = await this.frame(0);
      return [only, only];
    }
    const own = this.data.steps[step].start;
    return Promise.all([own ? this.numbers<Float32Array>(own) : this.frame(step), this.frame(step + 1)]);
  }

  surfaceIndex(step: number): number {
    return this.steps ? this.data.steps[step].surface : 0;
  }

  async surface(index: number): Promise<Surface> {
    const info = this.data.surfaces[index];
    return {
      boundary: info.boundary,
      faces: await this.numbers(info.faces),
      vertexParts: await this.numbers(info.vertexParts),
      owners: info.owners && (await this.numbers(info.owners)),
      elementParts: info.elementParts && (await this.numbers(info.elementParts)),
    };
  }

  async contacts(step: number): Promise<Contacts> {
    const info = this.data.steps[step].contacts;
    return {
      count: info.count,
      kinds: await this.numbers(info.kinds),
      vertices: await this.numbers(info.vertices),
      times: await this.numbers(info.times),
      normals: await this.numbers(info.normals),
      points: await this.numbers(info.points),
      bodies: info.bodies && (await this.numbers(info.bodies)),
    };
  }

  /// The contacts that a simulation wrote at a frame; null if it wrote none.
  async frameContacts(frame: number): Promise<Contacts | null> {
    const info = this.data.frames[frame]?.contacts;
    if (!info) return null;
    return {
      count: info.count,
      kinds: await this.numbers(info.kinds),
      vertices: await this.numbers(info.vertices),
      times: new Float64Array(info.count),
      normals: await this.numbers(info.normals),
      points: await this.numbers(info.points),
      simulated: { frame, distances: await this.numbers(info.distances), weights: await this.numbers(info.weights) },
    };
  }

  async overlaps(step: number): Promise<Float32Array | null> {
    const layer = this.data.steps[step]?.overlaps;
    return layer ? this.numbers(layer.points) : null;
  }

  async near(step: number): Promise<[Float32Array, Float32Array] | null> {
    const layer = this.data.steps[step]?.near;
    return layer ? Promise.all([this.numbers<Float32Array>(layer.from), this.numbers<Float32Array>(layer.to)]) : null;
  }
}

/// The object in the page; null for a page without data. Throws a DataError for a page that is not whole.
export function readPage(): PageData | null {
  if (!document.getElementById('toccata-end')) {
    throw new DataError('This page is truncated: its end is missing. Copy it again, or write it again with toccata view.');
  }
  const text = document.getElementById('toccata-data')?.textContent;
  if (!text) return null;
  let data: PageData;
  try {
    data = JSON.parse(text) as PageData;
  } catch {
    throw new DataError('The description of the data in this page is damaged. Write the page again with toccata view.');
  }
  return data.frames?.length ? data : null;
}
