// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: the main question.
#include "ask/query.h"
#include "base/threads.h"
#include "scene/scene.h"
#include "search/order.h"
#include "search/result.h"
#include "search/search.h"

// Refuse an answer that no search may give, before it reaches the caller.
static toc_status check_answer(const toc_query *query, const toc_contacts *contacts) {
    if (query->answer == TOC_ANSWER_ALL || contacts->count <= 1) return TOC_OK;
    return toc_fail(TOC_INTERNAL, "the preset %s found %zu contacts instead of one; please report this", query->preset,
                    contacts->count);
}

// Prepare the step, choose the way, run its pipeline.
static toc_status prepare_and_search(toc_scene *scene, const toc_query *query, const toc_preset *preset,
                                     toc_contacts **out) {
    toc_choice choice;
    TOC_TRY(toc_search_prepare(scene, query, preset, &choice));
    TOC_TRY(toc_search_run(scene, query, preset, choice, out));
    const toc_status status = check_answer(query, *out);
    if (status != TOC_OK) toc_contacts_destroy(*out);
    return status;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_query settings;
    toc_contacts *contacts;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    toc_team team;
    toc_team_begin(&team);
    const toc_status status = prepare_and_search(scene, &settings, preset, &contacts);
    toc_team_end(&team);
    TOC_TRY(status);
    toc_result_name_vertices(scene, contacts);
    contacts->seconds = toc_seconds() - start;
    *out = contacts;
    return TOC_OK;
}

void toc_contacts_destroy(toc_contacts *contacts) { toc_result_free(contacts); }

const toc_contact *toc_contacts_find_first(const toc_contacts *contacts) {
    const toc_contact *first = contacts && contacts->count ? contacts->contacts : NULL;
    for (size_t i = 1; first && i < contacts->count; i++)
        if (toc_contact_compare_times(&contacts->contacts[i], first) < 0) first = &contacts->contacts[i];
    return first;
}
