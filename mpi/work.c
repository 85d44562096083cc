// SPDX-License-Identifier: Apache-2.0
// The elements that a rank searches: all those that reach into its region, from wherever they were handed in.
//
// Elements are sent once, with some skin around their boxes, and kept: later questions send positions alone as long as
// every element reaches only where it was sent.
#include "mpi/work.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SKIN = 0.1; // of the mean size of an element

// ---- the plan

static void forget_plan(toc_mpi_scene *scene) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    toc_dist_parcels_free(link, &plan->vertex_out);
    toc_dist_parcels_free(link, &plan->element_out);
    toc_dist_parcels_free(link, &plan->move_out);
    toc_dist_parcels_free(link, &plan->move_in);
    toc_dist_transfer_free(link, &plan->moving);
    plan->is_made = false;
}

// The memory of later steps, which send positions alone.
static toc_status prepare_moves(toc_mpi_scene *scene, const uint64_t *vertex_from) {
    dist_plan *plan = &scene->plan;
    TOC_TRY(toc_dist_parcels_copy_counts(&scene->link, plan->vertex_out.first, sizeof(dist_motion), &plan->move_out));
    TOC_TRY(toc_dist_parcels_copy_counts(&scene->link, vertex_from, sizeof(dist_motion), &plan->move_in));
    return toc_dist_transfer_make(&scene->link, &plan->move_out, &plan->move_in, &plan->moving);
}

static toc_status send_elements(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_link *link = &scene->link;
    dist_parcels vertices = {0}, elements = {0}, vertices_in = {0}, elements_in = {0};
    forget_plan(scene);
    scene->report.sent_elements = true;
    const dist_typical typical = scene->partition.is_whole ? (dist_typical){0, 0} : toc_dist_typical_find(scene, span);
    growth = fmax(growth, scene->plan.widest) + SKIN * typical.size;
    if (!scene->partition.is_whole) toc_dist_reach_choose_ahead(scene, span, growth, typical);
    // New regions without weights often give way to others.
    scene->plan.is_steady &= !dist_partition_needs_counts(&scene->partition);
    const double slack = toc_dist_slack(scene->plan.ahead, typical);
    toc_status packed = toc_dist_local_clear(scene);
    if (packed == TOC_OK) packed = toc_dist_pack(scene, span, growth, slack, &vertices, &elements);
    toc_status status = toc_dist_exchange(link, packed, &vertices, &vertices_in);
    toc_dist_parcels_free(link, &vertices);
    if (status == TOC_OK) {
        const toc_status taken = toc_dist_local_take_vertices(scene, &vertices_in);
        toc_dist_parcels_empty(link, &vertices_in); // only their numbers count from here on
        status = toc_dist_exchange(link, taken, &elements, &elements_in);
        toc_dist_parcels_free(link, &elements);
    }
    if (status == TOC_OK) {
        toc_status mine = toc_dist_local_take_elements(scene, &elements_in, vertices_in.first);
        if (mine == TOC_OK) mine = prepare_moves(scene, vertices_in.first);
        status = toc_dist_agree(link, mine);
    }
    toc_dist_parcels_free(link, &elements);
    toc_dist_parcels_free(link, &vertices_in);
    toc_dist_parcels_free(link, &elements_in);
    if (status != TOC_OK) {
        forget_plan(scene);
        toc_dist_local_drop(scene);
    }
    scene->plan.is_made = status == TOC_OK;
    return status;
}

static void pack_moves(toc_mpi_scene *scene) {
    const dist_parcels *list = &scene->plan.vertex_out;
    dist_motion *out = (dist_motion *)scene->plan.move_out.items;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++)
        out[i] = toc_dist_motion_of(scene, ((const uint32_t *)list->items)[i]);
}

static toc_status take_moves(toc_mpi_scene *scene) {
    const dist_plan *plan = &scene->plan;
    const dist_motion *in = (const dist_motion *)plan->move_in.items;
    for (size_t i = 0; i < plan->vertex_place.count; i++)
        if (!plan->is_copy.at[i]) dist_motion_put(&scene->work, plan->vertex_place.at[i], &in[i]);
    for (size_t i = 0; i < plan->vertex_place.count; i++) {
        const uint32_t place = plan->vertex_place.at[i];
        if (plan->is_copy.at[i] && !dist_motion_is(&scene->work, place, &in[i]))
            return toc_fail(TOC_BAD_INPUT,
                            "a copy of vertex %" PRIu64 " on rank %d has other positions than on other ranks",
                            scene->work.ids.at[place], toc_dist_source_of(&scene->link, plan->move_in.first, i));
    }
    return TOC_OK;
}

