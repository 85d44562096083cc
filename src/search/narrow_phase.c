// SPDX-License-Identifier: Apache-2.0
// Testing feature pairs: the filter, the elementary test in batches, the contacts that the answer wants.
#include "search/narrow_phase.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/vec.h"
#include "convex/convex.h"
#include "pair/certified.h"
#include "scene/scene.h"
#include "scene/thickness.h"
#include "search/device_tests.h"

enum { SINK_BATCH = 1024 }; // contacts that a worker collects before it hands them to the sink

// ---- tolerance and reach

// How far apart features can be that the test reports. `inclusion` takes the tolerance along each axis: at most
// sqrt(3) of it in all.
static double test_reach_of(const toc_pair_test *test) { return test->separation + 2 * test->tolerance; }

double toc_narrow_phase_reach(const toc_scene *scene, const toc_query *query) {
    toc_pair_test test = query->test;
    test.separation = toc_thickness_add(test.separation, toc_thickness_most(scene, query));
    return test_reach_of(&test);
}

// ---- making

// Pairs are tested with the thickness of the thickest first; see own_test.
static void add_thickness(const toc_scene *scene, const toc_query *query, toc_narrow_phase *out) {
    out->thickest = toc_thickness_most(scene, query);
    out->test.separation = toc_thickness_add(query->test.separation, out->thickest);
}

toc_status toc_narrow_phase_make(const toc_request *request, const toc_step *step, int count, toc_narrow_phase *out) {
    const toc_scene *scene = request->scene;
    const toc_query *query = &request->query;
    const toc_method method = toc_request_method(request);
    const toc_allocator *allocator = &scene->memory;
    *out = (toc_narrow_phase){.request = request,
                              .step = step,
                              .filter = toc_filter_make(scene, query),
                              .test = query->test,
                              .allocator = *allocator,
                              .round_with_contact = SIZE_MAX,
                              .window = {query->test.from, query->test.to},
                              .beyond = INFINITY,
                              .sink_lock = PTHREAD_MUTEX_INITIALIZER,
                              .results = scene->allocator,
                              .count = count};
    out->test.method = method;
    TOC_TRY(toc_pair_test_check(&out->test));
    add_thickness(scene, query, out);
    out->reach = test_reach_of(&out->test);
    if (step->control && !toc_method_row_of(method)->convex)
        return toc_fail(TOC_BAD_INPUT, "the method %s takes straight paths only, and bodies are accelerated",
                        toc_method_get(method).name);
    out->at = toc_new(allocator, (size_t)count, sizeof *out->at);
    if (!out->at) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++)
        out->at[i] = (toc_narrow_worker){.all = out,
                                         .scratch = toc_arena_make(allocator),
                                         .contacts = toc_contact_blocks_make(allocator),
                                         .round = SIZE_MAX};
    return TOC_OK;
}

toc_status toc_narrow_phase_pack(toc_narrow_phase *phase) {
    const toc_step *step = phase->step;
    if (!toc_method_row_of(phase->test.method)->in_lanes) return TOC_OK;
    return toc_prefilter_make(&phase->at[0].scratch, step->vertex_count, step->x0, step->x1, &phase->prefilter);
}

void toc_narrow_phase_free(toc_narrow_phase *phase) {
    if (!phase->at) return;
    for (int i = 0; i < phase->count; i++) {
        toc_arena_free(&phase->at[i].scratch);
        toc_contact_blocks_free(&phase->at[i].contacts);
    }
    toc_free(&phase->allocator, phase->at, (size_t)phase->count, sizeof *phase->at);
    toc_array_free(&phase->results, &phase->spilled);
}

bool toc_narrow_worker_begin(toc_narrow_worker *worker, size_t round) {
    assert(toc_narrow_phase_answer(worker->all) != TOC_ANSWER_ANY || !toc_narrow_worker_has_answer(worker) ||
           worker->round < round);
    if (toc_narrow_phase_answer(worker->all) != TOC_ANSWER_ANY) return true;
    if (round > worker->all->round_with_contact) return false;
    worker->round = round;
    toc_contact_blocks_clear(&worker->contacts);
    return true;
}

bool toc_narrow_worker_has_answer(const toc_narrow_worker *worker) {
    return toc_narrow_phase_answer(worker->all) == TOC_ANSWER_ANY && worker->contacts.count > 0;
}

void toc_narrow_worker_end(toc_narrow_worker *worker) {
    if (!toc_narrow_worker_has_answer(worker)) return;
    size_t known = worker->all->round_with_contact;
    while (worker->round < known &&
           !atomic_compare_exchange_weak(&worker->all->round_with_contact, &known, worker->round)) {
    }
}

