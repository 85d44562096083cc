// SPDX-License-Identifier: Apache-2.0
// Axes of a vertex or an edge and an element: they never separate features that touch, and they separate their own
// cases.
#include "cull/volume/feature_csat.h"

#include <string.h>

#include "cull/surface/triangle_features.h"
#include "support/queries.h"
#include "toccata/convex.h"

enum { CORNERS = 5 }; // of the element, or of its part that a question has, and more

// The vertices of a question, then more corners of the element around the second feature.
typedef struct moving_cell {
    double x0[4 + CORNERS][3], x1[4 + CORNERS][3], control[4 + CORNERS][3];
    uint32_t cell[CORNERS];
    int corners;
} moving_cell;

static moving_cell cell_around(const test_query *q, test_random *random) {
    moving_cell m = {.corners = CORNERS};
    const uint32_t second = q->kind == TOC_VF ? 1 : 2;
    memcpy(m.x0, q->pair.x0, sizeof q->pair.x0);
    memcpy(m.x1, q->pair.x1, sizeof q->pair.x1);
    for (uint32_t i = 4; i < 4 + CORNERS; i++)
        for (int c = 0; c < 3; c++) {
            m.x0[i][c] = q->pair.x0[second][c] + test_random_between(random, -1, 1);
            m.x1[i][c] = q->pair.x1[second][c] + test_random_between(random, -1, 1);
        }
    for (uint32_t i = 0; i < CORNERS; i++) m.cell[i] = second + i;
    return m;
}

static bool separates(const test_query *q, const moving_cell *m, bool curved, double separation) {
    const toc_feature_csat csat = {&m->x0[0][0], &m->x1[0][0], curved ? &m->control[0][0] : NULL, separation};
    const uint32_t edge[2] = {0, 1}, other[2] = {2, 3}, face[3] = {1, 2, 3};
    return q->kind == TOC_VF ? toc_csat_vertex_apart(&csat, 0, m->cell, m->corners, face)
                             : toc_csat_edge_apart(&csat, edge, m->cell, m->corners, other);
}

static toc_verdict exact_verdict(const test_query *q, double separation) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = separation;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    return hit.verdict;
}

static void what_touches_is_never_separated(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t separated = 0;
    for (int i = 0; i < test_less(40000, 4000); i++) {
        const test_query q = test_query_make(&random, i % TEST_FAMILIES);
        moving_cell m = cell_around(&q, &random);
        m.corners = i % 2 ? CORNERS : q.kind == TOC_VF ? 3 : 2;
        const double separation = i % 5 ? 0 : 0.01;
        if (!separates(&q, &m, false, separation)) continue;
        separated++;
        assert_int_equal(exact_verdict(&q, separation), TOC_APART);
    }
    assert_true(separated > test_less(1000u, 100u));
}

// Parabolas in space: control points away from the middle of the straight paths, each by as much as the family is wide.
static void bend(moving_cell *m, test_random *random) {
    const double width = test_random_between(random, 0, 2);
    for (int i = 0; i < 4 + CORNERS; i++)
        for (int c = 0; c < 3; c++)
            m->control[i][c] = (m->x0[i][c] + m->x1[i][c]) / 2 + test_random_between(random, -width, width);
}

static toc_verdict verdict_curved(const test_query *q, const moving_cell *m, double separation) {
    toc_pair_test test = toc_pair_test_default();
    toc_quadratic_pair pair;
    toc_hit hit;
    test.method = separation > 0 ? TOC_METHOD_CERTIFIED : TOC_METHOD_EXACT;
    test.separation = separation;
    memcpy(pair.x0, m->x0, sizeof pair.x0);
    memcpy(pair.x1, m->x1, sizeof pair.x1);
    memcpy(pair.control, m->control, sizeof pair.control);
    assert_ok(toc_quadratic_find(q->kind, &pair, &test, &hit));
    return hit.verdict;
}

