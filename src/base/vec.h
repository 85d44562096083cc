// SPDX-License-Identifier: Apache-2.0
// Three doubles, passed by value. Plain floating point: callers that need certainty bound the error themselves.
#ifndef TOC_BASE_VEC_H
#define TOC_BASE_VEC_H

#include <math.h>

typedef struct toc_vec {
    double x, y, z;
} toc_vec;

static inline toc_vec toc_vec_of(const double from[3]) { return (toc_vec){from[0], from[1], from[2]}; }
static inline void toc_vec_to(double to[3], toc_vec a) { to[0] = a.x, to[1] = a.y, to[2] = a.z; }
static inline toc_vec toc_vec_add(toc_vec a, toc_vec b) { return (toc_vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline toc_vec toc_vec_sub(toc_vec a, toc_vec b) { return (toc_vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline toc_vec toc_vec_scale(toc_vec a, double s) { return (toc_vec){a.x * s, a.y * s, a.z * s}; }
static inline double toc_vec_dot(toc_vec a, toc_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline toc_vec toc_vec_cross(toc_vec a, toc_vec b) {
    return (toc_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// (1 - t) a + t b: a for t = 0, b for t = 1, exactly.
static inline toc_vec toc_vec_mix(toc_vec a, toc_vec b, double t) {
    return toc_vec_add(toc_vec_scale(a, 1 - t), toc_vec_scale(b, t));
}

/// For numbers that are not NaN: one instruction, while fmax and fmin must check for NaN.
static inline double toc_larger(double a, double b) { return a > b ? a : b; }
static inline double toc_smaller(double a, double b) { return a < b ? a : b; }

/// The largest of |x|, |y|, |z|.
static inline double toc_vec_max(toc_vec a) { return toc_larger(toc_larger(fabs(a.x), fabs(a.y)), fabs(a.z)); }

/// Whether a square neither overflowed nor lost digits to underflow.
static inline int toc_square_is_safe(double square) { return square > 0x1p-960 && square < 0x1p960; }

/// Length, without overflow or underflow on the way.
static inline double toc_vec_length(toc_vec a) {
    const double square = toc_vec_dot(a, a), size = toc_vec_max(a);
    if (toc_square_is_safe(square)) return sqrt(square);
    if (!(size > 0)) return size;
    a = (toc_vec){a.x / size, a.y / size, a.z / size};
    return size * sqrt(toc_vec_dot(a, a));
}

/// The vector of length 1 in the same direction; 0 stays 0.
static inline toc_vec toc_vec_unit(toc_vec a) {
    const double square = toc_vec_dot(a, a), size = toc_vec_max(a);
    if (toc_square_is_safe(square)) return toc_vec_scale(a, 1 / sqrt(square));
    if (!(size > 0)) return a;
    a = (toc_vec){a.x / size, a.y / size, a.z / size};
    return toc_vec_scale(a, 1 / sqrt(toc_vec_dot(a, a)));
}

#endif
