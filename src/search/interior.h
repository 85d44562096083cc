// SPDX-License-Identifier: Apache-2.0
// Contacts of what is inside volumes, found from those of the surface.
//
// Where all stars are whole (cull/volume/stars.h) nothing inside can touch anything unless surfaces do, or one body was
// in another from the start; so the inside is searched from there on, element by element, and no further than elements
// overlap.
#ifndef TOC_SEARCH_INTERIOR_H
#define TOC_SEARCH_INTERIOR_H

#include "cull/volume/stars.h"
#include "search/element_tree.h"
#include "search/narrow_phase.h"
#include "search/preset.h"
#include "search/surface_tree.h"

/// What is kept from step to step, as of a version of the step's features.
typedef struct toc_interior {
    toc_allocator allocator;
    uint64_t version;
    toc_stars stars;
    bool told;                 // whether the stars were told of all contacts of the step they are of
    size_t found;              // pairs of cells that were not apart, in the last search
    toc_ids link_first, links; // of each cell those beside it: the cells around any feature are linked
    toc_ids cells;             // by primitive of the surface: one that has it
    toc_ids roots;             // the lowest vertex of each connected part of the surface
} toc_interior;

void toc_interior_free(toc_interior *inside);
/// A cell that has a primitive of the surface, given by its vertices, UINT32_MAX for those it has not.
uint32_t toc_interior_cell(const toc_cell_body *body, const uint32_t v[3]);

/// One search.
typedef struct toc_interior_search {
    toc_element_tree *volume; // its elements and its O-Sets; it must be of the scene as it is
    const toc_step *step;
    const toc_surface_tree *tree;
    toc_narrow_phase *testers;
    toc_primitive_pairs seeds; // primitives of the surface that may touch, added by the caller
    toc_stage stages[3];
} toc_interior_search;

enum { TOC_INSIDE_STAGES = 3 };

/// Look at the stars. @return whether the rest is worth it: most are whole, and bodies are not deep in each other.
toc_status toc_interior_look(toc_interior_search *search, bool *worth);
/// Find all contacts of features that are not both of the surface. The tree of the surface must have been searched.
/// The testers must answer TOC_ANSWER_ALL, and filter late.
toc_status toc_interior_run(toc_interior_search *search);

/// As toc_tree_find for the surface, together with what is inside. *out stays as it is where the stars say that
/// searching all elements is better. @param volume NULL for the surface alone.
toc_status toc_tree_find_interior(const toc_preset *preset, toc_scene *scene, toc_element_tree *volume,
                                  const toc_query *query, toc_contacts **out);

#endif
