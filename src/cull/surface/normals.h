// SPDX-License-Identifier: Apache-2.0
// Jung and Choi's surface normal test: it assumes that neighbours on a smooth surface do not touch each other. It can
// miss contacts: at folds that are sharp but not shut, and where neighbours cross each other.
#ifndef TOC_CULL_SURFACE_NORMALS_H
#define TOC_CULL_SURFACE_NORMALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// True when two triangles share a vertex and their normals do not point against each other, at both ends of the step
/// (the paper does not say when): the cosine of their angle is above -0.9.
/// @param x0, x1 3 doubles for each vertex.
bool toc_normals_cull(const uint32_t a[3], const uint32_t b[3], const double *x0, const double *x1);

#endif
