// SPDX-License-Identifier: Apache-2.0
// The page around the picture: controls, panels, keys, and the link that restores the view.
import { histogram, stageChart, stepChart } from './charts';
import { ContactsPanel } from './contacts_panel';
import type { Contacts, Model, Surface } from './data';
import { brief, button, check, choice, element } from './dom';
import { freshState, fromLink, toLink, type Source, type State, type Theme } from './state';
import { View3D, partColours, type Edges, type PartStyle, type Up } from './view3d';

const keyHelp: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'move in time'],
  ['Shift ← →', 'previous or next step'],
  ['n, p', 'next or previous contact'],
  ['f', 'show everything'],
  ['e', 'edges: lines, wireframe, none'],
  ['x', 'see through'],
  ['s', 'slice'],
  ['c', 'contacts so far only'],
  ['Escape', 'select no contact'],
  ['?', 'this help'],
];

export class App {
  readonly state: State;
  private fresh: State;
  private view!: View3D;
  private panel: ContactsPanel;
  private step = -1;
  private frame = -1; // of the contacts of a simulation
  private readonly sources: Source[];
  private contacts: Contacts | null = null;
  private surfaceNumber = -1;
  private surface: Surface | null = null;
  private playing = false;
  private loading = 0;
  private lastTick = 0;
  private linkTimer = 0;
  private life = new AbortController();

  private canvas = element('canvas', { tabindex: 0, role: 'img', 'aria-label': 'The mesh and its contacts in three dimensions. Drag to turn.' });
  private note = element('p', { class: 'note', role: 'status', hidden: true });
  private slider!: HTMLInputElement;
  private clock = element('output', { class: 'clock', 'aria-label': 'Time' });
  private playButton!: HTMLButtonElement;
  private charts = element('div', { class: 'charts' });
  private controls!: {
    up: ReturnType<typeof choice>;
    edges: ReturnType<typeof choice>;
    theme: ReturnType<typeof choice>;
    seeThrough: ReturnType<typeof check>;
    untilNow: ReturnType<typeof check>;
    sliceOn: ReturnType<typeof check>;
    sliceAxis: ReturnType<typeof choice>;
    sliceAt: HTMLInputElement;
    sliceFlip: ReturnType<typeof check>;
    layers: ReturnType<typeof check>[];
  };
  private source!: ReturnType<typeof choice>;
  private partButtons: HTMLSelectElement[] = [];
  private help = element('dialog', { class: 'help', 'aria-label': 'Keys' });

  constructor(
    private root: HTMLElement,
    private model: Model,
    private extra: { open?: () => void; csv?: (step: number) => Uint8Array | null } = {},
  ) {
    this.sources = model.data.frames.some((frame) => frame.contacts) ? ['simulation', 'found'] : ['found'];
    this.fresh = freshState(model.data.up, model.steps, this.sources[0]);
    this.state = freshState(model.data.up, model.steps, this.sources[0]);
    const host = {
      state: this.state,
      partNames: model.data.parts,
      steps: model.steps,
      filterChanged: () => this.onFilter(),
      select: (contact: number, fly: boolean) => this.select(contact, fly),
    };
    this.panel = new ContactsPanel(host);
    this.root.replaceChildren(this.header(), this.stage(), this.sidebar(), this.timeBar(), this.help);
  }

  // ---- building

  private title(): string {
    const { frames } = this.model.data;
    const [first, last] = [frames[0].name, frames[frames.length - 1].name];
    return first !== last ? `${first} → ${last}` : first;
  }

  private header(): HTMLElement {
    document.title = `${this.title()} – Toccata`;
    const open = this.extra.open;
    return element(
      'header',
      {},
      element('h1', {}, 'Toccata'),
      element('p', { class: 'title' }, this.title()),
      element(
        'div',
        { class: 'tools', role: 'toolbar', 'aria-label': 'Page' },
        ...(open ? [button('Open…', 'Open meshes and find their contacts', open)] : []),
        button('Fit', 'Show everything', () => this.view.fit()),
        button('Picture', 'Save a picture of the view', () => void this.savePicture()),
        ...(this.extra.csv && this.model.steps ? [button('CSV', 'Save the contacts of this step as CSV', () => this.saveCsv())] : []),
        button('Link', 'Copy a link to this view', () => void this.copyLink()),
        button('?', 'Keys', () => this.showHelp()),
      ),
    );
  }

