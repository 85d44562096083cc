// SPDX-License-Identifier: Apache-2.0
// When moving DOPs overlap: never shorter than the truth in rational numbers, and hardly longer.
#include "bound/span.h"

#include <math.h>
#include <string.h>

#include "bound/dop.h"
#include "support/test.h"
#ifdef TOC_HAVE_GMP
#include <gmp.h>
#endif

enum { LANES = 8, FLOATS = 4 * LANES };

typedef float moving[FLOATS]; // lows and highs at the start, lows and highs at the end

static float coordinate(test_random *random, int round) {
    const int whole = (int)test_random_below(random, 7) - 3;
    if (round % 4 == 0) return (float)whole; // slabs that touch, rest and go along
    if (round % 4 == 1) return (float)whole + (float)test_random_between(random, -1, 1) * 0x1p-20f;
    const float x = (float)test_random_between(random, -3, 3);
    return round % 4 == 2 ? x : ldexpf(x, (int)test_random_below(random, 220) - 125);
}

static void make(test_random *random, int round, moving out) {
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < LANES; i++) {
            const float x = coordinate(random, round), y = coordinate(random, round);
            out[2 * LANES * end + i] = i < 7 ? fminf(x, y) - (round % 3 == 0) : -INFINITY;
            out[2 * LANES * end + LANES + i] = i < 7 ? fmaxf(x, y) + (round % 3 == 0) : INFINITY;
        }
}

#ifdef TOC_HAVE_GMP
static void set_gap(mpq_t gap, float low, float high) {
    mpq_t x;
    mpq_init(x);
    mpq_set_d(gap, (double)low);
    mpq_set_d(x, (double)high);
    mpq_sub(gap, gap, x);
    mpq_clear(x);
}

// Narrow [enter, leave] to where the gap is not positive.
static void narrow(const float *low, const float *high, mpq_t enter, mpq_t leave) {
    mpq_t from, to, zero;
    mpq_inits(from, to, zero, NULL);
    set_gap(from, low[0], high[0]);
    set_gap(to, low[2 * LANES], high[2 * LANES]);
    if (mpq_sgn(from) > 0 && mpq_sgn(to) > 0) {
        mpq_set_si(enter, 2, 1);
    } else if (mpq_sgn(from) > 0 || mpq_sgn(to) > 0) {
        mpq_sub(zero, from, to);
        mpq_div(zero, from, zero);
        if (mpq_sgn(from) > 0 && mpq_cmp(zero, enter) > 0) mpq_set(enter, zero);
        if (mpq_sgn(to) > 0 && mpq_cmp(zero, leave) < 0) mpq_set(leave, zero);
    }
    mpq_clears(from, to, zero, NULL);
}

// a <= b, and by no more than 2^-18 of b and 2^-125.
static void assert_just_below(const mpq_t a, const mpq_t b) {
    mpq_t slack, tiny;
    mpq_inits(slack, tiny, NULL);
    assert_true(mpq_cmp(a, b) <= 0);
    mpq_div_2exp(slack, b, 18);
    mpq_set_d(tiny, 0x1p-125);
    mpq_add(slack, slack, tiny);
    mpq_add(slack, slack, a);
    assert_true(mpq_cmp(slack, b) >= 0);
    mpq_clears(slack, tiny, NULL);
}

// Whether they overlap at some time of a window. Told wrong only where they nearly do.
static void check_window(const moving a, const moving b, const mpq_t enter, const mpq_t leave, double from, double to) {
    const toc_window window = {from, to};
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    mpq_set_d(low, from);
    mpq_set_d(high, to);
    if (mpq_cmp(enter, low) > 0) mpq_set(low, enter);
    if (mpq_cmp(leave, high) < 0) mpq_set(high, leave);
    const bool meet = toc_dops_meet(a, b, LANES, toc_window_look(&window));
    assert_int_equal(meet, toc_dops_meet(b, a, LANES, toc_window_look(&window)));
    if (mpq_cmp(low, high) <= 0)
        assert_true(meet);
    else if (mpq_get_d(low) > mpq_get_d(high) * (1 + 0x1p-17) + 0x1p-59)
        assert_false(meet);
    mpq_clears(low, high, NULL);
}

