// SPDX-License-Identifier: Apache-2.0
// Contacts of a step on a device: positions go up, contacts come down.
//
// The device bounds all primitives, sorts them, makes a tree, finds the pairs of features whose boxes meet, tests them
// (device/search.h) and sorts their contacts (device/answer.h), all in its own memory. Every pair of features that
// could touch is tested, as with any other index, so the contacts have the same bits. Pairs that the device leaves
// undecided, or that need many rounds, are decided on the processor.
//
// There are two ways: over the primitives of surfaces, and over the elements of volumes (search/device_cells.h).
#ifndef TOC_SEARCH_DEVICE_SEARCH_H
#define TOC_SEARCH_DEVICE_SEARCH_H

#include "search/device_outcomes.h"
#include "search/request.h"
#include "search/traversal.h"

/// Whether there is a device (device/device.h), which can answer a request: all contacts or the first one, by the
/// certified test with exact arithmetic on straight paths, with no region. A request that must take the least memory is
/// for the processor, and so is TOC_ANSWER_ANY: its answer depends on the order of the search.
bool toc_device_search_suits(const toc_request *request);

/// Refuse a request for a device that is not there.
toc_status toc_device_search_need(const toc_request *request);

/// The way of another question through the search: its plan, toc_way.fit and toc_way.accept.
toc_status toc_device_search_plan(struct toc_pipeline *pipeline, toc_device_ask ask);
toc_status toc_device_search_fit(struct toc_pipeline *pipeline);
toc_status toc_device_search_accept(struct toc_pipeline *pipeline, bool *suits);
/// Rounds of the outcomes that the processor takes: their pairs go to the stages of the way.
extern const toc_traversal toc_device_pairs_traversal;
/// The items that are complete and in order. They stay until the next question. @param count receives their number.
const toc_device_array *toc_device_search_items(const struct toc_pipeline *pipeline, size_t *count);

#endif
