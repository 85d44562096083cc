// SPDX-License-Identifier: Apache-2.0
// Loops of the Python package over the public interface.
#include "native/native.h"

#include <string.h>

static uint32_t label_of(const tocpy_mask *mask, uint32_t body, uint32_t vertex) {
    if (body >= mask->body_count || vertex >= mask->label_counts[body]) return UINT32_MAX;
    return mask->labels[body][vertex];
}

bool tocpy_mask_wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const tocpy_mask *mask = user;
    const int first_count = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < first_count; i++) {
        const uint32_t first = label_of(mask, body[0], v[i]);
        for (int j = first_count; j < 4; j++) {
            const uint32_t second = label_of(mask, body[1], v[j]);
            if (first == UINT32_MAX || second == UINT32_MAX) return true;
            if (mask->allowed[first * mask->label_count + second]) return true;
        }
    }
    return false;
}

size_t tocpy_mesh_collect(const toc_mesh *mesh, toc_shape shape, uint32_t *ids, uint32_t *corners, int32_t *groups,
                          double *thickness) {
    const size_t end = toc_mesh_get_element_count(mesh);
    size_t count = 0;
    for (size_t id = 0; id < end; id++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)id);
        if (element.shape != shape) continue;
        const size_t corner_count = (size_t)element.corner_count;
        if (ids) ids[count] = (uint32_t)id;
        if (corners) memcpy(corners + count * corner_count, element.corners, corner_count * sizeof *corners);
        if (groups) groups[count] = element.group;
        if (thickness) thickness[count] = element.thickness;
        count++;
    }
    return count;
}

void tocpy_mesh_get_labels(const toc_mesh *mesh, bool elements, int64_t *labels) {
    const size_t count = elements ? toc_mesh_get_element_count(mesh) : toc_mesh_get_vertex_count(mesh);
    for (size_t i = 0; i < count; i++) {
        if (elements)
            toc_mesh_get_element_label(mesh, (uint32_t)i, labels + i);
        else
            toc_mesh_get_vertex_label(mesh, (uint32_t)i, labels + i);
    }
}

toc_status tocpy_mesh_set_groups(toc_mesh *mesh, size_t count, const uint32_t *elements, const int32_t *groups) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && !status; i++) status = toc_mesh_set_group(mesh, elements[i], groups[i]);
    return status;
}

toc_status tocpy_mesh_set_thicknesses(toc_mesh *mesh, size_t count, const uint32_t *elements, const double *thickness) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && !status; i++) status = toc_mesh_set_thickness(mesh, elements[i], thickness[i]);
    return status;
}

toc_status tocpy_mesh_remove_elements(toc_mesh *mesh, size_t count, const uint32_t *elements) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && !status; i++) status = toc_mesh_remove_element(mesh, elements[i]);
    return status;
}
