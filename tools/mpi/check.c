// SPDX-License-Identifier: Apache-2.0
// toccata-mpi check: the contacts of one step, or of every step of a sequence, on many ranks.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/listing.h"
#include "tools/mpi/bodies.h"
#include "tools/mpi/together.h"
#include "tools/options.h"

static struct {
    const char *preset, *answer, *method, *contacts, *clip;
    size_t threads;
    double separation, near, dt, rate;
    uint64_t memory;
    bool surface, thin, overlaps, safe_step, in_step, parabolas, velocities, json, fail_on_contact;
    tool_files with;
    tool_part_filter filter;
} settings = {.answer = "all", .near = -1, .dt = -1, .threads = 1};

static toc_query make_query(void) {
    toc_query query = toc_query_default();
    if (settings.preset) query.preset = settings.preset;
    if (settings.method) query.test.method = (toc_method)tool_names_find(tool_method_name, settings.method);
    query.answer = (toc_answer)tool_names_find(tool_answer_name, settings.answer);
    query.test.separation = settings.separation;
    query.thin = settings.thin;
    query.surface_only = settings.surface;
    query.threads = (int)settings.threads;
    return query;
}

// Results beside the contacts, of all ranks.
typedef struct check_extras {
    uint64_t overlaps, elements, near;
    double safe_step;
    uint64_t kinds[3]; // contacts by toc_kind, then undecided ones
} check_extras;

typedef struct check_run {
    rank_bodies bodies;
    bool one_step;
    cJSON *json, *steps; // on rank 0
    double *starts;      // times of the steps so far
    uint64_t contacts, touching_steps, found;
} check_run;

// ---- telling

static void print_report(FILE *out, const toc_mpi_report *all, int ranks) {
    fprintf(out, "\n%6s %12s %12s %10s %14s %14s %8s %10s %10s\n", "rank", "elements", "searched", "ghosts",
            "bytes sent", "pairs", "rounds", "search ms", "ms");
    for (int r = 0; r < ranks; r++)
        fprintf(out, "%6d %12llu %12llu %10llu %14llu %14llu %8llu %10.3f %10.3f\n", r,
                (unsigned long long)all[r].elements, (unsigned long long)all[r].searched,
                (unsigned long long)all[r].ghosts, (unsigned long long)all[r].bytes, (unsigned long long)all[r].pairs,
                (unsigned long long)all[r].rounds, 1e3 * all[r].local_seconds, 1e3 * all[r].seconds);
    fprintf(out, "balance   %.3f\n", all[0].balance);
}

static void print_extras(FILE *out, const check_extras *extras) {
    if (settings.overlaps) fprintf(out, "overlaps  %llu at the start\n", (unsigned long long)extras->overlaps);
    if (settings.overlaps && extras->elements)
        fprintf(out, "elements  %llu pairs overlap at the start\n", (unsigned long long)extras->elements);
    if (settings.near >= 0)
        fprintf(out, "near      %llu %s\n", (unsigned long long)extras->near,
                settings.in_step ? "in the step" : "at the start");
    if (settings.safe_step) fprintf(out, "safe step %s\n", tool_double_text(extras->safe_step));
}

static void add_extras(cJSON *object, const check_extras *extras) {
    if (settings.overlaps) tool_json_count(object, "overlaps", extras->overlaps);
    if (settings.overlaps) tool_json_count(object, "element_overlaps", extras->elements);
    if (settings.near >= 0) tool_json_count(object, "near", extras->near);
    if (settings.safe_step) tool_json_double(object, "safe_step", extras->safe_step);
}

static void add_reports(cJSON *object, const toc_mpi_report *all, int ranks) {
    tool_json_double(object, "balance", all[0].balance);
    cJSON *list = cJSON_AddArrayToObject(object, "ranks");
    for (int r = 0; r < ranks; r++) {
        cJSON *rank = cJSON_CreateObject();
        tool_json_count(rank, "elements", all[r].elements);
        tool_json_count(rank, "searched", all[r].searched);
        tool_json_count(rank, "ghosts", all[r].ghosts);
        tool_json_count(rank, "bytes", all[r].bytes);
        tool_json_count(rank, "pairs", all[r].pairs);
        tool_json_count(rank, "rounds", all[r].rounds);
        tool_json_double(rank, "search_ms", 1e3 * all[r].local_seconds);
        tool_json_double(rank, "ms", 1e3 * all[r].seconds);
        cJSON_AddItemToArray(list, rank);
    }
}

