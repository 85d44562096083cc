// SPDX-License-Identifier: Apache-2.0
// The step of many vertices to the place of least energy, several at a time (relax.kernel.c).
#ifndef SIM_CHARACTER_RELAX_H
#define SIM_CHARACTER_RELAX_H

#include <stddef.h>
#include <stdint.h>

/// A corner of an element, with all that a step of its vertex needs, in a row with the other corners of the vertex. The
/// size of the element counts.
typedef struct flesh_corner {
    double shear[3];   // with v[1], with v[2], with itself
    double per_volume; // 1 / (6 volumes at rest)
    uint32_t v[3];     // the other corners, wound so that their area vector points to this one
    uint32_t origin;   // four times its element, and the number of the corner
} flesh_corner;

/// Vertices that share no element, and the state around them.
typedef struct flesh_relax {
    const uint32_t *vertices; // each has a corner
    size_t count;
    double *x;
    const double *anchor, *target, *way, *inertia, *pull, *stiff; // of the flesh (flesh.h)
    const uint32_t *corner_ends, *push_heads;
    const flesh_corner *corners;
    double bulk;      // the modulus of volume over 6
    double goal;      // volume of a tet without pressure, in volumes at rest
    double ahead;     // share of the way that is still to go
    double yielding;  // distance from the pose from which on the force of a spring stays
    double most_step; // of a vertex here
    double least;     // share of its volume at rest below which a tet is stiffer
    double *steps;    // receives how far each vertex moved; -1 for one that is left where it was
} flesh_relax;

/// Move vertices to the place of least energy where that is a quadratic: vertices without a push whose tets stay above
/// the least share of their volume, at any place within the most step. Others are left. The same bits for any number
/// of lanes.
typedef void flesh_relax_kernel(const flesh_relax *work);

flesh_relax_kernel toc_relax_kernel1;
flesh_relax_kernel toc_relax_kernel4;
flesh_relax_kernel toc_relax_kernel8;

/// The kernel with so many lanes, of those that this build has.
flesh_relax_kernel *toc_relax_kernel_of(int lanes);

#endif
