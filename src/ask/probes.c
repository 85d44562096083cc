// SPDX-License-Identifier: Apache-2.0
// Probes: the closest point of a scene to a point, and the first hit of a segment, at an instant.
//
// Both walk the static tree that near pairs use, nearest nodes first, and skip a node only if its box is farther than
// the best answer by more than all rounding: the answer does not depend on the shape of the tree. A segment is a vertex
// that moves through resting faces, so that the exact elementary test decides about each hit (docs/guarantees.md, G2,
// G3, G19). O(log n) for points near the scene and for segments that hit early.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ask/static_search.h"
#include "pair/distance.h"
#include "pair/pair.h"
#include "search/surface_tree.h"
#include "toccata/solver.h"

enum { PROBES_A_ROUND = 16 };

// A node to visit, with the distance or the time at which it begins.
typedef struct probe_node {
    uint32_t node;
    double from;
} probe_node;

typedef struct probe_worker {
    toc_arena scratch;
    TOC_ARRAY(probe_node) stack;
} probe_worker;

typedef struct probe_search {
    toc_static_search common;
    toc_end end;
    uint64_t mask;
    size_t count;
    const double *input; // 3 or 6 doubles each
    double reach;        // of points
    toc_scene_point *points;
    toc_segment_hit *hits;
    probe_worker *workers;
} probe_search;

// A probe in the frame of the tree: a point, or a segment from one point to the other.
typedef struct probe_line {
    double at[2][3];
    double size; // largest coordinate, at least 2: that of the boxes
} probe_line;

static probe_line place_probe(const toc_frame *frame, const double *points, int count) {
    probe_line line = {.size = 2};
    for (int i = 0; i < 3 * count; i++) {
        line.at[i / 3][i % 3] = (points[i] - frame->centre[i % 3]) * frame->scale;
        line.size = toc_larger(line.size, fabs(line.at[i / 3][i % 3]));
    }
    return line;
}

static bool body_counts(const probe_search *s, uint32_t body) {
    return s->mask == UINT64_MAX || (s->common.scene->bodies.at[body].groups & s->mask);
}

// ---- nodes

// A distance, in the frame, that all points of a node keep from a point. Positions in the frame are off by 2^-52 of the
// size, a computed distance by 2^-36 of it (src/pair/distance.h); 2^-33 covers both.
static double box_distance(const float low[3], const float high[3], const probe_line *line) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double x = line->at[0][c], off = toc_larger(toc_larger(low[c] - x, x - high[c]), 0);
        square += off * off;
    }
    return isfinite(square) ? toc_larger(sqrt(square) - 0x1p-33 * line->size, 0) : 0;
}

// The time before which a segment is not in the box of a node; 2 if it never is. Boxes grow by the rounding of the
// frame. A quotient is off by less than 2^-50 of itself: 2^-40 of a time is more.
static double box_time(const float low[3], const float high[3], const probe_line *line) {
    const double grown = 0x1p-45 * line->size;
    double enter = 0, leave = 1;
    for (int c = 0; c < 3; c++) {
        const double from = line->at[0][c], way = line->at[1][c] - from;
        const double below = low[c] - grown - from, above = high[c] + grown - from;
        if (!isfinite(way) || !isfinite(from)) continue;
        if (way == 0) {
            if (below > 0 || above < 0) return 2;
            continue;
        }
        const double first = (way > 0 ? below : above) / way, last = (way > 0 ? above : below) / way;
        enter = toc_larger(enter, first * (1 - 0x1p-40));
        leave = toc_smaller(leave, last * (1 + 0x1p-40));
    }
    return enter > leave ? 2 : enter;
}

// Visit the nodes that begin before a limit, which visits lower. `enters` measures a box, `visit` takes a leaf.
typedef struct probe_walk {
    const probe_search *search;
    probe_worker *worker;
    probe_line line;
    double limit; // in the unit of `enters`
    size_t probe;
    double (*enters)(const float low[3], const float high[3], const probe_line *line);
    toc_status (*visit)(struct probe_walk *walk, const toc_primitive *primitive);
} probe_walk;

