// SPDX-License-Identifier: Apache-2.0
// Graph colouring of constraints, so that those of a colour can be solved at the same time with the same result.
//
// Greedy in the order of the items: the lowest colour that none of the vertices has. O(n), deterministic.
#include <string.h>

#include "sim/constraint/constraint.h"

// A particle remembers the colours around it in 64 bits.
_Static_assert(SIM_COLOURS == 64, "a bit for each colour");

static uint8_t free_colour(const uint64_t *used, const uint32_t *v, int corners) {
    uint64_t taken = 0;
    for (int k = 0; k < corners; k++) taken |= used[v[k]];
    return taken == UINT64_MAX ? SIM_COLOURS : (uint8_t)__builtin_ctzll(~taken);
}

// Counting sort by colour.
static void order_by_colour(const uint8_t *colour_of, size_t count, sim_colours *colours, uint32_t *order) {
    size_t *first = colours->first.items, starts[SIM_COLOURS + 2] = {0};
    for (size_t i = 0; i < count; i++) starts[colour_of[i] + 1]++;
    for (int c = 0; c <= SIM_COLOURS; c++) starts[c + 1] += starts[c];
    memcpy(first, starts, sizeof starts);
    for (size_t i = 0; i < count; i++) order[starts[colour_of[i]]++] = (uint32_t)i;
}

toc_status toc_sim_colours_make(toc_sim *sim, size_t count, const void *vertices, size_t stride, int corners,
                                sim_colours *colours, uint32_t *order) {
    SIM_ARRAY(uint64_t) used = {0};
    SIM_ARRAY(uint8_t) colour_of = {0};
    SIM_TRY(sim_array_reserve(&sim->memory, &colours->first, SIM_COLOURS + 2));
    toc_status status = sim_array_reserve(&sim->memory, &used, sim->particle_count);
    if (status == TOC_OK) status = sim_array_reserve(&sim->memory, &colour_of, count);
    if (status == TOC_OK) {
        for (size_t i = 0; i < count; i++) {
            const uint32_t *v = (const uint32_t *)((const char *)vertices + i * stride);
            colour_of.items[i] = free_colour(used.items, v, corners);
            for (int k = 0; k < corners && colour_of.items[i] < SIM_COLOURS; k++)
                used.items[v[k]] |= (uint64_t)1 << colour_of.items[i];
        }
        order_by_colour(colour_of.items, count, colours, order);
        colours->first.count = SIM_COLOURS + 2;
    }
    sim_array_free(&sim->memory, &used);
    sim_array_free(&sim->memory, &colour_of);
    return status;
}

// Sort items of any size by a permutation, through a copy.
static toc_status permute_items(toc_sim *sim, void *items, size_t count, size_t size, const uint32_t *order) {
    SIM_ARRAY(char) copy = {0};
    SIM_TRY(sim_array_reserve(&sim->memory, &copy, count * size));
    for (size_t i = 0; i < count; i++) memcpy(copy.items + i * size, (char *)items + order[i] * size, size);
    memcpy(items, copy.items, count * size);
    sim_array_free(&sim->memory, &copy);
    return TOC_OK;
}

static toc_status colour_items(toc_sim *sim, void *items, size_t count, size_t size, int corners,
                               sim_colours *colours) {
    if (!colours->stale) return TOC_OK;
    if (count == 0) colours->first.count = 0; // the last one is gone
    if (count == 0) return TOC_OK;
    SIM_ARRAY(uint32_t) order = {0};
    toc_status status = sim_array_reserve(&sim->memory, &order, count);
    if (status == TOC_OK) status = toc_sim_colours_make(sim, count, items, size, corners, colours, order.items);
    if (status == TOC_OK) status = permute_items(sim, items, count, size, order.items);
    if (status == TOC_OK) colours->stale = false;
    sim_array_free(&sim->memory, &order);
    return status;
}

toc_status toc_sim_colours_update(toc_sim *sim) {
    SIM_TRY(
        colour_items(sim, sim->springs.items, sim->springs.count, sizeof *sim->springs.items, 2, &sim->spring_colours));
    SIM_TRY(colour_items(sim, sim->hinges.items, sim->hinges.count, sizeof *sim->hinges.items, 4, &sim->hinge_colours));
    return colour_items(sim, sim->tets.items, sim->tets.count, sizeof *sim->tets.items, 4, &sim->tet_colours);
}

void toc_sim_colours_run(toc_sim *sim, const sim_colours *colours, double h, size_t least, sim_chunk *chunk) {
    const size_t *first = colours->first.items;
    for (size_t c = 0; c + 1 < colours->first.count; c++) {
        const size_t count = first[c + 1] - first[c];
        if (count == 0) continue;
        sim_solve solve = {.sim = sim, .h = h, .first = first[c]};
        if (c < SIM_COLOURS) {
            toc_sim_team_run(sim->team, count, least, chunk, &solve);
        } else {
            chunk(&solve, 0, count);
        }
    }
}
