// SPDX-License-Identifier: Apache-2.0
// Stress of tets, and its principal values by Jacobi's rotations.
#include <assert.h>

#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"

enum { ROTATIONS = 30 };

// One rotation that makes m[p][q] zero.
static void rotate_away(double m[3][3], double vectors[3][3], int p, int q) {
    assert(0 <= p && p < q && q < 3);
    if (m[p][q] == 0) return;
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = m[p][k], b = m[q][k], u = vectors[k][p], v = vectors[k][q];
        m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
        vectors[k][p] = c * u - s * v, vectors[k][q] = s * u + c * v;
    }
}

double toc_sim_largest_eigenvalue(double m[3][3], double vector[3]) {
    double a[3][3], vectors[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(a, m, sizeof a);
    for (int i = 0; i < ROTATIONS; i++) {
        const int p = i % 3, q = (p + 1) % 3;
        rotate_away(a, vectors, p < q ? p : q, p < q ? q : p);
    }
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (a[k][k] > a[best][best]) best = k;
    for (int k = 0; k < 3; k++) vector[k] = vectors[k][best];
    return a[best][best];
}

void toc_sim_tet_stress(const toc_sim *sim, const sim_tet *tet, double out[3][3]) {
    double f[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f[i][j] = 0;
            for (int k = 0; k < 3; k++)
                f[i][j] += (sim->x[tet->v[k + 1]][i] - sim->x[tet->v[0]][i]) * tet->inverse_rest[k][j];
        }
    const double volume = tet->volume, det = sim_determinant(f);
    const double mu = 1 / (tet->shear_compliance * volume), lambda = 1 / (tet->volume_compliance * volume);
    // An element that is nearly flat or turned inside out bears any stress: a large number, not infinity.
    const double scale = fabs(det) > 1e-6 ? 1 / fabs(det) : 1e6;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = mu * scale * sim_dot(f[i], f[j]) + (i == j ? lambda * (det - tet->goal) : 0);
}
