// SPDX-License-Identifier: Apache-2.0
// Polynomials with integer coefficients and their real roots in [0, 1], exactly.
//
// A root is a dyadic interval that holds it and no other root, refined as far as a question needs. Signs of other
// polynomials at a root are exact: zero by a common divisor, the others by refining.
#ifndef TOC_NUMBER_POLYNOMIAL_H
#define TOC_NUMBER_POLYNOMIAL_H

#include "number/integer.h"

enum { TOC_DEGREE_MAX = 12 }; // squared distances from a plane on quadratic paths have degree 12

/// c[0] + c[1] t + ...; degree -1 is the zero polynomial, else c[degree] is not 0.
typedef struct toc_polynomial {
    int degree;
    toc_integer c[TOC_DEGREE_MAX + 1];
} toc_polynomial;

toc_polynomial toc_polynomial_zero(void);
/// The first coefficients in, leading zeros dropped.
toc_polynomial toc_polynomial_of(int degree, const toc_integer *c);
toc_polynomial toc_polynomial_add(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b);
toc_polynomial toc_polynomial_subtract(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b);
/// The sum of degrees must not exceed TOC_DEGREE_MAX.
toc_polynomial toc_polynomial_multiply(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b);
/// The value at place / 2^depth, times 2^(depth * degree).
toc_integer toc_polynomial_at(toc_number_scope *numbers, const toc_polynomial *p, toc_integer place, uint32_t depth);
/// A divisor of highest degree of both, up to a constant factor. Not both may be zero.
toc_polynomial toc_polynomial_divisor(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b);
/// 1 or -1 if Bernstein's coefficients on [0, 1] prove that sign all over (0, 1); 0 otherwise.
int toc_polynomial_sure_sign(toc_number_scope *numbers, const toc_polynomial *p);

/// A real root in [0, 1].
typedef struct toc_root {
    bool exact;           // root = place / 2^depth; else it is in (place, place + 1) / 2^depth
    toc_integer place;    //
    uint32_t depth;       //
    toc_polynomial of;    // the square-free polynomial it is a root of
    toc_polynomial local; // the same over the interval: x in (0, 1); one simple root in there
} toc_root;

/// All distinct roots in [0, 1], ascending. The polynomial must not be zero. @return how many.
int toc_polynomial_roots(toc_number_scope *numbers, const toc_polynomial *p, toc_root roots[TOC_DEGREE_MAX]);
/// The number 0 as a root.
toc_root toc_root_zero(void);
/// The sign of a polynomial at a root: -1, 0, 1. May refine the root.
int toc_root_sign(toc_number_scope *numbers, toc_root *root, const toc_polynomial *p);
/// Refine until the lower end of the interval has this many significant bits, or the root is below 2^-1140.
void toc_root_refine(toc_number_scope *numbers, toc_root *root, uint32_t bits);
/// p / q at a root where 0 <= p <= q and q is above 0, to within 2^-TOC_RATIO_BITS. May refine the root.
enum { TOC_RATIO_BITS = 40 };
double toc_root_ratio(toc_number_scope *numbers, toc_root *root, const toc_polynomial *p, const toc_polynomial *q);
/// Whether a < b; times that agree to 64 bits may count as equal. Refines both.
bool toc_root_earlier(toc_number_scope *numbers, toc_root *a, toc_root *b);

#endif
