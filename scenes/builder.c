// SPDX-License-Identifier: Apache-2.0
// Batches of vertices and elements on their way into a mesh.
#include "scenes/builder.h"

#include <math.h>
#include <stdlib.h>
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
        for (uint32_t i = 0; i < b->waiting_elements && b->status == TOC_OK && b->thickness > 0; i++) {
            b->status = toc_mesh_set_thickness(b->mesh, first + i, b->thickness);
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
    const size_t count = (size_t)toc_shape_count_corners(shape);
    memcpy(b->corners + count * b->waiting_elements++, corners, count * sizeof *corners);
}

static void add_tets(scene_builder *b, const uint32_t cell[8]) {
    static const int tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    for (int t = 0; t < 6; t++) {
        const int *c = tets[t];
        scene_element(b, TOC_TET, (uint32_t[4]){cell[c[0]], cell[c[1]], cell[c[2]], cell[c[3]]});
    }
}

void scene_cell(scene_builder *b, toc_shape shape, const uint32_t cell[8]) {
    static const int hex[8] = {0, 1, 3, 2, 4, 5, 7, 6}; // VTK's order
    uint32_t corners[8];
    for (int c = 0; c < 8; c++) corners[c] = cell[hex[c]];
    if (shape == TOC_TET) {
        add_tets(b, cell);
    } else {
        scene_element(b, TOC_HEX, corners);
    }
}

void scene_group(scene_builder *b, int32_t group) {
    if (group == b->group) return;
    flush_elements(b);
    b->group = group;
}

void scene_thickness(scene_builder *b, double thickness) {
    if (!(thickness < b->thickness || thickness > b->thickness)) return;
    flush_elements(b);
    b->thickness = thickness;
}

toc_status scene_place(toc_mesh *mesh, void (*place)(const void *user, uint32_t vertex, double x[3]),
                       const void *user) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    double *x = calloc(3 * count + 1, sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    if (count) memcpy(x, toc_mesh_get_x0(mesh), 3 * count * sizeof *x);
    for (size_t v = 0; v < count; v++) place(user, (uint32_t)v, x + 3 * v);
    const toc_status status = toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), x, x);
    free(x);
    return status;
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
