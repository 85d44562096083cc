// SPDX-License-Identifier: Apache-2.0
// A mesh: vertices that move from x0 to x1, and elements of any mix of shapes between them.
//
// All values of a mesh are finite and in range, since each call checks its input; a call that fails changes nothing.
// Adding and moving take one pass over the input, and each call records O(1) events.
#include "mesh/mesh.h"
#include "base/arithmetic.h"
#include "base/shared.h"

#include <math.h>
#include <string.h>

toc_status toc_mesh_create(const toc_allocator *allocator, toc_mesh **out) {
    TOC_NEED(out);
    return toc_mesh_create_at(allocator, 0, out);
}

toc_status toc_mesh_create_at(const toc_allocator *allocator, uint64_t revision, toc_mesh **out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_mesh *mesh = toc_new(&memory, 1, sizeof *mesh);
    if (!mesh) return TOC_OUT_OF_MEMORY;
    mesh->allocator = memory;
    mesh->events_forgotten = revision;
    *out = mesh;
    return TOC_OK;
}

toc_status toc_mesh_begin_change(toc_mesh *mesh, toc_hold *hold) {
    TOC_NEED(mesh);
    if (!toc_guard_own(&mesh->guard)) return toc_fail(TOC_BUSY, "the mesh is in use by another call");
    hold->own = &mesh->guard;
    if (!mesh->owner) return TOC_OK;
    if (!toc_guard_share(mesh->owner)) return toc_fail(TOC_BUSY, "the scene of the mesh is in use by another call");
    hold->whole = mesh->owner;
    return TOC_OK;
}

toc_status toc_mesh_begin_read(const toc_mesh *mesh, toc_hold *hold) {
    TOC_NEED(mesh);
    toc_guard *guard = (toc_guard *)&mesh->guard; // meshes are never constant objects
    if (!toc_guard_share(guard)) return toc_fail(TOC_BUSY, "the mesh is being changed by another call");
    hold->own = guard;
    return TOC_OK;
}

void toc_mesh_destroy(toc_mesh *mesh) {
    if (!mesh) return;
    if (mesh->owner || !toc_guard_own(&mesh->guard)) {
        toc_fail(TOC_BUSY, mesh->owner ? "the mesh belongs to a scene" : "the mesh is in use by another call");
        return;
    }
    const toc_allocator memory = mesh->allocator;
    toc_array_free(&memory, &mesh->x0);
    toc_array_free(&memory, &mesh->x1);
    toc_array_free(&memory, &mesh->acceleration);
    toc_array_free(&memory, &mesh->shapes);
    toc_array_free(&memory, &mesh->first);
    toc_array_free(&memory, &mesh->corners);
    toc_array_free(&memory, &mesh->groups);
    toc_array_free(&memory, &mesh->thicknesses);
    toc_array_free(&memory, &mesh->vertex_removed);
    toc_array_free(&memory, &mesh->named);
    toc_array_free(&memory, &mesh->names);
    toc_array_free(&memory, &mesh->vertex_labels.each);
    toc_array_free(&memory, &mesh->element_labels.each);
    toc_array_free(&memory, &mesh->velocities);
    toc_array_free(&memory, &mesh->events);
    toc_array_free(&memory, &mesh->links);
    toc_array_free(&memory, &mesh->heads);
    toc_free(&memory, mesh, 1, sizeof *mesh);
}

// Append items to an array; memory for them must have been reserved.
#define append(array, items, item_count)                                                                         \
    do {                                                                                                         \
        if ((item_count) > 0) memcpy((array)->at + (array)->count, (items), (item_count) * sizeof *(array)->at); \
        (array)->count += (item_count);                                                                          \
    } while (0)

#define copy_array(copy, from)                                          \
    do {                                                                \
        if ((from)->count > 0) {                                        \
            TOC_TRY(toc_array_reserve(&memory, (copy), (from)->count)); \
            append((copy), (from)->at, (from)->count);                  \
        }                                                               \
    } while (0)

