// SPDX-License-Identifier: Apache-2.0
// Many elementary questions at once, with the same answers as pair by pair. The certified test uses the widest kernel
// of the machine; other methods run one by one. Exact arithmetic decides the undecided pairs.
#include "base/arithmetic.h"
#include "pair/certified.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/backend.h"
#include "pair/place.h"

enum { PART = TOC_CERTIFIED_CHUNK / 4 }; // pairs between two checks of whether enough are left for a kernel

static toc_pair pair_of(const toc_pair_batch *batch, size_t i) {
    toc_pair pair;
    for (int k = 0; k < 4; k++) {
        const int second = k > (batch->kind == TOC_VF ? 0 : 1);
        for (int c = 0; c < 3; c++) {
            const size_t at = batch->vertices ? 3 * (size_t)batch->vertices[i][k] + (size_t)c : i;
            pair.x0[k][c] = (batch->vertices ? batch->body0[second] : batch->x0[3 * k + c])[at];
            pair.x1[k][c] = (batch->vertices ? batch->body1[second] : batch->x1[3 * k + c])[at];
        }
    }
    return pair;
}

static bool is_finite(const toc_pair *pair) {
    double sum = 0;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) sum += 0 * pair->x0[k][c] + 0 * pair->x1[k][c];
    return sum == 0;
}

static toc_status find_one(const toc_pair_batch *batch, size_t i, const toc_pair_test *test, toc_arena *scratch,
                           toc_verdict *verdict, double *time) {
    const toc_pair pair = pair_of(batch, i);
    if (!is_finite(&pair)) return toc_fail(TOC_BAD_INPUT, "a coordinate of pair %zu is not finite", i);
    toc_hit hit;
    TOC_TRY(toc_pair_find_unchecked(batch->kind, pair.x0, pair.x1, test, scratch, &hit));
    *verdict = hit.verdict;
    if (hit.verdict != TOC_APART) *time = hit.toc;
    return TOC_OK;
}

// The whole answer for a pair that a kernel did not call apart: a pair out of the kernels' range is tried again,
// scaled; exact arithmetic decides it if needed.
static toc_status settle(toc_kind kind, const toc_pair *pair, const toc_pair_test *test, toc_arena *scratch,
                         toc_hit *hit) {
    if (hit->verdict == TOC_UNDECIDED) toc_certified_rescale(kind, pair->x0, pair->x1, test, &hit->verdict, &hit->toc);
    if (hit->verdict == TOC_UNDECIDED && test->exact)
        return toc_exact_pair(kind, pair->x0, pair->x1, test, scratch, hit);
    return toc_certified_locate(kind, pair->x0, pair->x1, test, scratch, hit);
}

// Pairs that a kernel left undecided, among them those that are not finite.
static toc_status settle_undecided(const toc_pair_batch *batch, size_t i, const toc_pair_test *test, toc_arena *scratch,
                                   toc_verdict *verdict, double *time) {
    const toc_pair pair = pair_of(batch, i);
    if (!is_finite(&pair)) return toc_fail(TOC_BAD_INPUT, "a coordinate of pair %zu is not finite", i);
    toc_hit hit = {.verdict = *verdict, .toc = *time};
    TOC_TRY(settle(batch->kind, &pair, test, scratch, &hit));
    *verdict = hit.verdict;
    if (hit.verdict != TOC_APART) *time = hit.toc;
    return TOC_OK;
}

static toc_pair_batch part_of(const toc_pair_batch *batch, size_t first, size_t most) {
    toc_pair_batch part = *batch;
    part.count = batch->count - first < most ? batch->count - first : most;
    if (part.vertices) part.vertices += first;
    for (int c = 0; c < 12 && !part.vertices; c++) part.x0[c] += first, part.x1[c] += first;
    return part;
}

static void run_kernel(const toc_pair_batch *pairs, const toc_pair_test *test, toc_verdict *verdicts, double *times) {
    const toc_certified_work work = {.pairs = *pairs,
                                     .tolerance = test->tolerance,
                                     .separation = test->separation,
                                     .from = test->from,
                                     .to = test->to,
                                     .verdicts = verdicts,
                                     .times = times};
    toc_backend_here()->certified(&work);
}

