// SPDX-License-Identifier: Apache-2.0
// The features of one element, O(1): the same edges and faces that features.c finds for all elements at once.
#include "mesh/parts.h"

#include <assert.h>

#include "base/shared.h"
#include "mesh/shape.h"

static void add_element_edge(toc_element_parts *p, uint32_t a, uint32_t b, bool diagonal) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (a == b) return;
    for (int i = 0; i < p->edge_count; i++)
        if (p->edges[i][0] == low && p->edges[i][1] == high) {
            p->diagonal[i] = p->diagonal[i] && diagonal;
            return;
        }
    assert(p->edge_count < TOC_MOST_EDGES);
    p->edges[p->edge_count][0] = low;
    p->edges[p->edge_count][1] = high;
    p->diagonal[p->edge_count++] = diagonal;
}

// Lowest vertex first.
static void add_element_face(toc_element_parts *p, uint32_t a, uint32_t b, uint32_t c) {
    assert(p->face_count < TOC_MOST_FACES && a < b && a < c);
    uint32_t *face = p->faces[p->face_count++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

// Turn a side to begin with its lowest vertex, and split a quad from there.
static void add_element_side(toc_element_parts *p, const uint32_t *side, int count) {
    if (count < 3) return;
    int low = 0;
    for (int i = 1; i < count; i++)
        if (side[i] < side[low]) low = i;
    const uint32_t a = side[low], b = side[(low + 1) % count], c = side[(low + 2) % count];
    add_element_face(p, a, b, c);
    if (count == 3) return;
    add_element_face(p, a, c, side[(low + 3) % count]);
    add_element_edge(p, a, c, true);
}

void toc_element_find_parts(const toc_mesh *mesh, uint32_t element, toc_element_parts *out) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    uint32_t corners[8];
    *out = (toc_element_parts){0};
    out->vertex_count = toc_ids_distinct(e.corners, e.corner_count, out->vertices);
    const toc_shape shape = toc_shape_reduce(e.shape, e.corners, corners);
    const toc_shape_info *info = &toc_shape_infos[shape];
    for (int i = 0; i < info->edge_count; i++)
        add_element_edge(out, corners[info->edges[i][0]], corners[info->edges[i][1]], false);
    for (int i = 0; i < info->side_count; i++) {
        uint32_t side[4];
        add_element_side(out, side, toc_side_distinct(&info->sides[i], corners, side));
    }
    out->thin = toc_shape_infos[e.shape].dimension < 3 || !toc_shape_has_side(e.shape, e.corners);
}

TOC_SHARED bool toc_element_has_edge(const toc_mesh *mesh, uint32_t element, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    toc_element_parts parts;
    toc_element_find_parts(mesh, element, &parts);
    for (int i = 0; i < parts.edge_count; i++)
        if (parts.edges[i][0] == low && parts.edges[i][1] == high) return !parts.diagonal[i];
    return false;
}
