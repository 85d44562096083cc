// SPDX-License-Identifier: Apache-2.0
// The campaign: trials from consecutive seeds, each decided by exact arithmetic, until time or number is reached.
//
//     campaign [--seconds S] [--trials N] [--seed FIRST] [--out FOLDER] [--brief]   TOC_SEED: the default of --seed
//     campaign --one SEED | --replay FILE [--shrink]                                run one trial again
//
// --brief leaves out shrinking, --first ends at the first failure. --with NAME runs only the trials with an operation
// or a question of that name, such as accelerate or room-step.
//
// Exit status: 0 when every promise held, 1 when one was broken, 2 for a wrong call.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "campaign/check.h"
#include "campaign/runner.h"

// Failures that are known and not mended yet. Such a check is counted and shown, but does not fail the campaign. The
// list must be empty in a release; docs/reliability.md describes each one.
static const char *const known_failures[] = {NULL};

enum { BATCH = 32, SMALL_BATCH = 4, SHOWN_OF_A_CHECK = 2, MOST_CHECKS = 64 };

typedef struct failure_count {
    char check[40];
    uint64_t count;
    uint64_t seed; // the first one
} failure_count;

typedef struct options {
    double seconds;
    uint64_t trials, seed;
    const char *out, *replay;
    bool one, shrink, brief, first; // brief: failures are not shrunk; first: the first failure ends it
} options;

typedef struct campaign {
    options options;
    check_counts all;
    check_counts families[16];
    uint64_t slowest_seeds[TRIAL_ASK_COUNT];
    uint64_t failed_in[16];
    size_t check_count;
    failure_count checks[MOST_CHECKS];
    uint64_t failures, known, compared, replayed;
    double start, shown;
} campaign;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of this process and all children that ended.
static double processor_seconds(void) {
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval *parts[] = {&own.ru_utime, &own.ru_stime, &children.ru_utime, &children.ru_stime};
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)parts[i]->tv_sec + 1e-6 * (double)parts[i]->tv_usec;
    return sum;
}

static bool is_known(const char *check) {
    for (int i = 0; known_failures[i]; i++)
        if (strcmp(known_failures[i], check) == 0) return true;
    return false;
}

static void add_counts(check_counts *to, const check_counts *from) {
    to->trials += from->trials;
    to->questions += from->questions;
    to->contacts += from->contacts;
    to->pairs += from->pairs;
    to->exact += from->exact;
    to->images += from->images;
    for (int i = 0; i < TRIAL_ASK_COUNT; i++) {
        to->asked[i] += from->asked[i];
        if (from->slowest[i] > to->slowest[i]) to->slowest[i] = from->slowest[i];
    }
    if (from->most_bytes > to->most_bytes) to->most_bytes = from->most_bytes;
    if (from->most_share > to->most_share) to->most_share = from->most_share;
}

// ---- failures

static failure_count *failures_of(campaign *c, const char *check, uint64_t seed) {
    for (size_t i = 0; i < c->check_count; i++)
        if (strcmp(c->checks[i].check, check) == 0) return &c->checks[i];
    failure_count *f = &c->checks[c->check_count < MOST_CHECKS ? c->check_count++ : MOST_CHECKS - 1];
    *f = (failure_count){.seed = seed};
    snprintf(f->check, sizeof f->check, "%s", check);
    return f;
}

static void write_files(const campaign *c, const trial *t, const check_report *r) {
    char path[512], check[40];
    snprintf(check, sizeof check, "%s", r->check);
    for (char *p = check; *p; p++)
        if (*p == ' ') *p = '-';
    mkdir(c->options.out, 0777);
    for (int program = 0; program < 2; program++) {
        snprintf(path, sizeof path, "%s/%llu-%s.%s", c->options.out, (unsigned long long)t->seed, check,
                 program ? "c" : "trial");
        FILE *file = fopen(path, "w");
        if (!file) continue;
        if (program)
            trial_write_program(t, r->text, file);
        else
            trial_write(t, file);
        fclose(file);
        printf("  written: %s\n", path);
    }
}

static void show_failure(campaign *c, const trial *t, const check_report *r, bool shrink) {
    printf("FAILED seed %llu (%s), operation %u: %s: %s\n", (unsigned long long)t->seed, t->family, r->op, r->check,
           r->text);
    fflush(stdout);
    if (!shrink) return;
    trial small = shrink_trial(t, r->check);
    check_report again;
    runner_one(&small, NULL, &again);
    printf("  shrunk to %zu operations: %s\n", small.count, again.text);
    write_files(c, &small, &again);
    fflush(stdout);
    trial_free(&small);
}

