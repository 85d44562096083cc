// SPDX-License-Identifier: Apache-2.0
// Batches of vertices and elements on their way into a mesh.
#include "scenes/builder.h"

#include <math.h>
#include <string.h>

scene_builder scene_builder_make(toc_mesh *mesh) { return (scene_builder){.mesh = mesh}; }

static void flush_vertices(scene_builder *b) {
    if (b->status == TOC_OK && b->waiting_vertices) {
        b->status = toc_mesh_add_vertices(b->mesh, b->waiting_vertices, b->positions[0], NULL);
    }
    b->waiting_vertices = 0;
}

static void flush_elements(scene_builder *b) {
    flush_vertices(b);
    if (b->status == TOC_OK && b->waiting_elements) {
        uint32_t first = 0;
        b->status = toc_mesh_add_elements(b->mesh, b->shape, b->waiting_elements, b->corners, &first);
        for (uint32_t i = 0; i < b->waiting_elements && b->status == TOC_OK && b->group; i++) {
            b->status = toc_mesh_set_group(b->mesh, first + i, b->group);
        }
    }
    b->waiting_elements = 0;
}

toc_status scene_builder_finish(scene_builder *b) {
    flush_elements(b);
    return b->status;
}

uint32_t scene_vertex(scene_builder *b, double x, double y, double z) {
    if (b->waiting_vertices == SCENE_BATCH) flush_vertices(b);
    double *to = b->positions[b->waiting_vertices++];
    to[0] = x;
    to[1] = y;
    to[2] = z;
    return b->vertices++;
}

void scene_element(scene_builder *b, toc_shape shape, const uint32_t *corners) {
    if (b->waiting_elements == SCENE_BATCH || shape != b->shape) flush_elements(b);
    b->shape = shape;
    const size_t count = (size_t)toc_shape_corners(shape);
    memcpy(b->corners + count * b->waiting_elements++, corners, count * sizeof *corners);
}

void scene_group(scene_builder *b, int32_t group) {
    if (group == b->group) return;
    flush_elements(b);
    b->group = group;
}

double scene_ease(double time, double from, double to) {
    const double s = fmin(fmax((time - from) / (to - from), 0), 1);
    return s * s * (3 - 2 * s);
}

// splitmix64 of the number's place in the stream.
double scene_random(uint64_t stream, uint64_t i, double low, double high) {
    uint64_t z = (stream << 32) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

void scene_turn(double angle, double *x, double *y) {
    const double c = cos(angle), s = sin(angle), before = *x;
    *x = c * before - s * *y;
    *y = s * before + c * *y;
}
