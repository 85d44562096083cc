// SPDX-License-Identifier: Apache-2.0
// Parts of a cage: each vertex and tet belongs to the joint with the most weight. Bones and their angles; O(n).
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

// ---- parts

static uint32_t dominant_joint(const toc_character *c, size_t vertex) {
    size_t best = vertex > 0 ? c->weight_ends.at[vertex - 1] : 0;
    const size_t end = c->weight_ends.at[vertex];
    assert(best <= end);
    if (best == end) return 0; // a vertex without a tet
    for (size_t i = best + 1; i < end; i++)
        if (c->weights.at[i] > c->weights.at[best]) best = i;
    return c->weight_joints.at[best];
}

/// The joint with the most corners; of several, that of the first.
static uint32_t tet_part(const toc_character *c, const character_tet *t) {
    int best = 0, most = 0;
    for (int k = 0; k < 4; k++) {
        int count = 0;
        for (int i = 0; i < 4; i++) count += c->part_of.at[t->v[i]] == c->part_of.at[t->v[k]];
        if (count > most) best = k, most = count;
    }
    return c->part_of.at[t->v[best]];
}

static void assign_parts(toc_character *c) {
    for (size_t v = 0; v < c->bodies.at[0].count; v++) c->part_of.at[v] = dominant_joint(c, v);
    for (size_t t = 0; t < c->tets.count; t++) c->tets.at[t].part = tet_part(c, &c->tets.at[t]);
    for (size_t f = 0; f < c->faces.count; f++) c->faces.at[f].part = c->part_of.at[c->faces.at[f].v[0]];
}

// ---- bones

static void find_heads(toc_character *c) {
    for (size_t j = 0; j < c->joint_count; j++) {
        const double *m = c->inverse_binds.at + 12 * j;
        double a[3][3], b[3][3], shift[3] = {-m[3], -m[7], -m[11]};
        for (int i = 0; i < 3; i++) memcpy(a[i], m + 4 * i, sizeof a[i]);
        sim_matrix_invert(a, b);
        sim_matrix_apply(b, shift, c->heads.at + 3 * j);
    }
}

/// The tip of a bone without a child: the mean of the vertices of its part, doubled from the head.
static void find_tips(toc_character *c, double *counts) {
    for (size_t v = 0; v < c->bodies.at[0].count; v++) {
        const uint32_t j = c->part_of.at[v];
        sim_add(1, c->bind.at + 3 * v, c->tips.at + 3 * (size_t)j);
        counts[j]++;
    }
    for (size_t j = 0; j < c->joint_count; j++) {
        double *tip = c->tips.at + 3 * j;
        const double *head = c->heads.at + 3 * j;
        for (int k = 0; k < 3; k++) tip[k] = counts[j] > 0 ? 2 * tip[k] / counts[j] - head[k] : head[k];
    }
}

static size_t count_children(const toc_character *c, uint32_t joint) {
    size_t count = 0;
    for (size_t j = 0; j < c->joint_count; j++) count += c->parents.at[j] == joint;
    return count;
}

/// The midline of the body: the longest side of its box in the bind pose, away from where its limbs point.
static void find_midline(toc_character *c) {
    character_box box = character_box_empty();
    double sum = 0;
    int longest = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++)
        if (c->part_of.at[v] != CHARACTER_NONE) character_box_add(&box, c->bind.at + 3 * v);
    for (int k = 1; k < 3; k++)
        if (box.high[k] - box.low[k] > box.high[longest] - box.low[longest]) longest = k;
    for (size_t i = 0; i < c->angles.count; i++) {
        const character_angle *angle = &c->angles.at[i];
        const double *end = angle->child == CHARACTER_NONE ? c->tips.at + 3 * (size_t)angle->joint
                                                           : c->heads.at + 3 * (size_t)angle->child;
        if (angle->parent == CHARACTER_NONE)
            sum += end[longest] - c->heads.at[3 * (size_t)angle->joint + (size_t)longest];
    }
    memset(c->midline, 0, sizeof c->midline);
    c->midline[longest] = sum > 0 ? -1 : 1;
    c->root = 0;
    while (c->parents.at[c->root] != CHARACTER_NONE) c->root++;
}

