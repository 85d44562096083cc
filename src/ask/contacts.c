// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: the main question.
#include "search/contacts.h"
#include "ask/candidates.h"
#include "ask/contacts.h"
#include "ask/query.h"
#include "base/arithmetic.h"
#include "base/threads.h"
#include "scene/scene.h"
#include "search/search.h"

// Prepare the step, choose the way, run its pipeline.
static toc_status search_contacts(const toc_request *request, toc_scene_question *question) {
    toc_choice choice;
    if (request->there) *request->there = (toc_contacts_there){0};
    TOC_TRY(toc_search_prepare(request, &choice));
    TOC_TRY(toc_search_run(request, choice, question->contacts));
    return toc_contacts_check(&request->query, question->contacts);
}

toc_status toc_contacts_ask(toc_scene *scene, const toc_query *query, toc_contacts_there *there, toc_contacts *reuse,
                            toc_contacts **out) {
    TOC_SCOPED_ARITHMETIC;
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take_listed(query, &settings, &preset));
    toc_contacts *result = reuse;
    if (!result) TOC_TRY(toc_contacts_make(&scene->allocator, &result));
    toc_request request = toc_request_make(scene, &settings, preset);
    request.positions_later = !settings.candidates;
    request.there = there;
    toc_scene_question question = {.run = settings.candidates ? toc_candidates_find : search_contacts,
                                   .contacts = result};
    const toc_status status = toc_query_run(&request, &question);
    if (status != TOC_OK) {
        if (!reuse) toc_result_free(result);
        return status;
    }
    toc_contacts_name_vertices(scene, result);
    result->seconds = toc_seconds() - start;
    *out = result;
    return TOC_OK;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts *reuse, toc_contacts **out) {
    return toc_contacts_ask(scene, query, NULL, reuse, out);
}

const toc_contact *toc_contacts_find_first(const toc_contacts *contacts) {
    TOC_SCOPED_ARITHMETIC;
    const toc_contact *first = contacts && contacts->count ? contacts->contacts : NULL;
    for (size_t i = 1; first && i < contacts->count; i++)
        if (toc_contact_compare_times(&contacts->contacts[i], first) < 0) first = &contacts->contacts[i];
    return first;
}
