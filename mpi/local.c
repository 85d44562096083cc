// SPDX-License-Identifier: Apache-2.0
// The local scene of a rank, from the vertices and elements that came in.
//
// Its ids are in the order of the caller's ids, so that features, their winding, the diagonals of quads and the order
// within pairs are those of one machine.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mpi/work.h"

// ---- receiving

// An item that came in, to be put in order.
typedef struct arrival {
    uint64_t id;
    uint32_t body, at;
} arrival;

static int compare_arrivals(const void *a, const void *b) {
    const arrival *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

int toc_dist_source_of(const dist_link *link, const uint64_t *first, uint64_t at) {
    int low = 0, high = link->size;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(first[middle] <= at ? &low : &high) = middle;
    }
    return low;
}

uint32_t toc_dist_body_of_element(const toc_mpi_scene *scene, size_t place) {
    uint32_t low = 0, high = (uint32_t)scene->bodies.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(scene->work.element_first.at[middle] <= place ? &low : &high) = middle;
    }
    return low;
}

static toc_status fail_copies(const dist_link *link, const uint64_t *first, const arrival *a, const arrival *b) {
    return toc_fail(TOC_BAD_INPUT,
                    "copies of vertex %" PRIu64 " of body %u have different positions on ranks %d and %d", a->id,
                    a->body, toc_dist_source_of(link, first, a->at), toc_dist_source_of(link, first, b->at));
}

static toc_status reserve_work_vertices(toc_mpi_scene *scene, size_t incoming) {
    const toc_allocator *memory = &scene->link.memory;
    dist_work *work = &scene->work;
    if (incoming >= UINT32_MAX)
        return toc_fail(TOC_OUT_OF_MEMORY, "a rank searches 2^32 - 2 vertices at most; %zu came in", incoming);
    TOC_TRY(dist_array_renew(memory, &scene->plan.vertex_place, incoming));
    TOC_TRY(dist_array_renew(memory, &scene->plan.is_copy, incoming));
    TOC_TRY(dist_array_renew(memory, &work->vertex_first, scene->bodies.count + 1));
    TOC_TRY(dist_array_renew(memory, &work->ids, incoming));
    TOC_TRY(dist_array_renew(memory, &work->owners, incoming));
    TOC_TRY(dist_array_renew(memory, &work->x0, 3 * incoming));
    return dist_array_renew(memory, &work->x1, 3 * incoming);
}

// Give the vertices that came in their places, in the order of ids; copies get one place.
static toc_status place_arrivals(toc_mpi_scene *scene, const dist_parcels *in, const arrival *order, size_t count) {
    const dist_vertex_item *items = (const dist_vertex_item *)in->items;
    dist_work *work = &scene->work;
    size_t places = 0;
    for (size_t i = 0; i < count; i++) {
        const dist_vertex_item *item = &items[order[i].at];
        const bool is_copy = i > 0 && compare_arrivals(&order[i - 1], &order[i]) == 0;
        if (!is_copy) {
            work->ids.at[places] = item->id;
            work->owners.at[places] = item->owner;
            dist_motion_put(work, places++, &item->motion);
        } else if (!dist_motion_is(work, places - 1, &item->motion)) {
            return fail_copies(&scene->link, in->first, &order[i - 1], &order[i]);
        }
        scene->plan.vertex_place.at[order[i].at] = (uint32_t)(places - 1);
        scene->plan.is_copy.at[order[i].at] = is_copy;
        if (!is_copy) work->vertex_first.at[item->body + 1]++;
    }
    assert(places <= count && count == scene->plan.vertex_place.count);
    work->ids.count = work->owners.count = places;
    work->x0.count = work->x1.count = 3 * places;
    return TOC_OK;
}

static void sum_places(size_t count, size_t *first) {
    for (size_t b = 0; b < count; b++) first[b + 1] += first[b];
}

static arrival *new_arrivals(const dist_link *link, size_t count) {
    return toc_new(&link->memory, count, sizeof(arrival));
}

toc_status toc_dist_local_take_vertices(toc_mpi_scene *scene, const dist_parcels *in) {
    const size_t count = dist_parcels_count(&scene->link, in);
    dist_work *work = &scene->work;
    TOC_TRY(reserve_work_vertices(scene, count));
    arrival *order = new_arrivals(&scene->link, count);
    if (!order) return TOC_OUT_OF_MEMORY;
    const dist_vertex_item *items = (const dist_vertex_item *)in->items;
    for (size_t i = 0; i < count; i++) order[i] = (arrival){items[i].id, items[i].body, (uint32_t)i};
    memset(work->vertex_first.at, 0, (scene->bodies.count + 1) * sizeof *work->vertex_first.at);
    toc_status status = toc_dist_sort(&scene->link.memory, order, count, sizeof *order, compare_arrivals);
    if (status == TOC_OK) status = place_arrivals(scene, in, order, count);
    sum_places(scene->bodies.count, work->vertex_first.at);
    toc_free(&scene->link.memory, order, count, sizeof *order);
    return status;
}

