// SPDX-License-Identifier: Apache-2.0
// toccata check: find the contacts of one step, or of every step of a sequence; overlaps and near pairs of one frame.
#include "tools/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/research.h"
#include "tools/listing.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/standard.h"
#include "tools/up.h"

static check_settings settings = {
    .answer = "all", .exact = true, .dt = -1, .extras.near = -1, .look = TOOL_LOOK_DEFAULT};

static toc_query make_query(void) {
    toc_query query = toc_query_default();
    if (settings.preset) query.preset = settings.preset;
    if (settings.method) query.test.method = (toc_method)tool_names_find(tool_method_name, settings.method);
    query.answer = (toc_answer)tool_names_find(tool_answer_name, settings.answer);
    query.test.tolerance = settings.tolerance;
    query.test.separation = settings.separation;
    query.test.exact = settings.exact;
    query.thin = settings.thin || settings.thicken;
    query.surface_only = settings.surface;
    query.skip = settings.skip;
    query.dop = (int)settings.dop;
    query.lower_height = (int)settings.lower_height;
    if (settings.fold > 0) query.normal_limit = cos(settings.fold * (3.14159265358979323846 / 180));
    query.threads = (int)settings.threads;
    query.memory_limit = settings.memory;
    query.progress = tool_progress();
    return query;
}

// ---- a step

static bool comes_first(const toc_contact *a, const toc_contact *b) {
    if (a->toc != b->toc) return a->toc < b->toc;
    for (int k = 0; k < 3; k++)
        if (a->point[k] != b->point[k]) return a->point[k] < b->point[k];
    return false; // the one before is the first
}

static void add_to_summary(check_summary *s, const toc_contact *c, const toc_place *place) {
    s->kinds[c->kind]++;
    s->undecided += c->verdict == TOC_UNDECIDED;
    s->early += c->toc == 0;
    if (s->count++ > 0 && !comes_first(c, &s->first)) return;
    s->first = *c;
    s->first_place = *place;
}

// Sum contacts up. @param to receives their places; NULL for a store, whose places are found again when they are
// written.
static toc_status sum_contacts(check_session *all, check_step_result *result, const toc_contact *contacts, size_t count,
                               toc_place *to) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        toc_place place = {.time = 0};
        size_t parts[2];
        const toc_contact *c = &contacts[i];
        check_contact_place(all, result->step, c, &place, parts);
        add_to_summary(&result->summary, c, &place);
        status = tool_part_table_add(&result->parts, parts, c->toc, place.time, result->step);
        if (status == TOC_OK) status = tool_part_table_add(&all->parts, parts, c->toc, place.time, result->step);
        if (to) to[i] = place;
    }
    return status;
}

static toc_status place_contacts(check_session *all, check_step_result *result, toc_place *to) {
    const size_t total = result->store ? tool_contact_store_count(result->store) : result->contacts->count;
    toc_status status = TOC_OK;
    for (size_t first = 0, count; first < total && status == TOC_OK; first += count) {
        const toc_contact *contacts;
        status = check_contacts_get(result, first, &contacts, &count);
        if (status == TOC_OK) status = sum_contacts(all, result, contacts, count, result->store ? NULL : to + first);
    }
    return status;
}

static toc_status place_overlaps(check_session *all, check_step_result *result, const toc_overlaps *overlaps,
                                 toc_place *to) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < overlaps->count && status == TOC_OK; i++) {
        size_t parts[2];
        tool_places_find_overlap(all->places, &overlaps->pairs[i], &to[i], parts);
        to[i].time = check_time(all, result->step, 0);
        status = tool_part_table_add(&result->overlap_parts, parts, overlaps->pairs[i].depth, to[i].time, result->step);
    }
    return status;
}

