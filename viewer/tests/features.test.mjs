// SPDX-License-Identifier: Apache-2.0
// What a person finds on a larger result: the first contact, parts that touch, markers in thousands, fields, two runs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessFaults, clothFrames, folder, open, picture, probe, refusal, toccata, write } from './support.mjs';

const frames = clothFrames();
const clock = (page) => page.locator('.clock').textContent();
const tets = toccata('scene', 'tets', '--size', '3', '--frames', '12', '--out', '.').trim().split('\n');
toccata('view', ...tets, '--out', 'tets.html');

/// Contacts of every step, as the command writes them: [step, time].
toccata('check', ...tets, '--contacts', 'tets.csv');
const { readFileSync } = await import('node:fs');
const table = readFileSync(join(folder, 'tets.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
const column = (name) => table[0].indexOf(name);
const contacts = table.slice(1).map((row) => ({ step: Number(row[column('step')]), toc: Number(row[column('toc')]) }));
const first = contacts.reduce((a, b) => (b.step < a.step || (b.step === a.step && b.toc < a.toc) ? b : a));

test('the page opens at the first contact of the sequence', async () => {
  const page = await open('tets.html');
  assert.match(await clock(page), new RegExp(`^step ${first.step}, t = ${first.toc.toFixed(3)}`));
  await page.done();
});

test('n and p go on in the next step that has contacts, around the end', async () => {
  const page = await open('tets.html');
  const steps = [...new Set(contacts.map((c) => c.step))];
  assert.ok(steps.length > 1);
  const inStep = (step) => contacts.filter((c) => c.step === step).length;
  const chosen = async () => [await probe(page, 'p.step'), Number(await page.locator('.row[aria-selected=true]').getAttribute('aria-posinset'))];
  const press = async (key, step, place) => {
    await page.keyboard.press(key);
    await page.waitForFunction(([s, i]) => {
      const row = document.querySelector('.row[aria-selected=true]');
      return window.toccata.probe().step === s && row && Number(row.getAttribute('aria-posinset')) === i;
    }, [step, place]);
    assert.deepEqual(await chosen(), [step, place]);
  };
  await page.locator('canvas').focus();
  await press('n', steps[0], 1);
  await press('p', steps.at(-1), inStep(steps.at(-1)));
  await press('n', steps[0], 1);
  for (let i = 2; i <= inStep(steps[0]); i++) await press('n', steps[0], i);
  await press('n', steps[1], 1);
  await page.done();
});

test('parts that touch are listed once with their first time, and a click goes there', async () => {
  const page = await open('tets.html', { hash: '#t=0' });
  const rows = page.locator('.pairs tbody tr');
  assert.equal(await rows.count(), 1);
  const cells = await rows.first().locator('td').allTextContents();
  assert.deepEqual(cells, ['part 1, part 2', (first.step + first.toc).toFixed(4), String(contacts.length)]);
  await rows.first().getByRole('button').click();
  await page.waitForFunction((s) => document.querySelector('.clock').textContent.startsWith(`step ${s},`), first.step);
  assert.equal(Number(await page.locator('.details dd').first().textContent()), first.toc);
  await page.done();
});

test('first times are those of the file, where it has any', async () => {
  const sets = tets.map((name, i) => `<DataSet timestep="${0.25 * i}" file="${name}"/>`).join('');
  write('timed.pvd', `<VTKFile type="Collection"><Collection>${sets}</Collection></VTKFile>`);
  toccata('view', 'timed.pvd', '--out', 'timed.html');
  const page = await open('timed.html');
  const time = Number((0.25 * (first.step + first.toc)).toPrecision(5));
  assert.equal(await page.locator('.pairs tbody tr td').nth(1).textContent(), String(time));
  assert.match(await clock(page), new RegExp(`, time ${time}$`));
  await page.done();
});

test('thousands of contacts are few markers with counts, which part when the camera comes nearer', async () => {
  const cloth = toccata('scene', 'cloth-ball', '--size', '60', '--frames', '19', '--out', '.').trim().split('\n').slice(-2);
  toccata('view', ...cloth, '--out', 'dense.html');
  const page = await open('dense.html');
  const drawn = () => probe(page, '(app.view.draw(), p.drawn())');
  const far = await drawn();
  const all = Number((await page.locator('.contacts .status').textContent()).replaceAll(',', '').split(' ')[0]);
  assert.ok(all > 500);
  assert.equal(far.contacts, all, 'every contact is in a marker');
  assert.ok(far.markers < all / 3, `${far.markers} markers for ${all} contacts`);
  await page.locator('.row').nth(5).click();
  const near = await drawn();
  assert.ok(near.markers / near.contacts > (2 * far.markers) / far.contacts, `${near.markers} of ${near.contacts} near, ${far.markers} of ${far.contacts} far`);
  // Draw calls do not grow with the contacts.
  assert.ok(far.calls <= 12, `${far.calls} calls`);
  await page.done();
});

test('the surface is coloured by displacement, motion and time of contact, with a range, a map and arrows', async () => {
  const page = await open('tets.html');
  const seen = [await picture(page)];
  const differs = async (what) => {
    const now = await picture(page);
    assert.ok(!seen.some((before) => before.equals(now)), what);
    seen.push(now);
  };
  const legend = (text) => page.waitForFunction((wanted) => document.querySelector('.legend').textContent.includes(wanted), text);
  await page.getByLabel('Colour by').selectOption('displacement');
  await legend('surface: displacement');
  await differs('displacement');
  await page.getByLabel('Arrows', { exact: true }).uncheck();
  await differs('no arrows');
  await page.getByLabel('Map', { exact: true }).selectOption('inferno');
  await differs('another map');
  await page.getByLabel('Range to').fill('0.001');
  await page.getByLabel('Range to').press('Enter');
  await legend('0.001');
  await differs('another range');
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('0.001'));
  const again = await open('tets.html', { hash: await page.evaluate(() => location.hash) });
  assert.equal(await again.getByLabel('Colour by').inputValue(), 'displacement');
  assert.equal(await again.getByLabel('Range to').inputValue(), '0.001');
  await again.done();
  await page.getByLabel('Colour by').selectOption('contact');
  await legend('surface: time of contact');
  await differs('times');
  await page.getByLabel('Ambient shadows').uncheck();
  await differs('without ambient shadows');
  assert.deepEqual(page.problems, []);
  await page.done();
});

/// A sheet that falls onto another one: a scalar and a vector of the points, a scalar of the cells.
function fieldFrame(name, fall) {
  const points = [], temperature = [], cells = [];
  for (let s = 0; s < 2; s++) {
    for (let i = 0; i < 9; i++) points.push(i % 3, Math.floor(i / 3), s * (0.5 - fall)), temperature.push(10 * i + s);
    for (const a of [0, 1, 3, 4]) cells.push([a, a + 1, a + 4, a + 3].map((v) => v + 9 * s).join(' '));
  }
  const array = (type, more, numbers) => `<DataArray type="${type}" ${more} format="ascii">${numbers.join(' ')}</DataArray>`;
  return write(name, `<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="18" NumberOfCells="8">
<PointData>${array('Float64', 'Name="temperature"', temperature)}${array('Float64', 'Name="flow" NumberOfComponents="3"', points.map((x) => x + fall))}
${array('Float64', 'Name="tensor" NumberOfComponents="9"', Array(162).fill(0))}</PointData>
<CellData>${array('Float32', 'Name="stress"', [1, 2, 3, 4, 5, 6, 7, 8])}</CellData>
<Points>${array('Float64', 'NumberOfComponents="3"', points)}</Points><Cells>${array('Int32', 'Name="connectivity"', cells)}
${array('Int32', 'Name="offsets"', [4, 8, 12, 16, 20, 24, 28, 32])}${array('UInt8', 'Name="types"', Array(8).fill(9))}</Cells>
</Piece></UnstructuredGrid></VTKFile>`);
}

test('the surface is coloured by the fields of the file, of points and cells, with arrows for vectors', async () => {
  const files = [0, 0.3, 0.7].map((fall, i) => fieldFrame(`field-${i}.vtu`, fall));
  toccata('view', ...files, '--out', 'fields.html');
  const page = await open('fields.html');
  const names = await page.getByLabel('Colour by').locator('option').allTextContents();
  for (const name of ['temperature', 'flow', 'stress']) assert.ok(names.some((each) => each.startsWith(name)), `${name} in ${names}`);
  assert.ok(!names.some((each) => each.startsWith('tensor')));
  const seen = [await picture(page)];
  for (const name of ['temperature', 'flow', 'stress']) {
    await page.getByLabel('Colour by').selectOption({ label: names.find((each) => each.startsWith(name)) });
    await page.waitForFunction((wanted) => document.querySelector('.legend').textContent.includes(wanted), `surface: ${name}`);
    const now = await picture(page);
    assert.ok(!seen.some((before) => before.equals(now)), name);
    seen.push(now);
  }
  assert.deepEqual(page.problems, []);
  await page.done();
  toccata('view', ...files, '--fields', 'stress', '--out', 'stress.html');
  const only = await open('stress.html');
  const few = await only.getByLabel('Colour by').locator('option').allTextContents();
  assert.ok(few.some((each) => each.startsWith('stress')) && !few.some((each) => each.startsWith('flow')));
  await only.done();
  assert.match(refusal('view', ...files, '--fields', 'strain', '--out', 'no.html'), /no field is called "strain"; there are temperature, flow, stress/);
});

test('two runs stand beside each other, with one camera and one time', async () => {
  toccata('convert', ...tets.slice(0, -2), 'shorter.pvd');
  assert.match(toccata('view', ...tets, '--beside', 'shorter.pvd', '--out', 'two.html'), /^beside +9 steps, \d+ contacts$/m);
  const page = await open('two.html');
  assert.equal(await page.locator('canvas').count(), 2);
  assert.match(await page.locator('.pane-label').nth(1).textContent(), /^\d+ contacts? in step 8: shorter-0000\.vtu → shorter-0009\.vtu$/);
  await page.locator('canvas').first().hover();
  await page.mouse.down();
  await page.mouse.move(250, 250);
  await page.mouse.up();
  const eyes = await page.evaluate(() => window.toccata.panes.map((pane) => pane.view.eye().position));
  eyes[0].forEach((x, k) => assert.ok(Math.abs(x - eyes[1][k]) < 1e-6));
  assert.deepEqual(page.problems, []);
  await page.done();
  assert.match(refusal('view', '--beside', 'shorter.pvd', '--out', 'no.html'), /--beside needs frames/);
  assert.match(refusal('view', ...tets, '--beside', 'none.pvd', '--out', 'no.html'), /none\.pvd/);
});

test('a saved page can be opened beside the one that is shown', async () => {
  const page = await open('tets.html');
  await page.getByRole('button', { name: 'Compare' }).click();
  write('other.html', '<p>no page</p>');
  await page.getByLabel('A page of toccata view').setInputFiles(join(folder, 'other.html'));
  await page.waitForFunction(() => /truncated|no data/.test(document.querySelector('dialog .sentence').textContent));
  toccata('view', ...frames, '--out', 'cloth-page.html');
  await page.getByLabel('A page of toccata view').setInputFiles(join(folder, 'cloth-page.html'));
  await page.waitForFunction(() => document.querySelectorAll('.pane-label:not([hidden])').length === 2);
  assert.equal(await page.locator('canvas').count(), 2);
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('the panel is as wide as it is dragged, and by the keys', async () => {
  const page = await open('tets.html', { width: 1200 });
  const width = () => page.locator('.panel').evaluate((panel) => panel.clientWidth);
  const before = await width();
  const border = page.getByRole('separator', { name: 'Width of the panel' });
  const box = await border.boundingBox();
  await page.mouse.move(box.x + 3, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x - 147, box.y + 100);
  await page.mouse.up();
  assert.ok(Math.abs((await width()) - before - 150) < 4);
  await border.press('ArrowRight');
  assert.ok(Math.abs((await width()) - before - 130) < 4);
  await page.done();
});

test('the report of a check at four sizes, light and dark: no fault of access, no horizontal scroll, no error', async () => {
  toccata('check', ...tets, '--report', 'report.html');
  for (const theme of ['light', 'dark']) {
    const page = await open('report.html', { theme, ready: false });
    for (const [width, height] of [[1920, 1080], [1280, 800], [390, 844], [844, 390]]) {
      await page.setViewportSize({ width, height });
      const where = `${width} x ${height}, ${theme}`;
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0, where);
      assert.deepEqual(await accessFaults(page), [], where);
    }
    assert.deepEqual(page.problems, []);
    await page.done();
  }
});

test('a phone on its side has a time as wide as itself', async () => {
  const page = await open('tets.html', { width: 844, height: 390 });
  const slider = await page.locator('footer input[type=range]').boundingBox();
  assert.ok(slider.width > 380 && slider.y + slider.height <= 390, JSON.stringify(slider));
  const canvas = await page.locator('canvas').boundingBox();
  assert.ok(canvas.height > 250 && canvas.width > 400, JSON.stringify(canvas));
  await page.done();
});

test('the axes turn with the camera, and a click looks along one', async () => {
  const page = await open('tets.html');
  const ends = () => page.locator('.gizmo-end').evaluateAll((all) => all.map((end) => end.getAttribute('transform')).sort().join(' '));
  const before = await ends();
  await page.locator('.gizmo-end', { has: page.locator('title', { hasText: 'Look along +z' }) }).locator('circle').click();
  await page.waitForFunction((was) => [...document.querySelectorAll('.gizmo-end')].map((end) => end.getAttribute('transform')).sort().join(' ') !== was, before);
  const { position, target } = await probe(page, 'p.eye()');
  assert.ok(Math.abs(position[0] - target[0]) < 0.01 * Math.abs(position[2] - target[2]));
  await page.getByLabel('Look along').selectOption('-x');
  const eye = await probe(page, 'p.eye()');
  assert.ok(eye.position[0] < eye.target[0] && Math.abs(eye.position[2] - eye.target[2]) < 1e-6);
  await page.done();
});
