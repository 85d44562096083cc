// SPDX-License-Identifier: Apache-2.0
// The tree: every leaf once, every node and block around its items, every overlapping pair once.
#include "index/bvh.h"

#include <string.h>

#include "bound/overlap.h"
#include "support/test.h"

enum { MOST = 300, MANY = 1500 }; // MANY for effects of large trees only

typedef struct fixture {
    toc_dop_kind kind;
    size_t count;
    double x0[3 * MANY], x1[3 * MANY];
    float dops[MANY * 32];
    uint8_t found[MANY][MANY]; // by primitive
    const toc_bvh *bvh;
    uint64_t batches, largest;
} fixture;

static void bound(fixture *f) {
    const toc_frame frame = {.scale = 1}; // resting bounds stay the same
    static float end[MANY * 32];
    toc_dop_of_points(&f->kind, &frame, f->count, f->x0, 0, f->dops);
    toc_dop_of_points(&f->kind, &frame, f->count, f->x1, 0, end);
    toc_dop_join(&f->kind, f->count, end, f->dops);
}

static fixture *make(test_random *random, int k, size_t count, double motion) {
    static fixture f;
    memset(&f, 0, sizeof f);
    f.count = count;
    assert_ok(toc_dop_kind_make(k, &f.kind));
    for (size_t i = 0; i < 3 * count; i++) {
        f.x0[i] = test_random_between(random, 0, 1);
        f.x1[i] = f.x0[i] + test_random_between(random, -motion, motion);
    }
    bound(&f);
    return &f;
}

static toc_status note(void *user, const toc_leaf_pair *pairs, size_t count) {
    fixture *f = user;
    f->batches++;
    if (count > f->largest) f->largest = count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = f->bvh->order[pairs[i].a], b = f->bvh->order[pairs[i].b];
        f->found[a][b]++;
        f->found[b][a]++;
    }
    return TOC_OK;
}

static toc_status build(const fixture *f, const uint32_t *components, uint32_t component_count, int threads,
                        toc_bvh *bvh) {
    const toc_allocator allocator = toc_allocator_get_default();
    toc_bvh_dops dops = {&f->kind, f->dops};
    const toc_bvh_source source = toc_bvh_source_of(&dops);
    return toc_bvh_build(
        &allocator, &(toc_bvh_input){&f->kind, f->count, &source, components, component_count, 0, false}, threads, bvh);
}

static size_t fit(const fixture *f, const uint8_t *still, int threads, toc_bvh *bvh) {
    toc_bvh_dops dops = {&f->kind, f->dops};
    toc_bvh_source source = toc_bvh_source_of(&dops);
    source.still = still;
    return toc_bvh_fit(bvh, &source, 0, threads);
}

static size_t restructure(const fixture *f, const uint8_t *still, int threads, toc_bvh *bvh) {
    toc_bvh_dops dops = {&f->kind, f->dops};
    toc_bvh_source source = toc_bvh_source_of(&dops);
    size_t rebuilt;
    source.still = still;
    assert_ok(toc_bvh_restructure(bvh, &source, threads, &rebuilt));
    return rebuilt;
}

static const float *dop_of(const fixture *f, size_t i) { return f->dops + i * toc_dop_floats(&f->kind); }

// All pairs that overlap, but those that are settled.
static void assert_pairs(fixture *f, const toc_bvh *bvh, size_t pieces_wanted, const uint8_t *still) {
    toc_node_pairs pieces = {0};
    uint64_t visited = 0;
    f->bvh = bvh;
    memset(f->found, 0, sizeof f->found);
    assert_ok(toc_bvh_split(bvh, pieces_wanted, &pieces));
    for (size_t i = 0; i < pieces.count; i++)
        assert_ok(toc_bvh_search(bvh, &(toc_bvh_scope){0}, pieces.at[i], note, f, &visited));
    toc_array_free(&bvh->allocator, &pieces);
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(f->found[i][j], toc_dops_overlap(dop_of(f, i), dop_of(f, j), f->kind.lanes) &&
                                                 !(still && still[i] == TOC_SETTLED && still[j] == TOC_SETTLED));
    assert_true(f->largest <= TOC_LEAF_PAIRS);
}

static void assert_all_pairs(fixture *f, const toc_bvh *bvh, size_t pieces_wanted) {
    assert_pairs(f, bvh, pieces_wanted, NULL);
}