static toc_status find_in_columns(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                  toc_verdict *verdicts, double *times) {
    for (size_t first = 0; first < batch->count; first += TOC_CERTIFIED_CHUNK) {
        const toc_pair_batch part = part_of(batch, first, TOC_CERTIFIED_CHUNK);
        run_kernel(&part, test, verdicts + first, times + first);
        for (size_t i = first; i < first + part.count; i++)
            if (verdicts[i] == TOC_UNDECIDED)
                TOC_TRY(settle_undecided(batch, i, test, scratch, &verdicts[i], &times[i]));
    }
    return TOC_OK;
}

bool toc_certified_finds_crossings(const toc_pair_test *test) { return test->tolerance == 0 && test->separation == 0; }

bool toc_certified_decides_ties(const toc_pair_test *test) {
    return toc_certified_finds_crossings(test) && test->exact && test->from == 0 && test->to == 1;
}

bool toc_certified_is_prefiltered(const toc_prefilter *prefilter, const toc_pair_test *test) {
    return prefilter->bodies[0] && test->exact && toc_certified_finds_crossings(test);
}

// The pairs that the prefilter leaves of a part that begins with pair number `first`.
static void gather(toc_certified_gathered *some, const toc_prefilter *prefilter, const toc_pair_batch *part,
                   size_t first, const toc_pair_test *test) {
    assert(part->count <= TOC_CERTIFIED_CHUNK - some->count);
    uint32_t rest[TOC_CERTIFIED_CHUNK];
    const size_t count = toc_prefilter_at(toc_backend_here(), prefilter, part, test, rest);
    some->prefiltered = toc_certified_is_prefiltered(prefilter, test);
    for (size_t i = 0; i < count; i++, some->count++) {
        some->at[some->count] = first + rest[i];
        memcpy(some->vertices[some->count], part->vertices[rest[i]], sizeof *some->vertices);
    }
}

static toc_pair_batch gathered_batch(const toc_certified_gathered *some, const toc_pair_batch *batch) {
    toc_pair_batch pairs = *batch;
    pairs.count = some->count;
    pairs.vertices = (const uint32_t(*)[4])some->vertices;
    return pairs;
}

static void solve_gathered(toc_certified_gathered *some, const toc_pair_batch *batch, const toc_pair_test *test,
                           bool *ties) {
    assert(some->count <= TOC_CERTIFIED_CHUNK);
    const toc_pair_batch pairs = gathered_batch(some, batch);
    const toc_certified_work work = {.pairs = pairs,
                                     .tolerance = test->tolerance,
                                     .separation = test->separation,
                                     .from = test->from,
                                     .to = test->to,
                                     .prefiltered = some->prefiltered,
                                     .verdicts = some->verdicts,
                                     .times = some->times,
                                     .ties = ties};
    toc_backend_here()->certified(&work);
}

static toc_status find_gathered(toc_certified_gathered *some, const toc_pair_batch *batch, const toc_pair_test *test,
                                toc_arena *scratch, toc_verdict *verdicts, double *times) {
    solve_gathered(some, batch, test, NULL);
    for (size_t i = 0; i < some->count; i++) {
        const size_t at = some->at[i];
        verdicts[at] = some->verdicts[i];
        if (verdicts[at] != TOC_APART) times[at] = some->times[i];
        if (verdicts[at] == TOC_UNDECIDED)
            TOC_TRY(settle_undecided(batch, at, test, scratch, &verdicts[at], &times[at]));
    }
    some->count = 0;
    return TOC_OK;
}

static toc_status find_in_list(const toc_pair_batch *batch, const toc_prefilter *prefilter, const toc_pair_test *test,
                               toc_arena *scratch, toc_verdict *verdicts, double *times) {
    toc_certified_gathered *some = toc_arena_new(scratch, 1, sizeof *some);
    if (!some) return TOC_OUT_OF_MEMORY;
    some->prefiltered = false;
    some->count = 0;
    for (size_t first = 0; first < batch->count; first += PART) {
        const toc_pair_batch part = part_of(batch, first, PART);
        for (size_t i = 0; i < part.count; i++) verdicts[first + i] = TOC_APART;
        gather(some, prefilter, &part, first, test);
        if (some->count > TOC_CERTIFIED_CHUNK - PART)
            TOC_TRY(find_gathered(some, batch, test, scratch, verdicts, times));
    }
    return find_gathered(some, batch, test, scratch, verdicts, times);
}

