// SPDX-License-Identifier: Apache-2.0
// The ladder: the tests that decide a pair of features, the cheapest first. Each decides only if its error bound is
// certain, and passes the other pairs on, so that no rung changes the answer; it only changes the cost.
//
//   rung             file                              decides                                         cost of a pair
//   prefilter        prefilter.kernel.c                apart: one of the first axes separates          nanoseconds
//   certified        certified.kernel.c, certified.c   apart; crosses a plane within 2^-30 of a time   tens of them
//   tie              tie.kernel.c                      as the next, for pairs that pass an edge        hundreds
//   doubles          predicate.c                       apart, or the first contact and its weights     hundreds
//     a tie in it    predicate_tie.c                   shares of 0, component by component
//     flat motion    predicate_flat.c                  motion in one plane                               1 to 3 us
//     their planes   predicate_plane.c                 whether vertices move in one plane, exactly
//   two doubles      predicate_fine.c                  as doubles, with 106 bits                       2 to 5 us
//   integers         exact.c                           every pair; times are algebraic numbers         10 to 50 us
//
// Batches take the first three (batch.c); this file has the rest. A pair with a tolerance ends at `certified`, one with
// a separation goes from there to the integers. Kernels give the bits of the scalar rung: prefilter and certified are
// their own reference with one lane, `tie` repeats the operations of predicate.c and predicate_tie.c in their order
// (wide_question.h). docs/guarantees.md: G1, G2, G3.
#include <assert.h>
#include <string.h>

#include "pair/exact.h"
#include "pair/pair.h"
#include "pair/predicate.h"

// The rungs in floating point.
static toc_predicate *const predicates[] = {toc_predicate_pair, toc_predicate_fine};

static toc_verdict predicate_of_step(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    toc_verdict verdict = TOC_UNDECIDED;
    for (size_t i = 0; verdict == TOC_UNDECIDED && i < sizeof predicates / sizeof *predicates; i++)
        verdict = predicates[i](kind, x0, x1, hit);
    return verdict;
}

// The predicates consider the whole step, and their time is at most 2^-32 early: enough to decide most parts.
static toc_verdict predicate_of_part(toc_kind kind, const double x0[4][3], const double x1[4][3],
                                     const toc_pair_test *test, toc_hit *hit) {
    const toc_verdict verdict = predicate_of_step(kind, x0, x1, hit);
    if (verdict != TOC_HIT || (test->from == 0 && test->to == 1)) return verdict;
    if (hit->toc > test->to) return TOC_APART;
    if (hit->toc < test->from) return TOC_UNDECIDED; // there may be another contact behind the first
    return hit->toc * (1 + 0x1p-31) <= test->to ? TOC_HIT : TOC_UNDECIDED;
}

// The certified test runs first: without a tolerance its decisions are exact.
static toc_status with_separation(toc_kind kind, const double x0[4][3], const double x1[4][3],
                                  const toc_pair_test *test, toc_arena *scratch, toc_hit *out) {
    toc_pair_test sharp = *test;
    sharp.tolerance = 0;
    TOC_TRY(toc_certified_pair(kind, x0, x1, &sharp, scratch, out));
    return out->verdict == TOC_UNDECIDED ? toc_integer_pair(kind, x0, x1, test, scratch, out) : TOC_OK;
}

toc_status toc_exact_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                          toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    if (test->separation > 0) return with_separation(kind, x0, x1, test, scratch, out);
    toc_hit hit;
    const toc_verdict verdict = predicate_of_part(kind, x0, x1, test, &hit);
    if (verdict == TOC_UNDECIDED) return toc_integer_pair(kind, x0, x1, test, scratch, out);
    if (verdict == TOC_HIT) toc_hit_place(kind, x0, x1, &hit);
    hit.verdict = verdict;
    *out = hit;
    return TOC_OK;
}

toc_status toc_exact_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                            toc_arena *scratch, toc_hit *hit) {
    assert(hit->verdict == TOC_HIT && test->separation == 0);
    toc_hit first = {.verdict = TOC_APART};
    if (!toc_predicate_weights(kind, x0, x1, hit->toc, hit->weights)) {
        if (test->from > 0 || toc_predicate_fine(kind, x0, x1, &first) != TOC_HIT)
            TOC_TRY(toc_integer_pair(kind, x0, x1, test, scratch, &first));
        assert(first.verdict == TOC_HIT);
        memcpy(hit->weights, first.weights, sizeof hit->weights);
    }
    toc_hit_place(kind, x0, x1, hit);
    return TOC_OK;
}
