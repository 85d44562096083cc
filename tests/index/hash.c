// SPDX-License-Identifier: Apache-2.0
// Spatial hashing: every overlapping pair once, for any sizes, cells, table and threads.
#include "index/hash.h"

#include <math.h>
#include <string.h>

#include "base/backend.h"
#include "bound/overlap.h"
#include "support/test.h"

enum { MOST = 400 };

typedef struct fixture {
    toc_dop_kind kind;
    size_t count;
    double low[3 * MOST], high[3 * MOST];
    float dops[MOST * 32], boxes[MOST * TOC_BOX_FLOATS];
    toc_packed packed[MOST];
    uint32_t corners[MOST][3]; // a primitive is one moving point
    uint8_t found[MOST][MOST]; // by primitive
    uint64_t largest;
    bool between; // pairs of one table and another
} fixture;

static const float *dop_of(const fixture *f, size_t i) { return f->dops + i * toc_dop_floats(&f->kind); }

// Boxes whose edges are anything from `smallest` to 1, by their logarithm; their DOPs as if corners moved along them.
static fixture *make(test_random *random, int k, size_t count, double smallest) {
    static fixture f;
    static float end[MOST * 32];
    f = (fixture){.count = count};
    assert_ok(toc_dop_kind_make(k, &f.kind));
    for (size_t i = 0; i < count; i++) {
        const double size = exp(test_random_between(random, log(smallest), 0));
        for (size_t c = 0; c < 3; c++) {
            f.low[3 * i + c] = test_random_between(random, -1, 1);
            f.high[3 * i + c] = f.low[3 * i + c] + size * test_random_between(random, -1, 1);
        }
    }
    const toc_frame frame = {.scale = 1};
    toc_dop_of_points(&f.kind, &frame, count, f.low, 0, f.dops);
    toc_dop_of_points(&f.kind, &frame, count, f.high, 0, end);
    toc_dop_join(&f.kind, count, end, f.dops);
    return &f;
}

static toc_status note(void *user, const toc_leaf_pair *pairs, size_t count) {
    fixture *f = user;
    if (count > f->largest) f->largest = count;
    for (size_t i = 0; i < count; i++) {
        assert_true(f->between || pairs[i].a < pairs[i].b);
        f->found[pairs[i].a][pairs[i].b]++;
    }
    return TOC_OK;
}

// Piece by piece, or by one of the kernels after the other.
static toc_hash_counts search(fixture *f, const toc_hash *hash, const toc_hash *other, toc_hash_overlap overlap) {
    static const int lanes[] = {0, 1, 4, 8};
    static unsigned turn;
    const int wanted = lanes[turn++ % 4];
    const toc_backend *backend = wanted ? toc_backend_of(wanted) : NULL;
    toc_hash_kernel *kernel = backend ? backend->hash : NULL;
    toc_hash_search s = {.hash = hash, .other = other, .overlap = overlap, .take = note, .user = f};
    memset(f->found, 0, sizeof f->found);
    f->between = other != NULL;
    if (kernel) assert_ok(kernel(&s, 0, hash->items.count));
    for (size_t i = 0; i < toc_hash_pieces(hash) && !kernel; i++) assert_ok(toc_hash_run(&s, i));
    assert_true(f->largest <= TOC_LEAF_PAIRS);
    return s.counts;
}

static void assert_all_pairs(fixture *f, const toc_hash *hash) {
    const toc_hash_counts counts = search(f, hash, NULL, TOC_HASH_DOPS);
    uint64_t overlapping = 0;
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = i + 1; j < f->count; j++) {
            const bool overlap = toc_dops_overlap(dop_of(f, i), dop_of(f, j), f->kind.lanes);
            assert_int_equal(f->found[i][j], overlap);
            overlapping += overlap;
        }
    assert_int_equal(counts.found, overlapping);
    assert_true(counts.box_pairs >= counts.found && counts.voxel_pairs >= counts.box_pairs);
}

