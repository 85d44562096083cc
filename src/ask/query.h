// SPDX-License-Identifier: Apache-2.0
// The settings of a query, checked once for every question.
#ifndef TOC_ASK_QUERY_H
#define TOC_ASK_QUERY_H

#include "base/threads.h"
#include "scene/scene.h"
#include "search/preset.h"

/// Copy a caller's query, of this version or an older one, and refuse settings that make no sense.
/// @param preset receives the preset of the query.
toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset);

/// A query that runs: its threads and its memory.
typedef struct toc_query_use {
    toc_scene *scene;
    toc_team team;
} toc_query_use;

/// Begin a query that holds the scene.
void toc_query_begin(toc_query_use *use, toc_scene *scene, const toc_query *query);
/// End it. @return the status given, with a message of its own where the memory limit was too low.
toc_status toc_query_end(toc_query_use *use, toc_status status);

#endif
