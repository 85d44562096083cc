// SPDX-License-Identifier: Apache-2.0
// Pages made by the command, opened in Debian's Chromium with its software renderer. Exit status 77: no Chromium here.
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after } from 'node:test';
import { chromium } from 'playwright-core';

export const command = process.env.TOCCATA;
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!command || !existsSync(browserPath)) {
  console.log('skipped: chromium or the command is missing');
  process.exit(77);
}

export const folder = mkdtempSync(join(tmpdir(), 'toccata-page-'));
const graphics = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const browsers = new Map();

/// A browser with or without WebGL; one process for each serves all tests of a file.
async function browser(webgl) {
  if (!browsers.has(webgl)) {
    const args = ['--no-sandbox', ...(webgl ? graphics : ['--disable-gpu', '--disable-3d-apis'])];
    browsers.set(webgl, chromium.launch({ executablePath: browserPath, args }));
  }
  return browsers.get(webgl);
}

after(async () => {
  for (const running of browsers.values()) await (await running).close();
  rmSync(folder, { recursive: true, force: true });
});

/// Run the command; returns its output. Throws with its message if it fails.
export function toccata(...words) {
  const env = { ...process.env, TOCCATA_BROWSER: browserPath };
  return execFileSync(command, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env });
}

/// The message of a run that must fail with exit status 1.
export function refusal(...words) {
  try {
    toccata(...words);
  } catch (error) {
    if (error.status === 1 && error.stdout === '') return error.stderr;
    throw error;
  }
  throw new Error(`toccata ${words.join(' ')} did not fail`);
}

/// Start the command and wait for a line that matches; the caller ends it.
export async function startCommand(line, ...words) {
  const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const found = await new Promise((done, fail) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const match = line.exec(text);
      if (match) done(match);
    });
    child.on('exit', (code) => fail(new Error(`ended with ${code}: ${text}`)));
  });
  return { child, found };
}

export function write(name, text) {
  writeFileSync(join(folder, name), text);
  return name;
}

/// A triangle in a named group and one in another, for names that try to be markup. Gmsh's names have no quotes within.
export function namedMesh(name) {
  const nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]].map((x, i) => `${i + 1} ${x.join(' ')}\n`).join('');
  return `$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 "${name}"\n2 2 "other"\n$EndPhysicalNames\n` +
    `$Nodes\n6\n${nodes}$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 2 2 4 5 6\n$EndElements\n`;
}

/// Two frames of the cloth on the ball, with some hundred contacts.
export function clothFrames() {
  toccata('scene', 'cloth-ball', '--size', '20', '--frames', '19', '--out', '.');
  return ['cloth-ball-0017.ply', 'cloth-ball-0018.ply'];
}

/// A page of its own, closed by the caller. `problems` collects errors of the console, of scripts and of requests.
export async function open(name, options = {}) {
  const { webgl = true, hash = '', width = 900, height = 600, theme = 'light', ready = true, ...rest } = options;
  const context = await (await browser(webgl)).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...rest,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const problems = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('requestfailed', (request) => problems.push(`request failed: ${request.url()}`));
  const url = /^(https?|file):/.test(name) ? name : pathToFileURL(join(folder, name)).href;
  await page.goto(url + hash);
  if (ready) await page.waitForSelector('#app[data-ready]', { timeout: 60000 });
  return Object.assign(page, { problems, done: () => context.close() });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// Faults of access that axe finds, of any weight. The policy of the page forbids scripts from elsewhere; the test's own
/// script comes through the debugger.
export async function accessFaults(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((v) => `${v.impact} ${v.id}: ${v.nodes[0].html}`);
}

/// The picture on the canvas as it is after the next frame.
export async function picture(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => !window.toccata.view.isBusy);
  return page.locator('canvas').first().screenshot();
}

/// In a browser: an image in squares of so many pixels, each the mean of its colours; with the image as a small PNG.
async function reduce(base64, square) {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  const pixels = canvas.getContext('2d').getImageData(0, 0, image.width, image.height).data;
  const [width, height] = [Math.floor(image.width / square), Math.floor(image.height / square)];
  const means = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < means.length; i++) {
    const [x, y] = [square * ((i >> 2) % width), square * Math.floor((i >> 2) / width)];
    let sum = 0;
    for (let k = 0; k < square * square; k++) sum += pixels[4 * ((y + Math.floor(k / square)) * image.width + x + (k % square)) + (i & 3)];
    means[i] = sum / square ** 2;
  }
  Object.assign(canvas, { width, height });
  canvas.getContext('2d').putImageData(new ImageData(means, width, height), 0, 0);
  return { width, height, means: [...means], png: canvas.toDataURL('image/png').split(',')[1] };
}

const looksFolder = new URL('looks/', import.meta.url);

/// The share of the page's squares of 8 pixels that differ from the stored picture of that name, which is a quarter as wide.
/// Letters of another font and times in the table stay within the squares. TOC_LOOKS=1 stores the picture instead.
export async function lookChange(page, name) {
  const shot = await page.screenshot();
  const blank = await page.context().newPage();
  try {
    const small = await blank.evaluate(reduceCall(shot.toString('base64'), 4));
    const path = new URL(`${name}.png`, looksFolder);
    if (process.env.TOC_LOOKS) writeFileSync(path, Buffer.from(small.png, 'base64'));
    return await changedShare(blank, readFileSync(path).toString('base64'), small.png, 2);
  } finally {
    await blank.close();
  }
}

/// The share of the squares that differ between two pictures; 1 for pictures of different sizes.
async function changedShare(blank, before, after, square) {
  const [known, now] = [await blank.evaluate(reduceCall(before, square)), await blank.evaluate(reduceCall(after, square))];
  if (known.width !== now.width || known.height !== now.height) return 1;
  const changed = new Set();
  now.means.forEach((value, i) => Math.abs(value - known.means[i]) > 24 && changed.add(i >> 2));
  return changed.size / (now.width * now.height);
}

/// The share of the page's squares of 8 pixels that differ from a picture.
export async function pictureChange(page, png) {
  const shot = await page.screenshot();
  const blank = await page.context().newPage();
  try {
    return await changedShare(blank, png.toString('base64'), shot.toString('base64'), 8);
  } finally {
    await blank.close();
  }
}
const reduceCall = (base64, square) => `(${reduce})(${JSON.stringify(base64)}, ${square})`;

export const probe = (page, expression) => page.evaluate(`(() => { const app = window.toccata; const p = app.probe(); return ${expression}; })()`);
