// SPDX-License-Identifier: Apache-2.0
// Near pairs against every pair of features, measured one by one.
#include <float.h>
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "support/answers.h"
#include "support/queries.h"
#include "support/test.h"

typedef struct truth {
    toc_scene *bodies;
    toc_end end;
    double thickness, slack; // rounding errors of the tests
    const toc_near *got;
    size_t at, sure;
} truth;

static toc_vec vertex(const truth *t, uint32_t body, uint32_t v) {
    const toc_mesh *mesh = toc_scene_edit_mesh(t->bodies, body);
    return toc_vec_of((t->end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh)) + 3 * (size_t)v);
}

// The answer has the pair next, or the pair is not that near.
static void measure(truth *t, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_vec x[4];
    for (int i = 0; i < second && body[0] == body[1]; i++)
        for (int j = second; j < 4; j++)
            if (v[i] == v[j]) return;
    for (int i = 0; i < 4; i++) x[i] = vertex(t, body[i >= second], v[i]);
    const double distance = kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
    const toc_near_pair *pair = t->at < t->got->count ? &t->got->pairs[t->at] : NULL;
    const bool there = pair && pair->kind == kind && memcmp(pair->body, body, sizeof pair->body) == 0 &&
                       memcmp(pair->v, v, sizeof pair->v) == 0;
    t->at += there;
    t->sure += distance <= t->thickness - t->slack;
    if (distance <= t->thickness - t->slack) assert_true(there);
    if (distance > t->thickness + t->slack) assert_false(there);
    if (!there) return;
    assert_double_near(pair->distance, distance, t->slack + 1e-15);
    const toc_vec gap = toc_vec_sub(toc_vec_of(pair->points[0]), toc_vec_of(pair->points[1]));
    assert_double_near(toc_vec_length(gap), pair->distance, t->slack + 1e-15);
    if (pair->distance > 1e-9)
        assert_double_near(toc_vec_dot(gap, toc_vec_of(pair->normal)), pair->distance, t->slack + 1e-15);
}

static void measure_bodies(truth *t, toc_kind kind, const uint32_t body[2], const toc_features *a,
                           const toc_features *b) {
    const size_t count_a = kind == TOC_VF ? a->vertex_count : a->edge_count;
    const size_t count_b = kind == TOC_VF ? b->face_count : b->edge_count;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = kind == TOC_EE && a == b ? i + 1 : 0; j < count_b; j++) {
            uint32_t v[4];
            memcpy(v, kind == TOC_VF ? &a->vertices[i] : a->edges[i], (kind == TOC_VF ? 1 : 2) * sizeof *v);
            memcpy(v + (kind == TOC_VF ? 1 : 2), kind == TOC_VF ? b->faces[j] : b->edges[j],
                   (kind == TOC_VF ? 3 : 2) * sizeof *v);
            measure(t, kind, body, v);
        }
}

static size_t check(toc_scene *bodies, toc_end end, double thickness, double slack) {
    toc_near *got, *same;
    toc_query query = toc_query_default();
    toc_features *f[2];
    const uint32_t count = (uint32_t)toc_scene_get_body_count(bodies);
    query.threads = 1;
    assert_ok(test_find_near(bodies, &query, end, thickness, &got));
    query.threads = 3;
    assert_ok(test_find_near(bodies, &query, end, thickness, &same));
    assert_int_equal(got->count, same->count);
    if (got->count) assert_memory_equal(got->pairs, same->pairs, got->count * sizeof *got->pairs);
    toc_near_destroy(same);
    truth t = {bodies, end, thickness, slack, got, 0, 0};
    for (uint32_t i = 0; i < count; i++) assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(bodies, i), &f[i]));
    for (int kind = TOC_VF; kind <= TOC_EE; kind++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = kind == TOC_EE ? a : 0; b < count; b++)
                measure_bodies(&t, (toc_kind)kind, (const uint32_t[]){a, b}, f[a], f[b]);
    assert_int_equal(t.at, got->count);
    for (uint32_t i = 0; i < count; i++) toc_features_destroy(f[i]);
    toc_near_destroy(got);
    return t.sure;
}

