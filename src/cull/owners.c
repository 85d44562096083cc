// SPDX-License-Identifier: Apache-2.0
// Giving every feature to one primitive that has it: the first one.
#include "cull/owners.h"

#include <assert.h>
#include <string.h>

typedef struct finder {
    const toc_feature_set *features;
    toc_owners *owners;
    uint32_t *first_edge; // by vertex: the first edge whose lower vertex is this one or a later one
    uint8_t *edge_owned, *vertex_owned;
} finder;

static void index_edges(finder *f) {
    const toc_feature_set *set = f->features;
    size_t edge = 0;
    for (size_t v = 0; v <= set->vertex_count; v++) {
        while (edge < set->edge_count && set->edges[edge][0] < v) edge++;
        f->first_edge[v] = (uint32_t)edge;
    }
}

static uint32_t edge_between(const finder *f, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t edge = f->first_edge[low];
    while (f->features->edges[edge][1] != high) edge++;
    assert(edge < f->first_edge[low + 1]);
    return edge;
}

static toc_owner *new_owner(finder *f, uint32_t face) {
    toc_owner *owner = &f->owners->at[f->owners->count++];
    *owner = (toc_owner){.face = face};
    return owner;
}

static void give_edge(finder *f, toc_owner *owner, uint32_t edge) {
    if (f->edge_owned[edge]) return;
    f->edge_owned[edge] = 1;
    owner->edges[owner->edge_count++] = edge;
}

static void give_vertex(finder *f, toc_owner *owner, uint32_t vertex) {
    if (f->vertex_owned[vertex]) return;
    f->vertex_owned[vertex] = 1;
    owner->points[owner->point_count++] = vertex;
}

static void give_faces(finder *f) {
    for (size_t i = 0; i < f->features->face_count; i++) {
        const uint32_t *v = f->features->faces[i];
        toc_owner *owner = new_owner(f, (uint32_t)i);
        for (int j = 0; j < 3; j++) {
            give_edge(f, owner, edge_between(f, v[j], v[(j + 1) % 3]));
            give_vertex(f, owner, v[j]);
        }
    }
}

static void give_rest(finder *f) {
    for (size_t i = 0; i < f->features->edge_count; i++) {
        if (f->edge_owned[i]) continue;
        toc_owner *owner = new_owner(f, UINT32_MAX);
        give_edge(f, owner, (uint32_t)i);
        for (int j = 0; j < 2; j++) give_vertex(f, owner, f->features->edges[i][j]);
    }
    for (size_t i = 0; i < f->features->point_count; i++)
        if (!f->vertex_owned[f->features->points[i]]) give_vertex(f, new_owner(f, UINT32_MAX), f->features->points[i]);
}

toc_status toc_owners_find(toc_arena *arena, const toc_feature_set *features, toc_owners *out) {
    const size_t most = features->face_count + features->edge_count + features->point_count;
    toc_owners owners = {.at = toc_arena_new(arena, most, sizeof *owners.at)};
    finder f = {.features = features, .owners = &owners};
    f.first_edge = toc_arena_new(arena, features->vertex_count + 1, sizeof *f.first_edge);
    f.edge_owned = toc_arena_new(arena, features->edge_count, 1);
    f.vertex_owned = toc_arena_new(arena, features->vertex_count, 1);
    if (!owners.at || !f.first_edge || !f.edge_owned || !f.vertex_owned) return TOC_OUT_OF_MEMORY;
    memset(f.edge_owned, 0, features->edge_count);
    memset(f.vertex_owned, 0, features->vertex_count);
    index_edges(&f);
    give_faces(&f);
    give_rest(&f);
    *out = owners;
    return TOC_OK;
}
