// SPDX-License-Identifier: Apache-2.0
// The outcomes of a test on a device (device/pairs.h), on their way to the answer.
//
// Contacts and near pairs that are complete are made and sorted on the device (device/answer.h, device/near.h).
// Outcomes that need exact arithmetic, more rounds or a filter come to the processor, which settles them in rounds.
#ifndef TOC_SEARCH_DEVICE_OUTCOMES_H
#define TOC_SEARCH_DEVICE_OUTCOMES_H

#include "search/device_descent.h"
#include "search/narrow_phase.h"

enum { TOC_DEVICE_ROUND = 1 << 5 }; // outcomes that a thread takes at a time: some need exact arithmetic

/// The arrays of an answer on the device.
enum {
    TOC_DEVICE_OUTCOMES_RANKS,
    TOC_DEVICE_OUTCOMES_MORE_RANKS,
    TOC_DEVICE_OUTCOMES_ITEMS,
    TOC_DEVICE_OUTCOMES_ARRAYS
};

typedef struct toc_device_outcomes {
    toc_device_array there[TOC_DEVICE_OUTCOMES_ARRAYS];
    toc_device_array here[TOC_DEVICE_KINDS], items; // pinned
    size_t count[TOC_DEVICE_KINDS];                 // for the processor
    size_t item_count;                              // contacts or near pairs, complete and in order
    bool stays;                                     // these stay on the device
    uint64_t tested;                                // pairs of features
} toc_device_outcomes;

/// No outcome, of no pair.
void toc_device_outcomes_clear(toc_device_outcomes *outcomes);
/// The part that the processor takes of a question: a filter asks about each outcome, and contacts are sorted by ids in
/// 128 bits.
toc_device_taken toc_device_outcomes_choose(const toc_query *query, const toc_filter *filter, const toc_step *step);
/// Fetch what a descent left of its range, behind what there is. Waits for the copies.
toc_status toc_device_outcomes_fetch(toc_device_memory *memory, const toc_step *step, const toc_device_tree *tree,
                                     const toc_device_descent *descent, toc_device_outcomes *outcomes);
/// The rounds in which the processor takes the outcomes.
size_t toc_device_outcomes_rounds(const toc_device_outcomes *outcomes);
/// The outcomes of a round, of one kind.
toc_kind toc_device_outcomes_round(const toc_device_outcomes *outcomes, size_t round, const toc_device_outcome **at,
                                   size_t *count);
/// Settle those of a round on one thread.
/// @param asked the test on the device; NULL where each pair had its own. @param count receives their number.
toc_status toc_device_outcomes_settle(const toc_device_outcomes *outcomes, size_t round, const toc_pair_test *asked,
                                      toc_narrow_worker *worker, size_t *count);
void toc_device_outcomes_free(const toc_device_memory *memory, toc_device_outcomes *outcomes);

#endif
