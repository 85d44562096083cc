// SPDX-License-Identifier: Apache-2.0
// Components join the corners of every element (union-find). Nearly O(n).
#include "view/parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const uint32_t unused = UINT32_MAX, no_part = UINT32_MAX;

// ---- components

// The lowest vertex of the component so far. Each walk halves the path.
static uint32_t lowest_of(uint32_t *link, uint32_t v) {
    while (link[v] != v) v = link[v] = link[link[v]];
    return v;
}

// Links always lead to lower vertices.
static void join_corners(uint32_t *link, const toc_element *element) {
    for (int k = 0; k < element->corner_count; k++) {
        const uint32_t v = element->corners[k];
        if (link[v] == unused) link[v] = v;
        const uint32_t a = lowest_of(link, element->corners[0]), b = lowest_of(link, v);
        link[a > b ? a : b] = a > b ? b : a;
    }
}

uint32_t *toc_view_components_find(const toc_allocator *allocator, const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    uint32_t *link = toc_new(allocator, count + 1, sizeof *link);
    if (!link) return NULL;
    for (size_t v = 0; v < count; v++) link[v] = unused;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        join_corners(link, &element);
    }
    // Replace links by numbers in ascending order: each link points to a lower vertex, already numbered.
    uint32_t found = 0;
    for (uint32_t v = 0; v < count; v++) link[v] = link[v] == unused ? 0 : link[v] == v ? ++found : link[link[v]];
    return link;
}

// ---- parts

view_parts toc_view_parts_make(const toc_allocator *allocator) { return (view_parts){.allocator = *allocator}; }

static int compare_ids(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The groups of a mesh, each once and in order.
static toc_status list_groups(view_parts *parts, const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    TOC_TRY(toc_array_reserve(&parts->allocator, &parts->groups, count + 1));
    int32_t *groups = parts->groups.at;
    for (uint32_t e = 0; e < count; e++) groups[e] = toc_mesh_get_element(mesh, e).group;
    qsort(groups, count, sizeof *groups, compare_ids);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || groups[i] != groups[i - 1]) groups[parts->groups.count++] = groups[i];
    }
    return TOC_OK;
}

static uint32_t part_of_group(const view_parts *parts, int32_t group) {
    const int32_t *found = bsearch(&group, parts->groups.at, parts->groups.count, sizeof group, compare_ids);
    return found ? (uint32_t)(found - parts->groups.at) : 0;
}

static toc_status reserve_parts(view_parts *parts, size_t vertices, size_t elements) {
    TOC_TRY(toc_array_room(&parts->allocator, &parts->vertices, vertices + 1));
    TOC_TRY(toc_array_room(&parts->allocator, &parts->elements, elements + 1));
    while (parts->vertices.count < vertices) parts->vertices.at[parts->vertices.count++] = no_part;
    while (parts->elements.count < elements) parts->elements.at[parts->elements.count++] = no_part;
    return TOC_OK;
}

static toc_status number_components(view_parts *parts, const toc_mesh *mesh) {
    uint32_t *components = toc_view_components_find(&parts->allocator, mesh);
    if (!components) return TOC_OUT_OF_MEMORY;
    for (size_t v = 0; v < parts->vertices.count; v++) {
        if (components[v] == 0) continue;
        parts->vertices.at[v] = components[v] - 1;
        if (components[v] > parts->count) parts->count = components[v];
    }
    toc_free(&parts->allocator, components, parts->vertices.count + 1, sizeof *components);
    if (parts->count == 0) parts->count = 1;
    return TOC_OK;
}

static toc_status number_first(view_parts *parts, const toc_mesh *mesh) {
    TOC_TRY(list_groups(parts, mesh));
    parts->by_group = parts->groups.count > 1;
    if (!parts->by_group) {
        toc_array_free(&parts->allocator, &parts->groups);
        return number_components(parts, mesh);
    }
    parts->count = parts->groups.count;
    return TOC_OK;
}

// New elements belong to the part of a vertex that has one, and new vertices to the part of their element.
static uint32_t part_of_element(const view_parts *parts, const toc_element *element) {
    if (parts->by_group) return part_of_group(parts, element->group);
    for (int k = 0; k < element->corner_count; k++) {
        if (parts->vertices.at[element->corners[k]] != no_part) return parts->vertices.at[element->corners[k]];
    }
    return 0;
}

static void spread_parts(view_parts *parts, const toc_mesh *mesh) {
    assert(parts->count > 0 || parts->elements.count == 0);
    for (uint32_t e = 0; e < parts->elements.count; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (parts->elements.at[e] == no_part) parts->elements.at[e] = part_of_element(parts, &element);
        for (int k = 0; k < element.corner_count; k++) {
            uint32_t *part = &parts->vertices.at[element.corners[k]];
            if (*part == no_part) *part = parts->elements.at[e];
        }
    }
    for (size_t v = 0; v < parts->vertices.count; v++) {
        if (parts->vertices.at[v] == no_part) parts->vertices.at[v] = 0;
    }
}

toc_status toc_view_parts_update(view_parts *parts, const toc_mesh *mesh) {
    TOC_TRY(reserve_parts(parts, toc_mesh_get_vertex_count(mesh), toc_mesh_get_element_count(mesh)));
    if (parts->count == 0) TOC_TRY(number_first(parts, mesh));
    if (parts->count > VIEW_PARTS_MOST) return toc_fail(TOC_BAD_INPUT, "more than %d parts", VIEW_PARTS_MOST);
    spread_parts(parts, mesh);
    return TOC_OK;
}

void toc_view_parts_free(view_parts *parts) {
    toc_array_free(&parts->allocator, &parts->groups);
    toc_array_free(&parts->allocator, &parts->vertices);
    toc_array_free(&parts->allocator, &parts->elements);
    *parts = (view_parts){.allocator = parts->allocator};
}

const char *toc_view_part_name(const view_parts *parts, const toc_mesh *mesh, size_t part, char *room) {
    assert(part < parts->count);
    const int32_t group = parts->by_group ? parts->groups.at[part] : 0;
    const char *given = parts->by_group ? toc_mesh_get_group_name(mesh, group) : NULL;
    if (given) return given;
    snprintf(room, VIEW_PART_NAME, "part %d", parts->by_group ? (int)group : (int)part + 1);
    return room;
}
