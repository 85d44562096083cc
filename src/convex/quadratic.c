// SPDX-License-Identifier: Apache-2.0
// Elementary questions on parabolas: vertices under constant acceleration.
//
// A vertex against a face and an edge against an edge are two small hulls, so the certificate is that of convex.c: on a
// fixed axis gaps are quadratics, bounded by their control values. Roots of the coplanarity polynomial, of degree 6
// here, decide the rest (decision.c). Misses nothing; a contact costs tens of microseconds, mostly for those roots.
// After Tang et al. 2011, "VolCCD", section 7.1.
#include <assert.h>

#include "base/arithmetic.h"
#include "convex/convex.h"
#include "pair/pair.h"

void toc_path_find_control(int count, const double *x0, const double *x1, const double *acceleration, double *control) {
    TOC_SCOPED_ARITHMETIC;
    for (int i = 0; i < 3 * count; i++) control[i] = x0[i] / 2 + x1[i] / 2 - acceleration[i] / 4;
}

// The two features of a pair.
static void hulls_of(toc_kind kind, const toc_quadratic_pair *pair, toc_hull hulls[2]) {
    const int n = kind == TOC_VF ? 1 : 2;
    hulls[0] = (toc_hull){n, pair->x0[0], pair->x1[0], pair->control[0]};
    hulls[1] = (toc_hull){4 - n, pair->x0[n], pair->x1[n], pair->control[n]};
}

static toc_hit hit_of(toc_kind kind, const toc_convex_hit *found) {
    const int n = kind == TOC_VF ? 1 : 2;
    toc_hit hit = {.verdict = found->verdict, .toc = found->toc};
    for (int i = 0; i < 4; i++) hit.weights[i] = i < n ? found->weights[0][i] : found->weights[1][i - n];
    for (int c = 0; c < 3; c++) {
        hit.point[c] = found->point[c];
        hit.normal[c] = found->normal[c];
    }
    return hit;
}

toc_status toc_quadratic_find_unchecked(toc_kind kind, const toc_quadratic_pair *pair, const toc_pair_test *test,
                                        toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    toc_hull hulls[2];
    toc_convex_hit found;
    hulls_of(kind, pair, hulls);
    TOC_TRY(toc_convex_find_unchecked(&hulls[0], &hulls[1], test, scratch, &found));
    *out = hit_of(kind, &found);
    return TOC_OK;
}

toc_status toc_quadratic_find(toc_kind kind, const toc_quadratic_pair *pair, const toc_pair_test *test, toc_hit *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(pair);
    TOC_NEED(out);
    TOC_TRY(toc_kind_check(kind));
    toc_hull hulls[2];
    toc_convex_hit found;
    hulls_of(kind, pair, hulls);
    TOC_TRY(toc_convex_find(&hulls[0], &hulls[1], test, &found));
    *out = hit_of(kind, &found);
    return TOC_OK;
}
