// SPDX-License-Identifier: Apache-2.0
// The first contact of two moving triangles: cull their 15 feature pairs, then test the rest.
//
// Misses nothing if the method misses nothing: culling removes only pairs that are certainly apart
// (cull/surface/triangle_features.h). Each pair is tested up to the earliest contact so far, which is never late. 30 to
// 200 ns for triangles that one plane separates. After Zhang and Kim 2012, "Simple culling methods for continuous
// collision detection of deforming triangles"; the advancement of whole triangles is local advancement, Tang, Kim and
// Manocha 2010.
#include "pair/triangle_pair.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "cull/surface/triangle_features.h"
#include "pair/advancement.h"
#include "toccata/research.h"

enum { COMMON_ALL = (1 << 9) - 1 };

static bool has_common_vertex(const toc_triangle_feature *feature, uint32_t common) {
    const int second = feature->kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < second; i++)
        for (int j = second; j < 4; j++) {
            const int p = feature->at[i], q = feature->at[j];
            const int a = p < q ? p : q, b = p < q ? q : p;
            assert(a < 3 && b >= 3);
            if (common >> (3 * a + b - 3) & 1) return true;
        }
    return false;
}

static unsigned pairs_to_test(uint32_t common) {
    unsigned pairs = TOC_TRIANGLE_ALL;
    for (int bit = 0; common && bit < TOC_TRIANGLE_PAIRS; bit++) {
        const toc_triangle_feature feature = toc_triangle_feature_of(bit);
        if (has_common_vertex(&feature, common)) pairs &= ~(1u << bit);
    }
    return pairs;
}

static bool is_earlier(const toc_hit *hit, const toc_hit *best) {
    if (hit->verdict == TOC_APART) return false;
    if (best->verdict == TOC_APART || hit->toc < best->toc) return true;
    return hit->toc == best->toc && best->verdict == TOC_UNDECIDED && hit->verdict == TOC_HIT;
}

static toc_status test_feature(const toc_triangle_pair *pair, int bit, const toc_pair_test *test, toc_arena *scratch,
                               toc_triangle_hit *best) {
    const toc_triangle_feature feature = toc_triangle_feature_of(bit);
    double x0[4][3], x1[4][3];
    for (int k = 0; k < 4; k++) {
        memcpy(x0[k], pair->x0[feature.at[k]], sizeof x0[k]);
        memcpy(x1[k], pair->x1[feature.at[k]], sizeof x1[k]);
    }
    toc_hit hit;
    TOC_TRY(toc_pair_find_unchecked(feature.kind, (const double(*)[3])x0, (const double(*)[3])x1, test, scratch, &hit));
    best->tested++;
    if (!is_earlier(&hit, &best->hit)) return TOC_OK;
    best->hit = hit;
    best->kind = feature.kind;
    best->pair = bit;
    for (int k = 0; k < 4; k++) best->corner[k] = feature.at[k];
    return TOC_OK;
}

// The time up to which the whole triangles are certainly apart; false if that is the whole time of the question.
static bool advance_triangles(const toc_moving *both, toc_pair_test *test) {
    const toc_stop stop = toc_stop_of(test, both->size);
    const toc_advance advance = {TOC_BOUND_ALONG, stop, test->separation, test->from, test->to};
    double reached = test->from;
    if (toc_advance_run(both, toc_feature_query_of_triangles(), &advance, &reached) == TOC_APART) return false;
    test->from = reached;
    return true;
}

toc_status toc_triangles_find_unchecked(const toc_triangle_pair *pair, const toc_pair_test *test, toc_arena *scratch,
                                        toc_triangle_hit *out) {
    toc_triangle_hit best = {.hit = {.verdict = TOC_APART}, .pair = -1};
    toc_pair_test rest = *test;
    toc_moving both;
    toc_moving_set(&both, 6, pair->x0, pair->x1);
    unsigned left = pairs_to_test(pair->common);
    left = toc_triangle_cull(&both, test->separation, left, TOC_TRIANGLE_STEP_ALL & ~pair->skip, best.removed);
    if (left && test->method == TOC_METHOD_CA_TRIANGLE && !pair->common && !advance_triangles(&both, &rest)) left = 0;
    // The method `culling` tries two axes of a feature pair, and these were tried already: only its advancement is
    // left.
    if (test->method == TOC_METHOD_CULLING) rest.method = TOC_METHOD_CA_TRIANGLE;
    for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
        if (!(left >> bit & 1)) continue;
        TOC_TRY(test_feature(pair, bit, &rest, scratch, &best));
        if (best.hit.verdict != TOC_APART) rest.to = best.hit.toc;
    }
    *out = best;
    return TOC_OK;
}

static toc_status check_triangle_corners(const double x[6][3], const char *end) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(x[i][k]))
                return toc_fail(TOC_BAD_INPUT, "coordinate %c of corner %d at the %s is %g", "xyz"[k], i, end, x[i][k]);
    return TOC_OK;
}

static toc_status check_triangles(const toc_triangle_pair *pair) {
    TOC_TRY(check_triangle_corners(pair->x0, "start"));
    TOC_TRY(check_triangle_corners(pair->x1, "end"));
    if (pair->common & ~(uint32_t)COMMON_ALL)
        return toc_fail(TOC_BAD_INPUT, "two triangles have 9 pairs of corners, bits 0 to 8, but `common` is 0x%x",
                        (unsigned)pair->common);
    if (pair->skip & ~(uint32_t)TOC_TRIANGLE_STEP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there are %d culling steps, but `skip` is 0x%x", TOC_TRIANGLE_STEP_COUNT,
                        (unsigned)pair->skip);
    return TOC_OK;
}

toc_status toc_triangles_find_sized(const toc_triangle_pair *pair, const toc_pair_test *test, toc_triangle_hit *out,
                                    size_t size) {
    TOC_SCOPED_ARITHMETIC;
    toc_pair_test settings;
    toc_triangle_hit hit;
    TOC_NEED(pair);
    TOC_NEED(out);
    TOC_TRY(toc_pair_test_take(test, &settings));
    TOC_TRY(check_triangles(pair));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_triangles_find_unchecked(pair, &settings, &scratch, &hit);
    toc_arena_free(&scratch);
    if (status != TOC_OK) return status;
    memset(out, 0, size);
    memcpy(out, &hit, size < sizeof hit ? size : sizeof hit);
    return TOC_OK;
}
