// SPDX-License-Identifier: Apache-2.0
// Sequences, volumes, edits, served pages, and everything that can be wrong with a page or its input.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { clothFrames, command, folder, open, picture, pictureChange, probe, refusal, startCommand, toccata, write } from './support.mjs';

const frames = clothFrames();
const status = (page) => page.locator('.contacts .status').textContent();

function scene(name, size, count) {
  const words = ['scene', name, '--size', String(size), '--frames', String(count), '--out', '.'];
  return toccata(...words).trim().split('\n');
}

test('a sequence has a step for each two frames, and the chart jumps between them', async () => {
  const files = scene('tets', 3, 12);
  const said = toccata('view', ...files, '--out', 'tets.html');
  const [, steps, contacts] = /: (\d+) steps, (\d+) contacts/.exec(said);
  const page = await open('tets.html');
  assert.equal(Number(steps), files.length - 1);
  const bars = page.locator('[aria-label="Contacts of each step"] .bar');
  assert.equal(await bars.count(), files.length - 1);
  const labels = await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label')));
  assert.equal(labels.reduce((sum, label) => sum + Number(/: ([\d,]+) /.exec(label)[1].replaceAll(',', '')), 0), Number(contacts));
  await bars.nth(7).click();
  await page.waitForFunction(() => document.querySelector('.clock').textContent.startsWith('step 7'));
  assert.equal(await probe(page, 'p.step'), 7);
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('a slice shows whole elements inside a volume', async () => {
  const page = await open('tets.html');
  const whole = await probe(page, '(app.view.draw(), p.drawn().triangles)');
  const before = await picture(page);
  await page.getByLabel('Slice', { exact: true }).check();
  await page.getByLabel('Place of the slice').fill('0.4');
  assert.notDeepEqual(await picture(page), before);
  assert.ok((await probe(page, '(app.view.draw(), p.drawn().triangles)')) > whole, 'faces inside are drawn, too');
  await page.done();
});

test('eroding and splitting elements change the surface from step to step', async () => {
  const files = scene('bullet', 2, 14);
  toccata('view', ...files, '--out', 'bullet.html');
  const data = JSON.parse(/id="toccata-data">(.*?)<\/script>/s.exec(readFileSync(join(folder, 'bullet.html'), 'utf8'))[1]);
  assert.ok(data.surfaces.length > 1);
  const page = await open('bullet.html', { hash: `#t=${data.steps.length - 0.5}` });
  assert.equal(await probe(page, 'p.step'), data.steps.length - 1);
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('contacts come from a file that check wrote', async () => {
  toccata('check', ...frames, '--contacts', 'given.csv');
  const lines = readFileSync(join(folder, 'given.csv'), 'utf8').trim().split('\n');
  write('few.csv', `${lines.slice(0, 6).join('\n')}\n`);
  toccata('view', ...frames, '--contacts', 'few.csv', '--out', 'few.html');
  const page = await open('few.html');
  assert.equal(await status(page), '5 contacts in this step');
  await page.done();
});

test('a step without contacts says so', async () => {
  toccata('view', frames[0], frames[0], '--out', 'rest.html');
  const page = await open('rest.html');
  assert.equal(await status(page), 'No contacts in this step.');
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('one frame is shown at rest', async () => {
  toccata('view', frames[0], '--out', 'one.html');
  const page = await open('one.html');
  assert.ok(!(await page.locator('footer').isVisible()));
  await page.done();
});

test('wrong contacts are refused with the line', () => {
  const lines = readFileSync(join(folder, 'given.csv'), 'utf8').trim().split('\n');
  const view = (text) => refusal('view', ...frames, '--contacts', write('wrong.csv', text), '--out', 'no.html');
  assert.match(view(''), /wrong\.csv:1: .*; the file may be truncated/);
  assert.match(view('a,b\n'), /wrong\.csv:1: these are not the columns of contacts/);
  assert.match(view(`${lines[0]}\n${lines[1].slice(0, 30)}`), /wrong\.csv:2: .*; the file may be truncated/);
  assert.match(view(`${lines[0]}\n${lines[1].replace(/^vf,\d+/, 'vf,99999')}\n`), /wrong\.csv:2: .* belong to another one/);
  assert.match(view(`${lines[0]}\n${lines[1].replace(/^vf,(\d+),\d+/, 'vf,$1,0')}\n`), /belong to another one/);
  assert.match(refusal('view', frames[0], '--contacts', 'given.csv', '--out', 'no.html'), /only one frame/);
  assert.match(refusal('view', ...frames, '--contacts', 'given.txt', '--out', 'no.html'), /read from a \.csv/);
});

test('the command line is checked', () => {
  assert.match(refusal('view', ...frames), /--out page\.html, --png picture\.png, or --serve/);
  assert.match(refusal('view', ...frames, '--out', 'page.txt'), /--out writes \.html/);
  assert.match(refusal('view', 'none.ply', '--out', 'no.html'), /none\.ply/);
  assert.match(refusal('view', ...frames, '--out', 'none/page.html'), /cannot be written/);
});

test('a served page streams its frames, and only to this machine under its own name', async () => {
  const { child, found } = await startCommand(/(http:\/\/127\.0\.0\.1:(\d+)\/)\n/, 'view', ...frames, '--serve');
  try {
    const page = await open(found[1]);
    assert.match(await status(page), /\d+ contacts in this step/);
    assert.deepEqual(page.problems, []);
    await page.done();
    assert.equal((await fetch(`${found[1]}blocks/99999`)).status, 404);
    assert.equal((await fetch(`${found[1]}blocks/../etc`)).status, 404);
    assert.equal((await fetch(found[1], { method: 'POST' })).status, 405);
    const { request } = await import('node:http');
    const other = await new Promise((done) =>
      request({ port: found[2], host: '127.0.0.1', headers: { Host: 'example.org' } }, (r) => done(r.statusCode)).end());
    assert.equal(other, 403);
  } finally {
    child.kill('SIGINT');
  }
});

test('a port in use is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address();
  assert.match(refusal('view', ...frames, '--serve', '--port', String(port)), new RegExp(`port ${port} is in use; choose another`));
  server.close();
});

test('without WebGL the page says what to do', async () => {
  const page = await open('few.html', { webgl: false, ready: false });
  assert.match(await page.getByRole('alert').textContent(), /no WebGL 2.*settings/s);
  await page.done();
});

test('a truncated page says so', async () => {
  const whole = readFileSync(join(folder, 'few.html'), 'utf8');
  const at = whole.indexOf('id="toccata-block-1"');
  write('cut.html', whole.slice(0, at + 400));
  const page = await open('cut.html', { ready: false });
  assert.match(await page.getByRole('alert').textContent(), /truncated/);
  await page.done();
  // A block that lost bytes within a page that is whole.
  write('short.html', whole.replace(/(id="toccata-block-1">.{40}).{400}/, '$1'));
  const short = await open('short.html', { ready: false });
  await short.waitForSelector('[role=alert], .note:not([hidden])');
  assert.match(await short.locator('[role=alert], .note').first().textContent(), /truncated|damaged/);
  await short.done();
});

test('a page without data says how to make one', async () => {
  toccata('view', '--out', 'empty.html');
  const page = await open('empty.html', { ready: false });
  assert.match(await page.locator('main').textContent(), /toccata view|Drop/);
  await page.done();
});

/// The number of points of a VTP.
const points = (...path) => Number(/NumberOfPoints="(\d+)"/.exec(readFileSync(join(folder, ...path), 'latin1'))[1]);

test('a simulation shows its own contacts at its frames, and those between them on demand', async () => {
  toccata('simulate', 'merging', '--frames', '31', '--contacts', '--out', 'sim');
  const counts = Array.from({ length: 31 }, (_, i) => points('sim', 'contacts', `merging-${String(i).padStart(4, '0')}.vtp`));
  const said = toccata('view', 'sim', '--out', 'sim.html');
  assert.match(said, new RegExp(`simulation  ${counts.reduce((a, b) => a + b)} contacts at 31 frames`));
  const frame = counts.lastIndexOf(Math.max(...counts));
  const page = await open('sim.html', { hash: `#t=${frame}` });
  const own = `${counts[frame]} contacts of the simulation at frame ${frame}`;
  assert.equal(await status(page), own);
  const bars = page.locator('[aria-label="Contacts of each frame"] .bar');
  assert.deepEqual(await bars.evaluateAll((all) => all.map((bar) => Number(/: ([\d,]+) /.exec(bar.getAttribute('aria-label'))[1]))), counts);
  const before = await picture(page);
  await page.getByLabel('Contact points').uncheck();
  assert.notDeepEqual(await picture(page), before, 'the points are drawn');
  await page.getByLabel('Show', { exact: true }).selectOption('found');
  await page.waitForFunction(() => /in this step/.test(document.querySelector('.contacts .status').textContent));
  assert.ok(await page.getByLabel('Earliest time').isVisible());
  await page.waitForFunction(() => location.hash.includes('contacts=found'));
  await page.getByLabel('Show', { exact: true }).selectOption('simulation');
  await page.waitForFunction((text) => document.querySelector('.contacts .status').textContent === text, own);
  assert.ok(!(await page.getByLabel('Earliest time').isVisible()), 'contacts at a frame have no times');
  // The last frame has contacts of its own, though it begins no step.
  await page.keyboard.press('Shift+ArrowRight');
  await bars.nth(30).click();
  await page.waitForFunction(() => /at frame 30/.test(document.querySelector('.contacts .status').textContent));
  await page.locator('.row').first().click();
  assert.equal(await page.locator('.details dt').first().textContent(), 'distance');
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('contacts beside frames that they do not belong to are left out, with a hint', () => {
  const name = (i) => join(folder, 'sim', 'contacts', `merging-${String(i).padStart(4, '0')}.vtp`);
  const full = Array.from({ length: 31 }, (_, i) => i).filter((i) => points('sim', 'contacts', name(i).slice(-17)));
  writeFileSync(name(full[0]), readFileSync(name(full.at(-1))));
  writeFileSync(name(full[1]), readFileSync(name(full[1])).subarray(0, 900));
  const said = toccata('view', 'sim', '--out', 'stale.html');
  assert.match(said, /at 29 frames\nhint      files in the folder contacts that belong to other frames are left out: 2;/);
});

test('--png draws the page with its camera and colours', async () => {
  const link = 't=0.5&theme=dark&eye=2.1,-3.2,1.9,0,0,0&show=101111';
  assert.match(toccata('view', ...frames, '--png', 'drawn.png', '--link', `#${link}`, '--width', '480', '--height', '320'), /^drawn\.png$/m);
  const png = readFileSync(join(folder, 'drawn.png'));
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [480, 320]);
  toccata('view', ...frames, '--out', 'drawn.html');
  const page = await open('drawn.html', { hash: `#bare=1&${link}`, width: 480, height: 320 });
  await picture(page);
  const change = await pictureChange(page, png);
  assert.ok(change < 0.01, `${(100 * change).toFixed(1)} % of the picture looks different`);
  await page.done();
});

test('--png without a browser says what to install', () => {
  const bare = { cwd: folder, encoding: 'utf8', env: { PATH: folder } };
  const none = spawnSync(command, ['view', ...frames, '--png', 'none.png'], bare);
  assert.equal(none.status, 1);
  assert.match(none.stderr, /--png needs Chromium or Chrome \(Debian: apt-get install chromium\); --plain draws without/);
  const wrong = spawnSync(command, ['view', ...frames, '--png', 'none.png'], { ...bare, env: { TOCCATA_BROWSER: '/bin/false' } });
  assert.match(wrong.stderr, /\/bin\/false failed to draw the page/);
  assert.ok(!existsSync(join(folder, 'none.png')));
});
