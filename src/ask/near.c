// SPDX-License-Identifier: Apache-2.0
// What is near, at one end of the step or at any time of it: pairs of features within a thickness of each other.
//
// Complete: at an instant a pair is left out only when an axis shows, with its rounding bounded, that more than the
// thickness lies between the two. The axis is the closest vector that floating point finds (src/pair/distance.c);
// where that is bad the pair stays. Over the step the certified test leaves out what is apart, and such axes for parts
// of the step what it cannot tell: a pair that stays comes as near, or by a millionth less. Distances and places are
// plain floating point. O(n log n) and the pairs close by.
#include <string.h>

#include "ask/static_search.h"
#include "base/threads.h"
#include "cull/axis.h"
#include "pair/certified.h"
#include "pair/distance.h"
#include "pair/pair.h"
#include "search/surface_tree.h"

typedef struct result {
    toc_near near; // the first field, so that one pointer is the other
    toc_allocator allocator;
    toc_near_pair *pairs;
} result;

typedef struct search {
    toc_static_search common; // the first field, so that its workers find the rest
    const toc_end *end;       // NULL for all of the step
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

static toc_vec scaled(toc_vec v, int exponent) {
    return (toc_vec){ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent)};
}

static local make_local(const toc_step *step, const uint32_t v[4], double time) {
    double x[4][3];
    for (int i = 0; i < 4; i++)
        toc_positions_interpolate(time, 3, step->x0 + 3 * (size_t)v[i], step->x1 + 3 * (size_t)v[i], x[i]);
    local l;
    toc_moving_set(&l.at, 4, (const double(*)[3])x, (const double(*)[3])x);
    frexp(l.at.size, &l.exponent);
    for (int i = 0; i < 4; i++) l.at.y0[i] = scaled(l.at.y0[i], -l.exponent);
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
        toc_positions_interpolate(pair->time, 3, step->x0 + 3 * (size_t)v[i], step->x1 + 3 * (size_t)v[i], x);
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
        thickest = toc_larger(thickest, toc_mesh_get_element(body->mesh, around[i]).thickness);
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
        for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++)
            thickest = toc_larger(thickest, toc_mesh_get_element(mesh, i).thickness);
    }
    return thickest;
}

// ---- the search

// A search for the moment of the closest approach, and for whether that is close enough.
typedef struct approach {
    toc_kind kind;
    toc_moving path;     // times 2^-exponent, about 1
    double limit, close; // how near is near, and how much more cannot be told from it; times 2^-exponent
    double time, least;  // the closest so far
    bool unsure;         // whether a part of the step was too short to be looked into further
} approach;

static const double SHARE = 0x1p-20;    // of the thickness, that cannot be told from it
static const double NOTHING = 0x1p-40;  // likewise, of the size of a pair: what positions between the ends are good for
static const double SHORTEST = 0x1p-40; // part of a step that is looked into

static approach make_approach(const toc_step *step, toc_kind kind, const uint32_t v[4], double limit) {
    double x0[4][3], x1[4][3];
    int exponent;
    approach a = {.kind = kind, .least = INFINITY};
    for (int i = 0; i < 4; i++) {
        memcpy(x0[i], step->x0 + 3 * (size_t)v[i], sizeof x0[i]);
        memcpy(x1[i], step->x1 + 3 * (size_t)v[i], sizeof x1[i]);
    }
    toc_moving_set(&a.path, 4, (const double(*)[3])x0, (const double(*)[3])x1);
    a.unsure = !isfinite(a.path.size);
    frexp(a.unsure ? 1 : a.path.size, &exponent);
    for (int i = 0; i < 4; i++) {
        a.path.y0[i] = scaled(a.path.y0[i], -exponent);
        a.path.y1[i] = scaled(a.path.y1[i], -exponent);
    }
    a.path.size = ldexp(a.path.size, -exponent);
    a.limit = ldexp(limit, -exponent);
    a.close = toc_larger(SHARE * a.limit, NOTHING);
    return a;
}

static toc_vec look_closer(approach *a, double time) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_mix(a->path.y0[i], a->path.y1[i], time);
    const toc_closest closest = a->kind == TOC_VF ? toc_closest_vf(x) : toc_closest_ee(x);
    if (closest.distance < a->least) a->time = time, a->least = closest.distance;
    return closest.gap;
}

// How far apart they are along an axis at a time, times its length.
static double gap_along(const approach *a, toc_vec axis, double time) {
    const int second = a->kind == TOC_VF ? 1 : 2;
    double first_end = -INFINITY, second_start = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double along = toc_vec_dot(toc_vec_mix(a->path.y0[i], a->path.y1[i], time), axis);
        if (i < second)
            first_end = toc_larger(first_end, along);
        else
            second_start = toc_smaller(second_start, along);
    }
    return second_start - first_end;
}

