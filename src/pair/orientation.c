// SPDX-License-Identifier: Apache-2.0
// The sign of an orientation determinant: in floating point where that is certain, else in integers.
//
// With u = 2^-53 and S the sum of the absolute values of the six products, differences and products are off by 2 u and
// 3 u more; five additions add 5 u. The sum is below 16 u S = 2^-49 S; a determinant counts above 2^-48 S. Products
// must neither overflow nor underflow: S is compared with the sizes for which they do not. After Shewchuk 1997,
// "Adaptive precision floating-point arithmetic and fast robust geometric predicates".
#include "pair/orientation.h"

#include <limits.h>
#include <math.h>

#include "number/path.h"

#define LEAST_SUM 0x1p-900
#define LARGEST_SUM 0x1p900

// Every difference is 0 or at least 2^-1074; three of them may vanish in a product although S is large enough: such a
// product is below 2^-1022, far below the margin of S.
static int certain_sign(double determinant, double sum) {
    if (!(sum > LEAST_SUM && sum < LARGEST_SUM) || !(fabs(determinant) > 0x1p-48 * sum)) return 0;
    return determinant > 0 ? 1 : -1;
}

static toc_integer difference_of(toc_number_scope *numbers, double a, double b, int exponent) {
    return toc_integer_subtract(numbers, toc_integer_scaled(numbers, a, exponent),
                                toc_integer_scaled(numbers, b, exponent));
}

static toc_integer cross_term(toc_number_scope *numbers, const toc_integer p[2], const toc_integer q[2]) {
    return toc_integer_subtract(numbers, toc_integer_multiply(numbers, p[0], q[1]),
                                toc_integer_multiply(numbers, p[1], q[0]));
}

static int integer_orientation(toc_number_scope *numbers, const double *const x[4]) {
    int exponent = INT_MAX;
    toc_integer r[3][3], sum = {0};
    for (int i = 0; i < 4; i++) exponent = toc_lowest_bit(exponent, 3, x[i]);
    if (exponent == INT_MAX) return 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) r[i][k] = difference_of(numbers, x[1 + i][k], x[0][k], exponent);
    for (int k = 0; k < 3; k++) {
        const toc_integer p[2] = {r[0][(k + 1) % 3], r[0][(k + 2) % 3]}, q[2] = {r[1][(k + 1) % 3], r[1][(k + 2) % 3]};
        sum = toc_integer_add(numbers, sum, toc_integer_multiply(numbers, cross_term(numbers, p, q), r[2][k]));
    }
    return sum.sign;
}

toc_status toc_orientation_find(const double a[3], const double b[3], const double c[3], const double d[3],
                                toc_arena *scratch, int *sign) {
    const double p[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double r[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    double determinant = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        const double left = p[(k + 1) % 3] * q[(k + 2) % 3], right = p[(k + 2) % 3] * q[(k + 1) % 3];
        determinant += (left - right) * r[k];
        sum += (fabs(left) + fabs(right)) * fabs(r[k]);
    }
    *sign = certain_sign(determinant, sum);
    if (*sign != 0) return TOC_OK;
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_number_scope numbers = {.arena = scratch};
    const int exact = integer_orientation(&numbers, (const double *const[4]){a, b, c, d});
    toc_arena_back(scratch, mark);
    if (numbers.failed) return TOC_OUT_OF_MEMORY;
    *sign = exact;
    return TOC_OK;
}

toc_status toc_orientation_find_flat(const double a[2], const double b[2], const double c[2], toc_arena *scratch,
                                     int *sign) {
    const double x[4][3] = {{a[0], a[1], 0}, {b[0], b[1], 0}, {c[0], c[1], 0}, {a[0], a[1], 1}};
    return toc_orientation_find(x[0], x[1], x[2], x[3], scratch, sign);
}
