// SPDX-License-Identifier: Apache-2.0
// Gathering the contacts of all workers into one sorted result.
#include "search/result.h"

#include <assert.h>
#include <string.h>

#include "pair/pair.h"
#include "scene/scene.h"
#include "search/order.h"

typedef struct result {
    toc_contacts contacts;
    toc_allocator allocator;
    size_t capacity;
    toc_contact *items;
    toc_stage *stages;
} result;

static void free_result(result *r) {
    const toc_allocator allocator = r->allocator;
    toc_free(&allocator, r->items, r->capacity, sizeof *r->items);
    toc_free(&allocator, r->stages, r->contacts.stage_count, sizeof *r->stages);
    toc_free(&allocator, r, 1, sizeof *r);
}

static toc_status allocate_result(const toc_allocator *allocator, size_t capacity, size_t stage_count, result **out) {
    result *r = toc_new(allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    *r = (result){.allocator = *allocator, .capacity = capacity, .contacts.stage_count = stage_count};
    r->items = toc_new(allocator, capacity, sizeof *r->items);
    r->stages = toc_new(allocator, stage_count, sizeof *r->stages);
    r->contacts.contacts = r->items;
    r->contacts.stages = r->stages;
    if (!r->items || !r->stages) {
        free_result(r);
        return TOC_OUT_OF_MEMORY;
    }
    *out = r;
    return TOC_OK;
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

// List the contacts of the workers that count, unsorted.
static size_t list_contacts(const toc_narrow_phase *phase, const toc_contact **contacts) {
    size_t count = 0;
    for (int i = 0; i < phase->count; i++) {
        const toc_narrow_worker *worker = &phase->at[i];
        for (size_t j = 0; j < worker->contacts.count && worker_counts(phase, worker); j++)
            contacts[count++] = &worker->contacts.at[j];
    }
    return count;
}

// For an assertion.
static bool __attribute__((unused)) are_in_order(const toc_contact *items, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (toc_contact_compare(&items[i - 1], &items[i]) > 0) return false;
    return true;
}

static toc_status sort_contacts(const toc_narrow_phase *phase, size_t total, toc_contact *items) {
    const toc_contact **contacts = toc_new(&phase->allocator, total, sizeof *contacts);
    if (!contacts) return TOC_OUT_OF_MEMORY;
    const size_t count = list_contacts(phase, contacts);
    const toc_status status = toc_contacts_sort(&phase->allocator, phase->count, count, contacts, items);
    toc_free(&phase->allocator, contacts, total, sizeof *contacts);
    assert(count == total && (status != TOC_OK || are_in_order(items, count)));
    return status;
}

// Write all contacts in order, or the one that the answer wants.
static toc_status put_contacts(const toc_narrow_phase *phase, size_t total, result *r) {
    r->contacts.count = total;
    if (phase->answer == TOC_ANSWER_ALL || total == 0) {
        TOC_TRY(sort_contacts(phase, total, r->items));
        if (phase->repeats) r->contacts.count = keep_distinct(r->items, total);
        return TOC_OK;
    }
    r->contacts.count = 1;
    const toc_contact *best = NULL;
    for (int i = 0; i < phase->count; i++) {
        const toc_narrow_worker *worker = &phase->at[i];
        if (!worker->contacts.count || !worker_counts(phase, worker)) continue;
        const toc_contact *one = pick_contact(phase->answer, worker->contacts.at, worker->contacts.count);
        if (!best || compare_by(phase->answer, one, best) < 0) best = one;
    }
    assert(best);
    r->items[0] = *best;
    return TOC_OK;
}

toc_status toc_result_make(const toc_narrow_phase *phase, const toc_stage *stages, size_t stage_count,
                           toc_contacts **out) {
    const bool filtered = toc_filter_is_active(&phase->filter);
    size_t total = 0;
    for (int i = 0; i < phase->count; i++)
        if (worker_counts(phase, &phase->at[i])) total += phase->at[i].contacts.count;
    result *r;
    TOC_TRY(allocate_result(&phase->allocator, total, stage_count + filtered + 1, &r));
    const toc_status status = put_contacts(phase, total, r);
    if (status != TOC_OK) {
        free_result(r);
        return status;
    }
    memcpy(r->stages, stages, stage_count * sizeof *stages);
    if (filtered) r->stages[stage_count] = filter_stage_of(phase);
    r->stages[stage_count + filtered] = test_stage_of(phase);
    *out = &r->contacts;
    return TOC_OK;
}

void toc_result_name_vertices(const toc_scene *scene, toc_contacts *contacts) {
    const result *r = (const result *)contacts;
    if (!toc_scene_has_patches(scene)) return;
    for (size_t i = 0; i < contacts->count; i++)
        toc_scene_name_vertices(scene, r->items[i].kind, r->items[i].body, r->items[i].v);
}

void toc_result_free(toc_contacts *contacts) {
    if (contacts) free_result((result *)contacts); // the first field of it
}
