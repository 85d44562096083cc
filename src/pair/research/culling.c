// SPDX-License-Identifier: Apache-2.0
// Two axes that often separate the features for the whole step, then conservative advancement.
//
// Misses nothing, as both parts miss nothing (cull/surface/triangle_features.h, pair/advancement.h). The two axes are
// those of Zhang and Kim 2012 that one feature pair alone can have: Corollary 4.3 and Lemma 4.4 for a vertex and a
// face, Lemmas 5.1 and 5.2 for two edges. They consider the whole step, also when the question is about a part of it.
// 130 to 240 ns.
#include "cull/surface/triangle_features.h"
#include "pair/advancement.h"
#include "pair/pair.h"

toc_status toc_culling_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                            toc_arena *scratch, toc_hit *out) {
    (void)scratch;
    toc_moving moving;
    toc_moving_set(&moving, 4, x0, x1);
    out->verdict = TOC_APART;
    if (toc_feature_cull(kind, &moving, test->separation)) return TOC_OK;
    const toc_stop stop = toc_stop_of(test, moving.size);
    const toc_advance advance = {TOC_BOUND_ALONG, stop, test->separation, test->from, test->to};
    out->verdict = toc_advance_run(&moving, toc_feature_query_of(kind), &advance, &out->toc);
    if (out->verdict != TOC_APART) toc_hit_locate(kind, x0, x1, out);
    return TOC_OK;
}
