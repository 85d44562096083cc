// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: the question that most callers ask.
#include "ask/query.h"
#include "base/threads.h"
#include "scene/scene.h"
#include "search/order.h"
#include "search/result.h"
#include "search/search.h"

// Prepare the step, choose the way, run its pipeline, report.
toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_query settings;
    toc_choice choice;
    toc_contacts *contacts;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(toc_search_prepare(scene, &settings, preset, &choice));
    TOC_TRY(toc_search_run(scene, &settings, preset, choice, &contacts));
    contacts->seconds = toc_seconds() - start;
    *out = contacts;
    return TOC_OK;
}

void toc_contacts_destroy(toc_contacts *contacts) { toc_result_free(contacts); }

const toc_contact *toc_contacts_find_first(const toc_contacts *contacts) {
    const toc_contact *first = contacts->count ? contacts->contacts : NULL;
    for (size_t i = 1; i < contacts->count; i++)
        if (toc_contact_compare_times(&contacts->contacts[i], first) < 0) first = &contacts->contacts[i];
    return first;
}