// Look into a part of the step. Along the axis between the closest points in its middle, no distance is smaller than
// at its ends: nothing there is near, or closer by more than counts, or its halves are looked into. They need few
// looks, since the axis hardly turns in a short time.
static void narrow(approach *a, double from, double to) {
    if (a->least <= a->close) return;
    const double middle = (from + to) / 2;
    const toc_vec axis = look_closer(a, middle);
    const double length = toc_vec_length(axis), margin = toc_axis_margin(&a->path, axis);
    const double gap = toc_smaller(gap_along(a, axis, from), gap_along(a, axis, to)) - margin;
    if (gap > a->limit * length * (1 + 0x1p-48) || gap >= (a->least - a->close) * length) return;
    if (to - from < SHORTEST) {
        a->unsure = true;
        return;
    }
    narrow(a, from, middle);
    narrow(a, middle, to);
}

// Whether they come near, and the moment of the closest approach. Where it is known that they do, that is as told.
static bool comes_near(const toc_step *step, toc_kind kind, const uint32_t v[4], double limit, const toc_hit *hit,
                       double *time) {
    approach a = make_approach(step, kind, v, limit);
    if (a.unsure) {
        *time = hit->toc;
        return true;
    }
    look_closer(&a, hit->toc);
    look_closer(&a, 0);
    look_closer(&a, 1);
    narrow(&a, 0, 1);
    *time = a.time;
    return limit == 0 || a.unsure || a.least <= a.limit + a.close;
}

// What the certified test tells: apart is apart, and the rest may be.
static toc_status ask(toc_static_worker *w, toc_kind kind, const uint32_t v[4], double limit, toc_hit *hit) {
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

static toc_status test(toc_static_worker *w, toc_kind kind, const uint32_t v[4]) {
    const search *s = (const search *)w->all;
    if (toc_filter_is_active(&w->all->filter) && !toc_filter_wants(&w->all->filter, kind, v)) return TOC_OK;
    const double limit = limit_of(s, kind, v);
    double time = 0;
    if (!s->end) {
        toc_hit hit;
        TOC_TRY(ask(w, kind, v, limit, &hit));
        if (hit.verdict == TOC_APART) return TOC_OK;
        if (!comes_near(&w->all->step, kind, v, limit, &hit, &time)) return TOC_OK;
    }
    const moment m = look(&w->all->step, kind, v, time);
    if (s->end && certainly_farther(&m.at.at, kind == TOC_VF ? 1 : 2, m.closest.gap, ldexp(limit, -m.at.exponent)))
        return TOC_OK;
    const toc_near_pair pair = describe(s, kind, v, &m, limit);
    return toc_static_keep(w, &pair);
}

static toc_status take_leaf_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    toc_static_worker *w = user;
    toc_feature_pairs *features = w->pairs;
    toc_cull_features(&w->all->scene->tree->owned, pairs, count, features);
    for (size_t i = 0; i < features->vf_count; i++) TOC_TRY(test(w, TOC_VF, features->vf[i].v));
    for (size_t i = 0; i < features->ee_count; i++) TOC_TRY(test(w, TOC_EE, features->ee[i].v));
    return TOC_OK;
}

static toc_status run(search *s, double start, toc_near **out) {
    const toc_surface_tree *tree;
    void *pairs;
    size_t count;
    TOC_TRY(toc_static_tree(&s->common, (s->thickness + s->thickest) / 2, &tree)); // on either side
    TOC_TRY(toc_static_run(&s->common, &tree->bvh, take_leaf_pairs));
    TOC_TRY(toc_static_collect(&s->common, by_features, &pairs, &count));
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
        if (toc_mesh_get_acceleration(scene->bodies.at[i].mesh))
            return toc_fail(TOC_BAD_INPUT, "body %zu is accelerated; what is near is found at the ends of its step", i);
    return TOC_OK;
}

static toc_status find(toc_scene *scene, const toc_query *query, const toc_end *end, double thickness, toc_near **out) {
    const double start = toc_seconds();
    TOC_NEED(scene);
    TOC_NEED(out);
    TOC_TRY(check_thickness(thickness));
    if (!end) TOC_TRY(check_paths(scene));
    search s = {.end = end, .thickness = thickness, .thickest = thickest_of(scene)};
    toc_status status = toc_static_begin(scene, query, end, sizeof(toc_near_pair), &s.common);
    if (status == TOC_OK) status = run(&s, start, out);
    toc_static_free(&s.common);
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
    TOC_NEED(scene);
    TOC_TRY(toc_scene_need_body(scene, body));
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
