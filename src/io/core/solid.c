// SPDX-License-Identifier: Apache-2.0
// Solids with repeated nodes, and elements gathered. O(1) an element.
#include "io/core/solid.h"

#include <string.h>

#include "mesh/shape.h"

/// The equal nodes, and the corners that remain.
typedef struct solid_rule {
    toc_shape shape;
    uint8_t same[8]; // node i is node same[i]
    uint8_t corners[6];
} solid_rule;

/// As the manual of LS-DYNA lists them for *ELEMENT_SOLID; the last is a thick shell of three corners. Wedges are
/// turned into VTK's order.
static const solid_rule rules[] = {
    {TOC_TET, {0, 1, 2, 3, 3, 3, 3, 3}, {0, 1, 2, 3}},
    {TOC_PYRAMID, {0, 1, 2, 3, 4, 4, 4, 4}, {0, 1, 2, 3, 4}},
    {TOC_WEDGE, {0, 1, 2, 3, 4, 4, 6, 6}, {0, 1, 4, 3, 2, 6}},
    {TOC_WEDGE, {0, 1, 2, 2, 4, 5, 6, 6}, {0, 2, 1, 4, 6, 5}},
};

/// As OpenRadioss stores its tets and wedges; both are turned into VTK's order.
static const solid_rule rules_of_radioss[] = {
    {TOC_TET, {0, 0, 2, 2, 4, 5, 5, 4}, {0, 5, 2, 4}},
    {TOC_WEDGE, {0, 1, 2, 0, 4, 5, 6, 4}, {0, 2, 1, 4, 6, 5}},
};

static bool obeys(const uint32_t nodes[8], const solid_rule *rule) {
    for (int i = 0; i < 8; i++)
        if (nodes[i] != nodes[rule->same[i]]) return false;
    uint32_t distinct[8];
    return toc_ids_distinct(nodes, 8, distinct) == toc_shape_count_corners(rule->shape);
}

/// The first of some rules that the nodes obey; a hex if there is none.
static toc_shape apply(const solid_rule *rule, size_t count, const uint32_t nodes[8], uint32_t corners[8]) {
    for (const solid_rule *end = rule + count; rule < end; rule++) {
        if (!obeys(nodes, rule)) continue;
        for (int i = 0; i < toc_shape_count_corners(rule->shape); i++) corners[i] = nodes[rule->corners[i]];
        return rule->shape;
    }
    memcpy(corners, nodes, 8 * sizeof *nodes);
    return TOC_HEX;
}

toc_shape toc_solid_of(const uint32_t nodes[8], uint32_t corners[8]) {
    return apply(rules, nodes[6] == nodes[7] ? sizeof rules / sizeof *rules : 0, nodes, corners);
}

toc_shape toc_solid_of_radioss(const uint32_t nodes[8], uint32_t corners[8]) {
    const toc_shape shape = apply(rules_of_radioss, sizeof rules_of_radioss / sizeof *rules, nodes, corners);
    return shape == TOC_HEX ? toc_solid_of(nodes, corners) : shape;
}

static bool continues(const toc_mesh_parts *parts, toc_shape shape, int32_t group) {
    const toc_run *last = parts->runs.count > 0 ? &parts->runs.at[parts->runs.count - 1] : NULL;
    return last && last->shape == shape && last->group == group;
}

toc_status toc_parts_add(toc_mesh_parts *parts, const toc_allocator *allocator, toc_shape shape,
                         const uint32_t *corners, int32_t group) {
    const size_t count = (size_t)toc_shape_count_corners(shape);
    TOC_TRY(toc_array_reserve(allocator, &parts->corners, count));
    if (!continues(parts, shape, group)) {
        TOC_TRY(toc_array_reserve(allocator, &parts->runs, 1));
        parts->runs.at[parts->runs.count++] = (toc_run){.shape = shape, .group = group};
    }
    memcpy(parts->corners.at + parts->corners.count, corners, count * sizeof *corners);
    parts->corners.count += count;
    parts->runs.at[parts->runs.count - 1].count++;
    return TOC_OK;
}

bool toc_parts_resolve(toc_mesh_parts *parts, const toc_labels *labels) {
    for (size_t i = 0; i < parts->corners.count; i++) {
        const int64_t vertex = toc_labels_find(labels, parts->corners.at[i]);
        if (vertex == TOC_LABEL_MISSING) return false;
        parts->corners.at[i] = (uint32_t)vertex;
    }
    return true;
}

void toc_parts_free(toc_mesh_parts *parts, const toc_allocator *allocator) {
    toc_array_free(allocator, &parts->positions);
    toc_array_free(allocator, &parts->corners);
    toc_array_free(allocator, &parts->runs);
}
