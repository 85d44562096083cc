// SPDX-License-Identifier: Apache-2.0
// Contacts of whole sequences beside the best combination of available parts: swept boxes, built in every step, and
// additive advancement. The boxes are searched by a linear hierarchy, and by Embree's rtcCollide where the build has
// it; the faster one is the peer of a row. One thread, CPU time, all in one run. A row is a few steps in the middle of
// a sequence: ours in a scene that has seen the steps before (warm), the first contact alone in such a scene, and all
// in a new scene for each step. Where the lists of contacts differ, exact arithmetic decides: the program fails if it
// refutes an answer of ours, or if the peers differ.
//
//     bench.peer [NAME]      only the rows whose name begins so
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/folded.h"
#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "bench/support/reference.h"
#include "bench/support/rows.h"
#include "scene/scene.h"
#include "scenes/scenes.h"
#include "tests/support/data.h"

enum { FRAMES_MOST = 16, STEPS_BEFORE = 3 };

// Positions of consecutive frames; the steps from `first` on are measured.
typedef struct peer_sequence {
    toc_mesh *mesh;
    toc_features *features;
    size_t vertices;
    int count, first;
    double *x[FRAMES_MOST];
} peer_sequence;

typedef struct peer_row {
    const char *name;
    bool (*open)(const struct peer_row *row, peer_sequence *s); // false: the data are missing
    const char *folder;                                         // or the name of a generated scene
    uint32_t n; // squares of a folded cloth, the first file of a sequence, or the size of a scene
    bench_folded_lay lay;
    int frame;
} peer_row;

typedef struct peer_times {
    double linear, embree, warm, first, fresh; // seconds a step; embree: INFINITY for a build without it
    size_t contacts, theirs;
    size_t memory, their_memory; // the most of a warm scene beside its mesh and contacts; of the linear hierarchy
    bool agree;                  // the peers
    bench_judged judged;
} peer_times;

// ---- sequences

static double *add_frame(peer_sequence *s) {
    s->x[s->count] = bench_must(malloc(3 * s->vertices * sizeof(double)));
    return s->x[s->count++];
}

// Add the positions of a mesh; keep the first mesh.
static void take_frame(peer_sequence *s, toc_mesh *mesh) {
    s->vertices = toc_mesh_get_vertex_count(mesh);
    memcpy(add_frame(s), toc_mesh_get_x1(mesh), 3 * s->vertices * sizeof(double));
    if (s->count == 1)
        s->mesh = mesh;
    else
        toc_mesh_destroy(mesh);
}

static bool open_folded(const peer_row *row, peer_sequence *s) {
    s->mesh = bench_folded_mesh(row->n);
    s->vertices = bench_folded_vertices(row->n);
    s->first = STEPS_BEFORE;
    for (int i = 0; i < STEPS_BEFORE + 4; i++)
        bench_folded_place(row->n, row->lay, row->frame - STEPS_BEFORE + i, add_frame(s));
    return true;
}

// Frames of a generated scene.
static bool open_scene(const peer_row *row, peer_sequence *s) {
    s->first = STEPS_BEFORE;
    for (int i = 0; i < STEPS_BEFORE + 4; i++) {
        toc_mesh *frame;
        bench_check(scene_frame(scene_find(row->folder), row->n, (size_t)(row->frame - STEPS_BEFORE + i), &frame));
        take_frame(s, frame);
    }
    return true;
}

// One published step; the steps before continue its motion backwards.
static bool open_published(const peer_row *row, peer_sequence *s) {
    bench_step step;
    if (!bench_step_of_frames(row->folder, &step)) return false;
    bench_check(toc_mesh_copy(toc_scene_get_mesh(step.scene, 0), &s->mesh));
    s->vertices = step.vertices;
    s->first = STEPS_BEFORE;
    for (int i = -STEPS_BEFORE; i <= 1; i++) {
        double *x = add_frame(s);
        for (size_t k = 0; k < 3 * s->vertices; k++)
            x[k] = i == 1 ? step.x1[k] : step.x0[k] + i * (step.x1[k] - step.x0[k]);
    }
    bench_step_free(&step);
    return true;
}

static bool open_files(const peer_row *row, peer_sequence *s) {
    for (int i = 0; i < 8; i++) {
        char name[256];
        toc_mesh *frame;
        snprintf(name, sizeof name, row->folder, (int)row->n + i);
        if (toc_mesh_read(test_data_path("sequences/%s", name), NULL, &frame) != TOC_OK) {
            if (i > 0 && i < STEPS_BEFORE + 2) bench_check(TOC_BAD_INPUT);
            if (i > 0) break;
            return false;
        }
        take_frame(s, frame);
    }
    s->first = STEPS_BEFORE;
    return true;
}

static void close_sequence(peer_sequence *s) {
    for (int i = 0; i < s->count; i++) free(s->x[i]);
    toc_features_destroy(s->features);
    toc_mesh_destroy(s->mesh);
}

