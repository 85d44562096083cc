// SPDX-License-Identifier: Apache-2.0
// What is near, at one end of the step or at any time of it: pairs of features within a thickness of each other.
//
// Complete: at an instant a pair is left out only when an axis shows, with its rounding bounded, that more than the
// thickness lies between the two. The axis is the closest vector that floating point finds (src/exact/distance.c);
// where that is bad the pair stays. Over the step the certified test decides. Distances, places and the moment of the
// closest approach are plain floating point. O(n log n) and the pairs close by.
#include <string.h>

#include "base/threads.h"
#include "cull/axis.h"
#include "exact/certified.h"
#include "exact/distance.h"
#include "exact/pair.h"
#include "query/instant.h"
#include "query/tree.h"

typedef struct result {
    toc_near near; // the first field, so that one pointer is the other
    toc_allocator allocator;
    toc_near_pair *pairs;
} result;

typedef struct search {
    toc_instant_search common; // the first field, so that its workers find the rest
    const toc_end *end;        // NULL for all of the step
    double thickness;
    double thickest; // of all bodies and elements
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

static local make_local(const toc_step *step, const uint32_t v[4], double time) {
    double x[4][3];
    for (int i = 0; i < 4; i++)
        toc_positions_at(time, 3, step->x0 + 3 * (size_t)v[i], step->x1 + 3 * (size_t)v[i], x[i]);
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
    for (int i = 0; i < 4; i++) {
        double x[3];
        toc_positions_at(pair->time, 3, step->x0 + 3 * (size_t)v[i], step->x1 + 3 * (size_t)v[i], x);
        for (int k = 0; k < 3; k++) pair->points[i >= second][k] += pair->weights[i] * x[k];
    }
}

// The closest points at a time.
typedef struct moment {
    double time;
    local at;
    toc_closest closest;
} moment;

static moment look(const toc_step *step, toc_kind kind, const uint32_t v[4], double time) {
    moment m = {.time = time, .at = make_local(step, v, time)};
    m.closest = kind == TOC_VF ? toc_closest_vf(m.at.at.y0) : toc_closest_ee(m.at.at.y0);
    return m;
}

static toc_near_pair describe(const search *s, toc_kind kind, const uint32_t v[4], const moment *m, double thickness) {
    const toc_step *step = &s->common.step;
    const int second = kind == TOC_VF ? 1 : 2;
    toc_near_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.kind = kind;
    pair.body[0] = toc_step_body(step, v[0]);
    pair.body[1] = toc_step_body(step, v[second]);
    for (int i = 0; i < 4; i++) pair.v[i] = v[i] - step->body_first[pair.body[i >= second]];
    pair.distance = ldexp(m->closest.distance, m->at.exponent);
    pair.time = m->time;
    pair.thickness = thickness;
    memcpy(pair.weights, m->closest.weights, sizeof pair.weights);
    const toc_vec away = toc_vec_unit(m->closest.gap);
    toc_vec_to(pair.normal, (toc_vec){0 - away.x, 0 - away.y, 0 - away.z});
    place(step, v, second, &pair);
    if (s->end) pair.time = *s->end;
    return pair;
}

// ---- how thick features are

static double thickness_of(const search *s, int corners, const uint32_t *v) {
    const toc_step *step = &s->common.step;
    const uint32_t at = toc_step_body(step, v[0]);
    const toc_body *body = &s->common.scene->bodies.at[at];
    uint32_t ids[3];
    size_t count;
    for (int i = 0; i < corners; i++) ids[i] = v[i] - step->body_first[at];
    const uint32_t *around = toc_elements_around(body, corners, ids, &count);
    double thickest = body->thickness;
    for (size_t i = 0; i < count; i++)
        thickest = toc_larger(thickest, toc_mesh_element(body->mesh, around[i]).thickness);
    return thickest;
}

// How near two features must be.
static double limit_of(const search *s, toc_kind kind, const uint32_t v[4]) {
    if (s->thickest == 0) return s->thickness;
    const int first = kind == TOC_VF ? 1 : 2, second = 4 - first;
    return s->thickness + (thickness_of(s, first, v) + thickness_of(s, second, v + first)) / 2;
}

static double thickest_of(const toc_scene *scene) {
    double thickest = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        thickest = toc_larger(thickest, scene->bodies.at[b].thickness);
        for (uint32_t i = 0; i < toc_mesh_element_count(mesh); i++)
            thickest = toc_larger(thickest, toc_mesh_element(mesh, i).thickness);
    }
    return thickest;
}

// ---- the search

enum { MOMENTS = 128 }; // that are looked at, at most

// Part of the step. Between its ends the distance stays above what both ends and the speed allow.
typedef struct interval {
    double low, high, at_low, at_high, bound;
} interval;

// A search for the moment of the closest approach.
typedef struct approach {
    const toc_step *step;
    toc_kind kind;
    const uint32_t *v;
    double speed; // no distance changes faster
    double time, least;
    int count;
    interval parts[MOMENTS]; // that are left to be looked into
} approach;

static double look_closer(approach *a, double time) {
    const moment m = look(a->step, a->kind, a->v, time);
    const double distance = ldexp(m.closest.distance, m.at.exponent);
    if (distance < a->least) a->time = time, a->least = distance;
    return distance;
}

static void add_part(approach *a, double low, double at_low, double high, double at_high) {
    const double bound = toc_larger((at_low + at_high - a->speed * (high - low)) / 2, 0);
    a->parts[a->count++] = (interval){low, high, at_low, at_high, bound};
}

