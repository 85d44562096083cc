// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: the main question.
#include "ask/query.h"
#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/order.h"
#include "search/result.h"
#include "search/search.h"

// Prepare the step, choose the way, run its pipeline. @param result receives the contacts.
static toc_status search_contacts(const toc_asked *asked, void *result) {
    toc_choice choice;
    TOC_TRY(toc_search_prepare(asked->scene, asked->query, asked->preset, &choice));
    TOC_TRY(toc_search_run(asked->scene, asked->query, asked->preset, choice, result));
    return toc_result_check(asked->query, result);
}

static toc_status ask_contacts(toc_scene *scene, const toc_query *query, const toc_preset *preset,
                               toc_contacts *result) {
    toc_query watched = *query;
    toc_query_sink sink;
    toc_query_watch_sink(&watched, &sink);
    return toc_query_run(&(toc_asked){scene, &watched, preset},
                         &(toc_query_work){search_contacts, result, &sink.is_used});
}

toc_status toc_scene_update_contacts(toc_scene *scene, const toc_query *query, toc_contacts **contacts) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(contacts);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    toc_contacts *result = *contacts;
    if (!result) TOC_TRY(toc_result_make(&scene->allocator, &result));
    const toc_status status = ask_contacts(scene, &settings, preset, result);
    if (status != TOC_OK) {
        if (!*contacts) toc_result_free(result);
        return status;
    }
    toc_result_name_vertices(scene, result);
    result->seconds = toc_seconds() - start;
    *contacts = result;
    return TOC_OK;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    TOC_NEED(out);
    toc_contacts *contacts = NULL;
    TOC_TRY(toc_scene_update_contacts(scene, query, &contacts));
    *out = contacts;
    return TOC_OK;
}

toc_status toc_contacts_create(const toc_allocator *allocator, size_t count, const toc_contact *contacts,
                               toc_contacts **out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_contacts *result;
    TOC_NEED(out);
    if (count > 0) TOC_NEED(contacts);
    TOC_TRY(toc_result_make(&memory, &result));
    toc_status status = toc_result_copy(result, count, contacts);
    for (size_t i = 0; i < count && status == TOC_OK; i++) status = toc_kind_check(contacts[i].kind);
    if (status != TOC_OK) {
        toc_result_free(result);
        return status;
    }
    result->preset = result->chosen = "";
    *out = result;
    return TOC_OK;
}

void toc_contacts_destroy(toc_contacts *contacts) { toc_result_free(contacts); }

const toc_contact *toc_contacts_find_first(const toc_contacts *contacts) {
    const toc_contact *first = contacts && contacts->count ? contacts->contacts : NULL;
    for (size_t i = 1; first && i < contacts->count; i++)
        if (toc_contact_compare_times(&contacts->contacts[i], first) < 0) first = &contacts->contacts[i];
    return first;
}
