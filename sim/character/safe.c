// SPDX-License-Identifier: Apache-2.0
// The rule that cannot miss: leave out pairs of a vertex and a tet of the same part only where the part has hardly
// changed its shape since the bind pose, in which they were apart.
//
// Let G be any affine map, such as the inverse of the part's joint matrix, and y = G x. If a vertex x is in a tet, it
// is a blend of the corners x_i with weights >= 0 that sum to 1, and y is the same blend of the y_i. With b and b_i the
// positions in the bind pose, |b - blend of b_i| <= |b - y| + max |b_i - y_i|. The left side is at least the distance
// of vertex and tet in the bind pose. So a vertex that moved by less than its clearance minus the shift of quiet tets
// (in the frame of its part) is in no quiet tet of its part. Every other pair is searched: docs/guarantees.md, G21.
// Twist and motion of the root need no case of their own: only positions count. O(n) a frame, and the search.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

/// The map of a part: the inverse of its matrix, or 0 for a matrix without one, which proves nothing and so hides
/// nothing: all its points are far from their places.
static void find_part_map(const double m[12], double map[12]) {
    double a[3][3], b[3][3], shift[3] = {m[3], m[7], m[11]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = m[4 * i + j];
    sim_matrix_invert(a, b);
    sim_matrix_apply(b, shift, shift);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) map[4 * i + j] = isfinite(b[i][j]) ? b[i][j] : 0;
        map[4 * i + 3] = isfinite(shift[i]) ? -shift[i] : 0;
    }
}

/// How far a vertex is from its place in the bind pose, in the frame of a part; not less than the exact value.
// Each coordinate of y has three products and three sums: an error below 2^-50 of the sum of absolute terms.
static double find_shift(const double map[12], const double *x, const double *bind) {
    double sum = 0, error = 0;
    for (int k = 0; k < 3; k++) {
        const double a = map[4 * k] * x[0], b = map[4 * k + 1] * x[1], c = map[4 * k + 2] * x[2], d = map[4 * k + 3];
        const double gap = a + b + c + d - bind[k];
        sum += gap * gap;
        error += fabs(a) + fabs(b) + fabs(c) + fabs(d) + fabs(bind[k]);
    }
    return sqrt(sum) * (1 + 0x1p-48) + 0x1p-49 * error;
}

static void begin_parts(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) {
        character_part *part = &c->parts.items[p];
        part->quiet = part->noisy = part->skin = part->awake = character_box_empty();
        if (p < c->joint_count) find_part_map(c->matrices.items + 12 * p, part->map);
    }
}

static bool tet_is_quiet(const toc_character *c, const character_tet *t) {
    if (t->body > 0) return true; // no vertex of the same body is searched for in it
    const double *map = c->parts.items[t->part].map;
    for (int k = 0; k < 4; k++) {
        const size_t v = t->v[k];
        const double shift = c->part_of.items[v] == t->part
                                 ? c->shift.items[v]
                                 : find_shift(map, c->x.items + 3 * v, c->bind.items + 3 * v);
        if (!(shift <= c->quiet_shift)) return false;
    }
    return true;
}

/// The shift of each vertex in the frame of its own part.
static void find_shifts(toc_character *c) {
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        const uint32_t part = c->part_of.items[v];
        if (part == CHARACTER_NONE) continue;
        c->shift.items[v] = find_shift(c->parts.items[part].map, c->x.items + 3 * v, c->bind.items + 3 * v);
    }
}

static void find_tet_boxes(toc_character *c) {
    for (size_t i = 0; i < c->tets.count; i++) {
        const character_tet *t = &c->tets.items[i];
        character_part *part = &c->parts.items[t->part];
        character_box *box = tet_is_quiet(c, t) ? &part->quiet : &part->noisy;
        for (int k = 0; k < 4; k++) character_box_add(box, c->x.items + 3 * (size_t)t->v[k]);
    }
}

static bool vertex_is_noisy(const toc_character *c, uint32_t vertex, const character_part *part) {
    if (part->body > 0) return false;
    return !(c->shift.items[vertex] + c->quiet_shift < c->clearance.items[vertex]);
}

/// Whether a vertex may be in a tet: it is noisy itself, or in the box of noisy tets, or of another part's tets.
static bool vertex_is_awake(const toc_character *c, uint32_t vertex) {
    const uint32_t home = c->part_of.items[vertex];
    const double *x = c->x.items + 3 * (size_t)vertex;
    assert(home < c->parts.count);
    if (vertex_is_noisy(c, vertex, &c->parts.items[home])) return true;
    for (uint32_t p = 0; p < c->parts.count; p++) {
        const character_part *part = &c->parts.items[p];
        if (p == home && part->body > 0) continue;
        if (character_box_has(&part->noisy, x) || (p != home && character_box_has(&part->quiet, x))) return true;
    }
    return false;
}

toc_status toc_character_wake_safe(toc_character *c) {
    SIM_TRY(sim_array_reserve(&c->memory, &c->awake, c->boundary.count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->boxes, c->parts.count));
    begin_parts(c);
    find_shifts(c);
    find_tet_boxes(c);
    c->awake.count = c->boxes.count = 0;
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.items[i];
        if (!vertex_is_awake(c, v)) continue;
        c->awake.items[c->awake.count++] = v;
        character_box_add(&c->parts.items[c->part_of.items[v]].awake, c->x.items + 3 * (size_t)v);
    }
    for (size_t p = 0; p < c->parts.count; p++) {
        const character_box *box = &c->parts.items[p].awake;
        const bool any = box->low[0] <= box->high[0];
        if (any) c->boxes.items[c->boxes.count++] = *box;
        if (p < c->joint_count) c->awake_joint.items[p] = any;
    }
    return TOC_OK;
}