static void take_failure(campaign *c, const trial *t, const check_report *r) {
    failure_count *f = failures_of(c, r->check, t->seed);
    if (is_known(r->check))
        c->known++;
    else
        c->failures++;
    if (f->count++ < SHOWN_OF_A_CHECK) show_failure(c, t, r, !c->options.brief);
}

// ---- batches

static int family_index(const char *name) {
    for (int i = 0; i < trial_family_count(); i++)
        if (strcmp(trial_family_name(i), name) == 0) return i;
    return trial_family_count();
}

static void take_report(campaign *c, uint64_t seed, const check_report *r) {
    trial t = trial_generate(seed);
    const int family = family_index(t.family);
    for (int i = 0; i < TRIAL_ASK_COUNT; i++)
        if (r->counts.slowest[i] > c->all.slowest[i]) c->slowest_seeds[i] = seed;
    add_counts(&c->all, &r->counts);
    add_counts(&c->families[family], &r->counts);
    if (r->failed) {
        c->failed_in[family]++;
        take_failure(c, &t, r);
    }
    trial_free(&t);
}

// Every other instruction set answers alike, to the last bit.
static void compare_lanes(campaign *c, uint64_t first, size_t count, const check_report *reports) {
    static const char *const lanes[] = {"scalar", "avx2", "avx512"};
    check_report others[BATCH];
    runner_batch(first, count, lanes[first / BATCH % 3], others);
    for (size_t i = 0; i < count; i++) {
        c->compared++;
        if (reports[i].failed || others[i].failed || reports[i].digest == others[i].digest) continue;
        check_report r = others[i];
        r.failed = true;
        snprintf(r.check, sizeof r.check, "lanes");
        snprintf(r.text, sizeof r.text, "TOC_SIMD=%s answers otherwise", lanes[first / BATCH % 3]);
        trial t = trial_generate(first + i);
        failures_of(c, r.check, t.seed)->count++;
        c->failures++;
        show_failure(c, &t, &r, false);
        trial_free(&t);
    }
}

// A trial that went through a file answers alike, to the last bit, images and solver's questions included.
static void compare_replay(campaign *c, uint64_t seed, const check_report *report) {
    trial t = trial_generate(seed), back;
    FILE *file = tmpfile();
    check_report again;
    if (!file) abort();
    trial_write(&t, file);
    rewind(file);
    const bool read = trial_read(&back, file);
    fclose(file);
    if (read) runner_one(&back, NULL, &again);
    if (!read || again.failed != report->failed || again.digest != report->digest) {
        check_report r = *report;
        snprintf(r.check, sizeof r.check, "replay");
        snprintf(r.text, sizeof r.text, read ? "the trial answers otherwise from a file" : "its text is no trial");
        failures_of(c, r.check, seed)->count++;
        c->failures++;
        show_failure(c, &t, &r, false);
    }
    c->replayed++;
    trial_free(&t);
    trial_free(&back);
}

static void show_progress(campaign *c) {
    const double now = seconds_now();
    if (now - c->shown < 10) return;
    c->shown = now;
    fprintf(stderr, "%7.0f s: %llu scenes, %llu queries, %llu contacts, %llu pairs (%llu rational), %llu failures\n",
            now - c->start, (unsigned long long)c->all.trials, (unsigned long long)c->all.questions,
            (unsigned long long)c->all.contacts, (unsigned long long)c->all.pairs, (unsigned long long)c->all.exact,
            (unsigned long long)c->failures);
}

static volatile sig_atomic_t told_to_stop;

static void stop_soon(int signal) {
    (void)signal;
    told_to_stop = 1;
}

static bool is_over(const campaign *c) {
    if (told_to_stop || (c->options.first && c->failures > 0)) return true;
    if (c->options.trials && c->all.trials >= c->options.trials) return true;
    return c->options.seconds > 0 && seconds_now() - c->start >= c->options.seconds;
}

static void run_all(campaign *c) {
    static check_report reports[BATCH];
    const size_t batch = c->options.first ? SMALL_BATCH : BATCH; // to end soon
    for (uint64_t seed = c->options.seed; !is_over(c); seed += batch) {
        size_t count = batch;
        if (c->options.trials && !runner_with && c->options.trials - c->all.trials < batch)
            count = c->options.trials - c->all.trials;
        runner_batch(seed, count, NULL, reports);
        for (size_t i = 0; i < count; i++) take_report(c, seed + i, &reports[i]);
        if (seed / BATCH % 8 == 0) compare_lanes(c, seed, count, reports);
        if (!runner_with && !c->options.first) compare_replay(c, seed, &reports[0]);
        show_progress(c);
    }
}

// ---- summary

static void show_row(const char *name, const check_counts *n, uint64_t failed) {
    printf("%-10s %9llu %10llu %11llu %13llu %11llu %8llu\n", name, (unsigned long long)n->trials,
           (unsigned long long)n->questions, (unsigned long long)n->contacts, (unsigned long long)n->pairs,
           (unsigned long long)n->exact, (unsigned long long)failed);
}