// The feature test of triangle_features.h, by either axis, for the four vertices of a question.
static bool culled_alone(const test_query *q, const moving_cell *m, bool along_normal, double separation) {
    toc_curved path;
    toc_moving_set(&path.ends, 4, m->x0, m->x1);
    toc_moving_set(&path.control, 4, m->control, m->control);
    return along_normal ? toc_feature_cull_curved_along_normal(q->kind, &path, separation)
                        : toc_feature_cull_curved(q->kind, &path, separation);
}

static void what_touches_on_parabolas_is_never_separated(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t separated = 0, bent_together = 0;
    for (int i = 0; i < test_less(20000, 2000); i++) {
        const test_query q = test_query_make(&random, i % TEST_FAMILIES);
        moving_cell m = cell_around(&q, &random);
        m.corners = i % 2 ? CORNERS : q.kind == TOC_VF ? 3 : 2;
        bend(&m, &random);
        const double separation = i % 5 ? 0 : 0.01; // exact arithmetic takes none
        const bool apart = separates(&q, &m, true, separation), normal = culled_alone(&q, &m, true, separation);
        assert_true(!normal || culled_alone(&q, &m, false, separation)); // the second has one axis more
        if (!apart && !culled_alone(&q, &m, false, separation)) {
            // Straight paths would be apart, but their parabolas meet.
            bent_together += separates(&q, &m, false, separation) && verdict_curved(&q, &m, separation) == TOC_HIT;
            continue;
        }
        separated++;
        assert_int_not_equal(verdict_curved(&q, &m, separation), TOC_HIT); // near the separation, it may be undecided
    }
    assert_true(separated > test_less(1000u, 100u) && bent_together > test_less(20u, 1u));
}

// A vertex above a face, and edges above each other, at a height that a parabola through the control point takes away.
static void the_control_point_decides(void **state) {
    (void)state;
    const double x[] = {0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t face[] = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        double control[sizeof x / sizeof *x];
        memcpy(control, x, sizeof x);
        control[2] = i ? -2 : 0.1; // the parabola is lowest at (1 + control) / 2: -0.5, 0.55
        const toc_feature_csat csat = {x, x, control, 0};
        assert_int_equal(toc_csat_vertex_apart(&csat, 0, face, 3, face), !i);
        toc_curved path;
        toc_moving_set(&path.ends, 4, (const double(*)[3])x, (const double(*)[3])x);
        toc_moving_set(&path.control, 4, (const double(*)[3])control, (const double(*)[3])control);
        assert_int_equal(toc_feature_cull_curved(TOC_VF, &path, 0), !i);
        assert_int_equal(toc_feature_cull_curved_along_normal(TOC_VF, &path, 0), !i);
        assert_true(toc_feature_cull(TOC_VF, &path.ends, 0)); // the straight path rests above the face
    }
}

// A vertex above a tet, and an edge beside it, that move along with it.
static void features_that_move_along_are_separated(void **state) {
    (void)state;
    const double x0[] = {0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, -1, 0.1, 0.4, 2, 0.1, 0.4};
    double x1[sizeof x0 / sizeof *x0];
    for (size_t i = 0; i < sizeof x0 / sizeof *x0; i++) x1[i] = x0[i] + 10;
    const toc_feature_csat csat = {x0, x1, NULL, 0};
    const uint32_t cell[] = {1, 2, 3, 4}, face[] = {1, 2, 3}, edge[] = {5, 6}, other[] = {1, 3};
    assert_true(toc_csat_vertex_apart(&csat, 0, cell, 4, face));
    assert_true(toc_csat_edge_apart(&csat, edge, cell, 4, other));
    const toc_feature_csat wide = {x0, x1, NULL, 2.5};
    assert_false(toc_csat_vertex_apart(&wide, 0, cell, 4, face));
    assert_false(toc_csat_edge_apart(&wide, edge, cell, 4, other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_touches_is_never_separated),
        cmocka_unit_test(features_that_move_along_are_separated),
        cmocka_unit_test(what_touches_on_parabolas_is_never_separated),
        cmocka_unit_test(the_control_point_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
