// SPDX-License-Identifier: Apache-2.0
// toccata character: play a clip of a skinned character and find where it meets itself.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/actor.h"
#include "tools/cage_check.h"
#include "tools/output.h"
#include "tools/picture.h"
#include "tools/progress.h"
#include "tools/temporary.h"
#include "tools/up.h"

static struct {
    const char *clip, *motion, *preset, *skinning, *out, *picture, *up;
    double alpha, rate;
    size_t iterations, frame, threads;
    bool respond, recall, json, check;
    uint64_t memory;
    tool_cage_wish cage;
    tool_look look;
} settings = {.preset = "auto",
              .skinning = "linear",
              .alpha = 120,
              .rate = 30,
              .frame = SIZE_MAX,
              .cage = {.maker = "envelope", .seconds = 60, .memory = UINT64_C(4000000000), .cache = true},
              .look = TOOL_LOOK_DEFAULT};

static const char *skinning_name(size_t i) {
    static const char *const names[] = {"linear", "dual"};
    return i < 2 ? names[i] : NULL;
}

static int index_in(tool_names *names, const char *name) {
    int i = 0;
    while (strcmp(names((size_t)i), name) != 0) i++;
    return i;
}

/// A frame of the run.
typedef struct frame_row {
    toc_character_report report;
    size_t all; // contacts as `hash` finds them; with --recall
} frame_row;

typedef struct character_run {
    tool_actor actor;
    const char *name; // of the file, or built in
    frame_row *rows;
    char **files; // frames in the folder
    double *times;
    uint8_t *touched; // by shown element: in any frame
    double *first;    // positions of the first frame
} character_run;

// ---- the report

static double mean_ms(const character_run *run, bool detection) {
    double sum = 0;
    for (size_t i = 0; i < run->actor.frames; i++) {
        const toc_character_report *r = &run->rows[i].report;
        sum += detection ? r->detection_seconds : r->skinning_seconds;
    }
    return 1e3 * sum / (double)run->actor.frames;
}

/// The share of all contacts that the preset found; 1 if there are none.
static double find_recall(const character_run *run) {
    double found = 0, all = 0;
    for (size_t i = 0; i < run->actor.frames; i++) {
        found += (double)run->rows[i].report.contacts;
        all += (double)run->rows[i].all;
    }
    return all > 0 ? found / all : 1;
}

/// How far the flesh is from its pose, and what became of its volume.
static void print_flesh(FILE *out, const character_run *run) {
    double distance = 0, farthest = 0, least = INFINITY, low = INFINITY, high = 0;
    for (size_t i = 0; i < run->actor.frames; i++) {
        const toc_character_report *r = &run->rows[i].report;
        const double share = 100 * r->distance / r->extent, volume = r->volume / r->rest_volume;
        distance += share / (double)run->actor.frames;
        farthest = fmax(farthest, share);
        least = fmin(least, r->least_share);
        low = fmin(low, volume);
        high = fmax(high, volume);
    }
    fprintf(out,
            "flesh     %.2f %% of the extent from the pose, at most %.2f %%; %.3f to %.3f of its volume at rest, of a "
            "tet at least "
            "%.2f\n",
            distance, farthest, low, high, least);
}

static void print_summary(FILE *out, const character_run *run) {
    const toc_character_report *r = &run->rows[0].report;
    const double skinning = mean_ms(run, false), detection = mean_ms(run, true), total = skinning + detection;
    size_t contacts = 0, touching = 0;
    for (size_t i = 0; i < run->actor.frames; i++) {
        contacts += run->rows[i].report.contacts;
        touching += run->rows[i].report.contacts > 0;
    }
    fprintf(out, "\n%zu contacts in %zu of %zu frames\n", contacts, touching, run->actor.frames);
    if (settings.iterations > 0) print_flesh(out, run);
    if (settings.recall) fprintf(out, "recall %.1f %%\n", 100 * find_recall(run));
    fprintf(out, "\n%10s %10s %8s %12s %12s %10s %12s %8s\n", "vertices", "tets", "bones", "skinning ms",
            "detection ms", "total ms", "iterations", "fps");
    fprintf(out, "%10zu %10zu %8zu %12.3f %12.3f %10.3f %12zu %8.1f\n", toc_mesh_get_vertex_count(run->actor.shown),
            r->tets, run->actor.joints, skinning, detection, total, settings.iterations, total > 0 ? 1e3 / total : 0);
}

