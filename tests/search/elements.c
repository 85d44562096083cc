// SPDX-License-Identifier: Apache-2.0
// Volume presets against brute force: with any stage skipped, on the surface alone, and with elements added and
// removed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/answers.h"
#include "support/fold.h"
#include "support/test.h"
#include "toccata/research.h"

static toc_contacts *find(toc_scene *scene, const char *preset, uint32_t skip, bool surface_only) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.research = &(toc_research){.skip = skip};
    query.surface_only = surface_only;
    query.test.method = strcmp(preset, "brute") == 0 ? TOC_METHOD_EXACT : TOC_METHOD_CERTIFIED;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    return contacts;
}

static void compare(toc_scene *scene, const char *preset, uint32_t skip, bool surface_only, const toc_contacts *truth) {
    toc_contacts *got = find(scene, preset, skip, surface_only);
    test_assert_same_pairs(got, truth);
    toc_contacts_destroy(got);
}

static size_t check(toc_scene *scene, const char *preset, bool surface_only) {
    toc_contacts *truth = find(scene, "brute", 0, surface_only);
    compare(scene, preset, 0, surface_only, truth);
    const size_t count = truth->count;
    toc_contacts_destroy(truth);
    return count;
}

static toc_mesh *shaken(toc_shape shape, test_random *random, double motion) {
    toc_mesh *mesh = test_grid_volume(shape, 3, 2, 2);
    test_shake(mesh, random, 0.1, motion);
    return mesh;
}

static const char *const presets[] = {"auto", "volccd", "navccd", "hashccd"};

static void any_stage_can_be_skipped(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    size_t contacts = 0;
    for (int i = 0; i < 4; i++) {
        toc_scene *scene = test_scene_of(shaken(shapes[i], &random, 0.8), shaken(TOC_TET, &random, 0.8));
        toc_contacts *truth = find(scene, "brute", 0, false);
        for (uint32_t skip = 0; skip < TOC_SKIP_DIAGONALS; skip++)
            compare(scene, "volccd", skip | (skip % 2 ? TOC_SKIP_INTACT : 0), false, truth);
        contacts += truth->count;
        toc_contacts_destroy(truth);
        toc_scene_destroy(scene);
    }
    assert_true(contacts > 100);
}

// The boundary alone: features inside are not tested, features outside are.
static void surface_only_finds_boundary_contacts(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *scene = test_scene_of(shaken(TOC_HEX, &random, 1), shaken(TOC_TET, &random, 1));
    for (int i = 0; i < 4; i++) {
        toc_contacts *all = find(scene, presets[i], 0, false), *outside = find(scene, presets[i], 0, true);
        assert_true(outside->count > 0 && outside->count < all->count);
        toc_contacts_destroy(all);
        toc_contacts_destroy(outside);
        assert_true(check(scene, presets[i], true) > 0);
    }
    toc_scene_destroy(scene);
}

// The output of each stage is at most its input, and is the input of the next stage.
static void stage_counts_are_consistent(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *scene = test_scene_of(shaken(TOC_TET, &random, 0.1), NULL);
    toc_contacts *c = find(scene, "volccd", 0, false), *naive = find(scene, "navccd", 0, false);
    assert_int_equal(test_stage(c, "search").out, test_stage(c, "elements").in);
    assert_true(test_stage(c, "elements").out < test_stage(c, "elements").in / 4);
    assert_int_equal(test_stage(c, "features VF").out, test_stage(c, "assign VF").in);
    assert_int_equal(test_stage(c, "features EE").out, test_stage(c, "assign EE").in);
    assert_true(test_stage(c, "intact").out < test_stage(c, "intact").in);
    assert_int_equal(test_stage(c, "certified").in, test_stage(c, "axes VF").out + test_stage(c, "axes EE").out);
    assert_int_equal(test_stage(naive, "elements").out, test_stage(naive, "elements").in);
    assert_true(test_stage(c, "certified").in < test_stage(naive, "certified").in / 20);
    toc_contacts_destroy(c);
    toc_contacts_destroy(naive);
    toc_scene_destroy(scene);
}

