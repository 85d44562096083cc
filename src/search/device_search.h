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

#include "search/request.h"

/// Whether there is a device (device/device.h), which can answer a request: all contacts or the first one, by the
/// certified test with exact arithmetic on straight paths, with no region. A request that must take the least memory is
/// for the processor, and so is TOC_ANSWER_ANY: its answer depends on the order of the search.
bool toc_device_search_suits(const toc_request *request);

#endif
