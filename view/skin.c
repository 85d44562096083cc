// SPDX-License-Identifier: Apache-2.0
// Triangles to draw from the features of a mesh. O(n log n).
#include "view/skin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static size_t edge_at(const toc_features *f, uint32_t a, uint32_t b) {
    const uint32_t wanted[2] = {a < b ? a : b, a < b ? b : a};
    const void *found = bsearch(wanted, f->edges, f->edge_count, sizeof *f->edges, compare_edges);
    return found ? (size_t)((const uint32_t(*)[2])found - f->edges) : f->edge_count;
}

bool toc_view_features_have_edge(const toc_features *f, uint32_t a, uint32_t b) {
    return edge_at(f, a, b) < f->edge_count;
}

static int compare_lowest(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool toc_view_features_have_vertex(const toc_features *f, uint32_t v) {
    return bsearch(&v, f->vertices, f->vertex_count, sizeof v, compare_lowest) != NULL;
}

// Faces are in the order of their lowest vertex.
bool toc_view_features_have_face(const toc_features *f, const uint32_t v[3]) {
    const uint32_t low = v[0] < v[1] ? (v[0] < v[2] ? v[0] : v[2]) : (v[1] < v[2] ? v[1] : v[2]);
    size_t from = 0, to = f->face_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (f->faces[middle][0] < low) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    for (; from < f->face_count && f->faces[from][0] == low; from++) {
        int same = 0;
        for (int k = 0; k < 9; k++) same += f->faces[from][k / 3] == v[k % 3];
        if (same == 3) return true;
    }
    return false;
}

uint32_t toc_view_face_sides(const toc_features *f, const uint32_t face[3]) {
    uint32_t flags = 0;
    for (int k = 0; k < 3; k++) {
        const size_t edge = edge_at(f, face[k], face[(k + 1) % 3]);
        if (edge < f->edge_count && !(f->edge_flags[edge] & TOC_FEATURE_DIAGONAL)) flags |= 1u << k;
    }
    return flags;
}

static void add_face(view_skin *skin, const toc_features *f, const view_parts *parts, size_t i) {
    const uint32_t first = f->face_elements.first[i], count = f->face_elements.first[i + 1] - first;
    const uint32_t *elements = f->face_elements.items + first;
    assert(count > 0);
    const uint32_t boundary = f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY ? VIEW_BOUNDARY : 0;
    uint32_t *face = skin->faces[skin->face_count];
    memcpy(face, f->faces[i], sizeof f->faces[i]);
    face[3] = parts->elements.at[elements[0]] | (toc_view_face_sides(f, f->faces[i]) | boundary) << VIEW_FLAGS_SHIFT;
    skin->owners[skin->face_count][0] = elements[0];
    skin->owners[skin->face_count][1] = count > 1 && !boundary ? elements[1] : UINT32_MAX;
    skin->face_count++;
}

static bool mesh_has_volumes(const toc_mesh *mesh) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        if (toc_mesh_get_element(mesh, e).shape >= TOC_TET) return true;
    }
    return false;
}

toc_status toc_view_skin_make(const toc_allocator *allocator, const toc_mesh *mesh, const toc_features *f,
                              const view_parts *parts, view_skin *out) {
    *out = (view_skin){.allocator = *allocator, .has_volumes = mesh_has_volumes(mesh), .room = f->face_count};
    out->faces = toc_new(allocator, out->room, sizeof *out->faces);
    out->owners = out->faces ? toc_new(allocator, out->room, sizeof *out->owners) : NULL;
    if (!out->owners) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->face_count; i++) {
        if (f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY) add_face(out, f, parts, i);
    }
    out->boundary_count = out->face_count;
    for (size_t i = 0; i < f->face_count && out->has_volumes; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) add_face(out, f, parts, i);
    }
    return TOC_OK;
}

void toc_view_skin_free(view_skin *skin) {
    toc_free(&skin->allocator, skin->faces, skin->room, sizeof *skin->faces);
    toc_free(&skin->allocator, skin->owners, skin->room, sizeof *skin->owners);
    *skin = (view_skin){.allocator = skin->allocator};
}
