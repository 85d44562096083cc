// SPDX-License-Identifier: Apache-2.0
// Testing feature pairs and gathering contacts into one sorted answer.
#include "search/narrow_phase.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "base/vec.h"
#include "convex/convex.h"
#include "pair/certified.h"
#include "scene/scene.h"
#include "search/order.h"

toc_status toc_narrow_phase_make(const toc_scene *scene, const toc_query *query, toc_method method, int count,
                                 toc_narrow_phase *out) {
    const toc_allocator *allocator = &scene->allocator;
    *out = (toc_narrow_phase){.step = &scene->step,
                              .filter = toc_filter_make(scene, query),
                              .answer = query->answer,
                              .test = query->test,
                              .allocator = *allocator,
                              .round_with_contact = SIZE_MAX,
                              .window = {query->test.from, query->test.to},
                              .beyond = INFINITY,
                              .count = count};
    out->test.method = method;
    TOC_TRY(toc_pair_test_check(&out->test));
    if (scene->step.control && method != TOC_METHOD_CERTIFIED && method != TOC_METHOD_EXACT)
        return toc_fail(TOC_BAD_INPUT, "the method %s takes straight paths only, and bodies are accelerated",
                        toc_method_get_name(method));
    out->at = toc_new(allocator, (size_t)count, sizeof *out->at);
    if (!out->at) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++)
        out->at[i] = (toc_narrow_worker){.all = out, .scratch = toc_arena_make(allocator), .round = SIZE_MAX};
    return TOC_OK;
}

toc_status toc_narrow_phase_pack(toc_narrow_phase *testers) {
    const toc_step *step = testers->step;
    if (testers->test.method != TOC_METHOD_CERTIFIED) return TOC_OK;
    return toc_prefilter_make(&testers->at[0].scratch, step->vertex_count, step->x0, step->x1, &testers->glance);
}

void toc_narrow_phase_free(toc_narrow_phase *testers) {
    if (!testers->at) return;
    for (int i = 0; i < testers->count; i++) {
        toc_arena_free(&testers->at[i].scratch);
        toc_array_free(&testers->allocator, &testers->at[i].contacts);
    }
    toc_free(&testers->allocator, testers->at, (size_t)testers->count, sizeof *testers->at);
}

bool toc_narrow_worker_begin(toc_narrow_worker *tester, size_t round) {
    if (tester->all->answer != TOC_ANSWER_ANY) return true;
    if (round > tester->all->round_with_contact) return false;
    tester->round = round;
    tester->contacts.count = 0;
    return true;
}

void toc_narrow_worker_end(toc_narrow_worker *tester) {
    if (tester->all->answer != TOC_ANSWER_ANY || !tester->contacts.count) return;
    size_t known = tester->all->round_with_contact;
    while (tester->round < known &&
           !atomic_compare_exchange_weak(&tester->all->round_with_contact, &known, tester->round)) {
    }
}

static toc_contact contact_of(const toc_step *step, toc_kind kind, const uint32_t vertices[4], const toc_hit *hit) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_contact contact;
    memset(&contact, 0, sizeof contact);
    contact.kind = kind;
    contact.verdict = hit->verdict;
    contact.body[0] = toc_step_body(step, vertices[0]);
    contact.body[1] = toc_step_body(step, vertices[second]);
    for (int i = 0; i < 4; i++) contact.v[i] = vertices[i] - step->body_first[contact.body[i >= second]];
    contact.toc = hit->toc;
    memcpy(contact.weights, hit->weights, sizeof contact.weights);
    memcpy(contact.point, hit->point, sizeof contact.point);
    memcpy(contact.normal, hit->normal, sizeof contact.normal);
    return contact;
}

// By time, then by place: with a contact at the very start, the search need not go on beyond it.
static int by_time(const toc_contact *a, const toc_contact *b) {
    if (a->toc != b->toc) return a->toc < b->toc ? -1 : 1;
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c]) return a->point[c] < b->point[c] ? -1 : 1;
    return toc_contact_compare(a, b);
}

// Whether times are within 2^-29 of themselves of the true ones: then a pair that cannot touch by the time of the best
// contact and a little more, cannot come before it either.
static bool is_sharp(const toc_narrow_phase *all) {
    const toc_pair_test *test = &all->test;
    if (all->step->control) return false;
    if (test->method == TOC_METHOD_EXACT) return true;
    return test->method == TOC_METHOD_CERTIFIED && test->exact && test->tolerance == 0;
}

