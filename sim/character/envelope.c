// SPDX-License-Identifier: Apache-2.0
// The field of an envelope, and which places of a skin belong together.
//
// Inside is where the winding number is above a half: holes are closed, and pieces that cross count as one. Sheets
// without an inside have the thickness of twice the offset.
#include "sim/character/envelope.h"

#include "sim/core/vector.h"

static const double inside_winding = 0.5;
static const double offset_share = 0.3; // of the distance, by which the envelope lies outside of the skin
static const double sheet_share = 0.85; // the same where the skin encloses nothing, and would be too thin
static const double hole_share = 0.25;  // of the way to the skin, within which a hole is closed well

// ---- kin

/// Joints without vertices, such as the root of a file or an end of a bone, stand for the next one above.
static toc_status find_kin(const toc_allocator *memory, const toc_character_def *skin, envelope_field *f) {
    const size_t vertices = toc_mesh_get_vertex_count(skin->cage), joints = skin->joint_count;
    TOC_TRY(toc_array_room(memory, &f->kin, joints));
    f->kin.count = joints;
    uint8_t *moves = toc_new(memory, joints, 1);
    if (!moves) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < (vertices > 0 ? skin->weight_ends[vertices - 1] : 0); i++)
        if (skin->weights[i] > 0) moves[skin->joints[i]] = 1;
    for (size_t j = 0; j < joints; j++) {
        uint32_t parent = skin->parents[j];
        while (parent != CHARACTER_NONE && !moves[parent]) parent = skin->parents[parent];
        f->kin.at[j] = parent;
    }
    toc_free(memory, moves, joints, 1);
    return TOC_OK;
}

size_t toc_envelope_blend(const envelope_field *f, const soup_place *place, size_t room, uint32_t *joints,
                          double *weights) {
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        const uint32_t v = f->soup.corners.at[3 * (size_t)place->triangle + k];
        for (size_t i = v > 0 ? f->skin->weight_ends[v - 1] : 0; i < f->skin->weight_ends[v]; i++) {
            const double share = place->weights[k] * f->skin->weights[i];
            size_t at = 0, least = 0;
            if (share <= 0) continue;
            while (at < count && joints[at] != f->skin->joints[i]) at++;
            if (at == count && count < room) joints[count] = f->skin->joints[i], weights[count++] = 0;
            for (size_t j = 1; j < count; j++) least = weights[j] < weights[least] ? j : least;
            if (at < count)
                weights[at] += share;
            else if (share > weights[least])
                joints[least] = f->skin->joints[i], weights[least] = share;
        }
    }
    return count;
}

enum { MOST_BLEND = 16 };
static const double leading = 0.25; // the weight from which on a joint leads a place

static size_t leading_joints(const envelope_field *f, const soup_place *place, uint32_t joints[MOST_BLEND]) {
    double weights[MOST_BLEND];
    const size_t count = toc_envelope_blend(f, place, MOST_BLEND, joints, weights);
    size_t kept = 0, most = 0;
    for (size_t i = 1; i < count; i++) most = weights[i] > weights[most] ? i : most;
    for (size_t i = 0; i < count; i++)
        if (weights[i] >= leading || i == most) joints[kept++] = joints[i];
    return kept;
}

bool toc_envelope_is_kin(const envelope_field *f, const soup_place *a, const soup_place *b) {
    uint32_t first[MOST_BLEND], second[MOST_BLEND];
    const size_t m = leading_joints(f, a, first), n = leading_joints(f, b, second);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            if (first[i] == second[j] || f->kin.at[first[i]] == second[j] || f->kin.at[second[j]] == first[i])
                return true;
    return m == 0 || n == 0;
}

// ---- the field

bool toc_envelope_is_enclosed(const envelope_field *f, const double at[3]) {
    return toc_soup_find_winding(&f->soup, at) > inside_winding;
}

