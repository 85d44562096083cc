// SPDX-License-Identifier: Apache-2.0
// The engine in WebAssembly: the same bytes as the command, in node and in the page's worker.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { isSupported, load } from '../../wasm/toccata.mjs';
import { clothFrames, folder, namedMesh, open, refusal, toccata, write } from './support.mjs';

toccata('view', '--out', 'empty.html');
const page = readFileSync(join(folder, 'empty.html'), 'utf8');
const packed = /id="toccata-engine">([^<]*)</.exec(page)?.[1];
if (!packed) {
  console.log('skipped: the page was built without the engine');
  process.exit(77);
}
const module = await WebAssembly.compile(gunzipSync(Buffer.from(packed, 'base64')));
const frames = clothFrames();

/// The number of contacts in each file.
const counts = (files) => files.map((bytes) => bytes.toString().trim().split('\n').length - 1);
const bytesOf = (name) => readFileSync(join(folder, name));

/// The contacts of every step by the engine, as the bytes of the command's files.
async function contactsOf(paths, options, others = []) {
  const engine = await load(module);
  for (const path of [...paths, ...others]) engine.addFile(basename(path), bytesOf(path));
  engine.open(paths.map((path) => basename(path)), options);
  const files = [];
  for (let step = 0; step + 1 < engine.frames.length; step++) {
    engine.step(options);
    files.push(Buffer.from(engine.contactsFile('csv')));
  }
  return files;
}

/// The same by the command.
function commandContacts(paths, ...options) {
  const isKnown = (name) => /^known-\d+\.csv$/.test(name);
  for (const name of readdirSync(folder).filter(isKnown)) rmSync(join(folder, name));
  toccata('check', ...paths, ...options, '--contacts', 'known-%04d.csv');
  return readdirSync(folder).filter(isKnown).sort().map(bytesOf);
}

for (const preset of ['auto', 'brute', 'bvh', 'local', 'voxel-safe']) {
  test(`${preset} finds the contacts of the command, byte for byte`, async () => {
    assert.ok(isSupported());
    const known = commandContacts(frames, '--preset', preset);
    const found = await contactsOf(frames, { preset });
    assert.ok(known[0].length > 1000);
    assert.deepEqual(found, known);
  });
}

test('a sequence of volumes has the contacts of the command, step by step', async () => {
  const files = toccata('scene', 'tets', '--size', '3', '--frames', '10', '--out', '.').trim().split('\n');
  const known = commandContacts(files);
  assert.equal(known.length, files.length - 1);
  assert.deepEqual(await contactsOf(files, {}), known);
});

test('eroding and splitting elements are followed as the command does', async () => {
  const files = toccata('scene', 'bullet', '--size', '2', '--frames', '8', '--out', '.').trim().split('\n');
  assert.deepEqual(await contactsOf(files, {}), commandContacts(files));
});

// An engine without expat, zlib and netCDF reads no XML, compressed or Exodus file: ./run build says so.
const hasXml = await load(module).then((engine) => {
  engine.addFile('a.vtu', Buffer.from('<VTKFile'));
  try {
    engine.open(['a.vtu']);
  } catch (error) {
    return !/without expat/.test(error.message);
  }
});
const xml = { skip: hasXml ? false : 'the engine was built without expat, zlib and netCDF' };

/// Frames in other formats than the command's own scenes have.
function convert(paths, extension) {
  return paths.map((path) => {
    const out = basename(path).replace(/\.\w+$/, extension);
    toccata('convert', path, out);
    return out;
  });
}

