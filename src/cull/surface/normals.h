// SPDX-License-Identifier: Apache-2.0
// Jung and Choi's surface normal test: it assumes that neighbours on a smooth surface do not touch each other. It can
// miss contacts: at folds that are sharp but not shut, and where neighbours cross each other.
#ifndef TOC_CULL_SURFACE_NORMALS_H
#define TOC_CULL_SURFACE_NORMALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The largest cosine of the angle of two normals at which neighbours are tested.
typedef struct toc_normal_limit {
    double cosine;   // the paper's: -0.9
    double distance; // a thickness, which raises the limit for small triangles
} toc_normal_limit;

/// True when two triangles share a vertex and their normals do not point against each other, at both ends of the step
/// (the paper does not say when): the cosine of their angle is above the limit.
///
/// The paper says that the limit depends on the thickness, not how. Neighbours that close by an angle p, so that the
/// cosine is -cos p, have a free corner at a distance of h sin p from the other's plane, h being its height. It comes
/// within the distance d if sin p <= d / h: the limit is -sqrt(1 - (d / h)^2) of the smallest height of both, or the
/// given cosine where that is more. Triangles lower than the distance are never dropped.
/// @param x0, x1 3 doubles for each vertex.
bool toc_normals_cull(const toc_normal_limit *limit, const uint32_t a[3], const uint32_t b[3], const double *x0,
                      const double *x1);

#endif
