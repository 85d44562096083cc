// SPDX-License-Identifier: Apache-2.0
// The choice among the kernels compiled from one source (base/simd.h), for this machine.
#ifndef TOC_BASE_LANES_H
#define TOC_BASE_LANES_H

/// The number of doubles that the kernels in use take at once, 8, 4 or 1: the most that this build and this machine
/// have, or fewer if TOC_SIMD in the environment is avx512, avx2 or scalar. Other values are ignored. Read once for
/// each process.
int toc_lanes(void);

/// The address of NAME1, NAME4 or NAME8, the one that takes so many doubles at once; NULL if this machine has none.
#ifdef TOC_HAVE_AVX
#define TOC_KERNEL_OF(name, lanes) \
    ((lanes) > toc_lanes() ? NULL : (lanes) == 8 ? &name##8 : (lanes) == 4 ? &name##4 : &name##1)
#elif defined(__wasm_simd128__)
#define TOC_KERNEL_OF(name, lanes) ((lanes) > toc_lanes() ? NULL : (lanes) == 4 ? &name##4 : &name##1)
#else
#define TOC_KERNEL_OF(name, lanes) ((lanes) > 1 ? NULL : &name##1)
#endif
/// The widest one.
#define TOC_KERNEL_HERE(name) TOC_KERNEL_OF(name, toc_lanes())

/// The name of a kernel where it is compiled.
#define TOC_FOR_LANES_(name, lanes) name##lanes
#define TOC_FOR_LANES__(name, lanes) TOC_FOR_LANES_(name, lanes)
#define TOC_FOR_LANES(name) TOC_FOR_LANES__(name, TOC_LANES)

#endif
