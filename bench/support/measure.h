// SPDX-License-Identifier: Apache-2.0
// What a query over a whole step costs, in time that the process has computed: what others do on the machine counts
// less than on a wall clock.
#ifndef BENCH_SUPPORT_MEASURE_H
#define BENCH_SUPPORT_MEASURE_H

#include "scenes/scenes.h"
#include "toccata/toccata.h"

/// Seconds that all threads of the process have computed, together.
double bench_cpu(void);
/// The most memory the process has held so far, in MiB.
double bench_peak_memory(void);

/// End the program with the library's message when a call failed, or for want of memory.
void bench_check(toc_status status);
void *bench_must(void *block);

/// A step of one body, to be asked again and again: the scene, and both ends of the step.
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
/// The published step of a folder below the data; false where it is not there.
bool bench_step_of_frames(const char *folder, bench_step *out);
void bench_step_free(bench_step *step);

/// What one query took: the best of those measured.
typedef struct bench_time {
    double first; // seconds for a scene that was never asked before: features found, trees built
    double next;  // seconds for one that was asked about a like step just before: as in the middle of a sequence
} bench_time;

extern const bench_time bench_time_none; // before any measurement

/// Ask for the step once more as the next one of a sequence. @param time improved where this was faster.
toc_contacts *bench_ask_next(bench_step *step, const toc_query *query, bench_time *time);
/// The same without the steps before, where it does not matter how the scene was asked before.
toc_contacts *bench_ask_again(bench_step *step, const toc_query *query, bench_time *time);
/// Ask a scene of its own that holds a copy of the body, for the first time.
void bench_ask_first(bench_step *step, const toc_query *query, bench_time *time);

/// The settings of a preset with an answer and a number of threads.
toc_query bench_query(const char *preset, toc_answer answer, int threads);
/// Whether the library has a preset of this name.
bool bench_has_preset(const char *name);
/// Whether a preset promises that nothing is missed; others are counted and shown.
bool bench_never_misses(const char *preset);
/// "all", "first", "any".
const char *bench_answer_name(toc_answer answer);

#endif
