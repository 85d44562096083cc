// SPDX-License-Identifier: Apache-2.0
// Find the contacts between two frames: node example.mjs START END
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { load } from './toccata.mjs';

const engine = await load(readFileSync(process.env.TOCCATA_WASM ?? new URL('toccata.wasm', import.meta.url)));
const names = process.argv.slice(2).map((path) => {
  engine.addFile(basename(path), readFileSync(path));
  return basename(path);
});
engine.open(names);
for (let step = 0; step + 1 < engine.frames.length; step++) {
  const { count, times, seconds } = engine.step();
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  console.log(`step ${step}: ${count} contacts${count ? `, first at ${first}` : ''}, ${(1e3 * seconds).toFixed(1)} ms`);
}
