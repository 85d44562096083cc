// SPDX-License-Identifier: Apache-2.0
// Many elementary questions at once: the certified test by the widest kernel of the machine, any other method one by
// one, and what stays undecided by exact arithmetic. The same answers as pair by pair.
#include "exact/certified.h"

#include <math.h>
#include <string.h>

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

// The whole answer for a pair that a kernel did not call apart: coordinates beyond its range are looked at again, and
// what needs exact arithmetic gets it.
static toc_status settle(toc_kind kind, const toc_pair *pair, const toc_pair_test *test, toc_arena *scratch,
                         toc_hit *hit) {
    if (hit->verdict == TOC_UNDECIDED) toc_certified_rescale(kind, pair->x0, pair->x1, test, &hit->verdict, &hit->toc);
    if (hit->verdict == TOC_UNDECIDED && test->exact && test->separation == 0)
        return toc_exact_pair(kind, pair->x0, pair->x1, test, scratch, hit);
    if (hit->verdict != TOC_APART) toc_hit_locate(kind, pair->x0, pair->x1, hit);
    return TOC_OK;
}

// What a kernel left undecided, which is also what is not finite.
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

static toc_pair_batch part_of(const toc_pair_batch *batch, size_t first) {
    toc_pair_batch part = *batch;
    part.count = batch->count - first < TOC_CERTIFIED_CHUNK ? batch->count - first : TOC_CERTIFIED_CHUNK;
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
    toc_certified_find_kernel(0)(&work);
}

static toc_status find_certified(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                 toc_verdict *verdicts, double *times) {
    for (size_t first = 0; first < batch->count; first += TOC_CERTIFIED_CHUNK) {
        const toc_pair_batch part = part_of(batch, first);
        run_kernel(&part, test, verdicts + first, times + first);
        for (size_t i = first; i < first + part.count; i++)
            if (verdicts[i] == TOC_UNDECIDED)
                TOC_TRY(settle_undecided(batch, i, test, scratch, &verdicts[i], &times[i]));
    }
    return TOC_OK;
}

toc_status toc_pair_find_batch_unchecked(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                         toc_verdict *verdicts, double *times) {
    if (test->method == TOC_CERTIFIED) return find_certified(batch, test, scratch, verdicts, times);
    for (size_t i = 0; i < batch->count; i++) TOC_TRY(find_one(batch, i, test, scratch, &verdicts[i], &times[i]));
    return TOC_OK;
}

toc_status toc_certified_hits(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                              toc_hit *hits) {
    toc_verdict verdicts[TOC_CERTIFIED_CHUNK];
    double times[TOC_CERTIFIED_CHUNK];
    run_kernel(batch, test, verdicts, times);
    for (size_t i = 0; i < batch->count; i++) {
        hits[i].verdict = verdicts[i];
        if (verdicts[i] == TOC_APART) continue;
        hits[i].toc = times[i];
        const toc_pair pair = pair_of(batch, i);
        TOC_TRY(settle(batch->kind, &pair, test, scratch, &hits[i]));
    }
    return TOC_OK;
}

toc_status toc_pair_find_batch(const toc_pair_batch *batch, const toc_pair_test *test, toc_verdict *verdicts,
                               double *times) {
    if (batch->kind != TOC_VF && batch->kind != TOC_EE)
        return toc_fail(TOC_BAD_INPUT, "there is no pair kind number %d", (int)batch->kind);
    TOC_TRY(toc_pair_test_check(test));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_pair_find_batch_unchecked(batch, test, &scratch, verdicts, times);
    toc_arena_free(&scratch);
    return status;
}
