// SPDX-License-Identifier: Apache-2.0
// Gathering the contacts of all workers into one sorted result.
#include "search/result.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/order.h"

typedef struct result {
    toc_contacts contacts; // the first field: a pointer to one is a pointer to the other
    toc_allocator allocator;
    TOC_ARRAY(toc_contact) items;
    toc_stage stages[TOC_RESULT_STAGES];
} result;

toc_status toc_result_make(const toc_allocator *allocator, toc_contacts **out) {
    result *r = toc_new(allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->allocator = *allocator;
    r->contacts.stages = r->stages;
    *out = &r->contacts;
    return TOC_OK;
}

void toc_result_free(toc_contacts *contacts) {
    if (!contacts) return;
    result *r = (result *)contacts;
    const toc_allocator allocator = r->allocator;
    toc_array_free(&allocator, &r->items);
    toc_free(&allocator, r, 1, sizeof *r);
}

static int compare_by(toc_answer answer, const toc_contact *a, const toc_contact *b) {
    return answer == TOC_ANSWER_FIRST ? toc_contact_compare_times(a, b) : toc_contact_compare(a, b);
}

static const toc_contact *pick_contact(toc_answer answer, const toc_contact *items, size_t count) {
    const toc_contact *best = items;
    for (size_t i = 1; i < count; i++)
        if (compare_by(answer, &items[i], best) < 0) best = &items[i];
    return best;
}

// TOC_ANSWER_ANY: only contacts of the earliest round count, so that the number of threads does not matter.
static bool worker_counts(const toc_narrow_phase *phase, const toc_narrow_worker *worker) {
    return phase->answer != TOC_ANSWER_ANY || worker->round == phase->round_with_contact;
}

// Drop repeated contacts of a sorted list. @return the number left.
static size_t keep_distinct(toc_contact *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || toc_contact_compare(&items[kept - 1], &items[i]) != 0) items[kept++] = items[i];
    return kept;
}

static toc_stage filter_stage_of(const toc_narrow_phase *phase) {
    toc_stage stage = {.name = "filter"};
    for (int i = 0; i < phase->count; i++) {
        stage.in += phase->at[i].offered;
        stage.out += phase->at[i].asked;
        stage.seconds += phase->at[i].filter_seconds / phase->count;
    }
    return stage;
}

static toc_stage test_stage_of(const toc_narrow_phase *phase) {
    toc_stage stage = {.name = toc_method_get_name(phase->test.method)};
    for (int i = 0; i < phase->count; i++) {
        stage.in += phase->at[i].asked;
        stage.out += phase->at[i].found;
        stage.seconds += phase->at[i].seconds / phase->count;
    }
    return stage;
}

// The contacts of the workers that count, unsorted.
typedef struct contact_listing {
    const toc_narrow_phase *phase;
    const void **contacts;
    size_t *first; // by worker
} contact_listing;

static toc_status list_contacts_of(void *user, size_t worker, int thread) {
    (void)thread;
    const contact_listing *l = user;
    const toc_narrow_worker *from = &l->phase->at[worker];
    for (size_t i = 0; i < from->contacts.count && worker_counts(l->phase, from); i++)
        l->contacts[l->first[worker] + i] = &from->contacts.at[i];
    return TOC_OK;
}

// @return their number.
static size_t list_contacts(contact_listing *l) {
    size_t count = 0;
    for (int i = 0; i < l->phase->count; i++) {
        l->first[i] = count;
        if (worker_counts(l->phase, &l->phase->at[i])) count += l->phase->at[i].contacts.count;
    }
    toc_loop_run(&(toc_loop){
        .count = (size_t)l->phase->count, .threads = l->phase->count, .round = list_contacts_of, .user = l});
    return count;
}

// For an assertion.
static bool __attribute__((unused)) are_in_order(const toc_contact *items, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (toc_contact_compare(&items[i - 1], &items[i]) > 0) return false;
    return true;
}

static toc_status sort_contacts(const toc_narrow_phase *phase, size_t total, toc_contact *items) {
    toc_arena arena = toc_arena_make(&phase->allocator);
    contact_listing l = {phase, toc_arena_new(&arena, total, sizeof *l.contacts),
                         toc_arena_new(&arena, (size_t)phase->count, sizeof *l.first)};
    toc_status status = TOC_OUT_OF_MEMORY;
    if (l.contacts && l.first)
        status =
            toc_items_sort(&phase->allocator, phase->count, &toc_contact_order, list_contacts(&l), l.contacts, items);
    toc_arena_free(&arena);
    assert(status != TOC_OK || are_in_order(items, total));
    return status;
}

// The one contact that the answer wants.
static const toc_contact *best_contact(const toc_narrow_phase *phase) {
    const toc_contact *best = NULL;
    for (int i = 0; i < phase->count; i++) {
        const toc_narrow_worker *worker = &phase->at[i];
        if (!worker->contacts.count || !worker_counts(phase, worker)) continue;
        const toc_contact *one = pick_contact(phase->answer, worker->contacts.at, worker->contacts.count);
        if (!best || compare_by(phase->answer, one, best) < 0) best = one;
    }
    assert(best);
    return best;
}

static size_t count_contacts(const toc_narrow_phase *phase) {
    size_t total = 0;
    for (int i = 0; i < phase->count; i++)
        if (worker_counts(phase, &phase->at[i])) total += phase->at[i].contacts.count;
    return total;
}

