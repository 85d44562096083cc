// SPDX-License-Identifier: Apache-2.0
// Toccata in JavaScript: contacts between moving meshes, found by the engine in WebAssembly. Types: toccata.d.mts.
import { Files } from './wasi.mjs';

/// A failure of the engine: its sentence, and its status as in toccata/base.h.
export class ToccataError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'ToccataError';
    this.status = status;
  }
}

const answers = { all: 0, first: 1, any: 2 };
const CONTACT_SIZE = 120;
const STAGE_SIZE = 32;

/// Whether this machine can run the engine: a smallest module with one SIMD instruction.
export function isSupported() {
  const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
  return typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(bytes));
}

/// Start an engine. @param module the bytes of toccata.wasm, or a compiled module.
export async function load(module, options = {}) {
  if (!isSupported()) {
    throw new ToccataError('This machine has no WebAssembly with SIMD, which the engine needs. Update the browser.', 1);
  }
  const files = new Files();
  const blocks = [];
  const imports = {
    wasi_snapshot_preview1: files.imports(),
    toccata: {
      progress: (done) => (options.progress?.(done) ? 1 : 0),
      seconds: () => 1e-3 * performance.now(),
      // Blocks of the page are copied as they come: the memory of the engine moves.
      block: (pointer, bytes) => blocks.push(new Uint8Array(files.memory.buffer, pointer >>> 0, bytes >>> 0).slice()) - 1,
    },
  };
  const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
  const instance = await WebAssembly.instantiate(compiled, imports);
  files.memory = instance.exports.memory;
  instance.exports._initialize();
  return new Engine(instance.exports, files, blocks);
}

export class Engine {
  #calls;
  #files;
  #blocks;
  #step = 0;
  #frames = null;

  constructor(calls, files, blocks) {
    this.#calls = calls;
    this.#files = files;
    this.#blocks = blocks;
  }

