// SPDX-License-Identifier: Apache-2.0
// The engine in WebAssembly: the same bytes as the command, in node and in the page's worker.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { isSupported, load } from '../../wasm/toccata.mjs';
import { clothFrames, folder, open, refusal, toccata, write } from './support.mjs';

toccata('view', '--out', 'empty.html');
const page = readFileSync(join(folder, 'empty.html'), 'utf8');
const packed = /id="toccata-engine">([^<]*)</.exec(page)?.[1];
if (!packed) {
  console.log('skipped: the page was built without the engine');
  process.exit(77);
}
const module = await WebAssembly.compile(gunzipSync(Buffer.from(packed, 'base64')));
const frames = clothFrames();

/// A file of the command without the columns of places (time, elements, parts), which the engine does not write.
function plainCsv(name) {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  return Buffer.from(lines.map((line) => line.split(',').slice(0, 19).join(',')).join('\n'));
}

/// The contacts of every step by the engine, as the bytes of the command's files.
async function contactsOf(paths, options) {
  const engine = await load(module);
  for (const path of paths) engine.addFile(basename(path), readFileSync(join(folder, path)));
  engine.open(paths.map((path) => basename(path)));
  const files = [];
  for (let step = 0; step + 1 < engine.frames.length; step++) {
    engine.step(options);
    files.push(Buffer.from(engine.contactsFile('csv')));
  }
  return files;
}

/// The same by the command.
function commandContacts(paths, preset) {
  toccata('check', ...paths, '--preset', preset, '--contacts', 'known.csv');
  if (existsSync(join(folder, 'known.csv')) && paths.length === 2) return [plainCsv('known.csv')];
  return readdirSync(folder).filter((name) => /^known-\d+\.csv$/.test(name)).sort().map(plainCsv);
}

for (const preset of ['auto', 'brute', 'bvh', 'local', 'voxel-safe']) {
  test(`${preset} finds the contacts of the command, byte for byte`, async () => {
    assert.ok(isSupported());
    const known = commandContacts(frames, preset);
    const found = await contactsOf(frames, { preset });
    assert.ok(known[0].length > 1000);
    assert.deepEqual(found, known);
  });
}

test('a sequence of volumes has the contacts of the command, step by step', async () => {
  const files = toccata('scene', 'tets', '--size', '3', '--frames', '10', '--out', '.').trim().split('\n');
  const known = commandContacts(files, 'auto');
  assert.equal(known.length, files.length - 1);
  assert.deepEqual(await contactsOf(files, {}), known);
});

test('eroding and splitting elements are followed as the command does', async () => {
  const files = toccata('scene', 'bullet', '--size', '2', '--frames', '8', '--out', '.').trim().split('\n');
  toccata('check', ...files, '--contacts', 'erode.csv');
  const found = await contactsOf(files, {});
  found.forEach((bytes, i) => {
    assert.deepEqual(bytes, plainCsv(`erode-${String(i).padStart(4, '0')}.csv`), `step ${i}`);
  });
});

test('a broken file has the sentence of the command', async () => {
  write('broken.off', 'OFF\n3 1 0\n0 0 0\n1 0');
  const engine = await load(module);
  engine.addFile('broken.off', readFileSync(join(folder, 'broken.off')));
  engine.addFile('good.off', Buffer.from('OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n'));
  const known = refusal('info', 'broken.off').replace(/^toccata: /, '').trim();
  assert.throws(() => engine.open(['broken.off', 'good.off']), { message: known });
  assert.throws(() => engine.open(['none.off']), /none\.off: cannot be opened/);
  // The engine works on after a failure.
  engine.open(['good.off', 'good.off']);
  assert.equal(engine.step().count, 0);
  assert.throws(() => engine.step(), /no frame left/);
  assert.throws(() => (engine.open(['good.off', 'good.off']), engine.step({ preset: 'none' })), /none/);
});

test('progress comes, and stops the search when it asks for it', async () => {
  let calls = 0;
  const engine = await load(module, { progress: () => ++calls >= 1 });
  for (const path of frames) engine.addFile(path, readFileSync(join(folder, path)));
  engine.open(frames);
  assert.throws(() => engine.step(), { status: 5 });
  assert.ok(calls >= 1);
});

test('the package has the version of the library', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../wasm/package.json', import.meta.url), 'utf8'));
  const engine = await load(module);
  assert.equal(engine.version, version);
  assert.ok(engine.presets.includes('auto'));
});

/// Drop files onto the page, as a person does with a mouse.
async function drop(tab, files) {
  const data = files.map(([name, bytes]) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
  await tab.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    }
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, data);
}

test('two dropped meshes give the contacts of the command, and the page shows them', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await drop(tab, frames.map((name) => [name, readFileSync(join(folder, name))]));
  await tab.waitForSelector('#app[data-ready]', { timeout: 60000 });
  toccata('check', ...frames, '--contacts', 'page.csv');
  const known = plainCsv('page.csv');
  const count = known.toString().trim().split('\n').length - 1;
  assert.equal(await tab.locator('.contacts .status').textContent(), `${count} contacts in this step`);
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'CSV' }).click()]);
  assert.deepEqual(readFileSync(await download.path()), known);
  assert.deepEqual(tab.problems, []);
  // A second drop, onto the picture: one frame is not enough, and the page stays as it is.
  await drop(tab, [['broken.off', 'OFF\n3 1 0\n0 0 0\n1 0']]);
  await tab.waitForFunction(() => document.querySelector('.sentence').textContent.includes('broken.off'));
  assert.equal(await tab.locator('.sentence').textContent(), refusal('info', write('broken.off', 'OFF\n3 1 0\n0 0 0\n1 0')).replace(/^toccata: /, '').trim());
  await tab.done();
});

test('a browser without SIMD is told so', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await tab.evaluate(() => (WebAssembly.validate = () => false));
  await drop(tab, [['a.off', 'OFF\n']]);
  await tab.waitForFunction(() => /no WebAssembly with SIMD.*toccata command/.test(document.querySelector('.sentence').textContent));
  await tab.done();
});

test('a search can be cancelled', async () => {
  const big = toccata('scene', 'cloth-ball', '--size', '90', '--frames', '19', '--out', '.').trim().split('\n').slice(-2);
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await tab.getByLabel('Preset', { exact: true }).selectOption('brute');
  await drop(tab, big.map((name) => [basename(name), readFileSync(join(folder, name))]));
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.waitForFunction(() => document.querySelector('.sentence').textContent === 'stopped');
  assert.equal(await tab.locator('#app[data-ready]').count(), 0);
  await tab.done();
});
