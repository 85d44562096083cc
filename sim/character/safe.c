// SPDX-License-Identifier: Apache-2.0
// The rule that cannot miss: leave out pairs of a vertex and a tet only where a proof says that they are apart.
//
// Pairs that are close in the reference pose are listed once, and tested one by one, unless both moved by less than
// their gap. For all others, let G be the map of the tet's part: an affine map that takes the joint back to the
// reference pose, the first frame, and y = G x. If a vertex x is in a tet, it is a blend of the corners x_i with
// weights >= 0 that sum to 1, and y is the same blend of the y_i. A tet is quiet if each y_i is within a shift s of the
// place b_i in the reference pose. So y is within s of the tet in the reference pose, and
// - y is in the home of the part: the cells that its tets, grown by s, reach in the reference pose; and
// - y is at least (near distance - s) away from the vertex' own place in the reference pose.
// A vertex is awake if both hold for some part, or if it is in a cell of the world that a noisy tet reaches. Only awake
// vertices are hashed: docs/guarantees.md, G21. Twist and motion of the root need no case of their own: only positions
// count. O(n) a frame, and the search.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

void toc_character_mask_add(character_mask *m, const character_box *box, uint64_t bits) {
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = character_mask_cell(m, box->low[k], k);
        high[k] = character_mask_cell(m, box->high[k], k);
    }
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++)
            for (uint32_t x = low[0]; x <= high[0]; x++)
                m->bits.items[((size_t)z * m->cells[1] + y) * m->cells[0] + x] |= bits;
}

static uint64_t mask_at(const character_mask *m, const double x[3]) {
    const uint32_t cell[3] = {character_mask_cell(m, x[0], 0), character_mask_cell(m, x[1], 1),
                              character_mask_cell(m, x[2], 2)};
    return m->bits.items[((size_t)cell[2] * m->cells[1] + cell[1]) * m->cells[0] + cell[0]];
}

/// The map of a part: back from its matrix, and on to that of the reference pose. A matrix without an inverse gets 0,
/// which is an affine map, too.
static void find_part_map(const double m[12], const double reference[12], double map[12]) {
    double a[3][3], b[3][3], shift[3] = {m[3], m[7], m[11]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = m[4 * i + j];
    sim_matrix_invert(a, b);
    sim_matrix_apply(b, shift, shift);
    for (int i = 0; i < 12; i++) {
        const double *row = reference + i / 4 * 4;
        const int j = i % 4;
        map[i] = j < 3 ? row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j]
                       : row[3] - row[0] * shift[0] - row[1] * shift[1] - row[2] * shift[2];
        if (!isfinite(map[i])) map[i] = 0;
    }
}

/// Where a vertex is in the frame of a part. @return its distance from a place, and not less than the exact one.
// Each coordinate of y has three products and three sums: an error below 2^-50 of the sum of absolute terms.
static double find_shift(const double map[12], const double *x, const double *place, double y[3]) {
    double sum = 0, error = 0;
    for (int k = 0; k < 3; k++) {
        const double a = map[4 * k] * x[0], b = map[4 * k + 1] * x[1], c = map[4 * k + 2] * x[2], d = map[4 * k + 3];
        y[k] = a + b + c + d;
        const double gap = y[k] - place[k];
        sum += gap * gap;
        error += fabs(a) + fabs(b) + fabs(c) + fabs(d) + fabs(place[k]);
    }
    return sqrt(sum) * (1 + 0x1p-48) + 0x1p-49 * error;
}

/// The sum of the sizes of all terms of y.
static double sum_of_terms(const double map[12], const double *x) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += fabs(map[i]) * (i % 4 == 3 ? 1 : fabs(x[i % 4]));
    return sum;
}

static void begin_parts(toc_character *c) {
    for (size_t p = 0; p < c->parts.count; p++) {
        character_part *part = &c->parts.items[p];
        part->quiet = character_box_empty();
        if (p < c->joint_count)
            find_part_map(c->matrices.items + 12 * p, c->reference_matrices.items + 12 * p, part->map);
    }
}

// ---- tets

/// A grid over the world, as wide as the mean edge; coarser for a body that is far away.
static toc_status begin_noise(toc_character *c) {
    enum { MOST_ALONG = 48 };
    character_mask *m = &c->noise;
    character_box all = character_box_empty();
    double extent = 0;
    size_t count = 1;
    for (size_t i = 0; i < c->boundary.count; i++)
        character_box_add(&all, c->x.items + 3 * (size_t)c->boundary.items[i]);
    for (int k = 0; k < 3; k++) extent = fmax(extent, all.high[k] - all.low[k]);
    const double width = fmax(c->mean_edge, extent / MOST_ALONG);
    m->per_width = width > 0 ? 1 / width : 1;
    for (int k = 0; k < 3; k++) {
        m->low[k] = all.low[k];
        m->cells[k] = (uint32_t)((all.high[k] - all.low[k]) * m->per_width) + 1;
        count *= m->cells[k];
    }
    SIM_TRY(sim_array_reserve(&c->memory, &m->bits, count));
    memset(m->bits.items, 0, count * sizeof *m->bits.items);
    return TOC_OK;
}

