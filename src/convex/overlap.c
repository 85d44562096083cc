// SPDX-License-Identifier: Apache-2.0
// Do two convex elements overlap at an instant, and how deep?
//
// Yes or no is exact: an axis with an error bound proves them apart, a tetrahedron of differences around the origin
// proves a common point, and integers decide the rest (decision.c). The depth is the least shift that takes them apart,
// in floating point: it is along a face normal of either or a cross product of two edges. All of these are tried. A few
// microseconds for two tets that overlap, some ten for two hexes; less than one when apart. After Gottschalk, Lin and
// Manocha 1996, "OBBTree" (separating axes).
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "convex/convex.h"
#include "convex/decision.h"
#include "convex/overlap.h"

enum { EDGES = 28, FACES = 56 }; // pairs and triples out of 8 corners

/// The faces and edges of a hull. Some may occur twice; none is missing.
typedef struct convex_solid {
    int corner_count, face_count, edge_count;
    double size;
    toc_vec corner[TOC_HULL_CORNERS], normal[FACES], edge[EDGES];
} convex_solid;

static const double flat = 1e-9; // relative: a corner closer to a plane counts as on it

static void read_corners(const toc_gap *gap, int side, convex_solid *out) {
    const double(*at)[TOC_GAP_CORNERS] = gap->at[0][side];
    out->corner_count = gap->count[side];
    out->size = toc_vec_max(gap->extent);
    for (int i = 0; i < out->corner_count; i++) out->corner[i] = (toc_vec){at[0][i], at[1][i], at[2][i]};
}

/// Whether no corner is on one side of the plane.
static bool bounds(const convex_solid *s, toc_vec normal, toc_vec on) {
    double low = 0, high = 0;
    for (int i = 0; i < s->corner_count; i++) {
        const double height = toc_vec_dot(normal, toc_vec_sub(s->corner[i], on));
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return low > -flat * s->size || high < flat * s->size;
}

typedef struct ridge {
    toc_vec normal; // of the first face found at an edge
    bool seen, sharp;
} ridge;

static void add_face_at(ridge *r, toc_vec normal) {
    if (!r->seen)
        r->normal = normal;
    else if (toc_vec_max(toc_vec_cross(r->normal, normal)) > flat)
        r->sharp = true;
    r->seen = true;
}

static void find_faces(convex_solid *s, ridge ridges[TOC_HULL_CORNERS][TOC_HULL_CORNERS]) {
    for (int i = 0; i < s->corner_count; i++)
        for (int j = i + 1; j < s->corner_count; j++)
            for (int k = j + 1; k < s->corner_count; k++) {
                const toc_vec ij = toc_vec_sub(s->corner[j], s->corner[i]),
                              ik = toc_vec_sub(s->corner[k], s->corner[i]);
                const toc_vec normal = toc_vec_unit(toc_vec_cross(ij, ik));
                if (!(toc_vec_max(normal) > 0) || !bounds(s, normal, s->corner[i])) continue;
                s->normal[s->face_count++] = normal;
                add_face_at(&ridges[i][j], normal);
                add_face_at(&ridges[j][k], normal);
                add_face_at(&ridges[i][k], normal);
            }
}

/// Diagonals of flat faces are left out, unless all faces are flat.
static void find_edges(convex_solid *s, ridge ridges[TOC_HULL_CORNERS][TOC_HULL_CORNERS]) {
    bool solid_body = false;
    for (int i = 0; i < s->corner_count; i++)
        for (int j = i + 1; j < s->corner_count; j++) solid_body |= ridges[i][j].sharp;
    for (int i = 0; i < s->corner_count; i++)
        for (int j = i + 1; j < s->corner_count; j++)
            if (!solid_body || ridges[i][j].sharp) s->edge[s->edge_count++] = toc_vec_sub(s->corner[j], s->corner[i]);
}

static void make_solid(const toc_gap *gap, int side, convex_solid *out) {
    ridge ridges[TOC_HULL_CORNERS][TOC_HULL_CORNERS];
    memset(ridges, 0, sizeof ridges);
    out->face_count = out->edge_count = 0;
    read_corners(gap, side, out);
    find_faces(out, ridges);
    find_edges(out, ridges);
}

typedef struct way_out {
    double depth;
    toc_vec normal; // the shift of A
} way_out;

static void try_axis(const convex_solid *a, const convex_solid *b, toc_vec axis, way_out *best) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const convex_solid *both[2] = {a, b};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < both[side]->corner_count; i++) {
            const double x = toc_vec_dot(axis, both[side]->corner[i]);
            if (x < low[side]) low[side] = x;
            if (x > high[side]) high[side] = x;
        }
    if (high[0] - low[1] < best->depth) *best = (way_out){high[0] - low[1], toc_vec_scale(axis, -1)};
    if (high[1] - low[0] < best->depth) *best = (way_out){high[1] - low[0], axis};
}

