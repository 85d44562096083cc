// SPDX-License-Identifier: Apache-2.0
// Additive advancement: move the vertices themselves, a safe part of the distance at a time.
//
// Takes the common part of the motion out, bounds the rest once by the longest displacements of the two features, and
// goes nine tenths of what distance and bound allow until the distance is within the tolerance. The tenth left over is
// what stands against rounding: no contact was seen missed, but it is no proof. 1,000 rounds end undecided.
// After Li, Kaufman and Jiang 2021, "Codimensional incremental potential contact", which stops at a tenth of the first
// distance instead, whatever that is, takes the features to be apart at the start, and answers "contact" for more near
// misses: farther than the tolerance, which a caller here may rely on.
#include "pair/advancement.h"
#include "pair/pair.h"
#include "pair/tolerance.h"

enum { ROUND_LIMIT = 1000 };
static const double SAFE_PART = 0.9;

// Positions at a time, and the displacements that the rest of [0, 1] would add, less their mean.
static void relative_motion(const double x0[4][3], const double x1[4][3], double t, toc_vec x[4], toc_vec moves[4]) {
    toc_vec mean = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        x[i] = toc_vec_mix(toc_vec_of(x0[i]), toc_vec_of(x1[i]), t);
        moves[i] = toc_vec_sub(toc_vec_of(x1[i]), toc_vec_of(x0[i]));
        mean = toc_vec_add(mean, toc_vec_scale(moves[i], 0.25));
    }
    for (int i = 0; i < 4; i++) moves[i] = toc_vec_sub(moves[i], mean);
}

static double longest(const toc_vec *moves, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = toc_larger(most, toc_vec_length(moves[i]));
    return most;
}

static toc_verdict advance(toc_feature_query duo, toc_vec x[4], const toc_vec moves[4], const toc_pair_test *test,
                           double *toc) {
    const double reach = longest(moves, duo.first) + longest(moves + duo.first, duo.second);
    *toc = test->from;
    for (int i = 0; i < 4; i++)
        if (!(toc_vec_max(x[i]) + toc_vec_max(moves[i]) < TOC_DISTANCE_REACH)) return TOC_UNDECIDED;
    for (int round = 0; round < ROUND_LIMIT; round++) {
        const double gap = duo.closest(x).distance - test->separation;
        if (gap <= toc_tolerance_of(test)) return TOC_HIT;
        const double step = SAFE_PART * gap / reach;
        if (*toc + step > test->to) return TOC_APART;
        if (!(*toc + step > *toc)) return TOC_UNDECIDED;
        *toc += step;
        for (int i = 0; i < 4; i++) x[i] = toc_vec_add(x[i], toc_vec_scale(moves[i], step));
    }
    return TOC_UNDECIDED;
}

toc_status toc_additive_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                             toc_arena *scratch, toc_hit *out) {
    (void)scratch;
    toc_vec x[4], moves[4];
    relative_motion(x0, x1, test->from, x, moves);
    out->verdict = advance(toc_feature_query_of(kind), x, moves, test, &out->toc);
    if (out->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, out);
    return TOC_OK;
}