// Published axes remove pairs of elements and of features on parabolas, too, and no contact.
static void published_axes_cull_parabolas(void **state) {
    (void)state;
    static const uint32_t skips[] = {0, TOC_SKIP_FEATURE_AXES, TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_AXES};
    test_random random = test_random_make(0);
    toc_mesh *mesh = shaken(TOC_TET, &random, 0.1);
    toc_scene *scene = test_scene_of(mesh, NULL);
    double a[3 * 36];
    uint64_t tested[3];
    for (int i = 0; i < 3 * 36; i++) a[i] = test_random_between(&random, -6, 6);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 36);
    assert_ok(test_mesh_accelerate(mesh, a));
    toc_contacts *truth = find(scene, "brute", 0, false);
    for (int i = 0; i < 3; i++) {
        toc_contacts *got = find(scene, "volccd-published", skips[i], false);
        test_assert_same_pairs(got, truth);
        tested[i] = test_stage(got, "certified").in;
        toc_contacts_destroy(got);
    }
    assert_true(truth->count > 10 && tested[0] < tested[1] && tested[1] < tested[2] && tested[0] < tested[2] / 2);
    toc_contacts_destroy(truth);
    toc_scene_destroy(scene);
}

// Two tets without a common vertex have 32 vertex-face and 36 edge-edge pairs, as in the paper; two hexes 192 and 144
// without the diagonals.
static void feature_pair_counts_match_the_paper(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_HEX};
    const uint64_t vf[] = {32, 192}, ee[] = {36, 144};
    const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7}, tet[] = {0, 1, 3, 4};
    for (int i = 0; i < 2; i++) {
        toc_mesh *meshes[2];
        for (int j = 0; j < 2; j++) {
            assert_ok(toc_mesh_create(NULL, &meshes[j]));
            assert_ok(toc_mesh_add_vertices(meshes[j], 8, x, NULL));
            assert_ok(toc_mesh_add_elements(meshes[j], shapes[i], 1, i ? corners : tet, NULL));
        }
        toc_scene *scene = test_scene_of(meshes[0], meshes[1]);
        toc_contacts *with = find(scene, "navccd", TOC_SKIP_DYNAMIC_ASSIGNMENT | TOC_SKIP_DIAGONALS, false);
        toc_scene_set_self_contact(scene, 0, false);
        toc_contacts *alone =
            find(scene, "volccd", TOC_SKIP_DIAGONALS | TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_DOPS, false);
        assert_int_equal(test_stage(alone, "assign VF").in, vf[i]);
        assert_int_equal(test_stage(alone, "assign EE").in, ee[i]);
        assert_true(test_stage(with, "assign VF").in > vf[i]); // also the pairs within each element
        toc_contacts_destroy(with);
        toc_contacts_destroy(alone);
        toc_scene_destroy(scene);
    }
}

static void move(toc_mesh *mesh, test_random *random) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x1 = malloc(count * sizeof *x1);
    for (size_t i = 0; i < count; i++) x1[i] = toc_mesh_get_x1(mesh)[i] + test_random_between(random, -0.2, 0.2);
    assert_ok(test_mesh_move(mesh, x1));
    free(x1);
}

// The next step of a body: to a height above the other one, or down by a speed.
static void move_by(toc_mesh *mesh, double height, double speed) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x0 = malloc(count * sizeof *x0), *x1 = malloc(count * sizeof *x1), low = INFINITY;
    memcpy(x0, toc_mesh_get_x0(mesh), count * sizeof *x0);
    for (size_t i = 2; i < count; i += 3) low = fmin(low, x0[i]);
    for (size_t i = 2; i < count && height > 0; i += 3) x0[i] += height - low;
    memcpy(x1, x0, count * sizeof *x1);
    for (size_t i = 2; i < count; i += 3) x1[i] -= speed;
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    free(x0);
    free(x1);
}

// The first contact is the same to the last bit as the earliest of all, whether it comes early, late or not at all, and
// whatever the last step had.
static void first_contact_is_the_earliest_of_all(void **state) {
    (void)state;
    static const char *const trees[] = {"volccd", "navccd", "volccd-published"};
    test_random random = test_random_make(0);
    size_t early = 0, late = 0;
    for (int i = 0; i < test_less(60, 12); i++) {
        toc_mesh *high = shaken(TOC_TET, &random, 0.02), *low = shaken(i % 2 ? TOC_HEX : TOC_TET, &random, 0.02);
        toc_scene *scene = test_scene_of(high, low);
        for (int step = 0; step < 4; step++) {
            const double speed = step == 2 ? 0 : test_random_between(&random, 0, step == 3 ? 40 : 2);
            move_by(high, 3, 0);
            move_by(high, 0, speed);
            toc_query query = toc_query_default();
            query.preset = trees[i % 3];
            query.test.method = TOC_METHOD_CERTIFIED;
            query.test.separation = i % 5 ? 0 : 0.01;
            query.threads = 1 + i % 3;
            toc_contacts *all, *first;
            query.answer = TOC_ANSWER_FIRST;
            assert_ok(toc_scene_find_contacts(scene, &query, NULL, &first));
            query.answer = TOC_ANSWER_ALL;
            assert_ok(toc_scene_find_contacts(scene, &query, NULL, &all));
            assert_int_equal(first->count, all->count > 0);
            if (first->count)
                assert_memory_equal(first->contacts, toc_contacts_find_first(all), sizeof *first->contacts);
            early += first->count && first->contacts->toc < 0.05;
            late += first->count && first->contacts->toc > 0.1;
            toc_contacts_destroy(first);
            toc_contacts_destroy(all);
        }
        toc_scene_destroy(scene);
    }
    assert_true(early > 5 && late > 5);
}

