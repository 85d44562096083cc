// SPDX-License-Identifier: Apache-2.0
// Containment: which closed surfaces a point is inside of, and which bodies are inside of others.
//
// A point is inside where the surface winds around it: the faces that a vertical ray from the point crosses, counted by
// their direction, do not cancel. The ray is moved aside by less than any distance, first along y, then along x, so
// that it meets neither edges nor vertices: this is the half-open rule for the edges of projected triangles, and every
// sign is an exact one (docs/guarantees.md, G20). A point in a face is on the surface. Components of the scene whose
// surfaces do not cross are inside of each other as a whole, so that one vertex of each is asked. O(log n) and the
// faces above.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question.h"
#include "ask/types.h"
#include "base/arithmetic.h"
#include "base/vec.h"
#include "cull/surface/components.h"
#include "pair/orientation.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/tree.h"
#include "toccata/solver.h"

enum { COLUMNS_A_ROUND = 16 };

// How often a component winds around a point.
typedef struct winding_count {
    size_t point;
    uint32_t component;
    int32_t winding;
    bool touched; // the point is on its surface
} winding_count;
typedef TOC_ARRAY(winding_count) winding_counts;

// The data of one thread: worker->columns.
typedef struct toc_column_worker {
    toc_arena *scratch;
    TOC_ARRAY(uint32_t) stack;
    winding_counts counts;
    size_t first; // the first count of the point at hand
} column_worker;

// The question: pipeline->question->columns.
typedef struct column_search {
    const toc_pipeline *pipeline;
    const toc_scene *scene;
    const toc_step *step;
    uint32_t *components;  // by vertex: the lowest vertex of its component
    uint8_t *closed;       // by lowest vertex: whether the boundary is closed; filled by find_closed
    size_t count;          // points
    const double *points;  // of the caller; NULL for the lowest vertices of the components
    uint32_t *lowest;      // these vertices
    winding_counts counts; // of all workers, by point and component
    uint64_t mask;         // of bodies that count
    uint32_t *bodies;      // the caller's room for the answers to points
} column_search;

typedef struct column_walk {
    const column_search *search;
    column_worker *worker;
    const double *point;
    double frame_point[3], grown;
    size_t number;
    uint32_t own; // the component that the point is of; UINT32_MAX for none
} column_walk;

// ---- one face

// The winding of a projected triangle around the point; 0 outside.
static toc_status wind_around(const column_walk *w, const double *const x[3], int *winding) {
    const double *p = w->point;
    *winding = 0;
    for (int i = 0; i < 3; i++) {
        const double *a = x[i], *b = x[(i + 1) % 3];
        const bool starts_below = a[1] <= p[1], ends_below = b[1] <= p[1];
        int side;
        if (starts_below == ends_below) continue;
        TOC_TRY(toc_orientation_find_flat(a, b, p, w->worker->scratch, &side));
        if (starts_below && side > 0) ++*winding;
        if (ends_below && side < 0) --*winding;
    }
    return TOC_OK;
}

// Whether the point is in a face that is in one plane with it.
static toc_status is_in_face(const column_walk *w, const double *const x[3], bool *in) {
    const toc_pair_test test = toc_pair_test_default();
    toc_pair pair;
    toc_hit hit;
    memcpy(pair.x0[0], w->point, sizeof pair.x0[0]);
    for (int i = 0; i < 3; i++) memcpy(pair.x0[1 + i], x[i], sizeof pair.x0[1 + i]);
    const toc_pair *resting = &pair;
    TOC_TRY(toc_pair_find_unchecked(TOC_VF, resting->x0, resting->x0, &test, w->worker->scratch, &hit));
    *in = hit.verdict != TOC_APART;
    return TOC_OK;
}

