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

/// The sink of a query that may run again as long as the sink has received nothing.
typedef struct toc_query_sink {
    toc_contact_sink given; // the caller's
    bool is_used;
} toc_query_sink;

/// Let the query tell when it hands contacts to its sink. Without a sink, nothing changes.
void toc_query_watch_sink(toc_query *query, toc_query_sink *sink);

/// A question as its work sees it: checked settings, and the preset that they name.
typedef struct toc_asked {
    toc_scene *scene;
    const toc_query *query;
    const toc_preset *preset;
} toc_asked;

/// The work of a query, which may run several times: only its success may change the answer.
typedef struct toc_query_work {
    toc_status (*run)(const toc_asked *asked, void *user);
    void *user;           // the answer, and settings beside the query
    const bool *is_final; // set once the caller has seen a part of the answer: it cannot run again. May be NULL
} toc_query_work;

/// Run a query that holds the scene. If it passes the memory limit, run it again: without the structures that the scene
/// keeps, then with the least memory (toc_scene.thrifty).
/// @return the status of the work, with a message of its own where the memory limit was too low.
toc_status toc_query_run(const toc_asked *asked, const toc_query_work *work);

#endif
