// SPDX-License-Identifier: Apache-2.0
// Positions rounded down to a fine raster and packed into one word: 20 bits an axis and a guard bit above each.
//
// Rounding is monotone, so a point in a box is in the packed box. Comparisons of all three axes are one subtraction:
// a guard bit stays where its field did not borrow (Lamport 1975, "Multiple byte processing with full-word
// instructions").
#ifndef SIM_CHARACTER_SPOT_H
#define SIM_CHARACTER_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPOT_BITS = 20, SPOT_FIELD = SPOT_BITS + 1, SPOT_MOST = (1 << SPOT_BITS) - 1 };

static const uint64_t spot_guards =
    UINT64_C(1) << SPOT_BITS | UINT64_C(1) << (SPOT_FIELD + SPOT_BITS) | UINT64_C(1) << (2 * SPOT_FIELD + SPOT_BITS);

typedef uint64_t character_spot;

typedef struct character_spots {
    character_spot low, high; // of a box; both ends belong to it
} character_spots;

static inline uint32_t spot_get(character_spot s, int axis) { return (uint32_t)(s >> SPOT_FIELD * axis) & SPOT_MOST; }

static inline character_spot spot_make(uint32_t x, uint32_t y, uint32_t z) {
    return x | (uint64_t)y << SPOT_FIELD | (uint64_t)z << 2 * SPOT_FIELD;
}

/// The larger coordinates of both to `high`, the smaller ones to `low`.
static inline character_spots spot_order(character_spot a, character_spot b) {
    const uint64_t larger = ((a | spot_guards) - b) & spot_guards; // fields with a >= b
    const uint64_t other = (a ^ b) & (larger - (larger >> SPOT_BITS));
    return (character_spots){a ^ other, b ^ other};
}

static inline bool spot_is_in(character_spot p, character_spots box) {
    return (((p | spot_guards) - box.low) & ((box.high | spot_guards) - p) & spot_guards) == spot_guards;
}

static inline bool spots_meet(character_spots a, character_spots b) {
    return (((a.high | spot_guards) - b.low) & ((b.high | spot_guards) - a.low) & spot_guards) == spot_guards;
}

static inline character_spots spots_join(character_spots a, character_spots b) {
    return (character_spots){spot_order(a.low, b.low).low, spot_order(a.high, b.high).high};
}

/// The box of four spots.
static inline character_spots spots_of(const character_spot *spots, const uint32_t v[4]) {
    const character_spots ab = spot_order(spots[v[0]], spots[v[1]]), cd = spot_order(spots[v[2]], spots[v[3]]);
    return spots_join(ab, cd);
}

/// Append the ids of the spots in a box to `found`, from `count` on. @return the new count.
// No branch depends on the comparison, which has no pattern to predict. Writes one id ahead.
static inline size_t spots_filter(const character_spot *spots, const uint32_t *ids, size_t n, character_spots box,
                                  uint32_t *found, size_t count) {
    for (size_t i = 0; i < n; i++) {
        found[count] = ids[i];
        count += spot_is_in(spots[i], box);
    }
    return count;
}

#endif
