// SPDX-License-Identifier: Apache-2.0
// Projection of a small symmetric matrix by Jacobi's rotations.
//
// Each rotation makes one entry 0. A sweep over all entries squares the size of what is left, so six to eight sweeps
// reach rounding. O(n^3) a sweep. After Golub and Van Loan, "Matrix computations", 8.5.
#include "potential/symmetric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// Entries below this share of the matrix are 0 but for rounding.
static const double NO_ENTRY = 0x1p-53;
enum { SWEEPS_MOST = 30 };

static double largest_entry(int n, const double *a) {
    double largest = 0;
    for (int i = 0; i < n * n; i++) largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    return largest;
}

static void rotate_lines(int n, int stride, double *a, double *b, double c, double s) {
    for (int k = 0; k < n; k++) {
        const double p = a[k * stride], q = b[k * stride];
        a[k * stride] = c * p - s * q;
        b[k * stride] = s * p + c * q;
    }
}

// Make the entry at row i and column j vanish. The rows of v are the eigenvectors.
static void jacobi_rotate(int n, double *a, double *v, int i, int j) {
    const double half = (a[j * n + j] - a[i * n + i]) / (2 * a[i * n + j]);
    const double t = copysign(1, half) / (fabs(half) + sqrt(half * half + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    rotate_lines(n, n, a + i, a + j, c, s);
    rotate_lines(n, 1, a + i * n, a + j * n, c, s);
    rotate_lines(n, 1, v + i * n, v + j * n, c, s);
    a[i * n + j] = a[j * n + i] = 0;
}

static bool jacobi_sweep(int n, double *a, double *v, double least) {
    bool changed = false;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (!(fabs(a[i * n + j]) > least)) continue;
            jacobi_rotate(n, a, v, i, j);
            changed = true;
        }
    return changed;
}

static void add_eigenvector(int n, double value, const double *v, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] += value * v[i] * v[j];
}

void toc_symmetric_project(int n, double *a) {
    assert(n > 0 && n <= TOC_SYMMETRIC_MOST);
    double d[TOC_SYMMETRIC_MOST * TOC_SYMMETRIC_MOST], v[TOC_SYMMETRIC_MOST * TOC_SYMMETRIC_MOST] = {0};
    const double least = NO_ENTRY * largest_entry(n, a);
    memcpy(d, a, (size_t)(n * n) * sizeof *d);
    for (int i = 0; i < n; i++) v[i * n + i] = 1;
    for (int sweep = 0; sweep < SWEEPS_MOST && jacobi_sweep(n, d, v, least); sweep++) continue;
    int below = 0;
    for (int i = 0; i < n; i++) below += d[i * n + i] < 0;
    // The smaller half is added or taken away.
    if (2 * below > n) memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++) {
        const double value = d[i * n + i];
        if (2 * below > n && value > 0) add_eigenvector(n, value, v + i * n, a);
        if (2 * below <= n && value < 0) add_eigenvector(n, -value, v + i * n, a);
    }
}