/// Triangles with the outside on both sides.
static toc_status find_sheets(const toc_allocator *memory, envelope_field *f) {
    const size_t triangles = f->soup.corners.count / 3;
    TOC_TRY(toc_array_room(memory, &f->sheet, triangles));
    for (uint32_t t = 0; t < triangles; t++) {
        const soup_place middle = {.triangle = t, .weights = {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        double at[3], n[3];
        toc_soup_find_point(&f->soup, &middle, at);
        toc_soup_find_normal(&f->soup, t, n);
        sim_add(-f->offset, n, at);
        f->sheet.at[t] = !toc_envelope_is_enclosed(f, at);
        sim_add(2 * f->offset, n, at);
        f->sheet.at[t] = f->sheet.at[t] && !toc_envelope_is_enclosed(f, at);
    }
    return TOC_OK;
}

toc_status toc_envelope_make_field(const toc_allocator *memory, const toc_character_def *skin, double distance,
                                   envelope_field *out) {
    *out = (envelope_field){.skin = skin};
    TOC_TRY(toc_soup_make(memory, skin->cage, &out->soup));
    for (int k = 0; k < 3; k++) out->height = fmax(out->height, out->soup.high[k] - out->soup.low[k]);
    if (!(out->height > 0)) return toc_fail(TOC_BAD_INPUT, "the skin has no extent");
    if (!isfinite(out->height)) return toc_fail(TOC_BAD_INPUT, "the skin is not finite");
    out->offset = offset_share * distance * out->height;
    out->sheet_offset = sheet_share * distance * out->height;
    TOC_TRY(find_sheets(memory, out));
    return find_kin(memory, skin, out);
}

void toc_envelope_free_field(const toc_allocator *memory, envelope_field *f) {
    toc_soup_free(memory, &f->soup);
    toc_array_free(memory, &f->kin);
    toc_array_free(memory, &f->sheet);
}

/// Whether a point is on the side of another one. The winding number is harmonic away from the skin: by the inequality
/// of Harnack it changes by a factor of 19 at most within 0.7 of the way to the skin, so it does not get from 0 or 1
/// past 1/2.
static bool has_side_of(const lattice_vertex *near, const lattice_vertex *v) {
    static const double certain = 0.02, reach = 0.7;
    double d[3];
    sim_sub(near->x, v->x, d);
    return sim_length(d) < reach * near->place.distance &&
           (fabs(near->winding) < certain || fabs(near->winding - 1) < certain);
}

void toc_envelope_measure(const envelope_field *f, const lattice_vertex *near, lattice_vertex *v) {
    v->place = toc_soup_find_nearest(&f->soup, v->x, near ? near->place.triangle : 0);
    v->winding = 0.5;
    bool inside;
    if (near && has_side_of(near, v)) {
        inside = near->winding > inside_winding;
    } else {
        v->winding = toc_soup_find_winding(&f->soup, v->x);
        inside = v->winding > inside_winding;
    }
    const double offset = f->sheet.at[v->place.triangle] ? f->sheet_offset : f->offset;
    v->value = (inside ? -v->place.distance : v->place.distance) - offset;
}

/// The way along `in` until a point is enclosed or on a sheet, at most `distance`.
static double way_inside(const envelope_field *f, const double at[3], const double in[3], double distance) {
    enum { STEPS = 8 };
    double low = 0, high = 0;
    for (int i = 0; i < 2 * STEPS; i++) {
        const bool found = high > 0;
        const double way = found ? 0.5 * (low + high) : distance * (i + 1) / STEPS;
        double p[3];
        if (!found && i == STEPS) return distance;
        sim_copy(at, p);
        sim_add(way, in, p);
        if (toc_envelope_is_enclosed(f, p))
            high = way;
        else
            low = way;
    }
    return high > 0 ? high : distance;
}

/// `in` leads into the cage. 0 for distances up to the least.
static double distance_outside(const envelope_field *f, const double at[3], const double in[3], double least) {
    const double distance = toc_soup_find_nearest(&f->soup, at, 0).distance;
    if (distance <= least || toc_envelope_is_enclosed(f, at)) return 0;
    const double way = way_inside(f, at, in, distance);
    return way < hole_share * distance ? 0 : way;
}

double toc_envelope_find_face(const envelope_field *f, const double *x, const uint32_t face[3], const uint32_t tet[4],
                              double least) {
    const double *a = x + 3 * (size_t)face[0], *b = x + 3 * (size_t)face[1], *c = x + 3 * (size_t)face[2];
    double ab[3], ac[3], in[3], middle[3], most = 0, side = 0;
    sim_sub(b, a, ab), sim_sub(c, a, ac);
    sim_cross(ab, ac, in);
    sim_normalize(in);
    for (int k = 0; k < 4; k++) {
        double to[3];
        sim_sub(x + 3 * (size_t)tet[k], a, to);
        side = fabs(sim_dot(to, in)) > fabs(side) ? sim_dot(to, in) : side;
    }
    for (int k = 0; k < 3; k++) {
        in[k] = side < 0 ? -in[k] : in[k];
        middle[k] = (a[k] + b[k] + c[k]) / 3;
    }
    const double *points[4] = {a, b, c, middle};
    for (int i = 0; i < 4; i++) most = fmax(most, distance_outside(f, points[i], in, fmax(least, most)));
    return most;
}
