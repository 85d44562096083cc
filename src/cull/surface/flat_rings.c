// SPDX-License-Identifier: Apache-2.0
// Finding closed rings of faces around vertices.
#include "cull/surface/flat_rings.h"

#include <assert.h>
#include <string.h>

#include "base/backend.h"
#include "base/scatter.h"
#include "base/threads.h"

enum { VERTICES_OF_ROUND = 2048 };

// The faces around each vertex.
typedef struct ring_finder {
    const toc_feature_set *set;
    const toc_primitives *primitives;
    uint32_t *first;                     // by vertex, and one more
    uint32_t *faces;                     // around each vertex; where they form a ring, its vertices in order instead
    uint8_t *sizes;                      // of rings, by vertex; 0 for none
    size_t (*counts)[TOC_RING_MOST + 1]; // by round: its rings of each size, then those of the rounds before it
    toc_flat_rings *found;
    int threads;
} ring_finder;

static size_t list_corners(const void *user, size_t first, size_t last, toc_keyed *out) {
    const toc_feature_set *set = user;
    for (size_t i = first; i < last; i++)
        for (size_t j = 0; j < 3; j++) out[3 * (i - first) + j] = (toc_keyed){set->faces[i][j], (uint32_t)i};
    return 3 * (last - first);
}

static toc_status list_ring_faces(ring_finder *r, toc_arena *arena) {
    const toc_scatter how = {.keys = r->set->vertex_count,
                             .items = r->set->face_count,
                             .list = list_corners,
                             .user = r->set,
                             .threads = r->threads};
    toc_scattering s;
    const toc_arena_mark mark = toc_arena_here(arena);
    TOC_TRY(toc_scatter_count(&how, arena, &s));
    assert(s.total == 3 * r->set->face_count);
    TOC_TRY(toc_scatter_place(&s, arena, r->first, r->faces));
    toc_arena_back(arena, mark);
    return TOC_OK;
}

// The link of a vertex: the two other vertices of each face around it.
typedef struct link {
    int count;
    uint32_t ends[TOC_RING_MOST][2];
} link;

