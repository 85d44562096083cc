// SPDX-License-Identifier: Apache-2.0
// The feature pairs of whole steps: the same candidates, from the tree and its culling of features, answered by one
// method after the other. bench.culling asks about whole triangle pairs, as Zhang and Kim 2012 do.
// Methods answer without exact arithmetic. The program fails if the certified method misses a contact.
#include <math.h>
#include <stdio.h>

#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "toccata/research.h"

static const toc_method methods[] = {TOC_METHOD_CULLING, TOC_METHOD_CA_FEATURE, TOC_METHOD_CA_TRIANGLE,
                                     TOC_METHOD_CUBIC,   TOC_METHOD_ADDITIVE,   TOC_METHOD_CERTIFIED};
enum { METHODS = sizeof methods / sizeof *methods, ROUNDS = 2 };

// Stages measure elapsed time. This is the last stage's share of the CPU time.
static double last_stage(const toc_contacts *contacts, double computed) {
    return computed * contacts->stages[contacts->stage_count - 1].seconds / contacts->seconds;
}

static toc_contacts *ask(bench_step *step, toc_method method, bool exact, double *best) {
    toc_query query = bench_query("bvh", TOC_ANSWER_ALL, 1);
    query.test.method = method;
    query.test.exact = exact;
    query.test.tolerance = method == TOC_METHOD_CERTIFIED ? 0 : 1e-6;
    bench_time time = bench_time_none;
    toc_contacts *contacts = bench_ask_again(step, &query, &time);
    *best = fmin(*best, last_stage(contacts, time.next));
    return contacts;
}

static size_t missed_by(bench_step *step, const bench_keys *truth, toc_method method, double *best) {
    toc_contacts *contacts = ask(step, method, false, best);
    bench_keys found = bench_keys_of(contacts);
    const size_t missed = bench_keys_missing(truth, &found);
    bench_keys_free(&found);
    toc_contacts_destroy(contacts);
    return missed;
}

static bool bench_step_by_methods(bench_step *step) {
    double seconds[METHODS], unused = INFINITY;
    size_t missed[METHODS];
    for (int m = 0; m < METHODS; m++) seconds[m] = INFINITY;
    toc_contacts *exact = ask(step, TOC_METHOD_CERTIFIED, true, &unused);
    const uint64_t pairs = exact->stages[exact->stage_count - 1].in;
    bench_keys truth = bench_keys_of(exact);
    toc_contacts_destroy(exact);
    for (int i = 0; i < ROUNDS * METHODS; i++)
        missed[i % METHODS] = missed_by(step, &truth, methods[i % METHODS], &seconds[i % METHODS]);
    printf("%s: %zu triangles, %llu candidates, %zu contacts\n", step->name, step->triangles, (unsigned long long)pairs,
           truth.count);
    printf("  %-12s %10s %10s %10s %8s\n", "method", "CPU ms", "ns a pair", "x culling", "missed");
    for (int m = 0; m < METHODS; m++) {
        printf("  %-12s %10.1f %10.1f %10.2f %8zu\n", toc_method_get(methods[m]).name, 1e3 * seconds[m],
               1e9 * seconds[m] / (double)pairs, seconds[m] / seconds[0], missed[m]);
    }
    puts("");
    fflush(stdout);
    bench_keys_free(&truth);
    return missed[METHODS - 1] == 0;
}

static bool bench_frames(const char *folder) {
    bench_step step;
    if (!bench_step_of_frames(folder, &step)) {
        printf("%s: missing\n\n", folder);
        return true;
    }
    const bool right = bench_step_by_methods(&step);
    bench_step_free(&step);
    return right;
}

int main(void) {
    bool right = bench_frames("cloth-ball");
    right = bench_frames("n-body") && right;
    bench_step step = bench_step_of_scene("explosion", 7, 12);
    right = bench_step_by_methods(&step) && right;
    bench_step_free(&step);
    return right ? 0 : 1;
}