  private stage(): HTMLElement {
    return element('main', { class: 'stage' }, this.canvas, this.note);
  }

  private section(title: string, open: boolean, ...content: Node[]): HTMLElement {
    return element('details', { open }, element('summary', {}, element('h2', {}, title)), ...content);
  }

  private sidebar(): HTMLElement {
    return element(
      'aside',
      { class: 'panel', 'aria-label': 'Contacts and settings' },
      this.section('Contacts', true, this.sourceControl(), this.panel.root),
      this.section('Charts', true, this.charts),
      this.section('View', true, this.viewControls()),
      this.section(`Parts (${this.model.data.parts.length})`, this.model.data.parts.length <= 12, this.partControls()),
    );
  }

  private sourceControl(): HTMLElement {
    this.source = choice(
      'Show',
      [
        ['simulation', 'those of the simulation, at frames'],
        ['found', 'those found between frames'],
      ],
      this.state.source,
      (source) => void this.setSource(source as Source),
    );
    this.source.hidden = this.sources.length < 2;
    return this.source;
  }

  private viewControls(): HTMLElement {
    const { state } = this;
    const axes = [
      ['x', 'x'],
      ['y', 'y'],
      ['z', 'z'],
    ] as const;
    const data = this.model.data;
    const slice = () => {
      this.view.setSlice(state.slice);
      this.changed();
    };
    const layer = (label: string, name: 'contacts' | 'features' | 'overlaps' | 'near') =>
      check(label, state[name], (on) => {
        state[name] = on;
        this.applyLayers();
      });
    const overlaps = data.steps.some((step) => step.overlaps);
    const near = data.steps.some((step) => step.near);
    this.controls = {
      up: choice('Up', axes, state.up, (up) => this.setUp(up as Up)),
      edges: choice(
        'Edges',
        [
          ['lines', 'lines'],
          ['wire', 'wireframe'],
          ['none', 'none'],
        ],
        state.edges,
        (edges) => this.setEdges(edges as Edges),
      ),
      theme: choice(
        'Colours',
        [
          ['auto', 'as the system'],
          ['light', 'light'],
          ['dark', 'dark'],
        ],
        state.theme,
        (theme) => this.setTheme(theme as Theme),
      ),
      seeThrough: check('See through', state.seeThrough, (on) => this.setSeeThrough(on)),
      untilNow: check('Contacts so far only', state.untilNow, (on) => this.setUntilNow(on)),
      sliceOn: check('Slice', state.slice.on, (on) => {
        state.slice.on = on;
        slice();
      }),
      sliceAxis: choice('Across', axes, state.slice.axis, (axis) => {
        state.slice.axis = axis as Up;
        slice();
      }),
      sliceAt: element('input', {
        type: 'range',
        min: 0,
        max: 1,
        step: 0.001,
        'aria-label': 'Place of the slice',
        input: () => {
          state.slice.at = Number(this.controls.sliceAt.value);
          state.slice.on = this.controls.sliceOn.box.checked = true;
          slice();
        },
      }),
      sliceFlip: check('Other side', state.slice.flip, (flip) => {
        state.slice.flip = flip;
        slice();
      }),
      layers: [
        layer('Contact points', 'contacts'),
        layer('Touching features', 'features'),
        layer('Overlaps at the start', 'overlaps'),
        layer('Near pairs', 'near'),
      ],
    };
    const c = this.controls;
    c.layers[2].hidden = !overlaps;
    c.layers[3].hidden = !near;
    return element(
      'div',
      { class: 'settings' },
      c.up,
      c.edges,
      c.theme,
      c.seeThrough,
      c.untilNow,
      ...c.layers,
      element('fieldset', {}, element('legend', {}, 'Slice'), c.sliceOn, c.sliceAxis, c.sliceAt, c.sliceFlip),
    );
  }