/// Triangles that fall onto a larger one, in XML with compressed arrays as ParaView writes them.
function compressedVtu(name, fall) {
  const points = [0, 0, 0, 9, 0, 0, 0, 9, 0];
  for (let i = 0; i < 4; i++) points.push(1 + i, 1, 1 - fall, 1.5 + i, 1, 2 - fall, 1 + i, 1.5, 2 - fall);
  const ids = Array.from({ length: points.length / 3 }, (_, i) => i);
  const array = (type, more, numbers) => {
    const packed = deflateSync(Buffer.from(numbers.buffer));
    const head = Buffer.from(Uint32Array.of(1, numbers.byteLength, 0, packed.length).buffer);
    return `<DataArray type="${type}" ${more} format="binary">${head.toString('base64')}${packed.toString('base64')}</DataArray>`;
  };
  return write(name, `<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" compressor="vtkZLibDataCompressor"><UnstructuredGrid>
<Piece NumberOfPoints="${ids.length}" NumberOfCells="5"><Points>${array('Float64', 'NumberOfComponents="3"', Float64Array.from(points))}</Points>
<Cells>${array('Int32', 'Name="connectivity"', Int32Array.from(ids))}${array('Int32', 'Name="offsets"', Int32Array.of(3, 6, 9, 12, 15))}
${array('UInt8', 'Name="types"', Uint8Array.of(5, 5, 5, 5, 5))}</Cells></Piece></UnstructuredGrid></VTKFile>`);
}

test('.vtu, compressed .vtu and .gz give the contacts of the command', xml, async () => {
  const plain = convert(frames, '.vtu');
  const known = commandContacts(plain);
  assert.ok(known[0].length > 1000);
  assert.deepEqual(await contactsOf(plain, {}), known);
  const compressed = [compressedVtu('z-0.vtu', 0), compressedVtu('z-1.vtu', 1.7)];
  const packed = commandContacts(compressed);
  assert.ok(counts(packed)[0] >= 4);
  assert.deepEqual(await contactsOf(compressed, {}), packed);
  const zipped = frames.map((name) => {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytesOf(name)));
    return `${name}.gz`;
  });
  assert.deepEqual(await contactsOf(zipped, {}), commandContacts(zipped));
});

test('a .pvd finds its pieces without their folder', xml, async () => {
  toccata('convert', ...frames, 'frames.pvd');
  const pieces = readdirSync(folder).filter((name) => /^frames-\d+\.vtu$/.test(name));
  const known = commandContacts(['frames.pvd']);
  assert.deepEqual(await contactsOf(['frames.pvd'], {}, pieces), known);
  const within = bytesOf('frames.pvd').toString().replaceAll('file="', 'file="pieces/');
  const engine = await load(module);
  for (const piece of pieces) engine.addFile(piece, bytesOf(piece));
  engine.addFile('moved.pvd', Buffer.from(within));
  engine.open(['moved.pvd']);
  assert.equal(engine.step().count, known[0].toString().trim().split('\n').length - 1);
  assert.throws(() => (engine.removeFile(pieces[1]), engine.open(['moved.pvd']), engine.step()), /frames-0001\.vtu/);
});

/// Two triangles of an Exodus file, the second of which falls through the first; written by netCDF's own tool.
const exodus = `netcdf a { dimensions: time_step = UNLIMITED; num_dim = 3; num_nodes = 6; num_elem = 2; num_el_blk = 1;
num_el_in_blk1 = 2; num_nod_per_el1 = 3; num_nod_var = 3; len_name = 33;
variables: double time_whole(time_step); int eb_prop1(num_el_blk); eb_prop1:name = "ID"; double coordx(num_nodes); double coordy(num_nodes); double coordz(num_nodes);
int connect1(num_el_in_blk1, num_nod_per_el1); connect1:elem_type = "TRI3"; char name_nod_var(num_nod_var, len_name);
double vals_nod_var1(time_step, num_nodes); double vals_nod_var2(time_step, num_nodes); double vals_nod_var3(time_step, num_nodes);
:api_version = 5.1f; :version = 5.1f; :floating_point_word_size = 8; :title = "a";
data: time_whole = 0, 0.5, 2; eb_prop1 = 7; coordx = 0, 4, 0, 1, 1, 1.5; coordy = 0, 0, 4, 1, 1.5, 1; coordz = 0, 0, 0, 1, 2, 2;
connect1 = 1, 2, 3, 4, 5, 6; name_nod_var = "DISPLX", "DISPLY", "DISPLZ";
vals_nod_var1 = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
vals_nod_var2 = 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
vals_nod_var3 = 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.5, -0.5, -0.5, 0, 0, 0, -4, -4, -4; }`;

