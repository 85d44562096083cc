// SPDX-License-Identifier: Apache-2.0
// Running a query: choose the way, bring the step up to date, run the pipeline.
#include "search/search.h"

#include <assert.h>

#include "base/threads.h"
#include "scene/thickness.h"
#include "search/device_tests.h"
#include "search/pipeline.h"

// ---- the kept state

void toc_search_drop(toc_search *search, toc_index_slot slot) {
    assert(slot < TOC_SLOT_COUNT);
    toc_index *index = search->indexes[slot];
    search->indexes[slot] = NULL;
    if (index) index->type->free(index);
}

static void drop_all(toc_search *search) {
    for (int slot = 0; slot < TOC_SLOT_COUNT; slot++) toc_search_drop(search, (toc_index_slot)slot);
    toc_device_rooms_free(search->device);
    search->device = NULL;
}

static void free_search(toc_search *search) {
    const toc_allocator allocator = search->allocator;
    drop_all(search);
    toc_free(&allocator, search, 1, sizeof *search);
}

void toc_search_forget(toc_scene *scene) {
    if (scene->search) drop_all(scene->search);
}

toc_status toc_search_need(toc_scene *scene) {
    if (scene->search) return TOC_OK;
    scene->search = toc_new(&scene->memory, 1, sizeof *scene->search);
    if (!scene->search) return TOC_OUT_OF_MEMORY;
    *scene->search = (toc_search){.allocator = scene->memory};
    scene->free_search = free_search;
    return TOC_OK;
}

// ---- a query

static toc_status update_step(const toc_request *request, const toc_way *way) {
    const bool lists = way->reads_elements || toc_filter_needs_elements(request->scene, &request->query);
    if (way->input == TOC_INPUT_ELEMENTS && !lists) return toc_request_place_step(request);
    return toc_request_update_step(request, way->input == TOC_INPUT_SURFACE || request->query.surface_only, lists);
}

// A choice for surfaces depends on the features of the updated step; any choice on the patches of worlds, which are as
// large as the step needs them. The second choice is the last one: an update for another way changes no patch.
toc_status toc_search_prepare(const toc_request *request, toc_choice *choice) {
    const double start = toc_seconds();
    *choice = toc_policy_choose(request);
    assert(choice->way->curved || !toc_scene_is_accelerated(request->scene));
    TOC_TRY(toc_search_need(request->scene));
    TOC_TRY(update_step(request, choice->way));
    const toc_way_input input = choice->way->input;
    if (input == TOC_INPUT_FEATURES || toc_scene_has_worlds(request->scene)) *choice = toc_policy_choose(request);
    if (choice->way->input != input) TOC_TRY(update_step(request, choice->way));
    if (!choice->way->on_device) TOC_TRY(toc_step_need_positions(request->scene, toc_request_threads(request)));
    choice->seconds = toc_seconds() - start;
    return TOC_OK;
}

static toc_status run_choice(const toc_request *request, const toc_choice *choice, toc_contacts *result,
                             bool *declined) {
    toc_search *search = request->scene->search;
    toc_policy_note(request, choice);
    toc_pipeline pipeline = {.request = request,
                             .kept = search,
                             .step = &request->scene->step,
                             .way = choice->way,
                             .skip = choice->skip,
                             .declines = choice->declines,
                             .gather_seconds = choice->seconds,
                             .index = &search->indexes[choice->way->slot]};
    return toc_pipeline_run(&pipeline, result, declined);
}

toc_status toc_search_run(const toc_request *request, toc_choice choice, toc_contacts *result) {
    assert(choice.way && request->scene->search);
    const double start = toc_seconds(), gathered = choice.seconds;
    bool declined;
    TOC_TRY(run_choice(request, &choice, result, &declined));
    if (declined) {
        choice = toc_policy_decline(request, &choice);
        TOC_TRY(toc_step_need_positions(request->scene, toc_request_threads(request)));
        choice.seconds = gathered + (toc_seconds() - start);
        TOC_TRY(run_choice(request, &choice, result, &declined));
    }
    result->preset = request->preset->name;
    result->chosen = choice.way->name;
    return TOC_OK;
}