// Cut the most promising part in two. False when none can hold a distance that is smaller by more than `close`.
static bool narrow(approach *a, double close) {
    int best = 0;
    for (int i = 1; i < a->count; i++)
        if (a->parts[i].bound < a->parts[best].bound) best = i;
    const interval part = a->parts[best];
    if (part.bound >= a->least - close) return false;
    const double middle = (part.low + part.high) / 2, at_middle = look_closer(a, middle);
    a->parts[best] = a->parts[--a->count];
    add_part(a, part.low, part.at_low, middle, at_middle);
    add_part(a, middle, at_middle, part.high, part.at_high);
    return true;
}

static toc_vec motion_of(const toc_step *step, uint32_t v) {
    return toc_vec_sub(toc_vec_of(step->x1 + 3 * (size_t)v), toc_vec_of(step->x0 + 3 * (size_t)v));
}

// How fast any point of the first feature can come nearer to any of the second.
static double speed_of(const toc_step *step, toc_kind kind, const uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    double fastest = 0;
    for (int i = 0; i < second; i++)
        for (int j = second; j < 4; j++)
            fastest = toc_larger(fastest, toc_vec_length(toc_vec_sub(motion_of(step, v[i]), motion_of(step, v[j]))));
    return fastest;
}

static double closest_time(const toc_step *step, toc_kind kind, const uint32_t v[4], double known, double limit) {
    approach a = {.step = step, .kind = kind, .v = v, .speed = speed_of(step, kind, v), .least = INFINITY, .count = 0};
    const double at_known = look_closer(&a, known), at_start = look_closer(&a, 0), at_end = look_closer(&a, 1);
    add_part(&a, 0, at_start, known, at_known);
    add_part(&a, known, at_known, 1, at_end);
    while (a.count < MOMENTS && narrow(&a, 0x1p-10 * limit)) {
    }
    return a.time;
}

// Whether two features come as near as that at any time, and when first.
static toc_status come_near(toc_instant_worker *w, toc_kind kind, const uint32_t v[4], double limit, toc_hit *hit) {
    const toc_step *step = &w->all->step;
    toc_pair_test test = toc_pair_test_default();
    toc_pair pair;
    test.separation = limit;
    for (int i = 0; i < 4; i++) {
        memcpy(pair.x0[i], step->x0 + 3 * (size_t)v[i], sizeof pair.x0[i]);
        memcpy(pair.x1[i], step->x1 + 3 * (size_t)v[i], sizeof pair.x1[i]);
    }
    const toc_pair *moving = &pair;
    return toc_pair_find_unchecked(kind, moving->x0, moving->x1, &test, &w->scratch, hit);
}

static toc_status test(toc_instant_worker *w, toc_kind kind, const uint32_t v[4]) {
    const search *s = (const search *)w->all;
    if (toc_filter_is_active(&w->all->filter) && !toc_filter_wants(&w->all->filter, kind, v)) return TOC_OK;
    const double limit = limit_of(s, kind, v);
    double time = 0;
    if (!s->end) {
        toc_hit hit;
        TOC_TRY(come_near(w, kind, v, limit, &hit));
        if (hit.verdict == TOC_APART) return TOC_OK;
        time = closest_time(&w->all->step, kind, v, hit.toc, limit);
    }
    const moment m = look(&w->all->step, kind, v, time);
    if (s->end && certainly_farther(&m.at.at, kind == TOC_VF ? 1 : 2, m.closest.gap, ldexp(limit, -m.at.exponent)))
        return TOC_OK;
    const toc_near_pair pair = describe(s, kind, v, &m, limit);
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
    TOC_TRY(toc_instant_tree(&s->common, (s->thickness + s->thickest) / 2, &tree)); // on either side
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

static toc_status check_thickness(double thickness) {
    if (thickness >= 0 && isfinite(thickness)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the thickness is %g; it must be a number that is not negative", thickness);
}

// Between the ends paths must be straight.
static toc_status check_paths(const toc_scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++)
        if (toc_mesh_acceleration(scene->bodies.at[i].mesh))
            return toc_fail(TOC_BAD_INPUT, "body %zu is accelerated; what is near is found at the ends of its step", i);
    return TOC_OK;
}

static toc_status find(toc_scene *scene, const toc_query *query, const toc_end *end, double thickness, toc_near **out) {
    const double start = toc_seconds();
    TOC_TRY(check_thickness(thickness));
    if (!end) TOC_TRY(check_paths(scene));
    search s = {.end = end, .thickness = thickness, .thickest = thickest_of(scene)};
    toc_status status = toc_instant_begin(scene, query, end, sizeof(toc_near_pair), &s.common);
    if (status == TOC_OK) status = run(&s, start, out);
    toc_instant_free(&s.common);
    return status;
}

toc_status toc_scene_find_near(toc_scene *scene, const toc_query *query, toc_end end, double thickness,
                               toc_near **out) {
    return find(scene, query, &end, thickness, out);
}

toc_status toc_scene_find_near_in_step(toc_scene *scene, const toc_query *query, double thickness, toc_near **out) {
    return find(scene, query, NULL, thickness, out);
}

toc_status toc_scene_set_body_thickness(toc_scene *scene, uint32_t body, double thickness) {
    if (body >= scene->bodies.count)
        return toc_fail(TOC_BAD_INPUT, "there is no body %u; the scene has %zu", body, scene->bodies.count);
    TOC_TRY(check_thickness(thickness));
    scene->bodies.at[body].thickness = thickness;
    return TOC_OK;
}

void toc_near_destroy(toc_near *near) {
    if (!near) return;
    result *r = (result *)near;
    const toc_allocator allocator = r->allocator;
    toc_free(&allocator, r->pairs, r->near.count, sizeof *r->pairs);
    toc_free(&allocator, r, 1, sizeof *r);
}
