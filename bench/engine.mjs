// SPDX-License-Identifier: Apache-2.0
// The engine in WebAssembly against the command: the same bytes of contacts on all shared frames, and the processor time
// of the whole job on one thread (reading, search, writing): node bench/engine.mjs [ENGINE.wasm [COMMAND [DATA]]]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../wasm/toccata.mjs';

const top = fileURLToPath(new URL('..', import.meta.url));
const [wasm = join(top, 'build/wasm/toccata.wasm'), command = join(top, 'build/toccata'), data = folderOfData()] =
  process.argv.slice(2);
/// The published data: TOC_DATA, or what ./run data fetched, or the folder beside the sources.
function folderOfData() {
  return process.env.TOC_DATA || [join(top, 'data'), join(top, '../shared/data')].find(existsSync) || join(top, 'data');
}
const folder = mkdtempSync(join(tmpdir(), 'toccata-engine-'));
const TIMES = 3;
const SHORT = 0.05; // seconds; below, the start of both is most of the time

/// Files of a folder that match, in order.
function all(name, pattern) {
  const files = existsSync(join(data, name)) ? readdirSync(join(data, name)) : [];
  return files.filter((file) => pattern.test(file)).sort().map((file) => join(data, name, file));
}
const plans = [
  { name: 'cloth-ball', paths: all('frames/cloth-ball', /\.ply$/).reverse() },
  { name: 'n-body', paths: all('frames/n-body', /\.ply$/).reverse() },
  { name: 'horse-collapse', paths: all('sequences/horse-collapse', /\.(obj|ply|off|stl)$/) },
  { name: 'tshirt', paths: all('sequences/tshirt', /\.(obj|ply|off|stl)$/) },
  { name: 'kick', paths: all('sequences/kick', /\.(obj|ply|off|stl)$/) },
  { name: 'projectile, d3plot', paths: all('crash/projectile', /^d3plot$/), others: all('crash/projectile', /^d3plot\d+$/) },
  ...['CesiumMan', 'Fox', 'RiggedFigure', 'RiggedSimple'].map((name) => ({ name, paths: all('characters', new RegExp(`^${name}\\.glb$`)) })),
  { name: 'Horse.gltf', paths: all('characters', /^Horse\.gltf$/), others: all('characters', /^Horse\.bin$/) },
];

/// The bytes of all files of contacts of the command, and its processor time.
function byCommand(paths) {
  for (const old of readdirSync(folder)) rmSync(join(folder, old));
  const words = ['check', ...paths, '--threads', '1', '--contacts', join(folder, 'known.csv')];
  const done = spawnSync('bash', ['-c', 'TIMEFORMAT=%U; time "$@" >"$0"/out', folder, command, ...words], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  const files = readdirSync(folder).filter((name) => /^known.*\.csv$/.test(name)).sort().map((name) => readFileSync(join(folder, name)));
  return { files, seconds: Number(done.stderr.trim().split('\n').at(-1)) };
}

function byEngine(engine, { paths, others = [] }) {
  const begun = process.cpuUsage();
  for (const path of [...paths, ...others]) engine.addFile(basename(path), readFileSync(path));
  engine.open(paths.map((path) => basename(path)));
  const files = [];
  let contacts = 0;
  for (let step = 0; step + 1 < engine.frames.length; step++) {
    contacts += engine.step().count;
    files.push(Buffer.from(engine.contactsFile('csv')));
  }
  const triangles = engine.skin().boundary;
  engine.close();
  const used = process.cpuUsage(begun);
  return { files, contacts, triangles, seconds: 1e-6 * used.user };
}

const module = await WebAssembly.compile(readFileSync(resolve(wasm)));
let bad = 0;
console.log('| frames | triangles | steps | contacts | bytes | command, s | engine, s | ratio |\n|---|---|---|---|---|---|---|---|');
for (const plan of plans) {
  if (!plan.paths.length) {
    console.log(`| ${plan.name} | skipped: not there |`);
    continue;
  }
  const engine = await load(module);
  let [native, ours] = [Infinity, Infinity];
  let found;
  let known;
  for (let i = 0; i < TIMES; i++) {
    known = byCommand(plan.paths);
    found = byEngine(engine, plan);
    native = Math.min(native, known.seconds);
    ours = Math.min(ours, found.seconds);
  }
  const same = known.files.length === found.files.length && known.files.every((file, i) => file.equals(found.files[i]));
  bad += !same;
  const size = found.files.reduce((sum, file) => sum + file.length, 0);
  console.log(
    `| ${plan.name} | ${found.triangles} | ${found.files.length} | ${found.contacts} | ${same ? `${size}, equal` : 'DIFFERENT'} | ` +
      `${native.toFixed(2)} | ${ours.toFixed(2)} | ${native < SHORT ? 'too short' : (ours / native).toFixed(1)} |`,
  );
}
rmSync(folder, { recursive: true });
process.exit(bad ? 1 : 0);