// Room for more contacts than there are.
static toc_status reserve_contacts(result *r, size_t count) {
    const toc_status status = toc_array_reserve(&r->allocator, &r->items, count - r->items.count);
    r->contacts.contacts = r->items.at; // of the contacts before, too
    return status;
}

// The contacts that were moved out, and the rest. Nothing but the list itself takes memory.
static toc_status put_spilled(toc_narrow_phase *phase, result *r) {
    TOC_TRY(toc_narrow_worker_spill(&phase->at[0]));
    const size_t total = phase->spilled.count;
    const bool same = r->allocator.resize == phase->results.resize && r->allocator.user == phase->results.user;
    if (!same && total > r->items.count) TOC_TRY(reserve_contacts(r, total));
    toc_items_sort_in_place(&toc_contact_order, total, phase->spilled.at);
    if (same) {
        toc_array_free(&r->allocator, &r->items);
        memcpy(&r->items, &phase->spilled, sizeof r->items);
        memset(&phase->spilled, 0, sizeof phase->spilled);
    } else if (total > 0) {
        memcpy(r->items.at, phase->spilled.at, total * sizeof *r->items.at);
    }
    r->items.count = total;
    return TOC_OK;
}

static void finish_items(const toc_narrow_phase *phase, result *r) {
    if (phase->answer == TOC_ANSWER_ALL && phase->repeats) r->items.count = keep_distinct(r->items.at, r->items.count);
    r->contacts.contacts = r->items.at;
    r->contacts.count = r->contacts.found = r->items.count;
}

// Write all contacts in order, or the one that the answer wants. The room is made first: nothing is written on failure.
static toc_status put_contacts(toc_narrow_phase *phase, result *r) {
    const bool all = phase->answer == TOC_ANSWER_ALL;
    if (toc_narrow_phase_spills(phase)) {
        TOC_TRY(put_spilled(phase, r));
        finish_items(phase, r);
        return TOC_OK;
    }
    const size_t total = count_contacts(phase), kept = all || total == 0 ? total : 1;
    if (kept > r->items.count) TOC_TRY(reserve_contacts(r, kept));
    if (all) TOC_TRY(sort_contacts(phase, total, r->items.at));
    if (!all && total > 0) r->items.at[0] = *best_contact(phase);
    r->items.count = kept;
    finish_items(phase, r);
    return TOC_OK;
}

toc_status toc_result_copy(toc_contacts *out, size_t count, const toc_contact *contacts) {
    result *r = (result *)out;
    TOC_TRY(reserve_contacts(r, count));
    if (count > 0) memcpy(r->items.at, contacts, count * sizeof *contacts);
    r->items.count = r->contacts.count = r->contacts.found = count;
    return TOC_OK;
}

void toc_result_name_vertices(const toc_scene *scene, toc_contacts *contacts) {
    const result *r = (const result *)contacts;
    if (!toc_scene_has_patches(scene)) return;
    for (size_t i = 0; i < contacts->count; i++)
        toc_scene_name_vertices(scene, r->items.at[i].kind, r->items.at[i].body, r->items.at[i].v);
}

// ---- the sink

// Contacts that were not handed over while they were found.
static toc_status sink_at_the_end(toc_narrow_phase *phase) {
    enum { BATCH = 4096 };
    toc_contacts *all;
    TOC_TRY(toc_result_make(&phase->allocator, &all));
    toc_status status = put_contacts(phase, (result *)all);
    for (size_t i = 0; i < all->count && status == TOC_OK; i += BATCH)
        status = toc_narrow_phase_sink(phase, ((result *)all)->items.at + i,
                                       all->count - i < BATCH ? all->count - i : BATCH);
    toc_result_free(all);
    return status;
}

static toc_status sink_the_rest(toc_narrow_phase *phase) {
    for (int i = 0; i < phase->count; i++) TOC_TRY(toc_narrow_worker_sink(&phase->at[i]));
    return TOC_OK;
}

toc_status toc_result_fill(toc_narrow_phase *phase, toc_contacts *out) {
    result *r = (result *)out;
    if (!phase->sink.take) return put_contacts(phase, r);
    TOC_TRY(toc_narrow_phase_streams(phase) ? sink_the_rest(phase) : sink_at_the_end(phase));
    r->items.count = r->contacts.count = 0;
    r->contacts.found = phase->sunk;
    return TOC_OK;
}

toc_status toc_result_check(const toc_query *query, const toc_contacts *contacts) {
    if (query->answer == TOC_ANSWER_ALL || contacts->count <= 1) return TOC_OK;
    return toc_fail(TOC_INTERNAL, "the preset %s found %zu contacts instead of one; please report this", query->preset,
                    contacts->count);
}

void toc_result_add_stage(toc_contacts *out, toc_stage stage) {
    result *r = (result *)out;
    assert(r->contacts.stage_count < TOC_RESULT_STAGES);
    r->stages[r->contacts.stage_count++] = stage;
}

void toc_result_report(const toc_narrow_phase *phase, const toc_stage *stages, size_t stage_count, toc_contacts *out) {
    out->stage_count = 0;
    for (size_t i = 0; i < stage_count; i++) toc_result_add_stage(out, stages[i]);
    if (toc_filter_is_active(&phase->filter)) toc_result_add_stage(out, filter_stage_of(phase));
    toc_result_add_stage(out, test_stage_of(phase));
}
