// SPDX-License-Identifier: Apache-2.0
// The methods `ca-feature` and `ca-triangle`: conservative advancement of two features, pair/advancement.h.
#include "pair/advancement.h"
#include "pair/pair.h"

static toc_status advance_pair(toc_bound bound, toc_kind kind, const double x0[4][3], const double x1[4][3],
                               const toc_pair_test *test, toc_hit *out) {
    toc_moving moving;
    toc_moving_set(&moving, 4, x0, x1);
    const toc_advance advance = {bound, toc_stop_of(test, moving.size), test->separation, test->from, test->to};
    out->verdict = toc_advance_run(&moving, toc_feature_query_of(kind), &advance, &out->toc);
    if (out->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, out);
    return TOC_OK;
}

toc_status toc_ca_feature_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                               toc_arena *scratch, toc_hit *out) {
    (void)scratch;
    return advance_pair(TOC_BOUND_SPEED, kind, x0, x1, test, out);
}

toc_status toc_ca_triangle_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                                toc_arena *scratch, toc_hit *out) {
    (void)scratch;
    return advance_pair(TOC_BOUND_ALONG, kind, x0, x1, test, out);
}
