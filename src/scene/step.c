// SPDX-License-Identifier: Apache-2.0
// Gather a step: positions and features of all bodies one after the other.
#include "scene/step.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "bound/box.h"
#include "device/device.h"
#include "mesh/features.h"
#include "scene/scene.h"
#include "toccata/convex.h"

static toc_status update_features(toc_body *body, int threads) {
    const uint64_t revision = toc_mesh_get_revision(body->mesh);
    if (body->features && body->features_revision == revision) return TOC_OK;
    toc_features *features;
    TOC_TRY(toc_features_make_bare(body->mesh, threads, &features));
    toc_features_destroy(body->features);
    body->features = features;
    body->features_revision = revision;
    return TOC_OK;
}

static toc_status count_all(toc_scene *scene, int threads, toc_step *step) {
    size_t vertices = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        toc_body *body = &scene->bodies.at[i];
        TOC_TRY(update_features(body, threads));
        vertices += toc_mesh_get_vertex_count(body->mesh);
        step->element_count += toc_mesh_get_element_count(body->mesh);
        step->point_count += body->features->vertex_count;
        step->edge_count += body->features->edge_count;
        step->face_count += body->features->face_count;
    }
    if (vertices >= UINT32_MAX || step->edge_count >= UINT32_MAX || step->face_count >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT,
                        "the scene has %zu vertices, %zu edges and %zu faces; each must be below 2^32 - 1", vertices,
                        step->edge_count, step->face_count);
    return TOC_OK;
}

