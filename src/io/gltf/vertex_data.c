// SPDX-License-Identifier: Apache-2.0
#include "io/gltf/vertex_data.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { ROOM = 512, WORDS = 4 };

// ---- reading

/// Open an attribute of a block. @return false in `there` without it, or if it has another number of items.
static toc_status open_attribute(const toc_gltf_scene *scene, const toc_gltf_block *block, const char *name,
                                 size_t components, toc_accessor *out, bool *there) {
    TOC_TRY(toc_accessor_open(scene->file, block->attributes, name, components, out));
    *there = out->count > 0;
    if (!*there || out->count == block->positions.count) return TOC_OK;
    return toc_json_fail(&scene->file->json, out->id, "%zu items of \"%s\" for %zu vertices", out->count, name,
                         block->positions.count);
}

static toc_status read_block_labels(const toc_gltf_scene *scene, const toc_gltf_block *block, int64_t *labels,
                                    bool *known) {
    toc_accessor words;
    double values[WORDS * ROOM];
    TOC_TRY(open_attribute(scene, block, TOC_GLTF_LABEL, WORDS, &words, known));
    if (!*known) return TOC_OK;
    if (words.type != TOC_UINT16 || words.normalized)
        return toc_json_fail(&scene->file->json, words.id, "\"%s\" takes unsigned integers of 16 bits", TOC_GLTF_LABEL);
    for (size_t first = 0; first < words.count; first += ROOM) {
        const size_t count = words.count - first < ROOM ? words.count - first : ROOM;
        toc_accessor_read(&words, first, count, values);
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = 0;
            for (size_t k = 0; k < WORDS; k++) bits |= (uint64_t)values[WORDS * i + k] << (16 * k);
            memcpy(&labels[block->first + first + i], &bits, sizeof bits);
        }
    }
    return TOC_OK;
}

toc_status toc_gltf_labels_read(const toc_gltf_scene *scene, int64_t *labels, bool *known) {
    *known = scene->blocks.count > 0;
    for (size_t i = 0; i < scene->blocks.count && *known; i++)
        TOC_TRY(read_block_labels(scene, &scene->blocks.at[i], labels, known));
    return TOC_OK;
}

/// As far as a matrix turns and scales.
static void turn_velocity(const double m[12], double v[3]) {
    const double local[3] = {v[0], v[1], v[2]};
    for (int row = 0; row < 3; row++)
        v[row] = m[4 * row] * local[0] + m[4 * row + 1] * local[1] + m[4 * row + 2] * local[2];
}

static toc_status read_block_velocities(const toc_gltf_scene *scene, const toc_gltf_block *block, double *v,
                                        bool *known) {
    const toc_gltf_node *node = &scene->nodes.at[block->node];
    toc_accessor velocities;
    TOC_TRY(open_attribute(scene, block, TOC_GLTF_VELOCITY, 3, &velocities, known));
    *known = *known && !node->skinned && node->targets == 0;
    if (!*known) return TOC_OK;
    double *to = v + 3 * block->first;
    toc_accessor_read(&velocities, 0, velocities.count, to);
    for (size_t i = 0; i < velocities.count; i++) {
        turn_velocity(node->world, to + 3 * i);
        for (int k = 0; k < 3; k++)
            if (!isfinite(to[3 * i + (size_t)k]))
                return toc_accessor_fail(scene->file, &velocities, i, "a velocity is not a finite number");
    }
    return TOC_OK;
}

toc_status toc_gltf_velocities_read(const toc_gltf_scene *scene, double *v, bool *known) {
    *known = scene->blocks.count > 0;
    for (size_t i = 0; i < scene->blocks.count && *known; i++)
        TOC_TRY(read_block_velocities(scene, &scene->blocks.at[i], v, known));
    return TOC_OK;
}

// ---- writing

toc_status toc_gltf_velocities_write(toc_sink *sink, const double *velocities, size_t vertices) {
    for (size_t i = 0; i < vertices; i++) {
        float v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = (float)velocities[3 * i + (size_t)k];
            if (!(fabsf(v[k]) <= FLT_MAX))
                return toc_fail(TOC_BAD_INPUT, "vertex %zu: its velocity %g is more than a float can hold", i,
                                velocities[3 * i + (size_t)k]);
        }
        toc_sink_little(sink, v, sizeof *v, 3);
    }
    return TOC_OK;
}

void toc_gltf_labels_write(toc_sink *sink, const toc_mesh *mesh, size_t vertices) {
    for (size_t i = 0; i < vertices; i++) {
        int64_t label = 0;
        toc_mesh_get_vertex_label(mesh, (uint32_t)i, &label);
        toc_sink_little(sink, &label, sizeof label, 1); // the lowest 16 bits first
    }
}
