// SPDX-License-Identifier: Apache-2.0
// The page around the picture: controls, panels, keys, and the link that restores the view.
import { histogram, stageChart, stepChart } from './charts';
import { ColourPanel } from './colour_panel';
import { ContactsPanel } from './contacts_panel';
import type { Model } from './data';
import { brief, button, choice, element } from './dom';
import { Gizmo, Legend, tick, type LegendRow } from './overlay';
import { Pane, rangeOf } from './pane';
import { PairsPanel, type FirstTouch } from './pairs_panel';
import { PartsPanel } from './parts_panel';
import { SettingsPanel } from './settings_panel';
import { splitter } from './splitter';
import { freshState, fromLink, toLink, type Source, type State, type Theme } from './state';
import type { Edges, Eye, FieldValues, Up } from './view3d';

const keyHelp: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'move in time'],
  ['Shift ← →', 'previous or next step'],
  ['n, p', 'next or previous contact, across steps'],
  ['f', 'show everything'],
  ['e', 'edges: lines, wireframe, none'],
  ['x', 'see through'],
  ['s', 'slice'],
  ['c', 'contacts so far only'],
  ['Escape', 'select no contact'],
  ['?', 'this help'],
];

/// What the page around the app can do.
export interface Extra {
  open?: () => void;
  compare?: () => void;
  csv?: (step: number) => Uint8Array | null;
  note?: string; // shown until it is closed
}

export class App {
  readonly state: State;
  private fresh: State;
  private panes: Pane[];
  private readonly sources: Source[];
  private panel: ContactsPanel;
  private settings: SettingsPanel;
  private parts: PartsPanel;
  private pairs: PairsPanel;
  private colours: ColourPanel;
  private legend = new Legend();
  private gizmo = new Gizmo((axis) => this.view.lookAlong(axis));
  private shownStep = -2;
  private range: { by: string; low: number; high: number } | null = null; // of the values seen so far
  private playing = false;
  private follows = false; // a running program: the newest step is shown as it comes
  private lastTick = 0;
  private linkTimer = 0;
  private life = new AbortController();

  private note = element('p', { class: 'note', role: 'status', hidden: true });
  private notice = element('div', { class: 'notice', role: 'status', hidden: true });
  private stageRoot = element('main', { class: 'stage' });
  private slider!: HTMLInputElement;
  private clock = element('output', { class: 'clock', 'aria-label': 'Time' });
  private playButton!: HTMLButtonElement;
  private followButton = button('Live', 'Live: follow the newest step', () => this.setFollows(!this.follows), { hidden: true, 'aria-pressed': 'false' });
  private bar!: HTMLElement;
  private stepButtons: HTMLButtonElement[] = [];
  private charts = element('div', { class: 'charts' });
  private search = element('div', { class: 'charts' });
  private searchSection!: HTMLElement;
  private partsTitle = element('h2', {});
  private source!: ReturnType<typeof choice>;
  private help = element('dialog', { class: 'help', 'aria-label': 'Keys' });

  constructor(
    private root: HTMLElement,
    private model: Model,
    private extra: Extra = {},
  ) {
    const { data } = model;
    this.sources = data.frames.some((frame) => frame.contacts) ? ['simulation', 'found'] : ['found'];
    const opening = model.firstContact(this.sources[0]);
    this.fresh = freshState(data.up, model.steps, this.sources[0], opening);
    this.state = freshState(data.up, model.steps, this.sources[0], opening);
    this.panes = [new Pane(model, this.state)];
    this.panel = new ContactsPanel({
      state: this.state,
      partNames: data.parts,
      steps: model.steps,
      filterChanged: () => this.onFilter(),
      select: (contact: number, fly: boolean) => this.select(contact, fly),
    });
    this.settings = new SettingsPanel(this, {
      overlaps: data.steps.some((step) => step.overlaps),
      near: data.steps.some((step) => step.near),
    });
    this.parts = new PartsPanel(this.state, () => this.applyStyles());
    this.pairs = new PairsPanel(model, (touch) => void this.goTo(touch));
    this.colours = new ColourPanel(this.state.colour, () => void this.applyColour());
    this.bar = this.timeBar();
    this.stageRoot.append(this.main.root, this.gizmo.root, this.legend.root, this.notice, this.note);
    this.root.replaceChildren(this.header(), this.stageRoot, this.sidebar(), this.bar, this.help);
    this.showParts();
  }