static void soups_of_every_shape(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t found = 0;
    for (int shape = 0; shape < TOC_SHAPE_COUNT; shape++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)shape, 12, 30, 0.2);
        found += check(bodies, TOC_AT_START, 0.02, 1e-12);
        found += check(bodies, TOC_AT_END, 0.1, 1e-12);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 1000);
}

// Grids: parallel edges and coplanar faces, distances of exactly 0 and 1.
static void grids_at_whole_distances(void **state) {
    (void)state;
    const double thickness[] = {0, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        toc_scene *bodies = test_scene_of(test_grid_volume(TOC_HEX, 2, 2, 1), test_grid_sheet(TOC_TRIANGLE, 2, 2));
        assert_true(check(bodies, TOC_AT_START, thickness[i], 0) > 50);
        toc_scene_destroy(bodies);
    }
}

// ---- through the hash

static toc_near *near_by(toc_scene *bodies, const char *preset, int threads, const toc_end *end, double thickness) {
    toc_query query = toc_query_default();
    toc_near *near;
    query.preset = preset;
    query.threads = threads;
    assert_ok(end ? test_find_near(bodies, &query, *end, thickness, &near)
                  : test_find_near_in_step(bodies, &query, thickness, &near));
    return near;
}

// The grid of either preset gives the bytes of the tree, which measure() compares with every pair.
static size_t assert_hash_as_tree(toc_scene *bodies, const toc_end *end, double thickness) {
    static const char *const presets[] = {"voxel", "voxel-safe"};
    toc_near *tree = near_by(bodies, "auto", 1, end, thickness);
    for (int i = 0; i < 4; i++) {
        toc_near *hash = near_by(bodies, presets[i / 2], 1 + 2 * (i % 2), end, thickness);
        assert_int_equal(hash->count, tree->count);
        if (tree->count) assert_memory_equal(hash->pairs, tree->pairs, tree->count * sizeof *tree->pairs);
        toc_near_destroy(hash);
    }
    const size_t count = tree->count;
    toc_near_destroy(tree);
    return count;
}

static size_t assert_hash_as_tree_at_ends(toc_scene *bodies, double thickness) {
    static const toc_end ends[] = {TOC_AT_START, TOC_AT_END};
    return assert_hash_as_tree(bodies, &ends[0], thickness) + assert_hash_as_tree(bodies, &ends[1], thickness);
}

static void hash_finds_what_the_tree_finds(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t found = 0;
    for (int shape = 0; shape < TOC_SHAPE_COUNT; shape++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)shape, 8, 20, 0.2);
        found += assert_hash_as_tree_at_ends(bodies, 0.02);
        assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.05));
        found += assert_hash_as_tree_at_ends(bodies, 0.01);
        toc_scene_destroy(bodies);
    }
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 5, 14, 0.3);
    found += assert_hash_as_tree(bodies, NULL, 0.02);
    toc_scene_destroy(bodies);
    assert_true(found > 1000);
}

// Neighbours that are folded flat, which the normal test of contacts drops; distances that need all cells.
static void hash_has_no_normal_test_and_no_longest_distance(void **state) {
    (void)state;
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 4, 4);
    toc_scene *bodies = test_scene_of(sheet, test_grid_volume(TOC_TET, 1, 1, 1));
    double x[3 * 25];
    memcpy(x, toc_mesh_get_x0(sheet), sizeof x);
    for (size_t v = 0; v < 25; v++)
        if (x[3 * v] > 2) x[3 * v] = 4 - x[3 * v], x[3 * v + 2] += 0.01;
    assert_ok(test_mesh_set_motion(sheet, x, x));
    assert_true(assert_hash_as_tree_at_ends(bodies, 0.02) > 100);
    assert_true(assert_hash_as_tree_at_ends(bodies, 100) > 1000);
    assert_true(assert_hash_as_tree_at_ends(bodies, 1e300) > 1000);
    toc_scene_destroy(bodies);
}

