// SPDX-License-Identifier: Apache-2.0
// The mesh of a patch: some elements of another mesh and their vertices, in the same order. O(the patch).
#include <assert.h>
#include <string.h>

#include "mesh/mesh.h"
#include "scene/world.h"

static uint32_t patch_vertex_of(const toc_patch *patch, uint32_t vertex) {
    const uint32_t *at = patch->vertices.at;
    uint32_t low = 0, high = (uint32_t)patch->vertices.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(at[middle] <= vertex ? &low : &high) = middle;
    }
    assert(at[low] == vertex);
    return low;
}

// Begin a new history: structures that follow the body start anew.
static void clear_patch_mesh(toc_mesh *mesh) {
    const uint64_t revision = toc_mesh_get_revision(mesh);
    mesh->x0.count = mesh->x1.count = mesh->acceleration.count = 0;
    mesh->shapes.count = mesh->first.count = mesh->corners.count = 0;
    mesh->groups.count = mesh->thicknesses.count = 0;
    mesh->events.count = 0;
    mesh->events_forgotten = revision + 1;
}

static toc_status reserve_patch_mesh(toc_mesh *mesh, const toc_patch *patch, size_t corners) {
    const toc_allocator *memory = &mesh->allocator;
    assert(mesh->x0.count == 0 && mesh->shapes.count == 0);
    TOC_TRY(toc_array_reserve(memory, &mesh->x0, 3 * patch->vertices.count));
    TOC_TRY(toc_array_reserve(memory, &mesh->x1, 3 * patch->vertices.count));
    TOC_TRY(toc_array_reserve(memory, &mesh->shapes, patch->elements.count));
    TOC_TRY(toc_array_reserve(memory, &mesh->first, patch->elements.count));
    return toc_array_reserve(memory, &mesh->corners, corners);
}

static void fill_patch_elements(const toc_mesh *from, const toc_patch *patch, toc_mesh *mesh) {
    for (size_t i = 0; i < patch->elements.count; i++) {
        const toc_element element = toc_mesh_get_element(from, patch->elements.at[i]);
        mesh->shapes.at[i] = (uint8_t)element.shape;
        mesh->first.at[i] = (uint32_t)mesh->corners.count;
        for (int j = 0; j < element.corner_count; j++)
            mesh->corners.at[mesh->corners.count++] = patch_vertex_of(patch, element.corners[j]);
    }
    mesh->shapes.count = mesh->first.count = patch->elements.count;
    mesh->x0.count = mesh->x1.count = 3 * patch->vertices.count;
}

toc_status toc_patch_fill(const toc_mesh *from, const toc_patch *patch, size_t corners, toc_mesh *mesh) {
    clear_patch_mesh(mesh);
    TOC_TRY(reserve_patch_mesh(mesh, patch, corners));
    fill_patch_elements(from, patch, mesh);
    return toc_patch_place(from, patch, mesh);
}

static void place_vertices(const toc_patch *patch, const double *from, double *to) {
    for (size_t i = 0; i < patch->vertices.count; i++)
        memcpy(to + 3 * i, from + 3 * (size_t)patch->vertices.at[i], 3 * sizeof *to);
}

// Values past the ends of the arrays are 0.
static toc_status place_properties(const toc_mesh *from, const toc_patch *patch, toc_mesh *mesh) {
    const size_t count = patch->elements.count;
    mesh->groups.count = mesh->thicknesses.count = 0;
    if (from->groups.count > 0) {
        TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->groups, count));
        for (size_t i = 0; i < count && patch->elements.at[i] < from->groups.count; i++)
            mesh->groups.at[mesh->groups.count++] = from->groups.at[patch->elements.at[i]];
    }
    if (from->thicknesses.count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->thicknesses, count));
    for (size_t i = 0; i < count && patch->elements.at[i] < from->thicknesses.count; i++)
        mesh->thicknesses.at[mesh->thicknesses.count++] = from->thicknesses.at[patch->elements.at[i]];
    return TOC_OK;
}

toc_status toc_patch_place(const toc_mesh *from, const toc_patch *patch, toc_mesh *mesh) {
    assert(mesh->x0.count == 3 * patch->vertices.count && mesh->shapes.count == patch->elements.count);
    place_vertices(patch, from->x0.at, mesh->x0.at);
    place_vertices(patch, from->x1.at, mesh->x1.at);
    TOC_TRY(place_properties(from, patch, mesh));
    mesh->acceleration.count = 0;
    if (from->acceleration.count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->acceleration, 3 * patch->vertices.count));
    mesh->acceleration.count = 3 * patch->vertices.count;
    place_vertices(patch, from->acceleration.at, mesh->acceleration.at);
    return TOC_OK;
}
