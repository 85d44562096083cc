// SPDX-License-Identifier: Apache-2.0
// The numbers that a file, or the caller, gives to vertices and elements. Consecutive ones take no memory.
#include <string.h>

#include "mesh/mesh.h"

static bool are_consecutive(size_t count, const int64_t *labels) {
    for (size_t i = 1; i < count; i++)
        if ((uint64_t)labels[i] - (uint64_t)labels[0] != i) return false;
    return true;
}

// Replace labels by copies of `count` others; on failure they stay.
static toc_status copy_labels(const toc_allocator *memory, toc_id_labels *to, size_t count, const int64_t *labels) {
    toc_id_labels made = {.count = count, .first = count > 0 ? labels[0] : 0};
    if (!are_consecutive(count, labels)) {
        TOC_TRY(toc_array_reserve(memory, &made.each, count));
        memcpy(made.each.at, labels, count * sizeof *labels);
        made.each.count = count;
    }
    toc_array_free(memory, &to->each);
    *to = made;
    return TOC_OK;
}

static toc_status check_label_count(const char *what, size_t count, size_t most, const int64_t *labels) {
    if (count > most) return toc_fail(TOC_BAD_INPUT, "%zu labels, but there are %zu %s", count, most, what);
    return count == 0 || labels ? TOC_OK : toc_fail(TOC_BAD_INPUT, "the labels of %zu %s are NULL", count, what);
}

toc_status toc_mesh_set_vertex_labels(toc_mesh *mesh, size_t count, const int64_t *labels) {
    TOC_CHANGE_MESH(mesh);
    TOC_TRY(check_label_count("vertices", count, toc_mesh_get_vertex_count(mesh), labels));
    return copy_labels(&mesh->allocator, &mesh->vertex_labels, count, labels);
}

toc_status toc_mesh_set_element_labels(toc_mesh *mesh, size_t count, const int64_t *labels) {
    TOC_CHANGE_MESH(mesh);
    TOC_TRY(check_label_count("elements", count, toc_mesh_get_element_count(mesh), labels));
    return copy_labels(&mesh->allocator, &mesh->element_labels, count, labels);
}

static bool find_label(const toc_id_labels *labels, uint32_t id, int64_t *label) {
    const bool known = id < labels->count;
    if (label)
        *label = !known ? id : labels->each.count > 0 ? labels->each.at[id] : (int64_t)((uint64_t)labels->first + id);
    return known;
}

bool toc_mesh_get_vertex_label(const toc_mesh *mesh, uint32_t vertex, int64_t *label) {
    return mesh && find_label(&mesh->vertex_labels, vertex, label);
}

bool toc_mesh_get_element_label(const toc_mesh *mesh, uint32_t element, int64_t *label) {
    return mesh && find_label(&mesh->element_labels, element, label);
}
