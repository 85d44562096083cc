// SPDX-License-Identifier: Apache-2.0
// A request: one question to a scene, as all of its search sees it.
//
// Made once when a question begins, and constant from there on. The scene keeps only state that outlives a question. A
// part of a question with other settings, such as the first contact of a safe step, is a request of its own.
#ifndef TOC_SEARCH_REQUEST_H
#define TOC_SEARCH_REQUEST_H

#include "scene/scene.h"
#include "search/preset.h"

/// Contacts that stay on a device, complete and in order, beside those that the answer lists.
typedef struct toc_contacts_there {
    const toc_contact *at; // on the device, until the next question
    size_t count;
} toc_contacts_there;

typedef struct toc_request {
    toc_scene *scene;
    toc_query query; // checked settings
    toc_research research;
    const toc_preset *preset;
    const toc_end *end;   // the question is about this end of the step; NULL for all of the step
    double reach;         // features farther apart do not count: worlds are gathered this far; infinite for all of them
    bool positions_later; // positions that are on a device may stay there until the processor needs them
    toc_contacts_there *there; // receives contacts that may stay on a device; NULL: all come to the processor
    bool thrifty;              // take the least memory: one thread, results moved out in rounds
} toc_request;

/// A request about all of the step. Its reach is that of the query; with candidates it takes all of the worlds, as they
/// do.
/// @param query checked settings.
toc_request toc_request_make(toc_scene *scene, const toc_query *query, const toc_preset *preset);
/// A request with other settings, for a part of a question.
toc_request toc_request_change(const toc_request *request, const toc_query *query);

/// The method of the elementary test.
static inline toc_method toc_request_method(const toc_request *request) {
    return toc_preset_method(request->preset, &request->query);
}
/// The k of the k-DOPs.
static inline int toc_request_dop(const toc_request *request) {
    return request->research.dop ? request->research.dop : request->preset->dop;
}
/// The number of threads. It depends on the patches of worlds.
int toc_request_threads(const toc_request *request);
/// Bring positions and features of the step of the scene up to date, and the elements around features if the filter,
/// the thickness or the caller needs them.
toc_status toc_request_update_step(const toc_request *request, bool surface_only, bool elements);
/// Bring the positions alone up to date.
toc_status toc_request_place_step(const toc_request *request);

#endif