// Bodies that rest stay in their table; the pairs among them are searched all the same, and once one moves, too.
static void hash_keeps_resting_bodies(void **state) {
    (void)state;
    toc_mesh *still = test_grid_sheet(TOC_TRIANGLE, 6, 6), *mover = test_grid_sheet(TOC_TRIANGLE, 3, 3);
    toc_scene *bodies = test_scene_of(still, mover);
    double x[3 * 16];
    memcpy(x, toc_mesh_get_x0(mover), sizeof x);
    assert_ok(test_mesh_set_motion(still, toc_mesh_get_x0(still), toc_mesh_get_x0(still)));
    size_t counts[6];
    for (int step = 0; step < 6; step++) {
        for (size_t v = 0; v < 16 && step < 4; v++) x[3 * v] += 0.4, x[3 * v + 2] = 0.3;
        assert_ok(test_mesh_move(mover, x));
        counts[step] = assert_hash_as_tree_at_ends(bodies, 0.5);
        assert_true(counts[step] > 100);
    }
    assert_int_not_equal(counts[0], counts[5]);
    toc_scene_destroy(bodies);
}

// The same pairs in any unit of length.
static void tiny_and_huge(void **state) {
    (void)state;
    size_t counts[3];
    const double scales[] = {0x1p-1000, 1, 0x1p1000};
    for (int i = 0; i < 3; i++) {
        test_random random = {7};
        toc_mesh *soup = test_soup(&random, TOC_TRIANGLE, 40, 60);
        double x[3 * 60];
        for (size_t j = 0; j < 3 * 60; j++) x[j] = toc_mesh_get_x0(soup)[j] * scales[i];
        assert_ok(test_mesh_set_motion(soup, x, x));
        toc_scene *bodies = test_scene_of(soup, NULL);
        const toc_end start = TOC_AT_START;
        counts[i] = assert_hash_as_tree(bodies, &start, 0.05 * scales[i]);
        toc_scene_destroy(bodies);
    }
    assert_true(counts[0] > 100);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[1], counts[2]);
}

// ---- over the step

// The smallest distance of 201 moments.
static double sampled(const toc_scene *bodies, const toc_near_pair *pair) {
    const int second = pair->kind == TOC_VF ? 1 : 2;
    double least = INFINITY;
    for (int step = 0; step <= 200; step++) {
        toc_vec x[4];
        for (int i = 0; i < 4; i++) {
            const toc_mesh *mesh = toc_scene_edit_mesh((toc_scene *)bodies, pair->body[i >= second]);
            const double *x0 = toc_mesh_get_x0(mesh) + 3 * (size_t)pair->v[i],
                         *x1 = toc_mesh_get_x1(mesh) + 3 * (size_t)pair->v[i];
            x[i] = toc_vec_mix(toc_vec_of(x0), toc_vec_of(x1), step / 200.0);
        }
        const double distance = pair->kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
        least = distance < least ? distance : least;
    }
    return least;
}

static int by_pair(const toc_near_pair *a, const toc_near_pair *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    const int bodies = memcmp(a->body, b->body, sizeof a->body);
    return bodies ? bodies : memcmp(a->v, b->v, sizeof a->v);
}

static bool holds(const toc_near *near, const toc_near_pair *pair) {
    for (size_t i = 0; i < near->count; i++)
        if (by_pair(&near->pairs[i], pair) == 0) return true;
    return false;
}

// A pair that is near at an end is near in the step. A pair that is near in between only is reported as well, and no
// other.
static void any_time_of_the_step(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t between = 0;
    for (int round = 0; round < test_less(12, 3); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, round % 2 ? TOC_TRIANGLE : TOC_TET, 8, 24, 0.6);
        toc_query query = toc_query_default();
        toc_near *all, *wide, *same, *ends[2];
        query.threads = 1;
        assert_ok(test_find_near_in_step(bodies, &query, 0.03, &all));
        assert_ok(test_find_near_in_step(bodies, &query, 10, &wide)); // every pair there is
        query.threads = 3;
        assert_ok(test_find_near_in_step(bodies, &query, 0.03, &same));
        assert_int_equal(all->count, same->count);
        assert_memory_equal(all->pairs, same->pairs, all->count * sizeof *all->pairs);
        for (toc_end end = TOC_AT_START; end <= TOC_AT_END; end++) {
            assert_ok(test_find_near(bodies, &query, end, 0.03, &ends[end]));
            for (size_t i = 0; i < ends[end]->count; i++) {
                assert_true(holds(all, &ends[end]->pairs[i]));
                assert_double_same(ends[end]->pairs[i].time, end == TOC_AT_START ? 0 : 1);
            }
        }
        for (size_t i = 0; i < wide->count; i++) {
            const double least = sampled(bodies, &wide->pairs[i]);
            if (least <= 0.03 - 1e-15) assert_true(holds(all, &wide->pairs[i]));
        }
        for (size_t i = 0; i < all->count; i++) {
            const toc_near_pair *pair = &all->pairs[i];
            const double least = sampled(bodies, pair);
            assert_true(pair->distance <= 0.03 * (1 + 0x1p-20) + 1e-12);
            assert_true(pair->distance <= least + 0.03 * 0x1p-20 + 1e-12);
            assert_true(pair->time >= 0 && pair->time <= 1);
            assert_double_same(pair->thickness, 0.03);
            const toc_vec gap = toc_vec_sub(toc_vec_of(pair->points[0]), toc_vec_of(pair->points[1]));
            assert_double_near(toc_vec_length(gap), pair->distance, 0.03 * 0x1p-20);
            between += !holds(ends[0], pair) && !holds(ends[1], pair);
        }
        toc_near_destroy(all);
        toc_near_destroy(wide);
        toc_near_destroy(same);
        toc_near_destroy(ends[0]);
        toc_near_destroy(ends[1]);
        toc_scene_destroy(bodies);
    }
    assert_true(between > test_less(300u, 40u));
}

