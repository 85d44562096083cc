// SPDX-License-Identifier: Apache-2.0
// The result of a query: the contacts of all workers, in order, with the report of the stages.
#ifndef TOC_SEARCH_CONTACTS_H
#define TOC_SEARCH_CONTACTS_H

#include "base/result.h"
#include "search/narrow_phase.h"

/// Stages of a report at most.
enum { TOC_RESULT_STAGES = 28 };

extern const toc_answer_type toc_contact_type;

/// An empty result, to be filled. Free with toc_result_free.
toc_status toc_contacts_make(const toc_allocator *allocator, toc_contacts **out);
/// Fill a result with the answer of a query, or hand that to the sink of the query; the same however the rounds were
/// spread over the workers. On failure the result stays as it was.
toc_status toc_contacts_fill(toc_narrow_phase *phase, toc_contacts *result);
/// Write the report of a query: its stages, behind them one for the filter, where there is one, and one for the test.
void toc_contacts_report(const toc_narrow_phase *phase, const toc_stage *stages, size_t stage_count,
                         toc_contacts *result);
/// Let a result have `count` contacts, to be written to the room that is returned; NULL on failure.
toc_contact *toc_contacts_extend(toc_contacts *result, size_t count);
/// Refuse an answer that no search may give, before it reaches the caller.
/// @return TOC_INTERNAL for several contacts where the query wants one; else TOC_OK.
toc_status toc_contacts_check(const toc_query *query, const toc_contacts *contacts);
/// Add a stage to the report.
void toc_contacts_add_stage(toc_contacts *result, toc_stage stage);
/// Replace vertices of patches by those of their worlds. The patches must be those of the query.
void toc_contacts_name_vertices(const toc_scene *scene, toc_contacts *contacts);

#endif
