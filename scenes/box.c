// SPDX-License-Identifier: Apache-2.0
// The closed surface of a box of cells. A formula numbers the vertices layer by layer, so that sides share them without
// a table: the first and the last layer are whole grids, the layers between have only a rim.
#include "scenes/builder.h"

typedef struct box {
    uint32_t cells[3], first;
} box;

static uint32_t layer_size(const box *b) { return (b->cells[0] + 1) * (b->cells[1] + 1); }

static uint32_t rim_size(const box *b) { return 2 * (b->cells[0] + b->cells[1]); }

// The place of a point of the rim in its layer: whole first and last rows, two points of the rows between.
static uint32_t rim_place(const box *b, uint32_t i, uint32_t j) {
    const uint32_t row = b->cells[0] + 1;
    if (j == 0) return i;
    if (j == b->cells[1]) return row + 2 * (j - 1) + i;
    return row + 2 * (j - 1) + (i > 0);
}

static uint32_t point(const box *b, const uint32_t at[3]) {
    const uint32_t whole = at[1] * (b->cells[0] + 1) + at[0], last = b->cells[2];
    if (at[2] == 0) return b->first + whole;
    const uint32_t before = b->first + layer_size(b) + (at[2] - 1) * rim_size(b);
    return before + (at[2] == last ? whole : rim_place(b, at[0], at[1]));
}

static void add_box_points(const box *b, scene_builder *builder, scene_map *map, const void *user) {
    for (uint32_t k = 0; k <= b->cells[2]; k++)
        for (uint32_t j = 0; j <= b->cells[1]; j++)
            for (uint32_t i = 0; i <= b->cells[0]; i++) {
                const uint32_t at[3] = {i, j, k};
                bool outside = false;
                double unit[3], out[3];
                for (int c = 0; c < 3; c++) {
                    outside = outside || at[c] == 0 || at[c] == b->cells[c];
                    unit[c] = 2.0 * at[c] / b->cells[c] - 1;
                }
                if (!outside) continue;
                map(user, unit, out);
                scene_vertex(builder, out[0], out[1], out[2]);
            }
}

// The two sides across an axis, wound outward.
static void add_sides(const box *b, scene_builder *builder, int axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (uint32_t cell = 0; cell < 2 * b->cells[u] * b->cells[v]; cell++) {
        const bool far = cell % 2;
        uint32_t quad[4];
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t at[3];
            at[axis] = far ? b->cells[axis] : 0;
            at[u] = cell / 2 % b->cells[u] + (c == 1 || c == 2);
            at[v] = cell / 2 / b->cells[u] + (c >= 2);
            quad[far ? c : 3 - c] = point(b, at);
        }
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){quad[0], quad[1], quad[2]});
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){quad[0], quad[2], quad[3]});
    }
}

void scene_box(scene_builder *builder, const uint32_t cells[3], scene_map *map, const void *user) {
    const box b = {{cells[0], cells[1], cells[2]}, builder->vertices};
    add_box_points(&b, builder, map, user);
    for (int axis = 0; axis < 3; axis++) add_sides(&b, builder, axis);
}
