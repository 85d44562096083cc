// SPDX-License-Identifier: Apache-2.0
// The engine in a worker: reads files, finds the contacts of every step, and sends them in the layout of the page.
// The page stops it by ending the worker.
import { load, type Engine, type OpenOptions, type StepOptions, type StepResult } from '../../../wasm/toccata.mjs';
import type { BlockRef, PageData, StepInfo, SurfaceInfo } from '../data';

export interface Task {
  engine: Uint8Array;
  files: { name: string; bytes: Uint8Array }[];
  frames: string[];
  options: StepOptions & OpenOptions;
}

export type Answer =
  | { kind: 'progress'; done: number }
  | { kind: 'failed'; sentence: string }
  | { kind: 'done'; data: PageData; blocks: Uint8Array[]; csv: Uint8Array[]; clips: string[] };

const send = (answer: Answer, transfer: Transferable[] = []) =>
  (self as unknown as { postMessage(message: unknown, transfer: Transferable[]): void }).postMessage(answer, transfer);

const typeNames = new Map<Function, BlockRef['type']>([
  [Uint8Array, 'u8'],
  [Uint32Array, 'u32'],
  [Float32Array, 'f32'],
  [Float64Array, 'f64'],
]);

class Writer {
  blocks: Uint8Array[] = [];

  add(numbers: Uint8Array | Uint32Array | Float32Array | Float64Array): BlockRef {
    this.blocks.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    return { type: typeNames.get(numbers.constructor)!, count: numbers.length, block: this.blocks.length - 1 };
  }
}

class Run {
  private out = new Writer();
  private centre: [number, number, number] = [0, 0, 0];
  private surfaces: SurfaceInfo[] = [];
  private parts: string[] = [];
  private revision = NaN;

  constructor(
    private engine: Engine,
    private options: StepOptions,
  ) {}

  private findCentre(x: Float64Array): void {
    for (let k = 0; k < 3; k++) {
      let low = Infinity;
      let high = -Infinity;
      for (let i = k; i < x.length; i += 3) {
        low = Math.min(low, x[i]);
        high = Math.max(high, x[i]);
      }
      this.centre[k] = low <= high ? low + 0.5 * (high - low) : 0;
    }
  }

  private place(x: Float64Array): BlockRef {
    const out = new Float32Array(x.length);
    for (let i = 0; i < x.length; i++) out[i] = x[i] - this.centre[i % 3];
    return this.out.add(out);
  }

  /// The surface of the mesh as it is now, made again only after a change of its elements.
  private surface(): number {
    if (this.engine.revision !== this.revision) {
      this.revision = this.engine.revision;
      const skin = this.engine.skin();
      if (!this.parts.length) this.parts = skin.parts;
      this.surfaces.push({
        boundary: skin.boundary,
        faces: this.out.add(skin.faces),
        vertexParts: this.out.add(skin.vertexParts),
        ...(skin.owners && skin.elementParts
          ? { owners: this.out.add(skin.owners), elementParts: this.out.add(skin.elementParts) }
          : {}),
      });
    }
    return this.surfaces.length - 1;
  }

  private step(result: StepResult, start: BlockRef | undefined): StepInfo {
    const { out } = this;
    return {
      surface: this.surface(),
      ...(start ? { start } : {}),
      preset: this.options.preset ?? 'auto',
      chosen: result.chosen,
      ms: 1e3 * result.seconds,
      stages: result.stages,
      contacts: {
        count: result.count,
        kinds: out.add(result.kinds),
        vertices: out.add(result.vertices),
        times: out.add(result.times),
        normals: out.add(new Float32Array(result.normals)),
        points: this.place(result.points),
      },
    };
  }

  all(up: 'y' | 'z', csv: Uint8Array[]): { data: PageData; blocks: Uint8Array[] } {
    const frames = this.engine.frames;
    const data: PageData = { layout: 1, version: this.engine.version, up, centre: this.centre, frames: [], surfaces: this.surfaces, steps: [], parts: [] };
    const info = (i: number, positions: BlockRef) => ({ name: frames[i].name, time: frames[i].time, positions });
    const first = this.engine.positions().start;
    let count = first.length;
    this.findCentre(first);
    data.frames.push(info(0, this.place(first)));
    this.surface();
    for (let i = 0; i + 1 < frames.length; i++) {
      stepNow = i;
      const result = this.engine.step(this.options);
      csv.push(this.engine.contactsFile('csv'));
      const { start, end } = this.engine.positions();
      data.steps.push(this.step(result, start.length === count ? undefined : this.place(start)));
      count = end.length;
      data.frames.push(info(i + 1, this.place(end)));
    }
    data.parts = this.parts;
    return { data, blocks: this.out.blocks };
  }
}

let stepNow = 0;

self.onmessage = async (event: MessageEvent<Task>) => {
  const { engine: bytes, files, frames, options } = event.data;
  let told = 0;
  let steps = 1;
  try {
    const engine = await load(bytes as Uint8Array<ArrayBuffer>, {
      progress: (done) => {
        const now = performance.now();
        if (now - told > 60) {
          told = now;
          send({ kind: 'progress', done: (stepNow + done) / steps });
        }
      },
    });
    for (const file of files) engine.addFile(file.name, file.bytes);
    engine.open(frames, options);
    steps = Math.max(1, engine.frames.length - 1);
    const csv: Uint8Array[] = [];
    const up = /\.(glb|gltf|obj|obj\.gz)$/i.test(frames[0]) ? 'y' : 'z';
    const { data, blocks } = new Run(engine, options).all(up, csv);
    send({ kind: 'done', data, blocks, csv, clips: engine.clips }, blocks.map((block) => block.buffer as ArrayBuffer));
  } catch (error) {
    const memory = error instanceof RangeError || (error instanceof WebAssembly.RuntimeError && /memory/.test(error.message));
    const sentence = error instanceof Error ? error.message : String(error);
    send({ kind: 'failed', sentence: memory ? 'Memory is full: the browser gives the engine 4 GB at most.' : sentence });
  }
};
