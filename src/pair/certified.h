// SPDX-License-Identifier: Apache-2.0
// The certified elementary test between its parts: the kernels, compiled for each instruction set, and what calls them.
#ifndef TOC_PAIR_CERTIFIED_H
#define TOC_PAIR_CERTIFIED_H

#include "pair/pair.h"
#include "pair/prefilter.h"

/// Pairs that a kernel takes at once; what is left of them after a round is packed together for the next.
enum { TOC_CERTIFIED_CHUNK = 2048 };

/// Kernels take pairs whose largest relative coordinate is between these, so that products of four coordinates neither
/// overflow nor lose what counts to underflow.
#define TOC_CERTIFIED_SMALLEST 0x1p-100
#define TOC_CERTIFIED_LARGEST 0x1p100

/// Pairs to look at, how, and where the answers go.
typedef struct toc_certified_work {
    toc_pair_batch pairs; // TOC_CERTIFIED_CHUNK at most
    double tolerance, separation, from, to;
    toc_verdict *verdicts;
    double *times;    // of hits and undecided pairs: no contact before
    uint32_t *rounds; // how often each pair was looked at after the first look; NULL where nobody asks
} toc_certified_work;

typedef void toc_certified_kernel(const toc_certified_work *work);

toc_certified_kernel toc_certified_kernel1;
toc_certified_kernel toc_certified_kernel4;
toc_certified_kernel toc_certified_kernel8;

/// The kernel of so many lanes, or NULL; the widest there is for 0 lanes.
toc_certified_kernel *toc_certified_find_kernel(int lanes);

/// A contact among the pairs of a batch.
typedef struct toc_certified_hit {
    size_t pair;
    toc_hit hit;
} toc_certified_hit;

/// The whole answers, where and all, of those of up to TOC_CERTIFIED_CHUNK pairs of vertices with finite coordinates
/// that are not apart: those of toc_pair_find with the certified method.
/// @param hits receives `count` of them in the order of the pairs; room for all.
toc_status toc_certified_hits(const toc_pair_batch *batch, const toc_prefilter *glance, const toc_pair_test *test,
                              toc_arena *scratch, toc_certified_hit *hits, size_t *count);

/// Fill weights, point and normal of a pair that a kernel did not call apart.
toc_status toc_certified_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                                toc_arena *scratch, toc_hit *hit);

/// Pairs whose coordinates are beyond the kernels' range stay undecided there: scale this one by a power of two and
/// look again. Does nothing to a pair in range.
void toc_certified_rescale(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                           toc_verdict *verdict, double *time);

#endif
