// SPDX-License-Identifier: Apache-2.0
// Asking the processor.
#include "base/lanes.h"

int toc_lanes(void) {
#ifdef TOC_HAVE_AVX
    const int avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) return 8;
    if (__builtin_cpu_supports("avx2")) return 4;
#endif
    return 1;
}
