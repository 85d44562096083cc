// SPDX-License-Identifier: Apache-2.0
// Find the connected parts of a mesh by joining the corners of every element (union-find). Nearly O(n).
#include "tools/parts.h"

#include <stdlib.h>

static const uint32_t unused = UINT32_MAX;

// The lowest vertex of the part so far. Each walk halves the path.
static uint32_t lowest_in_part(uint32_t *link, uint32_t v) {
    while (link[v] != v) v = link[v] = link[link[v]];
    return v;
}

// Links always lead to lower vertices.
static void join_corners(uint32_t *link, const toc_element *element) {
    for (int k = 0; k < element->corner_count; k++) {
        const uint32_t v = element->corners[k];
        if (link[v] == unused) link[v] = v;
        const uint32_t a = lowest_in_part(link, element->corners[0]), b = lowest_in_part(link, v);
        link[a > b ? a : b] = a > b ? b : a;
    }
}

uint32_t *tool_parts_find(const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    uint32_t *link = calloc(count + 1, sizeof *link);
    if (!link) return NULL;
    for (size_t v = 0; v < count; v++) link[v] = unused;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        join_corners(link, &element);
    }
    // Replace links by part numbers in ascending order: each link points to a lower vertex, already numbered.
    uint32_t found = 0;
    for (uint32_t v = 0; v < count; v++) link[v] = link[v] == unused ? 0 : link[v] == v ? ++found : link[link[v]];
    return link;
}
