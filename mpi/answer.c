// SPDX-License-Identifier: Apache-2.0
// Answers of all ranks: each rank searches, its items go to their owners, and every rank makes a list of its own.
#include <assert.h>
#include <string.h>

#include "mpi/scene.h"

dist_items toc_dist_items_of(const dist_answer_type *type) {
    return (dist_items){.item = type->list.order.item_size, .compare = type->compare};
}

// A list that takes over the block of the items.
static toc_status make_list(const dist_link *link, const dist_answer_type *type, dist_items *items, void **out) {
    void *list = toc_result_new(&type->list, &link->memory);
    if (!list) return TOC_OUT_OF_MEMORY;
    if (items->count > 0) {
        *toc_result_items(list) = (toc_items){items->at, items->count * items->item, items->capacity * items->item};
        items->at = NULL;
    }
    toc_result_show(list);
    *out = list;
    return TOC_OK;
}

toc_status toc_dist_answer_send(dist_link *link, toc_status mine, const dist_answer_type *type, const dist_items *found,
                                void **out) {
    dist_items own = toc_dist_items_of(type);
    void *list = NULL;
    toc_status status = toc_dist_items_send(link, mine, found, &own);
    if (status == TOC_OK) status = toc_dist_agree(link, make_list(link, type, &own, &list));
    toc_dist_items_free(link, &own);
    if (status == TOC_OK)
        *out = list;
    else
        toc_result_free(list);
    return status;
}

static void count_on_all_ranks(toc_mpi_scene *scene, const dist_answer_type *type, void *list) {
    size_t count;
    memcpy(&count, (char *)list + type->list.count_at, sizeof count);
    uint64_t total = count;
    toc_dist_sum_counts(&scene->link, 1, &total);
    memcpy((char *)list + type->total_at, &total, sizeof total);
}

toc_status toc_dist_answer_ask(toc_mpi_scene *scene, toc_status mine, const dist_answer_type *type, dist_question *q,
                               void **out) {
    TOC_TRY(toc_dist_begin(scene, mine, q));
    dist_items found = toc_dist_items_of(type);
    void *list = NULL;
    mine = type->search(q, &found);
    toc_status status = type->choose ? type->choose(q, mine, &found) : TOC_OK;
    if (status == TOC_OK) status = toc_dist_answer_send(&scene->link, mine, type, &found, &list);
    toc_dist_items_free(&scene->link, &found);
    TOC_TRY(status);
    if (type->complete) type->complete(&scene->link, list);
    count_on_all_ranks(scene, type, list);
    toc_dist_end(scene);
    memcpy((char *)list + type->report_at, &scene->report, sizeof scene->report);
    *out = list;
    return TOC_OK;
}

void toc_mpi_answer_destroy(void *list) { toc_result_free(list); }
