// SPDX-License-Identifier: Apache-2.0
// The contacts of a step: check the query, bring the step up to date, run the preset.
#include "base/threads.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "search/preset.h"

toc_query toc_query_default(void) {
    toc_query query = {.size = sizeof query, .preset = "auto", .answer = TOC_ALL, .test = toc_pair_test_default()};
    query.test.method = TOC_PRESET_METHOD;
    return query;
}

toc_status toc_query_check(const toc_query *query, const toc_preset **preset) {
    if (!query || query->size != sizeof *query)
        return toc_fail(TOC_BAD_INPUT, "the query settings must come from toc_query_default");
    *preset = query->preset ? toc_preset_named(query->preset) : NULL;
    if (!*preset) return toc_fail(TOC_BAD_INPUT, "there is no preset %s", query->preset ? query->preset : "NULL");
    if ((unsigned)query->answer > TOC_ANY)
        return toc_fail(TOC_BAD_INPUT, "there is no answer number %d", (int)query->answer);
    if (query->skip > TOC_SKIP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there is nothing to skip for all bits of %#x", (unsigned)query->skip);
    if (query->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", query->threads);
    return TOC_OK;
}

toc_status toc_scene_find_contacts(toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    const toc_preset *preset = NULL;
    toc_contacts *contacts;
    TOC_TRY(toc_query_check(query, &preset));
    scene->free_kept = toc_search_free_kept;
    TOC_TRY(toc_preset_update(preset, scene, query));
    TOC_TRY(preset->find(preset, scene, query, &contacts));
    contacts->preset = preset->name;
    contacts->seconds = toc_seconds() - start;
    *out = contacts;
    return TOC_OK;
}
