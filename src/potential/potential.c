// SPDX-License-Identifier: Apache-2.0
// The question about a potential: settings, the vertices of near pairs, sums, the result.
//
// Pairs are evaluated in rounds of fixed size; energies are summed in the order of the pairs, the rest by vertex
// (src/potential/assembly.c), so the answer does not depend on the threads (G4). O(pairs).
#include "toccata/potential.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ask/query.h"
#include "base/arithmetic.h"
#include "base/settings.h"
#include "pair/pair.h"
#include "potential/assembly.h"
#include "potential/potential.h"
#include "scene/scene.h"

enum { PAIRS_A_ROUND = 64 };

// ---- settings

static const toc_potential_query potential_defaults = {.stiffness = 1, .coefficient = 0.3, .order = TOC_HESSIAN};

static toc_settings potential_settings(void) {
    return (toc_settings){"toc_potential_query_init", sizeof potential_defaults, sizeof potential_defaults,
                          &potential_defaults};
}

toc_status toc_potential_begin(void *query, size_t size) {
    const toc_settings settings = potential_settings();
    return toc_settings_init(&settings, query, size);
}

static toc_status need_length(const char *name, double value) {
    if (value > 0 && isfinite(value)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the %s of a potential must be a length above 0, not %g", name, value);
}

static toc_status need_number(const char *name, double value) {
    if (value >= 0 && isfinite(value)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the %s of a potential must be a number of at least 0, not %g", name, value);
}

static toc_status take_potential(const toc_potential_query *given, toc_potential_query *q) {
    const toc_settings settings = potential_settings();
    TOC_TRY(toc_settings_take(&settings, given, q));
    if ((unsigned)q->kind > TOC_POTENTIAL_FRICTION)
        return toc_fail(TOC_BAD_INPUT, "there is no potential number %d", (int)q->kind);
    if ((unsigned)q->order > TOC_HESSIAN)
        return toc_fail(TOC_BAD_INPUT, "there is no derivative number %d", (int)q->order);
    if (q->end != TOC_AT_START && q->end != TOC_AT_END)
        return toc_fail(TOC_BAD_INPUT, "there is no end number %d of the step", (int)q->end);
    TOC_TRY(need_length("distance", q->distance));
    TOC_TRY(need_number("stiffness", q->stiffness));
    TOC_TRY(need_number("coefficient", q->coefficient));
    return q->kind == TOC_POTENTIAL_FRICTION ? need_length("slip", q->slip) : TOC_OK;
}

// ---- the result

// The result with its memory.
typedef struct potential_result {
    toc_potential shown; // first: the caller has its address
    toc_allocator allocator;
    size_t *body_first, *rows;
    double *gradient, *values;
    uint32_t *columns;
} potential_result;

static size_t row_count(const potential_result *r) { return 3 * r->shown.vertex_count + 1; }

static void free_potential(potential_result *r) {
    const toc_allocator allocator = r->allocator;
    toc_free(&allocator, r->columns, r->shown.value_count, sizeof *r->columns);
    toc_free(&allocator, r->values, r->shown.value_count, sizeof *r->values);
    toc_free(&allocator, r->rows, row_count(r), sizeof *r->rows);
    toc_free(&allocator, r->gradient, row_count(r), sizeof *r->gradient);
    toc_free(&allocator, r->body_first, r->shown.body_count + 1, sizeof *r->body_first);
    toc_free(&allocator, r, 1, sizeof *r);
}

void toc_potential_destroy(toc_potential *potential) {
    if (potential) free_potential((potential_result *)potential);
}

// Number the vertices of the meshes. Those of worlds and removed bodies are left out.
static toc_status number_rows(const toc_scene *scene, potential_result *r) {
    r->body_first = toc_new(&r->allocator, scene->bodies.count + 1, sizeof *r->body_first);
    if (!r->body_first) return TOC_OUT_OF_MEMORY;
    r->shown.body_count = scene->bodies.count;
    r->shown.body_first = r->body_first;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_body *body = &scene->bodies.at[b];
        r->body_first[b + 1] = r->body_first[b] + (body->own ? toc_mesh_get_vertex_count(body->own) : 0);
    }
    r->shown.vertex_count = r->body_first[scene->bodies.count];
    if (r->shown.vertex_count <= INT32_MAX / 3) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "a potential takes up to %d vertices, and the scene has %zu", INT32_MAX / 3,
                    r->shown.vertex_count);
}

