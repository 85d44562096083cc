// SPDX-License-Identifier: Apache-2.0
// Running a query: workers, rounds, the clock of every stage, the report.
#include "search/pipeline.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "scene/scene.h"
#include "search/contacts.h"
#include "search/device_tests.h"
#include "search/search.h"

// ---- stages and their report

size_t toc_pipeline_add_stage(toc_pipeline *pipeline, const toc_pipeline_stage *stage) {
    assert(pipeline->stage_count < TOC_STAGES_MOST);
    pipeline->stages[pipeline->stage_count] = stage;
    return pipeline->stage_count++;
}

// A new row of the report, for work outside of the stages.
static toc_stage *add_note(toc_pipeline *p, const char *name) {
    assert(p->note_count < TOC_NOTES_MOST);
    toc_stage *note = &p->notes[p->note_count++];
    *note = (toc_stage){.name = name};
    return note;
}

// The row of a part of the fit. It is new when the part first comes.
static toc_stage *note_of_part(toc_pipeline *p, const char *name) {
    for (size_t i = 0; i < p->note_count; i++)
        if (strcmp(p->notes[i].name, name) == 0) return &p->notes[i];
    return add_note(p, name);
}

void toc_pipeline_enter(toc_pipeline *pipeline, const char *name) {
    const double now = toc_seconds();
    if (pipeline->part) pipeline->part->seconds += now - pipeline->part_start;
    pipeline->part = name ? note_of_part(pipeline, name) : NULL;
    pipeline->part_start = now;
}

void toc_pipeline_count(toc_pipeline *pipeline, const char *name, uint64_t in, uint64_t out) {
    toc_stage *note = note_of_part(pipeline, name);
    note->in = in;
    note->out = out;
}

// The mean seconds of the threads in the narrow phase.
static double narrow_seconds_of(const toc_narrow_phase *narrow) {
    double sum = 0;
    for (int i = 0; i < narrow->count; i++) sum += narrow->at[i].seconds + narrow->at[i].filter_seconds;
    return sum / narrow->count;
}

toc_status toc_pipeline_run_part(toc_pipeline *pipeline, const char *name, toc_pipeline_part *part) {
    const double start = toc_seconds(), before = narrow_seconds_of(&pipeline->narrow);
    toc_stage *row = add_note(pipeline, name);
    const toc_status status = part(pipeline, row);
    row->seconds = toc_seconds() - start - (narrow_seconds_of(&pipeline->narrow) - before);
    return status;
}

static void add_count(toc_stage *stage, const toc_stage_count *count, int threads) {
    stage->in += count->in;
    stage->out += count->out;
    stage->seconds += count->seconds / threads;
}

// Sum the counts of a stage over the workers; SIZE_MAX stands for the search.
static toc_stage sum_stage(const toc_pipeline *p, size_t stage) {
    const bool is_search = stage == SIZE_MAX;
    toc_stage sum = {.name = is_search ? p->way->search_name : p->stages[stage]->name};
    for (int i = 0; i < p->threads; i++)
        add_count(&sum, is_search ? &p->workers[i].search : &p->workers[i].stages[stage], p->threads);
    return sum;
}

// The gathering, notes of the fit, the search, the stages, the notes behind them.
static size_t list_stages(const toc_pipeline *p, toc_stage *out) {
    size_t count = 0;
    out[count++] = (toc_stage){"gather", p->step->vertex_count, p->step->vertex_count, p->gather_seconds};
    for (size_t i = 0; i < p->notes_before; i++) out[count++] = p->notes[i];
    out[count++] = sum_stage(p, SIZE_MAX);
    for (size_t i = 0; i < p->stage_count; i++)
        if (p->stages[i]->name) out[count++] = sum_stage(p, i);
    for (size_t i = p->notes_before; i < p->note_count; i++) out[count++] = p->notes[i];
    return count;
}

_Static_assert(TOC_STAGES_MOST + TOC_NOTES_MOST + 6 <= TOC_RESULT_STAGES, "a result holds all stages");

// The time in which threads were not started yet, waited for the split into rounds, or had no round left.
static toc_stage waiting_stage(const toc_pipeline *p) {
    toc_stage wait = {.name = "wait", .seconds = p->search_seconds};
    for (int i = 0; i < p->threads; i++) wait.seconds -= p->workers[i].busy / p->threads;
    return wait;
}

