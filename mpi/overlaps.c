// SPDX-License-Identifier: Apache-2.0
// Overlaps of all ranks. The local search finds those of all its faces or elements; each rank keeps its own pairs.
#include <assert.h>
#include <string.h>

#include "mpi/scene.h"

typedef struct overlap_pairs_result {
    toc_mpi_overlaps overlaps; // the first field: a pointer to one is a pointer to the other
    toc_allocator memory;
    size_t capacity;
} overlap_pairs_result;

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
        DIST_TRY(toc_dist_items_add(&scene->link, out, &named, rank));
    }
    return TOC_OK;
}

typedef toc_status overlap_search(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps **out);

static toc_status make_overlaps(toc_mpi_scene *scene, dist_items *items, overlap_pairs_result **out) {
    overlap_pairs_result *r = toc_dist_new(&scene->link.memory, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->memory = scene->link.memory;
    r->capacity = items->capacity;
    r->overlaps.count = items->count;
    r->overlaps.pairs = (const toc_mpi_overlap_pair *)items->at;
    items->at = NULL;
    *out = r;
    return TOC_OK;
}

static toc_status search_overlaps_locally(dist_question *q, overlap_search *search, dist_items *out) {
    toc_overlaps *overlaps;
    const double begun = MPI_Wtime();
    DIST_TRY(search(q->scene->work.scene, &q->query, (toc_end)q->span, &overlaps));
    q->scene->report.local_seconds = MPI_Wtime() - begun;
    const toc_status status = keep_overlaps(q, overlaps, out);
    q->scene->work.is_counted = true;
    toc_overlaps_destroy(overlaps);
    return status;
}

static toc_status find_overlaps(dist_question *q, overlap_search *search, overlap_pairs_result **out) {
    dist_link *link = &q->scene->link;
    const dist_items empty = {.item = sizeof(toc_mpi_overlap_pair), .compare = compare_overlaps};
    dist_items found = empty, own = empty;
    toc_status status = toc_dist_items_send(link, search_overlaps_locally(q, search, &found), &found, &own);
    toc_dist_items_free(link, &found);
    if (status == TOC_OK) status = toc_dist_agree(link, make_overlaps(q->scene, &own, out));
    toc_dist_items_free(link, &own);
    return status;
}

static toc_status ask_overlaps(toc_mpi_scene *scene, const toc_query *query, toc_end end, overlap_search *search,
                               toc_mpi_overlaps **out) {
    DIST_NEED(scene);
    dist_question q = {.span = end == TOC_AT_START ? DIST_START : DIST_END,
                       .thin = true,
                       .question = search == toc_scene_find_overlaps ? 3 : 4};
    toc_status mine = toc_dist_take_plain(query, &q.query);
    if (mine == TOC_OK && !out) mine = toc_dist_fail(TOC_BAD_INPUT, "out is NULL");
    DIST_TRY(toc_dist_begin(scene, mine, &q));
    overlap_pairs_result *r = NULL;
    const toc_status status = find_overlaps(&q, search, &r);
    if (status != TOC_OK) {
        toc_mpi_overlaps_destroy(r ? &r->overlaps : NULL);
        return status;
    }
    r->overlaps.total = r->overlaps.count;
    toc_dist_sum_counts(&scene->link, 1, &r->overlaps.total);
    toc_dist_end(scene);
    r->overlaps.report = scene->report;
    *out = &r->overlaps;
    return TOC_OK;
}

toc_status toc_mpi_scene_find_overlaps(toc_mpi_scene *scene, const toc_query *query, toc_end end,
                                       toc_mpi_overlaps **out) {
    return ask_overlaps(scene, query, end, toc_scene_find_overlaps, out);
}

toc_status toc_mpi_scene_find_element_overlaps(toc_mpi_scene *scene, const toc_query *query, toc_end end,
                                               toc_mpi_overlaps **out) {
    return ask_overlaps(scene, query, end, toc_scene_find_element_overlaps, out);
}

void toc_mpi_overlaps_destroy(toc_mpi_overlaps *overlaps) {
    if (!overlaps) return;
    overlap_pairs_result *r = (overlap_pairs_result *)overlaps;
    const toc_allocator memory = r->memory;
    toc_dist_free(&memory, (void *)overlaps->pairs, r->capacity, sizeof *overlaps->pairs);
    toc_dist_free(&memory, r, 1, sizeof *r);
}
