// SPDX-License-Identifier: Apache-2.0
// The data of the page: the object and the blocks that view/coder.c writes, for the command, the engine and live views.

/// A block of numbers: in the page as base64, on the server, or in memory already.
export interface BlockRef {
  type: 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
  count: number;
  block: number;
}

/// Numbers of a file or a program at a frame, for each vertex or each element.
export interface FieldInfo {
  name: string;
  components: 1 | 3;
  place: 'vertex' | 'element';
  values: BlockRef;
}

/// Two parts that touch, the lower one first: [part, part, contacts, least time or distance, its contact].
export type PartPair = [number, number, number, number, number];

export interface FrameInfo {
  name: string;
  time: number | null;
  positions: BlockRef;
  fields?: FieldInfo[];
  /// Those that a simulation wrote at this frame.
  contacts?: {
    count: number;
    kinds: BlockRef;
    vertices: BlockRef;
    weights: BlockRef;
    distances: BlockRef;
    normals: BlockRef;
    points: BlockRef;
    pairs: PartPair[];
  };
}

export interface SurfaceInfo {
  boundary: number;
  faces: BlockRef;
  vertexParts: BlockRef;
  owners?: BlockRef;
  elementParts?: BlockRef;
  volumes: boolean;
  bodies?: number[]; // the first vertex of each, if there are several
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
    pairs: PartPair[];
    unasked?: boolean; // nobody has looked for them
  };
  overlaps?: { count: number; points: BlockRef };
  /// Components that are wholly inside of a body: a vertex of each.
  inside?: { count: number; points: BlockRef };
  near?: { count: number; distance: number; from: BlockRef; to: BlockRef };
}

export interface PageData {
  layout: number;
  version: string;
  up: 'x' | 'y' | 'z';
  title?: string;
  centre: [number, number, number];
  frames: FrameInfo[];
  surfaces: SurfaceInfo[];
  steps: StepInfo[];
  parts: string[];
  /// A second run, to compare.
  beside?: PageData;
}

/// A surface with its arrays. A face has four numbers: three vertex ids, and the part with the flags above it.
export interface Surface {
  boundary: number;
  faces: Uint32Array;
  vertexParts: Uint32Array;
  owners?: Uint32Array;
  elementParts?: Uint32Array;
  volumes: boolean;
  bodies: number[]; // the first vertex of each
}

