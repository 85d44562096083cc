// SPDX-License-Identifier: Apache-2.0
// k-DOPs: points on straight paths stay inside, in exact arithmetic; primitives far apart do not overlap.
#include "bound/dop.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "bound/block.h"
#include "bound/moving.h"
#include "bound/overlap.h"
#include "support/test.h"

static const int kinds[] = {6, 14, 16, 18, 26};

static toc_dop_kind kind_of(int k) {
    toc_dop_kind kind;
    assert_ok(toc_dop_kind_make(k, &kind));
    return kind;
}

static void only_known_kinds(void **state) {
    (void)state;
    toc_dop_kind kind;
    assert_fails(toc_dop_kind_make(8, &kind), TOC_BAD_INPUT, "not 8");
    for (int i = 0; i < 5; i++) {
        kind = kind_of(kinds[i]);
        assert_int_equal(kind.directions * 2, kinds[i]);
        for (int a = 0; a < kind.directions; a++)
            for (int b = 0; b < a; b++) assert_memory_not_equal(kind.axes[a], kind.axes[b], sizeof kind.axes[a]);
    }
}

// Along an axis, in the frame: exactly.
static void along(mpq_t out, const toc_frame *frame, const int8_t axis[3], const double x[3]) {
    mpq_t term, part;
    mpq_inits(term, part, NULL);
    mpq_set_ui(out, 0, 1);
    for (int c = 0; c < 3; c++) {
        mpq_set_d(term, x[c]);
        mpq_set_d(part, frame->centre[c]);
        mpq_sub(term, term, part);
        mpq_set_si(part, axis[c], 1);
        mpq_mul(term, term, part);
        mpq_add(out, out, term);
    }
    mpq_set_d(part, frame->scale);
    mpq_mul(out, out, part);
    mpq_clears(term, part, NULL);
}

static void assert_inside(const toc_dop_kind *kind, const toc_frame *frame, const double x[3], const float *dop) {
    mpq_t value, bound;
    mpq_inits(value, bound, NULL);
    for (int d = 0; d < kind->directions; d++) {
        along(value, frame, kind->axes[d], x);
        mpq_set_d(bound, (double)dop[d]);
        assert_true(mpq_cmp(bound, value) <= 0);
        mpq_set_d(bound, (double)dop[kind->lanes + d]);
        assert_true(mpq_cmp(bound, value) >= 0);
    }
    mpq_clears(value, bound, NULL);
}

static void rounding_never_cuts_a_point_off(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 400; round++) {
        enum { POINTS = 8 };
        double x0[3 * POINTS], x1[3 * POINTS];
        const double scale = ldexp(1, (int)test_random_below(&random, 2000) - 1000);
        const double place = round % 3 ? 0 : 1e6 * scale;
        for (int i = 0; i < 3 * POINTS; i++) {
            x0[i] = place + scale * test_random_between(&random, -1, 1);
            x1[i] = place + scale * test_random_between(&random, -1, 1) * (test_random_below(&random, 8) ? 1 : 1e-20);
        }
        const toc_dop_kind kind = kind_of(kinds[round % 5]);
        const toc_frame frame = toc_frame_around(POINTS, x0, x1, 1);
        float start[POINTS * 32], end[POINTS * 32];
        toc_dop_of_points(&kind, &frame, POINTS, x0, 0, start);
        toc_dop_of_points(&kind, &frame, POINTS, x1, 0, end);
        toc_dop_join(&kind, POINTS, end, start);
        float edge[32];
        const uint32_t ends[2] = {1, 6};
        toc_dop_of_features(&kind, start, ends, 2, 1, edge);
        for (int i = 0; i < POINTS; i++) {
            assert_inside(&kind, &frame, x0 + 3 * i, start + (size_t)i * toc_dop_floats(&kind));
            assert_inside(&kind, &frame, x1 + 3 * i, start + (size_t)i * toc_dop_floats(&kind));
        }
        assert_inside(&kind, &frame, x0 + 3, edge);
        assert_inside(&kind, &frame, x1 + 18, edge);
    }
}

