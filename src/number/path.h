// SPDX-License-Identifier: Apache-2.0
// Paths of vertices in integers, over a part of the step.
#ifndef TOC_NUMBER_PATH_H
#define TOC_NUMBER_PATH_H

#include "number/polynomial.h"

/// A moving vertex: its coordinates as polynomials of s in [0, 1], degree 1 for straight paths, 2 for accelerated ones.
typedef struct toc_path {
    toc_polynomial x[3];
} toc_path;

/// The part [from, to] of the step as integers over 2^bits: s stands for the time from + s * length.
typedef struct toc_part {
    toc_integer from, length, whole; // whole: 2^bits, the entire step
    uint32_t bits;
} toc_part;

toc_part toc_part_of(toc_number_scope *numbers, double from, double to);
/// The time of a root as the largest double that is not later.
double toc_part_time(toc_number_scope *numbers, const toc_part *part, toc_root *root);

/// The lower of `lowest` and the lowest bit of any of the values: divided by 2^this they are integers.
int toc_lowest_bit(int lowest, int count, const double *values);

/// Vertices in doubles: x0, x1 and, for parabolas (toc_hull), control points; 3 doubles a vertex.
typedef struct toc_course {
    int count;
    const double *x0, *control, *x1; // control NULL for straight paths
} toc_course;

/// The paths over a part, in the unit 2^exponent / whole^degree. All vertices that are compared must share the exponent
/// and the degree, which is 2 where any of them has control points.
void toc_paths_make(toc_number_scope *numbers, const toc_course *course, int exponent, int degree, const toc_part *part,
                    toc_path *paths);

// Vectors of polynomials.
toc_path toc_path_subtract(toc_number_scope *numbers, const toc_path *a, const toc_path *b);
toc_path toc_path_cross(toc_number_scope *numbers, const toc_path *a, const toc_path *b);
/// One component of the cross product.
toc_polynomial toc_path_cross_along(toc_number_scope *numbers, const toc_path *a, const toc_path *b, int axis);
toc_polynomial toc_path_dot(toc_number_scope *numbers, const toc_path *a, const toc_path *b);

#endif
