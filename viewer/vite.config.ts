// SPDX-License-Identifier: Apache-2.0
// One HTML file with everything inside. The build names no time and no path, so that it gives the same bytes anywhere.
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { outDir: process.env.TOC_PAGE_OUT ?? 'dist', emptyOutDir: false, target: 'es2022', reportCompressedSize: false },
  worker: { format: 'iife' },
});
