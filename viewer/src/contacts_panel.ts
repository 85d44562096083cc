// SPDX-License-Identifier: Apache-2.0
// The contacts of the step: filters, sorting, the list, and the details of the selected one.
import type { Contacts, Surface } from './data';
import { brief, button, choice, element } from './dom';
import { VirtualList } from './list';
import { anyFilter, type Column, type Filter, type State } from './state';

export interface PanelHost {
  state: State;
  partNames: string[];
  steps: number;
  /// The filter or the order has changed.
  filterChanged(): void;
  select(contact: number, fly: boolean): void;
}

/// A length in a narrow column.
const short = (x: number): string => (x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3))));

const columns: [Column, string][] = [
  ['time', 'time'],
  ['kind', 'kind'],
  ['features', 'vertex ids'],
  ['parts', 'parts'],
];

export class ContactsPanel {
  readonly root: HTMLElement;
  readonly list: VirtualList;
  private contacts: Contacts | null = null;
  private vertexParts: Uint32Array = new Uint32Array(0);
  private firstVertices = [0]; // of each body
  private shown = new Uint8Array(0);
  private status = element('p', { class: 'status', role: 'status' });
  private details = element('dl', { class: 'details' });
  private headers = new Map<Column, HTMLButtonElement>();
  private fields = {
    from: element('input', { type: 'number', min: 0, max: 1, step: 'any', 'aria-label': 'Earliest time' }),
    to: element('input', { type: 'number', min: 0, max: 1, step: 'any', 'aria-label': 'Latest time' }),
    vertex: element('input', { type: 'text', inputmode: 'numeric', 'aria-label': 'Vertex id', placeholder: 'any' }),
  };
  private kind;
  private parts;
  private body;
  private timeField = element('label', { class: 'field' }, element('span', {}, 'Time'), element('span', { class: 'range' }, this.fields.from, ' to ', this.fields.to));

  constructor(private host: PanelHost) {
    const { state } = host;
    const change = (part: Partial<Filter>) => {
      Object.assign(state.filter, part);
      this.refresh();
    };
    this.kind = choice(
      'Kind',
      [
        ['all', 'all'],
        ['vf', 'vertex-face'],
        ['ee', 'edge-edge'],
        ['undecided', 'undecided'],
      ],
      'all',
      (kind) => change({ kind: kind as Filter['kind'] }),
    );
    const names: [string, string][] = [['-1', 'any'], ...host.partNames.slice(0, 500).map((name, i) => [String(i), name] as [string, string])];
    this.parts = [
      choice('Part', names, '-1', (part) => change({ partA: Number(part) })),
      choice('Other part', names, '-1', (part) => change({ partB: Number(part) })),
    ];
    this.body = choice('Body', [['-1', 'any']], '-1', (body) => change({ body: Number(body) }));
    this.fields.from.addEventListener('change', () => change({ from: Number(this.fields.from.value) || 0 }));
    this.fields.to.addEventListener('change', () => change({ to: this.fields.to.value === '' ? 1 : Number(this.fields.to.value) }));
    this.fields.vertex.addEventListener('input', () => change({ vertex: this.fields.vertex.value.replace(/\D/g, '') }));
    this.list = new VirtualList('Contacts', (item) => this.describe(item), (item) => host.select(item, true));
    this.root = element(
      'div',
      { class: 'contacts' },
      element(
        'fieldset',
        { class: 'filters' },
        element('legend', {}, 'Filter'),
        this.kind,
        this.timeField,
        ...this.parts,
        this.body,
        element('label', { class: 'field' }, element('span', {}, 'Vertex'), this.fields.vertex),
        button('Clear', 'Clear the filter', () => {
          Object.assign(state.filter, anyFilter);
          this.refresh();
        }),
      ),
      this.status,
      element('div', { class: 'list-head', role: 'group', 'aria-label': 'Order of the list' }, ...columns.map(([name, label]) => this.header(name, label))),
      this.list.root,
      this.details,
    );
  }

  private header(name: Column, label: string): HTMLButtonElement {
    const { state } = this.host;
    const made = button(label, `Sort by ${label}`, () => {
      state.sort = { column: name, down: state.sort.column === name && !state.sort.down };
      this.refresh();
    });
    this.headers.set(name, made);
    return made;
  }

