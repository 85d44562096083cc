// SPDX-License-Identifier: Apache-2.0
// The characters of a skin: triangles whose joints hang together, by parents or by the weights of one triangle.
#include "sim/character/envelope.h"

#include "sim/core/vector.h"

toc_status toc_envelope_check_skin(const toc_allocator *memory, const toc_character_def *skin) {
    const size_t vertices = toc_mesh_get_vertex_count(skin->cage);
    uint8_t *used = toc_new(memory, vertices, 1);
    if (!used) return TOC_OUT_OF_MEMORY;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(skin->cage); e++) {
        const toc_element t = toc_mesh_get_element(skin->cage, e);
        for (int k = 0; k < 3 && t.shape == TOC_TRIANGLE; k++) used[t.corners[k]] = 1;
    }
    const toc_status status = toc_character_check_weights(skin, used);
    toc_free(memory, used, vertices, 1);
    return status;
}

static uint32_t find_lead(uint32_t *lead, uint32_t j) {
    while (lead[j] != j) j = lead[j] = lead[lead[j]];
    return j;
}

static size_t first_weight(const toc_character_def *skin, uint32_t v) { return v > 0 ? skin->weight_ends[v - 1] : 0; }

/// A joint that moves a vertex.
static uint32_t joint_of(const toc_character_def *skin, uint32_t v) {
    size_t i = first_weight(skin, v);
    while (!(skin->weights[i] > 0)) i++;
    return skin->joints[i];
}

static void join_triangle(const toc_character_def *skin, const uint32_t v[3], uint32_t *lead) {
    const uint32_t own = joint_of(skin, v[0]);
    for (int k = 0; k < 3; k++)
        for (size_t i = first_weight(skin, v[k]); i < skin->weight_ends[v[k]]; i++)
            if (skin->weights[i] > 0) lead[find_lead(lead, skin->joints[i])] = find_lead(lead, own);
}

static void measure_triangle(const double *x, const uint32_t v[3], envelope_group *group) {
    double a[3], b[3], n[3];
    sim_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], a);
    sim_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], b);
    sim_cross(a, b, n);
    group->area += sim_length(n) / 2;
    for (int k = 0; k < 3; k++) character_box_add(&group->box, x + 3 * (size_t)v[k]);
}

/// Groups are numbered by their first triangles.
static toc_status add_group_triangle(const toc_allocator *memory, const toc_character_def *skin, const uint32_t v[3],
                                     envelope_groups *g) {
    uint32_t *number = &g->of_joint.at[find_lead(g->lead.at, joint_of(skin, v[0]))];
    if (*number == CHARACTER_NONE) {
        TOC_TRY(toc_array_reserve(memory, &g->groups, 1));
        *number = (uint32_t)g->groups.count++;
        g->groups.at[*number] = (envelope_group){.box = character_box_empty()};
    }
    measure_triangle(toc_mesh_get_x1(skin->cage), v, &g->groups.at[*number]);
    return TOC_OK;
}

toc_status toc_envelope_find_groups(const toc_allocator *memory, const toc_character_def *skin, envelope_groups *out) {
    const size_t joints = skin->joint_count, count = toc_mesh_get_element_count(skin->cage);
    *out = (envelope_groups){0};
    TOC_TRY(toc_array_room(memory, &out->lead, joints));
    TOC_TRY(toc_array_room(memory, &out->of_joint, joints));
    for (uint32_t j = 0; j < joints; j++) out->lead.at[j] = j, out->of_joint.at[j] = CHARACTER_NONE;
    for (uint32_t j = 0; j < joints; j++)
        if (skin->parents[j] != CHARACTER_NONE)
            out->lead.at[find_lead(out->lead.at, j)] = find_lead(out->lead.at, skin->parents[j]);
    for (uint32_t e = 0; e < count; e++) {
        const toc_element t = toc_mesh_get_element(skin->cage, e);
        if (t.shape == TOC_TRIANGLE) join_triangle(skin, t.corners, out->lead.at);
    }
    for (uint32_t e = 0; e < count; e++) {
        const toc_element t = toc_mesh_get_element(skin->cage, e);
        if (t.shape == TOC_TRIANGLE) TOC_TRY(add_group_triangle(memory, skin, t.corners, out));
    }
    for (uint32_t j = 0; j < joints; j++) out->of_joint.at[j] = out->of_joint.at[find_lead(out->lead.at, j)];
    return TOC_OK;
}

void toc_envelope_free_groups(const toc_allocator *memory, envelope_groups *g) {
    toc_array_free(memory, &g->lead);
    toc_array_free(memory, &g->of_joint);
    toc_array_free(memory, &g->groups);
}

uint32_t toc_envelope_group_of(const envelope_groups *g, const toc_character_def *skin, const uint32_t v[3]) {
    return g->of_joint.at[joint_of(skin, v[0])];
}
