// SPDX-License-Identifier: Apache-2.0
// The choice of a backend: the widest of the processor, or a narrower one by the environment.
#include "base/backend.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The rows of this build, the narrowest first.
static const toc_backend *const rows[] = {
    &toc_backend1,
#ifdef TOC_HAVE_AVX
    &toc_backend4,
    &toc_backend8,
#elif defined(TOC_HAVE_NEON) || defined(__wasm_simd128__)
    &toc_backend4, // two registers of two doubles; every ARM 64 has NEON, a module with SIMD loads only where SIMD is
#endif
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static int processor_lanes(void) {
#ifdef TOC_HAVE_AVX
    const int avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) return 8;
    return __builtin_cpu_supports("avx2") ? 4 : 1;
#else
    return rows[ROW_COUNT - 1]->lanes;
#endif
}

// The width that TOC_SIMD in the environment names; the widest one if it is absent or names none.
static int wanted_lanes(void) {
    const char *name = getenv("TOC_SIMD");
    if (!name) return 8;
    return strcmp(name, "scalar") == 0 ? 1 : strcmp(name, "avx2") == 0 || strcmp(name, "neon") == 0 ? 4 : 8;
}

const toc_backend *toc_backend_of(int lanes) {
    for (int i = 0; i < ROW_COUNT; i++)
        if (rows[i]->lanes == lanes && lanes <= processor_lanes()) return rows[i];
    return NULL;
}

// Read once: the environment may change while other threads ask, and all calls of a process must use one row.
static _Atomic(const toc_backend *) chosen_row; // NULL before the first call

const toc_backend *toc_backend_here(void) {
    const toc_backend *row = atomic_load_explicit(&chosen_row, memory_order_relaxed);
    if (row) return row;
    for (int lanes = wanted_lanes(); !row; lanes /= 2) row = toc_backend_of(lanes);
    atomic_store_explicit(&chosen_row, row, memory_order_relaxed);
    return row;
}
