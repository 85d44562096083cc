// SPDX-License-Identifier: Apache-2.0
// A traversal: what a question does with an index. The same index may have several, such as pairs of leaves for
// contacts, and a walk from each point for probes.
#ifndef TOC_SEARCH_TRAVERSAL_H
#define TOC_SEARCH_TRAVERSAL_H

#include <stddef.h>

#include "toccata/base.h"

struct toc_pipeline;
struct toc_worker;

typedef struct toc_traversal {
    /// Find the feature pairs that rest near each other, once, so that later steps need not search them. May be NULL.
    toc_status (*settle)(struct toc_pipeline *pipeline);
    /// Split the traversal into rounds, the same ones for any number of threads.
    toc_status (*split)(struct toc_pipeline *pipeline, size_t *rounds);
    /// Run a round: hand pairs to the stages of the worker, or find its part of the answer.
    toc_status (*visit)(struct toc_worker *worker, size_t round);
} toc_traversal;

#endif