test('classic Exodus files have the contacts of the command, others are refused with what to do', xml, async (t) => {
  write('a.cdl', exodus);
  try {
    for (const [kind, name] of [['classic', 'a.exo'], ['nc4', 'b.exo']]) execFileSync('ncgen', ['-k', kind, '-o', join(folder, name), join(folder, 'a.cdl')]);
  } catch {
    t.skip('no ncgen (netcdf-bin)');
    return;
  }
  const known = commandContacts(['a.exo']);
  assert.deepEqual(counts(known).map((count) => count > 0), [false, true]);
  assert.deepEqual(await contactsOf(['a.exo'], {}), known);
  const engine = await load(module);
  engine.addFile('b.exo', bytesOf('b.exo'));
  assert.throws(() => engine.open(['b.exo']), /b\.exo: .*HDF5.*nccopy -k classic/);
});

/// A cloth that falls onto a ball, as an animated .glb.
function animated() {
  const files = toccata('scene', 'cloth-ball', '--size', '8', '--frames', '19', '--out', '.').trim().split('\n').slice(-4);
  toccata('convert', ...files, 'animated.glb');
  return 'animated.glb';
}

/// Two bones and a sheet between them, turned by two clips: the first by a little, the second until the sheet folds.
function skinnedFile() {
  const rows = 9;
  const points = [];
  const joints = [];
  const weights = [];
  const faces = [];
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < 2; k++) {
      points.push(i, k, 0.01 * i);
      joints.push(0, 1, 0, 0);
      const w = i / (rows - 1);
      weights.push(1 - w, w, 0, 0);
    }
    if (i) faces.push(2 * i - 2, 2 * i, 2 * i - 1, 2 * i - 1, 2 * i, 2 * i + 1);
  }
  const turn = (angle) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
  const turns = (angle) => [...turn(0), ...turn(angle / 2), ...turn(angle)];
  const arrays = [
    [Float32Array.from(points), 5126, 'VEC3'], [Uint16Array.from(joints), 5123, 'VEC4'], [Float32Array.from(weights), 5126, 'VEC4'],
    [Uint16Array.from(faces), 5123, 'SCALAR'], [Float32Array.from([0, 0.5, 1]), 5126, 'SCALAR'],
    [Float32Array.from(turns(-0.3)), 5126, 'VEC4'], [Float32Array.from(turns(-3.1)), 5126, 'VEC4'],
  ];
  const size = { SCALAR: 1, VEC3: 3, VEC4: 4 };
  const buffers = arrays.map(([numbers]) => ({ byteLength: numbers.byteLength, uri: `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}` }));
  const accessors = arrays.map(([numbers, componentType, type], i) => ({ bufferView: i, componentType, type, count: numbers.length / size[type] }));
  const clip = (name, output) => ({ name, samplers: [{ input: 4, output }], channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }] });
  return Buffer.from(JSON.stringify({
    asset: { version: '2.0' }, buffers, bufferViews: buffers.map(({ byteLength }, buffer) => ({ buffer, byteLength })), accessors,
    meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 }, indices: 3 }] }],
    skins: [{ joints: [1, 2] }], nodes: [{ mesh: 0, skin: 0 }, { children: [2] }, { translation: [4, 0, 0] }],
    scenes: [{ nodes: [0, 1] }], scene: 0, animations: [clip('bend', 5), clip('fold', 6)],
  }));
}

test('animated glTF has the contacts of the command: morphs, and clips of a skin at any rate', async () => {
  const moved = animated();
  const known = commandContacts([moved]);
  assert.ok(known.length >= 3 && known.some((bytes) => bytes.length > 1000));
  assert.deepEqual(await contactsOf([moved], {}), known);
  write('skin.gltf', skinnedFile());
  for (const [clip, rate] of [['bend', 10], ['fold', 7]]) {
    const folded = commandContacts(['skin.gltf'], '--clip', clip, '--rate', String(rate));
    assert.equal(folded.length, rate);
    assert.deepEqual(await contactsOf(['skin.gltf'], { clip, rate }), folded);
  }
  const engine = await load(module);
  engine.addFile('skin.gltf', skinnedFile());
  assert.throws(() => engine.open(['skin.gltf'], { clip: 'none' }), /none.*bend.*fold/s);
});

