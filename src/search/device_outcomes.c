// SPDX-License-Identifier: Apache-2.0
// Contacts made on a device, and outcomes settled by the processor.
#include "search/device_outcomes.h"

#include <string.h>

#include "device/answer.h"
#include "device/near.h"

void toc_device_outcomes_clear(toc_device_outcomes *outcomes) {
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) outcomes->count[kind] = 0;
    outcomes->item_count = 0;
    outcomes->tested = 0;
}

void toc_device_outcomes_free(const toc_device_memory *memory, toc_device_outcomes *outcomes) {
    toc_device_arrays_free(memory, outcomes->there, TOC_DEVICE_OUTCOMES_ARRAYS);
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) toc_device_array_free_here(memory, &outcomes->here[kind]);
    toc_device_array_free_here(memory, &outcomes->items);
    toc_device_outcomes_clear(outcomes);
}

// ---- on the device

static uint32_t width_of_ids(size_t count) {
    uint32_t width = 0;
    for (; count > 1; count = (count + 1) / 2) width++;
    return width;
}

toc_device_taken toc_device_outcomes_choose(const toc_query *query, const toc_filter *filter, const toc_step *step) {
    const uint32_t bits = 1 + 2 * width_of_ids(step->body_count) + 4 * width_of_ids(step->vertex_count);
    if (toc_filter_is_active(filter)) return TOC_DEVICE_TAKE_OUTCOMES;
    if (query->answer == TOC_ANSWER_FIRST) return TOC_DEVICE_TAKE_FIRST;
    return query->sink.take || bits > 128 ? TOC_DEVICE_TAKE_OUTCOMES : TOC_DEVICE_TAKE_CONTACTS;
}

static toc_status make_room_for_answer(toc_device_memory *memory, toc_device_outcomes *outcomes, size_t count,
                                       size_t size) {
    const size_t room = count + count / 4;
    toc_device_array *there = outcomes->there;
    TOC_TRY(toc_device_array_need(memory, &there[TOC_DEVICE_OUTCOMES_RANKS], room * sizeof(toc_device_entry)));
    TOC_TRY(toc_device_array_need(memory, &there[TOC_DEVICE_OUTCOMES_MORE_RANKS], room * sizeof(toc_device_entry)));
    TOC_TRY(toc_device_array_need(memory, &there[TOC_DEVICE_OUTCOMES_ITEMS], room * size));
    if (outcomes->stays) return TOC_OK;
    return toc_device_array_need_here(memory, &outcomes->items, room * size, 0);
}

static toc_device_answer answer_of(const toc_step *step, const toc_device_tree *tree, const toc_device_descent *descent,
                                   const toc_device_outcomes *outcomes) {
    const toc_device_search_counts *counts = toc_device_tree_counts(tree);
    toc_device_answer answer = {.body_first = tree->there[TOC_DEVICE_TREE_BODIES].at,
                                .body_count = (uint32_t)step->body_count,
                                .body_bits = width_of_ids(step->body_count),
                                .vertex_bits = width_of_ids(step->vertex_count),
                                .entry_count = &tree->work.counts->entries,
                                .entries = outcomes->there[TOC_DEVICE_OUTCOMES_RANKS].at,
                                .count = (uint32_t)outcomes->item_count,
                                .contacts = outcomes->there[TOC_DEVICE_OUTCOMES_ITEMS].at};
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) {
        answer.outcomes[kind] = descent->there[TOC_DEVICE_DESCENT_OUTCOMES + kind].at;
        answer.outcome_count[kind] = counts->kinds[kind].outcomes;
    }
    return answer;
}

static toc_status launch_answer(const toc_device_memory *memory, const toc_device_tree *tree,
                                const toc_device_descent *descent, const toc_device_answer *answer) {
    const toc_device *device = memory->device;
    const toc_device_near_answer near = {
        .of = *answer, .x = tree->work.x0, .time = descent->time, .pairs = (toc_near_pair *)(void *)answer->contacts};
    if (descent->ask == TOC_DEVICE_ASK_NEAR)
        return toc_device_launch(device, memory->queue, TOC_DEVICE_KERNEL_near_pair, &near, sizeof near);
    return toc_device_launch(device, memory->queue, TOC_DEVICE_KERNEL_contact, answer, sizeof *answer);
}

