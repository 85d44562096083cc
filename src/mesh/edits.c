// SPDX-License-Identifier: Apache-2.0
// Edits of a mesh in use: remove, tear, weld, collapse. Each edit records events.
//
// The corners at each vertex form a linked list. The first edit that needs the lists makes them, O(n); the next edit
// adds elements added since, O(their number). After that an edit costs O(the corners it changes). Memory is reserved
// before any change, so an edit that fails changes nothing.
#include <assert.h>
#include <string.h>

#include "base/arithmetic.h"
#include "mesh/mesh.h"
#include "mesh/parts.h"
#include "mesh/shape.h"

static void link_corner(toc_mesh *mesh, uint32_t corner, uint32_t element) {
    assert(corner < mesh->links.count && mesh->corners.at[corner] < mesh->heads.count);
    uint32_t *head = &mesh->heads.at[mesh->corners.at[corner]];
    mesh->links.at[corner] = (toc_corner_link){.next = *head, .previous = TOC_NONE, .element = element};
    if (*head != TOC_NONE) mesh->links.at[*head].previous = corner;
    *head = corner;
}

static void unlink_corner(toc_mesh *mesh, uint32_t corner) {
    const toc_corner_link link = mesh->links.at[corner];
    if (link.next != TOC_NONE) mesh->links.at[link.next].previous = link.previous;
    if (link.previous != TOC_NONE)
        mesh->links.at[link.previous].next = link.next;
    else
        mesh->heads.at[mesh->corners.at[corner]] = link.next;
}

static void cover_heads(toc_mesh *mesh) {
    while (mesh->heads.count < toc_mesh_get_vertex_count(mesh)) mesh->heads.at[mesh->heads.count++] = TOC_NONE;
}

// Bring the lists up to date, with room for `extra` more vertices.
static toc_status link_corners(toc_mesh *mesh, size_t extra) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh) + extra;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->heads, vertices - mesh->heads.count));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->links, mesh->corners.count - mesh->links.count));
    cover_heads(mesh);
    mesh->links.count = mesh->corners.count;
    for (; mesh->linked_elements < mesh->shapes.count; mesh->linked_elements++) {
        const uint32_t element = (uint32_t)mesh->linked_elements;
        const int count = toc_shape_count_corners(toc_mesh_shape(mesh, element));
        for (int i = 0; i < count; i++) link_corner(mesh, mesh->first.at[element] + (uint32_t)i, element);
    }
    return TOC_OK;
}

// Room to mark any vertex as removed.
static toc_status cover_vertices(toc_mesh *mesh) {
    const size_t missing = toc_mesh_get_vertex_count(mesh) - mesh->vertex_removed.count;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->vertex_removed, missing));
    memset(mesh->vertex_removed.at + mesh->vertex_removed.count, 0, missing);
    mesh->vertex_removed.count += missing;
    return TOC_OK;
}

static void change_corner(toc_mesh *mesh, uint32_t corner, uint32_t vertex) {
    const uint32_t element = mesh->links.at[corner].element, before = mesh->corners.at[corner];
    unlink_corner(mesh, corner);
    mesh->corners.at[corner] = vertex;
    link_corner(mesh, corner, element);
    toc_mesh_note(mesh, (toc_event){.kind = TOC_EVENT_CORNER_CHANGED,
                                    .first = element,
                                    .count = 1,
                                    .corner = corner - mesh->first.at[element],
                                    .before = before,
                                    .after = vertex});
}

static void mark_removed(toc_mesh *mesh, uint32_t vertex) {
    assert(mesh->heads.at[vertex] == TOC_NONE);
    mesh->vertex_removed.at[vertex] = 1;
    toc_mesh_note(mesh, (toc_event){.kind = TOC_EVENT_VERTEX_REMOVED, .first = vertex, .count = 1});
}

// The number of corners of an element that are this vertex.
static size_t count_uses(const toc_mesh *mesh, uint32_t element, uint32_t vertex) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    size_t uses = 0;
    for (int i = 0; i < e.corner_count; i++) uses += e.corners[i] == vertex;
    return uses;
}

