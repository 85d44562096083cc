// SPDX-License-Identifier: Apache-2.0
// Motion plans: is a path free, and when is its first contact? Every step of two scenes like those of Table II of local
// advancement, answered as `any` (boolean) and as `first` (time of contact), averaged over the steps. Each answer is
// compared with exact arithmetic on every pair. The program fails if a preset that promises no misses calls a step with
// contacts free, or finds a first contact late.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/support/measure.h"

// The paper's two presets, and the complete presets that search surfaces.
static const char *const presets[] = {"auto", "bvh", "local", "rtri", "voxel-safe"};
enum { PRESETS = sizeof presets / sizeof *presets };

typedef struct plan {
    const char *scene;
    double paper[4]; // milliseconds: R-Tri boolean and time of contact, then the same of local advancement
} plan;

static const plan plans[] = {{"bar", {7.2, 14.9, 3.4, 10.6}}, {"organs", {27.5, 2986.3, 22.5, 727.5}}};

// CPU seconds of all steps, by answer.
typedef struct row {
    const char *preset;
    double seconds[3];
    bool right;
} row;

typedef struct truth {
    bool touches;
    double time;
} truth;

static truth find_truth(bench_step *step) {
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 1);
    bench_time unused = bench_time_none;
    toc_contacts *contacts = bench_ask_next(step, &query, &unused);
    const toc_contact *first = toc_contacts_find_first(contacts);
    const truth t = {first != NULL, first ? first->toc : INFINITY};
    toc_contacts_destroy(contacts);
    return t;
}

static void measure_step(bench_step *step, row *r, const truth *t) {
    for (toc_answer answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_ANY; answer++) {
        const toc_query query = bench_query(r->preset, answer, 1);
        bench_time time = bench_time_none;
        toc_contacts *contacts = bench_ask_next(step, &query, &time);
        r->seconds[answer] += time.next;
        if (t->touches && !contacts->count) r->right = false;
        if (t->touches && contacts->count && answer == TOC_ANSWER_FIRST &&
            contacts->contacts[0].toc > t->time * (1 + 1e-9))
            r->right = false;
        toc_contacts_destroy(contacts);
    }
}

static double mean_ms(const row *r, size_t steps, toc_answer answer) {
    return 1e3 * r->seconds[answer] / (double)steps;
}

static const row *find_row(const row *rows, const char *preset) {
    while (strcmp(rows->preset, preset) != 0) rows++;
    return rows;
}

static void compare(const plan *p, const row *rows, size_t steps) {
    const row *rtri = find_row(rows, "rtri"), *local = find_row(rows, "local");
    printf("  rtri : local, boolean %.2f (the paper %.2f), time of contact %.2f (the paper %.2f)\n",
           mean_ms(rtri, steps, TOC_ANSWER_ANY) / mean_ms(local, steps, TOC_ANSWER_ANY), p->paper[0] / p->paper[2],
           mean_ms(rtri, steps, TOC_ANSWER_FIRST) / mean_ms(local, steps, TOC_ANSWER_FIRST), p->paper[1] / p->paper[3]);
}

static bool print(const plan *p, const row *rows, size_t steps) {
    bool right = true;
    printf("  %-10s %10s %10s %10s   CPU ms a step\n", "preset", "boolean", "first", "all");
    for (size_t i = 0; i < PRESETS; i++) {
        const bool good = rows[i].right || !bench_never_misses(rows[i].preset);
        printf("  %-10s %10.3f %10.3f %10.3f%s\n", rows[i].preset, mean_ms(&rows[i], steps, TOC_ANSWER_ANY),
               mean_ms(&rows[i], steps, TOC_ANSWER_FIRST), mean_ms(&rows[i], steps, TOC_ANSWER_ALL),
               !good           ? "   WRONG"
               : rows[i].right ? ""
                               : "   misses or late");
        right = right && good;
    }
    printf("  %-10s %10.1f %10.1f              the paper, R-Tri, 2.66 GHz\n", "", p->paper[0], p->paper[1]);
    printf("  %-10s %10.1f %10.1f              the paper, local advancement\n", "", p->paper[2], p->paper[3]);
    compare(p, rows, steps);
    puts("");
    fflush(stdout);
    return right;
}

static bool bench_plan(const plan *p) {
    row rows[PRESETS];
    const scene *s = scene_find(p->scene);
    const size_t steps = s->frames - 1;
    size_t touching = 0, triangles = 0;
    for (size_t i = 0; i < PRESETS; i++) rows[i] = (row){.preset = presets[i], .right = true};
    for (size_t f = 0; f < steps; f++) {
        bench_step step = bench_step_of_scene(p->scene, s->size, f);
        const truth t = find_truth(&step);
        for (size_t i = 0; i < PRESETS; i++) measure_step(&step, &rows[i], &t);
        touching += t.touches;
        triangles = step.triangles;
        bench_step_free(&step);
    }
    printf("%s: %zu triangles, %zu steps, %zu of them touch\n", p->scene, triangles, steps, touching);
    return print(p, rows, steps);
}

int main(void) {
    bool right = true;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) right = bench_plan(&plans[i]) && right;
    return right ? 0 : 1;
}
