// SPDX-License-Identifier: Apache-2.0
// Whole steps: every preset on published frames and on generated scenes, beside a reference of available parts
// (Embree's rtcCollide and additive advancement, on the same boxes, in the same run, on one thread).
// Answers are compared with the published ones, or with exact arithmetic on every pair of overlapping boxes. The
// program fails if a preset that promises no misses misses a contact.
//
//     bench.steps [published] [CASE [PRESET...]]     one case only, by its name as printed; some presets only;
//                                                    `published`: the two presets of local advancement as in its
//                                                    Table I, with a threshold of 1e-6, rtri with the cubic alone
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "bench/support/reference.h"
#include "bench/support/rows.h"
#include "tests/support/data.h"

enum { FEWEST_ROUNDS = 2, MOST_ROUNDS = 15, PRESETS = 16, STAGES = 14, MOST_FOR_BRUTE = 60000 };

typedef struct plan {
    const char *name, *scene;
    bool published;
    size_t size, frame; // of a generated scene
    double paper[3];    // milliseconds of Table I of local advancement: R-Tri, all, global; 0 for scenes not in it
} plan;

static const plan plans[] = {
    {"cloth-ball, published", "cloth-ball", true, 0, 0, {350, 286, 274}},
    {"n-body, published", "n-body", true, 0, 0, {1131, 720, 669}},
    {"explosion, large", "explosion", false, 13, 12, {938, 792, 717}},
    {"cloth-ball", "cloth-ball", false, 60, 18, {0}},
    {"n-body", "n-body", false, 64, 20, {0}},
    {"explosion", "explosion", false, 7, 12, {0}},
    {"bar", "bar", false, 1, 25, {0}},
    {"organs", "organs", false, 6, 30, {0}},
    {"tets", "tets", false, 8, 15, {0}},
    {"hexes", "hexes", false, 4, 18, {0}},
};
enum { PLANS = sizeof plans / sizeof *plans };

// The results of a preset on a step.
typedef struct row {
    const char *preset;
    bench_time of[3], two_threads; // by answer
    size_t contacts, missed, extra, stage_count;
    toc_stage stages[STAGES];
    double elapsed; // of the rounds whose stages are summed up
    bool right;
} row;

typedef struct table {
    const plan *plan;
    bench_step step;
    bool has_truth;
    bench_keys truth;
    double brute_seconds; // 0 if brute was not run
    row rows[PRESETS];
    size_t row_count;
    bench_reference reference;
    double reference_seconds;
} table;

// ---- measuring

static bool as_published; // see above

static toc_query query_of(const char *preset, toc_answer answer, int threads) {
    toc_query query = bench_query(preset, answer, threads);
    if (as_published) query.test.tolerance = 1e-6, query.test.exact = strcmp(preset, "rtri") != 0;
    return query;
}

static bool is_small(const table *t) { return t->step.triangles <= MOST_FOR_BRUTE; }

static void find_truth(table *t) {
    if (t->plan->published)
        t->has_truth = bench_keys_read(test_data_path("frames/%s/truth.csv.gz", t->plan->scene), &t->truth);
    if (t->has_truth || t->plan->published || !is_small(t)) return;
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 1);
    bench_time time = bench_time_none;
    toc_contacts *contacts = bench_ask_next(&t->step, &query, &time);
    t->truth = bench_keys_of(contacts);
    t->brute_seconds = time.next;
    t->has_truth = true;
    toc_contacts_destroy(contacts);
}

// Stages measure elapsed time. Summed over the rounds, they give the shares of the CPU time.
static void keep_stages(row *r, const toc_contacts *contacts) {
    r->stage_count = contacts->stage_count < STAGES ? contacts->stage_count : STAGES;
    r->elapsed += contacts->seconds;
    for (size_t i = 0; i < r->stage_count; i++) {
        const double before = r->stages[i].seconds;
        r->stages[i] = contacts->stages[i];
        r->stages[i].seconds += before;
    }
}

static void score(const table *t, row *r, const toc_contacts *all) {
    bench_keys found = bench_keys_of(all);
    r->contacts = all->count;
    r->missed = t->has_truth ? bench_keys_missing(&t->truth, &found) : 0;
    r->extra = t->has_truth ? bench_keys_missing(&found, &t->truth) : 0;
    r->right = r->missed == 0 || !bench_never_misses(r->preset);
    bench_keys_free(&found);
}

