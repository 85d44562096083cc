// SPDX-License-Identifier: Apache-2.0
/// The looks of runnable code. Colours follow the page around it.
export const stylesheet = `
.lesson { border: 1px solid #8896a4; border-radius: 6px; margin: 1em 0; overflow: hidden; }
.lesson textarea { display: block; width: 100%; box-sizing: border-box; border: 0; padding: 0.8em; resize: vertical;
  font: 13px/1.45 ui-monospace, monospace; background: #f6f8fa; color: #1b2530; white-space: pre; overflow: auto; }
.lesson-bar { display: flex; gap: 8px; align-items: center; padding: 6px 8px; background: #e9eef3; color: #1b2530; }
.lesson-bar button { font: inherit; padding: 3px 12px; border: 1px solid #8896a4; border-radius: 5px; background: #ffffff; color: #1b2530; }
.lesson-bar .lesson-run { background: #1d5c9e; border-color: #1d5c9e; color: #ffffff; font-weight: 600; }
.lesson :focus-visible { outline: 2px solid #1d65b0; outline-offset: -2px; }
.lesson-output { margin: 0 !important; border: 0 !important; border-radius: 0 !important; padding: 0.7em 0.9em; max-height: 320px; overflow: auto;
  background: #12202e !important; color: #e6ebf0 !important; font: 13px/1.45 ui-monospace, monospace; }
.lesson-stage canvas { display: block; width: 100%; height: 340px; background: #f4f6f8; touch-action: none; }
.lesson-time { display: flex; gap: 10px; align-items: center; padding: 6px 10px; background: #e9eef3; color: #1b2530; }
.lesson-time input { flex: 1; min-width: 0; accent-color: #1d5c9e; }
.lesson-time output { min-width: 10em; text-align: right; font-variant-numeric: tabular-nums; }
.lesson [hidden] { display: none !important; }
@media (prefers-color-scheme: dark) {
  .lesson textarea { background: #1c2229; color: #e6ebf0; }
  .lesson-bar, .lesson-time { background: #262e37; color: #e6ebf0; }
  .lesson-bar button { background: #35404b; color: #e6ebf0; }
  .lesson-bar .lesson-run { background: #7db8f5; border-color: #7db8f5; color: #10202f; }
  .lesson-stage canvas { background: #14181d; }
  .lesson :focus-visible { outline-color: #7db8f5; }
}
`;
