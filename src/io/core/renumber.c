// SPDX-License-Identifier: Apache-2.0
// The vertices of a frame in the order of the mesh that it is a frame of, by the numbers of the file.
//
// Some programs leave welded or unused vertices out of later files, or write them in another order; their numbers stay.
// The vertices of a frame take the ids of those with the same number, and new numbers follow behind. A vertex that the
// frame lacks stays where it was: no element of the frame uses it. O(n).
#include "io/core/renumber.h"

#include <assert.h>
#include <string.h>

#include "io/core/labels.h"

static int64_t frame_label(const toc_mesh *mesh, size_t vertex) {
    int64_t label;
    toc_mesh_get_vertex_label(mesh, (uint32_t)vertex, &label);
    return label;
}

bool toc_mesh_is_labelled(const toc_mesh *mesh) {
    return mesh->vertex_labels.count > 0 && mesh->vertex_labels.count == toc_mesh_get_vertex_count(mesh);
}

bool toc_labels_agree(const toc_mesh *mesh, const toc_mesh *frame) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    if (toc_mesh_get_vertex_count(frame) < count) return false;
    for (size_t v = 0; v < count; v++)
        if (frame_label(mesh, v) != frame_label(frame, v)) return false;
    return true;
}

static toc_status index_labels(const toc_mesh *mesh, toc_labels *labels) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    for (size_t v = 0; v < count; v++) TOC_TRY(toc_labels_add(labels, frame_label(mesh, v)));
    return toc_labels_finish(labels);
}

// The new ids of the vertices of a frame. @return the number of ids.
static size_t find_new_ids(const toc_labels *labels, const toc_mesh *frame, uint32_t *ids) {
    const size_t vertices = toc_mesh_get_vertex_count(frame);
    size_t count = labels->count;
    for (size_t v = 0; v < vertices; v++) {
        const int64_t found = toc_labels_find(labels, frame_label(frame, v));
        ids[v] = found == TOC_LABEL_MISSING ? (uint32_t)count++ : (uint32_t)found;
    }
    return count;
}

// Half of the numbers of one must be numbers of the other: else the file has numbered its vertices anew.
static bool are_common(size_t before, size_t listed, size_t count) {
    return 2 * (before + listed - count) >= (before < listed ? before : listed);
}

// Positions and labels by new id, in arrays with room for them.
static void list_by_new_id(const toc_mesh *mesh, const toc_mesh *frame, const uint32_t *ids, double *x,
                           int64_t *labels) {
    const size_t before = toc_mesh_get_vertex_count(mesh), vertices = toc_mesh_get_vertex_count(frame);
    memcpy(x, mesh->x1.at, 3 * before * sizeof *x);
    for (size_t v = 0; v < before; v++) labels[v] = frame_label(mesh, v);
    for (size_t v = 0; v < vertices; v++) {
        memcpy(x + 3 * (size_t)ids[v], frame->x0.at + 3 * v, 3 * sizeof *x);
        labels[ids[v]] = frame_label(frame, v);
    }
}

static toc_status put_new_ids(toc_mesh *frame, const uint32_t *ids, size_t count, const double *x,
                              const int64_t *labels) {
    assert(ids || count == 0);
    const size_t more = 3 * (count - toc_mesh_get_vertex_count(frame));
    TOC_TRY(toc_mesh_check_room("vertices", count, 0));
    TOC_TRY(toc_array_reserve(&frame->allocator, &frame->x0, more));
    TOC_TRY(toc_array_reserve(&frame->allocator, &frame->x1, more));
    memcpy(frame->x0.at, x, 3 * count * sizeof *x);
    memcpy(frame->x1.at, x, 3 * count * sizeof *x);
    frame->x0.count = frame->x1.count = 3 * count;
    for (size_t i = 0; i < frame->corners.count; i++) frame->corners.at[i] = ids[frame->corners.at[i]];
    return toc_mesh_set_vertex_labels(frame, count, labels);
}

/// Vertices that the frame lacks rest.
static toc_status renumber_velocities(toc_mesh *frame, const uint32_t *ids, size_t listed, size_t count) {
    if (frame->velocities.count == 0) return TOC_OK;
    assert(frame->velocities.count == 3 * listed);
    double *by_id = toc_new(&frame->allocator, 3 * count, sizeof *by_id);
    if (!by_id) return TOC_OUT_OF_MEMORY;
    for (size_t v = 0; v < listed; v++)
        memcpy(by_id + 3 * (size_t)ids[v], frame->velocities.at + 3 * v, 3 * sizeof *by_id);
    const toc_status status = toc_array_reserve(&frame->allocator, &frame->velocities, 3 * (count - listed));
    if (status == TOC_OK) {
        memcpy(frame->velocities.at, by_id, 3 * count * sizeof *by_id);
        frame->velocities.count = 3 * count;
    }
    toc_free(&frame->allocator, by_id, 3 * count, sizeof *by_id);
    return status;
}

toc_status toc_frame_renumber(const toc_mesh *mesh, toc_mesh *frame, bool *known) {
    assert(toc_mesh_is_labelled(mesh) && toc_mesh_is_labelled(frame));
    assert(frame->links.count == 0 && frame->vertex_removed.count == 0 && frame->acceleration.count == 0);
    const size_t most = toc_mesh_get_vertex_count(mesh) + toc_mesh_get_vertex_count(frame);
    toc_labels labels = toc_labels_begin(&frame->allocator);
    toc_arena arena = toc_arena_make(&frame->allocator);
    uint32_t *ids = toc_arena_new(&arena, most, sizeof *ids);
    double *x = toc_arena_new(&arena, most, 3 * sizeof *x);
    int64_t *by_id = toc_arena_new(&arena, most, sizeof *by_id);
    toc_status status = ids && x && by_id ? index_labels(mesh, &labels) : TOC_OUT_OF_MEMORY;
    if (status == TOC_OK) {
        const size_t count = find_new_ids(&labels, frame, ids);
        *known = are_common(labels.count, toc_mesh_get_vertex_count(frame), count);
        list_by_new_id(mesh, frame, ids, x, by_id);
        if (*known) status = renumber_velocities(frame, ids, toc_mesh_get_vertex_count(frame), count);
        if (*known && status == TOC_OK) status = put_new_ids(frame, ids, count, x, by_id);
    }
    toc_arena_free(&arena);
    toc_labels_free(&labels);
    return status;
}

toc_status toc_labels_copy(const toc_mesh *from, toc_mesh *to) {
    const size_t count = toc_mesh_get_vertex_count(to);
    assert(toc_mesh_is_labelled(from) && toc_mesh_get_vertex_count(from) == count);
    int64_t *labels = toc_new(&to->allocator, count, sizeof *labels);
    if (!labels) return TOC_OUT_OF_MEMORY;
    for (size_t v = 0; v < count; v++) labels[v] = frame_label(from, v);
    const toc_status status = toc_mesh_set_vertex_labels(to, count, labels);
    toc_free(&to->allocator, labels, count, sizeof *labels);
    return status;
}