static toc_status find_certified(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                 toc_verdict *verdicts, double *times) {
    if (!batch->vertices) return find_in_columns(batch, test, scratch, verdicts, times);
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_prefilter prefilter;
    TOC_TRY(toc_prefilter_make_for(scratch, batch, &prefilter));
    const toc_status status = find_in_list(batch, &prefilter, test, scratch, verdicts, times);
    toc_arena_back(scratch, mark);
    return status;
}

toc_status toc_pair_find_batch_unchecked(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                         toc_verdict *verdicts, double *times) {
    if (toc_method_row_of(test->method)->in_lanes) return find_certified(batch, test, scratch, verdicts, times);
    for (size_t i = 0; i < batch->count; i++) TOC_TRY(find_one(batch, i, test, scratch, &verdicts[i], &times[i]));
    return TOC_OK;
}

// ---- hits

// Hits that a kernel fills, and their numbers among the gathered pairs.
typedef struct hit_list {
    size_t count;
    uint32_t *at;
    toc_hit **hits;
} hit_list;

static bool hit_list_make(toc_arena *arena, size_t most, hit_list *out) {
    *out = (hit_list){.at = toc_arena_new(arena, most, sizeof *out->at),
                      .hits = toc_arena_new(arena, most, sizeof *out->hits)};
    return out->at && out->hits;
}

static void hit_list_add(hit_list *list, size_t at, toc_hit *hit) {
    list->at[list->count] = (uint32_t)at;
    list->hits[list->count++] = hit;
}

// The work of a query for its hits: the gathered pairs, and how each of them is answered. Too large for the stack.
typedef struct hit_search {
    toc_pair_batch pairs;
    const toc_pair_test *test;
    toc_arena *scratch;
    hit_list crossings, ties;    // to be placed; to be decided
    toc_certified_gathered some; // all
    toc_certified_hit *hits;     // of those that may touch
} hit_search;

// The answer of the certified kernel to a pair; the place of a crossing is found later.
static toc_status take_answer(hit_search *s, size_t at, toc_verdict verdict, double time, toc_hit *hit) {
    hit->verdict = verdict;
    hit->toc = time;
    if (verdict == TOC_APART) return TOC_OK;
    if (verdict == TOC_HIT && toc_certified_finds_crossings(s->test)) {
        hit_list_add(&s->crossings, at, hit);
        return TOC_OK;
    }
    const toc_pair pair = pair_of(&s->pairs, at);
    return settle(s->pairs.kind, &pair, s->test, s->scratch, hit);
}

// Pairs that the kernel of ties leaves go through all rounds of the certified kernel.
static toc_status decide_ties(hit_search *s) {
    const toc_place_work work = {.pairs = s->pairs, .count = s->ties.count, .at = s->ties.at, .hits = s->ties.hits};
    uint32_t left[TOC_CERTIFIED_CHUNK];
    const size_t left_count = work.count ? toc_backend_here()->tie(&work, left) : 0;
    if (left_count == 0) return TOC_OK;
    toc_certified_gathered *again = toc_arena_new(s->scratch, 1, sizeof *again);
    if (!again) return TOC_OUT_OF_MEMORY;
    again->prefiltered = false;
    again->count = left_count;
    for (size_t i = 0; i < again->count; i++)
        memcpy(again->vertices[i], s->pairs.vertices[s->ties.at[left[i]]], sizeof *again->vertices);
    solve_gathered(again, &s->pairs, s->test, NULL);
    for (size_t i = 0; i < again->count; i++)
        TOC_TRY(take_answer(s, s->ties.at[left[i]], again->verdicts[i], again->times[i], s->ties.hits[left[i]]));
    return TOC_OK;
}

// As toc_certified_locate does one by one.
static toc_status place_crossings(const hit_search *s) {
    const hit_list *list = &s->crossings;
    const toc_place_work work = {.pairs = s->pairs, .count = list->count, .at = list->at, .hits = list->hits};
    uint32_t left[TOC_CERTIFIED_CHUNK];
    const size_t left_count = work.count ? toc_backend_here()->place(&work, left) : 0;
    for (size_t i = 0; i < left_count; i++) {
        const toc_pair pair = pair_of(&s->pairs, list->at[left[i]]);
        TOC_TRY(toc_certified_locate(s->pairs.kind, pair.x0, pair.x1, s->test, s->scratch, list->hits[left[i]]));
    }
    return TOC_OK;
}

// Drop the pairs that turned out to be apart. @return the number of hits.
static size_t keep_hits(toc_certified_hit *hits, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (hits[i].hit.verdict == TOC_APART) continue;
        if (kept < i) hits[kept] = hits[i];
        kept++;
    }
    return kept;
}