  private get main(): Pane {
    return this.panes[0];
  }

  private get view() {
    return this.main.view;
  }

  private get views() {
    return this.panes.map((pane) => pane.view);
  }

  // ---- building

  private header(): HTMLElement {
    const title = this.main.title;
    document.title = `${title} – Toccata`;
    const { open, compare, csv } = this.extra;
    return element(
      'header',
      {},
      element('h1', {}, 'Toccata'),
      element('p', { class: 'title', title }, title),
      element(
        'div',
        { class: 'tools', role: 'toolbar', 'aria-label': 'Page' },
        ...(open ? [button('Open…', 'Open meshes and find their contacts', open)] : []),
        ...(compare ? [button('Compare…', 'Compare… with a second run beside this one', compare)] : []),
        button('Fit', 'Show everything: Fit', () => this.views.forEach((view) => view.fit())),
        button('Picture', 'Save a picture of the view', () => void this.savePicture()),
        ...(csv && this.model.steps ? [button('CSV', 'Save the contacts of this step as CSV', () => this.saveCsv())] : []),
        button('Link', 'Copy a link to this view', () => void this.copyLink()),
        button('?', 'Keys', () => this.showHelp()),
      ),
    );
  }

  private section(title: string | HTMLElement, open: boolean, ...content: Node[]): HTMLElement {
    const head = typeof title === 'string' ? element('h2', {}, title) : title;
    return element('details', { open }, element('summary', {}, head), ...content);
  }

  private sidebar(): HTMLElement {
    this.searchSection = this.section('Search', false, this.search);
    const panel = element(
      'div',
      { class: 'panel' },
      this.section('Contacts', true, this.sourceControl(), this.panel.root),
      this.section('Parts that touch', true, this.pairs.root),
      this.section('Times', true, this.charts),
      this.section('View', true, this.settings.root),
      this.section('Colours of the surface', true, this.colours.root),
      this.section(this.partsTitle, this.model.data.parts.length <= 12, this.parts.root),
      this.searchSection,
    );
    return element('aside', { 'aria-label': 'Contacts and settings' }, splitter(this.root), panel);
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

  private showParts(): void {
    const { parts } = this.model.data;
    this.partsTitle.textContent = `Parts (${parts.length})`;
    this.parts.setNames(parts);
  }

  private timeBar(): HTMLElement {
    this.playButton = button('▶', 'Play', () => this.togglePlay());
    this.slider = element('input', {
      type: 'range',
      step: 'any',
      input: () => {
        this.pause();
        this.setFollows(false);
        void this.setTime(Number(this.slider.value));
      },
    });
    const speed = choice(
      'Speed',
      [0.1, 0.25, 0.5, 1, 2, 5, 10].map((x) => [String(x), `${x} steps/s`] as const),
      String(this.state.speed),
      (value) => {
        this.state.speed = Number(value);
        this.changed();
      },
    );
    this.stepButtons = [
      button('«', 'Previous step', () => void this.stepBy(-1)),
      button('»', 'Next step', () => void this.stepBy(1)),
    ];
    const bar = element('footer', { class: 'time' }, this.playButton, ...this.stepButtons, this.slider, this.clock, this.followButton, speed);
    this.bar = bar;
    this.showSteps();
    return bar;
  }

  /// The ends of the time, which grow with a running program.
  private showSteps(): void {
    const { steps, first } = this.model;
    this.slider.min = String(first);
    this.slider.max = String(Math.max(steps, 1));
    this.slider.setAttribute('aria-label', steps > 1 ? 'Time: step and part of it' : 'Time within the step');
    for (const one of this.stepButtons) one.hidden = steps < 2;
    this.bar.hidden = steps === 0;
  }

  private showHelp(): void {
    const rows = keyHelp.flatMap(([key, what]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, what)]);
    this.help.replaceChildren(
      element('h2', {}, 'Keys'),
      element('dl', {}, ...rows),
      element(
        'p',
        {},
        'Drag to turn, with the right button or two fingers to shift; wheel or pinch to zoom. A click on a marker selects its contact; ' +
          'on one with a count it comes nearer.',
      ),
      element('p', { class: 'quiet' }, `toccata ${this.model.data.version}`),
      button('Close', 'Close', () => this.help.close()),
    );
    this.help.showModal();
  }