static void add_step(cJSON *object, const check_run *run, size_t step, const toc_mpi_contacts *contacts,
                     const check_extras *extras) {
    const rank_bodies *bodies = &run->bodies;
    const size_t last = bodies->files[0].frame_count - 1, end = tool_paths_frame(&bodies->paths, step + 1);
    const toc_sequence *frames = bodies->files[0].frames;
    tool_json_count(object, "vf", extras->kinds[TOC_VF]);
    tool_json_count(object, "ee", extras->kinds[TOC_EE]);
    tool_json_count(object, "undecided", extras->kinds[2]);
    cJSON_AddStringToObject(object, "file", toc_sequence_get_path(frames, tool_paths_frame(&bodies->paths, step)));
    cJSON_AddStringToObject(object, "end_file", toc_sequence_get_path(frames, end < last ? end : last));
    tool_json_double(object, "time", bodies->start);
    tool_json_double(object, "end_time", bodies->end);
    if (contacts->total)
        tool_json_double(object, "first_time", tool_time_between(bodies->start, bodies->end, contacts->first));
    else
        cJSON_AddNullToObject(object, "first_time");
}

static void tell_json(check_run *run, size_t step, const toc_mpi_contacts *contacts, const check_extras *extras,
                      const toc_mpi_report *all) {
    cJSON *object = run->one_step ? run->json : cJSON_CreateObject();
    if (!run->one_step) tool_json_count(object, "step", step);
    cJSON_AddStringToObject(object, "preset", settings.preset ? settings.preset : "auto");
    cJSON_AddStringToObject(object, "answer", settings.answer);
    tool_json_count(object, "contacts", contacts->total);
    if (contacts->total)
        tool_json_double(object, "first", contacts->first);
    else
        cJSON_AddNullToObject(object, "first");
    tool_json_double(object, "ms", 1e3 * contacts->report.seconds);
    add_step(object, run, step, contacts, extras);
    add_extras(object, extras);
    add_reports(object, all, team_size());
    if (!run->one_step) cJSON_AddItemToArray(run->steps, object);
}

static void tell_text(check_run *run, size_t step, const toc_mpi_contacts *contacts, const check_extras *extras,
                      const toc_mpi_report *all) {
    FILE *out = tool_output();
    if (run->one_step) {
        print_report(out, all, team_size());
        fprintf(out, "\ncontacts  %llu (%llu vertex-face, %llu edge-edge)\n", (unsigned long long)contacts->total,
                (unsigned long long)extras->kinds[TOC_VF], (unsigned long long)extras->kinds[TOC_EE]);
        if (contacts->total) fprintf(out, "first     t = %s\n", tool_double_text(contacts->first));
    } else {
        fprintf(out, "%6zu %10llu %10.3f %8.3f", step, (unsigned long long)contacts->total,
                1e3 * contacts->report.seconds, contacts->report.balance);
        if (contacts->total) fprintf(out, "  t = %s", tool_double_text(contacts->first));
        fputc('\n', out);
    }
    print_extras(out, extras);
}

static toc_status tell(check_run *run, size_t step, const toc_mpi_contacts *contacts, const check_extras *extras) {
    const int size = team_size();
    toc_mpi_report *all = calloc((size_t)size, sizeof *all);
    const toc_status status = team_agree(all ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status == TOC_OK)
        MPI_Gather(&contacts->report, (int)sizeof *all, MPI_BYTE, all, (int)sizeof *all, MPI_BYTE, 0, MPI_COMM_WORLD);
    run->contacts += contacts->total;
    run->found += contacts->total + extras->overlaps + extras->elements;
    run->touching_steps += contacts->total > 0;
    if (status == TOC_OK && team_rank() == 0) (settings.json ? tell_json : tell_text)(run, step, contacts, extras, all);
    free(all);
    return status;
}

// ---- steps