// Make the items of outcomes that are done, sort them and fetch them.
static toc_status finish_items(toc_device_memory *memory, const toc_step *step, const toc_device_tree *tree,
                               const toc_device_descent *descent, toc_device_outcomes *outcomes) {
    const toc_device_search_counts *counts = toc_device_tree_counts(tree);
    const size_t size = descent->ask == TOC_DEVICE_ASK_NEAR ? sizeof(toc_near_pair) : sizeof(toc_contact);
    toc_device_array *there = outcomes->there;
    uint32_t count = 0;
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++)
        count += counts->kinds[kind].outcomes - counts->kinds[kind].open;
    outcomes->item_count = count;
    if (count == 0) return TOC_OK;
    TOC_TRY(make_room_for_answer(memory, outcomes, count, size));
    toc_device_answer answer = answer_of(step, tree, descent, outcomes);
    TOC_TRY(toc_device_launch(memory->device, memory->queue, TOC_DEVICE_KERNEL_rank, &answer, sizeof answer));
    TOC_TRY(toc_device_sort_entries(memory, &there[TOC_DEVICE_OUTCOMES_RANKS], count));
    answer.entries = there[TOC_DEVICE_OUTCOMES_RANKS].at;
    TOC_TRY(launch_answer(memory, tree, descent, &answer));
    if (outcomes->stays) return TOC_OK;
    return memory->device->copy(memory->queue, outcomes->items.at, there[TOC_DEVICE_OUTCOMES_ITEMS].at, count * size);
}

static toc_status fetch_kind(const toc_device_memory *memory, const toc_device_tree *tree,
                             const toc_device_descent *descent, int kind, toc_device_outcomes *outcomes) {
    const size_t size = sizeof(toc_device_outcome);
    const bool all = descent->taken == TOC_DEVICE_TAKE_OUTCOMES;
    const int from = all ? TOC_DEVICE_DESCENT_OUTCOMES : TOC_DEVICE_DESCENT_OPEN;
    const toc_device_counts *of = &toc_device_tree_counts(tree)->kinds[kind];
    const size_t had = outcomes->count[kind], count = all ? of->outcomes : of->open;
    if (of->open > of->outcomes || of->outcomes > of->rest || of->rest > of->pairs)
        return toc_fail(TOC_NO_DEVICE, "the device gave more answers than it was asked: %u of %u", of->outcomes,
                        of->pairs);
    TOC_TRY(toc_device_array_need_here(memory, &outcomes->here[kind], (had + count + count / 4) * size, had * size));
    char *to = outcomes->here[kind].at;
    if (count)
        TOC_TRY(memory->device->copy(memory->queue, to + had * size, descent->there[from + kind].at, count * size));
    outcomes->count[kind] += count;
    outcomes->tested += of->pairs;
    return TOC_OK;
}

toc_status toc_device_outcomes_fetch(toc_device_memory *memory, const toc_step *step, const toc_device_tree *tree,
                                     const toc_device_descent *descent, toc_device_outcomes *outcomes) {
    if (descent->taken == TOC_DEVICE_TAKE_CONTACTS) TOC_TRY(finish_items(memory, step, tree, descent, outcomes));
    for (int kind = 0; kind < TOC_DEVICE_KINDS; kind++) TOC_TRY(fetch_kind(memory, tree, descent, kind, outcomes));
    return memory->device->wait(memory->queue);
}

// ---- on the processor

_Static_assert((int)TOC_DEVICE_ROUND <= (int)TOC_CERTIFIED_CHUNK, "the outcomes of a round are settled at once");

// Outcomes that the processor must decide, with the times and the verdicts of the device.
typedef struct open_outcomes {
    toc_certified_gathered gathered;
    uint32_t vertices[TOC_CERTIFIED_CHUNK][4];
    toc_feature_pair again[TOC_DEVICE_ROUND]; // to be tested from the beginning
    size_t again_count;
} open_outcomes;

