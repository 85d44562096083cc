// SPDX-License-Identifier: Apache-2.0
// Proves that an element keeps its shape well enough that no two of its own features touch.
#ifndef TOC_CULL_VOLUME_INTACT_H
#define TOC_CULL_VOLUME_INTACT_H

#include "toccata/mesh.h"

/// True if certainly no two features of an element that share no vertex come closer than the separation during the
/// step, in real arithmetic; false if that is not certain. O(1), no allocation.
/// @param v its corners, all distinct; x0 and x1 hold 3 doubles for each vertex.
bool toc_element_is_intact(toc_shape shape, const uint32_t *v, const double *x0, const double *x1, double separation);

#endif
