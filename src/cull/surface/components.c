// SPDX-License-Identifier: Apache-2.0
// Connected components by union-find over vertices, with path halving.
// After Tarjan and van Leeuwen 1984, "Worst-case analysis of set union algorithms".
#include "cull/surface/components.h"

#include <assert.h>

static const uint32_t NONE = UINT32_MAX;

static uint32_t component_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

// The lower root becomes the root of both: a parent is never above its vertex.
static void join_components(uint32_t *parents, uint32_t a, uint32_t b) {
    const uint32_t root_a = component_root(parents, a), root_b = component_root(parents, b);
    if (root_a < root_b)
        parents[root_b] = root_a;
    else
        parents[root_a] = root_b;
}

void toc_components_find(const toc_primitives *primitives, size_t vertex_count, uint32_t *lowest) {
    for (size_t v = 0; v < vertex_count; v++) lowest[v] = NONE;
    for (size_t i = 0; i < primitives->count; i++) {
        const uint32_t *v = primitives->at[i].vertices;
        for (int k = 0; k < 3 && v[k] != NONE; k++) {
            assert(v[k] < vertex_count);
            if (lowest[v[k]] == NONE) lowest[v[k]] = v[k];
            if (k > 0) join_components(lowest, v[0], v[k]);
        }
    }
    for (size_t v = 0; v < vertex_count; v++)
        if (lowest[v] != NONE) lowest[v] = lowest[lowest[v]]; // lower vertices already have their result
}
