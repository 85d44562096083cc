// SPDX-License-Identifier: Apache-2.0
// Listing primitives, and assigning each feature to one of the primitives that have it.
#include "cull/surface/representatives.h"

#include <assert.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

// ---- the primitives

typedef struct lister {
    const toc_feature_set *features;
    toc_primitives *primitives;
    uint32_t *first_edge;            // by vertex: the first edge whose lower vertex is this one or a later one
    uint8_t *edge_seen, *point_seen; // by edge, by vertex
} lister;

static void index_edges(lister *l) {
    const toc_feature_set *set = l->features;
    size_t edge = 0;
    for (size_t i = 0; i < set->edge_count; i++)
        assert(set->edges[i][0] < set->edges[i][1] && (i == 0 || set->edges[i - 1][0] <= set->edges[i][0]));
    for (size_t v = 0; v <= set->vertex_count; v++) {
        while (edge < set->edge_count && set->edges[edge][0] < v) edge++;
        l->first_edge[v] = (uint32_t)edge;
    }
}

static uint32_t edge_between(const lister *l, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t edge = l->first_edge[low];
    while (edge < l->first_edge[low + 1] && l->features->edges[edge][1] != high) edge++;
    assert(edge < l->first_edge[low + 1]); // every side of a face is an edge of the set
    return edge;
}

static toc_primitive *append_primitive(lister *l) {
    toc_primitive *primitive = &l->primitives->at[l->primitives->count++];
    *primitive = (toc_primitive){{NONE, NONE, NONE}, {NONE, NONE, NONE}};
    return primitive;
}

static void list_face_primitives(lister *l) {
    for (size_t i = 0; i < l->features->face_count; i++) {
        const uint32_t *v = l->features->faces[i];
        toc_primitive *primitive = append_primitive(l);
        for (int j = 0; j < 3; j++) {
            primitive->vertices[j] = v[j];
            primitive->edges[j] = edge_between(l, v[j], v[(j + 1) % 3]);
            l->edge_seen[primitive->edges[j]] = l->point_seen[v[j]] = 1;
        }
    }
}

static void list_loose_primitives(lister *l) {
    for (size_t i = 0; i < l->features->edge_count; i++) {
        if (l->edge_seen[i]) continue;
        toc_primitive *primitive = append_primitive(l);
        primitive->edges[0] = (uint32_t)i;
        for (int j = 0; j < 2; j++) l->point_seen[primitive->vertices[j] = l->features->edges[i][j]] = 1;
    }
    for (size_t i = 0; i < l->features->point_count; i++)
        if (!l->point_seen[l->features->points[i]]) append_primitive(l)->vertices[0] = l->features->points[i];
}

// Zeroed marks.
static uint8_t *new_marks(toc_arena *arena, size_t count) {
    uint8_t *marks = toc_arena_new(arena, count, 1);
    return marks ? memset(marks, 0, count) : NULL;
}

toc_status toc_primitives_list(toc_arena *arena, const toc_feature_set *features, toc_primitives *out) {
    const size_t most = features->face_count + features->edge_count + features->point_count;
    toc_primitives primitives = {.at = toc_arena_new(arena, most, sizeof *primitives.at)};
    lister l = {.features = features, .primitives = &primitives};
    l.first_edge = toc_arena_new(arena, features->vertex_count + 1, sizeof *l.first_edge);
    l.edge_seen = new_marks(arena, features->edge_count);
    l.point_seen = new_marks(arena, features->vertex_count);
    if (!primitives.at || !l.first_edge || !l.edge_seen || !l.point_seen) return TOC_OUT_OF_MEMORY;
    index_edges(&l);
    list_face_primitives(&l);
    list_loose_primitives(&l);
    *out = primitives;
    return TOC_OK;
}

// ---- the representatives

typedef struct assigner {
    const toc_feature_set *features;
    toc_representatives *representatives;
    uint8_t *edge_taken, *point_taken; // by edge, by vertex
} assigner;

static void assign(assigner *a, const toc_primitive *primitive) {
    toc_representatives *representatives = a->representatives;
    toc_representative *own = &representatives->at[representatives->count++];
    const bool face = primitive->vertices[2] != NONE;
    *own = (toc_representative){.face = {NONE, NONE, NONE},
                                .first_edge = (uint32_t)representatives->edge_count,
                                .first_point = (uint32_t)representatives->point_count};
    if (face) memcpy(own->face, primitive->vertices, sizeof own->face);
    for (int j = 0; j < 3; j++) {
        const uint32_t edge = primitive->edges[j], vertex = primitive->vertices[j];
        if (edge != NONE && !a->edge_taken[edge]) {
            a->edge_taken[edge] = 1;
            memcpy(representatives->edges[representatives->edge_count++], a->features->edges[edge],
                   sizeof *representatives->edges);
            own->edge_count++;
        }
        if (vertex != NONE && !a->point_taken[vertex]) {
            a->point_taken[vertex] = 1;
            representatives->points[representatives->point_count++] = vertex;
            own->point_count++;
        }
    }
}

toc_status toc_representatives_assign(toc_arena *arena, const toc_feature_set *features,
                                      const toc_primitives *primitives, const uint32_t *order,
                                      toc_representatives *out) {
    toc_representatives representatives = {0};
    assigner a = {.features = features, .representatives = &representatives};
    representatives.at = toc_arena_new(arena, primitives->count, sizeof *representatives.at);
    representatives.of =
        order ? toc_arena_new(arena, primitives->count, sizeof *representatives.of) : representatives.at;
    representatives.edges = toc_arena_new(arena, features->edge_count, sizeof *representatives.edges);
    representatives.points = toc_arena_new(arena, features->point_count, sizeof *representatives.points);
    a.edge_taken = new_marks(arena, features->edge_count);
    a.point_taken = new_marks(arena, features->vertex_count);
    if (!representatives.at || !representatives.of || !representatives.edges || !representatives.points ||
        !a.edge_taken || !a.point_taken)
        return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < primitives->count; i++) {
        const size_t primitive = order ? order[i] : i;
        assign(&a, &primitives->at[primitive]);
        representatives.of[primitive] = representatives.at[i];
    }
    assert(representatives.edge_count == features->edge_count && representatives.point_count == features->point_count);
    *out = representatives;
    return TOC_OK;
}

void toc_representatives_move(const toc_representatives *representatives, const uint32_t *primitives, size_t first,
                              size_t count) {
    assert(first + count <= representatives->count);
    for (size_t i = 0; i < count; i++) representatives->at[first + i] = representatives->of[primitives[i]];
}
