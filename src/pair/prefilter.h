// SPDX-License-Identifier: Apache-2.0
// The prefilter: a test of pairs in single precision. Most pairs of a scene are far enough apart for it.
//
// Pairs that it drops are apart during the whole time of the question, by more than the tolerance and the separation.
// The certified test would answer the same (docs/guarantees.md, G1). Pairs that it keeps may be apart or touch.
#ifndef TOC_PAIR_PREFILTER_H
#define TOC_PAIR_PREFILTER_H

#include "base/backend.h"
#include "bound/packed.h"
#include "toccata/pair.h"

/// The vertices of one or two bodies, packed; those of the first feature of a pair and those of the second.
typedef struct toc_prefilter {
    const toc_packed *bodies[2]; // NULL if there can be no prefilter
    double scale;                // units of the frame in a unit of length
} toc_prefilter;

/// Pack the vertices of a body, x0 and x1, for pairs of its own features. If a coordinate is not finite the prefilter
/// keeps all pairs.
/// @param arena owns the packed vertices.
toc_status toc_prefilter_make(toc_arena *arena, size_t count, const double *x0, const double *x1, toc_prefilter *out);
/// Likewise for the two bodies of a batch of pairs.
toc_status toc_prefilter_make_for(toc_arena *arena, const toc_pair_batch *batch, toc_prefilter *out);

/// Test pairs of vertices with the kernel of a backend. Keeps all pairs if there can be no prefilter.
/// @param rest receives the numbers of the kept pairs, ascending; room for all.
/// @return the number of kept pairs.
size_t toc_prefilter_at(const toc_backend *backend, const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                        const toc_pair_test *test, uint32_t *rest);

/// The work of the kernels, which are compiled for each instruction set.
typedef struct toc_prefilter_work {
    toc_kind kind;
    size_t count;
    const uint32_t (*vertices)[4];
    const toc_packed *bodies[2];
    float distance; // the distance that features must keep, in the frame
    float from, to; // a part of the step that contains the time of the question
} toc_prefilter_work;

/// The work for pairs of vertices; without bodies if there can be no prefilter.
toc_prefilter_work toc_prefilter_work_of(const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                                         const toc_pair_test *test);

typedef size_t toc_prefilter_kernel(const toc_prefilter_work *work, uint32_t *rest);

toc_prefilter_kernel toc_prefilter_kernel1;
toc_prefilter_kernel toc_prefilter_kernel4;
toc_prefilter_kernel toc_prefilter_kernel8;

#endif
