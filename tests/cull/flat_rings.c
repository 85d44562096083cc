// SPDX-License-Identifier: Apache-2.0
// Flat rings: no two features of a ring that is called flat touch, in exact arithmetic; vertices without a ring are
// never flat.
#include "cull/surface/flat_rings.h"

#include <math.h>
#include <string.h>

#include "pair/pair.h"
#include "support/test.h"

enum { MOST = 1 + TOC_RING_MOST };

// A closed fan around vertex 0, at both ends of a step.
typedef struct wheel {
    int size;
    uint32_t faces[TOC_RING_MOST][3];
    double x0[3 * MOST], x1[3 * MOST];
    double until; // the part of the step that counts
} wheel;

static wheel make_wheel(test_random *random, int size, int turns, double bend, double motion) {
    wheel w = {.size = size, .until = 1};
    for (int i = 0; i < size; i++) {
        const double angle = 2 * 3.14159265358979 * turns * (i + test_random_between(random, -0.3, 0.3)) / size;
        const double at[3] = {cos(angle), sin(angle), test_random_between(random, -bend, bend)};
        memcpy(w.x0 + 3 * (i + 1), at, sizeof at);
        const uint32_t p = (uint32_t)i + 1, q = (uint32_t)(i + 1) % (uint32_t)size + 1;
        memcpy(w.faces[i], i % 2 ? (uint32_t[]){0, p, q} : (uint32_t[]){q, 0, p}, sizeof w.faces[i]);
    }
    for (int i = 0; i < 3 * MOST; i++) w.x1[i] = w.x0[i] + test_random_between(random, -motion, motion);
    return w;
}

static toc_feature_set features_of(const wheel *w) {
    return (toc_feature_set){.vertex_count = (size_t)w->size + 1, .face_count = (size_t)w->size, .faces = w->faces};
}

static bool is_flat(const wheel *w) {
    const toc_feature_set set = features_of(w);
    toc_arena arena = toc_arena_make(NULL);
    toc_flat_rings rings;
    uint8_t flat[MOST] = {0};
    const toc_ring_motion motion = {w->x0, w->x1, w->until};
    assert_ok(toc_flat_rings_find(&arena, &set, &(toc_primitives){0}, 1, &rings));
    for (int size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++)
        toc_flat_rings_tell(&rings, (toc_ring_range){size, 0, rings.of[size].count}, &motion, flat);
    toc_arena_free(&arena);
    return flat[0];
}

static bool touch(const wheel *w, toc_kind kind, const uint32_t v[4]) {
    toc_pair pair;
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.to = w->until;
    for (int i = 0; i < 4; i++) {
        memcpy(pair.x0[i], w->x0 + 3 * v[i], sizeof pair.x0[i]);
        memcpy(pair.x1[i], w->x1 + 3 * v[i], sizeof pair.x1[i]);
    }
    assert_ok(toc_pair_find(kind, &pair, &test, &hit));
    return hit.verdict != TOC_APART;
}

// Any vertex on a face that has it not, any two edges apart from each other.
static bool touches_itself(const wheel *w) {
    const uint32_t size = (uint32_t)w->size;
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t p = i + 1, q = (i + 1) % size + 1;
        for (uint32_t v = 1; v <= size; v++) {
            if (v == p || v == q) continue;
            const uint32_t next = v % size + 1;
            if (touch(w, TOC_VF, (uint32_t[]){v, 0, p, q}) || touch(w, TOC_EE, (uint32_t[]){0, v, p, q})) return true;
            if (next != p && touch(w, TOC_EE, (uint32_t[]){v, next, p, q})) return true;
        }
    }
    return false;
}

// All of the step, or the beginning of it.
static void what_is_flat_does_not_touch_itself(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int flat = 0, touching = 0, rounds = 3000;
    for (int round = 0; round < rounds; round++) {
        const int size = TOC_RING_LEAST + (int)test_random_below(&random, TOC_RING_MOST - TOC_RING_LEAST + 1);
        wheel w = make_wheel(&random, size, 1, round % 3, 0.25 * (round % 7));
        if (round % 2) w.until = test_random_between(&random, 0, 1);
        const bool touches = touches_itself(&w);
        if (is_flat(&w)) {
            assert_false(touches);
            flat++;
        }
        touching += touches;
    }
    print_message("%d flat, %d touch themselves\n", flat, touching);
    assert_true(flat > rounds / 10 && touching > rounds / 10);
}

// A ring away from the origin whose first spoke ends exactly on the second one, at three quarters. The difference of
// that vertex and the one in the middle is rounded, which gives the triangle between the spokes an area.
static void spokes_on_one_line_are_not_flat(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 200; round++) {
        wheel w = make_wheel(&random, 4 + round % 6, 1, 0, 0);
        double middle[2], quarter[2];
        for (int c = 0; c < 2; c++) {
            middle[c] = rint(test_random_between(&random, 0x1p52, 0x1p53)) * 0x1p-52;
            quarter[c] = rint(test_random_between(&random, -0.6 * 0x1p53, -0.4 * 0x1p53)) * 0x1p-53;
        }
        const double start = atan2(quarter[1], quarter[0]), turn = 6.283185307179586 / (w.size - 1);
        for (int c = 0; c < 2; c++) {
            w.x0[c] = middle[c];
            w.x0[3 + c] = middle[c] + 2 * quarter[c] + quarter[c]; // exact, unlike 3 * quarter
            w.x0[6 + c] = middle[c] + 4 * quarter[c];
            for (int i = 3; i <= w.size; i++)
                w.x0[3 * i + c] = middle[c] + (c ? sin(start + (i - 2) * turn) : cos(start + (i - 2) * turn));
        }
        memcpy(w.x1, w.x0, sizeof w.x1);
        assert_true(touch(&w, TOC_VF, (uint32_t[]){1, 0, 2, 3}));
        assert_false(is_flat(&w));
    }
}

