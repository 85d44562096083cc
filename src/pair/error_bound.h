// SPDX-License-Identifier: Apache-2.0
// Error bounds of vector arithmetic, for the predicates in double and in double-double precision.
//
// `unit` is the relative error of one operation: 2^-53, or TOC_DD_ERROR. Sizes are largest components as computed, and
// errors are how far a component can be off. SLACK covers the rounding of the bounds themselves.
#ifndef TOC_PAIR_ERROR_BOUND_H
#define TOC_PAIR_ERROR_BOUND_H

#define TOC_BOUND_SLACK (1 + 0x1p-10)

typedef struct toc_error_bound {
    double size, error;
} toc_error_bound;

/// A vector between two vertices, mixed from both ends of the step to a time that is off by at most `blur`: 1 unit each
/// for the difference of coordinates, 1 - t, the product and the sum; 5 is above that.
static inline toc_error_bound toc_bound_mix(double size, double size_ever, double speed, double blur, double unit) {
    return (toc_error_bound){size, (5 * unit * size_ever + blur * speed) * TOC_BOUND_SLACK};
}

// |ab - a'b'| <= |a - a'| |b| + |a'| |b - b'|, where |b| <= |b'| + |b - b'|.
static inline double toc_bound_product(toc_error_bound a, toc_error_bound b) {
    return a.error * (b.size + b.error) + b.error * a.size;
}

/// A component of a cross product: two products of 1 unit each, and a difference of at most twice their size.
static inline double toc_bound_cross(toc_error_bound a, toc_error_bound b, double unit) {
    return (2 * toc_bound_product(a, b) + 4 * unit * a.size * b.size) * TOC_BOUND_SLACK;
}

/// A dot product: three products of 1 unit each, and sums of at most two and three times their size.
static inline double toc_bound_dot(toc_error_bound a, toc_error_bound b, double unit) {
    return (3 * toc_bound_product(a, b) + 8 * unit * a.size * b.size) * TOC_BOUND_SLACK;
}

#endif