// ---- the local scene

typedef struct mesh_run {
    toc_mesh *mesh;
    toc_shape shape;
    TOC_ARRAY(uint32_t) corners;
    size_t count;
} mesh_run;

static toc_status end_run(mesh_run *run) {
    if (run->count == 0) return TOC_OK;
    const toc_status status = toc_mesh_add_elements(run->mesh, run->shape, run->count, run->corners.at, NULL);
    run->count = run->corners.count = 0;
    return status;
}

// Elements of one shape in a row are added together.
static toc_status add_to_run(const toc_allocator *memory, mesh_run *run, toc_shape shape, const uint32_t *corners) {
    const int count = toc_shape_count_corners(shape);
    if (shape != run->shape) TOC_TRY(end_run(run));
    run->shape = shape;
    TOC_TRY(toc_array_reserve(memory, &run->corners, (size_t)count));
    for (int k = 0; k < count; k++) run->corners.at[run->corners.count++] = corners[k];
    run->count++;
    return TOC_OK;
}

static int source_of_element(const toc_mpi_scene *scene, uint64_t at) {
    return toc_dist_source_of(&scene->link, scene->plan.element_from.at, at);
}

// Add the elements of a body to its mesh.
static toc_status fill_run(toc_mpi_scene *scene, const dist_element_item *items, const uint64_t *vertex_from,
                           const arrival *order, size_t count, mesh_run *run) {
    for (size_t i = 0; i < count; i++) {
        const dist_element_item *e = &items[order[i].at];
        const uint64_t base = vertex_from[source_of_element(scene, order[i].at)];
        uint32_t corners[DIST_CORNERS];
        for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
            corners[k] =
                (uint32_t)(scene->plan.vertex_place.at[base + e->corner[k]] - scene->work.vertex_first.at[e->body]);
        TOC_TRY(add_to_run(&scene->link.memory, run, (toc_shape)e->shape, corners));
    }
    return end_run(run);
}

static toc_status set_properties(const dist_element_item *items, const arrival *order, size_t count, toc_mesh *mesh) {
    for (uint32_t i = 0; i < count; i++) {
        const dist_element_item *e = &items[order[i].at];
        if (e->group != 0) TOC_TRY(toc_mesh_set_group(mesh, i, e->group));
        if (e->thickness != 0) TOC_TRY(toc_mesh_set_thickness(mesh, i, e->thickness));
    }
    return TOC_OK;
}

static toc_status fill_mesh(toc_mpi_scene *scene, uint32_t body, const dist_element_item *items,
                            const uint64_t *vertex_from, const arrival *order, size_t count, toc_mesh *mesh) {
    const dist_work *work = &scene->work;
    const size_t first = work->vertex_first.at[body], vertices = work->vertex_first.at[body + 1] - first;
    mesh_run run = {.mesh = mesh};
    if (vertices) TOC_TRY(toc_mesh_add_vertices(mesh, vertices, work->x0.at + 3 * first, NULL));
    toc_status status = fill_run(scene, items, vertex_from, order, count, &run);
    toc_array_free(&scene->link.memory, &run.corners);
    if (status == TOC_OK) status = set_properties(items, order, count, mesh);
    return status;
}

static toc_status ignore_groups(const toc_mpi_scene *scene) {
    for (size_t i = 0; i < scene->ignored.count; i++)
        TOC_TRY(
            toc_scene_set_group_contact(scene->work.scene, scene->ignored.at[i].low, scene->ignored.at[i].high, false));
    return TOC_OK;
}

void toc_dist_local_drop(toc_mpi_scene *scene) {
    toc_scene_destroy(scene->work.scene);
    scene->work.scene = NULL;
}

