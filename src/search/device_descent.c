// SPDX-License-Identifier: Apache-2.0
// Room for the pairs of a descent, and its launches.
#include "search/device_descent.h"

#include "search/device_tests.h"

enum {
    FIRST_PAIRS = 4,      // a primitive, in the first step
    ROOM_LEAST = 1 << 10, // pairs of an array
    OUTCOMES_LEAST = 1 << 8,
    ROOM_MOST = 1 << 27, // no counter of a launch overflows
    // In toc_device_room:
    ROOM_OF_FEATURES = 1,
    ROOM_OF_LIVE = ROOM_OF_FEATURES + TOC_DEVICE_KINDS,
    ROOM_OF_OUTCOMES = ROOM_OF_LIVE + TOC_DEVICE_KINDS,
    ROOM_OF_OPEN = ROOM_OF_OUTCOMES + TOC_DEVICE_KINDS
};

static const toc_device_room room_least = {{ROOM_LEAST, ROOM_LEAST, ROOM_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST,
                                            OUTCOMES_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST, OUTCOMES_LEAST}};

// ---- room

static toc_status need_pairs(toc_device_memory *memory, toc_device_descent *descent, int which, uint32_t count,
                             size_t size) {
    return toc_device_array_need(memory, &descent->there[which], count * size);
}

static toc_status need_room(toc_device_memory *memory, toc_device_descent *descent) {
    enum {
        PAIRS = TOC_DEVICE_DESCENT_PAIRS,
        MORE_PAIRS = TOC_DEVICE_DESCENT_MORE_PAIRS,
        FOUND = TOC_DEVICE_DESCENT_FOUND,
        REST = TOC_DEVICE_DESCENT_REST,
        LIVE = TOC_DEVICE_DESCENT_LIVE,
        OUTCOMES = TOC_DEVICE_DESCENT_OUTCOMES,
        OPEN = TOC_DEVICE_DESCENT_OPEN
    };
    const uint32_t *room = descent->room.of;
    TOC_TRY(need_pairs(memory, descent, PAIRS, room[0], sizeof(toc_device_node_pair)));
    TOC_TRY(need_pairs(memory, descent, MORE_PAIRS, room[0], sizeof(toc_device_node_pair)));
    for (int k = 0; k < TOC_DEVICE_KINDS; k++) {
        TOC_TRY(need_pairs(memory, descent, FOUND + k, room[ROOM_OF_FEATURES + k], sizeof(toc_feature_pair)));
        TOC_TRY(need_pairs(memory, descent, REST + k, room[ROOM_OF_FEATURES + k], sizeof(uint32_t)));
        for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++)
            TOC_TRY(need_pairs(memory, descent, LIVE + 2 * pass + k, room[ROOM_OF_LIVE + k], sizeof(toc_device_live)));
        TOC_TRY(need_pairs(memory, descent, OUTCOMES + k, room[ROOM_OF_OUTCOMES + k], sizeof(toc_device_outcome)));
        TOC_TRY(need_pairs(memory, descent, OPEN + k, room[ROOM_OF_OPEN + k], sizeof(toc_device_outcome)));
    }
    return TOC_OK;
}

static void free_room(const toc_device_memory *memory, toc_device_descent *descent) {
    toc_device_arrays_free(memory, descent->there, TOC_DEVICE_DESCENT_ARRAYS);
}

void toc_device_descent_free(const toc_device_memory *memory, toc_device_descent *descent) {
    free_room(memory, descent);
    descent->room = (toc_device_room){{0}};
}

toc_status toc_device_descent_begin(toc_device_memory *memory, const toc_device_tree *tree,
                                    toc_device_descent *descent) {
    const uint32_t count = tree->work.count, most = ROOM_MOST / FIRST_PAIRS;
    const uint32_t first = count < ROOM_LEAST ? ROOM_LEAST : FIRST_PAIRS * (count < most ? count : most);
    if (!descent->room.of[0]) {
        descent->room = room_least;
        for (int i = 0; i < ROOM_OF_LIVE; i++) descent->room.of[i] = first;
    }
    const toc_status status = need_room(memory, descent);
    if (status != TOC_OUT_OF_MEMORY) return status;
    descent->room = room_least;
    free_room(memory, descent);
    return need_room(memory, descent);
}