static size_t count_near(toc_scene *bodies, bool step, double thickness) {
    const toc_query query = toc_query_default();
    toc_near *near;
    assert_ok(step ? test_find_near_in_step(bodies, &query, thickness, &near)
                   : test_find_near(bodies, &query, TOC_AT_START, thickness, &near));
    const size_t count = near->count;
    toc_near_destroy(near);
    return count;
}

// Two sheets half a unit apart. Half of a thickness counts on either side, for a body as a whole and for an element by
// itself.
static void bodies_and_elements_that_are_thick(void **state) {
    (void)state;
    for (int step = 0; step < 2; step++) {
        toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 3, 3), *high = test_grid_sheet(TOC_TRIANGLE, 3, 3);
        double x[3 * 16];
        memcpy(x, toc_mesh_get_x0(high), sizeof x);
        for (size_t v = 0; v < 16; v++) x[3 * v + 2] = 0.5;
        assert_ok(test_mesh_set_motion(high, x, x));
        toc_scene *bodies = test_scene_of(low, high);
        for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
        const size_t all = count_near(bodies, step, 0.51);
        assert_true(all > 100);
        assert_int_equal(count_near(bodies, step, 0.49), 0);
        assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.4));
        assert_int_equal(count_near(bodies, step, 0.29), 0);
        assert_int_equal(count_near(bodies, step, 0.31), all);
        assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.4));
        assert_int_equal(count_near(bodies, step, 0.11), all);
        assert_ok(toc_mesh_set_thickness(high, 4, 0.6));
        const size_t some = count_near(bodies, step, 0.01);
        assert_true(0 < some && some < all / 2);
        toc_scene_destroy(bodies);
    }
}

// A sheet that glides over another, tilted: the near pairs are those within the thickness, and hardly more.
static void passing_by_at_just_the_thickness(void **state) {
    (void)state;
    toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 3, 3), *high = test_grid_sheet(TOC_TRIANGLE, 3, 3);
    double x0[3 * 16], x1[3 * 16];
    for (size_t v = 0; v < 16; v++) {
        const double *x = toc_mesh_get_x0(high) + 3 * v;
        x0[3 * v] = x[0] - 7, x0[3 * v + 1] = x[1] + 0.3, x0[3 * v + 2] = 0.5 + 0.1 * x[0];
        x1[3 * v] = x[0] + 9, x1[3 * v + 1] = x[1] + 0.1, x1[3 * v + 2] = 0.5 + 0.1 * x[0];
    }
    assert_ok(test_mesh_set_motion(high, x0, x1));
    toc_scene *bodies = test_scene_of(low, high);
    for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
    assert_int_equal(count_near(bodies, true, 0.5 * (1 - 1e-5)), 0);
    assert_true(count_near(bodies, true, 0.5 * (1 + 1e-5)) > 50);
    toc_scene_destroy(bodies);
}

// ---- pairs of slivers

typedef struct sliver_pair {
    toc_kind kind;
    toc_pair pair;
} sliver_pair;