void toc_mesh_drop_element(toc_mesh *mesh, uint32_t element) {
    const uint32_t first = mesh->first.at[element];
    const int count = element < mesh->linked_elements ? toc_shape_count_corners(toc_mesh_shape(mesh, element)) : 0;
    for (int i = 0; i < count; i++) unlink_corner(mesh, first + (uint32_t)i);
    mesh->shapes.at[element] = TOC_REMOVED;
    toc_mesh_note(mesh, (toc_event){.kind = TOC_EVENT_ELEMENT_REMOVED, .first = element, .count = 1});
}

static toc_status remove_element(toc_mesh *mesh, uint32_t element) {
    TOC_TRY(toc_mesh_need_element(mesh, element));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, 1));
    toc_mesh_drop_element(mesh, element);
    return TOC_OK;
}

toc_status toc_mesh_prepare_removal(toc_mesh *mesh, size_t events) {
    TOC_TRY(link_corners(mesh, 0));
    TOC_TRY(cover_vertices(mesh));
    return toc_array_reserve(&mesh->allocator, &mesh->events, events);
}

void toc_mesh_drop_unused_vertex(toc_mesh *mesh, uint32_t vertex) {
    if (mesh->heads.at[vertex] == TOC_NONE && !mesh->vertex_removed.at[vertex]) mark_removed(mesh, vertex);
}

static toc_status remove_vertex(toc_mesh *mesh, uint32_t vertex) {
    TOC_TRY(toc_mesh_need_vertex(mesh, vertex));
    TOC_TRY(link_corners(mesh, 0));
    const uint32_t corner = mesh->heads.at[vertex];
    if (corner != TOC_NONE)
        return toc_fail(TOC_BAD_INPUT, "vertex %u cannot be removed: element %u uses it", vertex,
                        mesh->links.at[corner].element);
    TOC_TRY(cover_vertices(mesh));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, 1));
    mark_removed(mesh, vertex);
    return TOC_OK;
}

toc_status toc_mesh_remove(toc_mesh *mesh, toc_mesh_item item, uint32_t id) {
    TOC_CHANGE_MESH(mesh);
    if (item == TOC_MESH_VERTEX) return remove_vertex(mesh, id);
    if (item == TOC_MESH_ELEMENT) return remove_element(mesh, id);
    return toc_fail(TOC_BAD_INPUT, "vertices or elements can be removed, not item %d", (int)item);
}

// Check that each given element uses the vertex, and count the corners that will change.
static toc_status check_split(const toc_mesh *mesh, uint32_t vertex, size_t count, const uint32_t *elements,
                              size_t *changes) {
    *changes = 0;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(toc_mesh_need_element(mesh, elements[i]));
        const size_t uses = count_uses(mesh, elements[i], vertex);
        if (uses == 0)
            return toc_fail(TOC_BAD_INPUT, "vertex %u cannot be split: element %u does not use it", vertex,
                            elements[i]);
        *changes += uses;
    }
    return TOC_OK;
}

// Add a vertex with the same position and motion.
static toc_status add_twin(toc_mesh *mesh, uint32_t vertex, uint32_t *twin) {
    double start[3];
    memcpy(start, mesh->x0.at + 3 * (size_t)vertex, sizeof start);
    TOC_TRY(toc_mesh_put_vertices(mesh, 1, start, twin));
    memcpy(mesh->x1.at + 3 * (size_t)*twin, mesh->x1.at + 3 * (size_t)vertex, sizeof start);
    if (mesh->acceleration.count)
        memcpy(mesh->acceleration.at + 3 * (size_t)*twin, mesh->acceleration.at + 3 * (size_t)vertex, sizeof start);
    cover_heads(mesh);
    return TOC_OK;
}

static void replace_vertex(toc_mesh *mesh, uint32_t element, uint32_t before, uint32_t after) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    for (int i = 0; i < e.corner_count; i++)
        if (e.corners[i] == before) change_corner(mesh, mesh->first.at[element] + (uint32_t)i, after);
}

toc_status toc_mesh_split_vertex(toc_mesh *mesh, uint32_t vertex, size_t element_count, const uint32_t *elements,
                                 uint32_t *new_vertex) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    size_t changes;
    if (element_count > 0) TOC_NEED(elements);
    TOC_TRY(toc_mesh_need_vertex(mesh, vertex));
    TOC_TRY(check_split(mesh, vertex, element_count, elements, &changes));
    TOC_TRY(link_corners(mesh, 1));
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->events, changes + 1));
    uint32_t twin;
    TOC_TRY(add_twin(mesh, vertex, &twin));
    for (size_t i = 0; i < element_count; i++) replace_vertex(mesh, elements[i], vertex, twin);
    if (new_vertex) *new_vertex = twin;
    return TOC_OK;
}