static toc_status copy_arrays(toc_mesh *copy, const toc_mesh *mesh) {
    const toc_allocator memory = mesh->allocator;
    copy_array(&copy->x0, &mesh->x0);
    copy_array(&copy->x1, &mesh->x1);
    copy_array(&copy->acceleration, &mesh->acceleration);
    copy_array(&copy->shapes, &mesh->shapes);
    copy_array(&copy->first, &mesh->first);
    copy_array(&copy->corners, &mesh->corners);
    copy_array(&copy->groups, &mesh->groups);
    copy_array(&copy->thicknesses, &mesh->thicknesses);
    copy_array(&copy->vertex_removed, &mesh->vertex_removed);
    copy_array(&copy->named, &mesh->named);
    copy_array(&copy->names, &mesh->names);
    copy_array(&copy->vertex_labels.each, &mesh->vertex_labels.each);
    copy_array(&copy->element_labels.each, &mesh->element_labels.each);
    copy->vertex_labels.count = mesh->vertex_labels.count;
    copy->vertex_labels.first = mesh->vertex_labels.first;
    copy->element_labels.count = mesh->element_labels.count;
    copy->element_labels.first = mesh->element_labels.first;
    copy->higher_order = mesh->higher_order;
    copy->skinned_vertices = mesh->skinned_vertices;
    return TOC_OK;
}

toc_status toc_mesh_copy(const toc_mesh *mesh, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_READ_MESH(mesh);
    toc_mesh *copy;
    TOC_TRY(toc_mesh_create(&mesh->allocator, &copy));
    const toc_status status = copy_arrays(copy, mesh);
    if (status == TOC_OK)
        *out = copy;
    else
        toc_mesh_destroy(copy);
    return status;
}

toc_mesh_info toc_mesh_get_info(const toc_mesh *mesh) {
    if (!mesh) return (toc_mesh_info){.vertex_count = 0};
    return (toc_mesh_info){
        .vertex_count = mesh->x0.count / 3,
        .element_count = mesh->shapes.count,
        .revision = mesh->events_forgotten + mesh->events.count,
        .x0 = mesh->x0.at,
        .x1 = mesh->x1.at,
        .acceleration = mesh->acceleration.count ? mesh->acceleration.at : NULL,
    };
}

bool toc_mesh_has_vertex(const toc_mesh *mesh, uint32_t vertex) {
    if (!mesh) return false;
    if (vertex < mesh->vertex_removed.count) return !mesh->vertex_removed.at[vertex];
    return vertex < mesh->x0.count / 3;
}

toc_element toc_mesh_get_element(const toc_mesh *mesh, uint32_t element) {
    if (!mesh || element >= mesh->shapes.count) return (toc_element){.shape = TOC_REMOVED};
    const toc_shape shape = toc_mesh_shape(mesh, element);
    return (toc_element){
        .shape = shape,
        .corner_count = toc_shape_count_corners(shape),
        .corners = toc_mesh_corners(mesh, element),
        .group = element < mesh->groups.count ? mesh->groups.at[element] : 0,
        .thickness = element < mesh->thicknesses.count ? mesh->thicknesses.at[element] : 0,
    };
}

toc_status toc_mesh_need_vertex(const toc_mesh *mesh, uint32_t vertex) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    if (vertex >= count) return toc_fail(TOC_BAD_INPUT, "vertex %u, but there are %zu vertices", vertex, count);
    if (!toc_mesh_has_vertex(mesh, vertex)) return toc_fail(TOC_BAD_INPUT, "vertex %u was removed", vertex);
    return TOC_OK;
}

toc_status toc_mesh_need_element(const toc_mesh *mesh, uint32_t element) {
    const size_t count = mesh->shapes.count;
    if (element >= count) return toc_fail(TOC_BAD_INPUT, "element %u, but there are %zu elements", element, count);
    if (mesh->shapes.at[element] == TOC_REMOVED) return toc_fail(TOC_BAD_INPUT, "element %u was removed", element);
    return TOC_OK;
}

