// SPDX-License-Identifier: Apache-2.0
// Points bound to tets: each is a blend of the corners of the tet that contains it, or of the nearest one.
//
// O(points * tets / cells) by a uniform grid of tet boxes; a point outside of all tets looks further out, ring by ring.
// A cage is bound to the nearest points of its skin in O(log triangles) each; all triangles are looked at where the
// nearest one belongs to another limb.
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "sim/character/soup.h"
#include "sim/core/vector.h"

typedef struct bound_point {
    uint32_t v[4];
    double weights[4];
    double distance; // from the tet at rest
} bound_point;

struct toc_binding {
    toc_allocator memory;
    TOC_ARRAY(bound_point) points;
    size_t count;      // vertices of the mover
    const char *mover; // the name of the mesh that moves the points
    double distance;
};

/// The weights of a cage and of the skin that is bound to it.
typedef struct binding_kin {
    const toc_character_def *cage, *skin; // NULL where any tet will do
} binding_kin;

typedef struct binding_grid {
    const double *x;
    binding_kin kin;
    size_t point; // that is bound at present
    double width, low[3];
    long cells[3];
    TOC_ARRAY(character_tet) tets;
    TOC_ARRAY(character_box) boxes; // of the tets
    TOC_ARRAY(uint64_t) joints;     // of the tets: a bit for a joint of a corner, which others may share
    TOC_ARRAY(double) most;         // by joint: its largest weight in the cage
    uint64_t point_joints;          // likewise of the point
    TOC_ARRAY(uint32_t) heads;
    TOC_ARRAY(uint32_t) next, items; // lists of tets: a tet is in all cells of its box
} binding_grid;

static toc_status take_tets(const toc_allocator *memory, const toc_mesh *cage, binding_grid *g) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(cage); e++) {
        const toc_element element = toc_mesh_get_element(cage, e);
        if (element.shape != TOC_TET) continue;
        TOC_TRY(toc_array_reserve(memory, &g->tets, 1));
        character_tet t = {.element = e};
        memcpy(t.v, element.corners, sizeof t.v);
        const uint32_t mirrored[4] = {t.v[0], t.v[1], t.v[3], t.v[2]};
        if (toc_character_tet_is_upright(g->x, mirrored)) memcpy(t.v, mirrored, sizeof t.v);
        if (toc_character_tet_is_upright(g->x, t.v)) g->tets.at[g->tets.count++] = t;
    }
    if (g->tets.count == 0) return toc_fail(TOC_BAD_INPUT, "the cage has no tets with a volume");
    return TOC_OK;
}

static long binding_cell(const binding_grid *g, double x, int k) {
    const double at = floor((x - g->low[k]) / g->width);
    return at <= 0 ? 0 : at >= (double)g->cells[k] ? g->cells[k] - 1 : (long)at;
}

static toc_status hash_tet(const toc_allocator *memory, binding_grid *g, uint32_t tet) {
    const character_box box = g->boxes.at[tet] = character_tet_box(g->x, g->tets.at[tet].v);
    long low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = binding_cell(g, box.low[k], k), high[k] = binding_cell(g, box.high[k], k);
    for (long z = low[2]; z <= high[2]; z++)
        for (long y = low[1]; y <= high[1]; y++)
            for (long x = low[0]; x <= high[0]; x++) {
                uint32_t *head = &g->heads.at[(z * g->cells[1] + y) * g->cells[0] + x];
                TOC_TRY(toc_array_reserve(memory, &g->next, 1));
                TOC_TRY(toc_array_reserve(memory, &g->items, 1));
                g->items.at[g->items.count++] = tet;
                g->next.at[g->next.count] = *head;
                *head = (uint32_t)g->next.count++;
            }
    return TOC_OK;
}

/// The mean longest side of the boxes of tets.
static double mean_width(const binding_grid *g) {
    double sum = 0;
    for (size_t t = 0; t < g->tets.count; t++) {
        const character_box box = character_tet_box(g->x, g->tets.at[t].v);
        sum += fmax(fmax(box.high[0] - box.low[0], box.high[1] - box.low[1]), box.high[2] - box.low[2]);
    }
    return sum / (double)g->tets.count;
}

