// SPDX-License-Identifier: Apache-2.0
// Doubles to polynomials with integer coefficients, without any rounding; and times back, rounded down.
#include "number/path.h"

#include <assert.h>

int toc_lowest_bit(int lowest, int count, const double *values) {
    for (int i = 0; i < count; i++) {
        if (values[i] == 0) continue;
        const int bit = toc_double_lowest_bit(values[i]);
        if (bit < lowest) lowest = bit;
    }
    return lowest;
}

toc_part toc_part_of(toc_number_scope *numbers, double from, double to) {
    assert(0 <= from && from <= to && to <= 1);
    const int lowest = toc_lowest_bit(0, 2, (double[]){from, to});
    const toc_integer first = toc_integer_scaled(numbers, from, lowest);
    const toc_integer last = toc_integer_scaled(numbers, to, lowest);
    return (toc_part){.from = first,
                      .length = toc_integer_subtract(numbers, last, first),
                      .whole = toc_integer_scaled(numbers, 1, lowest),
                      .bits = (uint32_t)-lowest};
}

double toc_part_time(toc_number_scope *numbers, const toc_part *part, toc_root *root) {
    toc_root_refine(numbers, root, 64);
    const toc_integer passed = toc_integer_multiply(numbers, part->length, root->place);
    const toc_integer from = toc_integer_shift(numbers, part->from, root->depth);
    return toc_integer_to_double(toc_integer_add(numbers, from, passed), (int)(part->bits + root->depth));
}

// p[0] + p[1] t + p[2] t^2 of a coordinate over the whole step.
static void powers_of(toc_number_scope *numbers, const toc_course *course, int i, int exponent, toc_integer p[3]) {
    const toc_integer start = toc_integer_scaled(numbers, course->x0[i], exponent);
    const toc_integer way = toc_integer_subtract(numbers, toc_integer_scaled(numbers, course->x1[i], exponent), start);
    p[0] = start;
    p[1] = way;
    p[2] = (toc_integer){0};
    if (!course->control) return;
    const toc_integer control = toc_integer_scaled(numbers, course->control[i], exponent);
    p[1] = toc_integer_shift(numbers, toc_integer_subtract(numbers, control, start), 1);
    p[2] = toc_integer_subtract(numbers, way, p[1]);
}

// The same over a part, times whole^degree, by Horner's rule: c becomes c (from + s length) + p[k] whole^(degree - k).
static toc_polynomial over_part(toc_number_scope *numbers, const toc_integer p[3], int degree, const toc_part *part) {
    toc_integer c[3] = {p[degree]};
    for (int k = degree - 1, top = 1; k >= 0; k--, top++) {
        toc_integer next = p[k];
        for (int i = 0; i < top; i++) next = toc_integer_multiply(numbers, next, part->whole);
        c[top] = toc_integer_multiply(numbers, c[top - 1], part->length);
        for (int i = top - 1; i >= 0; i--) {
            const toc_integer rises = i > 0 ? toc_integer_multiply(numbers, c[i - 1], part->length) : next;
            c[i] = toc_integer_add(numbers, toc_integer_multiply(numbers, c[i], part->from), rises);
        }
    }
    return toc_polynomial_of(degree, c);
}

void toc_paths_make(toc_number_scope *numbers, const toc_course *course, int exponent, int degree, const toc_part *part,
                    toc_path *paths) {
    assert(degree == 1 || degree == 2);
    assert(!course->control || degree == 2);
    for (int i = 0; i < course->count; i++)
        for (int c = 0; c < 3; c++) {
            toc_integer p[3];
            powers_of(numbers, course, 3 * i + c, exponent, p);
            paths[i].x[c] = over_part(numbers, p, degree, part);
        }
}

toc_path toc_path_subtract(toc_number_scope *numbers, const toc_path *a, const toc_path *b) {
    toc_path d;
    for (int k = 0; k < 3; k++) d.x[k] = toc_polynomial_subtract(numbers, &a->x[k], &b->x[k]);
    return d;
}

toc_polynomial toc_path_cross_along(toc_number_scope *numbers, const toc_path *a, const toc_path *b, int axis) {
    assert(0 <= axis && axis < 3);
    const int l = (axis + 1) % 3, m = (axis + 2) % 3;
    const toc_polynomial lm = toc_polynomial_multiply(numbers, &a->x[l], &b->x[m]);
    const toc_polynomial ml = toc_polynomial_multiply(numbers, &a->x[m], &b->x[l]);
    return toc_polynomial_subtract(numbers, &lm, &ml);
}

toc_path toc_path_cross(toc_number_scope *numbers, const toc_path *a, const toc_path *b) {
    toc_path c;
    for (int k = 0; k < 3; k++) c.x[k] = toc_path_cross_along(numbers, a, b, k);
    return c;
}

toc_polynomial toc_path_dot(toc_number_scope *numbers, const toc_path *a, const toc_path *b) {
    toc_polynomial sum = toc_polynomial_zero();
    for (int k = 0; k < 3; k++) {
        const toc_polynomial term = toc_polynomial_multiply(numbers, &a->x[k], &b->x[k]);
        sum = toc_polynomial_add(numbers, &sum, &term);
    }
    return sum;
}