test('a broken file has the sentence of the command', async () => {
  write('broken.off', 'OFF\n3 1 0\n0 0 0\n1 0');
  const engine = await load(module);
  engine.addFile('broken.off', readFileSync(join(folder, 'broken.off')));
  engine.addFile('good.off', Buffer.from('OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n'));
  const known = refusal('info', 'broken.off').replace(/^toccata: /, '').trim();
  assert.throws(() => engine.open(['broken.off', 'good.off']), { message: known });
  assert.throws(() => engine.open(['none.off']), /none\.off: cannot be opened/);
  // The engine works on after a failure.
  engine.open(['good.off', 'good.off']);
  assert.equal(engine.step().count, 0);
  assert.throws(() => engine.step(), /no frame left/);
  assert.throws(() => (engine.open(['good.off', 'good.off']), engine.step({ preset: 'none' })), /none/);
});

test('progress comes, and stops the search when it asks for it', async () => {
  let calls = 0;
  const engine = await load(module, { progress: () => ++calls >= 1 });
  for (const path of frames) engine.addFile(path, readFileSync(join(folder, path)));
  engine.open(frames);
  assert.throws(() => engine.step(), { status: 5 });
  assert.ok(calls >= 1);
});

test('the example of the package runs in node', () => {
  const example = new URL('../../wasm/example.mjs', import.meta.url);
  writeFileSync(join(folder, 'toccata.wasm'), gunzipSync(Buffer.from(packed, 'base64')));
  const env = { ...process.env, TOCCATA_WASM: join(folder, 'toccata.wasm') };
  const said = execFileSync(process.execPath, [fileURLToPath(example), ...frames], { cwd: folder, env, encoding: 'utf8' });
  assert.match(said, new RegExp(`^step 0: ${counts(commandContacts(frames))[0]} contacts, first at 0\\.\\d+`));
});

test('the package has the version of the library', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../wasm/package.json', import.meta.url), 'utf8'));
  const engine = await load(module);
  assert.equal(engine.version, version);
  assert.ok(engine.presets.includes('auto'));
});

/// Drop files onto the page, as a person does with a mouse.
async function drop(tab, files) {
  const data = files.map(([name, bytes]) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
  await tab.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    }
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, data);
}

test('two dropped meshes give the contacts of the command, and the page shows them', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await drop(tab, frames.map((name) => [name, readFileSync(join(folder, name))]));
  await tab.waitForSelector('#app[data-ready]', { timeout: 60000 });
  toccata('check', ...frames, '--contacts', 'page.csv');
  const known = bytesOf('page.csv');
  const count = known.toString().trim().split('\n').length - 1;
  assert.equal(await tab.locator('.contacts .status').textContent(), `${count} contacts in this step`);
  const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'CSV' }).click()]);
  assert.deepEqual(readFileSync(await download.path()), known);
  assert.deepEqual(tab.problems, []);
  // A second drop, onto the picture: one frame is not enough, and the page stays as it is.
  await drop(tab, [['broken.off', 'OFF\n3 1 0\n0 0 0\n1 0']]);
  await tab.waitForFunction(() => document.querySelector('.sentence').textContent.includes('broken.off'));
  assert.equal(await tab.locator('.sentence').textContent(), refusal('info', write('broken.off', 'OFF\n3 1 0\n0 0 0\n1 0')).replace(/^toccata: /, '').trim());
  await tab.done();
});

/// The contacts of the page's steps, from the chart that counts them.
async function stepCounts(tab) {
  const labels = await tab.locator('[aria-label="Contacts of each step"] .bar').evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label')));
  return labels.map((label) => Number(/: ([\d,]+) /.exec(label)[1].replaceAll(',', '')));
}

test('a dropped animated glTF is a sequence, and the animation can be chosen', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await drop(tab, [['animated.glb', bytesOf(animated())]]);
  await tab.waitForSelector('#app[data-ready]');
  assert.deepEqual(await stepCounts(tab), counts(commandContacts(['animated.glb'])));
  await drop(tab, [[write('skin.gltf', skinnedFile()), skinnedFile()]]);
  await tab.waitForFunction(() => document.querySelector('header .title')?.textContent.includes('skin.gltf'));
  await tab.getByRole('button', { name: 'Open' }).click();
  await tab.getByLabel('Animation', { exact: true }).selectOption('fold');
  await tab.getByLabel('Frames a second', { exact: true }).fill('7');
  await tab.getByRole('button', { name: 'Find contacts' }).click();
  await tab.waitForFunction(() => document.querySelectorAll('[aria-label="Contacts of each step"] .bar').length === 7);
  assert.deepEqual(await stepCounts(tab), counts(commandContacts(['skin.gltf'], '--clip', 'fold', '--rate', '7')));
  assert.deepEqual(tab.problems, []);
  await tab.done();
});