static toc_status make_binding_grid(const toc_allocator *memory, const toc_mesh *cage, binding_grid *g) {
    enum { MOST_ALONG = 64 };
    character_box box = character_box_empty();
    double extent = 0;
    TOC_TRY(take_tets(memory, cage, g));
    for (size_t t = 0; t < g->tets.count; t++)
        for (int k = 0; k < 4; k++) character_box_add(&box, g->x + 3 * (size_t)g->tets.at[t].v[k]);
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    g->width = fmax(extent / MOST_ALONG, mean_width(g));
    sim_copy(box.low, g->low);
    for (int k = 0; k < 3; k++) g->cells[k] = (long)((box.high[k] - box.low[k]) / g->width) + 1;
    assert(g->cells[0] > 0 && g->cells[1] > 0 && g->cells[2] > 0);
    const size_t count = (size_t)(g->cells[0] * g->cells[1] * g->cells[2]);
    TOC_TRY(toc_array_room(memory, &g->heads, count));
    for (size_t i = 0; i < count; i++) g->heads.at[i] = CHARACTER_NONE;
    TOC_TRY(toc_array_room(memory, &g->boxes, g->tets.count));
    for (uint32_t t = 0; t < g->tets.count; t++) TOC_TRY(hash_tet(memory, g, t));
    return TOC_OK;
}

static uint64_t joint_bits(const toc_character_def *def, size_t v) {
    uint64_t bits = 0;
    for (size_t i = v > 0 ? def->weight_ends[v - 1] : 0; i < def->weight_ends[v]; i++)
        if (def->weights[i] > 0) bits |= UINT64_C(1) << def->joints[i] % 64;
    return bits;
}

static toc_status list_joints(const toc_allocator *memory, binding_grid *g) {
    const toc_character_def *cage = g->kin.cage;
    if (!cage) return TOC_OK;
    TOC_TRY(toc_array_room(memory, &g->joints, g->tets.count));
    TOC_TRY(toc_array_room(memory, &g->most, cage->joint_count));
    for (size_t j = 0; j < cage->joint_count; j++) g->most.at[j] = 0;
    for (size_t t = 0; t < g->tets.count; t++) {
        g->joints.at[t] = 0;
        for (int k = 0; k < 4; k++) {
            const size_t v = g->tets.at[t].v[k];
            g->joints.at[t] |= joint_bits(cage, v);
            for (size_t i = v > 0 ? cage->weight_ends[v - 1] : 0; i < cage->weight_ends[v]; i++)
                if (cage->joints[i] < cage->joint_count)
                    g->most.at[cage->joints[i]] = fmax(g->most.at[cage->joints[i]], cage->weights[i]);
        }
    }
    return TOC_OK;
}

/// The nearest tet so far.
typedef struct binding_best {
    double distance;
    uint32_t tet;
} binding_best;

/// Whether a box is farther from a point than a distance, with room for rounding.
static bool is_box_farther(const character_box *box, const double p[3], double distance) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(0, fmax(box->low[k] - p[k], p[k] - box->high[k]));
        sum += d * d;
    }
    return sum > distance * distance * (1 + 1e-9);
}

/// The weight that two vertices have in common, joint by joint.
static double common_weight(const toc_character_def *a, size_t v, const toc_character_def *b, size_t w) {
    double sum = 0;
    for (size_t i = v > 0 ? a->weight_ends[v - 1] : 0; i < a->weight_ends[v]; i++)
        for (size_t j = w > 0 ? b->weight_ends[w - 1] : 0; j < b->weight_ends[w]; j++)
            if (a->joints[i] == b->joints[j]) sum += fmin(a->weights[i], b->weights[j]);
    return sum;
}

/// The weight in common from which on two places move together.
static const double least_common = 0.05;

/// Whether a tet moves with a joint of the point: a limb that is near does not.
static bool may_carry(const binding_grid *g, const character_tet *t) {
    double most = 0;
    for (int k = 0; k < 4; k++) most = fmax(most, common_weight(g->kin.skin, g->point, g->kin.cage, t->v[k]));
    return most >= least_common;
}

static void look_for_tet(const binding_grid *g, const double p[3], long cell, binding_best *best) {
    for (uint32_t i = g->heads.at[cell]; i != CHARACTER_NONE; i = g->next.at[i]) {
        const uint32_t tet = g->items.at[i];
        if (is_box_farther(&g->boxes.at[tet], p, best->distance)) continue;
        if (g->kin.cage && !(g->joints.at[tet] & g->point_joints)) continue;
        const double distance = toc_character_distance(p, g->x, g->tets.at[tet].v);
        if ((distance < best->distance || (distance == best->distance && tet < best->tet)) &&
            (!g->kin.cage || may_carry(g, &g->tets.at[tet])))
            *best = (binding_best){distance, tet};
    }
}

/// Cells at a distance of `ring` cells; a tet there is at least ring - 1 widths away.
static void look_at_ring(const binding_grid *g, const double p[3], const long at[3], long ring, binding_best *best) {
    long low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] - ring > 0 ? at[k] - ring : 0;
        high[k] = at[k] + ring < g->cells[k] ? at[k] + ring : g->cells[k] - 1;
    }
    for (long z = low[2]; z <= high[2]; z++)
        for (long y = low[1]; y <= high[1]; y++) {
            const long row = (z * g->cells[1] + y) * g->cells[0];
            const bool whole = labs(z - at[2]) == ring || labs(y - at[1]) == ring;
            for (long x = low[0]; x <= high[0]; x++) { // of a row within, only both ends
                if (!whole && x > at[0] - ring && x < at[0] + ring) x = at[0] + ring;
                if (x <= high[0]) look_for_tet(g, p, row + x, best);
            }
        }
}

