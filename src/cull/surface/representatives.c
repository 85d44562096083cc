// SPDX-License-Identifier: Apache-2.0
// Listing primitives, and assigning each feature to one of the primitives that have it.
#include "cull/surface/representatives.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"

static const uint32_t NONE = UINT32_MAX;

enum { ITEMS_OF_ROUND = 4096 };

static size_t represented_rounds(size_t count) { return (count + ITEMS_OF_ROUND - 1) / ITEMS_OF_ROUND; }

static size_t represented_end(size_t round, size_t count) {
    return (round + 1) * ITEMS_OF_ROUND < count ? (round + 1) * ITEMS_OF_ROUND : count;
}

// Add up the counts of rounds: each becomes the sum of those before it. @return the sum of all.
static size_t add_up_rounds(size_t *counts, size_t rounds) {
    size_t sum = 0;
    for (size_t i = 0; i < rounds; i++) {
        const size_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    return sum;
}

// ---- the primitives

typedef struct lister {
    const toc_feature_set *features;
    toc_arena *arena; // of the primitives
    toc_primitive *primitives;
    uint32_t *first_edge;            // by vertex: the first edge whose lower vertex is this one or a later one
    uint8_t *edge_seen, *point_seen; // by edge, by vertex; threads may set the same mark
    size_t *loose;                   // by round: its loose edges or points, then the number of primitives before them
    size_t listed;                   // primitives before the loose edges, or the loose points
} lister;

typedef toc_status list_round(void *user, size_t round, int thread);

static void run_list(lister *l, size_t count, int threads, list_round *round) {
    toc_loop_run(&(toc_loop){.count = represented_rounds(count), .threads = threads, .round = round, .user = l});
}

static void see(uint8_t *mark) { __atomic_store_n(mark, 1, __ATOMIC_RELAXED); }

static toc_status clear_points(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    const size_t first = round * ITEMS_OF_ROUND;
    memset(l->point_seen + first, 0, represented_end(round, l->features->vertex_count) - first);
    return TOC_OK;
}

// Each edge is the first one of the vertices above the lower vertex of the edge before it, up to its own.
static toc_status index_edges(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    const uint32_t(*edges)[2] = l->features->edges;
    const size_t first = round * ITEMS_OF_ROUND, end = represented_end(round, l->features->edge_count);
    memset(l->edge_seen + first, 0, end - first);
    for (size_t i = first; i < end; i++) {
        assert(edges[i][0] < edges[i][1] && (i == 0 || edges[i - 1][0] <= edges[i][0]));
        for (size_t v = i ? (size_t)edges[i - 1][0] + 1 : 0; v <= edges[i][0]; v++) l->first_edge[v] = (uint32_t)i;
    }
    return TOC_OK;
}

static void index_all_edges(lister *l, int threads) {
    const toc_feature_set *set = l->features;
    run_list(l, set->edge_count, threads, index_edges);
    const size_t after = set->edge_count ? (size_t)set->edges[set->edge_count - 1][0] + 1 : 0;
    for (size_t v = after; v <= set->vertex_count; v++) l->first_edge[v] = (uint32_t)set->edge_count;
}

static uint32_t edge_between(const lister *l, uint32_t a, uint32_t b) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t edge = l->first_edge[low];
    while (edge < l->first_edge[low + 1] && l->features->edges[edge][1] != high) edge++;
    assert(edge < l->first_edge[low + 1]); // every side of a face is an edge of the set
    return edge;
}

static toc_status list_face_primitives(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, l->features->face_count); i++) {
        const uint32_t *v = l->features->faces[i];
        toc_primitive *primitive = &l->primitives[i];
        for (int j = 0; j < 3; j++) {
            primitive->vertices[j] = v[j];
            primitive->edges[j] = edge_between(l, v[j], v[(j + 1) % 3]);
            see(&l->edge_seen[primitive->edges[j]]);
            see(&l->point_seen[v[j]]);
        }
    }
    return TOC_OK;
}

