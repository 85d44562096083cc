// SPDX-License-Identifier: Apache-2.0
// toccata truth: run each method on elementary queries with known answers and count its errors.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/queries.h"

static struct {
    const char *method, *kind;
    double tolerance;
    bool exact, json;
} settings = {.method = "all", .exact = true};

static const char *method_or_all(size_t i) {
    if (i == TOC_METHOD_COUNT) return "all";
    return i < TOC_METHOD_COUNT ? toc_method_get((toc_method)i).name : NULL;
}

static const char *kind_name(size_t i) {
    static const char *const kinds[] = {"vf", "ee"};
    return i < 2 ? kinds[i] : NULL;
}

typedef struct method_score {
    size_t queries, missed, false_alarms;
    size_t undecided; // by the method itself
    double seconds;
} method_score;

static void add_score(method_score *total, const method_score *s) {
    total->queries += s->queries;
    total->missed += s->missed;
    total->false_alarms += s->false_alarms;
    total->undecided += s->undecided;
    total->seconds += s->seconds;
}

static double ns_per_query(const method_score *s) { return s->queries ? 1e9 * s->seconds / (double)s->queries : 0; }

static toc_pair_test make_test(toc_method method) {
    assert((unsigned)method < TOC_METHOD_COUNT);
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    test.tolerance = settings.tolerance;
    test.exact = false;
    return test;
}

// Count the queries that the method alone leaves undecided, then decide them in exact arithmetic. The cubic leaves
// none.
static toc_status ask_one(toc_kind kind, const toc_pair *pair, const toc_pair_test *test, method_score *s,
                          toc_hit *hit) {
    toc_status status = toc_pair_find(kind, pair, test, hit);
    if (status != TOC_OK || hit->verdict != TOC_UNDECIDED) return status;
    s->undecided++;
    const toc_pair_test exact = make_test(TOC_METHOD_EXACT);
    return settings.exact ? toc_pair_find(kind, pair, &exact, hit) : TOC_OK;
}

static toc_status find_kind(const char *path, toc_kind *out) {
    const char *name = tool_path_name(path);
    if (settings.kind) {
        *out = strcmp(settings.kind, "vf") == 0 ? TOC_VF : TOC_EE;
    } else if (strncmp(name, "vertex-face", 11) == 0) {
        *out = TOC_VF;
    } else if (strncmp(name, "edge-edge", 9) == 0) {
        *out = TOC_EE;
    } else {
        return tool_fail(TOC_BAD_INPUT, "%s: give --kind vf or ee, or name the file vertex-face* or edge-edge*", path);
    }
    return TOC_OK;
}

// Whether to run the method: the requested one, or for "all" every method of this build.
static bool is_method_wanted(toc_method method) {
    if (strcmp(settings.method, "all") != 0) return strcmp(settings.method, toc_method_get(method).name) == 0;
    static const toc_pair apart = {.x0 = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                   .x1 = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    const toc_pair_test test = make_test(method);
    toc_hit hit;
    return toc_pair_find(TOC_VF, &apart, &test, &hit) == TOC_OK;
}

// Answer the queries from..to and measure the time.
static toc_status ask_some(toc_kind kind, const tool_query *from, const tool_query *to, const toc_pair_test *test,
                           method_score *s) {
    assert(from <= to);
    toc_status status = TOC_OK;
    const double started = tool_seconds();
    for (const tool_query *q = from; q < to && status == TOC_OK; q++) {
        toc_hit hit;
        status = ask_one(kind, &q->pair, test, s, &hit);
        if (status != TOC_OK) break;
        const bool touches = hit.verdict != TOC_APART;
        s->missed += q->touches && !touches;
        s->false_alarms += touches && !q->touches;
    }
    s->seconds += tool_seconds() - started;
    return status;
}

static toc_status ask_all(toc_kind kind, const tool_queries *queries, toc_method method, method_score *s) {
    enum { CHUNK = 64 };
    const toc_progress progress = tool_progress();
    const toc_pair_test test = make_test(method);
    const size_t count = queries->count;
    s->queries = count;
    for (size_t i = 0; i < count; i += CHUNK) {
        if (progress.report(progress.user, (double)i / (double)count)) return TOC_STOPPED;
        const size_t end = i + CHUNK < count ? i + CHUNK : count;
        const toc_status status = ask_some(kind, queries->at + i, queries->at + end, &test, s);
        if (status != TOC_OK) return status;
    }
    return TOC_OK;
}

static void print_score(const char *file, int width, toc_method method, const method_score *s) {
    fprintf(tool_output(), "%-*s  %-11s %8zu %8zu %13zu %10zu %10.0f\n", width, file, toc_method_get(method).name,
            s->queries, s->missed, s->false_alarms, s->undecided, ns_per_query(s));
}

static void add_result(cJSON *results, const char *file, toc_method method, const method_score *s) {
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "file", file);
    cJSON_AddStringToObject(result, "method", toc_method_get(method).name);
    tool_json_count(result, "queries", s->queries);
    tool_json_count(result, "missed", s->missed);
    tool_json_count(result, "false_alarms", s->false_alarms);
    tool_json_count(result, "undecided", s->undecided);
    tool_json_double(result, "ns_per_query", ns_per_query(s));
    cJSON_AddItemToArray(results, result);
}

