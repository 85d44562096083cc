// SPDX-License-Identifier: Apache-2.0
// toccata check: find the contacts of one step, or of every step of a sequence. toccata overlaps and toccata near:
// pairs of each frame.
#include "tools/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/check_html.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/standard.h"

// ---- a step

static void add_to_summary(check_summary *s, const toc_contact *c, const toc_place *place) {
    assert(c->kind == TOC_VF || c->kind == TOC_EE);
    s->kinds[c->kind]++;
    s->undecided += c->verdict == TOC_UNDECIDED;
    s->early += c->toc == 0;
    if (s->count++ > 0 && toc_contact_compare_times(c, &s->first) >= 0) return; // on a tie, keep the earlier one
    s->first = *c;
    s->first_place = *place;
}

// Sum contacts up. @param to receives their places; NULL for a store, whose places are found again when they are
// written.
static toc_status sum_contacts(check_session *all, check_step_result *result, const toc_contact *contacts, size_t count,
                               toc_place *to) {
    for (size_t i = 0; i < count; i++) {
        toc_place place = {.time = 0};
        size_t parts[2];
        const toc_contact *c = &contacts[i];
        check_contact_place(all, result->step, c, &place, parts);
        add_to_summary(&result->summary, c, &place);
        TOC_TRY(tool_part_table_add(&result->parts, parts, c->toc, place.time, result->step));
        TOC_TRY(tool_part_table_add(&all->parts, parts, c->toc, place.time, result->step));
        if (to) to[i] = place;
    }
    return TOC_OK;
}

static toc_status place_contacts(check_session *all, check_step_result *result, toc_place *to) {
    const size_t total = result->store ? tool_contact_store_count(result->store) : result->contacts->count;
    for (size_t first = 0, count; first < total; first += count) {
        const toc_contact *contacts;
        TOC_TRY(check_contacts_get(result, first, &contacts, &count));
        assert(count > 0);
        TOC_TRY(sum_contacts(all, result, contacts, count, result->store ? NULL : to + first));
    }
    return TOC_OK;
}

static toc_status place_overlaps(check_session *all, check_step_result *result, const toc_overlaps *overlaps,
                                 toc_place *to) {
    for (size_t i = 0; i < overlaps->count; i++) {
        size_t parts[2];
        tool_places_find_overlap(all->places, &overlaps->pairs[i], &to[i], parts);
        to[i].time = check_time(all, result->step, 0);
        const double depth = overlaps->pairs[i].depth;
        TOC_TRY(tool_part_table_add(&result->overlap_parts, parts, depth, to[i].time, result->step));
        TOC_TRY(tool_part_table_add(&all->overlap_parts, parts, depth, to[i].time, result->step));
    }
    return TOC_OK;
}

static toc_status place_near(check_session *all, check_step_result *result, const toc_near *near, toc_place *to) {
    for (size_t i = 0; i < near->count; i++) {
        const toc_near_pair *pair = &near->pairs[i];
        size_t parts[2];
        tool_places_find(all->places, pair->kind, pair->body, pair->v, &to[i], parts);
        to[i].time = check_time(all, result->step, all->by_frame ? 0 : pair->time);
        TOC_TRY(tool_part_table_add(&result->near_parts, parts, pair->distance, to[i].time, result->step));
        TOC_TRY(tool_part_table_add(&all->near_parts, parts, pair->distance, to[i].time, result->step));
    }
    return TOC_OK;
}

static toc_status find_places(check_session *all, check_step_result *result) {
    assert(result->extras && !result->places);
    const tool_extras *extras = result->extras;
    const size_t contacts = result->contacts ? result->contacts->count : 0,
                 overlaps = tool_extras_count_overlaps(extras);
    const size_t faces = extras->overlaps ? extras->overlaps->count : 0, near = extras->near ? extras->near->count : 0;
    result->overlap_parts.kind = TOOL_DEEPEST;
    result->near_parts.kind = TOOL_NEAREST;
    result->places = calloc(contacts + overlaps + near + 1, sizeof *result->places);
    if (!result->places) return tool_fail_memory();
    toc_place *to = result->places;
    if (result->contacts) TOC_TRY(place_contacts(all, result, to));
    if (faces) TOC_TRY(place_overlaps(all, result, extras->overlaps, to + contacts));
    if (extras->elements) TOC_TRY(place_overlaps(all, result, extras->elements, to + contacts + faces));
    if (near) TOC_TRY(place_near(all, result, extras->near, to + contacts + overlaps));
    tool_part_table_sort(&result->parts);
    tool_part_table_sort(&result->overlap_parts);
    tool_part_table_sort(&result->near_parts);
    return TOC_OK;
}

