// SPDX-License-Identifier: Apache-2.0
// Whole steps on a device, beside the processor with one thread and with all, in the same run: wall time, medians.
// Every answer must have the bits of the processor's. Fails, with a sentence, where there is no device: a measurement
// that did not happen is no result. One more step, in which each launch is waited for, gives the time of each kernel.
// "there" is a step whose positions come from arrays on the device, and whose contacts stay there: with the copies on
// the device, without those to and from the processor. "edited" is a step after a change of topology: an element goes
// or comes back. TOC_DEVICE=emulated checks the program, but its times say nothing.
//
//     bench.device [ROUNDS [SCENE]]             one scene only, by the beginning of its name as printed
//     bench.device ROUNDS scale [TRIANGLES]     a folded sheet of 10^5 triangles, and ten times as many up to TRIANGLES
//                                               (10^7), in a step of its own each; the slope of the times
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "bench/support/folded.h"
#include "bench/support/measure.h"
#include "device/device.h"

enum { ROUNDS_MOST = 101, STAGES = 16 };

typedef struct plan {
    const char *name, *scene; // NULL for the folded sheet
    bool published;
    size_t size, frame;
    bool is_volume; // most elements are
} plan;

static const plan plans[] = {
    {"cloth-ball, published", "cloth-ball", true, 0, 0, false},
    {"n-body, published", "n-body", true, 0, 0, false},
    {"car, 1.2M shells", "car", false, 165, 60, false},
    {"n-body, large", "n-body", false, 512, 20, false},
    {"folded, dense", NULL, false, 220, BENCH_FOLDED_DENSE, false},
    {"octopi, 17.6K tets", "octopi", false, 2, 40, true},
    {"octopi, 140K tets", "octopi", false, 4, 40, true},
    {"bullet, 12K hexes", "bullet", false, 4, 40, true},
    {"bullet, 95K hexes", "bullet", false, 8, 40, true},
};
enum { PLANS = sizeof plans / sizeof *plans };

static int rounds = 9;

static int compare_seconds(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds) {
    qsort(seconds, (size_t)rounds, sizeof *seconds, compare_seconds);
    return seconds[rounds / 2];
}

static bench_step folded_step(uint32_t n, int frame) {
    const size_t count = 3 * bench_folded_vertices(n);
    toc_mesh *mesh = bench_folded_mesh(n);
    double *x[2];
    for (int end = 0; end < 2; end++) {
        x[end] = bench_must(malloc(count * sizeof **x));
        bench_folded_place(n, BENCH_FOLDED_GENERIC, frame + end, x[end]);
    }
    bench_check(toc_mesh_set_motion(mesh, bench_folded_vertices(n), x[0], x[1]));
    free(x[0]), free(x[1]);
    return bench_step_of_mesh("folded", mesh);
}

static bool make_step(const plan *p, bench_step *step) {
    if (p->published) return bench_step_of_frames(p->scene, step);
    *step = p->scene ? bench_step_of_scene(p->scene, p->size, p->frame) : folded_step((uint32_t)p->size, (int)p->frame);
    return true;
}

// One way to answer, its median, and the stages of the last round.
typedef struct row {
    const char *name;
    toc_device_choice device;
    int threads;
    double seconds;
    size_t stage_count;
    toc_stage stages[STAGES];
} row;

static bool same_bits(const toc_contacts *a, const toc_contacts *b) {
    if (a->count != b->count) return false;
    return a->count == 0 || memcmp(a->contacts, b->contacts, a->count * sizeof *a->contacts) == 0;
}

static bool measure(bench_step *step, toc_answer answer, const toc_contacts *truth, row *r) {
    double seconds[ROUNDS_MOST];
    toc_query query = bench_query("auto", answer, r->threads);
    bool right = true;
    query.device = r->device;
    for (int i = 0; i < rounds; i++) {
        bench_time unused = bench_time_none;
        toc_contacts *got = bench_ask_next(step, &query, &unused);
        seconds[i] = got->seconds;
        right = right && same_bits(got, truth);
        r->stage_count = got->stage_count < STAGES ? got->stage_count : STAGES;
        memcpy(r->stages, got->stages, r->stage_count * sizeof *r->stages);
        toc_contacts_destroy(got);
    }
    r->seconds = median(seconds);
    return right;
}