  private partControls(): HTMLElement {
    const names = this.model.data.parts.slice(0, 500);
    const list = element('ul', { class: 'parts' });
    const all = (style: PartStyle) =>
      button(style === 'shown' ? 'Show all' : style === 'faded' ? 'Fade all' : 'Hide all', `All parts ${style}`, () => {
        names.forEach((_, i) => this.setPart(i, style, false));
        this.applyStyles();
      });
    names.forEach((name, i) => {
      const select = element('select', {
        'aria-label': `Part ${name}`,
        change: () => {
          this.setPart(i, select.value as PartStyle, true);
        },
      });
      for (const style of ['shown', 'faded', 'hidden']) select.append(element('option', { value: style }, style));
      this.partButtons.push(select);
      const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
      swatch.style.background = `rgb(${partColours[i % partColours.length].map((x) => Math.round(255 * x)).join(' ')})`;
      list.append(element('li', {}, swatch, element('span', { class: 'part-name' }, name), select));
    });
    const more = this.model.data.parts.length - names.length;
    return element(
      'div',
      {},
      element('div', { class: 'row-of-buttons' }, all('shown'), all('faded'), all('hidden')),
      list,
      ...(more > 0 ? [element('p', { class: 'quiet' }, `and ${brief(more)} more parts`)] : []),
    );
  }