// Features of an extent of 4e5 that all move by one vector, but for rounding: their distance does not change.
static const sliver_pair slivers[] = {
    {TOC_VF,
     {{{-0.0005507248963220932, -38.508268087983112, 2.2785707459406893e-05},
       {-4.6279714877022737, -383747.51879911032, 2.2003352725952497e-05},
       {-0.0017161046568537671, 0.15206103326989412, -0.002318810024333505},
       {8.218737068976231e-05, 4322.6868071846402, -0.11587331001769235}},
      {{-0.93902128632917337, -38.44428240200142, -0.17083415726328866},
       {-5.5664420491351247, -383747.45481342432, -0.1708349396180221},
       {-0.94018666608970503, 0.21604671925158397, -0.17317575299508156},
       {-0.93838837406216147, 4322.7507928706218, -0.2867302529884404}}}},
    {TOC_EE,
     {{{-0.012543528299913786, -465.99870209334722, -2.7357829717467857e-05},
       {8.047237059796109e-06, -0.0022248472076622132, 7.5109467587479433},
       {-0.00044279091439303501, 8591.2755871611953, -0.0214298522687697},
       {-4.6279714877022737, -383747.51879911032, 2.2003352725952497e-05}},
      {{-0.95101408973276502, -465.93471640736556, -0.17088430080046552},
       {-0.93846251419579141, 0.061760838774027639, 7.340089815777195},
       {-0.93891335234724427, 8591.3395728471769, -0.19228679523951775},
       {-5.5664420491351247, -383747.45481342432, -0.1708349396180221}}}},
};

static const toc_near_pair *pair_of_kind(const toc_near *near, toc_kind kind) {
    for (size_t i = 0; i < near->count; i++)
        if (near->pairs[i].kind == kind && near->pairs[i].body[0] != near->pairs[i].body[1]) return &near->pairs[i];
    return NULL;
}

// How near a pair comes by exact arithmetic: in [low, high].
static void exact_approach(toc_kind kind, const toc_pair *pair, double limit, double accuracy, double *low,
                           double *high) {
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    for (*low = 0, *high = limit; *high - *low > accuracy;) {
        toc_hit hit;
        test.separation = (*low + *high) / 2;
        assert_ok(toc_pair_find(kind, pair, &test, &hit));
        *(hit.verdict == TOC_APART ? low : high) = test.separation;
    }
}

static double extent_of(const toc_pair *pair) {
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(pair->x0[i][k] - pair->x0[0][k]));
            most = fmax(most, fabs(pair->x1[i][k] - pair->x1[0][k]));
        }
    return most;
}

// The pair is reported when it comes within the thickness, and its distance is as accurate as promised.
static bool assert_approach(toc_kind kind, const toc_pair *pair, double thickness) {
    toc_scene *bodies = test_scene_of_pair(kind, pair);
    toc_query query = toc_query_default();
    toc_near *near;
    toc_hit hit;
    toc_pair_test test = toc_pair_test_default();
    query.threads = 1;
    test.method = TOC_METHOD_EXACT;
    test.separation = thickness;
    assert_ok(test_find_near_in_step(bodies, &query, thickness, &near));
    const toc_near_pair *found = pair_of_kind(near, kind);
    assert_ok(toc_pair_find(kind, pair, &test, &hit));
    assert_int_equal(found != NULL, hit.verdict == TOC_HIT);
    if (found) {
        const double accuracy = fmax(0x1p-20 * thickness, 0x1p-40 * extent_of(pair));
        double low, high;
        exact_approach(kind, pair, thickness, accuracy / 8, &low, &high);
        assert_true(found->distance >= low - accuracy && found->distance <= high + accuracy);
    }
    toc_near_destroy(near);
    toc_scene_destroy(bodies);
    return hit.verdict == TOC_HIT;
}

// The least distance at which exact arithmetic takes a pair at rest for near, and the next double below.
static double least_distance(toc_kind kind, const toc_pair *pair, double *below) {
    double low = 0, high = 16;
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    while (nextafter(low, high) < high) {
        toc_hit hit;
        test.separation = low + (high - low) / 2;
        assert_ok(toc_pair_find(kind, pair, &test, &hit));
        *(hit.verdict == TOC_APART ? &low : &high) = test.separation;
    }
    *below = low;
    return high;
}

