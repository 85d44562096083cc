// SPDX-License-Identifier: Apache-2.0
// The meshes as this rank handed them in, and the order of ids.
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mpi/scene.h"

// A local call that fails is remembered for the next collective one.
static toc_status note_failure(toc_mpi_scene *scene, toc_status status) {
    if (status != TOC_OK && scene->failed == TOC_OK) {
        scene->failed = status;
        snprintf(scene->message, sizeof scene->message, "%s", toc_message_get());
    }
    return status;
}

static toc_status need_body(const toc_mpi_scene *scene, uint32_t body) {
    if (body < scene->bodies.count) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "there is no body %u; there are %zu", body, scene->bodies.count);
}

// The places of ids, which questions free: they take as much memory as the mesh.
static toc_status need_places(const toc_allocator *memory, dist_body *body) {
    if (body->has_places) return TOC_OK;
    assert(body->vertex_places.used == 0 && body->element_places.used == 0);
    TOC_TRY(toc_dist_ids_reserve(memory, &body->vertex_places, body->ids.count));
    TOC_TRY(toc_dist_ids_reserve(memory, &body->element_places, body->elements.count));
    for (uint32_t i = 0; i < body->ids.count; i++)
        if (!body->gone.at[i]) toc_dist_ids_add(&body->vertex_places, body->ids.at[i], i);
    for (uint32_t i = 0; i < body->elements.count; i++)
        if (body->elements.at[i].shape != TOC_REMOVED)
            toc_dist_ids_add(&body->element_places, body->elements.at[i].id, i);
    body->has_places = true;
    return TOC_OK;
}

static toc_status open_body(toc_mpi_scene *scene, uint32_t id, dist_body **out) {
    TOC_TRY(need_body(scene, id));
    *out = &scene->bodies.at[id];
    return need_places(&scene->link.memory, *out);
}

static void drop_places(const toc_allocator *memory, dist_body *body) {
    toc_dist_ids_free(memory, &body->vertex_places);
    toc_dist_ids_free(memory, &body->element_places);
    body->has_places = false;
}

