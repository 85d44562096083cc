// SPDX-License-Identifier: Apache-2.0
// One run on a canvas: its step, its contacts, the values that colour it. A page shows one, or two beside each other.
import type { Contacts, Model, Surface } from './data';
import { element } from './dom';
import type { Source, State } from './state';
import { View3D, type FieldValues } from './view3d';

export class Pane {
  readonly canvas = element('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': 'The mesh and its contacts in three dimensions. Drag to turn.',
  });
  readonly label = element('p', { class: 'pane-label', hidden: true });
  readonly root = element('div', { class: 'pane' }, this.canvas, this.label);
  readonly view: View3D;
  step = -1;
  frame = -1; // of the contacts of a simulation
  contacts: Contacts | null = null;
  surface: Surface | null = null;
  private surfaceNumber = -1;
  private loading = 0;
  private ends: [Float32Array, Float32Array] = [new Float32Array(0), new Float32Array(0)];

  constructor(
    readonly model: Model,
    private state: State,
  ) {
    this.view = new View3D(this.canvas);
    new ResizeObserver(() => this.view.resize(this.canvas.clientWidth, this.canvas.clientHeight)).observe(this.canvas);
  }

  get title(): string {
    const { frames, title } = this.model.data;
    const [first, last] = [frames[this.model.first].name, frames[frames.length - 1].name];
    return title ?? (first !== last ? `${first} → ${last}` : first);
  }

  /// Step and frame at a time.
  at(time: number): { step: number; frame: number } {
    const steps = this.model.steps;
    return { step: Math.max(Math.min(Math.floor(time), steps - 1), 0), frame: Math.min(Math.floor(time), steps) };
  }

  /// Forget the step, so that the next time is loaded anew.
  drop(): void {
    this.step = -1;
  }

  /// Show a time. @return whether another step was loaded; null if a later call has taken over.
  async show(time: number): Promise<boolean | null> {
    const { step, frame } = this.at(time);
    let loaded = false;
    if (step !== this.step || (this.source === 'simulation' && frame !== this.frame)) {
      if (!(await this.load(step, frame))) return null;
      loaded = true;
    }
    if (this.step !== step) return null;
    this.view.setTime(this.model.steps ? Math.min(time, this.model.steps) - step : 0);
    return loaded;
  }

  get source(): Source {
    return this.model.data.frames.some((frame) => frame.contacts) ? this.state.source : 'found';
  }

  /// The contacts of the chosen source; at rest, those of a simulation only.
  private contactsAt(step: number, frame: number): Promise<Contacts | null> | null {
    if (this.source === 'simulation') return this.model.frameContacts(frame);
    return this.model.steps ? this.model.contacts(step) : null;
  }

  private async load(step: number, frame: number): Promise<boolean> {
    const load = ++this.loading;
    const number = this.model.surfaceIndex(step);
    const [ends, surface, contacts, overlaps, near] = await Promise.all([
      this.model.ends(step),
      number === this.surfaceNumber && this.surface ? this.surface : this.model.surface(number),
      this.contactsAt(step, frame),
      this.model.overlaps(step),
      this.model.near(step),
    ]);
    if (load !== this.loading) return false;
    this.view.setEnds(...ends);
    if (surface !== this.surface) this.view.setSurface(surface);
    Object.assign(this, { ends, surface, surfaceNumber: number, contacts, step, frame });
    this.view.setContacts(contacts);
    this.view.setLayers(overlaps, near);
    if (step + 1 < this.model.steps) void this.model.ends(step + 1).catch(() => {});
    return true;
  }

  /// The bounds of the step that is shown.
  measure(): void {
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
    const [start, end] = this.ends;
    for (const x of start === end ? [start] : [start, end]) {
      for (let i = 0; i < x.length; i++) {
        const k = i % 3;
        if (x[i] < low[k]) low[k] = x[i];
        if (x[i] > high[k]) high[k] = x[i];
      }
    }
    if (low[0] <= high[0]) this.view.setBounds(low, high);
  }

  // ---- values

  /// The values that a choice of colour means in this step; null for the colours of parts.
  async values(by: string): Promise<FieldValues | null> {
    const [start, end] = this.ends;
    if (by === 'contact') return this.contactTimes();
    if (by === 'motion') {
      const motion = start.map((x, i) => end[i] - x);
      return { place: 'vertex', components: 3, start: motion, end: motion };
    }
    if (by === 'displacement') return this.displacement(await this.model.frame(this.model.first));
    return by.startsWith('field:') ? this.fieldValues(by.slice(6)) : null;
  }

  /// From the first frame. Vertices that it lacks have none.
  private displacement(first: Float32Array): FieldValues {
    const from = (x: Float32Array) => x.map((value, i) => value - (i < first.length ? first[i] : NaN));
    const [start, end] = this.ends;
    const values = from(start);
    return { place: 'vertex', components: 3, start: values, end: start === end ? values : from(end) };
  }

  /// The earliest contact of each vertex in the step.
  private contactTimes(): FieldValues {
    const times = new Float32Array(this.ends[0].length / 3).fill(NaN);
    const c = this.contacts;
    const values = c?.simulated?.distances ?? c?.times;
    for (let i = 0; c && values && i < c.count; i++) {
      for (let k = 0; k < 4; k++) {
        const v = c.vertices[4 * i + k];
        if (!(times[v] <= values[i])) times[v] = values[i];
      }
    }
    return { place: 'vertex', components: 1, start: times, end: times };
  }

  /// A field of the file. A frame without it takes the values of the other end of the step.
  private async fieldValues(name: string): Promise<FieldValues | null> {
    const about = this.model.fieldNames().find((one) => one.name === name);
    if (!about) return null;
    const ids = about.place === 'vertex' ? this.ends[0].length / 3 : (this.surface?.elementParts?.length ?? 0);
    const fits = (x: Float32Array | null) => (x && x.length === ids * about.components ? x : null);
    const { step } = this;
    const [a, b] = await Promise.all([this.model.field(step, name), this.model.field(step + 1, name)]);
    const [start, end] = [fits(a) ?? fits(b), fits(b) ?? fits(a)];
    return start && end ? { ...about, start, end } : null;
  }
}

/// The least and the largest value, of vectors their lengths.
export function rangeOf(values: FieldValues): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const x of values.start === values.end ? [values.start] : [values.start, values.end]) {
    for (let i = 0; i < x.length; i += values.components) {
      const value = values.components === 1 ? x[i] : Math.hypot(x[i], x[i + 1], x[i + 2]);
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 0];
}