static bool is_near_at_start(toc_kind kind, toc_scene *bodies, double distance) {
    const toc_query query = toc_query_default();
    toc_near *near;
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, distance, &near));
    const bool found = pair_of_kind(near, kind) != NULL;
    toc_near_destroy(near);
    return found;
}

// Also where the computed distance is rounded up: the pair is near at its distance. 8 roundings farther it is not.
static void pairs_at_their_distance_by_exact_arithmetic(void **state) {
    (void)state;
    test_random random = test_random_make(3);
    int rounded_up = 0;
    for (int round = 0; round < test_less(120, 40); round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        toc_pair pair;
        toc_vec x[4];
        double below;
        for (int k = 0; k < 12; k++) pair.x0[k / 3][k % 3] = test_random_between(&random, -1, 1);
        memcpy(pair.x1, pair.x0, sizeof pair.x1);
        const double least = least_distance(kind, &pair, &below);
        toc_scene *bodies = test_scene_of_pair(kind, &pair);
        for (int i = 0; i < 4; i++) x[i] = toc_vec_of(pair.x0[i]);
        rounded_up += (kind == TOC_VF ? toc_closest_vf(x) : toc_closest_ee(x)).distance > least;
        assert_true(is_near_at_start(kind, bodies, least));
        assert_false(is_near_at_start(kind, bodies, below * (1 - 0x1p-49)));
        toc_scene_destroy(bodies);
    }
    assert_true(rounded_up > 5);
}

static void slivers_that_move_by_one_vector(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof slivers / sizeof *slivers; i++)
        assert_true(assert_approach(slivers[i].kind, &slivers[i].pair, 0.10396580519680687));
}

// Slivers that turn and stretch, of extents from 1 to 1e6: any question ends with the accuracy promised.
static void slivers_of_any_motion(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int near = 0;
    for (int round = 0; round < test_less(150, 15); round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        const double extent = pow(10, test_random_between(&random, 0, 6));
        toc_pair pair;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) {
                const double size = k == 1 ? extent : pow(10, test_random_between(&random, -5, 0));
                pair.x0[i][k] = size * test_random_between(&random, -1, 1);
                pair.x1[i][k] = pair.x0[i][k] + (round % 3 ? test_random_between(&random, -0.1, 0.1) : 0.1 * k);
            }
        near += assert_approach(kind, &pair, 0.1);
    }
    assert_true(near > test_less(30, 3));
}

// The elementary questions of every family, none of them a scene: parallel, coplanar, vanishing, tiny and huge
// features.
static void questions_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int near = 0;
    for (int family = 0; family < TEST_ALL_FAMILIES; family++)
        for (int round = 0; round < test_less(20, 2); round++) {
            const test_query query = test_query_make(&random, family);
            const double extent = extent_of(&query.pair);
            if (isfinite(extent)) near += assert_approach(query.kind, &query.pair, 0.1 * extent);
        }
    assert_true(near > test_less(30, 8));
}

typedef struct patience {
    int left;
} patience;

static int lose_patience(void *user, double done) {
    patience *p = user;
    assert_true(done >= 0 && done <= 1);
    return --p->left < 0;
}

// Two edges of a million lengths, nearly parallel: the axis between their closest points has too few digits to separate
// them by 0.7, and exact arithmetic must.
static void long_edges_at_an_end_are_not_near(void **state) {
    (void)state;
    const toc_pair edges = {
        {{1048576.001953125, 1048577, 1}, {0.5, 1048576, 1048577.5}, {1048576, 1048577, 0}, {0, 1048576, 1048577}},
        {{1048576.001953125, 1048577, 1}, {0.5, 1048576, 1048577.5}, {1048576, 1048577, 0}, {0, 1048576, 1048577}}};
    toc_scene *bodies = test_scene_of_pair(TOC_EE, &edges);
    const toc_query query = toc_query_default();
    toc_near *near;
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.25, &near));
    assert_null(pair_of_kind(near, TOC_EE));
    toc_near_destroy(near);
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.75, &near));
    assert_non_null(pair_of_kind(near, TOC_EE));
    toc_near_destroy(near);
    toc_scene_destroy(bodies);
}