static toc_status count_winding(column_walk *w, uint32_t component, int winding, bool touched) {
    column_worker *worker = w->worker;
    size_t at = worker->first;
    assert(at <= worker->counts.count && component < w->search->step->vertex_count);
    while (at < worker->counts.count && worker->counts.at[at].component != component) at++;
    if (at == worker->counts.count) {
        TOC_TRY(toc_array_reserve(&w->search->scene->memory, &worker->counts, 1));
        worker->counts.at[worker->counts.count++] = (winding_count){.point = w->number, .component = component};
    }
    worker->counts.at[at].winding += winding;
    worker->counts.at[at].touched |= touched;
    return TOC_OK;
}

// Whether the ray cannot meet a face: certain, as nothing is rounded.
static bool column_misses(const double *p, const double *const x[3]) {
    for (int c = 0; c < 3; c++) {
        if (x[0][c] < p[c] && x[1][c] < p[c] && x[2][c] < p[c]) return true;
        if (c < 2 && x[0][c] > p[c] && x[1][c] > p[c] && x[2][c] > p[c]) return true;
    }
    return false;
}

static bool face_bounds(const column_search *s, const uint32_t *v) {
    const uint32_t body = toc_step_body(s->step, v[0]), first = s->step->body_first[body];
    return toc_face_is_on_boundary(&s->scene->bodies.at[body],
                                   (const uint32_t[]){v[0] - first, v[1] - first, v[2] - first});
}

static toc_status visit_column_face(column_walk *w, const uint32_t v[3]) {
    const column_search *s = w->search;
    const double *x[3];
    int side, winding;
    bool touched = false;
    for (int i = 0; i < 3; i++) x[i] = s->step->x0 + 3 * (size_t)v[i];
    if (s->components[v[0]] == w->own || column_misses(w->point, x)) return TOC_OK;
    TOC_TRY(toc_orientation_find(x[0], x[1], x[2], w->point, w->worker->scratch, &side));
    TOC_TRY(wind_around(w, x, &winding));
    if (side == 0) TOC_TRY(is_in_face(w, x, &touched));
    // A face that winds to the left, seen from above, is crossed upwards; the point is below it where it is on the
    // other side than the normal.
    const bool above = winding > 0 ? side < 0 : side > 0;
    if (!touched && (winding == 0 || !above)) return TOC_OK;
    if (!face_bounds(s, v)) return TOC_OK;
    return count_winding(w, s->components[v[0]], touched ? 0 : winding, touched);
}

// ---- the tree

static bool column_meets(const toc_bvh *bvh, uint32_t node, const column_walk *w) {
    const float *low = bvh->dops + node * toc_dop_floats(&bvh->kind), *high = low + bvh->kind.lanes;
    for (int c = 0; c < 3; c++) {
        if (high[c] + w->grown < w->frame_point[c]) return false;
        if (c < 2 && low[c] - w->grown > w->frame_point[c]) return false;
    }
    return true;
}

static toc_status visit_column_block(column_walk *w, const toc_bvh_node *block) {
    const toc_surface_tree *tree = toc_tree_of(w->search->pipeline);
    for (uint32_t i = 0; i < block->leaves; i++) {
        const uint32_t *v = tree->primitives.at[tree->bvh.order[block->link + i]].vertices;
        if (v[2] != UINT32_MAX) TOC_TRY(visit_column_face(w, v));
    }
    return TOC_OK;
}

static toc_status walk_column(column_walk *w) {
    const toc_surface_tree *tree = toc_tree_of(w->search->pipeline);
    const toc_bvh *bvh = &tree->bvh;
    const toc_frame *frame = &tree->motion.frame;
    column_worker *worker = w->worker;
    w->grown = 0;
    for (int c = 0; c < 3; c++) {
        w->frame_point[c] = (w->point[c] - frame->centre[c]) * frame->scale;
        w->grown = toc_larger(w->grown, 0x1p-50 * fabs(w->frame_point[c]));
    }
    worker->stack.count = 0;
    worker->first = worker->counts.count;
    if (bvh->count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&w->search->scene->memory, &worker->stack, 1));
    worker->stack.at[worker->stack.count++] = 0;
    while (worker->stack.count > 0) {
        const uint32_t node = worker->stack.at[--worker->stack.count];
        if (!column_meets(bvh, node, w)) continue;
        if (toc_bvh_is_block(bvh, node)) {
            TOC_TRY(visit_column_block(w, &bvh->nodes[node]));
            continue;
        }
        TOC_TRY(toc_array_reserve(&w->search->scene->memory, &worker->stack, 2));
        worker->stack.at[worker->stack.count++] = bvh->nodes[node].left;
        worker->stack.at[worker->stack.count++] = bvh->nodes[node].link;
    }
    return TOC_OK;
}

