// SPDX-License-Identifier: Apache-2.0
// Steps and their queries, measured.
#include "bench/support/measure.h"
#include "tests/support/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

const bench_time bench_time_none = {INFINITY, INFINITY};

double bench_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

void bench_check(toc_status status) {
    if (status == TOC_OK) return;
    fprintf(stderr, "bench: %s\n", toc_message_get());
    exit(1);
}

void *bench_must(void *block) {
    if (block) return block;
    fputs("bench: out of memory\n", stderr);
    exit(1);
}

static double *copy_positions(const double *x, size_t vertices) {
    double *copy = bench_must(malloc((vertices + 1) * 3 * sizeof *copy));
    memcpy(copy, x, 3 * vertices * sizeof *copy);
    return copy;
}

static size_t count_triangles(const toc_mesh *mesh) {
    toc_features *features;
    bench_check(toc_mesh_find_features(mesh, &features));
    const size_t count = features->face_count;
    toc_features_destroy(features);
    return count;
}

toc_status bench_mesh_move(toc_mesh *mesh, const double *x1) {
    return toc_mesh_move(mesh, toc_mesh_get_vertex_count(mesh), x1);
}

toc_status bench_mesh_set_motion(toc_mesh *mesh, const double *x0, const double *x1) {
    return toc_mesh_set_motion(mesh, toc_mesh_get_vertex_count(mesh), x0, x1);
}

toc_status bench_find_near(toc_scene *bodies, const toc_query *query, toc_near_time time, double distance,
                           toc_near **near) {
    toc_near_query asked = toc_near_query_default();
    asked.time = time;
    asked.distance = distance;
    return toc_scene_find_near(bodies, query, &asked, *near, near);
}

bench_step bench_step_of_mesh(const char *name, toc_mesh *mesh) {
    bench_step step = {.name = name, .vertices = toc_mesh_get_vertex_count(mesh), .triangles = count_triangles(mesh)};
    step.x0 = copy_positions(toc_mesh_get_x0(mesh), step.vertices);
    step.x1 = copy_positions(toc_mesh_get_x1(mesh), step.vertices);
    bench_check(toc_scene_create(NULL, &step.scene));
    bench_check(toc_scene_add_body(step.scene, mesh, NULL));
    return step;
}

bench_step bench_step_of_scene(const char *scene_name, size_t size, size_t frame) {
    toc_mesh *mesh;
    bench_check(scene_step(scene_find(scene_name), size, frame, &mesh));
    return bench_step_of_mesh(scene_name, mesh);
}

bool bench_step_of_frames(const char *folder, bench_step *out) {
    toc_mesh *start, *end;
    if (toc_mesh_read(test_data_path("frames/%s/start.ply", folder), NULL, &start) != TOC_OK) return false;
    bench_check(toc_mesh_read(test_data_path("frames/%s/end.ply", folder), NULL, &end));
    bench_check(bench_mesh_move(start, toc_mesh_get_x1(end)));
    toc_mesh_destroy(end);
    *out = bench_step_of_mesh(folder, start);
    return true;
}

void bench_step_free(bench_step *step) {
    toc_scene_destroy(step->scene);
    free(step->x0);
    free(step->x1);
}

static toc_contacts *ask(toc_scene *bodies, const toc_query *query, double *best) {
    toc_contacts *contacts;
    const double start = bench_cpu();
    bench_check(toc_scene_find_contacts(bodies, query, NULL, &contacts));
    *best = fmin(*best, bench_cpu() - start);
    return contacts;
}

// A previous step: the same motion, up to the start of the step.
static void ask_before(bench_step *step, const toc_query *query) {
    double unused = 0;
    double *x = copy_positions(step->x0, step->vertices);
    for (size_t i = 0; i < 3 * step->vertices; i++) x[i] -= step->x1[i] - step->x0[i];
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(step->scene, 0), x, step->x0));
    toc_contacts_destroy(ask(step->scene, query, &unused));
    free(x);
}

toc_contacts *bench_ask_again(bench_step *step, const toc_query *query, bench_time *time) {
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(step->scene, 0), step->x0, step->x1));
    return ask(step->scene, query, &time->next);
}

toc_contacts *bench_ask_next(bench_step *step, const toc_query *query, bench_time *time) {
    for (int i = 0; i < 2; i++) ask_before(step, query); // a preset may search a new scene differently
    return bench_ask_again(step, query, time);
}

void bench_ask_first(bench_step *step, const toc_query *query, bench_time *time) {
    toc_mesh *mesh;
    toc_scene *bodies;
    bench_check(toc_mesh_copy(toc_scene_edit_mesh(step->scene, 0), &mesh));
    bench_check(bench_mesh_set_motion(mesh, step->x0, step->x1));
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_scene_add_body(bodies, mesh, NULL));
    toc_contacts_destroy(ask(bodies, query, &time->first));
    toc_scene_destroy(bodies);
}

toc_query bench_query(const char *preset, toc_answer answer, int threads) {
    toc_query query = toc_query_default();
    query.preset = preset;
    query.answer = answer;
    query.threads = threads;
    query.thin = true; // as in the papers' tables: contacts of the middle surfaces
    return query;
}

bool bench_has_preset(const char *name) {
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++)
        if (strcmp(preset, name) == 0) return true;
    return false;
}

bool bench_never_misses(const char *preset) {
    size_t i = 0;
    while (toc_preset_get(i).name && strcmp(toc_preset_get(i).name, preset) != 0) i++;
    return toc_preset_get(i).is_complete;
}

const char *bench_answer_name(toc_answer answer) {
    return answer == TOC_ANSWER_ALL ? "all" : answer == TOC_ANSWER_FIRST ? "first" : "any";
}