static uint32_t most_node_pairs(const toc_device_search_counts *counts) {
    uint32_t most = 0;
    for (int level = 0; level < TOC_DEVICE_LEVELS; level++)
        most = counts->pairs[level] > most ? counts->pairs[level] : most;
    return most;
}

static toc_device_room room_needed(const toc_device_search_counts *counts) {
    toc_device_room r = {{most_node_pairs(counts)}};
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        const toc_device_counts *of = &counts->kinds[kind];
        r.of[ROOM_OF_FEATURES + kind] = of->pairs;
        for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++)
            if (of->live[pass] > r.of[ROOM_OF_LIVE + kind]) r.of[ROOM_OF_LIVE + kind] = of->live[pass];
        r.of[ROOM_OF_OUTCOMES + kind] = of->outcomes;
        r.of[ROOM_OF_OPEN + kind] = of->open;
    }
    return r;
}

bool toc_device_descent_is_complete(const toc_device_tree *tree, const toc_device_descent *descent) {
    const toc_device_room needed = room_needed(toc_device_tree_counts(tree));
    bool complete = true;
    for (int i = 0; i < TOC_DEVICE_ROOMS; i++) complete = complete && needed.of[i] <= descent->room.of[i];
    return complete;
}

// A quarter more than the counts ask for, for the steps to come.
static toc_device_room room_for(const toc_device_search_counts *counts) {
    toc_device_room r = room_needed(counts);
    for (int i = 0; i < TOC_DEVICE_ROOMS; i++)
        r.of[i] = r.of[i] < ROOM_MOST / 5 * 4 ? r.of[i] + r.of[i] / 4 : ROOM_MOST;
    return r;
}

static toc_device_room larger_room(toc_device_room a, toc_device_room b) {
    for (int i = 0; i < TOC_DEVICE_ROOMS; i++) a.of[i] = a.of[i] > b.of[i] ? a.of[i] : b.of[i];
    return a;
}

static toc_status set_room(toc_device_memory *memory, toc_device_descent *descent, toc_device_room room) {
    descent->room = larger_room(room, room_least);
    return need_room(memory, descent);
}

toc_status toc_device_descent_grow(toc_device_memory *memory, const toc_device_tree *tree, toc_device_descent *descent,
                                   bool *enough) {
    toc_device_room r = room_for(toc_device_tree_counts(tree));
    toc_status status = set_room(memory, descent, larger_room(r, descent->room));
    *enough = toc_device_descent_is_complete(tree, descent);
    for (int halved = 0; status == TOC_OUT_OF_MEMORY && halved < 32; halved++) {
        free_room(memory, descent);
        status = set_room(memory, descent, r);
        *enough = toc_device_descent_is_complete(tree, descent);
        for (int i = 0; i < TOC_DEVICE_ROOMS; i++) r.of[i] /= 2;
    }
    return status;
}

// ---- launches

static toc_device_batch list_of(const toc_pair_test *test, const toc_device_tree *tree,
                                const toc_device_descent *descent, int kind) {
    const toc_device_search *w = &tree->work;
    const toc_device_array *there = descent->there;
    const uint32_t *room = descent->room.of;
    const toc_prefilter prefilter = {{w->packed, w->packed}, w->frame.scale};
    const toc_pair_batch pairs = {.kind = kind ? TOC_EE : TOC_VF,
                                  .vertices = there[TOC_DEVICE_DESCENT_FOUND + kind].at,
                                  .body0 = {w->x0, w->x0},
                                  .body1 = {w->x1, w->x1}};
    toc_device_batch list = toc_device_batch_of(&prefilter, &pairs, test);
    list.counts = &w->counts->kinds[kind];
    list.pair_room = room[ROOM_OF_FEATURES + kind], list.live_room = room[ROOM_OF_LIVE + kind];
    list.outcome_room = room[ROOM_OF_OUTCOMES + kind], list.open_room = room[ROOM_OF_OPEN + kind];
    list.rest = there[TOC_DEVICE_DESCENT_REST + kind].at;
    for (int pass = 0; pass < TOC_DEVICE_PASSES - 1; pass++)
        list.live[pass] = there[TOC_DEVICE_DESCENT_LIVE + 2 * pass + kind].at;
    list.outcomes = there[TOC_DEVICE_DESCENT_OUTCOMES + kind].at;
    if (descent->taken != TOC_DEVICE_TAKE_OUTCOMES) list.open = there[TOC_DEVICE_DESCENT_OPEN + kind].at;
    return list;
}