typedef struct truth_session {
    bool wanted[TOC_METHOD_COUNT];
    method_score totals[TOC_METHOD_COUNT];
    cJSON *results; // NULL without --json
    int width;      // of the column of files
} truth_session;

static toc_status score_file(truth_session *all, const char *path) {
    tool_queries queries;
    toc_kind kind = TOC_VF;
    toc_status status = find_kind(path, &kind);
    if (status == TOC_OK) status = tool_reading_begin();
    if (status == TOC_OK) status = tool_queries_read(path, &queries);
    tool_reading_end();
    if (status != TOC_OK) return status;
    for (int m = 0; m < TOC_METHOD_COUNT && status == TOC_OK; m++) {
        if (!all->wanted[m]) continue;
        method_score s = {0};
        status = ask_all(kind, &queries, (toc_method)m, &s);
        if (status != TOC_OK) break;
        add_score(&all->totals[m], &s);
        if (all->results) {
            add_result(all->results, path, (toc_method)m, &s);
        } else {
            print_score(path, all->width, (toc_method)m, &s);
        }
    }
    tool_queries_free(&queries);
    return status;
}

static toc_status score_files(truth_session *all, int count, char **paths) {
    tool_progress_start("truth", (size_t)count);
    for (int i = 0; i < count; i++) {
        TOC_TRY(tool_progress_part((size_t)i));
        TOC_TRY(score_file(all, paths[i]));
    }
    return TOC_OK;
}

static toc_status truth_as_json(truth_session *all, int count, char **paths) {
    cJSON *object = tool_json_start();
    all->results = cJSON_AddArrayToObject(object, "results");
    const toc_status status = score_files(all, count, paths);
    if (status == TOC_OK) return tool_json_print(object);
    cJSON_Delete(object);
    return status;
}

static toc_status truth_as_table(truth_session *all, int count, char **paths) {
    for (int i = 0; i < count; i++) {
        const int width = (int)strlen(paths[i]);
        if (width > all->width) all->width = width;
    }
    fprintf(tool_output(), "%-*s  %-11s %8s %8s %13s %10s %10s\n", all->width, "file", "method", "queries", "missed",
            "false alarms", "undecided", "ns/query");
    const toc_status status = score_files(all, count, paths);
    for (int m = 0; m < TOC_METHOD_COUNT && count > 1; m++) {
        if (all->wanted[m]) print_score("total", all->width, (toc_method)m, &all->totals[m]);
    }
    return status;
}

static toc_status truth_run(int count, char **paths) {
    if (count == 0) return tool_fail(TOC_BAD_INPUT, "truth needs at least one file of queries; none given");
    truth_session all = {.width = 5};
    for (int m = 0; m < TOC_METHOD_COUNT; m++) all.wanted[m] = is_method_wanted((toc_method)m);
    return settings.json ? truth_as_json(&all, count, paths) : truth_as_table(&all, count, paths);
}

const tool_command tool_truth = {
    .name = "truth",
    .forms = (const char *const[]){"QUERIES.csv... [--method NAME] [--kind vf|ee] [--json]", NULL},
    .what = "Answer elementary queries with known answers, and count the errors of each method.",
    .more =
        "A query is eight rows, four vertices at the start and then at the end. A row is seven whole numbers: x, y and "
        "z as numerator and denominator, and the answer, 0 or 1. The order of vertices is v, f0, f1, f2 for "
        "vertex-face and ea0, ea1, eb0, eb1 for edge-edge. The kind follows from a file name vertex-face* or "
        "edge-edge*, or from --kind. The column undecided counts the queries that the method alone could not decide.",
    .options =
        (const tool_option[]){
            {TOOL_CHOICE, "method", "NAME", "the method to test (default all methods of this build)", &settings.method,
             method_or_all},
            {TOOL_CHOICE, "kind", "KIND", "the kind of the queries in all files", &settings.kind, kind_name},
            {TOOL_LENGTH, "tolerance", "D",
             "distance that the method may take for touching (default 0: exact arithmetic decides)",
             &settings.tolerance, NULL},
            {TOOL_ON, "exact", NULL, "decide undecided queries in exact arithmetic (default)", &settings.exact, NULL},
            {TOOL_OFF, "no-exact", NULL, "count undecided queries as contacts", &settings.exact, NULL},
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = truth_run,
};
