// SPDX-License-Identifier: Apache-2.0
// Identical vertices: the same position, bit for bit, in all values given for them.
#ifndef TOC_IO_CORE_WELD_H
#define TOC_IO_CORE_WELD_H

#include <string.h>

#include "base/memory.h"

typedef struct toc_weld {
    toc_allocator allocator;
    size_t count;
    uint32_t *same;  // by vertex: the first identical vertex, often itself
    uint32_t *next;  // the same for the current round
    uint32_t *slots; // vertex + 1, 0 where free
    size_t slot_count;
} toc_weld;

/// Begin with all vertices identical. Free with toc_weld_free, also on failure.
toc_status toc_weld_begin(const toc_allocator *allocator, size_t count, toc_weld *out);
/// Separate vertices that differ in these values, 3 a vertex; 0 and -0 do not differ, and -0 becomes 0.
void toc_weld_refine(toc_weld *weld, double *x);
void toc_weld_free(toc_weld *weld);

/// A number for a place, the same for the same bits.
static inline uint64_t toc_place_hash(const double x[3]) {
    uint64_t bits, h = 0;
    for (int i = 0; i < 3; i++) {
        memcpy(&bits, x + i, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

#endif
