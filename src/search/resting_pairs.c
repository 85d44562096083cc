// SPDX-License-Identifier: Apache-2.0
// Keeping feature pairs that rest, and asking about them.
#include "search/resting_pairs.h"

#include <string.h>

#include "cull/surface/triangle_features.h"

static bool are_close(const toc_narrow_phase *testers, toc_kind kind, const uint32_t v[4]) {
    const toc_step *step = testers->step;
    double x[4][3];
    toc_moving moving;
    for (int i = 0; i < 4; i++) memcpy(x[i], step->x0 + 3 * (size_t)v[i], sizeof x[i]);
    toc_moving_set(&moving, 4, (const double(*)[3])x, (const double(*)[3])x);
    return !toc_feature_cull(kind, &moving, testers->test.separation + testers->test.tolerance);
}

static toc_status keep(const toc_narrow_phase *testers, toc_kind kind, const toc_feature_pair *quads, size_t count,
                       toc_primitive_pair primitives, toc_resting_pairs *kept) {
    for (size_t i = 0; i < count; i++) {
        if (!are_close(testers, kind, quads[i].v)) continue;
        TOC_TRY(toc_array_reserve(&testers->allocator, kept, 1));
        kept->at[kept->count++] = (toc_resting_pair){kind, quads[i], primitives};
    }
    return TOC_OK;
}

toc_status toc_rest_keep(const toc_narrow_phase *testers, const toc_feature_pairs *pairs, toc_primitive_pair primitives,
                         toc_resting_pairs *kept) {
    TOC_TRY(keep(testers, TOC_VF, pairs->vf, pairs->vf_count, primitives, kept));
    return keep(testers, TOC_EE, pairs->ee, pairs->ee_count, primitives, kept);
}

toc_status toc_rest_join(const toc_allocator *allocator, const toc_resting_pairs *more, toc_resting_pairs *all) {
    TOC_TRY(toc_array_reserve(allocator, all, more->count));
    if (more->count) memcpy(all->at + all->count, more->at, more->count * sizeof *more->at);
    all->count += more->count;
    return TOC_OK;
}

toc_status toc_rest_ask(const toc_resting_pairs *pairs, size_t round,
                        bool (*rests)(const void *user, toc_primitive_pair primitives), const void *user,
                        toc_feature_pairs *scratch, toc_narrow_worker *tester) {
    const size_t first = round * TOC_REST_ROUND, left = pairs->count - first;
    scratch->vf_count = scratch->ee_count = 0;
    for (size_t i = first; i < first + (left < TOC_REST_ROUND ? left : TOC_REST_ROUND); i++) {
        const toc_resting_pair *pair = &pairs->at[i];
        if (!rests(user, pair->primitives)) continue;
        if (pair->kind == TOC_VF)
            scratch->vf[scratch->vf_count++] = pair->quad;
        else
            scratch->ee[scratch->ee_count++] = pair->quad;
    }
    TOC_TRY(toc_narrow_worker_ask(tester, TOC_VF, scratch->vf, scratch->vf_count));
    return toc_narrow_worker_ask(tester, TOC_EE, scratch->ee, scratch->ee_count);
}
