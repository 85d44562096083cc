// SPDX-License-Identifier: Apache-2.0
// Triangle axes: dropped pairs do not touch, in exact arithmetic, and most pairs that stay apart are dropped.
#include "cull/surface/triangle_axes.h"

#include <string.h>

#include "pair/pair.h"
#include "support/test.h"

enum { COUPLES = 100, VERTICES = 6 * COUPLES };

// Leaf 2i against leaf 2i + 1.
typedef struct fixture {
    toc_leaf_pair pairs[COUPLES], kept[COUPLES + 1];
    uint32_t corners[2 * COUPLES][3];
    double x0[3 * VERTICES], x1[3 * VERTICES];
} fixture;

static fixture *make(test_random *random, double spread, double motion, double scale) {
    static fixture f;
    memset(&f, 0, sizeof f);
    for (uint32_t i = 0; i < 2 * COUPLES; i++) {
        for (uint32_t j = 0; j < 3; j++) f.corners[i][j] = 3 * i + j;
        f.pairs[i / 2] = (toc_leaf_pair){i / 2 * 2, i / 2 * 2 + 1};
        double away[3];
        for (int c = 0; c < 3; c++) away[c] = test_random_between(random, -spread, spread);
        for (uint32_t j = 9 * i; j < 9 * i + 9; j++) {
            f.x0[j] = scale * (test_random_between(random, -1, 1) + away[j % 3]);
            f.x1[j] = f.x0[j] + scale * test_random_between(random, -motion, motion);
        }
    }
    return &f;
}

static size_t part(fixture *f, double distance, const toc_window *window) {
    static toc_packed packed[VERTICES];
    const toc_frame frame = toc_frame_around(VERTICES, f->x0, f->x1, 1);
    assert_true(toc_packed_set(&frame, VERTICES, f->x0, f->x1, packed) <= 1);
    const toc_triangle_axes how = {.corners = (const uint32_t(*)[3])f->corners,
                                   .packed = packed,
                                   .distance = (float)(distance * frame.scale) * (1 + 0x1p-20f),
                                   .window = window};
    return toc_triangle_axes_separate(&how, f->pairs, COUPLES, f->kept);
}

static bool is_kept(const fixture *f, size_t count, uint32_t couple) {
    for (size_t i = 0; i < count; i++)
        if (f->kept[i].a == 2 * couple) return true;
    return false;
}

static bool touch(const fixture *f, toc_kind kind, const uint32_t v[4], double distance, const toc_window *window) {
    toc_pair pair;
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = distance > 0 ? TOC_METHOD_CERTIFIED : TOC_METHOD_EXACT;
    test.separation = distance;
    test.from = window->from;
    test.to = window->to;
    for (int i = 0; i < 4; i++) {
        memcpy(pair.x0[i], f->x0 + 3 * v[i], sizeof pair.x0[i]);
        memcpy(pair.x1[i], f->x1 + 3 * v[i], sizeof pair.x1[i]);
    }
    assert_ok(toc_pair_find(kind, &pair, &test, &hit));
    return hit.verdict == TOC_HIT;
}

static bool triangles_touch(const fixture *f, uint32_t couple, double distance, const toc_window *window) {
    const uint32_t *a = f->corners[2 * couple], *b = f->corners[2 * couple + 1];
    for (int i = 0; i < 3; i++) {
        if (touch(f, TOC_VF, (uint32_t[]){a[i], b[0], b[1], b[2]}, distance, window)) return true;
        if (touch(f, TOC_VF, (uint32_t[]){b[i], a[0], a[1], a[2]}, distance, window)) return true;
        for (int j = 0; j < 3; j++)
            if (touch(f, TOC_EE, (uint32_t[]){a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]}, distance, window))
                return true;
    }
    return false;
}

static void what_touches_is_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t touching = 0, parted = 0, apart = 0;
    for (int round = 0; round < 60; round++) {
        const double distance = round % 4 == 3 ? 0.1 : 0, to = round % 3 ? 1 : 0.3;
        const toc_window window = {round % 5 ? 0 : 0.2, to};
        fixture *f = make(&random, 0.5 * (round % 4), 0.5 * (round % 5), 1);
        const size_t count = part(f, distance, &window);
        for (uint32_t i = 0; i < COUPLES; i++) {
            const bool touches = triangles_touch(f, i, distance, &window), kept = is_kept(f, count, i);
            assert_true(kept || !touches);
            touching += touches;
            apart += !touches;
            parted += !kept;
        }
    }
    print_message("%zu touch, %zu do not, %zu parted\n", touching, apart, parted);
    assert_true(touching > 500);
    assert_true(parted > apart / 2);
}