  setStep(contacts: Contacts | null, surface: Surface | null): void {
    this.contacts = contacts;
    this.vertexParts = surface?.vertexParts ?? new Uint32Array(0);
    this.firstVertices = surface?.bodies ?? [0];
    this.shown = new Uint8Array(contacts?.count ?? 0);
    const bodies = new Set<number>(contacts?.bodies ?? []);
    this.body.hidden = bodies.size < 2;
    // Contacts of a simulation are at one time, that of their frame; they differ in distance.
    this.timeField.hidden = !!contacts?.simulated;
    this.nameFirstColumn(contacts?.simulated ? 'distance' : 'time');
    this.body.select.replaceChildren(
      element('option', { value: '-1' }, 'any'),
      ...[...bodies].sort((a, b) => a - b).map((body) => element('option', { value: body }, String(body))),
    );
    this.refresh();
  }

  private nameFirstColumn(label: string): void {
    const head = this.headers.get('time')!;
    head.textContent = label;
    head.title = `Sort by ${label}`;
    head.setAttribute('aria-label', head.title);
  }

  isShown = (i: number): boolean => this.shown[i] === 1;

  /// The id of a corner within its body.
  private idOf(i: number, k: number): number {
    const c = this.contacts!;
    const side = k >= (c.kinds[i] & 1 ? 2 : 1) ? 1 : 0;
    return c.vertices[4 * i + k] - (this.firstVertices[c.bodies?.[2 * i + side] ?? 0] ?? 0);
  }

  private idsOf(i: number): [number, number, number, number] {
    return [this.idOf(i, 0), this.idOf(i, 1), this.idOf(i, 2), this.idOf(i, 3)];
  }

  /// The parts of the two features.
  private partsOf(i: number): [number, number] {
    const c = this.contacts!;
    const other = c.kinds[i] & 1 ? 2 : 1;
    return [this.vertexParts[c.vertices[4 * i]] ?? 0, this.vertexParts[c.vertices[4 * i + other]] ?? 0];
  }

  private matches(i: number, f: Filter): boolean {
    const c = this.contacts!;
    if (!c.simulated && (c.times[i] < f.from || c.times[i] > f.to)) return false;
    if (f.kind === 'vf' && c.kinds[i] & 1) return false;
    if (f.kind === 'ee' && !(c.kinds[i] & 1)) return false;
    if (f.kind === 'undecided' && !(c.kinds[i] & 2)) return false;
    if (f.body >= 0 && c.bodies && c.bodies[2 * i] !== f.body && c.bodies[2 * i + 1] !== f.body) return false;
    if (f.vertex !== '') {
      const id = Number(f.vertex);
      if (!this.idsOf(i).includes(id)) return false;
    }
    if (f.partA < 0 && f.partB < 0) return true;
    const [a, b] = this.partsOf(i);
    const fits = (x: number, wanted: number) => wanted < 0 || x === wanted;
    return (fits(a, f.partA) && fits(b, f.partB)) || (fits(b, f.partA) && fits(a, f.partB));
  }

  private order(items: Uint32Array): void {
    const c = this.contacts!;
    const { column, down } = this.host.state.sort;
    const sign = down ? -1 : 1;
    const byVertices = (a: number, b: number) => {
      for (let k = 0; k < 4; k++) {
        const difference = c.vertices[4 * a + k] - c.vertices[4 * b + k];
        if (difference) return difference;
      }
      return 0;
    };
    const first = c.simulated?.distances ?? c.times;
    const compare: Record<Column, (a: number, b: number) => number> = {
      time: (a, b) => first[a] - first[b],
      kind: (a, b) => (c.kinds[a] & 1) - (c.kinds[b] & 1) || first[a] - first[b],
      features: byVertices,
      parts: (a, b) => {
        const [x, y] = [this.partsOf(a), this.partsOf(b)];
        return x[0] - y[0] || x[1] - y[1] || first[a] - first[b];
      },
    };
    items.sort((a, b) => sign * (compare[column](a, b) || a - b));
  }