  private timeBar(): HTMLElement {
    const steps = this.model.steps;
    this.playButton = button('▶', 'Play', () => this.togglePlay());
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: Math.max(steps, 1),
      step: 'any',
      'aria-label': steps > 1 ? 'Time: step and part of it' : 'Time within the step',
      input: () => {
        this.pause();
        void this.setTime(Number(this.slider.value));
      },
    });
    this.slider.value = '0';
    const speed = choice(
      'Speed',
      [0.1, 0.25, 0.5, 1, 2, 5, 10].map((x) => [String(x), `${x} steps/s`] as const),
      String(this.state.speed),
      (value) => {
        this.state.speed = Number(value);
        this.changed();
      },
    );
    const bar = element(
      'footer',
      { class: 'time' },
      this.playButton,
      button('«', 'Previous step', () => void this.stepBy(-1), { hidden: steps < 2 }),
      button('»', 'Next step', () => void this.stepBy(1), { hidden: steps < 2 }),
      this.slider,
      this.clock,
      speed,
    );
    bar.hidden = steps === 0;
    return bar;
  }

  private showHelp(): void {
    const rows = keyHelp.flatMap(([key, what]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, what)]);
    this.help.replaceChildren(
      element('h2', {}, 'Keys'),
      element('dl', {}, ...rows),
      element('p', {}, 'Drag to turn, with the right button or two fingers to shift; wheel or pinch to zoom. A click on a point selects its contact.'),
      element('p', { class: 'quiet' }, `toccata ${this.model.data.version}`),
      button('Close', 'Close', () => this.help.close()),
    );
    this.help.showModal();
  }

  // ---- life

  async start(): Promise<void> {
    this.view = new View3D(this.canvas);
    const eye = fromLink(location.hash, this.state, this.model.steps, this.model.data.parts.length, this.sources);
    const wanted = this.state.selected;
    // A picture of the page has nothing around the canvas.
    this.root.classList.toggle('bare', new URLSearchParams(location.hash.slice(1)).has('bare'));
    new ResizeObserver(() => this.view.resize(this.canvas.clientWidth, this.canvas.clientHeight)).observe(this.canvas);
    this.view.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.measure(await this.model.ends(0));
    this.showState();
    await this.setTime(this.state.time);
    if (eye) this.view.moveTo(eye, false);
    else this.view.fit();
    if (wanted >= 0 && wanted < (this.contacts?.count ?? 0)) this.select(wanted, false);
    this.view.onMove = () => this.changed();
    this.listen();
    this.root.dataset.ready = 'true';
  }

  private measure([start, end]: [Float32Array, Float32Array]): void {
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
    for (const x of start === end ? [start] : [start, end]) {
      for (let i = 0; i < x.length; i++) {
        const k = i % 3;
        if (x[i] < low[k]) low[k] = x[i];
        if (x[i] > high[k]) high[k] = x[i];
      }
    }
    if (low[0] <= high[0]) this.view.setBounds(low, high);
  }

  /// All controls and the picture as the state says.
  private showState(): void {
    const { state, controls: c } = this;
    this.source.select.value = state.source;
    c.up.select.value = state.up;
    c.edges.select.value = state.edges;
    c.theme.select.value = state.theme;
    c.seeThrough.box.checked = state.seeThrough;
    c.untilNow.box.checked = state.untilNow;
    c.sliceOn.box.checked = state.slice.on;
    c.sliceAxis.select.value = state.slice.axis;
    c.sliceAt.value = String(state.slice.at);
    c.sliceFlip.box.checked = state.slice.flip;
    (['contacts', 'features', 'overlaps', 'near'] as const).forEach((name, i) => (c.layers[i].box.checked = state[name]));
    this.partButtons.forEach((select, i) => (select.value = state.parts.get(i) ?? 'shown'));
    this.view.setUp(state.up);
    this.view.setSeeThrough(state.seeThrough);
    this.view.setEdges(state.edges);
    this.view.setUntilNow(state.untilNow);
    this.view.setSlice(state.slice);
    this.setTheme(state.theme);
    this.applyLayers();
    this.applyStyles();
  }

  private listen(): void {
    const { signal } = this.life;
    document.addEventListener('keydown', (event) => this.onKey(event), { signal });
    window.addEventListener('hashchange', () => this.onHash(), { signal });
    window
      .matchMedia('(prefers-color-scheme: dark)')
      .addEventListener('change', () => this.setTheme(this.state.theme), { signal });
    let downAt: [number, number] = [0, 0];
    this.canvas.addEventListener('pointerdown', (event) => (downAt = [event.offsetX, event.offsetY]));
    this.canvas.addEventListener('pointerup', (event) => {
      if (Math.hypot(event.offsetX - downAt[0], event.offsetY - downAt[1]) > 4) return;
      const found = this.view.pick(event.offsetX, event.offsetY, this.panel.isShown);
      if (found >= 0) this.select(found, false);
    });
    this.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.say('The graphics processor was reset. Reload the page if the picture does not come back.');
    });
  }

  /// Give back what the page holds outside of its element.
  dispose(): void {
    this.pause();
    this.life.abort();
    window.clearTimeout(this.linkTimer);
    this.view.renderer.dispose();
    history.replaceState(null, '', '#');
  }

  private onHash(): void {
    if (location.hash.slice(1) === this.ownLink) return;
    const eye = fromLink(location.hash, this.state, this.model.steps, this.model.data.parts.length, this.sources);
    const wanted = this.state.selected;
    this.step = -1; // the contacts may be those of the other source
    this.showState();
    void this.setTime(this.state.time).then(() => {
      this.panel.refresh();
      if (eye) this.view.moveTo(eye, false);
      this.select(wanted, false);
    });
  }

  say(text: string): void {
    this.note.textContent = text;
    this.note.hidden = text === '';
    if (text) window.setTimeout(() => this.note.textContent === text && (this.note.hidden = true), 6000);
  }

  // ---- time

  async setTime(time: number): Promise<void> {
    const steps = this.model.steps;
    const { state } = this;
    state.time = Math.min(Math.max(time, 0), steps);
    const step = Math.min(Math.floor(state.time), Math.max(steps - 1, 0));
    const frame = Math.min(Math.floor(state.time), steps);
    if (step !== this.step || (state.source === 'simulation' && frame !== this.frame)) await this.loadStep(step, frame);
    if (this.step !== step) return; // a later call has loaded another one
    this.view.setTime(steps ? state.time - step : 0);
    this.slider.value = String(state.time);
    const place = steps > 1 ? `step ${step}, t = ${(state.time - step).toFixed(3)}` : `t = ${state.time.toFixed(3)}`;
    this.clock.textContent = place + this.fileTime(step, state.time - step);
    this.slider.setAttribute('aria-valuetext', this.clock.textContent);
    this.changed();
  }

  /// The time in the unit of the file, where that is another one than the number of the frame.
  private fileTime(step: number, fraction: number): string {
    const { frames } = this.model.data;
    if (!this.model.steps || frames.every((frame, i) => frame.time === null || frame.time === i)) return '';
    const [from, to] = [frames[step].time, frames[step + 1].time];
    return from === null || to === null ? '' : `, time ${Number((from + (to - from) * fraction).toPrecision(5))}`;
  }

  /// The contacts of the chosen source; at rest, those of a simulation only.
  private contactsAt(step: number, frame: number): Promise<Contacts | null> | null {
    if (this.state.source === 'simulation') return this.model.frameContacts(frame);
    return this.model.steps ? this.model.contacts(step) : null;
  }

  private async loadStep(step: number, frame: number): Promise<void> {
    const load = ++this.loading;
    const number = this.model.surfaceIndex(step);
    try {
      const [ends, surface, contacts, overlaps, near] = await Promise.all([
        this.model.ends(step),
        number === this.surfaceNumber && this.surface ? this.surface : this.model.surface(number),
        this.contactsAt(step, frame),
        this.model.overlaps(step),
        this.model.near(step),
      ]);
      if (load !== this.loading) return;
      this.view.setEnds(...ends);
      if (surface !== this.surface) this.view.setSurface(surface);
      this.surface = surface;
      this.surfaceNumber = number;
      this.contacts = contacts;
      this.step = step;
      this.frame = frame;
      this.state.selected = -1;
      this.view.setContacts(contacts);
      this.view.setLayers(overlaps, near);
      this.panel.setStep(contacts, surface);
      this.panel.showDetails(-1, this.model.data.centre);
      void this.prefetch(step);
    } catch (error) {
      this.pause();
      this.say(error instanceof Error ? error.message : String(error));
    }
  }

  private async prefetch(step: number): Promise<void> {
    if (step + 1 < this.model.steps) await this.model.ends(step + 1).catch(() => {});
  }

  private async stepBy(by: number): Promise<void> {
    this.pause();
    await this.setTime(Math.min(Math.max(Math.floor(this.state.time) + by, 0), this.model.steps));
  }

  private togglePlay(): void {
    if (this.playing) this.pause();
    else if (this.model.steps) {
      this.playing = true;
      this.playButton.textContent = '⏸';
      this.playButton.setAttribute('aria-label', 'Pause');
      this.lastTick = performance.now();
      if (this.state.time >= this.model.steps) this.state.time = 0;
      requestAnimationFrame((now) => void this.tick(now));
    }
  }

  private pause(): void {
    this.playing = false;
    this.playButton.textContent = '▶';
    this.playButton.setAttribute('aria-label', 'Play');
  }

  private async tick(now: number): Promise<void> {
    if (!this.playing) return;
    const passed = Math.min(0.2, (now - this.lastTick) / 1000);
    this.lastTick = now;
    const next = this.state.time + passed * this.state.speed;
    await this.setTime(next >= this.model.steps ? 0 : next);
    requestAnimationFrame((later) => void this.tick(later));
  }

  // ---- choices

  select(contact: number, fly: boolean): void {
    this.state.selected = contact;
    this.view.setMarks(this.panel.isShown, contact);
    this.panel.showDetails(contact, this.model.data.centre);
    if (contact >= 0 && fly) {
      this.pause();
      const shown = this.contacts!;
      void this.setTime(shown.simulated?.frame ?? this.step + shown.times[contact]).then(() => {
        if (this.contacts === shown) this.view.flyToContact(contact);
      });
    }
    this.changed();
  }

  private onFilter(): void {
    if (!this.view) return;
    this.view.setMarks(this.panel.isShown, this.state.selected);
    this.drawCharts();
    this.changed();
  }

  private drawCharts(): void {
    const data = this.model.data;
    const step = data.steps[Math.max(this.step, 0)];
    const parts: Node[] = [];
    const simulated = this.state.source === 'simulation';
    if (step && !simulated) {
      parts.push(
        histogram(this.panel.times(), (from, to) => {
          Object.assign(this.state.filter, { from, to });
          this.panel.refresh();
        }),
      );
    }
    if (simulated && data.steps.length) {
      parts.push(stepChart('frame', data.frames.map((f) => f.contacts?.count ?? 0), this.frame, (to) => void this.setTime(to)));
    } else if (data.steps.length > 1) {
      parts.push(stepChart('step', data.steps.map((s) => s.contacts.count), this.step, (to) => void this.setTime(to)));
    }
    if (step?.stages?.length && !simulated) parts.push(stageChart(step.stages, step.chosen ?? '', step.ms ?? 0));
    if (!parts.length) parts.push(element('p', { class: 'quiet' }, 'One frame at rest: no motion, no contacts.'));
    this.charts.replaceChildren(...parts);
  }

  private setPart(part: number, style: PartStyle, apply: boolean): void {
    if (style === 'shown') this.state.parts.delete(part);
    else this.state.parts.set(part, style);
    this.partButtons[part].value = style;
    if (apply) this.applyStyles();
  }

  private applyStyles(): void {
    this.view.setStyles(this.model.data.parts.length, (part) => this.state.parts.get(part) ?? 'shown');
    this.changed();
  }

  private applyLayers(): void {
    const { contacts, features, overlaps, near } = this.state;
    this.view.showLayers(contacts, features, overlaps, near);
    this.changed();
  }

  private setUp(up: Up): void {
    this.state.up = this.controls.up.select.value = up;
    this.view.setUp(up);
    this.view.fit();
  }

  private setEdges(edges: Edges): void {
    this.state.edges = edges;
    this.controls.edges.select.value = edges;
    this.view.setEdges(edges);
    this.setTheme(this.state.theme);
  }

  private setSeeThrough(on: boolean): void {
    this.state.seeThrough = this.controls.seeThrough.box.checked = on;
    this.view.setSeeThrough(on);
    this.applyStyles();
  }

  private async setSource(source: Source): Promise<void> {
    this.state.source = this.source.select.value = source;
    this.step = -1;
    await this.setTime(this.state.time);
  }

  private setUntilNow(on: boolean): void {
    this.state.untilNow = this.controls.untilNow.box.checked = on;
    this.view.setUntilNow(on);
    this.changed();
  }

  private setTheme(theme: Theme): void {
    this.state.theme = theme;
    const dark = theme === 'dark' || (theme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.view.setDark(dark);
    this.changed();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open || document.querySelector('dialog[open]')) return;
    const target = event.target as HTMLElement;
    const inField = target.matches('input:not([type=checkbox]), select, textarea, dialog *');
    if (inField) return;
    const { state } = this;
    const next = (by: number) => {
      const item = this.panel.list.neighbour(by);
      if (item >= 0) this.select(item, true);
    };
    const actions: Record<string, () => void> = {
      ' ': () => this.togglePlay(),
      ArrowRight: () => void (event.shiftKey ? this.stepBy(1) : this.setTime(state.time + 0.02)),
      ArrowLeft: () => void (event.shiftKey ? this.stepBy(-1) : this.setTime(state.time - 0.02)),
      n: () => next(1),
      p: () => next(-1),
      f: () => this.view.fit(),
      e: () => this.setEdges(state.edges === 'lines' ? 'wire' : state.edges === 'wire' ? 'none' : 'lines'),
      x: () => this.setSeeThrough(!state.seeThrough),
      s: () => {
        state.slice.on = this.controls.sliceOn.box.checked = !state.slice.on;
        this.view.setSlice(state.slice);
        this.changed();
      },
      c: () => this.setUntilNow(!state.untilNow),
      Escape: () => this.select(-1, false),
      '?': () => this.showHelp(),
    };
    const action = actions[event.key];
    if (!action || (event.key === ' ' && target.matches('button, summary, input'))) return;
    event.preventDefault();
    action();
  }

  // ---- out

  private ownLink = '';

  /// Keep the address up to date, a moment after the last change.
  private changed(): void {
    window.clearTimeout(this.linkTimer);
    if (!this.root.dataset.ready) return;
    this.linkTimer = window.setTimeout(() => {
      this.ownLink = toLink(this.state, this.view.eye(), this.fresh);
      history.replaceState(null, '', `#${this.ownLink}`);
    }, 250);
  }

  private async copyLink(): Promise<void> {
    this.ownLink = toLink(this.state, this.view.eye(), this.fresh);
    history.replaceState(null, '', `#${this.ownLink}`);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link to this view is in the clipboard.');
    } catch {
      this.say('The address of this page is the link to this view: copy it from the address bar.');
    }
  }

  private download(blob: Blob, name: string): void {
    const url = URL.createObjectURL(blob);
    element('a', { href: url, download: name }).click();
    window.setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  private saveCsv(): void {
    const bytes = this.extra.csv?.(Math.max(this.step, 0));
    if (bytes) this.download(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/csv' }), `contacts-${this.step}.csv`);
    else this.say('This step has no contacts to save.');
  }

  private async savePicture(): Promise<void> {
    try {
      const blob = await this.view.picture(getComputedStyle(document.documentElement).getPropertyValue('--back').trim());
      this.download(blob, 'toccata.png');
    } catch (error) {
      this.say(String(error instanceof Error ? error.message : error));
    }
  }

  /// For tests: where a vertex is now, and the camera.
  probe(): { vertex: (v: number) => number[]; eye: () => unknown; step: number; drawn: () => number } {
    return {
      vertex: (v) => this.view.vertexAt(v),
      eye: () => this.view.eye(),
      step: this.step,
      drawn: () => this.view.renderer.info.render.triangles,
    };
  }
}
