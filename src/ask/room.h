// SPDX-License-Identifier: Apache-2.0
// The step that leaves room, for given pairs of features.
#ifndef TOC_ASK_ROOM_H
#define TOC_ASK_ROOM_H

#include "scene/scene.h"
#include "toccata/solver.h"

/// A pair of features, by its vertices as the step numbers them.
typedef struct toc_kind_pair {
    toc_kind kind;
    uint32_t v[4];
} toc_kind_pair;

/// Distances that pairs keep.
typedef struct toc_room_limits {
    double minimum; // distance, without the thickness of the features
    double share, most;
    bool thin; // whether all features are
} toc_room_limits;

/// Copy a caller's settings and check them; NULL for the defaults.
toc_status toc_room_take(const toc_room *given, toc_room *room);
/// The limits of a query, for the step of the scene.
toc_room_limits toc_room_limits_of(const toc_scene *scene, const toc_query *query, const toc_room *room);

/// Find the step for pairs of the scene's step, whose features must be up to date. Sorted pairs give the promised order
/// of toc_room_step. The answer does not depend on the number of threads.
toc_status toc_room_find(const toc_scene *scene, const toc_room_limits *limits, const toc_kind_pair *pairs,
                         size_t count, const toc_query *query, toc_room_step *out);

#endif
