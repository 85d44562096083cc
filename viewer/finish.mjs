// SPDX-License-Identifier: Apache-2.0
// Put the engine into the built page: node finish.mjs IN.html OUT.html [ENGINE.wasm [LICENCE...]]. It is compressed,
// since base64 adds a third, and goes into a script element, where no browser runs it by itself. As a script of its own, for
// pages opened from a disk: node finish.mjs --script ENGINE.wasm OUT.js
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

function pack(path) {
  const packed = gzipSync(readFileSync(path), { level: 9 });
  packed[9] = 255; // the byte that names the operating system: the same everywhere
  return packed.toString('base64');
}

const [, , from, to, engine, ...licences] = process.argv;
if (from === '--script') {
  writeFileSync(engine, `var toccataEngine = '${pack(to)}';\n`);
  process.exit(0);
}
const mark = '<!--toccata-engine-->';
const page = readFileSync(from, 'utf8');
if (page.split(mark).length !== 2) throw new Error(`${from}: ${mark} must be there once`);
if (page.split('<!--toccata-data-->').length !== 2) throw new Error(`${from}: the mark of the data must be there once`);
let block = '';
if (engine) {
  const notices = licences.filter(existsSync).map((path) => readFileSync(path, 'utf8').replaceAll('--', '- -'));
  block = `${notices.map((text) => `<!--\n${text}\n-->\n`).join('')}<script type="text/plain" id="toccata-engine">${pack(engine)}</script>`;
}
writeFileSync(to, page.replace(mark, () => block));
