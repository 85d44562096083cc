// SPDX-License-Identifier: Apache-2.0
// The tets around each vertex of a body, by a counting sort. O(tets).
#include <assert.h>
#include <string.h>

#include "sim/fracture/fracture.h"

void toc_sim_stars_free(const toc_sim *sim, sim_stars *stars) {
    toc_array_free(&sim->memory, &stars->first);
    toc_array_free(&sim->memory, &stars->items);
}

toc_status toc_sim_stars_make(const toc_sim *sim, const sim_body *body, sim_stars *stars) {
    TOC_TRY(toc_array_room(&sim->memory, &stars->first, (size_t)body->count + 2));
    TOC_TRY(toc_array_room(&sim->memory, &stars->items, 4 * sim->tets.count + 1));
    uint32_t *first = stars->first.at;
    assert((size_t)body->first + body->count <= sim->particle_count);
    memset(first, 0, ((size_t)body->count + 2) * sizeof *first);
    for (size_t i = 0; i < sim->tets.count; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t v = sim->tets.at[i].v[k];
            if (v >= body->first && v < body->first + body->count) first[v - body->first + 2]++;
        }
    for (uint32_t i = 0; i <= body->count; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < sim->tets.count; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t v = sim->tets.at[i].v[k];
            if (v >= body->first && v < body->first + body->count)
                stars->items.at[first[v - body->first + 1]++] = (uint32_t)i;
        }
    return TOC_OK;
}