/// The shift of each vertex in the frame of its own part.
static void find_shifts(toc_character *c) {
    double y[3];
    for (size_t v = 0; v < c->bodies.items[0].count; v++) {
        const uint32_t part = c->part_of.items[v];
        if (part == CHARACTER_NONE) continue;
        c->shift.items[v] = find_shift(c->parts.items[part].map, c->x.items + 3 * v, c->reference.items + 3 * v, y);
    }
}

/// The largest shift of a corner in the frame of the tet's part.
static double find_tet_shift(const toc_character *c, const character_tet *t) {
    const double *map = c->parts.items[t->part].map;
    double y[3], most = 0;
    for (int k = 0; k < 4; k++) {
        const size_t v = t->v[k];
        const double shift = c->part_of.items[v] == t->part
                                 ? c->shift.items[v]
                                 : find_shift(map, c->x.items + 3 * v, c->reference.items + 3 * v, y);
        if (!(shift <= most)) most = shift; // NaN stays
    }
    return most;
}

static void sort_tets(toc_character *c) {
    for (size_t i = 0; i < c->tets.count; i++) {
        const character_tet *t = &c->tets.items[i];
        const character_box box = character_tet_box(c->x.items, t->v);
        if (t->body == 0) {
            c->tet_shift.items[i] = find_tet_shift(c, t);
            if (!(c->tet_shift.items[i] <= c->quiet_shift)) {
                toc_character_mask_add(&c->noise, &box, 1);
                continue;
            }
        }
        character_box_add(&c->parts.items[t->part].quiet, box.low);
        character_box_add(&c->parts.items[t->part].quiet, box.high);
    }
}

// ---- vertices

/// Whether a vertex may be in a quiet tet of a part that was not near in the reference pose.
static bool part_may_hold(const toc_character *c, uint32_t vertex, uint32_t p) {
    const character_part *part = &c->parts.items[p];
    const double *x = c->x.items + 3 * (size_t)vertex;
    double y[3];
    if (!character_box_has(&part->quiet, x)) return false;
    if (part->body > 0) return true;
    const bool own_body = vertex < c->bodies.items[0].count; // other bodies have no reference, and no near pairs
    const double *place = (own_body ? c->reference.items : c->bind.items) + 3 * (size_t)vertex;
    const double shift = find_shift(part->map, x, place, y);
    // Homes are grown by 2^-20 of an edge for the rounding of y, which is below 2^-49 of the terms' sizes.
    if (!(0x1p-49 * sum_of_terms(part->map, x) < 0x1p-21 * c->mean_edge)) return true;
    if (own_body && shift + c->quiet_shift < c->near_distance) return false;
    return mask_at(&c->homes, y) >> p % 64 & 1;
}

static bool vertex_is_awake(const toc_character *c, uint32_t vertex) {
    const uint32_t home = c->part_of.items[vertex];
    assert(home < c->parts.count);
    if (mask_at(&c->noise, c->x.items + 3 * (size_t)vertex)) return true;
    for (uint32_t p = 0; p < c->parts.count; p++)
        if (!(p == home && c->parts.items[p].body > 0) && part_may_hold(c, vertex, p)) return true;
    return false;
}

toc_status toc_character_wake_safe(toc_character *c) {
    enum { FRAMES_BETWEEN = 32 }; // attempts to take a reference
    if (!c->has_reference && c->frames_without++ % FRAMES_BETWEEN == 0) SIM_TRY(toc_character_take_reference(c));
    if (!c->has_reference) return toc_character_wake_all(c);
    SIM_TRY(sim_array_reserve(&c->memory, &c->awake, c->boundary.count));
    SIM_TRY(begin_noise(c));
    begin_parts(c);
    find_shifts(c);
    sort_tets(c);
    memset(c->awake_joint.items, 0, c->joint_count);
    c->awake.count = 0;
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.items[i], part = c->part_of.items[v];
        c->is_awake.items[v] = vertex_is_awake(c, v);
        if (!c->is_awake.items[v]) continue;
        c->awake.items[c->awake.count++] = v;
        if (part < c->joint_count) c->awake_joint.items[part] = 1;
    }
    return TOC_OK;
}

/// Whether a near pair of one part kept its gap: both moved by less, in the frame of the part.
static bool pair_is_quiet(const toc_character *c, size_t pair, uint32_t tet) {
    const uint32_t v = c->near.items[pair];
    return c->part_of.items[v] == c->tets.items[tet].part &&
           c->shift.items[v] + c->tet_shift.items[tet] < (double)c->near_gaps.items[pair];
}

toc_status toc_character_test_near(toc_character *c) {
    size_t first = 0;
    for (uint32_t t = 0; t < c->near_ends.count; t++) {
        const size_t end = c->near_ends.items[t];
        if (first == end) continue;
        const character_box box = character_tet_box(c->x.items, c->tets.items[t].v);
        for (; first < end; first++)
            if (!c->is_awake.items[c->near.items[first]] && !pair_is_quiet(c, first, t))
                SIM_TRY(toc_character_grid_test(c, c->near.items[first], t, &box));
    }
    return TOC_OK;
}