// Size does not matter, as long as there is one, and as it can be packed.
static void tiny_and_huge_ones(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_window window = {0, 1};
    const double scales[] = {1e-290, 1e-25, 1e25, 1e290};
    for (int i = 0; i < 4; i++) assert_true(part(make(&random, 3, 0.1, scales[i]), 0, &window) < COUPLES / 2);
    assert_int_equal(part(make(&random, 3, 0.1, 0), 0, &window), COUPLES);
    const fixture *f = make(&random, 3, 0.1, 1e307);
    const toc_frame frame = toc_frame_around(VERTICES, f->x0, f->x1, 1);
    static toc_packed packed[VERTICES];
    assert_true(toc_packed_set(&frame, VERTICES, f->x0, f->x1, packed) > 1);
}

// Triangles that are small beside the scene: their rounding to single precision must be counted.
static void small_ones_in_a_large_scene(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_window window = {0, 1};
    size_t touching = 0;
    for (int round = 0; round < 30; round++) {
        fixture *f = make(&random, 0.5, 0.5, 1e-7 * (1 + round % 10));
        for (int i = 0; i < 3 * VERTICES; i++) f->x0[i] += 0.7, f->x1[i] += 0.7;
        f->x0[0] = -1;
        const size_t count = part(f, 0, &window);
        for (uint32_t i = 1; i < COUPLES; i++) {
            const bool touches = triangles_touch(f, i, 0, &window);
            assert_true(is_kept(f, count, i) || !touches);
            touching += touches;
        }
    }
    assert_true(touching > 100);
}

// A corner that goes through the scene to a corner of the other triangle, and reaches it just before the window ends:
// rounding of the way, which is long, must not take it back.
static void corners_that_come_from_afar(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 200; round++) {
        const toc_window window = {0, test_random_between(&random, 0.3, 0.9)};
        fixture *f = make(&random, 0, 0, 0);
        for (uint32_t i = 0; i < COUPLES; i++) {
            const int axis = (int)(i % 3);
            const double near = test_random_between(&random, 0.7, 1), past = near * (1 / window.to - 1) * (1 + 1e-9);
            double start[3], end[3];
            for (int c = 0; c < 3; c++) {
                start[c] = test_random_between(&random, -0.9, 0.9);
                end[c] = test_random_between(&random, -0.9, 0.9);
            }
            for (int j = 0; j < 6; j++) {
                const double side = j < 3 ? 1 : -1;
                double *x0 = f->x0 + 18 * i + 3 * j, *x1 = f->x1 + 18 * i + 3 * j;
                for (int c = 0; c < 3; c++) {
                    const double behind = j % 3 == 0 ? 0 : test_random_between(&random, 0.01, 0.1);
                    const double off = c == axis ? side * behind : behind - 0.05 * (j % 3 > 0);
                    x0[c] = (c == axis ? side * near : start[c]) + off;
                    x1[c] = (c == axis ? -side * past : end[c]) + off;
                }
            }
        }
        assert_int_equal(part(f, 0, &window), COUPLES);
    }
}

static void neighbours_are_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_window window = {0, 1};
    fixture *f = make(&random, 3, 0.1, 1);
    for (uint32_t i = 0; i < COUPLES; i++) f->corners[2 * i + 1][i % 3] = f->corners[2 * i][i / 3 % 3];
    assert_int_equal(part(f, 0, &window), COUPLES);
}

// Loose edges and points repeat their vertices.
static void points_and_edges(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_window window = {0, 1};
    fixture *f = make(&random, 3, 0.1, 1);
    for (uint32_t i = 0; i < COUPLES; i++) {
        uint32_t *v = f->corners[2 * i + i % 2];
        v[2] = v[0];
        if (i % 3) v[1] = v[0];
    }
    assert_true(part(f, 0, &window) < COUPLES / 2);
    memcpy(f->x1, f->x0, sizeof f->x0);
    memcpy(f->x0 + 9, f->x0, 9 * sizeof *f->x0); // two in one place
    memcpy(f->x1 + 9, f->x0, 9 * sizeof *f->x0);
    assert_true(is_kept(f, part(f, 0, &window), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_touches_is_kept),        cmocka_unit_test(tiny_and_huge_ones),
        cmocka_unit_test(small_ones_in_a_large_scene), cmocka_unit_test(corners_that_come_from_afar),
        cmocka_unit_test(neighbours_are_kept),         cmocka_unit_test(points_and_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
