// SPDX-License-Identifier: Apache-2.0
// Hulls for tests: random and degenerate ones.
#ifndef TOC_TEST_HULL_H
#define TOC_TEST_HULL_H

#include "support/test.h"

/// A hull and its corners.
typedef struct test_hull {
    int count;
    double x0[TOC_HULL_CORNERS][3], x1[TOC_HULL_CORNERS][3], control[TOC_HULL_CORNERS][3];
} test_hull;

/// Straight paths, or parabolas through the control points.
toc_hull test_hull_straight(const test_hull *hull);
toc_hull test_hull_bent(const test_hull *hull);

/// The distribution of coordinates.
typedef enum test_style {
    TEST_UNIFORM, ///< Anything in [-1, 1].
    TEST_GRID,    ///< Multiples of 1/2 in [-1, 1]: many coplanar, touching and repeated corners.
    TEST_NEAR,    ///< On the grid except for the last bits.
    TEST_STYLES
} test_style;
double test_coordinate(test_random *random, test_style style);

/// A hull with a number of corners around a point; each corner moves independently.
void test_hull_random(test_random *random, test_style style, int count, const double middle[3], test_hull *out);
/// The same hull displaced by a vector, and scaled after that.
void test_hull_change(test_hull *hull, const double shift[3], double scale);

/// The box [low, low + size]^3 that moves by a vector: a hex in VTK's order.
void test_hull_box(const double low[3], double size, const double motion[3], test_hull *out);

#endif
