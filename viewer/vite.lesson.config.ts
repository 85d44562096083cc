// SPDX-License-Identifier: Apache-2.0
// The script of runnable documents: one file, lesson.js, which any page can load.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: process.env.TOC_PAGE_OUT ?? 'dist',
    emptyOutDir: false,
    target: 'es2022',
    reportCompressedSize: false,
    lib: { entry: 'src/lesson/lesson.ts', formats: ['iife'], name: 'toccataLesson', fileName: () => 'lesson.js' },
  },
  worker: { format: 'iife' },
});
