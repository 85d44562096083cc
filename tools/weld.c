// SPDX-License-Identifier: Apache-2.0
// Weld by sorting the vertices by their places.
#include "tools/weld.h"

#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

typedef struct placed_vertex {
    double x[6]; // at both ends; 0 and -0 are the same
    uint32_t vertex;
} placed_vertex;

static int compare_placed(const void *a, const void *b) {
    const placed_vertex *p = a, *q = b;
    for (int k = 0; k < 6; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool are_together(const placed_vertex *a, const placed_vertex *b) {
    for (int k = 0; k < 6; k++)
        if (a->x[k] != b->x[k]) return false;
    return true;
}

static size_t list_placed(const toc_mesh *mesh, placed_vertex *at) {
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    size_t count = 0;
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        if (!toc_mesh_has_vertex(mesh, v)) continue;
        memcpy(at[count].x, x0 + 3 * (size_t)v, 3 * sizeof *x0);
        memcpy(at[count].x + 3, x1 + 3 * (size_t)v, 3 * sizeof *x1);
        at[count++].vertex = v;
    }
    return count;
}

toc_status tool_mesh_weld(toc_mesh *mesh) {
    placed_vertex *at = calloc(toc_mesh_get_vertex_count(mesh) + 1, sizeof *at);
    if (!at) return tool_fail_memory();
    const size_t count = list_placed(mesh, at);
    toc_status status = TOC_OK;
    qsort(at, count, sizeof *at, compare_placed);
    for (size_t i = 1, kept = 0; i < count && status == TOC_OK; i++) {
        if (!are_together(&at[kept], &at[i])) {
            kept = i;
            continue;
        }
        status = toc_mesh_merge_vertices(mesh, at[kept].vertex, at[i].vertex);
        if (status == TOC_BAD_INPUT) status = TOC_OK; // an element has both
    }
    free(at);
    return status;
}
