// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: check the query, bring the step up to date, run the preset.
#include <stddef.h>

#include "base/settings.h"
#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/preset.h"

static toc_query make_default_query(void) {
    toc_query query = {.preset = "auto", .answer = TOC_ANSWER_ALL, .test = toc_pair_test_default()};
    query.test.method = TOC_METHOD_OF_PRESET;
    return query;
}

static toc_settings query_settings(const toc_query *defaults) {
    return (toc_settings){
        .init = "toc_query_init", .oldest = offsetof(toc_query, skip), .size = sizeof(toc_query), .defaults = defaults};
}

toc_status toc_query_init(toc_query *query, size_t size) {
    const toc_query defaults = make_default_query();
    const toc_settings settings = query_settings(&defaults);
    return toc_settings_init(&settings, query, size);
}

toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset) {
    const toc_query defaults = make_default_query();
    const toc_settings settings = query_settings(&defaults);
    TOC_TRY(toc_settings_take(&settings, given, query));
    *preset = query->preset ? toc_preset_named(query->preset) : NULL;
    if (!*preset) return toc_fail(TOC_BAD_INPUT, "there is no preset %s", query->preset ? query->preset : "NULL");
    if ((unsigned)query->answer > TOC_ANSWER_ANY)
        return toc_fail(TOC_BAD_INPUT, "there is no answer number %d", (int)query->answer);
    if (query->skip > TOC_SKIP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there is nothing to skip for all bits of %#x", (unsigned)query->skip);
    if (query->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", query->threads);
    return TOC_OK;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_query settings;
    toc_contacts *contacts;
    TOC_NEED(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    scene->free_kept = toc_search_free_kept;
    TOC_TRY(toc_preset_update(preset, scene, &settings));
    TOC_TRY(preset->find(preset, scene, &settings, &contacts));
    contacts->preset = preset->name;
    if (!contacts->chosen) contacts->chosen = toc_preset_pipeline(preset);
    contacts->seconds = toc_seconds() - start;
    *out = contacts;
    return TOC_OK;
}