// Where the box of a leaf of a block begins. A block has a row of lows for each direction, then the rows of highs.
static double leaf_begins(const probe_walk *w, const toc_bvh_node *block, uint32_t leaf) {
    const toc_bvh *bvh = &w->search->common.tree->bvh;
    const float *rows = bvh->blocks + block->left * toc_block_floats(&bvh->kind, 1) + leaf;
    float low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = rows[TOC_BLOCK * c];
        high[c] = rows[TOC_BLOCK * (bvh->kind.directions + c)];
    }
    return w->enters(low, high, &w->line);
}

static toc_status visit_block(probe_walk *w, uint32_t node) {
    const toc_surface_tree *tree = w->search->common.tree;
    const toc_bvh_node *block = &tree->bvh.nodes[node];
    assert(tree->bvh.lower.most == 0); // one DOP a leaf
    for (uint32_t i = 0; i < block->leaves; i++)
        if (leaf_begins(w, block, i) <= w->limit)
            TOC_TRY(w->visit(w, &tree->primitives.at[tree->bvh.order[block->link + i]]));
    return TOC_OK;
}

static void push_node(probe_walk *w, uint32_t node) {
    const toc_bvh *bvh = &w->search->common.tree->bvh;
    const float *low = bvh->dops + node * toc_dop_floats(&bvh->kind);
    const double from = w->enters(low, low + bvh->kind.lanes, &w->line);
    assert(w->worker->stack.count < w->worker->stack.capacity);
    if (from <= w->limit) w->worker->stack.at[w->worker->stack.count++] = (probe_node){node, from};
}

// The nearer child goes on top of the stack.
static toc_status push_children(probe_walk *w, uint32_t node) {
    const toc_bvh *bvh = &w->search->common.tree->bvh;
    TOC_TRY(toc_array_reserve(&w->search->common.scene->memory, &w->worker->stack, 2));
    const size_t before = w->worker->stack.count;
    push_node(w, bvh->nodes[node].left);
    push_node(w, bvh->nodes[node].link);
    probe_node *top = w->worker->stack.at + before;
    if (w->worker->stack.count == before + 2 && top[0].from < top[1].from) {
        const probe_node farther = top[1];
        top[1] = top[0];
        top[0] = farther;
    }
    return TOC_OK;
}

static toc_status walk_probe(probe_walk *w) {
    const toc_bvh *bvh = &w->search->common.tree->bvh;
    w->worker->stack.count = 0;
    if (bvh->count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&w->search->common.scene->memory, &w->worker->stack, 1));
    push_node(w, 0);
    while (w->worker->stack.count > 0) {
        const probe_node next = w->worker->stack.at[--w->worker->stack.count];
        if (next.from > w->limit) continue;
        TOC_TRY((toc_bvh_is_block(bvh, next.node) ? visit_block : push_children)(w, next.node));
    }
    return TOC_OK;
}

// ---- primitives

// The three corners; a loose edge or point repeats its last vertex.
static void corners_of(const toc_primitive *primitive, uint32_t v[3]) {
    v[0] = primitive->vertices[0];
    v[1] = primitive->vertices[1] != UINT32_MAX ? primitive->vertices[1] : v[0];
    v[2] = primitive->vertices[2] != UINT32_MAX ? primitive->vertices[2] : v[1];
}

// Name the vertices in their body, and add up the weights of repeated ones.
static void name_vertices(const toc_scene *scene, const toc_primitive *primitive, uint32_t body, const double given[3],
                          uint32_t v[3], double weights[3]) {
    const toc_step *step = &scene->step;
    double w[3] = {given[0], given[1], given[2]};
    if (primitive->vertices[2] == UINT32_MAX) w[1] += w[2], w[2] = 0;
    if (primitive->vertices[1] == UINT32_MAX) w[0] += w[1], w[1] = 0;
    for (int i = 0; i < 3; i++) {
        const uint32_t vertex = primitive->vertices[i];
        v[i] = vertex == UINT32_MAX ? vertex : toc_scene_vertex_id(scene, body, vertex - step->body_first[body]);
        weights[i] = w[i];
    }
}