static toc_status check_own_coordinates(size_t count, const double *x, const uint64_t *ids) {
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(x[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of vertex %" PRIu64 " is %g", "xyz"[i % 3], ids[i / 3], x[i]);
    return TOC_OK;
}

// ---- bodies

toc_status toc_mpi_scene_add_body(toc_mpi_scene *scene, uint32_t *body) {
    TOC_NEED(scene);
    if (scene->bodies.count >= UINT32_MAX - 1) return toc_fail(TOC_BAD_INPUT, "too many bodies");
    const toc_status status = toc_array_reserve(&scene->link.memory, &scene->bodies, 1);
    if (status != TOC_OK) return note_failure(scene, status);
    scene->bodies.at[scene->bodies.count] = (dist_body){.layers = 1, .mask = UINT64_MAX, .self = true};
    if (body) *body = (uint32_t)scene->bodies.count;
    scene->bodies.count++;
    scene->flat.is_current = false;
    return TOC_OK;
}

static toc_status set_body_layers(toc_mpi_scene *scene, uint32_t body, uint64_t layers, uint64_t mask) {
    TOC_TRY(need_body(scene, body));
    scene->bodies.at[body].layers = layers;
    scene->bodies.at[body].mask = mask;
    return TOC_OK;
}

toc_status toc_mpi_scene_set_body_layers(toc_mpi_scene *scene, uint32_t body, uint64_t layers, uint64_t mask) {
    TOC_NEED(scene);
    return note_failure(scene, set_body_layers(scene, body, layers, mask));
}

toc_status toc_mpi_scene_set_self_contact(toc_mpi_scene *scene, uint32_t body, bool on) {
    TOC_NEED(scene);
    const toc_status status = need_body(scene, body);
    if (status == TOC_OK) scene->bodies.at[body].self = on;
    return note_failure(scene, status);
}

static toc_status check_thickness(double thickness) {
    if (thickness >= 0 && isfinite(thickness)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "a thickness of %g: it must be finite and not negative", thickness);
}

toc_status toc_mpi_scene_set_body_thickness(toc_mpi_scene *scene, uint32_t body, double thickness) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    toc_status status = need_body(scene, body);
    if (status == TOC_OK) status = check_thickness(thickness);
    if (status == TOC_OK) scene->bodies.at[body].thickness = thickness;
    return note_failure(scene, status);
}

static uint64_t id_of_groups(dist_group_pair pair) { return (uint64_t)(uint32_t)pair.low << 32 | (uint32_t)pair.high; }

static toc_status ignore_pair(toc_mpi_scene *scene, dist_group_pair pair) {
    if (scene->ignored.count >= DIST_NONE) return toc_fail(TOC_BAD_INPUT, "too many pairs of groups are ignored");
    TOC_TRY(toc_array_reserve(&scene->link.memory, &scene->ignored, 1));
    TOC_TRY(toc_dist_ids_reserve(&scene->link.memory, &scene->ignored_places, 1));
    toc_dist_ids_add(&scene->ignored_places, id_of_groups(pair), (uint32_t)scene->ignored.count);
    scene->ignored.at[scene->ignored.count++] = pair;
    return TOC_OK;
}

// The last pair takes the place of one that may touch again.
static toc_status allow_pair(toc_mpi_scene *scene, dist_group_pair pair, uint32_t place) {
    TOC_TRY(toc_dist_ids_reserve(&scene->link.memory, &scene->ignored_places, 1));
    const dist_group_pair last = scene->ignored.at[--scene->ignored.count];
    toc_dist_ids_remove(&scene->ignored_places, id_of_groups(pair));
    if (place == scene->ignored.count) return TOC_OK;
    toc_dist_ids_remove(&scene->ignored_places, id_of_groups(last));
    toc_dist_ids_add(&scene->ignored_places, id_of_groups(last), place);
    scene->ignored.at[place] = last;
    return TOC_OK;
}

toc_status toc_mpi_scene_set_group_contact(toc_mpi_scene *scene, int32_t a, int32_t b, bool on) {
    TOC_NEED(scene);
    const dist_group_pair pair = {a < b ? a : b, a < b ? b : a};
    const uint32_t place = toc_dist_ids_find(&scene->ignored_places, id_of_groups(pair));
    if (on == (place == DIST_NONE)) return TOC_OK;
    scene->plan.is_made = false;
    scene->work.is_stale = true;
    return note_failure(scene, on ? allow_pair(scene, pair, place) : ignore_pair(scene, pair));
}

toc_status toc_mpi_scene_set_filter(toc_mpi_scene *scene, toc_mpi_filter filter) {
    TOC_NEED(scene);
    scene->filter = filter;
    return TOC_OK;
}

size_t toc_mpi_scene_get_vertex_count(const toc_mpi_scene *scene, uint32_t body) {
    return scene && body < scene->bodies.count ? scene->bodies.at[body].ids.count : 0;
}

// ---- vertices

static toc_status reserve_own_vertices(const toc_allocator *memory, dist_body *body, size_t count) {
    if (count > UINT32_MAX - 2 - body->ids.count)
        return toc_fail(TOC_BAD_INPUT, "a rank holds 2^32 - 2 vertices of a body at most");
    TOC_TRY(toc_array_reserve(memory, &body->ids, count));
    TOC_TRY(toc_array_reserve(memory, &body->gone, count));
    TOC_TRY(toc_array_reserve(memory, &body->x0, 3 * count));
    TOC_TRY(toc_array_reserve(memory, &body->x1, 3 * count));
    return toc_dist_ids_reserve(memory, &body->vertex_places, count);
}

// Give ids their places. An id that is there already takes back those before it.
static toc_status place_own_vertices(dist_body *body, size_t count, const uint64_t *ids) {
    for (size_t i = 0; i < count; i++) {
        if (toc_dist_ids_find(&body->vertex_places, ids[i]) != DIST_NONE) {
            const uint64_t twice = ids[i];
            while (i-- > 0) toc_dist_ids_remove(&body->vertex_places, ids[i]);
            return toc_fail(TOC_BAD_INPUT, "this rank has vertex %" PRIu64 " already", twice);
        }
        toc_dist_ids_add(&body->vertex_places, ids[i], (uint32_t)(body->ids.count + i));
    }
    return TOC_OK;
}

static toc_status add_own_vertices(toc_mpi_scene *scene, uint32_t id, size_t count, const uint64_t *ids,
                                   const double *positions) {
    dist_body *body;
    TOC_TRY(open_body(scene, id, &body));
    if (count == 0) return TOC_OK;
    TOC_NEED(ids);
    TOC_NEED(positions);
    TOC_TRY(check_own_coordinates(count, positions, ids));
    TOC_TRY(reserve_own_vertices(&scene->link.memory, body, count));
    TOC_TRY(place_own_vertices(body, count, ids));
    memcpy(body->ids.at + body->ids.count, ids, count * sizeof *ids);
    memset(body->gone.at + body->ids.count, 0, count);
    memcpy(body->x0.at + 3 * body->ids.count, positions, 3 * count * sizeof *positions);
    memcpy(body->x1.at + 3 * body->ids.count, positions, 3 * count * sizeof *positions);
    body->ids.count += count;
    body->gone.count += count;
    body->x0.count += 3 * count;
    body->x1.count += 3 * count;
    scene->flat.is_current = false;
    return TOC_OK;
}

toc_status toc_mpi_scene_add_vertices(toc_mpi_scene *scene, uint32_t body, size_t count, const uint64_t *ids,
                                      const double *positions) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    return note_failure(scene, add_own_vertices(scene, body, count, ids, positions));
}

