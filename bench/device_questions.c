// SPDX-License-Identifier: Apache-2.0
// The questions of a solver's inner loop on a device, beside the processor with one thread and with all, in the same
// run: wall time, medians. Near pairs, the safe step and the step with room reach a thousandth of the diagonal of the
// scene; contacts are those of features that thick. Every answer must have the bits of the processor's. Fails, with a
// sentence, where there is no device. A question that takes long has fewer rounds. TOC_DEVICE=emulated checks the
// program, but its times say nothing.
//
//     bench.device_questions [ROUNDS [SCENE]]     one scene only, by its name
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "bench/support/measure.h"

enum { MOST_ROUNDS = 101, WAYS = 3 };

typedef struct answer {
    toc_contacts *contacts;
    toc_near *near;
    double fraction;
    toc_room_step room;
} answer;

static void free_answer(answer *a) {
    toc_contacts_destroy(a->contacts);
    toc_near_destroy(a->near);
    *a = (answer){0};
}

static void ask_thick(toc_scene *bodies, const toc_query *query, double distance, answer *out) {
    (void)distance;
    bench_check(toc_scene_find_contacts(bodies, query, out->contacts, &out->contacts));
}

static void ask_fraction(toc_scene *bodies, const toc_query *query, double distance, answer *out) {
    (void)distance;
    bench_check(toc_scene_find_safe_step(bodies, query, &out->fraction));
}

static void ask_with_room(toc_scene *bodies, const toc_query *query, double distance, answer *out) {
    toc_room room = toc_room_default();
    room.most = distance;
    bench_check(toc_scene_find_room_step(bodies, query, &room, &out->room));
}

static void ask_near_start(toc_scene *bodies, const toc_query *query, double distance, answer *out) {
    bench_check(bench_find_near(bodies, query, TOC_NEAR_AT_START, distance, &out->near));
}

static void ask_near_step(toc_scene *bodies, const toc_query *query, double distance, answer *out) {
    bench_check(bench_find_near(bodies, query, TOC_NEAR_IN_STEP, distance, &out->near));
}

typedef struct question {
    const char *name;
    void (*ask)(toc_scene *bodies, const toc_query *query, double distance, answer *out);
    bool thick;
} question;

static const question questions[] = {
    {"contacts of thick features", ask_thick, true},    {"safe step", ask_fraction, false},
    {"safe step, thick", ask_fraction, true},           {"step with room", ask_with_room, false},
    {"near pairs at the start", ask_near_start, false}, {"near pairs in the step", ask_near_step, false}};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static bool is_same_room(const toc_room_step *a, const toc_room_step *b) {
    if (a->fraction != b->fraction || a->limited != b->limited) return false;
    return !a->limited || (a->kind == b->kind && memcmp(a->v, b->v, sizeof a->v) == 0 && a->start == b->start &&
                           a->kept == b->kept && memcmp(a->body, b->body, sizeof a->body) == 0);
}

static size_t count_answer(const answer *a) { return a->contacts ? a->contacts->count : a->near ? a->near->count : 0; }

static bool is_same_answer(const answer *a, const answer *b) {
    const size_t count = count_answer(a);
    if (count_answer(b) != count || a->fraction != b->fraction || !is_same_room(&a->room, &b->room)) return false;
    if (count == 0) return true;
    return a->near ? memcmp(a->near->pairs, b->near->pairs, count * sizeof *a->near->pairs) == 0
                   : memcmp(a->contacts->contacts, b->contacts->contacts, count * sizeof *a->contacts->contacts) == 0;
}

static int rounds = 9;
static const double SECONDS_MOST = 2; // of all rounds of a question

static int order_of_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Half of a step back, so that no kept structure is that of the step asked about.
static void move_step(const bench_step *step, bool back) {
    double *x = bench_must(malloc(3 * step->vertices * sizeof *x));
    for (size_t i = 0; i < 3 * step->vertices; i++) x[i] = step->x0[i] - (step->x1[i] - step->x0[i]) / 2;
    bench_check(
        bench_mesh_set_motion(toc_scene_edit_mesh(step->scene, 0), back ? x : step->x0, back ? step->x0 : step->x1));
    free(x);
}