  refresh(): void {
    const { state } = this.host;
    const count = this.contacts?.count ?? 0;
    const found = new Uint32Array(count);
    let used = 0;
    for (let i = 0; i < count; i++) {
      this.shown[i] = this.matches(i, state.filter) ? 1 : 0;
      if (this.shown[i]) found[used++] = i;
    }
    const rows = found.slice(0, used);
    if (used) this.order(rows);
    this.list.setRows(rows);
    this.status.textContent = this.summary(count, used);
    this.showFields();
    this.host.filterChanged();
  }

  private summary(count: number, used: number): string {
    const where = this.contacts?.simulated ? `of the simulation at frame ${this.contacts.simulated.frame}` : 'in this step';
    if (this.host.steps === 0 && !this.contacts) return 'One frame at rest. Contacts are those of a motion: open its start and its end together.';
    if (!this.contacts && this.host.state.source === 'simulation') return 'The simulation wrote no contacts at this frame.';
    if (this.contacts?.unasked) return 'Nobody has looked for the contacts of this step.';
    if (count === 0) return `No contacts ${where}.`;
    if (used < count) return `${brief(used)} of ${brief(count)} contacts match the filter`;
    return `${brief(count)} ${count === 1 ? 'contact' : 'contacts'} ${where}`;
  }

  private showFields(): void {
    const { filter, sort } = this.host.state;
    this.kind.select.value = filter.kind;
    this.fields.from.value = String(filter.from);
    this.fields.to.value = String(filter.to);
    if (document.activeElement !== this.fields.vertex) this.fields.vertex.value = filter.vertex;
    this.parts[0].select.value = String(filter.partA);
    this.parts[1].select.value = String(filter.partB);
    this.body.select.value = String(filter.body);
    for (const [name, head] of this.headers) {
      const on = sort.column === name;
      head.setAttribute('aria-pressed', String(on));
      head.dataset.order = on ? (sort.down ? 'down' : 'up') : '';
    }
  }

  /// Times of the shown contacts.
  times(): Float64Array {
    const c = this.contacts;
    if (!c) return new Float64Array(0);
    return c.times.filter((_, i) => this.shown[i] === 1);
  }

  private featuresText(i: number): string {
    const [a, b, c, d] = this.idsOf(i);
    return this.contacts!.kinds[i] & 1 ? `${a} ${b} – ${c} ${d}` : `${a} – ${b} ${c} ${d}`;
  }

  private partsText(i: number): string {
    const [a, b] = this.partsOf(i);
    const name = (part: number) => this.host.partNames[part] ?? String(part);
    return a === b ? name(a) : `${name(a)}, ${name(b)}`;
  }

  private describe(i: number): string[] {
    const c = this.contacts!;
    return [c.simulated ? short(c.simulated.distances[i]) : c.times[i].toFixed(4), c.kinds[i] & 1 ? 'ee' : 'vf', this.featuresText(i), this.partsText(i)];
  }

  showDetails(i: number, centre: [number, number, number]): void {
    this.list.setSelected(i, true);
    const c = this.contacts;
    if (i < 0 || !c) {
      this.details.replaceChildren();
      return;
    }
    const v = this.idsOf(i);
    const kind = c.kinds[i] & 1;
    const rows: [string, string][] = [
      c.simulated ? ['distance', String(c.simulated.distances[i])] : ['time', String(c.times[i])],
      [
        'features',
        kind
          ? `edge ${v[0]} ${v[1]} meets edge ${v[2]} ${v[3]}`
          : `vertex ${v[0]} meets face ${v[1]} ${v[2]} ${v[3]}`,
      ],
      ['parts', this.partsText(i)],
      ['point', [0, 1, 2].map((k) => brief(c.points[3 * i + k] + centre[k])).join(', ')],
      ['normal', [0, 1, 2].map((k) => brief(c.normals[3 * i + k])).join(', ')],
    ];
    if (c.bodies) rows.push(['bodies', `${c.bodies[2 * i]}, ${c.bodies[2 * i + 1]}`]);
    if (c.kinds[i] & 2) rows.push(['verdict', 'undecided: counted as a contact']);
    this.details.replaceChildren(...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }
}
