// SPDX-License-Identifier: Apache-2.0
// Separating axes of elements against the exact test of hulls: elements that are called apart are apart.
#include "cull/volume/csat.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

enum { MOST = 8 };

typedef struct pair {
    int count[2];
    double x0[2][3 * MOST], x1[2][3 * MOST];
} pair;

// Whether axes keep the two apart, as a scene would ask.
static int apart(const pair *p, double separation) {
    double x0[6 * MOST], x1[6 * MOST];
    memcpy(x0, p->x0, sizeof x0);
    memcpy(x1, p->x1, sizeof x1);
    const toc_frame frame = toc_frame_around(2 * MOST, x0, x1, 1);
    const toc_csat csat = toc_csat_make(&frame, separation);
    const int fours = p->count[0] > 4 || p->count[1] > 4 ? 2 : 1;
    toc_vertex4 set[2][2];
    for (int i = 0; i < 2; i++)
        for (int b = 0; b < fours; b++) {
            uint32_t v[4];
            for (int j = 0; j < 4; j++) {
                const int corner = 4 * b + j < p->count[i] ? 4 * b + j : 0;
                v[j] = (uint32_t)(MOST * i + corner);
            }
            toc_vertex4_fill(&frame, x0, x1, v, &set[i][b]);
        }
    return toc_csat_apart(&csat, fours, set[0], set[1]);
}

static toc_verdict truth(const pair *p, double separation) {
    toc_pair_test test = toc_pair_test_default();
    const toc_hull a = {p->count[0], p->x0[0], p->x1[0], NULL}, b = {p->count[1], p->x0[1], p->x1[1], NULL};
    toc_convex_hit hit;
    test.separation = separation;
    assert_ok(toc_convex_find(&a, &b, &test, &hit));
    return hit.verdict;
}

// Two clouds of vertices some way from each other; those beyond the count stand where the first one does.
static pair random_pair(test_random *random, double distance, double motion, double scale, double place) {
    pair p;
    for (int i = 0; i < 2; i++) {
        p.count[i] = 1 + (int)test_random_below(random, MOST);
        for (int j = 0; j < 3 * MOST; j++) {
            const int at = j / 3 < p.count[i] ? j : j % 3;
            const double start = test_random_between(random, 0, 1) + (j % 3 == 0 ? distance * i : 0);
            p.x0[i][j] = at == j ? (start + place) * scale : p.x0[i][at];
            p.x1[i][j] = at == j ? (start + test_random_between(random, -motion, motion) + place) * scale : p.x1[i][at];
        }
    }
    return p;
}

static void what_is_apart_is_apart(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const double scales[] = {1, 1e-150, 1e150, 1e-300, 1e300};
    int found = 0, possible = 0;
    for (int i = 0; i < 3000; i++) {
        const pair p =
            random_pair(&random, test_random_between(&random, 0, 2.5), 0.5, scales[i % 5], i % 7 == 0 ? 1e6 : 0);
        const toc_verdict verdict = truth(&p, 0);
        const int axis = apart(&p, 0);
        if (verdict != TOC_APART) assert_int_equal(axis, 0);
        found += axis > 0;
        possible += verdict == TOC_APART;
    }
    print_message("%d of %d pairs that are apart were found to be\n", found, possible);
    assert_true(found > possible / 2);
}

