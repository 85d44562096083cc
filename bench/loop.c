// SPDX-License-Identifier: Apache-2.0
// The loop of a solver (examples/cloth.c): a cloth falls on a ball and on itself. After each step, contacts, near
// pairs, overlaps and the safe step are asked as a solver does, and their CPU time, allocations and memory are counted.
// The cloth must be in the same place, bit by bit, for one thread and for the default. Beside it, Embree's rtcCollide
// and additive advancement find the contacts of the same steps: exact arithmetic must confirm each difference.
#define CLOTH_WITHOUT_MAIN
#include <time.h>

#include "bench/support/measure.h"
#include "bench/support/reference.h"
#include "examples/cloth.c"

enum { STEPS = 60, WARM = 40, QUESTIONS = 4 };
static const char *const loop_questions[QUESTIONS] = {"contacts", "near", "overlaps", "safe step"};

typedef struct counted_memory {
    _Atomic uint64_t calls;
    _Atomic size_t bytes;
} counted_memory;

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size) {
    counted_memory *memory = user;
    memory->bytes += new_size - old_size;
    if (new_size > 0) {
        memory->calls++;
        return realloc(block, new_size);
    }
    free(block);
    return NULL;
}

typedef struct loop_cost {
    double cpu[QUESTIONS];
    uint64_t calls[QUESTIONS];
    size_t found[QUESTIONS], bytes;
    double wall; // of the steps
} loop_cost;

// ---- Embree and additive advancement

// Both bodies as one mesh: vertices of the ball behind those of the cloth.
typedef struct loop_peer {
    toc_features *features;
    double x0[3 * (CLOTH + BALL)], x1[3 * (CLOTH + BALL)];
    double cpu;                               // seconds a step
    size_t found, false_alarms, lacks, wrong; // contacts; those that are none; ours that it lacks; our mistakes
} loop_peer;

static void make_peer(const cloth_loop *l, loop_peer *peer) {
    toc_mesh *both;
    bench_check(toc_mesh_copy(toc_scene_get_mesh(l->scene, 0), &both));
    bench_check(toc_mesh_append(both, toc_scene_get_mesh(l->scene, 1), NULL, NULL));
    bench_check(toc_mesh_find_features(both, &peer->features));
    toc_mesh_destroy(both);
}

// Contacts of the cloth with itself and with the ball, numbered as in both.
static bench_keys keys_of_loop(const toc_contacts *contacts) {
    bench_keys keys = {0};
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        uint32_t v[4];
        for (int k = 0; k < 4; k++) v[k] = c->v[k] + (c->body[k >= second] == 1 ? CLOTH : 0);
        bench_keys_add(&keys, c->kind, v);
    }
    bench_keys_sort(&keys);
    return keys;
}

static void ask_peer(const cloth_loop *l, loop_peer *peer) {
    const bench_reference_settings settings = {.separation = GAP, .still_from = CLOTH};
    bench_reference run;
    for (uint32_t b = 0; b < 2; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(l->scene, b);
        const size_t first = b ? 3 * CLOTH : 0, bytes = (b ? 3 * BALL : 3 * CLOTH) * sizeof(double);
        memcpy(peer->x0 + first, toc_mesh_get_x0(mesh), bytes);
        memcpy(peer->x1 + first, toc_mesh_get_x1(mesh), bytes);
    }
    bench_reference_run(peer->features, peer->x0, peer->x1, &settings, &run);
    bench_keys ours = keys_of_loop(l->contacts);
    peer->cpu += (run.search_seconds + run.test_seconds) / (STEPS - WARM);
    peer->found += run.found.count;
    const bench_judged judged = bench_keys_judge(&ours, &run.found, peer->x0, peer->x1, GAP);
    peer->false_alarms += judged.false_alarms;
    peer->lacks += judged.theirs_lacks;
    peer->wrong += judged.missed + judged.invented;
    bench_keys_free(&ours);
    bench_reference_free(&run);
}

// ---- the loop

typedef struct loop_results {
    toc_near *near;
    toc_overlaps *overlaps;
} loop_results;

