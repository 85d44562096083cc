// SPDX-License-Identifier: Apache-2.0
// Two frames to try the page with: a cloth that falls onto a ball and folds over it.

function clothAt(n: number, falling: number): string {
  const lines = ['g cloth'];
  for (let i = 0; i <= n; i++) {
    for (let k = 0; k <= n; k++) {
      const x = (2.4 * i) / n - 1.2;
      const z = (2.4 * k) / n - 1.2;
      const out = Math.hypot(x, z);
      const rest = 0.62 - falling;
      // The middle stays on the ball; the rest falls, and swings in at the corners.
      const drape = out < 0.8 ? Math.sqrt(0.8 * 0.8 - out * out) - 0.2 : -0.2 - 0.9 * (out - 0.8);
      const y = Math.max(rest, drape * falling + rest * (1 - falling)) + 0.01 * Math.sin(9 * x) * Math.cos(7 * z);
      const inward = 1 - 0.25 * falling * Math.max(0, out - 0.7);
      lines.push(`v ${(x * inward).toFixed(6)} ${y.toFixed(6)} ${(z * inward).toFixed(6)}`);
    }
  }
  const at = (i: number, k: number) => i * (n + 1) + k + 1;
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) lines.push(`f ${at(i, k)} ${at(i, k + 1)} ${at(i + 1, k + 1)} ${at(i + 1, k)}`);
  }
  return lines.join('\n');
}

function ball(rings: number, first: number): string {
  const lines = ['g ball', 'v 0 0.55 0'];
  const around = 2 * rings;
  for (let i = 1; i < rings; i++) {
    for (let k = 0; k < around; k++) {
      const [a, b] = [(Math.PI * i) / rings, (2 * Math.PI * k) / around];
      const place = [Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b)];
      lines.push(`v ${place.map((x) => (0.55 * x).toFixed(6)).join(' ')}`);
    }
  }
  lines.push('v 0 -0.55 0');
  const at = (i: number, k: number) => first + 1 + (i - 1) * around + (k % around);
  const last = first + 1 + (rings - 1) * around;
  for (let k = 0; k < around; k++) {
    lines.push(`f ${first} ${at(1, k + 1)} ${at(1, k)}`, `f ${last} ${at(rings - 1, k)} ${at(rings - 1, k + 1)}`);
    for (let i = 1; i + 1 < rings; i++) lines.push(`f ${at(i, k)} ${at(i, k + 1)} ${at(i + 1, k + 1)} ${at(i + 1, k)}`);
  }
  return lines.join('\n');
}

export function exampleFrames(): File[] {
  const n = 40;
  const body = ball(20, (n + 1) * (n + 1) + 1);
  return [0, 0.35].map((falling, i) => new File([`${clothAt(n, falling)}\n${body}\n`], `example-${i}.obj`));
}
