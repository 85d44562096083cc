// SPDX-License-Identifier: Apache-2.0
// The pieces are sorted by labels: O(n log n). The mesh is in memory twice while pieces are joined.
#include "io/core/join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"

static toc_status fail_piece(toc_join *join, size_t piece, const char *sentence) {
    assert(piece < join->pieces.count && sentence);
    join->failed = piece;
    return toc_fail(TOC_BAD_INPUT, "%s", sentence);
}

static int compare_join_items(const void *a, const void *b) {
    const toc_join_item *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void sort_join_items(toc_join *join) {
    if (join->items.count) qsort(join->items.at, join->items.count, sizeof *join->items.at, compare_join_items);
}

static const toc_mesh *mesh_of_item(const toc_join *join, const toc_join_item *item) {
    return join->pieces.at[item->piece].mesh;
}

static bool has_vertex_labels(const toc_mesh *mesh) { return toc_mesh_get_vertex_label(mesh, 0, NULL); }

static toc_status fail_copy(toc_join *join, const char *what, const toc_join_item *a, const toc_join_item *b) {
    join->failed = b->piece;
    return toc_fail(TOC_BAD_INPUT, "%s with the %s %lld differ in %.200s and %.200s", what, join->label,
                    (long long)a->label, join->pieces.at[a->piece].name, join->pieces.at[b->piece].name);
}

// ---- vertices

static toc_status count_piece_vertices(toc_join *join, size_t *total) {
    *total = 0;
    TOC_TRY(toc_array_reserve(&join->memory, &join->first, join->pieces.count));
    for (size_t i = 0; i < join->pieces.count; i++) {
        join->first.at[i] = *total;
        *total += toc_mesh_get_vertex_count(join->pieces.at[i].mesh);
    }
    join->first.count = join->pieces.count;
    return *total < UINT32_MAX ? TOC_OK : toc_fail(TOC_BAD_INPUT, "there are too many %s", join->vertices);
}

/// All vertices in the order of their labels. A piece without labels stands alone, and its vertices keep their order.
static toc_status list_join_vertices(toc_join *join) {
    size_t total;
    TOC_TRY(count_piece_vertices(join, &total));
    TOC_TRY(toc_array_reserve(&join->memory, &join->items, total));
    TOC_TRY(toc_array_reserve(&join->memory, &join->places, total));
    for (uint32_t i = 0; i < join->pieces.count; i++) {
        const toc_mesh *mesh = join->pieces.at[i].mesh;
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
            toc_join_item item = {v, i, v};
            toc_mesh_get_vertex_label(mesh, v, &item.label);
            join->items.at[join->items.count++] = item;
        }
    }
    sort_join_items(join);
    join->places.count = total;
    return TOC_OK;
}

/// Whether all pieces with vertices have velocities.
static bool has_velocities(const toc_join *join) {
    bool has = false;
    for (size_t i = 0; i < join->pieces.count; i++) {
        const toc_mesh *mesh = join->pieces.at[i].mesh;
        if (toc_mesh_get_vertex_count(mesh) == 0) continue;
        if (mesh->velocities.count != mesh->x1.count) return false;
        has = true;
    }
    return has;
}

static bool same_vectors(const double *x, const double *y) { return x[0] == y[0] && x[1] == y[1] && x[2] == y[2]; }

static const double *vector_of(const toc_join *join, const toc_join_item *item, bool velocity) {
    const toc_mesh *mesh = mesh_of_item(join, item);
    return (velocity ? mesh->velocities.at : toc_mesh_get_x0(mesh)) + 3 * (size_t)item->at;
}

static toc_status add_joined_vertex(toc_join *join, const toc_join_item *item, bool moves, toc_mesh *mesh) {
    TOC_TRY(toc_mesh_add_vertices(mesh, 1, vector_of(join, item, false), NULL));
    if (!moves) return TOC_OK;
    memcpy(mesh->velocities.at + mesh->velocities.count, vector_of(join, item, true), 3 * sizeof(double));
    mesh->velocities.count += 3;
    return TOC_OK;
}

static toc_status check_vertex_copy(toc_join *join, const toc_join_item *a, const toc_join_item *b, bool moves) {
    if (!same_vectors(vector_of(join, a, false), vector_of(join, b, false)))
        return fail_copy(join, join->vertices, a, b);
    if (!moves || same_vectors(vector_of(join, a, true), vector_of(join, b, true))) return TOC_OK;
    return fail_copy(join, "velocities", a, b);
}

static toc_status join_piece_vertices(toc_join *join, toc_mesh *mesh) {
    const toc_join_item *items = join->items.at, *before = NULL;
    const bool moves = has_velocities(join);
    uint32_t count = 0;
    TOC_TRY(toc_array_reserve(&join->memory, &join->labels, join->items.count));
    if (moves) TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->velocities, 3 * join->items.count));
    for (size_t i = 0; i < join->items.count; i++) {
        if (before && before->label == items[i].label) {
            TOC_TRY(check_vertex_copy(join, before, &items[i], moves));
        } else {
            TOC_TRY(add_joined_vertex(join, &items[i], moves, mesh));
            join->labels.at[count++] = items[i].label;
            before = &items[i];
        }
        join->places.at[join->first.at[items[i].piece] + items[i].at] = count - 1;
    }
    if (count == 0 || !has_vertex_labels(mesh_of_item(join, items))) return TOC_OK;
    return toc_mesh_set_vertex_labels(mesh, count, join->labels.at);
}

