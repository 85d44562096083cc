// SPDX-License-Identifier: Apache-2.0
// The surface normal test. O(1), no allocation.
#include "cull/surface/normals.h"

#include "base/vec.h"
#include "cull/shared.h"

static const double AGAINST = -0.9; // the paper's threshold

static toc_vec triangle_normal(const uint32_t v[3], const double *x) {
    const toc_vec origin = toc_vec_of(x + 3 * (size_t)v[0]);
    return toc_vec_cross(toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[1]), origin),
                         toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[2]), origin));
}

// A triangle without area has no normal; it is never smooth.
static bool is_smooth(const uint32_t a[3], const uint32_t b[3], const double *x) {
    const toc_vec n = triangle_normal(a, x), m = triangle_normal(b, x);
    return toc_vec_dot(n, m) > AGAINST * toc_vec_length(n) * toc_vec_length(m);
}

bool toc_normals_cull(const uint32_t a[3], const uint32_t b[3], const double *x0, const double *x1) {
    const bool share = toc_vertex_in_face(a[0], b) || toc_vertex_in_face(a[1], b) || toc_vertex_in_face(a[2], b);
    return share && is_smooth(a, b, x0) && is_smooth(a, b, x1);
}
