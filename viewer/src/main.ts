// SPDX-License-Identifier: Apache-2.0
// Start the page: its data, or a place to drop meshes; one sentence where something is missing.
import './style.css';
import { App } from './app';
import { DataError, Model, pageBlocks, readPage } from './data';
import { button, element } from './dom';
import { hasEngine, type Found } from './engine/client';
import { droppedFiles } from './engine/drop';
import { EnginePanel } from './engine/panel';

const root = document.getElementById('app')!;

function stop(sentence: string): void {
  root.replaceChildren(
    element('main', { class: 'stop' }, element('h1', {}, 'Toccata'), element('p', { role: 'alert' }, sentence)),
  );
  root.dataset.stopped = 'true';
}

function hasWebGL(): boolean {
  try {
    return !!document.createElement('canvas').getContext('webgl2');
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const data = readPage();
  if (!hasWebGL()) {
    stop(
      'This browser has no WebGL 2, so that the mesh cannot be drawn. Switch on hardware or software rendering in its ' +
        'settings, or open the page in a current Firefox, Chrome or Safari.',
    );
    return;
  }
  const engine = hasEngine() ? new EnginePanel((found) => showFound(found)) : null;
  if (engine) acceptDrops(engine);
  if (data) await show(new Model(data, pageBlocks()), engine);
  else if (engine) welcome(engine);
  else stop('This page has no data. Make one with: toccata view START END --out page.html');

  async function showFound(found: Found): Promise<void> {
    dialog.close();
    await show(new Model(found.data, (block) => found.blocks[block]), engine, found);
  }
}

const dialog = element('dialog', { class: 'open', 'aria-label': 'Find contacts' });
let app: App | null = null;

async function show(model: Model, engine: EnginePanel | null, found?: Found): Promise<void> {
  app?.dispose();
  delete root.dataset.ready;
  app = new App(root, model, {
    open: engine ? () => openDialog(engine) : undefined,
    csv: found && ((step) => found.csv[step] ?? null),
  });
  (window as unknown as { toccata: App }).toccata = app;
  await app.start();
}

function welcome(engine: EnginePanel): void {
  root.replaceChildren(
    element(
      'main',
      { class: 'stop welcome' },
      element('h1', {}, 'Toccata'),
      element('p', {}, 'Find when and where deforming bodies touch. No contact is missed, none is invented.'),
      engine.root,
    ),
  );
  root.dataset.welcome = 'true';
}

function openDialog(engine: EnginePanel): void {
  dialog.replaceChildren(element('h2', {}, 'Find contacts'), engine.root, button('Close', 'Close', () => dialog.close()));
  document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
}

function acceptDrops(engine: EnginePanel): void {
  const mark = (on: boolean) => root.querySelector('.welcome')?.classList.toggle('over', on);
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', () => mark(false));
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    mark(false);
    void droppedFiles(event.dataTransfer).then((files) => {
      if (!files.length) return;
      if (app) openDialog(engine);
      engine.take(files);
      void engine.start();
    });
  });
}

main().catch((error: unknown) => {
  const known = error instanceof DataError;
  stop(known ? error.message : `The page failed: ${error instanceof Error ? error.message : String(error)}`);
  if (!known) console.error(error);
});