// Behind an early contact nothing is searched or tested.
static void first_contact_culls_by_time(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *a = test_grid_volume(TOC_TET, 6, 6, 2), *b = test_grid_volume(TOC_TET, 6, 6, 2);
    test_shake(a, &random, 0.1, 0.6);
    test_shake(b, &random, 0.1, 0.6);
    toc_scene *scene = test_scene_of(a, b);
    toc_contacts *all = test_find_contacts(scene, "volccd", TOC_ANSWER_ALL, 0, 1);
    toc_contacts *first = test_find_contacts(scene, "volccd", TOC_ANSWER_FIRST, 0, 1);
    assert_true(all->count > 100 && first->contacts->toc < 0.05);
    assert_true(test_stage(first, "search").in < test_stage(all, "search").in);
    assert_true(test_stage(first, "search").out < test_stage(all, "search").out);
    assert_true(test_stage(first, "certified").in < test_stage(all, "certified").in / 4);
    toc_contacts_destroy(first);
    toc_contacts_destroy(all);
    toc_scene_destroy(scene);
}

// Elements are added and removed and vertices torn and welded between steps; the contacts stay complete.
static void a_thousand_edits_between_steps(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *scene = test_scene_of(test_grid_volume(TOC_TET, 2, 2, 1), test_grid_volume(TOC_HEX, 2, 1, 1));
    size_t contacts = 0;
    for (int step = 0; step < 50; step++) {
        for (int i = 0; i < 20; i++) test_random_edit(toc_scene_edit_mesh(scene, (uint32_t)i % 2), &random);
        for (uint32_t body = 0; body < 2; body++) move(toc_scene_edit_mesh(scene, body), &random);
        contacts += check(scene, step % 5 == 4 ? "hashccd" : "volccd", step % 7 == 6);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 1000);
    toc_scene_destroy(scene);
}

// The features that the next query updates after one tear, and the leaves that it rebuilds.
static toc_stage tear(uint32_t cells, const char *stage) {
    toc_mesh *mesh = test_grid_volume(TOC_HEX, cells, cells, cells);
    toc_scene *scene = test_scene_of(mesh, NULL);
    toc_contacts_destroy(find(scene, "volccd", 0, false));
    const uint32_t middle = cells / 2, side = cells + 1, vertex = middle + side * (middle + side * middle);
    const uint32_t torn = middle + cells * (middle + cells * middle);
    assert_ok(toc_mesh_split_vertex(mesh, vertex, 1, &torn, NULL));
    assert_ok(toc_mesh_remove_element(mesh, torn + 1));
    uint32_t first;
    const double x[] = {-1, -1, -1, -2, -1, -1, -1, -2, -1, -1, -1, -2};
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, &first));
    assert_ok(
        toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){first, first + 1, first + 2, first + 3}, NULL));
    toc_contacts *contacts = find(scene, "volccd", 0, false);
    const toc_stage found = test_stage(contacts, stage);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return found;
}

static void work_after_an_edit_is_local(void **state) {
    (void)state;
    const toc_stage small = tear(6, "follow"), large = tear(12, "follow");
    assert_int_equal(small.in, 3);
    assert_int_equal(large.in, 3);
    assert_true(large.out < small.out + small.out / 10); // lookups depend on ids, which differ
    assert_int_equal(tear(12, "build").out, 0);
    print_message("%llu features looked at\n", (unsigned long long)large.out);
}

// Each with one vertex of the mesh and three new ones around it.
static void add_elements(toc_mesh *mesh, test_random *random, toc_shape shape, uint32_t count) {
    const uint32_t old = (uint32_t)toc_mesh_get_vertex_count(mesh), corners = shape == TOC_TET ? 4 : 8;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ids[8] = {(uint32_t)test_random_between(random, 0, old)};
        double x[3 * 7];
        for (uint32_t k = 0; k < 3 * (corners - 1); k++)
            x[k] = toc_mesh_get_x1(mesh)[3 * ids[0] + k % 3] + test_random_between(random, -0.3, 0.3);
        assert_ok(toc_mesh_add_vertices(mesh, corners - 1, x, &ids[1]));
        for (uint32_t k = 2; k < corners; k++) ids[k] = ids[1] + k - 1;
        assert_ok(toc_mesh_add_elements(mesh, shape, 1, ids, NULL));
    }
}

