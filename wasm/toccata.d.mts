// SPDX-License-Identifier: Apache-2.0
// Types of toccata.mjs.

/// A failure of the engine: its sentence, and its status as in toccata/base.h.
export class ToccataError extends Error {
  constructor(message: string, status: number);
  readonly status: number;
}

export interface LoadOptions {
  /// Called now and then with the part that is done, 0 to 1; true to stop.
  progress?: (done: number) => boolean | void;
}

/// Whether this machine can run the engine.
export function isSupported(): boolean;
/// Start an engine from the bytes of toccata.wasm, or a compiled module.
export function load(module: BufferSource | WebAssembly.Module, options?: LoadOptions): Promise<Engine>;

export interface OpenOptions {
  rate?: number; // frames a second of animations; default 30
  clip?: string; // a name of Engine.clips; default the first that moves
}

export interface StepOptions {
  preset?: string; // a name of Engine.presets; default auto
  answer?: 'all' | 'first' | 'any'; // default all
  surface?: boolean; // only the surface of volumes; default false
}

export interface StageResult {
  name: string;
  in: number;
  out: number;
  ms: number;
}

/// The contacts of a step, sorted by kind, bodies and vertex ids.
export interface StepResult {
  count: number;
  kinds: Uint8Array; // bit 0: edge-edge, else vertex-face; bit 1: undecided
  vertices: Uint32Array; // four ids a contact: v f0 f1 f2, or ea0 ea1 eb0 eb1
  bodies: Uint32Array;
  times: Float64Array; // 0 to 1
  points: Float64Array;
  normals: Float64Array;
  seconds: number;
  chosen: string; // the pipeline that ran
  stages: StageResult[];
}

/// A barrier (toccata/potential.h): energy, gradient, and the Hessian in compressed rows.
export interface Barrier {
  energy: number;
  gradient: Float64Array; // three a vertex
  rows: Uint32Array; // the first value of each row, and their number
  columns: Uint32Array;
  values: Float64Array;
  pairs: number; // that are near
  nearest: number; // their least distance; Infinity without any
}

export interface Skin {
  boundary: number; // faces on the boundary, which come first
  faces: Uint32Array; // three vertex ids, and the part with flags above it
  owners: Uint32Array | null; // of volumes: the two elements of a face
  vertexParts: Uint32Array;
  elementParts: Uint32Array | null;
  parts: string[];
}

export class Engine {
  private constructor();
  readonly version: string;
  readonly presets: string[];
  readonly frames: { name: string; time: number }[];
  readonly revision: number;
  /// Give the engine a file, which it reads when it is opened.
  addFile(name: string, bytes: Uint8Array): void;
  removeFile(name: string): void;
  /// Names of the files that were given and not read so far.
  readonly unusedFiles: string[];
  /// The animations of the open file; empty for formats without them.
  readonly clips: string[];
  /// Open frames: files in order, or one file with many frames.
  open(names: string[], options?: OpenOptions): void;
  close(): void;
  /// Find the contacts of the next step.
  step(options?: StepOptions): StepResult;
  /// The contacts of the last step as a file of the command, with the same columns.
  contactsFile(format?: 'csv' | 'vtp' | 'json'): Uint8Array;
  /// Positions at both ends of the last step, three numbers a vertex.
  positions(): { start: Float64Array; end: Float64Array };
  /// Take triangles and their positions at both ends of a step, three numbers each, in place of files.
  take(x0: ArrayLike<number>, x1: ArrayLike<number>, triangles: ArrayLike<number>): void;
  /// Other positions for the triangles that were taken.
  move(x0: ArrayLike<number>, x1: ArrayLike<number>): void;
  /// The contacts of the step that was taken.
  find(options?: { preset?: string; answer?: 'all' | 'first' | 'any' }): StepResult;
  /// The part of the step, 0 to 1, before which nothing touches.
  safeStep(): number;
  /// The part of the step in which each pair keeps a share of its distance, above 0 and below 1.
  roomStep(share?: number): number;
  /// The barrier of pairs nearer than a distance at the start of the step that was taken.
  barrier(distance: number, stiffness?: number): Barrier;
  /// One elementary question: 12 coordinates at each end, of v f0 f1 f2 or ea0 ea1 eb0 eb1.
  pair(kind: 'vf' | 'ee', x0: ArrayLike<number>, x1: ArrayLike<number>, method?: string): { verdict: 'apart' | 'hit' | 'undecided'; time: number | null };
  /// Begin the data of a page of `toccata view`: pageStep after each step, pageData at the end.
  pageBegin(up?: 'x' | 'y' | 'z'): void;
  pageStep(): void;
  pageData(): { data: object; blocks: Uint8Array[] };
  /// The triangles to draw.
  skin(): Skin;
}