static toc_status count_loose_edges(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    size_t count = 0;
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, l->features->edge_count); i++)
        count += !l->edge_seen[i];
    l->loose[round] = count;
    return TOC_OK;
}

static toc_status list_loose_edges(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    toc_primitive *primitive = l->primitives + l->listed + l->loose[round];
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, l->features->edge_count); i++) {
        if (l->edge_seen[i]) continue;
        const uint32_t *v = l->features->edges[i];
        *primitive++ = (toc_primitive){{v[0], v[1], NONE}, {(uint32_t)i, NONE, NONE}};
        for (int j = 0; j < 2; j++) see(&l->point_seen[v[j]]);
    }
    return TOC_OK;
}

static toc_status count_loose_points(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    size_t count = 0;
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, l->features->point_count); i++)
        count += !l->point_seen[l->features->points[i]];
    l->loose[round] = count;
    return TOC_OK;
}

static toc_status list_loose_points(void *user, size_t round, int thread) {
    (void)thread;
    const lister *l = user;
    toc_primitive *primitive = l->primitives + l->listed + l->loose[round];
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, l->features->point_count); i++)
        if (!l->point_seen[l->features->points[i]])
            *primitive++ = (toc_primitive){{l->features->points[i], NONE, NONE}, {NONE, NONE, NONE}};
    return TOC_OK;
}

// Count the loose edges or points, then list them. Few scenes have any: the array grows for these only.
static toc_status list_loose(lister *l, size_t count, int threads, list_round *count_round, list_round *fill_round) {
    run_list(l, count, threads, count_round);
    const size_t loose = add_up_rounds(l->loose, represented_rounds(count));
    if (loose == 0) return TOC_OK;
    toc_primitive *grown = toc_arena_new(l->arena, l->listed + loose, sizeof *grown);
    if (!grown) return TOC_OUT_OF_MEMORY;
    memcpy(grown, l->primitives, l->listed * sizeof *grown);
    l->primitives = grown;
    run_list(l, count, threads, fill_round);
    l->listed += loose;
    return TOC_OK;
}