static toc_status allocate_features(toc_step *step) {
    toc_arena *arena = &step->arena;
    step->points = toc_arena_new(arena, step->point_count, sizeof *step->points);
    step->edges = toc_arena_new(arena, step->edge_count, sizeof *step->edges);
    step->faces = toc_arena_new(arena, step->face_count, sizeof *step->faces);
    return step->points && step->edges && step->faces ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// Part of the features of one kind of a body: points, edges or faces.
typedef struct gather_piece {
    uint32_t body, kind;
    size_t first, last; // in the body
    size_t kept, at;    // how many go to the step, and the place of the first one
} gather_piece;

typedef struct feature_gathering {
    const toc_scene *scene;
    bool surface_only;
    toc_step *step;
    size_t count;
    gather_piece *pieces; // points first, then edges, then faces; body after body
} feature_gathering;

enum { POINTS, EDGES, FACES, KINDS, FEATURES_OF_PIECE = 8192 };

static size_t kind_count(const toc_features *f, uint32_t kind) {
    return kind == POINTS ? f->vertex_count : kind == EDGES ? f->edge_count : f->face_count;
}

static const uint8_t *kind_flags(const toc_features *f, uint32_t kind) {
    return kind == POINTS ? f->vertex_flags : kind == EDGES ? f->edge_flags : f->face_flags;
}

static const uint32_t *kind_vertices(const toc_features *f, uint32_t kind) {
    if (kind == POINTS) return f->vertices;
    return kind == EDGES ? (const uint32_t *)f->edges : (const uint32_t *)f->faces;
}

static uint32_t *kind_of_step(const toc_step *step, uint32_t kind) {
    return kind == POINTS ? step->points : kind == EDGES ? (uint32_t *)step->edges : (uint32_t *)step->faces;
}

static toc_status count_piece(void *user, size_t index, int thread) {
    (void)thread;
    const feature_gathering *g = user;
    gather_piece *piece = &g->pieces[index];
    const uint8_t *flags = kind_flags(g->scene->bodies.at[piece->body].features, piece->kind);
    for (size_t i = piece->first; i < piece->last; i++) piece->kept += (flags[i] & TOC_FEATURE_ON_BOUNDARY) != 0;
    return TOC_OK;
}

// Features are numbered through.
static toc_status gather_one_piece(void *user, size_t index, int thread) {
    (void)thread;
    const feature_gathering *g = user;
    const gather_piece *piece = &g->pieces[index];
    const toc_features *f = g->scene->bodies.at[piece->body].features;
    const uint8_t *flags = kind_flags(f, piece->kind);
    const uint32_t *from = kind_vertices(f, piece->kind), first = g->step->body_first[piece->body];
    const size_t corners = piece->kind + 1;
    uint32_t *to = kind_of_step(g->step, piece->kind) + piece->at * corners;
    for (size_t i = piece->first; i < piece->last; i++) {
        if (g->surface_only && !(flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        for (size_t j = 0; j < corners; j++) *to++ = first + from[i * corners + j];
    }
    return TOC_OK;
}

// List the pieces, or count them where there is no room yet.
static void list_gather_pieces(feature_gathering *g) {
    g->count = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t body = 0; body < g->scene->bodies.count; body++) {
            const size_t count = kind_count(g->scene->bodies.at[body].features, kind);
            for (size_t i = 0; i < count; i += FEATURES_OF_PIECE, g->count++) {
                const size_t last = i + FEATURES_OF_PIECE < count ? i + FEATURES_OF_PIECE : count;
                if (g->pieces)
                    g->pieces[g->count] = (gather_piece){body, kind, i, last, g->surface_only ? 0 : last - i, 0};
            }
        }
}

static void place_gather_pieces(feature_gathering *g) {
    size_t counts[KINDS] = {0};
    for (size_t i = 0; i < g->count; i++) {
        g->pieces[i].at = counts[g->pieces[i].kind];
        counts[g->pieces[i].kind] += g->pieces[i].kept;
    }
    g->step->point_count = counts[POINTS];
    g->step->edge_count = counts[EDGES];
    g->step->face_count = counts[FACES];
}

static toc_status gather_pieces(feature_gathering *g, int threads) {
    toc_loop loop = {.count = g->count, .threads = threads, .round = count_piece, .user = g};
    if (g->surface_only) TOC_TRY(toc_loop_run(&loop));
    place_gather_pieces(g);
    loop.round = gather_one_piece;
    return toc_loop_run(&loop);
}

static toc_status gather_features(const toc_scene *scene, bool surface_only, int threads, toc_step *step) {
    feature_gathering g = {.scene = scene, .surface_only = surface_only, .step = step};
    toc_arena arena = toc_arena_make(&scene->memory);
    list_gather_pieces(&g);
    g.pieces = toc_arena_new(&arena, g.count, sizeof *g.pieces);
    toc_status status = TOC_OUT_OF_MEMORY;
    if (g.pieces) {
        list_gather_pieces(&g);
        status = gather_pieces(&g, threads);
    }
    toc_arena_free(&arena);
    return status;
}

static toc_status derive(toc_step *step, int threads) {
    const toc_feature_set features = toc_step_features(step);
    TOC_TRY(toc_primitives_list(&step->arena, &features, threads, &step->primitives));
    return toc_flat_rings_find(&step->ring_arena, &features, &step->primitives, threads, &step->rings);
}

// ---- positions

enum { VERTICES_OF_ROUND = 4096 };

typedef struct position_gathering {
    const toc_scene *scene;
    toc_step *step;
} position_gathering;

static toc_status gather_positions_round(void *user, size_t index, int thread) {
    (void)thread;
    const position_gathering *g = user;
    const toc_step *step = g->step;
    const size_t first = index * VERTICES_OF_ROUND, end = first + VERTICES_OF_ROUND;
    const size_t last = end < step->vertex_count ? end : step->vertex_count;
    size_t body = toc_step_body(step, (uint32_t)first);
    for (size_t v = first, next; v < last; v = next) {
        while (step->body_first[body + 1] <= v) body++;
        const toc_body *of = &g->scene->bodies.at[body];
        const toc_mesh *mesh = of->mesh;
        const size_t in_body = v - step->body_first[body], from = 3 * in_body;
        next = step->body_first[body + 1] < last ? step->body_first[body + 1] : last;
        if (of->share.on) {
            TOC_TRY(toc_fail_in(toc_share_gather(of, in_body, in_body + next - v, step->x0 + 3 * v, step->x1 + 3 * v),
                                "body %zu", body));
            continue;
        }
        memcpy(step->x0 + 3 * v, toc_mesh_get_x0(mesh) + from, 3 * (next - v) * sizeof *step->x0);
        memcpy(step->x1 + 3 * v, toc_mesh_get_x1(mesh) + from, 3 * (next - v) * sizeof *step->x1);
    }
    return TOC_OK;
}

static toc_status gather_positions(const toc_scene *scene, toc_step *step, int threads) {
    position_gathering g = {scene, step};
    const size_t rounds = (step->vertex_count + VERTICES_OF_ROUND - 1) / VERTICES_OF_ROUND;
    const toc_status status =
        toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = gather_positions_round, .user = &g});
    // Several rounds may fail: name the first of all bad positions.
    for (size_t i = 0; i < rounds && status != TOC_OK; i++) TOC_TRY(gather_positions_round(&g, i, 0));
    return status;
}