static void assert_joined(const float *dop, const float *left, const float *right, size_t floats) {
    for (size_t d = 0; d < floats; d++)
        if (d < floats / 2)
            assert_true(dop[d] == (left[d] < right[d] ? left[d] : right[d]));
        else
            assert_true(dop[d] == (left[d] > right[d] ? left[d] : right[d]));
}

// The leaves of a block are its primitives, and its node is around them. @return the leaf behind it.
static uint32_t assert_block(const fixture *f, const toc_bvh *bvh, size_t at, uint8_t seen[MANY]) {
    const toc_bvh_node *node = &bvh->nodes[at];
    const int directions = f->kind.directions, lanes = f->kind.lanes;
    const size_t floats = toc_dop_floats(&f->kind);
    const float *block = bvh->blocks + node->left * toc_block_floats(&f->kind, 1);
    float whole[32];
    memcpy(whole, dop_of(f, bvh->order[node->link]), floats * sizeof *whole);
    for (uint32_t i = 0; i < node->leaves; i++) {
        const float *dop = dop_of(f, bvh->order[node->link + i]);
        assert_int_equal(seen[bvh->order[node->link + i]]++, 0);
        for (int d = 0; d < directions; d++) {
            assert_true(block[TOC_BLOCK * d + (int)i] == dop[d]);
            assert_true(block[TOC_BLOCK * (directions + d) + (int)i] == dop[lanes + d]);
        }
        toc_dop_join(&f->kind, 1, dop, whole);
    }
    assert_memory_equal(bvh->dops + at * floats, whole, floats * sizeof *whole);
    return node->link + node->leaves;
}

static void assert_well_formed(const fixture *f, const toc_bvh *bvh) {
    uint8_t seen[MANY] = {0};
    const size_t floats = toc_dop_floats(&bvh->kind);
    uint32_t next = 0, blocks = 0;
    for (size_t i = 0; i < bvh->node_count; i++) {
        const toc_bvh_node *node = &bvh->nodes[i];
        if (toc_bvh_is_block(bvh, i)) {
            assert_int_equal(node->left, blocks++);
            assert_int_equal(node->link, next);
            next = assert_block(f, bvh, i, seen);
            continue;
        }
        assert_int_equal(node->leaves, bvh->nodes[node->left].leaves + bvh->nodes[node->link].leaves);
        assert_joined(bvh->dops + i * floats, bvh->dops + node->left * floats, bvh->dops + node->link * floats, floats);
    }
    assert_int_equal(next, f->count);
    assert_int_equal(blocks, bvh->block_count);
}

// Below the top level, no node has primitives of two components.
static void assert_components_apart(const toc_bvh *bvh, const uint32_t *components) {
    for (size_t root = bvh->top_level; root < bvh->node_count; root += toc_bvh_nodes_over(bvh->nodes[root].leaves)) {
        size_t first = root;
        while (!toc_bvh_is_block(bvh, first)) first = bvh->nodes[first].left;
        const uint32_t *order = bvh->order + bvh->nodes[first].link;
        for (uint32_t i = 1; i < bvh->nodes[root].leaves; i++)
            assert_int_equal(components[order[i]], components[order[0]]);
    }
}

// Groups that rest and move by turns, up to as many as there are primitives. Moving primitives are fitted and found,
// resting ones are not touched, settled ones are not found.
static void components_that_rest(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 60; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, 1 + test_random_below(&random, MOST - 1), 0.05);
        const uint32_t component_count = 1 + test_random_below(&random, round % 3 ? 5 : MOST);
        uint32_t components[MOST];
        uint8_t still[MOST], of_component[MOST];
        for (size_t i = 0; i < f->count; i++) components[i] = test_random_below(&random, component_count);
        toc_bvh bvh;
        assert_ok(build(f, components, component_count, 2, &bvh));
        for (int step = 0; step < 6; step++) {
            size_t moving = 0;
            for (uint32_t g = 0; g < component_count; g++) of_component[g] = (uint8_t)test_random_below(&random, 3);
            for (size_t i = 0; i < f->count; i++) {
                still[i] = of_component[components[i]];
                moving += still[i] == TOC_MOVES;
                for (size_t c = 0; c < 3 && still[i] == TOC_MOVES; c++)
                    f->x1[3 * i + c] = test_random_between(&random, 0, 1);
            }
            bound(f);
            assert_true(fit(f, still, 1 + step % 2, &bvh) <= 2 * moving + bvh.top_level);
            assert_true(restructure(f, still, 1 + step % 2, &bvh) <= moving);
            assert_well_formed(f, &bvh);
            assert_components_apart(&bvh, components);
            assert_pairs(f, &bvh, 1 + test_random_below(&random, 200), still);
        }
        toc_bvh_free(&bvh);
    }
}

