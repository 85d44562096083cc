// SPDX-License-Identifier: Apache-2.0
// The choice of a backend: the widest of the processor, or a narrower one by the environment.
#include "base/backend.h"

#include <stdatomic.h>

#include "base/lanes.h"

// The rows of this build, the narrowest first.
static const toc_backend *const rows[] = {
    &toc_backend1,
#ifdef TOC_HAVE_AVX
    &toc_backend4,
    &toc_backend8,
#elif defined(TOC_HAVE_NEON) || defined(__wasm_simd128__)
    &toc_backend4,
#endif
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const toc_backend *toc_backend_of(int lanes) {
    for (int i = 0; i < ROW_COUNT; i++)
        if (rows[i]->lanes == lanes && lanes <= toc_lanes_most()) return rows[i];
    return NULL;
}

// Read once: the environment may change while other threads ask, and all calls of a process must use one row.
static _Atomic(const toc_backend *) chosen_row; // NULL before the first call

const toc_backend *toc_backend_here(void) {
    const toc_backend *row = atomic_load_explicit(&chosen_row, memory_order_relaxed);
    if (row) return row;
    row = toc_backend_of(toc_lanes_here());
    atomic_store_explicit(&chosen_row, row, memory_order_relaxed);
    return row;
}
