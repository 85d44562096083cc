// SPDX-License-Identifier: Apache-2.0
// Charts as SVG with a text for every bar: times of contacts, contacts of each step, and the work of each stage.
import type { Stage } from './data';
import { brief, element, svg } from './dom';
import { ramp } from './shaders';

export function rampColour(x: number): string {
  const s = Math.min(Math.max(x, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(s), ramp.length - 2);
  const mixed = ramp[i].map((a, k) => Math.round(255 * (a + (ramp[i + 1][k] - a) * (s - i))));
  return `rgb(${mixed.join(' ')})`;
}

function figure(title: string, summary: string, content: Element, ...below: Node[]): HTMLElement {
  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, title, ' ', element('span', { class: 'quiet' }, summary)),
    content,
    ...below,
  );
}

interface Bar {
  value: number;
  text: string;
  colour: string;
  current?: boolean;
  click?: () => void;
}

function bars(name: string, items: Bar[]): SVGElement {
  const width = 300;
  const height = 64;
  const most = Math.max(1, ...items.map((item) => item.value));
  const step = width / Math.max(1, items.length);
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': name, preserveAspectRatio: 'none' });
  items.forEach((item, i) => {
    const tall = item.value ? Math.max(2, (item.value / most) * (height - 4)) : 0;
    const title = svg('title');
    title.textContent = item.text;
    const group = svg('g', {
      class: item.click ? 'bar clickable' : 'bar',
      role: item.click ? 'button' : 'img',
      'aria-label': item.text,
      click: item.click,
    }, title);
    group.append(
      svg('rect', { x: i * step, y: 0, width: step, height, fill: item.current ? 'var(--mark)' : 'transparent' }),
      svg('rect', { x: i * step + step * 0.08, y: height - tall, width: step * 0.84, height: tall, fill: item.colour }),
    );
    root.append(group);
  });
  return root;
}

/// Times of contact within the step; a click filters by a bar.
export function histogram(times: Float64Array, filter: (from: number, to: number) => void): HTMLElement {
  const count = 25;
  const counts = new Array<number>(count).fill(0);
  for (const time of times) counts[Math.min(count - 1, Math.max(0, Math.floor(time * count)))]++;
  const items = counts.map((value, i) => ({
    value,
    text: `${brief(value)} contacts from ${brief(i / count)} to ${brief((i + 1) / count)}`,
    colour: rampColour((i + 0.5) / count),
    click: () => filter(i / count, (i + 1) / count),
  }));
  const scale = element('div', { class: 'scale' }, element('span', {}, '0'), element('span', {}, 'time in the step'), element('span', {}, '1'));
  return figure('Times of contact', `${brief(times.length)} shown`, bars('Histogram of contact times', items), scale);
}

/// @param place the place of each count: a step, or a frame of a simulation.
export function stepChart(place: 'step' | 'frame', counts: number[], current: number, go: (to: number) => void): HTMLElement {
  const items = counts.map((value, i) => ({
    value,
    text: `${place} ${i}: ${brief(value)} contacts`,
    colour: 'var(--accent)',
    current: i === current,
    click: () => go(i),
  }));
  const sum = counts.reduce((a, b) => a + b, 0);
  const scale = element('div', { class: 'scale' }, element('span', {}, '0'), element('span', {}, place), element('span', {}, String(counts.length - 1)));
  return figure(`Contacts of each ${place}`, `${brief(sum)} in all`, bars(`Contacts of each ${place}`, items), scale);
}

/// What each stage received, left over and took. Bars are logarithmic.
export function stageChart(stages: Stage[], chosen: string, ms: number): HTMLElement {
  const most = Math.log10(1 + Math.max(1, ...stages.map((stage) => Math.max(stage.in, stage.out))));
  const share = (n: number) => `${(100 * Math.log10(1 + n)) / most}%`;
  const body = element('tbody');
  for (const stage of stages) {
    const bar = element('span', { class: 'stage-bar', 'aria-hidden': 'true' });
    const left = element('span', { class: 'stage-left' });
    bar.style.width = share(stage.in);
    left.style.width = stage.in ? `${(100 * Math.log10(1 + stage.out)) / Math.log10(1 + Math.max(stage.in, stage.out))}%` : '0';
    bar.append(left);
    const removed = stage.in > stage.out ? `−${(100 * (1 - stage.out / stage.in)).toFixed(1)} %` : '';
    body.append(
      element(
        'tr',
        {},
        element('th', { scope: 'row' }, stage.name, bar),
        element('td', {}, brief(stage.in)),
        element('td', {}, brief(stage.out)),
        element('td', {}, removed),
        element('td', {}, stage.ms.toFixed(2)),
      ),
    );
  }
  const head = element(
    'tr',
    {},
    ...['stage', 'in', 'out', 'removed', 'ms'].map((name) => element('th', { scope: 'col' }, name)),
  );
  const table = element('table', { class: 'stages' }, element('thead', {}, head), body);
  return figure('Stages of the search', `${chosen}, ${ms.toFixed(1)} ms`, table);
}