static void random_points(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const int kinds[] = {6, 14, 16, 18, 26};
    for (int round = 0; round < 60; round++) {
        fixture *f = make(&random, kinds[round % 5], test_random_below(&random, MOST), round % 2 ? 0.2 : 0.01);
        toc_bvh bvh;
        assert_ok(build(f, NULL, 0, 1 + round % 3, &bvh));
        assert_well_formed(f, &bvh);
        assert_all_pairs(f, &bvh, 1 + test_random_below(&random, 200));
        for (size_t i = 0; i < 3 * f->count; i++) f->x1[i] = test_random_between(&random, 0, 1);
        bound(f);
        fit(f, NULL, 1, &bvh);
        assert_well_formed(f, &bvh);
        assert_all_pairs(f, &bvh, 64);
        toc_bvh_free(&bvh);
    }
}

// Leaves whose DOPs move, by primitive.
typedef struct moving_leaves {
    const toc_dop_kind *kind;
    float dops[MOST * 64];
} moving_leaves;

static void box_moving(void *user, uint32_t primitive, float low[3], float high[3]) {
    const moving_leaves *leaves = user;
    const float *dop = leaves->dops + primitive * 2 * toc_dop_floats(leaves->kind);
    memcpy(low, dop, 3 * sizeof *low);
    memcpy(high, dop + leaves->kind->lanes, 3 * sizeof *high);
}

static void bound_moving(void *user, const uint32_t *primitives, uint32_t first, uint32_t count, int ends,
                         float *block) {
    (void)first;
    const moving_leaves *leaves = user;
    assert_int_equal(ends, 2);
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t numbers[TOC_BLOCK];
        for (uint32_t i = 0; i < count; i++) numbers[i] = 2 * primitives[i] + end;
        toc_block_of_dops(leaves->kind, leaves->dops, numbers, count, block + end * toc_block_floats(leaves->kind, 1));
    }
}

// Two layers, the lower one up to any height: the pairs found are those that may overlap at some time of the window.
static void lower_layers_of_any_height(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const uint32_t heights[] = {1, 2, 8, 50, UINT32_MAX};
    const toc_allocator allocator = toc_allocator_get_default();
    static moving_leaves leaves;
    for (int round = 0; round < 20; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, MOST, 0.3);
        const size_t floats = toc_dop_floats(&f->kind);
        const toc_frame frame = toc_frame_around(f->count, f->x0, f->x1, 1);
        leaves.kind = &f->kind;
        for (size_t i = 0; i < f->count; i++)
            toc_dop_of_moving_points(&f->kind, &frame, 1, f->x0 + 3 * i, f->x1 + 3 * i, 0.05,
                                     leaves.dops + 2 * i * floats);
        const toc_bvh_source source = {.user = &leaves, .box = box_moving, .bound = bound_moving};
        const toc_bvh_input input = {&f->kind, f->count, &source, NULL, 0, heights[round % 5], true};
        const toc_window window = {round % 3 * 0.2, 1 - round % 4 * 0.1};
        toc_bvh bvh;
        uint64_t visited = 0;
        assert_ok(toc_bvh_build(&allocator, &input, 1, &bvh));
        f->bvh = &bvh;
        assert_ok(toc_bvh_search(&bvh, &(toc_bvh_scope){.window = &window}, (toc_node_pair){0, 0}, note, f, &visited));
        for (size_t i = 0; i < f->count; i++)
            for (size_t j = 0; j < i; j++) {
                const float *a = leaves.dops + 2 * i * floats, *b = leaves.dops + 2 * j * floats;
                const bool meet = f->kind.lanes == 8 ? toc_dops_may_meet(a, b, 8, toc_window_look(&window))
                                                     : toc_dops_may_meet(a, b, 16, toc_window_look(&window));
                assert_int_equal(f->found[i][j], meet);
            }
        toc_bvh_free(&bvh);
    }
}