static toc_status make_potential(const toc_scene *scene, toc_potential_order order, potential_result **out) {
    potential_result *r = toc_new(&scene->allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->allocator = scene->allocator;
    toc_status status = number_rows(scene, r);
    if (status == TOC_OK && order >= TOC_GRADIENT) {
        r->gradient = toc_new(&r->allocator, row_count(r), sizeof *r->gradient);
        r->shown.gradient = r->gradient;
        status = r->gradient ? TOC_OK : TOC_OUT_OF_MEMORY;
    }
    if (status != TOC_OK) {
        free_potential(r);
        return status;
    }
    *out = r;
    return TOC_OK;
}

// ---- pairs

typedef struct potential_rounds {
    const toc_scene *scene;
    const toc_near *near;
    const toc_potential_query *query;
    potential_result *result;
    toc_pair_terms *pairs;
    toc_terms_place *places;
    bool *some;         // by pair: it adds something
    toc_arena *squares; // one for each thread
} potential_rounds;

static toc_status fail_pair(const toc_near_pair *p, size_t i, const char *what) {
    return toc_fail(TOC_BAD_INPUT, "near pair %zu (vertices %u %u %u %u of bodies %u and %u) %s", i, p->v[0], p->v[1],
                    p->v[2], p->v[3], p->body[0], p->body[1], what);
}

// The body of each vertex, its number in the step, and its row.
static toc_status locate_pair(const potential_rounds *r, size_t i, uint32_t step_vertex[4], uint32_t row[4]) {
    const toc_near_pair *p = &r->near->pairs[i];
    const toc_scene *scene = r->scene;
    TOC_TRY(toc_kind_check(p->kind));
    for (int k = 0; k < 4; k++) {
        const uint32_t body = p->body[k >= (p->kind == TOC_VF ? 1 : 2)];
        if (body >= scene->bodies.count || !toc_scene_find_vertex(scene, body, p->v[k], &step_vertex[k]))
            return fail_pair(p, i, "is not of this scene");
        step_vertex[k] += scene->step.body_first[body];
        const bool fixed = scene->bodies.at[body].own == NULL;
        row[k] = fixed ? TOC_NO_ROW : (uint32_t)(r->result->body_first[body] + p->v[k]);
    }
    return TOC_OK;
}

static void place_pair(const double *x, const uint32_t v[4], toc_vec out[4]) {
    for (int k = 0; k < 4; k++) out[k] = toc_vec_of(x + 3 * (size_t)v[k]);
}

// The positions at rest, of the caller or at the start; a world rests where it is.
static double pair_limit(const potential_rounds *r, const uint32_t v[4], const uint32_t row[4]) {
    toc_vec rest[4];
    place_pair(r->scene->step.x0, v, rest);
    for (int k = 0; k < 4 && r->query->rest; k++)
        if (row[k] != TOC_NO_ROW) rest[k] = toc_vec_of(r->query->rest + 3 * (size_t)row[k]);
    return toc_mollifier_limit(rest);
}

static toc_terms_query terms_query_of(const potential_rounds *r, const toc_near_pair *p) {
    const toc_potential_query *q = r->query;
    return (toc_terms_query){.order = q->order,
                             .indefinite = q->indefinite,
                             .distance = q->distance,
                             .minimum = p->thickness - q->distance,
                             .stiffness = q->stiffness,
                             .coefficient = q->coefficient,
                             .slip = q->slip};
}

static toc_terms_outcome rub_pair(const potential_rounds *r, const toc_near_pair *p, const toc_terms_query *q,
                                  const uint32_t v[4], double limit, toc_terms_place *place, toc_terms *out) {
    toc_vec x0[4], u[4];
    place_pair(r->scene->step.x0, v, x0);
    place_pair(r->scene->step.x1, v, u);
    for (int k = 0; k < 4; k++) u[k] = toc_vec_sub(u[k], x0[k]);
    toc_lagged_pair lagged = {.kind = p->kind, .distance = p->distance, .normal = toc_vec_of(p->normal)};
    memcpy(lagged.weights, p->weights, sizeof lagged.weights);
    const double mollifier = p->kind == TOC_EE ? toc_mollifier_find(x0, limit) : 1;
    return toc_terms_friction(q, &lagged, mollifier, u, place, out);
}

static toc_terms_outcome press_pair(const potential_rounds *r, const toc_near_pair *p, const toc_terms_query *q,
                                    const uint32_t v[4], double limit, toc_terms_place *place, toc_terms *out) {
    toc_vec x[4];
    place_pair(r->query->end == TOC_AT_START ? r->scene->step.x0 : r->scene->step.x1, v, x);
    return toc_terms_barrier(q, p->kind, x, limit, place, out);
}

// Keep the squares of a pair, of vertices that have a row.
static toc_status keep_squares(toc_arena *arena, const toc_terms *terms, toc_pair_terms *pair) {
    size_t size = 1;
    pair->squares = terms->count;
    if (terms->count == 0) return TOC_OK;
    for (int k = 0; k < 4; k++) size += pair->vertex[k] == TOC_NO_ROW ? 0 : 3;
    double *to = (double *)toc_arena_new_words(arena, (size_t)terms->count * size);
    if (!to) return TOC_OUT_OF_MEMORY;
    pair->square = to;
    for (int i = 0; i < terms->count; i++) {
        *to++ = terms->squares[i].scale;
        for (int k = 0; k < 4; k++) {
            if (pair->vertex[k] == TOC_NO_ROW) continue;
            memcpy(to, terms->squares[i].z[k], sizeof terms->squares[i].z[k]);
            to += 3;
        }
    }
    return TOC_OK;
}

static toc_status find_terms(const potential_rounds *r, size_t i, toc_arena *squares) {
    const toc_near_pair *p = &r->near->pairs[i];
    toc_pair_terms *pair = &r->pairs[i];
    toc_terms terms;
    uint32_t v[4];
    TOC_TRY(locate_pair(r, i, v, pair->vertex));
    const toc_terms_query q = terms_query_of(r, p);
    if (!(q.minimum >= 0)) return fail_pair(p, i, "was found with a smaller distance than that of the potential");
    const double limit = p->kind == TOC_EE ? pair_limit(r, v, pair->vertex) : 0;
    const toc_terms_outcome outcome =
        (r->query->kind == TOC_POTENTIAL_BARRIER ? press_pair : rub_pair)(r, p, &q, v, limit, &r->places[i], &terms);
    if (outcome == TOC_TERMS_TOUCHING)
        return fail_pair(p, i, "is at its minimum distance or below, where the barrier has no value");
    if (outcome == TOC_TERMS_BEYOND) return fail_pair(p, i, "has a potential beyond the range of doubles");
    r->some[i] = outcome == TOC_TERMS_SOME;
    for (int k = 0; k < 4; k++)
        if (!r->some[i] || !r->places[i].active[k]) pair->vertex[k] = TOC_NO_ROW;
    if (!r->some[i]) return TOC_OK;
    pair->energy = terms.energy;
    memcpy(pair->gradient, terms.gradient, sizeof pair->gradient);
    return keep_squares(squares, &terms, pair);
}

static toc_status potential_round(void *user, size_t index, int thread) {
    const potential_rounds *r = user;
    const size_t first = index * PAIRS_A_ROUND;
    for (size_t i = first; i < first + PAIRS_A_ROUND && i < r->near->count; i++)
        TOC_TRY(find_terms(r, i, &r->squares[thread]));
    return TOC_OK;
}

static void sum_energies(const potential_rounds *r) {
    toc_potential *shown = &r->result->shown;
    for (size_t i = 0; i < r->near->count; i++) {
        if (!r->some[i]) continue;
        shown->energy += r->pairs[i].energy;
        shown->counts[r->places[i].class]++;
        shown->mollified += r->places[i].mollified;
    }
}

// ---- sums

// The first value of each row: three rows of a vertex have three values for each of its others.
static toc_status make_rows(const toc_block_rows *blocks, potential_result *r) {
    r->rows = toc_new(&r->allocator, row_count(r), sizeof *r->rows);
    if (!r->rows) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i + 1 < row_count(r); i++)
        r->rows[i + 1] = r->rows[i] + 3 * (blocks->first[i / 3 + 1] - blocks->first[i / 3]);
    const size_t count = r->rows[row_count(r) - 1];
    r->columns = toc_new(&r->allocator, count, sizeof *r->columns);
    r->values = r->columns ? toc_new(&r->allocator, count, sizeof *r->values) : NULL;
    if (!r->values) {
        toc_free(&r->allocator, r->columns, count, sizeof *r->columns);
        r->columns = NULL;
        return TOC_OUT_OF_MEMORY;
    }
    r->shown.value_count = count;
    r->shown.rows = r->rows;
    r->shown.columns = r->columns;
    r->shown.values = r->values;
    return TOC_OK;
}

