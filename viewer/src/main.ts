// SPDX-License-Identifier: Apache-2.0
// Start the page: its data, or a place to drop meshes; one sentence where something is missing.
import './style.css';
import { App } from './app';
import { DataError, Model, pageBlocks, readPage } from './data';
import { element } from './dom';

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
  if (!data) {
    stop('This page has no data. Make one with: toccata view START END --out page.html');
    return;
  }
  const app = new App(root, new Model(data, pageBlocks()));
  (window as unknown as { toccata: App }).toccata = app;
  await app.start();
}

main().catch((error: unknown) => {
  const known = error instanceof DataError;
  stop(known ? error.message : `The page failed: ${error instanceof Error ? error.message : String(error)}`);
  if (!known) console.error(error);
});