// Pairs that have a corner in common are left out where it ties, and only there.
static void ties_are_left_out(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 20; round++) {
        fixture *f = make(&random, 16, 1 + test_random_below(&random, MOST - 1), 0.5);
        uint32_t corners[MOST + TOC_BLOCK][3] = {{0}}, by_primitive[MOST][3];
        uint8_t ties[60];
        for (int i = 0; i < 60; i++) ties[i] = (uint8_t)test_random_below(&random, 2);
        toc_bvh bvh;
        uint64_t visited = 0;
        assert_ok(build(f, NULL, 0, 1, &bvh));
        for (size_t i = 0; i < f->count; i++)
            for (int k = 0; k < 3; k++) by_primitive[bvh.order[i]][k] = corners[i][k] = test_random_below(&random, 60);
        const toc_bvh_scope scope = {.corners = (const uint32_t(*)[3])corners, .ties = ties};
        f->bvh = &bvh;
        assert_ok(toc_bvh_search(&bvh, &scope, (toc_node_pair){0, 0}, note, f, &visited));
        for (size_t i = 0; i < f->count; i++)
            for (size_t j = 0; j < i; j++) {
                bool tied = false;
                for (int k = 0; k < 9; k++)
                    tied |= by_primitive[i][k / 3] == by_primitive[j][k % 3] && ties[by_primitive[i][k / 3]];
                assert_int_equal(f->found[i][j], toc_dops_overlap(dop_of(f, i), dop_of(f, j), 8) && !tied);
            }
        toc_bvh_free(&bvh);
    }
}

static toc_status note_leaf(void *user, uint32_t leaf) {
    fixture *f = user;
    f->found[0][f->bvh->order[leaf]]++;
    return TOC_OK;
}

// One DOP against all leaves, of several components.
static void what_overlaps_one(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const int kinds[] = {6, 14, 16, 18, 26};
    for (int round = 0; round < 20; round++) {
        fixture *f = make(&random, kinds[round % 5], 1 + test_random_below(&random, MOST - 1), 0.3);
        uint32_t components[MOST];
        for (size_t i = 0; i < f->count; i++) components[i] = test_random_below(&random, 5);
        toc_bvh bvh;
        uint64_t visited = 0;
        assert_ok(build(f, components, 5, 1, &bvh));
        f->bvh = &bvh;
        assert_ok(toc_bvh_find(&bvh, dop_of(f, 0), note_leaf, f, &visited));
        for (size_t i = 0; i < f->count; i++)
            assert_int_equal(f->found[0][i], toc_dops_overlap(dop_of(f, 0), dop_of(f, i), f->kind.lanes));
        toc_bvh_free(&bvh);
    }
}

// All in one place: no cut is better than another, and every pair overlaps.
static void primitives_in_one_place(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    fixture *f = make(&random, 16, MOST, 0.1);
    for (size_t i = 3; i < 3 * f->count; i++) f->x0[i] = f->x0[i % 3], f->x1[i] = f->x1[i % 3];
    bound(f);
    toc_bvh bvh;
    assert_ok(build(f, NULL, 0, 1, &bvh));
    assert_all_pairs(f, &bvh, 10);
    assert_true(f->batches > 10); // in batches, not in one list
    toc_bvh_free(&bvh);
}

static uint64_t visits(fixture *f, const toc_bvh *bvh) {
    uint64_t visited = 0;
    f->bvh = bvh;
    memset(f->found, 0, sizeof f->found);
    assert_ok(toc_bvh_search(bvh, &(toc_bvh_scope){0}, (toc_node_pair){0, 0}, note, f, &visited));
    return visited;
}