// Bodies on straight paths have control points, too: in the middle.
static toc_status gather_control(const toc_scene *scene, toc_step *step) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const double *a = toc_mesh_get_acceleration(scene->bodies.at[i].mesh);
        const double none[3] = {0, 0, 0};
        for (uint32_t v = step->body_first[i]; v < step->body_first[i + 1]; v++) {
            const size_t at = 3 * (size_t)v;
            toc_path_find_control(1, step->x0 + at, step->x1 + at, a ? a + at - 3 * (size_t)step->body_first[i] : none,
                                  step->control + at);
            for (size_t c = 0; c < 3; c++)
                if (!isfinite(step->control[at + c]))
                    return toc_fail(TOC_BAD_INPUT, "body %zu, vertex %u: the acceleration is too large", i,
                                    v - step->body_first[i]);
        }
    }
    return TOC_OK;
}

static bool is_gathered(const toc_scene *scene, bool surface_only) {
    const toc_step *step = &scene->step;
    if (!step->version || step->gathered_bodies != scene->bodies.count || step->surface_only != surface_only)
        return false;
    for (size_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.at[i].gathered_revision != toc_mesh_get_revision(scene->bodies.at[i].mesh)) return false;
    return true;
}

static void forget_features(toc_step *step) {
    toc_arena_free(&step->arena);
    toc_arena_free(&step->ring_arena);
}

static toc_status gather_anew(toc_scene *scene, bool surface_only, int threads) {
    toc_step step = scene->step;
    step.arena = step.ring_arena = toc_arena_make(&scene->memory);
    step.version++;
    step.surface_only = surface_only;
    step.gathered_bodies = scene->bodies.count;
    step.element_count = step.point_count = step.edge_count = step.face_count = 0;
    toc_status status = count_all(scene, threads, &step);
    if (status == TOC_OK) status = allocate_features(&step);
    if (status == TOC_OK) status = gather_features(scene, surface_only, threads, &step);
    if (status == TOC_OK) status = derive(&step, threads);
    if (status != TOC_OK) {
        forget_features(&step);
        return status;
    }
    if (scene->step.version) forget_features(&scene->step);
    scene->step = step;
    for (size_t i = 0; i < scene->bodies.count; i++)
        scene->bodies.at[i].gathered_revision = scene->bodies.at[i].features_revision;
    return TOC_OK;
}

static void unpin_places(toc_step *step) {
    if (!step->pins) return;
    const bool entered = step->pins->enter() == TOC_OK;
    step->pins->unpin(step->x0), step->pins->unpin(step->x1);
    if (entered) step->pins->leave();
    step->pins = NULL;
}

void toc_step_pin(toc_step *step, const toc_device *device) {
    const size_t bytes = 3 * step->vertex_room * sizeof *step->x0;
    if (step->pins == device || step->vertex_room == 0) return;
    unpin_places(step);
    device->pin(step->x0, bytes), device->pin(step->x1, bytes);
    step->pins = device;
}

static void forget_places(toc_step *step) {
    unpin_places(step);
    if (step->body_room) toc_arena_free(&step->places);
    step->body_room = step->vertex_room = step->body_count = step->vertex_count = 0;
    step->control = NULL;
}

// With spare room, so that adding a vertex does not reallocate each time.
static toc_status make_step_room(toc_scene *scene, size_t vertices, bool accelerated) {
    toc_step *step = &scene->step;
    const size_t bodies = scene->bodies.count + 1;
    const bool has_control = step->control != NULL;
    if (bodies <= step->body_room && vertices <= step->vertex_room && has_control == accelerated) return TOC_OK;
    forget_places(step);
    step->places = toc_arena_make(&scene->memory);
    step->body_room = bodies;
    step->vertex_room = vertices + vertices / 8;
    step->body_first = toc_arena_new(&step->places, step->body_room, sizeof *step->body_first);
    step->x0 = toc_arena_new(&step->places, step->vertex_room, 3 * sizeof *step->x0);
    step->x1 = toc_arena_new(&step->places, step->vertex_room, 3 * sizeof *step->x1);
    if (accelerated) step->control = toc_arena_new(&step->places, step->vertex_room, 3 * sizeof *step->control);
    if (step->body_first && step->x0 && step->x1 && (step->control || !accelerated)) return TOC_OK;
    forget_places(step);
    return TOC_OUT_OF_MEMORY;
}

toc_status toc_step_need_positions(toc_scene *scene, int threads) {
    toc_step *step = &scene->step;
    if (!step->is_elsewhere) return TOC_OK;
    TOC_TRY(toc_shares_check(scene, false));
    TOC_TRY(gather_positions(scene, step, threads));
    step->is_elsewhere = false;
    return TOC_OK;
}