static toc_status test_pairs(const toc_device_memory *memory, const toc_pair_test *test, const toc_device_tree *tree,
                             const toc_device_descent *descent) {
    const toc_prefilter prefilter = {{tree->work.packed, tree->work.packed}, tree->work.frame.scale};
    toc_device_pairs work = toc_device_pairs_of(&prefilter, test);
    work.locates = work.locates && descent->is_own;
    work.limits = descent->limits;
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) work.of[kind] = list_of(test, tree, descent, kind);
    if (descent->ask == TOC_DEVICE_ASK_NEAR)
        return toc_device_near_find(memory->device, memory->queue, &work, descent->is_own);
    TOC_TRY(toc_device_pairs_test(memory->device, memory->queue, &work));
    if (descent->taken != TOC_DEVICE_TAKE_FIRST) return TOC_OK;
    return toc_device_launch(memory->device, memory->queue, TOC_DEVICE_KERNEL_first, &work, sizeof work);
}

// The next launch reads the pairs that the last one wrote.
static void exchange_pairs(toc_device_search *w, const toc_device_descent *descent) {
    const toc_device_array *there = descent->there;
    const bool first = w->to == there[TOC_DEVICE_DESCENT_PAIRS].at;
    w->from = w->to;
    w->to = there[first ? TOC_DEVICE_DESCENT_MORE_PAIRS : TOC_DEVICE_DESCENT_PAIRS].at;
}

static toc_status launch_descent(const toc_device_memory *memory, toc_device_tree *tree,
                                 const toc_device_descent *descent) {
    toc_device_search *w = &tree->work;
    w->from = descent->there[TOC_DEVICE_DESCENT_PAIRS].at, w->to = descent->there[TOC_DEVICE_DESCENT_MORE_PAIRS].at;
    w->pair_room = descent->room.of[0];
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        w->feature_room[kind] = descent->room.of[ROOM_OF_FEATURES + kind];
        w->found[kind] = descent->there[TOC_DEVICE_DESCENT_FOUND + kind].at;
    }
    for (w->level = toc_device_tree_top(tree); w->level > 0 && tree->levels > 0; w->level--) {
        w->from_all = w->level == toc_device_tree_top(tree);
        TOC_TRY(toc_device_tree_launch(memory, tree, TOC_DEVICE_KERNEL_descend));
        exchange_pairs(w, descent);
    }
    const bool elements = tree->is_of_elements;
    TOC_TRY(toc_device_tree_launch(memory, tree, elements ? TOC_DEVICE_KERNEL_separate : TOC_DEVICE_KERNEL_axes));
    exchange_pairs(w, descent);
    return toc_device_tree_launch(memory, tree, elements ? TOC_DEVICE_KERNEL_expand : TOC_DEVICE_KERNEL_features);
}

toc_status toc_device_descent_launch(const toc_device_memory *memory, const toc_pair_test *test, uint32_t begin,
                                     uint32_t end, toc_device_tree *tree, const toc_device_descent *descent) {
    tree->work.begin = begin, tree->work.end = end;
    TOC_TRY(launch_descent(memory, tree, descent));
    TOC_TRY(test_pairs(memory, test, tree, descent));
    return memory->device->copy(memory->queue, tree->counts.at, tree->there[TOC_DEVICE_TREE_COUNTS].at,
                                sizeof(toc_device_search_counts));
}

toc_status toc_device_descent_reset(const toc_device_memory *memory, const toc_device_tree *tree) {
    static const toc_device_search_counts none;
    return toc_device_array_send(memory, &tree->there[TOC_DEVICE_TREE_COUNTS], &none, sizeof none);
}
