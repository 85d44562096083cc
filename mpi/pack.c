// SPDX-License-Identifier: Apache-2.0
// Vertices and elements of this rank, packed for the ranks that they reach.
#include <assert.h>
#include <string.h>

#include "mpi/work.h"

static toc_status make_parcels(const dist_link *link, size_t item, uint64_t **first, dist_parcels *out) {
    const toc_status status = toc_dist_parcels_make(link, item, *first, out);
    if (status != TOC_OK) toc_free(&link->memory, *first, (size_t)link->size + 1, sizeof **first);
    *first = NULL;
    return status;
}

static uint64_t *new_places(const dist_link *link) {
    return toc_new(&link->memory, (size_t)link->size + 1, sizeof(uint64_t));
}

// Flat elements for each rank, ascending.
static toc_status list_elements_out(toc_mpi_scene *scene) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    uint64_t *first = new_places(link), *next = new_places(link);
    toc_status status = first && next ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < plan->reach.count && status == TOC_OK; i++) first[plan->reach.at[i]]++;
    if (status == TOC_OK) status = make_parcels(link, sizeof(uint32_t), &first, &plan->element_out);
    if (status == TOC_OK) {
        uint32_t *out = (uint32_t *)plan->element_out.items;
        memcpy(next, plan->element_out.first, ((size_t)link->size + 1) * sizeof *next);
        for (size_t i = 0; i < scene->flat.elements.count; i++)
            for (uint64_t k = plan->reach_first.at[i]; k < plan->reach_first.at[i + 1]; k++)
                out[next[plan->reach.at[k]]++] = (uint32_t)i;
    }
    toc_free(&link->memory, first, (size_t)link->size + 1, sizeof *first);
    toc_free(&link->memory, next, (size_t)link->size + 1, sizeof *next);
    return status;
}

// Mark the vertices of the elements for a rank; `stamp` holds rank + 1 for them.
static uint64_t mark_vertices(const toc_mpi_scene *scene, int rank, uint32_t *stamp) {
    const dist_parcels *elements = &scene->plan.element_out;
    uint64_t count = 0;
    for (uint64_t i = elements->first[rank]; i < elements->first[rank + 1]; i++) {
        const uint32_t flat = ((const uint32_t *)elements->items)[i];
        const dist_element *e = dist_element_at(scene, flat);
        for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++) {
            const uint32_t v = dist_corner(scene, scene->flat.elements.at[flat].body, e->corner[k]);
            count += stamp[v] != (uint32_t)rank + 1;
            stamp[v] = (uint32_t)rank + 1;
        }
    }
    return count;
}

// Flat vertices for each rank, ascending. O(vertices) for each rank that is sent some.
static toc_status list_vertices_out(toc_mpi_scene *scene, uint32_t *stamp) {
    dist_plan *plan = &scene->plan;
    const dist_link *link = &scene->link;
    uint64_t *first = new_places(link);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size; r++) first[r] = mark_vertices(scene, r, stamp);
    memset(stamp, 0, scene->flat.vertices.count * sizeof *stamp);
    TOC_TRY(make_parcels(link, sizeof(uint32_t), &first, &plan->vertex_out));
    uint32_t *out = (uint32_t *)plan->vertex_out.items;
    for (int r = 0; r < link->size; r++) {
        uint64_t at = plan->vertex_out.first[r];
        if (at == plan->vertex_out.first[r + 1]) continue;
        mark_vertices(scene, r, stamp);
        for (size_t v = 0; v < scene->flat.vertices.count; v++)
            if (stamp[v] == (uint32_t)r + 1) out[at++] = (uint32_t)v;
        assert(at == plan->vertex_out.first[r + 1]);
    }
    return TOC_OK;
}

dist_motion toc_dist_motion_of(const toc_mpi_scene *scene, uint32_t flat) {
    const dist_flat_vertex *v = &scene->flat.vertices.at[flat];
    const dist_body *body = &scene->bodies.at[v->body];
    dist_motion motion;
    memcpy(motion.x0, body->x0.at + 3 * (size_t)v->place, sizeof motion.x0);
    memcpy(motion.x1, body->x1.at + 3 * (size_t)v->place, sizeof motion.x1);
    return motion;
}

toc_status toc_dist_parcels_copy_counts(const dist_link *link, const uint64_t *places, size_t item, dist_parcels *out) {
    uint64_t *first = new_places(link);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size; r++) first[r] = places[r + 1] - places[r];
    return make_parcels(link, item, &first, out);
}

static toc_status pack_vertices(const toc_mpi_scene *scene, dist_parcels *out) {
    const dist_parcels *list = &scene->plan.vertex_out;
    TOC_TRY(toc_dist_parcels_copy_counts(&scene->link, list->first, sizeof(dist_vertex_item), out));
    dist_vertex_item *items = (dist_vertex_item *)out->items;
    for (uint64_t i = 0; i < dist_parcels_count(&scene->link, list); i++) {
        const uint32_t flat = ((const uint32_t *)list->items)[i];
        const dist_flat_vertex *v = &scene->flat.vertices.at[flat];
        items[i] = (dist_vertex_item){v->id, v->body, v->owner, toc_dist_motion_of(scene, flat)};
    }
    return TOC_OK;
}

static dist_element_item pack_element(const toc_mpi_scene *scene, uint32_t flat, const uint32_t *place_of) {
    const dist_element *e = dist_element_at(scene, flat);
    const uint32_t body = scene->flat.elements.at[flat].body;
    dist_element_item item = {
        .id = e->id, .thickness = e->thickness, .body = body, .group = e->group, .shape = e->shape};
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
        item.corner[k] = place_of[dist_corner(scene, body, e->corner[k])];
    return item;
}

// @param place_of room for a number for each flat vertex.
static toc_status pack_elements(const toc_mpi_scene *scene, uint32_t *place_of, dist_parcels *out) {
    const dist_parcels *list = &scene->plan.element_out, *vertices = &scene->plan.vertex_out;
    TOC_TRY(toc_dist_parcels_copy_counts(&scene->link, list->first, sizeof(dist_element_item), out));
    dist_element_item *items = (dist_element_item *)out->items;
    for (int r = 0; r < scene->link.size; r++) {
        for (uint64_t i = vertices->first[r]; i < vertices->first[r + 1]; i++)
            place_of[((const uint32_t *)vertices->items)[i]] = (uint32_t)(i - vertices->first[r]);
        for (uint64_t i = list->first[r]; i < list->first[r + 1]; i++)
            items[i] = pack_element(scene, ((const uint32_t *)list->items)[i], place_of);
    }
    return TOC_OK;
}

toc_status toc_dist_pack(toc_mpi_scene *scene, dist_span span, double growth, double slack, dist_parcels *vertices,
                         dist_parcels *elements) {
    const size_t count = scene->flat.vertices.count;
    TOC_TRY(toc_dist_reach_find(scene, span, growth, slack));
    TOC_TRY(list_elements_out(scene));
    uint32_t *scratch = toc_new(&scene->link.memory, count, sizeof *scratch);
    if (!scratch) return TOC_OUT_OF_MEMORY;
    toc_status status = list_vertices_out(scene, scratch);
    if (status == TOC_OK) status = pack_vertices(scene, vertices);
    if (status == TOC_OK) status = pack_elements(scene, scratch, elements);
    toc_free(&scene->link.memory, scratch, count, sizeof *scratch);
    return status;
}
