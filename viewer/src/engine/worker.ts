// SPDX-License-Identifier: Apache-2.0
// The engine in a worker: reads files, finds the contacts of every step, and sends them in the layout of the page.
// The page stops it by ending the worker.
import { load, type OpenOptions, type StepOptions } from '../../../wasm/toccata.mjs';
import type { PageData } from '../data';

export interface Task {
  engine: Uint8Array;
  files: { name: string; bytes: Uint8Array }[];
  frames: string[];
  options: StepOptions & OpenOptions;
}

export type Answer =
  | { kind: 'progress'; done: number }
  | { kind: 'failed'; sentence: string }
  | { kind: 'done'; data: PageData; blocks: Uint8Array[]; csv: Uint8Array[]; clips: string[]; unused: string[] };

const send = (answer: Answer, transfer: Transferable[] = []) =>
  (self as unknown as { postMessage(message: unknown, transfer: Transferable[]): void }).postMessage(answer, transfer);

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
    engine.pageBegin(up);
    for (stepNow = 0; stepNow + 1 < engine.frames.length; stepNow++) {
      engine.step(options);
      csv.push(engine.contactsFile('csv'));
      engine.pageStep();
    }
    const { data, blocks } = engine.pageData();
    const answer = { kind: 'done' as const, data: data as PageData, blocks, csv, clips: engine.clips, unused: engine.unusedFiles };
    send(answer, blocks.map((block) => block.buffer as ArrayBuffer));
  } catch (error) {
    const memory = error instanceof RangeError || (error instanceof WebAssembly.RuntimeError && /memory/.test(error.message));
    const sentence = error instanceof Error ? error.message : String(error);
    send({ kind: 'failed', sentence: memory ? 'Memory is full: the browser gives the engine 4 GB at most.' : sentence });
  }
};