// @return whether they meet.
static bool check(const moving a, const moving b, double from, double to) {
    const toc_gaps gaps = toc_dops_gaps(a, b, LANES);
    mpq_t enter, leave, got[2];
    mpq_inits(enter, leave, got[0], got[1], NULL);
    mpq_set_si(leave, 1, 1);
    for (int i = 0; i < 7; i++) {
        narrow(a + i, b + LANES + i, enter, leave);
        narrow(b + i, a + LANES + i, enter, leave);
    }
    const bool meet = mpq_cmp(enter, leave) <= 0;
    check_window(a, b, enter, leave, 0, 1);
    check_window(a, b, enter, leave, from, to);
    if (mpq_cmp_si(enter, 1, 1) <= 0) {
        const toc_span span = toc_gaps_span(&gaps, LANES);
        mpq_set_d(got[0], (double)span.enter);
        mpq_set_d(got[1], (double)span.leave);
        assert_just_below(got[0], enter);
        assert_just_below(leave, got[1]);
    }
    mpq_clears(enter, leave, got[0], got[1], NULL);
    return meet;
}
#endif

static void against_rational_numbers(void **state) {
    (void)state;
#ifndef TOC_HAVE_GMP
    skip();
#else
    test_random random = test_random_make(0);
    int meet = 0, rounds = 60000;
    for (int round = 0; round < rounds; round++) {
        moving a, b;
        make(&random, round, a);
        make(&random, round, b);
        const double to = ldexp(test_random_between(&random, 0, 1), round % 7 ? 0 : -round % 200);
        meet += check(a, b, round % 2 ? 0 : to * (round % 5) / 4, to);
    }
    assert_true(meet > rounds / 50 && meet < rounds - rounds / 50);
#endif
}

// Points on straight lines at many times: wherever two are in one place, their DOPs overlap by then.
static void against_points_on_their_way(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_dop_kind kind;
    for (int round = 0; round < 3000; round++) {
        double x0[6], x1[6];
        const double t = test_random_between(&random, 0, 1), when = round % 10 == 0 ? 0 : round % 10 == 1 ? 1 : t;
        for (int c = 0; c < 3; c++) {
            x0[c] = test_random_between(&random, -1, 1), x1[c] = test_random_between(&random, -1, 1);
            const double x = (1 - when) * x0[c] + when * x1[c], v = test_random_between(&random, -2, 2) * (round % 3);
            x0[3 + c] = x - v * when, x1[3 + c] = x + v * (1 - when); // meets the first one then
        }
        assert_ok(toc_dop_kind_make(round % 2 ? 16 : 26, &kind));
        const toc_frame frame = toc_frame_around(2, x0, x1, 1);
        const size_t floats = toc_dop_floats(&kind);
        float start[2 * TOC_DOP_FLOATS_MOST], end[2 * TOC_DOP_FLOATS_MOST], both[2][2 * TOC_DOP_FLOATS_MOST];
        toc_dop_of_points(&kind, &frame, 2, x0, 0, start);
        toc_dop_of_points(&kind, &frame, 2, x1, 0, end);
        for (size_t i = 0; i < 2; i++) {
            memcpy(both[i], start + i * floats, floats * sizeof *start);
            memcpy(both[i] + floats, end + i * floats, floats * sizeof *end);
        }
        const toc_window windows[3] = {{0, when}, {when, 1}, {when, when}};
        for (int i = 0; i < 3; i++)
            assert_true(kind.lanes == 8 ? toc_dops_meet(both[0], both[1], 8, toc_window_look(&windows[i]))
                                        : toc_dops_meet(both[0], both[1], 16, toc_window_look(&windows[i])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_rational_numbers),
        cmocka_unit_test(against_points_on_their_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
