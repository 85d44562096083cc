// SPDX-License-Identifier: Apache-2.0
// Finding closed rings of faces around vertices.
#include "cull/surface/flat_rings.h"

#include <assert.h>
#include <string.h>

#include "base/lanes.h"

// The faces around each vertex, and the number of its edges.
typedef struct incidence {
    uint32_t *first; // by vertex, and one more
    uint32_t *faces;
    uint32_t *edges; // by vertex
} incidence;

static toc_status list_ring_faces(toc_arena *arena, const toc_feature_set *set, incidence *out) {
    incidence in = {.first = toc_arena_new(arena, set->vertex_count + 2, sizeof *in.first),
                    .faces = toc_arena_new(arena, 3 * set->face_count, sizeof *in.faces),
                    .edges = toc_arena_new(arena, set->vertex_count, sizeof *in.edges)};
    if (!in.first || !in.faces || !in.edges) return TOC_OUT_OF_MEMORY;
    memset(in.first, 0, (set->vertex_count + 2) * sizeof *in.first);
    uint32_t *next = in.first + 1; // by vertex: the next free place; at last it is the first place of the next vertex
    for (size_t i = 0; i < 3 * set->face_count; i++) next[set->faces[i / 3][i % 3] + 1]++;
    for (size_t v = 0; v < set->vertex_count; v++) next[v + 1] += next[v];
    for (size_t i = 0; i < 3 * set->face_count; i++) in.faces[next[set->faces[i / 3][i % 3]]++] = (uint32_t)(i / 3);
    memset(in.edges, 0, set->vertex_count * sizeof *in.edges);
    for (size_t i = 0; i < 2 * set->edge_count; i++) in.edges[set->edges[i / 2][i % 2]]++;
    *out = in;
    return TOC_OK;
}

// The link of a vertex: the two other vertices of each face around it.
typedef struct link {
    int count;
    uint32_t ends[TOC_RING_MOST][2];
} link;

static link link_of(const toc_feature_set *set, const incidence *in, uint32_t v) {
    link l = {.count = (int)(in->first[v + 1] - in->first[v])};
    assert(l.count <= TOC_RING_MOST);
    for (int i = 0; i < l.count; i++) {
        const uint32_t *face = set->faces[in->faces[in->first[v] + (uint32_t)i]];
        const int at = face[0] == v ? 0 : face[1] == v ? 1 : 2;
        l.ends[i][0] = face[(at + 1) % 3];
        l.ends[i][1] = face[(at + 2) % 3];
    }
    return l;
}

// Move the one edge of the link that continues from the last placed edge behind it. @return false if there is none, or
// more than one.
static bool place_next_edge(link *l, int placed) {
    const uint32_t end = l->ends[placed - 1][1];
    int found = 0;
    for (int i = placed; i < l->count; i++) {
        const int which = l->ends[i][0] == end ? 0 : l->ends[i][1] == end ? 1 : -1;
        if (which < 0) continue;
        const uint32_t next = l->ends[i][1 - which];
        if (found++) return false;
        memcpy(l->ends[i], l->ends[placed], sizeof l->ends[i]);
        l->ends[placed][0] = end;
        l->ends[placed][1] = next;
    }
    return found == 1;
}

// Whether the link is one closed ring; if so, its edges are put in order.
static bool close_ring(link *l) {
    for (int placed = 1; placed < l->count; placed++)
        if (!place_next_edge(l, placed)) return false;
    return l->ends[l->count - 1][1] == l->ends[0][0];
}

// The number of faces around a vertex; 0 if they are no ring: too few, too many, or with an edge that is in none of
// them, which may touch them however flat they lie.
static int size_at(const incidence *in, size_t v) {
    const uint32_t size = in->first[v + 1] - in->first[v];
    return size >= TOC_RING_LEAST && size <= TOC_RING_MOST && in->edges[v] <= size ? (int)size : 0;
}

static toc_status allocate_rings(toc_arena *arena, const toc_feature_set *set, const incidence *in,
                                 toc_flat_rings *found) {
    size_t most[TOC_RING_MOST + 1] = {0};
    for (size_t v = 0; v < set->vertex_count; v++) most[size_at(in, v)]++;
    for (size_t size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++) {
        found->of[size].rings = toc_arena_new(arena, most[size], (1 + size) * sizeof *found->of[size].rings);
        if (!found->of[size].rings) return TOC_OUT_OF_MEMORY;
    }
    return TOC_OK;
}

static void add_rings(const toc_feature_set *set, const incidence *in, toc_flat_rings *found) {
    for (uint32_t v = 0; v < set->vertex_count; v++) {
        const int size = size_at(in, v);
        if (!size) continue;
        link l = link_of(set, in, v);
        if (!close_ring(&l)) continue;
        uint32_t *ring = found->of[size].rings + (size_t)(1 + size) * found->of[size].count++;
        ring[0] = v;
        for (int i = 0; i < size; i++) ring[1 + i] = l.ends[i][0];
    }
}

toc_status toc_flat_rings_find(toc_arena *arena, const toc_feature_set *features, toc_flat_rings *out) {
    toc_arena scratch = toc_arena_make(&arena->allocator);
    incidence in;
    toc_flat_rings found;
    memset(&found, 0, sizeof found);
    toc_status status = list_ring_faces(&scratch, features, &in);
    if (status == TOC_OK) status = allocate_rings(arena, features, &in, &found);
    if (status == TOC_OK) {
        add_rings(features, &in, &found);
        *out = found;
    }
    toc_arena_free(&scratch);
    return status;
}

void toc_flat_rings_tell(const toc_flat_rings *rings, toc_ring_range range, const toc_ring_motion *motion,
                         uint8_t *flat) {
    assert(range.size >= TOC_RING_LEAST && range.size <= TOC_RING_MOST);
    assert(range.first + range.count <= rings->of[range.size].count);
    assert(motion->until >= 0 && motion->until <= 1);
    const uint32_t *first = rings->of[range.size].rings + (size_t)(1 + range.size) * range.first;
    TOC_KERNEL_HERE(toc_flat_rings_kernel)(first, range.count, range.size, motion, flat);
}