static toc_status add_angle(toc_character *c, uint32_t joint, uint32_t parent, uint32_t child) {
    TOC_TRY(toc_array_reserve(&c->memory, &c->angles, 1));
    c->angles.at[c->angles.count++] =
        (character_angle){.joint = joint, .parent = parent, .child = child, .now = INFINITY};
    return TOC_OK;
}

static toc_status add_angles_of(toc_character *c, uint32_t joint) {
    const uint32_t parent = c->parents.at[joint];
    uint32_t first_child = CHARACTER_NONE;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        if (c->parents.at[j] != joint) continue;
        if (first_child == CHARACTER_NONE) first_child = j;
        if (parent != CHARACTER_NONE) TOC_TRY(add_angle(c, joint, parent, j));
    }
    if (parent == CHARACTER_NONE) return TOC_OK;
    if (first_child == CHARACTER_NONE) TOC_TRY(add_angle(c, joint, parent, CHARACTER_NONE));
    return count_children(c, parent) > 1 ? add_angle(c, joint, CHARACTER_NONE, first_child) : TOC_OK;
}

static toc_status find_bones(toc_character *c) {
    TOC_ARRAY(double) counts = {0};
    TOC_TRY(toc_array_room(&c->memory, &c->heads, 3 * c->joint_count));
    TOC_TRY(toc_array_room(&c->memory, &c->tips, 3 * c->joint_count));
    TOC_TRY(toc_array_room(&c->memory, &counts, c->joint_count));
    find_heads(c);
    find_tips(c, counts.at);
    toc_array_free(&c->memory, &counts);
    for (uint32_t j = 0; j < c->joint_count; j++) TOC_TRY(add_angles_of(c, j));
    find_midline(c);
    return TOC_OK;
}

// ---- distances

/// The closest point of a triangle by its Voronoi regions (Ericson 2004, section 5.1.5), as a squared distance.
static double triangle_distance2(const double p[3], const double a[3], const double b[3], const double c[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3], to[3], s = 0, t = 0;
    sim_sub(b, a, ab), sim_sub(c, a, ac), sim_sub(p, a, ap), sim_sub(p, b, bp), sim_sub(p, c, cp);
    const double d1 = sim_dot(ab, ap), d2 = sim_dot(ac, ap), d3 = sim_dot(ab, bp), d4 = sim_dot(ac, bp);
    const double d5 = sim_dot(ab, cp), d6 = sim_dot(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) {
        s = t = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        s = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        s = d1 / (d1 - d3);
    } else if (d6 >= 0 && d5 <= d6) {
        t = 1;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        t = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        s = 1 - t;
    } else {
        s = vb / (va + vb + vc);
        t = vc / (va + vb + vc);
    }
    for (int k = 0; k < 3; k++) to[k] = ap[k] - s * ab[k] - t * ac[k];
    const double found = sim_dot(to, to);
    return found >= 0 ? found : 0; // 0 for a triangle without area, whose quotients are NaN
}

double toc_character_distance(const double p[3], const double *x, const uint32_t v[4]) {
    static const uint8_t faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    double best = INFINITY;
    int outside = 0;
    for (int k = 0; k < 4; k++) {
        const double *a = x + 3 * (size_t)v[faces[k][0]], *b = x + 3 * (size_t)v[faces[k][1]];
        const double *d = x + 3 * (size_t)v[faces[k][2]];
        double ab[3], ad[3], ap[3], n[3];
        sim_sub(b, a, ab), sim_sub(d, a, ad), sim_sub(p, a, ap);
        sim_cross(ab, ad, n);
        outside += sim_dot(n, ap) < 0; // the tet is on the side of the normal
        best = fmin(best, triangle_distance2(p, a, b, d));
    }
    return outside == 0 ? 0 : sqrt(best);
}

toc_status toc_character_find_parts(toc_character *c) {
    TOC_TRY(toc_array_room(&c->memory, &c->parts, c->joint_count));
    c->parts.count = c->joint_count;
    assign_parts(c);
    return find_bones(c);
}