static void print_run(const character_run *run) {
    FILE *out = tool_output();
    const tool_actor *a = &run->actor;
    fprintf(out, "character %s\nclip      %s, %zu frames, %g to %g s\n", run->name, a->clip_name, a->frames, a->start,
            a->end);
    if (a->motion)
        fprintf(out, "motion    moves %zu of %zu joints, of %zu in its file\n", a->matched, a->joints,
                a->motion->joint_count);
    if (a->rig)
        fprintf(out, "cage      %zu tets by %s%s\n", run->rows[0].report.tets, a->cage.maker,
                a->cage.kept ? ", from an earlier run" : "");
    if (a->cage.note[0]) fprintf(out, "note      %s\n", a->cage.note);
    if (a->rig && a->rig->morph_count)
        fprintf(out, "morphs    %zu targets move the cage%s\n", a->rig->morph_count,
                a->motion ? "; the motion leaves them at rest" : "");
    if (a->rig && a->rig->scaled_count)
        fprintf(out, "note      the weights of %zu vertices did not sum to 1 and were scaled\n", a->rig->scaled_count);
    fprintf(out, "preset    %s\n\n%6s %10s %14s %10s %12s %12s\n", settings.preset, "frame", "contacts",
            "active joints", "inverted", "skinning ms", "detection ms");
    for (size_t i = 0; i < a->frames; i++) {
        const toc_character_report *r = &run->rows[i].report;
        fprintf(out, "%6zu %10zu %14zu %10zu %12.3f %12.3f\n", i, r->contacts, r->awake_joints, r->inverted,
                1e3 * r->skinning_seconds, 1e3 * r->detection_seconds);
    }
    print_summary(out, run);
}

static toc_status print_run_json(const character_run *run) {
    cJSON *object = tool_json_start();
    cJSON_AddStringToObject(object, "clip", run->actor.clip_name);
    cJSON_AddStringToObject(object, "preset", settings.preset);
    if (run->actor.cage.note[0]) cJSON_AddStringToObject(object, "note", run->actor.cage.note);
    tool_json_count(object, "morphs", run->actor.rig ? run->actor.rig->morph_count : 0);
    tool_json_count(object, "weights_scaled", run->actor.rig ? run->actor.rig->scaled_count : 0);
    tool_json_count(object, "tets", run->rows[0].report.tets);
    cJSON *frames = cJSON_AddArrayToObject(object, "frames");
    for (size_t i = 0; i < run->actor.frames; i++) {
        const toc_character_report *r = &run->rows[i].report;
        cJSON *row = cJSON_CreateObject();
        tool_json_count(row, "frame", i);
        tool_json_count(row, "contacts", r->contacts);
        tool_json_count(row, "active_joints", r->awake_joints);
        tool_json_count(row, "inverted", r->inverted);
        tool_json_double(row, "ms_skinning", 1e3 * r->skinning_seconds);
        tool_json_double(row, "ms_detection", 1e3 * r->detection_seconds);
        tool_json_double(row, "volume", r->volume);
        if (settings.iterations > 0) tool_json_double(row, "rest_volume", r->rest_volume);
        tool_json_double(row, "extent", r->extent);
        tool_json_double(row, "distance", r->distance);
        tool_json_double(row, "least_share", r->least_share);
        tool_json_double(row, "energy", r->energy);
        cJSON_AddItemToArray(frames, row);
    }
    if (settings.recall)
        tool_json_double(object, "recall", find_recall(run));
    else
        cJSON_AddNullToObject(object, "recall");
    return tool_json_print(object);
}

// ---- files

static bool out_is_glb(void) { return settings.out && tool_path_ends(settings.out, ".glb"); }

static toc_status make_out_folder(const char *folder, bool *made) {
    const bool existed = toc_path_is_folder(folder);
    *made = !existed && toc_folder_make(folder);
    if (existed || *made) return TOC_OK;
    return tool_fail(errno == ENOSPC ? TOC_DISK_FULL : TOC_BAD_INPUT, "%s: the folder cannot be created: %s", folder,
                     strerror(errno));
}

/// "CesiumMan" of "folder/CesiumMan.glb".
static int stem_length(const char *path) {
    const char *name = tool_path_name(path), *dot = strrchr(name, '.');
    return dot ? (int)(dot - name) : (int)strlen(name);
}

