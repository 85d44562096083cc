// SPDX-License-Identifier: Apache-2.0
// Stars: the tets or the hexes around a vertex, which cannot touch each other as long as they fit together.
//
// Neighbours overlap in every bounding volume, always; inside a volume nearly all pairs that a search finds are
// neighbours, or neighbours of neighbours. A star that stays whole has no contact between any two of its features.
#ifndef TOC_CULL_STARS_H
#define TOC_CULL_STARS_H

#include <stdbool.h>

#include "bound/packed.h"

struct toc_cells;

enum { TOC_STAR_MOST = 64 }; // vertices around a vertex, and tets; larger stars are never whole

/// A vertex of a star, and where it stands from the middle in the reference.
typedef struct toc_star_vertex {
    float y[3];
    uint32_t v;
} toc_star_vertex;

/// A tet of a star: its three other corners, and behind the face without each of them the corner of the next tet, as
/// positions among the vertices of the star; TOC_STAR_NONE for a face that has no other tet.
enum { TOC_STAR_NONE = 255 };
typedef struct toc_star_tet {
    uint8_t corner[3], behind[3];
} toc_star_tet;

typedef struct toc_star {
    uint32_t first_vertex, first_tet;
    uint8_t vertex_count, tet_count; // both 0 where it can never be told; hexes are not listed
    bool empty, closed;              // no volume is around it; none of the faces around it is on the boundary
    float inverse[6];                // of the sum of y y^T: xx, yy, zz, xy, xz, yz
    float size;                      // the largest |y|
    float reach; // how far vertices may be from where they should be, under any linear map; 0 for no reference
} toc_star;

/// The stars of all vertices of the cells, by vertex, numbered through.
typedef struct toc_stars {
    TOC_ARRAY(toc_star) stars;
    TOC_ARRAY(toc_star_vertex) vertices;
    TOC_ARRAY(toc_star_tet) tets;
    TOC_ARRAY(uint8_t) whole; // in the last step that was asked about
} toc_stars;

/// O(n). Free with toc_stars_free, on failure too.
toc_status toc_stars_find(const toc_allocator *allocator, const struct toc_cells *cells, toc_stars *out);
void toc_stars_free(const toc_allocator *allocator, toc_stars *stars);

/// Tell which of the stars from `first` up to `last` are whole: no two features of their elements that share no vertex
/// touch during the step, and no two of their elements overlap. So is that of a vertex that no volume is around.
/// @param packed positions by vertex, that may be looked at.
/// @param rests by vertex, 2 for one that stands where it stood in the step that was asked about before, and stood
/// still in both; NULL where that is not known.
void toc_stars_tell(toc_stars *stars, size_t first, size_t last, const toc_packed *packed, const uint8_t *rests);

/// Whether a star that has a reference keeps its shape; compiled for each instruction set.
typedef bool toc_stars_kernel(const toc_stars *stars, size_t v, const toc_packed *packed);
toc_stars_kernel toc_stars_kernel1, toc_stars_kernel4, toc_stars_kernel8;

#endif