toc_status toc_step_place(toc_scene *scene, const toc_step_scope *scope) {
    toc_step *step = &scene->step;
    size_t vertices = 0;
    bool accelerated = false;
    const bool later = scope->positions_later && toc_shares_are_there(scene);
    TOC_TRY(toc_shares_check(scene, later));
    TOC_TRY(toc_worlds_gather(scene, scope->reach));
    for (size_t i = 0; i < scene->bodies.count; i++) {
        vertices += toc_mesh_get_vertex_count(scene->bodies.at[i].mesh);
        accelerated = accelerated || toc_mesh_get_acceleration(scene->bodies.at[i].mesh);
    }
    if (vertices >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "the scene has %zu vertices; there must be fewer than 2^32 - 1", vertices);
    TOC_TRY(make_step_room(scene, vertices, accelerated));
    step->body_count = scene->bodies.count;
    step->vertex_count = vertices;
    step->is_shortened = false;
    step->body_first[0] = 0;
    for (size_t i = 0; i < scene->bodies.count; i++)
        step->body_first[i + 1] = step->body_first[i] + (uint32_t)toc_mesh_get_vertex_count(scene->bodies.at[i].mesh);
    step->is_elsewhere = true;
    if (later && !accelerated) return TOC_OK;
    TOC_TRY(toc_step_need_positions(scene, scope->threads));
    return accelerated ? gather_control(scene, step) : TOC_OK;
}

toc_status toc_step_update(toc_scene *scene, const toc_step_scope *scope) {
    TOC_TRY(toc_step_place(scene, scope));
    if (is_gathered(scene, scope->surface_only)) return TOC_OK;
    return gather_anew(scene, scope->surface_only, scope->threads);
}

toc_status toc_step_list_elements(toc_scene *scene, int threads) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const toc_body *body = &scene->bodies.at[i];
        assert(body->features && body->features_revision == toc_mesh_get_revision(body->mesh));
        TOC_TRY(toc_features_list_elements(body->features, body->mesh, threads));
    }
    return TOC_OK;
}

void toc_step_free(toc_step *step) {
    if (step->version) forget_features(step);
    forget_places(step);
}

// With d = (x0 - 2 control + x1) / 4 the parabola is at L(t) - 4 t (1 - t) d, L being the straight path. Two vertices
// with d_a and d_b thus differ from their straight paths by at most |d_a - d_b|, and so do points between vertices: at
// most the diagonal of the box of all d. Each d is off by less than 4 roundings of numbers up to M, the largest
// coordinate: 2^-48 M in all.
double toc_step_bend(const toc_step *step) {
    toc_box box = toc_box_empty();
    double most = 0, diagonal = 0;
    for (size_t i = 0; i < 3 * step->vertex_count; i += 3) {
        double d[3];
        for (size_t c = 0; c < 3; c++) {
            const double x0 = step->x0[i + c] / 4, x1 = step->x1[i + c] / 4, control = step->control[i + c] / 2;
            d[c] = x0 - control + x1;
            most = fmax(most, fmax(fabs(x0), fmax(fabs(x1), fabs(control))));
        }
        toc_box_put(&box, d);
    }
    if (step->vertex_count == 0) return 0;
    for (int c = 0; c < 3; c++) diagonal = hypot(diagonal, box.high[c] - box.low[c]);
    return diagonal * (1 + 0x1p-40) + 0x1p-46 * most + 0x1p-1000;
}

toc_feature_set toc_step_features(const toc_step *step) {
    return (toc_feature_set){.vertex_count = step->vertex_count,
                             .point_count = step->point_count,
                             .edge_count = step->edge_count,
                             .face_count = step->face_count,
                             .points = step->points,
                             .edges = (const uint32_t(*)[2])step->edges,
                             .faces = (const uint32_t(*)[3])step->faces};
}

void toc_step_vertices(const toc_step *step, toc_kind kind, uint32_t a, uint32_t b, uint32_t vertices[4]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(a < (kind == TOC_VF ? step->point_count : step->edge_count));
    assert(b < (kind == TOC_VF ? step->face_count : step->edge_count));
    if (kind == TOC_VF) {
        vertices[0] = step->points[a];
        memcpy(vertices + 1, step->faces[b], sizeof step->faces[b]);
    } else {
        memcpy(vertices, step->edges[a], sizeof step->edges[a]);
        memcpy(vertices + 2, step->edges[b], sizeof step->edges[b]);
    }
}

uint32_t toc_step_body(const toc_step *step, uint32_t vertex) {
    assert(vertex < step->vertex_count);
    uint32_t low = 0, high = (uint32_t)step->body_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (step->body_first[middle] <= vertex)
            low = middle;
        else
            high = middle;
    }
    return low;
}
