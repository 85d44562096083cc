// SPDX-License-Identifier: Apache-2.0
// The certified elementary test between its parts: the kernels, compiled for each instruction set, and their callers.
#ifndef TOC_PAIR_CERTIFIED_H
#define TOC_PAIR_CERTIFIED_H

#include <stdbool.h>

#include "pair/pair.h"
#include "pair/prefilter.h"

/// The number of pairs that a kernel takes at once. The pairs left after a round are packed together for the next.
enum { TOC_CERTIFIED_CHUNK = 2048 };

/// Kernels take pairs whose largest relative coordinate is between these, so that products of four coordinates do not
/// overflow, and underflow stays within their error bound.
#define TOC_CERTIFIED_SMALLEST 0x1p-100
#define TOC_CERTIFIED_LARGEST 0x1p100

/// Pairs to test, settings, and room for the answers.
typedef struct toc_certified_work {
    toc_pair_batch pairs; // TOC_CERTIFIED_CHUNK at most
    double tolerance, separation, from, to;
    bool prefiltered; // the first axes were tried on all pairs; only without tolerance and separation
    toc_verdict *verdicts;
    double *times;    // of hits and undecided pairs: there is no contact before
    uint32_t *rounds; // the number of rounds of each pair after the first test; may be NULL
    bool *ties;       // set for undecided pairs that pass an edge by less than the error, which end their rounds early;
                      // cleared by the caller. NULL: they try on. Only without tolerance and separation.
} toc_certified_work;

typedef void toc_certified_kernel(const toc_certified_work *work);

toc_certified_kernel toc_certified_kernel1;
toc_certified_kernel toc_certified_kernel4;
toc_certified_kernel toc_certified_kernel8;

/// The kernel with this number of lanes, or NULL if there is none. The widest kernel for 0 lanes.
toc_certified_kernel *toc_certified_find_kernel(int lanes);

/// A contact among the pairs of a batch.
typedef struct toc_certified_hit {
    size_t pair;
    toc_hit hit;
} toc_certified_hit;

/// The complete answers of up to TOC_CERTIFIED_CHUNK pairs of vertices with finite coordinates, as toc_pair_find with
/// the certified method gives them. Pairs that are apart are left out.
/// @param hits receives `count` of them in the order of the pairs; room for all.
toc_status toc_certified_hits(const toc_pair_batch *batch, const toc_prefilter *prefilter, const toc_pair_test *test,
                              toc_arena *scratch, toc_certified_hit *hits, size_t *count);

/// Fill weights, point and normal of a pair that a kernel did not call apart.
toc_status toc_certified_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                                toc_arena *scratch, toc_hit *hit);

/// Scale a pair whose coordinates are out of the kernels' range by a power of two, and test it again; kernels leave
/// such pairs undecided. Does nothing to a pair in range.
void toc_certified_rescale(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                           toc_verdict *verdict, double *time);

#endif
