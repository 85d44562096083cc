// SPDX-License-Identifier: Apache-2.0
// Points in volume elements: by hand, by walking the shape functions both ways, and in elements gone wrong.
#include <math.h>
#include <string.h>

#include "support/hull.h"

static const double unit_tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double unit_pyramid[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
static const double unit_wedge[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
static const double unit_hex[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

typedef struct element {
    toc_shape shape;
    int count;
    const double (*corners)[3];
} element;

static const element elements[] = {
    {TOC_TET, 4, unit_tet}, {TOC_PYRAMID, 5, unit_pyramid}, {TOC_WEDGE, 6, unit_wedge}, {TOC_HEX, 8, unit_hex}};

static toc_inside find(toc_shape shape, const double (*corners)[3], double x, double y, double z) {
    toc_inside inside;
    assert_ok(toc_inside_find(shape, corners[0], (double[]){x, y, z}, &inside));
    return inside;
}

static void check_weights(const toc_inside *in, int count, const double (*corners)[3], const double point[3],
                          double how_near) {
    double sum = 0, at[3] = {0};
    for (int i = 0; i < count; i++) {
        assert_true(in->weights[i] >= 0 && in->weights[i] <= 1);
        sum += in->weights[i];
        for (int c = 0; c < 3; c++) at[c] += in->weights[i] * corners[i][c];
    }
    assert_double_near(sum, 1, 1e-12);
    for (int c = 0; c < 3; c++) assert_double_near(at[c], point[c], how_near);
}

static void weights_by_hand(void **state) {
    (void)state;
    const toc_inside tet = find(TOC_TET, unit_tet, 0.25, 0.125, 0.5);
    assert_int_equal(tet.verdict, TOC_HIT);
    assert_double_near(tet.weights[0], 0.125, 1e-12);
    assert_double_near(tet.weights[1], 0.25, 1e-12);
    assert_double_near(tet.weights[3], 0.5, 1e-12);
    const toc_inside hex = find(TOC_HEX, unit_hex, 0.25, 0.5, 0.5);
    assert_int_equal(hex.verdict, TOC_HIT);
    assert_double_near(hex.weights[0], 0.75 * 0.25, 1e-12);
    assert_double_near(hex.weights[6], 0.25 * 0.25, 1e-12);
    const toc_inside wedge = find(TOC_WEDGE, unit_wedge, 0.25, 0.5, 0.75);
    assert_int_equal(wedge.verdict, TOC_HIT);
    assert_double_near(wedge.weights[5], 0.5 * 0.75, 1e-12);
    const toc_inside pyramid = find(TOC_PYRAMID, unit_pyramid, 0.5, 0.5, 0.75);
    assert_int_equal(pyramid.verdict, TOC_HIT);
    assert_double_near(pyramid.weights[4], 0.75, 1e-12);
}

static void outside_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        assert_int_equal(find(elements[i].shape, elements[i].corners, 2, 2, 2).verdict, TOC_APART);
        assert_int_equal(find(elements[i].shape, elements[i].corners, 0.25, 0.25, -1e-9).verdict, TOC_APART);
        assert_int_equal(find(elements[i].shape, elements[i].corners, 0.375, 0.375, 0.125).verdict, TOC_HIT);
    }
    assert_int_equal(find(TOC_WEDGE, unit_wedge, 0.51, 0.51, 0.5).verdict, TOC_APART);
    assert_int_equal(find(TOC_PYRAMID, unit_pyramid, 0.1, 0.5, 0.5).verdict, TOC_APART);
}

// On a face, on an edge, on a corner: in a tet for certain, in the others never called outside.
static void on_the_boundary(void **state) {
    (void)state;
    assert_int_equal(find(TOC_TET, unit_tet, 0.25, 0.25, 0).verdict, TOC_HIT);
    assert_int_equal(find(TOC_TET, unit_tet, 0.5, 0.5, 0).verdict, TOC_HIT);
    assert_int_equal(find(TOC_TET, unit_tet, 0, 0, 1).verdict, TOC_HIT);
    assert_int_equal(find(TOC_TET, unit_tet, 0.25, 0.25, -0x1p-1074).verdict, TOC_APART);
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (int i = 0; i < elements[e].count; i++)
            for (int j = 0; j < elements[e].count; j++) {
                const double *a = elements[e].corners[i], *b = elements[e].corners[j];
                const double at[3] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
                const toc_inside in = find(elements[e].shape, elements[e].corners, at[0], at[1], at[2]);
                assert_int_not_equal(in.verdict, TOC_APART);
                check_weights(&in, elements[e].count, elements[e].corners, at, 1e-9);
            }
}

/// Shape functions at a place of the cube: the corners of the collapsed ones are blended beforehand.
static void blend(toc_shape shape, const double (*corners)[3], const double at[3], double point[3]) {
    static const int collapse[3][8] = {{0, 1, 2, 3, 4, 4, 4, 4}, {0, 1, 2, 2, 3, 4, 5, 5}, {0, 1, 2, 3, 4, 5, 6, 7}};
    const int *to = collapse[shape == TOC_PYRAMID ? 0 : shape == TOC_WEDGE ? 1 : 2];
    for (int c = 0; c < 3; c++) {
        point[c] = 0;
        for (int i = 0; i < 8; i++) {
            const double *p = unit_hex[i];
            const double weight =
                (p[0] > 0 ? at[0] : 1 - at[0]) * (p[1] > 0 ? at[1] : 1 - at[1]) * (p[2] > 0 ? at[2] : 1 - at[2]);
            point[c] += weight * corners[to[i]][c];
        }
    }
}

// A place well within the cube lands within the element, however its faces bend.
static void bent_elements(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 3000; n++) {
        const element *of = &elements[1 + n % 3];
        double corners[8][3], at[3], point[3];
        for (int i = 0; i < of->count; i++)
            for (int c = 0; c < 3; c++) corners[i][c] = of->corners[i][c] + test_random_between(&random, -0.2, 0.2);
        for (int c = 0; c < 3; c++) at[c] = test_random_between(&random, 0.02, 0.98);
        blend(of->shape, (const double(*)[3])corners, at, point);
        const toc_inside in = find(of->shape, (const double(*)[3])corners, point[0], point[1], point[2]);
        assert_int_equal(in.verdict, TOC_HIT);
        check_weights(&in, of->count, (const double(*)[3])corners, point, 1e-12);
    }
}

