// SPDX-License-Identifier: Apache-2.0
// A mesh from the arrays of a reader. The mesh takes over the large arrays without a copy, so a file is in memory only
// once. Bad input is refused with the same messages as by toc_mesh_add_vertices and toc_mesh_add_elements.
#include <assert.h>
#include <string.h>

#include "base/shared.h"
#include "mesh/mesh.h"

#define hand_over(to, from)                \
    do {                                   \
        (to)->at = (from)->at;             \
        (to)->count = (from)->count;       \
        (to)->capacity = (from)->capacity; \
        (from)->at = NULL;                 \
        (from)->count = 0;                 \
        (from)->capacity = 0;              \
    } while (0)

static toc_status adopt_vertices(toc_mesh *mesh, toc_mesh_parts *parts) {
    const size_t count = parts->positions.count / 3;
    TOC_TRY(toc_mesh_check_room("vertices", 0, count));
    TOC_TRY(toc_mesh_check_positions(count, parts->positions.at, 0));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, 1));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->x1, 3 * count));
    if (count == 0) return TOC_OK;
    hand_over(&mesh->x0, &parts->positions);
    memcpy(mesh->x1.at, mesh->x0.at, 3 * count * sizeof *mesh->x0.at);
    mesh->x1.count = mesh->x0.count;
    toc_mesh_note(mesh, (toc_event){TOC_EVENT_VERTICES_ADDED, .count = (uint32_t)count});
    return TOC_OK;
}

static size_t element_total(const toc_mesh_parts *parts, bool *grouped) {
    size_t total = 0;
    *grouped = false;
    for (size_t i = 0; i < parts->runs.count; i++) {
        total += parts->runs.at[i].count;
        *grouped |= parts->runs.at[i].group != 0;
    }
    return total;
}

static toc_status check_adopted_corners(const toc_mesh *mesh, const toc_mesh_parts *parts) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    for (size_t i = 0; i < parts->corners.count; i++)
        if (parts->corners.at[i] >= vertices) return toc_mesh_need_vertex(mesh, parts->corners.at[i]);
    return TOC_OK;
}

static void put_run(toc_mesh *mesh, const toc_run *run, uint32_t *corner) {
    const size_t before = mesh->shapes.count, corner_count = (size_t)toc_shape_count_corners(run->shape);
    memset(mesh->shapes.at + before, (int)run->shape, run->count);
    for (size_t i = 0; i < run->count; i++) mesh->first.at[before + i] = *corner + (uint32_t)(i * corner_count);
    mesh->shapes.count = mesh->first.count = before + run->count;
    *corner += (uint32_t)(run->count * corner_count);
    toc_mesh_note(mesh,
                  (toc_event){TOC_EVENT_ELEMENTS_ADDED, .first = (uint32_t)before, .count = (uint32_t)run->count});
}

static void put_groups(toc_mesh *mesh, const toc_run *run) {
    for (size_t i = 0; i < run->count; i++) mesh->groups.at[mesh->groups.count++] = run->group;
}

static toc_status adopt_elements(toc_mesh *mesh, toc_mesh_parts *parts) {
    bool grouped;
    const size_t total = element_total(parts, &grouped);
    TOC_TRY(toc_mesh_check_room("elements", 0, total));
    TOC_TRY(toc_mesh_check_room("corners", 0, parts->corners.count));
    TOC_TRY(check_adopted_corners(mesh, parts));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->shapes, total));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->first, total));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, parts->runs.count));
    if (grouped) TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->groups, total));
    hand_over(&mesh->corners, &parts->corners);
    uint32_t corner = 0;
    for (size_t i = 0; i < parts->runs.count; i++) {
        put_run(mesh, &parts->runs.at[i], &corner);
        if (grouped) put_groups(mesh, &parts->runs.at[i]);
    }
    assert(corner == mesh->corners.count);
    return TOC_OK;
}

TOC_SHARED toc_status toc_mesh_adopt(toc_mesh *mesh, toc_mesh_parts *parts) {
    assert(mesh->x0.count == 0 && mesh->shapes.count == 0 && parts->positions.count % 3 == 0);
    TOC_TRY(adopt_vertices(mesh, parts));
    return adopt_elements(mesh, parts);
}