static binding_best find_nearest_tet(const binding_grid *g, const double p[3]) {
    binding_best best = {INFINITY, CHARACTER_NONE};
    long at[3], rings = 0;
    for (int k = 0; k < 3; k++) at[k] = binding_cell(g, p[k], k), rings = rings > g->cells[k] ? rings : g->cells[k];
    for (long ring = 0; ring <= rings && best.distance > g->width * (double)(ring - 1); ring++)
        look_at_ring(g, p, at, ring, &best);
    return best;
}

/// Whether any tet may move with a joint of the point.
static bool has_kin(const binding_grid *g) {
    const toc_character_def *skin = g->kin.skin;
    double sum = 0;
    if (!g->kin.cage) return true;
    for (size_t i = g->point > 0 ? skin->weight_ends[g->point - 1] : 0; i < skin->weight_ends[g->point]; i++)
        if (skin->joints[i] < g->kin.cage->joint_count) sum += fmin(skin->weights[i], g->most.at[skin->joints[i]]);
    return sum >= (1 - 1e-9) * least_common;
}

static void bind_point(binding_grid *g, const double p[3], bound_point *out, double *farthest) {
    binding_best best = {INFINITY, CHARACTER_NONE};
    if (g->kin.cage) g->point_joints = joint_bits(g->kin.skin, g->point);
    if (has_kin(g)) best = find_nearest_tet(g, p);
    if (best.tet == CHARACTER_NONE) { // no tet moves with a joint of the point
        const binding_kin kin = g->kin;
        g->kin = (binding_kin){0};
        best = find_nearest_tet(g, p);
        g->kin = kin;
    }
    const uint32_t *v = g->tets.at[best.tet].v;
    double e[3][3], inverse[3][3], rest[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[i][k] = g->x[3 * (size_t)v[k + 1] + (size_t)i] - g->x[3 * (size_t)v[0] + (size_t)i];
    sim_matrix_invert(e, inverse);
    sim_sub(p, g->x + 3 * (size_t)v[0], rest);
    sim_matrix_apply(inverse, rest, out->weights + 1);
    out->weights[0] = 1 - out->weights[1] - out->weights[2] - out->weights[3];
    memcpy(out->v, v, sizeof out->v);
    out->distance = best.distance;
    *farthest = fmax(*farthest, best.distance);
}

static toc_status fill_binding(toc_binding *b, const toc_mesh *cage, binding_kin kin, size_t count,
                               const double *points) {
    binding_grid g = {.x = toc_mesh_get_x1(cage), .kin = kin};
    toc_status status = toc_array_room(&b->memory, &b->points, count);
    if (status == TOC_OK) status = make_binding_grid(&b->memory, cage, &g);
    if (status == TOC_OK) status = list_joints(&b->memory, &g);
    for (g.point = 0; g.point < count && status == TOC_OK; g.point++)
        bind_point(&g, points + 3 * g.point, &b->points.at[b->points.count++], &b->distance);
    toc_array_free(&b->memory, &g.tets);
    toc_array_free(&b->memory, &g.boxes);
    toc_array_free(&b->memory, &g.joints);
    toc_array_free(&b->memory, &g.most);
    toc_array_free(&b->memory, &g.heads);
    toc_array_free(&b->memory, &g.next);
    toc_array_free(&b->memory, &g.items);
    return status;
}

/// @param moving vertices of what the points are bound to. @param mover its name. @return NULL without memory.
static toc_binding *begin_binding(const toc_allocator *allocator, size_t moving, const char *mover) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_binding *b = toc_new(&memory, 1, sizeof *b);
    if (!b) return NULL;
    b->memory = memory;
    b->count = moving;
    b->mover = mover;
    return b;
}

static toc_status create_binding(const toc_mesh *cage, binding_kin kin, size_t count, const double *points,
                                 const toc_allocator *allocator, toc_binding **out) {
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i])) return toc_fail(TOC_BAD_INPUT, "point %zu is not finite", i / 3);
    toc_binding *b = begin_binding(allocator, toc_mesh_get_vertex_count(cage), "cage");
    if (!b) return TOC_OUT_OF_MEMORY;
    const toc_status status = fill_binding(b, cage, kin, count, points);
    if (status == TOC_OK)
        *out = b;
    else
        toc_binding_destroy(b);
    return status;
}

toc_status toc_binding_create(const toc_mesh *cage, size_t count, const double *points, const toc_allocator *allocator,
                              toc_binding **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(cage);
    TOC_NEED(points);
    TOC_NEED(out);
    return create_binding(cage, (binding_kin){0}, count, points, allocator, out);
}