static void lower(_Atomic double *bound, double to) {
    double known = *bound;
    while (to < known && !atomic_compare_exchange_weak(bound, &known, to)) {
    }
}

// TOC_ANSWER_FIRST: of what comes later no more is to be known.
static void look_no_further(toc_narrow_phase *all, const toc_contact *contact) {
    if (is_sharp(all)) lower(&all->window.to, contact->toc * (1 + 0x1p-28));
    if (contact->toc <= all->test.from) lower(&all->beyond, contact->point[0]);
}

static toc_status keep(toc_narrow_worker *tester, toc_kind kind, const uint32_t vertices[4], const toc_hit *hit) {
    const toc_contact contact = contact_of(tester->all->step, kind, vertices, hit);
    const bool first = tester->all->answer == TOC_ANSWER_FIRST;
    tester->found++;
    if (first) look_no_further(tester->all, &contact);
    if (first && tester->contacts.count) {
        if (by_time(&contact, tester->contacts.at) < 0) *tester->contacts.at = contact;
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&tester->all->allocator, &tester->contacts, 1));
    tester->contacts.at[tester->contacts.count++] = contact;
    return TOC_OK;
}

static toc_pair motion_of(const toc_step *step, const uint32_t vertices[4]) {
    toc_pair pair;
    for (int i = 0; i < 4; i++) {
        memcpy(pair.x0[i], step->x0 + 3 * (size_t)vertices[i], sizeof pair.x0[i]);
        memcpy(pair.x1[i], step->x1 + 3 * (size_t)vertices[i], sizeof pair.x1[i]);
    }
    return pair;
}

// The same on parabolas.
static toc_status ask_curved(toc_narrow_worker *tester, toc_kind kind, const uint32_t vertices[4],
                             const toc_pair_test *test, toc_hit *hit) {
    const toc_step *step = tester->all->step;
    toc_quadratic_pair pair;
    for (int i = 0; i < 4; i++) {
        const size_t at = 3 * (size_t)vertices[i];
        memcpy(pair.x0[i], step->x0 + at, sizeof pair.x0[i]);
        memcpy(pair.control[i], step->control + at, sizeof pair.control[i]);
        memcpy(pair.x1[i], step->x1 + at, sizeof pair.x1[i]);
    }
    return toc_quadratic_find_unchecked(kind, &pair, test, &tester->scratch, hit);
}

static toc_status ask_one(toc_narrow_worker *tester, toc_kind kind, const uint32_t vertices[4],
                          const toc_pair_test *test, toc_hit *hit) {
    if (tester->all->step->control) return ask_curved(tester, kind, vertices, test, hit);
    const toc_pair pair = motion_of(tester->all->step, vertices);
    return toc_pair_find_unchecked(kind, pair.x0, pair.x1, test, &tester->scratch, hit);
}

// The last bits of a time depend on the part of the step that was looked at, so what is kept was asked about the whole.
static toc_status consider(toc_narrow_worker *tester, toc_kind kind, const uint32_t vertices[4],
                           const toc_pair_test *asked, toc_hit *hit) {
    const toc_pair_test *whole = &tester->all->test;
    if (hit->verdict == TOC_APART || hit->toc > tester->all->window.to) return TOC_OK;
    if (asked->to < whole->to) TOC_TRY(ask_one(tester, kind, vertices, whole, hit));
    return keep(tester, kind, vertices, hit);
}

static toc_status ask_chunk(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                            const toc_pair_test *test) {
    const toc_step *step = tester->all->step;
    toc_certified_hit hits[TOC_CERTIFIED_CHUNK];
    size_t hit_count;
    const toc_pair_batch batch = {.kind = kind,
                                  .count = count,
                                  .vertices = &pairs->v,
                                  .body0 = {step->x0, step->x0},
                                  .body1 = {step->x1, step->x1}};
    TOC_TRY(toc_certified_hits(&batch, &tester->all->glance, test, &tester->scratch, hits, &hit_count));
    for (size_t i = 0; i < hit_count; i++) TOC_TRY(consider(tester, kind, pairs[hits[i].pair].v, test, &hits[i].hit));
    return TOC_OK;
}

static toc_status ask_each(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                           const toc_pair_test *test) {
    toc_hit hit;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(ask_one(tester, kind, pairs[i].v, test, &hit));
        TOC_TRY(consider(tester, kind, pairs[i].v, test, &hit));
    }
    return TOC_OK;
}

