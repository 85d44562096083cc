// SPDX-License-Identifier: Apache-2.0
// The triangles of a skin, of any kind: nearest point and generalised winding number.
#ifndef SIM_CHARACTER_SOUP_H
#define SIM_CHARACTER_SOUP_H

#include "sim/character/character.h"

typedef struct soup_node {
    double low[3], high[3];
    double centre[3], normal[3], radius; // the dipole: area-weighted centre, sum of area vectors, farthest corner
    uint32_t first, count;               // triangles; those of an inner node stand in its children
    uint32_t second;                     // the second child of an inner node, behind the first; 0 for a leaf
} soup_node;

typedef struct character_soup {
    const double *x;
    TOC_ARRAY(uint32_t) corners; // 3 a triangle, components wound outward
    TOC_ARRAY(soup_node) nodes;
    double low[3], high[3];
} character_soup;

/// The nearest point of a soup: a blend of the corners of a triangle.
typedef struct soup_place {
    double distance, weights[3];
    uint32_t triangle;
} soup_place;

/// Take the triangles of a mesh (x1), which must outlive the soup. Free with toc_soup_free, also on failure.
toc_status toc_soup_make(const toc_allocator *memory, const toc_mesh *mesh, character_soup *out);
void toc_soup_free(const toc_allocator *memory, character_soup *soup);
/// O(log n) for points near the soup.
/// @param hint a triangle that may be near, or 0.
soup_place toc_soup_find_nearest(const character_soup *soup, const double p[3], uint32_t hint);
/// The nearest point of one triangle.
soup_place toc_soup_find_on(const character_soup *soup, uint32_t triangle, const double p[3]);
/// How often the soup winds around a point: 1 inside of a closed surface, 0 outside; between where it has holes. Far
/// nodes count as dipoles, which errs by some thousandths.
double toc_soup_find_winding(const character_soup *soup, const double p[3]);
/// The point of a place.
void toc_soup_find_point(const character_soup *soup, const soup_place *place, double out[3]);

/// The unit normal of a triangle, outward; 0 for one without area.
void toc_soup_find_normal(const character_soup *soup, uint32_t triangle, double out[3]);

#endif