void toc_narrow_phase_note_found(toc_narrow_phase *phase, size_t count) {
    phase->at[0].offered += count, phase->at[0].asked += count, phase->at[0].found += count;
}

void toc_narrow_phase_take_sorted(toc_narrow_phase *phase, const toc_contact *contacts, size_t count) {
    assert(count == 0 || toc_narrow_phase_answer(phase) == TOC_ANSWER_ALL);
    phase->sorted = contacts;
    phase->sorted_count = count;
    toc_narrow_phase_note_found(phase, count);
}

_Static_assert(sizeof(toc_contact) == 32 + 11 * sizeof(double), "a contact has no gaps");

static void fill_contact(const toc_step *step, toc_kind kind, const uint32_t vertices[4], const toc_hit *hit,
                         toc_contact *contact) {
    const int second = kind == TOC_VF ? 1 : 2;
    contact->kind = kind;
    contact->verdict = hit->verdict;
    contact->body[0] = toc_step_body(step, vertices[0]);
    contact->body[1] = toc_step_body(step, vertices[second]);
    for (int i = 0; i < 4; i++) contact->v[i] = vertices[i] - step->body_first[contact->body[i >= second]];
    contact->toc = hit->toc;
    memcpy(contact->weights, hit->weights, sizeof contact->weights);
    memcpy(contact->point, hit->point, sizeof contact->point);
    memcpy(contact->normal, hit->normal, sizeof contact->normal);
}

// Whether times have a relative error below 2^-29, and do not depend on the end of the part of the step that is tested.
// Then a pair need not be tested beyond the best contact.
static bool has_sharp_times(const toc_narrow_phase *all) {
    return !all->step->control && toc_pair_test_is_sharp(&all->test);
}

static void lower(_Atomic double *bound, double to) {
    double known = *bound;
    while (to < known && !atomic_compare_exchange_weak(bound, &known, to)) {
    }
}

// TOC_ANSWER_FIRST: contacts after this one are not reported. A method that reports a pair at a time has it within
// reach then, so bounds that are grown by the reach and meet later only cannot hold an earlier contact. Parabolic paths
// are not bounded in time.
static void end_window_at(toc_narrow_phase *all, const toc_contact *contact) {
    if (!all->step->control) lower(&all->window.to, contact->toc * (1 + 0x1p-28));
    if (contact->toc <= all->test.from) lower(&all->beyond, contact->point[0]);
}

toc_status toc_narrow_phase_sink(toc_narrow_phase *phase, toc_contact *contacts, size_t count) {
    const toc_scene *scene = phase->request->scene;
    const toc_contact_sink *sink = &phase->request->query.sink;
    if (count == 0) return TOC_OK;
    for (size_t i = 0; i < count && toc_scene_has_patches(scene); i++)
        toc_scene_name_vertices(scene, contacts[i].kind, contacts[i].body, contacts[i].v);
    pthread_mutex_lock(&phase->sink_lock);
    if (!phase->sink_stops) {
        phase->sink_stops = sink->take(sink->user, contacts, count) != 0;
        toc_arithmetic_resume();
        phase->sunk += count;
    }
    const bool stops = phase->sink_stops;
    pthread_mutex_unlock(&phase->sink_lock);
    return stops ? toc_fail(TOC_STOPPED, "stopped on request by the sink of the query") : TOC_OK;
}

toc_status toc_narrow_worker_sink(toc_narrow_worker *worker) {
    toc_status status = TOC_OK;
    for (toc_contact_block *b = worker->contacts.newest; b && status == TOC_OK; b = b->older)
        status = toc_narrow_phase_sink(worker->all, b->at, b->count);
    toc_contact_blocks_clear(&worker->contacts);
    return status;
}

toc_status toc_narrow_worker_spill(toc_narrow_worker *worker) {
    toc_narrow_phase *all = worker->all;
    const size_t count = worker->contacts.count;
    assert(all->count == 1);
    if (count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&all->results, &all->spilled, count));
    for (const toc_contact_block *b = worker->contacts.newest; b; b = b->older) {
        memcpy(all->spilled.at + all->spilled.count, b->at, b->count * sizeof *b->at);
        all->spilled.count += b->count;
    }
    toc_contact_blocks_clear(&worker->contacts);
    return TOC_OK;
}

// Hand a full batch on.
static toc_status pass_on_contacts(toc_narrow_worker *worker) {
    if (worker->contacts.count < SINK_BATCH) return TOC_OK;
    if (toc_narrow_phase_streams(worker->all)) return toc_narrow_worker_sink(worker);
    return toc_narrow_phase_spills(worker->all) ? toc_narrow_worker_spill(worker) : TOC_OK;
}