// One pair is one piece of the search: progress is asked within it.
static void progress_can_stop_a_single_pair(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of_pair(slivers[0].kind, &slivers[0].pair);
    toc_query query = toc_query_default();
    patience p = {0};
    toc_near *near = NULL;
    query.threads = 1;
    query.progress = (toc_progress){lose_patience, &p};
    assert_fails(test_find_near_in_step(bodies, &query, 0.1, &near), TOC_STOPPED, "stopped");
    assert_null(near);
    toc_scene_destroy(bodies);
}

static bool wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)user, (void)body;
    return (v[0] + v[3] + kind) % 2 == 0;
}

static void filters_are_heard(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of(test_soup(&random, TOC_TRIANGLE, 20, 40), NULL);
    toc_query query = toc_query_default();
    toc_near *all, *some;
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.1, &all));
    query.filter.wants = wants;
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.1, &some));
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!wants(NULL, all->pairs[i].kind, all->pairs[i].body, all->pairs[i].v)) continue;
        assert_true(kept < some->count);
        assert_memory_equal(&some->pairs[kept++], &all->pairs[i], sizeof *all->pairs);
    }
    assert_int_equal(kept, some->count);
    assert_true(0 < kept && kept < all->count);
    toc_near_destroy(all);
    toc_near_destroy(some);
    toc_scene_destroy(bodies);
}

static void wrong_settings(void **state) {
    (void)state;
    toc_scene *bodies;
    toc_near *near = NULL;
    const toc_query query = toc_query_default();
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_fails(test_find_near(bodies, &query, TOC_AT_START, -1, &near), TOC_BAD_INPUT, "thickness is -1");
    assert_fails(test_find_near(bodies, &query, TOC_AT_START, NAN, &near), TOC_BAD_INPUT, "thickness");
    assert_fails(test_find_near(bodies, &query, TOC_AT_START, INFINITY, &near), TOC_BAD_INPUT, "thickness");
    assert_fails(test_find_near(bodies, NULL, TOC_AT_START, 1, &near), TOC_BAD_INPUT, "toc_query_init");
    assert_fails(test_find_near_in_step(bodies, &query, -1, &near), TOC_BAD_INPUT, "thickness is -1");
    assert_fails(toc_scene_set_body_thickness(bodies, 0, 1), TOC_BAD_INPUT, "no body 0");
    assert_null(near);
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 1, &near));
    assert_int_equal(near->count, 0);
    toc_near_destroy(near);
    toc_near_destroy(NULL);
    toc_scene_destroy(bodies);
}

static toc_status search(const toc_allocator *allocator, void *user) {
    (void)user;
    test_random random = {5};
    toc_mesh *soup = test_soup(&random, TOC_TET, 12, 30);
    toc_scene *bodies = NULL;
    toc_near *near = NULL;
    toc_query query = toc_query_default();
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, soup, NULL);
    if (status != TOC_OK) toc_mesh_destroy(soup);
    if (status == TOC_OK) status = test_find_near(bodies, &query, TOC_AT_START, 0.1, &near);
    toc_near_destroy(near);
    near = NULL;
    if (status == TOC_OK) status = test_find_near_in_step(bodies, &query, 0.1, &near);
    toc_near_destroy(near);
    near = NULL;
    query.preset = "voxel-safe";
    if (status == TOC_OK) status = test_find_near(bodies, &query, TOC_AT_START, 0.1, &near);
    toc_near_destroy(near);
    toc_scene_destroy(bodies);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(search, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_of_every_shape),
        cmocka_unit_test(grids_at_whole_distances),
        cmocka_unit_test(hash_finds_what_the_tree_finds),
        cmocka_unit_test(hash_has_no_normal_test_and_no_longest_distance),
        cmocka_unit_test(hash_keeps_resting_bodies),
        cmocka_unit_test(tiny_and_huge),
        cmocka_unit_test(any_time_of_the_step),
        cmocka_unit_test(bodies_and_elements_that_are_thick),
        cmocka_unit_test(passing_by_at_just_the_thickness),
        cmocka_unit_test(pairs_at_their_distance_by_exact_arithmetic),
        cmocka_unit_test(slivers_that_move_by_one_vector),
        cmocka_unit_test(slivers_of_any_motion),
        cmocka_unit_test(questions_of_every_family),
        cmocka_unit_test(long_edges_at_an_end_are_not_near),
        cmocka_unit_test(progress_can_stop_a_single_pair),
        cmocka_unit_test(filters_are_heard),
        cmocka_unit_test(wrong_settings),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
