// SPDX-License-Identifier: Apache-2.0
// The parts: shown, faded or hidden.
import { brief, button, element } from './dom';
import type { State } from './state';
import { partColours, type PartStyle } from './view3d';

const MOST = 500;

export class PartsPanel {
  readonly root = element('div');
  private selects: HTMLSelectElement[] = [];

  constructor(
    private state: State,
    private changed: () => void,
  ) {}

  setNames(names: string[]): void {
    const shown = names.slice(0, MOST);
    const all = (style: PartStyle) =>
      button(style === 'shown' ? 'Show all' : style === 'faded' ? 'Fade all' : 'Hide all', `All parts ${style}`, () => {
        names.forEach((_, i) => this.set(i, style));
        this.show();
        this.changed();
      });
    this.selects = [];
    const list = element('ul', { class: 'parts' }, ...shown.map((name, i) => this.item(name, i)));
    const more = names.length - shown.length;
    this.root.replaceChildren(
      element('div', { class: 'row-of-buttons' }, all('shown'), all('faded'), all('hidden')),
      list,
      ...(more > 0 ? [element('p', { class: 'quiet' }, `and ${brief(more)} more parts`)] : []),
    );
    this.show();
  }

  private item(name: string, i: number): HTMLElement {
    const select = element('select', {
      'aria-label': `Part ${name}`,
      change: () => {
        this.set(i, select.value as PartStyle);
        this.changed();
      },
    });
    for (const style of ['shown', 'faded', 'hidden']) select.append(element('option', { value: style }, style));
    this.selects.push(select);
    const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
    swatch.style.background = `rgb(${partColours[i % partColours.length].map((x) => Math.round(255 * x)).join(' ')})`;
    return element('li', {}, swatch, element('span', { class: 'part-name', title: name }, name), select);
  }

  private set(part: number, style: PartStyle): void {
    if (style === 'shown') this.state.parts.delete(part);
    else this.state.parts.set(part, style);
  }

  show(): void {
    this.selects.forEach((select, i) => (select.value = this.state.parts.get(i) ?? 'shown'));
  }
}
