// SPDX-License-Identifier: Apache-2.0
// Elements from code. Text is set as text, never as markup: names in files cannot inject anything.

type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value as unknown as EventListener);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

const svgSpace = 'http://www.w3.org/2000/svg';

export function svg(tag: string, attributes: Attributes = {}, ...children: Node[]): SVGElement {
  const made = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value as unknown as EventListener);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/// A button whose name tells more than its label. The name begins with the label, unless that is a sign.
export function button(label: string, name: string, click: () => void, more: Attributes = {}): HTMLButtonElement {
  const word = /[a-z]/i.test(label) && !name.toLowerCase().includes(label.toLowerCase());
  const whole = word ? `${label}: ${name}` : name;
  return element('button', { type: 'button', 'aria-label': whole, title: name, click, ...more }, label);
}

/// A labelled choice.
export function choice(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  change: (value: string) => void,
): HTMLLabelElement & { select: HTMLSelectElement } {
  const select = element('select', { 'aria-label': label, change: () => change(select.value) });
  for (const [name, text] of options) select.append(element('option', { value: name }, text));
  select.value = value;
  const made = element('label', { class: 'field' }, element('span', {}, label), select);
  return Object.assign(made, { select });
}

export function check(label: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement & { box: HTMLInputElement } {
  const box = element('input', { type: 'checkbox', change: () => change(box.checked) });
  box.checked = on;
  const made = element('label', { class: 'check' }, box, element('span', {}, label));
  return Object.assign(made, { box });
}

/// A number with few digits, for people.
export function brief(x: number): string {
  if (!Number.isFinite(x)) return 'none';
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return x.toLocaleString('en');
  return String(Number(x.toPrecision(4)));
}
