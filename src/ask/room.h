// SPDX-License-Identifier: Apache-2.0
// The step that leaves room, for given pairs of features.
#ifndef TOC_ASK_ROOM_H
#define TOC_ASK_ROOM_H

#include "search/preset.h"
#include "toccata/solver.h"

/// Distances that pairs keep.
typedef struct toc_room_limits {
    double minimum; // distance, without the thickness of the features
    double share, most;
    bool thin; // whether all features are
} toc_room_limits;

/// Copy a caller's settings and check them; a NULL room has the defaults. The query asks for all pairs by exact tests,
/// with the minimum distance as its separation.
toc_status toc_room_take(const toc_query *query, const toc_room *room, toc_query *settings, const toc_preset **preset,
                         toc_room *asked);
/// The limits of a query, for the step of the scene.
toc_room_limits toc_room_limits_of(const toc_scene *scene, const toc_query *query, const toc_room *room);

/// The search for the pairs that come within the minimum distance and the largest gap to keep.
typedef struct toc_room_source {
    /// Find them as the contacts of the query, or hand them to its sink.
    toc_status (*search)(void *user, const toc_query *query, toc_contacts *result);
    void *user;
} toc_room_source;

/// Find the step for the pairs of a source. The answer does not depend on the number of threads. With the least memory
/// (toc_scene.thrifty) it takes the pairs through a sink, and keeps those that can decide.
/// @param query whose separation is that of the search.
toc_status toc_room_find(const toc_scene *scene, const toc_room_limits *limits, const toc_query *query,
                         const toc_room_source *source, toc_room_step *out);

#endif
