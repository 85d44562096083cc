// SPDX-License-Identifier: Apache-2.0
// What a person has chosen on the page, and the same as the text of a link.
import { maps } from './shaders';
import type { Edges, Eye, PartStyle, Slice, Up } from './view3d';

export type Theme = 'auto' | 'light' | 'dark';
/// The contacts of the list: those that the simulation wrote, or those found between frames.
export type Source = 'simulation' | 'found';
export type Column = 'time' | 'kind' | 'features' | 'parts';

/// What colours the surface: "parts", "contact", "displacement", "motion", or "field:NAME".
export interface Colour {
  by: string;
  map: string;
  from: number | null; // null for the least value so far, likewise the largest
  to: number | null;
  arrows: boolean;
  scale: number; // of arrows
}

export interface Filter {
  kind: 'all' | 'vf' | 'ee' | 'undecided';
  from: number;
  to: number;
  partA: number; // -1 for any
  partB: number;
  body: number; // -1 for any
  vertex: string; // an id as text; empty for any
}

export interface State {
  time: number; // the step, and the part of it that has passed
  speed: number; // steps a second
  up: Up;
  edges: Edges;
  seeThrough: boolean;
  untilNow: boolean;
  contacts: boolean;
  features: boolean;
  overlaps: boolean;
  near: boolean;
  slice: Slice;
  occlusion: boolean;
  colour: Colour;
  theme: Theme;
  parts: Map<number, PartStyle>; // those that are not shown
  source: Source;
  filter: Filter;
  sort: { column: Column; down: boolean };
  selected: number; // of the contacts of the step; -1 for none
}

export const anyFilter: Filter = { kind: 'all', from: 0, to: 1, partA: -1, partB: -1, body: -1, vertex: '' };

export const partColour: Colour = { by: 'parts', map: 'viridis', from: null, to: null, arrows: true, scale: 1 };

export function freshState(up: Up, steps: number, source: Source, time: number): State {
  return {
    time,
    speed: steps > 60 ? 10 : steps > 12 ? 5 : steps > 2 ? 2 : 0.5, // a sequence plays in some ten seconds
    up,
    edges: 'lines',
    seeThrough: false,
    untilNow: false,
    contacts: true,
    features: true,
    overlaps: true,
    near: true,
    slice: { on: false, axis: 'x', at: 0.5, flip: false },
    occlusion: true,
    colour: { ...partColour },
    theme: 'auto',
    parts: new Map(),
    source,
    filter: { ...anyFilter },
    sort: { column: 'time', down: false },
    selected: -1,
  };
}

const digits = (x: number) => String(Number(x.toPrecision(7)));

/// The link's text: only what differs from a fresh page.
export function toLink(state: State, eye: Eye, fresh: State): string {
  const out = new URLSearchParams();
  out.set('eye', [...eye.position, ...eye.target].map(digits).join(','));
  const put = (name: string, value: string, usual: string) => value !== usual && out.set(name, value);
  put('t', digits(state.time), digits(fresh.time));
  put('speed', String(state.speed), String(fresh.speed));
  put('up', state.up, fresh.up);
  put('edges', state.edges, fresh.edges);
  put('theme', state.theme, fresh.theme);
  put('contacts', state.source, fresh.source);
  put('sort', state.sort.column + (state.sort.down ? '-' : ''), 'time');
  put('pick', String(state.selected), '-1');
  const flags = (s: State) =>
    [s.seeThrough, s.untilNow, s.contacts, s.features, s.overlaps, s.near, s.occlusion].map((on) => (on ? '1' : '0')).join('');
  put('show', flags(state), flags(fresh));
  if (state.slice.on) out.set('slice', `${state.slice.axis}${state.slice.flip ? '-' : '+'}${digits(state.slice.at)}`);
  const c = state.colour;
  if (c.by !== 'parts') out.set('colour', JSON.stringify([c.by, c.map, c.from, c.to, c.arrows, c.scale]));
  const f = state.filter;
  const filter = [f.kind, digits(f.from), digits(f.to), f.partA, f.partB, f.body, f.vertex].join(',');
  put('filter', filter, 'all,0,1,-1,-1,-1,');
  if (state.parts.size) out.set('parts', [...state.parts].map(([part, style]) => `${part}${style[0]}`).join('.'));
  return out.toString();
}

