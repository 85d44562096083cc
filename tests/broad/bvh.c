// SPDX-License-Identifier: Apache-2.0
// The tree: every leaf once, every node around what is below it, every overlapping pair once.
#include "broad/bvh.h"

#include <string.h>

#include "bound/overlap.h"
#include "support/test.h"

enum { MOST = 300 };

typedef struct fixture {
    toc_dop_kind kind;
    size_t count;
    double x0[3 * MOST], x1[3 * MOST];
    float dops[MOST * 32];
    uint8_t found[MOST][MOST]; // by primitive
    const toc_bvh *bvh;
    uint64_t batches, largest;
} fixture;

static void bound(fixture *f) {
    const toc_frame frame = {.scale = 1}; // what rests stays the same
    static float end[MOST * 32];
    toc_dop_of_points(&f->kind, &frame, f->count, f->x0, 0, f->dops);
    toc_dop_of_points(&f->kind, &frame, f->count, f->x1, 0, end);
    toc_dop_join(&f->kind, f->count, end, f->dops);
}

static fixture *make(test_random *random, int k, size_t count, double motion) {
    static fixture f;
    f = (fixture){.count = count};
    assert_ok(toc_dop_kind_make(k, &f.kind));
    for (size_t i = 0; i < 3 * count; i++) {
        f.x0[i] = test_random_between(random, 0, 1);
        f.x1[i] = f.x0[i] + test_random_between(random, -motion, motion);
    }
    bound(&f);
    return &f;
}

static toc_status note(void *user, const toc_node_pair *pairs, size_t count) {
    fixture *f = user;
    f->batches++;
    if (count > f->largest) f->largest = count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = f->bvh->order[f->bvh->nodes[pairs[i].a].link];
        const uint32_t b = f->bvh->order[f->bvh->nodes[pairs[i].b].link];
        f->found[a][b]++;
        f->found[b][a]++;
    }
    return TOC_OK;
}

static const float *dop_of(const fixture *f, size_t i) { return f->dops + i * toc_dop_floats(&f->kind); }

// All pairs that overlap, but those that are settled.
static void assert_pairs(fixture *f, const toc_bvh *bvh, size_t pieces_wanted, const uint8_t *still) {
    toc_node_pairs pieces = {0};
    uint64_t visited = 0;
    f->bvh = bvh;
    memset(f->found, 0, sizeof f->found);
    assert_ok(toc_bvh_split(bvh, pieces_wanted, &pieces));
    for (size_t i = 0; i < pieces.count; i++) assert_ok(toc_bvh_search(bvh, NULL, pieces.at[i], note, f, &visited));
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

static void assert_well_formed(const fixture *f, const toc_bvh *bvh) {
    uint8_t seen[MOST] = {0};
    const size_t floats = toc_dop_floats(&bvh->kind);
    uint32_t next = 0;
    for (size_t i = 0; i < toc_bvh_node_count(bvh); i++) {
        const toc_bvh_node *node = &bvh->nodes[i];
        if (node->leaves == 1) {
            assert_int_equal(node->link, next++);
            assert_int_equal(seen[bvh->order[node->link]]++, 0);
            assert_memory_equal(bvh->dops + i * floats, dop_of(f, bvh->order[node->link]), floats * sizeof(float));
            continue;
        }
        assert_int_equal(node->leaves, bvh->nodes[node->left].leaves + bvh->nodes[node->link].leaves);
        for (size_t d = 0; d < floats; d++) {
            const float whole = bvh->dops[i * floats + d], left = bvh->dops[node->left * floats + d];
            const float right = bvh->dops[node->link * floats + d];
            if (d < floats / 2)
                assert_true(whole == (left < right ? left : right));
            else
                assert_true(whole == (left > right ? left : right));
        }
    }
    assert_int_equal(next, f->count);
}

static uint32_t group_of(const fixture *f, const toc_bvh *bvh, size_t node, const uint32_t *groups) {
    while (bvh->nodes[node].leaves > 1) node = bvh->nodes[node].left;
    assert_true(bvh->order[bvh->nodes[node].link] < f->count);
    return groups[bvh->order[bvh->nodes[node].link]];
}

// Below the crown no node has primitives of two groups.
static void assert_groups_apart(const fixture *f, const toc_bvh *bvh, const uint32_t *groups) {
    for (size_t i = bvh->crown; i < toc_bvh_node_count(bvh); i++) {
        const toc_bvh_node *node = &bvh->nodes[i];
        if (node->leaves > 1)
            assert_int_equal(group_of(f, bvh, node->left, groups), group_of(f, bvh, node->link, groups));
    }
}

// Groups that rest and move by turns, up to as many as there are primitives: what moves is found and fitted, what rests
// is not touched, what is settled is not found.
static void groups_that_rest(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_default();
    for (int round = 0; round < 60; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, 1 + test_random_below(&random, MOST - 1), 0.05);
        const uint32_t group_count = 1 + test_random_below(&random, round % 3 ? 5 : MOST);
        uint32_t groups[MOST];
        uint8_t still[MOST], of_group[MOST];
        for (size_t i = 0; i < f->count; i++) groups[i] = test_random_below(&random, group_count);
        toc_bvh bvh;
        assert_ok(
            toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, groups, group_count}, 2, &bvh));
        for (int step = 0; step < 6; step++) {
            size_t moving = 0, rebuilt;
            for (uint32_t g = 0; g < group_count; g++) of_group[g] = (uint8_t)test_random_below(&random, 3);
            for (size_t i = 0; i < f->count; i++) {
                still[i] = of_group[groups[i]];
                moving += still[i] == TOC_MOVES;
                for (size_t c = 0; c < 3 && still[i] == TOC_MOVES; c++)
                    f->x1[3 * i + c] = test_random_between(&random, 0, 1);
            }
            bound(f);
            const toc_bvh_leaves leaves = {f->dops, still};
            assert_true(toc_bvh_refit(&bvh, &leaves, 1 + step % 2) <= 2 * moving + bvh.crown);
            assert_ok(toc_bvh_restructure(&bvh, &leaves, 1 + step % 2, &rebuilt));
            assert_true(rebuilt <= moving);
            assert_well_formed(f, &bvh);
            assert_groups_apart(f, &bvh, groups);
            assert_pairs(f, &bvh, 1 + test_random_below(&random, 200), still);
        }
        toc_bvh_free(&bvh);
    }
}

