// SPDX-License-Identifier: Apache-2.0
// What colours the surface: a field, its range, its map, and arrows for vectors.
import type { FieldName } from './data';
import { button, check, choice, element } from './dom';
import { maps } from './shaders';
import type { Colour } from './state';

const ways: [string, string][] = [
  ['parts', 'parts'],
  ['contact', 'time of contact'],
  ['displacement', 'displacement from the first frame'],
  ['motion', 'motion in the step'],
];

export class ColourPanel {
  readonly root: HTMLElement;
  private by;
  private map;
  private arrows;
  private range;
  private fields = {
    from: element('input', { type: 'number', step: 'any', placeholder: 'least', 'aria-label': 'Range from' }),
    to: element('input', { type: 'number', step: 'any', placeholder: 'largest', 'aria-label': 'Range to' }),
    scale: element('input', { type: 'range', min: -1, max: 1, step: 0.05, 'aria-label': 'Length of arrows' }),
  };
  private own: HTMLElement[];
  private vectors: HTMLElement[];

  constructor(
    private colour: Colour,
    private changed: () => void,
  ) {
    const set = (part: Partial<Colour>) => {
      Object.assign(colour, part);
      this.changed();
    };
    this.by = choice('Colour by', ways, colour.by, (by) => set({ by, from: null, to: null, map: by === 'contact' ? 'time' : 'viridis' }));
    this.map = choice('Map', Object.keys(maps).map((name) => [name, name] as const), colour.map, (map) => set({ map }));
    this.arrows = check('Arrows', colour.arrows, (arrows) => set({ arrows }));
    const number = (field: HTMLInputElement) => (field.value === '' || !Number.isFinite(Number(field.value)) ? null : Number(field.value));
    this.fields.from.addEventListener('change', () => set({ from: number(this.fields.from) }));
    this.fields.to.addEventListener('change', () => set({ to: number(this.fields.to) }));
    this.fields.scale.addEventListener('input', () => set({ scale: 10 ** Number(this.fields.scale.value) }));
    this.range = element('label', { class: 'field' }, element('span', {}, 'Range'), element('span', { class: 'range' }, this.fields.from, ' to ', this.fields.to));
    const whole = button('All values', 'All values: from the least to the largest so far', () => set({ from: null, to: null }));
    this.own = [this.map, this.range, whole];
    const scale = element('label', { class: 'field' }, element('span', {}, 'Length'), this.fields.scale);
    this.vectors = [this.arrows, scale];
    this.root = element('div', { class: 'settings colours' }, this.by, this.map, this.range, whole, this.arrows, scale);
  }

  /// The fields of the file that there are.
  setFields(fields: FieldName[]): void {
    const known = [...ways, ...fields.map(({ name, components, place }) => [`field:${name}`, `${name} (${components === 3 ? 'vector' : 'scalar'}${place === 'element' ? ' of elements' : ''})`] as [string, string])];
    if (this.by.select.options.length === known.length) return;
    this.by.select.replaceChildren(...known.map(([value, text]) => element('option', { value }, text)));
  }

  /// @param range the ends that are used. @param isVector whether the values have directions.
  show(range: [number, number] | null, isVector: boolean): void {
    const { colour, fields } = this;
    this.by.select.value = colour.by;
    if (this.by.select.selectedIndex < 0) this.by.select.value = colour.by = 'parts';
    this.map.select.value = colour.map;
    this.arrows.box.checked = colour.arrows;
    fields.scale.value = String(Math.log10(colour.scale));
    const digits = (x: number) => String(Number(x.toPrecision(5)));
    for (const [name, k] of [['from', 0], ['to', 1]] as const) {
      if (document.activeElement !== fields[name]) fields[name].value = range ? digits(range[k]) : '';
    }
    for (const one of this.own) one.hidden = colour.by === 'parts';
    for (const one of this.vectors) one.hidden = !isVector;
  }
}