static toc_status check_merge(const toc_mesh *mesh, uint32_t kept, uint32_t gone, size_t *changes) {
    *changes = 0;
    for (uint32_t c = mesh->heads.at[gone]; c != TOC_NONE; c = mesh->links.at[c].next) {
        const uint32_t element = mesh->links.at[c].element;
        if (count_uses(mesh, element, kept) > 0)
            return toc_fail(TOC_BAD_INPUT, "vertices %u and %u cannot be merged: element %u uses both", kept, gone,
                            element);
        ++*changes;
    }
    return TOC_OK;
}

static toc_status need_two_vertices(const toc_mesh *mesh, uint32_t kept, uint32_t gone) {
    TOC_TRY(toc_mesh_need_vertex(mesh, kept));
    TOC_TRY(toc_mesh_need_vertex(mesh, gone));
    return kept == gone ? toc_fail(TOC_BAD_INPUT, "vertex %u cannot be merged with itself", kept) : TOC_OK;
}

toc_status toc_mesh_merge_vertices(toc_mesh *mesh, uint32_t kept, uint32_t gone) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    size_t changes;
    TOC_TRY(need_two_vertices(mesh, kept, gone));
    TOC_TRY(link_corners(mesh, 0));
    TOC_TRY(check_merge(mesh, kept, gone, &changes));
    TOC_TRY(toc_mesh_prepare_removal(mesh, changes + 1));
    while (mesh->heads.at[gone] != TOC_NONE) change_corner(mesh, mesh->heads.at[gone], kept);
    mark_removed(mesh, gone);
    return TOC_OK;
}

// Count the corners at `gone`. Each element with both vertices must have the edge between them, and one must exist.
static toc_status check_collapse(const toc_mesh *mesh, uint32_t kept, uint32_t gone, size_t *corners) {
    bool found = false;
    *corners = 0;
    for (uint32_t c = mesh->heads.at[gone]; c != TOC_NONE; c = mesh->links.at[c].next, ++*corners) {
        const uint32_t element = mesh->links.at[c].element;
        if (count_uses(mesh, element, kept) == 0) continue;
        if (!toc_element_has_edge(mesh, element, kept, gone))
            return toc_fail(TOC_BAD_INPUT, "edge %u-%u cannot be collapsed: element %u has no edge between the two",
                            kept, gone, element);
        found = true;
    }
    return found ? TOC_OK : toc_fail(TOC_BAD_INPUT, "edge %u-%u cannot be collapsed: no element has it", kept, gone);
}

// Whether an element has fewer corners left than its dimension needs once `gone` is `kept`: a triangle, a tet.
static bool collapses(const toc_mesh *mesh, uint32_t element, uint32_t kept, uint32_t gone) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    uint32_t after[8], distinct[8];
    if (count_uses(mesh, element, kept) == 0) return false;
    for (int i = 0; i < e.corner_count; i++) after[i] = e.corners[i] == gone ? kept : e.corners[i];
    return toc_ids_distinct(after, e.corner_count, distinct) <= toc_shape_infos[e.shape].dimension;
}

toc_status toc_mesh_collapse_edge(toc_mesh *mesh, uint32_t kept, uint32_t gone) {
    TOC_SCOPED_ARITHMETIC;
    TOC_CHANGE_MESH(mesh);
    size_t corners;
    TOC_TRY(need_two_vertices(mesh, kept, gone));
    TOC_TRY(link_corners(mesh, 0));
    TOC_TRY(check_collapse(mesh, kept, gone, &corners));
    TOC_TRY(toc_mesh_prepare_removal(mesh, corners + 1));
    for (uint32_t corner; (corner = mesh->heads.at[gone]) != TOC_NONE;) {
        const uint32_t element = mesh->links.at[corner].element;
        if (collapses(mesh, element, kept, gone))
            toc_mesh_drop_element(mesh, element);
        else
            replace_vertex(mesh, element, gone, kept);
    }
    mark_removed(mesh, gone);
    return TOC_OK;
}
