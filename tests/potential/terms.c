// SPDX-License-Identifier: Apache-2.0
// The barrier and the friction of single pairs against finite differences, and projections against their definition.
#include "potential/terms.h"

#include <math.h>
#include <string.h>

#include "potential/symmetric.h"
#include "support/test.h"

static const double STEP = 1e-3; // of differences of the fourth order; lengths are about 1

typedef struct sample {
    toc_kind kind;
    toc_vec x[4];
    double limit;
} sample;

static double *component(toc_vec x[4], int k) {
    toc_vec *v = &x[k / 3];
    return k % 3 == 0 ? &v->x : k % 3 == 1 ? &v->y : &v->z;
}

static double entry(const toc_terms *t, int row, int column) {
    double sum = 0;
    for (int k = 0; k < t->count; k++) {
        const toc_square *q = &t->squares[k];
        sum += q->scale * (q->z[row / 3][row % 3] * q->z[column / 3][column % 3]);
    }
    return sum;
}

// ---- samples: one class each, far from its ends

static toc_vec random_vec(test_random *random, double size) {
    toc_vec v;
    v.x = test_random_between(random, -size, size);
    v.y = test_random_between(random, -size, size);
    v.z = test_random_between(random, -size, size);
    return v;
}

// The places of closest points in the middle of features, beyond an edge, beyond a corner, on parallel edges.
static sample sample_of(int which, test_random *random) {
    static const sample samples[] = {
        {TOC_VF, {{0.3, 0.3, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0},
        {TOC_VF, {{0.5, -0.4, 0.3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0},
        {TOC_VF, {{-0.3, -0.3, 0.4}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0},
        {TOC_EE, {{-0.5, 0, 0.4}, {0.5, 0.1, 0.4}, {0, -0.5, 0}, {0.1, 0.5, 0}}, 0},
        {TOC_EE, {{-0.5, 0.1, 0.4}, {0.5, 0, 0.4}, {0, 0.3, 0}, {0.1, 1.3, 0}}, 0},
        {TOC_EE, {{0.3, 0.1, 0.4}, {1.3, 0.1, 0.4}, {0, 0.4, 0}, {0.1, 1.3, 0}}, 0},
        {TOC_EE, {{-0.5, -0.02, 0.4}, {0.5, 0.02, 0.4}, {-0.45, 0.03, 0}, {0.55, -0.03, 0}}, 1},
        {TOC_EE, {{-0.5, -0.15, 0.4}, {0.5, 0.15, 0.4}, {-0.4, 0.2, 0}, {0.6, -0.2, 0}}, 1},
    };
    sample s = samples[which];
    for (int i = 0; i < 4; i++) s.x[i] = toc_vec_add(s.x[i], random_vec(random, s.limit > 0 ? 0.001 : 0.03));
    return s;
}
enum { SAMPLES = 8, NEARLY_PARALLEL = 6 };

static const toc_pair_class classes[SAMPLES] = {TOC_FACE_VERTEX, TOC_EDGE_VERTEX,   TOC_VERTEX_VERTEX, TOC_EDGE_EDGE,
                                                TOC_EDGE_VERTEX, TOC_VERTEX_VERTEX, TOC_EDGE_EDGE,     TOC_EDGE_EDGE};

static const toc_terms_query exact = {
    .order = TOC_HESSIAN, .indefinite = true, .distance = 1, .minimum = 0.1, .stiffness = 3};

static toc_terms barrier_of(const toc_terms_query *query, const sample *s, toc_terms_place *place) {
    toc_terms terms;
    assert_int_equal(toc_terms_barrier(query, s->kind, s->x, s->limit, place, &terms), TOC_TERMS_SOME);
    return terms;
}

// ---- derivatives

// The derivative by coordinate k, from four values around it; `of` picks a value of the terms.
static double difference(const sample *s, int k, double (*of)(const toc_terms *terms, int row), int row) {
    static const double weights[4] = {1, -8, 8, -1}, places[4] = {-2, -1, 1, 2};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sample moved = *s;
        toc_terms_place place;
        *component(moved.x, k) += places[i] * STEP;
        const toc_terms terms = barrier_of(&exact, &moved, &place);
        sum += weights[i] * of(&terms, row);
    }
    return sum / (12 * STEP);
}

static double energy_of(const toc_terms *terms, int row) {
    (void)row;
    return terms->energy;
}
static double slope_of(const toc_terms *terms, int row) { return terms->gradient[row / 3][row % 3]; }

static void derivatives_of_every_class(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    double worst[2] = {0, 0};
    for (int which = 0; which < SAMPLES; which++)
        for (int round = 0; round < test_less(50, 5); round++) {
            const sample s = sample_of(which, &random);
            toc_terms_place place;
            const toc_terms terms = barrier_of(&exact, &s, &place);
            assert_int_equal(place.class, classes[which]);
            assert_int_equal(place.mollified, which >= NEARLY_PARALLEL);
            for (int k = 0; k < 12; k++) {
                const double slope = difference(&s, k, energy_of, 0);
                worst[0] = fmax(worst[0], fabs(slope - slope_of(&terms, k)));
                for (int row = 0; row < 12; row++)
                    worst[1] = fmax(worst[1], fabs(difference(&s, k, slope_of, row) - entry(&terms, row, k)));
            }
        }
    print_message("largest differences: gradient %.1e, Hessian %.1e\n", worst[0], worst[1]);
    assert_true(worst[0] < 2e-7);
    assert_true(worst[1] < 2e-6);
}

// A vertex 1/2 above a face, by hand: D = 1/4, E = 1.
static void value_by_hand(void **state) {
    (void)state;
    const sample s = {TOC_VF, {{0.25, 0.25, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0};
    const toc_terms_query query = {.order = TOC_GRADIENT, .distance = 1, .stiffness = 2};
    toc_terms_place place;
    const toc_terms t = barrier_of(&query, &s, &place);
    const double slope = 2 * (2 * 0.75 * log(0.25) - 0.75 * 0.75 / 0.25);
    assert_double_near(t.energy, 2 * 0.75 * 0.75 * log(4), 1e-14);
    assert_double_near(t.gradient[0][2], slope, 1e-13);
    assert_double_near(t.gradient[1][2], -slope / 2, 1e-13);
    assert_double_near(t.gradient[2][2], -slope / 4, 1e-13);
    assert_double_same(t.gradient[0][0], 0);
}

static void outcomes(void **state) {
    (void)state;
    sample s = {TOC_VF, {{0.25, 0.25, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0};
    toc_terms_place place;
    toc_terms terms;
    assert_int_equal(toc_terms_barrier(&exact, s.kind, s.x, 0, &place, &terms), TOC_TERMS_NONE);
    s.x[0].z = 1.1;
    assert_int_equal(toc_terms_barrier(&exact, s.kind, s.x, 0, &place, &terms), TOC_TERMS_NONE);
    s.x[0].z = 0.1;
    assert_int_equal(toc_terms_barrier(&exact, s.kind, s.x, 0, &place, &terms), TOC_TERMS_TOUCHING);
    s.x[0].z = 0;
    assert_int_equal(toc_terms_barrier(&exact, s.kind, s.x, 0, &place, &terms), TOC_TERMS_TOUCHING);
    const toc_terms_query tiny = {.order = TOC_HESSIAN, .distance = 1, .stiffness = 1e300};
    s.x[0].z = 1e-30;
    assert_int_equal(toc_terms_barrier(&tiny, s.kind, s.x, 0, &place, &terms), TOC_TERMS_BEYOND);
}

// Edges that turn until they are parallel: the energy goes to 0, and its slope with it.
static void parallel_edges_have_no_jump(void **state) {
    (void)state;
    for (int i = 0; i <= 12; i++) {
        const double angle = i == 12 ? 0 : pow(10, -i);
        const toc_vec x[4] = {{-0.5, 0, 0.4}, {0.5, 0, 0.4}, {-0.5, -angle / 2, 0}, {0.5, angle / 2, 0}};
        const sample s = {TOC_EE, {x[0], x[1], x[2], x[3]}, toc_mollifier_limit(x)};
        toc_terms_place place;
        const toc_terms t = barrier_of(&exact, &s, &place);
        assert_int_equal(place.mollified, i > 1);
        if (i > 3) assert_true(t.energy < 2e4 * angle * angle + 1e-300);
        for (int k = 0; k < 144; k++) assert_true(fabs(entry(&t, k / 12, k % 12)) < 1e5);
    }
}

// ---- projection

// Whether a matrix and a small multiple of 1 has a Cholesky factor.
static bool has_factor(int n, const double *a, double shift) {
    double l[TOC_SYMMETRIC_MOST][TOC_SYMMETRIC_MOST];
    for (int j = 0; j < n; j++) {
        double d = a[j * n + j] + shift;
        for (int k = 0; k < j; k++) d -= l[j][k] * l[j][k];
        if (!(d > 0)) return false;
        l[j][j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double e = a[i * n + j];
            for (int k = 0; k < j; k++) e -= l[i][k] * l[j][k];
            l[i][j] = e / l[j][j];
        }
    }
    return true;
}

// P is the projection of A exactly if P and P - A have no eigenvalue below 0, and their product is 0.
static void check_projection(int n, const double *a, const double *p) {
    double rest[144], largest = 0;
    for (int i = 0; i < n * n; i++) {
        rest[i] = p[i] - a[i];
        largest = fmax(largest, fabs(a[i]));
    }
    assert_true(has_factor(n, p, 1e-11 * largest + 1e-300));
    assert_true(has_factor(n, rest, 1e-11 * largest + 1e-300));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += p[i * n + k] * rest[k * n + j];
            assert_double_near(sum, 0, 1e-11 * largest * largest);
        }
}

// The nearest positive semidefinite matrix.
static void project(int n, double *a) {
    double values[TOC_SYMMETRIC_MOST], vectors[TOC_SYMMETRIC_MOST * TOC_SYMMETRIC_MOST];
    toc_symmetric_diagonalize(n, a, values, vectors);
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n * n && values[k] > 0; i++)
            a[i] += values[k] * vectors[k * n + i / n] * vectors[k * n + i % n];
}

static void projections_of_matrices(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 1; n <= TOC_SYMMETRIC_MOST; n++)
        for (int round = 0; round < test_less(200, 20); round++) {
            // Squares of the larger and of the smaller numbers are beyond the range in which they keep their digits.
            const double unit = ldexp(1, 310 * (round % 5 == 0) - 310 * (round % 5 == 1));
            double a[144], p[144];
            for (int i = 0; i < n; i++)
                for (int j = i; j < n; j++)
                    a[i * n + j] = a[j * n + i] = (i + j + round) % 3 ? test_random_between(&random, -unit, unit) : 0;
            memcpy(p, a, sizeof a);
            project(n, p);
            check_projection(n, a, p);
        }
}

static void fill_matrix(const toc_terms *t, double *a) {
    for (int i = 0; i < 144; i++) a[i] = entry(t, i / 12, i % 12);
}

// The 5 x 5 matrix of a pair has the negative eigenvalues of the 12 x 12 one.
static void projections_of_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int which = 0; which < SAMPLES; which++)
        for (int round = 0; round < test_less(100, 10); round++) {
            const sample s = sample_of(which, &random);
            toc_terms_query query = exact;
            toc_terms_place place;
            double a[144], p[144];
            toc_terms terms = barrier_of(&query, &s, &place);
            fill_matrix(&terms, a);
            query.indefinite = false;
            terms = barrier_of(&query, &s, &place);
            fill_matrix(&terms, p);
            check_projection(12, a, p);
        }
}

// ---- friction

static const toc_terms_query rough = {
    .order = TOC_HESSIAN, .distance = 1, .minimum = 0.1, .stiffness = 3, .coefficient = 0.4, .slip = 0.1};
static const toc_lagged_pair lagged = {
    .kind = TOC_VF, .distance = 0.4, .weights = {1, 0.5, 0.2, 0.3}, .normal = {0.6, 0, 0.8}};

static toc_terms friction_of(const toc_vec u[4]) {
    toc_terms_place place;
    toc_terms terms;
    assert_int_equal(toc_terms_friction(&rough, &lagged, 0.7, u, &place, &terms), TOC_TERMS_SOME);
    assert_true(place.mollified && place.class == TOC_FACE_VERTEX);
    return terms;
}

static void friction_derivatives(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 200; round++) {
        toc_vec u[4];
        for (int i = 0; i < 4; i++) u[i] = random_vec(&random, round % 2 ? 0.02 : 0.5);
        const toc_terms terms = friction_of(u);
        double a[144], p[144];
        for (int k = 0; k < 12; k++) {
            const double h = 1e-6, was = *component(u, k);
            *component(u, k) = was + h;
            const toc_terms after = friction_of(u);
            *component(u, k) = was - h;
            const toc_terms before = friction_of(u);
            *component(u, k) = was;
            assert_double_near(slope_of(&terms, k), (after.energy - before.energy) / (2 * h), 1e-8);
            for (int row = 0; row < 12; row++)
                assert_double_near(entry(&terms, row, k), (slope_of(&after, row) - slope_of(&before, row)) / (2 * h),
                                   2e-4);
        }
        fill_matrix(&terms, a);
        memcpy(p, a, sizeof a);
        project(12, p);
        for (int i = 0; i < 144; i++) assert_double_near(a[i], p[i], 1e-12);
    }
}

// The force of a vertex that slides is the coefficient times that of the barrier, against the sliding; none at rest.
static void friction_has_the_force_of_the_barrier(void **state) {
    (void)state;
    const toc_vec still[4] = {{0, 0, 0}}, slide[4] = {{0, 2, 0}}, lift[4] = {{0.6, 0, 0.8}};
    const sample s = {TOC_VF, {{0.3, 0.3, 0.4}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0};
    toc_terms_place place;
    const toc_terms pressed = barrier_of(&exact, &s, &place);
    const double force = -pressed.gradient[0][2] * 0.4 * 0.7;
    assert_double_near(friction_of(slide).gradient[0][1], force, 1e-12 * force);
    assert_double_near(friction_of(slide).energy, force * (2 - 0.1 / 3), 1e-12 * force);
    for (int k = 0; k < 3; k++) {
        assert_double_same(friction_of(still).gradient[0][k], 0);
        assert_double_near(friction_of(lift).gradient[0][k], 0, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_every_class),
        cmocka_unit_test(value_by_hand),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(parallel_edges_have_no_jump),
        cmocka_unit_test(projections_of_matrices),
        cmocka_unit_test(projections_of_pairs),
        cmocka_unit_test(friction_derivatives),
        cmocka_unit_test(friction_has_the_force_of_the_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
