// SPDX-License-Identifier: Apache-2.0
// The exact sign of the length, area or volume of an element.
#ifndef TOC_MESH_MEASURE_H
#define TOC_MESH_MEASURE_H

#include "mesh/mesh.h"

/// The sign of the length, area or volume of an element at positions x: 0 for none, -1 for a volume turned inside out,
/// else 1. The volume is the one inside its triangulated faces.
int toc_measure_sign(const toc_mesh *mesh, uint32_t element, const double *x);

#endif
