// SPDX-License-Identifier: Apache-2.0
// Motion plans: is a path free, and when is its first contact? Every step of two scenes like those of Table II of local
// advancement, answered as `any` (boolean) and as `first` (time of contact), averaged over the steps: steps of one
// frame, as a simulation has them, and of 2, 5 and 10 frames, as a planner has them. Each answer is
// compared with exact arithmetic on every pair. The program fails if a preset that promises no misses calls a step with
// contacts free, or finds a first contact late.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/support/measure.h"

// The paper's two presets, and the complete presets that search surfaces. The cubic of rtri sends pairs that it cannot
// tell to exact arithmetic, or decides them alone, as published: then it can miss and invent.
typedef struct contender {
    const char *name, *preset;
    bool exact;
} contender;

static const contender contenders[] = {{"auto", "auto", true},
                                       {"bvh", "bvh", true},
                                       {"local", "local", true},
                                       {"rtri", "rtri", true},
                                       {"rtri, cubic alone", "rtri", false},
                                       {"voxel-safe", "voxel-safe", true}};
enum { PRESETS = sizeof contenders / sizeof *contenders };

typedef struct plan {
    const char *scene;
    double paper[4]; // milliseconds: R-Tri boolean and time of contact, then the same of local advancement
} plan;

static const plan plans[] = {{"bar", {7.2, 14.9, 3.4, 10.6}}, {"organs", {27.5, 2986.3, 22.5, 727.5}}};

// CPU seconds of all steps, by answer.
typedef struct row {
    const contender *of;
    double seconds[3];
    size_t blocked; // steps that it calls blocked
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
        toc_query query = bench_query(r->of->preset, answer, 1);
        query.test.exact = r->of->exact;
        bench_time time = bench_time_none;
        toc_contacts *contacts = bench_ask_next(step, &query, &time);
        r->seconds[answer] += time.next;
        if (t->touches && !contacts->count) r->right = false;
        r->blocked += answer == TOC_ANSWER_ANY && contacts->count;
        if (t->touches && contacts->count && answer == TOC_ANSWER_FIRST &&
            contacts->contacts[0].toc > t->time * (1 + 1e-9))
            r->right = false;
        toc_contacts_destroy(contacts);
    }
}

static double mean_ms(const row *r, size_t steps, toc_answer answer) {
    return 1e3 * r->seconds[answer] / (double)steps;
}

static const row *find_row(const row *rows, const char *name) {
    while (strcmp(rows->of->name, name) != 0) rows++;
    return rows;
}

static void compare(const plan *p, const row *rows, const char *name, size_t steps) {
    const row *rtri = find_row(rows, name), *local = find_row(rows, "local");
    printf("  %s : local, boolean %.2f (the paper %.2f), time of contact %.2f (the paper %.2f)\n", name,
           mean_ms(rtri, steps, TOC_ANSWER_ANY) / mean_ms(local, steps, TOC_ANSWER_ANY), p->paper[0] / p->paper[2],
           mean_ms(rtri, steps, TOC_ANSWER_FIRST) / mean_ms(local, steps, TOC_ANSWER_FIRST), p->paper[1] / p->paper[3]);
}

static bool print(const plan *p, const row *rows, size_t steps) {
    bool right = true;
    printf("  %-18s %10s %10s %10s %8s   CPU ms a step\n", "preset", "boolean", "first", "all", "blocked");
    for (size_t i = 0; i < PRESETS; i++) {
        const bool good = rows[i].right || !bench_never_misses(rows[i].of->preset);
        printf("  %-18s %10.3f %10.3f %10.3f %8zu%s\n", rows[i].of->name, mean_ms(&rows[i], steps, TOC_ANSWER_ANY),
               mean_ms(&rows[i], steps, TOC_ANSWER_FIRST), mean_ms(&rows[i], steps, TOC_ANSWER_ALL), rows[i].blocked,
               !good           ? "   WRONG"
               : rows[i].right ? ""
                               : "   misses or late");
        right = right && good;
    }
    printf("  %-18s %10.1f %10.1f %10s %8s   the paper, R-Tri, 2.66 GHz\n", "", p->paper[0], p->paper[1], "", "");
    printf("  %-18s %10.1f %10.1f %10s %8s   the paper, local advancement\n", "", p->paper[2], p->paper[3], "", "");
    compare(p, rows, "rtri", steps);
    compare(p, rows, "rtri, cubic alone", steps);
    puts("");
    fflush(stdout);
    return right;
}

static bench_step plan_step(const plan *p, size_t frame, size_t stride) {
    const scene *s = scene_find(p->scene);
    const double last = (double)(s->frames - 1);
    toc_mesh *mesh;
    bench_check(scene_motion(s, s->size, (double)frame / last, (double)(frame + stride) / last, &mesh));
    return bench_step_of_mesh(p->scene, mesh);
}

static bool bench_plan(const plan *p, size_t stride) {
    row rows[PRESETS];
    const scene *s = scene_find(p->scene);
    const size_t steps = (s->frames - 1) / stride;
    size_t touching = 0, triangles = 0;
    for (size_t i = 0; i < PRESETS; i++) rows[i] = (row){.of = &contenders[i], .right = true};
    for (size_t f = 0; f < steps; f++) {
        bench_step step = plan_step(p, f * stride, stride);
        const truth t = find_truth(&step);
        for (size_t i = 0; i < PRESETS; i++) measure_step(&step, &rows[i], &t);
        touching += t.touches;
        triangles = step.triangles;
        bench_step_free(&step);
    }
    printf("%s: %zu triangles, %zu steps of %zu frames, %zu of them touch\n", p->scene, triangles, steps, stride,
           touching);
    return print(p, rows, steps);
}

int main(void) {
    bool right = true;
    static const size_t strides[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (size_t k = 0; k < sizeof strides / sizeof *strides; k++)
            right = bench_plan(&plans[i], strides[k]) && right;
    return right ? 0 : 1;
}
