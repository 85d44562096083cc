// SPDX-License-Identifier: Apache-2.0
// Connected components by union-find over vertices, with path halving, on all threads at a time. The root of a
// component is its lowest vertex, whatever the order of the joins. After Tarjan and van Leeuwen 1984, "Worst-case
// analysis of set union algorithms".
#include "cull/surface/components.h"

#include <assert.h>

#include "base/threads.h"

static const uint32_t NONE = UINT32_MAX;

enum { ITEMS_OF_ROUND = 8192 };

typedef struct component_finder {
    const toc_primitives *primitives;
    size_t vertex_count;
    uint32_t *parents; // by vertex; NONE for vertices of no primitive
} component_finder;

static uint32_t parent_of(const uint32_t *parents, uint32_t v) {
    return __atomic_load_n(&parents[v], __ATOMIC_RELAXED);
}

// A parent is never above its vertex, and stays an ancestor for ever: other threads may shorten the path as well.
static uint32_t component_root(uint32_t *parents, uint32_t v) {
    for (uint32_t parent; (parent = parent_of(parents, v)) != v;) {
        const uint32_t above = parent_of(parents, parent);
        if (above != parent) __atomic_store_n(&parents[v], above, __ATOMIC_RELAXED);
        v = above;
    }
    return v;
}

// The lower root becomes the root of both, unless another thread has given the higher one a parent meanwhile.
static void join_components(uint32_t *parents, uint32_t a, uint32_t b) {
    for (;;) {
        const uint32_t root_a = component_root(parents, a), root_b = component_root(parents, b);
        if (root_a == root_b) return;
        const uint32_t low = root_a < root_b ? root_a : root_b;
        uint32_t high = root_a < root_b ? root_b : root_a;
        if (__atomic_compare_exchange_n(&parents[high], &high, low, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}

static size_t component_end(size_t round, size_t count) {
    return (round + 1) * ITEMS_OF_ROUND < count ? (round + 1) * ITEMS_OF_ROUND : count;
}

static toc_status clear_parents(void *user, size_t round, int thread) {
    (void)thread;
    const component_finder *f = user;
    for (size_t v = round * ITEMS_OF_ROUND; v < component_end(round, f->vertex_count); v++) f->parents[v] = NONE;
    return TOC_OK;
}

static toc_status begin_components(void *user, size_t round, int thread) {
    (void)thread;
    const component_finder *f = user;
    for (size_t i = round * ITEMS_OF_ROUND; i < component_end(round, f->primitives->count); i++) {
        const uint32_t *v = f->primitives->at[i].vertices;
        for (int k = 0; k < 3 && v[k] != NONE; k++) {
            assert(v[k] < f->vertex_count);
            __atomic_store_n(&f->parents[v[k]], v[k], __ATOMIC_RELAXED);
        }
    }
    return TOC_OK;
}

static toc_status join_round(void *user, size_t round, int thread) {
    (void)thread;
    const component_finder *f = user;
    for (size_t i = round * ITEMS_OF_ROUND; i < component_end(round, f->primitives->count); i++) {
        const uint32_t *v = f->primitives->at[i].vertices;
        for (int k = 1; k < 3 && v[k] != NONE; k++) join_components(f->parents, v[0], v[k]);
    }
    return TOC_OK;
}

static toc_status name_components(void *user, size_t round, int thread) {
    (void)thread;
    const component_finder *f = user;
    for (size_t v = round * ITEMS_OF_ROUND; v < component_end(round, f->vertex_count); v++)
        if (parent_of(f->parents, (uint32_t)v) != NONE)
            __atomic_store_n(&f->parents[v], component_root(f->parents, (uint32_t)v), __ATOMIC_RELAXED);
    return TOC_OK;
}

void toc_components_find(const toc_primitives *primitives, size_t vertex_count, int threads, uint32_t *lowest) {
    component_finder f = {primitives, vertex_count, lowest};
    const size_t of_vertices = (vertex_count + ITEMS_OF_ROUND - 1) / ITEMS_OF_ROUND;
    const size_t of_primitives = (primitives->count + ITEMS_OF_ROUND - 1) / ITEMS_OF_ROUND;
    toc_loop_run(&(toc_loop){.count = of_vertices, .threads = threads, .round = clear_parents, .user = &f});
    toc_loop_run(&(toc_loop){.count = of_primitives, .threads = threads, .round = begin_components, .user = &f});
    toc_loop_run(&(toc_loop){.count = of_primitives, .threads = threads, .round = join_round, .user = &f});
    toc_loop_run(&(toc_loop){.count = of_vertices, .threads = threads, .round = name_components, .user = &f});
}
