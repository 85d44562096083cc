// SPDX-License-Identifier: Apache-2.0
// Questions about candidates: see whether they cover the step, and search them.
#ifndef TOC_ASK_CANDIDATES_H
#define TOC_ASK_CANDIDATES_H

#include "ask/query.h"
#include "search/request.h"
#include "toccata/solver.h"

/// Bring the step up to date, and refuse candidates of the query that do not cover it up to a distance. Likewise below.
toc_status toc_candidates_check(const toc_request *request, double distance);
/// Refuse candidates that do not cover a distance with the thickness of the features.
toc_status toc_candidates_check_reach(const toc_request *request, double distance);
/// Find the contacts of the candidates, once these are checked.
toc_status toc_candidates_search(const toc_request *request, toc_contacts *result);
/// Check the candidates of a query and find their contacts: toc_scene_question.run.
toc_status toc_candidates_find(const toc_request *request, toc_scene_question *question);
/// Refuse candidates that do not cover a question about near pairs.
/// @param query checked settings. @param pairs receives the pairs to look at, surface_only the features they are of.
toc_status toc_candidates_list(toc_scene *scene, const toc_query *query, const toc_preset *preset, double distance,
                               const toc_pair_list **pairs, bool *surface_only);

#endif
