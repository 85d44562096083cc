// SPDX-License-Identifier: Apache-2.0
// toccata check: find the contacts of one step, or of every step of a sequence.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "toccata/research.h"
#include "tools/command.h"
#include "tools/extras.h"
#include "tools/listing.h"
#include "tools/picture.h"
#include "tools/progress.h"
#include "tools/up.h"

static struct {
    const char *preset, *answer, *method, *contacts, *picture, *up, *clip;
    size_t dop, lower_height, threads;
    double fold, tolerance, separation, rate;
    uint64_t memory;
    uint32_t skip;
    bool exact, surface, thin, thicken, parabolas, json;
    tool_extras_wanted extras;
    tool_look look;
} settings = {.answer = "all", .exact = true, .extras.near = -1, .look = TOOL_LOOK_DEFAULT};

static const char *answer_name(size_t i) {
    static const char *const answers[] = {
        [TOC_ANSWER_ALL] = "all", [TOC_ANSWER_FIRST] = "first", [TOC_ANSWER_ANY] = "any"};
    return i < 3 ? answers[i] : NULL;
}

static const char *method_name(size_t i) { return i < TOC_METHOD_COUNT ? toc_method_get_name((toc_method)i) : NULL; }

// The index of a name in a list that contains it.
static int index_of(tool_names *names, const char *name) {
    int i = 0;
    while (strcmp(names((size_t)i), name) != 0) i++;
    return i;
}

static toc_query make_query(void) {
    toc_query query = toc_query_default();
    if (settings.preset) query.preset = settings.preset;
    if (settings.method) query.test.method = (toc_method)index_of(method_name, settings.method);
    query.answer = (toc_answer)index_of(answer_name, settings.answer);
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
    query.progress = tool_progress();
    return query;
}

typedef struct contact_tally {
    size_t kinds[2]; // by toc_kind
    size_t undecided;
} contact_tally;

static contact_tally count_contacts(const toc_contacts *contacts) {
    contact_tally t = {{0, 0}, 0};
    for (size_t i = 0; i < contacts->count; i++) {
        t.kinds[contacts->contacts[i].kind]++;
        t.undecided += contacts->contacts[i].verdict == TOC_UNDECIDED;
    }
    return t;
}

static void print_features(FILE *out, const toc_contact *c) {
    const uint32_t *v = c->v;
    fprintf(out, c->kind == TOC_VF ? "vertex %u meets face %u %u %u" : "edge %u %u meets edge %u %u", v[0], v[1], v[2],
            v[3]);
}

static void print_mesh(FILE *out, const toc_mesh *mesh) {
    size_t shapes[TOC_SHAPE_COUNT] = {0};
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) shapes[toc_mesh_get_element(mesh, e).shape]++;
    fprintf(out, "%zu vertices", toc_mesh_get_vertex_count(mesh));
    for (int s = 1; s < TOC_SHAPE_COUNT; s++) {
        if (shapes[s]) fprintf(out, ", %zu %s elements", shapes[s], toc_shape_get_name((toc_shape)s));
    }
}

static void print_stages(FILE *out, const toc_contacts *contacts) {
    fprintf(out, "\n%-16s %14s %14s %12s\n", "stage", "in", "out", "ms");
    for (size_t i = 0; i < contacts->stage_count; i++) {
        const toc_stage *s = &contacts->stages[i];
        fprintf(out, "%-16s %14llu %14llu %12.3f\n", s->name, (unsigned long long)s->in, (unsigned long long)s->out,
                1e3 * s->seconds);
    }
    fprintf(out, "%-16s %14s %14s %12.3f\n", contacts->preset, "", "", 1e3 * contacts->seconds);
}

static void print_contacts(FILE *out, const toc_contacts *contacts) {
    const contact_tally t = count_contacts(contacts);
    fprintf(out, "\ncontacts  %zu", contacts->count);
    if (contacts->count) fprintf(out, " (%zu vertex-face, %zu edge-edge)", t.kinds[TOC_VF], t.kinds[TOC_EE]);
    if (t.undecided) fprintf(out, ", %zu of them undecided", t.undecided);
    const toc_contact *first = toc_contacts_find_first(contacts);
    if (first) {
        fprintf(out, "\n%s     t = %s: ", settings.answer[1] == 'n' ? "any  " : "first", tool_double_text(first->toc));
        print_features(out, first);
    }
    fputc('\n', out);
}

