// SPDX-License-Identifier: Apache-2.0
// Incidence in both directions, from the features of a mesh. O(n).
#include "mesh/incidence.h"

#include <assert.h>
#include <string.h>

// ---- adjacency

static toc_status size_adjacency(const toc_allocator *memory, size_t lists, size_t items, toc_adjacency *adjacency) {
    TOC_TRY(toc_array_reserve(memory, &adjacency->runs, lists));
    TOC_TRY(toc_array_reserve(memory, &adjacency->items, items));
    if (lists > 0) memset(adjacency->runs.at, 0, lists * sizeof *adjacency->runs.at);
    adjacency->runs.count = lists;
    adjacency->items.count = items;
    return TOC_OK;
}

void toc_adjacency_free(const toc_allocator *allocator, toc_adjacency *adjacency) {
    toc_array_free(allocator, &adjacency->runs);
    toc_array_free(allocator, &adjacency->items);
}

toc_status toc_adjacency_cover(const toc_allocator *allocator, toc_adjacency *adjacency, size_t lists) {
    if (lists <= adjacency->runs.count) return TOC_OK;
    TOC_TRY(toc_array_reserve(allocator, &adjacency->runs, lists - adjacency->runs.count));
    memset(adjacency->runs.at + adjacency->runs.count, 0, (lists - adjacency->runs.count) * sizeof *adjacency->runs.at);
    adjacency->runs.count = lists;
    return TOC_OK;
}

// Make room for one more item: a full list moves to the end, with twice the room.
static toc_status grow_adjacency_run(const toc_allocator *allocator, toc_adjacency *adjacency, toc_adjacency_run *run) {
    const uint32_t room = run->room ? 2 * run->room : 4;
    if (run->count < run->room) return TOC_OK;
    TOC_TRY(toc_array_reserve(allocator, &adjacency->items, room));
    if (adjacency->items.count + room >= TOC_NONE) return toc_fail(TOC_BAD_INPUT, "the mesh has too many neighbours");
    if (run->count > 0)
        memcpy(adjacency->items.at + adjacency->items.count, adjacency->items.at + run->first,
               run->count * sizeof *adjacency->items.at);
    run->first = (uint32_t)adjacency->items.count;
    run->room = room;
    adjacency->items.count += room;
    return TOC_OK;
}

toc_status toc_adjacency_insert(const toc_allocator *allocator, toc_adjacency *adjacency, uint32_t list,
                                uint32_t item) {
    assert(list < adjacency->runs.count);
    toc_adjacency_run *run = &adjacency->runs.at[list];
    TOC_TRY(grow_adjacency_run(allocator, adjacency, run));
    uint32_t *at = adjacency->items.at + run->first, i = run->count;
    while (i > 0 && at[i - 1] > item) i--;
    if (i > 0 && at[i - 1] == item) return TOC_OK;
    memmove(at + i + 1, at + i, (run->count - i) * sizeof *at);
    at[i] = item;
    run->count++;
    return TOC_OK;
}

void toc_adjacency_erase(toc_adjacency *adjacency, uint32_t list, uint32_t item) {
    assert(list < adjacency->runs.count);
    toc_adjacency_run *run = &adjacency->runs.at[list];
    uint32_t *at = adjacency->items.at + run->first, i = 0;
    while (i < run->count && at[i] != item) i++;
    if (i == run->count) return;
    memmove(at + i, at + i + 1, (run->count - i - 1) * sizeof *at);
    run->count--;
}

// Copy the lists of features; list i becomes list at[i], or i if `at` is NULL.
static toc_status copy_lists(const toc_allocator *memory, const toc_lists *lists, const uint32_t *at, size_t count,
                             toc_adjacency *adjacency) {
    const size_t items = lists->count ? lists->first[lists->count] : 0;
    TOC_TRY(size_adjacency(memory, count, items, adjacency));
    if (items > 0) memcpy(adjacency->items.at, lists->items, items * sizeof *adjacency->items.at);
    for (size_t i = 0; i < lists->count; i++) {
        const uint32_t size = lists->first[i + 1] - lists->first[i];
        assert((at ? at[i] : i) < count);
        adjacency->runs.at[at ? at[i] : i] = (toc_adjacency_run){lists->first[i], size, size};
    }
    return TOC_OK;
}

