// SPDX-License-Identifier: Apache-2.0
// Making a request, and the step that it is about.
#include "search/request.h"

#include <math.h>

#include "search/narrow_phase.h"

// Looking for the thickest feature takes O(n); only worlds need the reach.
static double reach_of_query(const toc_scene *scene, const toc_query *query) {
    if (query->candidates) return INFINITY;
    return toc_scene_has_worlds(scene) ? toc_narrow_phase_reach(scene, query) : INFINITY;
}

toc_request toc_request_make(toc_scene *scene, const toc_query *query, const toc_preset *preset) {
    toc_request request = {.scene = scene, .query = *query, .preset = preset, .reach = reach_of_query(scene, query)};
    if (query->research) request.research = *query->research;
    return request;
}

toc_request toc_request_change(const toc_request *request, const toc_query *query) {
    toc_request changed = *request;
    changed.query = *query;
    if (isfinite(request->reach)) changed.reach = reach_of_query(request->scene, query);
    return changed;
}

int toc_request_threads(const toc_request *request) {
    return request->thrifty ? 1 : toc_scene_threads(request->scene, request->query.threads);
}

static toc_step_scope scope_of_request(const toc_request *request, bool surface_only) {
    return (toc_step_scope){.reach = request->reach,
                            .surface_only = surface_only,
                            .threads = toc_request_threads(request),
                            .positions_later = request->positions_later};
}

toc_status toc_request_update_step(const toc_request *request, bool surface_only, bool elements) {
    const toc_step_scope scope = scope_of_request(request, surface_only);
    TOC_TRY(toc_step_update(request->scene, &scope));
    const bool lists = elements || toc_filter_needs_elements(request->scene, &request->query);
    return lists ? toc_step_list_elements(request->scene, scope.threads) : TOC_OK;
}

toc_status toc_request_place_step(const toc_request *request) {
    const toc_step_scope scope = scope_of_request(request, false);
    return toc_step_place(request->scene, &scope);
}
