// SPDX-License-Identifier: Apache-2.0
// Cutting elements into tets. After Dompierre et al. 1999, "How to subdivide pyramids, prisms and hexahedra into
// tetrahedra", who choose among tables; a cone over the faces needs none.
#include "cull/volume/tets.h"

#include <assert.h>

#include "cull/volume/cells.h"
#include "mesh/shape.h"

// The place, in a list of corners, of the corner with the lowest vertex.
static int lowest_of(const uint32_t *v, const uint8_t *corners, int count) {
    int lowest = 0;
    for (int i = 1; i < count; i++)
        if (v[corners[i]] < v[corners[lowest]]) lowest = i;
    return lowest;
}

int toc_cell_tets(const toc_cell *cell, toc_tet tets[TOC_CELL_TETS]) {
    static const uint8_t all[TOC_CELL_CORNERS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const toc_shape_info *info = &toc_shape_infos[cell->shape];
    if (cell->shape < TOC_TET) return 0;
    assert(cell->shape < TOC_SHAPE_COUNT && info->corner_count == cell->corners);
    const int top = lowest_of(cell->v, all, info->corner_count);
    int count = 0;
    for (int s = 0; s < info->side_count; s++) {
        const toc_side *side = &info->sides[s];
        if (side->mask >> top & 1) continue;
        const int first = lowest_of(cell->v, side->corners, side->corner_count);
        for (int i = 1; i + 1 < side->corner_count; i++) {
            const int a = (first + i) % side->corner_count, b = (first + i + 1) % side->corner_count;
            assert(count < TOC_CELL_TETS);
            tets[count++] = (toc_tet){
                {cell->v[top], cell->v[side->corners[first]], cell->v[side->corners[a]], cell->v[side->corners[b]]}};
        }
    }
    return count;
}