// Just beyond a bent face is outside although the hull of the corners is not.
static void beyond_a_bent_face(void **state) {
    (void)state;
    double corners[8][3];
    memcpy(corners, unit_hex, sizeof corners);
    corners[6][2] = 1.5; // the top bulges to 1 + x y / 2; the hull goes up to 1 + min(x, y) / 2
    const double(*hex)[3] = (const double(*)[3])corners;
    assert_int_equal(find(TOC_HEX, hex, 0.5, 0.5, 1.124).verdict, TOC_HIT);
    assert_int_equal(find(TOC_HEX, hex, 0.5, 0.5, 1.126).verdict, TOC_APART);
    assert_int_equal(find(TOC_HEX, hex, 0.5, 0.5, 1.2).verdict, TOC_APART);
}

// Flat, repeated, inverted and twisted elements get an answer, and never a wrong "outside".
static void elements_gone_wrong(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 600; n++) {
        const element *of = &elements[n % 4];
        double corners[8][3], point[3] = {0}, at[3];
        for (int i = 0; i < of->count; i++)
            for (int c = 0; c < 3; c++) corners[i][c] = test_coordinate(&random, TEST_GRID);
        for (int c = 0; c < 3; c++) at[c] = test_random_below(&random, 5) * 0.25;
        if (of->shape != TOC_TET)
            blend(of->shape, (const double(*)[3])corners, at, point);
        else
            for (int c = 0; c < 3; c++) point[c] = (corners[0][c] + corners[1][c] + corners[2][c] + corners[3][c]) / 4;
        const toc_inside in = find(of->shape, (const double(*)[3])corners, point[0], point[1], point[2]);
        assert_int_not_equal(in.verdict, TOC_APART);
        if (in.verdict == TOC_HIT) check_weights(&in, of->count, (const double(*)[3])corners, point, 1e-9);
    }
}

static void any_scale(void **state) {
    (void)state;
    static const double scales[] = {0x1p-1060, 0x1p-500, 0x1p500, 0x1p1022};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
            double corners[8][3];
            for (int i = 0; i < elements[e].count; i++)
                for (int c = 0; c < 3; c++) corners[i][c] = elements[e].corners[i][c] * scales[s];
            const double at = 0.25 * scales[s];
            const double(*scaled)[3] = (const double(*)[3])corners;
            assert_int_equal(find(elements[e].shape, scaled, at, 1.5 * at, 0.5 * at).verdict, TOC_HIT);
            assert_int_equal(find(elements[e].shape, scaled, at, at, -at).verdict, TOC_APART);
        }
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    toc_inside inside;
    const double point[3] = {0, NAN, 0};
    assert_fails(toc_inside_find(TOC_TRIANGLE, unit_tet[0], unit_tet[0], &inside), TOC_BAD_INPUT, "triangle");
    assert_fails(toc_inside_find(TOC_TET, unit_tet[0], point, &inside), TOC_BAD_INPUT, "not finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_by_hand),    cmocka_unit_test(outside_by_hand),
        cmocka_unit_test(on_the_boundary),    cmocka_unit_test(bent_elements),
        cmocka_unit_test(beyond_a_bent_face), cmocka_unit_test(elements_gone_wrong),
        cmocka_unit_test(any_scale),          cmocka_unit_test(refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