static void free_result(check_step_result *result) {
    free(result->places);
    tool_part_table_free(&result->parts);
    tool_part_table_free(&result->overlap_parts);
    tool_part_table_free(&result->near_parts);
}

// Overlaps at the start are searched for a hint only if that takes little time beside the check.
static toc_status hint_at_overlaps(check_session *all, const toc_query *query, const tool_extras *extras) {
    enum { FEW_ELEMENTS = 50000 };
    size_t elements = 0;
    toc_overlaps *overlaps;
    if (extras->overlaps || !all->one_step) return TOC_OK;
    for (uint32_t b = 0; b < toc_scene_get_body_count(check_scene(all)); b++)
        elements += toc_mesh_get_element_count(toc_scene_get_mesh(check_scene(all), b));
    if (elements > FEW_ELEMENTS) return TOC_OK;
    toc_query surface = *query;
    surface.surface_only = true;
    TOC_TRY(toc_scene_find_overlaps(check_scene(all), &surface, TOC_AT_START, NULL, &overlaps));
    tool_hints_on_overlaps(&all->hints, overlaps->count);
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

static toc_status find_hints(check_session *all, const toc_query *query, const check_step_result *result) {
    tool_hints_on_motion(&all->hints, check_scene(all), !all->one_step);
    TOC_TRY(tool_hints_on_contacts(&all->hints, check_scene(all), result->summary.early, result->summary.count,
                                   !all->one_step));
    return hint_at_overlaps(all, query, result->extras);
}

static void hint_at_depth(check_session *all, const tool_extras *extras) {
    const toc_overlaps *faces = extras->overlaps;
    double deepest = 0;
    if (all->question != CHECK_OVERLAPS) return;
    for (size_t i = 0; i < faces->count; i++)
        if (faces->pairs[i].depth > deepest) deepest = faces->pairs[i].depth;
    tool_hints_on_depth(&all->hints, check_scene(all), faces->count, deepest);
}

static toc_status place_and_write(check_session *all, const toc_query *query, check_step_result *result) {
    TOC_TRY(find_places(all, result));
    TOC_TRY(check_files_write(all, result));
    if (all->html) TOC_TRY(check_html_step(all->html, all, query, result));
    hint_at_depth(all, result->extras);
    return result->contacts ? find_hints(all, query, result) : TOC_OK;
}

// Places, files, hints and the report of a step.
static toc_status check_tell(check_session *all, const toc_query *query, check_step_result *result) {
    assert(result->extras);
    const toc_status status = place_and_write(all, query, result);
    if (status == TOC_OK) {
        all->found += tool_extras_count_found(result->extras) + result->summary.count;
        if (all->question == CHECK_NEAR) all->found += result->extras->near->count;
        all->contacts += result->summary.count;
        all->touching_steps += result->summary.count > 0;
        check_report_step(all, result);
    }
    free_result(result);
    return status;
}

// Pictures, touches, changes, comparisons and a .glb need all contacts at once.
static bool needs_list(void) {
    return check_given.picture || check_given.extras.touches || check_given.extras.changes || check_given.against ||
           (check_given.contacts && tool_path_ends(check_given.contacts, ".glb"));
}

// Within a limit of memory contacts go to a store.
static toc_status find_contacts(check_session *all, const toc_query *query, tool_contact_store **store,
                                toc_contacts **contacts) {
    toc_query asked = *query;
    if (check_given.memory > 0 && !needs_list()) TOC_TRY(tool_contact_store_open(check_given.memory / 8, store));
    if (*store) asked.sink = tool_contact_store_sink(*store);
    const toc_status status = toc_scene_find_contacts(check_scene(all), &asked, NULL, contacts);
    return *store ? tool_contact_store_sort(*store, status) : status;
}

static toc_status find_extras(check_session *all, const toc_query *query, const toc_contacts *contacts,
                              tool_extras *out) {
    TOC_TRY(tool_extras_find(check_scene(all), query, check_given.extras, out));
    return contacts ? tool_extras_add(check_scene(all), query, contacts, check_given.extras, &all->touching, out)
                    : TOC_OK;
}

static toc_status tell_extras(check_session *all, const toc_query *query, check_step_result *result) {
    tool_extras extras = {0};
    result->extras = &extras;
    toc_status status = find_extras(all, query, result->contacts, &extras);
    if (status == TOC_OK) status = check_tell(all, query, result);
    tool_extras_free(&extras);
    return status;
}

static toc_status check_contacts(check_session *all, const toc_query *query, size_t step) {
    assert(all->question == CHECK_CONTACTS);
    toc_contacts *contacts = NULL;
    tool_contact_store *store = NULL;
    toc_status status = find_contacts(all, query, &store, &contacts);
    check_step_result result = {.step = step, .contacts = contacts, .store = store};
    if (status == TOC_OK && check_given.against)
        status = tool_against_find(check_scene(all), query, check_given.against, contacts, &result.against);
    tool_against_add(&all->against, &result.against);
    if (status == TOC_OK) status = tell_extras(all, query, &result);
    toc_contacts_destroy(contacts);
    tool_contact_store_close(store);
    return status;
}

static toc_status check_step(check_session *all, const toc_query *query, size_t step) {
    assert(!all->by_frame && step < all->steps);
    TOC_TRY(check_step_advance(all, step));
    TOC_TRY(check_step_prepare(all));
    if (all->question == CHECK_CONTACTS) return check_contacts(all, query, step);
    return tell_extras(all, query, &(check_step_result){.step = step});
}

// A frame has no contacts, but overlaps and near pairs.
static toc_status check_frame_alone(check_session *all, const toc_query *query, size_t frame) {
    assert(all->by_frame && frame < all->steps);
    if (frame > 0) TOC_TRY(check_frame_read(all, frame));
    TOC_TRY(check_frame_rest(all));
    TOC_TRY(check_step_prepare(all));
    return tell_extras(all, query, &(check_step_result){.step = frame});
}

// ---- all steps

static const char *question_name(const check_session *all) {
    assert(all->question <= CHECK_NEAR);
    static const char *const names[] = {
        [CHECK_CONTACTS] = "check", [CHECK_OVERLAPS] = "overlaps", [CHECK_NEAR] = "near"};
    return names[all->question];
}

// Frames of one file tell the elements of each frame by themselves; separate files tell a change to the frame before.
static bool can_jump(const check_session *all, size_t frame) {
    const char *first = toc_sequence_get_path(all->frames, 0), *there = toc_sequence_get_path(all->frames, frame);
    return there && strcmp(first, there) == 0 && !tool_obstacles_move(&all->obstacles);
}

// Go to the frame at which the first step begins, without a search.
static toc_status skip_steps(check_session *all) {
    const size_t first = all->wanted.first;
    const size_t frame = first == 0 ? 0 : all->by_frame ? first - 1 : check_frame(all, first);
    size_t step = 0;
    if (frame > 0 && can_jump(all, frame)) {
        TOC_TRY(check_frame_read(all, frame));
        step = first;
    }
    for (; step < first; step++) {
        TOC_TRY(tool_progress_part(0));
        TOC_TRY(all->by_frame ? (step > 0 ? check_frame_read(all, step) : TOC_OK) : check_step_advance(all, step));
    }
    return TOC_OK;
}

static toc_status check_steps(check_session *all) {
    toc_query query = check_query(&check_given, 0);
    query.progress = tool_progress();
    tool_progress_start(question_name(all), all->wanted.end - all->wanted.first);
    TOC_TRY(skip_steps(all));
    for (size_t step = all->wanted.first; step < all->wanted.end; step++) {
        TOC_TRY(tool_progress_part(step - all->wanted.first));
        TOC_TRY(all->by_frame ? check_frame_alone(all, &query, step) : check_step(all, &query, step));
        if (!check_is_one(all) && !all->json) TOC_TRY(tool_output_flush());
    }
    return TOC_OK;
}

static toc_status check_all_files(check_session *all) {
    toc_status status = check_given.report ? check_html_create(&all->html) : TOC_OK;
    if (status == TOC_OK) status = check_files_open(all);
    return check_files_close(all, status == TOC_OK ? check_steps(all) : status);
}

static toc_status check_and_report(check_session *all) {
    if (check_given.json) all->json = tool_json_start();
    check_report_begin(all);
    const toc_status status = check_all_files(all);
    if (status == TOC_OK) check_report_end(all);
    if (status == TOC_OK && all->json) return tool_json_print(all->json);
    cJSON_Delete(all->json);
    return status;
}

// ---- input

// Body 0 is the mesh of the first frame.
static toc_status add_first_body(check_session *all, toc_mesh *mesh) {
    TOC_TRY(tool_places_create(&all->places));
    TOC_TRY(tool_places_add_body(all->places, toc_sequence_get_path(all->frames, 0), mesh));
    TOC_TRY(toc_scene_create(NULL, &all->scene));
    return toc_scene_add_body(all->scene, mesh, NULL);
}

// The others are those of --with.
static toc_status load_bodies(check_session *all, const toc_read_options *options) {
    assert(!all->scene && !all->places);
    toc_mesh *mesh;
    TOC_TRY(toc_sequence_read_first(all->frames, &mesh));
    const toc_status status = add_first_body(all, mesh);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    TOC_TRY(status);
    const size_t frames = toc_sequence_get_frame_count(all->frames);
    TOC_TRY(tool_obstacles_open(&all->obstacles, &check_given.with, options, frames, all->scene, all->places));
    return tool_places_select(all->places, &check_given.filter);
}

static toc_status check_output(const char *option, const char *path) {
    if (!path || tool_path_ends(path, ".csv") || tool_path_ends(path, ".vtp") || tool_path_ends(path, ".json") ||
        strcmp(path, "-") == 0)
        return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --%s writes .csv, .vtp or .json", path, option);
}

static toc_status check_contacts_output(const char *path) {
    if (!path || tool_path_ends(path, ".glb")) return TOC_OK;
    if (check_output("contacts", path) == TOC_OK) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT,
                     "%s: unknown extension; --contacts writes .csv, .vtp or .json, or .glb with the mesh", path);
}

