// SPDX-License-Identifier: Apache-2.0
// The sign of an orientation determinant, or of a sum of them: in floating point where that is certain, else in
// integers.
//
// With u = 2^-53 and S the sum of the absolute values of the six products, differences and products are off by 2 u and
// 3 u more; five additions add 5 u. The sum is below 16 u S = 2^-49 S; a determinant counts above 2^-48 S. Nothing
// counts above an S that overflowed. After Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust
// geometric predicates".
//
// Underflow. A product of two differences is off by 2^-1075, which a third one multiplies: UNDERFLOW_SHARE covers it in
// S. A product of all three is off by 2^-1075 again, far below the margin of LEAST_SUM.
#include "pair/orientation.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "number/path.h"

#define LEAST_SUM 0x1p-900
#define UNDERFLOW_SHARE 0x1p-1020

static int certain_sign(double determinant, double sum, double error) {
    if (!(sum > LEAST_SUM) || !(fabs(determinant) > error * sum)) return 0;
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

static toc_integer integer_orientation(toc_number_scope *numbers, const double *const x[4], int exponent) {
    toc_integer r[3][3], sum = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) r[i][k] = difference_of(numbers, x[1 + i][k], x[0][k], exponent);
    for (int k = 0; k < 3; k++) {
        const toc_integer p[2] = {r[0][(k + 1) % 3], r[0][(k + 2) % 3]}, q[2] = {r[1][(k + 1) % 3], r[1][(k + 2) % 3]};
        sum = toc_integer_add(numbers, sum, toc_integer_multiply(numbers, cross_term(numbers, p, q), r[2][k]));
    }
    return sum;
}

// The rounded determinant of x[0] x[1] x[2] seen from a point; the absolute values of its products are added to a sum.
static double rounded_orientation(const double *const x[3], const double *from, double *sum) {
    double d[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) d[i][k] = x[i][k] - from[k];
    for (int k = 0; k < 3; k++) {
        const double left = d[0][(k + 1) % 3] * d[1][(k + 2) % 3], right = d[0][(k + 2) % 3] * d[1][(k + 1) % 3];
        determinant += (left - right) * d[2][k];
        *sum += (fabs(left) + fabs(right) + UNDERFLOW_SHARE) * fabs(d[2][k]);
    }
    return determinant;
}

toc_status toc_orientation_find(const double a[3], const double b[3], const double c[3], const double d[3],
                                toc_arena *scratch, int *sign) {
    double sum = 0;
    const double determinant = rounded_orientation((const double *const[3]){b, c, d}, a, &sum);
    *sign = certain_sign(determinant, sum, 0x1p-48);
    if (*sign != 0) return TOC_OK;
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_number_scope numbers = {.arena = scratch};
    const double *const x[4] = {a, b, c, d};
    int exponent = INT_MAX;
    for (int i = 0; i < 4; i++) exponent = toc_lowest_bit(exponent, 3, x[i]);
    const int exact = exponent == INT_MAX ? 0 : integer_orientation(&numbers, x, exponent).sign;
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

// ---- volumes

toc_volume toc_volume_from(const double apex[3]) {
    return (toc_volume){.apex = apex, .exponent = toc_lowest_bit(INT_MAX, 3, apex)};
}

toc_status toc_volume_add_rounded(toc_volume *volume, const double *const x[3], toc_arena *scratch) {
    (void)scratch;
    volume->sum += rounded_orientation(x, volume->apex, &volume->size);
    volume->faces++;
    return TOC_OK;
}

// Each determinant is below 2^-49 of its products, and every addition rounds by at most 2^-53 of all products.
int toc_volume_certain_sign(const toc_volume *volume) {
    return certain_sign(volume->sum, volume->size, 0x1p-48 + 0x1p-51 * (double)volume->faces);
}

toc_status toc_volume_find_unit(toc_volume *volume, const double *const x[3], toc_arena *scratch) {
    (void)scratch;
    for (int i = 0; i < 3; i++) volume->exponent = toc_lowest_bit(volume->exponent, 3, x[i]);
    return TOC_OK;
}

toc_status toc_volume_add_exactly(toc_volume *volume, const double *const x[3], toc_arena *scratch) {
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_number_scope numbers = {.arena = scratch};
    const double *const all[4] = {volume->apex, x[0], x[1], x[2]};
    const toc_integer before = {volume->limbs, volume->count, volume->sign};
    if (volume->exponent == INT_MAX) return TOC_OK; // all corners are at the origin
    const toc_integer sum = toc_integer_add(&numbers, before, integer_orientation(&numbers, all, volume->exponent));
    assert(sum.count <= TOC_VOLUME_LIMBS);
    if (!numbers.failed && sum.sign != 0) memmove(volume->limbs, sum.limbs, sum.count * sizeof *sum.limbs);
    volume->count = sum.count;
    volume->sign = sum.sign;
    toc_arena_back(scratch, mark);
    return numbers.failed ? TOC_OUT_OF_MEMORY : TOC_OK;
}