static void print_stages(const row *r) {
    printf("    %s:", r->name);
    for (size_t i = 0; i < r->stage_count; i++) printf(" %s %.2f", r->stages[i].name, 1e3 * r->stages[i].seconds);
    printf("\n");
}

// Where launches are waited for, one thread asks: nothing overlaps.
static bool print_kernels(bench_step *step, const toc_contacts *truth) {
    toc_query query = bench_query("auto", TOC_ANSWER_ALL, 1);
    bench_time unused = bench_time_none;
    query.device = TOC_DEVICE_GPU;
    toc_device_times = (toc_device_clock){.now = toc_seconds};
    toc_contacts *got = bench_ask_next(step, &query, &unused);
    const toc_device_clock times = toc_device_times;
    toc_device_times.now = NULL;
    printf("    kernels, launches and ms of all:");
    for (int i = 0; i < TOC_DEVICE_KERNEL_COUNT; i++)
        if (times.launches[i] > 0)
            printf(" %s %zu %.3f", toc_device_kernel_names[i], times.launches[i], 1e3 * times.seconds[i]);
    printf("\n");
    const bool right = same_bits(got, truth);
    toc_contacts_destroy(got);
    return right;
}

static bool measure_answer(bench_step *step, toc_answer answer) {
    row rows[] = {{.name = "1 thread", .device = TOC_DEVICE_CPU, .threads = 1},
                  {.name = "all threads", .device = TOC_DEVICE_CPU, .threads = 0},
                  {.name = "device", .device = TOC_DEVICE_GPU, .threads = 0}};
    const toc_query query = bench_query("auto", answer, 1);
    bench_time unused = bench_time_none;
    toc_contacts *truth = bench_ask_next(step, &query, &unused);
    bool right = true;
    for (int i = 0; i < 3; i++) right = measure(step, answer, truth, &rows[i]) && right;
    printf(
        "  %-5s %8zu contacts  1 thread %8.2f ms  all threads %8.2f ms  device %8.2f ms  %5.1f x 1, %4.1f x all  %s\n",
        bench_answer_name(answer), truth->count, 1e3 * rows[0].seconds, 1e3 * rows[1].seconds, 1e3 * rows[2].seconds,
        rows[0].seconds / rows[2].seconds, rows[1].seconds / rows[2].seconds, right ? "same bits" : "WRONG");
    for (int i = 1; i < 3 && answer == TOC_ANSWER_ALL; i++) print_stages(&rows[i]);
    if (answer == TOC_ANSWER_ALL && !print_kernels(step, truth)) right = false;
    fflush(stdout);
    toc_contacts_destroy(truth);
    return right;
}

// ---- arrays on the device

// Two ends of a step there.
typedef struct ends_there {
    toc_shared_positions x[2];
} ends_there;

static ends_there put_ends_there(const double *x0, const double *x1, size_t vertices) {
    const double *const from[2] = {x0, x1};
    ends_there ends;
    for (int i = 0; i < 2; i++) {
        void *at;
        bench_check(toc_device_allocate(3 * vertices * sizeof **from, &at));
        bench_check(toc_device_copy(at, from[i], 3 * vertices * sizeof **from, NULL));
        ends.x[i] = (toc_shared_positions){at, 0, TOC_DOUBLE};
    }
    return ends;
}

static void release_ends_there(const ends_there *ends) {
    for (int i = 0; i < 2; i++) toc_device_release((void *)(uintptr_t)ends->x[i].at);
}

static toc_device_contacts *ask_there(const bench_step *step, const ends_there *ends, const toc_query *query,
                                      toc_device_contacts *reuse) {
    toc_device_contacts *got;
    void *const stream = (void *)(uintptr_t)1;
    bench_check(toc_scene_move_on_device(step->scene, 0, step->vertices, &ends->x[0], &ends->x[1], stream));
    bench_check(toc_scene_find_contacts_on_device(step->scene, query, stream, reuse, &got));
    return got;
}

