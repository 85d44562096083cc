// SPDX-License-Identifier: Apache-2.0
// Runnable code in the documentation: a block behind <div class="runnable"></div> becomes an editor with a Run button, the
// text that it prints, and the meshes that it shows. The engine in WebAssembly does the work, on this machine alone.
import { element } from '../dom';
import { View3D } from '../view3d';
import { unpack } from '../engine/unpack';
import type { Contacts } from '../data';
import { stylesheet } from './style';
import type { Step, Task, Word } from './worker';
import LessonWorker from './worker?worker&inline';

const MOST_TEXT = 20000;

declare const toccataEngine: string; // of engine.js

const here = (document.currentScript as HTMLScriptElement).src;
let bytes: Promise<Uint8Array> | null = null;

/// The engine, from the script beside this one; a script, since pages from a disk may not fetch other files.
async function fetchEngine(): Promise<Uint8Array> {
  await new Promise((done, fail) => {
    const src = new URL('engine.js', here).href;
    document.head.append(element('script', { src, load: done, error: () => fail(new Error(`${src} is not there`)) }));
  });
  return unpack(Uint8Array.from(atob(toccataEngine), (c) => c.charCodeAt(0)));
}

function engineBytes(): Promise<Uint8Array> {
  return (bytes ??= fetchEngine());
}

/// The steps that the code has shown, one after the other on a slider.
class Stage {
  readonly root: HTMLElement;
  private view: View3D | null = null;
  private steps: Step[] = [];
  private shown = -1;
  private canvas = element('canvas', { role: 'img', tabindex: 0, 'aria-label': 'The mesh of the code. Drag to turn.' });
  private slider = element('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'Time: step and part of it' });
  private clock = element('output', {});

  constructor() {
    this.slider.addEventListener('input', () => this.show(Number(this.slider.value)));
    this.root = element('div', { class: 'lesson-stage', hidden: true }, this.canvas, element('div', { class: 'lesson-time' }, this.slider, this.clock));
  }

  clear(): void {
    this.steps = [];
    this.shown = -1;
    this.root.hidden = true;
  }

  add(step: Step): void {
    this.steps.push(step);
  }

  /// Show the first contact; without one the end of a sequence, or the start of a step.
  begin(): void {
    if (!this.steps.length) return;
    this.root.hidden = false;
    if (!this.view) {
      this.view = new View3D(this.canvas);
      new ResizeObserver(() => this.view!.resize(this.canvas.clientWidth, this.canvas.clientHeight)).observe(this.canvas);
      this.view.setUp('z');
    }
    const { view, steps } = this;
    view.setDark(window.matchMedia('(prefers-color-scheme: dark)').matches);
    view.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.slider.max = String(steps.length);
    const touched = steps.findIndex((step) => step.contacts);
    const free = steps.length > 1 ? steps.length : 0;
    const first = touched < 0 ? free : touched + Math.min(...steps[touched].contacts!.times);
    this.show(first);
    const [low, high] = [0, 1].map((side) => [0, 1, 2].map((k) => extreme(steps, k, side === 1))) as [number[], number[]];
    view.setBounds(low as [number, number, number], high as [number, number, number]);
    view.fit();
  }

  private show(time: number): void {
    const step = Math.max(0, Math.min(Math.floor(time), this.steps.length - 1));
    if (step !== this.shown) this.load(this.steps[step]);
    this.shown = step;
    this.slider.value = String(time);
    this.view!.setTime(Math.min(time - step, 1));
    this.clock.textContent = this.steps.length > 1 ? `step ${step}, t = ${(time - step).toFixed(3)}` : `t = ${time.toFixed(3)}`;
  }

  private load(step: Step): void {
    const view = this.view!;
    const count = step.triangles.length / 3;
    const faces = new Uint32Array(4 * count);
    for (let i = 0; i < count; i++) faces.set([step.triangles[3 * i], step.triangles[3 * i + 1], step.triangles[3 * i + 2], 7 << 24], 4 * i);
    view.setEnds(Float32Array.from(step.x0), Float32Array.from(step.x1));
    view.setSurface({ boundary: count, faces, vertexParts: new Uint32Array(step.x0.length / 3), volumes: false, bodies: [0] });
    view.setStyles(1, () => 'shown');
    view.setContacts(step.contacts && contactsOf(step.contacts));
  }
}

function contactsOf(found: NonNullable<Step['contacts']>): Contacts {
  return { ...found, count: found.times.length, normals: Float32Array.from(found.normals), points: Float32Array.from(found.points) };
}

/// The least or largest coordinate of all steps.
function extreme(steps: Step[], k: number, largest: boolean): number {
  let best = largest ? -Infinity : Infinity;
  for (const { x0, x1 } of steps) {
    for (let i = k; i < x0.length; i += 3) best = largest ? Math.max(best, x0[i], x1[i]) : Math.min(best, x0[i], x1[i]);
  }
  return best;
}

class Lesson {
  readonly root: HTMLElement;
  private code: HTMLTextAreaElement;
  private run = element('button', { type: 'button', class: 'lesson-run', click: () => void this.start() }, 'Run');
  private stop = element('button', { type: 'button', hidden: true, click: () => this.end('stopped') }, 'Stop');
  private status = element('span', { role: 'status' });
  private output = element('pre', { class: 'lesson-output', tabindex: 0, 'aria-label': 'Output', hidden: true });
  private stage = new Stage();
  private worker: Worker | null = null;
  private text = '';

