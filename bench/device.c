// SPDX-License-Identifier: Apache-2.0
// Whole steps on a device, beside the processor with one thread and with all, in the same run: wall time, medians.
// Every answer must have the bits of the processor's. Fails, with a sentence, where there is no device: a measurement
// that did not happen is no result. One more step, in which each launch is waited for, gives the time of each kernel.
// TOC_DEVICE=emulated checks the program, but its times say nothing.
//
//     bench.device [ROUNDS [SCENE]]     one scene only, by the beginning of its name as printed
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
    bench_step_free(&step);
    fflush(stdout);
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
    for (int i = 0; i < PLANS; i++)
        if (count < 3 || strncmp(plans[i].name, arguments[2], strlen(arguments[2])) == 0)
            right = measure_plan(&plans[i]) && right;
    if (!right) fprintf(stderr, "bench.device: an answer differs from the processor's\n");
    return right ? 0 : 1;
}
