// SPDX-License-Identifier: Apache-2.0
// Finding orphans: pairs of features whose elements are all adjacent to each other.
//
// After Tang et al. 2011, "VolCCD", Algorithm 3, in its corrected form: a pair is an orphan if EVERY element around
// the first feature is adjacent to, or is, EVERY element around the second one. (The printed test keeps one of the two
// elements fixed, and so lists pairs that Algorithm 5 tests as well.) A pair is found at the first element around each
// of the two. Whether an element is adjacent to all elements around a feature is tested once for all features of the
// element: few pairs remain after it.
//
// Orphans within one element are not listed: there are many, and they follow from the element (cull/volume/expand.h).
//
// An edit affects only pairs with a changed feature: these pairs are removed and found again, from the changed feature.
#include "cull/volume/orphan_pairs.h"

#include <assert.h>
#include <string.h>

#include "cull/shared.h"
#include "cull/volume/assignment.h"

typedef struct orphan_finder {
    const toc_cells *cells;
    const toc_cell_body *body;
    toc_orphan_pairs *pairs;
    bool upwards;      // an edge only searches higher edges, since all edges search
    toc_ids near;      // the present element and its neighbours
    uint32_t near_to;  // that element
    toc_ids set;       // of these: places by hash, one more than the index in `near` in each taken one, and 0
    toc_around around; // the cells around the present feature
    uint64_t all;      // a bit for each of them
} orphan_finder;

// ---- the elements near another one

// Scattered over the set, whose size is a power of two.
static size_t near_place(const toc_ids *set, uint32_t id) { return (id * 0x9e3779b1u >> 7) & (set->count - 1); }

static void put_near(orphan_finder *f, uint32_t id) {
    size_t at = near_place(&f->set, id);
    for (; f->set.at[at]; at = (at + 1) & (f->set.count - 1))
        if (f->near.at[f->set.at[at] - 1] == id) return;
    f->near.at[f->near.count++] = id;
    f->set.at[at] = (uint32_t)f->near.count;
}

// Empty the set, and make room for this many elements: at least twice as many places.
static toc_status clear_near(orphan_finder *f, size_t most) {
    size_t places = f->set.count ? f->set.count : 64;
    while (places < 2 * most) places *= 2;
    f->near.count = f->set.count = 0;
    TOC_TRY(toc_array_reserve(&f->pairs->allocator, &f->near, most));
    TOC_TRY(toc_array_reserve(&f->pairs->allocator, &f->set, places));
    f->set.count = places;
    memset(f->set.at, 0, places * sizeof *f->set.at);
    return TOC_OK;
}

// Consecutive features often have the same first element.
static toc_status gather_near(orphan_finder *f, uint32_t element) {
    const toc_incidence *in = &f->body->incidence;
    size_t corners, count, most = 0;
    if (f->near.count > 0 && f->near_to == element) return TOC_OK;
    f->near_to = element;
    const uint32_t *vertices = toc_adjacency_items(&in->element_vertices, element, &corners);
    for (size_t i = 0; i < corners; i++) {
        toc_adjacency_items(&in->vertex_elements, vertices[i], &count);
        most += count;
    }
    TOC_TRY(clear_near(f, most));
    for (size_t i = 0; i < corners; i++) {
        const uint32_t *items = toc_adjacency_items(&in->vertex_elements, vertices[i], &count);
        for (size_t j = 0; j < count; j++) put_near(f, items[j]);
    }
    return TOC_OK;
}

// ---- the cells around the present feature

// Bits of the cells around the feature, at their vertices: a cell that finds all bits at its own vertices is adjacent
// to, or is, each of them. More cells than bits are compared one by one.
enum { CELLS_MOST = 64 };

static uint64_t *bits_at(const orphan_finder *f, uint32_t vertex) {
    assert(vertex - f->body->first_vertex < f->pairs->around.count);
    return &f->pairs->around.at[vertex - f->body->first_vertex];
}

static void mark_around(orphan_finder *f, const toc_around *around) {
    f->around = *around;
    f->all = around->count < CELLS_MOST ? (UINT64_C(1) << around->count) - 1 : UINT64_MAX;
    if (around->count > CELLS_MOST) return;
    for (size_t i = 0; i < around->count; i++) {
        const toc_cell *cell = &f->cells->at[around->first_cell + around->elements[i]];
        for (int k = 0; k < 4 * cell->fours; k++) *bits_at(f, cell->v[k]) |= UINT64_C(1) << i;
    }
}

static void unmark_around(const orphan_finder *f) {
    for (size_t i = 0; i < f->around.count && f->around.count <= CELLS_MOST; i++) {
        const toc_cell *cell = &f->cells->at[f->around.first_cell + f->around.elements[i]];
        for (int k = 0; k < 4 * cell->fours; k++) *bits_at(f, cell->v[k]) = 0;
    }
}

