// SPDX-License-Identifier: Apache-2.0
// Simulations described in JSON: bodies from files or generators, materials, motion, time. docs/simulation.md describes
// the keys. Some are built in, each as a file NAME.json beside this one.
#ifndef SCENES_SIMULATED_SIMULATION_H
#define SCENES_SIMULATED_SIMULATION_H

#include "toccata/sim.h"

typedef struct simulation_options {
    size_t size;           ///< 0 for the size of the description.
    const char *preset;    ///< NULL for that of the description.
    bool surface_only;     ///< Contacts of boundary features only, whatever the description says.
    int threads;           ///< As in toc_query.
    bool careless;         ///< Without the continuous response, to compare.
    toc_task_system tasks; ///< As in toc_query.
} simulation_options;

typedef struct simulation {
    char name[64];
    char what[256];
    toc_sim *sim;
    size_t frames, size;
    double frame_time; ///< Between two frames.
    uint64_t hash;     ///< Of the description and the options that count.
} simulation;

/// The i-th simulation that is built in; NULL past the last.
const char *simulation_name(size_t i);
/// The description of one that is built in; NULL if there is none.
const char *simulation_text(const char *name);

/// Make a simulation from a name that is built in, or from a file. Failures name the file and the line, or the path in
/// it: "bodies[2].material".
toc_status simulation_open(const char *name, const simulation_options *options, simulation *out);
void simulation_close(simulation *s);

/// Make the steps of a frame. Reports add up; may be NULL.
toc_status simulation_advance(simulation *s, size_t frame, toc_sim_report *sum);

#endif
