// SPDX-License-Identifier: Apache-2.0
// Points in the order of a Z-curve: every cell of an octree is a run of them, found by bisection. A cut through the tree
// gives the points that are alone on the screen, and the cells whose points are too near each other, with their counts.
// The order costs O(n) once; a cut costs O(m log n) for m results.

const LEVELS = 10; // a cell of the last level is a thousandth of the bounds

/// What a cut meets: a point (count 1), or the mean of several.
export interface Cluster {
  x: number;
  y: number;
  z: number;
  count: number;
  value: number; // of a point, or the mean
  first: number; // the first point of it
  size: number; // of its cell
}

function spread(x: number): number {
  let v = x & 0x3ff;
  v = (v | (v << 16)) & 0x030000ff;
  v = (v | (v << 8)) & 0x0300f00f;
  v = (v | (v << 4)) & 0x030c30c3;
  return (v | (v << 2)) & 0x09249249;
}

export class Clusters {
  private order: Uint32Array; // points by their codes
  private codes: Uint32Array;
  private low: [number, number, number] = [0, 0, 0];
  private extent = 1;
  private counts: Uint32Array; // sums over the points before, likewise below
  private sums: Float64Array;
  private points: Float32Array;
  private values: Float64Array | Float32Array = new Float32Array(0);

  constructor(points: Float32Array) {
    const count = points.length / 3;
    this.points = points;
    this.order = new Uint32Array(count);
    this.codes = new Uint32Array(count);
    this.counts = new Uint32Array(count + 1);
    this.sums = new Float64Array(4 * (count + 1));
    this.measure();
    this.sort();
  }

  private measure(): void {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.points.length; i++) {
      const k = i % 3;
      if (this.points[i] < low[k]) low[k] = this.points[i];
      if (this.points[i] > high[k]) high[k] = this.points[i];
    }
    if (!(low[0] <= high[0])) return;
    this.low = low as [number, number, number];
    this.extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-30) * 1.0001;
  }

  private sort(): void {
    const count = this.order.length;
    const scale = 1024 / this.extent;
    let codes = new Uint32Array(count);
    let order = Uint32Array.from({ length: count }, (_, i) => i);
    for (let i = 0; i < count; i++) {
      const at = (k: number) => spread(Math.min(1023, Math.max(0, Math.floor((this.points[3 * i + k] - this.low[k]) * scale))));
      codes[i] = at(0) | (at(1) << 1) | (at(2) << 2);
    }
    let [otherCodes, otherOrder] = [new Uint32Array(count), new Uint32Array(count)];
    for (let shift = 0; shift < 30; shift += 10) {
      const starts = new Uint32Array(1025);
      for (let i = 0; i < count; i++) starts[((codes[i] >>> shift) & 1023) + 1]++;
      for (let i = 0; i < 1024; i++) starts[i + 1] += starts[i];
      for (let i = 0; i < count; i++) {
        const to = starts[(codes[i] >>> shift) & 1023]++;
        otherCodes[to] = codes[i];
        otherOrder[to] = order[i];
      }
      [codes, otherCodes, order, otherOrder] = [otherCodes, codes, otherOrder, order];
    }
    this.codes = codes;
    this.order = order;
  }

  /// Which points there are, and where they are now: the order stays that of the first places.
  set(isShown: (i: number) => boolean, values: Float64Array | Float32Array, points: Float32Array = this.points): void {
    this.points = points;
    this.values = values;
    for (let i = 0; i < this.order.length; i++) {
      const point = this.order[i];
      const on = isShown(point) ? 1 : 0;
      this.counts[i + 1] = this.counts[i] + on;
      for (let k = 0; k < 3; k++) this.sums[4 * (i + 1) + k] = this.sums[4 * i + k] + on * points[3 * point + k];
      this.sums[4 * (i + 1) + 3] = this.sums[4 * i + 3] + on * values[point];
    }
  }

  /// The first place in [from, to) whose code is not below.
  private bisect(from: number, to: number, code: number): number {
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.codes[middle] < code) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private emitCell(from: number, to: number, size: number, take: (cluster: Cluster) => void): void {
    const count = this.counts[to] - this.counts[from];
    const mean = (k: number) => (this.sums[4 * to + k] - this.sums[4 * from + k]) / count;
    const first = this.order[this.bisectShown(from)];
    take({ x: mean(0), y: mean(1), z: mean(2), count, value: mean(3), first, size });
  }

  /// The first shown point from a place on.
  private bisectShown(from: number): number {
    let low = from;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.counts[middle + 1] <= this.counts[from]) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private emitPoints(from: number, to: number, take: (cluster: Cluster) => void): void {
    for (let i = from; i < to; i++) {
      if (this.counts[i + 1] === this.counts[i]) continue;
      const point = this.order[i];
      const [x, y, z] = [this.points[3 * point], this.points[3 * point + 1], this.points[3 * point + 2]];
      take({ x, y, z, count: 1, value: this.values[point], first: point, size: 0 });
    }
  }

  /// @param pixels the size of a cell on the screen; below 0 if it is out of view. @param merge cells below are one.
  cut(pixels: (x: number, y: number, z: number, size: number) => number, merge: number, take: (cluster: Cluster) => void): void {
    const walk = (from: number, to: number, level: number, x: number, y: number, z: number): void => {
      const count = this.counts[to] - this.counts[from];
      if (count === 0) return;
      if (count === 1) return this.emitPoints(from, to, take);
      const size = this.extent / 2 ** level;
      const wide = pixels(x + 0.5 * size, y + 0.5 * size, z + 0.5 * size, size);
      if (wide < 0) return;
      if (wide < merge) return this.emitCell(from, to, size, take);
      if (level === LEVELS) return this.emitPoints(from, to, take);
      const shift = 27 - 3 * level;
      const base = this.codes[from] & ~((1 << (shift + 3)) - 1);
      for (let child = 0, at = from; child < 8 && at < to; child++) {
        const end = child === 7 ? to : this.bisect(at, to, (base + ((child + 1) << shift)) >>> 0);
        const half = 0.5 * size;
        walk(at, end, level + 1, x + (child & 1) * half, y + ((child >> 1) & 1) * half, z + (child >> 2) * half);
        at = end;
      }
    };
    if (this.order.length) walk(0, this.order.length, 0, ...this.low);
  }
}