// Whether a cell is adjacent to, or is, each cell around the present feature.
static bool touches_all(const orphan_finder *f, uint32_t element) {
    const toc_cell *cell = &f->cells->at[f->body->first_cell + element];
    uint64_t bits = 0;
    if (f->around.count <= CELLS_MOST) {
        for (int k = 0; k < 4 * cell->fours; k++) bits |= *bits_at(f, cell->v[k]);
        return bits == f->all;
    }
    for (size_t i = 0; i < f->around.count; i++)
        if (!toc_cells_adjacent(cell, &f->cells->at[f->around.first_cell + f->around.elements[i]])) return false;
    return true;
}

// Whether no cell has both features, and each cell around one is adjacent to each cell around the other.
static bool are_orphans(const orphan_finder *f, const toc_around *other) {
    if (toc_common_element(&f->around, other) != UINT32_MAX) return false;
    for (size_t i = 0; i < other->count; i++)
        if (!touches_all(f, other->elements[i])) return false;
    return true;
}

// ---- candidates

static toc_status keep_orphan(orphan_finder *f, toc_orphan_list *orphans, uint32_t first, uint32_t second) {
    const toc_allocator *memory = &f->pairs->allocator;
    const size_t before = orphans->seconds.runs.at[first].count;
    TOC_TRY(toc_adjacency_insert(memory, &orphans->seconds, first, second));
    orphans->count += orphans->seconds.runs.at[first].count - before;
    return toc_adjacency_insert(memory, &orphans->firsts, second, first);
}

static toc_status try_vf(orphan_finder *f, uint32_t vertex, uint32_t face, const toc_around *other) {
    f->pairs->work++;
    if (toc_vertex_in_face(vertex, f->body->incidence.faces.at[face]) || !are_orphans(f, other)) return TOC_OK;
    return keep_orphan(f, &f->pairs->vf, vertex, face);
}

static bool is_lower_edge(const uint32_t a[2], const uint32_t b[2]) { return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1]; }

static toc_status try_ee(orphan_finder *f, uint32_t edge, uint32_t partner, const toc_around *other) {
    const uint32_t *v = f->body->incidence.edges.at[edge], *w = f->body->incidence.edges.at[partner];
    const bool lower = is_lower_edge(v, w);
    f->pairs->work++;
    if (toc_edges_share(v, w) || (f->upwards && !lower) || !are_orphans(f, other)) return TOC_OK;
    return keep_orphan(f, &f->pairs->ee, lower ? edge : partner, lower ? partner : edge);
}

// The candidates for orphan pairs with a feature: features of one kind whose first element is near its own.
typedef struct partners {
    const toc_adjacency *around;     // elements around the feature
    const toc_adjacency *own;        // candidates by element
    const toc_adjacency *own_around; // elements around each candidate
    toc_status (*try_pair)(orphan_finder *f, uint32_t feature, uint32_t partner, const toc_around *other);
} partners;

static toc_status try_near(orphan_finder *f, const partners *p, uint32_t feature) {
    for (size_t i = 0; i < f->near.count; i++) {
        const uint32_t element = f->near.at[i];
        f->pairs->work++;
        if (!touches_all(f, element)) continue;
        size_t count;
        const uint32_t *ids = toc_adjacency_items(p->own, element, &count);
        for (size_t j = 0; j < count; j++) {
            const toc_around other = toc_around_of(f->body, p->own_around, ids[j]);
            if (other.elements[0] == element) TOC_TRY(p->try_pair(f, feature, ids[j], &other));
        }
    }
    return TOC_OK;
}

static toc_status find_orphans_of(orphan_finder *f, const partners *p, uint32_t feature) {
    const toc_around around = toc_around_of(f->body, p->around, feature);
    if (around.count == 0) return TOC_OK;
    TOC_TRY(gather_near(f, around.elements[0]));
    mark_around(f, &around);
    const toc_status status = try_near(f, p, feature);
    unmark_around(f);
    return status;
}

static toc_status try_fv(orphan_finder *f, uint32_t face, uint32_t vertex, const toc_around *other) {
    return try_vf(f, vertex, face, other);
}

static toc_status find_orphans(orphan_finder *f, const toc_ids *vertices, const toc_ids *edges, const toc_ids *faces) {
    const toc_incidence *in = &f->body->incidence;
    const partners of_vertex = {&in->vertex_elements, &in->element_faces, &in->face_elements, try_vf};
    const partners of_edge = {&in->edge_elements, &in->element_edges, &in->edge_elements, try_ee};
    const partners of_face = {&in->face_elements, &in->element_vertices, &in->vertex_elements, try_fv};
    for (size_t i = 0; i < vertices->count; i++) TOC_TRY(find_orphans_of(f, &of_vertex, vertices->at[i]));
    for (size_t i = 0; i < edges->count; i++) TOC_TRY(find_orphans_of(f, &of_edge, edges->at[i]));
    for (size_t i = 0; i < faces->count; i++) TOC_TRY(find_orphans_of(f, &of_face, faces->at[i]));
    return TOC_OK;
}

