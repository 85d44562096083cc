// SPDX-License-Identifier: Apache-2.0
// The page's side of the engine: its bytes, the files to give it, and one run at a time.
import { isSupported, load, type StepOptions } from '../../../wasm/toccata.mjs';
import type { PageData } from '../data';
import type { Answer, Task } from './worker';
import EngineWorker from './worker?worker&inline';

export interface Found {
  data: PageData;
  blocks: Uint8Array[];
  csv: Uint8Array[];
}

let bytes: Promise<Uint8Array> | null = null;

export const hasEngine = (): boolean => !!document.getElementById('toccata-engine');

/// Bytes of a gzip file.
export async function unpack(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function engineBytes(): Promise<Uint8Array> {
  const text = document.getElementById('toccata-engine')?.textContent ?? '';
  bytes ??= unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  return bytes;
}

/// The names of the engine's presets.
export async function presetNames(): Promise<string[]> {
  return isSupported() ? (await load((await engineBytes()) as Uint8Array<ArrayBuffer>)).presets : ['auto'];
}

const companions = /\.(bin|mtl|png|jpe?g|webp|csv|txt|json)$/i;

/// The files that are frames, in the order of the numbers in their names. Others are only there to be read by them.
export function frameNames(names: string[]): string[] {
  const meshes = names.filter((name) => !companions.test(name) && !/d3plot\d+$/i.test(name));
  const wholes = meshes.filter((name) => /\.(pvd|gltf|k)$/i.test(name));
  const chosen = wholes.length ? wholes : meshes;
  return chosen.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export class Search {
  private worker: Worker | null = null;

  /// Find the contacts. Rejects with the engine's sentence, or with "stopped".
  async run(files: File[], options: StepOptions, progress: (done: number) => void): Promise<Found> {
    if (!isSupported()) {
      throw new Error('This browser has no WebAssembly with SIMD, which the engine needs. Update it, or use the toccata command.');
    }
    this.stop();
    const given = await Promise.all(files.map((file) => this.read(file)));
    const frames = frameNames(given.map((file) => file.name));
    if (!frames.length) throw new Error('None of these files is a mesh.');
    const task: Task = { engine: await engineBytes(), files: given, frames, options };
    const worker = new EngineWorker();
    this.worker = worker;
    return new Promise((done, fail) => {
      this.fail = fail;
      worker.onerror = (event) => fail(new Error(`The engine failed: ${event.message}`));
      worker.onmessage = (event: MessageEvent<Answer>) => {
        const answer = event.data;
        if (answer.kind === 'progress') progress(answer.done);
        else {
          this.end();
          if (answer.kind === 'failed') fail(new Error(answer.sentence));
          else done(answer);
        }
      };
      worker.postMessage(task, given.map((file) => file.bytes.buffer as ArrayBuffer));
    });
  }

  private fail: (error: Error) => void = () => {};

  private async read(file: File): Promise<{ name: string; bytes: Uint8Array }> {
    const content = new Uint8Array(await file.arrayBuffer());
    const packed = content[0] === 0x1f && content[1] === 0x8b;
    return { name: packed ? file.name.replace(/\.gz$/i, '') : file.name, bytes: packed ? await unpack(content) : content };
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
  }

  stop(): void {
    if (!this.worker) return;
    this.end();
    this.fail(new Error('stopped'));
  }
}
