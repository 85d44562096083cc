// SPDX-License-Identifier: Apache-2.0
// Listing elements: each feature goes to the first element around it.
#include "search/device_cells.h"

#include <assert.h>
#include <string.h>

#include "mesh/features.h"
#include "mesh/shape.h"

typedef struct cell_lister {
    const toc_scene *scene;
    toc_device_cell *at;                     // by element, numbered through all bodies
    uint32_t *vertices[TOC_DEVICE_FEATURES]; // of the features in their order
    uint32_t first_element;                  // of the present body
    uint32_t first_vertex;                   // likewise
} cell_lister;

static const toc_lists *elements_around(const toc_features *f, int kind) {
    return kind == TOC_DEVICE_POINTS  ? &f->vertex_elements
           : kind == TOC_DEVICE_EDGES ? &f->edge_elements
                                      : &f->face_elements;
}

static const uint32_t *feature_vertices(const toc_features *f, int kind) {
    if (kind == TOC_DEVICE_POINTS) return f->vertices;
    return kind == TOC_DEVICE_EDGES ? (const uint32_t *)f->edges : (const uint32_t *)f->faces;
}

// A feature of a kind and the element that represents it.
typedef void visit_feature(const cell_lister *l, int kind, const uint32_t *vertices, toc_device_cell *cell);

static void count_feature(const cell_lister *l, int kind, const uint32_t *vertices, toc_device_cell *cell) {
    (void)l, (void)vertices;
    assert(cell->count[kind] < UINT8_MAX);
    cell->count[kind]++;
}

static void put_feature(const cell_lister *l, int kind, const uint32_t *vertices, toc_device_cell *cell) {
    const size_t corners = (size_t)kind + 1;
    uint32_t *to = l->vertices[kind] + corners * (cell->first[kind] + cell->count[kind]++);
    for (size_t k = 0; k < corners; k++) to[k] = l->first_vertex + vertices[k];
}

static void visit_body(const cell_lister *l, const toc_features *f, visit_feature *visit) {
    for (int kind = 0; kind < TOC_DEVICE_FEATURES; kind++) {
        const toc_lists *around = elements_around(f, kind);
        const uint32_t *vertices = feature_vertices(f, kind);
        for (size_t i = 0; i < around->count; i++)
            visit(l, kind, vertices + i * ((size_t)kind + 1),
                  &l->at[l->first_element + around->items[around->first[i]]]);
    }
}

static void visit_all(cell_lister *l, visit_feature *visit) {
    l->first_element = 0;
    for (size_t b = 0; b < l->scene->bodies.count; b++) {
        const toc_body *body = &l->scene->bodies.at[b];
        assert(body->features && toc_features_have_elements(body->features));
        l->first_vertex = l->scene->step.body_first[b];
        visit_body(l, body->features, visit);
        l->first_element += (uint32_t)toc_mesh_get_element_count(body->mesh);
    }
}

static bool represents_any(const toc_device_cell *cell) {
    return cell->count[TOC_DEVICE_POINTS] || cell->count[TOC_DEVICE_EDGES] || cell->count[TOC_DEVICE_FACES];
}

// Give each element its runs, empty so far. @return the elements that represent a feature.
static size_t place_runs(const cell_lister *l, size_t elements) {
    uint32_t sums[TOC_DEVICE_FEATURES] = {0};
    size_t used = 0;
    for (size_t e = 0; e < elements; e++) {
        used += represents_any(&l->at[e]);
        for (int kind = 0; kind < TOC_DEVICE_FEATURES; kind++) {
            l->at[e].first[kind] = sums[kind];
            sums[kind] += l->at[e].count[kind];
            l->at[e].count[kind] = 0;
        }
    }
    return used;
}

// ---- corners

static int distinct_corners(const toc_mesh *mesh, uint32_t id, uint32_t corners[TOC_DEVICE_CORNERS]) {
    const toc_element e = toc_mesh_get_element(mesh, id);
    assert(e.corner_count <= TOC_DEVICE_CORNERS);
    return toc_ids_distinct(e.corners, e.corner_count, corners);
}

static uint32_t most_corners(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(scene->bodies.at[b].mesh); e++) {
            uint32_t corners[TOC_DEVICE_CORNERS];
            if (distinct_corners(scene->bodies.at[b].mesh, e, corners) > 4) return TOC_DEVICE_CORNERS;
        }
    return 4;
}

// Keep the elements that represent a feature, with their corners.
static void keep_used(const cell_lister *l, toc_device_cells *out) {
    const toc_device_cell *cell = l->at;
    for (size_t b = 0; b < l->scene->bodies.count; b++) {
        const toc_mesh *mesh = l->scene->bodies.at[b].mesh;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++, cell++) {
            uint32_t corners[TOC_DEVICE_CORNERS];
            if (!represents_any(cell)) continue;
            const uint32_t count = (uint32_t)distinct_corners(mesh, e, corners);
            for (uint32_t k = 0; k < out->corner_count; k++)
                out->corners[out->count * out->corner_count + k] =
                    l->scene->step.body_first[b] + corners[k < count ? k : 0];
            out->at[out->count++] = *cell;
        }
    }
}

// ---- the list

static toc_status allocate_represented(toc_arena *arena, const toc_step *step, toc_device_cells *out) {
    out->point_count = step->point_count, out->edge_count = step->edge_count, out->face_count = step->face_count;
    out->points = toc_arena_new(arena, out->point_count, sizeof *out->points);
    out->edges = toc_arena_new(arena, out->edge_count, sizeof *out->edges);
    out->faces = toc_arena_new(arena, out->face_count, sizeof *out->faces);
    return out->points && out->edges && out->faces ? TOC_OK : TOC_OUT_OF_MEMORY;
}

toc_status toc_device_cells_make(toc_arena *arena, const toc_scene *scene, toc_device_cells *out) {
    const toc_step *step = &scene->step;
    assert(!step->surface_only);
    *out = (toc_device_cells){.corner_count = most_corners(scene)};
    TOC_TRY(allocate_represented(arena, step, out));
    cell_lister l = {.scene = scene, .vertices = {out->points, (uint32_t *)out->edges, (uint32_t *)out->faces}};
    l.at = toc_arena_new(arena, step->element_count, sizeof *l.at);
    if (!l.at) return TOC_OUT_OF_MEMORY;
    memset(l.at, 0, step->element_count * sizeof *l.at);
    visit_all(&l, count_feature);
    const size_t used = place_runs(&l, step->element_count);
    visit_all(&l, put_feature);
    out->at = toc_arena_new(arena, used, sizeof *out->at);
    out->corners = toc_arena_new(arena, used, out->corner_count * sizeof *out->corners);
    if (!out->at || !out->corners) return TOC_OUT_OF_MEMORY;
    keep_used(&l, out);
    assert(out->count == used);
    return TOC_OK;
}
