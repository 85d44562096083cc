// SPDX-License-Identifier: Apache-2.0
// A first look at pairs in single precision: most pairs of a scene are so far apart that it is enough.
//
// What it calls apart is apart for the whole of the time asked about, by more than the tolerance and the separation, so
// that the certified test would have found the same (docs/guarantees.md, G1). What it leaves says nothing.
#ifndef TOC_PAIR_PREFILTER_H
#define TOC_PAIR_PREFILTER_H

#include "bound/packed.h"
#include "toccata/pair.h"

/// The vertices of one or two bodies, packed; those of the first feature of a pair and those of the second.
typedef struct toc_prefilter {
    const toc_packed *bodies[2]; // NULL where there can be no first look
    double scale;                // lengths of the frame in a length
} toc_prefilter;

/// Pack the vertices of a body, x0 and x1, for pairs of its own features. Where a coordinate is not finite there is no
/// first look.
/// @param arena where the packed vertices are.
toc_status toc_prefilter_make(toc_arena *arena, size_t count, const double *x0, const double *x1, toc_prefilter *out);
/// Likewise for the two bodies of a batch of pairs.
toc_status toc_prefilter_make_for(toc_arena *arena, const toc_pair_batch *batch, toc_prefilter *out);

/// Look at pairs of vertices, with the kernel of so many lanes (0: the widest there is). All of them are left where
/// there can be no first look.
/// @param rest receives which of them are left, ascending; room for all.
/// @return how many are left.
size_t toc_prefilter_at(const toc_prefilter *glance, const toc_pair_batch *pairs, const toc_pair_test *test, int lanes,
                        uint32_t *rest);

/// What the kernels, compiled for each instruction set, are asked.
typedef struct toc_prefilter_work {
    toc_kind kind;
    size_t count;
    const uint32_t (*vertices)[4];
    const toc_packed *bodies[2];
    float distance; // that features must keep, in the frame
    float from, to; // at least the time asked about
} toc_prefilter_work;

typedef size_t toc_prefilter_kernel(const toc_prefilter_work *work, uint32_t *rest);

toc_prefilter_kernel toc_prefilter_kernel1;
toc_prefilter_kernel toc_prefilter_kernel4;
toc_prefilter_kernel toc_prefilter_kernel8;

/// The kernel of so many lanes, or NULL; the widest there is for 0 lanes.
toc_prefilter_kernel *toc_prefilter_find_kernel(int lanes);

#endif