static void print_step(const toc_sequence *frames, const toc_mesh *mesh, const toc_contacts *contacts,
                       const tool_extras *extras) {
    FILE *out = tool_output();
    fprintf(out, "start     %s\nend       %s\nmesh      ", toc_sequence_get_path(frames, 0),
            toc_sequence_get_path(frames, settings.parabolas ? 2 : 1));
    print_mesh(out, mesh);
    fputc('\n', out);
    print_stages(out, contacts);
    print_contacts(out, contacts);
    tool_extras_print(out, extras);
}

static void print_step_row(size_t step, const toc_contacts *contacts, const tool_extras *extras) {
    FILE *out = tool_output();
    const contact_tally t = count_contacts(contacts);
    const toc_contact *first = toc_contacts_find_first(contacts);
    fprintf(out, "%6zu %10zu %10zu %10zu %10.3f", step, contacts->count, t.kinds[TOC_VF], t.kinds[TOC_EE],
            1e3 * contacts->seconds);
    if (first) {
        fprintf(out, "  t = %-20s ", tool_double_text(first->toc));
        print_features(out, first);
    }
    tool_extras_print_short(out, extras);
    fputc('\n', out);
}

static cJSON *step_object(cJSON *object, const toc_contacts *contacts, const tool_extras *extras) {
    const toc_contact *first = toc_contacts_find_first(contacts);
    cJSON_AddStringToObject(object, "preset", contacts->preset);
    cJSON_AddStringToObject(object, "chosen", contacts->chosen);
    cJSON_AddStringToObject(object, "answer", settings.answer);
    tool_json_count(object, "contacts", contacts->count);
    if (first) {
        tool_json_double(object, "first", first->toc);
    } else {
        cJSON_AddNullToObject(object, "first");
    }
    tool_json_double(object, "ms", 1e3 * contacts->seconds);
    cJSON *stages = cJSON_AddArrayToObject(object, "stages");
    for (size_t i = 0; i < contacts->stage_count; i++) {
        cJSON *stage = cJSON_CreateObject();
        cJSON_AddStringToObject(stage, "name", contacts->stages[i].name);
        tool_json_count(stage, "in", contacts->stages[i].in);
        tool_json_count(stage, "out", contacts->stages[i].out);
        tool_json_double(stage, "ms", 1e3 * contacts->stages[i].seconds);
        cJSON_AddItemToArray(stages, stage);
    }
    tool_extras_to_json(object, extras);
    return object;
}

// The state of one run: input, results, output.
typedef struct check_session {
    toc_sequence *frames;
    toc_scene *scene;
    toc_scene *solid; // of the step, with shells made solid; NULL without --thicken
    bool one_step;    // two files with one frame each
    cJSON *json;      // the object of the step, or of the sequence; NULL without --json
    cJSON *steps;     // of a sequence
    size_t contacts, touching_steps;
    toc_touching *touching; // pairs of the step before, for --changes
} check_session;

// The scene that is searched.
static toc_scene *searched_scene(const check_session *all) { return all->solid ? all->solid : all->scene; }

static void check_tell(check_session *all, size_t step, const toc_contacts *contacts, const tool_extras *extras) {
    all->contacts += contacts->count;
    all->touching_steps += contacts->count > 0;
    if (all->json && all->one_step) {
        step_object(all->json, contacts, extras);
    } else if (all->json) {
        cJSON *object = cJSON_CreateObject();
        tool_json_count(object, "step", step);
        cJSON_AddItemToArray(all->steps, step_object(object, contacts, extras));
    } else if (all->one_step) {
        print_step(all->frames, toc_scene_get_mesh(searched_scene(all), 0), contacts, extras);
    } else {
        print_step_row(step, contacts, extras);
    }
}

typedef toc_status file_writer(const char *path, const check_session *all, const toc_contacts *contacts);

static toc_status write_contacts(const char *path, const check_session *all, const toc_contacts *contacts) {
    (void)all;
    return toc_contacts_write(path, contacts);
}

static toc_status write_picture(const char *path, const check_session *all, const toc_contacts *contacts) {
    const char *first = toc_sequence_get_path(all->frames, 0);
    settings.look.up = settings.up ? tool_up_index(settings.up) : tool_up_guess(first);
    return tool_picture_write(path, toc_scene_get_mesh(searched_scene(all), 0), contacts, &settings.look);
}

