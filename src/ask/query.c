// SPDX-License-Identifier: Apache-2.0
// The settings of a query: their defaults, and their check.
#include "ask/query.h"

#include <stddef.h>

#include "base/settings.h"
#include "bound/dop.h"
#include "search/search.h"

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

// Parameters of published methods.
static toc_status check_parameters(const toc_query *query) {
    toc_dop_kind unused;
    if (query->dop != 0) TOC_TRY(toc_dop_kind_make(query->dop, &unused));
    if (query->lower_height < 0 || query->lower_height > 30)
        return toc_fail(TOC_BAD_INPUT, "the height of the lower nodes is 0 to 30, not %d", query->lower_height);
    if (!(query->normal_limit >= -1 && query->normal_limit <= 1))
        return toc_fail(TOC_BAD_INPUT, "the limit of the normal test is a cosine from -1 to 1, not %g",
                        query->normal_limit);
    return TOC_OK;
}

toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset) {
    const toc_query defaults = make_default_query();
    const toc_settings settings = query_settings(&defaults);
    TOC_TRY(toc_settings_take(&settings, given, query));
    *preset = query->preset ? toc_preset_find(query->preset) : NULL;
    if (!*preset) return toc_fail(TOC_BAD_INPUT, "there is no preset %s", query->preset ? query->preset : "NULL");
    if ((unsigned)query->answer > TOC_ANSWER_ANY)
        return toc_fail(TOC_BAD_INPUT, "there is no answer number %d", (int)query->answer);
    if (query->skip > TOC_SKIP_ALL)
        return toc_fail(TOC_BAD_INPUT, "there is nothing to skip for all bits of %#x", (unsigned)query->skip);
    if (query->tasks.start && !query->tasks.finish)
        return toc_fail(TOC_BAD_INPUT, "tasks.start is set and tasks.finish is NULL; a task system needs both");
    if (query->threads < 0) return toc_fail(TOC_BAD_INPUT, "the number of threads is %d", query->threads);
    return check_parameters(query);
}

static int take_and_note(void *user, const toc_contact *contacts, size_t count) {
    toc_query_sink *sink = user;
    sink->is_used = true;
    return sink->given.take(sink->given.user, contacts, count);
}

void toc_query_watch_sink(toc_query *query, toc_query_sink *sink) {
    *sink = (toc_query_sink){.given = query->sink};
    if (query->sink.take) query->sink = (toc_contact_sink){take_and_note, sink};
}

// A query that runs: its threads and its memory.
typedef struct query_use {
    toc_scene *scene;
    toc_team team;
} query_use;

static void begin_use(query_use *use, toc_scene *scene, const toc_query *query) {
    const uint64_t limit = query->memory_limit;
    use->scene = scene;
    toc_pool_begin(&scene->pool, limit == 0 || limit > SIZE_MAX ? SIZE_MAX : (size_t)limit);
    toc_team_begin(&use->team, &query->tasks);
}

static toc_status end_use(query_use *use, toc_status status) {
    toc_pool *pool = &use->scene->pool;
    const size_t limit = pool->limit;
    toc_team_end(&use->team);
    pool->limit = SIZE_MAX; // questions without a limit of their own are not bound by this one
    if (status != TOC_OUT_OF_MEMORY || !pool->refused) return status;
    return toc_fail(status, "the query needs more than its memory_limit of %zu bytes: at least %zu", limit,
                    pool->wanted);
}

static bool was_refused(const toc_scene *scene, toc_status status) {
    return status == TOC_OUT_OF_MEMORY && scene->pool.refused;
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

toc_status toc_query_run(const toc_asked *asked, const toc_query_work *work) {
    toc_scene *scene = asked->scene;
    query_use use;
    begin_use(&use, scene, asked->query);
    scene->thrifty = is_known_tight(scene);
    toc_status status = work->run(asked, work->user);
    for (int tries = scene->thrifty ? 1 : 0; tries < 2 && was_refused(scene, status); tries++) {
        if (work->is_final && *work->is_final) break;
        toc_search_forget(scene);
        toc_pool_retry(&scene->pool);
        scene->thrifty = tries == 1;
        status = work->run(asked, work->user);
    }
    if (status == TOC_OK && scene->thrifty) note_tight(scene);
    scene->thrifty = false;
    return end_use(&use, status);
}