/// The point of the skin next to a vertex of the cage: a triangle, by its vertices, and their weights.
static void write_place(FILE *into, const toc_scene_point *place) {
    for (int k = 0; k < 3 && place; k++) fprintf(into, ",%u", place->v[k]);
    for (int k = 0; k < 3 && place; k++) fprintf(into, ",%s", tool_double_text(place->weights[k]));
    if (!place) fputs(",,,,,,", into);
}

/// The place of the corner of a tet that is nearest to a contact.
static const toc_scene_point *place_of_tet(const tool_actor *actor, const toc_character_contact *contact) {
    const toc_element t = toc_mesh_get_element(actor->cage.mesh, contact->element);
    int nearest = 0;
    for (int k = 1; k < 4; k++) nearest = contact->weights[k] > contact->weights[nearest] ? k : nearest;
    return &actor->cage.places[t.corners[nearest]];
}

static void write_contact_row(FILE *into, const tool_actor *actor, const toc_character_contact *contact) {
    const bool skin = actor->cage.places != NULL;
    fprintf(into, "%u,%u,%u,%u", contact->body[0], contact->vertex, contact->body[1], contact->element);
    for (int k = 0; k < 4; k++) fprintf(into, ",%s", tool_double_text(contact->weights[k]));
    write_place(into, skin && contact->body[0] == 0 ? &actor->cage.places[contact->vertex] : NULL);
    write_place(into, skin && contact->body[1] == 0 ? place_of_tet(actor, contact) : NULL);
    fputc('\n', into);
}

static toc_status write_contact_rows(const character_run *run, const char *path) {
    char *text = NULL;
    size_t size = 0, count;
    FILE *into = toc_stream_open_text(&text, &size);
    if (!into) return tool_fail_memory();
    const toc_character_contact *list = toc_character_get_contacts(run->actor.character, &count);
    fputs("body,vertex,body_of_tet,tet,w0,w1,w2,w3,skin_v0,skin_v1,skin_v2,skin_w0,skin_w1,skin_w2,"
          "other_v0,other_v1,other_v2,other_w0,other_w1,other_w2\n",
          into);
    for (size_t i = 0; i < count; i++) write_contact_row(into, &run->actor, &list[i]);
    const toc_status status =
        toc_stream_close_text(into, &text, &size) ? tool_file_write(path, text, size) : tool_fail_memory();
    free(text);
    return status;
}

/// The cage in the bind pose, whose vertices and tets the contacts name.
static toc_status write_cage(const character_run *run, const char *folder) {
    char *path;
    if (asprintf(&path, "%s/%.*s-cage.vtu", folder, stem_length(run->name), tool_path_name(run->name)) < 0)
        return tool_fail_memory();
    const toc_status status = toc_mesh_write(path, tool_actor_cage(&run->actor), TOC_AT_END);
    free(path);
    return status;
}

static toc_status write_frame(character_run *run, const char *folder, size_t frame) {
    char *path, *contacts;
    const char *name = tool_path_name(run->name);
    if (asprintf(&run->files[frame], "%.*s-%04zu.vtu", stem_length(run->name), name, frame) < 0) {
        run->files[frame] = NULL;
        return tool_fail_memory();
    }
    if (asprintf(&path, "%s/%s", folder, run->files[frame]) < 0) return tool_fail_memory();
    toc_status status = toc_mesh_write(path, run->actor.shown, TOC_AT_END);
    free(path);
    if (status != TOC_OK || out_is_glb()) return status;
    if (asprintf(&contacts, "%s/%.*s-%04zu.csv", folder, stem_length(run->name), name, frame) < 0)
        return tool_fail_memory();
    status = write_contact_rows(run, contacts);
    free(contacts);
    return status;
}

static toc_status list_frames(const character_run *run, const char *folder, char **list) {
    if (asprintf(list, "%s/%.*s.pvd", folder, stem_length(run->name), tool_path_name(run->name)) < 0) {
        *list = NULL;
        return tool_fail_memory();
    }
    return toc_sequence_write_pvd(*list, run->actor.frames, (const char *const *)run->files, run->times);
}

