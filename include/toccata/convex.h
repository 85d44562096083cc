// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_CONVEX_H
#define TOCCATA_CONVEX_H

#include "toccata/mesh.h"
#include "toccata/pair.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Corners of a hull at most: those of a hexahedron.
#define TOC_HULL_CORNERS 8

/// A moving convex element: the hull of 1 to 8 corners of any shape - point, edge, triangle, tet, pyramid, wedge, hex
/// -, flat and repeated corners included. The hull of a hex contains both splits of its bent faces.
typedef struct toc_hull {
    int count;
    const double *x0, *x1; ///< Corners at the start and at the end of the step, 3 doubles each.
    /// NULL for straight paths. Else a third point per corner, and the path is the parabola
    /// (1-t)^2 x0 + 2t(1-t) control + t^2 x1: constant acceleration 2 (x0 - 2 control + x1), leaving towards `control`.
    const double *control;
} toc_hull;

/// The control points of paths from x0 to x1 with a constant acceleration (length per step squared):
/// (x0 + x1)/2 - acceleration/4, rounded. Give 3 * count doubles of each.
TOC_API void toc_path_find_control(int count, const double *x0, const double *x1, const double *acceleration,
                                   double *control);

/// When and where two moving convex elements first touch. After TOC_APART only the verdict means anything.
typedef struct toc_convex_hit {
    toc_verdict verdict;
    double toc;                          ///< In [from, to], never later than the true first time.
    double weights[2][TOC_HULL_CORNERS]; ///< The point as a blend of each element's corners at `toc`.
    double point[3];                     ///< On the second element at `toc`.
    double normal[3];                    ///< Unit, from the second towards the first.
} toc_convex_hit;

/// Whether and when two moving convex elements touch, overlap at the start included. Never misses a contact, for any
/// finite input. Methods: TOC_METHOD_CERTIFIED, or TOC_METHOD_EXACT to ask exact arithmetic at once. With `test->exact`
/// and no separation nothing is left undecided.
TOC_API toc_status toc_convex_find(const toc_hull *a, const toc_hull *b, const toc_pair_test *test,
                                   toc_convex_hit *out);

/// The four vertices of an elementary question on parabolas: the path of toc_hull, with its control points.
typedef struct toc_quadratic_pair {
    double x0[4][3], control[4][3], x1[4][3];
} toc_quadratic_pair;

/// As toc_pair_find, on parabolas; methods as in toc_convex_find.
TOC_API toc_status toc_quadratic_find(toc_kind kind, const toc_quadratic_pair *pair, const toc_pair_test *test,
                                      toc_hit *out);

/// The relation of two convex elements at an instant.
typedef struct toc_overlap {
    toc_verdict verdict; ///< TOC_HIT when they share a point, be it on the boundary; TOC_APART. Exact, never undecided.
    double depth;        ///< The length of the shortest shift that separates them, in floating point; 0 when apart.
    double distance;     ///< Between them, in floating point; 0 when they overlap.
    double normal[3];    ///< Unit: the first, moved by depth * normal, only touches. Apart: from second to first.
    double point[3];     ///< In both of them; when apart, the nearest on the second.
} toc_overlap;

/// Whether two convex elements of 1 to 8 corners (3 doubles each) overlap: an exact decision for any finite input,
/// flat, coplanar and repeated corners included. Triangles against triangles are the case of 3 and 3.
TOC_API toc_status toc_overlap_find(int count_a, const double *a, int count_b, const double *b, toc_overlap *out);

/// The closest points of a vertex and a face, or of two edges, at an instant.
typedef struct toc_distance {
    double distance;
    double gap[3];     ///< From the closest point of the first feature to that of the second.
    double weights[4]; ///< Of the vertices, as in toc_hit: VF 1 and three, EE two and two.
    double point[3];   ///< The closest one on the second feature.
} toc_distance;

/// The distance between a vertex and a face, or between two edges: four vertices of 3 doubles in the kind's order. The
/// distance is off by at most 2^-36 R + 2^-1074. R is the extent of the pair: the largest difference of a coordinate
/// from that of the first vertex. The bound holds for all finite coordinates, far from the origin, too, and includes
/// the rounding of the differences. Faces without area, edges without length and parallel edges are allowed.
/// toc_overlap_find gives the distance of other elements, and decides exactly whether they touch.
TOC_API toc_status toc_distance_find(toc_kind kind, const double *x, toc_distance *out);

/// The place of a point in a volume element.
typedef struct toc_inside {
    toc_verdict verdict;              ///< TOC_HIT inside or on the boundary, TOC_APART outside. Exact for a tet.
    double weights[TOC_HULL_CORNERS]; ///< The point as a blend of the corners; sum 1. Only after TOC_HIT.
} toc_inside;

/// Whether a point is in a tet, pyramid, wedge or hex. A tet is the hull of its corners, flat or inverted ones, too.
/// The other shapes are the images of their shape functions, so bent faces bulge as they do in finite elements. A hex
/// is the trilinear image of the unit cube, a wedge and a pyramid those of a cube with an edge or a face collapsed. A
/// point too close to their boundary for a proof is TOC_UNDECIDED, with the nearest weights found.
TOC_API toc_status toc_inside_find(toc_shape shape, const double *corners, const double point[3], toc_inside *out);

#ifdef __cplusplus
}
#endif

#endif
