// SPDX-License-Identifier: Apache-2.0
// Items in the order of their colours: a counting sort. O(n), deterministic.
#include "sim/core/colours.h"

#include <assert.h>
#include <string.h>

void toc_sim_colours_sort(const uint8_t *colour_of, size_t count, size_t *first, uint32_t *order) {
    size_t starts[SIM_COLOURS + 2] = {0};
    for (size_t i = 0; i < count; i++) starts[colour_of[i] + 1]++;
    for (int c = 0; c <= SIM_COLOURS; c++) starts[c + 1] += starts[c];
    assert(starts[SIM_COLOURS + 1] == count);
    memcpy(first, starts, sizeof starts);
    for (size_t i = 0; i < count; i++) order[starts[colour_of[i]]++] = (uint32_t)i;
}
