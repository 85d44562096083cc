// SPDX-License-Identifier: Apache-2.0
// How many doubles kernels take at once on this machine (base/simd.h).
#ifndef TOC_BASE_LANES_H
#define TOC_BASE_LANES_H

/// The most lanes that this build and this machine have: 8, 4 or 1.
int toc_lanes_most(void);
/// The same, or fewer if TOC_SIMD in the environment is avx512, avx2, neon or scalar; other values are ignored. Reads
/// the environment.
int toc_lanes_here(void);

#endif