// ---- closed surfaces

// An edge of a boundary face: its vertices, and 1 or -1 for the direction.
typedef struct boundary_edge {
    uint32_t low, high;
    int32_t direction;
} boundary_edge;

static int compare_boundary_edges(const void *a, const void *b) {
    const boundary_edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high != y->high ? (x->high < y->high ? -1 : 1) : 0;
}

// Components with an edge whose faces do not cancel are open.
static void mark_open(column_search *s, const boundary_edge *edges, size_t count) {
    for (size_t i = 0; i < count;) {
        int32_t sum = 0;
        size_t next = i;
        for (; next < count && compare_boundary_edges(&edges[i], &edges[next]) == 0; next++)
            sum += edges[next].direction;
        if (sum != 0) s->closed[s->components[edges[i].low]] = 0;
        i = next;
    }
}

// Mark the components that have boundary faces and are closed. O(n log n).
static toc_status find_closed(column_search *s) {
    const toc_step *step = s->step;
    const toc_allocator *allocator = &s->scene->memory;
    boundary_edge *edges = toc_new(allocator, step->face_count, 3 * sizeof *edges);
    size_t count = 0;
    if (!edges) return TOC_OUT_OF_MEMORY;
    memset(s->closed, 0, step->vertex_count);
    for (size_t f = 0; f < step->face_count; f++) {
        const uint32_t *v = step->faces[f];
        if (!face_bounds(s, v)) continue;
        s->closed[s->components[v[0]]] = 1;
        for (int i = 0; i < 3; i++) {
            const uint32_t a = v[i], b = v[(i + 1) % 3];
            edges[count++] = a < b ? (boundary_edge){a, b, 1} : (boundary_edge){b, a, -1};
        }
    }
    qsort(edges, count, sizeof *edges, compare_boundary_edges);
    mark_open(s, edges, count);
    toc_free(allocator, edges, step->face_count, 3 * sizeof *edges);
    return TOC_OK;
}

// Add up the boundary faces of a component.
static toc_status sum_volume(const column_search *s, uint32_t component, toc_volume *volume, toc_volume_add *add) {
    const column_worker *worker = s->pipeline->workers[0].columns;
    for (size_t f = 0; f < s->step->face_count; f++) {
        const uint32_t *v = s->step->faces[f];
        const double *x[3];
        if (s->components[v[0]] != component || !face_bounds(s, v)) continue;
        for (int i = 0; i < 3; i++) x[i] = s->step->x0 + 3 * (size_t)v[i];
        TOC_TRY(add(volume, x, worker->scratch));
    }
    return TOC_OK;
}

// The sign of the volume inside the boundary of a component: exact, in integers if floating point does not decide.
static toc_status find_volume_sign(const column_search *s, uint32_t component, int *sign) {
    toc_volume volume = toc_volume_from(s->step->x0 + 3 * (size_t)component);
    TOC_TRY(sum_volume(s, component, &volume, toc_volume_add_rounded));
    *sign = toc_volume_certain_sign(&volume);
    if (*sign != 0) return TOC_OK;
    TOC_TRY(sum_volume(s, component, &volume, toc_volume_find_unit));
    TOC_TRY(sum_volume(s, component, &volume, toc_volume_add_exactly));
    *sign = volume.sign;
    return TOC_OK;
}

// ---- all points

static toc_status split_columns(toc_pipeline *p, size_t *rounds) {
    const column_search *s = p->question->columns;
    *rounds = (s->count + COLUMNS_A_ROUND - 1) / COLUMNS_A_ROUND;
    return TOC_OK;
}

