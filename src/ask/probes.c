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

#include "ask/question.h"
#include "base/arithmetic.h"
#include "pair/distance.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/tree.h"
#include "toccata/solver.h"

enum { PROBES_A_ROUND = 16 };

// A node to visit, with the distance or the time at which it begins.
typedef struct probe_node {
    uint32_t node;
    double from;
} probe_node;

// The nodes that a worker has yet to visit: worker->probes.
typedef struct toc_probe_stack {
    TOC_ARRAY(probe_node) nodes;
} probe_stack;

// The question: pipeline->question->probes.
typedef struct probe_search {
    uint64_t mask;
    size_t count;
    const double *input; // 3 or 6 doubles each
    double reach;        // of points
    size_t item_size;
    void *out;               // the caller's room for answers; written on success only
    toc_scene_point *points; // the answers to points, NULL for segments
    toc_segment_hit *hits;   // the answers to segments
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

static bool body_counts(const toc_scene *scene, uint64_t mask, uint32_t body) {
    return mask == UINT64_MAX || (scene->bodies.at[body].layers & mask);
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
    const toc_scene *scene;
    const toc_step *step;
    const toc_surface_tree *tree;
    probe_stack *stack;
    toc_arena *scratch;
    probe_line line;
    double limit; // in the unit of `enters`
    size_t probe;
    double (*enters)(const float low[3], const float high[3], const probe_line *line);
    toc_status (*visit)(struct probe_walk *walk, const toc_primitive *primitive);
} probe_walk;

// Where the box of a leaf of a block begins. A block has a row of lows for each direction, then the rows of highs.
static double leaf_begins(const probe_walk *w, const toc_bvh_node *block, uint32_t leaf) {
    const toc_bvh *bvh = &w->tree->bvh;
    const float *rows = bvh->blocks + block->left * toc_block_floats(&bvh->kind, 1) + leaf;
    float low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = rows[TOC_BLOCK * c];
        high[c] = rows[TOC_BLOCK * (bvh->kind.directions + c)];
    }
    return w->enters(low, high, &w->line);
}

static toc_status visit_block(probe_walk *w, uint32_t node) {
    const toc_surface_tree *tree = w->tree;
    const toc_bvh_node *block = &tree->bvh.nodes[node];
    assert(tree->bvh.lower.most == 0); // one DOP a leaf
    for (uint32_t i = 0; i < block->leaves; i++)
        if (leaf_begins(w, block, i) <= w->limit)
            TOC_TRY(w->visit(w, &tree->primitives.at[tree->bvh.order[block->link + i]]));
    return TOC_OK;
}

static void push_node(probe_walk *w, uint32_t node) {
    const toc_bvh *bvh = &w->tree->bvh;
    const float *low = bvh->dops + node * toc_dop_floats(&bvh->kind);
    const double from = w->enters(low, low + bvh->kind.lanes, &w->line);
    assert(w->stack->nodes.count < w->stack->nodes.capacity);
    if (from <= w->limit) w->stack->nodes.at[w->stack->nodes.count++] = (probe_node){node, from};
}

// The nearer child goes on top of the stack.
static toc_status push_children(probe_walk *w, uint32_t node) {
    const toc_bvh *bvh = &w->tree->bvh;
    TOC_TRY(toc_array_reserve(&w->scene->memory, &w->stack->nodes, 2));
    const size_t before = w->stack->nodes.count;
    push_node(w, bvh->nodes[node].left);
    push_node(w, bvh->nodes[node].link);
    probe_node *top = w->stack->nodes.at + before;
    if (w->stack->nodes.count == before + 2 && top[0].from < top[1].from) {
        const probe_node farther = top[1];
        top[1] = top[0];
        top[0] = farther;
    }
    return TOC_OK;
}