// Positions of `count` vertices must be finite; ids in the message start at `first`.
toc_status toc_mesh_check_positions(size_t count, const double *positions, size_t first) {
    if (count > 0 && !positions) return toc_fail(TOC_BAD_INPUT, "no positions given (NULL) for %zu vertices", count);
    double all = 0; // x - x is 0 for finite x, else NaN, and a sum with a NaN is NaN
    for (size_t i = 0; i < 3 * count; i++) all += positions[i] - positions[i];
    if (all == 0) return TOC_OK;
    size_t i = 0;
    while (isfinite(positions[i])) i++;
    return toc_fail(TOC_BAD_INPUT, "vertex %zu: coordinate %c is %g", first + i / 3, "xyz"[i % 3], positions[i]);
}

// Ids and corners have 32 bits; the last value means none.
TOC_SHARED toc_status toc_mesh_check_room(const char *what, size_t have, size_t more) {
    if (more <= TOC_NONE - 1 - have) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%zu more %s beside %zu are too many: a mesh holds %u at most", more, what, have,
                    TOC_NONE - 1);
}

// The caller may pass items of the mesh's own array, which moves when it grows. @return their offset in bytes, or
// SIZE_MAX for other items.
static size_t own_offset(const void *array, size_t bytes, const void *items) {
    const size_t offset = (uintptr_t)items - (uintptr_t)array;
    return array && offset < bytes ? offset : SIZE_MAX;
}

// Reserve memory for more positions at both ends; follow the input if it is part of the arrays.
static toc_status reserve_positions(toc_mesh *mesh, size_t count, const double **positions) {
    const size_t bytes = mesh->x0.count * sizeof **positions;
    const size_t in_x0 = own_offset(mesh->x0.at, bytes, *positions);
    const size_t in_x1 = own_offset(mesh->x1.at, bytes, *positions);
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->x0, 3 * count));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->x1, 3 * count));
    if (in_x0 != SIZE_MAX) *positions = mesh->x0.at + in_x0 / sizeof **positions;
    if (in_x1 != SIZE_MAX) *positions = mesh->x1.at + in_x1 / sizeof **positions;
    return TOC_OK;
}

toc_status toc_mesh_add_vertices(toc_mesh *mesh, size_t count, const double *positions, uint32_t *first) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    return toc_mesh_put_vertices(mesh, count, positions, first);
}

toc_status toc_mesh_put_vertices(toc_mesh *mesh, size_t count, const double *positions, uint32_t *first) {
    const bool accelerated = mesh->acceleration.count > 0;
    const size_t before = toc_mesh_get_vertex_count(mesh);
    TOC_TRY(toc_mesh_check_room("vertices", before, count));
    TOC_TRY(toc_mesh_check_positions(count, positions, before));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, 1));
    TOC_TRY(reserve_positions(mesh, count, &positions));
    if (accelerated) TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->acceleration, 3 * count));
    append(&mesh->x0, positions, 3 * count);
    append(&mesh->x1, positions, 3 * count);
    for (size_t i = 0; i < 3 * count && accelerated; i++) mesh->acceleration.at[mesh->acceleration.count++] = 0;
    if (count > 0)
        toc_mesh_note(mesh, (toc_event){TOC_EVENT_VERTICES_ADDED, .first = (uint32_t)before, .count = (uint32_t)count});
    if (first) *first = (uint32_t)before;
    return TOC_OK;
}

TOC_SHARED toc_status toc_mesh_reserve(toc_mesh *mesh, size_t vertices, size_t elements, size_t corners) {
    TOC_TRY(toc_mesh_check_room("vertices", toc_mesh_get_vertex_count(mesh), vertices));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->x0, 3 * vertices));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->x1, 3 * vertices));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->shapes, elements));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->first, elements));
    return toc_array_reserve(&mesh->allocator, &mesh->corners, corners);
}

static toc_status bad_corner(const toc_mesh *mesh, size_t i, size_t corner_count, uint32_t vertex) {
    return toc_fail_in(toc_mesh_need_vertex(mesh, vertex), "element %zu, corner %zu",
                       mesh->shapes.count + i / corner_count, i % corner_count);
}