// ---- a cage bound to its skin

static bool moves_with_triangle(const character_soup *soup, binding_kin kin, size_t vertex, uint32_t triangle) {
    double most = 0;
    for (size_t k = 0; k < 3; k++)
        most = fmax(most, common_weight(kin.skin, soup->corners.at[3 * (size_t)triangle + k], kin.cage, vertex));
    return most >= least_common;
}

/// The nearest point of the skin for a vertex of the cage, on a triangle that moves with a joint of it if there is one.
static soup_place find_own_place(const character_soup *soup, binding_kin kin, size_t vertex) {
    const double *p = toc_mesh_get_x1(kin.cage->cage) + 3 * vertex;
    const soup_place nearest = toc_soup_find_nearest(soup, p, 0);
    soup_place own = {.distance = INFINITY};
    if (moves_with_triangle(soup, kin, vertex, nearest.triangle)) return nearest;
    for (uint32_t t = 0; t < soup->corners.count / 3; t++) {
        if (!moves_with_triangle(soup, kin, vertex, t)) continue;
        const soup_place place = toc_soup_find_on(soup, t, p);
        if (place.distance < own.distance) own = place;
    }
    return own.distance < INFINITY ? own : nearest;
}

static toc_status fill_skin_binding(toc_binding *b, binding_kin kin) {
    const size_t count = toc_mesh_get_vertex_count(kin.cage->cage);
    character_soup soup;
    toc_status status = toc_array_room(&b->memory, &b->points, count);
    if (status != TOC_OK) return status;
    status = toc_soup_make(&b->memory, kin.skin->cage, &soup);
    for (size_t v = 0; v < count && status == TOC_OK; v++) {
        const soup_place place = find_own_place(&soup, kin, v);
        if (!isfinite(place.distance)) status = toc_fail(TOC_BAD_INPUT, "the skin or the cage is not finite");
        const uint32_t *corners = soup.corners.at + 3 * (size_t)place.triangle;
        const double *w = place.weights;
        b->points.at[b->points.count++] = (bound_point){.v = {corners[0], corners[1], corners[2], corners[0]},
                                                        .weights = {w[0], w[1], w[2], 0},
                                                        .distance = place.distance};
        b->distance = fmax(b->distance, place.distance);
    }
    toc_soup_free(&b->memory, &soup);
    return status;
}

static toc_status check_kin(const toc_character_def *cage, const toc_character_def *skin) {
    TOC_NEED(cage);
    TOC_NEED(skin);
    TOC_TRY(toc_character_check_joints(cage));
    return toc_character_check_joints(skin);
}

toc_status toc_skin_bind(const toc_character_def *skin, const toc_character_def *cage, const toc_allocator *allocator,
                         toc_binding **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_TRY(check_kin(cage, skin));
    toc_binding *b = begin_binding(allocator, toc_mesh_get_vertex_count(skin->cage), "skin");
    if (!b) return TOC_OUT_OF_MEMORY;
    const toc_status status = fill_skin_binding(b, (binding_kin){cage, skin});
    if (status == TOC_OK)
        *out = b;
    else
        toc_binding_destroy(b);
    return status;
}

toc_status toc_cage_bind(const toc_character_def *cage, const toc_character_def *skin, const toc_allocator *allocator,
                         toc_binding **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_TRY(check_kin(cage, skin));
    return create_binding(cage->cage, (binding_kin){cage, skin}, toc_mesh_get_vertex_count(skin->cage),
                          toc_mesh_get_x1(skin->cage), allocator, out);
}

void toc_binding_destroy(toc_binding *b) {
    if (!b) return;
    const toc_allocator memory = b->memory;
    toc_array_free(&memory, &b->points);
    toc_free(&memory, b, 1, sizeof *b);
}

toc_status toc_binding_apply(const toc_binding *b, size_t cage_count, const double *cage, size_t count,
                             double *points) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(b);
    TOC_NEED(cage);
    TOC_NEED(points);
    if (cage_count != b->count)
        return toc_fail(TOC_BAD_INPUT, "the array has %zu vertices, the %s has %zu", cage_count, b->mover, b->count);
    if (count != b->points.count)
        return toc_fail(TOC_BAD_INPUT, "room for %zu points given, %zu are bound", count, b->points.count);
    for (size_t i = 0; i < b->points.count; i++) {
        const bound_point *p = &b->points.at[i];
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 4; j++) sum += p->weights[j] * cage[3 * (size_t)p->v[j] + (size_t)k];
            points[3 * i + (size_t)k] = sum;
        }
    }
    return TOC_OK;
}

double toc_binding_get_distance_of(const toc_binding *b, size_t point) { return b->points.at[point].distance; }

double toc_binding_get_distance(const toc_binding *b) { return b ? b->distance : 0; }