// Boxes and moving DOPs of packed triangles hold the triangles at both ends.
static void packing_never_cuts_a_corner_off(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 200; round++) {
        double x0[9], x1[9];
        const double scale = ldexp(1, (int)test_random_below(&random, 1800) - 900), place = round % 3 ? 0 : 1e6 * scale;
        for (int i = 0; i < 9; i++) x0[i] = place + scale * test_random_between(&random, -1, 1);
        for (int i = 0; i < 9; i++) x1[i] = place + scale * test_random_between(&random, -1, 1);
        const toc_dop_kind kind = kind_of(kinds[round % 5]), box_kind = kind_of(6);
        const toc_frame frame = toc_frame_around(3, x0, x1, 1);
        toc_packed packed[3];
        const float grown = toc_packed_grown(&frame, 0, toc_packed_set(&frame, 3, x0, x1, packed));
        const toc_dop_axes axes = toc_dop_axes_of(&kind, grown);
        const uint32_t corners[1][3] = {{2, 0, 1}};
        float moving[2 * TOC_DOP_FLOATS_MOST], box[TOC_BOX_FLOATS], slabs[16];
        toc_dop_of_packed(&axes, kind.lanes, packed, corners[0], moving);
        toc_packed_boxes(packed, grown, corners, 1, box);
        for (int c = 0; c < 3; c++) slabs[c] = box[c], slabs[8 + c] = box[4 + c];
        for (int i = 0; i < 3; i++) {
            assert_inside(&kind, &frame, x0 + 3 * i, moving);
            assert_inside(&kind, &frame, x1 + 3 * i, moving + 2 * kind.lanes);
            assert_inside(&box_kind, &frame, x0 + 3 * i, slabs);
            assert_inside(&box_kind, &frame, x1 + 3 * i, slabs);
        }
        for (int d = kind.directions; d < kind.lanes; d++)
            assert_true(moving[d] == -INFINITY && moving[kind.lanes + d] == INFINITY);
    }
}

// Points a thickness apart, in any direction, must overlap when each is grown by half of it; at three times the
// thickness along an axis they must not.
static void thickness_reaches_in_every_direction(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_dop_kind kind = kind_of(26);
    for (int round = 0; round < 2000; round++) {
        double x[6] = {0}, n[3], length = 0;
        for (int c = 0; c < 3; c++) n[c] = test_random_between(&random, -1, 1);
        for (int c = 0; c < 3; c++) length += n[c] * n[c];
        for (int c = 0; c < 3; c++) x[3 + c] = n[c] / sqrt(length);
        const toc_frame frame = toc_frame_around(2, x, x, 1);
        float dops[64];
        toc_dop_of_points(&kind, &frame, 2, x, 0.5 * (1 + 1e-12), dops);
        assert_true(toc_dops_overlap(dops, dops + 32, kind.lanes));
        toc_dop_of_points(&kind, &frame, 2, x, 0.1, dops);
        assert_false(toc_dops_overlap(dops, dops + 32, kind.lanes));
    }
}

// Each lane must count: overlap in all but one direction is no overlap.
static void every_slab_separates(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        const toc_dop_kind kind = kind_of(kinds[i]);
        float a[32], b[32];
        for (int d = 0; d < 2 * kind.lanes; d++) a[d] = b[d] = d < kind.lanes ? -1 : 1;
        assert_true(toc_dops_overlap(a, b, kind.lanes));
        for (int d = 0; d < kind.directions; d++) {
            a[d] = 1.5f;
            a[kind.lanes + d] = 2;
            assert_false(toc_dops_overlap(a, b, kind.lanes));
            assert_false(toc_dops_overlap(b, a, kind.lanes));
            a[d] = 1; // touching
            assert_true(toc_dops_overlap(a, b, kind.lanes));
            a[d] = -1, a[kind.lanes + d] = 1;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_known_kinds),
        cmocka_unit_test(rounding_never_cuts_a_point_off),
        cmocka_unit_test(packing_never_cuts_a_corner_off),
        cmocka_unit_test(thickness_reaches_in_every_direction),
        cmocka_unit_test(every_slab_separates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