// Send positions by the plan, and meanwhile look whether it still covers the question. @return whether it does.
static bool send_moves(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_plan *plan = &scene->plan;
    assert(plan->is_made && plan->vertex_place.count == dist_parcels_count(&scene->link, &plan->move_in));
    pack_moves(scene);
    toc_dist_transfer_start(&scene->link, &plan->move_out, &plan->move_in, &plan->moving);
    const bool covered = toc_dist_reach_covers(scene, span, growth);
    toc_dist_transfer_wait(&scene->link, &plan->moving);
    return toc_dist_all(&scene->link, covered);
}

// ---- parabolas

static void pack_bends(const toc_mpi_scene *scene, double *out) {
    const dist_parcels *list = &scene->plan.vertex_out;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++) {
        const dist_flat_vertex *v = &scene->flat.vertices.at[((const uint32_t *)list->items)[i]];
        const dist_body *body = &scene->bodies.at[v->body];
        const size_t at = 3 * (size_t)v->place;
        if (at < body->acceleration.count) memcpy(out + 3 * i, body->acceleration.at + at, 3 * sizeof *out);
    }
}

static toc_status take_bends(toc_mpi_scene *scene, const dist_parcels *parcels) {
    const dist_plan *plan = &scene->plan;
    dist_work *work = &scene->work;
    const double *in = (const double *)parcels->items;
    TOC_TRY(dist_array_renew(&scene->link.memory, &work->acceleration, work->x0.count));
    TOC_TRY(dist_array_renew(&scene->link.memory, &work->control, work->x0.count));
    for (size_t i = 0; i < plan->vertex_place.count; i++)
        if (!plan->is_copy.at[i])
            memcpy(work->acceleration.at + 3 * (size_t)plan->vertex_place.at[i], in + 3 * i, 3 * sizeof *in);
    for (size_t i = 0; i < plan->vertex_place.count; i++) {
        const size_t place = plan->vertex_place.at[i];
        if (plan->is_copy.at[i] && memcmp(work->acceleration.at + 3 * place, in + 3 * i, 3 * sizeof *in) != 0)
            return toc_fail(TOC_BAD_INPUT,
                            "a copy of vertex %" PRIu64 " on rank %d has another acceleration than on other ranks",
                            work->ids.at[place], toc_dist_source_of(&scene->link, parcels->first, i));
    }
    for (size_t i = 0; i < work->ids.count; i++)
        toc_path_find_control(1, work->x0.at + 3 * i, work->x1.at + 3 * i, work->acceleration.at + 3 * i,
                              work->control.at + 3 * i);
    return TOC_OK;
}

// Accelerations travel by the plan, behind the positions. Collective.
static toc_status send_bends(toc_mpi_scene *scene, toc_status mine) {
    dist_link *link = &scene->link;
    dist_parcels out = {0}, in = {0};
    if (mine == TOC_OK)
        mine = toc_dist_parcels_copy_counts(link, scene->plan.vertex_out.first, 3 * sizeof(double), &out);
    if (mine == TOC_OK) pack_bends(scene, (double *)out.items);
    toc_status status = toc_dist_exchange(link, mine, &out, &in);
    if (status == TOC_OK) status = toc_dist_agree(link, take_bends(scene, &in));
    toc_dist_parcels_free(link, &out);
    toc_dist_parcels_free(link, &in);
    return status;
}

// On one machine all bodies have control points where one is accelerated: so they have here, on every rank.
static toc_status bend_body(const toc_mpi_scene *scene, uint32_t b) {
    const size_t first = scene->work.vertex_first.at[b];
    const size_t count = scene->work.vertex_first.at[b + 1] - first;
    if (!scene->is_accelerated || count == 0) return TOC_OK;
    return toc_mesh_set_acceleration(toc_scene_edit_mesh(scene->work.scene, b), count,
                                     scene->work.acceleration.at + 3 * first);
}

// The local scene searches the region of this rank. The lowest corner p of the intersection of two boxes, grown by the
// growth g, is in the region. Each of these boxes is within 3 g of p along every axis: the distance 2 g at which
// features count, and g by which p is lower. Parabolas can leave the boxes of their ends.
static toc_status set_region(const toc_mpi_scene *scene, double growth) {
    const dist_region *r = &scene->partition.regions.at[scene->link.rank];
    double low[3], high[3];
    if (scene->is_accelerated || scene->partition.is_whole) return toc_scene_set_region(scene->work.scene, NULL, NULL);
    for (int c = 0; c < 3; c++) {
        low[c] = r->low[c] - 4 * growth;
        high[c] = r->high[c] + 4 * growth;
    }
    return toc_scene_set_region(scene->work.scene, low, high);
}

