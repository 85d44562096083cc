// SPDX-License-Identifier: Apache-2.0
// The distance of two features, and the vector between their closest points. Plain floating point, for any finite
// input, degenerate or not. A proof must use the vector as an axis and bound its own error.
#ifndef TOC_PAIR_DISTANCE_H
#define TOC_PAIR_DISTANCE_H

#include "base/vec.h"
#include "toccata/pair.h"

/// Coordinates between these: products of four larger ones overflow, those of smaller ones vanish. toc_local_pair_of
/// brings any pair into this range.
#define TOC_DISTANCE_REACH 0x1p250
#define TOC_DISTANCE_LEAST 0x1p-200

/// The closest points of two features.
typedef struct toc_closest {
    double distance;
    toc_vec gap;       ///< From the closest point of the first to that of the second.
    double weights[6]; ///< Of the vertices, in the order given; those of each feature sum to 1.
} toc_closest;

/// Vertex x[0], face x[1] x[2] x[3].
toc_closest toc_closest_vf(const toc_vec x[4]);
/// Edge x[0] x[1], edge x[2] x[3].
toc_closest toc_closest_ee(const toc_vec x[4]);

/// Four vertices relative to the first one, divided by 2^exponent. The exponent is 0 unless products of four
/// coordinates could overflow or vanish; then the extent is about 1.
typedef struct toc_local_pair {
    toc_vec x[4];
    double extent; ///< The largest coordinate in x.
    int exponent;
} toc_local_pair;

/// Make one of any finite coordinates. Points between the vertices keep their digits, wherever the pair is.
toc_local_pair toc_local_pair_of(const toc_vec x[4]);
/// The closest points of a vertex and a face or of two edges, in the units of the local pair. The distance is off by at
/// most 2^-36 of the extent.
toc_closest toc_closest_local(toc_kind kind, const toc_local_pair *local);
/// The same in the units of the vertices given.
toc_closest toc_closest_pair(toc_kind kind, const toc_vec x[4]);

/// Triangles x[0] x[1] x[2] and x[3] x[4] x[5]; distance 0 and no gap where they meet.
toc_closest toc_closest_triangles(const toc_vec x[6]);

/// Signed distance of the point x[0] from the plane of x[1] x[2] x[3], positive on the side its normal points to; 0
/// when they span no plane.
double toc_distance_plane(const toc_vec x[4]);

#endif