static toc_status allocate_lister(toc_arena *scratch, lister *l) {
    const toc_feature_set *set = l->features;
    const size_t most = set->edge_count > set->point_count ? set->edge_count : set->point_count;
    l->primitives = toc_arena_new(l->arena, set->face_count, sizeof *l->primitives);
    l->first_edge = toc_arena_new(scratch, set->vertex_count + 1, sizeof *l->first_edge);
    l->edge_seen = toc_arena_new(scratch, set->edge_count, 1);
    l->point_seen = toc_arena_new(scratch, set->vertex_count, 1);
    l->loose = toc_arena_new(scratch, represented_rounds(most), sizeof *l->loose);
    const bool all = l->primitives && l->first_edge && l->edge_seen && l->point_seen && l->loose;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status list_all_primitives(lister *l, int threads) {
    const toc_feature_set *set = l->features;
    run_list(l, set->vertex_count, threads, clear_points);
    index_all_edges(l, threads);
    run_list(l, set->face_count, threads, list_face_primitives);
    l->listed = set->face_count;
    TOC_TRY(list_loose(l, set->edge_count, threads, count_loose_edges, list_loose_edges));
    return list_loose(l, set->point_count, threads, count_loose_points, list_loose_points);
}

toc_status toc_primitives_list(toc_arena *arena, const toc_feature_set *features, int threads, toc_primitives *out) {
    toc_arena scratch = toc_arena_make(&arena->allocator);
    lister l = {.features = features, .arena = arena};
    toc_status status = allocate_lister(&scratch, &l);
    if (status == TOC_OK) status = list_all_primitives(&l, threads);
    if (status == TOC_OK) *out = (toc_primitives){.count = l.listed, .at = l.primitives};
    toc_arena_free(&scratch);
    return status;
}

// ---- the representatives

// The primitive that represents a feature is the first one of the order that has it. On several threads, all primitives
// claim their features first, and the first claim counts; one thread alone takes them in order.
typedef struct assigner {
    const toc_feature_set *features;
    const toc_primitives *primitives;
    const uint32_t *order;                // may be NULL
    toc_representatives out;              // at, of, edges and points
    uint32_t *edge_claims, *point_claims; // by edge, by vertex: the place in the order of the primitive that has it
    size_t *edges_before, *points_before; // by round: those that it represents, then those of the rounds before it
} assigner;

static size_t ordered_primitive(const assigner *a, size_t at) { return a->order ? a->order[at] : at; }

// NONE is no claim.
static void claim(uint32_t *claims, uint32_t feature, uint32_t at) {
    uint32_t before = __atomic_load_n(&claims[feature], __ATOMIC_RELAXED);
    while (at < before &&
           !__atomic_compare_exchange_n(&claims[feature], &before, at, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static toc_status clear_claims(void *user, size_t round, int thread) {
    (void)thread;
    const assigner *a = user;
    const size_t rounds = represented_rounds(a->features->edge_count);
    uint32_t *claims = round < rounds ? a->edge_claims : a->point_claims;
    const size_t count = round < rounds ? a->features->edge_count : a->features->vertex_count;
    const size_t index = round < rounds ? round : round - rounds, first = index * ITEMS_OF_ROUND;
    for (size_t i = first; i < represented_end(index, count); i++) claims[i] = NONE;
    return TOC_OK;
}

static toc_status claim_features(void *user, size_t round, int thread) {
    (void)thread;
    const assigner *a = user;
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, a->primitives->count); i++) {
        const toc_primitive *primitive = &a->primitives->at[ordered_primitive(a, i)];
        for (int j = 0; j < 3; j++) {
            if (primitive->edges[j] != NONE) claim(a->edge_claims, primitive->edges[j], (uint32_t)i);
            if (primitive->vertices[j] != NONE) claim(a->point_claims, primitive->vertices[j], (uint32_t)i);
        }
    }
    return TOC_OK;
}

static toc_status count_claims(void *user, size_t round, int thread) {
    (void)thread;
    const assigner *a = user;
    size_t edges = 0, points = 0;
    for (size_t i = round * ITEMS_OF_ROUND; i < represented_end(round, a->primitives->count); i++) {
        const toc_primitive *primitive = &a->primitives->at[ordered_primitive(a, i)];
        for (int j = 0; j < 3; j++) {
            edges += primitive->edges[j] != NONE && a->edge_claims[primitive->edges[j]] == i;
            points += primitive->vertices[j] != NONE && a->point_claims[primitive->vertices[j]] == i;
        }
    }
    a->edges_before[round] = edges;
    a->points_before[round] = points;
    return TOC_OK;
}

// Whether the primitive at a place of the order represents a feature. Where nothing was claimed before, it claims it.
static inline bool takes_claim(uint32_t *claims, uint32_t feature, uint32_t at) {
    if (feature == NONE) return false;
    if (claims[feature] == NONE) claims[feature] = at;
    return claims[feature] == at;
}

// Assign the features of the primitives first .. last - 1 of the order, whose edges and points have these places.
static void assign_range(const assigner *a, size_t first, size_t last, size_t edges, size_t points) {
    const toc_representatives *out = &a->out;
    for (size_t i = first; i < last; i++) {
        const size_t at = ordered_primitive(a, i);
        const toc_primitive *primitive = &a->primitives->at[at];
        toc_representative own = {
            .face = {NONE, NONE, NONE}, .first_edge = (uint32_t)edges, .first_point = (uint32_t)points};
        if (primitive->vertices[2] != NONE) memcpy(own.face, primitive->vertices, sizeof own.face);
        for (int j = 0; j < 3; j++) {
            const uint32_t edge = primitive->edges[j], vertex = primitive->vertices[j];
            if (takes_claim(a->edge_claims, edge, (uint32_t)i))
                memcpy(out->edges[edges++], a->features->edges[edge], sizeof *out->edges);
            if (takes_claim(a->point_claims, vertex, (uint32_t)i)) out->points[points++] = vertex;
        }
        own.edge_count = (uint8_t)(edges - own.first_edge);
        own.point_count = (uint8_t)(points - own.first_point);
        out->at[i] = out->of[at] = own;
    }
    assert(last < out->count || (edges == out->edge_count && points == out->point_count));
}

static toc_status assign_round(void *user, size_t round, int thread) {
    (void)thread;
    const assigner *a = user;
    assign_range(a, round * ITEMS_OF_ROUND, represented_end(round, a->primitives->count), a->edges_before[round],
                 a->points_before[round]);
    return TOC_OK;
}

static void run_assigner(assigner *a, size_t rounds, int threads, list_round *round) {
    toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = round, .user = a});
}