const oneOf = <T extends string>(value: string | null, choices: readonly T[], usual: T): T =>
  choices.includes(value as T) ? (value as T) : usual;

const finite = (text: string | undefined, low: number, high: number, usual: number): number => {
  const x = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(x) ? Math.min(Math.max(x, low), high) : usual;
};

function readColour(text: string | null, colour: Colour): void {
  try {
    const [by, map, low, high, arrows, scale] = JSON.parse(text ?? '') as unknown[];
    const number = (x: unknown) => (typeof x === 'number' && Number.isFinite(x) ? x : null);
    if (typeof by !== 'string' || typeof map !== 'string' || !(map in maps)) return;
    Object.assign(colour, { by, map, from: number(low), to: number(high), arrows: arrows === true, scale: number(scale) ?? 1 });
  } catch {
    // Not the colours of a page.
  }
}

/// Take what a link says. Anything that does not fit is left as it is.
export function fromLink(text: string, state: State, steps: number, parts: number, sources: readonly Source[]): Eye | null {
  const from = new URLSearchParams(text.replace(/^#/, ''));
  state.time = finite(from.get('t') ?? undefined, 0, steps, state.time);
  state.speed = finite(from.get('speed') ?? undefined, 0.05, 20, state.speed);
  state.up = oneOf(from.get('up'), ['x', 'y', 'z'] as const, state.up);
  state.edges = oneOf(from.get('edges'), ['none', 'lines', 'wire'] as const, state.edges);
  state.theme = oneOf(from.get('theme'), ['auto', 'light', 'dark'] as const, state.theme);
  state.source = oneOf(from.get('contacts'), sources, sources[0]);
  const sort = from.get('sort');
  if (sort) {
    state.sort = {
      column: oneOf(sort.replace('-', ''), ['time', 'kind', 'features', 'parts'] as const, 'time'),
      down: sort.endsWith('-'),
    };
  }
  state.selected = Math.round(finite(from.get('pick') ?? undefined, -1, 2 ** 31, -1));
  const show = from.get('show');
  if (show && show.length >= 6) {
    const on = (i: number) => (show[i] ?? '1') === '1';
    [state.seeThrough, state.untilNow, state.contacts, state.features, state.overlaps, state.near] = [0, 1, 2, 3, 4, 5].map(on);
    state.occlusion = on(6);
  }
  readColour(from.get('colour'), state.colour);
  const slice = /^([xyz])([+-])([0-9.e-]+)$/.exec(from.get('slice') ?? '');
  if (slice) state.slice = { on: true, axis: slice[1] as Up, flip: slice[2] === '-', at: finite(slice[3], 0, 1, 0.5) };
  const f = from.get('filter')?.split(',');
  if (f?.length === 7) {
    state.filter = {
      kind: oneOf(f[0], ['all', 'vf', 'ee', 'undecided'] as const, 'all'),
      from: finite(f[1], 0, 1, 0),
      to: finite(f[2], 0, 1, 1),
      partA: Math.round(finite(f[3], -1, parts - 1, -1)),
      partB: Math.round(finite(f[4], -1, parts - 1, -1)),
      body: Math.round(finite(f[5], -1, 2 ** 31, -1)),
      vertex: /^\d{0,10}$/.test(f[6]) ? f[6] : '',
    };
  }
  for (const word of from.get('parts')?.split('.') ?? []) {
    const match = /^(\d+)([fh])$/.exec(word);
    if (match && Number(match[1]) < parts) state.parts.set(Number(match[1]), match[2] === 'f' ? 'faded' : 'hidden');
  }
  const eye = from.get('eye')?.split(',').map(Number);
  if (eye?.length !== 6 || !eye.every(Number.isFinite)) return null;
  return { position: eye.slice(0, 3) as Eye['position'], target: eye.slice(3) as Eye['target'] };
}