static toc_status add_empty_body(const toc_mpi_scene *scene) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(&scene->link.memory, &mesh));
    const toc_status status = toc_scene_add_body(scene->work.scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

// Empty the bodies of the local scene, which keeps its memory: pages that the system gives again cost as much as a
// search. A new scene where there is none, or one with other bodies or groups.
toc_status toc_dist_local_clear(toc_mpi_scene *scene) {
    dist_work *work = &scene->work;
    if (work->scene && (work->is_stale || toc_scene_get_body_count(work->scene) != scene->bodies.count))
        toc_dist_local_drop(scene);
    const bool is_new = !work->scene;
    if (is_new) TOC_TRY(toc_scene_create(&scene->link.memory, &work->scene));
    for (uint32_t b = 0; b < scene->bodies.count; b++)
        TOC_TRY(is_new ? add_empty_body(scene) : toc_scene_empty_body(work->scene, b));
    work->is_stale = false;
    TOC_TRY(toc_scene_set_steady(work->scene, scene->plan.is_steady));
    return is_new ? ignore_groups(scene) : TOC_OK;
}

bool toc_dist_is_ghost(const toc_mpi_scene *scene, const toc_mesh *mesh, uint32_t element) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    const double *x0 = toc_mesh_get_x0(mesh);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < e.corner_count; k++) {
            low[c] = dist_lower(low[c], x0[3 * (size_t)e.corners[k] + (size_t)c]);
            high[c] = dist_higher(high[c], x0[3 * (size_t)e.corners[k] + (size_t)c]);
        }
        middle[c] = low[c] / 2 + high[c] / 2;
    }
    return !dist_region_has(&scene->partition.regions.at[scene->link.rank], middle);
}

static void count_ghosts(toc_mpi_scene *scene) {
    scene->work.ghosts = 0;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene->work.scene, b);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
            scene->work.ghosts += toc_dist_is_ghost(scene, mesh, e);
    }
}

// The order of the elements, and their places.
static toc_status order_elements(toc_mpi_scene *scene, const dist_parcels *in, arrival *order, size_t count) {
    const dist_element_item *items = (const dist_element_item *)in->items;
    dist_work *work = &scene->work;
    for (size_t i = 0; i < count; i++) order[i] = (arrival){items[i].id, items[i].body, (uint32_t)i};
    TOC_TRY(toc_dist_sort(&scene->link.memory, order, count, sizeof *order, compare_arrivals));
    memset(work->element_first.at, 0, (scene->bodies.count + 1) * sizeof *work->element_first.at);
    for (size_t i = 0; i < count; i++) {
        work->element_ids.at[i] = order[i].id;
        work->homes.at[i] = source_of_element(scene, order[i].at);
        scene->plan.element_place.at[order[i].at] = (uint32_t)i;
        work->element_first.at[order[i].body + 1]++;
    }
    sum_places(scene->bodies.count, work->element_first.at);
    return TOC_OK;
}

static toc_status build_scene(toc_mpi_scene *scene, const dist_parcels *in, const uint64_t *vertex_from, arrival *order,
                              size_t count) {
    dist_work *work = &scene->work;
    TOC_TRY(order_elements(scene, in, order, count));
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const size_t first = work->element_first.at[b];
        TOC_TRY(fill_mesh(scene, b, (const dist_element_item *)in->items, vertex_from, order + first,
                          work->element_first.at[b + 1] - first, toc_scene_edit_mesh(work->scene, b)));
    }
    count_ghosts(scene);
    return TOC_OK;
}

toc_status toc_dist_local_take_elements(toc_mpi_scene *scene, const dist_parcels *in, const uint64_t *vertex_from) {
    const toc_allocator *memory = &scene->link.memory;
    const size_t count = dist_parcels_count(&scene->link, in), places = (size_t)scene->link.size + 1;
    dist_work *work = &scene->work;
    if (count >= UINT32_MAX)
        return toc_fail(TOC_OUT_OF_MEMORY, "a rank searches 2^32 - 2 elements at most; %zu came in", count);
    TOC_TRY(dist_array_renew(memory, &scene->plan.element_place, count));
    TOC_TRY(dist_array_renew(memory, &scene->plan.element_from, places));
    TOC_TRY(dist_array_renew(memory, &work->element_ids, count));
    TOC_TRY(dist_array_renew(memory, &work->homes, count));
    TOC_TRY(dist_array_renew(memory, &work->element_first, scene->bodies.count + 1));
    TOC_TRY(dist_array_renew(memory, &work->tests, work->ids.count));
    memcpy(scene->plan.element_from.at, in->first, places * sizeof *in->first);
    arrival *order = new_arrivals(&scene->link, count);
    if (!order) return TOC_OUT_OF_MEMORY;
    const toc_status status = build_scene(scene, in, vertex_from, order, count);
    toc_free(memory, order, count, sizeof *order);
    return status;
}
