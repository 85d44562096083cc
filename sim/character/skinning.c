// SPDX-License-Identifier: Apache-2.0
// Skinning: each vertex moves with a blend of its joints' motions, of their matrices or of their dual quaternions.
//
// O(weights). Dual quaternions after Kavan et al. 2007, "Skinning with dual quaternions": the blend is taken on the
// side of the first joint's quaternion (the shorter way), then made unit.
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

static void blend_linear(const toc_character *c, size_t first, size_t end, const double p[3], double out[3]) {
    double sum[12] = {0};
    for (size_t i = first; i < end; i++) {
        const double *m = c->matrices.at + 12 * (size_t)c->weight_joints.at[i], w = c->weights.at[i];
        for (int k = 0; k < 12; k++) sum[k] += w * m[k];
    }
    character_map(sum, p, out);
}

// The rotation by Gram and Schmidt, for a matrix that mirrors or is flat: a mirror is turned back.
static void orthogonalise(double a[3][3], double r[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r[j][i] = a[i][j];
    if (sim_normalize(r[0]) == 0) r[0][0] = 1;
    sim_add(-sim_dot(r[0], r[1]), r[0], r[1]);
    if (sim_normalize(r[1]) == 0) r[1][fabs(r[0][0]) < 0.5 ? 0 : 1] = 1, sim_add(-sim_dot(r[0], r[1]), r[0], r[1]);
    sim_normalize(r[1]);
    sim_cross(r[0], r[1], r[2]);
    sim_matrix_transpose(r);
}

// The rotation of a matrix that is a rotation times a stretch (polar decomposition, Higham 1986): the mean of the
// matrix and of its transposed inverse, again and again. Others get that of Gram and Schmidt.
static void rotation_of(double a[3][3], double r[3][3]) {
    enum { STEPS = 32 };
    const double scale = cbrt(sim_determinant(a));
    double change = INFINITY;
    for (int i = 0; i < 9; i++) r[i / 3][i % 3] = a[i / 3][i % 3] / scale;
    for (int step = 0; step < STEPS && change > 1e-15; step++) {
        double inverse[3][3];
        if (!(sim_matrix_invert(r, inverse) > 0)) break;
        change = 0;
        for (int i = 0; i < 9; i++) {
            const double mean = 0.5 * (r[i / 3][i % 3] + inverse[i % 3][i / 3]);
            change = fmax(change, fabs(mean - r[i / 3][i % 3]));
            r[i / 3][i % 3] = mean;
        }
    }
    if (!(change < 1e-9)) orthogonalise(a, r);
}

// The quaternion of a rotation by rows, through its largest component (Shepperd 1978).
static void quaternion_of(double r[3][3], double q[4]) {
    const double trace = r[0][0] + r[1][1] + r[2][2];
    int largest = 3;
    double most = trace;
    for (int k = 0; k < 3; k++)
        if (r[k][k] > most) most = r[k][k], largest = k;
    if (largest == 3) {
        q[3] = 0.5 * sqrt(fmax(1 + trace, 0));
        for (int k = 0; k < 3; k++) q[k] = (r[(k + 2) % 3][(k + 1) % 3] - r[(k + 1) % 3][(k + 2) % 3]) / (4 * q[3]);
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 0.5 * sqrt(fmax(1 + r[i][i] - r[j][j] - r[k][k], 0));
        q[j] = (r[i][j] + r[j][i]) / (4 * q[i]);
        q[k] = (r[i][k] + r[k][i]) / (4 * q[i]);
        q[3] = (r[k][j] - r[j][k]) / (4 * q[i]);
    }
    sim_quaternion_normalize(q);
}

// Real part, then dual part: half of the shift times the real one. Scale and shear, the rest of the matrix, come
// before it.
static void split_matrix(const double m[12], double dual[8], double stretch[9]) {
    double a[3][3], r[3][3];
    for (int i = 0; i < 3; i++) memcpy(a[i], m + 4 * i, sizeof a[i]);
    rotation_of(a, r);
    quaternion_of(r, dual);
    const double shift[4] = {0.5 * m[3], 0.5 * m[7], 0.5 * m[11], 0};
    sim_quaternion_multiply(shift, dual, dual + 4);
    for (int i = 0; i < 9; i++) {
        stretch[i] = 0;
        for (int k = 0; k < 3; k++) stretch[i] += r[k][i / 3] * a[k][i % 3];
    }
}

/// Scale and shear are blended linearly, as engines do.
static void stretch_point(const toc_character *c, size_t first, size_t end, const double p[3], double out[3]) {
    double sum[9] = {0};
    for (size_t i = first; i < end; i++)
        for (int k = 0; k < 9; k++)
            sum[k] += c->weights.at[i] * c->stretches.at[9 * (size_t)c->weight_joints.at[i] + (size_t)k];
    for (int k = 0; k < 3; k++) out[k] = sim_dot(sum + 3 * k, p);
}

static void blend_dual(const toc_character *c, size_t first, size_t end, const double p[3], double out[3]) {
    double sum[8] = {0};
    const double *pivot = c->duals.at + 8 * (size_t)c->weight_joints.at[first];
    for (size_t i = first; i < end; i++) {
        const double *q = c->duals.at + 8 * (size_t)c->weight_joints.at[i];
        const double side = sim_dot(q, pivot) + q[3] * pivot[3] < 0 ? -1 : 1;
        for (int k = 0; k < 8; k++) sum[k] += side * c->weights.at[i] * q[k];
    }
    const double length = sqrt(sim_dot(sum, sum) + sum[3] * sum[3]);
    if (length == 0) {
        blend_linear(c, first, end, p, out);
        return;
    }
    for (int k = 0; k < 8; k++) sum[k] /= length;
    const double back[4] = {-sum[0], -sum[1], -sum[2], sum[3]};
    double shift[4], turned[3], stretched[3];
    stretch_point(c, first, end, p, stretched);
    sim_quaternion_multiply(sum + 4, back, shift);
    sim_quaternion_rotate(sum, stretched, turned);
    for (int k = 0; k < 3; k++) out[k] = turned[k] + 2 * shift[k];
}

toc_status toc_character_skin(toc_character *c, double *x) {
    const bool dual = c->settings.skinning == TOC_SKINNING_DUAL;
    if (dual) {
        TOC_TRY(toc_array_room(&c->memory, &c->duals, 8 * c->joint_count));
        TOC_TRY(toc_array_room(&c->memory, &c->stretches, 9 * c->joint_count));
        for (size_t j = 0; j < c->joint_count; j++)
            split_matrix(c->matrices.at + 12 * j, c->duals.at + 8 * j, c->stretches.at + 9 * j);
    }
    size_t first = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        const size_t end = c->weight_ends.at[v];
        double p[3];
        sim_copy(c->bind.at + 3 * v, p);
        if (c->morph.count > 0) sim_add(1, c->morph.at + 3 * v, p);
        if (first == end)
            sim_copy(p, x + 3 * v);
        else if (dual)
            blend_dual(c, first, end, p, x + 3 * v);
        else
            blend_linear(c, first, end, p, x + 3 * v);
        first = end;
    }
    return TOC_OK;
}