static bool same_bits_there(const toc_device_contacts *got, const toc_contacts *truth) {
    const size_t bytes = got->count * sizeof *truth->contacts;
    if (got->count != truth->count) return false;
    toc_contact *fetched = bench_must(malloc(bytes + 1));
    bench_check(toc_device_copy(fetched, got->contacts, bytes, NULL));
    const bool same = got->count == 0 || memcmp(fetched, truth->contacts, bytes) == 0;
    free(fetched);
    return same;
}

// Each step after one before it, in the same scene.
static bool measure_there(bench_step *step, toc_answer answer, const toc_contacts *truth, double *seconds_out) {
    double seconds[ROUNDS_MOST], *before = bench_must(malloc(3 * step->vertices * sizeof *before));
    toc_query query = bench_query("auto", answer, 0);
    toc_device_contacts *got = NULL;
    bool right = true;
    for (size_t i = 0; i < 3 * step->vertices; i++) before[i] = 2 * step->x0[i] - step->x1[i];
    const ends_there first = put_ends_there(before, step->x0, step->vertices),
                     then = put_ends_there(step->x0, step->x1, step->vertices);
    query.device = TOC_DEVICE_GPU;
    for (int i = 0; i < rounds; i++) {
        got = ask_there(step, &first, &query, got);
        const double start = toc_seconds();
        got = ask_there(step, &then, &query, got);
        seconds[i] = toc_seconds() - start;
        right = right && same_bits_there(got, truth);
    }
    toc_device_contacts_destroy(got);
    bench_check(toc_scene_share_positions(step->scene, 0, 0, NULL, NULL));
    release_ends_there(&first), release_ends_there(&then);
    free(before);
    *seconds_out = median(seconds);
    return right;
}

// ---- edits

// The answers of a device and of the processor in the first step after an edit; the time of one of them.
static bool ask_edited(bench_step *step, uint32_t element, toc_device_choice timed, double *seconds) {
    toc_contacts *got[2];
    bench_check(toc_mesh_remove_element(toc_scene_edit_mesh(step->scene, 0), element));
    for (int i = 0; i < 2; i++) {
        toc_query query = bench_query("auto", TOC_ANSWER_ALL, 0);
        query.device = (i == 0) == (timed == TOC_DEVICE_GPU) ? TOC_DEVICE_GPU : TOC_DEVICE_CPU;
        bench_check(toc_scene_find_contacts(step->scene, &query, NULL, &got[i]));
    }
    *seconds = got[0]->seconds;
    const bool right = same_bits(got[0], got[1]);
    toc_contacts_destroy(got[0]), toc_contacts_destroy(got[1]);
    return right;
}

// The mesh loses two elements a round.
static bool measure_edited(bench_step *step, double *processor, double *device) {
    double seconds[2][ROUNDS_MOST];
    bool right = true;
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(step->scene, 0), step->x0, step->x1));
    for (int i = 0; i < rounds; i++) {
        const uint32_t element = (uint32_t)(step->triangles / 8) + 8 * (uint32_t)i;
        right = ask_edited(step, element, TOC_DEVICE_CPU, &seconds[0][i]) && right;
        right = ask_edited(step, element + 1, TOC_DEVICE_GPU, &seconds[1][i]) && right;
    }
    *processor = median(seconds[0]), *device = median(seconds[1]);
    return right;
}

// ---- scenes

static bool print_there(bench_step *step, toc_answer answer) {
    const toc_query query = bench_query("auto", answer, 0);
    bench_time unused = bench_time_none;
    toc_contacts *truth = bench_ask_next(step, &query, &unused);
    double there;
    const bool right = measure_there(step, answer, truth, &there);
    printf("  %-5s there     device %8.2f ms  %s\n", bench_answer_name(answer), 1e3 * there,
           right ? "same bits" : "WRONG");
    fflush(stdout);
    toc_contacts_destroy(truth);
    return right;
}

