// SPDX-License-Identifier: Apache-2.0
// The cost of a query over a whole step in CPU time of the process: other work on the machine matters less than on a
// wall clock.
#ifndef BENCH_SUPPORT_MEASURE_H
#define BENCH_SUPPORT_MEASURE_H

#include "scenes/scenes.h"
#include "toccata/toccata.h"

/// CPU seconds of all threads of the process together.
double bench_cpu(void);
/// The peak memory of the process so far, in MiB.
double bench_peak_memory(void);

/// End the program with the library's message after a failed call, or when memory is out.
void bench_check(toc_status status);
void *bench_must(void *block);

/// The setters of a mesh, with an array for all vertices that it has.
toc_status bench_mesh_move(toc_mesh *mesh, const double *x1);
toc_status bench_mesh_set_motion(toc_mesh *mesh, const double *x0, const double *x1);

/// Near pairs within a distance. @param near NULL, or an earlier result, which is used again.
toc_status bench_find_near(toc_scene *bodies, const toc_query *query, toc_near_time time, double distance,
                           toc_near **near);

/// A step of one body for repeated queries: the scene, and both ends of the step.
typedef struct bench_step {
    const char *name;
    toc_scene *scene;
    size_t vertices, triangles; // faces of the surface or of volume elements
    double *x0, *x1;
} bench_step;

/// Takes the mesh, which moves from x0 to x1.
bench_step bench_step_of_mesh(const char *name, toc_mesh *mesh);
/// A step of a generated scene.
bench_step bench_step_of_scene(const char *scene_name, size_t size, size_t frame);
/// The published step of a folder below the data; false if it is missing.
bool bench_step_of_frames(const char *folder, bench_step *out);
void bench_step_free(bench_step *step);

/// The time of a query: the best of the measured ones.
typedef struct bench_time {
    double first; // seconds in a new scene: features found, trees built
    double next;  // seconds in a scene with previous steps, as in the middle of a sequence
} bench_time;

extern const bench_time bench_time_none; // before any measurement

/// Query the step as the next one of a sequence. @param time improved if this run was faster.
toc_contacts *bench_ask_next(bench_step *step, const toc_query *query, bench_time *time);
/// The same without the previous steps, for queries that do not depend on them.
toc_contacts *bench_ask_again(bench_step *step, const toc_query *query, bench_time *time);
/// Query a new scene with a copy of the body.
void bench_ask_first(bench_step *step, const toc_query *query, bench_time *time);

/// The settings of a preset with an answer and a number of threads.
toc_query bench_query(const char *preset, toc_answer answer, int threads);
/// Whether the library has a preset with this name.
bool bench_has_preset(const char *name);
/// Whether a preset promises to miss nothing; the misses of the others are counted and shown.
bool bench_never_misses(const char *preset);
/// "all", "first", "any".
const char *bench_answer_name(toc_answer answer);

#endif