static size_t ask_loop_question(cloth_loop *l, const toc_query *query, int question, loop_results *r) {
    double fraction;
    switch (question) {
    case 0:
        bench_check(toc_scene_find_contacts(l->scene, query, l->contacts, &l->contacts));
        return l->contacts->count;
    case 1:
        bench_check(bench_find_near(l->scene, query, TOC_NEAR_AT_START, 2 * GAP, &r->near));
        return r->near->count;
    case 2:
        bench_check(toc_scene_find_overlaps(l->scene, query, TOC_AT_START, r->overlaps, &r->overlaps));
        return r->overlaps->count;
    default:
        bench_check(toc_scene_find_safe_step(l->scene, query, &fraction));
        return fraction < 1;
    }
}

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static loop_cost run_loop(cloth_loop *l, int threads, loop_peer *peer) {
    counted_memory memory = {0, 0};
    const toc_allocator allocator = {count_resize, &memory};
    loop_results r = {NULL, NULL};
    loop_cost cost = {.bytes = 0};
    toc_query query = toc_query_default();
    query.test.separation = GAP;
    query.threads = threads;
    make_loop(l, &allocator);
    if (peer) make_peer(l, peer);
    const double start = wall_seconds();
    for (int step = 0; step < STEPS; step++) {
        step_loop(l, &query);
        for (int q = 0; q < QUESTIONS; q++) {
            const double before = bench_cpu();
            const uint64_t calls = memory.calls;
            const size_t found = ask_loop_question(l, &query, q, &r);
            if (step < WARM) continue;
            cost.cpu[q] += (bench_cpu() - before) / (STEPS - WARM);
            cost.calls[q] += memory.calls - calls;
            cost.found[q] += found;
            if (q == 0 && peer) ask_peer(l, peer);
        }
    }
    cost.wall = (wall_seconds() - start) / STEPS;
    cost.bytes = memory.bytes;
    toc_near_destroy(r.near);
    toc_overlaps_destroy(r.overlaps);
    if (peer) toc_features_destroy(peer->features);
    free_loop(l);
    return cost;
}

static void print_peer(const loop_peer *peer, const loop_cost *ours) {
    if (!bench_reference_name()) {
        puts("  contacts by Embree and additive advancement: not in this build (libembree-dev)");
        return;
    }
    printf("  contacts by %s and additive advancement: %.3f CPU ms; ours : theirs = 1 : %.1f; theirs are %zu, of "
           "which exact arithmetic refutes %zu; they lack %zu\n",
           bench_reference_name(), 1e3 * peer->cpu, peer->cpu / ours->cpu[0], peer->found, peer->false_alarms,
           peer->lacks);
    if (peer->wrong) printf("WRONG: exact arithmetic refutes %zu answers of ours\n", peer->wrong);
}

// ---- positions

// The CPU time of a step with contacts whose positions are in memory of the caller, or copied into the mesh.
// @return the contacts of all steps.
static size_t give_positions(cloth_loop *l, bool shares, double *seconds) {
    enum { GIVEN = 40 };
    const toc_shared_positions x0 = {l->x, 0, TOC_DOUBLE}, x1 = {l->next, 0, TOC_DOUBLE};
    toc_query query = toc_query_default();
    toc_contacts *contacts = NULL;
    size_t found = 0;
    query.threads = 1;
    const double start = bench_cpu();
    for (int step = 0; step < GIVEN; step++) {
        if (shares)
            bench_check(toc_scene_share_positions(l->scene, 0, CLOTH, &x0, &x1));
        else
            bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(l->scene, 0), l->x, l->next));
        bench_check(toc_scene_find_contacts(l->scene, &query, contacts, &contacts));
        found += contacts->count;
    }
    *seconds = (bench_cpu() - start) / GIVEN;
    toc_contacts_destroy(contacts);
    return found;
}

static bool measure_positions(void) {
    static cloth_loop l;
    toc_query query = toc_query_default();
    double copied, shared;
    query.threads = 1;
    query.test.separation = GAP;
    make_loop(&l, NULL);
    for (int step = 0; step < WARM; step++) step_loop(&l, &query);
    predict(&l);
    const size_t found = give_positions(&l, false, &copied), same = give_positions(&l, true, &shared);
    printf("  contacts of a step take %.3f ms of CPU with positions copied into the mesh, %.3f ms with shared ones\n",
           1e3 * copied, 1e3 * shared);
    if (found != same) puts("WRONG: shared positions change the answer");
    free_loop(&l);
    return found == same;
}

int main(void) {
    static cloth_loop alone, many;
    static loop_peer peer;
    const loop_cost one = run_loop(&alone, 1, bench_reference_name() ? &peer : NULL), all = run_loop(&many, 0, NULL);
    printf("cloth on a ball, %d triangles, %d steps, the last %d counted\n  %-10s %12s %12s %12s %14s\n",
           2 * (SIDE - 1) * (SIDE - 1), STEPS, STEPS - WARM, "question", "CPU ms, 1", "default", "found",
           "allocations, 1");
    for (int q = 0; q < QUESTIONS; q++)
        printf("  %-10s %12.3f %12.3f %12zu %14llu\n", loop_questions[q], 1e3 * one.cpu[q], 1e3 * all.cpu[q],
               one.found[q], (unsigned long long)one.calls[q]);
    printf("  a step takes %.2f ms on the clock with one thread, %.2f ms by default; the scene holds %.1f MiB\n",
           1e3 * one.wall, 1e3 * all.wall, (double)one.bytes / (1 << 20));
    print_peer(&peer, &one);
    const bool same = memcmp(alone.x, many.x, sizeof alone.x) == 0;
    if (!same) puts("WRONG: the threads change the answer");
    return measure_positions() && same && peer.wrong == 0 ? 0 : 1;
}