static bool print_edited(bench_step *step) {
    double processor, device;
    const bool right = measure_edited(step, &processor, &device);
    printf("  all   edited    all threads %8.2f ms  device %8.2f ms  %s\n", 1e3 * processor, 1e3 * device,
           right ? "same bits" : "WRONG");
    fflush(stdout);
    return right;
}

static bool measure_plan(const plan *p) {
    bench_step step;
    bool right = true;
    if (!make_step(p, &step)) {
        printf("%s: skipped, the published frames are not there\n", p->name);
        return true;
    }
    printf("%s, %zu triangles\n", p->name, step.triangles);
    // Any contact of volumes depends on the queries before it.
    const toc_answer last = p->is_volume ? TOC_ANSWER_FIRST : TOC_ANSWER_ANY;
    for (toc_answer answer = TOC_ANSWER_ALL; answer <= last; answer++) right = measure_answer(&step, answer) && right;
    for (toc_answer answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_FIRST; answer++)
        right = print_there(&step, answer) && right;
    right = print_edited(&step) && right;
    bench_step_free(&step);
    return right;
}

// ---- scale

static bool measure_size(uint32_t n, size_t *triangles, double *seconds) {
    bench_step step = folded_step(n, BENCH_FOLDED_DENSE);
    row here = {.name = "all threads", .device = TOC_DEVICE_CPU, .threads = 0};
    row there = {.name = "device", .device = TOC_DEVICE_GPU, .threads = 0};
    const toc_query query = bench_query("auto", TOC_ANSWER_ALL, 0);
    bench_time unused = bench_time_none;
    toc_contacts *truth = bench_ask_next(&step, &query, &unused);
    bool right = measure(&step, TOC_ANSWER_ALL, truth, &there);
    right = measure(&step, TOC_ANSWER_ALL, truth, &here) && right;
    printf("%9zu triangles, %8zu contacts  all threads %8.2f ms  device %8.2f ms  %4.1f x all  %s\n", step.triangles,
           truth->count, 1e3 * here.seconds, 1e3 * there.seconds, here.seconds / there.seconds,
           right ? "same bits" : "WRONG");
    print_stages(&there);
    right = print_kernels(&step, truth) && right;
    fflush(stdout);
    *triangles = step.triangles, *seconds = there.seconds;
    toc_contacts_destroy(truth);
    bench_step_free(&step);
    return right;
}

static bool measure_scale(size_t most) {
    size_t triangles[2] = {0, 0};
    double seconds[2] = {1, 1};
    bool right = true;
    for (double size = 1e5; size < 1.1 * (double)most; size *= 10) {
        triangles[0] = triangles[1], seconds[0] = seconds[1];
        right = measure_size((uint32_t)sqrt(size / 2), &triangles[1], &seconds[1]) && right;
        if (triangles[0])
            printf("    slope %.2f\n", log(seconds[1] / seconds[0]) / log((double)triangles[1] / (double)triangles[0]));
    }
    return right;
}

int main(int count, char **arguments) {
    toc_device_info device;
    size_t devices;
    bool right = true;
    if (toc_device_list(1, &device, &devices) != TOC_OK) {
        fprintf(stderr, "bench.device: %s\n", toc_message_get());
        return 1;
    }
    if (count > 1) rounds = (int)strtol(arguments[1], NULL, 10);
    if (rounds < 1 || rounds > ROUNDS_MOST) rounds = 9;
    printf("%s, %d processors, %.1f GiB, driver %d.%d; medians of %d\n", device.name, (int)device.processors,
           (double)device.memory * 0x1p-30, device.driver / 1000, device.driver % 1000 / 10, rounds);
    if (count > 2 && strcmp(arguments[2], "scale") == 0)
        right = measure_scale(count > 3 ? (size_t)strtod(arguments[3], NULL) : (size_t)1e7);
    for (int i = 0; i < PLANS; i++)
        if (count < 3 || strncmp(plans[i].name, arguments[2], strlen(arguments[2])) == 0)
            right = measure_plan(&plans[i]) && right;
    if (!right) fprintf(stderr, "bench.device: an answer differs from the processor's\n");
    return right ? 0 : 1;
}