static toc_status cover_orphan_bits(size_t count, toc_orphan_pairs *pairs) {
    const size_t before = pairs->around.count;
    if (count <= before) return TOC_OK;
    TOC_TRY(toc_array_reserve(&pairs->allocator, &pairs->around, count - before));
    memset(pairs->around.at + before, 0, (count - before) * sizeof *pairs->around.at);
    pairs->around.count = count;
    return TOC_OK;
}

static toc_status cover_features(const toc_cell_body *body, toc_orphan_pairs *pairs) {
    const toc_incidence *in = &body->incidence;
    TOC_TRY(cover_orphan_bits(in->vertex_elements.runs.count, pairs));
    TOC_TRY(toc_adjacency_cover(&pairs->allocator, &pairs->vf.seconds, in->vertex_elements.runs.count));
    TOC_TRY(toc_adjacency_cover(&pairs->allocator, &pairs->vf.firsts, in->faces.count));
    TOC_TRY(toc_adjacency_cover(&pairs->allocator, &pairs->ee.seconds, in->edges.count));
    return toc_adjacency_cover(&pairs->allocator, &pairs->ee.firsts, in->edges.count);
}

// ---- all pairs of a body

static toc_status list_ids(const toc_allocator *memory, size_t count, toc_ids *ids) {
    TOC_TRY(toc_array_reserve(memory, ids, count));
    while (ids->count < count) {
        ids->at[ids->count] = (uint32_t)ids->count;
        ids->count++;
    }
    return TOC_OK;
}

toc_status toc_orphan_pairs_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body,
                                 toc_orphan_pairs *out) {
    *out = (toc_orphan_pairs){.allocator = *allocator};
    assert(body < cells->body_count);
    orphan_finder f = {.cells = cells, .body = &cells->bodies[body], .pairs = out, .upwards = true};
    const toc_incidence *in = &f.body->incidence;
    toc_ids vertices = {0}, edges = {0}, none = {0};
    toc_status status = cover_features(f.body, out);
    if (status == TOC_OK) status = list_ids(allocator, in->vertex_elements.runs.count, &vertices);
    if (status == TOC_OK) status = list_ids(allocator, in->edges.count, &edges);
    if (status == TOC_OK) status = find_orphans(&f, &vertices, &edges, &none);
    toc_array_free(allocator, &vertices);
    toc_array_free(allocator, &edges);
    toc_array_free(allocator, &f.near);
    toc_array_free(allocator, &f.set);
    out->work = 0;
    return status;
}

void toc_orphan_pairs_free(toc_orphan_pairs *pairs) {
    toc_adjacency_free(&pairs->allocator, &pairs->vf.seconds);
    toc_adjacency_free(&pairs->allocator, &pairs->vf.firsts);
    toc_adjacency_free(&pairs->allocator, &pairs->ee.seconds);
    toc_adjacency_free(&pairs->allocator, &pairs->ee.firsts);
    toc_array_free(&pairs->allocator, &pairs->around);
}

// ---- after edits

// Remove all pairs that have the feature on one side.
static void remove_orphans_of(toc_orphan_pairs *pairs, toc_orphan_list *orphans, toc_adjacency *side,
                              toc_adjacency *other, uint32_t feature) {
    assert(feature < side->runs.count && side->runs.at[feature].count <= orphans->count);
    toc_adjacency_run *run = &side->runs.at[feature];
    for (uint32_t i = 0; i < run->count; i++) toc_adjacency_erase(other, side->items.at[run->first + i], feature);
    orphans->count -= run->count;
    pairs->work += run->count;
    run->count = 0;
}

toc_status toc_orphan_pairs_follow(toc_orphan_pairs *pairs, const toc_cells *cells, uint32_t body,
                                   const toc_changes *changes) {
    assert(body < cells->body_count);
    orphan_finder f = {.cells = cells, .body = &cells->bodies[body], .pairs = pairs};
    toc_orphan_list *vf = &pairs->vf, *ee = &pairs->ee;
    TOC_TRY(cover_features(f.body, pairs));
    for (size_t i = 0; i < changes->vertices.count; i++)
        remove_orphans_of(pairs, vf, &vf->seconds, &vf->firsts, changes->vertices.at[i]);
    for (size_t i = 0; i < changes->faces.count; i++)
        remove_orphans_of(pairs, vf, &vf->firsts, &vf->seconds, changes->faces.at[i]);
    for (size_t i = 0; i < changes->edges.count; i++) {
        remove_orphans_of(pairs, ee, &ee->seconds, &ee->firsts, changes->edges.at[i]);
        remove_orphans_of(pairs, ee, &ee->firsts, &ee->seconds, changes->edges.at[i]);
    }
    const toc_status status = find_orphans(&f, &changes->vertices, &changes->edges, &changes->faces);
    toc_array_free(&pairs->allocator, &f.near);
    toc_array_free(&pairs->allocator, &f.set);
    return status;
}
