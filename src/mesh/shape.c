// SPDX-License-Identifier: Apache-2.0
// The table of shapes: the only definition of the numbering of corners.
//
// VTK orders the corners of a wedge so that its first triangle is counter-clockwise seen from outside, unlike the
// first side of a tet, a pyramid or a hex. Elements with this numbering have positive volumes.
#include "mesh/shape.h"
#include "base/shared.h"

#include <string.h>

#define TRI(a, b, c) \
    { 3, {a, b, c}, 1 << a | 1 << b | 1 << c }
#define QUAD(a, b, c, d) \
    { 4, {a, b, c, d}, 1 << a | 1 << b | 1 << c | 1 << d }

// clang-format off
TOC_SHARED const toc_shape_info toc_shape_infos[TOC_SHAPE_COUNT] = {
    [TOC_REMOVED] = {.name = "removed"},
    [TOC_POINT] = {.name = "point", .corner_count = 1, .dimension = 0},
    [TOC_EDGE] = {.name = "edge", .corner_count = 2, .dimension = 1, .edge_count = 1, .edges = {{0, 1}}},
    [TOC_TRIANGLE] = {.name = "triangle", .corner_count = 3, .dimension = 2, .edge_count = 3, .side_count = 1,
        .edges = {{0, 1}, {1, 2}, {2, 0}},
        .sides = {TRI(0, 1, 2)}},
    [TOC_QUAD] = {.name = "quad", .corner_count = 4, .dimension = 2, .edge_count = 4, .side_count = 1,
        .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
        .sides = {QUAD(0, 1, 2, 3)}},
    [TOC_TET] = {.name = "tet", .corner_count = 4, .dimension = 3, .edge_count = 6, .side_count = 4,
        .edges = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
        .sides = {TRI(0, 2, 1), TRI(0, 1, 3), TRI(1, 2, 3), TRI(2, 0, 3)}},
    [TOC_PYRAMID] = {.name = "pyramid", .corner_count = 5, .dimension = 3, .edge_count = 8, .side_count = 5,
        .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
        .sides = {QUAD(0, 3, 2, 1), TRI(0, 1, 4), TRI(1, 2, 4), TRI(2, 3, 4), TRI(3, 0, 4)}},
    [TOC_WEDGE] = {.name = "wedge", .corner_count = 6, .dimension = 3, .edge_count = 9, .side_count = 5,
        .edges = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
        .sides = {TRI(0, 1, 2), TRI(3, 5, 4), QUAD(0, 3, 4, 1), QUAD(1, 4, 5, 2), QUAD(2, 5, 3, 0)}},
    [TOC_HEX] = {.name = "hex", .corner_count = 8, .dimension = 3, .edge_count = 12, .side_count = 6,
        .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
        .sides = {QUAD(0, 3, 2, 1), QUAD(4, 5, 6, 7), QUAD(0, 1, 5, 4), QUAD(1, 2, 6, 5), QUAD(2, 3, 7, 6),
                  QUAD(3, 0, 4, 7)}},
};
// clang-format on

TOC_SHARED const uint8_t toc_wedge_turn[6] = {0, 2, 1, 3, 5, 4};

static toc_shape known(toc_shape shape) { return (unsigned)shape < TOC_SHAPE_COUNT ? shape : TOC_REMOVED; }

toc_shape_properties toc_shape_get(toc_shape shape) {
    const toc_shape_info *info = &toc_shape_infos[known(shape)];
    return (toc_shape_properties){.name = info->name, .corner_count = info->corner_count};
}

TOC_SHARED int toc_ids_distinct(const uint32_t *ids, int count, uint32_t *distinct) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        int j = 0;
        while (j < found && distinct[j] != ids[i]) j++;
        if (j == found) distinct[found++] = ids[i];
    }
    return found;
}

int toc_side_distinct(const toc_side *side, const uint32_t *corners, uint32_t distinct[4]) {
    uint32_t ids[4];
    for (int i = 0; i < side->corner_count; i++) ids[i] = corners[side->corners[i]];
    // Opposite corners are equal: the quad is folded onto two of its edges and has no face.
    if (side->corner_count == 4 && (ids[0] == ids[2] || ids[1] == ids[3])) return 0;
    return toc_ids_distinct(ids, side->corner_count, distinct);
}

bool toc_shape_has_side(toc_shape shape, const uint32_t *corners) {
    uint32_t distinct[4];
    for (int i = 0; i < toc_shape_infos[shape].side_count; i++)
        if (toc_side_distinct(&toc_shape_infos[shape].sides[i], corners, distinct) >= 3) return true;
    return false;
}

// Order a tet's corners so that its first side is the triangle, seen from outside.
static void put_tet(const uint32_t corners[4], const uint32_t triangle[3], uint32_t tet[4]) {
    const uint32_t turned[3] = {triangle[0], triangle[2], triangle[1]};
    memcpy(tet, turned, sizeof turned);
    for (int i = 0; i < 4; i++)
        if (corners[i] != triangle[0] && corners[i] != triangle[1] && corners[i] != triangle[2]) tet[3] = corners[i];
}

toc_shape toc_shape_reduce(toc_shape shape, const uint32_t *corners, uint32_t reduced[8]) {
    const toc_shape_info *info = &toc_shape_infos[shape];
    uint32_t distinct[8], triangle[4];
    if (info->dimension < 3 || toc_ids_distinct(corners, info->corner_count, distinct) != 4) {
        memcpy(reduced, corners, info->corner_count * sizeof *corners);
        return shape;
    }
    int i = 0;
    while (i < info->side_count && toc_side_distinct(&info->sides[i], corners, triangle) != 3) i++;
    if (i < info->side_count)
        put_tet(distinct, triangle, reduced);
    else
        memcpy(reduced, distinct, 4 * sizeof *distinct); // folded flat: without orientation
    return TOC_TET;
}