static toc_status remove_own_vertices(toc_mpi_scene *scene, uint32_t id, size_t count, const uint64_t *ids) {
    dist_body *body;
    TOC_TRY(open_body(scene, id, &body));
    if (count) TOC_NEED(ids);
    for (size_t i = 0; i < count; i++)
        if (toc_dist_ids_find(&body->vertex_places, ids[i]) == DIST_NONE)
            return toc_fail(TOC_BAD_INPUT, "body %u has no vertex %" PRIu64 " on this rank", id, ids[i]);
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = toc_dist_ids_find(&body->vertex_places, ids[i]);
        if (place == DIST_NONE) continue; // given twice
        body->gone.at[place] = 1;
        toc_dist_ids_remove(&body->vertex_places, ids[i]);
    }
    scene->flat.is_current = false;
    return TOC_OK;
}

// ---- elements

static toc_status find_corners(const dist_body *body, uint64_t element, int corners, const uint64_t *ids,
                               uint32_t *places) {
    for (int k = 0; k < corners; k++) {
        places[k] = toc_dist_ids_find(&body->vertex_places, ids[k]);
        if (places[k] == DIST_NONE)
            return toc_fail(TOC_BAD_INPUT,
                            "corner %d of element %" PRIu64 " is vertex %" PRIu64 ", which this rank does not have", k,
                            element, ids[k]);
    }
    return TOC_OK;
}

// Append elements behind the count; the caller counts them when all are good.
static toc_status put_own_elements(dist_body *body, toc_shape shape, size_t count, const uint64_t *ids,
                                   const uint64_t *corners) {
    const int corner_count = toc_shape_count_corners(shape);
    for (size_t i = 0; i < count; i++) {
        dist_element *e = &body->elements.at[body->elements.count + i];
        *e = (dist_element){.id = ids[i], .shape = (uint32_t)shape};
        TOC_TRY(find_corners(body, ids[i], corner_count, corners + i * (size_t)corner_count, e->corner));
    }
    return TOC_OK;
}

static toc_status place_own_elements(dist_body *body, size_t count, const uint64_t *ids) {
    for (size_t i = 0; i < count; i++) {
        if (toc_dist_ids_find(&body->element_places, ids[i]) != DIST_NONE) {
            const uint64_t twice = ids[i];
            while (i-- > 0) toc_dist_ids_remove(&body->element_places, ids[i]);
            return toc_fail(TOC_BAD_INPUT, "this rank has element %" PRIu64 " already", twice);
        }
        toc_dist_ids_add(&body->element_places, ids[i], (uint32_t)(body->elements.count + i));
    }
    return TOC_OK;
}

