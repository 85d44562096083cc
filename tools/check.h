// SPDX-License-Identifier: Apache-2.0
// A run of toccata check: its settings, its input, and the results that its report needs.
#ifndef TOOLS_CHECK_H
#define TOOLS_CHECK_H

#include "tools/contact_store.h"
#include "tools/extras.h"
#include "tools/hints.h"
#include "tools/obstacles.h"
#include "tools/part_table.h"
#include "tools/paths.h"
#include "tools/picture.h"

typedef struct check_settings {
    const char *preset, *answer, *method, *contacts, *picture, *up, *clip, *overlaps_out, *near_out;
    size_t dop, lower_height, threads;
    double fold, tolerance, separation, rate;
    double dt; // -1 if it is not given
    uint64_t memory;
    uint32_t skip;
    bool exact, surface, thin, thicken, weld, parabolas, velocities, json, csv, fail_on_contact;
    tool_extras_wanted extras;
    tool_look look;
    tool_files with;
    tool_part_filter filter;
} check_settings;

/// The state of one run: input, results, output.
typedef struct check_session {
    const check_settings *settings;
    toc_sequence *frames;
    toc_scene *scene;
    toc_scene *prepared; // of the step, with shells made solid or vertices joined; NULL if not asked for
    tool_places *places;
    tool_obstacles obstacles;
    size_t steps;
    bool one_step;  // two files with one frame each
    bool one_frame; // no step at all
    tool_paths paths;
    bool quiet;                             // standard output is for a file
    cJSON *json;                            // the object of the step, or of the sequence; NULL without --json
    cJSON *list;                            // of the steps of a sequence
    size_t contacts, touching_steps, found; // found: contacts and overlaps
    tool_part_table parts;                  // of all steps
    tool_hints hints;
    toc_touching *touching; // pairs of the step before, for --changes
} check_session;

/// All contacts of a step in a few numbers.
typedef struct check_summary {
    size_t count;
    size_t kinds[2]; // by toc_kind
    size_t undecided;
    size_t early;      // at the very start
    toc_contact first; // as toc_contacts_find_first has it
    toc_place first_place;
} check_summary;

/// The results of a step.
typedef struct check_step_result {
    size_t step;
    const toc_contacts *contacts; // NULL for one frame; its list is empty where there is a store
    tool_contact_store *store;    // of the contacts, with a limit of memory; NULL for a list of them
    check_summary summary;
    const tool_extras *extras;
    toc_place *places; // of the list of contacts, then of overlaps of faces, of elements, and of near pairs
    tool_part_table parts, overlap_parts, near_parts;
} check_step_result;

/// The scene that is searched.
static inline toc_scene *check_scene(const check_session *all) { return all->prepared ? all->prepared : all->scene; }

/// The frame at which a step begins, and the time of a fraction of it.
size_t check_frame(const check_session *all, size_t step);
double check_time(const check_session *all, size_t step, double fraction);

/// Read a frame into the scene. Frames may come through pipes.
toc_status check_frame_read(check_session *all, size_t frame);
/// Move the scene over a step, on the paths that the settings ask for.
toc_status check_step_advance(check_session *all, size_t step);
/// Make the scene of the step ready for the search.
toc_status check_step_prepare(check_session *all);

/// Contacts from number `first` on: all of a list, or a portion of a store.
toc_status check_contacts_get(const check_step_result *result, size_t first, const toc_contact **contacts,
                              size_t *count);
/// The place of a contact in its files, and its parts; `parts` may be NULL.
void check_contact_place(const check_session *all, size_t step, const toc_contact *c, toc_place *to, size_t parts[2]);
/// Write the files of a step that the settings name.
toc_status check_files_write(const check_session *all, const check_step_result *result);

/// Before the steps.
void check_report_begin(check_session *all);
void check_report_step(check_session *all, const check_step_result *result);
/// After the steps: totals and hints.
void check_report_end(check_session *all);

#endif
