// SPDX-License-Identifier: Apache-2.0
// Meshes glued and parted: one mesh appended to another, and elements moved to a mesh of their own.
//
// Memory is reserved before any change, so a call that fails leaves both meshes as they were.
#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mesh/mesh.h"
#include "mesh/shape.h"

// ---- append

// Extend an array of `width` values a vertex or element with zeros up to `count` of them; memory is reserved.
#define fill_up(array, total)                                                                    \
    do {                                                                                         \
        const size_t missing = (total) - (array)->count;                                         \
        if (missing > 0) memset((array)->at + (array)->count, 0, missing * sizeof *(array)->at); \
        (array)->count += missing;                                                               \
    } while (0)

// Append an array that may be shorter than the ids it is indexed by, and may be absent in both meshes.
#define append_short(to, have, from, more)                                                                       \
    do {                                                                                                         \
        if ((to)->count > 0 || (from)->count > 0) {                                                              \
            fill_up((to), (have));                                                                               \
            if ((from)->count > 0) memcpy((to)->at + (to)->count, (from)->at, (from)->count * sizeof *(to)->at); \
            (to)->count += (from)->count;                                                                        \
            fill_up((to), (have) + (more));                                                                      \
        }                                                                                                        \
    } while (0)

#define reserve_short(memory, to, from, total) \
    ((to)->count > 0 || (from)->count > 0 ? toc_array_reserve((memory), (to), (total) - (to)->count) : TOC_OK)

static size_t removed_vertices(const toc_mesh *mesh) {
    size_t count = 0;
    for (size_t v = 0; v < mesh->vertex_removed.count; v++) count += mesh->vertex_removed.at[v];
    return count;
}

static toc_status reserve_append(toc_mesh *mesh, const toc_mesh *other) {
    const toc_allocator *memory = &mesh->allocator;
    const size_t vertices = toc_mesh_get_vertex_count(mesh), more_vertices = toc_mesh_get_vertex_count(other),
                 elements = mesh->shapes.count, more_elements = other->shapes.count;
    TOC_TRY(toc_mesh_check_room("vertices", vertices, more_vertices));
    TOC_TRY(toc_mesh_check_room("elements", elements, more_elements));
    TOC_TRY(toc_mesh_check_room("corners", mesh->corners.count, other->corners.count));
    TOC_TRY(toc_mesh_reserve(mesh, more_vertices, more_elements, other->corners.count));
    TOC_TRY(reserve_short(memory, &mesh->acceleration, &other->acceleration, 3 * (vertices + more_vertices)));
    TOC_TRY(reserve_short(memory, &mesh->vertex_removed, &other->vertex_removed, vertices + more_vertices));
    TOC_TRY(reserve_short(memory, &mesh->groups, &other->groups, elements + more_elements));
    TOC_TRY(reserve_short(memory, &mesh->thicknesses, &other->thicknesses, elements + more_elements));
    TOC_TRY(toc_array_reserve(memory, &mesh->named, other->named.count));
    TOC_TRY(toc_array_reserve(memory, &mesh->names, other->names.count));
    return toc_array_reserve(memory, &mesh->events, 2 + removed_vertices(other));
}

static void append_vertices(toc_mesh *mesh, const toc_mesh *other) {
    const size_t have = toc_mesh_get_vertex_count(mesh), more = toc_mesh_get_vertex_count(other);
    if (more == 0) return;
    memcpy(mesh->x0.at + 3 * have, other->x0.at, 3 * more * sizeof *other->x0.at);
    memcpy(mesh->x1.at + 3 * have, other->x1.at, 3 * more * sizeof *other->x1.at);
    mesh->x0.count = mesh->x1.count = 3 * (have + more);
    append_short(&mesh->acceleration, 3 * have, &other->acceleration, 3 * more);
    append_short(&mesh->vertex_removed, have, &other->vertex_removed, more);
    toc_mesh_note(mesh, (toc_event){TOC_EVENT_VERTICES_ADDED, .first = (uint32_t)have, .count = (uint32_t)more});
    for (size_t v = 0; v < other->vertex_removed.count; v++)
        if (other->vertex_removed.at[v])
            toc_mesh_note(mesh, (toc_event){TOC_EVENT_VERTEX_REMOVED, .first = (uint32_t)(have + v), .count = 1});
}

