// SPDX-License-Identifier: Apache-2.0
// The width of the kernels: that of the processor, or less by the environment.
#include "base/lanes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int processor_lanes(void) {
#ifdef TOC_HAVE_AVX
    const int avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) return 8;
    if (__builtin_cpu_supports("avx2")) return 4;
#elif defined(__wasm_simd128__)
    return 4; // two registers of two doubles; a module with SIMD loads only where there is SIMD
#endif
    return 1;
}

// The width that TOC_SIMD in the environment names; the widest one if it is absent or names none.
static int wanted_lanes(void) {
    const char *name = getenv("TOC_SIMD");
    if (!name) return 8;
    return strcmp(name, "scalar") == 0 ? 1 : strcmp(name, "avx2") == 0 ? 4 : 8;
}

// Read once: the environment may change while other threads ask, and all calls of a process must use one width.
static atomic_int chosen_lanes; // 0 before the first call

int toc_lanes(void) {
    const int chosen = atomic_load_explicit(&chosen_lanes, memory_order_relaxed);
    if (chosen) return chosen;
    const int has = processor_lanes(), wanted = wanted_lanes(), lanes = wanted < has ? wanted : has;
    atomic_store_explicit(&chosen_lanes, lanes, memory_order_relaxed);
    return lanes;
}