// ---- elements

/// Whether elements have labels: those of all pieces, or none.
static toc_status check_element_labels(toc_join *join) {
    bool with = false, without = false;
    for (size_t i = 0; i < join->pieces.count; i++) {
        const toc_mesh *mesh = join->pieces.at[i].mesh;
        if (toc_mesh_get_element_count(mesh) == 0) continue;
        const bool has = toc_mesh_get_element_label(mesh, 0, NULL);
        with |= has;
        without |= !has;
        if (with && without)
            return fail_piece(join, i,
                              "the cells of some pieces have global ids, and those of this or another one have none");
    }
    join->has_element_labels = with;
    return TOC_OK;
}

static toc_status list_join_elements(toc_join *join) {
    size_t total = 0;
    for (size_t i = 0; i < join->pieces.count; i++) total += toc_mesh_get_element_count(join->pieces.at[i].mesh);
    if (total >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "there are too many %s", join->elements);
    join->items.count = 0;
    TOC_TRY(toc_array_reserve(&join->memory, &join->items, total));
    for (uint32_t i = 0; i < join->pieces.count; i++) {
        const toc_mesh *mesh = join->pieces.at[i].mesh;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            toc_join_item item = {(int64_t)join->items.count, i, e};
            if (join->has_element_labels) toc_mesh_get_element_label(mesh, e, &item.label);
            join->items.at[join->items.count++] = item;
        }
    }
    sort_join_items(join);
    return TOC_OK;
}

static toc_element joined_element(const toc_join *join, const toc_join_item *item, uint32_t corners[8]) {
    toc_element e = toc_mesh_get_element(mesh_of_item(join, item), item->at);
    for (int k = 0; k < e.corner_count; k++) corners[k] = join->places.at[join->first.at[item->piece] + e.corners[k]];
    e.corners = corners;
    return e;
}

static bool same_elements(toc_element a, toc_element b) {
    return a.shape == b.shape && memcmp(a.corners, b.corners, (size_t)a.corner_count * sizeof *a.corners) == 0;
}

static toc_status add_joined(toc_mesh *mesh, toc_element e) {
    uint32_t id;
    TOC_TRY(toc_mesh_add_elements(mesh, e.shape, 1, e.corners, &id));
    if (e.group != 0) TOC_TRY(toc_mesh_set_group(mesh, id, e.group));
    return e.thickness != 0 ? toc_mesh_set_thickness(mesh, id, e.thickness) : TOC_OK;
}

static toc_status join_elements(toc_join *join, toc_mesh *mesh) {
    uint32_t corners[8], kept[8];
    toc_element last = {.corners = kept};
    size_t count = 0;
    TOC_TRY(toc_array_reserve(&join->memory, &join->labels, join->items.count));
    for (size_t i = 0; i < join->items.count; i++) {
        const toc_join_item *item = &join->items.at[i];
        const toc_element e = joined_element(join, item, corners);
        if (i > 0 && item[-1].label == item->label) {
            if (!same_elements(last, e)) return fail_copy(join, join->elements, item - 1, item);
            continue;
        }
        TOC_TRY(add_joined(mesh, e));
        join->labels.at[count++] = item->label;
        memcpy(kept, corners, sizeof kept);
        last.shape = e.shape;
        last.corner_count = e.corner_count;
    }
    if (!join->has_element_labels) return TOC_OK;
    return toc_mesh_set_element_labels(mesh, count, join->labels.at);
}

static toc_status join_names(const toc_join *join, toc_mesh *mesh) {
    for (size_t i = join->pieces.count; i-- > 0;) { // the first piece has the last word
        const toc_mesh *piece = join->pieces.at[i].mesh;
        mesh->higher_order += piece->higher_order;
        for (size_t k = 0; k < piece->named.count; k++)
            TOC_TRY(
                toc_mesh_set_group_name(mesh, piece->named.at[k].group, piece->names.at + piece->named.at[k].first));
    }
    return TOC_OK;
}

// ---- all of it

toc_status toc_join_pieces(toc_join *join, toc_mesh *mesh) {
    assert(toc_mesh_get_vertex_count(mesh) == 0 && join->vertices && join->elements && join->label);
    join->failed = 0;
    join->items.count = 0;
    TOC_TRY(list_join_vertices(join));
    TOC_TRY(join_piece_vertices(join, mesh));
    TOC_TRY(check_element_labels(join));
    TOC_TRY(list_join_elements(join));
    TOC_TRY(join_elements(join, mesh));
    return join_names(join, mesh);
}

void toc_join_drop(toc_join *join) {
    for (size_t i = 0; i < join->pieces.count; i++) toc_mesh_destroy(join->pieces.at[i].mesh);
    toc_array_free(&join->memory, &join->pieces);
    toc_array_free(&join->memory, &join->items);
    toc_array_free(&join->memory, &join->labels);
}

void toc_join_free(toc_join *join) {
    toc_join_drop(join);
    toc_array_free(&join->memory, &join->places);
    toc_array_free(&join->memory, &join->first);
}