static toc_status add_own_elements(toc_mpi_scene *scene, uint32_t id, toc_shape shape, size_t count,
                                   const uint64_t *ids, const uint64_t *corners) {
    dist_body *body;
    TOC_TRY(open_body(scene, id, &body));
    if (shape <= TOC_REMOVED || shape >= TOC_SHAPE_COUNT)
        return toc_fail(TOC_BAD_INPUT, "%d is no shape of elements", (int)shape);
    if (count == 0) return TOC_OK;
    TOC_NEED(ids);
    TOC_NEED(corners);
    if (count > UINT32_MAX - 2 - body->elements.count)
        return toc_fail(TOC_BAD_INPUT, "a rank holds 2^32 - 2 elements of a body at most");
    TOC_TRY(toc_array_reserve(&scene->link.memory, &body->elements, count));
    TOC_TRY(toc_dist_ids_reserve(&scene->link.memory, &body->element_places, count));
    TOC_TRY(put_own_elements(body, shape, count, ids, corners));
    TOC_TRY(place_own_elements(body, count, ids));
    body->elements.count += count;
    scene->flat.is_current = false;
    return TOC_OK;
}

toc_status toc_mpi_scene_add_elements(toc_mpi_scene *scene, uint32_t body, toc_shape shape, size_t count,
                                      const uint64_t *ids, const uint64_t *corners) {
    TOC_NEED(scene);
    return note_failure(scene, add_own_elements(scene, body, shape, count, ids, corners));
}

static toc_status find_element(toc_mpi_scene *scene, uint32_t body, uint64_t id, dist_element **out) {
    dist_body *at;
    TOC_TRY(open_body(scene, body, &at));
    const uint32_t place = toc_dist_ids_find(&at->element_places, id);
    if (place == DIST_NONE) return toc_fail(TOC_BAD_INPUT, "body %u has no element %" PRIu64 " on this rank", body, id);
    *out = &at->elements.at[place];
    return TOC_OK;
}

toc_status toc_mpi_scene_set_group(toc_mpi_scene *scene, uint32_t body, uint64_t element, int32_t group) {
    TOC_NEED(scene);
    dist_element *e = NULL;
    const toc_status status = find_element(scene, body, element, &e);
    if (status == TOC_OK && e->group != group) {
        e->group = group;
        scene->flat.is_current = false;
    }
    return note_failure(scene, status);
}

toc_status toc_mpi_scene_set_thickness(toc_mpi_scene *scene, uint32_t body, uint64_t element, double thickness) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    dist_element *e = NULL;
    toc_status status = find_element(scene, body, element, &e);
    if (status == TOC_OK) status = check_thickness(thickness);
    if (status == TOC_OK && e->thickness != thickness) {
        e->thickness = thickness;
        scene->flat.is_current = false;
    }
    return note_failure(scene, status);
}

static toc_status remove_own_elements(toc_mpi_scene *scene, uint32_t body, size_t count, const uint64_t *ids) {
    TOC_TRY(need_body(scene, body));
    if (count) TOC_NEED(ids);
    dist_element *e = NULL;
    for (size_t i = 0; i < count; i++) TOC_TRY(find_element(scene, body, ids[i], &e));
    for (size_t i = 0; i < count; i++) {
        if (find_element(scene, body, ids[i], &e) != TOC_OK) continue; // given twice
        e->shape = TOC_REMOVED;
        toc_dist_ids_remove(&scene->bodies.at[body].element_places, ids[i]);
    }
    scene->flat.is_current = false;
    return TOC_OK;
}

static toc_status remove_own(toc_mpi_scene *scene, uint32_t body, toc_mesh_item item, size_t count,
                             const uint64_t *ids) {
    if (item == TOC_MESH_VERTEX) return remove_own_vertices(scene, body, count, ids);
    if (item == TOC_MESH_ELEMENT) return remove_own_elements(scene, body, count, ids);
    return toc_fail(TOC_BAD_INPUT, "vertices or elements can be removed, not item %d", (int)item);
}

toc_status toc_mpi_scene_remove(toc_mpi_scene *scene, uint32_t body, toc_mesh_item item, size_t count,
                                const uint64_t *ids) {
    TOC_NEED(scene);
    return note_failure(scene, remove_own(scene, body, item, count, ids));
}

// ---- motion

static toc_status need_count(const toc_mpi_scene *scene, uint32_t id, size_t count) {
    TOC_TRY(need_body(scene, id));
    const size_t vertices = scene->bodies.at[id].ids.count;
    if (count == vertices) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, body %u has %zu on this rank", count, id, vertices);
}