static toc_hash_input all_of(const fixture *f) {
    return (toc_hash_input){.kind = &f->kind, .dops = f->dops, .count = f->count};
}

static void every_overlapping_pair_once(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const int kinds[] = {6, 14, 16, 18, 26};
    const double smallest[] = {0.9, 0.3, 1e-2, 1e-4, 1e-8};
    const toc_allocator allocator = toc_allocator_get_default();
    toc_hash hash = toc_hash_make(&allocator); // one table for all: it must not remember
    for (int round = 0; round < 90; round++) {
        fixture *f = make(&random, kinds[round % 5], test_random_below(&random, MOST), smallest[round / 5 % 5]);
        const toc_hash_input input = all_of(f);
        toc_hash_form form = {.finer = round % 2,
                              .table = round / 2 % 2 ? TOC_HASH_PRIME : TOC_HASH_BLOCKS,
                              .voxels = round % 3 ? 2 : 0.05};
        form.cell = round % 7 ? toc_hash_cell(&input) : toc_hash_longest(&input);
        if (round % 11 == 0) form.cell = (float)test_random_between(&random, 1e-9, 20);
        assert_ok(toc_hash_build(&hash, &form, &input, 1 + round % 3));
        assert_all_pairs(f, &hash);
    }
    toc_hash_free(&hash);
}

// Without the test of boxes: at least the overlapping ones, and still each once.
static void pairs_of_a_cell_once(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_hash hash = toc_hash_make(&allocator);
    for (int round = 0; round < 40; round++) {
        fixture *f = make(&random, 16, MOST, round % 2 ? 0.1 : 1e-3);
        const toc_hash_input input = all_of(f);
        const toc_hash_form form = {.cell = 0.1f, .finer = true, .table = TOC_HASH_PRIME, .voxels = 0.2};
        assert_ok(toc_hash_build(&hash, &form, &input, 1));
        search(f, &hash, NULL, TOC_HASH_CELLS);
        for (size_t i = 0; i < f->count; i++)
            for (size_t j = i + 1; j < f->count; j++) {
                assert_true(f->found[i][j] <= 1);
                if (toc_dops_overlap(dop_of(f, i), dop_of(f, j), f->kind.lanes)) assert_int_equal(f->found[i][j], 1);
            }
    }
    toc_hash_free(&hash);
}

// Pack the points and bound them by boxes. @return the input of a table of boxes alone.
static toc_hash_input boxes_of(fixture *f, float grown) {
    toc_packed_set(&(toc_frame){.scale = 1}, f->count, f->low, f->high, f->packed);
    for (uint32_t i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++) f->corners[i][k] = i;
    toc_packed_boxes(f->packed, grown, (const uint32_t(*)[3])f->corners, f->count, f->boxes);
    return (toc_hash_input){.kind = &f->kind, .boxes = f->boxes, .count = f->count};
}

static bool points_may_meet(const fixture *f, const toc_dop_axes *axes, size_t i, size_t j, toc_look look) {
    float a[2 * TOC_DOP_FLOATS_MOST], b[2 * TOC_DOP_FLOATS_MOST];
    toc_dop_of_packed(axes, f->kind.lanes, f->packed, f->corners[i], a);
    toc_dop_of_packed(axes, f->kind.lanes, f->packed, f->corners[j], b);
    return toc_dops_may_meet(a, b, f->kind.lanes, look);
}

// Boxes along the way of points: of those that overlap, the pairs that are there at the same time are left. Primitives
// whose DOPs have one place among those made lately do not disturb each other.
static toc_hash_counts search_moving(fixture *f, const toc_hash *hash, const toc_dop_axes *axes,
                                     const toc_window *window) {
    static toc_hash_room room;
    toc_hash_search s = {.hash = hash,
                         .overlap = TOC_HASH_MOVING,
                         .axes = axes,
                         .packed = f->packed,
                         .corners = (const uint32_t(*)[3])f->corners,
                         .window = window,
                         .room = &room,
                         .take = note,
                         .user = f};
    for (size_t i = 0; i < toc_hash_pieces(hash); i++) assert_ok(toc_hash_run(&s, i));
    return s.counts;
}