static size_t count_open(const toc_certified_gathered *some) {
    size_t count = 0;
    for (size_t i = 0; i < some->count; i++) count += some->verdicts[i] != TOC_APART;
    return count;
}

// From the answers of the certified kernel to the gathered pairs to their hits.
static toc_status find_hits(hit_search *s, const toc_pair_batch *batch, const toc_certified_hit **hits, size_t *count) {
    const toc_certified_gathered *some = &s->some;
    const size_t open = count_open(some);
    size_t found = 0;
    s->pairs = gathered_batch(some, batch);
    s->hits = toc_arena_new(s->scratch, open, sizeof *s->hits);
    if (!s->hits || !hit_list_make(s->scratch, open, &s->crossings) || !hit_list_make(s->scratch, open, &s->ties))
        return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < some->count; i++) {
        if (some->verdicts[i] == TOC_APART) continue;
        toc_hit *hit = &s->hits[found].hit;
        s->hits[found++].pair = some->at[i];
        if (some->ties[i])
            hit_list_add(&s->ties, i, hit);
        else
            TOC_TRY(take_answer(s, i, some->verdicts[i], some->times[i], hit));
    }
    TOC_TRY(decide_ties(s));
    TOC_TRY(place_crossings(s));
    *count = keep_hits(s->hits, found);
    *hits = s->hits;
    return TOC_OK;
}

// The work for some pairs. @return NULL when memory is out.
static hit_search *hit_search_new(const toc_pair_test *test, toc_arena *scratch) {
    hit_search *s = toc_arena_new(scratch, 1, sizeof *s);
    if (!s) return NULL;
    s->test = test;
    s->scratch = scratch;
    s->some.count = 0;
    return s;
}

toc_status toc_certified_hits(const toc_pair_batch *batch, const toc_prefilter *prefilter, const toc_pair_test *test,
                              toc_arena *scratch, const toc_certified_hit **hits, size_t *count) {
    assert(batch->vertices && batch->count <= TOC_CERTIFIED_CHUNK);
    assert(toc_method_row_of(test->method)->in_lanes);
    hit_search *s = hit_search_new(test, scratch);
    if (!s) return TOC_OUT_OF_MEMORY;
    toc_certified_gathered *some = &s->some;
    gather(some, prefilter, batch, 0, test);
    memset(some->ties, 0, some->count * sizeof *some->ties);
    solve_gathered(some, batch, test, toc_certified_decides_ties(test) ? some->ties : NULL);
    return find_hits(s, batch, hits, count);
}

toc_status toc_certified_settle(const toc_pair_batch *batch, const toc_certified_gathered *answers,
                                const toc_pair_test *test, toc_arena *scratch, const toc_certified_hit **hits,
                                size_t *count) {
    assert(batch->vertices && answers->count <= TOC_CERTIFIED_CHUNK);
    hit_search *s = hit_search_new(test, scratch);
    if (!s) return TOC_OUT_OF_MEMORY;
    s->some = *answers;
    for (size_t i = 0; i < answers->count; i++)
        memcpy(s->some.vertices[i], batch->vertices[answers->at[i]], sizeof *s->some.vertices);
    return find_hits(s, batch, hits, count);
}

static toc_status check_given(const toc_pair_batch *batch, const toc_verdict *verdicts, const double *times) {
    bool given = verdicts && times;
    for (int b = 0; b < 2 && batch->vertices; b++) given &= batch->body0[b] && batch->body1[b];
    for (int c = 0; c < 12 && !batch->vertices; c++) given &= batch->x0[c] && batch->x1[c];
    if (given || batch->count == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT,
                    "a batch needs 12 columns for each end, or vertices and both bodies at each end, and "
                    "room for verdicts and times; one is NULL");
}

toc_status toc_pair_find_batch(const toc_pair_batch *batch, const toc_pair_test *test, toc_verdict *verdicts,
                               double *times) {
    TOC_SCOPED_ARITHMETIC;
    toc_pair_test settings;
    TOC_NEED(batch);
    TOC_TRY(toc_kind_check(batch->kind));
    TOC_TRY(toc_pair_test_take(test, &settings));
    TOC_TRY(check_given(batch, verdicts, times));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_pair_find_batch_unchecked(batch, &settings, &scratch, verdicts, times);
    toc_arena_free(&scratch);
    return status;
}