// A sequence gets one file for each step, with the number of the step in its name.
static toc_status write_file(const check_session *all, size_t step, const char *path, file_writer *writer,
                             const toc_contacts *contacts) {
    if (!path) return TOC_OK;
    if (all->one_step) return writer(path, all, contacts);
    char *numbered;
    toc_status status = tool_path_number(path, step, &numbered);
    if (status != TOC_OK) return status;
    status = writer(numbered, all, contacts);
    free(numbered);
    return status;
}

// Frames may come through pipes.
static toc_status advance(check_session *all, size_t frame) {
    toc_status status = tool_reading_begin();
    if (status == TOC_OK) status = toc_sequence_advance(all->frames, frame, toc_scene_edit_mesh(all->scene, 0));
    tool_reading_end();
    return status;
}

// The vertices of two frames, the start and the middle of a step.
typedef struct check_frames {
    size_t count; // coordinates
    double *start, *middle;
} check_frames;

// From positions m in the middle: x(1/2) = (x0 + x1) / 2 - a / 8.
static toc_status set_parabolas(toc_mesh *mesh, const check_frames *before, double *acceleration) {
    const double *x1 = toc_mesh_get_x1(mesh);
    if (3 * toc_mesh_get_vertex_count(mesh) != before->count)
        return tool_fail(TOC_BAD_INPUT, "the three frames of a parabola must have the same vertices: %zu and %zu",
                         before->count / 3, toc_mesh_get_vertex_count(mesh));
    for (size_t i = 0; i < before->count; i++)
        acceleration[i] = 4 * (before->start[i] - before->middle[i]) + 4 * (x1[i] - before->middle[i]);
    const toc_status status = toc_mesh_set_motion(mesh, before->start, x1);
    return status == TOC_OK ? toc_mesh_set_acceleration(mesh, acceleration) : status;
}

static toc_status advance_along(check_session *all, size_t step, check_frames *before, double *acceleration) {
    toc_mesh *mesh = toc_scene_edit_mesh(all->scene, 0);
    memcpy(before->start, toc_mesh_get_x1(mesh), before->count * sizeof *before->start);
    toc_status status = advance(all, 2 * step + 1);
    if (status != TOC_OK) return status;
    if (3 * toc_mesh_get_vertex_count(mesh) == before->count)
        memcpy(before->middle, toc_mesh_get_x1(mesh), before->count * sizeof *before->middle);
    status = advance(all, 2 * step + 2);
    return status == TOC_OK ? set_parabolas(mesh, before, acceleration) : status;
}

// Go on by two frames: the first one is the middle of the step.
static toc_status advance_parabolas(check_session *all, size_t step) {
    const size_t count = 3 * toc_mesh_get_vertex_count(toc_scene_get_mesh(all->scene, 0));
    double *block = malloc((3 * count + 1) * sizeof *block);
    if (!block) return tool_fail(TOC_OUT_OF_MEMORY, "out of memory");
    check_frames before = {count, block, block + count};
    const toc_status status = advance_along(all, step, &before, block + 2 * count);
    free(block);
    return status;
}