static void moving_pairs_that_meet(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_hash hash = toc_hash_make(&allocator);
    for (int round = 0; round < 20; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, MOST, 0.3);
        const toc_hash_input input = boxes_of(f, 0.03f);
        const toc_window window = {0, round % 3 ? 1 : 0.4};
        const toc_dop_axes axes = toc_dop_axes_of(&f->kind, 0.03f);
        assert_ok(toc_hash_build(&hash, &(toc_hash_form){.cell = 0.3f, .finer = true, .voxels = 1}, &input, 1));
        const toc_hash_counts counts = search_moving(f, &hash, &axes, &window);
        const toc_look look = toc_window_look(&window);
        for (size_t i = 0; i < f->count; i++)
            for (size_t j = i + 1; j < f->count; j++)
                assert_int_equal(f->found[i][j], points_may_meet(f, &axes, i, j, look));
        assert_true(0 < counts.found && counts.found < counts.box_pairs / 2);
    }
    toc_hash_free(&hash);
}

// Coordinates that overflowed: their bounds hold everything, and no pair is lost.
static void an_infinite_margin_keeps_all_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_hash hash = toc_hash_make(&allocator);
    fixture *f = make(&random, 18, 40, 0.3);
    for (size_t i = 0; i < 3 * f->count; i += 7) f->low[i] = i % 2 ? NAN : INFINITY;
    const toc_hash_input input = boxes_of(f, INFINITY);
    const toc_window window = {0, 1};
    const toc_dop_axes axes = toc_dop_axes_of(&f->kind, INFINITY);
    assert_ok(toc_hash_build(&hash, &(toc_hash_form){.cell = 0.3f, .finer = true, .voxels = 1}, &input, 1));
    assert_int_equal(search_moving(f, &hash, &axes, &window).found, f->count * (f->count - 1) / 2);
    toc_hash_free(&hash);
}

// Some primitives in one table, the rest in another; then a few of the second leave it by their stamps.
static void between_two_tables(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_hash tables[2] = {toc_hash_make(&allocator), toc_hash_make(&allocator)};
    for (int round = 0; round < 60; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, MOST, round % 3 ? 0.05 : 1e-5);
        uint32_t ids[2][MOST], stamps[MOST];
        size_t counts[2] = {0, 0};
        for (uint32_t i = 0; i < f->count; i++) {
            const bool second = test_random_below(&random, 3) == 0;
            stamps[i] = second ? 7 : 0;
            ids[second][counts[second]++] = i;
        }
        const toc_hash_input every = all_of(f);
        const toc_hash_form form = {.cell = toc_hash_cell(&every), .finer = round % 4 > 0, .voxels = 1};
        for (int t = 0; t < 2; t++) {
            toc_hash_input input = all_of(f);
            input.count = counts[t];
            input.all = f->count;
            input.beside = t ? tables[0].homes : 0;
            input.ids = ids[t];
            input.stamps = t ? stamps : NULL;
            input.stamp = 7;
            assert_ok(toc_hash_build(&tables[t], &form, &input, 2));
        }
        assert_ok(toc_hash_admit(&tables[0], tables[1].homes, 2));
        for (int i = 0; i < 10; i++) stamps[ids[1][i]] = 0;
        search(f, &tables[0], &tables[1], TOC_HASH_DOPS);
        for (size_t i = 0; i < counts[0]; i++)
            for (size_t j = 0; j < counts[1]; j++) {
                const uint32_t a = ids[0][i], b = ids[1][j];
                const bool overlap = toc_dops_overlap(dop_of(f, a), dop_of(f, b), f->kind.lanes);
                assert_int_equal(f->found[a][b], overlap && j >= 10);
                assert_int_equal(f->found[b][a], 0);
            }
    }
    toc_hash_free(&tables[0]);
    toc_hash_free(&tables[1]);
}

