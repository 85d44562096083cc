// SPDX-License-Identifier: Apache-2.0
// Numbers of twice the precision of a double, as the sum of two: for signs that one double cannot decide.
//
// With u = 2^-53, sums and products are off by less than 8 u^2 = TOC_DD_ERROR of their result: Joldes, Muller and
// Popescu 2017, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", give 3 u^2 for
// this sum (their AccurateDWPlusDW) and 5 u^2 for this product (DWTimesDW1), terms of u^3 aside. That holds without
// over- and underflow: a caller keeps sizes within bounds, so that an absolute error of 2^-1070 for each operation that
// underflows is far below its error bounds. Needs no fused multiply-add; with round to nearest only.
#ifndef TOC_NUMBER_DOUBLE_DOUBLE_H
#define TOC_NUMBER_DOUBLE_DOUBLE_H

#include <math.h>

#include "base/vec.h"

#define TOC_DD_ERROR 0x1p-103

/// high + low, where high is the sum rounded to a double.
typedef struct toc_dd {
    double high, low;
} toc_dd;

static inline toc_dd toc_dd_of(double a) { return (toc_dd){a, 0}; }
static inline toc_dd toc_dd_negate(toc_dd a) { return (toc_dd){-a.high, -a.low}; }

/// a + b for |a| >= |b| or a = 0, exactly (Dekker 1971).
static inline toc_dd toc_dd_sum_ordered(double a, double b) {
    const double high = a + b;
    return (toc_dd){high, b - (high - a)};
}

/// a + b exactly (Knuth).
static inline toc_dd toc_dd_sum_of(double a, double b) {
    const double high = a + b, b_rounded = high - a, a_rounded = high - b_rounded;
    return (toc_dd){high, (a - a_rounded) + (b - b_rounded)};
}

/// a - b exactly.
static inline toc_dd toc_dd_difference_of(double a, double b) { return toc_dd_sum_of(a, -b); }

/// The upper half of the digits of a double (Veltkamp), for sizes up to 2^990.
static inline double toc_dd_upper_half(double a) {
    const double spread = 0x1.0000002p27 * a;
    return spread - (spread - a);
}

/// a * b exactly (Dekker 1971).
static inline toc_dd toc_dd_product_of(double a, double b) {
    const double high = a * b, a1 = toc_dd_upper_half(a), b1 = toc_dd_upper_half(b), a2 = a - a1, b2 = b - b1;
    return (toc_dd){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline toc_dd toc_dd_add(toc_dd a, toc_dd b) {
    const toc_dd high = toc_dd_sum_of(a.high, b.high), low = toc_dd_sum_of(a.low, b.low);
    const toc_dd sum = toc_dd_sum_ordered(high.high, high.low + low.high);
    return toc_dd_sum_ordered(sum.high, low.low + sum.low);
}

static inline toc_dd toc_dd_subtract(toc_dd a, toc_dd b) { return toc_dd_add(a, toc_dd_negate(b)); }

static inline toc_dd toc_dd_multiply(toc_dd a, toc_dd b) {
    const toc_dd product = toc_dd_product_of(a.high, b.high);
    return toc_dd_sum_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// Exactly, for a power of two.
static inline toc_dd toc_dd_scale(toc_dd a, double power) { return (toc_dd){a.high * power, a.low * power}; }

/// A bound of the size: not below |a|.
static inline double toc_dd_size(toc_dd a) { return fabs(a.high) * (1 + 0x1p-52); }

// Vectors.
typedef struct toc_dd3 {
    toc_dd x[3];
} toc_dd3;

static inline toc_dd toc_dd3_dot(const toc_dd3 *a, const toc_dd3 *b) {
    const toc_dd xy = toc_dd_add(toc_dd_multiply(a->x[0], b->x[0]), toc_dd_multiply(a->x[1], b->x[1]));
    return toc_dd_add(xy, toc_dd_multiply(a->x[2], b->x[2]));
}

static inline toc_dd3 toc_dd3_cross(const toc_dd3 *a, const toc_dd3 *b) {
    toc_dd3 c;
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        c.x[k] = toc_dd_subtract(toc_dd_multiply(a->x[l], b->x[m]), toc_dd_multiply(a->x[m], b->x[l]));
    }
    return c;
}

static inline toc_dd3 toc_dd3_add(const toc_dd3 *a, const toc_dd3 *b) {
    toc_dd3 c;
    for (int k = 0; k < 3; k++) c.x[k] = toc_dd_add(a->x[k], b->x[k]);
    return c;
}

static inline double toc_dd3_size(const toc_dd3 *a) {
    return toc_larger(toc_larger(toc_dd_size(a->x[0]), toc_dd_size(a->x[1])), toc_dd_size(a->x[2]));
}

#endif