// More elements and vertices than the tree has room for, in the first body, so that the cells of the second one move:
// the tree follows, as it does within its room, and finds what brute force finds.
static void more_elements_than_the_reserve(void **state) {
    (void)state;
    static const char *const followers[] = {"volccd", "navccd", "hashccd"};
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int p = 0; p < 3; p++) {
        toc_scene *scene = test_scene_of(test_grid_volume(TOC_TET, 2, 1, 1), test_grid_volume(TOC_TET, 1, 1, 1));
        toc_contacts_destroy(find(scene, followers[p], 0, false));
        for (uint32_t step = 0; step < 4; step++) {
            const uint32_t added = step == 3 ? 3 : 90;
            toc_mesh *mesh = toc_scene_edit_mesh(scene, step == 1);
            add_elements(mesh, &random, step == 3 ? TOC_HEX : TOC_TET, added);
            if (step == 2) assert_ok(toc_mesh_remove_element(mesh, 1));
            for (uint32_t body = 0; body < 2; body++) move(toc_scene_edit_mesh(scene, body), &random);
            toc_contacts *got = find(scene, followers[p], 0, false), *truth = find(scene, "brute", 0, false);
            test_assert_same_pairs(got, truth);
            assert_int_equal(test_stage(got, "follow").in, added + (step == 2));
            contacts += truth->count;
            toc_contacts_destroy(got);
            toc_contacts_destroy(truth);
        }
        toc_scene_destroy(scene);
    }
    assert_true(contacts > 1000);
}

static void accelerate(toc_mesh *mesh, test_random *random, double most) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *a = malloc(count * sizeof *a);
    for (size_t i = 0; i < count; i++) a[i] = test_random_between(random, -most, most);
    assert_ok(test_mesh_accelerate(mesh, a));
    free(a);
}

// Parabolas: the same contacts as brute force over boxes, and others than on straight paths.
static void accelerated_bodies_match_brute_force(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0, straight = 0;
    for (int i = 0; i < 4; i++) {
        toc_mesh *a = test_grid_volume(TOC_TET, 1, 1, 1), *b = test_grid_volume(TOC_HEX, 1, 1, 1);
        test_shake(a, &random, 0.1, 0.2);
        test_shake(b, &random, 0.4, 0.2);
        toc_scene *scene = test_scene_of(a, b);
        straight += check(scene, "auto", false);
        accelerate(a, &random, 2);
        for (int p = 0; p < 4; p++) contacts += check(scene, presets[p], p == 3);
        assert_ok(test_mesh_accelerate(a, NULL));
        check(scene, "auto", false);
        toc_scene_destroy(scene);
    }
    assert_true(contacts > 100 && contacts != 4 * straight);
}

// A point thrown up returns to its start: a straight path would not move at all.
static void thrown_point_hits_a_face(void **state) {
    (void)state;
    toc_mesh *face, *point;
    const double corners[] = {-1, -1, 0, 1, -1, 0, 0, 2, 0}, below[] = {0, 0, -0.75}, g[] = {0, 0, -8};
    assert_ok(toc_mesh_create(NULL, &face));
    assert_ok(toc_mesh_add_vertices(face, 3, corners, NULL));
    assert_ok(toc_mesh_add_elements(face, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(toc_mesh_create(NULL, &point));
    assert_ok(toc_mesh_add_vertices(point, 1, below, NULL));
    assert_ok(toc_mesh_add_elements(point, TOC_POINT, 1, (const uint32_t[]){0}, NULL));
    toc_scene *scene = test_scene_of(face, point);
    toc_contacts *contacts = find(scene, "auto", 0, false);
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    assert_ok(test_mesh_accelerate(point, g)); // z = -0.75 + 4 t (1 - t)
    contacts = find(scene, "auto", 0, false);
    assert_int_equal(contacts->count, 1);
    assert_double_near(contacts->contacts[0].toc, 0.25, 1e-9);
    toc_contacts_destroy(contacts);
    assert_ok(test_mesh_move(point, below)); // the next step is straight again
    contacts = find(scene, "auto", 0, false);
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

// Queries that support straight paths only refuse accelerated bodies.
static void straight_path_queries_refuse_acceleration(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    accelerate(mesh, &random, 1);
    toc_scene *scene = test_scene_of(mesh, NULL);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = "local";
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "straight paths only");
    query.preset = "volccd";
    query.test.method = TOC_METHOD_CUBIC;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "straight paths only");
    toc_near *near;
    assert_ok(test_find_near_in_step(scene, &query, 0.1, &near)); // whatever the method of contacts
    toc_near_destroy(near);
    double huge[3 * 8];
    for (int i = 0; i < 24; i++) huge[i] = 1.7e308;
    assert_ok(test_mesh_set_motion(mesh, huge, huge));
    for (int i = 0; i < 24; i++) huge[i] = -1.7e308;
    assert_ok(test_mesh_accelerate(mesh, huge));
    query.test.method = TOC_METHOD_CERTIFIED;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "too large");
    toc_scene_destroy(scene);
}

