// SPDX-License-Identifier: Apache-2.0
// The page of a step: everything that a person can do on it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessFaults, clothFrames, folder, lookChange, namedMesh, open, picture, probe, toccata, write } from './support.mjs';

const frames = clothFrames();
toccata('view', ...frames, '--overlaps', '--near', '0.01', '--out', 'cloth.html');
toccata('check', ...frames, '--contacts', 'cloth.csv');
const contacts = readFileSync(join(folder, 'cloth.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(','));

const rows = (page) => page.locator('.row');
const status = (page) => page.locator('.contacts .status').textContent();

test('the page loads without errors and lists every contact of the file', async () => {
  const page = await open('cloth.html');
  assert.equal(await status(page), `${contacts.length} contacts in this step`);
  const first = contacts.map((c) => Number(c[5])).sort((a, b) => a - b)[0];
  assert.equal(await rows(page).first().locator('span').first().textContent(), first.toFixed(4));
  assert.equal(await rows(page).first().getAttribute('aria-setsize'), String(contacts.length));
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('the slider moves the vertices on straight lines, and the picture', async () => {
  const page = await open('cloth.html');
  const before = await picture(page);
  const at = (t) => page.locator('footer input[type=range]').evaluate((slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event('input'));
  }, t);
  await at('0');
  await page.waitForFunction(() => document.querySelector('.clock').textContent === 't = 0.000');
  const start = await probe(page, 'p.vertex(0)');
  await at('1');
  await page.waitForFunction(() => document.querySelector('.clock').textContent === 't = 1.000');
  const end = await probe(page, 'p.vertex(0)');
  await at('0.5');
  await page.waitForFunction(() => document.querySelector('.clock').textContent === 't = 0.500');
  const half = await probe(page, 'p.vertex(0)');
  assert.notDeepEqual(start, end);
  for (let k = 0; k < 3; k++) assert.ok(Math.abs(half[k] - (start[k] + end[k]) / 2) < 1e-6);
  assert.notDeepEqual(await picture(page), before);
  await page.done();
});

test('a click selects a contact, flies to it and stops at its time', async () => {
  const page = await open('cloth.html');
  const before = await probe(page, 'p.eye()');
  await rows(page).nth(3).click();
  await page.waitForSelector('.row[aria-selected=true]');
  const time = Number(await page.locator('.details dd').first().textContent());
  await page.waitForFunction((t) => document.querySelector('.clock').textContent === `t = ${t.toFixed(3)}`, time);
  const eye = await probe(page, 'p.eye()');
  assert.notDeepEqual(eye, before);
  const known = contacts.find((c) => Number(c[5]) === time);
  assert.ok(known, 'the time is that of a contact in the file, digit for digit');
  assert.match(await page.locator('.details dd').nth(1).textContent(), new RegExp(`${known[1]}\\b.*\\b${known[4]}$`));
  await page.done();
});

test('the keys n and p walk through the contacts', async () => {
  const page = await open('cloth.html');
  const chosen = () => page.locator('.row[aria-selected=true]').getAttribute('aria-posinset');
  await page.locator('canvas').focus();
  await page.keyboard.press('n');
  assert.equal(await chosen(), '1');
  await page.keyboard.press('n');
  assert.equal(await chosen(), '2');
  await page.keyboard.press('p');
  await page.keyboard.press('p');
  assert.equal(await chosen(), String(contacts.length));
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.row[aria-selected=true]').count(), 0);
  await page.done();
});

test('filters count as the file does', async () => {
  const page = await open('cloth.html');
  const matching = async (count) => assert.equal(await status(page), `${count} of ${contacts.length} contacts match the filter`);
  await page.getByLabel('Kind', { exact: true }).selectOption('ee');
  await matching(contacts.filter((c) => c[0] === 'ee').length);
  await page.getByLabel('Latest time').fill('0.25');
  await page.getByLabel('Latest time').press('Enter');
  await matching(contacts.filter((c) => c[0] === 'ee' && Number(c[5]) <= 0.25).length);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByLabel('Vertex id', { exact: true }).fill(contacts[0][2]);
  await matching(contacts.filter((c) => c.slice(1, 5).includes(contacts[0][2])).length);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByLabel('Part', { exact: true }).first().selectOption({ label: 'part 1' });
  assert.match(await status(page), /contacts/);
  await page.done();
});

test('the list sorts by time and by vertices, both ways', async () => {
  const page = await open('cloth.html');
  const top = (column) => rows(page).first().locator('span').nth(column).textContent();
  await page.getByRole('button', { name: 'Sort by time' }).click();
  const times = contacts.map((c) => Number(c[5])).sort((a, b) => a - b);
  assert.equal(await top(0), times.at(-1).toFixed(4));
  await page.getByRole('button', { name: 'Sort by vertex ids' }).click();
  const least = Math.min(...contacts.map((c) => Number(c[1])));
  assert.ok((await top(2)).startsWith(`${least} `));
  await page.done();
});

test('hidden parts, see-through, wireframe and slice change the picture', async () => {
  const page = await open('cloth.html');
  const seen = [await picture(page)];
  const differs = async (what) => {
    const now = await picture(page);
    for (const before of seen) assert.notDeepEqual(now, before, what);
    seen.push(now);
  };
  await page.getByLabel('Part part 1').selectOption('hidden');
  await differs('hidden');
  await page.getByLabel('Part part 1').selectOption('faded');
  await differs('faded');
  await page.getByRole('button', { name: 'All parts shown' }).click();
  await page.getByLabel('See through').check();
  await differs('see through');
  await page.getByLabel('See through').uncheck();
  await page.getByLabel('Edges', { exact: true }).selectOption('wire');
  await differs('wireframe');
  await page.getByLabel('Edges', { exact: true }).selectOption('lines');
  await page.getByLabel('Slice', { exact: true }).check();
  await differs('slice');
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('layers of overlaps and near pairs are there when asked for', async () => {
  const page = await open('cloth.html');
  assert.ok(await page.getByLabel('Overlaps at the start').isVisible());
  const before = await picture(page);
  await page.getByLabel('Near pairs').uncheck();
  assert.notDeepEqual(await picture(page), before);
  await page.done();
  toccata('view', ...frames, '--out', 'plain.html');
  const plain = await open('plain.html');
  assert.ok(!(await plain.getByLabel('Overlaps at the start').isVisible()));
  await plain.done();
});

test('components inside of a body are told', async () => {
  const corners = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9], [1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2]];
  const faces = [0, 4].flatMap((v) => [[v, v + 2, v + 1], [v, v + 1, v + 3], [v, v + 3, v + 2], [v + 1, v + 2, v + 3]]);
  write('nested.off', ['OFF', '8 8 0', ...corners.map((x) => x.join(' ')), ...faces.map((f) => `3 ${f.join(' ')}`), ''].join('\n'));
  toccata('view', join(folder, 'nested.off'), '--overlaps', '--out', 'nested.html');
  const page = await open('nested.html');
  assert.ok(await page.getByText('wholly inside of a body: 1').isVisible());
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('the link restores the view', async () => {
  const page = await open('cloth.html');
  await rows(page).nth(5).click();
  await page.getByLabel('See through').check();
  await page.getByLabel('Kind', { exact: true }).selectOption('ee');
  await page.getByLabel('Colours').selectOption('dark');
  await page.waitForFunction(() => location.hash.includes('theme=dark'));
  const state = async (p) => [await probe(p, '[p.eye(), p.vertex(5)]'), await status(p), await p.locator('.details').textContent()];
  const hash = await page.evaluate(() => location.hash);
  const wanted = await state(page);
  await page.done();
  const again = await open('cloth.html', { hash });
  const got = await state(again);
  assert.equal(got[1], wanted[1]);
  assert.equal(got[2], wanted[2]);
  got[0].flatMap((x) => (Array.isArray(x) ? x : [...x.position, ...x.target])).forEach((x, i) => {
    const was = wanted[0].flatMap((y) => (Array.isArray(y) ? y : [...y.position, ...y.target]))[i];
    assert.ok(Math.abs(x - was) < 1e-4, `${x} was ${was}`);
  });
  assert.equal(await again.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.ok(await again.getByLabel('See through').isChecked());
  await again.done();
});

test('a link with nonsense does no harm', async () => {
  const page = await open('cloth.html', { hash: '#t=x&eye=1,2&slice=q&filter=a,b&parts=9999h.<b>&pick=99999999&show=2&up=w' });
  assert.deepEqual(page.problems, []);
  assert.equal(await status(page), `${contacts.length} contacts in this step`);
  await page.done();
});

test('the picture button saves a PNG', async () => {
  const page = await open('cloth.html');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save a picture of the view' }).click()]);
  assert.equal(download.suggestedFilename(), 'toccata.png');
  assert.equal(readFileSync(await download.path()).subarray(1, 4).toString(), 'PNG');
  await page.done();
});

test('charts show the times and the stages', async () => {
  const page = await open('cloth.html');
  assert.equal(await page.locator('.chart .bar').count(), 25);
  const sum = await page.locator('.chart .bar').evaluateAll((bars) =>
    bars.reduce((all, bar) => all + Number(bar.getAttribute('aria-label').split(' ')[0]), 0));
  assert.equal(sum, contacts.length);
  assert.ok((await page.locator('.stages tbody tr').count()) > 3);
  await page.locator('.chart .bar').first().click();
  assert.match(await status(page), /match the filter/);
  await page.done();
});

test('play moves time on and pause stops it', async () => {
  const page = await open('cloth.html');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction(() => Number(document.querySelector('.clock').textContent.slice(4)) > 0.05);
  await page.getByRole('button', { name: 'Pause' }).click();
  const time = await page.locator('.clock').textContent();
  await picture(page);
  assert.equal(await page.locator('.clock').textContent(), time);
  await page.done();
});

const devices = {
  'wide screen': { width: 1920, height: 1080 },
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  'phone on its side': { width: 844, height: 390 },
};

for (const theme of ['light', 'dark']) {
  for (const [device, size] of Object.entries(devices)) {
    test(`a ${device} in ${theme} colours: no fault of access, no horizontal scroll, the stored look`, async () => {
      const page = await open('cloth.html', { theme, ...size });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      // Also in a section that is closed at first, with a contact chosen and a field shown.
      await page.evaluate(() => document.querySelectorAll('details').forEach((section) => (section.open = true)));
      assert.deepEqual(await accessFaults(page), []);
      await page.evaluate(() => [...document.querySelectorAll('details')].at(-1).open = false);
      await picture(page);
      const name = `${device.replaceAll(' ', '-')}-${theme}`;
      const change = await lookChange(page, name);
      assert.ok(change < 0.05, `${(100 * change).toFixed(1)} % of the page looks different`);
      if (device === 'desktop' && !process.env.TOC_LOOKS) {
        await page.getByLabel('Part part 1').selectOption('hidden');
        await picture(page);
        assert.ok((await lookChange(page, name)) > 0.05, 'a missing part is noticed');
      }
      assert.deepEqual(page.problems, []);
      await page.done();
    });
  }
}

test('names of files and groups cannot inject markup', async () => {
  const evil = '</script><img src=x onerror=window.hurt=1><b>&lt;';
  // A slash would be a folder in a file name.
  const names = ['a', 'b'].map((end) => write(`<img src=x onerror=hurt()>-${end}.msh`, namedMesh(evil)));
  toccata('view', ...names, '--out', 'evil.html');
  const page = await open('evil.html');
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.match(await page.locator('header .title').textContent(), /^<img src=x/);
  assert.equal(await page.locator('.part-name').first().textContent(), evil);
  assert.deepEqual(page.problems, []);
  await page.done();
});
