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

static bool item_exists(toc_mesh_item item) { return item == TOC_MESH_VERTEX || item == TOC_MESH_ELEMENT; }

toc_status toc_mesh_set_labels(toc_mesh *mesh, toc_mesh_item item, size_t count, const int64_t *labels) {
    TOC_CHANGE_MESH(mesh);
    if (!item_exists(item)) return toc_fail(TOC_BAD_INPUT, "labels are of vertices or elements, not of item %d", item);
    const bool of_vertices = item == TOC_MESH_VERTEX;
    const size_t most = of_vertices ? toc_mesh_get_vertex_count(mesh) : toc_mesh_get_element_count(mesh);
    const char *items = of_vertices ? "vertices" : "elements";
    if (count > most) return toc_fail(TOC_BAD_INPUT, "%zu labels, but there are %zu %s", count, most, items);
    if (count > 0 && !labels) return toc_fail(TOC_BAD_INPUT, "the labels of %zu %s are NULL", count, items);
    return copy_labels(&mesh->allocator, of_vertices ? &mesh->vertex_labels : &mesh->element_labels, count, labels);
}

static bool find_label(const toc_id_labels *labels, uint32_t id, int64_t *label) {
    const bool known = id < labels->count;
    if (label)
        *label = !known ? id : labels->each.count > 0 ? labels->each.at[id] : (int64_t)((uint64_t)labels->first + id);
    return known;
}

bool toc_mesh_get_label(const toc_mesh *mesh, toc_mesh_item item, uint32_t id, int64_t *label) {
    if (!mesh || !item_exists(item)) return false;
    return find_label(item == TOC_MESH_VERTEX ? &mesh->vertex_labels : &mesh->element_labels, id, label);
}
