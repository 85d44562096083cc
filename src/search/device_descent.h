// SPDX-License-Identifier: Apache-2.0
// The descent through a tree on a device, and the test of the pairs of features that it finds.
//
// Nothing waits between the launches: counts stay on the device, and each kernel reads those of the one before. Where
// an array was too small, its count tells how large it must be: it grows, and the descent runs again. Where the device
// has no room, the descent runs about a part of the leaves.
#ifndef TOC_SEARCH_DEVICE_DESCENT_H
#define TOC_SEARCH_DEVICE_DESCENT_H

#include "search/device_tree.h"

/// The arrays of a descent on the device; two each for TOC_VF and TOC_EE.
enum {
    TOC_DEVICE_DESCENT_PAIRS, // of nodes
    TOC_DEVICE_DESCENT_MORE_PAIRS,
    TOC_DEVICE_DESCENT_FOUND,                                              // pairs of features
    TOC_DEVICE_DESCENT_REST = TOC_DEVICE_DESCENT_FOUND + TOC_DEVICE_KINDS, // of the prefilter
    TOC_DEVICE_DESCENT_LIVE = TOC_DEVICE_DESCENT_REST + TOC_DEVICE_KINDS,  // two for each pass of the test but the last
    TOC_DEVICE_DESCENT_OUTCOMES = TOC_DEVICE_DESCENT_LIVE + TOC_DEVICE_KINDS * (TOC_DEVICE_PASSES - 1),
    TOC_DEVICE_DESCENT_OPEN = TOC_DEVICE_DESCENT_OUTCOMES + TOC_DEVICE_KINDS, // outcomes that are not done
    TOC_DEVICE_DESCENT_ARRAYS = TOC_DEVICE_DESCENT_OPEN + TOC_DEVICE_KINDS
};

/// How many items the arrays hold: pairs of nodes; then, two each, pairs of features, those that a pass left, outcomes,
/// and outcomes that are not done.
enum { TOC_DEVICE_ROOMS = 1 + 4 * TOC_DEVICE_KINDS };
typedef struct toc_device_room {
    uint32_t of[TOC_DEVICE_ROOMS];
} toc_device_room;

/// The part that the processor takes: all outcomes; the contacts, and the outcomes that are not done; or the first
/// contacts, and these outcomes.
typedef enum toc_device_taken {
    TOC_DEVICE_TAKE_OUTCOMES,
    TOC_DEVICE_TAKE_CONTACTS,
    TOC_DEVICE_TAKE_FIRST
} toc_device_taken;

/// The question about the pairs of features that are found.
typedef enum toc_device_ask {
    TOC_DEVICE_ASK_CONTACTS, // which of them touch
    TOC_DEVICE_ASK_NEAR,     // which of them are near at an end of the step (device/near.h)
    TOC_DEVICE_ASK_PAIRS     // which of them may touch: the processor tests these again
} toc_device_ask;

typedef struct toc_device_descent {
    toc_device_ask ask;
    double time; // of TOC_DEVICE_ASK_NEAR
    toc_device_array there[TOC_DEVICE_DESCENT_ARRAYS];
    toc_device_room room;
    toc_device_taken taken;
    toc_device_limits limits; // of the pairs
    bool is_own;              // pairs are tested with their own limits: the outcomes that are done are final
} toc_device_descent;

/// Make the first room. Rooms are kept from step to step. Those of a small device are small at first.
toc_status toc_device_descent_begin(toc_device_memory *memory, const toc_device_tree *tree,
                                    toc_device_descent *descent);
/// Find and test the pairs whose first primitive is in a range of the leaves: the launches are under way afterwards,
/// and so is the copy of the counts.
toc_status toc_device_descent_launch(const toc_device_memory *memory, const toc_pair_test *test, uint32_t begin,
                                     uint32_t end, toc_device_tree *tree, const toc_device_descent *descent);
/// Set all counts to 0, before each range.
toc_status toc_device_descent_reset(const toc_device_memory *memory, const toc_device_tree *tree);
/// Whether all items had room. Counts behind an array that was too small are too low.
bool toc_device_descent_is_complete(const toc_device_tree *tree, const toc_device_descent *descent);
/// Make room for all that was counted. Where the device has not as much, room in the same proportion, for a part of the
/// range.
/// @param enough whether the range has room now, as far as is known.
toc_status toc_device_descent_grow(toc_device_memory *memory, const toc_device_tree *tree, toc_device_descent *descent,
                                   bool *enough);
void toc_device_descent_free(const toc_device_memory *memory, toc_device_descent *descent);

#endif
