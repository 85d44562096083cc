// SPDX-License-Identifier: Apache-2.0
// The certified elementary test between its parts: the kernels, compiled for each instruction set, and their callers.
#ifndef TOC_PAIR_CERTIFIED_H
#define TOC_PAIR_CERTIFIED_H

#include <stdbool.h>

#include "pair/pair.h"
#include "pair/prefilter.h"

/// The number of pairs that a kernel takes at once: lanes stay full, and the arrays of a batch fit on small stacks. The
/// pairs left after a round are packed together for the next.
enum { TOC_CERTIFIED_CHUNK = 512 };

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

/// A contact among the pairs of a batch.
typedef struct toc_certified_hit {
    size_t pair;
    toc_hit hit;
} toc_certified_hit;

/// Pairs of a batch, and the answers of the certified kernel to them.
typedef struct toc_certified_gathered {
    bool prefiltered; // as in toc_certified_work
    size_t count, at[TOC_CERTIFIED_CHUNK];
    uint32_t vertices[TOC_CERTIFIED_CHUNK][4];
    toc_verdict verdicts[TOC_CERTIFIED_CHUNK];
    double times[TOC_CERTIFIED_CHUNK];
    bool ties[TOC_CERTIFIED_CHUNK];
} toc_certified_gathered;

/// Whether hits are crossings of planes: those without a tolerance or a separation.
bool toc_certified_finds_crossings(const toc_pair_test *test);
/// Whether the kernel of ties answers as exact arithmetic does.
bool toc_certified_decides_ties(const toc_pair_test *test);
/// Whether pairs that the prefilter left need no first axes: exact arithmetic decides those that stay undecided.
bool toc_certified_is_prefiltered(const toc_prefilter *prefilter, const toc_pair_test *test);

/// The complete answers of up to TOC_CERTIFIED_CHUNK pairs of vertices with finite coordinates, as toc_pair_find with
/// the certified method gives them. Pairs that are apart are left out.
/// @param scratch holds the hits until the caller returns it to where it was
/// @param hits receives `count` of them in the order of the pairs
toc_status toc_certified_hits(const toc_pair_batch *batch, const toc_prefilter *prefilter, const toc_pair_test *test,
                              toc_arena *scratch, const toc_certified_hit **hits, size_t *count);

/// The same from answers that the certified kernel gave elsewhere, on a device.
/// @param answers all but `vertices`, which are those of the batch.
toc_status toc_certified_settle(const toc_pair_batch *batch, const toc_certified_gathered *answers,
                                const toc_pair_test *test, toc_arena *scratch, const toc_certified_hit **hits,
                                size_t *count);

/// Fill weights, point and normal of a pair that a kernel did not call apart.
toc_status toc_certified_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                                toc_arena *scratch, toc_hit *hit);

/// Scale a pair whose coordinates are out of the kernels' range by a power of two, and test it again; kernels leave
/// such pairs undecided. Does nothing to a pair in range.
void toc_certified_rescale(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                           toc_verdict *verdict, double *time);

#endif