static toc_status check_extensions(void) {
    const char *p = check_given.picture;
    TOC_TRY(check_contacts_output(check_given.contacts));
    TOC_TRY(check_output("out", check_given.out));
    TOC_TRY(check_output("overlaps-out", check_given.overlaps_out));
    TOC_TRY(check_output("near-out", check_given.near_out));
    TOC_TRY(tool_part_table_check(check_given.parts_out));
    TOC_TRY(check_html_check(check_given.report));
    TOC_TRY(tool_file_try(check_given.parts_out));
    TOC_TRY(tool_file_try(check_given.report));
    if (!p || tool_path_ends(p, ".png")) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --picture writes .png", p);
}

static toc_status check_outputs(void) {
    const int standard = tool_is_standard(check_given.contacts) + tool_is_standard(check_given.overlaps_out) +
                         tool_is_standard(check_given.near_out) + check_given.json + check_given.csv;
    TOC_TRY(check_extensions());
    if (standard > 1)
        return tool_fail(TOC_BAD_INPUT, "standard output has room for one of --json, --csv and the files named -");
    if (check_given.near_out && check_given.extras.near < 0)
        return tool_fail(TOC_BAD_INPUT, "--near-out needs a distance: --near D");
    if (check_given.extras.in_step && check_given.extras.near < 0)
        return tool_fail(TOC_BAD_INPUT, "--in-step needs a distance: --near D");
    return TOC_OK;
}

