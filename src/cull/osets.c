// SPDX-License-Identifier: Apache-2.0
// Finding orphans: features whose elements all touch each other.
//
// After Tang et al. 2011, "VolCCD", Algorithm 3, in its corrected form: a pair is an orphan when EVERY element around
// the first feature is adjacent to, or is, EVERY element around the second one. (The printed test keeps one of the two
// elements fixed, and so lets through pairs that Algorithm 5 asks about as well.) Each pair of features is met once, at
// the first element around each. That an element is adjacent to all around a feature is asked once for all of the
// element's features: few pairs remain after it.
#include "cull/osets.h"

#include <string.h>

#include "cull/assignment.h"
#include "cull/shared.h"

typedef struct finder {
    const toc_cells *cells;
    const toc_cell_body *body;
    toc_oset *oset;
    uint32_t *seen; // by element: the last element that had it for a neighbour, plus one
    toc_ids near;   // the present element and its neighbours
} finder;

static toc_status gather_near(finder *f, uint32_t element) {
    const toc_incidence *incidence = &f->body->incidence;
    const toc_cell *cell = &f->cells->at[f->body->first_cell + element];
    f->near.count = 0;
    for (int i = 0; i < cell->corners; i++) {
        size_t count;
        const uint32_t *items = toc_bag_items(&incidence->vertex_elements, cell->v[i] - f->body->first_vertex, &count);
        TOC_TRY(toc_array_reserve(&f->oset->allocator, &f->near, count));
        for (size_t j = 0; j < count; j++) {
            if (f->seen[items[j]] == element + 1) continue;
            f->seen[items[j]] = element + 1;
            f->near.at[f->near.count++] = items[j];
        }
    }
    return TOC_OK;
}

// Whether a cell is adjacent to, or is, all those around a feature.
static bool touches_all(const finder *f, const toc_around *around, uint32_t element) {
    const toc_cell *cell = &f->cells->at[f->body->first_cell + element];
    for (size_t i = 0; i < around->count; i++)
        if (!toc_cells_adjacent(cell, &f->cells->at[around->first_cell + around->elements[i]])) return false;
    return true;
}

static toc_status keep_orphan(finder *f, const toc_around *a, const toc_around *b, uint32_t first, uint32_t second,
                              toc_orphans *orphans) {
    uint32_t found[2];
    if (toc_assignment_find(f->cells, a, b, found)) return TOC_OK;
    TOC_TRY(toc_array_reserve(&f->oset->allocator, orphans, 1));
    orphans->at[orphans->count++] = (toc_orphan){first, second};
    return TOC_OK;
}

// A vertex against the faces whose first element is `other`.
static toc_status try_faces(finder *f, uint32_t vertex, const toc_around *around, uint32_t other) {
    const toc_incidence *incidence = &f->body->incidence;
    size_t count;
    const uint32_t *faces = toc_bag_items(&incidence->element_faces, other, &count);
    for (size_t i = 0; i < count; i++) {
        const toc_around b = toc_around_of(f->body, &incidence->face_elements, faces[i]);
        if (b.elements[0] != other || toc_vertex_in_face(vertex, incidence->faces.at[faces[i]])) continue;
        TOC_TRY(keep_orphan(f, around, &b, vertex, faces[i], &f->oset->vf));
    }
    return TOC_OK;
}

static bool is_lower(const toc_incidence *incidence, uint32_t a, uint32_t b) {
    const uint32_t *x = incidence->edges.at[a], *y = incidence->edges.at[b];
    return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
}

// An edge against higher ones whose first element is `other`.
static toc_status try_edges(finder *f, uint32_t edge, const toc_around *around, uint32_t other) {
    const toc_incidence *incidence = &f->body->incidence;
    size_t count;
    const uint32_t *edges = toc_bag_items(&incidence->element_edges, other, &count);
    for (size_t i = 0; i < count; i++) {
        const toc_around b = toc_around_of(f->body, &incidence->edge_elements, edges[i]);
        if (b.elements[0] != other || !is_lower(incidence, edge, edges[i])) continue;
        if (toc_edges_share(incidence->edges.at[edge], incidence->edges.at[edges[i]])) continue;
        TOC_TRY(keep_orphan(f, around, &b, edge, edges[i], &f->oset->ee));
    }
    return TOC_OK;
}

static toc_status find_at(finder *f, uint32_t element) {
    const toc_incidence *incidence = &f->body->incidence;
    const toc_cell *cell = &f->cells->at[f->body->first_cell + element];
    size_t count;
    const uint32_t *edges = toc_bag_items(&incidence->element_edges, element, &count);
    TOC_TRY(gather_near(f, element));
    for (int i = 0; i < cell->corners; i++) {
        const uint32_t vertex = cell->v[i] - f->body->first_vertex;
        const toc_around around = toc_around_of(f->body, &incidence->vertex_elements, vertex);
        if (around.elements[0] != element) continue;
        for (size_t j = 0; j < f->near.count; j++)
            if (touches_all(f, &around, f->near.at[j])) TOC_TRY(try_faces(f, vertex, &around, f->near.at[j]));
    }
    for (size_t i = 0; i < count; i++) {
        const toc_around around = toc_around_of(f->body, &incidence->edge_elements, edges[i]);
        if (around.elements[0] != element) continue;
        for (size_t j = 0; j < f->near.count; j++)
            if (touches_all(f, &around, f->near.at[j])) TOC_TRY(try_edges(f, edges[i], &around, f->near.at[j]));
    }
    return TOC_OK;
}

static toc_status find_all(finder *f, size_t elements) {
    for (size_t e = 0; e < elements; e++)
        if (f->cells->at[f->body->first_cell + e].corners > 0) TOC_TRY(find_at(f, (uint32_t)e));
    return TOC_OK;
}

toc_status toc_oset_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body, toc_oset *out) {
    *out = (toc_oset){.allocator = *allocator};
    finder f = {.cells = cells, .body = &cells->bodies[body], .oset = out};
    const size_t elements = f.body->incidence.element_edges.runs.count;
    f.seen = toc_new(allocator, elements, sizeof *f.seen);
    const toc_status status = f.seen ? find_all(&f, elements) : TOC_OUT_OF_MEMORY;
    toc_free(allocator, f.seen, elements, sizeof *f.seen);
    toc_array_free(allocator, &f.near);
    return status;
}

void toc_oset_free(toc_oset *oset) {
    toc_array_free(&oset->allocator, &oset->vf);
    toc_array_free(&oset->allocator, &oset->ee);
}