static toc_status report_contacts(toc_pipeline *p, toc_contacts *result) {
    toc_stage stages[TOC_STAGES_MOST + TOC_NOTES_MOST + 2];
    const double start = toc_seconds();
    TOC_TRY(toc_contacts_fill(&p->narrow, result));
    toc_contacts_report(&p->narrow, stages, list_stages(p, stages), result);
    toc_contacts_add_stage(result, waiting_stage(p));
    toc_contacts_add_stage(result, (toc_stage){"order", result->found, result->found, toc_seconds() - start});
    return TOC_OK;
}

// ---- workers

// The clock, where there is a report: it is read several times for each batch.
static double read_clock(const toc_pipeline *p) { return p->reports ? toc_seconds() : 0; }

// The filter and the test of the narrow phase. Its seconds are those of both, less those of the filter.
static toc_status filter_and_test(toc_worker *worker, const toc_batch *batch) {
    toc_narrow_worker *narrow = worker->narrow;
    narrow->offered += batch->count;
    if (!toc_narrow_worker_filters(narrow))
        return toc_narrow_worker_test(narrow, batch->kind, batch->features, batch->count);
    toc_feature_pair *chosen = worker->room->chosen;
    for (size_t i = 0, chosen_count; i < batch->count;) {
        const double start = read_clock(worker->pipeline);
        i +=
            toc_narrow_worker_choose(narrow, batch->kind, batch->features + i, batch->count - i, chosen, &chosen_count);
        const double taken = read_clock(worker->pipeline) - start;
        narrow->filter_seconds += taken;
        narrow->seconds -= taken;
        TOC_TRY(toc_narrow_worker_test(narrow, batch->kind, chosen, chosen_count));
    }
    return TOC_OK;
}

toc_status toc_worker_run(toc_worker *worker, size_t stage, const toc_batch *batch) {
    const toc_pipeline *p = worker->pipeline;
    const bool is_stage = stage < p->stage_count;
    assert(!is_stage || p->stages[stage]->run);
    assert(is_stage || batch->kind == TOC_VF || batch->kind == TOC_EE);
    const double start = read_clock(p), outer = worker->nested;
    worker->nested = 0;
    const toc_status status = is_stage ? p->stages[stage]->run(worker, stage, batch) : filter_and_test(worker, batch);
    const double taken = read_clock(p) - start;
    *(is_stage ? &worker->stages[stage].seconds : &worker->narrow->seconds) += taken - worker->nested;
    worker->nested = outer + taken;
    return status;
}

toc_status toc_worker_pass(toc_worker *worker, size_t stage, const toc_batch *batch) {
    return batch->count ? toc_worker_run(worker, stage, batch) : TOC_OK;
}

toc_status toc_worker_pass_features(toc_worker *worker, size_t stage) {
    const toc_feature_pairs *f = worker->features;
    TOC_TRY(toc_worker_pass(worker, stage, &(toc_batch){.count = f->vf_count, .features = f->vf, .kind = TOC_VF}));
    return toc_worker_pass(worker, stage, &(toc_batch){.count = f->ee_count, .features = f->ee, .kind = TOC_EE});
}

toc_status toc_worker_take_leaves(void *worker, const toc_leaf_pair *pairs, size_t count) {
    assert(count <= TOC_LEAF_PAIRS);
    toc_worker *w = worker;
    w->search.out += count;
    return toc_worker_pass(w, 0, &(toc_batch){.count = count, .leaves = pairs});
}

// The first contact ends the window, and a search that holds pairs back goes on in a window too long. So the first
// batches are small.
static toc_status pass_held_leaves(toc_worker *w) {
    const toc_batch batch = {.count = w->held_count, .leaves = w->held};
    w->held_count = 0;
    if (2 * w->held_most <= TOC_HELD_LEAVES) w->held_most *= 2;
    return toc_worker_pass(w, 0, &batch);
}

toc_status toc_worker_hold_leaves(void *worker, const toc_leaf_pair *pairs, size_t count) {
    toc_worker *w = worker;
    assert(w->pipeline->request->query.answer != TOC_ANSWER_ANY && w->held_most <= TOC_HELD_LEAVES);
    if (w->held_count + count > w->held_most) TOC_TRY(pass_held_leaves(w));
    if (count > w->held_most) return toc_worker_take_leaves(w, pairs, count);
    w->search.out += count;
    if (count > 0) memcpy(w->held + w->held_count, pairs, count * sizeof *pairs);
    w->held_count += count;
    return TOC_OK;
}

toc_status toc_worker_poll(const toc_worker *worker) {
    const toc_pipeline *p = worker->pipeline;
    const toc_progress *progress = &p->request->query.progress;
    if (worker != p->workers || !progress->report) return TOC_OK;
    assert(worker->round < p->rounds);
    return toc_progress_report(progress, (double)worker->round / (double)p->rounds);
}