// Coordinates of 0, 1/2 and 1 only: elements that are flat, inverted, without volume, duplicate, or touching at the
// start.
static toc_mesh *crowded(test_random *random, toc_shape shape) {
    toc_mesh *mesh = test_soup(random, shape, 8, 16);
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double x[2][3 * 16];
    for (size_t i = 0; i < 2 * count; i++) x[i / count][i % count] = test_random_below(random, 3) / 2.0;
    assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
    return mesh;
}

static size_t count_overlaps(const toc_mesh *mesh, const double *x) {
    size_t found = 0;
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const toc_element a = toc_mesh_get_element(mesh, i), b = toc_mesh_get_element(mesh, j);
            double p[24], q[24];
            bool share = false;
            if (a.shape < TOC_TET || b.shape < TOC_TET) continue;
            for (int k = 0; k < a.corner_count * b.corner_count; k++)
                share = share || a.corners[k / b.corner_count] == b.corners[k % b.corner_count];
            if (share && (a.shape != TOC_TET || b.shape != TOC_TET)) continue;
            for (int k = 0; k < 3 * a.corner_count; k++) p[k] = x[3 * a.corners[k / 3] + (uint32_t)k % 3];
            for (int k = 0; k < 3 * b.corner_count; k++) q[k] = x[3 * b.corners[k / 3] + (uint32_t)k % 3];
            const double *const x4[4] = {p, p + 3, p + 6, p + 9}, *const y4[4] = {q, q + 3, q + 6, q + 9};
            if (share && !test_tets_are_folded(x4, y4)) continue;
            toc_overlap overlap;
            assert_ok(toc_overlap_find(a.corner_count, p, b.corner_count, q, &overlap));
            found += overlap.verdict == TOC_HIT;
        }
    return found;
}

static void degenerate_elements_are_searched_completely(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0, overlaps = 0;
    for (int round = 0; round < 16; round++) {
        toc_mesh *mesh = crowded(&random, (toc_shape)(TOC_TET + round % 4));
        toc_scene *scene = test_scene_of(mesh, NULL);
        contacts += check(scene, presets[round / 4], false);
        toc_query query = toc_query_default();
        for (int end = TOC_AT_START; end <= TOC_AT_END; end++) {
            toc_overlaps *found;
            assert_ok(toc_scene_find_element_overlaps(scene, &query, (toc_end)end, NULL, &found));
            assert_int_equal(found->count, count_overlaps(mesh, end ? toc_mesh_get_x1(mesh) : toc_mesh_get_x0(mesh)));
            overlaps += found->count;
            toc_overlaps_destroy(found);
        }
        toc_scene_destroy(scene);
    }
    print_message("%zu contacts, %zu overlaps\n", contacts, overlaps);
    assert_true(contacts > 100 && overlaps > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_stage_can_be_skipped),
        cmocka_unit_test(surface_only_finds_boundary_contacts),
        cmocka_unit_test(stage_counts_are_consistent),
        cmocka_unit_test(published_axes_cull_parabolas),
        cmocka_unit_test(first_contact_is_the_earliest_of_all),
        cmocka_unit_test(first_contact_culls_by_time),
        cmocka_unit_test(feature_pair_counts_match_the_paper),
        cmocka_unit_test(a_thousand_edits_between_steps),
        cmocka_unit_test(more_elements_than_the_reserve),
        cmocka_unit_test(work_after_an_edit_is_local),
        cmocka_unit_test(degenerate_elements_are_searched_completely),
        cmocka_unit_test(accelerated_bodies_match_brute_force),
        cmocka_unit_test(thrown_point_hits_a_face),
        cmocka_unit_test(straight_path_queries_refuse_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
