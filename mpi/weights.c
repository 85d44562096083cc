// SPDX-License-Identifier: Apache-2.0
// The balance of a question, and the work of each element as a weight for new regions.
#include <assert.h>

#include "mpi/work.h"

// In units of the cost of an element. Ghosts that do not reach the region yet are not searched.
static const double COST_OF_A_PAIR = 0.25, COST_OF_A_GHOST = 0.5;

static double searched_elements(const dist_work *work) {
    assert(work->ghosts <= work->element_ids.count);
    return (double)work->element_ids.count - (1 - COST_OF_A_GHOST) * (double)work->ghosts;
}

double toc_dist_work_balance(toc_mpi_scene *scene) {
    const double work = searched_elements(&scene->work) + COST_OF_A_PAIR * (double)scene->work.decided;
    double most = work, sum = work;
    toc_dist_most(&scene->link, 1, &most);
    toc_dist_sum(&scene->link, 1, &sum);
    return sum > 0 ? most * scene->link.size / sum : 1;
}

static void count_around(const toc_mpi_scene *scene, float *around) {
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene->work.scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            for (int k = 0; k < element.corner_count; k++)
                around[scene->work.vertex_first.at[b] + element.corners[k]] += 1;
        }
    }
}

// The work of this rank, shared among its elements. Those of its region have all its copies to carry: to give
// copies a weight of their own, where they are not searched, would not make this region smaller. Pairs count at the
// vertices of an element, shared with the other elements around each vertex.
static void weigh_elements(const toc_mpi_scene *scene, const float *around, float *out) {
    const dist_work *work = &scene->work;
    const double owned = (double)work->element_ids.count - (double)work->ghosts;
    const float each = owned > 0 ? (float)(searched_elements(work) / owned) : 0;
    for (size_t i = 0; i < scene->plan.element_place.count; i++) {
        const uint32_t place = scene->plan.element_place.at[i];
        const uint32_t b = toc_dist_body_of_element(scene, place);
        const toc_mesh *mesh = toc_scene_get_mesh(work->scene, b);
        const uint32_t local = (uint32_t)(place - work->element_first.at[b]);
        const toc_element e = toc_mesh_get_element(mesh, local);
        if (!toc_dist_is_ghost(scene, mesh, local)) out[i] += each;
        for (int k = 0; k < e.corner_count; k++) {
            const size_t v = work->vertex_first.at[b] + e.corners[k];
            out[i] += (float)COST_OF_A_PAIR * (float)work->tests.at[v] / around[v];
        }
    }
}

static toc_status pack_weights(const toc_mpi_scene *scene, dist_parcels *out) {
    const size_t count = scene->work.ids.count;
    TOC_TRY(toc_dist_parcels_copy_counts(&scene->link, scene->plan.element_from.at, sizeof(float), out));
    float *around = toc_new(&scene->link.memory, count, sizeof *around);
    if (!around) return TOC_OUT_OF_MEMORY;
    count_around(scene, around);
    weigh_elements(scene, around, (float *)out->items);
    toc_free(&scene->link.memory, around, count, sizeof *around);
    return TOC_OK;
}

static toc_status add_element_weights(toc_mpi_scene *scene, const dist_parcels *in) {
    const dist_parcels *list = &scene->plan.element_out;
    TOC_TRY(dist_array_renew(&scene->link.memory, &scene->partition.weights, scene->flat.elements.count));
    float *weights = scene->partition.weights.at;
    for (size_t i = 0; i < scene->flat.elements.count; i++) weights[i] = 0;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++)
        weights[((const uint32_t *)list->items)[i]] += ((const float *)in->items)[i];
    return TOC_OK;
}

toc_status toc_dist_work_weigh(toc_mpi_scene *scene) {
    dist_parcels out = {0}, in = {0};
    const toc_status mine = pack_weights(scene, &out);
    toc_status status = toc_dist_exchange(&scene->link, mine, &out, &in);
    if (status == TOC_OK) status = toc_dist_agree(&scene->link, add_element_weights(scene, &in));
    toc_dist_parcels_free(&scene->link, &out);
    toc_dist_parcels_free(&scene->link, &in);
    return status;
}