// Make the shells of the step solid, in a scene of its own.
static toc_status thicken_step(check_session *all) {
    toc_mesh *mesh;
    toc_scene_destroy(all->solid);
    all->solid = NULL;
    toc_status status = toc_mesh_thicken(toc_scene_get_mesh(all->scene, 0), &mesh);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &all->solid);
    if (status == TOC_OK) status = toc_scene_add_body(all->solid, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status check_step(check_session *all, const toc_query *query, size_t step) {
    toc_contacts *contacts;
    tool_extras extras;
    toc_status status = settings.parabolas ? advance_parabolas(all, step) : advance(all, step + 1);
    if (status == TOC_OK && settings.thicken) status = thicken_step(all);
    if (status == TOC_OK) status = toc_scene_find_contacts(searched_scene(all), query, &contacts);
    if (status != TOC_OK) return status;
    status = tool_extras_find(searched_scene(all), query, settings.extras, &extras);
    if (status == TOC_OK)
        status = tool_extras_add(searched_scene(all), query, contacts, settings.extras, &all->touching, &extras);
    if (status == TOC_OK) status = write_file(all, step, settings.contacts, write_contacts, contacts);
    if (status == TOC_OK) status = write_file(all, step, settings.picture, write_picture, contacts);
    if (status == TOC_OK) check_tell(all, step, contacts, &extras);
    tool_extras_free(&extras);
    toc_contacts_destroy(contacts);
    return status;
}

// A sequence of .vtp gets a .pvd with the time at which each step begins.
static toc_status list_contacts(const check_session *all, size_t steps) {
    if (all->one_step || !settings.contacts || !tool_path_ends(settings.contacts, ".vtp")) return TOC_OK;
    double *times = calloc(steps + 1, sizeof *times);
    if (!times) return tool_fail_memory();
    for (size_t i = 0; i < steps; i++) times[i] = toc_sequence_get_time(all->frames, i);
    const toc_status status = tool_listing_write(settings.contacts, steps, times);
    free(times);
    return status;
}

static toc_status check_steps(check_session *all, size_t steps) {
    const toc_query query = make_query();
    tool_progress_start("check", steps);
    toc_status status = TOC_OK;
    for (size_t step = 0; step < steps && status == TOC_OK; step++) {
        status = tool_progress_part(step);
        if (status == TOC_OK) status = check_step(all, &query, step);
    }
    return status == TOC_OK ? list_contacts(all, steps) : status;
}

static toc_status check_as_json(check_session *all, size_t steps) {
    all->json = tool_json_start();
    if (!all->one_step) all->steps = cJSON_AddArrayToObject(all->json, "steps");
    const toc_status status = check_steps(all, steps);
    if (status == TOC_OK) return tool_json_print(all->json);
    cJSON_Delete(all->json);
    return status;
}

// Frames are separate files, or times of one file.
static void print_frames(FILE *out, const toc_sequence *frames, size_t count) {
    const char *first = toc_sequence_get_path(frames, 0), *last = toc_sequence_get_path(frames, count - 1);
    fprintf(out, "frames    %zu: %s", count, first);
    if (strcmp(first, last) != 0) {
        fprintf(out, " to %s\n", last);
    } else {
        fprintf(out, ", time %s", tool_double_text(toc_sequence_get_time(frames, 0)));
        fprintf(out, " to %s\n", tool_double_text(toc_sequence_get_time(frames, count - 1)));
    }
}

static toc_status check_as_text(check_session *all, size_t steps) {
    FILE *out = tool_output();
    if (!all->one_step) {
        print_frames(out, all->frames, (settings.parabolas ? 2 : 1) * steps + 1);
        fputs("mesh      ", out);
        print_mesh(out, toc_scene_edit_mesh(all->scene, 0));
        fprintf(out, "\n\n%6s %10s %10s %10s %10s  %s\n", "step", "contacts", "vf", "ee", "ms", "first");
    }
    const toc_status status = check_steps(all, steps);
    if (status == TOC_OK && !all->one_step) {
        fprintf(out, "\n%zu contacts in %zu of %zu steps\n", all->contacts, all->touching_steps, steps);
    }
    return status;
}

// The scene has one body, the mesh of the first frame.
static toc_status load_first_frame(check_session *all) {
    toc_mesh *mesh;
    uint32_t body;
    toc_status status = toc_sequence_read_first(all->frames, &mesh);
    if (status != TOC_OK) return status;
    status = toc_scene_create(NULL, &all->scene);
    if (status == TOC_OK) status = toc_scene_add_body(all->scene, mesh, &body);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status check_outputs(void) {
    const char *c = settings.contacts, *p = settings.picture;
    if (c && !tool_path_ends(c, ".csv") && !tool_path_ends(c, ".vtp") && !tool_path_ends(c, ".json")) {
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --contacts writes .csv, .vtp or .json", c);
    }
    if (p && !tool_path_ends(p, ".png"))
        return tool_fail(TOC_BAD_INPUT, "%s: unknown extension; --picture writes .png", p);
    return TOC_OK;
}

static toc_status check_frame_count(size_t frames, const char *path) {
    if (frames < 2) return tool_fail(TOC_BAD_INPUT, "%s: only one frame; check needs two or more", path);
    if (settings.parabolas && frames % 2 == 0)
        return tool_fail(TOC_BAD_INPUT,
                         "--parabolas takes an odd number of frames, with a middle between two others; "
                         "there are %zu",
                         frames);
    if (settings.parabolas && settings.thicken)
        return tool_fail(TOC_BAD_INPUT, "--thicken takes straight paths; leave out --parabolas");
    return TOC_OK;
}

static toc_status check_run(int count, char **paths) {
    if (count == 0)
        return tool_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
    check_session all = {0};
    toc_status status = check_outputs();
    if (status != TOC_OK) return status;
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    status = toc_sequence_open((size_t)count, (const char *const *)paths, &options, &all.frames);
    if (status != TOC_OK) return status;
    if (settings.clip) status = toc_sequence_play(all.frames, settings.clip);
    if (status == TOC_OK && settings.rate > 0) status = toc_sequence_sample(all.frames, settings.rate);
    const size_t frames = toc_sequence_get_frame_count(all.frames);
    const size_t steps = settings.parabolas ? (frames - 1) / 2 : frames - 1;
    all.one_step = steps == 1 && (size_t)count == frames;
    if (status == TOC_OK) status = check_frame_count(frames, paths[0]);
    if (status == TOC_OK) status = load_first_frame(&all);
    if (status == TOC_OK) status = settings.json ? check_as_json(&all, steps) : check_as_text(&all, steps);
    toc_touching_destroy(all.touching);
    toc_scene_destroy(all.solid);
    toc_scene_destroy(all.scene);
    toc_sequence_close(all.frames);
    return status;
}

const tool_command tool_check = {
    .name = "check",
    .forms = (const char *const[]){"START END [OPTIONS]", "START MIDDLE END --parabolas [OPTIONS]",
                                   "SEQUENCE... [OPTIONS]", NULL},
    .what = "Find the contacts between two frames, or in every step of a sequence.",
    .more =
        "Frames are mesh files with the same elements. A sequence is three frames or more, a .pvd, or one file with "
        "many frames, such as a d3plot. Vertices move on straight lines from each frame to the next, or, with "
        "--parabolas, with a constant acceleration through three frames. Elements that "
        "a frame lacks, or has torn, count as removed or torn in the whole step before that frame. Shells touch within "
        "half of the thickness of both, where the file has a thickness.\n"
        "For a sequence, --contacts and --picture write one file for each step, with the number of the step before "
        "the extension: hits.csv becomes hits-0000.csv, hits-0001.csv and so on. Files hits-0000.vtp get a hits.pvd, "
        "which "
        "ParaView opens as one sequence.",
    .options =
        (const tool_option[]){
            {TOOL_CHOICE, "preset", "NAME", "the search to use (default auto)", &settings.preset, toc_preset_get_name},
            {TOOL_CHOICE, "answer", "WHICH", "report all contacts, the first, or any one (default all)",
             &settings.answer, answer_name},
            {TOOL_FILE, "contacts", "OUT", "write the contacts to a .csv, .vtp or .json", &settings.contacts, NULL},
            {TOOL_FILE, "picture", "OUT", "draw the end of the step and its contacts to a .png", &settings.picture,
             NULL},
            {TOOL_CHOICE, "up", "AXIS", "the axis that points up in the picture (default by the format)", &settings.up,
             tool_up_name},
            TOOL_OPTIONS_LOOK(settings.look),
            {TOOL_COUNT, "threads", "N", "use N threads, or all cores for 0 (default 0); does not change the answer",
             &settings.threads, NULL},
            {TOOL_CHOICE, "method", "NAME", "the elementary test (default the preset's own)", &settings.method,
             method_name},
            {TOOL_LENGTH, "tolerance", "D", "distance that the method may take for touching (default 0)",
             &settings.tolerance, NULL},
            {TOOL_LENGTH, "separation", "D", "distance that counts as contact, beside the thickness (default 0)",
             &settings.separation, NULL},
            {TOOL_ON, "thin", NULL, "leave out the thickness of shells", &settings.thin, NULL},
            {TOOL_ON, "thicken", NULL, "make shells with a thickness solid: wedges and hexes", &settings.thicken, NULL},
            {TOOL_ON, "parabolas", NULL,
             "take each second frame for the middle of a step, on paths with an acceleration", &settings.parabolas,
             NULL},
            TOOL_OPTION_CLIP(&settings.clip),
            {TOOL_LENGTH, "rate", "N", "sample animations at N frames a second (default 30)", &settings.rate, NULL},
            {TOOL_ON, "exact", NULL, "decide undecided pairs in exact arithmetic (default)", &settings.exact, NULL},
            {TOOL_OFF, "no-exact", NULL, "report undecided pairs as contacts", &settings.exact, NULL},
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL, "also find crossing faces and overlapping volume elements at the start",
             &settings.extras.overlaps, NULL},
            {TOOL_LENGTH, "near", "D", "also find feature pairs within distance D at the start", &settings.extras.near,
             NULL},
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
            TOOL_OPTION_MEMORY(&settings.memory),
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = check_run,
};