  #text(pointer) {
    if (!pointer) return null;
    const bytes = new Uint8Array(this.#calls.memory.buffer, pointer >>> 0);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /// Numbers of the engine, copied: its memory may move with the next call.
  #copy(type, pointer, count) {
    return pointer ? new type(this.#calls.memory.buffer, pointer >>> 0, count).slice() : null;
  }

  #bytes(text) {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.#calls.engine_allocate(bytes.length);
    if (!pointer) throw new ToccataError('out of memory', 3);
    new Uint8Array(this.#calls.memory.buffer, pointer >>> 0, bytes.length).set(bytes);
    return pointer;
  }

  /// Call with arrays in the memory of the engine, behind each other.
  #lend(arrays, call) {
    const pointers = arrays.map((array) => this.#calls.engine_allocate(Math.max(8, array.byteLength)));
    try {
      if (pointers.includes(0)) throw new ToccataError('out of memory', 3);
      arrays.forEach((array, i) => new array.constructor(this.#calls.memory.buffer, pointers[i] >>> 0, array.length).set(array));
      return call(...pointers);
    } finally {
      for (const pointer of pointers) this.#calls.engine_free(pointer);
    }
  }

  #check(status) {
    if (status === 0) return;
    throw new ToccataError(this.#text(this.#calls.engine_message()) || `failed with status ${status}`, status);
  }

  get version() {
    return this.#text(this.#calls.engine_version());
  }

  get presets() {
    const names = [];
    for (let i = 0, name; (name = this.#text(this.#calls.engine_preset(i))); i++) names.push(name);
    return names;
  }

  /// Give the engine a file. Its name is a path for open, and for files that name other files.
  addFile(name, bytes) {
    this.#files.write(name, bytes);
  }

  removeFile(name) {
    this.#files.remove(name);
  }

  /// Names of the files that were given and not read so far.
  get unusedFiles() {
    return this.#files.unused();
  }

  /// Open frames: files in order, or one file with many frames.
  open(names, { rate = 0, clip = '' } = {}) {
    const pointers = names.map((name) => this.#bytes(name));
    const list = this.#calls.engine_allocate(4 * Math.max(1, pointers.length));
    const played = clip ? this.#bytes(clip) : 0;
    new Uint32Array(this.#calls.memory.buffer, list >>> 0, pointers.length).set(pointers);
    const status = this.#calls.engine_open(names.length, list, rate, played);
    for (const pointer of [list, played, ...pointers]) this.#calls.engine_free(pointer);
    this.#step = 0;
    this.#frames = null;
    this.#check(status);
  }

  close() {
    this.#frames = null;
    this.#calls.engine_close();
  }

  /// The animations of the file.
  get clips() {
    const names = [];
    for (let i = 0, name; (name = this.#text(this.#calls.engine_clip(i))) !== null; i++) names.push(name);
    return names;
  }

  get frames() {
    this.#frames ??= Array.from({ length: this.#calls.engine_frame_count() }, (_, i) =>
      Object.freeze({ name: this.#text(this.#calls.engine_frame_path(i)), time: this.#calls.engine_frame_time(i) }),
    );
    return [...this.#frames];
  }

  /// Find the contacts of the next step.
  step({ preset = 'auto', answer = 'all', surface = false } = {}) {
    if (!(answer in answers)) throw new ToccataError(`no answer "${answer}"; choose all, first or any`, 1);
    if (this.#step + 1 >= this.#calls.engine_frame_count()) throw new ToccataError('there is no frame left', 1);
    const name = this.#bytes(preset);
    const status = this.#calls.engine_step(this.#step, name, answers[answer], surface ? 1 : 0);
    this.#calls.engine_free(name);
    this.#check(status);
    this.#step++;
    return this.#result();
  }

  #result() {
    const calls = this.#calls;
    const count = calls.engine_contact_count();
    const view = new DataView(calls.memory.buffer);
    const result = {
      count,
      kinds: new Uint8Array(count),
      vertices: new Uint32Array(4 * count),
      bodies: new Uint32Array(2 * count),
      times: new Float64Array(count),
      points: new Float64Array(3 * count),
      normals: new Float64Array(3 * count),
      seconds: calls.engine_seconds(),
      chosen: this.#text(calls.engine_chosen()),
      stages: this.#stages(),
    };
    const first = calls.engine_contacts() >>> 0;
    for (let i = 0; i < count; i++) {
      const at = first + CONTACT_SIZE * i;
      // Verdicts: 1 is a hit, 2 is undecided (toccata/pair.h).
      result.kinds[i] = view.getUint32(at, true) | (view.getUint32(at + 4, true) === 2 ? 2 : 0);
      for (let k = 0; k < 2; k++) result.bodies[2 * i + k] = view.getUint32(at + 8 + 4 * k, true);
      for (let k = 0; k < 4; k++) result.vertices[4 * i + k] = view.getUint32(at + 16 + 4 * k, true);
      result.times[i] = view.getFloat64(at + 32, true);
      for (let k = 0; k < 3; k++) result.points[3 * i + k] = view.getFloat64(at + 72 + 8 * k, true);
      for (let k = 0; k < 3; k++) result.normals[3 * i + k] = view.getFloat64(at + 96 + 8 * k, true);
    }
    return result;
  }

  #stages() {
    const view = new DataView(this.#calls.memory.buffer);
    const first = this.#calls.engine_stages() >>> 0;
    return Array.from({ length: this.#calls.engine_stage_count() }, (_, i) => {
      const at = first + STAGE_SIZE * i;
      return {
        name: this.#text(view.getUint32(at, true)),
        in: Number(view.getBigUint64(at + 8, true)),
        out: Number(view.getBigUint64(at + 16, true)),
        ms: 1e3 * view.getFloat64(at + 24, true),
      };
    });
  }

  /// The contacts of the last step as a file of the command: the bytes of a .csv, .vtp or .json.
  contactsFile(format = 'csv') {
    const name = `contacts.${format}`;
    const pointer = this.#bytes(name);
    const status = this.#calls.engine_write(pointer);
    this.#calls.engine_free(pointer);
    this.#check(status);
    const bytes = this.#files.read(name);
    this.#files.remove(name);
    return bytes;
  }

  /// Positions at the start and at the end of the last step, three numbers a vertex.
  positions() {
    const count = 3 * this.#calls.engine_vertex_count();
    return {
      start: this.#copy(Float64Array, this.#calls.engine_start(), count),
      end: this.#copy(Float64Array, this.#calls.engine_end(), count),
    };
  }

  /// Take triangles and their positions at both ends of a step, in place of files.
  take(x0, x1, triangles) {
    const [start, end, corners] = [Float64Array.from(x0), Float64Array.from(x1), Uint32Array.from(triangles)];
    if (start.length !== end.length || start.length % 3 || corners.length % 3) {
      throw new ToccataError(`${start.length} and ${end.length} coordinates, ${corners.length} corners: each is three a vertex or triangle`, 1);
    }
    this.#frames = null;
    this.#check(this.#lend([start, end, corners], (a, b, c) => this.#calls.engine_take(start.length / 3, a, b, corners.length / 3, c)));
  }

  /// Other positions for the triangles that were taken.
  move(x0, x1) {
    const [start, end] = [Float64Array.from(x0), Float64Array.from(x1)];
    if (start.length !== end.length) throw new ToccataError(`${start.length} coordinates at the start, ${end.length} at the end`, 1);
    this.#check(this.#lend([start, end], (a, b) => this.#calls.engine_move(start.length / 3, a, b)));
  }

  /// The contacts of the step that was taken.
  find({ preset = 'auto', answer = 'all' } = {}) {
    if (!(answer in answers)) throw new ToccataError(`no answer "${answer}"; choose all, first or any`, 1);
    const name = this.#bytes(preset);
    const status = this.#calls.engine_find(name, answers[answer]);
    this.#calls.engine_free(name);
    this.#check(status);
    return this.#result();
  }

  #number(call) {
    const out = this.#calls.engine_allocate(8);
    try {
      this.#check(call(out));
      return new Float64Array(this.#calls.memory.buffer, out >>> 0, 1)[0];
    } finally {
      this.#calls.engine_free(out);
    }
  }

  /// The part of the step, 0 to 1, before which nothing touches.
  safeStep() {
    return this.#number((out) => this.#calls.engine_safe_step(out));
  }

  /// The part of the step in which each pair keeps a share of its distance, above 0 and below 1.
  roomStep(share = 0.2) {
    return this.#number((out) => this.#calls.engine_room_step(share, out));
  }

  /// The barrier of the pairs of features that are nearer than a distance at the start of the step that was taken, and its
  /// derivatives by the coordinates of all vertices. The Hessian is in compressed rows.
  barrier(distance, stiffness = 1) {
    const calls = this.#calls;
    this.#check(calls.engine_find_barrier(distance, stiffness));
    const coordinates = 3 * calls.engine_vertex_count();
    const values = calls.engine_barrier_value_count();
    return {
      energy: calls.engine_barrier_energy(),
      gradient: this.#copy(Float64Array, calls.engine_barrier_gradient(), coordinates),
      rows: this.#copy(Uint32Array, calls.engine_barrier_rows(), coordinates + 1),
      columns: this.#copy(Uint32Array, calls.engine_barrier_columns(), values) ?? new Uint32Array(),
      values: this.#copy(Float64Array, calls.engine_barrier_values(), values) ?? new Float64Array(),
      pairs: calls.engine_near_count(),
      nearest: calls.engine_nearest(),
    };
  }

  /// One elementary question: 12 coordinates at each end, of v f0 f1 f2 or ea0 ea1 eb0 eb1.
  pair(kind, x0, x1, method = 'certified') {
    const names = [];
    for (let i = 0, name; (name = this.#text(this.#calls.engine_method(i))) !== null; i++) names.push(name);
    if (!['vf', 'ee'].includes(kind)) throw new ToccataError(`no kind "${kind}"; choose vf or ee`, 1);
    if (!names.includes(method)) throw new ToccataError(`no method "${method}"; choose ${names.join(', ')}`, 1);
    if (x0.length !== 12 || x1.length !== 12) throw new ToccataError('a pair has 12 coordinates at each end', 1);
    return this.#lend([Float64Array.from(x0), Float64Array.from(x1), new Float64Array(2)], (a, b, out) => {
      this.#check(this.#calls.engine_pair(kind === 'ee' ? 1 : 0, a, b, names.indexOf(method), out));
      const [verdict, time] = new Float64Array(this.#calls.memory.buffer, out >>> 0, 2);
      return { verdict: ['apart', 'hit', 'undecided'][verdict], time: verdict ? time : null };
    });
  }

  /// Begin the data of a page (viewer/): call pageStep after each step, and pageData at the end.
  pageBegin(up = 'z') {
    this.#blocks.length = 0;
    this.#check(this.#calls.engine_page_begin('xyz'.indexOf(up)));
  }

  pageStep() {
    this.#check(this.#calls.engine_page_step());
  }

  pageData() {
    const text = this.#text(this.#calls.engine_page_text());
    if (text === null) throw new ToccataError('out of memory', 3);
    return { data: JSON.parse(text), blocks: this.#blocks.splice(0) };
  }

  /// A number that changes with the elements.
  get revision() {
    return this.#calls.engine_revision();
  }

  /// The triangles to draw, as view/skin.h describes them.
  skin() {
    const calls = this.#calls;
    this.#check(calls.engine_find_skin());
    const faces = calls.engine_face_count();
    const owners = calls.engine_owners();
    return {
      boundary: calls.engine_boundary_count(),
      faces: this.#copy(Uint32Array, calls.engine_faces(), 4 * faces),
      owners: this.#copy(Uint32Array, owners, 2 * faces),
      vertexParts: this.#copy(Uint32Array, calls.engine_vertex_parts(), calls.engine_vertex_count()),
      elementParts: owners ? this.#copy(Uint32Array, calls.engine_element_parts(), calls.engine_element_count()) : null,
      parts: Array.from({ length: calls.engine_part_count() }, (_, i) => this.#text(calls.engine_part_name(i))),
    };
  }
}