// The answers first and any must agree with all.
static void ask_shorter(table *t, row *r, const toc_contacts *all) {
    const toc_contact *earliest = toc_contacts_find_first(all);
    for (toc_answer answer = TOC_ANSWER_FIRST; answer <= TOC_ANSWER_ANY; answer++) {
        const toc_query query = query_of(r->preset, answer, 1);
        toc_contacts *one = bench_ask_next(&t->step, &query, &r->of[answer]);
        r->right = r->right && one->count == (all->count > 0);
        if (one->count && answer == TOC_ANSWER_FIRST) r->right = r->right && one->contacts[0].toc == earliest->toc;
        toc_contacts_destroy(one);
    }
}

static void measure_preset(table *t, row *r, int round) {
    const toc_query one = query_of(r->preset, TOC_ANSWER_ALL, 1), two = query_of(r->preset, TOC_ANSWER_ALL, 2);
    toc_contacts *all = bench_ask_next(&t->step, &one, &r->of[TOC_ANSWER_ALL]);
    keep_stages(r, all);
    if (round == 0) score(t, r, all);
    bench_ask_first(&t->step, &one, &r->of[TOC_ANSWER_ALL]);
    ask_shorter(t, r, all);
    toc_contacts *again = bench_ask_next(&t->step, &two, &r->two_threads);
    r->right = r->right && again->count == all->count;
    toc_contacts_destroy(again);
    toc_contacts_destroy(all);
}

static void measure_reference(table *t) {
    toc_features *features;
    bench_reference run;
    bench_check(toc_mesh_find_features(toc_scene_edit_mesh(t->step.scene, 0), &features));
    bench_reference_run(features, t->step.x0, t->step.x1, NULL, &run);
    toc_features_destroy(features);
    const double seconds = run.search_seconds + run.test_seconds;
    const bool better = seconds < t->reference_seconds;
    bench_reference_free(better ? &t->reference : &run);
    if (better) t->reference = run, t->reference_seconds = seconds;
}

// The requested presets; NULL for all.
static char **wanted;

static bool is_wanted(const char *preset) {
    if (as_published) return strcmp(preset, "rtri") == 0 || strcmp(preset, "local") == 0;
    for (char **w = wanted; w && *w; w++)
        if (strcmp(*w, preset) == 0) return true;
    return !wanted;
}

// brute is measured once. The baselines for volumes are skipped: they take minutes here (bench/volumes.c).
static bool is_measured_elsewhere(const char *preset) {
    return strcmp(preset, "brute") == 0 || strcmp(preset, "navccd") == 0 || strcmp(preset, "hashccd") == 0;
}

static void list_presets(table *t) {
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL && t->row_count < PRESETS; i++) {
        if (is_measured_elsewhere(preset) || !is_wanted(preset)) continue;
        row *r = &t->rows[t->row_count++];
        *r = (row){.preset = preset, .two_threads = bench_time_none};
        for (int answer = 0; answer < 3; answer++) r->of[answer] = bench_time_none;
    }
}

// Several rounds of a quick query, one of a slow query.
static bool goes_on(int round, double spent) {
    return round == 0 || (round < FEWEST_ROUNDS && spent < 20) || (round < MOST_ROUNDS && spent < 2);
}

// Each round measures everything, so that a busy moment of the machine affects all alike.
static void measure(table *t) {
    list_presets(t);
    t->reference_seconds = INFINITY;
    const double start = bench_cpu();
    for (int round = 0; goes_on(round, bench_cpu() - start); round++) {
        for (size_t i = 0; i < t->row_count; i++) measure_preset(t, &t->rows[i], round);
        if (bench_reference_name()) measure_reference(t);
    }
}

// ---- printing

static void print_counts(const table *t, size_t contacts, size_t missed, size_t extra) {
    if (t->has_truth) {
        printf(" %9zu %7zu %7zu", contacts, missed, extra);
    } else {
        printf(" %9zu %7s %7s", contacts, "-", "-");
    }
}

static void print_row(const table *t, const row *r) {
    printf("  %-10s", r->preset);
    print_counts(t, r->contacts, r->missed, r->extra);
    printf(" %9.1f %9.1f %9.1f %9.1f %9.1f%s\n", 1e3 * r->of[TOC_ANSWER_ALL].first, 1e3 * r->of[TOC_ANSWER_ALL].next,
           1e3 * r->of[TOC_ANSWER_FIRST].next, 1e3 * r->of[TOC_ANSWER_ANY].next, 1e3 * r->two_threads.next,
           r->right ? "" : "   WRONG");
}

static void print_reference(const table *t) {
    const bench_keys *found = &t->reference.found;
    printf("  %-10s", "reference");
    print_counts(t, found->count, t->has_truth ? bench_keys_missing(&t->truth, found) : 0,
                 t->has_truth ? bench_keys_missing(found, &t->truth) : 0);
    printf(" %9.1f\n", 1e3 * t->reference_seconds);
}