static void assert_same_tables(const toc_hash_input *input) {
    const toc_allocator allocator = toc_allocator_get_default();
    const toc_hash_form form = {.cell = 0.03f, .voxels = 2};
    toc_hash one = toc_hash_make(&allocator);
    assert_ok(toc_hash_build(&one, &form, input, 1));
    for (int threads = 2; threads < 20; threads += 3) {
        toc_hash many = toc_hash_make(&allocator);
        assert_ok(toc_hash_build(&many, &form, input, threads));
        assert_int_equal(many.items.count, one.items.count);
        assert_memory_equal(many.items.at, one.items.at, one.items.count * sizeof *one.items.at);
        assert_memory_equal(many.first.at, one.first.at, (2 * one.voxel_count + 1) * sizeof *one.first.at);
        toc_hash_free(&many);
    }
    toc_hash_free(&one);
}

// The table is the same, item by item, for any number of threads; also where most items are in the cells of one block,
// whose slots are filled in parts.
static void any_number_of_threads_builds_the_same(void **state) {
    (void)state;
    enum { MANY = 20000 };
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_dop_kind kind;
    assert_ok(toc_dop_kind_make(6, &kind));
    float *dops = toc_new(&allocator, MANY, toc_dop_floats(&kind) * sizeof *dops);
    double *x = toc_new(&allocator, MANY, 3 * sizeof *x);
    for (int crowded = 0; crowded < 2; crowded++) {
        for (size_t i = 0; i < 3 * MANY; i++)
            x[i] = test_random_between(&random, -1, 1) * (crowded && i > MANY ? 0.05 : 1);
        toc_dop_of_points(&kind, &(toc_frame){.scale = 1}, MANY, x, 0.01, dops);
        assert_same_tables(&(toc_hash_input){.kind = &kind, .dops = dops, .count = MANY});
    }
    toc_free(&allocator, dops, MANY, toc_dop_floats(&kind) * sizeof *dops);
    toc_free(&allocator, x, MANY, 3 * sizeof *x);
}

// One primitive a million times as long as the rest: into few cells all the same, and found against all it covers.
static void one_huge_among_tiny_ones(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_allocator memory;
    test_allocator_make(&memory, 0);
    const toc_hash_form forms[] = {{.cell = 1e-6f, .voxels = 2}, {.cell = 1e-6f, .finer = true, .voxels = 2}};
    for (int round = 0; round < 2; round++) {
        fixture *f = make(&random, 26, MOST, 1e-6);
        for (size_t i = 0; i < 3 * MOST; i++) f->high[i] = f->low[i] = test_random_between(&random, -1, 1);
        for (size_t c = 0; c < 3; c++) f->low[c] = -1, f->high[c] = 1;
        float end[32];
        toc_dop_of_points(&f->kind, &(toc_frame){.scale = 1}, MOST, f->low, 5e-7, f->dops);
        toc_dop_of_points(&f->kind, &(toc_frame){.scale = 1}, 1, f->high, 5e-7, end);
        toc_dop_join(&f->kind, 1, end, f->dops);
        const toc_hash_input input = all_of(f);
        toc_hash hash = toc_hash_make(&memory.allocator);
        assert_ok(toc_hash_build(&hash, &forms[round], &input, 1));
        assert_true(hash.items.count < 32 * MOST);
        assert_true(memory.alive < 500 * MOST);
        assert_all_pairs(f, &hash);
        toc_hash_free(&hash);
    }
    assert_int_equal(memory.alive, 0);
}

