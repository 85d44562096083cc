// SPDX-License-Identifier: Apache-2.0
// The sign of the length, area or volume of an element.
//
// The sign is exact: rounding is bounded first; if the bound does not decide, the sum is computed without rounding, as
// an expansion of doubles. There, coordinates more than 2^300 times smaller than the element's largest count as 0.
// O(1) for each element. After Shewchuk 1997, "Adaptive precision floating-point arithmetic".
#include "mesh/measure.h"

#include <assert.h>
#include <math.h>

#include "mesh/shape.h"

// ---- sums of products without rounding

enum { MOST_TRIANGLES = 12, MOST_TERMS = MOST_TRIANGLES * 6 * 4 }; // a determinant has 6 products, of 4 terms each

// The sum of the terms, which do not overlap, ascend and are not 0. Adding lengthens it by at most one term.
typedef struct exact {
    int count;
    double terms[MOST_TERMS];
} exact;

static void add_exactly(exact *sum, double b) {
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        const double a = sum->terms[i], s = a + b, b_part = s - a, error = (a - (s - b_part)) + (b - b_part);
        if (error != 0) sum->terms[kept++] = error;
        b = s;
    }
    assert(kept < MOST_TERMS);
    if (b != 0) sum->terms[kept++] = b;
    sum->count = kept;
}

static void add_product(exact *sum, double a, double b, double c) {
    const double high = a * b, low = fma(a, b, -high);
    const double p = high * c, q = low * c;
    add_exactly(sum, fma(low, c, -q));
    add_exactly(sum, q);
    add_exactly(sum, fma(high, c, -p));
    add_exactly(sum, p);
}

static int sign_of(double a) { return (a > 0) - (a < 0); }

static int exact_sign(const exact *sum) { return sum->count > 0 ? sign_of(sum->terms[sum->count - 1]) : 0; }

// ---- the triangles of an element

typedef struct flat_triangle {
    double at[3][3]; // corner, coordinate
} flat_triangle;

typedef struct surface {
    int count;
    flat_triangle triangles[MOST_TRIANGLES];
} surface;

static void add_triangle(surface *s, const double *x, uint32_t a, uint32_t b, uint32_t c) {
    assert(s->count < MOST_TRIANGLES);
    const uint32_t ids[3] = {a, b, c};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) s->triangles[s->count].at[i][k] = x[3 * (size_t)ids[i] + (size_t)k];
    s->count++;
}

// Split quads through their lowest vertex, as the features are.
static void add_side_triangles(surface *s, const double *x, const uint32_t *side, int count) {
    if (count == 3) add_triangle(s, x, side[0], side[1], side[2]);
    if (count < 4) return;
    int at = 0;
    for (int i = 1; i < 4; i++)
        if (side[i] < side[at]) at = i;
    add_triangle(s, x, side[at], side[(at + 1) % 4], side[(at + 2) % 4]);
    add_triangle(s, x, side[at], side[(at + 2) % 4], side[(at + 3) % 4]);
}

static surface surface_of(toc_element e, const double *x) {
    surface s;
    s.count = 0;
    uint32_t corners[8], side[4];
    const toc_shape_info *info = &toc_shape_infos[toc_shape_reduce(e.shape, e.corners, corners)];
    for (int i = 0; i < info->side_count; i++)
        add_side_triangles(&s, x, side, toc_side_distinct(&info->sides[i], corners, side));
    return s;
}

// Scale the largest coordinate to about 1, so that products do not overflow. A power of two does not round.
static void scale_surface(surface *s) {
    double largest = 0, *x = &s->triangles[0].at[0][0];
    for (int i = 0; i < 9 * s->count; i++) largest = fmax(largest, fabs(x[i]));
    int exponent;
    frexp(largest, &exponent);
    for (int i = 0; i < 9 * s->count; i++) x[i] = ldexp(x[i], -exponent);
}

// Whether rounding cannot have changed the sign of a sum, given the sum of the absolute values of its products. These
// come from at most 12 determinants of differences: 3 roundings for differences, 2 for products, 2 for the sum in a
// determinant, 12 for the sum of them, together less than 32 * 2^-53. The second condition excludes underflow.
static bool is_certain(double sum, double size) { return fabs(sum) > 0x1p-48 * size && fabs(sum) > 0x1p-900; }

// ---- volume

static void add_determinant(const flat_triangle *t, const double from[3], double *sum, double *size) {
    double d[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) d[i][k] = t->at[i][k] - from[k];
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        const double plus = d[1][m] * d[2][n], minus = d[1][n] * d[2][m];
        *sum += d[0][k] * (plus - minus);
        *size += fabs(d[0][k]) * (fabs(plus) + fabs(minus));
    }
}

static void add_exact_determinant(const flat_triangle *t, exact *sum) {
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        add_product(sum, t->at[0][k], t->at[1][m], t->at[2][n]);
        add_product(sum, -t->at[0][k], t->at[1][n], t->at[2][m]);
    }
}

// The faces are closed, so any point may be the apex: a vertex of the element for small rounding errors, the origin for
// the exact sum, since differences would round.
static int volume_sign(surface *s) {
    double sum = 0, size = 0;
    for (int i = 0; i < s->count; i++) add_determinant(&s->triangles[i], s->triangles[0].at[0], &sum, &size);
    if (is_certain(sum, size)) return sign_of(sum);
    exact total;
    total.count = 0;
    scale_surface(s);
    for (int i = 0; i < s->count; i++) add_exact_determinant(&s->triangles[i], &total);
    return exact_sign(&total);
}

// ---- area: whether one of the three projections along an axis has one

static bool has_shadow(const flat_triangle *t, int k) {
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    const double *a = t->at[0], *b = t->at[1], *c = t->at[2];
    const double plus = (b[m] - a[m]) * (c[n] - a[n]), minus = (b[n] - a[n]) * (c[m] - a[m]);
    if (is_certain(plus - minus, fabs(plus) + fabs(minus))) return true;
    exact sum;
    sum.count = 0;
    for (int i = 0; i < 3; i++) {
        add_product(&sum, t->at[i][m], t->at[(i + 1) % 3][n], 1);
        add_product(&sum, -t->at[i][n], t->at[(i + 1) % 3][m], 1);
    }
    return exact_sign(&sum) != 0;
}

static bool has_area(surface *s) {
    scale_surface(s);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            if (has_shadow(&s->triangles[i], k)) return true;
    return false;
}

static bool has_length(toc_element e, const double *x) {
    const double *a = x + 3 * (size_t)e.corners[0], *b = x + 3 * (size_t)e.corners[1];
    return a[0] != b[0] || a[1] != b[1] || a[2] != b[2];
}

int toc_measure_sign(const toc_mesh *mesh, uint32_t element, const double *x) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    const int dimension = toc_shape_infos[e.shape].dimension;
    if (dimension == 0) return 1;
    if (dimension == 1) return has_length(e, x);
    surface s = surface_of(e, x);
    return dimension == 2 ? has_area(&s) : volume_sign(&s);
}
