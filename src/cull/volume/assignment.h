// SPDX-License-Identifier: Apache-2.0
// Assigns each pair of features to one pair of elements, so that it is tested once.
//
// Take two features that share no vertex, and the elements around each of them. The pair belongs to the first two
// elements, one around each feature, that share no vertex, in the order of the lists (dynamic assignment, Algorithm 5
// of Tang et al. 2011). If there are none, the pair is an orphan: it belongs to the lowest element that has both
// features, or else to the orphan pairs of the body (cull/volume/orphan_pairs.h). Each pair is in exactly one place.
// Static assignment (Algorithm 4) takes the first element around each feature, adjacent or not, and has no orphans.
#ifndef TOC_CULL_VOLUME_ASSIGNMENT_H
#define TOC_CULL_VOLUME_ASSIGNMENT_H

#include "cull/volume/cells.h"

/// Find the first two cells, one around each feature, that share no vertex. @return false for orphans.
static inline bool toc_assignment_find(const toc_cells *cells, const toc_around *a, const toc_around *b,
                                       uint32_t found[2]) {
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            found[0] = a->first_cell + a->elements[i];
            found[1] = b->first_cell + b->elements[j];
            if (!toc_cells_adjacent(&cells->at[found[0]], &cells->at[found[1]])) return true;
        }
    return false;
}

/// The lowest element that has both of two features of a body; UINT32_MAX if there is none. The lists must ascend.
static inline uint32_t toc_common_element(const toc_around *a, const toc_around *b) {
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->elements[i] == b->elements[j]) return a->elements[i];
        a->elements[i] < b->elements[j] ? i++ : j++;
    }
    return UINT32_MAX;
}

/// Whether two features belong to two cells that have them, by dynamic assignment. No pair belongs to adjacent cells.
static inline bool toc_assigned(const toc_cells *cells, const toc_around *a, const toc_around *b, uint32_t cell_a,
                                uint32_t cell_b) {
    uint32_t found[2];
    return toc_assignment_find(cells, a, b, found) && found[0] == cell_a && found[1] == cell_b;
}

/// The same by static assignment.
static inline bool toc_assigned_statically(const toc_around *a, const toc_around *b, uint32_t cell_a, uint32_t cell_b) {
    return a->first_cell + a->elements[0] == cell_a && b->first_cell + b->elements[0] == cell_b;
}

#endif
