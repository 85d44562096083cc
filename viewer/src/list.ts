// SPDX-License-Identifier: Apache-2.0
// A list that draws only the rows in view: a hundred thousand rows cost as much as thirty.
import { element } from './dom';

const rowHeight = 28;

export class VirtualList {
  readonly root: HTMLDivElement;
  private inner: HTMLDivElement;
  private rows: Uint32Array = new Uint32Array(0);
  private selected = -1; // an item, not a row
  private drawn = '';

  constructor(
    name: string,
    private describe: (item: number) => string[],
    private select: (item: number) => void,
  ) {
    this.inner = element('div', { class: 'list-inner', role: 'presentation' });
    this.root = element(
      'div',
      { class: 'list', role: 'listbox', tabindex: 0, 'aria-label': name, scroll: () => this.draw() },
      this.inner,
    );
    this.root.addEventListener('keydown', (event) => this.onKey(event));
    this.root.addEventListener('click', (event) => {
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-item]');
      if (row) this.select(Number(row.dataset.item));
    });
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  get length(): number {
    return this.rows.length;
  }

  setRows(rows: Uint32Array): void {
    this.rows = rows;
    this.inner.style.height = `${rows.length * rowHeight}px`;
    this.drawn = '';
    this.draw();
  }

  /// Mark an item, and bring it into view if asked.
  setSelected(item: number, reveal: boolean): void {
    this.selected = item;
    this.drawn = '';
    const row = this.rows.indexOf(item);
    if (reveal && row >= 0) {
      const top = row * rowHeight;
      const view = this.root.clientHeight;
      if (top < this.root.scrollTop || top + rowHeight > this.root.scrollTop + view) {
        this.root.scrollTop = top - view / 2 + rowHeight / 2;
      }
    }
    this.draw();
  }

  /// The item a number of rows after the selected one, around the end; -1 for an empty list.
  neighbour(by: number): number {
    if (this.rows.length === 0) return -1;
    const row = this.rows.indexOf(this.selected);
    if (row < 0) return this.rows[by > 0 ? 0 : this.rows.length - 1];
    return this.rows[(row + by + this.rows.length) % this.rows.length];
  }

  /// The next item of the list; -1 behind its end, and where none is selected.
  step(by: 1 | -1): number {
    const row = this.rows.indexOf(this.selected) + by;
    return this.rows.includes(this.selected) && row >= 0 && row < this.rows.length ? this.rows[row] : -1;
  }

  /// The item at which a walk begins: the first one forwards, the last one backwards; -1 for an empty list.
  end(by: 1 | -1): number {
    return this.rows.length ? this.rows[by > 0 ? 0 : this.rows.length - 1] : -1;
  }

  private onKey(event: KeyboardEvent): void {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const by = moves[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const item = this.neighbour(by);
    if (item >= 0) this.select(item);
    event.preventDefault();
    event.stopPropagation();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.root.scrollTop / rowHeight) - 4);
    const last = Math.min(this.rows.length, Math.ceil((this.root.scrollTop + this.root.clientHeight) / rowHeight) + 4);
    const key = `${first} ${last}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const shown: HTMLElement[] = [];
    let active = '';
    for (let row = first; row < last; row++) {
      const item = this.rows[row];
      const cells = this.describe(item);
      const isSelected = item === this.selected;
      const id = `contact-${item}`;
      if (isSelected) active = id;
      const made = element(
        'div',
        {
          class: 'row',
          role: 'option',
          id,
          'data-item': item,
          'aria-selected': isSelected ? 'true' : 'false',
          'aria-setsize': this.rows.length,
          'aria-posinset': row + 1,
        },
        ...cells.map((cell) => element('span', { title: cell }, cell)),
      );
      made.style.top = `${row * rowHeight}px`;
      shown.push(made);
    }
    this.inner.replaceChildren(...shown);
    if (active) this.root.setAttribute('aria-activedescendant', active);
    else this.root.removeAttribute('aria-activedescendant');
  }
}
