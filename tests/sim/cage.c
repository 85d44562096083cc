// SPDX-License-Identifier: Apache-2.0
// Cages around skins of every kind: closed and open, several pieces, limbs that nearly touch. Each has to keep its
// bounds.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/skeleton.h"
#include "support/test.h"

/// A skin under construction; all joints hang from the first one.
typedef struct test_skin {
    toc_mesh *mesh;
    skeleton skeleton;
} test_skin;

enum { AROUND = 16, ALONG = 12 };

static test_skin begin_skin(size_t joints) {
    test_skin s = {0};
    assert_ok(toc_mesh_create(NULL, &s.mesh));
    assert_ok(skeleton_begin(s.mesh, joints, &s.skeleton));
    for (uint32_t j = 1; j < joints; j++) s.skeleton.parents[j] = 0;
    return s;
}

static void free_skin(test_skin *s) {
    toc_mesh_destroy(s->mesh);
    skeleton_free(&s->skeleton);
}

static uint32_t add_skin_vertex(test_skin *s, double x, double y, double z, uint32_t joint) {
    uint32_t v;
    const double at[3] = {x, y, z}, one = 1;
    assert_ok(toc_mesh_add_vertices(s->mesh, 1, at, &v));
    assert_ok(skeleton_add_vertex(&s->skeleton, 1, &joint, &one));
    return v;
}

static void add_triangle(test_skin *s, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t v[3] = {a, b, c};
    assert_ok(toc_mesh_add_elements(s->mesh, TOC_TRIANGLE, 1, v, NULL));
}

/// A tube along y, a capsule if it is closed: its ends are cones then.
static void add_tube(test_skin *s, double x, double z, double low, double high, double radius, uint32_t joint,
                     bool closed) {
    uint32_t first = UINT32_MAX;
    for (int j = 0; j <= ALONG; j++)
        for (int i = 0; i < AROUND; i++) {
            const double a = 2 * 3.14159265358979323846 * i / AROUND;
            const uint32_t v =
                add_skin_vertex(s, x + radius * cos(a), low + (high - low) * j / ALONG, z - radius * sin(a), joint);
            if (first == UINT32_MAX) first = v;
        }
    for (uint32_t j = 0; j < ALONG; j++)
        for (uint32_t i = 0; i < AROUND; i++) {
            const uint32_t a = first + j * AROUND + i, b = first + j * AROUND + (i + 1) % AROUND;
            add_triangle(s, a, b, b + AROUND);
            add_triangle(s, a, b + AROUND, a + AROUND);
        }
    if (!closed) return;
    const uint32_t bottom = add_skin_vertex(s, x, low - 0.5 * radius, z, joint);
    const uint32_t top = add_skin_vertex(s, x, high + 0.5 * radius, z, joint);
    for (uint32_t i = 0; i < AROUND; i++) {
        add_triangle(s, bottom, first + (i + 1) % AROUND, first + i);
        add_triangle(s, top, first + ALONG * AROUND + i, first + ALONG * AROUND + (i + 1) % AROUND);
    }
}

static toc_cage_report inspect(const test_skin *s, const toc_cage *cage) {
    toc_cage_report r;
    assert_ok(toc_cage_inspect(toc_cage_get_def(cage), &s->skeleton.def, &r));
    return r;
}

/// The bound of the distance: wider than the default, and more so where tests are slow.
static double bound_of_tests(void) { return 0.001 * test_less(8, 20); }

static void assert_fits(const toc_cage_report *r) {
    assert_true(r->tets > 0);
    assert_true(r->inward <= bound_of_tests());
    assert_true(r->outward <= bound_of_tests());
    assert_int_equal(r->inverted, 0);
    assert_int_equal(r->contacts, 0);
    assert_true(r->worst > 0.01);
}

/// The cage of a skin, which keeps its bounds. @return its components.
static size_t check_skin(test_skin *s) {
    toc_cage *cage;
    toc_cage_settings settings = toc_cage_settings_default();
    settings.distance = bound_of_tests();
    assert_ok(toc_cage_create(&s->skeleton.def, &settings, NULL, &cage));
    const toc_cage_report r = inspect(s, cage);
    assert_fits(&r);
    // The weights are those of a character.
    toc_character *c;
    assert_ok(toc_character_create(toc_cage_get_def(cage), NULL, NULL, &c));
    toc_character_destroy(c);
    toc_cage_destroy(cage);
    return r.components;
}

static void a_closed_skin(void **state) {
    (void)state;
    test_skin s = begin_skin(1);
    add_tube(&s, 0, 0, 0, 1, 0.15, 0, true);
    assert_int_equal(check_skin(&s), 1);
    free_skin(&s);
}