// Upright triangles that go round twice lie over each other.
static void two_turns_are_not_flat(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int size = 6; size <= TOC_RING_MOST; size++)
        for (int round = 0; round < 20; round++) {
            const wheel twice = make_wheel(&random, size, 2, 0, 0);
            assert_false(is_flat(&twice));
        }
    for (int size = 4; size <= TOC_RING_MOST; size++) {
        const wheel once = make_wheel(&random, size, 1, 0, 0.01);
        assert_true(is_flat(&once));
    }
}

// In a regular fan spokes lie on one line.
static void a_regular_fan_is_flat(void **state) {
    (void)state;
    wheel w = {.size = 6, .until = 1};
    const double x[7][3] = {{0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-1, 0, 0}, {-1, -1, 0}, {0, -1, 0}};
    memcpy(w.x0, x, sizeof x);
    memcpy(w.x1, x, sizeof x);
    for (uint32_t i = 0; i < 6; i++) memcpy(w.faces[i], (uint32_t[]){0, i + 1, (i + 1) % 6 + 1}, sizeof w.faces[i]);
    assert_true(is_flat(&w));
    w.x1[3] = -1; // a spoke that turns over, in the middle of the step
    assert_false(is_flat(&w));
    w.until = 0.25;
    assert_true(is_flat(&w));
}

// An open ring, a ring with a face too many, two rings at one vertex: none of them is one closed ring.
static void what_is_no_ring_is_left_alone(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    wheel open = make_wheel(&random, 6, 1, 0, 0), fin = make_wheel(&random, 6, 1, 0, 0);
    memcpy(open.faces[5], open.faces[0], sizeof open.faces[5]);
    assert_false(is_flat(&open));
    fin.size = 7;
    memcpy(fin.faces[6], (uint32_t[]){0, 1, 4}, sizeof fin.faces[6]);
    assert_false(is_flat(&fin));
    wheel rings = make_wheel(&random, 6, 1, 0, 0);
    for (uint32_t i = 0; i < 6; i++)
        memcpy(rings.faces[i], (uint32_t[]){0, i / 3 * 3 + i % 3 + 1, i / 3 * 3 + (i + 1) % 3 + 1},
               sizeof rings.faces[i]);
    assert_false(is_flat(&rings));
}

// An edge in no face hangs on the vertex and may touch its faces.
static void a_loose_edge_makes_it_none(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const wheel w = make_wheel(&random, 3, 1, 0, 0);
    const uint32_t edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    toc_feature_set set = features_of(&w);
    toc_arena arena = toc_arena_make(NULL);
    toc_flat_rings rings;
    set.vertex_count++;
    set.edges = edges;
    toc_primitive at[] = {[3] = {{0, 4, UINT32_MAX}, {3, UINT32_MAX, UINT32_MAX}}}; // faces first, then the loose edge
    for (set.edge_count = 3; set.edge_count <= 4; set.edge_count++) {
        const toc_primitives primitives = {set.edge_count, at};
        assert_ok(toc_flat_rings_find(&arena, &set, &primitives, 1, &rings));
        assert_int_equal(rings.of[3].count, 4 - set.edge_count);
    }
    toc_arena_free(&arena);
}

// Sizes beyond the range of products, and no size at all.
static void tiny_and_huge_ones_are_not_claimed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const double scales[] = {0, 1e-200, 1e200};
    for (int i = 0; i < 3; i++) {
        wheel w = make_wheel(&random, 6, 1, 0, 0);
        for (int j = 0; j < 3 * MOST; j++) w.x0[j] *= scales[i], w.x1[j] *= scales[i];
        assert_false(is_flat(&w));
    }
}

static toc_status find(const toc_allocator *allocator, void *user) {
    const toc_feature_set set = features_of(user);
    toc_arena arena = toc_arena_make(allocator);
    toc_flat_rings rings;
    const toc_status status = toc_flat_rings_find(&arena, &set, &(toc_primitives){0}, 1, &rings);
    toc_arena_free(&arena);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    wheel w = make_wheel(&random, 6, 1, 0, 0);
    assert_true(test_every_allocation(find, &w) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_flat_does_not_touch_itself),
        cmocka_unit_test(spokes_on_one_line_are_not_flat),
        cmocka_unit_test(two_turns_are_not_flat),
        cmocka_unit_test(a_regular_fan_is_flat),
        cmocka_unit_test(what_is_no_ring_is_left_alone),
        cmocka_unit_test(a_loose_edge_makes_it_none),
        cmocka_unit_test(tiny_and_huge_ones_are_not_claimed),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