static const peer_row peer_rows[] = {
    {"folded, free, 98", open_folded, NULL, 7, BENCH_FOLDED_GENERIC, BENCH_FOLDED_FREE},
    {"folded, free, 968", open_folded, NULL, 22, BENCH_FOLDED_GENERIC, BENCH_FOLDED_FREE},
    {"folded, free, 10,082", open_folded, NULL, 71, BENCH_FOLDED_GENERIC, BENCH_FOLDED_FREE},
    {"folded, free, 100,352", open_folded, NULL, 224, BENCH_FOLDED_GENERIC, BENCH_FOLDED_FREE},
    {"folded, dense, 98", open_folded, NULL, 7, BENCH_FOLDED_GENERIC, BENCH_FOLDED_DENSE},
    {"folded, dense, 968", open_folded, NULL, 22, BENCH_FOLDED_GENERIC, BENCH_FOLDED_DENSE},
    {"folded, dense, 10,082", open_folded, NULL, 71, BENCH_FOLDED_GENERIC, BENCH_FOLDED_DENSE},
    {"folded, dense, 100,352", open_folded, NULL, 224, BENCH_FOLDED_GENERIC, BENCH_FOLDED_DENSE},
    {"aligned, free, 968", open_folded, NULL, 22, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_FREE},
    {"aligned, free, 10,082", open_folded, NULL, 71, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_FREE},
    {"aligned, dense, 98", open_folded, NULL, 7, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_DENSE},
    {"aligned, dense, 968", open_folded, NULL, 22, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_DENSE},
    {"aligned, dense, 10,082", open_folded, NULL, 71, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_DENSE},
    {"aligned, dense, 100,352", open_folded, NULL, 224, BENCH_FOLDED_ALIGNED, BENCH_FOLDED_DENSE},
    {"sheared, dense, 98", open_folded, NULL, 7, BENCH_FOLDED_SHEARED, BENCH_FOLDED_DENSE},
    {"sheared, dense, 968", open_folded, NULL, 22, BENCH_FOLDED_SHEARED, BENCH_FOLDED_DENSE},
    {"sheared, dense, 10,082", open_folded, NULL, 71, BENCH_FOLDED_SHEARED, BENCH_FOLDED_DENSE},
    {"turned, dense, 968", open_folded, NULL, 22, BENCH_FOLDED_TURNED, BENCH_FOLDED_DENSE},
    {"turned, dense, 10,082", open_folded, NULL, 71, BENCH_FOLDED_TURNED, BENCH_FOLDED_DENSE},
    {"funnel, 18,376", open_scene, "funnel", 80, BENCH_FOLDED_GENERIC, 45},
    {"rods, 81,320", open_scene, "rods", 18, BENCH_FOLDED_GENERIC, 45},
    {"t-shirt", open_files, "tshirt/%d.obj", 64, BENCH_FOLDED_GENERIC, 0},
    {"kick", open_files, "kick/%d.obj", 40, BENCH_FOLDED_GENERIC, 0},
    {"horse-collapse", open_files, "horse-collapse/%03d.ply", 25, BENCH_FOLDED_GENERIC, 0},
    {"cloth-ball, published", open_published, "cloth-ball", 0, BENCH_FOLDED_GENERIC, 0},
    {"n-body, published", open_published, "n-body", 0, BENCH_FOLDED_GENERIC, 0},
};
enum { PEER_ROWS = sizeof peer_rows / sizeof *peer_rows };

// ---- measuring

static toc_scene *scene_of(const toc_mesh *mesh) {
    toc_scene *bodies;
    toc_mesh *copy;
    bench_check(toc_mesh_copy(mesh, &copy));
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_scene_add_body(bodies, copy, NULL));
    return bodies;
}

static double ask_step(toc_scene *bodies, const peer_sequence *s, int step, toc_answer answer,
                       toc_contacts **contacts) {
    const toc_query query = bench_query("auto", answer, 1);
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(bodies, 0), s->x[step], s->x[step + 1]));
    const double start = bench_cpu();
    bench_check(toc_scene_find_contacts(bodies, &query, *contacts, contacts));
    return bench_cpu() - start;
}

static double ask_new_scene(const peer_sequence *s, int step) {
    toc_scene *bodies = scene_of(s->mesh);
    toc_contacts *contacts = NULL;
    const double seconds = ask_step(bodies, s, step, TOC_ANSWER_ALL, &contacts);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return seconds;
}

static void judge_step(const peer_sequence *s, int step, const toc_contacts *contacts, const bench_reference *run,
                       peer_times *t) {
    bench_keys ours = bench_keys_of(contacts);
    const bench_judged judged = bench_keys_judge(&ours, &run->found, s->x[step], s->x[step + 1], 0);
    t->judged.false_alarms += judged.false_alarms;
    t->judged.missed += judged.missed;
    t->judged.theirs_lacks += judged.theirs_lacks;
    t->judged.invented += judged.invented;
    t->contacts += ours.count;
    t->theirs += run->found.count;
    bench_keys_free(&ours);
}

