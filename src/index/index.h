// SPDX-License-Identifier: Apache-2.0
// An index: storage that finds primitives near each other.
//
// An index knows nothing of questions. A traversal (search/traversal.h) is what a question does with one, so several
// questions share an index, and a new question needs no new index. Each index has a function of its own that brings it
// up to date with a step, as toc_surface_tree_fit.
#ifndef TOC_INDEX_INDEX_H
#define TOC_INDEX_INDEX_H

#include <stdbool.h>

#include "base/memory.h"

struct toc_index;

typedef struct toc_index_type {
    bool is_kept; // from question to question
    void (*free)(struct toc_index *index);
} toc_index_type;

/// The first field of every index.
typedef struct toc_index {
    const toc_index_type *type;
    toc_allocator allocator;
} toc_index;

#endif