/// A direction perpendicular to the longest edge. If all corners are on one line, any such direction separates at once.
static toc_vec any_normal_to_edge(const convex_solid *a, const convex_solid *b) {
    const toc_vec along = b->edge_count > 0 ? b->edge[0] : a->edge_count > 0 ? a->edge[0] : (toc_vec){1, 0, 0};
    const bool mostly_x = fabs(along.x) >= toc_vec_max(along);
    const toc_vec normal = toc_vec_unit(toc_vec_cross(along, mostly_x ? (toc_vec){0, 1, 0} : (toc_vec){1, 0, 0}));
    return toc_vec_max(normal) > 0 ? normal : (toc_vec){0, 0, 1};
}

static way_out find_way_out(const toc_gap *gap) {
    convex_solid a, b;
    way_out best = {.depth = INFINITY};
    make_solid(gap, 0, &a);
    make_solid(gap, 1, &b);
    for (int i = 0; i < a.face_count; i++) try_axis(&a, &b, a.normal[i], &best);
    for (int i = 0; i < b.face_count; i++) try_axis(&a, &b, b.normal[i], &best);
    for (int i = 0; i < a.edge_count; i++)
        for (int j = 0; j < b.edge_count; j++) {
            const toc_vec axis = toc_vec_unit(toc_vec_cross(a.edge[i], b.edge[j]));
            if (toc_vec_max(axis) > 0) try_axis(&a, &b, axis, &best);
        }
    if (best.depth == INFINITY) try_axis(&a, &b, any_normal_to_edge(&a, &b), &best);
    best.depth = fmax(best.depth, 0);
    return best;
}

static void fill(const toc_hull *b, const toc_gap *gap, const toc_gjk *found, int unit, toc_overlap *out) {
    toc_vec point = {0}, normal = toc_vec_unit(toc_vec_scale(found->axis, -1));
    for (int i = 0; i < found->size; i++)
        point = toc_vec_add(point, toc_vec_scale(toc_vec_of(&b->x0[3 * found->corner[1][i]]), found->weights[i]));
    if (out->verdict == TOC_HIT) {
        const way_out way = find_way_out(gap);
        out->depth = ldexp(way.depth, unit);
        normal = way.normal;
    } else {
        out->distance = ldexp(found->distance, unit);
    }
    toc_vec_to(out->normal, normal);
    toc_vec_to(out->point, point);
}

toc_status toc_overlap_find_unchecked(const toc_hull *a, const toc_hull *b, toc_arena *scratch, toc_overlap *out) {
    toc_overlap result = {0};
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_gjk found;
    toc_hull_sweep_make(a, b, 0, &sweep);
    toc_hull_sweep_part(&sweep, 0, 0, &gap);
    toc_gjk_find(&gap, toc_gap_middle(&gap), false, &found);
    bool share = toc_gjk_certainly_inside(&gap, &found);
    if (!share && !(found.lower > 0)) TOC_TRY(toc_decide_instant(a, b, 0, scratch, &share));
    result.verdict = share ? TOC_HIT : TOC_APART;
    fill(b, &gap, &found, sweep.unit, &result);
    *out = result;
    return TOC_OK;
}

toc_status toc_overlap_find(int count_a, const double *a, int count_b, const double *b, toc_overlap *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    const toc_hull first = {.count = count_a, .x0 = a, .x1 = a}, second = {.count = count_b, .x0 = b, .x1 = b};
    TOC_TRY(toc_hull_check(&first, "first"));
    TOC_TRY(toc_hull_check(&second, "second"));
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_overlap_find_unchecked(&first, &second, &scratch, out);
    toc_arena_free(&scratch);
    return status;
}
