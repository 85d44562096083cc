// SPDX-License-Identifier: Apache-2.0
// The neighbours of each element: those that share a vertex with it.
//
// The lists of elements around the corners are sorted runs. Each element is taken from the first run that has it, and
// the runs are merged in pairs. O(k) for an element with k elements around its corners, counted once for each corner.
// A vertex used by n elements makes n * n neighbours; more than 32 bits can count are refused.
#include <assert.h>
#include <string.h>

#include "mesh/features.h"

enum { MOST_RUNS = 8 };

// Consecutive runs of ascending ids, and as much room again to merge them into.
typedef struct runs {
    uint32_t *at, *spare;
    size_t ends[MOST_RUNS + 1]; // run i is at[ends[i]] .. at[ends[i + 1] - 1]
    int count;
} runs;

static void merge_pair(const runs *r, int i) {
    const uint32_t *a = r->at + r->ends[i], *b = r->at + r->ends[i + 1];
    const uint32_t *const a_end = b, *const b_end = r->at + r->ends[i + 2];
    uint32_t *to = r->spare + r->ends[i];
    while (a < a_end && b < b_end) *to++ = *a < *b ? *a++ : *b++;
    if (a < a_end) memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    if (b < b_end) memcpy(to, b, (size_t)(b_end - b) * sizeof *b);
}

static void halve_runs(runs *r) {
    if (r->count % 2) {
        r->ends[r->count + 1] = r->ends[r->count];
        r->count++;
    }
    for (int i = 0; i < r->count; i += 2) merge_pair(r, i);
    for (int i = 0; i <= r->count / 2; i++) r->ends[i] = r->ends[2 * i];
    r->count /= 2;
    uint32_t *merged = r->spare;
    r->spare = r->at;
    r->at = merged;
}

typedef struct neighbour_finder {
    const toc_mesh *mesh;
    const uint32_t *vertex_first, *vertex_items;
    uint32_t *seen_by; // by element: the last element whose neighbour it is, plus one
    toc_ids gathered, spare;
} neighbour_finder;

// Gather the elements around a vertex that were not gathered yet, as a run.
static toc_status gather_around(neighbour_finder *f, uint32_t element, uint32_t vertex) {
    const uint32_t from = f->vertex_first[vertex], to = f->vertex_first[vertex + 1];
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->gathered, to - from));
    for (uint32_t i = from; i < to; i++) {
        const uint32_t other = f->vertex_items[i];
        if (f->seen_by[other] == element + 1) continue;
        f->seen_by[other] = element + 1;
        f->gathered.at[f->gathered.count++] = other;
    }
    return TOC_OK;
}

static toc_status find_neighbours_of(neighbour_finder *f, uint32_t element, toc_ids *items) {
    const uint32_t *corners = toc_mesh_corners(f->mesh, element);
    runs r = {.count = toc_shape_count_corners(toc_mesh_shape(f->mesh, element))};
    assert(r.count <= MOST_RUNS);
    f->gathered.count = 0;
    f->seen_by[element] = element + 1; // an element is not its own neighbour
    for (int i = 0; i < r.count; i++) {
        TOC_TRY(gather_around(f, element, corners[i]));
        r.ends[i + 1] = f->gathered.count;
    }
    const size_t count = f->gathered.count;
    if (count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->spare, count));
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, items, count));
    r.at = f->gathered.at;
    r.spare = f->spare.at;
    while (r.count > 1) halve_runs(&r);
    memcpy(items->at + items->count, r.at, count * sizeof *r.at);
    items->count += count;
    return TOC_OK;
}

static toc_status find_neighbours(neighbour_finder *f, toc_list_maker *neighbours) {
    const size_t count = f->mesh->shapes.count;
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &neighbours->first, count + 1));
    neighbours->first.at[neighbours->first.count++] = 0;
    for (size_t e = 0; e < count; e++) {
        TOC_TRY(find_neighbours_of(f, (uint32_t)e, &neighbours->items));
        TOC_TRY(toc_list_maker_check(neighbours, "neighbours of elements"));
        neighbours->first.at[neighbours->first.count++] = (uint32_t)neighbours->items.count;
    }
    return TOC_OK;
}

toc_status toc_neighbours_find(const toc_mesh *mesh, const uint32_t *vertex_first, const uint32_t *vertex_items,
                               toc_list_maker *neighbours) {
    const size_t count = mesh->shapes.count;
    neighbour_finder f = {.mesh = mesh, .vertex_first = vertex_first, .vertex_items = vertex_items};
    f.seen_by = toc_new(&mesh->allocator, count, sizeof *f.seen_by);
    const toc_status status = f.seen_by ? find_neighbours(&f, neighbours) : TOC_OUT_OF_MEMORY;
    toc_free(&mesh->allocator, f.seen_by, count, sizeof *f.seen_by);
    toc_array_free(&mesh->allocator, &f.gathered);
    toc_array_free(&mesh->allocator, &f.spare);
    return status;
}
