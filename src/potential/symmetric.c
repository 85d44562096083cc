// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of a small symmetric matrix: reflections make it tridiagonal, then rotations diagonal.
//
// Each pass of rotations over the diagonals, with Wilkinson's shift, cubes the size of the last entry beside them; some
// two passes find an eigenvalue. Errors are of rounding, relative to the largest eigenvalue. O(n^3). After Golub and
// Van Loan, "Matrix computations", 8.3.
#include "potential/symmetric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Entries below this share of the matrix are 0 but for rounding.
static const double NO_ENTRY = 0x1p-53;
// A matrix whose largest entry is outside of these is multiplied by a power of two, lest squares overflow or lose
// digits.
static const double LARGEST = 0x1p300, SMALLEST = 0x1p-300;
enum { PASSES_MOST = 30 }; // for one eigenvalue; also ends for numbers that are not finite

// The diagonal, and the entries beside it.
typedef struct tridiagonal {
    double on[TOC_SYMMETRIC_MOST], beside[TOC_SYMMETRIC_MOST];
} tridiagonal;

static double largest_entry(int n, const double *a) {
    double largest = 0;
    for (int i = 0; i < n * n; i++) largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    return largest;
}

// rows <- rows - scale u (u' rows), from row `from` on.
static void reflect_rows(int n, int from, const double *u, double scale, double *rows) {
    double along[TOC_SYMMETRIC_MOST] = {0};
    for (int i = from; i < n; i++)
        for (int k = 0; k < n; k++) along[k] += u[i] * rows[i * n + k];
    for (int i = from; i < n; i++)
        for (int k = 0; k < n; k++) rows[i * n + k] -= scale * u[i] * along[k];
}

// a <- h a h, h = 1 - scale u u', in rows and columns from `from` on.
static void reflect_matrix(int n, int from, const double *u, double scale, double *a) {
    double p[TOC_SYMMETRIC_MOST], along = 0;
    for (int i = from; i < n; i++) {
        p[i] = 0;
        for (int k = from; k < n; k++) p[i] += a[i * n + k] * u[k];
        p[i] *= scale;
        along += p[i] * u[i];
    }
    for (int i = from; i < n; i++) p[i] -= scale / 2 * along * u[i];
    for (int i = from; i < n; i++)
        for (int k = from; k < n; k++) a[i * n + k] -= u[i] * p[k] + p[i] * u[k];
}

// Rows of `vectors` become those of the basis in which the matrix has three diagonals.
static tridiagonal make_tridiagonal(int n, double *a, double *vectors) {
    tridiagonal t;
    for (int j = 0; j + 1 < n; j++) {
        double u[TOC_SYMMETRIC_MOST], rest = 0;
        const double first = a[(j + 1) * n + j];
        t.on[j] = a[j * n + j];
        t.beside[j] = first;
        for (int i = j + 2; i < n; i++) {
            u[i] = a[i * n + j];
            rest += u[i] * u[i];
        }
        if (rest == 0) continue;
        const double length = copysign(sqrt(first * first + rest), first);
        u[j + 1] = first + length;
        t.beside[j] = -length;
        reflect_matrix(n, j + 1, u, 1 / (length * u[j + 1]), a);
        reflect_rows(n, j + 1, u, 1 / (length * u[j + 1]), vectors);
    }
    t.on[n - 1] = a[n * n - 1];
    return t;
}

static void rotate_rows(int n, double *p, double *q, double c, double s) {
    for (int k = 0; k < n; k++) {
        const double above = p[k], below = q[k];
        p[k] = c * above + s * below;
        q[k] = c * below - s * above;
    }
}

// The eigenvalue of the last two rows that is nearer to the last entry.
static double wilkinson_shift(const tridiagonal *t, int last) {
    const double half = (t->on[last - 1] - t->on[last]) / 2, b = t->beside[last - 1];
    return t->on[last] - b * b / (half + copysign(sqrt(half * half + b * b), half));
}

// One pass over the rows first to last, which no 0 parts.
static void rotate_tridiagonal(int n, tridiagonal *t, int first, int last, double *vectors) {
    double along = t->on[first] - wilkinson_shift(t, last), across = t->beside[first];
    for (int k = first; k < last; k++) {
        const double length = sqrt(along * along + across * across);
        const double share = length > 0 ? 1 / length : 0, c = length > 0 ? along * share : 1, s = across * share;
        const double p = t->on[k], q = t->on[k + 1], b = t->beside[k];
        if (k > first) t->beside[k - 1] = length;
        t->on[k] = c * c * p + 2 * c * s * b + s * s * q;
        t->on[k + 1] = s * s * p - 2 * c * s * b + c * c * q;
        t->beside[k] = c * s * (q - p) + (c * c - s * s) * b;
        rotate_rows(n, vectors + k * n, vectors + (k + 1) * n, c, s);
        if (k + 1 == last) return;
        along = t->beside[k];
        across = s * t->beside[k + 1];
        t->beside[k + 1] *= c;
    }
}

static void make_diagonal(int n, tridiagonal *t, double least, double *vectors) {
    int last = n - 1;
    for (int passes = 0; last > 0 && passes < PASSES_MOST * n; passes++) {
        while (last > 0 && fabs(t->beside[last - 1]) <= least) last--;
        int first = last;
        while (first > 0 && fabs(t->beside[first - 1]) > least) first--;
        if (first < last) rotate_tridiagonal(n, t, first, last, vectors);
    }
}

void toc_symmetric_diagonalize(int n, double *a, double *values, double *vectors) {
    assert(n > 0 && n <= TOC_SYMMETRIC_MOST);
    const double largest = largest_entry(n, a);
    const double unit = largest > LARGEST ? 0x1p-700 : largest < SMALLEST ? 0x1p700 : 1;
    for (int i = 0; i < n * n && unit != 1; i++) a[i] *= unit;
    memset(vectors, 0, (size_t)(n * n) * sizeof *vectors);
    for (int i = 0; i < n; i++) vectors[i * n + i] = 1;
    tridiagonal t = make_tridiagonal(n, a, vectors);
    make_diagonal(n, &t, NO_ENTRY * (largest * unit), vectors);
    for (int i = 0; i < n; i++) values[i] = t.on[i] / unit;
}
