// SPDX-License-Identifier: Apache-2.0
// The result of a query: the contacts of all workers, in order, with the report of the stages.
#ifndef TOC_SEARCH_RESULT_H
#define TOC_SEARCH_RESULT_H

#include "search/narrow_phase.h"

/// Make the result of a query; the same however the rounds were spread over the workers.
/// @param stages copied into the result; behind them one for the filter, where there is one, and one for the test.
toc_status toc_result_make(const toc_narrow_phase *phase, const toc_stage *stages, size_t stage_count,
                           toc_contacts **out);
/// Replace vertices of patches by those of their worlds. The patches must be those of the query.
void toc_result_name_vertices(const toc_scene *scene, toc_contacts *contacts);
void toc_result_free(toc_contacts *contacts);

#endif
