// SPDX-License-Identifier: Apache-2.0
// Gathering the contacts of all workers into one sorted result.
#include "search/contacts.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/order.h"

// ---- the type

typedef struct contact_list {
    toc_contacts contacts; // the first field: a pointer to one is a pointer to the other
    toc_stage stages[TOC_RESULT_STAGES];
} contact_list;

static void begin_contacts(void *list) {
    contact_list *l = list;
    l->contacts.stages = l->stages;
    l->contacts.preset = l->contacts.chosen = "";
}

static void contact_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_contact *c = item;
    ids[0] = (uint32_t)c->kind;
    memcpy(ids + 1, c->body, sizeof c->body);
    memcpy(ids + 3, c->v, sizeof c->v);
}

static toc_status check_contact_kind(const void *item) { return toc_kind_check(((const toc_contact *)item)->kind); }

#define AT(member) offsetof(toc_contact, member)
static const toc_column contact_columns[] = {
    {{"kind"}, "kind", TOC_COLUMN_KIND, 1, AT(kind), 4},
    {{"v0", "v1", "v2", "v3"}, "vertices", TOC_COLUMN_VERTEX, 4, AT(v), 6},
    {{"toc"}, "toc", TOC_COLUMN_TIME, 1, AT(toc), 2},
    {{"body0", "body1"}, "bodies", TOC_COLUMN_ID, 2, AT(body), 7},
    {{"w0", "w1", "w2", "w3"}, "weights", TOC_COLUMN_REAL, 4, AT(weights), 8},
    {{"x", "y", "z"}, "Points", TOC_COLUMN_REAL, 3, AT(point), 1},
    {{"nx", "ny", "nz"}, "normal", TOC_COLUMN_REAL, 3, AT(normal), 3},
    {{"verdict"}, "verdict", TOC_COLUMN_VERDICT, 1, AT(verdict), 5},
};
#undef AT

const toc_answer_type toc_contact_type = {.name = "contacts",
                                          TOC_ANSWER_COLUMNS(contact_columns),
                                          .order = {sizeof(toc_contact), 7, contact_ids},
                                          .list_size = sizeof(contact_list),
                                          .count_at = offsetof(toc_contacts, count),
                                          .items_at = offsetof(toc_contacts, contacts),
                                          .seconds_at = offsetof(toc_contacts, seconds),
                                          .found_at = offsetof(toc_contacts, found),
                                          .begin = begin_contacts,
                                          .check = check_contact_kind};

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

// The order of contact_ids without copies: callers sort by it. tests/search/order.c compares the two.
int toc_contact_compare(const toc_contact *a, const toc_contact *b) {
    COMPARE(a->kind, b->kind);
    for (int i = 0; i < 2; i++) COMPARE(a->body[i], b->body[i]);
    for (int i = 0; i < 4; i++) COMPARE(a->v[i], b->v[i]);
    return 0;
}

toc_status toc_contacts_make(const toc_allocator *allocator, toc_contacts **out) {
    toc_contacts *contacts = toc_result_new(&toc_contact_type, allocator);
    if (!contacts) return TOC_OUT_OF_MEMORY;
    *out = contacts;
    return TOC_OK;
}

// The contacts of a list, to write.
static toc_contact *contacts_in(toc_contacts *list) { return (toc_contact *)(void *)toc_result_items(list)->at; }

static void set_contact_count(toc_contacts *list, size_t count) {
    toc_result_items(list)->count = count * sizeof(toc_contact);
    list->found = toc_result_show(list);
}

// ---- gathering

static int compare_by(toc_answer answer, const toc_contact *a, const toc_contact *b) {
    return answer == TOC_ANSWER_FIRST ? toc_contact_compare_times(a, b) : toc_contact_compare(a, b);
}

// The better one of a contact, or NULL for none, and those of a block.
static const toc_contact *pick_contact(toc_answer answer, const toc_contact *best, const toc_contact_block *block) {
    for (size_t i = 0; i < block->count; i++)
        if (!best || compare_by(answer, &block->at[i], best) < 0) best = &block->at[i];
    return best;
}

