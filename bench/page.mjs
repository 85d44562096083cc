// SPDX-License-Identifier: Apache-2.0
// The page at a million triangles and a hundred thousand contacts, in Chromium: memory, the work of a frame, and the longest
// task of each action, which is how long the page does not answer: node bench/page.mjs [COMMAND [CELLS]]. Times are
// processor times of the threads, so that other work on the machine does not count; those of frames are by the clock.
// TOC_ANGLE: the graphics library of Chromium, default swiftshader, the software renderer; vulkan or gl-egl for a processor.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const top = fileURLToPath(new URL('..', import.meta.url));
const { chromium } = createRequire(join(top, 'viewer/package.json'))('playwright-core');
const [given = join(top, 'build/toccata'), cells = '500'] = process.argv.slice(2);
const command = resolve(given);
const n = Number(cells);
const folder = mkdtempSync(join(tmpdir(), 'toccata-page-bench-'));

/// Two sheets of n x n cells; the upper one has a dent that goes through the lower one in the second frame.
function sheets(name, fall) {
  const side = n + 1;
  const head = `ply\nformat binary_little_endian 1.0\nelement vertex ${2 * side * side}\nproperty float x\nproperty float y\nproperty float z\n` +
    `element face ${4 * n * n}\nproperty list uchar int vertex_indices\nend_header\n`;
  const points = new Float32Array(6 * side * side);
  const faces = Buffer.alloc(13 * 4 * n * n);
  let at = 0;
  for (let s = 0; s < 2; s++) {
    for (let i = 0; i < side; i++) {
      for (let k = 0; k < side; k++) {
        const [x, y] = [i / n + 0.3 * s / n, k / n + 0.4 * s / n];
        const dent = 0.1 * Math.max(0, 1 - 25 * ((x - 0.5) ** 2 + (y - 0.5) ** 2));
        points.set([x, y, (s ? 0.11 - dent - fall : 0) + 0.001 * Math.sin(40 * x) * Math.cos(31 * y)], 3 * (s * side * side + i * side + k));
      }
    }
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < n; k++) {
        const a = s * side * side + i * side + k;
        for (const face of [[a, a + side, a + side + 1], [a, a + side + 1, a + 1]]) {
          faces[at] = 3;
          face.forEach((v, j) => faces.writeInt32LE(v, at + 1 + 4 * j));
          at += 13;
        }
      }
    }
  }
  writeFileSync(join(folder, name), Buffer.concat([Buffer.from(head), Buffer.from(points.buffer), faces]));
  return name;
}

/// Resident megabytes of a process.
const megabytes = (id) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) / 1024;

const said = execFileSync(command, ['view', sheets('a.ply', 0), sheets('b.ply', 0.075), '--out', 'page.html'], { cwd: folder, encoding: 'utf8' });
const contacts = Number(/(\d+) contacts/.exec(said)[1]);
const angle = process.env.TOC_ANGLE ?? 'swiftshader';
const library = angle === 'vulkan' ? ['--enable-features=Vulkan', '--disable-vulkan-surface'] : angle === 'swiftshader' ? ['--enable-unsafe-swiftshader'] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', `--use-angle=${angle}`, ...library, '--ignore-gpu-blocklist'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(180000);
const rows = [];
const settled = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

/// The tasks of the page's main thread in a trace of Chromium, ms of processor time each.
function tasksOf(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const main = new Set(traceEvents.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid} ${e.tid}`));
  const tasks = traceEvents.filter((e) => /RunTask$/.test(e.name) && main.has(`${e.pid} ${e.tid}`));
  return tasks.map((e) => (e.tdur ?? e.dur ?? 0) / 1e3);
}

/// One action until its picture is there.
async function measure(name, action) {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await action();
  await settled();
  const tasks = tasksOf(await browser.stopTracing());
  rows.push([name, Math.round(tasks.reduce((sum, ms) => sum + ms, 0)), Math.round(Math.max(0, ...tasks))]);
}

await measure('open', async () => {
  await page.goto(pathToFileURL(join(folder, 'page.html')).href);
  await page.waitForSelector('#app[data-ready]');
});
const listed = (await page.locator('.contacts .status').textContent()).replaceAll(',', '');
if (!listed.startsWith(`${contacts} contacts`)) throw new Error(`${contacts} contacts, but the page says: ${listed}`);
await measure('turn by the mouse', async () => {
  await page.mouse.move(500, 300);
  await page.mouse.down();
  await page.mouse.move(560, 320);
  await page.mouse.up();
});
await measure('half a step on', () => page.locator('footer input[type=range]').evaluate((slider) => {
  slider.value = '0.5';
  slider.dispatchEvent(new Event('input'));
}));
await measure('sort the list by vertices', () => page.getByRole('button', { name: 'Sort by vertex ids' }).click());
await measure('filter by kind', () => page.getByLabel('Kind', { exact: true }).selectOption('ee'));
await measure('fly to a contact', () => page.locator('.row').nth(2).click());
await measure('slice', () => page.getByLabel('Slice', { exact: true }).check());
await measure('see through', () => page.getByLabel('See through').check());
await page.getByLabel('See through').uncheck();
await page.getByLabel('Slice', { exact: true }).uncheck();

// Frames with new positions, one after the other.
const session = await browser.newBrowserCDPSession();
const { processInfo } = await session.send('SystemInfo.getProcessInfo');
const graphics = processInfo.find((one) => one.type === 'GPU').id;
const main = Math.max(...processInfo.filter((one) => one.type === 'renderer').map((one) => megabytes(one.id)));
const ticks = (id) => readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((a, b) => Number(a) + Number(b), 0);
const before = ticks(graphics);
const { drawn, median, renderer } = await page.evaluate(async () => {
  const { view } = window.toccata;
  const gl = view.renderer.getContext();
  const pixel = new Uint8Array(4);
  const begun = performance.now();
  let drawn = 0;
  const each = [];
  while (performance.now() - begun < 8000) {
    const from = performance.now();
    view.setTime((drawn % 20) / 20);
    view.draw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until the picture is there
    each.push(performance.now() - from);
    drawn++;
  }
  each.sort((a, b) => a - b);
  const about = gl.getExtension('WEBGL_debug_renderer_info');
  return { drawn, median: each[each.length >> 1], renderer: gl.getParameter(about.UNMASKED_RENDERER_WEBGL) };
});
const work = (ticks(graphics) - before) / 100 / drawn;
console.log(`${4 * n * n} triangles, ${contacts} contacts, a page of ${(statSync(join(folder, 'page.html')).size / 1e6).toFixed(1)} MB, 1280 x 800 pixels\n`);
console.log('| action | main thread, ms | longest task, ms |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log('\n| | |\n|---|---|');
console.log(`| renderer | ${renderer} |`);
console.log(`| a frame with new positions, graphics process | ${work.toFixed(2)} s of processor time |`);
console.log(`| the median frame, by the clock | ${median.toFixed(1)} ms |`);
console.log(`| memory | page ${Math.round(main)} MB, graphics ${Math.round(megabytes(graphics))} MB |`);
await browser.close();
rmSync(folder, { recursive: true });