static toc_status sum_hessians(const toc_assembly *assembly, const toc_pairs_around *around, potential_result *r) {
    toc_block_rows blocks;
    TOC_TRY(toc_block_rows_make(assembly, around, &blocks));
    toc_status status = make_rows(&blocks, r);
    if (status == TOC_OK) status = toc_assembly_hessian(assembly, around, &blocks, r->rows, r->columns, r->values);
    toc_block_rows_free(assembly->allocator, &blocks);
    return status;
}

static toc_status sum_terms(const potential_rounds *r, const toc_assembly *assembly) {
    toc_pairs_around around;
    sum_energies(r);
    if (r->query->order == TOC_ENERGY) return TOC_OK;
    TOC_TRY(toc_pairs_around_make(assembly, &around));
    toc_status status = toc_assembly_gradient(assembly, &around, r->result->gradient);
    if (status == TOC_OK && r->query->order == TOC_HESSIAN) status = sum_hessians(assembly, &around, r->result);
    toc_pairs_around_free(assembly->allocator, &around);
    return status;
}

// Memory that is not cleared: all of it is written before it is read.
static toc_status make_work(potential_rounds *r, toc_arena *work, int threads) {
    const size_t count = r->near->count;
    r->pairs = toc_arena_new(work, count, sizeof *r->pairs);
    r->places = r->pairs ? toc_arena_new(work, count, sizeof *r->places) : NULL;
    r->some = r->places ? toc_arena_new(work, count, sizeof *r->some) : NULL;
    r->squares = r->some ? toc_arena_new(work, (size_t)threads, sizeof *r->squares) : NULL;
    for (int i = 0; r->squares && i < threads; i++) r->squares[i] = toc_arena_make(&r->scene->memory);
    return r->squares ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status evaluate_and_sum(potential_rounds *r, const toc_progress *progress, int threads) {
    const size_t count = r->near->count;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = (count + PAIRS_A_ROUND - 1) / PAIRS_A_ROUND,
                                     .threads = threads,
                                     .progress = progress,
                                     .round = potential_round,
                                     .user = r}));
    const toc_assembly assembly = {.allocator = &r->scene->memory,
                                   .vertex_count = r->result->shown.vertex_count,
                                   .pair_count = count,
                                   .pairs = r->pairs,
                                   .threads = threads,
                                   .progress = progress};
    return sum_terms(r, &assembly);
}

