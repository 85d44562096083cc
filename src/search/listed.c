// SPDX-License-Identifier: Apache-2.0
// Rounds of listed pairs.
#include "search/listed.h"

#include <assert.h>

#include "search/pipeline.h"

enum { LISTED_ROUND = 2048 }; // pairs a round; fixed, so that rounds are the same for any number of threads

toc_status toc_listed_fit(toc_pipeline *pipeline) { return toc_narrow_phase_pack(&pipeline->narrow); }

static size_t listed_rounds_of(size_t count) { return (count + LISTED_ROUND - 1) / LISTED_ROUND; }

static toc_status split_listed(toc_pipeline *p, size_t *rounds) {
    const toc_pair_list *list = p->pairs;
    assert(list->vf_count <= list->count);
    *rounds = listed_rounds_of(list->vf_count) + listed_rounds_of(list->count - list->vf_count);
    return TOC_OK;
}

// Rounds of vertex-face pairs come first.
static toc_status search_listed(toc_worker *w, size_t round) {
    const toc_pair_list *list = w->pipeline->pairs;
    const size_t vf_rounds = listed_rounds_of(list->vf_count);
    const toc_kind kind = round < vf_rounds ? TOC_VF : TOC_EE;
    const size_t end = kind == TOC_VF ? list->vf_count : list->count;
    const size_t first = kind == TOC_VF ? round * LISTED_ROUND : list->vf_count + (round - vf_rounds) * LISTED_ROUND;
    assert(first < end);
    const size_t count = end - first < LISTED_ROUND ? end - first : LISTED_ROUND;
    w->search.in += count;
    w->search.out += count;
    return toc_worker_pass(w, 0, &(toc_batch){.count = count, .features = list->at + first, .kind = kind});
}

const toc_traversal toc_listed_traversal = {.split = split_listed, .visit = search_listed};