static toc_status search_columns(toc_worker *worker, size_t round) {
    const column_search *s = worker->pipeline->question->columns;
    const size_t first = round * COLUMNS_A_ROUND;
    for (size_t i = first; i < first + COLUMNS_A_ROUND && i < s->count; i++) {
        const uint32_t own = s->points ? UINT32_MAX : s->lowest[i];
        column_walk w = {.search = s,
                         .worker = worker->columns,
                         .point = s->points ? s->points + 3 * i : s->step->x0 + 3 * (size_t)own,
                         .number = i,
                         .own = own};
        TOC_TRY(walk_column(&w));
    }
    return TOC_OK;
}

static int compare_counts(const void *a, const void *b) {
    const winding_count *x = a, *y = b;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    return x->component != y->component ? (x->component < y->component ? -1 : 1) : 0;
}

// Join the counts that say something, in order.
static toc_status join_counts(column_search *s) {
    for (int t = 0; t < s->pipeline->threads; t++) {
        const winding_counts *counts = &s->pipeline->workers[t].columns->counts;
        TOC_TRY(toc_array_reserve(&s->scene->memory, &s->counts, counts->count));
        for (size_t i = 0; i < counts->count; i++)
            if (counts->at[i].winding != 0 || counts->at[i].touched) s->counts.at[s->counts.count++] = counts->at[i];
    }
    if (s->counts.count) qsort(s->counts.at, s->counts.count, sizeof *s->counts.at, compare_counts);
    return s->counts.count ? find_closed(s) : TOC_OK;
}

// The lowest vertex of each component that has a primitive.
static void list_lowest(column_search *s) {
    s->count = 0; // the question may run again
    for (size_t v = 0; v < s->step->vertex_count; v++)
        if (s->components[v] == v) s->lowest[s->count++] = (uint32_t)v;
}

static toc_status plan_columns(toc_pipeline *p) {
    column_search *s = p->question->columns;
    const size_t vertices = p->step->vertex_count;
    s->pipeline = p;
    s->scene = p->request->scene;
    s->step = p->step;
    s->components = toc_arena_new(&p->arena, vertices, sizeof *s->components);
    s->closed = toc_arena_new(&p->arena, vertices, 1);
    s->lowest = toc_arena_new(&p->arena, s->points ? 0 : vertices, sizeof *s->lowest);
    if (!s->components || !s->closed || !s->lowest) return TOC_OUT_OF_MEMORY;
    return toc_tree_plan_question(p, false, 0);
}

static toc_status hire_column_worker(toc_worker *worker) {
    column_worker *own = toc_arena_new(&worker->pipeline->arena, 1, sizeof *own);
    if (!own) return TOC_OUT_OF_MEMORY;
    *own = (column_worker){.scratch = &worker->narrow->scratch};
    worker->columns = own;
    return TOC_OK;
}

static toc_status fit_columns(toc_pipeline *p) {
    column_search *s = p->question->columns;
    TOC_TRY(toc_tree_fit(p));
    toc_components_find(&toc_tree_of(p)->primitives, p->step->vertex_count, p->threads, s->components);
    if (!s->points) list_lowest(s);
    return TOC_OK;
}

static void free_columns(toc_pipeline *p) {
    const toc_allocator *allocator = &p->request->scene->memory;
    column_search *s = p->question->columns;
    for (int i = 0; p->workers && i < p->threads; i++) {
        column_worker *own = p->workers[i].columns;
        if (!own) continue;
        toc_array_free(allocator, &own->stack);
        toc_array_free(allocator, &own->counts);
    }
    toc_array_free(allocator, &s->counts);
    toc_tree_free(p);
}

// The static tree, walked upwards from each point.
static const toc_traversal column_traversal = {.split = split_columns, .visit = search_columns};

