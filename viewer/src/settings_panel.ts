// SPDX-License-Identifier: Apache-2.0
// The section View: edges, light, layers, slice. Every control has its place in the state.
import { check, choice, element } from './dom';
import type { State, Theme } from './state';
import type { Edges, Up } from './view3d';

/// What a control has changed.
export interface SettingsHost {
  state: State;
  setUp(up: Up): void;
  setEdges(edges: Edges): void;
  setTheme(theme: Theme): void;
  setSeeThrough(on: boolean): void;
  setUntilNow(on: boolean): void;
  applyLayers(): void;
  applySlice(): void;
  applyOcclusion(): void;
  lookAlong(axis: string): void;
}

const axes = [
  ['x', 'x'],
  ['y', 'y'],
  ['z', 'z'],
] as const;
const layerNames = ['contacts', 'features', 'overlaps', 'near'] as const;

export class SettingsPanel {
  readonly root: HTMLElement;
  private up;
  private edges;
  private theme;
  private look;
  private seeThrough;
  private untilNow;
  private occlusion;
  private sliceOn;
  private sliceAxis;
  private sliceAt;
  private sliceFlip;
  private layers;

  constructor(
    private host: SettingsHost,
    has: { overlaps: boolean; near: boolean },
  ) {
    const { state } = host;
    const layer = (label: string, name: (typeof layerNames)[number]) =>
      check(label, state[name], (on) => {
        state[name] = on;
        host.applyLayers();
      });
    this.up = choice('Up', axes, state.up, (up) => host.setUp(up as Up));
    this.edges = choice(
      'Edges',
      [
        ['lines', 'lines'],
        ['wire', 'wireframe'],
        ['none', 'none'],
      ],
      state.edges,
      (edges) => host.setEdges(edges as Edges),
    );
    this.theme = choice(
      'Colours',
      [
        ['auto', 'as the system'],
        ['light', 'light'],
        ['dark', 'dark'],
      ],
      state.theme,
      (theme) => host.setTheme(theme as Theme),
    );
    const ways = ['+x', '-x', '+y', '-y', '+z', '-z'].map((axis) => [axis, axis.replace('-', '−')] as const);
    this.look = choice('Look along', [['', 'any direction'], ...ways], '', (axis) => {
      if (axis) host.lookAlong(axis);
      this.look.select.value = '';
    });
    this.seeThrough = check('See through', state.seeThrough, (on) => host.setSeeThrough(on));
    this.untilNow = check('Contacts so far only', state.untilNow, (on) => host.setUntilNow(on));
    this.occlusion = check('Ambient shadows', state.occlusion, (on) => {
      state.occlusion = on;
      host.applyOcclusion();
    });
    this.layers = [
      layer('Contact points', 'contacts'),
      layer('Touching features', 'features'),
      layer('Overlaps at the start', 'overlaps'),
      layer('Near pairs', 'near'),
    ];
    this.layers[2].hidden = !has.overlaps;
    this.layers[3].hidden = !has.near;
    this.sliceOn = check('Slice', state.slice.on, (on) => {
      state.slice.on = on;
      host.applySlice();
    });
    this.sliceAxis = choice('Across', axes, state.slice.axis, (axis) => {
      state.slice.axis = axis as Up;
      host.applySlice();
    });
    this.sliceAt = element('input', {
      type: 'range',
      min: 0,
      max: 1,
      step: 0.001,
      'aria-label': 'Place of the slice',
      input: () => {
        state.slice.at = Number(this.sliceAt.value);
        state.slice.on = this.sliceOn.box.checked = true;
        host.applySlice();
      },
    });
    this.sliceFlip = check('Other side', state.slice.flip, (flip) => {
      state.slice.flip = flip;
      host.applySlice();
    });
    this.root = element(
      'div',
      { class: 'settings' },
      this.up,
      this.edges,
      this.theme,
      this.look,
      this.seeThrough,
      this.untilNow,
      this.occlusion,
      ...this.layers,
      element('fieldset', {}, element('legend', {}, 'Slice'), this.sliceOn, this.sliceAxis, this.sliceAt, this.sliceFlip),
    );
  }

  /// All controls as the state says.
  show(): void {
    const { state } = this.host;
    this.up.select.value = state.up;
    this.edges.select.value = state.edges;
    this.theme.select.value = state.theme;
    this.seeThrough.box.checked = state.seeThrough;
    this.untilNow.box.checked = state.untilNow;
    this.occlusion.box.checked = state.occlusion;
    this.sliceOn.box.checked = state.slice.on;
    this.sliceAxis.select.value = state.slice.axis;
    this.sliceAt.value = String(state.slice.at);
    this.sliceFlip.box.checked = state.slice.flip;
    layerNames.forEach((name, i) => (this.layers[i].box.checked = state[name]));
  }
}