// As many pairs of leaves at a time as there are primitives: a small scene takes little memory. The batches of
// TOC_ANSWER_ANY tell which contact is found, so they do not depend on the scene.
static size_t leaf_pairs_at_a_time(const toc_pipeline *p) {
    enum { LEAST = 64 };
    const size_t primitives = p->step->primitives.count;
    if (p->request->query.answer == TOC_ANSWER_ANY || primitives >= TOC_LEAF_PAIRS) return TOC_LEAF_PAIRS;
    return primitives > LEAST ? primitives : LEAST;
}

static toc_feature_pairs *make_feature_room(toc_pipeline *p) {
    const size_t leaf_pairs = leaf_pairs_at_a_time(p), vf = toc_feature_pairs_vf(leaf_pairs);
    toc_feature_pairs *room = toc_arena_new(&p->arena, 1, sizeof *room);
    toc_feature_pair *pairs = toc_arena_new(&p->arena, vf + toc_feature_pairs_ee(leaf_pairs), sizeof *pairs);
    if (!room || !pairs) return NULL;
    *room = (toc_feature_pairs){.leaf_pairs = leaf_pairs, .vf = pairs, .ee = pairs + vf};
    return room;
}

static toc_status hire_workers(toc_pipeline *p) {
    toc_worker *workers = toc_arena_new(&p->arena, (size_t)p->threads, sizeof *workers);
    if (!workers) return TOC_OUT_OF_MEMORY;
    memset(workers, 0, (size_t)p->threads * sizeof *workers);
    p->workers = workers;
    for (int i = 0; i < p->threads; i++) {
        workers[i].pipeline = p;
        workers[i].narrow = &p->narrow.at[i];
        workers[i].features = make_feature_room(p);
        workers[i].room = toc_arena_new(&p->arena, 1, sizeof *workers[i].room);
        if (!workers[i].features || !workers[i].room) return TOC_OUT_OF_MEMORY;
        workers[i].held_most = p->request->query.answer == TOC_ANSWER_FIRST ? TOC_HELD_FIRST : TOC_HELD_LEAVES;
        if (p->way->hire) TOC_TRY(p->way->hire(&workers[i]));
    }
    return TOC_OK;
}

// ---- rounds

typedef struct round_loop {
    toc_pipeline *pipeline;
    toc_status (*round)(toc_worker *worker, size_t round);
} round_loop;

static toc_status run_worker_round(void *user, size_t index, int thread) {
    const round_loop *loop = user;
    assert(thread >= 0 && thread < loop->pipeline->threads);
    return loop->round(&loop->pipeline->workers[thread], index);
}

toc_status toc_pipeline_loop(toc_pipeline *pipeline, size_t rounds, toc_status (*round)(toc_worker *, size_t),
                             const toc_progress *progress) {
    round_loop loop = {pipeline, round};
    return toc_loop_run(&(toc_loop){.count = rounds,
                                    .threads = pipeline->threads,
                                    .in_order = true,
                                    .progress = progress,
                                    .round = run_worker_round,
                                    .user = &loop});
}

// Test the pairs that wait for a device.
static toc_status flush_device(toc_worker *worker) {
    if (!worker->pipeline->narrow.device) return TOC_OK;
    const double start = read_clock(worker->pipeline);
    const toc_status status = toc_device_tests_flush(worker->narrow);
    const double taken = read_clock(worker->pipeline) - start;
    worker->narrow->seconds += taken;
    worker->nested += taken;
    return status;
}

// Visit a round. Where a contact ends the search or narrows it, no pair waits beyond its round.
static toc_status visit_round(toc_worker *worker, size_t round) {
    TOC_TRY(worker->pipeline->way->traversal->visit(worker, round));
    return worker->pipeline->request->query.answer == TOC_ANSWER_ALL ? TOC_OK : flush_device(worker);
}

// A worker that has its answer stops its round by TOC_STOPPED. The clock is read once a round: a step has thousands.
// The caller's progress function runs between two rounds, so with one it is read at both ends.
static toc_status search_round(toc_worker *worker, size_t round) {
    const double start = worker->read > 0 ? worker->read : read_clock(worker->pipeline);
    if (!toc_narrow_worker_begin(worker->narrow, round)) return TOC_OK;
    worker->nested = 0;
    worker->round = round;
    const toc_status status = visit_round(worker, round);
    if (status != TOC_OK && !(status == TOC_STOPPED && toc_narrow_worker_has_answer(worker->narrow))) return status;
    toc_narrow_worker_end(worker->narrow);
    const double end = read_clock(worker->pipeline), taken = end - start;
    worker->read = worker->pipeline->request->query.progress.report ? 0 : end;
    worker->search.seconds += taken - worker->nested;
    worker->busy += taken;
    return TOC_OK;
}