export interface Contacts {
  count: number;
  kinds: Uint8Array; // bit 0: edge-edge; bit 1: undecided
  vertices: Uint32Array;
  times: Float64Array;
  normals: Float32Array;
  points: Float32Array; // relative to the centre
  unasked?: boolean;
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
export interface BlockSource {
  read(block: number): Uint8Array | Promise<Uint8Array>;
  /// Whether a block can be read again, so that the page need not keep it.
  again: boolean;
}

async function fetchBlock(block: number): Promise<Uint8Array> {
  let answer: Response;
  try {
    answer = await fetch(`blocks/${block}`);
  } catch {
    throw new DataError('The program that serves this page has ended. Start it again, and reload this page.');
  }
  if (answer.status === 410) throw new DataError('The program has forgotten this step: it keeps the newest ones.');
  if (!answer.ok) throw new DataError(`The server does not have block ${block} (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

/// Blocks in script elements of a page. An element goes once it is read. Others are on the server that sent the page.
export function pageBlocks(page: Document): BlockSource {
  const read = async (block: number) => {
    const element = page.getElementById(`toccata-block-${block}`);
    if (!element) return fetchBlock(block);
    await breathe();
    try {
      return fromBase64((element.textContent ?? '').trim());
    } catch {
      throw new DataError(`Block ${block} of this page is damaged. Write the page again with toccata view.`);
    } finally {
      element.textContent = '';
    }
  };
  return { read, again: false };
}

export const servedBlocks: BlockSource = { read: fetchBlock, again: true };

const MOST_KEPT = 2 ** 29; // bytes of blocks that can be read again

export interface FieldName {
  name: string;
  components: 1 | 3;
  place: 'vertex' | 'element';
}

export class Model {
  private kept = new Map<number, { numbers: Promise<ArrayBufferView>; bytes: number }>();
  private keptBytes = 0;
  first = 0; // the oldest step that there is

  constructor(
    readonly data: PageData,
    private source: BlockSource,
  ) {
    if (data.layout !== 2) throw new DataError(`This page has data of layout ${data.layout}; it can show layout 2.`);
  }

  /// A model on other data with the same blocks.
  of(data: PageData): Model {
    return new Model(data, this.source);
  }

  get steps(): number {
    return this.data.steps.length;
  }

  private async decode(ref: BlockRef): Promise<ArrayBufferView> {
    const bytes = await this.source.read(ref.block);
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

  /// The numbers of a block, decoded once. Of blocks that can be read again, those used least lately go.
  private numbers<T extends ArrayBufferView>(ref: BlockRef): Promise<T> {
    const known = this.kept.get(ref.block);
    const found = known ?? { numbers: this.decode(ref), bytes: ref.count * sizes[ref.type] };
    if (!known) this.keptBytes += found.bytes;
    if (this.source.again) this.kept.delete(ref.block); // to the end of the order
    this.kept.set(ref.block, found);
    if (this.source.again) this.forgetOld();
    return found.numbers as Promise<T>;
  }

  private forgetOld(): void {
    for (const [block, { bytes }] of this.kept) {
      if (this.keptBytes <= MOST_KEPT || this.kept.size < 50) return;
      this.kept.delete(block);
      this.keptBytes -= bytes;
    }
  }

  /// The fields of all frames, each once.
  fieldNames(): FieldName[] {
    const names = new Map<string, FieldName>();
    for (const frame of this.data.frames) for (const { name, components, place } of frame.fields ?? []) names.set(name, { name, components, place });
    return [...names.values()];
  }

  /// The values of a field at a frame; null if the frame has none.
  async field(frame: number, name: string): Promise<Float32Array | null> {
    const info = this.data.frames[frame]?.fields?.find((one) => one.name === name);
    return info ? this.numbers<Float32Array>(info.values) : null;
  }

  /// The time within a step in the unit of the file; null where that is none but the number of the frame.
  fileTime(step: number, fraction: number): number | null {
    const { frames } = this.data;
    if (!this.steps || frames.every((frame, i) => frame.time === null || frame.time === i)) return null;
    const [from, to] = [frames[step]?.time ?? null, frames[step + 1]?.time ?? null];
    return from === null || to === null ? null : Number((from + (to - from) * fraction).toPrecision(5));
  }

  /// The first contact of the sequence as a time: of its step, or of its frame for those of a simulation.
  firstContact(source: 'simulation' | 'found'): number {
    if (source === 'simulation') return Math.max(0, this.data.frames.findIndex((frame) => frame.contacts?.count));
    const step = this.data.steps.findIndex((one) => one.contacts.count > 0);
    return step < 0 ? this.first : step + Math.min(...this.data.steps[step].contacts.pairs.map((pair) => pair[3]));
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
      volumes: info.volumes,
      bodies: info.bodies ?? [0],
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
      unasked: info.unasked,
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
    const { overlaps, inside } = this.data.steps[step] ?? {};
    const parts = await Promise.all([overlaps, inside].map((layer) => (layer ? this.numbers<Float32Array>(layer.points) : new Float32Array(0))));
    const all = new Float32Array(parts[0].length + parts[1].length);
    all.set(parts[0]);
    all.set(parts[1], parts[0].length);
    return overlaps || inside ? all : null;
  }

  async near(step: number): Promise<[Float32Array, Float32Array] | null> {
    const layer = this.data.steps[step]?.near;
    return layer ? Promise.all([this.numbers<Float32Array>(layer.from), this.numbers<Float32Array>(layer.to)]) : null;
  }
}

/// The object in a page; null for a page without data. Throws a DataError for a page that is not whole.
export function readPage(page: Document): PageData | null {
  if (!page.getElementById('toccata-end')) {
    throw new DataError('This page is truncated: its end is missing. Copy it again, or write it again with toccata view.');
  }
  const text = page.getElementById('toccata-data')?.textContent;
  if (!text) return null;
  let data: PageData;
  try {
    data = JSON.parse(text) as PageData;
  } catch {
    throw new DataError('The description of the data in this page is damaged. Write the page again with toccata view.');
  }
  return data.frames?.length ? data : null;
}

/// The model of a page that somebody has saved.
export function savedPage(text: string): Model {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const data = readPage(page);
  if (!data) throw new DataError('This page has no data. It is not one that toccata view has written.');
  return new Model(data, pageBlocks(page));
}