static bool ids_come_before(uint32_t body_a, const uint32_t a[3], uint32_t body_b, const uint32_t b[3]) {
    if (body_a != body_b) return body_a < body_b;
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

static toc_status visit_closest(probe_walk *w, const toc_primitive *primitive) {
    const probe_search *s = w->search;
    const toc_step *step = &s->common.step;
    toc_scene_point *best = &s->points[w->probe];
    toc_scene_point found = {.body = toc_step_body(step, primitive->vertices[0])};
    if (!body_counts(s, found.body)) return TOC_OK;
    uint32_t corners[3];
    corners_of(primitive, corners);
    toc_vec x[4] = {toc_vec_of(s->input + 3 * w->probe)}, point = {0, 0, 0};
    for (int i = 0; i < 3; i++) x[1 + i] = toc_vec_of(step->x0 + 3 * (size_t)corners[i]);
    const toc_closest closest = toc_closest_pair(TOC_VF, x);
    found.distance = closest.distance;
    if (found.distance > s->reach || found.distance > best->distance) return TOC_OK;
    name_vertices(s->common.scene, primitive, found.body, closest.weights + 1, found.v, found.weights);
    if (found.distance == best->distance && best->body != UINT32_MAX &&
        !ids_come_before(found.body, found.v, best->body, best->v))
        return TOC_OK;
    for (int i = 0; i < 3; i++) point = toc_vec_add(point, toc_vec_scale(x[1 + i], closest.weights[1 + i]));
    toc_vec_to(found.point, point);
    *best = found;
    w->limit = found.distance * s->common.tree->motion.frame.scale;
    return TOC_OK;
}

// Whether the boxes of a segment and of a triangle are apart: certain, as nothing is rounded.
static bool boxes_are_apart(const double *a, const double *b, const double x[4][3]) {
    for (int c = 0; c < 3; c++) {
        const double low = toc_smaller(a[c], b[c]), high = toc_larger(a[c], b[c]);
        if (x[1][c] > high && x[2][c] > high && x[3][c] > high) return true;
        if (x[1][c] < low && x[2][c] < low && x[3][c] < low) return true;
    }
    return false;
}

static toc_status visit_segment(probe_walk *w, const toc_primitive *primitive) {
    const probe_search *s = w->search;
    const toc_step *step = &s->common.step;
    toc_segment_hit *best = &s->hits[w->probe];
    toc_segment_hit found = {.body = toc_step_body(step, primitive->vertices[0])};
    if (!body_counts(s, found.body)) return TOC_OK;
    const double *a = s->input + 6 * w->probe, *b = a + 3;
    toc_pair pair;
    uint32_t corners[3];
    corners_of(primitive, corners);
    for (int i = 0; i < 3; i++) memcpy(pair.x0[1 + i], step->x0 + 3 * (size_t)corners[i], sizeof pair.x0[1 + i]);
    memcpy(pair.x0[0], a, sizeof pair.x0[0]);
    pair.x1[0][0] = 0;
    const toc_pair *resting = &pair;
    if (boxes_are_apart(a, b, resting->x0)) return TOC_OK;
    memcpy(pair.x1, pair.x0, sizeof pair.x1);
    memcpy(pair.x1[0], b, sizeof pair.x1[0]);
    const toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    TOC_TRY(toc_pair_find_unchecked(TOC_VF, resting->x0, resting->x1, &test, &w->worker->scratch, &hit));
    if (hit.verdict == TOC_APART || hit.toc > best->time) return TOC_OK;
    name_vertices(s->common.scene, primitive, found.body, hit.weights + 1, found.v, found.weights);
    if (hit.toc == best->time && best->body != UINT32_MAX && !ids_come_before(found.body, found.v, best->body, best->v))
        return TOC_OK;
    found.time = hit.toc;
    memcpy(found.point, hit.point, sizeof found.point);
    memcpy(found.normal, hit.normal, sizeof found.normal);
    *best = found;
    w->limit = hit.toc * (1 + 0x1p-28); // times are at most 1e-9 of themselves early
    return TOC_OK;
}

// ---- many probes

static void no_vertices(uint32_t v[3]) { v[0] = v[1] = v[2] = UINT32_MAX; }

static toc_status run_probe(const probe_search *s, probe_worker *worker, size_t probe) {
    const toc_frame *frame = &s->common.tree->motion.frame;
    probe_walk w = {.search = s, .worker = worker, .probe = probe};
    if (s->points) {
        w.line = place_probe(frame, s->input + 3 * probe, 1);
        w.limit = s->reach * frame->scale; // may overflow to infinity: everything counts
        w.enters = box_distance;
        w.visit = visit_closest;
        s->points[probe] = (toc_scene_point){.body = UINT32_MAX, .distance = INFINITY};
        no_vertices(s->points[probe].v);
    } else {
        w.line = place_probe(frame, s->input + 6 * probe, 2);
        w.limit = 1;
        w.enters = box_time;
        w.visit = visit_segment;
        s->hits[probe] = (toc_segment_hit){.body = UINT32_MAX, .time = INFINITY};
        no_vertices(s->hits[probe].v);
    }
    return walk_probe(&w);
}

static toc_status probe_round(void *user, size_t index, int thread) {
    const probe_search *s = user;
    const size_t first = index * PROBES_A_ROUND;
    for (size_t i = first; i < first + PROBES_A_ROUND && i < s->count; i++)
        TOC_TRY(run_probe(s, &s->workers[thread], i));
    return TOC_OK;
}

static toc_status hire_probe_workers(probe_search *s) {
    const toc_allocator *allocator = &s->common.scene->memory;
    s->workers = toc_new(allocator, (size_t)s->common.threads, sizeof *s->workers);
    if (!s->workers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < s->common.threads; i++) s->workers[i].scratch = toc_arena_make(allocator);
    return TOC_OK;
}

static void free_probe_workers(probe_search *s) {
    const toc_allocator *allocator = &s->common.scene->memory;
    for (int i = 0; i < s->common.threads && s->workers; i++) {
        toc_arena_free(&s->workers[i].scratch);
        toc_array_free(allocator, &s->workers[i].stack);
    }
    toc_free(allocator, s->workers, (size_t)s->common.threads, sizeof *s->workers);
}

// Answers go to memory of the call first: a failure leaves the caller's as it was.
static toc_status run_probes(probe_search *s, size_t item_size, void *out) {
    const toc_allocator *allocator = &s->common.scene->memory;
    void *answers = toc_new(allocator, s->count, item_size);
    if (!answers) return TOC_OUT_OF_MEMORY;
    if (item_size == sizeof *s->points)
        s->points = answers;
    else
        s->hits = answers;
    toc_status status = hire_probe_workers(s);
    if (status == TOC_OK) status = toc_static_tree(&s->common, 0);
    if (status == TOC_OK)
        status = toc_loop_run(&(toc_loop){.count = (s->count + PROBES_A_ROUND - 1) / PROBES_A_ROUND,
                                          .threads = s->common.threads,
                                          .progress = &s->common.query.progress,
                                          .round = probe_round,
                                          .user = s});
    if (status == TOC_OK && s->count) memcpy(out, answers, s->count * item_size);
    free_probe_workers(s);
    toc_free(allocator, answers, s->count, item_size);
    return status;
}

_Static_assert(sizeof(toc_scene_point) != sizeof(toc_segment_hit), "run_probes tells them apart by size");

static toc_status check_probes(size_t count, size_t doubles, const double *input) {
    for (size_t i = 0; i < doubles * count; i++)
        if (!isfinite(input[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of probe %zu is %g", "xyz"[i % 3], i / doubles, input[i]);
    return TOC_OK;
}

static toc_status ask_probes(toc_scene *scene, const toc_query *query, probe_search *s, size_t item_size, void *out) {
    toc_status status = toc_static_begin(scene, query, &s->end, 1, &s->common);
    if (status == TOC_OK) status = run_probes(s, item_size, out);
    toc_static_free(&s->common);
    return status;
}

toc_status toc_scene_find_closest(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                                  toc_scene_point *out) {
    TOC_USE_SCENE(scene);
    TOC_NEED(probe);
    if (probe->count == 0) return TOC_OK;
    TOC_NEED(probe->at);
    TOC_NEED(out);
    TOC_TRY(check_probes(probe->count, 3, probe->at));
    if (!(probe->reach >= 0)) return toc_fail(TOC_BAD_INPUT, "the reach is %g; it must not be negative", probe->reach);
    probe_search s = {
        .end = end, .mask = probe->mask, .count = probe->count, .input = probe->at, .reach = probe->reach};
    return ask_probes(scene, query, &s, sizeof *out, out);
}

toc_status toc_scene_find_hits(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                               toc_segment_hit *out) {
    TOC_USE_SCENE(scene);
    TOC_NEED(probe);
    if (probe->count == 0) return TOC_OK;
    TOC_NEED(probe->at);
    TOC_NEED(out);
    TOC_TRY(check_probes(probe->count, 6, probe->at));
    probe_search s = {.end = end, .mask = probe->mask, .count = probe->count, .input = probe->at};
    return ask_probes(scene, query, &s, sizeof *out, out);
}
