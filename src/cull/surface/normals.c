// SPDX-License-Identifier: Apache-2.0
// The surface normal test. O(1), no allocation.
#include "cull/surface/normals.h"

#include "base/vec.h"
#include "cull/shared.h"

static toc_vec triangle_normal(const uint32_t v[3], const double *x) {
    const toc_vec origin = toc_vec_of(x + 3 * (size_t)v[0]);
    return toc_vec_cross(toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[1]), origin),
                         toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[2]), origin));
}

// The smallest height: twice the area over the longest side.
static double smallest_height(const uint32_t v[3], const double *x, toc_vec normal) {
    double longest = 0;
    for (int i = 0; i < 3; i++)
        longest = toc_larger(longest, toc_vec_length(toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[i]),
                                                                 toc_vec_of(x + 3 * (size_t)v[(i + 1) % 3]))));
    return longest > 0 ? toc_vec_length(normal) / longest : 0;
}

// The limit for a height, or 1, which no cosine exceeds.
static double limit_at(const toc_normal_limit *limit, double height) {
    if (limit->distance == 0) return limit->cosine;
    const double sine = limit->distance / height;
    return sine < 1 ? toc_larger(limit->cosine, -sqrt(1 - sine * sine)) : 1;
}

// A triangle without area has no normal; it is never smooth.
static bool is_smooth(const toc_normal_limit *limit, const uint32_t a[3], const uint32_t b[3], const double *x) {
    const toc_vec n = triangle_normal(a, x), m = triangle_normal(b, x);
    const double height = toc_smaller(smallest_height(a, x, n), smallest_height(b, x, m));
    return toc_vec_dot(n, m) > limit_at(limit, height) * toc_vec_length(n) * toc_vec_length(m);
}

bool toc_normals_cull(const toc_normal_limit *limit, const uint32_t a[3], const uint32_t b[3], const double *x0,
                      const double *x1) {
    const bool share = toc_vertex_in_face(a[0], b) || toc_vertex_in_face(a[1], b) || toc_vertex_in_face(a[2], b);
    return share && is_smooth(limit, a, b, x0) && is_smooth(limit, a, b, x1);
}
