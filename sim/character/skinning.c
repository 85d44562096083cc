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
        const double *m = c->matrices.items + 12 * (size_t)c->weight_joints.items[i], w = c->weights.items[i];
        for (int k = 0; k < 12; k++) sum[k] += w * m[k];
    }
    character_map(sum, p, out);
}

// The rotation of a matrix, by Gram and Schmidt: scale and shear are left out, a mirror is turned back.
static void rotation_of(const double m[12], double r[3][3]) {
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) r[column][row] = m[4 * row + column];
    if (sim_normalize(r[0]) == 0) r[0][0] = 1;
    sim_add(-sim_dot(r[0], r[1]), r[0], r[1]);
    sim_normalize(r[1]);
    sim_cross(r[0], r[1], r[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            const double other = r[i][j];
            r[i][j] = r[j][i];
            r[j][i] = other;
        }
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

// Real part, then dual part: half of the shift times the real one.
static void dual_of(const double m[12], double dual[8]) {
    double r[3][3];
    rotation_of(m, r);
    quaternion_of(r, dual);
    const double shift[4] = {0.5 * m[3], 0.5 * m[7], 0.5 * m[11], 0};
    sim_quaternion_multiply(shift, dual, dual + 4);
}

static void blend_dual(const toc_character *c, size_t first, size_t end, const double p[3], double out[3]) {
    double sum[8] = {0};
    const double *pivot = c->duals.items + 8 * (size_t)c->weight_joints.items[first];
    for (size_t i = first; i < end; i++) {
        const double *q = c->duals.items + 8 * (size_t)c->weight_joints.items[i];
        const double side = sim_dot(q, pivot) + q[3] * pivot[3] < 0 ? -1 : 1;
        for (int k = 0; k < 8; k++) sum[k] += side * c->weights.items[i] * q[k];
    }
    const double length = sqrt(sim_dot(sum, sum) + sum[3] * sum[3]);
    if (length == 0) {
        blend_linear(c, first, end, p, out);
        return;
    }
    for (int k = 0; k < 8; k++) sum[k] /= length;
    const double back[4] = {-sum[0], -sum[1], -sum[2], sum[3]};
    double shift[4], turned[3];
    sim_quaternion_multiply(sum + 4, back, shift);
    sim_quaternion_rotate(sum, p, turned);
    for (int k = 0; k < 3; k++) out[k] = turned[k] + 2 * shift[k];
}

toc_status toc_character_skin(toc_character *c, double *x) {
    const bool dual = c->settings.skinning == TOC_SKINNING_DUAL;
    if (dual) {
        SIM_TRY(sim_array_reserve(&c->memory, &c->duals, 8 * c->joint_count));
        for (size_t j = 0; j < c->joint_count; j++) dual_of(c->matrices.items + 12 * j, c->duals.items + 8 * j);
    }
    size_t first = 0;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        const size_t end = c->weight_ends.items[v];
        const double *p = c->bind.items + 3 * v;
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