// Make the lists of features of each element from the elements of each feature. They ascend, since the features are
// visited in order.
static toc_status invert_lists(const toc_allocator *memory, const toc_lists *lists, size_t count,
                               toc_adjacency *adjacency) {
    const size_t items = lists->count ? lists->first[lists->count] : 0;
    TOC_TRY(size_adjacency(memory, count, items, adjacency));
    toc_adjacency_run *runs = adjacency->runs.at;
    for (size_t i = 0; i < items; i++) runs[lists->items[i]].room++;
    for (size_t e = 1; e < count; e++) runs[e].first = runs[e - 1].first + runs[e - 1].room;
    for (size_t i = 0; i < lists->count; i++)
        for (uint32_t j = lists->first[i]; j < lists->first[i + 1]; j++) {
            toc_adjacency_run *run = &runs[lists->items[j]];
            adjacency->items.at[run->first + run->count++] = (uint32_t)i;
        }
    return TOC_OK;
}

// ---- the whole incidence

#define copy_items(array, items, item_count)                                                    \
    do {                                                                                        \
        TOC_TRY(toc_array_reserve(memory, (array), (item_count)));                              \
        if ((item_count) > 0) memcpy((array)->at, (items), (item_count) * sizeof *(array)->at); \
        (array)->count = (item_count);                                                          \
    } while (0)

static toc_status copy_features(const toc_mesh *mesh, const toc_features *f, toc_incidence *out) {
    const toc_allocator *memory = &out->allocator;
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    copy_items(&out->edges, f->edges, f->edge_count);
    copy_items(&out->faces, f->faces, f->face_count);
    copy_items(&out->edge_flags, f->edge_flags, f->edge_count);
    copy_items(&out->face_flags, f->face_flags, f->face_count);
    TOC_TRY(toc_array_reserve(memory, &out->vertex_flags, vertices));
    if (vertices > 0) memset(out->vertex_flags.at, 0, vertices);
    out->vertex_flags.count = vertices;
    for (size_t i = 0; i < f->vertex_count; i++) out->vertex_flags.at[f->vertices[i]] = f->vertex_flags[i];
    return TOC_OK;
}

toc_status toc_incidence_make(const toc_mesh *mesh, const toc_features *f, toc_incidence *out) {
    const size_t elements = toc_mesh_get_element_count(mesh);
    *out = (toc_incidence){.allocator = mesh->allocator, .revision = toc_mesh_get_revision(mesh)};
    const toc_allocator *memory = &out->allocator;
    TOC_TRY(copy_features(mesh, f, out));
    TOC_TRY(
        copy_lists(memory, &f->vertex_elements, f->vertices, toc_mesh_get_vertex_count(mesh), &out->vertex_elements));
    TOC_TRY(copy_lists(memory, &f->edge_elements, NULL, f->edge_count, &out->edge_elements));
    TOC_TRY(copy_lists(memory, &f->face_elements, NULL, f->face_count, &out->face_elements));
    TOC_TRY(invert_lists(memory, &f->vertex_elements, elements, &out->element_vertices));
    for (size_t i = 0; i < out->element_vertices.items.count; i++)
        out->element_vertices.items.at[i] = f->vertices[out->element_vertices.items.at[i]];
    TOC_TRY(invert_lists(memory, &f->edge_elements, elements, &out->element_edges));
    return invert_lists(memory, &f->face_elements, elements, &out->element_faces);
}

void toc_incidence_free(toc_incidence *incidence) {
    const toc_allocator *memory = &incidence->allocator;
    toc_array_free(memory, &incidence->edges);
    toc_array_free(memory, &incidence->faces);
    toc_array_free(memory, &incidence->vertex_flags);
    toc_array_free(memory, &incidence->edge_flags);
    toc_array_free(memory, &incidence->face_flags);
    toc_array_free(memory, &incidence->free_edges);
    toc_array_free(memory, &incidence->free_faces);
    toc_adjacency_free(memory, &incidence->element_vertices);
    toc_adjacency_free(memory, &incidence->element_edges);
    toc_adjacency_free(memory, &incidence->element_faces);
    toc_adjacency_free(memory, &incidence->vertex_elements);
    toc_adjacency_free(memory, &incidence->edge_elements);
    toc_adjacency_free(memory, &incidence->face_elements);
}