static toc_status check_corners(const toc_mesh *mesh, size_t corner_count, size_t total, const uint32_t *corners) {
    if (total > 0 && !corners) return toc_fail(TOC_BAD_INPUT, "no corners given (NULL) for %zu corners", total);
    uint32_t highest = 0;
    for (size_t i = 0; i < total; i++) highest = highest > corners[i] ? highest : corners[i];
    if (mesh->vertex_removed.count == 0 && (total == 0 || highest < toc_mesh_get_vertex_count(mesh))) return TOC_OK;
    for (size_t i = 0; i < total; i++)
        if (!toc_mesh_has_vertex(mesh, corners[i])) return bad_corner(mesh, i, corner_count, corners[i]);
    return TOC_OK;
}

static toc_status reserve_elements(toc_mesh *mesh, size_t count, size_t total, const uint32_t **corners) {
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->shapes, count));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->first, count));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, 1));
    const size_t own = own_offset(mesh->corners.at, mesh->corners.count * sizeof **corners, *corners);
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->corners, total));
    if (own != SIZE_MAX) *corners = mesh->corners.at + own / sizeof **corners;
    return TOC_OK;
}

toc_status toc_mesh_add_elements(toc_mesh *mesh, toc_shape shape, size_t count, const uint32_t *corners,
                                 uint32_t *first) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    const size_t before = mesh->shapes.count, corner_count = (size_t)toc_shape_count_corners(shape);
    if (corner_count == 0) return toc_fail(TOC_BAD_INPUT, "elements of shape %d cannot be added", (int)shape);
    TOC_TRY(toc_mesh_check_room("elements", before, count));
    const size_t total = count * corner_count;
    TOC_TRY(toc_mesh_check_room("corners", mesh->corners.count, total));
    TOC_TRY(check_corners(mesh, corner_count, total, corners));
    TOC_TRY(reserve_elements(mesh, count, total, &corners));
    for (size_t i = 0; i < count; i++) mesh->shapes.at[before + i] = (uint8_t)shape;
    for (size_t i = 0; i < count; i++) mesh->first.at[before + i] = (uint32_t)(mesh->corners.count + i * corner_count);
    mesh->shapes.count = mesh->first.count = before + count;
    append(&mesh->corners, corners, total);
    if (count > 0)
        toc_mesh_note(mesh, (toc_event){TOC_EVENT_ELEMENTS_ADDED, .first = (uint32_t)before, .count = (uint32_t)count});
    if (first) *first = (uint32_t)before;
    return TOC_OK;
}

// Extend a shorter array with zeros to all elements.
#define cover_elements(mesh, array)                                             \
    do {                                                                        \
        const size_t missing = (mesh)->shapes.count - (array)->count;           \
        TOC_TRY(toc_array_reserve(&(mesh)->allocator, (array), missing));       \
        memset((array)->at + (array)->count, 0, missing * sizeof *(array)->at); \
        (array)->count += missing;                                              \
    } while (0)

toc_status toc_mesh_set_group(toc_mesh *mesh, uint32_t element, int32_t group) {
    TOC_CHANGE_MESH(mesh);
    TOC_TRY(toc_mesh_need_element(mesh, element));
    cover_elements(mesh, &mesh->groups);
    mesh->groups.at[element] = group;
    return TOC_OK;
}

toc_status toc_mesh_set_thickness(toc_mesh *mesh, uint32_t element, double thickness) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    TOC_TRY(toc_mesh_need_element(mesh, element));
    if (!(thickness >= 0 && isfinite(thickness)))
        return toc_fail(TOC_BAD_INPUT, "element %u: thickness %g is not a number >= 0", element, thickness);
    cover_elements(mesh, &mesh->thicknesses);
    mesh->thicknesses.at[element] = thickness;
    return TOC_OK;
}

static void swap_ends(toc_mesh *mesh) {
    double *start = mesh->x0.at;
    const size_t capacity = mesh->x0.capacity;
    mesh->x0.at = mesh->x1.at;
    mesh->x0.capacity = mesh->x1.capacity;
    mesh->x1.at = start;
    mesh->x1.capacity = capacity;
}

static void put_positions(double *to, const double *from, size_t count) {
    if (count > 0) memmove(to, from, count * sizeof *to);
}

