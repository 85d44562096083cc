// SPDX-License-Identifier: Apache-2.0
// The surface of a mesh, for formats that hold surfaces only. Vertex ids stay.
#include "io/core/surface.h"

#include <assert.h>
#include <string.h>

static bool surface_is_volume(toc_shape shape) { return shape >= TOC_TET && shape <= TOC_HEX; }

static toc_status surface_add_face(toc_surface *surface, int32_t group, int count, const uint32_t *corners) {
    assert(corners && (count == 3 || count == 4));
    TOC_TRY(toc_array_reserve(&surface->allocator, &surface->faces, 1));
    toc_surface_face *face = &surface->faces.at[surface->faces.count++];
    *face = (toc_surface_face){.group = group, .corner_count = (uint8_t)count};
    memcpy(face->corners, corners, (size_t)count * sizeof *corners);
    return TOC_OK;
}

static toc_status surface_add_element(toc_surface *surface, toc_element element) {
    const toc_allocator *memory = &surface->allocator;
    if (element.shape == TOC_POINT) {
        TOC_TRY(toc_array_reserve(memory, &surface->points, 1));
        surface->points.at[surface->points.count++] = element.corners[0];
    } else if (element.shape == TOC_EDGE) {
        TOC_TRY(toc_array_reserve(memory, &surface->edges, 2));
        surface->edges.at[surface->edges.count++] = element.corners[0];
        surface->edges.at[surface->edges.count++] = element.corners[1];
    } else if (element.shape == TOC_TRIANGLE || element.shape == TOC_QUAD) {
        return surface_add_face(surface, element.group, element.corner_count, element.corners);
    }
    return TOC_OK;
}

// A face that a surface element shares was written with that one.
static toc_status add_boundary(toc_surface *surface, const toc_mesh *mesh, const toc_features *features) {
    const toc_lists *around = &features->face_elements;
    for (size_t i = 0; i < features->face_count; i++) {
        if (!(features->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        bool only_volumes = true;
        for (uint32_t j = around->first[i]; j < around->first[i + 1]; j++) {
            only_volumes = only_volumes && surface_is_volume(toc_mesh_get_element(mesh, around->items[j]).shape);
        }
        const toc_element owner = toc_mesh_get_element(mesh, around->items[around->first[i]]);
        if (only_volumes) TOC_TRY(surface_add_face(surface, owner.group, 3, features->faces[i]));
    }
    return TOC_OK;
}

static toc_status add_volumes(toc_surface *surface, const toc_mesh *mesh) {
    toc_features *features;
    TOC_TRY(toc_mesh_find_features(mesh, &features));
    const toc_status status = add_boundary(surface, mesh, features);
    toc_features_destroy(features);
    return status;
}

toc_status toc_surface_find(const toc_mesh *mesh, const toc_allocator *allocator, toc_surface *out) {
    *out = (toc_surface){.allocator = *allocator};
    bool volumes = false;
    const size_t count = toc_mesh_get_element_count(mesh);
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)i);
        volumes = volumes || surface_is_volume(element.shape);
        TOC_TRY(surface_add_element(out, element));
    }
    return volumes ? add_volumes(out, mesh) : TOC_OK;
}

void toc_surface_free(toc_surface *surface) {
    toc_array_free(&surface->allocator, &surface->faces);
    toc_array_free(&surface->allocator, &surface->edges);
    toc_array_free(&surface->allocator, &surface->points);
}

int toc_surface_split(const toc_surface_face *face, uint32_t triangles[2][3]) {
    assert(face->corner_count == 3 || face->corner_count == 4);
    const uint32_t *c = face->corners, n = face->corner_count;
    uint32_t low = 0;
    for (uint32_t i = 1; n == 4 && i < n; i++) low = c[i] < c[low] ? i : low;
    for (uint32_t i = 0; i + 2 < n; i++)
        memcpy(triangles[i], (const uint32_t[]){c[low], c[(low + i + 1) % n], c[(low + i + 2) % n]}, sizeof *triangles);
    return (int)n - 2;
}
