// SPDX-License-Identifier: Apache-2.0
// Contacts decided and placed in lanes have every bit of those of single pairs, for any number of lanes.
#include "pair/place.h"

#include <string.h>

#include "base/backend.h"
#include "pair/certified.h"
#include "support/queries.h"

enum { PAIRS = 509 }; // no multiple of any number of lanes

typedef struct placing {
    test_query queries[PAIRS];
    double start[4 * PAIRS][3], end[4 * PAIRS][3];
    uint32_t vertices[PAIRS][4];
    toc_pair_batch batch;
    toc_arena scratch;
} placing;

/// Pairs of one kind; of a family, or of all in turn.
static placing *placing_make(test_random *random, toc_kind kind, int family) {
    placing *p = test_malloc(sizeof *p);
    for (uint32_t i = 0; i < PAIRS; i++) {
        test_query *q = &p->queries[i];
        do *q = test_query_make(random, family < 0 ? (int)(i % TEST_ALL_FAMILIES) : family);
        while (q->kind != kind);
        for (uint32_t k = 0; k < 4; k++) {
            p->vertices[i][k] = 4 * (PAIRS - 1 - i) + 3 - k;
            memcpy(p->start[p->vertices[i][k]], q->pair.x0[k], sizeof *p->start);
            memcpy(p->end[p->vertices[i][k]], q->pair.x1[k], sizeof *p->end);
        }
    }
    p->batch = (toc_pair_batch){.kind = kind,
                                .count = PAIRS,
                                .vertices = (const uint32_t(*)[4])p->vertices,
                                .body0 = {*p->start, *p->start},
                                .body1 = {*p->end, *p->end}};
    p->scratch = toc_arena_make(NULL);
    return p;
}

static void placing_free(placing *p) {
    toc_arena_free(&p->scratch);
    test_free(p);
}

static void assert_same_hit(const toc_hit *a, const toc_hit *b) {
    assert_int_equal(a->verdict, b->verdict);
    assert_double_same(a->toc, b->toc);
    for (int k = 0; k < 4; k++) assert_double_same(a->weights[k], b->weights[k]);
    for (int k = 0; k < 3; k++) assert_double_same(a->point[k], b->point[k]);
    for (int k = 0; k < 3; k++) assert_double_same(a->normal[k], b->normal[k]);
}

// ---- whole answers

static void check_hits_of(placing *p, const toc_pair_test *test) {
    const toc_certified_hit *hits;
    size_t count, next = 0;
    toc_prefilter prefilter;
    assert_ok(toc_prefilter_make_for(&p->scratch, &p->batch, &prefilter));
    assert_ok(toc_certified_hits(&p->batch, &prefilter, test, &p->scratch, &hits, &count));
    for (size_t i = 0; i < PAIRS; i++) {
        toc_hit single;
        assert_ok(toc_pair_find(p->batch.kind, &p->queries[i].pair, test, &single));
        if (single.verdict == TOC_APART) continue;
        assert_true(next < count && hits[next].pair == i);
        assert_same_hit(&hits[next++].hit, &single);
    }
    assert_int_equal(next, count);
}

// Ties among them, which single pairs decide behind all rounds of the certified kernel, and batches before.
static void hits_of_a_batch_are_those_of_single_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 4 * (TEST_ALL_FAMILIES + 1); n++) {
        placing *p = placing_make(&random, n % 2 ? TOC_EE : TOC_VF, n / 4 - 1);
        toc_pair_test test = toc_pair_test_default();
        if (n % 4 > 1) test.from = test_random_between(&random, 0, 0.5), test.to = test_random_between(&random, 0.5, 1);
        if (n % 16 == 4) test.tolerance = 0x1p-10;
        check_hits_of(p, &test);
        placing_free(p);
    }
}

// ---- the kernels

typedef struct kernel_hits {
    size_t count;
    uint32_t at[PAIRS];
    toc_hit hits[PAIRS], *each[PAIRS];
} kernel_hits;

/// The hits of the certified kernel, with their times alone.
static kernel_hits *hits_of_kernel(const placing *p) {
    kernel_hits *h = test_malloc(sizeof *h);
    toc_verdict verdicts[PAIRS];
    double times[PAIRS];
    const toc_certified_work work = {.pairs = p->batch, .from = 0, .to = 1, .verdicts = verdicts, .times = times};
    toc_backend_of(1)->certified(&work);
    h->count = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (verdicts[i] != TOC_HIT) continue;
        h->at[h->count] = i;
        h->each[h->count] = &h->hits[h->count];
        h->hits[h->count++] = (toc_hit){.verdict = TOC_HIT, .toc = times[i]};
    }
    return h;
}

/// @return the number of hits left to single pairs.
static size_t check_kernel(placing *p, int lanes) {
    kernel_hits *h = hits_of_kernel(p);
    const toc_place_work work = {.pairs = p->batch, .count = h->count, .at = h->at, .hits = h->each};
    const toc_pair_test test = toc_pair_test_default();
    uint32_t left[PAIRS];
    const size_t left_count = toc_backend_of(lanes)->place(&work, left);
    size_t next = 0;
    for (size_t i = 0; i < h->count; i++) {
        const toc_pair *pair = &p->queries[h->at[i]].pair;
        toc_hit single = {.verdict = TOC_HIT, .toc = h->hits[i].toc};
        const bool is_left = next < left_count && left[next] == i;
        next += is_left;
        if (is_left) {
            assert_same_hit(&h->hits[i], &single); // untouched
        } else {
            assert_ok(toc_certified_locate(p->batch.kind, pair->x0, pair->x1, &test, &p->scratch, &single));
            assert_same_hit(&h->hits[i], &single);
        }
    }
    assert_int_equal(next, left_count);
    test_free(h);
    return left_count;
}

static void every_number_of_lanes_places_alike(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 2 * (TEST_ALL_FAMILIES + 1); n++) {
        placing *p = placing_make(&random, n % 2 ? TOC_EE : TOC_VF, n / 2 - 1);
        const size_t alone = check_kernel(p, 1);
        for (int lanes = 4; lanes <= 8; lanes *= 2)
            if (toc_backend_of(lanes)) assert_int_equal(check_kernel(p, lanes), alone);
        placing_free(p);
    }
}

// A place in scalar arithmetic costs five times as much.
static void common_hits_are_placed_in_lanes(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 4; n++) {
        placing *p = placing_make(&random, n % 2 ? TOC_EE : TOC_VF, n / 2 ? TEST_UNIFORM : TEST_SLOW);
        assert_in_range(check_kernel(p, toc_backend_here()->lanes), 0, 10);
        placing_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_of_a_batch_are_those_of_single_pairs),
        cmocka_unit_test(every_number_of_lanes_places_alike),
        cmocka_unit_test(common_hits_are_placed_in_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