static bool asks_of_one_frame(void) { return check_given.extras.overlaps || check_given.extras.near >= 0; }

static toc_status check_one_frame(const char *path) {
    if (check_given.extras.in_step)
        return tool_fail(TOC_BAD_INPUT, "%s: only one frame, which has no step; leave out --in-step",
                         tool_standard_name(path));
    if (!asks_of_one_frame())
        return tool_fail(TOC_BAD_INPUT,
                         "%s: only one frame; check needs two or more; toccata overlaps and toccata near take one",
                         tool_standard_name(path));
    if (check_given.csv)
        return tool_fail(TOC_BAD_INPUT, "%s: only one frame, which has no stages; leave out --csv",
                         tool_standard_name(path));
    return TOC_OK;
}

static toc_status check_frame_count(const check_session *all, const char *path) {
    const char *bent = check_given.velocities ? "velocities" : "parabolas";
    if (all->one_frame) return check_one_frame(path);
    if (all->by_frame) return TOC_OK;
    if (check_given.dt >= 0 && !all->paths.by_velocity)
        return tool_fail(TOC_BAD_INPUT, "--dt is the time of a step along velocities; give --velocities, too");
    if (check_given.dt == 0) return tool_fail(TOC_BAD_INPUT, "--dt 0: the time of a step must be above 0");
    if (!all->paths.by_velocity && !all->paths.middles) return TOC_OK;
    if (check_given.thicken || check_given.weld)
        return tool_fail(TOC_BAD_INPUT, "--%s takes straight paths; leave out --%s",
                         check_given.thicken ? "thicken" : "weld", bent);
    if (tool_obstacles_move(&all->obstacles))
        return tool_fail(TOC_BAD_INPUT, "--%s takes obstacles at rest: one file for each --with", bent);
    return TOC_OK;
}

