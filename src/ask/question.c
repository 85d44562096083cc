// SPDX-License-Identifier: Apache-2.0
// Asking a question other than contacts.
#include "ask/question.h"

#include <assert.h>
#include <math.h>

#include "base/result.h"
#include "base/threads.h"
#include "scene/scene.h"
#include "search/device_search.h"
#include "search/search.h"

// Most questions have one way each, whatever the preset of the query.
static const toc_preset question_preset = {.name = "question", .method = TOC_METHOD_CERTIFIED, .dop = 16};

// The settings of contacts do not count.
static toc_query settings_of_question(const toc_query *query, const toc_question_settings *own, const toc_way *way) {
    toc_query settings = *query;
    settings.answer = TOC_ANSWER_ALL;
    settings.test = toc_pair_test_default();
    settings.test.separation = own->distance;
    settings.thin = query->thin || way->thin;
    settings.sink = (toc_contact_sink){.take = NULL};
    settings.research = NULL;
    return settings;
}

static toc_step step_at(const toc_step *step, const toc_end *end) {
    toc_step at = *step;
    if (!end) return at;
    at.x0 = at.x1 = *end == TOC_AT_START ? step->x0 : step->x1;
    at.control = NULL;
    return at;
}

static toc_status run_way(const toc_request *request, toc_scene_question *question, const toc_way *way,
                          bool *declined) {
    toc_scene *scene = request->scene;
    assert(way->traversal && way->finish); // that makes the answer
    assert(!question->list || toc_result_type(question->list) == way->answer);
    const toc_step step = step_at(&scene->step, request->end);
    toc_pipeline pipeline = {.request = request,
                             .kept = scene->search,
                             .step = &step,
                             .way = way,
                             .declines = way->accept != NULL,
                             .index = &scene->search->indexes[way->slot],
                             .question = question,
                             .answer = question->list};
    return toc_pipeline_run(&pipeline, NULL, declined);
}

static toc_status run_question(const toc_request *request, toc_scene_question *question) {
    const toc_way *way = question->way;
    bool declined = true;
    TOC_TRY(toc_search_need(request->scene));
    TOC_TRY(toc_request_update_step(request, request->query.surface_only, way->reads_elements));
    if (question->device_way) TOC_TRY(toc_device_search_need(request));
    if (question->device_way && toc_device_search_suits(request))
        TOC_TRY(run_way(request, question, question->device_way, &declined));
    return declined ? run_way(request, question, way, &declined) : TOC_OK;
}

toc_status toc_question_ask(toc_scene *scene, const toc_query *query, const toc_question_settings *settings,
                            toc_scene_question *question) {
    const toc_preset *preset;
    toc_query taken;
    assert(settings->distance >= 0);
    TOC_TRY(toc_query_take(query, &taken, &preset));
    if (settings->end && (unsigned)*settings->end > TOC_AT_END)
        return toc_fail(TOC_BAD_INPUT, "there is no end number %d of a step", (int)*settings->end);
    const toc_query asked = settings_of_question(&taken, settings, question->way);
    toc_request request = toc_request_make(scene, &asked, settings->preset ? settings->preset : &question_preset);
    request.end = settings->end;
    if (question->way->takes_worlds) request.reach = INFINITY;
    question->run = run_question;
    return toc_query_run(&request, question);
}

toc_status toc_question_update(toc_scene *scene, const toc_query *query, const toc_question_settings *settings,
                               const toc_scene_question *question, void **list) {
    const double start = toc_seconds();
    toc_scene_question asked = *question;
    asked.list = *list ? *list : toc_result_new(question->way->answer, &scene->allocator);
    if (!asked.list) return TOC_OUT_OF_MEMORY;
    const toc_status status = toc_question_ask(scene, query, settings, &asked);
    if (status != TOC_OK) {
        if (!*list) toc_result_free(asked.list);
        return status;
    }
    toc_result_set_seconds(asked.list, toc_seconds() - start);
    *list = asked.list;
    return TOC_OK;
}