static toc_status run_potential(potential_rounds *r, const toc_progress *progress, int threads) {
    toc_arena work = toc_arena_make(&r->scene->memory);
    toc_status status = make_work(r, &work, threads);
    if (status == TOC_OK) {
        status = evaluate_and_sum(r, progress, threads);
        for (int i = 0; i < threads; i++) toc_arena_free(&r->squares[i]);
    }
    toc_arena_free(&work);
    return status;
}

static toc_status find_potential(toc_scene *scene, const toc_request *request, const toc_near *near,
                                 const toc_potential_query *potential, potential_result *result) {
    toc_team team;
    TOC_TRY(toc_request_place_step(request));
    potential_rounds rounds = {.scene = scene, .near = near, .query = potential, .result = result};
    toc_team_begin(&team, &request->query.tasks);
    const toc_status status = run_potential(&rounds, &request->query.progress, toc_request_threads(request));
    toc_team_end(&team);
    return status;
}

toc_status toc_scene_find_potential(toc_scene *scene, const toc_query *query, const toc_near *near,
                                    const toc_potential_query *potential, toc_potential **out) {
    TOC_SCOPED_ARITHMETIC;
    const double start = toc_seconds();
    const toc_preset *preset;
    toc_query settings;
    toc_potential_query asked;
    potential_result *result;
    TOC_USE_SCENE(scene);
    TOC_NEED(near);
    TOC_NEED(out);
    TOC_TRY(take_potential(potential, &asked));
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(toc_scene_need_straight(scene));
    toc_request request = toc_request_make(scene, &settings, preset);
    request.reach = INFINITY; // near pairs may be of any part of a world
    TOC_TRY(make_potential(scene, asked.order, &result));
    const toc_status status = find_potential(scene, &request, near, &asked, result);
    if (status != TOC_OK) {
        free_potential(result);
        return status;
    }
    result->shown.seconds = toc_seconds() - start;
    *out = &result->shown;
    return TOC_OK;
}