test('a .pvd dropped with its pieces is a sequence', xml, async () => {
  const files = toccata('scene', 'tets', '--size', '3', '--frames', '5', '--out', '.').trim().split('\n');
  toccata('convert', ...files, 'dropped.pvd');
  const names = readdirSync(folder).filter((name) => /^dropped/.test(name));
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await drop(tab, names.map((name) => [name, bytesOf(name)]));
  await tab.waitForSelector('#app[data-ready]');
  assert.deepEqual(await stepCounts(tab), counts(commandContacts(['dropped.pvd'])));
  await tab.done();
});

test('files that are not used are named, before and after the search', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await drop(tab, [...frames.map((name) => [name, bytesOf(name)]), ['notes.txt', 'to do']]);
  await tab.waitForSelector('#app[data-ready]');
  assert.match(await tab.locator('.notice').textContent(), /^Not used: notes\.txt/);
  await tab.getByRole('button', { name: 'Close the note' }).click();
  assert.ok(!(await tab.locator('.notice').isVisible()));
  await tab.getByRole('button', { name: 'Open' }).click();
  assert.match(await tab.locator('.others').textContent(), /^Read only if one of these names them: notes\.txt$/);
  await tab.done();
});

test('arrays in place of files: contacts, steps, pairs, wrong ones refused', async () => {
  const engine = await load(module);
  const x0 = [0, 0, 0, 2, 0, 0, 0, 2, 0, 0.3, 0.3, 1, 2.3, 0.3, 1, 0.3, 2.3, 1];
  const x1 = x0.map((x, i) => (i > 8 && i % 3 === 2 ? x - 2 : x));
  engine.take(x0, x1, [0, 1, 2, 3, 4, 5]);
  const found = engine.find();
  assert.equal(found.count, 3);
  assert.ok(Math.abs(Math.min(...found.times) - 0.5) < 1e-9);
  assert.ok(engine.safeStep() < 0.5 && engine.safeStep() > 0.499);
  assert.ok(engine.roomStep(0.5) < engine.safeStep());
  engine.move(x0, x0);
  assert.equal(engine.find().count, 0);
  assert.equal(engine.safeStep(), 1);
  const vf = [0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0];
  const fallen = vf.map((x, i) => (i === 2 ? -1 : x));
  const hit = engine.pair('vf', vf, fallen, 'exact');
  assert.ok(hit.verdict === 'hit' && Math.abs(hit.time - 0.5) < 1e-9);
  assert.equal(engine.pair('vf', vf, vf, 'cubic').verdict, 'apart');
  assert.throws(() => engine.pair('vf', vf, fallen, 'none'), /no method "none"; choose .*exact.*cubic/);
  assert.throws(() => engine.pair('vv', vf, fallen), /no kind "vv"/);
  assert.throws(() => engine.take([0, 0], [0, 0], []), /each is three a vertex/);
  assert.throws(() => engine.take([0, 0, 0], [0, 0, 0], [0, 1, 2]), /vertex/);
  assert.throws(() => engine.take([0, 0, NaN], [0, 0, 0], []), /finite|NaN/i);
});

