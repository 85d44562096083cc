// SPDX-License-Identifier: Apache-2.0
// Finding connected parts by joining trees of vertices, whose paths are halved as they are walked.
// After Tarjan and van Leeuwen 1984, "Worst-case analysis of set union algorithms".
#include "cull/surface/components.h"

static const uint32_t NONE = UINT32_MAX;

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

// The lower root becomes the root of both: a parent is never above its vertex.
static void join(uint32_t *parents, uint32_t a, uint32_t b) {
    const uint32_t root_a = root_of(parents, a), root_b = root_of(parents, b);
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
            if (lowest[v[k]] == NONE) lowest[v[k]] = v[k];
            if (k > 0) join(lowest, v[0], v[k]);
        }
    }
    for (size_t v = 0; v < vertex_count; v++)
        if (lowest[v] != NONE) lowest[v] = lowest[lowest[v]]; // those below are told already
}
