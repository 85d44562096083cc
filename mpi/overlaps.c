// SPDX-License-Identifier: Apache-2.0
// Overlaps of all ranks. The local search finds those of all its faces or elements; each rank keeps its own pairs.
#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mpi/scene.h"

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

static int compare_overlaps(const void *a, const void *b) {
    const toc_mpi_overlap_pair *x = a, *y = b;
    for (int i = 0; i < 2; i++) COMPARE(x->body[i], y->body[i]);
    for (int i = 0; i < 6; i++) COMPARE(x->v[i / 3][i % 3], y->v[i / 3][i % 3]);
    for (int i = 0; i < 2; i++) COMPARE(x->element[i], y->element[i]);
    return 0;
}

// The low corner of one side of a pair: of its face, or of its element.
static void low_of_side(const dist_question *q, const toc_overlap_pair *p, int side, double low[3]) {
    if (p->v[side][0] != UINT32_MAX) {
        toc_dist_low_corner(q, p->body[side], 3, p->v[side], low);
        return;
    }
    const toc_element e =
        toc_mesh_get_element(toc_scene_get_mesh(q->scene->work.scene, p->body[side]), p->element[side]);
    toc_dist_low_corner(q, p->body[side], e.corner_count, e.corners, low);
}

static bool is_own_overlap(const dist_question *q, const toc_overlap_pair *p) {
    double a[3], b[3];
    low_of_side(q, p, 0, a);
    low_of_side(q, p, 1, b);
    return toc_dist_is_mine(q, a, b);
}

static int name_overlap(const toc_mpi_scene *scene, const toc_overlap_pair *p, toc_mpi_overlap_pair *out) {
    const dist_work *work = &scene->work;
    memset(out, 0, sizeof *out);
    for (int side = 0; side < 2; side++) {
        const uint32_t body = p->body[side];
        assert(body < scene->bodies.count);
        assert(work->element_first.at[body] + p->element[side] < work->element_first.at[body + 1]);
        out->body[side] = body;
        out->element[side] = work->element_ids.at[work->element_first.at[body] + p->element[side]];
        for (int k = 0; k < 3; k++) {
            const uint32_t v = p->v[side][k];
            out->v[side][k] = v == UINT32_MAX ? UINT64_MAX : work->ids.at[work->vertex_first.at[body] + v];
        }
    }
    out->depth = p->depth;
    memcpy(out->normal, p->normal, sizeof out->normal);
    memcpy(out->point, p->point, sizeof out->point);
    return work->homes.at[work->element_first.at[p->body[0]] + p->element[0]];
}

static toc_status keep_overlaps(const dist_question *q, const toc_overlaps *overlaps, dist_items *out) {
    toc_mpi_scene *scene = q->scene;
    for (size_t i = 0; i < overlaps->count; i++) {
        toc_mpi_overlap_pair named;
        const bool own = is_own_overlap(q, &overlaps->pairs[i]);
        ++*(own ? &scene->work.decided : &scene->work.turned_down);
        if (!own) continue;
        const int rank = name_overlap(scene, &overlaps->pairs[i], &named);
        TOC_TRY(toc_dist_items_add(&scene->link, out, &named, rank));
    }
    return TOC_OK;
}

enum { OVERLAPS = 3 }; // dist_question.question: that of faces, behind it that of elements

static toc_status search_overlaps_locally(dist_question *q, dist_items *out) {
    toc_overlaps *overlaps;
    const double begun = MPI_Wtime();
    TOC_TRY(toc_scene_find_overlaps_of(q->scene->work.scene, &q->query, (toc_end)q->span,
                                       (toc_overlaps_of)(q->question - OVERLAPS), NULL, &overlaps));
    q->scene->report.local_seconds = MPI_Wtime() - begun;
    const toc_status status = keep_overlaps(q, overlaps, out);
    q->scene->work.is_counted = true;
    toc_overlaps_destroy(overlaps);
    return status;
}

static const dist_answer_type overlap_type = {
    .list = {.order.item_size = sizeof(toc_mpi_overlap_pair), TOC_ANSWER_LIST(toc_mpi_overlaps, pairs)},
    .compare = compare_overlaps,
    .total_at = offsetof(toc_mpi_overlaps, total),
    .report_at = offsetof(toc_mpi_overlaps, report),
    .search = search_overlaps_locally};

toc_status toc_mpi_scene_find_overlaps_of(toc_mpi_scene *scene, const toc_query *query, toc_end end, toc_overlaps_of of,
                                          toc_mpi_overlaps **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    dist_question q = {
        .span = end == TOC_AT_START ? DIST_START : DIST_END, .thin = true, .question = OVERLAPS + (uint64_t)of};
    toc_status mine = toc_dist_take_plain(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_fail(TOC_BAD_INPUT, "out is NULL");
    void *list;
    TOC_TRY(toc_dist_answer_ask(scene, mine, &overlap_type, &q, &list));
    *out = list;
    return TOC_OK;
}
