// SPDX-License-Identifier: Apache-2.0
// The code of a lesson, beside the engine in a worker: a loop without end can be stopped, and the page goes on.
import { load, type Engine, type StepResult } from '../../../wasm/toccata.mjs';

export interface Task {
  engine: Uint8Array;
  code: string;
}

/// A step to draw: triangles, their positions at both ends, and contacts.
export interface Step {
  x0: Float64Array;
  x1: Float64Array;
  triangles: Uint32Array;
  contacts: { kinds: Uint8Array; vertices: Uint32Array; times: Float64Array; points: Float64Array; normals: Float64Array } | null;
}

export type Word = { kind: 'print'; text: string } | { kind: 'show'; step: Step } | { kind: 'done' } | { kind: 'failed'; sentence: string };

const send = (word: Word) => (self as unknown as { postMessage(word: Word): void }).postMessage(word);

/// A mesh as lessons write it: positions at both ends, and the corners of triangles; nested or flat.
interface Moving {
  x0: number[][] | number[];
  x1: number[][] | number[];
  triangles: number[][] | number[];
}

const flat = (numbers: number[][] | number[]): number[] => (numbers as (number | number[])[]).flat();

const say = (thing: unknown): string =>
  typeof thing === 'number' && !Number.isInteger(thing) ? String(Number(thing.toPrecision(6))) : typeof thing === 'object' ? JSON.stringify(thing) : String(thing);

/// The words that a lesson can use.
function words(engine: Engine): Record<string, unknown> {
  let taken = '';
  const take = ({ x0, x1, triangles }: Moving) => {
    const corners = flat(triangles);
    const key = corners.join();
    const [start, end] = [flat(x0), flat(x1)];
    if (key === taken) engine.move(start, end);
    else engine.take(start, end, corners);
    taken = key;
  };
  const asked = (mesh: Moving, ask: () => unknown) => {
    take(mesh);
    return ask();
  };
  return {
    print: (...things: unknown[]) => send({ kind: 'print', text: things.map(say).join(' ') }),
    pair: (kind: 'vf' | 'ee', x0: number[][] | number[], x1: number[][] | number[], method?: string) => engine.pair(kind, flat(x0), flat(x1), method),
    contacts: (mesh: Moving, options?: object) => asked(mesh, () => engine.find(options)),
    safeStep: (mesh: Moving) => asked(mesh, () => engine.safeStep()),
    roomStep: (mesh: Moving, share?: number) => asked(mesh, () => engine.roomStep(share)),
    barrier: (mesh: Moving, distance: number, stiffness?: number) => asked(mesh, () => engine.barrier(distance, stiffness)),
    show: (mesh: Moving, found?: StepResult) => {
      const [x0, x1] = [Float64Array.from(flat(mesh.x0)), Float64Array.from(flat(mesh.x1))];
      send({ kind: 'show', step: { x0, x1, triangles: Uint32Array.from(flat(mesh.triangles)), contacts: found?.count ? found : null } });
    },
  };
}

self.onmessage = async (event: MessageEvent<Task>) => {
  try {
    const engine = await load(event.data.engine as Uint8Array<ArrayBuffer>);
    const given = words(engine);
    new Function(...Object.keys(given), `'use strict';\n${event.data.code}`)(...Object.values(given));
    send({ kind: 'done' });
  } catch (error) {
    send({ kind: 'failed', sentence: error instanceof Error ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}` : String(error) });
  }
};
