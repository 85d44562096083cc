// SPDX-License-Identifier: Apache-2.0
// Do the interiors of two tets meet that share a corner?
//
// A plane between two convex sets contains each point that both have, so it passes through the shared corner, and it
// separates the tets exactly if it separates the cones of their edges there. The differences of points of the two cones
// form a cone as well. If a plane separates them, that cone is not all of space and has a facet, which contains two of
// the six edge directions. Therefore the planes through the corner and two of the other six are all that can be needed.
// Every question is the sign of an orientation determinant, which is exact. Neighbours that lie apart take a fraction
// of a microsecond.
#include "convex/fold.h"

#include "pair/orientation.h"

enum { ENDS = 6 }; // the other corners: three of each tet

/// The corner that both tets have, then the other ends of its edges: of A, then of B.
typedef struct corner_cones {
    const double *apex, *end[ENDS];
    toc_arena *scratch;
} corner_cones;

/// The lowest and the highest sign of three ends with regard to a plane.
typedef struct sign_range {
    int low, high;
} sign_range;

static toc_status find_signs(const corner_cones *cones, int p, int q, int first, sign_range *out) {
    *out = (sign_range){1, -1};
    for (int i = first; i < first + 3; i++) {
        int sign = 0;
        // A further common corner is in its own planes; the determinant would be 0, which takes integers to see.
        if (cones->end[i] != cones->end[p] && cones->end[i] != cones->end[q])
            TOC_TRY(
                toc_orientation_find(cones->apex, cones->end[p], cones->end[q], cones->end[i], cones->scratch, &sign));
        if (sign < out->low) out->low = sign;
        if (sign > out->high) out->high = sign;
    }
    return TOC_OK;
}

// Whether the plane through the apex and two ends separates the cones. If all ends of A lie in the plane, its three
// points are on one line, or A is flat.
static toc_status plane_separates(const corner_cones *cones, int p, int q, bool *out) {
    sign_range a, b;
    *out = false;
    if (cones->end[p] == cones->end[q]) return TOC_OK;
    TOC_TRY(find_signs(cones, p, q, 0, &a));
    if (a.low < 0 && a.high > 0) return TOC_OK;
    if (a.low == 0 && a.high == 0) return TOC_OK;
    TOC_TRY(find_signs(cones, p, q, 3, &b));
    *out = a.high > 0 ? b.high <= 0 : b.low >= 0;
    return TOC_OK;
}

static toc_status cone_has_volume(const corner_cones *cones, int first, bool *out) {
    int sign;
    TOC_TRY(toc_orientation_find(cones->apex, cones->end[first], cones->end[first + 1], cones->end[first + 2],
                                 cones->scratch, &sign));
    *out = sign != 0;
    return TOC_OK;
}

toc_status toc_tets_are_folded(const double *const a[4], const double *const b[4], toc_arena *scratch, bool *folded) {
    // The faces of the tets come first: one of them separates most neighbours.
    static const uint8_t planes[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {0, 4},
                                        {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}};
    const corner_cones cones = {a[0], {a[1], a[2], a[3], b[1], b[2], b[3]}, scratch};
    bool solid = true, separate = false;
    for (size_t i = 0; i < sizeof planes / sizeof *planes && !separate; i++)
        TOC_TRY(plane_separates(&cones, planes[i][0], planes[i][1], &separate));
    for (int first = 0; first < ENDS && solid && !separate; first += 3) TOC_TRY(cone_has_volume(&cones, first, &solid));
    *folded = solid && !separate;
    return TOC_OK;
}