static toc_status place_near(check_session *all, check_step_result *result, const toc_near *near, toc_place *to) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < near->count && status == TOC_OK; i++) {
        const toc_near_pair *pair = &near->pairs[i];
        size_t parts[2];
        tool_places_find(all->places, pair->kind, pair->body, pair->v, &to[i], parts);
        to[i].time = check_time(all, result->step, pair->time);
        status = tool_part_table_add(&result->near_parts, parts, pair->distance, to[i].time, result->step);
    }
    return status;
}

static toc_status find_places(check_session *all, check_step_result *result) {
    const tool_extras *extras = result->extras;
    const size_t contacts = result->contacts ? result->contacts->count : 0,
                 overlaps = tool_extras_count_overlaps(extras);
    const size_t faces = extras->overlaps ? extras->overlaps->count : 0, near = extras->near ? extras->near->count : 0;
    toc_status status = TOC_OK;
    result->overlap_parts.kind = TOOL_DEEPEST;
    result->near_parts.kind = TOOL_NEAREST;
    result->places = calloc(contacts + overlaps + near + 1, sizeof *result->places);
    if (!result->places) return tool_fail_memory();
    toc_place *to = result->places;
    if (result->contacts) status = place_contacts(all, result, to);
    if (status == TOC_OK && faces) status = place_overlaps(all, result, extras->overlaps, to + contacts);
    if (status == TOC_OK && extras->elements)
        status = place_overlaps(all, result, extras->elements, to + contacts + faces);
    if (status == TOC_OK && near) status = place_near(all, result, extras->near, to + contacts + overlaps);
    tool_part_table_sort(&result->parts);
    tool_part_table_sort(&result->overlap_parts);
    tool_part_table_sort(&result->near_parts);
    return status;
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
    const toc_status status = toc_scene_find_overlaps(check_scene(all), &surface, TOC_AT_START, &overlaps);
    if (status != TOC_OK) return status;
    tool_hints_on_overlaps(&all->hints, overlaps->count);
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

static toc_status find_hints(check_session *all, const toc_query *query, const check_step_result *result) {
    tool_hints_on_motion(&all->hints, check_scene(all), !all->one_step);
    const toc_status status = tool_hints_on_contacts(&all->hints, check_scene(all), result->summary.early,
                                                     result->summary.count, !all->one_step);
    return status == TOC_OK ? hint_at_overlaps(all, query, result->extras) : status;
}

// Places, files, hints and the report of a step.
static toc_status check_tell(check_session *all, const toc_query *query, check_step_result *result) {
    toc_status status = find_places(all, result);
    if (status == TOC_OK) status = check_files_write(all, result);
    if (status == TOC_OK && result->contacts) status = find_hints(all, query, result);
    if (status == TOC_OK) {
        all->found += tool_extras_count_overlaps(result->extras) + result->summary.count;
        all->contacts += result->summary.count;
        all->touching_steps += result->summary.count > 0;
        check_report_step(all, result);
    }
    free_result(result);
    return status;
}

// Pictures, touches, changes and a .glb need all contacts at once.
static bool needs_list(void) {
    return settings.picture || settings.extras.touches || settings.extras.changes ||
           (settings.contacts && tool_path_ends(settings.contacts, ".glb"));
}

// Within a limit of memory contacts go to a store.
static toc_status find_contacts(check_session *all, const toc_query *query, tool_contact_store **store,
                                toc_contacts **contacts) {
    toc_query asked = *query;
    toc_status status = TOC_OK;
    if (settings.memory > 0 && !needs_list()) status = tool_contact_store_open(settings.memory / 8, store);
    if (status != TOC_OK) return status;
    if (*store) asked.sink = tool_contact_store_sink(*store);
    status = toc_scene_find_contacts(check_scene(all), &asked, contacts);
    return *store ? tool_contact_store_sort(*store, status) : status;
}

static toc_status tell_extras(check_session *all, const toc_query *query, check_step_result *result) {
    tool_extras extras;
    toc_status status = tool_extras_find(check_scene(all), query, settings.extras, &extras);
    if (status == TOC_OK)
        status = tool_extras_add(check_scene(all), query, result->contacts, settings.extras, &all->touching, &extras);
    result->extras = &extras;
    if (status == TOC_OK) status = check_tell(all, query, result);
    tool_extras_free(&extras);
    return status;
}

static toc_status check_step(check_session *all, const toc_query *query, size_t step) {
    toc_contacts *contacts = NULL;
    tool_contact_store *store = NULL;
    toc_status status = check_step_advance(all, step);
    if (status == TOC_OK) status = check_step_prepare(all);
    if (status == TOC_OK) status = find_contacts(all, query, &store, &contacts);
    if (status == TOC_OK)
        status = tell_extras(all, query, &(check_step_result){.step = step, .contacts = contacts, .store = store});
    toc_contacts_destroy(contacts);
    tool_contact_store_close(store);
    return status;
}

// One frame has no contacts, but overlaps and near pairs.
static toc_status check_frame_alone(check_session *all, const toc_query *query) {
    tool_extras extras;
    toc_status status = check_step_prepare(all);
    if (status != TOC_OK) return status;
    status = tool_extras_find(check_scene(all), query, settings.extras, &extras);
    if (status == TOC_OK) status = check_tell(all, query, &(check_step_result){.extras = &extras});
    tool_extras_free(&extras);
    return status;
}

// ---- all steps

static toc_status list_files(const check_session *all, const char *path) {
    if (!path || tool_is_standard(path) || !tool_path_ends(path, ".vtp")) return TOC_OK;
    double *times = calloc(all->steps + 1, sizeof *times);
    if (!times) return tool_fail_memory();
    for (size_t i = 0; i < all->steps; i++) times[i] = check_time(all, i, 0);
    const toc_status status = tool_listing_write(path, all->steps, times);
    free(times);
    return status;
}

// A sequence of .vtp gets a .pvd with the time at which each step begins.
static toc_status list_all_files(const check_session *all) {
    toc_status status = TOC_OK;
    if (all->one_step || all->one_frame) return TOC_OK;
    status = list_files(all, settings.contacts);
    if (status == TOC_OK) status = list_files(all, settings.overlaps_out);
    return status == TOC_OK ? list_files(all, settings.near_out) : status;
}

static toc_status check_steps(check_session *all) {
    const toc_query query = make_query();
    tool_progress_start("check", all->steps);
    toc_status status = all->one_frame ? check_frame_alone(all, &query) : TOC_OK;
    for (size_t step = 0; step < all->steps && status == TOC_OK; step++) {
        status = tool_progress_part(step);
        if (status == TOC_OK) status = check_step(all, &query, step);
    }
    return status == TOC_OK ? list_all_files(all) : status;
}

static toc_status check_and_report(check_session *all) {
    if (settings.json) all->json = tool_json_start();
    check_report_begin(all);
    const toc_status status = check_steps(all);
    if (status == TOC_OK) check_report_end(all);
    if (status == TOC_OK && all->json) return tool_json_print(all->json);
    cJSON_Delete(all->json);
    return status;
}

// ---- input

// Body 0 is the mesh of the first frame; the others are those of --with.
static toc_status load_bodies(check_session *all, const toc_read_options *options) {
    toc_mesh *mesh;
    toc_status status = toc_sequence_read_first(all->frames, &mesh);
    if (status != TOC_OK) return status;
    status = tool_places_create(&all->places);
    if (status == TOC_OK) status = tool_places_add_body(all->places, toc_sequence_get_path(all->frames, 0), mesh);
    if (status == TOC_OK) status = toc_scene_create(NULL, &all->scene);
    if (status == TOC_OK) status = toc_scene_add_body(all->scene, mesh, NULL);
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return status;
    }
    const size_t frames = toc_sequence_get_frame_count(all->frames);
    status = tool_obstacles_open(&all->obstacles, &settings.with, options, frames, all->scene, all->places);
    return status == TOC_OK ? tool_places_select(all->places, &settings.filter) : status;
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

static toc_status check_outputs(void) {
    const char *p = settings.picture;
    const int standard = tool_is_standard(settings.contacts) + tool_is_standard(settings.overlaps_out) +
                         tool_is_standard(settings.near_out) + settings.json + settings.csv;
    toc_status status = check_contacts_output(settings.contacts);
    if (status == TOC_OK) status = check_output("overlaps-out", settings.overlaps_out);
    if (status == TOC_OK) status = check_output("near-out", settings.near_out);
    if (status != TOC_OK) return status;
    if (p && !tool_path_ends(p, ".png"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --picture writes .png", p);
    if (standard > 1)
        return tool_fail(TOC_BAD_INPUT, "standard output has room for one of --json, --csv and the files named -");
    if (settings.near_out && settings.extras.near < 0)
        return tool_fail(TOC_BAD_INPUT, "--near-out needs a distance: --near D");
    if (settings.extras.in_step && settings.extras.near < 0)
        return tool_fail(TOC_BAD_INPUT, "--in-step needs a distance: --near D");
    if (settings.overlaps_out) settings.extras.overlaps = true;
    return TOC_OK;
}

static bool asks_of_one_frame(void) { return settings.extras.overlaps || settings.extras.near >= 0; }

static toc_status check_one_frame(const char *path) {
    if (!asks_of_one_frame())
        return tool_fail(TOC_BAD_INPUT, "%s: only one frame; check needs two or more, or --overlaps or --near D",
                         tool_standard_name(path));
    if (settings.csv)
        return tool_fail(TOC_BAD_INPUT, "%s: only one frame, which has no stages; leave out --csv",
                         tool_standard_name(path));
    return TOC_OK;
}

static toc_status check_frame_count(const check_session *all, const char *path) {
    const char *bent = settings.velocities ? "velocities" : "parabolas";
    if (all->one_frame) return check_one_frame(path);
    if (settings.dt >= 0 && !all->paths.by_velocity)
        return tool_fail(TOC_BAD_INPUT, "--dt is the time of a step along velocities; give --velocities, too");
    if (settings.dt == 0) return tool_fail(TOC_BAD_INPUT, "--dt 0: the time of a step must be above 0");
    if (!all->paths.by_velocity && !all->paths.middles) return TOC_OK;
    if (settings.thicken || settings.weld)
        return tool_fail(TOC_BAD_INPUT, "--%s takes straight paths; leave out --%s",
                         settings.thicken ? "thicken" : "weld", bent);
    if (tool_obstacles_move(&all->obstacles))
        return tool_fail(TOC_BAD_INPUT, "--%s takes obstacles at rest: one file for each --with", bent);
    return TOC_OK;
}

static void choose_paths(check_session *all, size_t frames) {
    all->paths = tool_paths_choose(all->frames, frames, settings.parabolas, settings.velocities, settings.dt);
    all->one_frame = frames == 1 && !all->paths.by_velocity;
    all->steps = all->paths.steps;
}

static toc_status check_open(check_session *all, int count, char **paths) {
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    toc_status status = tool_standard_input(count, paths);
    if (status != TOC_OK) return status;
    status = toc_sequence_open((size_t)count, (const char *const *)paths, &options, &all->frames);
    if (status != TOC_OK) return status;
    if (settings.clip) status = toc_sequence_play(all->frames, settings.clip);
    if (status == TOC_OK && settings.rate > 0) status = toc_sequence_sample(all->frames, settings.rate);
    const size_t frames = toc_sequence_get_frame_count(all->frames);
    choose_paths(all, frames);
    all->one_step = all->steps == 1 && (size_t)count == frames;
    if (status == TOC_OK) status = check_frame_count(all, paths[0]);
    if (status == TOC_OK) status = toc_sequence_take_velocities(all->frames, all->paths.by_velocity);
    if (status == TOC_OK) status = load_bodies(all, &options);
    return status == TOC_OK ? check_frame_count(all, paths[0]) : status;
}

static toc_status check_run(int count, char **paths) {
    if (count == 0)
        return tool_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
    check_session all = {.settings = &settings};
    toc_status status = check_outputs();
    if (status != TOC_OK) return status;
    all.quiet = tool_is_standard(settings.contacts) || tool_is_standard(settings.overlaps_out) ||
                tool_is_standard(settings.near_out);
    status = check_open(&all, count, paths);
    if (status == TOC_OK) status = check_and_report(&all);
    if (status == TOC_OK && settings.fail_on_contact && all.found > 0) tool_exit_with(TOOL_EXIT_FOUND);
    tool_part_table_free(&all.parts);
    toc_touching_destroy(all.touching);
    tool_places_destroy(all.places);
    tool_obstacles_close(&all.obstacles);
    toc_scene_destroy(all.prepared);
    toc_scene_destroy(all.scene);
    toc_sequence_close(all.frames);
    return status;
}

const tool_command tool_check = {
    .name = "check",
    .forms = (const char *const[]){"START END [OPTIONS]", "START MIDDLE END --parabolas [OPTIONS]",
                                   "START END --parabolas [--dt TIME]", "START --velocities --dt TIME",
                                   "SEQUENCE... [OPTIONS]", "FRAME --overlaps|--near D [OPTIONS]", NULL},
    .what = "Find the contacts between two frames, or in every step of a sequence.",
    .more =
        "Frames are mesh files with the same elements. A sequence is three frames or more, a .pvd, or one file with "
        "many frames, such as a d3plot. Vertices move on straight lines from each frame to the next, or, with "
        "--parabolas, with a constant acceleration: through three frames, or, of an even number of frames, from each "
        "to the next with the velocity that the first of them has in its file. --velocities takes velocities for any "
        "number of frames; one frame goes on straight for the time of --dt. Elements that "
        "a frame lacks, or has torn, count as removed or torn in the whole step before that frame. Shells touch within "
        "half of the thickness of both, where the file has a thickness.\n"
        "Parts are the groups of a file: parts of LS-DYNA, sets of Abaqus, blocks of Exodus. They are given by number "
        "or "
        "name; * and ? stand for any letters. The time of a contact is in the unit of the file, or counts frames.\n"
        "One frame is enough for --overlaps and --near: the initial penetrations of a deck. Further bodies come with "
        "--with, behind the frames. - stands for standard input or output, -.ply with a format.\n"
        "For a sequence, --contacts and --picture write one file for each step, with the number of the step before "
        "the extension: hits.csv becomes hits-0000.csv, hits-0001.csv and so on. Files hits-0000.vtp get a hits.pvd, "
        "which ParaView opens as one sequence.\n"
        "With --fail-on-contact, the exit status is 4 if there is a contact or an overlap.",
    .options =
        (const tool_option[]){
            {TOOL_CHOICE, "preset", "NAME", "the search to use (default auto)", &settings.preset, toc_preset_get_name},
            {TOOL_CHOICE, "answer", "WHICH", "report all contacts, the first, or any one (default all)",
             &settings.answer, tool_answer_name},
            {TOOL_FILE, "contacts", "OUT", "write the contacts to a .csv, .vtp or .json, or to a .glb with the mesh",
             &settings.contacts, NULL},
            {TOOL_FILES, "with", "FILE [END]", "a further body, at rest or with its end; behind the frames",
             &settings.with, NULL},
            TOOL_OPTIONS_PARTS(&settings.filter),
            {TOOL_ON, "fail-on-contact", NULL, "exit with 4 if there is a contact or an overlap",
             &settings.fail_on_contact, NULL},
            {TOOL_FILE, "picture", "OUT", "draw the end of the step and its contacts to a .png", &settings.picture,
             NULL},
            {TOOL_CHOICE, "up", "AXIS", "the axis that points up in the picture (default by the format)", &settings.up,
             tool_up_name},
            TOOL_OPTIONS_LOOK(settings.look),
            {TOOL_COUNT, "threads", "N", "use N threads, or all cores for 0 (default 0); does not change the answer",
             &settings.threads, NULL},
            {TOOL_CHOICE, "method", "NAME", "the elementary test (default the preset's own)", &settings.method,
             tool_method_name},
            {TOOL_LENGTH, "tolerance", "D", "distance that the method may take for touching (default 0)",
             &settings.tolerance, NULL},
            {TOOL_LENGTH, "separation", "D", "distance that counts as contact, beside the thickness (default 0)",
             &settings.separation, NULL},
            {TOOL_ON, "thin", NULL, "leave out the thickness of shells", &settings.thin, NULL},
            {TOOL_ON, "thicken", NULL, "make shells with a thickness solid: wedges and hexes", &settings.thicken, NULL},
            {TOOL_ON, "weld", NULL, "join vertices that are at one place in both frames of a step", &settings.weld,
             NULL},
            TOOL_OPTIONS_PATHS(settings),
            {TOOL_ON, "exact", NULL, "decide undecided pairs in exact arithmetic (default)", &settings.exact, NULL},
            {TOOL_OFF, "no-exact", NULL, "report undecided pairs as contacts", &settings.exact, NULL},
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL, "also find crossing faces and overlapping volume elements at the start",
             &settings.extras.overlaps, NULL},
            {TOOL_LENGTH, "near", "D", "also find feature pairs within distance D at the start", &settings.extras.near,
             NULL},
            {TOOL_ON, "in-step", NULL, "--near at any time of the step, not at its start", &settings.extras.in_step,
             NULL},
            {TOOL_FILE, "overlaps-out", "OUT", "write the overlaps to a .csv, .vtp or .json", &settings.overlaps_out,
             NULL},
            {TOOL_FILE, "near-out", "OUT", "write the near pairs to a .csv, .vtp or .json", &settings.near_out, NULL},
            {TOOL_ON, "safe-step", NULL, "also find the largest part of the step without a contact",
             &settings.extras.safe_step, NULL},
            {TOOL_ON, "touches", NULL, "also find all times at which each pair touches, and count them",
             &settings.extras.touches, NULL},
            {TOOL_CHOICE, "changes", "LEVEL",
             "also count the pairs of bodies, groups or features that began, persist or ended to touch",
             &settings.extras.changes, tool_level_name},
            {TOOL_LENGTH, "room", "SHARE", "also find the part of the step that keeps this share of all distances",
             &settings.extras.room, NULL},
            {TOOL_COUNT, "dop", "K", "sides of the k-DOPs: 6, 14, 16, 18 or 26 (default the preset's own)",
             &settings.dop, NULL},
            {TOOL_COUNT, "lower-height", "N", "height of the nodes with moving bounds (default the preset's own)",
             &settings.lower_height, NULL},
            {TOOL_LENGTH, "fold", "DEGREES",
             "voxel: test neighbours whose normals are at least so far apart (default 154.2, a cosine of -0.9)",
             &settings.fold, NULL},
            {TOOL_CHOICES, "skip", "STAGES", "for research: leave out stages of the preset, with commas between them",
             &settings.skip, toc_skip_get_name},
            {TOOL_SIZE, "memory", "SIZE",
             "memory that reading a file, and then the search, may take, as in 500M or 4G; contacts beyond an eighth "
             "of "
             "it go through a temporary file (default a quarter of what is available to read, no limit to search)",
             &settings.memory, NULL},
            {TOOL_ON, "csv", NULL, "print the stages as CSV", &settings.csv, NULL},
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = check_run,
};
