// SPDX-License-Identifier: Apache-2.0
// Hulls for tests.
#include "support/hull.h"

#include <math.h>

toc_hull test_hull_straight(const test_hull *hull) {
    return (toc_hull){.count = hull->count, .x0 = hull->x0[0], .x1 = hull->x1[0]};
}

toc_hull test_hull_bent(const test_hull *hull) {
    return (toc_hull){.count = hull->count, .x0 = hull->x0[0], .x1 = hull->x1[0], .control = hull->control[0]};
}

double test_coordinate(test_random *random, test_style style) {
    if (style == TEST_UNIFORM) return test_random_between(random, -1, 1);
    const double grid = ((int)test_random_below(random, 5) - 2) * 0.5;
    if (style == TEST_GRID) return grid;
    return grid + ((int)test_random_below(random, 5) - 2) * 0x1p-52;
}

void test_hull_random(test_random *random, test_style style, int count, const double middle[3], test_hull *out) {
    *out = (test_hull){.count = count};
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            out->x0[i][c] = middle[c] + test_coordinate(random, style);
            out->x1[i][c] = middle[c] + test_coordinate(random, style);
            out->control[i][c] = middle[c] + test_coordinate(random, style);
        }
}

void test_hull_change(test_hull *hull, const double shift[3], double scale) {
    for (int i = 0; i < hull->count; i++)
        for (int c = 0; c < 3; c++) {
            hull->x0[i][c] = (hull->x0[i][c] + shift[c]) * scale;
            hull->x1[i][c] = (hull->x1[i][c] + shift[c]) * scale;
            hull->control[i][c] = (hull->control[i][c] + shift[c]) * scale;
        }
}

void test_hull_box(const double low[3], double size, const double motion[3], test_hull *out) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    *out = (test_hull){.count = 8};
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 3; c++) {
            out->x0[i][c] = low[c] + size * corner[i][c];
            out->x1[i][c] = out->x0[i][c] + motion[c];
            out->control[i][c] = out->x0[i][c] + motion[c] / 2;
        }
}