static toc_status walk_probe(probe_walk *w) {
    const toc_bvh *bvh = &w->tree->bvh;
    w->stack->nodes.count = 0;
    if (bvh->count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&w->scene->memory, &w->stack->nodes, 1));
    push_node(w, 0);
    while (w->stack->nodes.count > 0) {
        const probe_node next = w->stack->nodes.at[--w->stack->nodes.count];
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
    const toc_step *step = w->step;
    toc_scene_point *best = &s->points[w->probe];
    toc_scene_point found = {.body = toc_step_body(step, primitive->vertices[0])};
    if (!body_counts(w->scene, s->mask, found.body)) return TOC_OK;
    uint32_t corners[3];
    corners_of(primitive, corners);
    toc_vec x[4] = {toc_vec_of(s->input + 3 * w->probe)}, point = {0, 0, 0};
    for (int i = 0; i < 3; i++) x[1 + i] = toc_vec_of(step->x0 + 3 * (size_t)corners[i]);
    const toc_closest closest = toc_closest_pair(TOC_VF, x);
    found.distance = closest.distance;
    if (found.distance > s->reach || found.distance > best->distance) return TOC_OK;
    name_vertices(w->scene, primitive, found.body, closest.weights + 1, found.v, found.weights);
    if (found.distance == best->distance && best->body != UINT32_MAX &&
        !ids_come_before(found.body, found.v, best->body, best->v))
        return TOC_OK;
    for (int i = 0; i < 3; i++) point = toc_vec_add(point, toc_vec_scale(x[1 + i], closest.weights[1 + i]));
    toc_vec_to(found.point, point);
    *best = found;
    w->limit = found.distance * w->tree->motion.frame.scale;
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
    const toc_step *step = w->step;
    toc_segment_hit *best = &s->hits[w->probe];
    toc_segment_hit found = {.body = toc_step_body(step, primitive->vertices[0])};
    if (!body_counts(w->scene, s->mask, found.body)) return TOC_OK;
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
    TOC_TRY(toc_pair_find_unchecked(TOC_VF, resting->x0, resting->x1, &test, w->scratch, &hit));
    if (hit.verdict == TOC_APART || hit.toc > best->time) return TOC_OK;
    name_vertices(w->scene, primitive, found.body, hit.weights + 1, found.v, found.weights);
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

static toc_status run_probe(toc_worker *worker, size_t probe) {
    const toc_pipeline *p = worker->pipeline;
    const probe_search *s = p->question->probes;
    assert(probe < s->count && (s->points || s->hits) && worker->probes);
    const toc_surface_tree *tree = toc_tree_of(p);
    const toc_frame *frame = &tree->motion.frame;
    probe_walk w = {.search = s,
                    .scene = p->request->scene,
                    .step = p->step,
                    .tree = tree,
                    .stack = worker->probes,
                    .scratch = &worker->narrow->scratch,
                    .probe = probe};
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

static toc_status split_probes(toc_pipeline *p, size_t *rounds) {
    const probe_search *s = p->question->probes;
    *rounds = (s->count + PROBES_A_ROUND - 1) / PROBES_A_ROUND;
    return TOC_OK;
}

static toc_status search_probes(toc_worker *worker, size_t round) {
    const probe_search *s = worker->pipeline->question->probes;
    const size_t first = round * PROBES_A_ROUND;
    for (size_t i = first; i < first + PROBES_A_ROUND && i < s->count; i++) TOC_TRY(run_probe(worker, i));
    return TOC_OK;
}

// ---- the way

// Answers go to memory of the call first: a failure leaves the caller's as it was.
static toc_status plan_probes(toc_pipeline *p) {
    probe_search *s = p->question->probes;
    void *answers = toc_arena_new(&p->arena, s->count, s->item_size);
    if (!answers) return TOC_OUT_OF_MEMORY;
    if (s->item_size == sizeof *s->points)
        s->points = answers;
    else
        s->hits = answers;
    return toc_tree_plan_question(p, false, 0);
}

_Static_assert(sizeof(toc_scene_point) != sizeof(toc_segment_hit), "plan_probes tells them apart by size");

static toc_status hire_probe_worker(toc_worker *worker) {
    probe_stack *stack = toc_arena_new(&worker->pipeline->arena, 1, sizeof *stack);
    if (!stack) return TOC_OUT_OF_MEMORY;
    *stack = (probe_stack){0};
    worker->probes = stack;
    return TOC_OK;
}

static toc_status finish_probes(toc_pipeline *p) {
    const probe_search *s = p->question->probes;
    const void *answers = s->points ? (const void *)s->points : s->hits;
    memcpy(s->out, answers, s->count * s->item_size);
    return TOC_OK;
}

static void free_probes(toc_pipeline *p) {
    for (int i = 0; p->workers && i < p->threads; i++) {
        probe_stack *stack = p->workers[i].probes;
        if (stack) toc_array_free(&p->request->scene->memory, &stack->nodes);
    }
    toc_tree_free(p);
}

// The static tree, walked from each probe.
static const toc_traversal probe_traversal = {.split = split_probes, .visit = search_probes};

static const toc_way probes_way = {.name = "probes",
                                   .search_name = "walk",
                                   .slot = TOC_SLOT_STATIC_TREE,
                                   .traversal = &probe_traversal,
                                   .fit = toc_tree_fit,
                                   .thin = true,
                                   .takes_worlds = true,
                                   .plan = plan_probes,
                                   .hire = hire_probe_worker,
                                   .finish = finish_probes,
                                   .free = free_probes};

static toc_status check_probes(size_t count, size_t doubles, const double *input) {
    for (size_t i = 0; i < doubles * count; i++)
        if (!isfinite(input[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of probe %zu is %g", "xyz"[i % 3], i / doubles, input[i]);
    return TOC_OK;
}

static toc_status ask_probes(toc_scene *scene, const toc_query *query, const toc_end *end, probe_search *s) {
    return toc_question_ask(scene, query, &(toc_question_settings){.end = end},
                            &(toc_scene_question){.way = &probes_way, .probes = s});
}

toc_status toc_scene_find_closest(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                                  toc_scene_point *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(probe);
    if (probe->count == 0) return TOC_OK;
    TOC_NEED(probe->at);
    TOC_NEED(out);
    TOC_TRY(check_probes(probe->count, 3, probe->at));
    if (!(probe->reach >= 0)) return toc_fail(TOC_BAD_INPUT, "the reach is %g; it must not be negative", probe->reach);
    probe_search s = {.mask = probe->mask,
                      .count = probe->count,
                      .input = probe->at,
                      .reach = probe->reach,
                      .item_size = sizeof *out,
                      .out = out};
    return ask_probes(scene, query, &end, &s);
}

toc_status toc_scene_find_hits(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                               toc_segment_hit *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(probe);
    if (probe->count == 0) return TOC_OK;
    TOC_NEED(probe->at);
    TOC_NEED(out);
    TOC_TRY(check_probes(probe->count, 6, probe->at));
    probe_search s = {
        .mask = probe->mask, .count = probe->count, .input = probe->at, .item_size = sizeof *out, .out = out};
    return ask_probes(scene, query, &end, &s);
}