// Points that wander until near points are far apart in the tree: refitting alone looks ten times as often as a
// tree that is built anew where it decayed, which stays about as good as a new one (three times as many looks at the
// most, of many seeds).
static void restructuring_keeps_a_tree_good(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    fixture *f = make(&random, 16, MANY, 0);
    toc_bvh refitted, kept, fresh;
    size_t changes = 0;
    assert_ok(build(f, NULL, 0, 1, &refitted));
    assert_ok(build(f, NULL, 0, 1, &kept));
    fit(f, NULL, 1, &kept);
    assert_int_equal(restructure(f, NULL, 1, &kept), 0); // at rest there is nothing to do
    for (int step = 0; step < 50; step++) {
        for (size_t i = 0; i < 3 * f->count; i++)
            f->x0[i] = f->x1[i] = 0.9 * f->x0[i] + 0.1 * test_random_between(&random, 0, 1) * (i % 7 ? 1 : -1);
        bound(f);
        fit(f, NULL, 1, &refitted);
        fit(f, NULL, 1, &kept);
        changes += restructure(f, NULL, 1 + step % 3, &kept) > 0;
        assert_well_formed(f, &kept);
    }
    assert_all_pairs(f, &kept, 16);
    assert_ok(build(f, NULL, 0, 1, &fresh));
    const uint64_t worst = visits(f, &refitted), ours = visits(f, &kept), best = visits(f, &fresh);
    print_message("looks: %llu refitted, %llu restructured, %llu new; %zu of 50 steps built some anew\n",
                  (unsigned long long)worst, (unsigned long long)ours, (unsigned long long)best, changes);
    assert_true(worst > 10 * ours);
    assert_true(ours < 4 * best);
    toc_bvh_free(&refitted);
    toc_bvh_free(&kept);
    toc_bvh_free(&fresh);
}

static toc_status refuse(void *user, const toc_leaf_pair *pairs, size_t count) {
    (void)user;
    (void)pairs;
    (void)count;
    return TOC_STOPPED;
}

static void the_taker_can_end_the_search(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    fixture *f = make(&random, 16, 100, 1);
    toc_bvh bvh;
    uint64_t visited = 0;
    assert_ok(build(f, NULL, 0, 1, &bvh));
    assert_int_equal(toc_bvh_search(&bvh, &(toc_bvh_scope){0}, (toc_node_pair){0, 0}, refuse, NULL, &visited),
                     TOC_STOPPED);
    toc_bvh_free(&bvh);
}

// ---- trees that are cut in parallel

enum { LARGE = 80000, APART = 8000 };

static toc_bvh build_two_clusters(const float *dops, const toc_dop_kind *kind, int threads) {
    const toc_allocator allocator = toc_allocator_get_default();
    toc_bvh_dops of = {kind, dops};
    const toc_bvh_source source = toc_bvh_source_of(&of);
    toc_bvh bvh;
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){kind, LARGE, &source, NULL, 0, 0, false}, threads, &bvh));
    return bvh;
}

// A part of the items that is left out of the bins hides the gap before the last of them.
static void a_large_tree_is_cut_by_all_of_its_items(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    double *x = toc_new(&allocator, LARGE, 3 * sizeof *x);
    toc_dop_kind kind;
    assert_ok(toc_dop_kind_make(16, &kind));
    float *dops = toc_new(&allocator, LARGE, toc_dop_floats(&kind) * sizeof *dops);
    assert_true(x && dops);
    for (size_t i = 0; i < 3 * LARGE; i++) x[i] = test_random_between(&random, 0, 0.25);
    for (size_t i = LARGE - APART; i < LARGE; i++) x[3 * i] += 0.5;
    toc_dop_of_points(&kind, &(toc_frame){.scale = 1}, LARGE, x, 0, dops);
    toc_bvh one = build_two_clusters(dops, &kind, 1), four = build_two_clusters(dops, &kind, 4);
    assert_int_equal(one.nodes[one.nodes[0].left].leaves, LARGE - APART);
    assert_memory_equal(one.order, four.order, LARGE * sizeof *one.order);
    toc_bvh_free(&one);
    toc_bvh_free(&four);
    toc_free(&allocator, dops, LARGE, toc_dop_floats(&kind) * sizeof *dops);
    toc_free(&allocator, x, LARGE, 3 * sizeof *x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(components_that_rest),
        cmocka_unit_test(lower_layers_of_any_height),
        cmocka_unit_test(ties_are_left_out),
        cmocka_unit_test(what_overlaps_one),
        cmocka_unit_test(primitives_in_one_place),
        cmocka_unit_test(restructuring_keeps_a_tree_good),
        cmocka_unit_test(the_taker_can_end_the_search),
        cmocka_unit_test(a_large_tree_is_cut_by_all_of_its_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