  constructor(private original: string) {
    const lines = Math.min(original.split('\n').length + 1, 34);
    this.code = element('textarea', { 'aria-label': 'Code, which you can change', spellcheck: 'false', rows: lines, wrap: 'off' });
    this.code.value = original;
    this.code.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.start();
    });
    const reset = element('button', { type: 'button', click: () => (this.code.value = this.original) }, 'Reset');
    this.root = element(
      'section',
      { class: 'lesson', 'aria-label': 'Runnable code' },
      this.code,
      element('div', { class: 'lesson-bar' }, this.run, this.stop, reset, this.status),
      this.output,
      this.stage.root,
    );
  }

  async start(): Promise<void> {
    this.end('');
    this.text = '';
    this.output.textContent = '';
    this.output.hidden = true;
    this.stage.clear();
    this.status.textContent = 'running';
    this.stop.hidden = false;
    const worker = (this.worker = new LessonWorker());
    worker.onmessage = (event: MessageEvent<Word>) => this.hear(event.data);
    worker.onerror = (event) => this.end(`failed: ${event.message}`);
    try {
      const task: Task = { engine: await engineBytes(), code: this.code.value };
      if (this.worker === worker) worker.postMessage(task);
    } catch (error) {
      bytes = null;
      this.end(`failed: ${(error as Error).message}`);
    }
  }

  private hear(word: Word): void {
    if (word.kind === 'print') this.print(word.text);
    else if (word.kind === 'show') this.stage.add(word.step);
    else if (word.kind === 'failed') this.end(word.sentence);
    else this.end('done');
  }

  private print(text: string): void {
    if (this.text.length > MOST_TEXT) return;
    this.text += `${text}\n`;
    this.output.hidden = false;
    this.output.textContent = this.text.length > MOST_TEXT ? `${this.text}... and more` : this.text;
  }

  private end(status: string): void {
    this.worker?.terminate();
    this.worker = null;
    this.stop.hidden = true;
    this.status.textContent = status;
    if (status) this.stage.begin();
  }
}

document.head.append(element('style', {}, stylesheet));
for (const mark of document.querySelectorAll('.runnable')) {
  const block = mark.nextElementSibling;
  const code = block?.querySelector('pre')?.textContent ?? (block?.matches('pre') ? block.textContent : null);
  if (!block || !code) continue;
  block.replaceWith(new Lesson(code.replace(/\n$/, '')).root);
}
document.documentElement.dataset.lessons = 'ready';
