// SPDX-License-Identifier: Apache-2.0
// The live view: a real program (examples/live.c) feeds the page in Chromium.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { accessFaults, open, picture, probe } from './support.mjs';

const program = process.env.TOCCATA_LIVE;
if (!program || !existsSync(program)) {
  console.log('skipped: the example of the live view is not built');
  process.exit(77);
}

/// Start the program; its address is on the first line.
async function start(...words) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('exit', (code) => done(code)));
  const address = await new Promise((done, fail) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\n')) done(text.split('\n')[0]);
    });
    child.once('exit', () => fail(new Error(`no address: ${text}`)));
  });
  return { child, address, ended };
}

const clock = (page) => page.locator('.clock').textContent();

test('the page follows the steps of a program, scrubs back, and shows its fields', async () => {
  const { child, address, ended } = await start('60', 'wait');
  const page = await open(address);
  await page.waitForFunction(() => document.querySelector('.clock').textContent.startsWith('step 59, t = 1.000, time 0.24'));
  assert.equal(await page.locator('header .title').textContent(), 'a sheet on waves');
  assert.equal(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed'), 'true');
  assert.equal(await page.locator('.contacts .status').textContent(), 'No contacts in this step.');
  const low = await probe(page, 'p.vertex(0)[2]');
  await page.locator('footer input[type=range]').evaluate((slider) => {
    slider.value = '3.5';
    slider.dispatchEvent(new Event('input'));
  });
  await page.waitForFunction(() => document.querySelector('.clock').textContent.startsWith('step 3, t = 0.500'));
  assert.equal(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed'), 'false');
  assert.ok((await probe(page, 'p.vertex(0)[2]')) > low, 'the sheet was higher');
  const before = await picture(page);
  await page.getByLabel('Colour by').selectOption('field:speed');
  await page.waitForFunction(() => document.querySelector('.legend').textContent.includes('surface: speed'));
  const byspeed = await picture(page);
  assert.notDeepEqual(byspeed, before);
  await page.getByLabel('Colour by').selectOption('field:velocity');
  await page.waitForFunction(() => document.querySelector('.legend').textContent.includes('surface: velocity'));
  assert.ok(await page.getByLabel('Arrows', { exact: true }).isChecked());
  assert.notDeepEqual(await picture(page), byspeed, 'arrows are drawn');
  assert.deepEqual(await accessFaults(page), []);
  assert.deepEqual(page.problems, []);
  // The program waits until the page is closed, and no longer.
  await page.done();
  assert.equal(await ended, 0);
  assert.equal(child.exitCode, 0);
});

test('a second window, opened late, shows the same steps', async () => {
  const { child, address, ended } = await start('20', 'wait');
  const pages = [await open(address), await open(address, { hash: '#t=2.25' })];
  await pages[0].waitForFunction(() => document.querySelector('.clock').textContent.startsWith('step 19'));
  assert.match(await clock(pages[1]), /^step 2, t = 0\.250/);
  for (const page of pages) await page.done();
  assert.equal(await ended, 0);
  assert.equal(child.exitCode, 0);
});

test('a program that ends, or is killed, leaves its steps and says so', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    const { child, address } = await start('5', 'wait');
    const page = await open(address);
    await page.waitForFunction(() => document.querySelector('.clock').textContent.startsWith('step 4'));
    const before = await probe(page, 'p.vertex(0)');
    child.kill(signal);
    await page.waitForFunction(() => /The program has ended/.test(document.querySelector('.notice').textContent));
    assert.deepEqual(await probe(page, 'p.vertex(0)'), before);
    await page.getByRole('button', { name: 'Fit' }).click();
    await picture(page);
    await page.done();
  }
});

test('a wrong secret shows nothing, and another page cannot read or frame its data', async () => {
  const { child, address } = await start('5', 'wait');
  const wrong = address.replace(/(.)\/$/, (_, digit) => `${digit === '0' ? '1' : '0'}/`);
  assert.equal((await fetch(wrong)).status, 404);
  const server = createServer((request, answer) => answer.setHeader('Content-Type', 'text/html').end('<p>other</p>')).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const page = await open(`http://127.0.0.1:${server.address().port}/`, { ready: false });
  const read = await page.evaluate((url) => fetch(url).then((answer) => answer.status, (error) => error.name), address);
  assert.equal(read, 'TypeError', 'the browser does not hand over what has no leave for other origins');
  await page.done();
  server.close();
  child.kill();
});

test('a notebook shows the page in a frame', async () => {
  const { child, address } = await start('8', 'wait');
  const server = createServer((request, answer) => answer.setHeader('Content-Type', 'text/html').end(`<iframe src="${address}" width="700" height="500"></iframe>`)).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const page = await open(`http://127.0.0.1:${server.address().port}/`, { ready: false });
  const frame = page.frameLocator('iframe');
  await frame.locator('#app[data-ready]').waitFor();
  await frame.locator('.clock', { hasText: 'step 7' }).waitFor();
  assert.deepEqual(page.problems, []);
  await page.done();
  server.close();
  child.kill();
});