static toc_status join_frames(const char *list) {
    toc_sequence *sequence;
    toc_status status = toc_sequence_open(1, &list, NULL, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_sample(sequence, settings.rate);
    if (status == TOC_OK) status = toc_sequence_write(settings.out, sequence);
    toc_sequence_close(sequence);
    return status;
}

/// Frames and their contacts.
static void remove_frames(const character_run *run, const char *folder) {
    char path[8192];
    for (size_t i = 0; i < run->actor.frames; i++) {
        if (!run->files[i]) continue;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, run->files[i]);
        toc_path_remove(path);
        if (length < 4 || (size_t)length >= sizeof path) continue;
        memcpy(path + length - 3, "csv", 3);
        toc_path_remove(path);
    }
}

// ---- the run

static toc_status draw_frame(const character_run *run) {
    size_t count;
    const toc_character_contact *list = toc_character_get_contacts(run->actor.character, &count);
    toc_contact *dots = calloc(count + 1, sizeof *dots);
    if (!dots) return tool_fail_memory();
    for (size_t i = 0; i < count; i++) {
        const double *x = toc_character_get_positions(run->actor.character, list[i].body[0]);
        memcpy(dots[i].point, x + 3 * (size_t)list[i].vertex, 3 * sizeof *x);
    }
    const toc_contacts contacts = {.count = count, .contacts = dots};
    const toc_status status = tool_picture_write(settings.picture, run->actor.shown, &contacts, &settings.look);
    free(dots);
    return status;
}

/// A .glb has one colour for each element: that of all frames.
static void note_touched(character_run *run, size_t frame) {
    const toc_mesh *shown = run->actor.shown;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(shown); e++)
        run->touched[e] |= toc_mesh_get_element(shown, e).group == 1;
    if (frame == 0)
        memcpy(run->first, toc_mesh_get_x1(shown), 3 * toc_mesh_get_vertex_count(shown) * sizeof *run->first);
}

static toc_status write_first_again(character_run *run, const char *folder) {
    toc_mesh *shown = run->actor.shown;
    toc_status status = toc_mesh_set_motion(shown, toc_mesh_get_vertex_count(shown), run->first, run->first);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(shown) && status == TOC_OK; e++)
        if (run->touched[e]) status = toc_mesh_set_group(shown, e, 1);
    free(run->files[0]);
    run->files[0] = NULL;
    return status == TOC_OK ? write_frame(run, folder, 0) : status;
}

static toc_status run_frame(character_run *run, const char *folder, size_t frame) {
    frame_row *row = &run->rows[frame];
    toc_status status = tool_actor_step(&run->actor, frame, &row->report);
    if (status == TOC_OK && settings.recall) status = toc_character_count_all(run->actor.character, &row->all);
    if (status != TOC_OK) return status;
    run->times[frame] = tool_actor_time(&run->actor, frame);
    const bool drawn = settings.picture && frame == settings.frame;
    if (!folder && !drawn) return TOC_OK;
    status = tool_actor_show(&run->actor);
    note_touched(run, frame);
    if (status == TOC_OK && folder) status = write_frame(run, folder, frame);
    return status == TOC_OK && drawn ? draw_frame(run) : status;
}

static toc_status run_frames(character_run *run, const char *folder) {
    toc_status status = TOC_OK;
    tool_progress_start(run->name, run->actor.frames);
    for (size_t i = 0; i < run->actor.frames && status == TOC_OK; i++) {
        status = tool_progress_part(i);
        if (status == TOC_OK) status = run_frame(run, folder, i);
    }
    return status;
}

static toc_status run_into_glb(character_run *run) {
    char folder[TOOL_TEMPORARY_PATH], *list = NULL;
    toc_status status = tool_temporary_make(folder);
    if (status != TOC_OK) return status;
    status = run_frames(run, folder);
    if (status == TOC_OK) status = write_first_again(run, folder);
    if (status == TOC_OK) status = list_frames(run, folder, &list);
    if (status == TOC_OK) status = join_frames(list);
    remove_frames(run, folder);
    if (list) toc_path_remove(list);
    toc_folder_remove(folder);
    free(list);
    return status;
}