// The winding of a body around the point of a count, over its closed components. @param next receives the first count
// of another body or point. Components are numbered body after body.
static int32_t winding_of_body(const column_search *s, size_t first, size_t *next, bool *touched) {
    const winding_count *counts = s->counts.at;
    assert(first < s->counts.count);
    const uint32_t body = toc_step_body(s->step, counts[first].component);
    int32_t sum = 0;
    size_t i = first;
    *touched = false;
    for (; i < s->counts.count && counts[i].point == counts[first].point &&
           toc_step_body(s->step, counts[i].component) == body;
         i++) {
        if (!s->closed[counts[i].component]) continue;
        sum += counts[i].winding;
        *touched = *touched || counts[i].touched;
    }
    *next = i;
    return sum;
}

// ---- points

static void name_bodies(const column_search *s, uint32_t *out) {
    for (size_t i = 0; i < s->count; i++) out[i] = UINT32_MAX;
    for (size_t i = 0, next; i < s->counts.count; i = next) {
        const size_t point = s->counts.at[i].point;
        const uint32_t body = toc_step_body(s->step, s->counts.at[i].component);
        bool touched;
        const int32_t winding = winding_of_body(s, i, &next, &touched);
        const bool counts = s->mask == UINT64_MAX || (s->scene->bodies.at[body].layers & s->mask);
        if ((winding != 0 || touched) && counts && out[point] == UINT32_MAX) out[point] = body;
    }
}

static toc_status finish_points(toc_pipeline *p) {
    column_search *s = p->question->columns;
    TOC_TRY(join_counts(s));
    name_bodies(s, s->bodies);
    return TOC_OK;
}

static const toc_way containing_way = {.name = "containing",
                                       .search_name = "walk",
                                       .slot = TOC_SLOT_STATIC_TREE,
                                       .traversal = &column_traversal,
                                       .fit = fit_columns,
                                       .thin = true,
                                       .takes_worlds = true,
                                       .plan = plan_columns,
                                       .hire = hire_column_worker,
                                       .finish = finish_points,
                                       .free = free_columns};

