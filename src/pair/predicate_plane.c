// SPDX-License-Identifier: Apache-2.0
// Vectors that lie in one plane of any orientation, exactly.
//
// Two of them give the normal of the plane. Each other vector r is in it if the determinant of the three is 0. That is
// a sum of 24 products of two doubles, once the products of the first two vectors are exact sums of four doubles. Sums
// of doubles without a rounding error follow Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast
// robust geometric predicates": a sum is 0 if nothing is left of it. In most cases rounded numbers show first that the
// determinant is not 0. Decides in a few hundred nanoseconds; no allocation.
//
// Products of three components are exact: none is below 2^-250 without being 0, so no bit is below 2^(3 (-250 - 52)).
#include "pair/predicate.h"

#include <assert.h>
#include <math.h>

#include "base/vec.h"

static const double LEAST = 0x1p-250, MOST = 0x1p+250;

// A sum of doubles that do not overlap, the smallest first. It is 0 if there are none.
typedef struct exact_sum {
    int count;
    double at[24];
} exact_sum;

static void add_to_exact_sum(exact_sum *s, double b) {
    double rest = b;
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        const toc_dd sum = toc_dd_sum_of(rest, s->at[i]);
        rest = sum.high;
        if (sum.low != 0) s->at[kept++] = sum.low;
    }
    if (rest != 0) s->at[kept++] = rest;
    s->count = kept;
    assert(kept <= (int)(sizeof s->at / sizeof *s->at));
}

static void add_exact_product(exact_sum *s, double a, double b) {
    const toc_dd product = toc_dd_product_of(a, b);
    add_to_exact_sum(s, product.low);
    add_to_exact_sum(s, product.high);
}

// Whether a . (b x c) is exactly 0.
static bool is_determinant_zero(const double a[3], const double b[3], const double c[3]) {
    exact_sum all = {.count = 0};
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        exact_sum across = {.count = 0};
        if (a[k] == 0) continue;
        add_exact_product(&across, b[l], c[m]);
        add_exact_product(&across, -b[m], c[l]);
        for (int i = 0; i < across.count; i++) add_exact_product(&all, a[k], across.at[i]);
    }
    return all.count == 0;
}

bool toc_plane_vector(const double from[3], const double to[3], double out[3]) {
    for (int k = 0; k < 3; k++) {
        const toc_dd difference = toc_dd_difference_of(to[k], from[k]);
        const double size = fabs(difference.high);
        if (difference.low != 0 || (size != 0 && !(size >= LEAST && size <= MOST))) return false;
        out[k] = difference.high;
    }
    return true;
}

static double largest_cross(const double a[3], const double b[3]) {
    return toc_vec_max(toc_vec_cross(toc_vec_of(a), toc_vec_of(b)));
}

// The two vectors whose cross product is the largest.
static void choose_two(int count, const double (*v)[3], int two[2]) {
    double most = -1;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const double size = largest_cross(v[i], v[j]);
            if (!(size > most)) continue;
            most = size;
            two[0] = i;
            two[1] = j;
        }
}

static toc_tie_number exact_number(double a) { return (toc_tie_number){a, 0}; }

static bool is_surely_outside(const double v[3], const toc_tie_number normal[3]) {
    toc_tie_number sum = exact_number(0);
    for (int k = 0; k < 3; k++)
        sum = toc_tie_sum(sum, toc_tie_determinant(exact_number(v[k]), exact_number(0), exact_number(0), normal[k]));
    return toc_tie_sign(sum) != 0;
}

bool toc_plane_of_vectors(int count, const double (*v)[3], toc_tie_number normal[3]) {
    int two[2] = {0, 1}, known = 0;
    assert(count >= 2);
    choose_two(count, v, two);
    const double *a = v[two[0]], *b = v[two[1]];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        normal[k] = toc_tie_determinant(exact_number(a[l]), exact_number(a[m]), exact_number(b[l]), exact_number(b[m]));
        known += toc_tie_sign(normal[k]) != 0;
    }
    for (int i = 0; i < count && known > 0; i++)
        if (i != two[0] && i != two[1] && is_surely_outside(v[i], normal)) return false;
    for (int i = 0; i < count && known > 0; i++)
        if (i != two[0] && i != two[1] && !is_determinant_zero(v[i], a, b)) return false;
    return known > 0;
}
