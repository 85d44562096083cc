// SPDX-License-Identifier: Apache-2.0
// The pieces of connected cells, and the first cell around each feature. O(n).
#include "cull/volume/cells.h"

#include <assert.h>

#include "mesh/shape.h"

void toc_cell_set(const toc_mesh *mesh, uint32_t first_vertex, toc_cell *cell) {
    const toc_element e = toc_mesh_get_element(mesh, cell->element);
    uint32_t distinct[TOC_CELL_CORNERS];
    const int count = toc_ids_distinct(e.corners, e.corner_count, distinct);
    assert(e.corner_count <= TOC_CELL_CORNERS);
    cell->corners = (uint8_t)count;
    cell->shape = (uint8_t)(count == e.corner_count ? e.shape : TOC_REMOVED);
    if (count == 0) return;
    cell->fours = count > 4 ? 2 : 1;
    for (int i = 0; i < TOC_CELL_CORNERS; i++) cell->v[i] = first_vertex + distinct[i < count ? i : 0];
}

static uint32_t piece_root(uint32_t *parents, uint32_t cell) {
    while (parents[cell] != cell) cell = parents[cell] = parents[parents[cell]];
    return cell;
}

// All cells around a vertex belong to one piece.
static void join_around(const toc_cell_body *body, uint32_t vertex, uint32_t *parents) {
    const toc_around around = toc_around_of(body, &body->incidence.vertex_elements, vertex);
    for (size_t i = 1; i < around.count; i++) {
        const uint32_t a = piece_root(parents, around.first_cell + around.elements[0]);
        const uint32_t b = piece_root(parents, around.first_cell + around.elements[i]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
}

static uint64_t first_bits(const toc_adjacency *own, const toc_adjacency *around, uint32_t element) {
    size_t count;
    const uint32_t *ids = toc_adjacency_items(own, element, &count);
    uint64_t bits = 0;
    assert(count <= TOC_FIRST_FACE - TOC_FIRST_EDGE);
    for (size_t i = 0; i < count; i++) {
        size_t others;
        bits |= (uint64_t)(*toc_adjacency_items(around, ids[i], &others) == element) << i;
    }
    return bits;
}

static void set_first(const toc_cells *cells, toc_cell *cell) {
    const toc_cell_body *body = &cells->bodies[cell->body];
    const toc_incidence *in = &body->incidence;
    cell->first = first_bits(&in->element_edges, &in->edge_elements, cell->element) << TOC_FIRST_EDGE |
                  first_bits(&in->element_faces, &in->face_elements, cell->element) << TOC_FIRST_FACE;
    for (int i = 0; i < cell->corners; i++) {
        const toc_around around = toc_around_of(body, &in->vertex_elements, cell->v[i] - body->first_vertex);
        cell->first |= (uint64_t)(around.elements[0] == cell->element) << (TOC_FIRST_POINT + i);
    }
}

toc_status toc_cells_join(const toc_allocator *allocator, toc_cells *cells) {
    uint32_t *parents = toc_new(allocator, cells->count, sizeof *parents);
    if (!parents) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < cells->count; i++) parents[i] = (uint32_t)i;
    for (size_t b = 0; b < cells->body_count; b++)
        for (uint32_t v = 0; v < cells->bodies[b].incidence.vertex_elements.runs.count; v++)
            join_around(&cells->bodies[b], v, parents);
    for (size_t i = 0; i < cells->count; i++) {
        cells->at[i].piece = piece_root(parents, (uint32_t)i);
        if (cells->at[i].corners > 0) set_first(cells, &cells->at[i]);
    }
    toc_free(allocator, parents, cells->count, sizeof *parents);
    return TOC_OK;
}

// ---- after edits

static void set_first_around(toc_cells *cells, const toc_cell_body *body, const toc_adjacency *adjacency,
                             const toc_ids *features) {
    for (size_t i = 0; i < features->count; i++) {
        const toc_around around = toc_around_of(body, adjacency, features->at[i]);
        for (size_t j = 0; j < around.count; j++) set_first(cells, &cells->at[around.first_cell + around.elements[j]]);
    }
}

// A new cell joins the piece of its neighbours. If it connects several pieces, the body is marked as joined.
static void join_cell(toc_cells *cells, toc_cell_body *body, toc_cell *cell) {
    bool is_new = cell->leaf == UINT32_MAX;
    for (int i = 0; i < cell->corners; i++) {
        const toc_around around =
            toc_around_of(body, &body->incidence.vertex_elements, cell->v[i] - body->first_vertex);
        for (size_t j = 0; j < around.count; j++) {
            const toc_cell *other = &cells->at[around.first_cell + around.elements[j]];
            if (is_new && other != cell) cell->piece = other->piece;
            is_new = is_new && other == cell;
            body->joined = body->joined || other->piece != cell->piece;
        }
    }
}

void toc_cells_follow(toc_cells *cells, const toc_mesh *mesh, uint32_t body, const toc_changes *changes) {
    toc_cell_body *of = &cells->bodies[body];
    const toc_incidence *in = &of->incidence;
    assert(body < cells->body_count);
    for (size_t i = 0; i < changes->elements.count; i++)
        toc_cell_set(mesh, of->first_vertex, &cells->at[of->first_cell + changes->elements.at[i]]);
    for (size_t i = 0; i < changes->elements.count; i++)
        join_cell(cells, of, &cells->at[of->first_cell + changes->elements.at[i]]);
    set_first_around(cells, of, &in->vertex_elements, &changes->vertices);
    set_first_around(cells, of, &in->edge_elements, &changes->edges);
    set_first_around(cells, of, &in->face_elements, &changes->faces);
}