static void show_summary(const campaign *c) {
    printf("\n%-10s %9s %10s %11s %13s %11s %8s\n", "kind", "scenes", "queries", "contacts", "pairs", "rational",
           "failed");
    for (int i = 0; i < trial_family_count(); i++) show_row(trial_family_name(i), &c->families[i], c->failed_in[i]);
    show_row("all", &c->all, c->failures + c->known);
    printf("\n%-18s %10s %12s  %s\n", "question", "asked", "slowest, ms", "its seed");
    for (int i = 0; i < TRIAL_ASK_COUNT; i++)
        printf("%-18s %10llu %12.2f  %llu\n", trial_ask_name((trial_ask)i), (unsigned long long)c->all.asked[i],
               1e3 * c->all.slowest[i], (unsigned long long)c->slowest_seeds[i]);
    printf("\n%llu queries compared with an image of the scene\n", (unsigned long long)c->all.images);
    printf("%llu scenes replayed from a file\n", (unsigned long long)c->replayed);
    printf("%llu scenes compared with another instruction set; most memory of a scene %.1f MB, %.0f%% of its bound\n",
           (unsigned long long)c->compared, 1e-6 * (double)c->all.most_bytes, 100 * c->all.most_share);
    for (size_t i = 0; i < c->check_count; i++)
        printf("%s: %llu times, first with seed %llu%s\n", c->checks[i].check, (unsigned long long)c->checks[i].count,
               (unsigned long long)c->checks[i].seed, is_known(c->checks[i].check) ? " (known)" : "");
    printf("%.0f s, %.0f s of processor time, from seed %llu, %llu failures, %llu known\n", seconds_now() - c->start,
           processor_seconds(), (unsigned long long)c->options.seed, (unsigned long long)c->failures,
           (unsigned long long)c->known);
}

// ---- one trial

static int run_one(campaign *c) {
    trial t;
    if (c->options.replay) {
        FILE *file = fopen(c->options.replay, "r");
        const bool good = file && trial_read(&t, file);
        if (file) fclose(file);
        if (!good) {
            fprintf(stderr, "campaign: %s is no trial\n", c->options.replay);
            return 2;
        }
    } else {
        t = trial_generate(c->options.seed);
    }
    check_report r;
    runner_one(&t, NULL, &r);
    if (r.failed)
        show_failure(c, &t, &r, c->options.shrink);
    else
        printf("seed %llu: %llu questions, %llu contacts, as they should be\n", (unsigned long long)t.seed,
               (unsigned long long)r.counts.questions, (unsigned long long)r.counts.contacts);
    trial_free(&t);
    return r.failed;
}

// ---- the call

static bool parse(int count, char **words, options *o) {
    const char *seed = getenv("TOC_SEED");
    *o = (options){.seed = seed ? strtoull(seed, NULL, 10) : 1, .out = "campaign-failures"};
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(words[i], "--shrink") == 0 || strcmp(words[i], "--brief") == 0 || strcmp(words[i], "--first") == 0) {
            *(words[i][2] == 's' ? &o->shrink : words[i][2] == 'b' ? &o->brief : &o->first) = true;
            continue;
        }
        if (!value) return false;
        if (strcmp(words[i], "--seconds") == 0)
            o->seconds = strtod(value, NULL);
        else if (strcmp(words[i], "--trials") == 0)
            o->trials = strtoull(value, NULL, 10);
        else if (strcmp(words[i], "--seed") == 0 || strcmp(words[i], "--one") == 0)
            o->seed = strtoull(value, NULL, 10), o->one = o->one || words[i][2] == 'o';
        else if (strcmp(words[i], "--replay") == 0)
            o->replay = value, o->one = true;
        else if (strcmp(words[i], "--out") == 0)
            o->out = value;
        else if (strcmp(words[i], "--with") == 0)
            runner_with = value;
        else
            return false;
        i++;
    }
    return o->one || o->seconds > 0 || o->trials > 0;
}

int main(int count, char **words) {
    static campaign c;
    if (!parse(count, words, &c.options)) {
        fputs("usage: campaign [--seconds S] [--trials N] [--seed FIRST] [--out FOLDER] [--brief] [--first] [--with "
              "NAME] | --one "
              "SEED "
              "[--shrink] | "
              "--replay FILE [--shrink]\n",
              stderr);
        return 2;
    }
    if (c.options.one) return run_one(&c);
    signal(SIGTERM, stop_soon);
    signal(SIGINT, stop_soon);
    c.start = c.shown = seconds_now();
    run_all(&c);
    show_summary(&c);
    return c.failures > 0;
}