// TOC_ANSWER_ANY: only contacts of the earliest round count, so that the number of threads does not matter.
static bool worker_counts(const toc_narrow_phase *phase, const toc_narrow_worker *worker) {
    return toc_narrow_phase_answer(phase) != TOC_ANSWER_ANY || worker->round == phase->round_with_contact;
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
    toc_stage stage = {.name = toc_method_get(phase->test.method).name};
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
    const void **out = l->contacts + l->first[worker];
    if (!worker_counts(l->phase, from)) return TOC_OK;
    for (const toc_contact_block *b = from->contacts.newest; b; b = b->older)
        for (size_t i = 0; i < b->count; i++) *out++ = &b->at[i];
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
        status = toc_items_sort(&phase->allocator, phase->count, &toc_contact_type.order, list_contacts(&l), l.contacts,
                                items);
    toc_arena_free(&arena);
    assert(status != TOC_OK || are_in_order(items, total));
    return status;
}

// ---- merging with contacts that are in order

enum { MERGED = 1 << 8 }; // of `many` at a time

typedef struct merging {
    const toc_contact *many, *few; // both in order
    size_t many_count, few_count;
    toc_contact *to;
} merging;

// The first one of `few` that is not before a contact.
static size_t few_before(const merging *m, const toc_contact *contact) {
    size_t low = 0, high = m->few_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (toc_contact_compare(&m->few[middle], contact) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Some of `many`, and those of `few` before each; behind the last one the rest.
static toc_status merge_round(void *user, size_t round, int thread) {
    (void)thread;
    const merging *m = user;
    const size_t first = round * MERGED, end = first + MERGED < m->many_count ? first + MERGED : m->many_count;
    size_t few = first ? few_before(m, &m->many[first - 1]) : 0;
    for (size_t i = first; i < end;) {
        size_t last = i;
        while (few < m->few_count && toc_contact_compare(&m->few[few], &m->many[i]) < 0) {
            m->to[i + few] = m->few[few];
            few++;
        }
        if (few == m->few_count)
            last = end;
        else
            while (last < end && toc_contact_compare(&m->few[few], &m->many[last]) >= 0) last++;
        memcpy(&m->to[i + few], &m->many[i], (last - i) * sizeof *m->to);
        i = last;
    }
    for (; end == m->many_count && few < m->few_count; few++) m->to[end + few] = m->few[few];
    return TOC_OK;
}

static toc_status merge_contacts(const toc_narrow_phase *phase, size_t few_count, toc_contact *items) {
    toc_arena arena = toc_arena_make(&phase->allocator);
    toc_contact *few = toc_arena_new(&arena, few_count + 1, sizeof *few);
    toc_status status = few ? sort_contacts(phase, few_count, few) : TOC_OUT_OF_MEMORY;
    merging m = {phase->sorted, few, phase->sorted_count, few_count, items};
    if (status == TOC_OK)
        status = toc_loop_run(&(toc_loop){
            .count = (m.many_count + MERGED - 1) / MERGED, .threads = phase->count, .round = merge_round, .user = &m});
    toc_arena_free(&arena);
    assert(status != TOC_OK || are_in_order(items, few_count + m.many_count));
    return status;
}

// The one contact that the answer wants.
static const toc_contact *best_contact(const toc_narrow_phase *phase) {
    const toc_contact *best = NULL;
    for (int i = 0; i < phase->count; i++) {
        const toc_narrow_worker *worker = &phase->at[i];
        if (!worker_counts(phase, worker)) continue;
        for (const toc_contact_block *b = worker->contacts.newest; b; b = b->older)
            best = pick_contact(toc_narrow_phase_answer(phase), best, b);
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

// Let a list take over the contacts that were moved out, in order.
static void take_over_spilled(toc_narrow_phase *phase, toc_contacts *list) {
    toc_items *items = toc_result_items(list);
    toc_array_free(toc_result_allocator(list), items);
    *items = (toc_items){(char *)phase->spilled.at, 0, phase->spilled.capacity * sizeof *phase->spilled.at};
    memset(&phase->spilled, 0, sizeof phase->spilled);
}

// The contacts that were moved out, and the rest. Nothing but the list itself takes memory.
static toc_status put_spilled(toc_narrow_phase *phase, toc_contacts *list) {
    TOC_TRY(toc_narrow_worker_spill(&phase->at[0]));
    const size_t total = phase->spilled.count;
    const toc_allocator *own = toc_result_allocator(list);
    const bool same = own->resize == phase->results.resize && own->user == phase->results.user;
    if (!same) TOC_TRY(toc_result_reserve(list, total));
    toc_items_sort_in_place(&toc_contact_type.order, total, phase->spilled.at);
    if (same)
        take_over_spilled(phase, list);
    else if (total > 0)
        memcpy(contacts_in(list), phase->spilled.at, total * sizeof(toc_contact));
    set_contact_count(list, total);
    return TOC_OK;
}

// All contacts in order, or the one that the answer wants. The room is made first: nothing is written on failure.
static toc_status put_kept(const toc_narrow_phase *phase, toc_contacts *list) {
    const bool all = toc_narrow_phase_answer(phase) == TOC_ANSWER_ALL;
    const size_t total = count_contacts(phase), kept = all ? total + phase->sorted_count : total > 0;
    assert(all || phase->sorted_count == 0);
    TOC_TRY(toc_result_reserve(list, kept));
    if (all) TOC_TRY((phase->sorted_count ? merge_contacts : sort_contacts)(phase, total, contacts_in(list)));
    if (!all && total > 0) *contacts_in(list) = *best_contact(phase);
    set_contact_count(list, kept);
    return TOC_OK;
}

toc_contact *toc_contacts_extend(toc_contacts *list, size_t count) {
    if (toc_result_reserve(list, count) != TOC_OK) return NULL;
    set_contact_count(list, count);
    list->found = count;
    return contacts_in(list);
}

static toc_status put_contacts(toc_narrow_phase *phase, toc_contacts *list) {
    TOC_TRY(toc_narrow_phase_spills(phase) ? put_spilled(phase, list) : put_kept(phase, list));
    if (toc_narrow_phase_answer(phase) == TOC_ANSWER_ALL && phase->repeats) toc_result_keep_distinct(list);
    list->found = list->count;
    return TOC_OK;
}

void toc_contacts_name_vertices(const toc_scene *scene, toc_contacts *contacts) {
    toc_contact *items = contacts_in(contacts);
    if (!toc_scene_has_patches(scene)) return;
    for (size_t i = 0; i < contacts->count; i++)
        toc_scene_name_vertices(scene, items[i].kind, items[i].body, items[i].v);
}

// ---- the sink

// Contacts that were not handed over while they were found.
static toc_status sink_at_the_end(toc_narrow_phase *phase) {
    enum { BATCH = 4096 };
    toc_contacts *all;
    TOC_TRY(toc_contacts_make(&phase->allocator, &all));
    toc_status status = put_contacts(phase, all);
    for (size_t i = 0; i < all->count && status == TOC_OK; i += BATCH)
        status = toc_narrow_phase_sink(phase, contacts_in(all) + i, all->count - i < BATCH ? all->count - i : BATCH);
    toc_result_free(all);
    return status;
}

static toc_status sink_the_rest(toc_narrow_phase *phase) {
    for (int i = 0; i < phase->count; i++) TOC_TRY(toc_narrow_worker_sink(&phase->at[i]));
    return TOC_OK;
}

toc_status toc_contacts_fill(toc_narrow_phase *phase, toc_contacts *out) {
    if (!phase->request->query.sink.take) return put_contacts(phase, out);
    TOC_TRY(toc_narrow_phase_streams(phase) ? sink_the_rest(phase) : sink_at_the_end(phase));
    set_contact_count(out, 0);
    out->found = phase->sunk;
    return TOC_OK;
}

toc_status toc_contacts_check(const toc_query *query, const toc_contacts *contacts) {
    if (query->answer == TOC_ANSWER_ALL || contacts->count <= 1) return TOC_OK;
    return toc_fail(TOC_INTERNAL, "the preset %s found %zu contacts instead of one; please report this", query->preset,
                    contacts->count);
}

void toc_contacts_add_stage(toc_contacts *out, toc_stage stage) {
    contact_list *l = (contact_list *)out;
    assert(out->stage_count < TOC_RESULT_STAGES);
    l->stages[out->stage_count++] = stage;
}

void toc_contacts_report(const toc_narrow_phase *phase, const toc_stage *stages, size_t stage_count,
                         toc_contacts *out) {
    out->stage_count = 0;
    for (size_t i = 0; i < stage_count; i++) toc_contacts_add_stage(out, stages[i]);
    if (toc_filter_is_active(&phase->filter)) toc_contacts_add_stage(out, filter_stage_of(phase));
    toc_contacts_add_stage(out, test_stage_of(phase));
}