static link link_of(const ring_finder *r, uint32_t v) {
    link l = {.count = (int)(r->first[v + 1] - r->first[v])};
    assert(l.count <= TOC_RING_MOST);
    for (int i = 0; i < l.count; i++) {
        const uint32_t *face = r->set->faces[r->faces[r->first[v] + (uint32_t)i]];
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

// An edge in no face may touch the faces around its vertices, however flat they lie: there are no rings.
enum { NO_RING = UINT8_MAX };

static void mark_loose_edges(const ring_finder *r) {
    memset(r->sizes, 0, r->set->vertex_count);
    for (size_t i = r->set->face_count; i < r->primitives->count; i++)
        for (int j = 0; j < 2; j++) {
            const uint32_t v = r->primitives->at[i].vertices[j];
            if (v != UINT32_MAX) r->sizes[v] = NO_RING;
        }
}

// Put the faces around a vertex in order. @return their number; 0 if they are no ring, or too few or too many.
static int order_ring(const ring_finder *r, uint32_t v) {
    const uint32_t size = r->first[v + 1] - r->first[v];
    if (r->sizes[v] == NO_RING || size < TOC_RING_LEAST || size > TOC_RING_MOST) return 0;
    link l = link_of(r, v);
    if (!close_ring(&l)) return 0;
    for (int i = 0; i < l.count; i++) r->faces[r->first[v] + (uint32_t)i] = l.ends[i][0];
    return l.count;
}

static uint32_t last_vertex_of(const ring_finder *r, size_t round) {
    const size_t end = (round + 1) * VERTICES_OF_ROUND, count = r->set->vertex_count;
    return (uint32_t)(end < count ? end : count);
}

static toc_status order_rings(void *user, size_t round, int thread) {
    (void)thread;
    const ring_finder *r = user;
    size_t *counts = r->counts[round];
    memset(counts, 0, sizeof r->counts[round]);
    for (uint32_t v = (uint32_t)(round * VERTICES_OF_ROUND); v < last_vertex_of(r, round); v++) {
        r->sizes[v] = (uint8_t)order_ring(r, v);
        counts[r->sizes[v]]++;
    }
    return TOC_OK;
}

static toc_status copy_rings(void *user, size_t round, int thread) {
    (void)thread;
    const ring_finder *r = user;
    size_t *counts = r->counts[round];
    for (uint32_t v = (uint32_t)(round * VERTICES_OF_ROUND); v < last_vertex_of(r, round); v++) {
        const size_t size = r->sizes[v];
        if (!size) continue;
        uint32_t *ring = r->found->of[size].rings + (1 + size) * counts[size]++;
        ring[0] = v;
        memcpy(ring + 1, r->faces + r->first[v], size * sizeof *ring);
    }
    return TOC_OK;
}

// Find the places of the rings of each round.
static toc_status allocate_rings(ring_finder *r, size_t rounds, toc_arena *arena) {
    toc_flat_rings *found = r->found;
    for (size_t i = 0; i < rounds; i++)
        for (size_t size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++) {
            const size_t count = r->counts[i][size];
            r->counts[i][size] = found->of[size].count;
            found->of[size].count += count;
        }
    for (size_t size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++) {
        found->of[size].rings = toc_arena_new(arena, found->of[size].count, (1 + size) * sizeof *found->of[size].rings);
        if (!found->of[size].rings) return TOC_OUT_OF_MEMORY;
    }
    return TOC_OK;
}

static toc_status find_rings(ring_finder *r, toc_arena *scratch, toc_arena *arena) {
    const size_t vertices = r->set->vertex_count, rounds = (vertices + VERTICES_OF_ROUND - 1) / VERTICES_OF_ROUND;
    toc_loop loop = {.count = rounds, .threads = r->threads, .round = order_rings, .user = r};
    r->first = toc_arena_new(scratch, vertices + 1, sizeof *r->first);
    r->faces = toc_arena_new(scratch, 3 * r->set->face_count, sizeof *r->faces);
    r->sizes = toc_arena_new(scratch, vertices, sizeof *r->sizes);
    r->counts = toc_arena_new(scratch, rounds, sizeof *r->counts);
    if (!r->first || !r->faces || !r->sizes || !r->counts) return TOC_OUT_OF_MEMORY;
    TOC_TRY(list_ring_faces(r, scratch));
    mark_loose_edges(r);
    TOC_TRY(toc_loop_run(&loop));
    TOC_TRY(allocate_rings(r, rounds, arena));
    loop.round = copy_rings;
    return toc_loop_run(&loop);
}

toc_status toc_flat_rings_find(toc_arena *arena, const toc_feature_set *features, const toc_primitives *primitives,
                               int threads, toc_flat_rings *out) {
    toc_arena scratch = toc_arena_make(&arena->allocator);
    toc_flat_rings found;
    memset(&found, 0, sizeof found);
    ring_finder r = {.set = features, .primitives = primitives, .found = &found, .threads = threads};
    const toc_status status = find_rings(&r, &scratch, arena);
    if (status == TOC_OK) *out = found;
    toc_arena_free(&scratch);
    return status;
}

void toc_flat_rings_tell(const toc_flat_rings *rings, toc_ring_range range, const toc_ring_motion *motion,
                         uint8_t *flat) {
    assert(range.size >= TOC_RING_LEAST && range.size <= TOC_RING_MOST);
    assert(range.first + range.count <= rings->of[range.size].count);
    assert(motion->until >= 0 && motion->until <= 1);
    const uint32_t *first = rings->of[range.size].rings + (size_t)(1 + range.size) * range.first;
    toc_backend_here()->flat_rings(first, range.count, range.size, motion, flat);
}