static void count_kinds(const toc_mpi_contacts *contacts, uint64_t kinds[3]) {
    for (size_t i = 0; i < contacts->count; i++) {
        kinds[contacts->contacts[i].kind]++;
        kinds[2] += contacts->contacts[i].verdict == TOC_UNDECIDED;
    }
    MPI_Allreduce(MPI_IN_PLACE, kinds, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static toc_status write_contacts(const check_run *run, size_t step, const toc_mpi_contacts *contacts) {
    const rank_step bodies = bodies_step(&run->bodies);
    char *numbered = NULL;
    if (!settings.contacts) return TOC_OK;
    if (run->one_step) return together_write(settings.contacts, run->bodies.scene, contacts, &bodies);
    toc_status status = team_agree(tool_path_number(settings.contacts, step, &numbered));
    if (status == TOC_OK) status = together_write(numbered, run->bodies.scene, contacts, &bodies);
    free(numbered);
    return status;
}

// A sequence of .vtp or .pvtp gets a .pvd with the time at which each step begins.
static toc_status list_files(const check_run *run) {
    const char *c = settings.contacts;
    const bool is_vtk = c && (tool_path_ends(c, ".vtp") || tool_path_ends(c, ".pvtp"));
    if (!is_vtk || run->one_step || run->bodies.one_frame) return TOC_OK;
    return team_agree(team_rank() == 0 ? tool_listing_write(c, run->bodies.paths.steps, run->starts) : TOC_OK);
}

// Faces that cross, and volume elements that overlap; likewise where the mesh has none of these.
static toc_status count_overlaps(toc_mpi_scene *scene, const toc_query *query, check_extras *out) {
    toc_mpi_overlaps *faces = NULL, *elements = NULL;
    toc_status status = toc_mpi_scene_find_overlaps(scene, query, TOC_AT_START, &faces);
    if (status == TOC_OK) status = toc_mpi_scene_find_element_overlaps(scene, query, TOC_AT_START, &elements);
    if (faces) out->overlaps = faces->total;
    if (elements) out->elements = elements->total;
    toc_mpi_overlaps_destroy(faces);
    toc_mpi_overlaps_destroy(elements);
    return status;
}

static toc_status find_extras(toc_mpi_scene *scene, const toc_query *query, check_extras *out) {
    toc_status status = settings.overlaps ? count_overlaps(scene, query, out) : TOC_OK;
    toc_mpi_near *near = NULL;
    if (status == TOC_OK && settings.near >= 0)
        status = settings.in_step ? toc_mpi_scene_find_near_in_step(scene, query, settings.near, &near)
                                  : toc_mpi_scene_find_near(scene, query, TOC_AT_START, settings.near, &near);
    if (near) out->near = near->total;
    toc_mpi_near_destroy(near);
    if (status == TOC_OK && settings.safe_step) status = toc_mpi_scene_find_safe_step(scene, query, &out->safe_step);
    return status;
}

static toc_status check_step(check_run *run, const toc_query *query, size_t step) {
    toc_mpi_contacts *contacts;
    check_extras extras = {0};
    toc_status status = bodies_advance(&run->bodies, step);
    run->starts[step] = run->bodies.start;
    if (status == TOC_OK) status = toc_mpi_scene_find_contacts(run->bodies.scene, query, &contacts);
    if (status != TOC_OK) return status;
    count_kinds(contacts, extras.kinds);
    status = find_extras(run->bodies.scene, query, &extras);
    if (status == TOC_OK) status = write_contacts(run, step, contacts);
    if (status == TOC_OK) status = tell(run, step, contacts, &extras);
    toc_mpi_contacts_destroy(contacts);
    return status;
}

// One frame has no contacts, but overlaps and near pairs.
static toc_status check_frame_alone(check_run *run, const toc_query *query) {
    check_extras extras = {0};
    toc_status status = bodies_advance(&run->bodies, 0);
    if (status == TOC_OK) status = find_extras(run->bodies.scene, query, &extras);
    if (status != TOC_OK) return status;
    run->found += extras.overlaps + extras.elements;
    if (run->json) add_extras(run->json, &extras);
    if (!settings.json && team_rank() == 0) print_extras(tool_output(), &extras);
    return TOC_OK;
}

static toc_status check_steps(check_run *run) {
    const toc_query query = make_query();
    const size_t steps = run->bodies.paths.steps;
    const bool text = team_rank() == 0 && !settings.json && !run->one_step && !run->bodies.one_frame;
    toc_status status = run->bodies.one_frame ? check_frame_alone(run, &query) : TOC_OK;
    if (text) fprintf(tool_output(), "%6s %10s %10s %8s  %s\n", "step", "contacts", "ms", "balance", "first");
    for (size_t step = 0; step < steps && status == TOC_OK; step++) status = check_step(run, &query, step);
    if (text && status == TOC_OK)
        fprintf(tool_output(), "\n%llu contacts in %llu of %zu steps\n", (unsigned long long)run->contacts,
                (unsigned long long)run->touching_steps, steps);
    return status == TOC_OK ? list_files(run) : status;
}

static toc_status run_steps(check_run *run) {
    run->starts = calloc(run->bodies.paths.steps + 1, sizeof *run->starts);
    toc_status status = team_agree(run->starts ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status != TOC_OK) return status;
    if (settings.json && team_rank() == 0) {
        run->json = tool_json_start();
        if (!run->one_step && !run->bodies.one_frame) run->steps = cJSON_AddArrayToObject(run->json, "steps");
    }
    status = check_steps(run);
    if (!run->json) return status;
    if (status == TOC_OK) return tool_json_print(run->json);
    cJSON_Delete(run->json);
    return status;
}

static toc_status check_output_name(void) {
    const char *c = settings.contacts;
    if (!c || tool_path_ends(c, ".csv") || tool_path_ends(c, ".json") || tool_path_ends(c, ".vtp") ||
        tool_path_ends(c, ".pvtp"))
        return TOC_OK;
    return team_fail(TOC_BAD_INPUT, "%s: unknown extension; --contacts writes .csv, .json, .vtp or .pvtp", c);
}

static toc_status check_one_frame(const rank_bodies *bodies, const char *path) {
    if (!bodies->one_frame || settings.overlaps || settings.near >= 0) return TOC_OK;
    return team_fail(TOC_BAD_INPUT, "%s: only one frame; check needs two or more, or --overlaps or --near D", path);
}

static toc_status check_settings_given(void) {
    if (settings.in_step && settings.near < 0) return team_fail(TOC_BAD_INPUT, "--in-step needs a distance: --near D");
    return check_output_name();
}

static toc_status open_bodies(int count, char **paths, rank_bodies *out) {
    return bodies_open(&(rank_bodies_wish){.frames = {(size_t)count, (const char *const *)paths, settings.memory,
                                                      settings.clip, settings.rate},
                                           .with = &settings.with,
                                           .filter = &settings.filter,
                                           .parabolas = settings.parabolas,
                                           .velocities = settings.velocities,
                                           .dt = settings.dt},
                       out);
}

static toc_status check_main(int count, char **paths) {
    check_run run = {0};
    if (count == 0)
        return team_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
    toc_status status = check_settings_given();
    if (status == TOC_OK) status = open_bodies(count, paths, &run.bodies);
    if (status == TOC_OK) status = check_one_frame(&run.bodies, paths[0]);
    run.one_step = run.bodies.paths.steps == 1 && (size_t)count == run.bodies.files[0].frame_count;
    if (status == TOC_OK) status = run_steps(&run);
    if (status == TOC_OK && settings.fail_on_contact && run.found > 0) tool_exit_with(TOOL_EXIT_FOUND);
    free(run.starts);
    bodies_close(&run.bodies);
    return status;
}

const tool_command tool_check = {
    .name = "check",
    .forms = (const char *const[]){"START END [OPTIONS]", "START MIDDLE END --parabolas [OPTIONS]",
                                   "START END --parabolas [--dt TIME]", "START --velocities --dt TIME",
                                   "SEQUENCE... [OPTIONS]", "FRAME --overlaps|--near D [OPTIONS]", NULL},
    .what = "Find the contacts between two frames, or in every step of a sequence, on many ranks.",
    .more =
        "Files and contacts are those of toccata check, and the contacts are the same bytes for any number of ranks. "
        "Rank 0 reads single files and deals them. Of a file in pieces, a .pvtu or a decomposed Exodus file (given by "
        "any of its parts, name.e.4.0), each rank reads its share.\n"
        "Run with mpirun -n RANKS toccata-mpi check ...",
    .options =
        (const tool_option[]){
            {TOOL_CHOICE, "preset", "NAME", "the search to use, a complete one (default auto)", &settings.preset,
             toc_preset_get_name},
            {TOOL_CHOICE, "answer", "WHICH", "report all contacts, the first, or any (default all)", &settings.answer,
             tool_answer_name},
            {TOOL_FILE, "contacts", "OUT", "write the contacts to one .csv, .json, .vtp, or a .pvtp",
             &settings.contacts, NULL},
            {TOOL_FILES, "with", "FILE [END]", "a further body, at rest or with its end; behind the frames",
             &settings.with, NULL},
            TOOL_OPTIONS_PARTS(&settings.filter),
            {TOOL_ON, "fail-on-contact", NULL, "exit with 4 if there is a contact or an overlap",
             &settings.fail_on_contact, NULL},
            {TOOL_COUNT, "threads", "N", "use N threads on each rank, or all cores for 0 (default 1)",
             &settings.threads, NULL},
            {TOOL_CHOICE, "method", "NAME", "the elementary test: certified or exact (default the preset's own)",
             &settings.method, tool_method_name},
            {TOOL_LENGTH, "separation", "D", "distance that counts as contact, beside the thickness (default 0)",
             &settings.separation, NULL},
            {TOOL_ON, "thin", NULL, "leave out the thickness of shells", &settings.thin, NULL},
            TOOL_OPTIONS_PATHS(settings),
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL, "also count crossing faces and overlapping volume elements at the start",
             &settings.overlaps, NULL},
            {TOOL_LENGTH, "near", "D", "also count feature pairs within distance D at the start", &settings.near, NULL},
            {TOOL_ON, "in-step", NULL, "--near at any time of the step, not at its start", &settings.in_step, NULL},
            {TOOL_ON, "safe-step", NULL, "also find the largest part of the step without a contact",
             &settings.safe_step, NULL},
            TOOL_OPTION_MEMORY(&settings.memory),
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = check_main,
};
