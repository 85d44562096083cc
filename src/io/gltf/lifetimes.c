// SPDX-License-Identifier: Apache-2.0
// Two surfaces in the order of their corners, merged: what both have goes on, the rest ends or begins.
#include "io/gltf/lifetimes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/core/surface.h"

typedef TOC_ARRAY(toc_lifetime) lifetime_list;

static void put_lifetime(lifetime_list *list, int32_t group, uint32_t count, const uint32_t *corners, uint32_t step) {
    toc_lifetime *to = &list->at[list->count];
    *to = (toc_lifetime){.birth = step, .group = group, .corner_count = count, .order = (uint32_t)list->count};
    memcpy(to->corners, corners, count * sizeof *corners);
    list->count++;
}

static toc_status list_surface(const toc_allocator *allocator, const toc_surface *surface, uint32_t step,
                               lifetime_list *out) {
    const size_t edges = surface->edges.count / 2;
    TOC_TRY(toc_array_reserve(allocator, out, surface->faces.count + edges + surface->points.count));
    for (size_t i = 0; i < surface->faces.count; i++) {
        const toc_surface_face *face = &surface->faces.at[i];
        put_lifetime(out, face->group, face->corner_count, face->corners, step);
    }
    for (size_t i = 0; i < edges; i++) put_lifetime(out, 0, 2, surface->edges.at + 2 * i, step);
    for (size_t i = 0; i < surface->points.count; i++) put_lifetime(out, 0, 1, surface->points.at + i, step);
    return TOC_OK;
}

static toc_status list_lifetimes(const toc_lifetimes *lifetimes, const toc_mesh *mesh, uint32_t step,
                                 lifetime_list *out) {
    toc_surface surface = {.allocator = lifetimes->allocator};
    toc_status status = toc_surface_find(mesh, &lifetimes->allocator, &surface);
    if (status == TOC_OK) status = list_surface(&lifetimes->allocator, &surface, step, out);
    toc_surface_free(&surface);
    return status;
}

static int compare_corner_ids(const toc_lifetime *p, const toc_lifetime *q) {
    if (p->corner_count != q->corner_count) return p->corner_count < q->corner_count ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (p->corners[k] != q->corners[k]) return p->corners[k] < q->corners[k] ? -1 : 1;
    return (p->group > q->group) - (p->group < q->group);
}

// Copies of a face keep their order.
static int by_corners(const void *a, const void *b) {
    const toc_lifetime *p = a, *q = b;
    const int ids = compare_corner_ids(p, q);
    return ids ? ids : (p->order > q->order) - (p->order < q->order);
}

static void merge_lists(toc_lifetimes *lifetimes, lifetime_list *now, uint32_t step) {
    size_t j = 0;
    for (size_t i = 0; i < lifetimes->alive.count; i++) {
        toc_lifetime *old = &lifetimes->alive.at[i];
        while (j < now->count && compare_corner_ids(&now->at[j], old) < 0) j++;
        if (j < now->count && compare_corner_ids(&now->at[j], old) == 0) {
            now->at[j].birth = old->birth;
            now->at[j++].order = old->order;
        } else {
            old->death = step;
            lifetimes->ended.at[lifetimes->ended.count++] = *old;
        }
    }
}

toc_status toc_lifetimes_follow(toc_lifetimes *lifetimes, const toc_mesh *mesh, uint32_t step) {
    const toc_allocator *memory = &lifetimes->allocator;
    lifetime_list now = {0};
    toc_status status = list_lifetimes(lifetimes, mesh, step, &now);
    if (status == TOC_OK) status = toc_array_reserve(memory, &lifetimes->ended, lifetimes->alive.count);
    if (status == TOC_OK) {
        if (now.count) qsort(now.at, now.count, sizeof *now.at, by_corners);
        merge_lists(lifetimes, &now, step);
        toc_array_free(memory, &lifetimes->alive);
        lifetimes->alive.at = now.at;
        lifetimes->alive.count = now.count;
        lifetimes->alive.capacity = now.capacity;
        return TOC_OK;
    }
    toc_array_free(memory, &now);
    return status;
}

static int compare_numbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_steps(const void *a, const void *b) {
    const toc_lifetime *p = a, *q = b;
    static const int classes[] = {0, 2, 1, 0, 0}; // by corners: points behind edges behind faces
    int order = compare_numbers(p->birth, q->birth);
    if (!order) order = -compare_numbers(p->death, q->death);
    if (!order) order = compare_numbers(classes[p->corner_count], classes[q->corner_count]);
    if (!order) order = compare_numbers(p->group, q->group);
    return order ? order : compare_numbers(p->order, q->order);
}

toc_status toc_lifetimes_finish(toc_lifetimes *lifetimes, uint32_t steps) {
    assert(steps > 0);
    TOC_TRY(toc_array_reserve(&lifetimes->allocator, &lifetimes->ended, lifetimes->alive.count));
    for (size_t i = 0; i < lifetimes->alive.count; i++) {
        toc_lifetime last = lifetimes->alive.at[i];
        last.death = steps;
        lifetimes->ended.at[lifetimes->ended.count++] = last;
    }
    lifetimes->alive.count = 0;
    if (lifetimes->ended.count)
        qsort(lifetimes->ended.at, lifetimes->ended.count, sizeof *lifetimes->ended.at, by_steps);
    return TOC_OK;
}

void toc_lifetimes_free(toc_lifetimes *lifetimes) {
    toc_array_free(&lifetimes->allocator, &lifetimes->ended);
    toc_array_free(&lifetimes->allocator, &lifetimes->alive);
}
