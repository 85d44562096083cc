// SPDX-License-Identifier: Apache-2.0
// The page's side of the engine: its bytes, the files to give it, and one run at a time.
import { isSupported, load, type OpenOptions, type StepOptions } from '../../../wasm/toccata.mjs';
import type { PageData } from '../data';
import { unpack } from './unpack';
import type { Answer, Task } from './worker';
import EngineWorker from './worker?worker&inline';

export interface Found {
  data: PageData;
  blocks: Uint8Array[];
  csv: Uint8Array[];
  clips: string[];
  unused: string[]; // files that were given and not read
}

/// A file with its path within the folder that was dropped.
export interface Given {
  name: string;
  file: File;
}

let bytes: Promise<Uint8Array> | null = null;

export const hasEngine = (): boolean => !!document.getElementById('toccata-engine');

function engineBytes(): Promise<Uint8Array> {
  const text = document.getElementById('toccata-engine')?.textContent ?? '';
  bytes ??= unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  return bytes;
}

/// The names of the engine's presets.
export async function presetNames(): Promise<string[]> {
  return isSupported() ? (await load((await engineBytes()) as Uint8Array<ArrayBuffer>)).presets : ['auto'];
}

const companions = /\.(bin|mtl|png|jpe?g|webp|csv|txt|json|md)(\.gz)?$/i;
const MOST_BYTES = 2 ** 31 - 1; // of all files: what a browser reads into memory at once

/// The files that are frames, in the order of the numbers in their names. Others are only there to be read by them.
export function frameNames(names: string[]): string[] {
  const shapes = names.filter((name) => !companions.test(name) && !/d3plot\d+$/i.test(name));
  // The folder of a simulation has its contacts in a folder within.
  const stem = (name: string) => name.replace(/\.\w+$/, '');
  const stems = new Set(shapes.map(stem));
  const meshes = shapes.filter((name) => !/(^|\/)contacts\/[^/]+\.(vtp|pvd)$/.test(name) || !stems.has(stem(name).replace(/contacts\/([^/]+)$/, '$1')));
  const wholes = meshes.filter((name) => /\.(pvd|gltf|k)(\.gz)?$/i.test(name));
  const chosen = wholes.length ? wholes : meshes;
  return chosen.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

function checkSize(given: Given[]): void {
  const size = given.reduce((sum, { file }) => sum + file.size, 0);
  if (size <= MOST_BYTES) return;
  throw new Error(
    `These files have ${(size / 1e9).toFixed(1)} GB; the engine in a page takes 2.1 GB at most. ` +
      'Use the command on this machine: toccata view FILES --serve',
  );
}

export class Search {
  private worker: Worker | null = null;
  private runs = 0; // one more also for each that was stopped, perhaps while its files were read

  /// Find the contacts. Rejects with the engine's sentence, or with "stopped".
  async run(files: Given[], options: StepOptions & OpenOptions, progress: (done: number) => void): Promise<Found> {
    if (!isSupported()) {
      throw new Error('This browser has no WebAssembly with SIMD, which the engine needs. Update it, or use the toccata command.');
    }
    this.stop();
    const own = this.runs;
    checkSize(files);
    const given = await Promise.all(
      files.map(async ({ name, file }) => ({ name, bytes: new Uint8Array(await file.arrayBuffer()) })),
    );
    const frames = frameNames(given.map((file) => file.name));
    if (!frames.length) throw new Error('None of these files is a mesh.');
    const task: Task = { engine: await engineBytes(), files: given, frames, options };
    if (own !== this.runs) throw new Error('stopped');
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

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
  }

  stop(): void {
    this.runs++;
    if (!this.worker) return;
    this.end();
    this.fail(new Error('stopped'));
  }
}