static toc_status set_up_bodies(toc_mpi_scene *scene) {
    const dist_work *work = &scene->work;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        const size_t first = work->vertex_first.at[b], count = work->vertex_first.at[b + 1] - first;
        TOC_TRY(toc_scene_set_body_layers(work->scene, b, body->layers, body->mask));
        TOC_TRY(toc_scene_set_self_contact(work->scene, b, body->self));
        TOC_TRY(toc_scene_set_body_thickness(work->scene, b, body->thickness));
        if (count > 0)
            TOC_TRY(toc_mesh_set_motion(toc_scene_edit_mesh(work->scene, b), count, work->x0.at + 3 * first,
                                        work->x1.at + 3 * first));
        TOC_TRY(bend_body(scene, b));
    }
    return TOC_OK;
}

// Mark the vertices whose paths, moved down by the growth, stay in the region of this rank. The lowest corner of the
// intersection of two boxes of such vertices is in it, too: along each axis it is one of these coordinates.
static toc_status mark_inside(toc_mpi_scene *scene, double growth) {
    dist_work *work = &scene->work;
    const dist_region *r = &scene->partition.regions.at[scene->link.rank];
    TOC_TRY(dist_array_renew(&scene->link.memory, &work->inside, work->ids.count));
    for (size_t i = 0; i < work->ids.count; i++) {
        bool inside = !scene->is_accelerated;
        for (size_t c = 0; c < 3; c++) {
            const double x0 = work->x0.at[3 * i + c] - growth, x1 = work->x1.at[3 * i + c] - growth;
            inside &= (r->low[c] <= x0) & (x0 < r->high[c]) & (r->low[c] <= x1) & (x1 < r->high[c]);
        }
        work->inside.at[i] = inside;
    }
    return TOC_OK;
}

static void reset_counts(toc_mpi_scene *scene) {
    dist_work *work = &scene->work;
    memset((void *)work->tests.at, 0, work->tests.count * sizeof *work->tests.at);
    work->decided = work->turned_down = 0;
    work->is_counted = false;
}

toc_status toc_dist_work_update(toc_mpi_scene *scene, dist_span span, double growth) {
    dist_link *link = &scene->link;
    toc_status mine = TOC_OK;
    dist_plan *plan = &scene->plan;
    const bool was_made = toc_dist_all(link, plan->is_made);
    plan->widest = fmax(plan->widest, growth);
    if (was_made && send_moves(scene, span, growth)) {
        mine = take_moves(scene);
    } else {
        plan->is_outrun = was_made;
        TOC_TRY(send_elements(scene, span, growth));
        plan->age = 0;
        plan->widest = growth;
    }
    plan->age++;
    if (scene->is_accelerated) TOC_TRY(send_bends(scene, mine));
    if (mine == TOC_OK) mine = mark_inside(scene, growth);
    if (mine == TOC_OK) mine = set_up_bodies(scene);
    if (mine == TOC_OK) mine = set_region(scene, growth);
    if (mine == TOC_OK) reset_counts(scene);
    return toc_dist_agree(link, mine);
}

void toc_dist_work_free(toc_mpi_scene *scene) {
    const toc_allocator *memory = &scene->link.memory;
    dist_plan *plan = &scene->plan;
    dist_work *work = &scene->work;
    forget_plan(scene);
    toc_dist_local_drop(scene);
    toc_array_free(memory, &plan->reach_first);
    toc_array_free(memory, &plan->reach);
    toc_array_free(memory, &plan->rims);
    toc_array_free(memory, &plan->inner_of);
    toc_array_free(memory, &plan->vertex_place);
    toc_array_free(memory, &plan->is_copy);
    toc_array_free(memory, &plan->element_place);
    toc_array_free(memory, &plan->element_from);
    toc_array_free(memory, &work->vertex_first);
    toc_array_free(memory, &work->element_first);
    toc_array_free(memory, &work->ids);
    toc_array_free(memory, &work->owners);
    toc_array_free(memory, &work->x0);
    toc_array_free(memory, &work->x1);
    toc_array_free(memory, &work->acceleration);
    toc_array_free(memory, &work->control);
    toc_array_free(memory, &work->element_ids);
    toc_array_free(memory, &work->homes);
    toc_array_free(memory, &work->tests);
    toc_array_free(memory, &work->inside);
}
