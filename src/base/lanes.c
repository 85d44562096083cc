// SPDX-License-Identifier: Apache-2.0
// The lanes of kernels: as many as the processor has, or fewer by the environment.
#include "base/lanes.h"

#include <stdlib.h>
#include <string.h>

int toc_lanes_most(void) {
#ifdef TOC_HAVE_AVX
    const int avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) return 8;
    return __builtin_cpu_supports("avx2") ? 4 : 1;
#elif defined(TOC_HAVE_NEON) || defined(__wasm_simd128__)
    return 4; // two registers of two doubles; every ARM 64 has NEON, a module with SIMD loads only where SIMD is
#else
    return 1;
#endif
}

// The width that TOC_SIMD in the environment names; the widest one if it is absent or names none.
static int wanted_lanes(void) {
    const char *name = getenv("TOC_SIMD");
    if (!name) return 8;
    return strcmp(name, "scalar") == 0 ? 1 : strcmp(name, "avx2") == 0 || strcmp(name, "neon") == 0 ? 4 : 8;
}

int toc_lanes_here(void) {
    const int most = toc_lanes_most(), wanted = wanted_lanes();
    return wanted < most ? wanted : most;
}
