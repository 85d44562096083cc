// SPDX-License-Identifier: Apache-2.0
// Is a point in a volume element, and where?
//
// For a tet the decision is exact (decision.c). The other shapes are images of the unit cube under a trilinear map, a
// wedge and a pyramid with collapsed corners. Inside is certified by Kantorovich's theorem at a solution of Newton's
// method: a true solution is within twice the last step. Outside is certified by axes: the image of a cell of the cube
// is in the hull of its eight corners. Cells whose hulls an axis separates from the point are dropped, and the others
// split. Cells that become too small stay undecided. A microsecond if Newton's first attempt succeeds.
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "convex/convex.h"
#include "convex/decision.h"

enum { CUBE = 8, MOST_CELLS = 1024, DEEPEST = 40 };

/// The corner of the shape for each corner of the cube; cube corners in VTK's order.
static const int collapse_pyramid[CUBE] = {0, 1, 2, 3, 4, 4, 4, 4};
static const int collapse_wedge[CUBE] = {0, 1, 2, 2, 3, 4, 5, 5};
static const int collapse_hex[CUBE] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double cube[CUBE][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/// The corners of the cube's image relative to the point, about 1 in size.
typedef struct image {
    toc_vec corner[CUBE];
    toc_vec extent;
} image;

static double share(double place, double corner) { return corner > 0 ? place : 1 - place; }

static void cube_weights(const double place[3], double weights[CUBE]) {
    for (int i = 0; i < CUBE; i++)
        weights[i] = share(place[0], cube[i][0]) * share(place[1], cube[i][1]) * share(place[2], cube[i][2]);
}

static toc_vec image_at(const image *of, const double place[3]) {
    double weights[CUBE];
    toc_vec sum = {0};
    cube_weights(place, weights);
    for (int i = 0; i < CUBE; i++) sum = toc_vec_add(sum, toc_vec_scale(of->corner[i], weights[i]));
    return sum;
}

/// The derivatives of the image along the cube's three directions.
static void image_slopes(const image *of, const double place[3], toc_vec slope[3]) {
    for (int c = 0; c < 3; c++) {
        const int k = (c + 1) % 3, l = (c + 2) % 3;
        slope[c] = (toc_vec){0};
        for (int i = 0; i < CUBE; i++) {
            const double weight = share(place[k], cube[i][k]) * share(place[l], cube[i][l]);
            slope[c] = toc_vec_add(slope[c], toc_vec_scale(of->corner[i], cube[i][c] > 0 ? weight : -weight));
        }
    }
}

/// One step of Newton's method towards the origin. @param inverse receives a bound of the inverse's norm.
static bool newton_step(const image *of, const double place[3], double step[3], double *inverse) {
    toc_vec slope[3];
    image_slopes(of, place, slope);
    const toc_vec off = image_at(of, place);
    const toc_vec row[3] = {toc_vec_cross(slope[1], slope[2]), toc_vec_cross(slope[2], slope[0]),
                            toc_vec_cross(slope[0], slope[1])};
    const double volume = toc_vec_dot(slope[0], row[0]);
    if (!(fabs(volume) > 0x1p-100)) return false;
    *inverse = 0;
    for (int c = 0; c < 3; c++) {
        step[c] = -toc_vec_dot(row[c], off) / volume;
        *inverse = fmax(*inverse, sqrt(3 * toc_vec_dot(row[c], row[c])) / fabs(volume));
    }
    return isfinite(*inverse);
}

/// Whether a true solution is certainly in the cube, near a place where Newton's method has converged.
///
/// In the largest norm: second derivatives of a trilinear map sum up to at most 6 mixed ones of 4 extents each; the
/// inverse is known to a factor of 2 when its product with the rounding of the slopes is small.
static bool certainly_in(const image *of, const double place[3]) {
    double step[3], inverse, size = toc_vec_max(of->extent);
    if (!newton_step(of, place, step, &inverse) || inverse * size * 0x1p-40 > 0.25) return false;
    const double length = fmax(fmax(fabs(step[0]), fabs(step[1])), fabs(step[2])) + inverse * size * 0x1p-46;
    if (2 * inverse * 24 * size * 2 * length > 0.5) return false;
    for (int c = 0; c < 3; c++)
        if (!(place[c] - 4 * length >= 0 && place[c] + 4 * length <= 1)) return false;
    return true;
}

/// Newton's method from a place, kept within the cube. TOC_HIT: certainly inside. TOC_UNDECIDED: the place cannot be
/// distinguished from a solution. TOC_APART: nothing is known.
static toc_verdict solve_from(const image *of, double place[3]) {
    enum { MOST_STEPS = 24 };
    const double as_good_as_zero = 0x1p-46 * toc_vec_max(of->extent);
    for (int n = 0; n < MOST_STEPS; n++) {
        double step[3], inverse;
        if (toc_vec_max(image_at(of, place)) <= as_good_as_zero) break;
        if (!newton_step(of, place, step, &inverse)) break;
        for (int c = 0; c < 3; c++) place[c] = fmin(fmax(place[c] + step[c], 0), 1);
    }
    if (toc_vec_max(image_at(of, place)) > as_good_as_zero) return TOC_APART;
    return certainly_in(of, place) ? TOC_HIT : TOC_UNDECIDED;
}

/// A part of the cube: a corner and a side length.
typedef struct cell {
    double low[3], side;
    int depth;
} cell;

static void cell_place(const cell *c, const double at[3], double place[3]) {
    for (int k = 0; k < 3; k++) place[k] = c->low[k] + c->side * at[k];
}

/// Whether the image of a cell is certainly not at the point.
static bool misses(const image *of, const cell *part) {
    toc_gap gap = {.sets = 1, .count = {1, CUBE}, .extent = of->extent};
    toc_gjk found;
    for (int i = 0; i < CUBE; i++) {
        double place[3];
        cell_place(part, cube[i], place);
        const toc_vec at = image_at(of, place);
        gap.at[0][1][0][i] = at.x;
        gap.at[0][1][1][i] = at.y;
        gap.at[0][1][2][i] = at.z;
    }
    // A sum of eight products has more roundings than a corner has.
    gap.extent = toc_vec_scale(gap.extent, 4);
    toc_gjk_find(&gap, toc_gap_middle(&gap), true, &found);
    return found.lower > 0;
}

static toc_verdict search(const image *of, double place[3]) {
    static const double middle[3] = {0.5, 0.5, 0.5};
    cell open[8 * DEEPEST];
    int count = 1;
    open[0] = (cell){.side = 1};
    for (int looked_at = 0; count > 0; looked_at++) {
        const cell now = open[--count];
        if (misses(of, &now)) continue;
        double try[3];
        cell_place(&now, middle, try);
        const toc_verdict verdict = solve_from(of, try);
        const bool out_of_patience = looked_at >= MOST_CELLS || now.depth + 1 >= DEEPEST;
        if (verdict != TOC_APART || out_of_patience) {
            memcpy(place, try, sizeof try);
            return verdict == TOC_HIT ? TOC_HIT : TOC_UNDECIDED;
        }
        for (int i = 0; i < CUBE; i++) {
            cell *part = &open[count++];
            *part = (cell){.side = now.side / 2, .depth = now.depth + 1};
            for (int k = 0; k < 3; k++) part->low[k] = now.low[k] + part->side * cube[i][k];
        }
    }
    return TOC_APART;
}

static void map_cell_corners(const toc_gap *gap, const int *collapse, image *out) {
    // The sweep measures from its first corner, which is the point: A has only that one.
    out->extent = gap->extent;
    for (int i = 0; i < CUBE; i++) {
        const int from = collapse[i];
        out->corner[i] = (toc_vec){gap->at[0][1][0][from], gap->at[0][1][1][from], gap->at[0][1][2][from]};
    }
}

static void find_in_cube(const toc_gap *gap, const int *collapse, toc_inside *out) {
    image of;
    double place[3], weights[CUBE];
    map_cell_corners(gap, collapse, &of);
    out->verdict = search(&of, place);
    if (out->verdict == TOC_APART) return;
    cube_weights(place, weights);
    for (int i = 0; i < CUBE; i++) out->weights[collapse[i]] += weights[i];
}

static toc_status find_in_tet(const toc_hull *point, const toc_hull *element, const toc_gap *gap, toc_arena *scratch,
                              toc_inside *out) {
    toc_gjk found;
    toc_gjk_find(gap, toc_gap_middle(gap), false, &found);
    bool in = toc_gjk_certainly_inside(gap, &found);
    if (!in && !(found.lower > 0)) TOC_TRY(toc_decide_instant(point, element, 0, scratch, &in));
    out->verdict = in ? TOC_HIT : TOC_APART;
    for (int i = 0; in && i < found.size; i++) out->weights[found.corner[1][i]] += found.weights[i];
    return TOC_OK;
}

static const int *collapse_of(toc_shape shape) {
    return shape == TOC_PYRAMID ? collapse_pyramid : shape == TOC_WEDGE ? collapse_wedge : collapse_hex;
}

toc_status toc_inside_find(toc_shape shape, const double *corners, const double point[3], toc_inside *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    if (shape != TOC_TET && shape != TOC_PYRAMID && shape != TOC_WEDGE && shape != TOC_HEX)
        return toc_fail(TOC_BAD_INPUT, "a point can be in a tet, pyramid, wedge or hex, not in a %s",
                        toc_shape_get_name(shape));
    const toc_hull at = {.count = 1, .x0 = point, .x1 = point};
    const toc_hull element = {.count = toc_shape_count_corners(shape), .x0 = corners, .x1 = corners};
    TOC_TRY(toc_hull_check(&at, "point's"));
    TOC_TRY(toc_hull_check(&element, "element's"));
    toc_inside result = {0};
    toc_status status = TOC_OK;
    toc_arena scratch = toc_arena_make(NULL);
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_hull_sweep_make(&at, &element, 0, &sweep);
    toc_hull_sweep_part(&sweep, 0, 0, &gap);
    if (shape == TOC_TET)
        status = find_in_tet(&at, &element, &gap, &scratch, &result);
    else
        find_in_cube(&gap, collapse_of(shape), &result);
    toc_arena_free(&scratch);
    if (status == TOC_OK) *out = result;
    return status;
}