test('the gradient of the barrier is that of its energy, and the Hessian that of the gradient', async () => {
  const engine = await load(module);
  const x = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.3, 0.05, 0.9, 0.2, 0.4, 0.2, 0.8, 0.5];
  engine.take(x, x, [0, 1, 2, 3, 4, 5]);
  const at = (i, by) => {
    const y = x.map((value, k) => value + (k === i ? by : 0));
    engine.move(y, y);
    return engine.barrier(0.1, 1e5);
  };
  const here = at(0, 0);
  assert.ok(here.energy > 0 && here.pairs > 0 && Math.abs(here.nearest - 0.05) < 1e-12);
  for (let i = 0; i < x.length; i++) {
    const [low, high] = [at(i, -1e-6), at(i, 1e-6)];
    assert.ok(Math.abs((high.energy - low.energy) / 2e-6 - here.gradient[i]) < 1e-3 * (1 + Math.abs(here.gradient[i])), `gradient ${i}`);
  }
  assert.equal(here.rows.length, x.length + 1);
  assert.equal(here.rows.at(-1), here.values.length);
  const z = 11; // of the vertex above the face
  const values = here.values.slice(here.rows[z], here.rows[z + 1]);
  const own = values[here.columns.slice(here.rows[z], here.rows[z + 1]).indexOf(z)];
  const slope = (at(z, 1e-6).gradient[z] - at(z, -1e-6).gradient[z]) / 2e-6;
  assert.ok(Math.abs(own - slope) < 1e-3 * Math.abs(slope), `${own}, ${slope}`);
  const far = x.map((value, i) => (i > 8 && i % 3 === 2 ? value + 9 : value));
  engine.move(far, far);
  assert.deepEqual([engine.barrier(0.1).energy, engine.barrier(0.1).values.length, engine.barrier(0.1).nearest], [0, 0, Infinity]);
  assert.throws(() => engine.barrier(0), /distance/);
});

test('names of dropped files cannot inject markup', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  const evil = '<img src=x onerror=window.hurt=1>';
  await drop(tab, [[`${evil}.off`, 'OFF\n3 1 0\n0 0']]);
  await tab.waitForFunction(() => document.querySelector('.sentence').textContent.includes('<img src=x'));
  await drop(tab, [1, 2].map((i) => [`${evil}${i}.msh`, namedMesh(evil)]));
  await tab.waitForSelector('#app[data-ready]');
  assert.equal(await tab.locator('img').count(), 0);
  assert.equal(await tab.evaluate(() => window.hurt), undefined);
  assert.equal(await tab.locator('.part-name').first().textContent(), evil);
  assert.deepEqual(tab.problems, []);
  await tab.done();
});

test('files beyond 2 GB are refused before they are read', async () => {
  writeFileSync(join(folder, 'huge.ply'), 'ply\n');
  truncateSync(join(folder, 'huge.ply'), 2.2e9);
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await tab.locator('input[type=file]').setInputFiles(join(folder, 'huge.ply'));
  await tab.getByRole('button', { name: 'Find contacts' }).click();
  await tab.waitForFunction(() => /These files have 2\.2 GB.*toccata view FILES --serve/.test(document.querySelector('.sentence').textContent));
  rmSync(join(folder, 'huge.ply'));
  await tab.done();
});

test('a browser without SIMD is told so', async () => {
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await tab.evaluate(() => (WebAssembly.validate = () => false));
  await drop(tab, [['a.off', 'OFF\n']]);
  await tab.waitForFunction(() => /no WebAssembly with SIMD.*toccata command/.test(document.querySelector('.sentence').textContent));
  await tab.done();
});

test('a search can be cancelled, while its files are read and later', async () => {
  const big = toccata('scene', 'cloth-ball', '--size', '90', '--frames', '19', '--out', '.').trim().split('\n').slice(-2);
  const tab = await open('empty.html', { ready: false });
  await tab.waitForSelector('#app[data-welcome]');
  await tab.getByLabel('Preset', { exact: true }).selectOption('brute');
  for (const early of [true, false]) {
    // Within the page, when the button appears or at the first progress: on a busy machine a search would be over before a
    // click from here.
    await tab.evaluate((atOnce) => {
      const cancel = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Cancel');
      const bar = document.querySelector('progress');
      document.querySelector('.sentence').textContent = '';
      const observer = new MutationObserver(() => {
        if (cancel.hidden || !(atOnce || bar.value > 0)) return;
        observer.disconnect();
        cancel.click();
      });
      observer.observe(document.body, { subtree: true, attributes: true });
    }, early);
    await drop(tab, big.map((name) => [basename(name), readFileSync(join(folder, name))]));
    await tab.waitForFunction(() => document.querySelector('.sentence')?.textContent === 'stopped');
    assert.equal(await tab.locator('#app[data-ready]').count(), 0);
  }
  await tab.done();
});