// Run the peers on a step. @return the contacts of the linear hierarchy.
static bench_reference run_peers(const peer_sequence *s, int step, double part, peer_times *t) {
    bench_reference linear, embree;
    bench_linear_reference_run(s->features, s->x[step], s->x[step + 1], NULL, &linear);
    t->linear += (linear.search_seconds + linear.test_seconds) * part;
    if (linear.memory > t->their_memory) t->their_memory = linear.memory;
    if (!bench_reference_name()) return linear;
    bench_reference_run(s->features, s->x[step], s->x[step + 1], NULL, &embree);
    t->embree += (embree.search_seconds + embree.test_seconds) * part;
    t->agree =
        t->agree && linear.found.count == embree.found.count && bench_keys_missing(&linear.found, &embree.found) == 0;
    bench_reference_free(&embree);
    return linear;
}

// All steps once: ours warm, ours new, the peers'. Sums of the measured steps are divided by their number.
static peer_times run_round(const peer_sequence *s) {
    peer_times t = {.embree = bench_reference_name() ? 0 : INFINITY, .agree = true};
    toc_scene *bodies = scene_of(s->mesh), *others = scene_of(s->mesh);
    toc_contacts *contacts = NULL, *one = NULL;
    const double part = 1.0 / (s->count - 1 - s->first);
    for (int step = 0; step + 1 < s->count; step++) {
        const double seconds = ask_step(bodies, s, step, TOC_ANSWER_ALL, &contacts);
        const double until_first = ask_step(others, s, step, TOC_ANSWER_FIRST, &one);
        if (step < s->first) continue;
        bench_reference run = run_peers(s, step, part, &t);
        t.warm += seconds * part;
        t.first += until_first * part;
        t.fresh += ask_new_scene(s, step) * part;
        judge_step(s, step, contacts, &run, &t);
        bench_reference_free(&run);
    }
    t.memory = bodies->pool.peak;
    toc_contacts_destroy(contacts);
    toc_contacts_destroy(one);
    toc_scene_destroy(bodies);
    toc_scene_destroy(others);
    return t;
}

// The best of several rounds, each of which measures everything.
static peer_times measure_row(const peer_sequence *s) {
    const double start = bench_cpu();
    peer_times best = run_round(s);
    for (int round = 1; round < 40 && (round < 3 || bench_cpu() - start < 2) && bench_cpu() - start < 12; round++) {
        const peer_times t = run_round(s);
        best.linear = fmin(best.linear, t.linear);
        best.embree = fmin(best.embree, t.embree);
        best.warm = fmin(best.warm, t.warm);
        best.first = fmin(best.first, t.first);
        best.fresh = fmin(best.fresh, t.fresh);
    }
    return best;
}

static bool measure_and_print(const peer_row *row) {
    peer_sequence s = {.count = 0};
    if (!row->open(row, &s)) {
        printf("| %s | missing |\n", row->name);
        return true;
    }
    bench_check(toc_mesh_find_features(s.mesh, &s.features));
    const peer_times t = measure_row(&s);
    const bool right = t.judged.missed == 0 && t.judged.invented == 0 && t.agree;
    const double peer = fmin(t.linear, t.embree);
    char embree[32] = "-";
    if (t.embree < INFINITY) snprintf(embree, sizeof embree, "%.3g", 1e3 * t.embree);
    printf("| %s | %zu | %.3g | %s | %.3g | %.3g | %.1f | %.1f | %.3g | %.2f | %.3g, %.3g | %zu, %zu |%s\n", row->name,
           t.contacts, 1e3 * t.linear, embree, 1e3 * t.warm, 1e3 * t.fresh, peer / t.warm, peer / t.fresh,
           1e3 * t.first, t.first / t.warm, (double)t.memory / 1048576, (double)t.their_memory / 1048576,
           t.judged.false_alarms, t.judged.theirs_lacks, right ? "" : " WRONG");
    fflush(stdout);
    close_sequence(&s);
    return right;
}

static const char *row_name(size_t i) { return i < PEER_ROWS ? peer_rows[i].name : NULL; }

int main(int argc, char **argv) {
    bool right = true;
    if (!bench_rows_have(row_name, true, argc > 1 ? 1 : 0, argv + 1)) return 1;
    printf("peers: a linear hierarchy; %s\n\n",
           bench_reference_name() ? bench_reference_name() : "not Embree 3, which this build lacks");
    puts("| steps | contacts | linear, ms | Embree, ms | warm, ms | new, ms | peer : warm | peer : new | first, ms | "
         "first : warm | MiB, linear's | false, lacking |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < PEER_ROWS; i++)
        if (argc < 2 || strncmp(argv[1], peer_rows[i].name, strlen(argv[1])) == 0)
            right = measure_and_print(&peer_rows[i]) && right;
    return right ? 0 : 1;
}