static void choose_paths(check_session *all, size_t count) {
    const size_t frames = toc_sequence_get_frame_count(all->frames);
    all->paths = tool_paths_choose(all->frames, frames, check_given.parabolas, check_given.velocities, check_given.dt);
    all->one_frame = frames == 1 && !all->paths.by_velocity;
    all->by_frame = all->one_frame || (all->question != CHECK_CONTACTS && !check_given.extras.in_step);
    all->steps = all->by_frame ? frames : all->paths.steps;
    all->one_step = !all->by_frame && all->steps == 1 && count == frames;
}

static toc_status open_frames(check_session *all, int count, char **paths, const toc_read_options *options) {
    TOC_TRY(tool_standard_input(count, paths));
    TOC_TRY(toc_sequence_open((size_t)count, (const char *const *)paths, options, &all->frames));
    if (check_given.clip) TOC_TRY(toc_sequence_play(all->frames, check_given.clip));
    return check_given.rate > 0 ? toc_sequence_sample(all->frames, check_given.rate) : TOC_OK;
}

static toc_status check_open(check_session *all, int count, char **paths) {
    toc_read_options options = toc_read_options_default();
    options.memory = check_given.memory;
    TOC_TRY(open_frames(all, count, paths, &options));
    choose_paths(all, (size_t)count);
    TOC_TRY(check_frame_count(all, paths[0]));
    TOC_TRY(toc_sequence_take_velocities(all->frames, all->paths.by_velocity));
    TOC_TRY(load_bodies(all, &options));
    TOC_TRY(check_frame_count(all, paths[0]));
    all->overlap_parts.by_frame = all->near_parts.by_frame = all->by_frame;
    return tool_steps_read(check_given.steps, all->steps, all->by_frame ? "frames" : "steps", &all->wanted);
}

static toc_status check_whole(check_session *all, int count, char **paths) {
    TOC_TRY(check_outputs());
    TOC_TRY(tool_against_check(check_given.against, check_given.answer));
    if (check_given.overlaps_out) check_given.extras.overlaps = true;
    all->quiet = tool_is_standard(check_given.contacts) || tool_is_standard(check_given.overlaps_out) ||
                 tool_is_standard(check_given.near_out);
    TOC_TRY(check_open(all, count, paths));
    TOC_TRY(check_and_report(all));
    if (check_given.fail_on_contact && all->found > 0) tool_exit_with(TOOL_EXIT_FOUND);
    return TOC_OK;
}

static toc_status ask(check_question question, int count, char **paths) {
    assert(count > 0);
    check_session all = {.question = question,
                         .settings = &check_given,
                         .overlap_parts = {.kind = TOOL_DEEPEST},
                         .near_parts = {.kind = TOOL_NEAREST}};
    const toc_status status = check_whole(&all, count, paths);
    tool_part_table_free(&all.parts);
    tool_part_table_free(&all.overlap_parts);
    tool_part_table_free(&all.near_parts);
    tool_written_free(&all.written);
    check_html_destroy(all.html);
    toc_animation_destroy(all.animation);
    toc_mesh_destroy(all.animated);
    toc_touching_destroy(all.touching);
    tool_places_destroy(all.places);
    tool_obstacles_close(&all.obstacles);
    toc_scene_destroy(all.prepared);
    toc_scene_destroy(all.scene);
    toc_sequence_close(all.frames);
    return status;
}

