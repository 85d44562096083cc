// SPDX-License-Identifier: Apache-2.0
// The narrow phase: feature pairs in, contacts out. One worker a thread; together they give one answer.
#ifndef TOC_SEARCH_NARROW_PHASE_H
#define TOC_SEARCH_NARROW_PHASE_H

#include <pthread.h>

#include "bound/span.h"
#include "cull/shared.h"
#include "pair/certified.h"
#include "pair/prefilter.h"
#include "scene/pair_filter.h"
#include "search/contact_blocks.h"
#include "search/request.h"

enum { TOC_NARROW_CHUNK = TOC_CERTIFIED_CHUNK }; // pairs that are chosen at a time

typedef struct toc_narrow_worker {
    struct toc_narrow_phase *all;
    toc_arena scratch;
    toc_contact_blocks contacts;    // TOC_ANSWER_FIRST: at most one. TOC_ANSWER_ANY: those of one round.
    size_t round;                   // TOC_ANSWER_ANY: the round of the contacts
    uint64_t offered, asked, found; // pairs before the filter, behind it, and behind the test
    double filter_seconds, seconds; // of the pipeline's clock
    char apart[128];                // two threads do not write to the same cache lines
} toc_narrow_worker;

typedef struct toc_narrow_phase {
    const toc_request *request;
    const toc_step *step;
    toc_filter filter;
    toc_pair_test test;      // with the tolerance that the method uses, and the separation of the thickest pair
    double thickest;         // of all features (scene/thickness.h): each pair has its own; 0 where all are thin
    double reach;            // features farther apart than this are never reported
    toc_prefilter prefilter; // of a method in lanes: of the step; set by the index, or by toc_narrow_phase_pack
    toc_allocator allocator;
    _Atomic size_t round_with_contact; // TOC_ANSWER_ANY: later rounds do not matter
    toc_window window;     // TOC_ANSWER_FIRST: ends with the best contact; else the part of the step asked for
    _Atomic double beyond; // TOC_ANSWER_FIRST: x of a contact at the very start; else infinite
    bool collects;         // all contacts are kept, whatever the answer, until toc_narrow_phase_filter
    bool filters_late;     // that function drops contacts; no pair is dropped before its test
    pthread_mutex_t sink_lock;
    uint64_t sunk;   // contacts that the sink received
    bool sink_stops; // it asked to stop, and is not called again
    toc_allocator results;
    TOC_ARRAY(toc_contact) spilled;  // of `results`: contacts moved out
    bool repeats;                    // pairs may come more than once; each contact is kept once
    struct toc_device_rooms *device; // that tests; NULL for the processor (search/device_tests.h)
    int count;                       // workers, one a thread
    toc_narrow_worker *at;
    const toc_contact *sorted; // of toc_narrow_phase_take_sorted
    size_t sorted_count;
} toc_narrow_phase;

/// Features farther apart than this are never reported. The step of the scene need not be up to date.
double toc_narrow_phase_reach(const toc_scene *scene, const toc_query *query);
/// The result must stay in place until toc_narrow_phase_free, which may be called on failure too.
toc_status toc_narrow_phase_make(const toc_request *request, const toc_step *step, int count, toc_narrow_phase *out);
/// Pack the vertices of the step for the prefilter, where the method has one.
toc_status toc_narrow_phase_pack(toc_narrow_phase *phase);
void toc_narrow_phase_free(toc_narrow_phase *phase);

/// Begin a round; rounds are numbered the same for any number of threads. False when its contacts cannot matter.
bool toc_narrow_worker_begin(toc_narrow_worker *worker, size_t round);
/// Whether pairs must be chosen before they are tested: there is a filter, or only pairs before a contact matter.
bool toc_narrow_worker_filters(const toc_narrow_worker *worker);
/// Choose up to TOC_NARROW_CHUNK pairs that pass the filter and can matter. @return the number of pairs looked at.
size_t toc_narrow_worker_choose(const toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs,
                                size_t count, toc_feature_pair *chosen, size_t *chosen_count);
/// Test chosen pairs of features, and keep the contacts that the answer wants.
/// @return TOC_STOPPED when the round needs no more pairs (toc_narrow_worker_has_answer).
toc_status toc_narrow_worker_test(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs,
                                  size_t count);
/// Keep the contact of a pair that is not apart, if the answer wants it. @param asked the test that found it: the pair
/// is tested again unless that was its own test, with its own thickness over the whole step. NULL: it was.
toc_status toc_narrow_worker_consider(toc_narrow_worker *worker, toc_kind kind, const uint32_t vertices[4],
                                      const toc_pair_test *asked, toc_hit hit);
/// The test of a pair, up to the end of the part of the step that still matters.
toc_pair_test toc_narrow_phase_test_now(const toc_narrow_phase *phase);
/// TOC_ANSWER_ANY: whether the round of a worker has a contact.
bool toc_narrow_worker_has_answer(const toc_narrow_worker *worker);
/// Test up to TOC_NARROW_CHUNK pairs on the processor, by a method in lanes, and consider them.
toc_status toc_narrow_worker_ask(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                                 const toc_pair_test *test);
void toc_narrow_worker_end(toc_narrow_worker *worker);
/// TOC_ANSWER_ALL: take contacts that are complete and in order, beside those of the workers. They must stay until the
/// answer is made.
void toc_narrow_phase_note_found(toc_narrow_phase *phase, size_t count);
void toc_narrow_phase_take_sorted(toc_narrow_phase *phase, const toc_contact *contacts, size_t count);

/// Collect all contacts of the tests, whatever the answer and the filter of the request, until toc_narrow_phase_filter.
void toc_narrow_phase_collect(toc_narrow_phase *phase);
/// Drop the collected contacts that the filter does not want. From now on the answer is that of the request.
void toc_narrow_phase_filter(toc_narrow_phase *phase);
/// The answer that the tests work for.
static inline toc_answer toc_narrow_phase_answer(const toc_narrow_phase *phase) {
    return phase->collects ? TOC_ANSWER_ALL : phase->request->query.answer;
}

/// Whether contacts at this x or further along can be the answer.
bool toc_narrow_phase_wants(const toc_narrow_phase *phase, double left);

/// Whether contacts go to the sink while they are found. Else they are collected, since some may be dropped later.
static inline bool toc_narrow_phase_streams(const toc_narrow_phase *phase) {
    const toc_query *query = &phase->request->query;
    return query->sink.take && query->answer == TOC_ANSWER_ALL && !phase->repeats && !phase->filters_late;
}
/// Whether the contacts of the one worker are moved to `spilled` now and then, which is not counted as memory of the
/// query.
static inline bool toc_narrow_phase_spills(const toc_narrow_phase *phase) {
    const toc_query *query = &phase->request->query;
    return phase->request->thrifty && !query->sink.take && query->answer == TOC_ANSWER_ALL && !phase->filters_late;
}
/// Move the contacts of a worker.
toc_status toc_narrow_worker_spill(toc_narrow_worker *worker);
/// Name the vertices of contacts as the caller knows them, and hand the contacts to the sink. @return TOC_STOPPED if it
/// wants no more.
toc_status toc_narrow_phase_sink(toc_narrow_phase *phase, toc_contact *contacts, size_t count);
/// Hand over the contacts of a worker.
toc_status toc_narrow_worker_sink(toc_narrow_worker *worker);

#endif
