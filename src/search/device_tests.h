// SPDX-License-Identifier: Apache-2.0
// The elementary tests of a query on a device: pairs wait in batches, a device tests each batch, contacts come back.
//
// The kernels are those of one lane, so every answer has the same bits. Pairs that they leave, for exact arithmetic or
// for places that take another one, are decided on the processor. The rooms of a worker are kept from query to query;
// more pairs than they hold go in rounds.
#ifndef TOC_SEARCH_DEVICE_TESTS_H
#define TOC_SEARCH_DEVICE_TESTS_H

#include "device/device.h"
#include "device/pairs.h"
#include "search/narrow_phase.h"

/// The settings of a test, for the kernels of a device.
toc_device_batch toc_device_batch_of(const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                                     const toc_pair_test *test);
toc_device_pairs toc_device_pairs_of(const toc_prefilter *prefilter, const toc_pair_test *test);
/// Launch all kernels of a test.
toc_status toc_device_pairs_test(const toc_device *device, void *queue, toc_device_pairs *work);
/// Launch the kernels of near pairs at an end of the step. @param decides as in toc_device_near_test.
toc_status toc_device_near_find(const toc_device *device, void *queue, const toc_device_pairs *work, bool decides);

/// The rooms of all workers of a scene, and the positions of a step. Kept from query to query.
typedef struct toc_device_rooms toc_device_rooms;

/// Let the workers of a narrow phase test on the device that the query asks for, if it asks for one and if the device
/// can: the pairs of a certified test on straight paths. TOC_ANSWER_ANY stays on the processor, whose first contact
/// ends the search.
/// @param rooms NULL before the first call; freed by toc_device_rooms_free.
toc_status toc_device_tests_begin(toc_narrow_phase *phase, toc_device_rooms **rooms);
/// All other tests run on the processor.
void toc_device_tests_end(toc_narrow_phase *phase);
void toc_device_rooms_free(toc_device_rooms *rooms);

/// Put pairs into the batch of a worker, which is tested when it is full.
toc_status toc_device_tests_put(toc_narrow_worker *worker, toc_kind kind, const toc_feature_pair *pairs, size_t count);
/// Test the pairs that wait.
toc_status toc_device_tests_flush(toc_narrow_worker *worker);

#endif
