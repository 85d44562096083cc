// SPDX-License-Identifier: Apache-2.0
// What is near at one end of the step: pairs of features within a thickness of each other.
//
// Complete: a pair is left out only when an axis shows, with its rounding bounded, that more than the thickness lies
// between the two. The axis is the closest vector that floating point finds (src/exact/distance.c); where that is bad
// the pair stays. Distances and places are plain floating point. O(n log n) and the pairs close by.
#include <string.h>

#include "base/threads.h"
#include "cull/axis.h"
#include "exact/distance.h"
#include "query/instant.h"
#include "query/tree.h"

typedef struct result {
    toc_near near; // the first field, so that one pointer is the other
    toc_allocator allocator;
    toc_near_pair *pairs;
} result;

typedef struct search {
    toc_instant_search common; // the first field, so that its workers find the rest
    double thickness;
} search;

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

static int by_features(const void *a, const void *b) {
    const toc_near_pair *x = a, *y = b;
    COMPARE(x->kind, y->kind);
    COMPARE(x->body[0], y->body[0]);
    COMPARE(x->body[1], y->body[1]);
    for (int i = 0; i < 4; i++) COMPARE(x->v[i], y->v[i]);
    return 0;
}

// Four vertices relative to the first, times 2^-exponent: about 1, so that nothing over- or underflows on the way.
typedef struct local {
    toc_moving at;
    int exponent;
} local;

static local make_local(const toc_step *step, const uint32_t v[4]) {
    double x[4][3];
    for (int i = 0; i < 4; i++) memcpy(x[i], step->x0 + 3 * (size_t)v[i], sizeof x[i]);
    local l;
    toc_moving_set(&l.at, 4, (const double(*)[3])x, (const double(*)[3])x);
    frexp(l.at.size, &l.exponent);
    for (int i = 0; i < 4; i++) {
        const toc_vec y = l.at.y0[i];
        l.at.y0[i] = (toc_vec){ldexp(y.x, -l.exponent), ldexp(y.y, -l.exponent), ldexp(y.z, -l.exponent)};
    }
    l.at.size = ldexp(l.at.size, -l.exponent);
    return l;
}

// Whether more than the thickness lies between the two along the axis, for certain. The product of thickness and length
// is off by less than 8 roundings; 2^-48 is 32 of them.
static bool certainly_farther(const toc_moving *at, int second, toc_vec axis, double thickness) {
    double first_end = -INFINITY, second_start = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double along = toc_vec_dot(at->y0[i], axis);
        if (i < second)
            first_end = toc_larger(first_end, along);
        else
            second_start = toc_smaller(second_start, along);
    }
    const double wanted = thickness * toc_vec_length(axis) * (1 + 0x1p-48);
    return second_start - first_end - toc_axis_margin(at, axis) > wanted;
}

static void place(const toc_step *step, const uint32_t v[4], int second, toc_near_pair *pair) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            pair->points[i >= second][k] += pair->weights[i] * step->x0[3 * (size_t)v[i] + (size_t)k];
}

static toc_near_pair describe(const toc_step *step, toc_kind kind, const uint32_t v[4], const toc_closest *closest,
                              int exponent) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_near_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.kind = kind;
    pair.body[0] = toc_step_body(step, v[0]);
    pair.body[1] = toc_step_body(step, v[second]);
    for (int i = 0; i < 4; i++) pair.v[i] = v[i] - step->body_first[pair.body[i >= second]];
    pair.distance = ldexp(closest->distance, exponent);
    memcpy(pair.weights, closest->weights, sizeof pair.weights);
    const toc_vec away = toc_vec_unit(closest->gap);
    toc_vec_to(pair.normal, (toc_vec){0 - away.x, 0 - away.y, 0 - away.z});
    place(step, v, second, &pair);
    return pair;
}

static toc_status test(toc_instant_worker *w, toc_kind kind, const uint32_t v[4]) {
    const search *s = (const search *)w->all;
    if (toc_filter_is_active(&w->all->filter) && !toc_filter_wants(&w->all->filter, kind, v)) return TOC_OK;
    const local l = make_local(&w->all->step, v);
    const toc_closest closest = kind == TOC_VF ? toc_closest_vf(l.at.y0) : toc_closest_ee(l.at.y0);
    if (certainly_farther(&l.at, kind == TOC_VF ? 1 : 2, closest.gap, ldexp(s->thickness, -l.exponent))) return TOC_OK;
    const toc_near_pair pair = describe(&w->all->step, kind, v, &closest, l.exponent);
    return toc_instant_keep(w, &pair);
}

static toc_status take_leaf_pairs(void *user, const toc_node_pair *pairs, size_t count) {
    toc_instant_worker *w = user;
    toc_feature_pairs *features = w->pairs;
    toc_cull_features(&w->all->scene->tree->owned, pairs, count, features);
    for (size_t i = 0; i < features->vf_count; i++) TOC_TRY(test(w, TOC_VF, features->vf[i].v));
    for (size_t i = 0; i < features->ee_count; i++) TOC_TRY(test(w, TOC_EE, features->ee[i].v));
    return TOC_OK;
}

static toc_status run(search *s, double start, toc_near **out) {
    const toc_tree *tree;
    void *pairs;
    size_t count;
    TOC_TRY(toc_instant_tree(&s->common, s->thickness / 2, &tree)); // on either side
    TOC_TRY(toc_instant_run(&s->common, &tree->bvh, take_leaf_pairs));
    TOC_TRY(toc_instant_collect(&s->common, by_features, &pairs, &count));
    const toc_allocator allocator = s->common.scene->allocator;
    result *r = toc_new(&allocator, 1, sizeof *r);
    if (!r) {
        toc_free(&allocator, pairs, count, sizeof *r->pairs);
        return TOC_OUT_OF_MEMORY;
    }
    *r = (result){.near = {count, pairs, toc_seconds() - start}, .allocator = allocator, .pairs = pairs};
    *out = &r->near;
    return TOC_OK;
}

toc_status toc_scene_find_near(toc_scene *scene, const toc_query *query, toc_end end, double thickness,
                               toc_near **out) {
    const double start = toc_seconds();
    if (!(thickness >= 0) || !isfinite(thickness))
        return toc_fail(TOC_BAD_INPUT, "the thickness is %g; it must be a number that is not negative", thickness);
    search s = {.thickness = thickness};
    toc_status status = toc_instant_begin(scene, query, end, sizeof(toc_near_pair), &s.common);
    if (status == TOC_OK) status = run(&s, start, out);
    toc_instant_free(&s.common);
    return status;
}

void toc_near_destroy(toc_near *near) {
    if (!near) return;
    result *r = (result *)near;
    const toc_allocator allocator = r->allocator;
    toc_free(&allocator, r->pairs, r->near.count, sizeof *r->pairs);
    toc_free(&allocator, r, 1, sizeof *r);
}