// Pass on the pairs that the worker of a thread still holds, then those that wait for a device.
static toc_status pass_last_pairs(void *user, int thread) {
    toc_worker *worker = &((const round_loop *)user)->pipeline->workers[thread];
    const double start = read_clock(worker->pipeline);
    worker->nested = 0;
    if (worker->held_count > 0) TOC_TRY(pass_held_leaves(worker));
    TOC_TRY(flush_device(worker));
    worker->busy += read_clock(worker->pipeline) - start;
    return TOC_OK;
}

// Search all rounds. Each thread passes on the pairs it holds when no round is left.
static toc_status search_rounds(toc_pipeline *p) {
    round_loop loop = {p, search_round};
    return toc_loop_run(&(toc_loop){.count = p->rounds,
                                    .threads = p->threads,
                                    .in_order = true,
                                    .progress = &p->request->query.progress,
                                    .round = run_worker_round,
                                    .finish = pass_last_pairs,
                                    .user = &loop});
}

// The report divides the seconds of the workers by their number; the others wait for this one.
toc_status toc_pipeline_search_alone(toc_pipeline *pipeline, toc_status (*search)(toc_worker *worker)) {
    toc_worker *worker = pipeline->workers;
    assert(worker);
    toc_pipeline_enter(pipeline, NULL);
    const double start = toc_seconds();
    worker->nested = 0;
    const toc_status status = search(worker);
    worker->search.seconds += (toc_seconds() - start - worker->nested) * pipeline->threads;
    return status;
}

// ---- the query

static toc_status traverse_index(toc_pipeline *p) {
    const toc_traversal *traversal = p->way->traversal;
    size_t rounds;
    const double start = toc_seconds();
    if (traversal->settle) TOC_TRY(traversal->settle(p));
    TOC_TRY(traversal->split(p, &rounds));
    p->notes_before = p->note_count;
    p->rounds = rounds;
    assert(!p->part); // the fit ended
    if (!p->way->answer && !p->way->on_device) TOC_TRY(toc_device_tests_begin(&p->narrow, &p->kept->device));
    const toc_status status = search_rounds(p);
    toc_device_tests_end(&p->narrow);
    p->search_seconds = toc_seconds() - start;
    return status;
}

static toc_status begin_query(toc_pipeline *p) {
    const double start = toc_seconds();
    p->arena = toc_arena_make(&p->request->scene->memory);
    p->threads = toc_request_threads(p->request);
    TOC_TRY(toc_narrow_phase_make(p->request, p->step, p->threads, &p->narrow));
    p->distance = p->narrow.reach;
    if (p->way->chords && p->step->control) p->distance = fmin(p->distance + toc_step_bend(p->step), DBL_MAX);
    TOC_TRY(p->way->plan(p));
    const toc_status status = hire_workers(p);
    p->gather_seconds += toc_seconds() - start;
    return status;
}

static toc_status fit_and_search(toc_pipeline *p, bool *declined) {
    bool suits = true;
    TOC_TRY(p->way->fit(p));
    toc_pipeline_enter(p, NULL);
    if (p->declines) TOC_TRY(p->way->accept(p, &suits));
    *declined = !suits;
    if (!suits) return TOC_OK;
    TOC_TRY(traverse_index(p));
    return p->way->finish ? p->way->finish(p) : TOC_OK;
}

static void free_query(toc_pipeline *p) {
    for (int i = 0; p->workers && i < p->threads; i++) {
        toc_array_free(&p->request->scene->memory, &p->workers[i].resting);
        toc_array_free(&p->request->scene->memory, &p->workers[i].items);
    }
    toc_array_free(&p->request->scene->allocator, &p->spilled);
    if (p->way->free) p->way->free(p);
    if (*p->index && !(*p->index)->type->is_kept) {
        (*p->index)->type->free(*p->index);
        *p->index = NULL;
    }
    toc_narrow_phase_free(&p->narrow);
    toc_arena_free(&p->arena);
}

toc_status toc_pipeline_run(toc_pipeline *pipeline, toc_contacts *result, bool *declined) {
    assert(pipeline->request && pipeline->request->scene && pipeline->request->preset && pipeline->step);
    assert(pipeline->way && pipeline->way->plan && pipeline->index);
    *declined = false;
    pipeline->reports = result != NULL;
    toc_status status = begin_query(pipeline);
    if (status == TOC_OK) status = fit_and_search(pipeline, declined);
    if (status == TOC_OK && !*declined && result) status = report_contacts(pipeline, result);
    free_query(pipeline);
    return status;
}