// TOC_ANSWER_FIRST: the contact ends the window, and takes the place of a later one.
static toc_status keep_earlier(toc_narrow_worker *worker, const toc_contact *contact) {
    end_window_at(worker->all, contact);
    if (worker->contacts.count > 0 && toc_contact_compare_times(contact, worker->contacts.newest->at) >= 0)
        return TOC_OK;
    toc_contact_blocks_clear(&worker->contacts);
    toc_contact *kept = toc_contact_blocks_add(&worker->contacts);
    if (!kept) return TOC_OUT_OF_MEMORY;
    *kept = *contact;
    return TOC_OK;
}

static toc_status keep_contact(toc_narrow_worker *worker, toc_kind kind, const uint32_t vertices[4],
                               const toc_hit *hit) {
    worker->found++;
    if (toc_narrow_phase_answer(worker->all) == TOC_ANSWER_FIRST) {
        toc_contact contact;
        fill_contact(worker->all->step, kind, vertices, hit, &contact);
        return keep_earlier(worker, &contact);
    }
    TOC_TRY(pass_on_contacts(worker));
    toc_contact *kept = toc_contact_blocks_add(&worker->contacts);
    if (!kept) return TOC_OUT_OF_MEMORY;
    fill_contact(worker->all->step, kind, vertices, hit, kept);
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

// The same on parabolic paths.
static toc_status ask_curved(toc_narrow_worker *worker, toc_kind kind, const uint32_t vertices[4],
                             const toc_pair_test *test, toc_hit *hit) {
    const toc_step *step = worker->all->step;
    toc_quadratic_pair pair;
    for (int i = 0; i < 4; i++) {
        const size_t at = 3 * (size_t)vertices[i];
        memcpy(pair.x0[i], step->x0 + at, sizeof pair.x0[i]);
        memcpy(pair.control[i], step->control + at, sizeof pair.control[i]);
        memcpy(pair.x1[i], step->x1 + at, sizeof pair.x1[i]);
    }
    return toc_quadratic_find_unchecked(kind, &pair, test, &worker->scratch, hit);
}

static toc_status ask_one(toc_narrow_worker *worker, toc_kind kind, const uint32_t vertices[4],
                          const toc_pair_test *test, toc_hit *hit) {
    if (worker->all->step->control) return ask_curved(worker, kind, vertices, test, hit);
    const toc_pair pair = motion_of(worker->all->step, vertices);
    return toc_pair_find_unchecked(kind, pair.x0, pair.x1, test, &worker->scratch, hit);
}

// The test of a pair with its own thickness, over the whole step. The last bits of a time depend on the part tested.
static toc_pair_test own_test(const toc_narrow_phase *all, toc_kind kind, const uint32_t vertices[4]) {
    toc_pair_test own = all->test;
    if (all->thickest > 0)
        own.separation = toc_thickness_add(all->request->query.test.separation,
                                           toc_thickness_of_pair(all->request->scene, kind, vertices));
    return own;
}

toc_status toc_narrow_worker_consider(toc_narrow_worker *worker, toc_kind kind, const uint32_t vertices[4],
                                      const toc_pair_test *asked, toc_hit hit) {
    if (hit.verdict == TOC_APART || hit.toc > worker->all->window.to) return TOC_OK;
    if (!asked) return keep_contact(worker, kind, vertices, &hit);
    const toc_pair_test own = own_test(worker->all, kind, vertices);
    if (asked->to < own.to || asked->separation != own.separation) TOC_TRY(ask_one(worker, kind, vertices, &own, &hit));
    return hit.verdict == TOC_APART ? TOC_OK : keep_contact(worker, kind, vertices, &hit);
}

toc_status toc_narrow_worker_ask(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                                 const toc_pair_test *test) {
    const toc_step *step = worker->all->step;
    const toc_arena_mark mark = toc_arena_here(&worker->scratch);
    const toc_certified_hit *hits;
    size_t hit_count;
    const toc_pair_batch batch = {.kind = kind,
                                  .count = count,
                                  .vertices = &pairs->v,
                                  .body0 = {step->x0, step->x0},
                                  .body1 = {step->x1, step->x1}};
    toc_status status = toc_certified_hits(&batch, &worker->all->prefilter, test, &worker->scratch, &hits, &hit_count);
    for (size_t i = 0; status == TOC_OK && i < hit_count; i++)
        status = toc_narrow_worker_consider(worker, kind, pairs[hits[i].pair].v, test, hits[i].hit);
    toc_arena_back(&worker->scratch, mark);
    return status;
}

static toc_status ask_each(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                           const toc_pair_test *test) {
    toc_hit hit;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(ask_one(worker, kind, pairs[i].v, test, &hit));
        TOC_TRY(toc_narrow_worker_consider(worker, kind, pairs[i].v, test, hit));
    }
    return TOC_OK;
}

