// SPDX-License-Identifier: Apache-2.0
// Many contacts at once, in lanes: the places of certified ones (place.kernel.c), and ties (tie.kernel.c).
#ifndef TOC_PAIR_PLACE_H
#define TOC_PAIR_PLACE_H

#include "pair/pair.h"

/// Contacts to be placed: pairs of a batch that names vertices, and their hits.
typedef struct toc_place_work {
    toc_pair_batch pairs;
    size_t count;
    const uint32_t *at; // the pair of each hit
    toc_hit *const *hits;
} toc_place_work;

/// Fill weights, point and normal of hits whose times come from a kernel of the certified test, as toc_exact_locate
/// does, with the same bits. Hits that need another arithmetic are left as they were.
/// @param left receives the numbers of those, ascending; room for all. @return how many.
typedef size_t toc_place_kernel(const toc_place_work *work, uint32_t *left);

toc_place_kernel toc_place_kernel1;
toc_place_kernel toc_place_kernel4;
toc_place_kernel toc_place_kernel8;

/// Decide pairs with a tie over the whole step, as toc_exact_pair does, with the same bits: contacts with a share whose
/// sign rounding hides. No later round of the certified kernel would decide a pair that this one does. Fills the hits
/// of those; pairs that are apart, or that need another arithmetic, are left.
typedef size_t toc_tie_kernel(const toc_place_work *work, uint32_t *left);

toc_tie_kernel toc_tie_kernel1;
toc_tie_kernel toc_tie_kernel4;
toc_tie_kernel toc_tie_kernel8;

#endif