static void random_points(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const int kinds[] = {6, 14, 16, 18, 26};
    const toc_allocator allocator = toc_allocator_default();
    for (int round = 0; round < 60; round++) {
        fixture *f = make(&random, kinds[round % 5], test_random_below(&random, MOST), round % 2 ? 0.2 : 0.01);
        toc_bvh bvh;
        assert_ok(
            toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1 + round % 3, &bvh));
        assert_well_formed(f, &bvh);
        assert_all_pairs(f, &bvh, 1 + test_random_below(&random, 200));
        for (size_t i = 0; i < 3 * f->count; i++) f->x1[i] = test_random_between(&random, 0, 1);
        bound(f);
        toc_bvh_refit(&bvh, &(toc_bvh_leaves){f->dops, NULL}, 1);
        assert_well_formed(f, &bvh);
        assert_all_pairs(f, &bvh, 64);
        toc_bvh_free(&bvh);
    }
}

// Two layers, the lower one up to any height: found is what may overlap at some time of the window.
static void lower_layers_of_any_height(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const uint32_t heights[] = {1, 2, 8, 50, UINT32_MAX};
    const toc_allocator allocator = toc_allocator_default();
    static float moving[2 * MOST * 64], leaves[MOST * 64];
    for (int round = 0; round < 20; round++) {
        fixture *f = make(&random, round % 2 ? 16 : 26, MOST, 0.3);
        const size_t floats = toc_dop_floats(&f->kind);
        const toc_frame frame = toc_frame_around(f->count, f->x0, f->x1);
        for (size_t i = 0; i < f->count; i++) {
            toc_dop_of_points(&f->kind, &frame, 1, f->x0 + 3 * i, 0.05, leaves + 2 * i * floats);
            toc_dop_of_points(&f->kind, &frame, 1, f->x1 + 3 * i, 0.05, leaves + (2 * i + 1) * floats);
            memcpy(f->dops + i * floats, leaves + 2 * i * floats, floats * sizeof *leaves);
            toc_dop_join(&f->kind, 1, leaves + (2 * i + 1) * floats, f->dops + i * floats);
        }
        toc_bvh bvh;
        assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &bvh));
        const toc_window window = {round % 3 * 0.2, 1 - round % 4 * 0.1};
        const toc_lower_layer lower = {.most = heights[round % 5], .moving = moving, .window = &window};
        for (size_t i = 0; i < toc_bvh_node_count(&bvh); i++)
            if (bvh.nodes[i].leaves == 1)
                memcpy(moving + 2 * i * floats, leaves + 2 * bvh.order[bvh.nodes[i].link] * floats,
                       2 * floats * sizeof *leaves);
        toc_bvh_fit_lower_layer(&bvh, &lower, 2);
        uint64_t visited = 0;
        f->bvh = &bvh;
        assert_ok(toc_bvh_search(&bvh, &lower, (toc_node_pair){0, 0}, note, f, &visited));
        for (size_t i = 0; i < f->count; i++)
            for (size_t j = 0; j < i; j++) {
                const float *a = leaves + 2 * i * floats, *b = leaves + 2 * j * floats;
                const bool meet = f->kind.lanes == 8 ? toc_dops_may_meet(a, b, 8, toc_window_look(&window))
                                                     : toc_dops_may_meet(a, b, 16, toc_window_look(&window));
                assert_int_equal(f->found[i][j], meet);
            }
        toc_bvh_free(&bvh);
    }
}