static void print_stages(const table *t) {
    for (size_t i = 0; i < t->row_count; i++) {
        const row *r = &t->rows[i];
        const double computed = r->of[TOC_ANSWER_ALL].next / r->elapsed;
        printf("  %-10s", r->preset);
        for (size_t s = 0; s < r->stage_count; s++)
            printf("  %s %llu > %llu, %.1f ms;", r->stages[s].name, (unsigned long long)r->stages[s].in,
                   (unsigned long long)r->stages[s].out, 1e3 * r->stages[s].seconds * computed);
        puts("");
    }
    if (!bench_reference_name()) return;
    printf("  %-10s  search > %zu, without a common vertex %zu, %.1f ms;  test %zu > %zu, %.1f ms;\n", "reference",
           t->reference.overlapping, t->reference.asked, 1e3 * t->reference.search_seconds, t->reference.asked,
           t->reference.found.count, 1e3 * t->reference.test_seconds);
}

static const row *row_of(const table *t, const char *preset) {
    for (size_t i = 0; i < t->row_count; i++)
        if (strcmp(t->rows[i].preset, preset) == 0) return &t->rows[i];
    return NULL;
}

static void print_ratio(const table *t) {
    const row *automatic = row_of(t, "auto");
    if (!bench_reference_name() || !automatic) return;
    const bench_time *ours = &automatic->of[TOC_ANSWER_ALL];
    printf("  auto : reference = 1 : %.1f in a sequence, 1 : %.1f when asked for the first time\n",
           t->reference_seconds / ours->next, t->reference_seconds / ours->first);
}

static bool print(const table *t) {
    bool right = true;
    printf("%s: %zu vertices, %zu triangles", t->plan->name, t->step.vertices, t->step.triangles);
    t->brute_seconds > 0 ? printf("; brute took %.1f ms\n", 1e3 * t->brute_seconds) : printf("\n");
    printf("  %-10s %9s %7s %7s %9s %9s %9s %9s %9s   ms of CPU\n", "preset", "contacts", "missed", "extra",
           "new scene", "all", "first", "any", "2 threads");
    for (size_t i = 0; i < t->row_count; i++) {
        print_row(t, &t->rows[i]);
        right = right && t->rows[i].right;
    }
    if (bench_reference_name()) print_reference(t);
    print_stages(t);
    print_ratio(t);
    puts("");
    fflush(stdout);
    return right;
}

// Table I of local advancement, if its presets were measured.
static void print_table_one(const table *t) {
    const row *rtri = row_of(t, "rtri"), *local = row_of(t, "local");
    if (!rtri || !local || t->plan->paper[0] == 0) return;
    const double ours[3] = {rtri->of[TOC_ANSWER_ALL].next, local->of[TOC_ANSWER_ALL].next,
                            local->of[TOC_ANSWER_FIRST].next};
    const double *paper = t->plan->paper;
    printf("  Table I: rtri %.0f, local all %.0f, local first %.0f ms: 1 : %.2f : %.2f; the paper 1 : %.2f : %.2f\n\n",
           1e3 * ours[0], 1e3 * ours[1], 1e3 * ours[2], ours[1] / ours[0], ours[2] / ours[0], paper[1] / paper[0],
           paper[2] / paper[0]);
}

static bool open_step(table *t) {
    const plan *p = t->plan;
    if (!p->published) t->step = bench_step_of_scene(p->scene, p->size, p->frame);
    return !p->published || bench_step_of_frames(p->scene, &t->step);
}

static bool bench_plan(const plan *p) {
    static table t;
    t = (table){.plan = p};
    if (!open_step(&t)) {
        printf("%s: missing\n\n", p->name);
        return true;
    }
    find_truth(&t);
    measure(&t);
    const bool right = print(&t);
    print_table_one(&t);
    bench_keys_free(&t.truth);
    bench_reference_free(&t.reference);
    bench_step_free(&t.step);
    return right;
}

static const char *plan_name(size_t i) { return i < PLANS ? plans[i].name : NULL; }

int main(int argc, char **argv) {
    bool right = true;
    as_published = argc > 1 && strcmp(argv[1], "published") == 0;
    argc -= as_published, argv += as_published;
    if (!bench_rows_have(plan_name, false, argc > 1 ? 1 : 0, argv + 1)) return 1;
    if (argc > 2) wanted = argv + 2;
    printf("reference: %s\n\n", bench_reference_name() ? bench_reference_name() : "none, built without Embree 3");
    for (size_t i = 0; i < PLANS; i++)
        if (argc < 2 ? !as_published || plans[i].paper[0] > 0 : strcmp(argv[1], plans[i].name) == 0)
            right = bench_plan(&plans[i]) && right;
    return right ? 0 : 1;
}
