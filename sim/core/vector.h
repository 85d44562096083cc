// SPDX-License-Identifier: Apache-2.0
// Vectors, quaternions (x, y, z, w) and 3 x 3 matrices by rows, as plain arrays.
#ifndef SIM_CORE_VECTOR_H
#define SIM_CORE_VECTOR_H

#include <math.h>
#include <string.h>

static inline double sim_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void sim_cross(const double a[3], const double b[3], double out[3]) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

static inline void sim_sub(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

/// out += s * a
static inline void sim_add(double s, const double a[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] += s * a[k];
}

static inline double sim_length(const double a[3]) { return sqrt(sim_dot(a, a)); }

static inline void sim_copy(const double a[3], double out[3]) { memcpy(out, a, 3 * sizeof *a); }

/// Make a vector a unit vector. @return its length; 0 leaves the vector as it is.
static inline double sim_normalize(double a[3]) {
    const double length = sim_length(a);
    if (length > 0)
        for (int k = 0; k < 3; k++) a[k] /= length;
    return length;
}

static inline double sim_triangle_area(const double a[3], const double b[3], const double c[3]) {
    double u[3], v[3], n[3];
    sim_sub(b, a, u);
    sim_sub(c, a, v);
    sim_cross(u, v, n);
    return 0.5 * sim_length(n);
}

static inline void sim_matrix_apply(double m[3][3], const double a[3], double out[3]) {
    double b[3];
    for (int k = 0; k < 3; k++) b[k] = sim_dot(m[k], a);
    sim_copy(b, out);
}

static inline double sim_determinant(double m[3][3]) {
    double c[3];
    sim_cross(m[1], m[2], c);
    return sim_dot(m[0], c);
}

/// The inverse, or 0 for a matrix without one. @return the determinant.
static inline double sim_matrix_invert(double m[3][3], double out[3][3]) {
    double columns[3][3];
    for (int i = 0; i < 3; i++) sim_cross(m[(i + 1) % 3], m[(i + 2) % 3], columns[i]);
    const double det = sim_dot(m[0], columns[0]), scale = det != 0 ? 1 / det : 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[j][i] = columns[i][j] * scale;
    return det;
}

static inline void sim_matrix_transpose(double m[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            const double other = m[i][j];
            m[i][j] = m[j][i];
            m[j][i] = other;
        }
}

/// a b
static inline void sim_quaternion_multiply(const double a[4], const double b[4], double out[4]) {
    double c[4];
    sim_cross(a, b, c);
    for (int k = 0; k < 3; k++) c[k] += a[3] * b[k] + b[3] * a[k];
    c[3] = a[3] * b[3] - sim_dot(a, b);
    memcpy(out, c, sizeof c);
}

static inline void sim_quaternion_normalize(double q[4]) {
    const double length = sqrt(sim_dot(q, q) + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
}

/// Turn a quaternion by a rotation vector, to first order, or exactly for large ones.
static inline void sim_quaternion_turn(double q[4], const double rotation[3]) {
    const double angle = sim_length(rotation), scale = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    const double turn[4] = {scale * rotation[0], scale * rotation[1], scale * rotation[2], cos(0.5 * angle)};
    sim_quaternion_multiply(turn, q, q);
    sim_quaternion_normalize(q);
}

/// The rotation vector from one orientation to another, by the short way.
static inline void sim_quaternion_between(const double from[4], const double to[4], double out[3]) {
    const double inverse[4] = {-from[0], -from[1], -from[2], from[3]};
    double q[4];
    sim_quaternion_multiply(to, inverse, q);
    const double sine = sim_length(q), sign = q[3] < 0 ? -1 : 1;
    const double scale = sine > 1e-8 ? 2 * atan2(sine, sign * q[3]) / sine : 2;
    for (int k = 0; k < 3; k++) out[k] = sign * scale * q[k];
}

static inline void sim_quaternion_rotate(const double q[4], const double a[3], double out[3]) {
    double once[3], twice[3];
    sim_cross(q, a, once);
    sim_add(q[3], a, once);
    sim_cross(q, once, twice);
    for (int k = 0; k < 3; k++) out[k] = a[k] + 2 * twice[k];
}

#endif