  // ---- life

  async start(): Promise<void> {
    const eye = fromLink(location.hash, this.state, this.model.steps, this.model.data.parts.length, this.sources);
    const wanted = this.state.selected;
    // A picture of the page has nothing around the canvas.
    this.root.classList.toggle('bare', new URLSearchParams(location.hash.slice(1)).has('bare'));
    const { data } = this.model;
    if (data.beside) this.addPane(this.model.of(data.beside));
    for (const { view, canvas } of this.panes) view.resize(canvas.clientWidth, canvas.clientHeight);
    this.showState();
    await this.setTime(this.state.time);
    this.panes.forEach((pane) => pane.measure());
    if (eye) this.view.moveTo(eye, false);
    else this.views.forEach((view) => view.fit());
    this.afterMove(this.main);
    if (wanted >= 0 && wanted < (this.main.contacts?.count ?? 0)) this.select(wanted, false);
    this.watch(this.main);
    this.listen();
    if (this.extra.note) this.tell(this.extra.note);
    this.root.dataset.ready = 'true';
  }

  /// Camera and clicks of a pane.
  private watch(pane: Pane): void {
    pane.view.onMove = () => this.afterMove(pane);
    let downAt: [number, number] = [0, 0];
    pane.canvas.addEventListener('pointerdown', (event) => (downAt = [event.offsetX, event.offsetY]));
    pane.canvas.addEventListener('pointerup', (event) => {
      if (Math.hypot(event.offsetX - downAt[0], event.offsetY - downAt[1]) > 4) return;
      const found = pane.view.pick(event.offsetX, event.offsetY);
      if (found && 'near' in found) pane.view.flyTo(found.near, found.size);
      else if (found && pane === this.main) this.select(found.contact, false);
    });
    pane.canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.say('The graphics processor was reset. Reload the page if the picture does not come back.');
    });
  }

  private moving = false;

  /// The cameras of two panes move together; the axes and the link follow.
  private afterMove(from: Pane): void {
    if (this.moving) return;
    this.moving = true;
    for (const pane of this.panes) if (pane !== from) pane.view.moveTo(eyeBetween(from.view.eye(), from.model, pane.model), false);
    this.moving = false;
    this.gizmo.show(from.view.axes());
    this.changed();
  }

  private addPane(model: Model): void {
    const pane = new Pane(model, this.state);
    this.panes.push(pane);
    this.main.root.after(pane.root);
    this.stageRoot.classList.add('two');
    this.watch(pane);
  }

  /// Show a second run beside this one.
  async compare(model: Model): Promise<void> {
    this.panes.splice(1).forEach((pane) => (pane.view.dispose(), pane.root.remove()));
    this.addPane(model);
    const [main, other] = this.panes;
    other.view.resize(other.canvas.clientWidth, other.canvas.clientHeight);
    this.showState();
    this.shownStep = -2;
    await this.setTime(this.state.time);
    other.measure();
    this.afterMove(main);
  }

  /// New steps of a running program.
  grow(): void {
    this.showSteps();
    this.colours.setFields(this.model.fieldNames());
    if (this.partsTitle.textContent !== `Parts (${this.model.data.parts.length})`) this.showParts();
    this.followButton.hidden = false;
    if (this.shownStep < this.model.first) this.main.drop();
    if (this.follows) void this.setTime(this.model.steps);
    else this.drawSequence();
  }

  setFollows(on: boolean): void {
    if (this.follows === on) return;
    this.follows = on;
    this.followButton.setAttribute('aria-pressed', String(on));
    if (on) {
      this.pause();
      void this.setTime(this.model.steps);
    }
  }

  /// The program has ended: what the page has loaded stays.
  end(): void {
    this.follows = false;
    this.followButton.hidden = true;
    this.tell('The program has ended. Steps that this page has not shown yet are gone.');
  }

  /// All controls and the pictures as the state says.
  private showState(): void {
    const { state } = this;
    this.source.select.value = state.source;
    this.settings.show();
    this.parts.show();
    this.colours.setFields(this.model.fieldNames());
    for (const view of this.views) {
      view.setUp(state.up);
      view.setSeeThrough(state.seeThrough);
      view.setEdges(state.edges);
      view.setUntilNow(state.untilNow);
      view.setSlice(state.slice);
      view.setOcclusion(state.occlusion);
    }
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
  }

  /// Give back what the page holds outside of its element.
  dispose(): void {
    this.pause();
    this.life.abort();
    window.clearTimeout(this.linkTimer);
    this.views.forEach((view) => view.dispose());
    history.replaceState(null, '', '#');
  }

  private onHash(): void {
    if (location.hash.slice(1) === this.ownLink) return;
    const eye = fromLink(location.hash, this.state, this.model.steps, this.model.data.parts.length, this.sources);
    const wanted = this.state.selected;
    this.panes.forEach((pane) => pane.drop()); // the contacts may be those of the other source
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

  /// A sentence that stays until it is closed.
  tell(text: string): void {
    this.notice.replaceChildren(element('span', {}, text), button('✕', 'Close the note', () => (this.notice.hidden = true)));
    this.notice.hidden = false;
  }

  // ---- time

  async setTime(time: number): Promise<void> {
    const { steps, first } = this.model;
    const { state } = this;
    state.time = Math.min(Math.max(time, first), steps);
    let loaded: (boolean | null)[];
    try {
      loaded = await Promise.all(this.panes.map((pane) => pane.show(state.time)));
    } catch (error) {
      this.pause();
      this.say(error instanceof Error ? error.message : String(error));
      return;
    }
    if (loaded[0] === null) return; // a later call has loaded another one
    if (loaded.some((one) => one) || this.shownStep !== this.main.step) await this.afterLoad();
    const step = this.main.step;
    this.slider.value = String(state.time);
    const place = steps > 1 ? `step ${step}, t = ${(state.time - step).toFixed(3)}` : `t = ${state.time.toFixed(3)}`;
    this.clock.textContent = place + this.fileTime(step, state.time - step);
    this.slider.setAttribute('aria-valuetext', this.clock.textContent);
    this.changed();
  }

  /// Panels and colours of a step that has come.
  private async afterLoad(): Promise<void> {
    const pane = this.main;
    this.shownStep = pane.step;
    this.state.selected = -1;
    if (this.panes.length > 1) this.panes.forEach((one) => this.showLabel(one));
    this.panel.setStep(pane.contacts, pane.surface);
    this.panel.showDetails(-1, this.model.data.centre);
    this.pairs.show(pane.source);
    this.panes.slice(1).forEach((other) => other.view.setMarks(() => true, -1));
    await this.applyColour();
  }

  private showLabel(pane: Pane): void {
    const count = pane.contacts?.count ?? 0;
    pane.label.hidden = false;
    pane.label.textContent = `${brief(count)} ${count === 1 ? 'contact' : 'contacts'} in step ${pane.step}: ${pane.title}`;
    pane.label.title = pane.label.textContent;
  }

  private fileTime(step: number, fraction: number): string {
    const time = this.model.fileTime(step, fraction);
    return time === null ? '' : `, time ${time}`;
  }

  private async stepBy(by: number): Promise<void> {
    this.pause();
    this.setFollows(false);
    await this.setTime(Math.min(Math.max(Math.floor(this.state.time) + by, 0), this.model.steps));
  }

  private togglePlay(): void {
    if (this.playing) this.pause();
    else if (this.model.steps) {
      this.setFollows(false);
      this.playing = true;
      this.playButton.textContent = '⏸';
      this.playButton.setAttribute('aria-label', 'Pause');
      this.lastTick = performance.now();
      if (this.state.time >= this.model.steps) this.state.time = this.model.first;
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
    await this.setTime(next >= this.model.steps ? this.model.first : next);
    requestAnimationFrame((later) => void this.tick(later));
  }

  // ---- contacts

  select(contact: number, fly: boolean): void {
    this.state.selected = contact;
    this.view.setMarks(this.panel.isShown, contact);
    this.panel.showDetails(contact, this.model.data.centre);
    if (contact >= 0 && fly) {
      this.pause();
      const pane = this.main;
      const shown = pane.contacts!;
      void this.setTime(shown.simulated?.frame ?? timeIn(pane.step, shown.times[contact])).then(() => {
        if (pane.contacts === shown) this.view.flyToContact(contact);
      });
    }
    this.changed();
  }

  /// The first contact of two parts.
  private async goTo(touch: FirstTouch): Promise<void> {
    this.pause();
    this.setFollows(false);
    await this.setTime(this.main.source === 'simulation' ? touch.place : timeIn(touch.place, touch.time));
    this.select(touch.contact, true);
  }

  /// The next contact of the list, and behind its end that of the next step that has one, around the end of the sequence.
  private async walk(by: 1 | -1): Promise<void> {
    const { list } = this.panel;
    const within = this.state.selected < 0 ? list.end(by) : list.step(by);
    if (within >= 0) return this.select(within, true);
    const atFrames = this.main.source === 'simulation';
    const counts = atFrames ? this.model.data.frames.map((frame) => frame.contacts?.count ?? 0) : this.model.data.steps.map((step) => step.contacts.count);
    const from = atFrames ? this.main.frame : this.main.step;
    for (let i = 1; i <= counts.length; i++) {
      const place = (from + by * i + counts.length * 2) % counts.length;
      if (!counts[place]) continue;
      if (place !== from) await this.setTime(place);
      const item = list.end(by);
      if (item >= 0) return this.select(item, true);
    }
  }

  private onFilter(): void {
    if (!this.panes) return;
    this.view.setMarks(this.panel.isShown, this.state.selected);
    this.drawCharts();
    this.showLegend();
    this.changed();
  }

  private drawCharts(): void {
    const simulated = this.main.source === 'simulation';
    const step = this.model.data.steps[Math.max(this.main.step, 0)];
    const times = step && !simulated ? [histogram(this.panel.times(), (from, to) => {
      Object.assign(this.state.filter, { from, to });
      this.panel.refresh();
    })] : [];
    this.charts.replaceChildren(...times, this.sequence);
    this.drawSequence();
    if (!step) this.charts.append(element('p', { class: 'quiet' }, 'One frame at rest: no motion, no contacts.'));
    const stages = step?.stages?.length && !simulated ? stageChart(step.stages, step.chosen ?? '', step.ms ?? 0) : null;
    this.search.replaceChildren(...(stages ? [stages] : []));
    this.searchSection.hidden = !stages;
  }

  private sequence = element('div');

  /// Contacts of each step, or of each frame of a simulation.
  private drawSequence(): void {
    const { steps, frames } = this.model.data;
    const simulated = this.main.source === 'simulation';
    const go = (to: number) => (this.setFollows(false), void this.setTime(to));
    const chart = simulated && steps.length
      ? stepChart('frame', frames.map((f) => f.contacts?.count ?? 0), this.main.frame, go)
      : steps.length > 1
        ? stepChart('step', steps.map((s) => s.contacts.count), this.main.step, go)
        : null;
    this.sequence.replaceChildren(...(chart ? [chart] : []));
    this.pairs.show(this.main.source);
  }

  // ---- colours

  /// The values of all panes share one range.
  private async applyColour(): Promise<void> {
    const { colour } = this.state;
    const values = await Promise.all(this.panes.map((pane) => pane.values(colour.by).catch(() => null)));
    if (colour.by !== this.state.colour.by) return;
    const ends = values.filter((one): one is FieldValues => !!one).map(rangeOf);
    const known = this.range?.by === colour.by ? [this.range.low, this.range.high] : [];
    this.range = ends.length ? { by: colour.by, low: Math.min(...known, ...ends.map((e) => e[0])), high: Math.max(...known, ...ends.map((e) => e[1])) } : null;
    if (this.range && colour.by === 'contact' && this.main.source === 'found') Object.assign(this.range, { low: 0, high: 1 });
    const range = this.colourRange();
    const isVector = values.some((one) => one?.components === 3 && one.place === 'vertex');
    this.views.forEach((view, i) => {
      view.setField(values[i]);
      view.setColourMap(colour.map, ...(range ?? [0, 1]));
      view.setArrows(values[i]?.components === 3 && values[i]?.place === 'vertex' && colour.arrows, range?.[1] ?? 0, colour.scale);
    });
    this.colours.show(range, isVector);
    this.showLegend();
    this.changed();
  }

  private colourRange(): [number, number] | null {
    const { colour } = this.state;
    return this.range && [colour.from ?? this.range.low, colour.to ?? this.range.high];
  }

  private showLegend(): void {
    const { state, main } = this;
    const rows: LegendRow[] = [];
    const contacts = main.contacts;
    const range = this.colourRange();
    const name = { contact: 'time of contact', displacement: 'displacement', motion: 'motion in the step' }[state.colour.by] ?? state.colour.by.replace(/^field:/, '');
    if (contacts?.count && (state.contacts || state.features)) {
      const most = contacts.simulated ? contacts.simulated.distances.reduce((a, b) => Math.max(a, b), 0) : 1;
      rows.push({ name: contacts.simulated ? 'markers: distance' : 'markers: time of contact', map: 'time', from: '0', to: tick(most) });
    }
    const step = this.model.data.steps[Math.max(main.step, 0)];
    if (step?.near?.count && state.near) rows.push({ name: `pairs nearer than ${tick(step.near.distance)}`, colour: '#2e9e5b' });
    if (step?.overlaps?.count && state.overlaps) rows.push({ name: 'overlaps at the start', colour: '#d81b60' });
    if (step?.inside?.count && state.overlaps) rows.push({ name: `wholly inside of a body: ${step.inside.count}`, colour: '#d81b60' });
    if (range && state.colour.by !== 'parts') rows.push({ name: `surface: ${name}`, map: state.colour.map, from: tick(range[0]), to: tick(range[1]) });
    this.legend.show(rows);
  }

  // ---- choices

  private applyStyles(): void {
    for (const pane of this.panes) pane.view.setStyles(pane.model.data.parts.length, (part) => this.state.parts.get(part) ?? 'shown');
    this.changed();
  }

  applyLayers(): void {
    const { contacts, features, overlaps, near } = this.state;
    for (const view of this.views) view.showLayers(contacts, features, overlaps, near);
    this.showLegend();
    this.changed();
  }

  applySlice(): void {
    for (const view of this.views) view.setSlice(this.state.slice);
    this.changed();
  }

  applyOcclusion(): void {
    for (const view of this.views) view.setOcclusion(this.state.occlusion);
    this.changed();
  }

  lookAlong(axis: string): void {
    this.view.lookAlong(axis);
  }

  setUp(up: Up): void {
    this.state.up = up;
    this.settings.show();
    for (const view of this.views) {
      view.setUp(up);
      view.fit();
    }
  }

  setEdges(edges: Edges): void {
    this.state.edges = edges;
    this.settings.show();
    for (const view of this.views) view.setEdges(edges);
    this.setTheme(this.state.theme);
  }

  setSeeThrough(on: boolean): void {
    this.state.seeThrough = on;
    this.settings.show();
    for (const view of this.views) view.setSeeThrough(on);
    this.applyStyles();
  }

  private async setSource(source: Source): Promise<void> {
    this.state.source = this.source.select.value = source;
    this.panes.forEach((pane) => pane.drop());
    this.shownStep = -2;
    await this.setTime(this.state.time);
  }

  setUntilNow(on: boolean): void {
    this.state.untilNow = on;
    this.settings.show();
    for (const view of this.views) view.setUntilNow(on);
    this.changed();
  }

  setTheme(theme: Theme): void {
    this.state.theme = theme;
    const dark = theme === 'dark' || (theme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    for (const view of this.views) view.setDark(dark);
    this.changed();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open || document.querySelector('dialog[open]')) return;
    const target = event.target as HTMLElement;
    const inField = target.matches('input:not([type=checkbox]), select, textarea, dialog *');
    if (inField) return;
    const { state } = this;
    const actions: Record<string, () => void> = {
      ' ': () => this.togglePlay(),
      ArrowRight: () => void (event.shiftKey ? this.stepBy(1) : (this.setFollows(false), this.setTime(state.time + 0.02))),
      ArrowLeft: () => void (event.shiftKey ? this.stepBy(-1) : (this.setFollows(false), this.setTime(state.time - 0.02))),
      n: () => void this.walk(1),
      p: () => void this.walk(-1),
      f: () => this.views.forEach((view) => view.fit()),
      e: () => this.setEdges(state.edges === 'lines' ? 'wire' : state.edges === 'wire' ? 'none' : 'lines'),
      x: () => this.setSeeThrough(!state.seeThrough),
      s: () => {
        state.slice.on = !state.slice.on;
        this.settings.show();
        this.applySlice();
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
    const step = Math.max(this.main.step, 0);
    const bytes = this.extra.csv?.(step);
    if (bytes) this.download(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/csv' }), `contacts-${step}.csv`);
    else this.say('This step has no contacts to save.');
  }

  private async savePicture(): Promise<void> {
    try {
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const blob = await this.view.picture(colour('--back'), (ink, ratio) => this.legend.paint(ink, ratio, colour('--text')));
      this.download(blob, 'toccata.png');
    } catch (error) {
      this.say(String(error instanceof Error ? error.message : error));
    }
  }

  /// For tests: where a vertex is now, the camera, and what was drawn.
  probe(): { vertex: (v: number) => number[]; eye: () => unknown; step: number; drawn: () => ReturnType<Pane['view']['drawn']> } {
    return {
      vertex: (v) => this.view.vertexAt(v),
      eye: () => this.view.eye(),
      step: this.main.step,
      drawn: () => this.view.drawn(),
    };
  }
}

/// A time within a step: the end of one is not the start of the next one.
const timeIn = (step: number, time: number): number => Math.min(step + time, step + 1 - 1e-9);

/// The same eye for another run, whose points are relative to its own centre.
function eyeBetween(eye: Eye, from: Model, to: Model): Eye {
  const shift = from.data.centre.map((x, k) => x - to.data.centre[k]);
  const move = (p: [number, number, number]) => p.map((x, k) => x + shift[k]) as [number, number, number];
  return { position: move(eye.position), target: move(eye.target) };
}
