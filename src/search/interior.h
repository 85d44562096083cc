// SPDX-License-Identifier: Apache-2.0
// Contacts inside volumes, found from the contacts of the surface.
//
// Where all stars are whole (cull/volume/stars.h), nothing inside can touch unless surfaces touch, or one body was in
// another from the start. So the inside is searched from there, element by element, as far as elements overlap.
#ifndef TOC_SEARCH_INTERIOR_H
#define TOC_SEARCH_INTERIOR_H

#include "cull/volume/expand.h"
#include "cull/volume/stars.h"
#include "search/element_tree.h"
#include "search/pipeline.h"
#include "search/surface_tree.h"

/// Kept from step to step, for one version of the features of the step.
typedef struct toc_interior {
    toc_allocator allocator;
    uint64_t version;
    toc_stars stars;
    bool stars_know_contacts;  // whether the stars were told of all contacts of their step
    size_t found;              // pairs of cells that no axis separated, in the last search
    toc_ids link_first, links; // of each cell its neighbours: the cells around any feature are linked
    toc_ids cells;             // by primitive of the surface: a cell that has it
    toc_ids roots;             // the lowest vertex of each connected component of the surface
} toc_interior;

void toc_interior_free(toc_interior *interior);
/// The number of broken stars.
size_t toc_interior_count_broken(const toc_interior *interior);
/// A cell that has a primitive of the surface, given by its vertices; UINT32_MAX for missing ones.
uint32_t toc_interior_cell(const toc_cell_body *body, const uint32_t v[3]);

/// One search of the interior.
typedef struct toc_interior_search {
    toc_pipeline *pipeline;
    toc_element_tree *elements; // must be current
    const toc_surface_tree *surface;
    toc_expander near;         // of features whose DOPs overlap
    toc_expander all;          // of orphan pairs: the prefilter of the test costs less than comparing DOPs
    toc_primitive_pairs seeds; // primitives of the surface that may touch
    bool suits;                // whether it pays
    toc_stage *stars;          // the row of the stars in the report
} toc_interior_search;

/// The data of one thread: worker->interior.
typedef struct toc_interior_worker {
    toc_primitive_pairs seeds;
    toc_expansion expansion;
} toc_interior_worker;

enum { TOC_INTERIOR_BUFFER = 4096 }; // pairs of features of one kind that are passed on together

/// Bring the map of the interior and its stars up to date. Sets search->suits if a search pays: most stars are whole,
/// and bodies are not deep in each other. @param row of the stars in the report.
toc_status toc_interior_look(toc_interior_search *search, toc_stage *row);
/// Find all contacts of features that are not both on the surface, once the surface was searched. The narrow phase must
/// answer TOC_ANSWER_ALL and filter late. @param row of the search in the report.
toc_status toc_interior_run(toc_interior_search *search, toc_stage *row);

#endif
