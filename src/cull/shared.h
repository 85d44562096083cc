// SPDX-License-Identifier: Apache-2.0
// Feature pairs, and whether two features share a vertex. Features that do always touch there, so they are never
// tested.
#ifndef TOC_CULL_SHARED_H
#define TOC_CULL_SHARED_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/// The four vertices of a feature pair, in the order of toc_pair.
typedef struct toc_feature_pair {
    uint32_t v[4];
} toc_feature_pair;

static inline bool toc_vertex_in_face(uint32_t v, const uint32_t f[3]) {
    return (v == f[0]) | (v == f[1]) | (v == f[2]);
}

static inline bool toc_edges_share(const uint32_t a[2], const uint32_t b[2]) {
    return (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
}

/// Two edges as a pair, the lower one first. Each edge must have its lower vertex first.
static inline toc_feature_pair toc_edges_in_order(const uint32_t a[2], const uint32_t b[2]) {
    assert(a[0] < a[1] && b[0] < b[1]);
    const uint64_t x = (uint64_t)a[0] << 32 | a[1], y = (uint64_t)b[0] << 32 | b[1];
    const uint64_t low = x < y ? x : y, high = x < y ? y : x;
    return (toc_feature_pair){{(uint32_t)(low >> 32), (uint32_t)low, (uint32_t)(high >> 32), (uint32_t)high}};
}

#endif
