// SPDX-License-Identifier: Apache-2.0
// The documentation site in Chromium: code of the tutorial runs in it, no page has a fault of access or an error on the console.
// node site.mjs SITE_DIR, which docs/site/build.sh has made.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { accessFaults, open } from './support.mjs';

const site = resolve(process.argv[2]);

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' };
const server = createServer((request, answer) => {
  const path = join(site, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  const there = path.startsWith(site) && existsSync(path);
  answer.writeHead(there ? 200 : path.endsWith('favicon.ico') ? 204 : 404, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
  answer.end(there ? readFileSync(path) : undefined);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
after(() => server.close());
const address = (page) => `http://127.0.0.1:${server.address().port}/${page.replaceAll('\\', '/')}`;
const pages = readdirSync(site, { recursive: true }).filter((name) => name.endsWith('.html'));
const own = pages.filter((name) => !name.startsWith('api')).sort();
const chapters = own.filter((name) => name.startsWith('tutorial'));
const visit = (name, options = {}) => open(address(name), { ready: false, ...options });
const lessons = { skip: existsSync(join(site, 'lessons', 'engine.js')) ? false : 'the site was built without the engine' };

/// Run the code of a page to its end. Returns what it prints.
async function run(page) {
  await page.waitForSelector('html[data-lessons=ready]');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForFunction(() => !['', 'running'].includes(document.querySelector('.lesson [role=status]').textContent), null, { timeout: 120000 });
  assert.equal(await page.locator('.lesson [role=status]').textContent(), 'done');
  return page.locator('.lesson-output').textContent();
}

test('the tutorial has five chapters', () => assert.equal(chapters.length, 5));

for (const chapter of chapters) {
  test(`${chapter}: its code runs, prints and draws`, lessons, async () => {
    const page = await visit(chapter, { width: 1280, height: 800 });
    const text = await run(page);
    assert.ok(text.trim().split('\n').length > 1, text);
    assert.ok(await page.locator('.lesson canvas').isVisible());
    if (chapter.includes('floating-point')) {
      const misses = Number(/in (\d+) of 2000 trials/.exec(text)[1]);
      assert.ok(misses > 100, 'the plain solver misses contacts');
      assert.ok(text.includes(`finds ${misses} of these ${misses}`), 'the exact question misses none');
    }
    assert.deepEqual(await accessFaults(page), []);
    assert.deepEqual(page.problems, []);
    await page.done();
  });
}

test('code runs on a page from a disk, too', lessons, async () => {
  const page = await open(pathToFileURL(join(site, chapters[0])).href, { ready: false });
  assert.match(await run(page), /^hit at time 0\.588/);
  assert.deepEqual(page.problems, []);
  await page.done();
});

test('the search finds the glossary, from a server and from a disk', async () => {
  for (const place of [address('index.html'), pathToFileURL(join(site, 'index.html')).href]) {
    const page = await open(place, { ready: false, width: 1280 });
    await page.getByRole('link', { name: 'Search' }).click();
    const question = page.locator('#mkdocs-search-query');
    await question.fill('tunnelling');
    // On a busy machine the index may come after the first key.
    await page.waitForFunction(() => {
      document.querySelector('#mkdocs-search-query').dispatchEvent(new KeyboardEvent('keyup', { bubbles: true }));
      return [...document.querySelectorAll('#mkdocs-search-results a')].some((one) => one.getAttribute('href').includes('glossary.html'));
    }, null, { polling: 200 });
    assert.deepEqual(page.problems, [], place);
    await page.done();
  }
});

test('code without end is stopped, a mistake is told, and Reset brings the code back', lessons, async () => {
  const page = await visit(chapters[0]);
  await page.waitForSelector('html[data-lessons=ready]');
  const code = page.locator('.lesson textarea');
  const before = await code.inputValue();
  const says = (text) => page.waitForFunction((wanted) => document.querySelector('.lesson [role=status]').textContent.includes(wanted), text);
  await code.fill('print(1);\nfor (;;);');
  await code.press('Control+Enter');
  await page.waitForFunction(() => document.querySelector('.lesson-output').textContent === '1\n');
  await page.getByRole('button', { name: 'Stop' }).click();
  await says('stopped');
  await code.fill("pair('vv', [[0, 0, 0]], [[0, 0, 0]]);");
  await page.getByRole('button', { name: 'Run' }).click();
  await says('no kind "vv"; choose vf or ee');
  await page.getByRole('button', { name: 'Reset' }).click();
  assert.equal(await code.inputValue(), before);
  await page.done();
});

const sizes = [[1920, 1080], [1280, 800], [390, 844], [844, 390]];
const chosen = ['index.html', 'glossary.html', chapters[3], 'reference/c.html'].filter((name) => own.includes(name));

for (const theme of ['light', 'dark']) {
  test(`${theme} colours at four sizes: no fault of access, no error, nothing wider than the window`, async () => {
    for (const name of chosen) {
      const page = await visit(name, { theme });
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        const where = `${name} at ${width} x ${height}`;
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)) <= 0, `${where} is too wide`);
        assert.deepEqual(await accessFaults(page), [], where);
      }
      assert.deepEqual(page.problems, [], name);
      await page.done();
    }
  });
}

test('no page has a fault of access or an error on the console', async () => {
  // Decisions, papers and benchmarks look alike: one of each.
  const isFirst = (name) => own.find((other) => other.slice(0, 5) === name.slice(0, 5)) === name || !/^(bench|decisions|papers)/.test(name);
  const others = own.filter((name) => ![...chosen, ...chapters].includes(name)).filter(isFirst).concat('api/index.html');
  const page = await visit('index.html', { width: 1280, height: 800, theme: 'dark' });
  for (const name of others) {
    await page.goto(address(name));
    assert.deepEqual(await accessFaults(page), [], name);
    assert.deepEqual(page.problems, [], name);
  }
  await page.done();
});