static toc_status ask_all(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count) {
    const bool certified = tester->all->test.method == TOC_METHOD_CERTIFIED && !tester->all->step->control;
    for (size_t i = 0; i < count; i += TOC_CERTIFIED_CHUNK) {
        const size_t part = count - i < TOC_CERTIFIED_CHUNK ? count - i : TOC_CERTIFIED_CHUNK;
        toc_pair_test test = tester->all->test;
        test.to = tester->all->window.to;
        TOC_TRY((certified ? ask_chunk : ask_each)(tester, kind, pairs + i, part, &test));
    }
    return TOC_OK;
}

static toc_status ask_timed(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count) {
    const double start = toc_seconds();
    TOC_TRY(ask_all(tester, kind, pairs, count));
    tester->asked += count;
    tester->seconds += toc_seconds() - start;
    return TOC_OK;
}

// TOC_ANSWER_FIRST: whether there is a contact at the very start. Then only what is before it in space matters.
static bool has_earliest(const toc_narrow_worker *tester) {
    return tester->all->beyond < INFINITY && !tester->all->step->control;
}

// Where bounds overflow there is no telling, and no leaving out.
bool toc_narrow_phase_wants(const toc_narrow_phase *testers, double left) { return !(left > testers->beyond); }

// A contact's place is a mean of places of vertices; rounding moves it by less than 2^-40 of those.
static bool comes_before_best(const toc_narrow_worker *tester, const uint32_t vertices[4]) {
    const toc_step *step = tester->all->step;
    double left = INFINITY, most = 0;
    for (int i = 0; i < 4; i++) {
        const double x0 = step->x0[3 * (size_t)vertices[i]], x1 = step->x1[3 * (size_t)vertices[i]];
        left = toc_smaller(left, toc_smaller(x0, x1));
        most = toc_larger(most, toc_larger(fabs(x0), fabs(x1)));
    }
    return toc_narrow_phase_wants(tester->all, left - 0x1p-40 * most);
}

// As many of the pairs that pass the filter, and that can matter, as a chunk holds. @return how many were looked at.
static size_t choose(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                     toc_feature_pair *chosen, size_t *chosen_count) {
    const double start = toc_seconds();
    const bool filtered = !tester->all->late && toc_filter_is_active(&tester->all->filter);
    const bool earliest = has_earliest(tester);
    size_t i = 0;
    for (*chosen_count = 0; i < count && *chosen_count < TOC_CERTIFIED_CHUNK; i++) {
        if (filtered && !toc_filter_wants(&tester->all->filter, kind, pairs[i].v)) continue;
        if (earliest && !comes_before_best(tester, pairs[i].v)) continue;
        chosen[(*chosen_count)++] = pairs[i];
    }
    tester->filter_seconds += toc_seconds() - start;
    return i;
}

toc_status toc_narrow_worker_ask(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs,
                                 size_t count) {
    tester->offered += count;
    if ((tester->all->late || !toc_filter_is_active(&tester->all->filter)) && !has_earliest(tester))
        return ask_timed(tester, kind, pairs, count);
    toc_feature_pair chosen[TOC_CERTIFIED_CHUNK];
    for (size_t i = 0, chosen_count; i < count;) {
        i += choose(tester, kind, pairs + i, count - i, chosen, &chosen_count);
        TOC_TRY(ask_timed(tester, kind, chosen, chosen_count));
    }
    return TOC_OK;
}

static bool is_wanted(const toc_narrow_phase *all, const toc_contact *c) {
    uint32_t v[4];
    for (int i = 0; i < 4; i++) v[i] = all->step->body_first[c->body[i >= (c->kind == TOC_VF ? 1 : 2)]] + c->v[i];
    return toc_filter_wants(&all->filter, c->kind, v);
}

void toc_narrow_phase_filter(toc_narrow_phase *testers) {
    for (int i = 0; i < testers->count && toc_filter_is_active(&testers->filter); i++) {
        toc_narrow_worker *tester = &testers->at[i];
        size_t kept = 0;
        for (size_t k = 0; k < tester->contacts.count; k++)
            if (is_wanted(testers, &tester->contacts.at[k])) tester->contacts.at[kept++] = tester->contacts.at[k];
        tester->contacts.count = kept;
        tester->found = kept;
    }
}

// ---- the answer of all together

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

static toc_status make_result(const toc_allocator *allocator, size_t capacity, size_t stage_count, result **out) {
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
    return answer == TOC_ANSWER_FIRST ? by_time(a, b) : toc_contact_compare(a, b);
}

