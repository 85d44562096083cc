// SPDX-License-Identifier: Apache-2.0
// Running a query: choose the way, bring the step up to date, run the pipeline.
#include "search/search.h"

#include <assert.h>

#include "base/threads.h"
#include "scene/thickness.h"
#include "search/pipeline.h"

// ---- the kept state

void toc_search_drop(toc_search *search, toc_index_slot slot) {
    assert(slot < TOC_SLOT_COUNT);
    toc_index *index = search->indexes[slot];
    search->indexes[slot] = NULL;
    if (index) index->type->free(index);
}

static void free_search(toc_search *search) {
    const toc_allocator allocator = search->allocator;
    for (int slot = 0; slot < TOC_SLOT_COUNT; slot++) toc_search_drop(search, (toc_index_slot)slot);
    toc_free(&allocator, search, 1, sizeof *search);
}

void toc_search_forget(toc_scene *scene) {
    for (int slot = 0; scene->search && slot < TOC_SLOT_COUNT; slot++)
        toc_search_drop(scene->search, (toc_index_slot)slot);
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

// The pair filter of groups and thickness need the elements around features, for every index.
static toc_status update_step(toc_scene *scene, const toc_query *query, const toc_preset *preset, const toc_way *way) {
    const int threads = toc_scene_threads(scene, query->threads);
    if (toc_scene_has_worlds(scene))
        scene->reach = toc_narrow_phase_reach(scene, query, toc_preset_method(preset, query));
    const bool lists = toc_filter_needs_elements(scene, query);
    if (way->input == TOC_INPUT_ELEMENTS && !lists) return toc_step_place(scene, threads);
    TOC_TRY(toc_step_update(scene, way->input == TOC_INPUT_SURFACE || query->surface_only, threads));
    return lists ? toc_step_list_elements(scene, threads) : TOC_OK;
}

// A choice for surfaces depends on the features of the updated step; any choice on the patches of worlds, which are as
// large as the step needs them. The second choice is the last one: an update for another way changes no patch.
toc_status toc_search_prepare(toc_scene *scene, const toc_query *query, const toc_preset *preset, toc_choice *choice) {
    const double start = toc_seconds();
    *choice = toc_policy_choose(scene, query, preset);
    assert(choice->way->curved || !toc_scene_is_accelerated(scene));
    TOC_TRY(toc_search_need(scene));
    TOC_TRY(update_step(scene, query, preset, choice->way));
    const toc_way_input input = choice->way->input;
    if (input == TOC_INPUT_FEATURES || toc_scene_has_worlds(scene)) *choice = toc_policy_choose(scene, query, preset);
    if (choice->way->input != input) TOC_TRY(update_step(scene, query, preset, choice->way));
    choice->seconds = toc_seconds() - start;
    return TOC_OK;
}

static toc_status run_choice(toc_scene *scene, const toc_query *query, const toc_preset *preset,
                             const toc_choice *choice, toc_contacts *result, bool *declined) {
    toc_search *search = scene->search;
    toc_policy_note(scene, preset, choice);
    toc_pipeline pipeline = {.scene = scene,
                             .kept = search,
                             .step = &scene->step,
                             .query = query,
                             .preset = preset,
                             .way = choice->way,
                             .skip = preset->skip | query->skip | choice->skip,
                             .gather_seconds = choice->seconds,
                             .index = &search->indexes[choice->way->index->slot]};
    return toc_pipeline_run(&pipeline, result, declined);
}

toc_status toc_search_run(toc_scene *scene, const toc_query *query, const toc_preset *preset, toc_choice choice,
                          toc_contacts *result) {
    assert(choice.way && scene->search);
    const double start = toc_seconds(), gathered = choice.seconds;
    bool declined;
    TOC_TRY(run_choice(scene, query, preset, &choice, result, &declined));
    if (declined) {
        choice = toc_policy_decline(scene, &choice);
        choice.seconds = gathered + (toc_seconds() - start);
        TOC_TRY(run_choice(scene, query, preset, &choice, result, &declined));
    }
    result->preset = preset->name;
    result->chosen = choice.way->name;
    return TOC_OK;
}