static toc_status check_run(int count, char **paths) {
    if (count > 0) return ask(CHECK_CONTACTS, count, paths);
    return tool_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
}

static toc_status overlaps_run(int count, char **paths) {
    if (count == 0) return tool_fail(TOC_BAD_INPUT, "overlaps needs one frame or more; none given");
    check_given.extras.overlaps = true;
    check_given.overlaps_out = check_given.out;
    return ask(CHECK_OVERLAPS, count, paths);
}

static toc_status near_run(int count, char **paths) {
    if (count == 0) return tool_fail(TOC_BAD_INPUT, "near needs one frame or more; none given");
    if (check_given.extras.near < 0) return tool_fail(TOC_BAD_INPUT, "near needs a distance: --distance D");
    check_given.near_out = check_given.out;
    return ask(CHECK_NEAR, count, paths);
}

const tool_command tool_check = {
    .name = "check",
    .forms = check_forms,
    .what = "Find the contacts between two frames, or in every step of a sequence.",
    .more =
        "Frames are mesh files with the same elements. A sequence is three frames or more, a .pvd, or one file with "
        "many frames, such as a d3plot. Vertices move on straight lines from each frame to the next, or, with "
        "--parabolas, with a constant acceleration: through three frames, or, of an even number of frames, from each "
        "to the next with the velocity that the first of them has in its file. --velocities takes velocities for any "
        "number of frames; one frame goes on straight for the time of --dt. An element missing from the end frame is "
        "absent for the whole step, and a torn one is torn for the whole step. Shells touch within half of the "
        "thickness of both, where the file has a thickness.\n"
        "Parts are the groups of a file: parts of LS-DYNA, sets of Abaqus, blocks of Exodus. They are given by number "
        "or name; * and ? stand for any letters. The time of a contact is in the unit of the file, or counts frames. "
        "Further bodies come with --with, behind the frames. - stands for standard input or output, -.ply with a "
        "format.\n"
        "For a sequence, --contacts hits.csv is one table with a column `step`, and likewise hits.json; hits-%04d.csv "
        "is a file for each step, with its number in this place; hits.glb is one animation. Other files, and "
        "--picture, have the number before "
        "the extension, hits-0000.vtp; these get a hits.pvd, which ParaView opens as one sequence. Rows are in "
        "hits.csv.part from the end of their step on; a run that stops or fails leaves those of its whole steps there. "
        "--steps takes a number, A-B or A-, as in the column. --parts-out writes the pairs of parts with their "
        "numbers of contacts and the first of them. Contacts beyond an eighth of --memory go through a temporary "
        "file.\n"
        "With --fail-on-contact, the exit status is 4 if there is a contact.",
    .pages = "More: toccata help steps (animations, velocities, parabolas, questions about a step), toccata help "
             "research (methods of papers), toccata man check.",
    .options = check_options,
    .who = TOOL_CHECK,
    .run = check_run,
};

const tool_command tool_overlaps = {
    .name = "overlaps",
    .forms = (const char *const[]){"FRAME... [OPTIONS]", NULL},
    .what = "Find crossing faces and overlapping volume elements in a frame: initial penetrations.",
    .more = "Several frames, or a file with many, are examined one by one, each at rest. --out writes one table for "
            "them all, a .csv or .json with a column `frame`, else one file for each.",
    .options = check_options,
    .who = TOOL_OVERLAPS,
    .run = overlaps_run,
};

const tool_command tool_near = {
    .name = "near",
    .forms =
        (const char *const[]){"FRAME... --distance D [OPTIONS]", "START END --distance D --in-step [OPTIONS]", NULL},
    .what = "Find the pairs of features within a distance of each other.",
    .more = "Several frames, or a file with many, are examined one by one, each at rest; with --in-step, the steps "
            "between them. --out writes one table for them all, a .csv or .json with a column `frame` or `step`, else "
            "one file for each.",
    .options = check_options,
    .who = TOOL_NEAR,
    .run = near_run,
};
