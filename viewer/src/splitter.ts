// SPDX-License-Identifier: Apache-2.0
// The border of the panel: drag it, or use the arrow keys. The width is kept for the next page.
import { element } from './dom';

const [LEAST, USUAL] = [260, 384];

function keptWidth(): number {
  try {
    return Number(localStorage.getItem('toccata-panel')) || USUAL;
  } catch {
    return USUAL; // a page from a file may have no storage
  }
}

export function splitter(root: HTMLElement): HTMLElement {
  const made = element('div', {
    class: 'splitter',
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': 'Width of the panel',
    'aria-valuemin': LEAST,
    'aria-valuemax': 900,
    title: 'Drag to resize the panel; double click for the usual width',
  });
  let width = USUAL;
  const set = (wanted: number) => {
    width = Math.round(Math.min(Math.max(wanted, LEAST), Math.max(LEAST, Math.min(900, 0.7 * window.innerWidth))));
    root.style.setProperty('--panel-width', `${width}px`);
    made.setAttribute('aria-valuenow', String(width));
  };
  const keep = () => {
    try {
      localStorage.setItem('toccata-panel', String(width));
    } catch {
      // It is forgotten with the page.
    }
  };
  set(keptWidth());
  made.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    made.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent) => set(root.getBoundingClientRect().right - moved.clientX);
    made.addEventListener('pointermove', move);
    made.addEventListener('lostpointercapture', () => (made.removeEventListener('pointermove', move), keep()), { once: true });
  });
  made.addEventListener('dblclick', () => (set(USUAL), keep()));
  made.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(width + by);
    keep();
  });
  return made;
}