// Legs apart by less than any tet: each joint has a component of its own.
static void legs_near_each_other_stay_apart(void **state) {
    (void)state;
    static const double gaps[] = {0.012, 0.001, 0};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        test_skin s = begin_skin(3);
        add_tube(&s, -0.1 - gaps[i] / 2, 0, 0, 1, 0.1, 1, true);
        add_tube(&s, 0.1 + gaps[i] / 2, 0, 0, 1, 0.1, 2, true);
        assert_int_equal(check_skin(&s), 2);
        free_skin(&s);
    }
}

/// The largest distance between the skin, moved by its cage, and where its own joints bring it. Joint j moves by j
/// along x.
static double find_shift_error(const test_skin *s, const toc_cage *cage) {
    toc_character *c;
    toc_binding *binding;
    const size_t count = toc_mesh_get_vertex_count(s->mesh);
    double matrices[3][12], *x = calloc(3 * count, sizeof *x), most = 0;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 12; k++) matrices[j][k] = k % 5 == 0 ? 1 : k == 3 ? j : 0;
    assert_ok(toc_character_create(toc_cage_get_def(cage), NULL, NULL, &c));
    assert_ok(toc_character_step(c, 3, matrices[0], NULL));
    assert_ok(toc_cage_bind(toc_cage_get_def(cage), &s->skeleton.def, NULL, &binding));
    assert_ok(toc_binding_apply(binding, toc_mesh_get_vertex_count(toc_cage_get_def(cage)->cage),
                                toc_character_get_positions(c, 0), count, x));
    for (size_t v = 0; v < count; v++) {
        const double joint = s->skeleton.joints[v > 0 ? s->skeleton.weight_ends[v - 1] : 0];
        most = fmax(most, fabs(x[3 * v] - toc_mesh_get_x1(s->mesh)[3 * v] - joint));
    }
    free(x);
    toc_binding_destroy(binding);
    toc_character_destroy(c);
    return most;
}

/// The error of a measure for two legs that touch.
static double measure_legs(size_t tets, double (*measure)(const test_skin *s, const toc_cage *cage)) {
    test_skin s = begin_skin(3);
    toc_cage *cage;
    toc_cage_settings settings = toc_cage_settings_default();
    settings.tets = tets;
    add_tube(&s, -0.1, 0, 0, 1, 0.1, 1, true);
    add_tube(&s, 0.1, 0, 0, 1, 0.1, 2, true);
    assert_ok(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage));
    const double error = measure(&s, cage);
    toc_cage_destroy(cage);
    free_skin(&s);
    return error;
}

// Legs that touch: each carries its own skin, although that of the other is as near.
static void limbs_carry_their_own_skin(void **state) {
    (void)state;
    assert_true(measure_legs(0, find_shift_error) < 1e-9);
}

/// The largest way of the cage that is not the one of its limb: the skin of joint 1 moves by 1 along z.
static double find_way_error(const test_skin *s, const toc_cage *cage) {
    const toc_character_def *def = toc_cage_get_def(cage);
    const size_t count = toc_mesh_get_vertex_count(s->mesh), own = toc_mesh_get_vertex_count(def->cage);
    double *ways = calloc(3 * count, sizeof *ways), *moved = calloc(3 * own, sizeof *moved), most = 0;
    toc_binding *binding;
    for (size_t v = 0; v < count; v++) ways[3 * v + 2] = s->skeleton.joints[v] == 1;
    assert_ok(toc_skin_bind(&s->skeleton.def, def, NULL, &binding));
    assert_ok(toc_binding_apply(binding, count, ways, own, moved));
    for (size_t v = 0; v < own; v++) {
        const double wanted = def->joints[v > 0 ? def->weight_ends[v - 1] : 0] == 1;
        most = fmax(most, fmax(fabs(moved[3 * v + 2] - wanted), fabs(moved[3 * v])));
    }
    assert_fails(toc_binding_apply(binding, 1, ways, own, moved), TOC_BAD_INPUT,
                 "the array has 1 vertices, the skin has");
    toc_binding_destroy(binding);
    free(ways);
    free(moved);
    return most;
}

// Displacements of a skin go over to the cage, limb by limb: the other leg, which touches, stays.
static void cages_take_the_ways_of_their_skin(void **state) {
    (void)state;
    assert_true(measure_legs(2000, find_way_error) < 1e-9);
}

static void an_arm_against_a_torso(void **state) {
    (void)state;
    test_skin s = begin_skin(3);
    add_tube(&s, 0, 0, 0, 1, 0.2, 1, true);
    add_tube(&s, 0.253, 0, 0.3, 0.9, 0.05, 2, true);
    assert_int_equal(check_skin(&s), 2);
    free_skin(&s);
}

