// SPDX-License-Identifier: Apache-2.0
// The numbers that a file gives its nodes, in any order and with gaps, and the vertices they became.
#ifndef TOC_IO_CORE_LABELS_H
#define TOC_IO_CORE_LABELS_H

#include <stdbool.h>

#include "base/memory.h"
#include "mesh/mesh.h"

typedef struct toc_labels {
    toc_allocator allocator;
    size_t count;
    int64_t first;             // while labels are consecutive, the first of them is enough
    TOC_ARRAY(int64_t) labels; // by vertex, else
    int64_t low;               // of the table, where they lie close together
    uint32_t *slots;           // a table by label - low, or by hash; vertex + 1, 0 where free
    size_t slot_count;
    bool hashed;
    bool repeated; // the label `twice` was given two times
    int64_t twice;
    size_t checked; // labels when they were last checked
} toc_labels;

toc_labels toc_labels_begin(const toc_allocator *allocator);
void toc_labels_free(toc_labels *labels);

/// The label of the next vertex. Vertices are counted from 0.
toc_status toc_labels_add(toc_labels *labels, int64_t label);
/// After the last one. A label that was given twice is refused and named.
toc_status toc_labels_finish(toc_labels *labels);

/// Move the labels into those of a mesh, once all searches are done.
void toc_labels_hand_over(toc_labels *labels, toc_id_labels *to);

/// Refuse labels that were given twice so far, before more are added. Amortised O(1) a label: it checks only when the
/// number of labels has doubled since the last check.
toc_status toc_labels_check(toc_labels *labels);

enum { TOC_LABEL_MISSING = -1 };

/// For toc_labels_find.
int64_t toc_labels_search(const toc_labels *labels, int64_t label);

/// The vertex of a label, or TOC_LABEL_MISSING. O(1).
static inline int64_t toc_labels_find(const toc_labels *labels, int64_t label) {
    const uint64_t offset = (uint64_t)label - (uint64_t)labels->first;
    if (labels->labels.count == 0) return offset < labels->count ? (int64_t)offset : TOC_LABEL_MISSING;
    return toc_labels_search(labels, label);
}

#endif
