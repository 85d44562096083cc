// SPDX-License-Identifier: Apache-2.0
// What lies over the picture: the legend of its colours, and the axes.
import { element, svg, brief } from './dom';
import { mapColour } from './shaders';

/// A bar of colours with its ends, or a swatch.
export interface LegendRow {
  name: string;
  map?: string;
  from?: string;
  to?: string;
  colour?: string;
}

const gradient = (map: string): string =>
  `linear-gradient(to right, ${Array.from({ length: 9 }, (_, i) => `rgb(${mapColour(map, i / 8).join(' ')})`).join(', ')})`;

export class Legend {
  readonly root = element('div', { class: 'legend', role: 'group', 'aria-label': 'Legend' });
  private rows: LegendRow[] = [];

  show(rows: LegendRow[]): void {
    if (JSON.stringify(rows) === JSON.stringify(this.rows)) return;
    this.rows = rows;
    this.root.hidden = rows.length === 0;
    this.root.replaceChildren(
      ...rows.map((row) => {
        const sign = element('span', { class: row.map ? 'legend-bar' : 'legend-swatch', 'aria-hidden': 'true' });
        if (row.map) sign.style.background = gradient(row.map);
        else sign.style.background = row.colour ?? '';
        const ends = row.map ? [element('span', { class: 'legend-ends' }, element('span', {}, row.from ?? ''), element('span', {}, row.to ?? ''))] : [];
        return element('div', { class: row.map ? 'legend-row' : 'legend-row flat' }, element('span', { class: 'legend-name', title: row.name }, row.name), sign, ...ends);
      }),
    );
  }

  /// Draw the legend into a picture. @param ratio pixels of the picture for one of the page.
  paint(ink: CanvasRenderingContext2D, ratio: number, colour: string): void {
    const { height } = ink.canvas;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.font = '12px system-ui, sans-serif';
    let y = height / ratio - 14 - 40 * this.rows.length;
    for (const row of this.rows) {
      ink.fillStyle = colour;
      ink.fillText(row.name, 14, y + 10);
      for (let i = 0; i < 160 && row.map; i++) {
        ink.fillStyle = `rgb(${mapColour(row.map, i / 159).join(' ')})`;
        ink.fillRect(14 + i, y + 14, 1.5, 9);
      }
      if (!row.map) {
        ink.fillStyle = row.colour ?? colour;
        ink.fillRect(14, y + 14, 12, 9);
      }
      ink.fillStyle = colour;
      ink.textAlign = 'left';
      ink.fillText(row.from ?? '', 14, y + 35);
      ink.textAlign = 'right';
      ink.fillText(row.to ?? '', 174, y + 35);
      ink.textAlign = 'left';
      y += 40;
    }
    ink.setTransform(1, 0, 0, 1, 0, 0);
  }
}

const colours = ['#d64550', '#2e9e5b', '#3b78d8'];
const names = ['x', 'y', 'z'];

/// The axes as the camera sees them. A click on an end looks along it; the choice in the settings does the same.
export class Gizmo {
  readonly root: SVGElement;
  private lines: SVGElement[] = [];
  private ends: { ball: SVGElement; text: SVGElement | null; axis: number; sign: number; group: SVGElement }[] = [];
  private layer = svg('g');

  constructor(look: (axis: string) => void) {
    this.root = svg('svg', { class: 'gizmo', viewBox: '-50 -50 100 100', role: 'img', 'aria-label': 'The axes as seen from here' });
    for (let axis = 0; axis < 3; axis++) {
      const line = svg('line', { x1: 0, y1: 0, stroke: colours[axis], 'stroke-width': 3 });
      this.lines.push(line);
      this.root.append(line);
      for (const sign of [1, -1]) {
        const title = svg('title');
        title.textContent = `Look along ${sign > 0 ? '+' : '−'}${names[axis]}`;
        const ball = svg('circle', { r: sign > 0 ? 10 : 6, fill: colours[axis], 'fill-opacity': sign > 0 ? 1 : 0.35 });
        const group = svg('g', { class: 'gizmo-end', click: () => look(`${sign > 0 ? '+' : '-'}${names[axis]}`) }, title, ball);
        let text: SVGElement | null = null;
        if (sign > 0) {
          text = svg('text', { 'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-size': 13, fill: '#fff', 'font-weight': 'bold' });
          text.textContent = names[axis];
          group.append(text);
        }
        this.ends.push({ ball, text, axis, sign, group });
      }
    }
    this.root.append(this.layer);
  }

  /// @param axes the directions of x, y and z: right, up, towards the eye.
  show(axes: [number, number, number][]): void {
    axes.forEach(([x, y], k) => {
      this.lines[k].setAttribute('x2', String(34 * x));
      this.lines[k].setAttribute('y2', String(-34 * y));
    });
    const depth = (end: { axis: number; sign: number }) => end.sign * axes[end.axis][2];
    const sorted = [...this.ends].sort((a, b) => depth(a) - depth(b));
    for (const { group, axis, sign } of sorted) {
      const [x, y] = axes[axis];
      group.setAttribute('transform', `translate(${sign * 36 * x} ${-sign * 36 * y})`);
      this.layer.append(group);
    }
  }
}

/// A number for a legend.
export const tick = (x: number): string => (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? x.toExponential(2) : brief(x));
