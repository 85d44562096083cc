// SPDX-License-Identifier: Apache-2.0
// A sheet of quads or triangles, flat or with two opposite sides joined: a tube; with all joined: a torus.
#include "scenes/builder.h"

static void add_sheet_points(scene_builder *builder, const uint32_t cells[2], const uint32_t points[2], scene_map *map,
                             const void *user) {
    for (uint32_t j = 0; j < points[1] && builder->status == TOC_OK; j++)
        for (uint32_t i = 0; i < points[0]; i++) {
            double out[3];
            map(user, (const double[3]){(double)i / cells[0], (double)j / cells[1], 0}, out);
            scene_vertex(builder, out[0], out[1], out[2]);
        }
}

typedef void add_sheet_cell(scene_builder *builder, const uint32_t corners[4]);

static void add_quad(scene_builder *builder, const uint32_t corners[4]) { scene_element(builder, TOC_QUAD, corners); }

static void add_two_triangles(scene_builder *builder, const uint32_t c[4]) {
    scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){c[0], c[1], c[2]});
    scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){c[0], c[2], c[3]});
}

static void add_sheet(scene_builder *builder, const uint32_t cells[2], scene_joined joined, scene_map *map,
                      const void *user, add_sheet_cell *add) {
    const uint32_t first = builder->vertices;
    const uint32_t points[2] = {cells[0] + (joined < SCENE_TUBE), cells[1] + (joined < SCENE_TORUS)};
    add_sheet_points(builder, cells, points, map, user);
    for (uint32_t j = 0; j < cells[1] && builder->status == TOC_OK; j++)
        for (uint32_t i = 0; i < cells[0]; i++) {
            const uint32_t a = first + points[0] * j, b = first + points[0] * ((j + 1) % points[1]);
            const uint32_t k = (i + 1) % points[0];
            add(builder, (const uint32_t[4]){a + i, a + k, b + k, b + i});
        }
}

void scene_sheet(scene_builder *builder, const uint32_t cells[2], scene_joined joined, scene_map *map,
                 const void *user) {
    add_sheet(builder, cells, joined, map, user, add_quad);
}

void scene_triangle_sheet(scene_builder *builder, const uint32_t cells[2], scene_joined joined, scene_map *map,
                          const void *user) {
    add_sheet(builder, cells, joined, map, user, add_two_triangles);
}