static toc_status set_motion(toc_mpi_scene *scene, uint32_t id, size_t count, const double *x0, const double *x1) {
    TOC_TRY(need_count(scene, id, count));
    dist_body *body = &scene->bodies.at[id];
    if (body->ids.count == 0) return TOC_OK;
    TOC_NEED(x1);
    TOC_TRY(check_own_coordinates(body->ids.count, x1, body->ids.at));
    if (x0) TOC_TRY(check_own_coordinates(body->ids.count, x0, body->ids.at));
    memmove(body->x0.at, x0 ? x0 : body->x1.at, body->x0.count * sizeof *x1);
    memmove(body->x1.at, x1, body->x1.count * sizeof *x1);
    body->acceleration.count = 0;
    return TOC_OK;
}

static toc_status set_own_acceleration(toc_mpi_scene *scene, uint32_t id, size_t count, const double *acceleration) {
    TOC_TRY(need_body(scene, id));
    if (acceleration) TOC_TRY(need_count(scene, id, count));
    dist_body *body = &scene->bodies.at[id];
    body->acceleration.count = 0;
    if (body->ids.count == 0 || !acceleration) return TOC_OK;
    for (size_t i = 0; i < 3 * body->ids.count; i++)
        if (!isfinite(acceleration[i]))
            return toc_fail(TOC_BAD_INPUT, "the acceleration of vertex %" PRIu64 " is %g", body->ids.at[i / 3],
                            acceleration[i]);
    TOC_TRY(dist_array_renew(&scene->link.memory, &body->acceleration, 3 * body->ids.count));
    memcpy(body->acceleration.at, acceleration, 3 * body->ids.count * sizeof *acceleration);
    return TOC_OK;
}

toc_status toc_mpi_scene_set_acceleration(toc_mpi_scene *scene, uint32_t body, size_t count,
                                          const double *acceleration) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    return note_failure(scene, set_own_acceleration(scene, body, count, acceleration));
}

toc_status toc_mpi_scene_set_motion(toc_mpi_scene *scene, uint32_t body, size_t count, const double *x0,
                                    const double *x1) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(scene);
    return note_failure(scene, set_motion(scene, body, count, x0, x1));
}

// ---- the order of ids

int toc_dist_compare_vertices(const void *a, const void *b) {
    const dist_flat_vertex *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static toc_status list_own_vertices(toc_mpi_scene *scene) {
    dist_flat *flat = &scene->flat;
    size_t count = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) count += scene->bodies.at[b].ids.count;
    if (count >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "a rank holds 2^32 - 2 vertices at most; this one has %zu", count);
    TOC_TRY(dist_array_renew(&scene->link.memory, &flat->vertices, count));
    TOC_TRY(dist_array_renew(&scene->link.memory, &flat->flat_of, count));
    TOC_TRY(dist_array_renew(&scene->link.memory, &flat->body_first, scene->bodies.count + 1));
    size_t at = 0, place = 0;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const dist_body *body = &scene->bodies.at[b];
        flat->body_first.at[b] = place;
        for (uint32_t i = 0; i < body->ids.count; i++)
            if (!body->gone.at[i]) flat->vertices.at[at++] = (dist_flat_vertex){body->ids.at[i], b, i, -1};
        place += body->ids.count;
    }
    flat->body_first.at[scene->bodies.count] = place;
    flat->vertices.count = at;
    TOC_TRY(toc_dist_sort(&scene->link.memory, flat->vertices.at, at, sizeof *flat->vertices.at,
                          toc_dist_compare_vertices));
    for (size_t i = 0; i < place; i++) flat->flat_of.at[i] = DIST_NONE;
    for (size_t i = 0; i < at; i++)
        flat->flat_of.at[flat->body_first.at[flat->vertices.at[i].body] + flat->vertices.at[i].place] = (uint32_t)i;
    return TOC_OK;
}

static toc_status check_own_corners(const toc_mpi_scene *scene, uint32_t body, const dist_element *e) {
    const dist_body *of = &scene->bodies.at[body];
    for (int k = 0; k < toc_shape_count_corners((toc_shape)e->shape); k++)
        if (of->gone.at[e->corner[k]])
            return toc_fail(TOC_BAD_INPUT, "element %" PRIu64 " uses vertex %" PRIu64 ", which was removed", e->id,
                            of->ids.at[e->corner[k]]);
    return TOC_OK;
}