static toc_status run_into_folder(character_run *run) {
    char *list = NULL;
    bool made;
    toc_status status = make_out_folder(settings.out, &made);
    if (status != TOC_OK) return status;
    status = run_frames(run, settings.out);
    if (status == TOC_OK) status = write_cage(run, settings.out);
    if (status == TOC_OK) status = list_frames(run, settings.out, &list);
    if (status != TOC_OK) remove_frames(run, settings.out);
    if (status != TOC_OK && made) toc_folder_remove(settings.out);
    free(list);
    return status;
}

static toc_status run_character(character_run *run) {
    const size_t frames = run->actor.frames;
    run->rows = calloc(frames, sizeof *run->rows);
    run->files = calloc(frames, sizeof *run->files);
    run->times = calloc(frames, sizeof *run->times);
    run->touched = calloc(toc_mesh_get_element_count(run->actor.shown) + 1, 1);
    run->first = calloc(3 * toc_mesh_get_vertex_count(run->actor.shown) + 1, sizeof *run->first);
    if (!run->rows || !run->files || !run->times || !run->touched || !run->first) return tool_fail_memory();
    if (settings.picture && settings.frame != SIZE_MAX && settings.frame >= frames)
        return tool_fail(TOC_BAD_INPUT, "--frame %zu, but there are %zu", settings.frame, frames);
    if (settings.picture && settings.frame == SIZE_MAX) settings.frame = frames / 2;
    toc_status status = !settings.out ? run_frames(run, NULL) : out_is_glb() ? run_into_glb(run) : run_into_folder(run);
    if (status != TOC_OK) return status;
    if (settings.json) return print_run_json(run);
    print_run(run);
    return TOC_OK;
}

static toc_character_settings make_settings(void) {
    toc_character_settings s = toc_character_settings_default();
    s.preset = (toc_character_preset)index_in(toc_character_preset_get_name, settings.preset);
    s.skinning = (toc_skinning)index_in(skinning_name, settings.skinning);
    s.alpha = settings.alpha * (3.14159265358979323846 / 180);
    s.iterations = (uint32_t)settings.iterations;
    s.respond = settings.respond;
    s.step = 1 / settings.rate;
    s.threads = (int)settings.threads;
    return s;
}

static toc_status check_cage(const char *name) {
    size_t i = 0;
    while (tool_actor_name(i) && strcmp(tool_actor_name(i), name) != 0) i++;
    if (tool_actor_name(i)) return tool_fail(TOC_BAD_INPUT, "--check: %s has a cage of its own; give a file", name);
    return tool_cage_check(name, &settings.cage, settings.memory, settings.json);
}