// A thousand times the motion, by some more than by others: the table stays as large.
static void any_motion_takes_few_cells(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_allocator memory;
    test_allocator_make(&memory, 0);
    for (double times = 1; times <= 1000; times *= 10) {
        fixture *f = make(&random, 16, MOST, 0.5);
        float end[MOST * 32];
        for (size_t i = 0; i < 3 * MOST; i++)
            f->high[i] = f->low[i] + 1e-3 * times * exp(test_random_between(&random, -3, 0)) * (i % 2 ? -1 : 1);
        toc_dop_of_points(&f->kind, &(toc_frame){.scale = 1}, MOST, f->low, 5e-3, f->dops);
        toc_dop_of_points(&f->kind, &(toc_frame){.scale = 1}, MOST, f->high, 5e-3, end);
        toc_dop_join(&f->kind, MOST, end, f->dops);
        const toc_hash_input input = all_of(f);
        toc_hash hash = toc_hash_make(&memory.allocator);
        const toc_hash_form form = {.cell = toc_hash_cell(&input), .finer = true, .voxels = 0.5};
        assert_ok(toc_hash_build(&hash, &form, &input, 1));
        assert_true(hash.items.count < 16 * MOST);
        assert_true(memory.alive < 500 * MOST);
        assert_all_pairs(f, &hash);
        toc_hash_free(&hash);
    }
}

// All in one place: every pair overlaps, and is handed over in batches.
static void primitives_in_one_place(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    fixture *f = make(&random, 16, MOST, 0.5);
    for (size_t i = 1; i < f->count; i++)
        memcpy(f->dops + i * toc_dop_floats(&f->kind), f->dops, toc_dop_floats(&f->kind) * sizeof(float));
    const toc_hash_input input = all_of(f);
    toc_hash hash = toc_hash_make(&allocator);
    assert_ok(toc_hash_build(&hash, &(toc_hash_form){.cell = 0.1f, .voxels = 1}, &input, 1));
    assert_all_pairs(f, &hash);
    for (size_t i = 0; i < toc_hash_pieces(&hash); i++) { // one voxel is work for many threads
        toc_hash_search s = {.hash = &hash, .overlap = TOC_HASH_DOPS, .take = note, .user = f};
        assert_ok(toc_hash_run(&s, i));
        assert_true(s.counts.voxel_pairs <= TOC_HASH_PIECE * hash.items.count);
    }
    toc_hash_free(&hash);
}

static toc_status refuse(void *user, const toc_leaf_pair *pairs, size_t count) {
    (void)user;
    (void)pairs;
    return count ? TOC_STOPPED : TOC_OK;
}

static void the_taker_can_end_the_search(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    fixture *f = make(&random, 16, MOST, 1);
    const toc_hash_input input = all_of(f);
    toc_hash hash = toc_hash_make(&allocator);
    assert_ok(toc_hash_build(&hash, &(toc_hash_form){.cell = 1, .voxels = 1}, &input, 1));
    toc_hash_search s = {.hash = &hash, .overlap = TOC_HASH_DOPS, .take = refuse};
    int stopped = 0;
    for (size_t i = 0; i < toc_hash_pieces(&hash); i++) stopped += toc_hash_run(&s, i) == TOC_STOPPED;
    assert_true(stopped > 0);
    toc_hash_free(&hash);
}

static toc_status build_one(const toc_allocator *allocator, void *user) {
    const fixture *f = user;
    const toc_hash_input input = all_of(f);
    toc_hash hash = toc_hash_make(allocator);
    const toc_status status = toc_hash_build(&hash, &(toc_hash_form){.cell = 0.1f, .voxels = 1}, &input, 1);
    toc_hash_free(&hash);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    assert_true(test_every_allocation(build_one, make(&random, 16, MOST, 0.1)) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_pairs_that_meet),      cmocka_unit_test(an_infinite_margin_keeps_all_pairs),
        cmocka_unit_test(every_overlapping_pair_once), cmocka_unit_test(pairs_of_a_cell_once),
        cmocka_unit_test(between_two_tables),          cmocka_unit_test(any_number_of_threads_builds_the_same),
        cmocka_unit_test(one_huge_among_tiny_ones),    cmocka_unit_test(any_motion_takes_few_cells),
        cmocka_unit_test(primitives_in_one_place),     cmocka_unit_test(the_taker_can_end_the_search),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