// @return the median, and the last answer.
static double measure_question(const bench_step *step, const question *q, const toc_query *query, double distance,
                               answer *out) {
    double seconds[MOST_ROUNDS], all = 0;
    int count = 0;
    for (int i = -1; i < rounds && (count == 0 || all < SECONDS_MOST); i++) {
        move_step(step, true);
        q->ask(step->scene, query, distance, out);
        move_step(step, false);
        const double start = toc_seconds();
        q->ask(step->scene, query, distance, out);
        if (i >= 0) all += seconds[count++] = toc_seconds() - start;
    }
    qsort(seconds, (size_t)count, sizeof *seconds, order_of_times);
    return seconds[count / 2];
}

static double diagonal_of(const bench_step *step) {
    double square = 0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < step->vertices; i++)
            low = fmin(low, step->x0[3 * i + (size_t)c]), high = fmax(high, step->x0[3 * i + (size_t)c]);
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

static bool ask_question(const bench_step *step, const question *q) {
    const double distance = 0x1p-10 * diagonal_of(step);
    double seconds[WAYS];
    answer answers[WAYS] = {{0}};
    bool right = true;
    bench_check(toc_scene_set_body_thickness(step->scene, 0, q->thick ? distance : 0));
    for (int way = 0; way < WAYS; way++) {
        toc_query query = bench_query("auto", TOC_ANSWER_ALL, way == 0 ? 1 : 0);
        query.thin = !q->thick;
        query.device = way == 2 ? TOC_DEVICE_GPU : TOC_DEVICE_CPU;
        seconds[way] = measure_question(step, q, &query, distance, &answers[way]);
        right = right && is_same_answer(&answers[way], &answers[0]);
    }
    printf("  %-26s %8zu  1 thread %8.2f ms  all threads %8.2f ms  device %8.2f ms  %5.1f x 1, %4.1f x all  %s\n",
           q->name, count_answer(&answers[0]), 1e3 * seconds[0], 1e3 * seconds[1], 1e3 * seconds[2],
           seconds[0] / seconds[2], seconds[1] / seconds[2], right ? "same bits" : "WRONG");
    fflush(stdout);
    for (int way = 0; way < WAYS; way++) free_answer(&answers[way]);
    return right;
}

static bool ask_scene(const char *name, bool published, size_t size, size_t frame) {
    bench_step step;
    bool right = true;
    if (!published) {
        step = bench_step_of_scene(name, size, frame);
    } else if (!bench_step_of_frames(name, &step)) {
        printf("%s: skipped, the published frames are not there\n", name);
        return true;
    }
    printf("%s, %zu triangles\n", name, step.triangles);
    for (int i = 0; i < QUESTIONS; i++) right = ask_question(&step, &questions[i]) && right;
    bench_step_free(&step);
    return right;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        bool published;
        size_t size, frame;
    } scenes[] = {{"cloth-ball", true, 0, 0}, {"n-body", true, 0, 0}, {"cloth-ball", false, 128, 10}};
    toc_device_info device;
    size_t devices;
    bool right = true;
    if (toc_device_list(1, &device, &devices) != TOC_OK) {
        fprintf(stderr, "bench.device_questions: %s\n", toc_message_get());
        return 1;
    }
    if (count > 1) rounds = (int)strtol(arguments[1], NULL, 10);
    if (rounds < 1 || rounds > MOST_ROUNDS) rounds = 9;
    printf("%s; medians of %d\n", device.name, rounds);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (count < 3 || strcmp(scenes[i].name, arguments[2]) == 0)
            right = ask_scene(scenes[i].name, scenes[i].published, scenes[i].size, scenes[i].frame) && right;
    if (!right) fprintf(stderr, "bench.device_questions: an answer differs from the processor's\n");
    return right ? 0 : 1;
}
