// SPDX-License-Identifier: Apache-2.0
// On which side of a plane a point is, and which way a closed surface is wound: exact signs of determinants.
#ifndef TOC_PAIR_ORIENTATION_H
#define TOC_PAIR_ORIENTATION_H

#include "base/memory.h"

/// The sign of ((b - a) x (c - a)) . (d - a), exact for any finite coordinates: 1 when d is on the side that the normal
/// of the triangle a b c points to, 0 in one plane.
/// @return TOC_OK, or TOC_OUT_OF_MEMORY.
toc_status toc_orientation_find(const double a[3], const double b[3], const double c[3], const double d[3],
                                toc_arena *scratch, int *sign);

/// The same in the plane of x and y: the sign of (b - a) x (c - a).
toc_status toc_orientation_find_flat(const double a[2], const double b[2], const double c[2], toc_arena *scratch,
                                     int *sign);

/// The volume inside a closed surface, added up face by face: rounded first; if that does not decide the sign, its unit
/// is found in a second pass and the exact sum in a third. The memory of a sum does not grow with the faces.
enum { TOC_VOLUME_LIMBS = 104 }; // 3 * 2099 bits for products of differences, and 128 for the number of them
typedef struct toc_volume {
    const double *apex;
    double sum, size; // rounded: the volume, and the sum of the absolute values of its products
    size_t faces;     // in them
    int exponent;     // of the unit: all coordinates are integers times 2^exponent
    int32_t sign;     // of the exact sum
    uint32_t count;   // its limbs
    uint64_t limbs[TOC_VOLUME_LIMBS];
} toc_volume;

/// @param apex any point of the surface.
toc_volume toc_volume_from(const double apex[3]);
/// Take a face in one of the passes. Each pass takes all faces. @return TOC_OK, or TOC_OUT_OF_MEMORY in the third.
typedef toc_status toc_volume_add(toc_volume *volume, const double *const x[3], toc_arena *scratch);
toc_volume_add toc_volume_add_rounded, toc_volume_find_unit, toc_volume_add_exactly;
/// After the first pass: 1 or -1 where rounding cannot have changed the sign, else 0.
int toc_volume_certain_sign(const toc_volume *volume);

#endif
