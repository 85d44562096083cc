// SPDX-License-Identifier: Apache-2.0
// The parts that touch: each pair once, with its first time in the sequence. A click goes there.
import type { Model, PartPair } from './data';
import { brief, element } from './dom';
import type { Source } from './state';

const MOST_ROWS = 300;

export interface FirstTouch {
  a: number;
  b: number;
  count: number; // contacts in all steps
  place: number; // the step, or the frame for those of a simulation
  time: number; // in the step; 0 at a frame
  contact: number; // its number there
}

/// The pairs of all steps, those that touch first in front.
export function findTouches(lists: (PartPair[] | undefined)[], atFrames: boolean): FirstTouch[] {
  const found = new Map<string, FirstTouch>();
  lists.forEach((pairs, place) => {
    for (const [a, b, count, time, contact] of pairs ?? []) {
      const known = found.get(`${a} ${b}`);
      if (known) known.count += count;
      else found.set(`${a} ${b}`, { a, b, count, place, time: atFrames ? 0 : time, contact });
    }
  });
  return [...found.values()].sort((x, y) => x.place + x.time - (y.place + y.time) || x.a - y.a || x.b - y.b);
}

export class PairsPanel {
  readonly root = element('div', { class: 'pairs' });
  private key = '';

  constructor(
    private model: Model,
    private go: (touch: FirstTouch) => void,
  ) {}

  show(source: Source): void {
    const { data } = this.model;
    const atFrames = source === 'simulation';
    const key = `${source} ${data.steps.length} ${data.parts.length}`;
    if (key === this.key) return;
    this.key = key;
    const touches = findTouches(atFrames ? data.frames.map((frame) => frame.contacts?.pairs) : data.steps.map((step) => step.contacts.pairs), atFrames);
    if (!touches.length) {
      this.root.replaceChildren(element('p', { class: 'quiet' }, 'No parts touch.'));
      return;
    }
    const head = ['parts', atFrames ? 'first frame' : 'first time', 'contacts'].map((name) => element('th', { scope: 'col' }, name));
    const rows = touches.slice(0, MOST_ROWS).map((touch) => this.row(touch, atFrames));
    const more = touches.length - rows.length;
    this.root.replaceChildren(
      element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows)),
      ...(more > 0 ? [element('p', { class: 'quiet' }, `and ${brief(more)} more pairs, which touch later`)] : []),
    );
  }

  private row(touch: FirstTouch, atFrames: boolean): HTMLElement {
    const { parts, steps } = this.model.data;
    const name = (part: number) => parts[part] ?? String(part);
    const both = touch.a === touch.b ? `${name(touch.a)}, itself` : `${name(touch.a)}, ${name(touch.b)}`;
    const time = atFrames || steps.length < 2 ? touch.time.toFixed(4) : (touch.place + touch.time).toFixed(4); // unless the file has times
    const when = atFrames ? String(touch.place) : String(this.model.fileTime(touch.place, touch.time) ?? time);
    const link = element('button', { type: 'button', class: 'link', title: both, click: () => this.go(touch) }, both);
    return element('tr', {}, element('td', {}, link), element('td', {}, when), element('td', {}, brief(touch.count)));
  }
}