// The vertices of `other` begin at `first_vertex`.
static void append_elements(toc_mesh *mesh, const toc_mesh *other, uint32_t first_vertex) {
    const size_t have = mesh->shapes.count, more = other->shapes.count, corner = mesh->corners.count;
    if (more == 0) return;
    memcpy(mesh->shapes.at + have, other->shapes.at, more);
    for (size_t e = 0; e < more; e++) mesh->first.at[have + e] = other->first.at[e] + (uint32_t)corner;
    for (size_t c = 0; c < other->corners.count; c++)
        mesh->corners.at[corner + c] = other->corners.at[c] + first_vertex;
    mesh->shapes.count = mesh->first.count = have + more;
    mesh->corners.count += other->corners.count;
    append_short(&mesh->groups, have, &other->groups, more);
    append_short(&mesh->thicknesses, have, &other->thicknesses, more);
    toc_mesh_note(mesh, (toc_event){TOC_EVENT_ELEMENTS_ADDED, .first = (uint32_t)have, .count = (uint32_t)more});
}

// Copy the names of groups that have none yet. @return an error only if memory was not reserved.
static toc_status append_names(toc_mesh *mesh, const toc_mesh *other) {
    for (size_t i = 0; i < other->named.count; i++) {
        const toc_group_name *name = &other->named.at[i];
        if (toc_mesh_get_group_name(mesh, name->group)) continue;
        TOC_TRY(toc_mesh_put_group_name(mesh, name->group, other->names.at + name->first));
    }
    return TOC_OK;
}

toc_status toc_mesh_append_held(toc_mesh *mesh, const toc_mesh *other, uint32_t *first_vertex,
                                uint32_t *first_element) {
    const uint32_t vertex = (uint32_t)toc_mesh_get_vertex_count(mesh), element = (uint32_t)mesh->shapes.count;
    TOC_TRY(reserve_append(mesh, other));
    append_vertices(mesh, other);
    append_elements(mesh, other, vertex);
    if (first_vertex) *first_vertex = vertex;
    if (first_element) *first_element = element;
    return append_names(mesh, other);
}

toc_status toc_mesh_append(toc_mesh *mesh, const toc_mesh *other, uint32_t *first_vertex, uint32_t *first_element) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    TOC_READ_MESH(other);
    return toc_mesh_append_held(mesh, other, first_vertex, first_element);
}

// ---- extract

/// The new ids of vertices by old ids, TOC_NONE for vertices that stay behind.
typedef struct renumbering {
    uint32_t *ids;
    size_t count, corners;
} renumbering;

// Refuse elements that do not exist or are named twice; `taken` has a byte for each element, 0 at first.
static toc_status take_elements(const toc_mesh *mesh, size_t count, const uint32_t *elements, uint8_t *taken) {
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(toc_mesh_need_element(mesh, elements[i]));
        if (taken[elements[i]]) return toc_fail(TOC_BAD_INPUT, "element %u is named twice", elements[i]);
        taken[elements[i]] = 1;
    }
    return TOC_OK;
}

static toc_status check_taken(const toc_mesh *mesh, size_t count, const uint32_t *elements) {
    uint8_t *taken = toc_new(&mesh->allocator, mesh->shapes.count, 1);
    if (!taken) return TOC_OUT_OF_MEMORY;
    const toc_status status = take_elements(mesh, count, elements, taken);
    toc_free(&mesh->allocator, taken, mesh->shapes.count, 1);
    return status;
}

static void renumber_vertices(const toc_mesh *mesh, size_t count, const uint32_t *elements, renumbering *numbers) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    for (size_t v = 0; v < vertices; v++) numbers->ids[v] = TOC_NONE;
    for (size_t i = 0; i < count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, elements[i]);
        for (int k = 0; k < e.corner_count; k++) numbers->ids[e.corners[k]] = 0;
        numbers->corners += (size_t)e.corner_count;
    }
    for (size_t v = 0; v < vertices; v++)
        if (numbers->ids[v] != TOC_NONE) numbers->ids[v] = (uint32_t)numbers->count++;
}

