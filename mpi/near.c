// SPDX-License-Identifier: Apache-2.0
// Near pairs of all ranks.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mpi/scene.h"

typedef struct near_pairs_result {
    toc_mpi_near near; // the first field: a pointer to one is a pointer to the other
    toc_allocator memory;
    size_t capacity;
} near_pairs_result;

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

static int compare_near_pairs(const void *a, const void *b) {
    const toc_mpi_near_pair *x = a, *y = b;
    COMPARE(x->kind, y->kind);
    COMPARE(x->body[0], y->body[0]);
    COMPARE(x->body[1], y->body[1]);
    for (int i = 0; i < 4; i++) COMPARE(x->v[i], y->v[i]);
    return 0;
}

static int name_near_pair(const toc_mpi_scene *scene, const toc_near_pair *p, toc_mpi_near_pair *out) {
    const dist_work *work = &scene->work;
    const int second = p->kind == TOC_VF ? 1 : 2;
    assert(p->body[0] < scene->bodies.count && p->body[1] < scene->bodies.count);
    memset(out, 0, sizeof *out); // bytes between the fields too
    out->kind = p->kind;
    memcpy(out->body, p->body, sizeof out->body);
    for (int i = 0; i < 4; i++) out->v[i] = work->ids.at[work->vertex_first.at[p->body[i >= second]] + p->v[i]];
    out->distance = p->distance;
    memcpy(out->weights, p->weights, sizeof out->weights);
    memcpy(out->points, p->points, sizeof out->points);
    memcpy(out->normal, p->normal, sizeof out->normal);
    out->time = p->time;
    out->thickness = p->thickness;
    return work->owners.at[work->vertex_first.at[p->body[0]] + p->v[0]];
}

static toc_status search_near_locally(toc_mpi_scene *scene, dist_question *q, dist_items *out) {
    toc_near *near;
    const double begun = MPI_Wtime();
    toc_dist_use_filter(q);
    if (q->span == DIST_STEP)
        DIST_TRY(toc_scene_find_near_in_step(scene->work.scene, &q->query, q->distance, &near));
    else
        DIST_TRY(toc_scene_find_near(scene->work.scene, &q->query, (toc_end)q->span, q->distance, &near));
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

static toc_status make_near(toc_mpi_scene *scene, dist_items *items, near_pairs_result **out) {
    near_pairs_result *r = toc_dist_new(&scene->link.memory, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->memory = scene->link.memory;
    r->capacity = items->capacity;
    r->near.count = items->count;
    r->near.pairs = (const toc_mpi_near_pair *)items->at;
    items->at = NULL;
    *out = r;
    return TOC_OK;
}

static toc_status find_near_on_ranks(toc_mpi_scene *scene, dist_question *q, near_pairs_result **out) {
    dist_link *link = &scene->link;
    const dist_items empty = {.item = sizeof(toc_mpi_near_pair), .compare = compare_near_pairs};
    dist_items found = empty, own = empty;
    toc_status status = toc_dist_items_send(link, search_near_locally(scene, q, &found), &found, &own);
    toc_dist_items_free(link, &found);
    if (status == TOC_OK) status = toc_dist_agree(link, make_near(scene, &own, out));
    toc_dist_items_free(link, &own);
    return status;
}

static toc_status ask_near(toc_mpi_scene *scene, const toc_query *query, dist_span span, double thickness,
                           toc_mpi_near **out) {
    DIST_NEED(scene);
    dist_question q = {.span = span, .distance = thickness, .question = 2};
    toc_status mine = toc_dist_take_plain(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_dist_fail(TOC_BAD_INPUT, "out is NULL");
    if (mine == TOC_OK && !(thickness >= 0 && isfinite(thickness)))
        mine = toc_dist_fail(TOC_BAD_INPUT, "a thickness of %g: it must be finite and not negative", thickness);
    if (mine == TOC_OK) q.thin = q.query.thin;
    DIST_TRY(toc_dist_begin(scene, mine, &q));
    near_pairs_result *r = NULL;
    const toc_status status = find_near_on_ranks(scene, &q, &r);
    if (status != TOC_OK) {
        toc_mpi_near_destroy(r ? &r->near : NULL);
        return status;
    }
    r->near.total = r->near.count;
    toc_dist_sum_counts(&scene->link, 1, &r->near.total);
    toc_dist_end(scene);
    r->near.report = scene->report;
    *out = &r->near;
    return TOC_OK;
}

toc_status toc_mpi_scene_find_near(toc_mpi_scene *scene, const toc_query *query, toc_end end, double thickness,
                                   toc_mpi_near **out) {
    return ask_near(scene, query, end == TOC_AT_START ? DIST_START : DIST_END, thickness, out);
}

toc_status toc_mpi_scene_find_near_in_step(toc_mpi_scene *scene, const toc_query *query, double thickness,
                                           toc_mpi_near **out) {
    return ask_near(scene, query, DIST_STEP, thickness, out);
}

void toc_mpi_near_destroy(toc_mpi_near *near) {
    if (!near) return;
    near_pairs_result *r = (near_pairs_result *)near;
    const toc_allocator memory = r->memory;
    toc_dist_free(&memory, (void *)near->pairs, r->capacity, sizeof *near->pairs);
    toc_dist_free(&memory, r, 1, sizeof *r);
}
