// SPDX-License-Identifier: Apache-2.0
// The items around each vertex of a body, by a counting sort: tets, or others with their particles in an array.
// O(items).
#include <assert.h>
#include <string.h>

#include "sim/fracture/fracture.h"

void toc_sim_stars_free(const toc_sim *sim, sim_stars *stars) {
    toc_array_free(&sim->memory, &stars->first);
    toc_array_free(&sim->memory, &stars->items);
}

// The vertex of a corner; SIM_NONE if it is of another body, or unused.
static uint32_t corner_vertex(const sim_body *body, const sim_items *items, size_t i, int k) {
    const uint32_t v = ((const uint32_t *)((const char *)items->vertices + i * items->stride))[k];
    return v >= body->first && v < body->first + body->count ? v - body->first : SIM_NONE;
}

toc_status toc_sim_stars_find(const toc_sim *sim, const sim_body *body, const sim_items *items, sim_stars *stars) {
    assert(items->corners > 0);
    TOC_TRY(toc_array_room(&sim->memory, &stars->first, (size_t)body->count + 2));
    TOC_TRY(toc_array_room(&sim->memory, &stars->items, (size_t)items->corners * items->count + 1));
    uint32_t *first = stars->first.at;
    assert((size_t)body->first + body->count <= sim->particle_count);
    memset(first, 0, ((size_t)body->count + 2) * sizeof *first);
    for (size_t i = 0; i < items->count; i++)
        for (int k = 0; k < items->corners; k++) {
            const uint32_t v = corner_vertex(body, items, i, k);
            if (v != SIM_NONE) first[v + 2]++;
        }
    for (uint32_t i = 0; i <= body->count; i++) first[i + 1] += first[i];
    for (size_t i = 0; i < items->count; i++)
        for (int k = 0; k < items->corners; k++) {
            const uint32_t v = corner_vertex(body, items, i, k);
            if (v != SIM_NONE) stars->items.at[first[v + 1]++] = (uint32_t)i;
        }
    return TOC_OK;
}

toc_status toc_sim_stars_make(const toc_sim *sim, const sim_body *body, sim_stars *stars) {
    const sim_items tets = {sim->tets.at, sim->tets.count, sizeof *sim->tets.at, 4};
    return toc_sim_stars_find(sim, body, &tets, stars);
}