// All elements, as vertices: ids, bodies and places.
static toc_status list_own_elements(toc_mpi_scene *scene, dist_flat_vertex **out, size_t *out_count) {
    size_t count = 0, at = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) count += scene->bodies.at[b].elements.count;
    if (count >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "a rank holds 2^32 - 2 elements at most; this one has %zu", count);
    *out_count = count;
    *out = toc_new(&scene->link.memory, count, sizeof **out);
    if (!*out) return TOC_OUT_OF_MEMORY;
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        for (uint32_t i = 0; i < scene->bodies.at[b].elements.count; i++) {
            const dist_element *e = &scene->bodies.at[b].elements.at[i];
            if (e->shape == TOC_REMOVED) continue;
            TOC_TRY(check_own_corners(scene, b, e));
            (*out)[at++] = (dist_flat_vertex){e->id, b, i, -1};
        }
    }
    // The rest of the block keeps body UINT32_MAX, behind all others.
    for (size_t i = at; i < count; i++) (*out)[i] = (dist_flat_vertex){UINT64_MAX, UINT32_MAX, 0, -1};
    return toc_dist_sort(&scene->link.memory, *out, at, sizeof **out, toc_dist_compare_vertices);
}

// ---- owners: each id has a rank that knows which ranks have it

typedef struct id_request {
    uint64_t id;
    uint32_t body;
    uint32_t pad;
} id_request;

typedef struct id_holder {
    uint64_t id;
    uint32_t body;
    int32_t rank;
    uint64_t at; // in the requests that came in
} id_holder;

static int compare_holders(const void *a, const void *b) {
    const id_holder *x = a, *y = b;
    if (x->body != y->body) return x->body < y->body ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id; // stable: the lowest rank stays first
}

static int directory_of(const dist_link *link, const dist_flat_vertex *v) {
    return (int)(dist_mix(v->id + 0x9e3779b97f4a7c15u * v->body) % (uint64_t)link->size);
}

static toc_status pack_requests(const dist_link *link, const dist_flat_vertex *items, size_t count, dist_parcels *out) {
    uint64_t *first = toc_new(&link->memory, (size_t)link->size + 1, sizeof *first);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) first[directory_of(link, &items[i])]++;
    if (toc_dist_parcels_make(link, sizeof(id_request), first, out) != TOC_OK) {
        toc_free(&link->memory, first, (size_t)link->size + 1, sizeof *first);
        return TOC_OUT_OF_MEMORY;
    }
    id_request *requests = (id_request *)out->items;
    for (size_t i = 0; i < count; i++)
        requests[out->first[directory_of(link, &items[i])]++] = (id_request){items[i].id, items[i].body, 0};
    for (int r = link->size; r > 0; r--) out->first[r] = out->first[r - 1];
    out->first[0] = 0;
    return TOC_OK;
}

// For each request the lowest rank that made it.
static toc_status answer_requests(const dist_link *link, const dist_parcels *in, dist_parcels *out) {
    const uint64_t count = dist_parcels_count(link, in);
    uint64_t *first = toc_new(&link->memory, (size_t)link->size + 1, sizeof *first);
    if (!first) return TOC_OUT_OF_MEMORY;
    for (int r = 0; r < link->size; r++) first[r] = in->first[r + 1] - in->first[r];
    if (toc_dist_parcels_make(link, sizeof(int32_t), first, out) != TOC_OK) {
        toc_free(&link->memory, first, (size_t)link->size + 1, sizeof *first);
        return TOC_OUT_OF_MEMORY;
    }
    id_holder *holders = toc_new(&link->memory, count, sizeof *holders);
    if (!holders) return TOC_OUT_OF_MEMORY;
    const id_request *requests = (const id_request *)in->items;
    for (int r = 0; r < link->size; r++)
        for (uint64_t i = in->first[r]; i < in->first[r + 1]; i++)
            holders[i] = (id_holder){requests[i].id, requests[i].body, r, i};
    const toc_status status = toc_dist_sort(&link->memory, holders, count, sizeof *holders, compare_holders);
    int32_t *answers = (int32_t *)out->items, lowest = 0;
    for (uint64_t i = 0; i < count && status == TOC_OK; i++) {
        if (i == 0 || compare_holders(&holders[i - 1], &holders[i]) != 0) lowest = holders[i].rank;
        answers[holders[i].at] = lowest;
    }
    toc_free(&link->memory, holders, count, sizeof *holders);
    return status;
}