toc_pair_test toc_narrow_phase_test_now(const toc_narrow_phase *phase) {
    toc_pair_test test = phase->test;
    if (has_sharp_times(phase)) test.to = phase->window.to;
    return test;
}

toc_status toc_narrow_worker_test(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs,
                                  size_t count) {
    assert(kind == TOC_VF || kind == TOC_EE);
    if (worker->all->device) return toc_device_tests_put(worker, kind, pairs, count);
    const bool in_lanes = toc_method_row_of(worker->all->test.method)->in_lanes && !worker->all->step->control;
    for (size_t i = 0; i < count && !toc_narrow_worker_has_answer(worker); i += TOC_CERTIFIED_CHUNK) {
        const size_t part = count - i < TOC_CERTIFIED_CHUNK ? count - i : TOC_CERTIFIED_CHUNK;
        const toc_pair_test test = toc_narrow_phase_test_now(worker->all);
        TOC_TRY((in_lanes ? toc_narrow_worker_ask : ask_each)(worker, kind, pairs + i, part, &test));
        worker->asked += part;
    }
    return toc_narrow_worker_has_answer(worker) ? TOC_STOPPED : TOC_OK;
}

// TOC_ANSWER_FIRST: whether a contact at the very start is known. Then only pairs before it in space matter.
static bool has_earliest(const toc_narrow_worker *worker) {
    return worker->all->beyond < INFINITY && !worker->all->step->control;
}

// A bound that overflowed is no number: its pairs stay.
bool toc_narrow_phase_wants(const toc_narrow_phase *phase, double left) { return !(left > phase->beyond); }

// The place of a contact is a mean of vertex positions; rounding moves it by less than 2^-40 of those.
static bool comes_before_best(const toc_narrow_worker *worker, const uint32_t vertices[4]) {
    const toc_step *step = worker->all->step;
    double left = INFINITY, most = 0;
    for (int i = 0; i < 4; i++) {
        const double x0 = step->x0[3 * (size_t)vertices[i]], x1 = step->x1[3 * (size_t)vertices[i]];
        left = toc_smaller(left, toc_smaller(x0, x1));
        most = toc_larger(most, toc_larger(fabs(x0), fabs(x1)));
    }
    return toc_narrow_phase_wants(worker->all, left - 0x1p-40 * most);
}

bool toc_narrow_worker_filters(const toc_narrow_worker *worker) {
    return (!worker->all->filters_late && toc_filter_is_active(&worker->all->filter)) || has_earliest(worker);
}

size_t toc_narrow_worker_choose(const toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs,
                                size_t count, toc_feature_pair *chosen, size_t *chosen_count) {
    const bool filtered = !worker->all->filters_late && toc_filter_is_active(&worker->all->filter);
    const bool earliest = has_earliest(worker);
    size_t i = 0;
    assert(kind == TOC_VF || kind == TOC_EE);
    for (*chosen_count = 0; i < count && *chosen_count < TOC_NARROW_CHUNK; i++) {
        if (filtered && !toc_filter_wants(&worker->all->filter, kind, pairs[i].v)) continue;
        if (earliest && !comes_before_best(worker, pairs[i].v)) continue;
        chosen[(*chosen_count)++] = pairs[i];
    }
    return i;
}

static bool is_wanted_contact(const toc_narrow_phase *all, const toc_contact *c) {
    uint32_t v[4];
    for (int i = 0; i < 4; i++) v[i] = all->step->body_first[c->body[i >= (c->kind == TOC_VF ? 1 : 2)]] + c->v[i];
    return toc_filter_wants(&all->filter, c->kind, v);
}

void toc_narrow_phase_collect(toc_narrow_phase *phase) { phase->collects = phase->filters_late = true; }

// Drop the contacts of a worker that the filter does not want.
static void filter_contacts(toc_narrow_worker *worker) {
    worker->contacts.count = 0;
    for (toc_contact_block *b = worker->contacts.newest; b; b = b->older) {
        size_t kept = 0;
        for (size_t i = 0; i < b->count; i++)
            if (is_wanted_contact(worker->all, &b->at[i])) b->at[kept++] = b->at[i];
        b->count = kept;
        worker->contacts.count += kept;
    }
    worker->found = worker->contacts.count;
}

void toc_narrow_phase_filter(toc_narrow_phase *phase) {
    phase->collects = false;
    for (int i = 0; i < phase->count && toc_filter_is_active(&phase->filter); i++) filter_contacts(&phase->at[i]);
}