toc_status toc_scene_find_containing(toc_scene *scene, const toc_query *query, toc_end end, const toc_probe *probe,
                                     uint32_t *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(probe);
    if (probe->count == 0) return TOC_OK;
    TOC_NEED(probe->at);
    TOC_NEED(out);
    for (size_t i = 0; i < 3 * probe->count; i++)
        if (!isfinite(probe->at[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of probe %zu is %g", "xyz"[i % 3], i / 3, probe->at[i]);
    column_search s = {.count = probe->count, .points = probe->at, .mask = probe->mask, .bodies = out};
    return toc_question_ask(scene, query, &(toc_question_settings){.end = &end},
                            &(toc_scene_question){.way = &containing_way, .columns = &s});
}

// ---- bodies in bodies

static void containment_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_containment *c = item;
    ids[0] = c->body[0];
    ids[1] = c->vertex;
    ids[2] = c->body[1];
}

static const toc_column containment_columns[] = {
    {{"body0", "body1"}, NULL, TOC_COLUMN_ID, 2, offsetof(toc_containment, body), 0},
    {{"v0"}, NULL, TOC_COLUMN_VERTEX, 1, offsetof(toc_containment, vertex), 0},
};

const toc_answer_type toc_containment_type = {.name = "containments",
                                              TOC_ANSWER_COLUMNS(containment_columns),
                                              .order = {sizeof(toc_containment), 3, containment_ids},
                                              TOC_ANSWER_LIST(toc_containments, pairs),
                                              .seconds_at = offsetof(toc_containments, seconds)};

// A cavity is a closed component that is wound inwards: no body of its own.
static toc_status is_cavity(const column_search *s, uint32_t component, bool *cavity) {
    int sign = 0;
    if (s->closed[component]) TOC_TRY(find_volume_sign(s, component, &sign));
    *cavity = sign < 0;
    return TOC_OK;
}

static toc_status list_containments(const column_search *s, void *list) {
    const toc_step *step = s->step;
    toc_result_items(list)->count = 0; // of a query that begins again
    for (size_t i = 0, next; i < s->counts.count; i = next) {
        const uint32_t vertex = s->lowest[s->counts.at[i].point];
        const uint32_t inner = toc_step_body(step, vertex), outer = toc_step_body(step, s->counts.at[i].component);
        bool touched, cavity;
        const int32_t winding = winding_of_body(s, i, &next, &touched);
        if (winding == 0 || touched || !toc_filter_wants_bodies(&s->pipeline->narrow.filter, inner, outer)) continue;
        TOC_TRY(is_cavity(s, vertex, &cavity));
        if (cavity) continue;
        const toc_containment found = {{inner, outer},
                                       toc_scene_vertex_id(s->scene, inner, vertex - step->body_first[inner])};
        TOC_TRY(toc_result_add(list, &found));
    }
    return TOC_OK;
}

static toc_status finish_components(toc_pipeline *p) {
    column_search *s = p->question->columns;
    TOC_TRY(join_counts(s));
    return list_containments(s, p->answer);
}

static const toc_way containments_way = {.name = "containments",
                                         .search_name = "walk",
                                         .slot = TOC_SLOT_STATIC_TREE,
                                         .traversal = &column_traversal,
                                         .fit = fit_columns,
                                         .thin = true,
                                         .takes_worlds = true,
                                         .plan = plan_columns,
                                         .hire = hire_column_worker,
                                         .answer = &toc_containment_type,
                                         .finish = finish_components,
                                         .free = free_columns};

toc_status toc_scene_find_containments(toc_scene *scene, const toc_query *query, toc_end end, toc_containments **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    column_search s = {.count = 0};
    const toc_scene_question question = {.way = &containments_way, .columns = &s};
    void *list = NULL;
    TOC_TRY(toc_question_update(scene, query, &(toc_question_settings){.end = &end}, &question, &list));
    *out = list;
    return TOC_OK;
}

// ---- validity

static toc_status find_contact_conflict(toc_scene *scene, toc_query query, toc_conflict *out) {
    toc_contacts *contacts;
    query.answer = TOC_ANSWER_ANY;
    query.sink = (toc_contact_sink){.take = NULL}; // it would receive the contact in place of the list
    TOC_TRY(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    if (contacts->count)
        *out = (toc_conflict){
            TOC_CONFLICT_CONTACT, {contacts->contacts->body[0], contacts->contacts->body[1]}, contacts->contacts->toc};
    toc_contacts_destroy(contacts);
    return TOC_OK;
}

static toc_status find_overlap_conflict(toc_scene *scene, const toc_query *query, toc_conflict *out) {
    toc_overlaps *overlaps;
    TOC_TRY(toc_scene_find_overlaps(scene, query, TOC_AT_START, NULL, &overlaps));
    if (overlaps->count)
        *out = (toc_conflict){TOC_CONFLICT_OVERLAP, {overlaps->pairs->body[0], overlaps->pairs->body[1]}, 0};
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

static toc_status find_containment_conflict(toc_scene *scene, const toc_query *query, toc_conflict *out) {
    toc_containments *containments;
    TOC_TRY(toc_scene_find_containments(scene, query, TOC_AT_START, &containments));
    if (containments->count)
        *out =
            (toc_conflict){TOC_CONFLICT_CONTAINMENT, {containments->pairs->body[0], containments->pairs->body[1]}, 0};
    toc_containments_destroy(containments);
    return TOC_OK;
}

toc_status toc_scene_find_conflict(toc_scene *scene, const toc_query *query, toc_conflict *out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    toc_conflict found = {.kind = TOC_CONFLICT_NONE};
    TOC_NEED(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(find_contact_conflict(scene, settings, &found));
    if (found.kind == TOC_CONFLICT_NONE) TOC_TRY(find_containment_conflict(scene, &settings, &found));
    if (found.kind == TOC_CONFLICT_NONE) TOC_TRY(find_overlap_conflict(scene, &settings, &found));
    *out = found;
    return TOC_OK;
}
