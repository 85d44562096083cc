// SPDX-License-Identifier: Apache-2.0
// Start the page: its data, a running program, or a place to drop meshes; one sentence where something is missing.
import './style.css';
import { App } from './app';
import { DataError, Model, pageBlocks, readPage, savedPage, servedBlocks } from './data';
import { button, element } from './dom';
import { hasEngine, type Found } from './engine/client';
import { droppedFiles } from './engine/drop';
import { EnginePanel, shortList } from './engine/panel';
import { firstSteps, followProgram } from './live';

const root = document.getElementById('app')!;
const dialog = element('dialog', { class: 'open', 'aria-label': 'Open' });
let app: App | null = null;
let life = new AbortController();

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
  const data = readPage(document);
  if (!hasWebGL()) {
    stop(
      'This browser has no WebGL 2, so that the mesh cannot be drawn. Switch on hardware or software rendering in its ' +
        'settings, or open the page in a current Firefox, Chrome or Safari.',
    );
    return;
  }
  const engine = hasEngine() ? new EnginePanel((found) => showFound(found)) : null;
  if (engine) acceptDrops(engine);
  if (document.getElementById('toccata-live')) await showProgram(engine);
  else if (data) await show(new Model(data, pageBlocks(document)), engine);
  else if (engine) welcome(engine);
  else stop('This page has no data. Make one with: toccata view START END --out page.html');

  async function showFound(found: Found): Promise<void> {
    dialog.close();
    await show(modelOf(found), engine, found);
  }
}

const modelOf = (found: Found): Model => new Model(found.data, { read: (block) => found.blocks[block], again: false });

/// What was given and not used; nothing if all was.
const unusedNote = (found: Found): string | undefined =>
  found.unused.length ? `Not used: ${shortList(found.unused)}` : undefined;

async function show(model: Model, engine: EnginePanel | null, found?: Found): Promise<void> {
  app?.dispose();
  life.abort();
  life = new AbortController();
  delete root.dataset.ready;
  app = new App(root, model, {
    open: engine ? () => openDialog('Find contacts', engine.root) : undefined,
    compare: () => compareDialog(),
    csv: found && ((step) => found.csv[step] ?? null),
    note: found && unusedNote(found),
  });
  (window as unknown as { toccata: App }).toccata = app;
  await app.start();
}

/// The page of a running program.
async function showProgram(engine: EnginePanel | null): Promise<void> {
  root.replaceChildren(
    element('main', { class: 'stop' }, element('h1', {}, 'Toccata'), element('p', { role: 'status' }, 'Waiting for the first step of the program.')),
  );
  root.dataset.waiting = 'true';
  const data = await firstSteps();
  delete root.dataset.waiting;
  if (!data) return stop('The program has ended before it showed a step.');
  const model = new Model(data, servedBlocks);
  await show(model, engine);
  const shown = app!;
  shown.grow();
  const { signal } = life;
  shown.setFollows(!location.hash.includes('t='));
  await followProgram(model, () => shown.grow(), signal);
  if (!signal.aborted) shown.end();
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

function openDialog(title: string, content: HTMLElement): void {
  dialog.replaceChildren(element('h2', {}, title), content, button('Close', 'Close', () => dialog.close()));
  document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
}

/// A second run: files, or a page that toccata view has written.
function compareDialog(): void {
  const sentence = element('p', { class: 'sentence', role: 'alert' });
  const compare = async (model: Model) => {
    dialog.close();
    await app!.compare(model);
  };
  const picker = element('input', { type: 'file', accept: '.html', 'aria-label': 'A page of toccata view' });
  picker.addEventListener('change', async () => {
    try {
      await compare(savedPage(await picker.files![0].text()));
    } catch (error) {
      sentence.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  const other = hasEngine() ? new EnginePanel((found) => compare(modelOf(found))) : null;
  const content = element(
    'div',
    {},
    element('p', {}, 'A page that toccata view has written:'),
    picker,
    sentence,
    ...(other ? [element('p', {}, 'Or the files of the other run:'), other.root] : []),
  );
  openDialog('Compare', content);
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
      if (app) openDialog('Find contacts', engine.root);
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
