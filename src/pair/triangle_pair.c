// SPDX-License-Identifier: Apache-2.0
// The first contact of two moving triangles: cull, then advance what is left; and the ways it is compared with.
//
// As sure as the method asked for: culling adds no miss (cull/surface/triangle_features.h). After Zhang and Kim 2012;
// the triangle-level way is local advancement, Tang, Kim and Manocha 2010.
#include "pair/triangle_pair.h"

#include <string.h>

#include "pair/advancement.h"
#include "pair/tolerance.h"

static void keep_earlier(toc_triangles_hit *best, toc_verdict verdict, double toc, int pair) {
    const bool earlier = best->verdict == TOC_APART || toc < best->toc;
    const bool surer = toc == best->toc && best->verdict == TOC_UNDECIDED && verdict == TOC_HIT;
    if (verdict == TOC_APART || !(earlier || surer)) return;
    best->verdict = verdict;
    best->toc = toc;
    best->pair = pair;
}

static toc_moving feature_motion(const toc_moving *both, const toc_triangle_feature *feature) {
    toc_moving m = {.size = both->size};
    for (int k = 0; k < 4; k++) {
        m.y0[k] = both->y0[feature->at[k]];
        m.y1[k] = both->y1[feature->at[k]];
    }
    return m;
}

static toc_status advance_features(const toc_moving *both, unsigned pairs, toc_advance advance,
                                   toc_triangles_hit *best) {
    for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
        if (!(pairs >> bit & 1)) continue;
        const toc_triangle_feature feature = toc_triangle_feature_of(bit);
        const toc_moving m = feature_motion(both, &feature);
        double toc = 0;
        const toc_verdict verdict = toc_advance_run(&m, toc_feature_query_of(feature.kind), &advance, &toc);
        best->queries++;
        keep_earlier(best, verdict, toc, bit);
        if (best->verdict != TOC_APART) advance.to = best->toc;
    }
    return TOC_OK;
}

static toc_status ask_features(const toc_triangles *triangles, toc_pair_test test, toc_arena *scratch,
                               toc_triangles_hit *best) {
    for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
        if (!(triangles->pairs >> bit & 1)) continue;
        const toc_triangle_feature feature = toc_triangle_feature_of(bit);
        double x0[4][3], x1[4][3];
        for (int k = 0; k < 4; k++) {
            memcpy(x0[k], triangles->x0[feature.at[k]], sizeof x0[k]);
            memcpy(x1[k], triangles->x1[feature.at[k]], sizeof x1[k]);
        }
        toc_hit hit;
        TOC_TRY(toc_pair_find_unchecked(feature.kind, (const double(*)[3])x0, (const double(*)[3])x1, &test, scratch,
                                        &hit));
        best->queries++;
        keep_earlier(best, hit.verdict, hit.toc, bit);
        if (best->verdict != TOC_APART) test.to = best->toc;
    }
    return TOC_OK;
}

static toc_status advance_whole(const toc_triangles *triangles, const toc_moving *both, toc_advance advance,
                                toc_triangles_hit *best) {
    if (triangles->pairs != TOC_TRIANGLE_ALL)
        return toc_fail(TOC_BAD_INPUT, "triangle-level advancement takes two triangles that share no vertex");
    double toc = 0;
    const toc_verdict verdict = toc_advance_run(both, toc_feature_query_of_triangles(), &advance, &toc);
    best->queries++;
    keep_earlier(best, verdict, toc, -1);
    return TOC_OK;
}

toc_status toc_triangles_find(const toc_triangles *triangles, const toc_pair_test *test, unsigned steps,
                              toc_arena *scratch, toc_triangle_counts *counts, toc_triangles_hit *out) {
    toc_moving both;
    toc_moving_set(&both, 6, (const double(*)[3])triangles->x0, (const double(*)[3])triangles->x1);
    toc_advance advance = {TOC_BOUND_ALONG, toc_tolerance_of(test), test->separation, test->from, test->to};
    toc_triangles_hit best = {.verdict = TOC_APART, .toc = test->to, .pair = -1};
    unsigned pairs = triangles->pairs;
    switch (test->method) {
    case TOC_METHOD_CULLING:
        pairs = toc_triangle_cull(&both, test->separation, pairs, steps, counts);
        TOC_TRY(advance_features(&both, pairs, advance, &best));
        break;
    case TOC_METHOD_CA_FEATURE:
        advance.bound = TOC_BOUND_SPEED;
        TOC_TRY(advance_features(&both, pairs, advance, &best));
        break;
    case TOC_METHOD_CA_TRIANGLE:
        TOC_TRY(advance_whole(triangles, &both, advance, &best));
        break;
    default:
        TOC_TRY(ask_features(triangles, *test, scratch, &best));
        break;
    }
    *out = best;
    return TOC_OK;
}
