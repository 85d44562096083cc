// SPDX-License-Identifier: Apache-2.0
// Greedy graph colouring: items of a colour share nothing that they change, so that they can be solved at the same time
// with the same result. Each item takes the lowest colour that nothing around it has; a colour is a bit.
#ifndef SIM_CORE_COLOURS_H
#define SIM_CORE_COLOURS_H

#include <stddef.h>
#include <stdint.h>

/// Colours at most. Items that find no free one go behind them, and run on one thread.
enum { SIM_COLOURS = 64 };

/// The lowest colour that is not taken; SIM_COLOURS without one.
static inline uint8_t sim_free_colour(uint64_t taken) {
    return taken == UINT64_MAX ? SIM_COLOURS : (uint8_t)__builtin_ctzll(~taken);
}

/// Sort items by colour, ties by index.
/// @param first receives SIM_COLOURS + 2 numbers: the first item of each colour, and the end.
void toc_sim_colours_sort(const uint8_t *colour_of, size_t count, size_t *first, uint32_t *order);

#endif
