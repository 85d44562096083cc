// SPDX-License-Identifier: Apache-2.0
// Stars: the volume elements around a vertex, cut into tets, which cannot touch each other while they fit together.
//
// Neighbours overlap in every bounding volume; inside a body nearly all pairs that a search finds are neighbours, or
// neighbours of neighbours. While a star stays whole, its tets touch each other only in the vertices, edges and faces
// that they share.
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
    TOC_ARRAY(uint32_t) around_first; // by vertex: its first entry in `around`
    TOC_ARRAY(uint32_t) around;       // the tets around each vertex, by number
    TOC_ARRAY(uint8_t) turns;         // by tet: whether it may lose its volume in the step
    TOC_ARRAY(uint8_t) kinds;         // by vertex: kinds of the elements around it
    TOC_ARRAY(uint8_t) whole;         // by vertex: whether its star is whole in the last step
    TOC_ARRAY(double) ends;           // 3 for each vertex: its position at the end of that step
} toc_stars;

/// Find the stars of all cells. O(n). Free with toc_stars_free, on failure too.
toc_status toc_stars_find(const toc_allocator *allocator, const struct toc_cells *cells, toc_stars *out);
void toc_stars_free(const toc_allocator *allocator, toc_stars *stars);

/// A step: positions by vertex, 3 doubles each, and the same packed.
typedef struct toc_stars_step {
    const double *x0, *x1;
    const toc_packed *packed;
} toc_stars_step;

/// Begin a step, part 1: find which of the tets from `first` up to before `last` may lose their volume. Disjoint ranges
/// may run in parallel.
void toc_stars_look(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step);
/// Begin a step, part 2, once after all tets: keep the stars that were whole at the end of the previous step, have not
/// been moved since and lose no volume; the others become broken or unknown.
void toc_stars_follow(toc_stars *stars, const toc_stars_step *step);
/// Mark all stars as broken at the end of the previous step, if its contacts were not passed to toc_stars_touch.
void toc_stars_forget(toc_stars *stars);
/// Begin a step, part 3: decide the unknown stars from `first` up to before `last`. In a whole star no two tets that
/// share no vertex touch during the step, and no two overlap, unless toc_stars_touch reports a contact. The star of a
/// vertex without volume elements is whole.
void toc_stars_tell(toc_stars *stars, size_t first, size_t last, const toc_stars_step *step);
/// Report a contact of surface features during the step, by their vertices. Each contact must be reported.
void toc_stars_touch(toc_stars *stars, const uint32_t v[4]);

/// Finds the tets that may lose their volume; compiled for each instruction set.
typedef void toc_stars_kernel(const toc_tet *tets, size_t count, const toc_packed *packed, uint8_t *turns);
toc_stars_kernel toc_stars_kernel1, toc_stars_kernel4, toc_stars_kernel8;

#endif
