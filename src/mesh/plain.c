// SPDX-License-Identifier: Apache-2.0
// Finding the features of a plain mesh.
//
// Every triangle puts its edges and itself into the bucket of the lower vertex: a counting sort. The buckets are short
// and are sorted by insertion; in vertex order they give the order of toc_features.
#include "mesh/plain.h"

#include <assert.h>
#include <string.h>

enum { CROWDED = 64 }; // entries of a bucket from which on insertion takes too long

typedef struct plain_search {
    size_t vertex_count, triangle_count;
    const uint32_t (*triangles)[3];
    uint32_t *edge_ends, *face_ends; // by vertex: entries of its bucket, then their start, then their end
    uint32_t *highs;                 // in the buckets: the higher vertex of an edge
    uint32_t *lowest_of;             // in the buckets: a triangle whose lowest vertex it is
    uint8_t *is_highest;             // by vertex: whether it is the highest one of a triangle
    toc_arena scratch;               // of these
} plain_search;

// The vertices of a triangle in ascending order.
typedef struct ascending {
    uint32_t low, middle, high;
} ascending;

static inline ascending ascending_of(const uint32_t v[3]) {
    const uint32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    return (ascending){low < v[2] ? low : v[2],
                       low > v[2]    ? low
                       : high < v[2] ? high
                                     : v[2],
                       high > v[2] ? high : v[2]};
}

static bool are_triangles(const toc_mesh *mesh) {
    for (size_t e = 0; e < mesh->shapes.count; e++)
        if (mesh->shapes.at[e] != TOC_TRIANGLE) return false;
    return true;
}

// @return false if a triangle uses a vertex twice.
static bool count_bucket_entries(const plain_search *p) {
    for (size_t e = 0; e < p->triangle_count; e++) {
        const ascending t = ascending_of(p->triangles[e]);
        if (t.low == t.middle || t.middle == t.high) return false;
        assert(t.high < p->vertex_count);
        p->edge_ends[t.low] += 2;
        p->edge_ends[t.middle]++;
        p->face_ends[t.low]++;
        p->is_highest[t.high] = 1;
    }
    return true;
}

// Turn counts into starts. @return false if a vertex is crowded.
static bool place_buckets(const plain_search *p) {
    uint32_t edges = 0, faces = 0, most = 0;
    for (size_t v = 0; v < p->vertex_count; v++) {
        const uint32_t more_edges = p->edge_ends[v], more_faces = p->face_ends[v];
        most = more_edges > most ? more_edges : most; // at least twice as many as the faces
        p->edge_ends[v] = edges;
        p->face_ends[v] = faces;
        edges += more_edges;
        faces += more_faces;
    }
    return most <= CROWDED;
}

static void fill_plain_buckets(const plain_search *p) {
    for (size_t e = 0; e < p->triangle_count; e++) {
        const ascending t = ascending_of(p->triangles[e]);
        const uint32_t at = p->edge_ends[t.low];
        p->edge_ends[t.low] = at + 2;
        p->highs[at] = t.middle;
        p->highs[at + 1] = t.high;
        p->highs[p->edge_ends[t.middle]++] = t.high;
        p->lowest_of[p->face_ends[t.low]++] = (uint32_t)e;
    }
}

// ---- buckets to features

// Sort a bucket and move its distinct entries to `to`, which is not behind it. @return their number.
static size_t take_distinct(uint32_t *bucket, size_t count, uint32_t *to) {
    size_t distinct = 0;
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = bucket[i];
        size_t j = i;
        for (; j > 0 && bucket[j - 1] > moved; j--) bucket[j] = bucket[j - 1];
        bucket[j] = moved;
    }
    for (size_t i = 0; i < count; i++)
        if (i == 0 || bucket[i] != to[distinct - 1]) to[distinct++] = bucket[i];
    return distinct;
}

static toc_status make_plain_edges(const plain_search *p, const toc_allocator *memory, toc_plain_features *out) {
    uint32_t total = 0, from = 0;
    TOC_TRY(toc_array_reserve(memory, &out->edge_first, p->vertex_count + 1));
    out->edge_first.count = p->vertex_count + 1;
    for (size_t v = 0; v < p->vertex_count; v++) {
        const uint32_t end = p->edge_ends[v];
        out->edge_first.at[v] = total;
        total += (uint32_t)take_distinct(p->highs + from, end - from, p->highs + total);
        from = end;
    }
    out->edge_first.at[p->vertex_count] = total;
    TOC_TRY(toc_array_reserve(memory, &out->edges, total));
    out->edges.count = total;
    for (size_t v = 0; v < p->vertex_count; v++)
        for (uint32_t i = out->edge_first.at[v]; i < out->edge_first.at[v + 1]; i++) {
            out->edges.at[i][0] = (uint32_t)v;
            out->edges.at[i][1] = p->highs[i];
        }
    return TOC_OK;
}