static void add_open_outcome(open_outcomes *open, const toc_device_outcome *outcome) {
    toc_certified_gathered *g = &open->gathered;
    if (outcome->hit.verdict == TOC_APART) {
        memcpy(open->again[open->again_count++].v, outcome->v, sizeof outcome->v);
        return;
    }
    memcpy(open->vertices[g->count], outcome->v, sizeof outcome->v);
    g->at[g->count] = g->count;
    g->verdicts[g->count] = outcome->hit.verdict;
    g->times[g->count] = outcome->hit.toc;
    g->ties[g->count++] = outcome->tie;
}

static toc_status settle_open_outcomes(toc_narrow_worker *worker, toc_kind kind, const open_outcomes *open) {
    const toc_step *step = worker->all->step;
    const toc_pair_test *test = &worker->all->test;
    const toc_certified_hit *hits;
    size_t count;
    const toc_pair_batch batch = {.kind = kind,
                                  .count = open->gathered.count,
                                  .vertices = open->vertices,
                                  .body0 = {step->x0, step->x0},
                                  .body1 = {step->x1, step->x1}};
    if (batch.count == 0) return TOC_OK;
    TOC_TRY(toc_certified_settle(&batch, &open->gathered, test, &worker->scratch, &hits, &count));
    for (size_t i = 0; i < count; i++)
        TOC_TRY(toc_narrow_worker_consider(worker, kind, open->vertices[hits[i].pair], test, hits[i].hit));
    return TOC_OK;
}

static toc_status settle_round(toc_narrow_worker *worker, toc_kind kind, const toc_pair_test *asked,
                               const toc_device_outcome *at, size_t count) {
    const toc_narrow_phase *all = worker->all;
    const bool filtered = toc_filter_is_active(&all->filter);
    const toc_arena_mark mark = toc_arena_here(&worker->scratch);
    open_outcomes *open = toc_arena_new(&worker->scratch, 1, sizeof *open);
    if (!open) return TOC_OUT_OF_MEMORY;
    open->gathered.count = open->again_count = 0;
    open->gathered.prefiltered = false;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        if (filtered && !toc_filter_wants(&all->filter, kind, at[i].v)) continue;
        if (at[i].done)
            status = toc_narrow_worker_consider(worker, kind, at[i].v, asked, at[i].hit);
        else
            add_open_outcome(open, &at[i]);
    }
    if (status == TOC_OK) status = settle_open_outcomes(worker, kind, open);
    if (status == TOC_OK && open->again_count)
        status = toc_narrow_worker_ask(worker, kind, open->again, open->again_count, &all->test);
    toc_arena_back(&worker->scratch, mark);
    return status;
}

static size_t rounds_of_kind(const toc_device_outcomes *outcomes, int kind) {
    return (outcomes->count[kind] + TOC_DEVICE_ROUND - 1) / TOC_DEVICE_ROUND;
}

size_t toc_device_outcomes_rounds(const toc_device_outcomes *outcomes) {
    return rounds_of_kind(outcomes, 0) + rounds_of_kind(outcomes, 1);
}

toc_kind toc_device_outcomes_round(const toc_device_outcomes *outcomes, size_t round, const toc_device_outcome **at,
                                   size_t *count) {
    const int kind = round >= rounds_of_kind(outcomes, 0);
    const size_t first = (round - (kind ? rounds_of_kind(outcomes, 0) : 0)) * TOC_DEVICE_ROUND;
    const size_t left = outcomes->count[kind] - first;
    *at = (const toc_device_outcome *)outcomes->here[kind].at + first;
    *count = left < TOC_DEVICE_ROUND ? left : TOC_DEVICE_ROUND;
    return kind ? TOC_EE : TOC_VF;
}

toc_status toc_device_outcomes_settle(const toc_device_outcomes *outcomes, size_t round, const toc_pair_test *asked,
                                      toc_narrow_worker *worker, size_t *count) {
    const toc_device_outcome *at;
    const toc_kind kind = toc_device_outcomes_round(outcomes, round, &at, count);
    return settle_round(worker, kind, asked, at, *count);
}