static toc_status character_run_command(int count, char **names) {
    if (count != 1) return tool_fail(TOC_BAD_INPUT, "character needs one file or name, not %d", count);
    if (settings.check) return check_cage(names[0]);
    if (!(settings.rate > 0)) return tool_fail(TOC_BAD_INPUT, "--rate 0: frames a second must be above 0");
    if (!(settings.alpha >= 0 && settings.alpha <= 180))
        return tool_fail(TOC_BAD_INPUT, "--alpha: %g degrees; 0 to 180 are possible", settings.alpha);
    if (settings.picture && !tool_path_ends(settings.picture, ".png"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --picture writes .png", settings.picture);
    if (settings.respond && settings.iterations == 0) settings.iterations = 12;
    if (settings.iterations > 1000) return tool_fail(TOC_BAD_INPUT, "--iterations: 1000 are possible at most");
    if (settings.threads > INT_MAX) return tool_fail(TOC_BAD_INPUT, "--threads: %d are possible at most", INT_MAX);
    settings.look.up = settings.up ? tool_up_index(settings.up) : 1;
    const tool_actor_wish wish = {.name = names[0],
                                  .clip = settings.clip,
                                  .motion = settings.motion,
                                  .rate = settings.rate,
                                  .cage = settings.cage,
                                  .settings = make_settings(),
                                  .memory = settings.memory};
    character_run run = {.name = names[0]};
    toc_status status = tool_actor_make(&wish, &run.actor);
    if (status == TOC_OK) status = run_character(&run);
    for (size_t i = 0; run.files && i < run.actor.frames; i++) free(run.files[i]);
    free(run.files);
    free(run.rows);
    free(run.times);
    free(run.touched);
    free(run.first);
    tool_actor_free(&run.actor);
    return status;
}

const tool_command tool_character = {
    .name = "character",
    .forms = (const char *const[]){"FILE.glb [--clip NAME] [--preset NAME] [--respond] [--out DIR|OUT.glb] [OPTION...]",
                                   "arm|leg|twist|arm-box|human|horse [OPTION...]", NULL},
    .what = "Play a clip of a character with a skeleton or morph targets and find where it meets itself.",
    .more =
        "A cage of tetrahedra is made from the surface and moves with the skeleton; vertices of the cage in its "
        "tetrahedra are "
        "contacts. The last line has the columns of Table 1 of Abu Rumman et al. 2015.\n"
        "--preset ondemand is the published rule: a joint wakes while the angle between its bones shrinks and is below "
        "alpha, 180 degrees being a straight limb. A small alpha wakes only sharp bends; contacts elsewhere are "
        "missed, "
        "and --recall tells how many. hash, ondemand-safe and auto find all contacts.\n"
        "The cage is an envelope of any triangles, within 0.5 % of the height of the skin; --check tells how well it "
        "fits. Morph targets of the clip move it, too. --cage tetgen runs TetGen, a program of its own, which fills "
        "surfaces that are closed and do not cross "
        "themselves; its cages are kept in the user's cache, by content.\n"
        "A folder receives a .vtu and a .csv of contacts for each frame, a .pvd, and the cage in the bind pose "
        "(NAME-cage.vtu), whose vertices and tets the contacts name, beside the vertices of the skin next to them. "
        "Elements of group 1 touch. A .glb receives the motion.",
    .options =
        (const tool_option[]){
            TOOL_OPTION_CLIP(&settings.clip),
            {TOOL_FILE, "motion", "FILE.bvh", "play a motion file, by the names of joints, instead of a clip",
             &settings.motion, NULL},
            {TOOL_CHOICE, "preset", "NAME", "the search to use (default auto)", &settings.preset,
             toc_character_preset_get_name},
            {TOOL_LENGTH, "alpha", "DEGREES", "ondemand: the angle below which a joint can wake (default 120)",
             &settings.alpha, NULL},
            {TOOL_CHOICE, "skinning", "HOW", "blend matrices or dual quaternions (default linear)", &settings.skinning,
             skinning_name},
            {TOOL_COUNT, "iterations", "N", "of position based skinning in a frame (default 0: skinning alone)",
             &settings.iterations, NULL},
            {TOOL_ON, "respond", NULL, "push colliding vertices out, in 12 iterations unless given", &settings.respond,
             NULL},
            {TOOL_COUNT, "threads", "N", "use N threads, 0 for all cores (default); the same frames", &settings.threads,
             NULL},
            {TOOL_FOLDER, "out", "DIR|OUT.glb", "write the frames to a folder or a .glb", &settings.out, NULL},
            {TOOL_FILE, "picture", "OUT", "draw a frame and its contacts to a .png", &settings.picture, NULL},
            {TOOL_COUNT, "frame", "N", "the frame to draw (default the middle one)", &settings.frame, NULL},
            {TOOL_CHOICE, "up", "AXIS", "the axis that points up in the picture (default y)", &settings.up,
             tool_up_name},
            TOOL_OPTIONS_LOOK(settings.look),
            {TOOL_ON, "recall", NULL, "also search everything in each frame, and tell the share that was found",
             &settings.recall, NULL},
            {TOOL_LENGTH, "rate", "N", "sample the clip at N frames a second (default 30)", &settings.rate, NULL},
            {TOOL_ON, "check", NULL, "only tell how well the cage fits; fail where it breaks a bound", &settings.check,
             NULL},
            {TOOL_CHOICE, "cage", "MAKER", "who makes the cage (default envelope)", &settings.cage.maker,
             tool_cage_maker},
            {TOOL_COUNT, "tets", "N",
             "about this many tetrahedra (default: as many as keep the cage within 0.5 % of the height)",
             &settings.cage.tets, NULL},
            {TOOL_LENGTH, "tetgen-seconds", "S", "stop tetgen after so long (default 60)", &settings.cage.seconds,
             NULL},
            {TOOL_SIZE, "tetgen-memory", "SIZE", "memory that tetgen may take (default 4G)", &settings.cage.memory,
             NULL},
            {TOOL_OFF, "no-cache", NULL, "run tetgen anew and do not keep its cage", &settings.cage.cache, NULL},
            TOOL_OPTION_MEMORY(&settings.memory),
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = character_run_command,
};