// Pieces of one joint are one body, even where they only cross.
static void pieces_of_a_limb_are_joined(void **state) {
    (void)state;
    test_skin s = begin_skin(2);
    add_tube(&s, 0, 0, 0, 0.6, 0.1, 1, true);
    add_tube(&s, 0.02, 0, 0.4, 1, 0.1, 1, true);
    assert_int_equal(check_skin(&s), 1);
    free_skin(&s);
}

// The upper and the lower leg are joints one above the other.
static void a_knee_is_joined(void **state) {
    (void)state;
    test_skin s = begin_skin(2);
    add_tube(&s, 0, 0, 0, 0.55, 0.1, 1, true);
    add_tube(&s, 0, 0, 0.45, 1, 0.1, 0, true);
    assert_int_equal(check_skin(&s), 1);
    free_skin(&s);
}

/// Two tubes that cross, each with a skeleton of its own.
static test_skin begin_crossing(void) {
    test_skin s = begin_skin(2);
    s.skeleton.parents[1] = UINT32_MAX;
    add_tube(&s, 0, 0, 0, 1, 0.1, 0, true);
    add_tube(&s, 0.05, 0, 0.3, 1.3, 0.1, 1, true);
    return s;
}

static void characters_have_cages_of_their_own(void **state) {
    (void)state;
    test_skin s = begin_crossing();
    toc_cage *cage;
    toc_cage_settings settings = toc_cage_settings_default();
    settings.distance = bound_of_tests();
    assert_ok(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage));
    toc_cage_report r = inspect(&s, cage);
    assert_fits(&r);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.characters, 2);
    assert_true(r.between > 0);
    const toc_character_def *def = toc_cage_get_def(cage);
    for (size_t v = 0; v < toc_mesh_get_vertex_count(def->cage); v++)
        assert_int_equal(def->weight_ends[v] - (v > 0 ? def->weight_ends[v - 1] : 0), 1); // of one joint each
    toc_cage_destroy(cage);
    settings.tets = 4000;
    assert_ok(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage));
    r = inspect(&s, cage);
    assert_true(r.tets > 3200 && r.tets < 4800);
    assert_int_equal(r.components, 2);
    toc_cage_destroy(cage);
    free_skin(&s);
}

/// Two characters that stand in the same place at rest are pushed out of each other where they meet.
static void characters_leave_each_other(void **state) {
    (void)state;
    test_skin s = begin_skin(2);
    toc_cage *cage;
    toc_character *c;
    toc_character_report report;
    toc_cage_settings wish = toc_cage_settings_default();
    toc_character_settings settings = toc_character_settings_default();
    s.skeleton.parents[1] = UINT32_MAX;
    add_tube(&s, 0, 0, 0, 1, 0.2, 0, true);
    add_tube(&s, 0, 0, 0, 1, 0.2, 1, true);
    wish.tets = 1500;
    settings.iterations = 20;
    settings.respond = true;
    assert_ok(toc_cage_create(&s.skeleton.def, &wish, NULL, &cage));
    assert_ok(toc_character_create(toc_cage_get_def(cage), &settings, NULL, &c));
    for (int i = 0; i <= 20; i++) { // one comes near the other from the side
        double matrices[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0.6 - 0.012 * i, 0, 1, 0, 0, 0, 0, 1, 0};
        assert_ok(toc_character_step(c, 2, matrices, &report));
    }
    assert_int_equal(report.contacts, 0);
    assert_int_equal(report.inverted, 0);
    assert_true(report.distance > 0); // 0.36 between the axes of tubes that are 0.4 wide
    toc_character_destroy(c);
    toc_cage_destroy(cage);
    free_skin(&s);
}

static void clothes_inside_clothes(void **state) {
    (void)state;
    test_skin s = begin_skin(1);
    add_tube(&s, 0, 0, 0, 1, 0.1, 0, true);
    add_tube(&s, 0, 0, 0.1, 0.9, 0.12, 0, false);
    add_tube(&s, 0, 0, 0.2, 0.8, 0.125, 0, true);
    assert_int_equal(check_skin(&s), 1);
    free_skin(&s);
}

static void an_open_tube_is_filled_or_thick(void **state) {
    (void)state;
    test_skin s = begin_skin(1);
    add_tube(&s, 0, 0, 0, 1, 0.15, 0, false);
    assert_true(check_skin(&s) >= 1);
    free_skin(&s);
}

// Triangles that are missing at random, and others turned inside out.
static void soup_with_holes(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_skin whole = begin_skin(1), s = begin_skin(1);
    add_tube(&whole, 0, 0, 0, 1, 0.15, 0, true);
    const double *x = toc_mesh_get_x1(whole.mesh);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(whole.mesh); e++) {
        const uint32_t *v = toc_mesh_get_element(whole.mesh, e).corners;
        uint32_t own[3];
        if (test_random_below(&random, 20) == 0) continue;
        for (int k = 0; k < 3; k++) {
            const double *p = x + 3 * (size_t)v[k];
            own[k] = add_skin_vertex(&s, p[0], p[1], p[2], 0); // every seam is open
        }
        add_triangle(&s, own[0], own[1], own[2]);
    }
    assert_true(check_skin(&s) >= 1);
    free_skin(&whole);
    free_skin(&s);
}

