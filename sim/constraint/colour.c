// SPDX-License-Identifier: Apache-2.0
// Graph colouring of constraints, so that those of a colour can be solved at the same time with the same result.
//
// Greedy in the order of the items: the lowest colour that none of the vertices has. O(n), deterministic.
#include <assert.h>
#include <string.h>

#include "sim/constraint/constraint.h"

// A particle remembers the colours around it in 64 bits.
static uint8_t free_colour(const uint64_t *used, const uint32_t *v, int corners) {
    assert(corners > 0);
    uint64_t taken = 0;
    for (int k = 0; k < corners; k++) taken |= used[v[k]];
    return sim_free_colour(taken);
}

toc_status toc_sim_colours_make(toc_sim *sim, size_t count, const void *vertices, size_t stride, int corners,
                                sim_colours *colours, uint32_t *order) {
    assert(corners > 0 && stride > 0);
    TOC_TRY(toc_array_room(&sim->memory, &colours->first, SIM_COLOURS + 2));
    TOC_TRY(toc_array_room(&sim->memory, &sim->used, sim->particle_count));
    TOC_TRY(toc_array_room(&sim->memory, &sim->colour_of, count));
    memset(sim->used.at, 0, sim->particle_count * sizeof *sim->used.at);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = (const uint32_t *)((const char *)vertices + i * stride);
        const uint8_t colour = sim->colour_of.at[i] = free_colour(sim->used.at, v, corners);
        for (int k = 0; k < corners && colour < SIM_COLOURS; k++) sim->used.at[v[k]] |= (uint64_t)1 << colour;
    }
    toc_sim_colours_sort(sim->colour_of.at, count, colours->first.at, order);
    colours->first.count = SIM_COLOURS + 2;
    return TOC_OK;
}

// Sort items of any size by a permutation, through a copy.
static toc_status permute_items(toc_sim *sim, void *items, size_t count, size_t size, const uint32_t *order) {
    assert(size > 0);
    TOC_ARRAY(char) copy = {0};
    TOC_TRY(toc_array_room(&sim->memory, &copy, count * size));
    for (size_t i = 0; i < count; i++) memcpy(copy.at + i * size, (char *)items + order[i] * size, size);
    memcpy(items, copy.at, count * size);
    toc_array_free(&sim->memory, &copy);
    return TOC_OK;
}

static toc_status colour_items(toc_sim *sim, void *items, size_t count, size_t size, int corners,
                               sim_colours *colours) {
    assert(size > 0 && corners > 0);
    if (!colours->stale) return TOC_OK;
    if (count == 0) colours->first.count = 0; // the last one is gone
    if (count == 0) return TOC_OK;
    TOC_ARRAY(uint32_t) order = {0};
    toc_status status = toc_array_room(&sim->memory, &order, count);
    if (status == TOC_OK) status = toc_sim_colours_make(sim, count, items, size, corners, colours, order.at);
    if (status == TOC_OK) status = permute_items(sim, items, count, size, order.at);
    if (status == TOC_OK) colours->stale = false;
    toc_array_free(&sim->memory, &order);
    return status;
}

toc_status toc_sim_colours_update(toc_sim *sim) {
    TOC_TRY(colour_items(sim, sim->springs.at, sim->springs.count, sizeof *sim->springs.at, 2, &sim->spring_colours));
    TOC_TRY(colour_items(sim, sim->hinges.at, sim->hinges.count, sizeof *sim->hinges.at, 4, &sim->hinge_colours));
    TOC_TRY(colour_items(sim, sim->tets.at, sim->tets.count, sizeof *sim->tets.at, 4, &sim->tet_colours));
    return toc_sim_clusters_update(sim);
}

void toc_sim_colours_run(toc_sim *sim, const sim_colours *colours, double h, size_t least, sim_chunk *chunk) {
    assert(chunk && h >= 0);
    const size_t *first = colours->first.at;
    for (size_t c = 0; c + 1 < colours->first.count; c++) {
        const size_t count = first[c + 1] - first[c];
        if (count == 0) continue;
        sim_solve solve = {.sim = sim, .h = h, .first = first[c]};
        if (c < SIM_COLOURS) {
            toc_sim_loop_run(sim->threads, count, least, chunk, &solve);
        } else {
            chunk(&solve, 0, count);
        }
    }
}
