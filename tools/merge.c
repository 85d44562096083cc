// SPDX-License-Identifier: Apache-2.0
// Merging bodies. O(n).
#include "tools/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

static toc_status set_merged_group(toc_mesh *mesh, uint32_t id, int32_t group, const char *name) {
    const toc_status status = toc_mesh_set_group(mesh, id, group);
    if (status != TOC_OK || !name || toc_mesh_get_group_name(mesh, group)) return status;
    return toc_mesh_set_group_name(mesh, group, name);
}

toc_status tool_elements_merge(toc_mesh *mesh, const toc_mesh *body, uint32_t first, const int32_t *group) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(body); e++) {
        const toc_element element = toc_mesh_get_element(body, e);
        uint32_t corners[8], id;
        if (element.shape == TOC_REMOVED) continue;
        for (int k = 0; k < element.corner_count; k++) corners[k] = first + element.corners[k];
        toc_status status = toc_mesh_add_elements(mesh, element.shape, 1, corners, &id);
        if (status == TOC_OK)
            status = group ? set_merged_group(mesh, id, *group, NULL)
                           : set_merged_group(mesh, id, element.group, toc_mesh_get_group_name(body, element.group));
        if (status != TOC_OK) return status;
    }
    return TOC_OK;
}

static toc_status merge_into(const toc_scene *scene, toc_mesh *mesh, size_t vertices, double *x) {
    double *x0 = x, *x1 = x + 3 * vertices;
    toc_status status = TOC_OK;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene) && status == TOC_OK; b++) {
        const toc_mesh *body = toc_scene_get_mesh(scene, b);
        const size_t count = toc_mesh_get_vertex_count(body);
        uint32_t first;
        memcpy(x0, toc_mesh_get_x0(body), 3 * count * sizeof *x);
        memcpy(x1, toc_mesh_get_x1(body), 3 * count * sizeof *x);
        status = toc_mesh_add_vertices(mesh, count, x0, &first);
        if (status == TOC_OK) status = tool_elements_merge(mesh, body, first, NULL);
        x0 += 3 * count;
        x1 += 3 * count;
    }
    return status == TOC_OK ? toc_mesh_set_motion(mesh, vertices, x, x + 3 * vertices) : status;
}

toc_status tool_scene_merge(const toc_scene *scene, toc_mesh **out) {
    assert(toc_scene_get_body_count(scene) > 0);
    size_t vertices = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++)
        vertices += toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, b));
    double *x = calloc(6 * vertices + 1, sizeof *x);
    toc_mesh *mesh = NULL;
    toc_status status = x ? toc_mesh_create(NULL, &mesh) : tool_fail_memory();
    if (status == TOC_OK) status = merge_into(scene, mesh, vertices, x);
    free(x);
    if (status == TOC_OK) {
        *out = mesh;
    } else {
        toc_mesh_destroy(mesh);
    }
    return status;
}