// Find the lowest rank that has each item. Collective.
static toc_status find_owners(dist_link *link, toc_status mine, dist_flat_vertex *items, size_t count) {
    dist_parcels asked = {0}, came = {0}, answers = {0}, back = {0};
    if (link->size == 1) {
        for (size_t i = 0; i < count && mine == TOC_OK; i++) items[i].owner = 0;
        return mine;
    }
    if (mine == TOC_OK) mine = pack_requests(link, items, count, &asked);
    toc_status status = toc_dist_exchange(link, mine, &asked, &came);
    if (status == TOC_OK) {
        mine = answer_requests(link, &came, &answers);
        status = toc_dist_exchange(link, mine, &answers, &back);
    }
    if (status == TOC_OK) {
        uint64_t *next = asked.first; // the answers come in the order of the requests
        for (size_t i = 0; i < count; i++) {
            const int r = directory_of(link, &items[i]);
            items[i].owner = ((const int32_t *)back.items)[next[r]++];
        }
    }
    toc_dist_parcels_free(link, &asked);
    toc_dist_parcels_free(link, &came);
    toc_dist_parcels_free(link, &answers);
    toc_dist_parcels_free(link, &back);
    return status;
}

static toc_status keep_owned(toc_mpi_scene *scene, const dist_flat_vertex *items, size_t count) {
    dist_flat *flat = &scene->flat;
    TOC_TRY(dist_array_renew(&scene->link.memory, &flat->elements, count));
    flat->elements.count = 0;
    flat->thickest = 0;
    for (size_t i = 0; i < count && items[i].body != UINT32_MAX; i++) {
        if (items[i].owner != scene->link.rank) continue;
        flat->elements.at[flat->elements.count++] = (dist_flat_element){items[i].body, items[i].place};
        flat->thickest = fmax(flat->thickest, scene->bodies.at[items[i].body].elements.at[items[i].place].thickness);
    }
    return TOC_OK;
}

static size_t count_listed(const dist_flat_vertex *items, size_t count) {
    while (count > 0 && items[count - 1].body == UINT32_MAX) count--;
    return count;
}

toc_status toc_dist_flatten(toc_mpi_scene *scene) {
    dist_link *link = &scene->link;
    dist_flat_vertex *elements = NULL;
    size_t count = 0;
    if (toc_dist_all(link, scene->flat.is_current)) return TOC_OK;
    scene->flat.is_current = false;
    scene->plan.is_made = false;
    toc_status mine = list_own_vertices(scene);
    if (mine == TOC_OK) mine = list_own_elements(scene, &elements, &count);
    toc_status status = find_owners(link, mine, scene->flat.vertices.at, scene->flat.vertices.count);
    if (status == TOC_OK) status = find_owners(link, TOC_OK, elements, count_listed(elements, count));
    if (status == TOC_OK) status = toc_dist_agree(link, keep_owned(scene, elements, count));
    toc_free(&link->memory, elements, count, sizeof *elements);
    scene->flat.is_current = status == TOC_OK;
    for (size_t b = 0; b < scene->bodies.count && status == TOC_OK; b++)
        drop_places(&link->memory, &scene->bodies.at[b]);
    toc_array_free(&link->memory, &scene->partition.weights); // elements have other places now
    return status;
}

static void free_body(const toc_allocator *memory, dist_body *body) {
    toc_array_free(memory, &body->ids);
    toc_array_free(memory, &body->gone);
    toc_array_free(memory, &body->x0);
    toc_array_free(memory, &body->x1);
    toc_array_free(memory, &body->acceleration);
    toc_array_free(memory, &body->elements);
    drop_places(memory, body);
}

void toc_dist_home_free(toc_mpi_scene *scene) {
    const toc_allocator *memory = &scene->link.memory;
    for (size_t b = 0; b < scene->bodies.count; b++) free_body(memory, &scene->bodies.at[b]);
    toc_array_free(memory, &scene->bodies);
    toc_array_free(memory, &scene->ignored);
    toc_dist_ids_free(memory, &scene->ignored_places);
    toc_array_free(memory, &scene->flat.vertices);
    toc_array_free(memory, &scene->flat.elements);
    toc_array_free(memory, &scene->flat.flat_of);
    toc_array_free(memory, &scene->flat.body_first);
}
