// SPDX-License-Identifier: Apache-2.0
// Near pairs of all ranks.
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mpi/scene.h"

static int compare_near_pairs(const void *a, const void *b) {
    const toc_mpi_near_pair *x = a, *y = b;
    return dist_compare_pairs((const toc_kind[]){x->kind, y->kind}, (const uint32_t *const[]){x->body, y->body},
                              (const uint64_t *const[]){x->v, y->v});
}

static int name_near_pair(const toc_mpi_scene *scene, const toc_near_pair *p, toc_mpi_near_pair *out) {
    memset(out, 0, sizeof *out); // bytes between the fields too
    out->kind = p->kind;
    memcpy(out->body, p->body, sizeof out->body);
    out->distance = p->distance;
    memcpy(out->weights, p->weights, sizeof out->weights);
    memcpy(out->points, p->points, sizeof out->points);
    memcpy(out->normal, p->normal, sizeof out->normal);
    out->time = p->time;
    out->thickness = p->thickness;
    return toc_dist_name_pair(scene, p->kind, p->body, p->v, out->v);
}

static toc_status search_near_locally(dist_question *q, dist_items *out) {
    toc_mpi_scene *scene = q->scene;
    toc_near *near;
    const double begun = MPI_Wtime();
    toc_dist_use_filter(q);
    toc_near_query asked = toc_near_query_default();
    asked.time = q->span == DIST_STEP ? TOC_NEAR_IN_STEP : q->span == DIST_START ? TOC_NEAR_AT_START : TOC_NEAR_AT_END;
    asked.distance = q->distance;
    TOC_TRY(toc_scene_find_near(scene->work.scene, &q->query, &asked, NULL, &near));
    scene->report.local_seconds = MPI_Wtime() - begun;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < near->count && status == TOC_OK; i++) {
        toc_mpi_near_pair named;
        const int rank = name_near_pair(scene, &near->pairs[i], &named);
        status = toc_dist_items_add(&scene->link, out, &named, rank);
    }
    toc_near_destroy(near);
    return status;
}

static const dist_answer_type near_type = {
    .list = {.order.item_size = sizeof(toc_mpi_near_pair), TOC_ANSWER_LIST(toc_mpi_near, pairs)},
    .compare = compare_near_pairs,
    .total_at = offsetof(toc_mpi_near, total),
    .report_at = offsetof(toc_mpi_near, report),
    .search = search_near_locally};

static toc_status take_near_query(const toc_near_query *given, dist_question *q) {
    const toc_near_query near = given ? *given : toc_near_query_default();
    if (near.size != sizeof near) return toc_fail(TOC_BAD_INPUT, "toc_near_query_default begins these settings");
    if ((unsigned)near.time > TOC_NEAR_IN_STEP)
        return toc_fail(TOC_BAD_INPUT, "there is no time number %d at which features are near", (int)near.time);
    if (!(near.distance >= 0 && isfinite(near.distance)))
        return toc_fail(TOC_BAD_INPUT, "a distance of %g: it must be finite and not negative", near.distance);
    q->span = near.time == TOC_NEAR_IN_STEP ? DIST_STEP : near.time == TOC_NEAR_AT_START ? DIST_START : DIST_END;
    q->distance = near.distance;
    return TOC_OK;
}

toc_status toc_mpi_scene_find_near(toc_mpi_scene *scene, const toc_query *query, const toc_near_query *near,
                                   toc_mpi_near **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    dist_question q = {.question = 2};
    toc_status mine = toc_dist_take_plain(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_fail(TOC_BAD_INPUT, "out is NULL");
    if (mine == TOC_OK) mine = take_near_query(near, &q);
    if (mine == TOC_OK) q.thin = q.query.thin;
    void *list;
    TOC_TRY(toc_dist_answer_ask(scene, mine, &near_type, &q, &list));
    *out = list;
    return TOC_OK;
}