static const toc_contact *pick(toc_answer answer, const toc_contact *items, size_t count) {
    const toc_contact *best = items;
    for (size_t i = 1; i < count; i++)
        if (compare_by(answer, &items[i], best) < 0) best = &items[i];
    return best;
}

// TOC_ANSWER_ANY: only the contacts of the earliest round count, so that it does not matter who else was at work
// already.
static bool counts(const toc_narrow_phase *testers, const toc_narrow_worker *tester) {
    return testers->answer != TOC_ANSWER_ANY || tester->round == testers->round_with_contact;
}

// One of each, of contacts in order. @return how many.
static size_t keep_distinct(toc_contact *items, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || toc_contact_compare(&items[kept - 1], &items[i]) != 0) items[kept++] = items[i];
    return kept;
}

static toc_stage filter_stage_of(const toc_narrow_phase *testers) {
    toc_stage stage = {.name = "filter"};
    for (int i = 0; i < testers->count; i++) {
        stage.in += testers->at[i].offered;
        stage.out += testers->at[i].asked;
        stage.seconds += testers->at[i].filter_seconds / testers->count;
    }
    return stage;
}

static toc_stage stage_of(const toc_narrow_phase *testers) {
    toc_stage stage = {.name = toc_method_get_name(testers->test.method)};
    for (int i = 0; i < testers->count; i++) {
        stage.in += testers->at[i].asked;
        stage.out += testers->at[i].found;
        stage.seconds += testers->at[i].seconds / testers->count;
    }
    return stage;
}

// The contacts of all that count, in no order.
static size_t list_contacts(const toc_narrow_phase *testers, const toc_contact **contacts) {
    size_t count = 0;
    for (int i = 0; i < testers->count; i++) {
        const toc_narrow_worker *tester = &testers->at[i];
        for (size_t j = 0; j < tester->contacts.count && counts(testers, tester); j++)
            contacts[count++] = &tester->contacts.at[j];
    }
    return count;
}

static toc_status sort_contacts(const toc_narrow_phase *testers, size_t total, toc_contact *items) {
    const toc_contact **contacts = toc_new(&testers->allocator, total, sizeof *contacts);
    if (!contacts) return TOC_OUT_OF_MEMORY;
    const size_t count = list_contacts(testers, contacts);
    const toc_status status = toc_contacts_sort(&testers->allocator, testers->count, count, contacts, items);
    toc_free(&testers->allocator, contacts, total, sizeof *contacts);
    return status;
}

// All of them, sorted, or the one that is wanted.
static toc_status put_contacts(const toc_narrow_phase *testers, size_t total, result *r) {
    r->contacts.count = total;
    if (testers->answer == TOC_ANSWER_ALL || total == 0) {
        TOC_TRY(sort_contacts(testers, total, r->items));
        if (testers->repeats) r->contacts.count = keep_distinct(r->items, total);
        return TOC_OK;
    }
    r->contacts.count = 1;
    const toc_contact *best = NULL;
    for (int i = 0; i < testers->count; i++) {
        const toc_narrow_worker *tester = &testers->at[i];
        if (!tester->contacts.count || !counts(testers, tester)) continue;
        const toc_contact *one = pick(testers->answer, tester->contacts.at, tester->contacts.count);
        if (!best || compare_by(testers->answer, one, best) < 0) best = one;
    }
    r->items[0] = *best;
    return TOC_OK;
}

toc_status toc_narrow_phase_answer(const toc_narrow_phase *testers, const toc_stage *stages, size_t stage_count,
                                   toc_contacts **out) {
    const bool filtered = toc_filter_is_active(&testers->filter);
    size_t total = 0;
    for (int i = 0; i < testers->count; i++)
        if (counts(testers, &testers->at[i])) total += testers->at[i].contacts.count;
    result *r;
    TOC_TRY(make_result(&testers->allocator, total, stage_count + filtered + 1, &r));
    const toc_status status = put_contacts(testers, total, r);
    if (status != TOC_OK) {
        free_result(r);
        return status;
    }
    memcpy(r->stages, stages, stage_count * sizeof *stages);
    if (filtered) r->stages[stage_count] = filter_stage_of(testers);
    r->stages[stage_count + filtered] = stage_of(testers);
    *out = &r->contacts;
    return TOC_OK;
}

void toc_contacts_destroy(toc_contacts *contacts) {
    if (contacts) free_result((result *)contacts); // the first field of it
}

const toc_contact *toc_contacts_find_first(const toc_contacts *contacts) {
    return contacts->count ? pick(TOC_ANSWER_FIRST, contacts->contacts, contacts->count) : NULL;
}