/// An array for all vertices of the mesh, and no other number of them.
static toc_status check_all_positions(const toc_mesh *mesh, size_t count, const double *positions) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    if (count != vertices)
        return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, the mesh has %zu", count, vertices);
    return toc_mesh_check_positions(count, positions, 0);
}

// The input may be the mesh's own arrays, in any order. The start is written first and must not be read afterwards.
static void put_motion(toc_mesh *mesh, const double *x0, const double *x1) {
    if (!x0 || x1 == mesh->x0.at) swap_ends(mesh);
    if (x0) put_positions(mesh->x0.at, x0, mesh->x0.count);
    put_positions(mesh->x1.at, x1, mesh->x1.count);
}

toc_status toc_mesh_set_motion(toc_mesh *mesh, size_t count, const double *x0, const double *x1) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    if (x0) TOC_TRY(check_all_positions(mesh, count, x0));
    TOC_TRY(check_all_positions(mesh, count, x1));
    put_motion(mesh, x0, x1);
    mesh->acceleration.count = 0;
    return TOC_OK;
}

toc_status toc_mesh_get_events(const toc_mesh *mesh, uint64_t since, const toc_event **events, size_t *count) {
    TOC_NEED(mesh);
    TOC_NEED(events);
    TOC_NEED(count);
    const uint64_t oldest = mesh->events_forgotten, now = toc_mesh_get_revision(mesh);
    if (since < oldest)
        return toc_fail(TOC_BAD_INPUT, "events since revision %llu were asked for, but the oldest one kept is %llu",
                        (unsigned long long)since, (unsigned long long)oldest);
    if (since > now)
        return toc_fail(TOC_BAD_INPUT, "events since revision %llu were asked for, but the mesh is at %llu",
                        (unsigned long long)since, (unsigned long long)now);
    *count = (size_t)(now - since);
    *events = *count > 0 ? mesh->events.at + (since - oldest) : NULL;
    return TOC_OK;
}

toc_status toc_mesh_forget_events(toc_mesh *mesh, uint64_t before) {
    TOC_CHANGE_MESH(mesh);
    if (before <= mesh->events_forgotten) return TOC_OK;
    uint64_t dropped = before - mesh->events_forgotten;
    if (dropped > mesh->events.count) dropped = mesh->events.count;
    if (dropped == 0) return TOC_OK;
    mesh->events.count -= (size_t)dropped;
    mesh->events_forgotten += dropped;
    memmove(mesh->events.at, mesh->events.at + dropped, mesh->events.count * sizeof *mesh->events.at);
    return TOC_OK;
}

toc_status toc_mesh_set_acceleration(toc_mesh *mesh, size_t count, const double *acceleration) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    if (!acceleration) {
        mesh->acceleration.count = 0;
        return TOC_OK;
    }
    TOC_TRY(toc_fail_in(check_all_positions(mesh, count, acceleration), "acceleration"));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->acceleration, 3 * count - mesh->acceleration.count));
    mesh->acceleration.count = 0;
    append(&mesh->acceleration, acceleration, 3 * count);
    return TOC_OK;
}

toc_status toc_mesh_add_moving_vertices(toc_mesh *mesh, size_t count, const double *positions, const double *velocities,
                                        double step, uint32_t *first) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    const size_t before = toc_mesh_get_vertex_count(mesh);
    if (!isfinite(step)) return toc_fail(TOC_BAD_INPUT, "the step is %g long", step);
    TOC_TRY(toc_fail_in(toc_mesh_check_positions(count, velocities, before), "velocity"));
    for (size_t i = 0; positions && i < 3 * count; i++)
        if (isfinite(positions[i]) && !isfinite(positions[i] - step * velocities[i]))
            return toc_fail(TOC_BAD_INPUT, "vertex %zu comes from too far away", before + i / 3);
    TOC_TRY(toc_mesh_put_vertices(mesh, count, positions, first));
    for (size_t i = 0; i < 3 * count; i++)
        mesh->x0.at[3 * before + i] = mesh->x1.at[3 * before + i] - step * velocities[i];
    return TOC_OK;
}
