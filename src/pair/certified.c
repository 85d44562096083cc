// SPDX-License-Identifier: Apache-2.0
// The certified test of one pair: the kernel with one lane, and a second try with scaled coordinates for pairs out of
// its range. No touching pair is called apart, and no time is later than the true one (docs/guarantees.md, G1, G3).
#include "pair/certified.h"

#include <assert.h>
#include <math.h>

#include "base/backend.h"
#include "base/vec.h"
#include "pair/exact.h"

static void solve_one(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                      toc_verdict *verdict, double *time) {
    static const uint32_t corners[1][4] = {{0, 1, 2, 3}};
    const toc_certified_work work = {
        .pairs = {.kind = kind, .count = 1, .vertices = corners, .body0 = {*x0, *x0}, .body1 = {*x1, *x1}},
        .tolerance = test->tolerance,
        .separation = test->separation,
        .from = test->from,
        .to = test->to,
        .verdicts = verdict,
        .times = time};
    toc_backend1.certified(&work);
}

static double make_relative(const double x[4][3], double relative[4][3]) {
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) most = toc_larger(most, fabs(relative[i][k] = x[i][k] - x[0][k]));
    return most;
}

// The underflow of a small coordinate is within the kernel's UNDERFLOW_ERROR, because the largest coordinate is near 1.
static toc_pair scale(toc_pair pair, int exponent) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            pair.x0[i][k] = ldexp(pair.x0[i][k], exponent);
            pair.x1[i][k] = ldexp(pair.x1[i][k], exponent);
        }
    return pair;
}

void toc_certified_rescale(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                           toc_verdict *verdict, double *time) {
    assert(kind == TOC_VF || kind == TOC_EE);
    toc_pair relative;
    const double most = fmax(make_relative(x0, relative.x0), make_relative(x1, relative.x1));
    if (!(most > 0 && isfinite(most)) || (most > TOC_CERTIFIED_SMALLEST && most < TOC_CERTIFIED_LARGEST)) return;
    int exponent;
    frexp(most, &exponent);
    const toc_pair scaled = scale(relative, -exponent);
    toc_pair_test test_scaled = *test;
    test_scaled.tolerance = ldexp(test->tolerance, -exponent);
    test_scaled.separation = ldexp(test->separation, -exponent);
    solve_one(kind, scaled.x0, scaled.x1, &test_scaled, verdict, time);
}

// Without a tolerance or a separation, a hit is a certain crossing within 2^-30 of its time.
toc_status toc_certified_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                                toc_arena *scratch, toc_hit *hit) {
    if (hit->verdict == TOC_HIT && test->tolerance == 0 && test->separation == 0)
        return toc_exact_locate(kind, x0, x1, test, scratch, hit);
    if (hit->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, hit);
    return TOC_OK;
}

toc_status toc_certified_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                              toc_arena *scratch, toc_hit *out) {
    toc_hit hit = {.toc = test->from};
    solve_one(kind, x0, x1, test, &hit.verdict, &hit.toc);
    if (hit.verdict == TOC_UNDECIDED) toc_certified_rescale(kind, x0, x1, test, &hit.verdict, &hit.toc);
    TOC_TRY(toc_certified_locate(kind, x0, x1, test, scratch, &hit));
    *out = hit;
    return TOC_OK;
}