// The same on parabolas: the control points count as the ends do.
static void what_is_apart_on_parabolas_is_apart(void **state) {
    (void)state;
    enum { CORNERS = 4 };
    test_random random = test_random_make(0);
    int found = 0, possible = 0;
    for (int i = 0; i < test_less(1500, 300); i++) {
        double x[3][6 * CORNERS]; // start, control, end
        const double distance = test_random_between(&random, 0, 2.5), bend = i % 3 ? 0.5 : 3;
        for (int k = 0; k < 6 * CORNERS; k++) {
            x[0][k] = test_random_between(&random, 0, 1) + (k % 3 == 0 && k >= 3 * CORNERS ? distance : 0);
            x[2][k] = x[0][k] + test_random_between(&random, -0.3, 0.3);
            x[1][k] = x[0][k] + test_random_between(&random, -bend, bend);
        }
        toc_box box = toc_box_empty();
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 6 * CORNERS; k += 3) toc_box_put(&box, &x[e][k]);
        const toc_frame frame = toc_frame_of(&box);
        toc_csat csat = toc_csat_make(&frame, 0);
        csat.curved = true;
        toc_vertex4 set[2][2];
        for (uint32_t s = 0; s < 2; s++) {
            const uint32_t v[4] = {4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3};
            toc_vertex4_fill(&frame, x[0], x[2], v, &set[s][0]);
            toc_vertex4_fill(&frame, x[1], x[1], v, &set[s][1]);
        }
        const toc_hull a = {CORNERS, x[0], x[2], x[1]};
        const toc_hull b = {CORNERS, x[0] + 3 * CORNERS, x[2] + 3 * CORNERS, x[1] + 3 * CORNERS};
        const toc_pair_test test = toc_pair_test_default();
        toc_convex_hit hit;
        assert_ok(toc_convex_find(&a, &b, &test, &hit));
        const int axis = toc_csat_apart(&csat, 1, set[0], set[1]);
        if (hit.verdict != TOC_APART) assert_int_equal(axis, 0);
        found += axis > 0;
        possible += hit.verdict == TOC_APART;
    }
    print_message("%d of %d pairs that are apart were found to be\n", found, possible);
    assert_true(found > possible / 3);
}

// Closer than the separation is not apart, however good the axis.
// Elements far from each other in any direction: the axis between their centres needs no second one.
static void the_first_axis_joins_the_centres(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 300; i++) {
        pair p = random_pair(&random, 0, 0.2, 1, 0);
        double way[3], square = 0;
        for (int c = 0; c < 3; c++) way[c] = test_random_between(&random, -1, 1), square += way[c] * way[c];
        for (int j = 0; j < 3 * MOST; j++) {
            p.x0[1][j] += 8 * way[j % 3] / sqrt(square);
            p.x1[1][j] += 8 * way[j % 3] / sqrt(square);
        }
        assert_int_equal(apart(&p, 0), 1);
    }
}

static void separation_is_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 1000; i++) {
        const pair p = random_pair(&random, test_random_between(&random, 1, 2.5), 0.1, 1, 0);
        if (apart(&p, 0.3)) assert_int_equal(truth(&p, 0.3), TOC_APART);
    }
}

// A gap below the accuracy of single precision, and one that closes exactly at an end, do not count as gaps.
static void gaps_that_rounding_could_make(void **state) {
    (void)state;
    pair p;
    memset(&p, 0, sizeof p);
    p.count[0] = p.count[1] = 1;
    for (int j = 0; j < MOST; j++) {
        p.x0[0][3 * j] = p.x1[0][3 * j] = -1;
        p.x0[1][3 * j] = p.x1[1][3 * j] = -1 + 0x1p-30;
    }
    p.x0[1][3] = p.x1[1][3] = 1; // keeps the frame wide; not a vertex of the set
    assert_int_equal(apart(&p, 0), 0);
    for (int j = 0; j < MOST; j++) p.x0[1][3 * j] = 1, p.x1[1][3 * j] = -1;
    assert_int_equal(apart(&p, 0), 0);
}

// Two vertices pass exactly through each other at half of the step, closer at both ends than single precision can tell.
// Rounding moves them apart along different axes at the two ends, so that an axis in between seems to separate them.
static void vertices_that_cross_below_single_precision(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 2000; i++) {
        pair p = {.count = {1, 1}};
        for (int c = 0; c < 3; c++) {
            const double apart_by = rint(test_random_between(&random, -0x1p16, 0x1p16)) * 0x1p-40;
            for (int end = 0; end < 2; end++) {
                double(*x)[3 * MOST] = end ? p.x1 : p.x0;
                const double at = rint(test_random_between(&random, -0x1p40, 0x1p40)) * 0x1p-40;
                x[0][c] = at;
                x[1][c] = at + (end ? -apart_by : apart_by);
                // Keep the frame from being symmetric; not vertices of the sets.
                for (int j = 1; j < MOST; j++) x[0][3 * j + c] = -1, x[1][3 * j + c] = 1.25;
            }
        }
        assert_int_equal(truth(&p, 0), TOC_HIT);
        assert_int_equal(apart(&p, 0), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_apart_is_apart),
        cmocka_unit_test(what_is_apart_on_parabolas_is_apart),
        cmocka_unit_test(the_first_axis_joins_the_centres),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(gaps_that_rounding_could_make),
        cmocka_unit_test(vertices_that_cross_below_single_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
