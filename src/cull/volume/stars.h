// SPDX-License-Identifier: Apache-2.0
// Stars: the volumes around a vertex, cut into tets, which cannot touch each other as long as they fit together.
//
// Neighbours overlap in every bounding volume, always; inside a volume nearly all pairs that a search finds are
// neighbours, or neighbours of neighbours. Of a star that stays whole no two tets touch but in what they share.
#ifndef TOC_CULL_VOLUME_STARS_H
#define TOC_CULL_VOLUME_STARS_H

#include <stdbool.h>

#include "bound/packed.h"
#include "cull/volume/tets.h"

struct toc_cells;

enum { TOC_STAR_MOST = 96 }; // tets around a vertex, and their vertices; larger stars are never whole

/// The stars of all vertices, numbered through.
typedef struct toc_stars {
    TOC_ARRAY(toc_tet) tets;          // of all cells
    TOC_ARRAY(uint32_t) around_first; // by vertex: the first of
    TOC_ARRAY(uint32_t) around;       // the tets that have it, by number
    TOC_ARRAY(uint8_t) turns;         // by tet: whether it may lose its volume in the step
    TOC_ARRAY(uint8_t) kinds;         // by vertex: what is around it
    TOC_ARRAY(uint8_t) whole;         // by vertex: in the last step that was asked about
    TOC_ARRAY(double) ends;           // 3 a vertex: where it was at the end of that step
} toc_stars;

/// O(n). Free with toc_stars_free, on failure too.
toc_status toc_stars_find(const toc_allocator *allocator, const struct toc_cells *cells, toc_stars *out);
void toc_stars_free(const toc_allocator *allocator, toc_stars *stars);

/// A step: positions by vertex, 3 doubles each, and packed so that they may be looked at.
typedef struct toc_stars_step {
    const double *x0, *x1;
    const toc_packed *packed;
} toc_stars_step;

/// Begin a step: first look which of the tets from `first` up to `last` may turn, side by side, then, once for all of
/// them, whose stars were whole at the end of the step before and are so still, as far as that is known.
void toc_stars_look(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step);
void toc_stars_follow(toc_stars *stars, const toc_stars_step *step);
/// Take all stars for broken at the end of the step before, as where it was not told of its contacts.
void toc_stars_forget(toc_stars *stars);
/// Find out which of the stars from `first` up to `last` are whole, of all those that this is not known of: no two of
/// their tets that share no vertex touch during the step, and no two overlap, unless toc_stars_touch is told of it. So
/// is that of a vertex that no volume is around.
void toc_stars_tell(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step);
/// Tell of a contact that features of the surface have during the step, by their vertices. It must be told of all of
/// them.
void toc_stars_touch(toc_stars *stars, const uint32_t v[4]);

/// Whether tets may turn; compiled for each instruction set.
typedef void toc_stars_kernel(const toc_tet *tets, size_t count, const toc_packed *packed, uint8_t *turns);
toc_stars_kernel toc_stars_kernel1, toc_stars_kernel4, toc_stars_kernel8;

#endif
