// SPDX-License-Identifier: Apache-2.0
// Asking a question other than contacts.
#include "ask/question.h"

#include <assert.h>

#include "scene/scene.h"
#include "search/search.h"

// Most questions have one way each, whatever the preset of the query.
static const toc_preset question_preset = {.name = "question", .method = TOC_METHOD_CERTIFIED, .dop = 16};

// The settings of contacts do not count.
static toc_query question_settings(const toc_query *query, const toc_scene_question *question) {
    toc_query settings = *query;
    settings.answer = TOC_ANSWER_ALL;
    settings.test = toc_pair_test_default();
    settings.test.separation = question->distance;
    settings.thin = query->thin || question->thin;
    settings.sink = (toc_contact_sink){.take = NULL};
    settings.skip = 0;
    settings.dop = settings.lower_height = 0;
    return settings;
}

static toc_step step_at(const toc_step *step, const toc_end *end) {
    toc_step at = *step;
    if (!end) return at;
    at.x0 = at.x1 = *end == TOC_AT_START ? step->x0 : step->x1;
    at.control = NULL;
    return at;
}

static toc_status run_question(const toc_asked *asked, void *user) {
    const toc_scene_question *question = user;
    const toc_end *end = question->end;
    const toc_query *query = asked->query;
    toc_scene *scene = asked->scene;
    bool declined;
    assert(question->way->index && question->distance >= 0);
    assert(question->way->finish); // it makes the answer
    if (end && (unsigned)*end > TOC_AT_END)
        return toc_fail(TOC_BAD_INPUT, "there is no end number %d of a step", (int)*end);
    TOC_TRY(toc_search_need(scene));
    const int threads = toc_scene_threads(scene, query->threads);
    TOC_TRY(toc_step_update(scene, query->surface_only, threads));
    if (question->elements || toc_filter_needs_elements(scene, query)) TOC_TRY(toc_step_list_elements(scene, threads));
    const toc_step step = step_at(&scene->step, end);
    toc_pipeline pipeline = {.scene = scene,
                             .kept = scene->search,
                             .step = &step,
                             .query = query,
                             .preset = question->preset ? question->preset : &question_preset,
                             .way = question->way,
                             .index = &scene->search->indexes[question->way->index->slot],
                             .question = question->own,
                             .item_size = question->item_size};
    return toc_pipeline_run(&pipeline, NULL, &declined);
}

toc_status toc_question_ask(toc_scene *scene, const toc_query *query, const toc_scene_question *question) {
    const toc_preset *preset;
    toc_query taken;
    TOC_TRY(toc_query_take(query, &taken, &preset));
    const toc_query settings = question_settings(&taken, question);
    toc_scene_question own = *question;
    return toc_query_run(&(toc_asked){scene, &settings, preset}, &(toc_query_work){run_question, &own, NULL});
}