// The two vertices of a triangle that follow its lowest one.
static inline uint64_t face_key(const uint32_t v[3]) {
    const int i = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : v[1] < v[2] ? 1 : 2;
    return (uint64_t)v[i == 2 ? 0 : i + 1] << 32 | v[i == 0 ? 2 : i - 1];
}

// Insert a key into ascending ones, unless it is there. @return false if another triangle is its other side.
static inline bool insert_face_key(uint64_t *keys, size_t *count, uint64_t key) {
    const uint64_t other_side = key << 32 | key >> 32;
    size_t i = *count;
    for (size_t k = 0; k < *count; k++) {
        if (keys[k] == key) return true;
        if (keys[k] == other_side) return false;
    }
    for (; i > 0 && keys[i - 1] > key; i--) keys[i] = keys[i - 1];
    keys[i] = key;
    ++*count;
    return true;
}

// @return false if two triangles are the two sides of a face: the first of them gives it its winding, not the order.
static bool take_faces(const plain_search *p, uint32_t v, uint32_t from, uint32_t end, toc_face_array *faces) {
    uint64_t keys[CROWDED];
    size_t count = 0;
    assert(end - from <= CROWDED);
    for (uint32_t i = from; i < end; i++)
        if (!insert_face_key(keys, &count, face_key(p->triangles[p->lowest_of[i]]))) return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t *face = faces->at[faces->count++];
        face[0] = v;
        face[1] = (uint32_t)(keys[i] >> 32);
        face[2] = (uint32_t)keys[i];
    }
    return true;
}

static toc_status make_plain_faces(const plain_search *p, const toc_allocator *memory, toc_plain_features *out,
                                   bool *found) {
    uint32_t from = 0;
    TOC_TRY(toc_array_reserve(memory, &out->faces, p->triangle_count));
    TOC_TRY(toc_array_reserve(memory, &out->vertices, p->vertex_count));
    for (size_t v = 0; v < p->vertex_count && *found; v++) {
        const bool is_lower = out->edge_first.at[v] < out->edge_first.at[v + 1];
        if (is_lower || p->is_highest[v]) out->vertices.at[out->vertices.count++] = (uint32_t)v;
        *found = take_faces(p, (uint32_t)v, from, p->face_ends[v], &out->faces);
        from = p->face_ends[v];
    }
    return TOC_OK;
}

// ---- the whole

static toc_status allocate_plain(plain_search *p) {
    p->edge_ends = toc_arena_new(&p->scratch, p->vertex_count, sizeof *p->edge_ends);
    p->face_ends = toc_arena_new(&p->scratch, p->vertex_count, sizeof *p->face_ends);
    p->is_highest = toc_arena_new(&p->scratch, p->vertex_count, sizeof *p->is_highest);
    p->highs = toc_arena_new(&p->scratch, p->triangle_count, 3 * sizeof *p->highs);
    p->lowest_of = toc_arena_new(&p->scratch, p->triangle_count, sizeof *p->lowest_of);
    if (!p->edge_ends || !p->face_ends || !p->is_highest || !p->highs || !p->lowest_of) return TOC_OUT_OF_MEMORY;
    memset(p->edge_ends, 0, p->vertex_count * sizeof *p->edge_ends);
    memset(p->face_ends, 0, p->vertex_count * sizeof *p->face_ends);
    memset(p->is_highest, 0, p->vertex_count);
    return TOC_OK;
}

static toc_status search_plain(plain_search *p, const toc_allocator *memory, toc_plain_features *out, bool *found) {
    TOC_TRY(allocate_plain(p));
    *found = count_bucket_entries(p) && place_buckets(p);
    if (!*found) return TOC_OK;
    fill_plain_buckets(p);
    TOC_TRY(make_plain_edges(p, memory, out));
    return make_plain_faces(p, memory, out, found);
}

toc_status toc_plain_find(const toc_mesh *mesh, toc_plain_features *out, bool *found) {
    *found = are_triangles(mesh);
    if (!*found) return TOC_OK;
    plain_search p = {.vertex_count = toc_mesh_get_vertex_count(mesh),
                      .triangle_count = mesh->shapes.count,
                      .triangles = (const uint32_t(*)[3])mesh->corners.at,
                      .scratch = toc_arena_make(&mesh->allocator)};
    assert(mesh->corners.count == 3 * p.triangle_count);
    const toc_status status = search_plain(&p, &mesh->allocator, out, found);
    toc_arena_free(&p.scratch);
    return status;
}

void toc_plain_free(const toc_mesh *mesh, toc_plain_features *features) {
    toc_array_free(&mesh->allocator, &features->vertices);
    toc_array_free(&mesh->allocator, &features->edges);
    toc_array_free(&mesh->allocator, &features->faces);
    toc_array_free(&mesh->allocator, &features->edge_first);
}
