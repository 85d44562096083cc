// SPDX-License-Identifier: Apache-2.0
// A run of toccata check, overlaps or near: its input, and the results that its report needs.
#ifndef TOOLS_CHECK_H
#define TOOLS_CHECK_H

#include "tools/against.h"
#include "tools/check_options.h"
#include "tools/contact_store.h"
#include "tools/hints.h"
#include "tools/obstacles.h"
#include "tools/part_table.h"
#include "tools/paths.h"
#include "tools/step_table.h"
#include "tools/steps.h"
#include "tools/written.h"

/// The question of a run.
typedef enum check_question { CHECK_CONTACTS, CHECK_OVERLAPS, CHECK_NEAR } check_question;

/// Files of a run, one option each.
typedef enum check_file { CHECK_FILE_CONTACTS, CHECK_FILE_OVERLAPS, CHECK_FILE_NEAR, CHECK_FILE_PICTURE } check_file;
enum { CHECK_FILES = CHECK_FILE_PICTURE + 1 };

/// The state of one run: input, results, output.
typedef struct check_session {
    check_question question;
    const check_settings *settings;
    toc_sequence *frames;
    toc_scene *scene;
    toc_scene *prepared; // of the step, with shells made solid or vertices joined; NULL if not asked for
    tool_places *places;
    tool_obstacles obstacles;
    size_t steps;      // of the sequence, or frames
    tool_steps wanted; // of them
    bool by_frame;     // each frame for itself: no steps
    bool one_step;     // two files with one frame each
    bool one_frame;    // by frame, and there is one only
    tool_paths paths;
    bool quiet;                          // standard output is for a file
    tool_step_table tables[CHECK_FILES]; // those with a path are in use
    tool_written written;
    toc_animation *animation; // the .glb of a sequence; NULL before its first step
    toc_mesh *animated;       // the last mesh that was put together for it; NULL where it is the first body
    struct check_html *html;  // the report in HTML; NULL if not asked for
    cJSON *json;              // the object of the step, or of the sequence; NULL without --json
    cJSON *list;              // of the steps of a sequence
    size_t contacts, touching_steps, found; // found: contacts, overlaps, and near pairs if they are the question
    tool_part_table parts, overlap_parts, near_parts; // of all steps
    tool_hints hints;
    tool_against against;   // of all steps
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
    size_t step;                  // or the frame
    const toc_contacts *contacts; // NULL if they are not the question; its list is empty where there is a store
    tool_contact_store *store;    // of the contacts, with a limit of memory; NULL for a list of them
    check_summary summary;
    const tool_extras *extras;
    tool_against against;
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
/// Let the bodies rest where the last frame has them.
toc_status check_frame_rest(check_session *all);
/// Move the scene over a step, on the paths that the settings ask for.
toc_status check_step_advance(check_session *all, size_t step);
/// Make the scene of the step ready for the search.
toc_status check_step_prepare(check_session *all);

/// Contacts from number `first` on: all of a list, or a portion of a store.
toc_status check_contacts_get(const check_step_result *result, size_t first, const toc_contact **contacts,
                              size_t *count);
/// The place of a contact in its files, and its parts; `parts` may be NULL.
void check_contact_place(const check_session *all, size_t step, const toc_contact *c, toc_place *to, size_t parts[2]);
/// Whether there is one step, or one frame: no sequence.
static inline bool check_is_one(const check_session *all) { return all->one_step || all->one_frame; }

/// The pairs of parts of the question, of all steps.
static inline tool_part_table *check_pairs_of_parts(check_session *all) {
    return all->question == CHECK_CONTACTS   ? &all->parts
           : all->question == CHECK_OVERLAPS ? &all->overlap_parts
                                             : &all->near_parts;
}

/// Begin the tables of a sequence.
toc_status check_files_open(check_session *all);
/// Write the files of a step that the settings name.
toc_status check_files_write(check_session *all, const check_step_result *result);
/// End the files of a run that ended with this status. @return the first failure.
toc_status check_files_close(check_session *all, toc_status status);

/// Before the steps.
void check_report_begin(check_session *all);
void check_report_step(check_session *all, const check_step_result *result);
/// After the steps: totals and hints.
void check_report_end(check_session *all);

#endif