static void a_sheet_is_thick(void **state) {
    (void)state;
    test_skin s = begin_skin(1);
    const uint32_t a = add_skin_vertex(&s, 0, 0, 0, 0), b = add_skin_vertex(&s, 0.05, 0, 0.01, 0);
    const uint32_t c = add_skin_vertex(&s, 0.05, 1, 0, 0), d = add_skin_vertex(&s, 0, 1, 0.01, 0);
    add_triangle(&s, a, b, c);
    add_triangle(&s, a, c, d);
    assert_true(check_skin(&s) >= 1);
    free_skin(&s);
}

static void the_number_of_tets_is_met(void **state) {
    (void)state;
    static const size_t wishes[] = {1500, 6000};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        test_skin s = begin_skin(3);
        toc_cage *cage;
        toc_cage_settings settings = toc_cage_settings_default();
        add_tube(&s, -0.12, 0, 0, 1, 0.1, 1, true);
        add_tube(&s, 0.12, 0, 0, 1, 0.1, 2, true);
        settings.tets = wishes[i];
        assert_ok(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage));
        const toc_cage_report r = inspect(&s, cage);
        assert_true(fabs((double)r.tets - (double)wishes[i]) <= 0.2 * (double)wishes[i]);
        assert_int_equal(r.inverted + r.contacts, 0);
        toc_cage_destroy(cage);
        free_skin(&s);
    }
}

static void mistakes_are_told(void **state) {
    (void)state;
    test_skin s = begin_skin(1);
    toc_cage *cage;
    toc_cage_settings settings = toc_cage_settings_default();
    const uint32_t v = add_skin_vertex(&s, 0, 0, 0, 0);
    assert_fails(toc_cage_create(&s.skeleton.def, NULL, NULL, &cage), TOC_BAD_INPUT, "the skin has no triangles");
    const uint32_t w = add_skin_vertex(&s, 0, 0, 0, 0);
    add_triangle(&s, v, w, add_skin_vertex(&s, 0, 0, 0, 0));
    assert_fails(toc_cage_create(&s.skeleton.def, NULL, NULL, &cage), TOC_BAD_INPUT, "no extent");
    settings.distance = 0;
    assert_fails(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage), TOC_BAD_INPUT, "the distance is 0");
    settings = toc_cage_settings_default();
    settings.size = 3;
    assert_fails(toc_cage_create(&s.skeleton.def, &settings, NULL, &cage), TOC_BAD_INPUT, "a size of 3 bytes");
    assert_int_equal(toc_cage_create(NULL, NULL, NULL, &cage), TOC_BAD_INPUT);
    toc_cage_destroy(NULL);
    assert_null(toc_cage_get_def(NULL));
    free_skin(&s);
}

static toc_status make_small_cage(const toc_allocator *allocator, void *user) {
    test_skin *s = user;
    toc_cage *cage = NULL;
    toc_cage_settings settings = toc_cage_settings_default();
    settings.distance = 0.05;
    toc_status status = toc_cage_create(&s->skeleton.def, &settings, allocator, &cage);
    toc_binding *binding = NULL;
    if (status == TOC_OK) status = toc_skin_bind(&s->skeleton.def, toc_cage_get_def(cage), allocator, &binding);
    toc_binding_destroy(binding);
    toc_cage_destroy(cage);
    return status;
}

static void memory_that_ends(void **state) {
    (void)state;
    test_skin s = begin_skin(2);
    add_tube(&s, 0, 0, 0, 1, 0.3, 1, true);
    test_every_allocation(make_small_cage, &s);
    free_skin(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_skin),
        cmocka_unit_test(legs_near_each_other_stay_apart),
        cmocka_unit_test(limbs_carry_their_own_skin),
        cmocka_unit_test(cages_take_the_ways_of_their_skin),
        cmocka_unit_test(an_arm_against_a_torso),
        cmocka_unit_test(pieces_of_a_limb_are_joined),
        cmocka_unit_test(a_knee_is_joined),
        cmocka_unit_test(characters_have_cages_of_their_own),
        cmocka_unit_test(characters_leave_each_other),
        cmocka_unit_test(clothes_inside_clothes),
        cmocka_unit_test(an_open_tube_is_filled_or_thick),
        cmocka_unit_test(soup_with_holes),
        cmocka_unit_test(a_sheet_is_thick),
        cmocka_unit_test(the_number_of_tets_is_met),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(memory_that_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