static void assign_all(assigner *a, int threads) {
    const toc_feature_set *set = a->features;
    const size_t rounds = represented_rounds(a->primitives->count);
    run_assigner(a, represented_rounds(set->edge_count) + represented_rounds(set->vertex_count), threads, clear_claims);
    if (threads == 1) {
        assign_range(a, 0, a->primitives->count, 0, 0);
        return;
    }
    run_assigner(a, rounds, threads, claim_features);
    run_assigner(a, rounds, threads, count_claims);
    add_up_rounds(a->edges_before, rounds);
    add_up_rounds(a->points_before, rounds);
    run_assigner(a, rounds, threads, assign_round);
}

static toc_status allocate_representatives(toc_arena *arena, assigner *a) {
    const toc_feature_set *set = a->features;
    toc_representatives *out = &a->out;
    out->count = a->primitives->count;
    out->edge_count = set->edge_count;
    out->point_count = set->point_count;
    out->at = toc_arena_new(arena, out->count, sizeof *out->at);
    out->of = a->order ? toc_arena_new(arena, out->count, sizeof *out->of) : out->at;
    out->edges = toc_arena_new(arena, out->edge_count + 3, sizeof *out->edges);
    out->points = toc_arena_new(arena, out->point_count + 3, sizeof *out->points);
    if (!out->at || !out->of || !out->edges || !out->points) return TOC_OUT_OF_MEMORY;
    memset(out->edges + out->edge_count, 0, 3 * sizeof *out->edges);
    memset(out->points + out->point_count, 0, 3 * sizeof *out->points);
    return TOC_OK;
}

static toc_status allocate_claims(toc_arena *scratch, assigner *a) {
    const size_t rounds = represented_rounds(a->primitives->count);
    a->edge_claims = toc_arena_new(scratch, a->features->edge_count, sizeof *a->edge_claims);
    a->point_claims = toc_arena_new(scratch, a->features->vertex_count, sizeof *a->point_claims);
    a->edges_before = toc_arena_new(scratch, rounds, sizeof *a->edges_before);
    a->points_before = toc_arena_new(scratch, rounds, sizeof *a->points_before);
    const bool all = a->edge_claims && a->point_claims && a->edges_before && a->points_before;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

toc_status toc_representatives_assign(toc_arena *arena, const toc_feature_set *features,
                                      const toc_primitives *primitives, const uint32_t *order, int threads,
                                      toc_representatives *out) {
    assigner a = {.features = features, .primitives = primitives, .order = order};
    toc_arena scratch = toc_arena_make(&arena->allocator);
    toc_status status = allocate_representatives(arena, &a);
    if (status == TOC_OK) status = allocate_claims(&scratch, &a);
    if (status == TOC_OK) {
        assign_all(&a, threads);
        *out = a.out;
    }
    toc_arena_free(&scratch);
    return status;
}

void toc_representatives_move(const toc_representatives *representatives, const uint32_t *primitives, size_t first,
                              size_t count) {
    assert(first + count <= representatives->count);
    for (size_t i = 0; i < count; i++) representatives->at[first + i] = representatives->of[primitives[i]];
}