// All in one place: no cut is better than another, and every pair overlaps.
static void primitives_in_one_place(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_default();
    fixture *f = make(&random, 16, MOST, 0.1);
    for (size_t i = 3; i < 3 * f->count; i++) f->x0[i] = f->x0[i % 3], f->x1[i] = f->x1[i % 3];
    bound(f);
    toc_bvh bvh;
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &bvh));
    assert_all_pairs(f, &bvh, 10);
    assert_true(f->batches > 10); // in batches, not in one list
    toc_bvh_free(&bvh);
}

static uint64_t visits(fixture *f, const toc_bvh *bvh) {
    uint64_t visited = 0;
    f->bvh = bvh;
    memset(f->found, 0, sizeof f->found);
    assert_ok(toc_bvh_search(bvh, NULL, (toc_node_pair){0, 0}, note, f, &visited));
    return visited;
}

// Points that wander until the tree groups what is far apart: refitting alone looks at ten times as many nodes as a
// tree that is built anew where it decayed, which stays about as good as a new one.
static void restructuring_keeps_a_tree_good(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_default();
    fixture *f = make(&random, 16, MOST, 0);
    toc_bvh refitted, kept, fresh;
    size_t rebuilt = 0, changes = 0;
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &refitted));
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &kept));
    toc_bvh_refit(&kept, &(toc_bvh_leaves){f->dops, NULL}, 1);
    assert_ok(toc_bvh_restructure(&kept, &(toc_bvh_leaves){f->dops, NULL}, 1, &rebuilt));
    assert_int_equal(rebuilt, 0); // at rest there is nothing to do
    for (int step = 0; step < 50; step++) {
        for (size_t i = 0; i < 3 * f->count; i++)
            f->x0[i] = f->x1[i] = 0.9 * f->x0[i] + 0.1 * test_random_between(&random, 0, 1) * (i % 7 ? 1 : -1);
        bound(f);
        toc_bvh_refit(&refitted, &(toc_bvh_leaves){f->dops, NULL}, 1);
        toc_bvh_refit(&kept, &(toc_bvh_leaves){f->dops, NULL}, 1);
        assert_ok(toc_bvh_restructure(&kept, &(toc_bvh_leaves){f->dops, NULL}, 1 + step % 3, &rebuilt));
        changes += rebuilt > 0;
        assert_well_formed(f, &kept);
    }
    assert_all_pairs(f, &kept, 16);
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &fresh));
    const uint64_t worst = visits(f, &refitted), ours = visits(f, &kept), best = visits(f, &fresh);
    print_message("nodes looked at: %llu refitted, %llu restructured, %llu new; %zu of 50 steps built some anew\n",
                  (unsigned long long)worst, (unsigned long long)ours, (unsigned long long)best, changes);
    assert_true(worst > 10 * ours);
    assert_true(ours < 2 * best);
    toc_bvh_free(&refitted);
    toc_bvh_free(&kept);
    toc_bvh_free(&fresh);
}

static toc_status refuse(void *user, const toc_node_pair *pairs, size_t count) {
    (void)user;
    (void)pairs;
    (void)count;
    return TOC_STOPPED;
}

static void the_taker_can_end_the_search(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_default();
    fixture *f = make(&random, 16, 100, 1);
    toc_bvh bvh;
    uint64_t visited = 0;
    assert_ok(toc_bvh_build(&allocator, &(toc_bvh_input){&f->kind, f->count, f->dops, NULL, 0}, 1, &bvh));
    assert_int_equal(toc_bvh_search(&bvh, NULL, (toc_node_pair){0, 0}, refuse, NULL, &visited), TOC_STOPPED);
    toc_bvh_free(&bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(groups_that_rest),
        cmocka_unit_test(lower_layers_of_any_height),
        cmocka_unit_test(primitives_in_one_place),
        cmocka_unit_test(restructuring_keeps_a_tree_good),
        cmocka_unit_test(the_taker_can_end_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