static toc_status reserve_piece(toc_mesh *piece, const toc_mesh *mesh, size_t elements, const renumbering *numbers) {
    const toc_allocator *memory = &piece->allocator;
    TOC_TRY(toc_mesh_reserve(piece, numbers->count, elements, numbers->corners));
    if (mesh->acceleration.count) TOC_TRY(toc_array_reserve(memory, &piece->acceleration, 3 * numbers->count));
    TOC_TRY(toc_array_reserve(memory, &piece->groups, elements));
    TOC_TRY(toc_array_reserve(memory, &piece->thicknesses, elements));
    TOC_TRY(toc_array_reserve(memory, &piece->named, mesh->named.count));
    TOC_TRY(toc_array_reserve(memory, &piece->names, mesh->names.count));
    return toc_array_reserve(memory, &piece->events, 2);
}

static void copy_vertices(toc_mesh *piece, const toc_mesh *mesh, const renumbering *numbers) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    for (size_t v = 0; v < vertices; v++) {
        if (numbers->ids[v] == TOC_NONE) continue;
        const size_t to = 3 * (size_t)numbers->ids[v], from = 3 * v, bytes = 3 * sizeof(double);
        memcpy(piece->x0.at + to, mesh->x0.at + from, bytes);
        memcpy(piece->x1.at + to, mesh->x1.at + from, bytes);
        if (mesh->acceleration.count) memcpy(piece->acceleration.at + to, mesh->acceleration.at + from, bytes);
    }
    piece->x0.count = piece->x1.count = 3 * numbers->count;
    if (mesh->acceleration.count) piece->acceleration.count = 3 * numbers->count;
    if (numbers->count > 0)
        toc_mesh_note(piece, (toc_event){TOC_EVENT_VERTICES_ADDED, .count = (uint32_t)numbers->count});
}

static void copy_elements(toc_mesh *piece, const toc_mesh *mesh, size_t count, const uint32_t *elements,
                          const renumbering *numbers) {
    for (size_t i = 0; i < count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, elements[i]);
        piece->shapes.at[i] = (uint8_t)e.shape;
        piece->first.at[i] = (uint32_t)piece->corners.count;
        for (int k = 0; k < e.corner_count; k++) piece->corners.at[piece->corners.count++] = numbers->ids[e.corners[k]];
        piece->groups.at[i] = e.group;
        piece->thicknesses.at[i] = e.thickness;
    }
    piece->shapes.count = piece->first.count = piece->groups.count = piece->thicknesses.count = count;
    if (count > 0) toc_mesh_note(piece, (toc_event){TOC_EVENT_ELEMENTS_ADDED, .count = (uint32_t)count});
}

// The vertices of the piece that no other element uses are removed with its elements.
static void leave_elements(toc_mesh *mesh, size_t count, const uint32_t *elements, const renumbering *numbers) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    for (size_t i = 0; i < count; i++) toc_mesh_drop_element(mesh, elements[i]);
    for (size_t v = 0; v < vertices; v++)
        if (numbers->ids[v] != TOC_NONE) toc_mesh_drop_unused_vertex(mesh, (uint32_t)v);
}

static toc_status move_elements(toc_mesh *mesh, size_t count, const uint32_t *elements, renumbering *numbers,
                                toc_mesh *piece) {
    renumber_vertices(mesh, count, elements, numbers);
    TOC_TRY(reserve_piece(piece, mesh, count, numbers));
    TOC_TRY(toc_mesh_prepare_removal(mesh, count + numbers->count));
    copy_vertices(piece, mesh, numbers);
    copy_elements(piece, mesh, count, elements, numbers);
    TOC_TRY(append_names(piece, mesh));
    leave_elements(mesh, count, elements, numbers);
    return TOC_OK;
}

toc_status toc_mesh_extract_held(toc_mesh *mesh, size_t count, const uint32_t *elements, toc_mesh **out) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    renumbering numbers = {0};
    toc_mesh *piece;
    TOC_TRY(check_taken(mesh, count, elements));
    TOC_TRY(toc_mesh_create(&mesh->allocator, &piece));
    numbers.ids = toc_new(&mesh->allocator, vertices, sizeof *numbers.ids);
    const toc_status status = numbers.ids ? move_elements(mesh, count, elements, &numbers, piece) : TOC_OUT_OF_MEMORY;
    toc_free(&mesh->allocator, numbers.ids, vertices, sizeof *numbers.ids);
    if (status == TOC_OK)
        *out = piece;
    else
        toc_mesh_destroy(piece);
    return status;
}

toc_status toc_mesh_extract(toc_mesh *mesh, size_t count, const uint32_t *elements, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    TOC_NEED(out);
    if (count > 0) TOC_NEED(elements);
    return toc_mesh_extract_held(mesh, count, elements, out);
}
