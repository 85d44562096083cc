// SPDX-License-Identifier: Apache-2.0
// Triangles to draw from the features of a mesh. O(n log n).
#include "tools/skin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "tools/parts.h"

// The record of a face has 24 bits for its part.
static const uint32_t part_limit = (1u << TOOL_FLAGS_SHIFT) - 1, no_part = UINT32_MAX;

static int compare_ids(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The groups of a mesh, each once and in order.
static toc_status list_groups(tool_bodies *bodies, const toc_mesh *mesh) {
    const size_t count = toc_mesh_get_element_count(mesh);
    int32_t *groups = calloc(count + 1, sizeof *groups);
    if (!groups) return tool_fail_memory();
    size_t used = 0;
    for (uint32_t e = 0; e < count; e++) groups[used++] = toc_mesh_get_element(mesh, e).group;
    qsort(groups, used, sizeof *groups, compare_ids);
    bodies->part_count = 0;
    for (size_t i = 0; i < used; i++) {
        if (i == 0 || groups[i] != groups[i - 1]) groups[bodies->part_count++] = groups[i];
    }
    bodies->groups = groups;
    return TOC_OK;
}

static uint32_t part_of_group(const tool_bodies *bodies, int32_t group) {
    const int32_t *found = bsearch(&group, bodies->groups, bodies->part_count, sizeof group, compare_ids);
    return found ? (uint32_t)(found - bodies->groups) : 0;
}

static toc_status reserve_parts(tool_bodies *bodies, size_t vertices, size_t elements) {
    uint32_t *v = realloc(bodies->vertex_parts, (vertices + 1) * sizeof *v);
    if (v) bodies->vertex_parts = v;
    uint32_t *e = v ? realloc(bodies->element_parts, (elements + 1) * sizeof *e) : NULL;
    if (!e) return tool_fail_memory();
    bodies->element_parts = e;
    for (size_t i = bodies->vertex_count; i < vertices; i++) v[i] = no_part;
    for (size_t i = bodies->element_count; i < elements; i++) e[i] = no_part;
    bodies->vertex_count = vertices;
    bodies->element_count = elements;
    return TOC_OK;
}

static toc_status number_components(tool_bodies *bodies, const toc_mesh *mesh) {
    uint32_t *parts = tool_parts_find(mesh);
    if (!parts) return tool_fail_memory();
    for (size_t v = 0; v < bodies->vertex_count; v++) {
        if (parts[v] == 0) continue;
        bodies->vertex_parts[v] = parts[v] - 1;
        if (parts[v] > bodies->part_count) bodies->part_count = parts[v];
    }
    free(parts);
    if (bodies->part_count == 0) bodies->part_count = 1;
    return TOC_OK;
}

static toc_status number_first(tool_bodies *bodies, const toc_mesh *mesh) {
    toc_status status = list_groups(bodies, mesh);
    if (status != TOC_OK) return status;
    bodies->by_group = bodies->part_count > 1;
    if (bodies->by_group) return TOC_OK;
    free(bodies->groups);
    bodies->groups = NULL;
    bodies->part_count = 0;
    return number_components(bodies, mesh);
}

// New elements belong to the part of a vertex that has one, and new vertices to the part of their element.
static uint32_t part_of_element(const tool_bodies *bodies, const toc_element *element) {
    if (bodies->by_group) return part_of_group(bodies, element->group);
    for (int k = 0; k < element->corner_count; k++) {
        if (bodies->vertex_parts[element->corners[k]] != no_part) return bodies->vertex_parts[element->corners[k]];
    }
    return 0;
}

static void spread_parts(tool_bodies *bodies, const toc_mesh *mesh) {
    for (uint32_t e = 0; e < bodies->element_count; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (bodies->element_parts[e] == no_part) bodies->element_parts[e] = part_of_element(bodies, &element);
        for (int k = 0; k < element.corner_count; k++) {
            uint32_t *part = &bodies->vertex_parts[element.corners[k]];
            if (*part == no_part) *part = bodies->element_parts[e];
        }
    }
    for (size_t v = 0; v < bodies->vertex_count; v++) {
        if (bodies->vertex_parts[v] == no_part) bodies->vertex_parts[v] = 0;
    }
}

toc_status tool_bodies_update(tool_bodies *bodies, const toc_mesh *mesh) {
    const bool is_first = bodies->part_count == 0;
    toc_status status = reserve_parts(bodies, toc_mesh_get_vertex_count(mesh), toc_mesh_get_element_count(mesh));
    if (status == TOC_OK && is_first) status = number_first(bodies, mesh);
    if (status != TOC_OK) return status;
    if (bodies->part_count > part_limit) return tool_fail(TOC_BAD_INPUT, "more than %u parts", part_limit);
    spread_parts(bodies, mesh);
    return TOC_OK;
}

void tool_bodies_free(tool_bodies *bodies) {
    free(bodies->groups);
    free(bodies->vertex_parts);
    free(bodies->element_parts);
    *bodies = (tool_bodies){0};
}

static int compare_edges(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static size_t edge_at(const toc_features *f, uint32_t a, uint32_t b) {
    const uint32_t wanted[2] = {a < b ? a : b, a < b ? b : a};
    const void *found = bsearch(wanted, f->edges, f->edge_count, sizeof *f->edges, compare_edges);
    return found ? (size_t)((const uint32_t(*)[2])found - f->edges) : f->edge_count;
}

bool tool_features_have_edge(const toc_features *f, uint32_t a, uint32_t b) { return edge_at(f, a, b) < f->edge_count; }

static int compare_lowest(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool tool_features_have_vertex(const toc_features *f, uint32_t v) {
    return bsearch(&v, f->vertices, f->vertex_count, sizeof v, compare_lowest) != NULL;
}

// Faces are in the order of their lowest vertex.
bool tool_features_have_face(const toc_features *f, const uint32_t v[3]) {
    const uint32_t low = v[0] < v[1] ? (v[0] < v[2] ? v[0] : v[2]) : (v[1] < v[2] ? v[1] : v[2]);
    size_t from = 0, to = f->face_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (f->faces[middle][0] < low) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    for (; from < f->face_count && f->faces[from][0] == low; from++) {
        int same = 0;
        for (int k = 0; k < 9; k++) same += f->faces[from][k / 3] == v[k % 3];
        if (same == 3) return true;
    }
    return false;
}

uint32_t tool_face_sides(const toc_features *f, const uint32_t face[3]) {
    uint32_t flags = 0;
    for (int k = 0; k < 3; k++) {
        const size_t edge = edge_at(f, face[k], face[(k + 1) % 3]);
        if (edge < f->edge_count && !(f->edge_flags[edge] & TOC_FEATURE_DIAGONAL)) flags |= 1u << k;
    }
    return flags;
}

static void add_face(tool_skin *skin, const toc_features *f, const tool_bodies *bodies, size_t i) {
    const uint32_t first = f->face_elements.first[i], count = f->face_elements.first[i + 1] - first;
    const uint32_t *elements = f->face_elements.items + first;
    assert(count > 0);
    const uint32_t boundary = f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY ? TOOL_BOUNDARY : 0;
    uint32_t *face = skin->faces[skin->face_count];
    memcpy(face, f->faces[i], sizeof f->faces[i]);
    face[3] = bodies->element_parts[elements[0]] | (tool_face_sides(f, f->faces[i]) | boundary) << TOOL_FLAGS_SHIFT;
    if (skin->owners) {
        skin->owners[skin->face_count][0] = elements[0];
        skin->owners[skin->face_count][1] = count > 1 && !boundary ? elements[1] : UINT32_MAX;
    }
    skin->face_count++;
}

static bool mesh_has_volumes(const toc_mesh *mesh) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        if (toc_mesh_get_element(mesh, e).shape >= TOC_TET) return true;
    }
    return false;
}

toc_status tool_skin_make(const toc_mesh *mesh, const toc_features *f, const tool_bodies *bodies, tool_skin *out) {
    *out = (tool_skin){.has_volumes = mesh_has_volumes(mesh)};
    out->faces = calloc(f->face_count + 1, sizeof *out->faces);
    out->owners = out->has_volumes ? calloc(f->face_count + 1, sizeof *out->owners) : NULL;
    if (!out->faces || (out->has_volumes && !out->owners)) return tool_fail_memory();
    for (size_t i = 0; i < f->face_count; i++) {
        if (f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY) add_face(out, f, bodies, i);
    }
    out->boundary_count = out->face_count;
    for (size_t i = 0; i < f->face_count && out->has_volumes; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) add_face(out, f, bodies, i);
    }
    return TOC_OK;
}

void tool_skin_free(tool_skin *skin) {
    free(skin->faces);
    free(skin->owners);
    *skin = (tool_skin){0};
}
