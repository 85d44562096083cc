// SPDX-License-Identifier: Apache-2.0
// The items of an answer other than contacts: each worker keeps its own; they are joined in order.
#ifndef TOC_SEARCH_ITEMS_H
#define TOC_SEARCH_ITEMS_H

#include "base/result.h"
#include "search/order.h"

struct toc_pipeline;
struct toc_worker;

/// Keep an item of the way (toc_way.answer), which the last stage found, and count it.
toc_status toc_worker_keep(struct toc_worker *worker, const void *item);

/// Replace a list by the items of all workers, in order: the same for any number of threads. On failure it stays as it
/// was.
/// @return TOC_OUT_OF_MEMORY or TOC_OK.
toc_status toc_pipeline_collect(struct toc_pipeline *pipeline, const toc_allocator *allocator, toc_items *list);
/// The same for the result of the pipeline: the `finish` of ways whose items are the answer.
toc_status toc_pipeline_answer(struct toc_pipeline *pipeline);

/// The same, merged with items that are in order already.
toc_status toc_pipeline_answer_with(struct toc_pipeline *pipeline, size_t count, const void *items);

#endif
