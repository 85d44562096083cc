// SPDX-License-Identifier: Apache-2.0
// The settings of a query: their defaults, and their check. The run of a question.
#include "ask/query.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "bound/dop.h"
#include "search/search.h"

static toc_query make_default_query(void) {
    toc_query query = {.preset = "auto", .answer = TOC_ANSWER_ALL, .test = toc_pair_test_default()};
    query.test.method = TOC_METHOD_OF_PRESET;
    return query;
}

static toc_settings query_settings(const toc_query *defaults) {
    return (toc_settings){.init = "toc_query_init",
                          .oldest = offsetof(toc_query, research),
                          .size = sizeof(toc_query),
                          .defaults = defaults};
}

toc_status toc_query_begin(void *query, size_t size) {
    const toc_query defaults = make_default_query();
    const toc_settings settings = query_settings(&defaults);
    return toc_settings_init(&settings, query, size);
}

// Parameters of published methods.
static toc_status check_research(const toc_research *research) {
    toc_dop_kind unused;
    if (!toc_research_is_built())
        return toc_fail(TOC_BAD_INPUT,
                        "toc_query.research serves research, which this build leaves out (TOC_RESEARCH=OFF)");
    if (research->skip > TOC_SKIP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there is nothing to skip for all bits of %#x", (unsigned)research->skip);
    if (research->dop != 0) TOC_TRY(toc_dop_kind_make(research->dop, &unused));
    if (research->lower_height < 0 || research->lower_height > 30)
        return toc_fail(TOC_BAD_INPUT, "the height of the lower nodes is 0 to 30, not %d", research->lower_height);
    if (!(research->normal_limit >= -1 && research->normal_limit <= 1))
        return toc_fail(TOC_BAD_INPUT, "the limit of the normal test is a cosine from -1 to 1, not %g",
                        research->normal_limit);
    return TOC_OK;
}

static void list_presets(size_t size, char *out) {
    size_t length = 0;
    out[0] = 0;
    for (size_t i = 0; toc_preset_get(i).name && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? ", " : "", toc_preset_get(i).name);
}

static toc_status fail_preset(const char *name) {
    for (size_t i = 0; name && toc_research_get_preset(i); i++)
        if (strcmp(toc_research_get_preset(i), name) == 0)
            return toc_fail(TOC_BAD_INPUT,
                            "the preset %s serves research, which this build leaves out "
                            "(TOC_RESEARCH=OFF)",
                            name);
    char known[512];
    list_presets(sizeof known, known);
    return toc_fail(TOC_BAD_INPUT, "there is no preset %.100s; choose one of: %s", name ? name : "NULL", known);
}

toc_status toc_query_take_listed(const toc_query *given, toc_query *query, const toc_preset **preset) {
    const toc_query defaults = make_default_query();
    const toc_settings settings = query_settings(&defaults);
    TOC_TRY(toc_settings_take(&settings, given, query));
    *preset = query->preset ? toc_preset_find(query->preset) : NULL;
    if (!*preset) return fail_preset(query->preset);
    if ((unsigned)query->answer > TOC_ANSWER_ANY)
        return toc_fail(TOC_BAD_INPUT, "there is no answer number %d", (int)query->answer);
    if (query->tasks.start && !query->tasks.finish)
        return toc_fail(TOC_BAD_INPUT, "tasks.start is set and tasks.finish is NULL; a task system needs both");
    if ((unsigned)query->device > TOC_DEVICE_GPU)
        return toc_fail(TOC_BAD_INPUT, "there is no choice of devices number %d", (int)query->device);
    if (query->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", query->threads);
    return query->research ? check_research(query->research) : TOC_OK;
}

toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset) {
    TOC_TRY(toc_query_take_listed(given, query, preset));
    if (query->candidates) return toc_fail(TOC_BAD_INPUT, "this question cannot search among candidates");
    return TOC_OK;
}

// ---- running

// The sink of a query that may run again as long as the sink has received nothing.
typedef struct watched_sink {
    toc_contact_sink given; // the caller's
    bool is_used;
} watched_sink;

static int take_and_note(void *user, const toc_contact *contacts, size_t count) {
    watched_sink *sink = user;
    sink->is_used = true;
    return sink->given.take(sink->given.user, contacts, count);
}

// A question that runs: its threads, its memory and its sink.
typedef struct query_use {
    toc_request request; // as all tries see it, but for their memory
    toc_team team;
    watched_sink sink;
} query_use;

static void begin_use(query_use *use, const toc_request *asked) {
    const uint64_t limit = asked->query.memory_limit;
    use->request = *asked;
    use->sink = (watched_sink){.given = asked->query.sink};
    if (use->sink.given.take) use->request.query.sink = (toc_contact_sink){take_and_note, &use->sink};
    toc_pool_begin(&asked->scene->pool, limit == 0 || limit > SIZE_MAX ? SIZE_MAX : (size_t)limit);
    toc_team_begin(&use->team, &use->request.query.tasks);
}

static toc_status end_use(query_use *use, toc_status status) {
    toc_pool *pool = &use->request.scene->pool;
    const size_t limit = pool->limit;
    toc_team_end(&use->team);
    pool->limit = SIZE_MAX; // questions without a limit of their own are not bound by this one
    if (status != TOC_OUT_OF_MEMORY || !pool->refused) return status;
    return toc_fail(status, "the query needs more than its memory_limit of %zu bytes: at least %zu", limit,
                    pool->wanted);
}

// A limit that took the least memory in an earlier query of the same features does so at once.
static bool is_known_tight(const toc_scene *scene) {
    return scene->pool.limit <= scene->thrifty_limit && scene->thrifty_version == scene->step.version;
}

static void note_tight(toc_scene *scene) {
    const bool same = scene->thrifty_version == scene->step.version;
    scene->thrifty_limit = same && scene->thrifty_limit > scene->pool.limit ? scene->thrifty_limit : scene->pool.limit;
    scene->thrifty_version = scene->step.version;
}

static toc_status try_question(const query_use *use, bool thrifty, toc_scene_question *question) {
    toc_request request = use->request;
    request.thrifty = thrifty;
    const toc_status status = question->run(&request, question);
    if (status == TOC_OK && thrifty) note_tight(request.scene);
    return status;
}

static bool may_try_again(const query_use *use, toc_status status) {
    return status == TOC_OUT_OF_MEMORY && use->request.scene->pool.refused && !use->sink.is_used;
}

toc_status toc_query_run(const toc_request *asked, toc_scene_question *question) {
    toc_scene *scene = asked->scene;
    query_use use;
    begin_use(&use, asked);
    const bool tight = is_known_tight(scene);
    toc_status status = try_question(&use, tight, question);
    for (int tries = tight ? 1 : 0; tries < 2 && may_try_again(&use, status); tries++) {
        toc_search_forget(scene);
        toc_pool_retry(&scene->pool);
        status = try_question(&use, tries == 1, question);
    }
    return end_use(&use, status);
}
