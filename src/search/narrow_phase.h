// SPDX-License-Identifier: Apache-2.0
// The last stage: feature pairs in, contacts out. One tester a thread; together they give one answer.
#ifndef TOC_SEARCH_NARROW_PHASE_H
#define TOC_SEARCH_NARROW_PHASE_H

#include "bound/span.h"
#include "cull/shared.h"
#include "pair/prefilter.h"
#include "scene/pair_filter.h"

typedef struct toc_narrow_worker {
    struct toc_narrow_phase *all;
    toc_arena scratch;
    TOC_ARRAY(toc_contact) contacts; // TOC_ANSWER_FIRST: at most one. TOC_ANSWER_ANY: those of one round.
    size_t round;                    // TOC_ANSWER_ANY: the round the contacts are of
    uint64_t offered, asked, found;  // before the filter, behind it, and behind the test
    double filter_seconds, seconds;
} toc_narrow_worker;

typedef struct toc_narrow_phase {
    const toc_step *step;
    toc_filter filter;
    toc_answer answer;
    toc_pair_test test;
    toc_prefilter glance; // TOC_METHOD_CERTIFIED: of the step; set by toc_narrow_phase_pack or by who has packed it
    toc_allocator allocator;
    _Atomic size_t round_with_contact; // TOC_ANSWER_ANY: no later round is of interest
    toc_window window;     // TOC_ANSWER_FIRST: ends with the best contact; else the part of the step asked for
    _Atomic double beyond; // TOC_ANSWER_FIRST: where there is a contact at the very start, its x; else infinite
    bool late;             // the filter is asked about contacts only, by toc_narrow_phase_filter
    bool repeats;          // pairs may be asked more than once; each is kept once
    int count;             // one for each thread
    toc_narrow_worker *at;
} toc_narrow_phase;

/// Must stay where it is until toc_narrow_phase_free.
toc_status toc_narrow_phase_make(const toc_scene *scene, const toc_query *query, toc_method method, int count,
                                 toc_narrow_phase *out);
/// Pack the step's vertices for a first look, where the method takes one.
toc_status toc_narrow_phase_pack(toc_narrow_phase *testers);
void toc_narrow_phase_free(toc_narrow_phase *testers);

/// Begin a round of questions, numbered the same for any number of threads. False when its answers cannot matter.
bool toc_narrow_worker_begin(toc_narrow_worker *tester, size_t round);
/// Whether contacts that are at least so far along x can be the answer.
bool toc_narrow_phase_wants(const toc_narrow_phase *testers, double left);
/// Ask whether pairs of features touch, those that pass the filter, and keep the contacts as the answer wants them.
toc_status toc_narrow_worker_ask(toc_narrow_worker *tester, toc_kind kind, const toc_feature_pair *pairs, size_t count);
void toc_narrow_worker_end(toc_narrow_worker *tester);
/// Of testers that filter late: drop the contacts that the filter does not want.
void toc_narrow_phase_filter(toc_narrow_phase *testers);

/// Make the answer of all testers together; the same however the rounds were spread over them.
/// @param stages copied into the result, and behind them one for the filter where there is one, and one for the test.
toc_status toc_narrow_phase_answer(const toc_narrow_phase *testers, const toc_stage *stages, size_t stage_count,
                                   toc_contacts **out);

#endif
