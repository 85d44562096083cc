// SPDX-License-Identifier: Apache-2.0
// toccata-mpi check: the contacts of one step, or of every step of a sequence, on many ranks. toccata-mpi overlaps and
// toccata-mpi near: the numbers of pairs of one frame, or of the steps.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/check_options.h"
#include "tools/listing.h"
#include "tools/mpi/bodies.h"
#include "tools/mpi/together.h"
#include "tools/options.h"
#include "tools/step_table.h"
#include "tools/steps.h"
#include "tools/written.h"

// Results beside the contacts, of all ranks.
typedef struct check_extras {
    uint64_t overlaps, elements, near;
    double safe_step;
    uint64_t kinds[3]; // contacts by toc_kind, then undecided ones
} check_extras;

typedef struct check_run {
    rank_bodies bodies;
    bool one_step, wants_frame; // wants_frame: one frame alone
    tool_steps wanted;          // of the steps
    tool_step_table table;      // of the contacts, on rank 0
    bool has_table;             // on all ranks
    tool_written written;       // on rank 0
    tool_part_table parts;      // of all steps, on rank 0
    cJSON *json, *steps;        // on rank 0
    double *starts;             // times of the steps so far
    uint64_t contacts, touching_steps, found;
} check_run;

// Sentences of tools are messages here, so that ranks can agree on them.
static toc_status tell_failure(toc_status status) {
    char text[1024];
    if (status == TOC_OK) return TOC_OK;
    tool_failure_forget(text, sizeof text);
    return team_fail(status, "%s", text);
}

static bool prints_text(void) { return team_rank() == 0 && !check_given.json; }

// ---- telling

static void print_report(FILE *out, const toc_mpi_report *all, int ranks) {
    assert(all && ranks > 0);
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
    if (check_given.extras.overlaps)
        fprintf(out, "overlaps  %llu at the start\n", (unsigned long long)extras->overlaps);
    if (check_given.extras.overlaps && extras->elements)
        fprintf(out, "elements  %llu pairs overlap at the start\n", (unsigned long long)extras->elements);
    if (check_given.extras.near >= 0)
        fprintf(out, "near      %llu %s\n", (unsigned long long)extras->near,
                check_given.extras.in_step ? "in the step" : "at the start");
    if (check_given.extras.safe_step) fprintf(out, "safe step %s\n", tool_double_text(extras->safe_step));
}

static void add_extras(cJSON *object, const check_extras *extras) {
    if (check_given.extras.overlaps) tool_json_count(object, "overlaps", extras->overlaps);
    if (check_given.extras.overlaps) tool_json_count(object, "element_overlaps", extras->elements);
    if (check_given.extras.near >= 0) tool_json_count(object, "near", extras->near);
    if (check_given.extras.safe_step) tool_json_double(object, "safe_step", extras->safe_step);
}

static void add_reports(cJSON *object, const toc_mpi_report *all, int ranks) {
    assert(all && ranks > 0);
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
    cJSON_AddStringToObject(object, "preset", check_given.preset ? check_given.preset : "auto");
    cJSON_AddStringToObject(object, "answer", check_given.answer);
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
    if (status == TOC_OK && team_rank() == 0)
        (check_given.json ? tell_json : tell_text)(run, step, contacts, extras, all);
    free(all);
    return status;
}

static void count_kinds(const toc_mpi_contacts *contacts, uint64_t kinds[3]) {
    for (size_t i = 0; i < contacts->count; i++) {
        kinds[contacts->contacts[i].kind]++;
        kinds[2] += contacts->contacts[i].verdict == TOC_UNDECIDED;
    }
    MPI_Allreduce(MPI_IN_PLACE, kinds, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

// ---- files

// The name of a file that only rank 0 chooses.
static toc_status share_name(toc_status status, const char *name, char out[TOC_PATH_MOST]) {
    if (team_rank() == 0 && status == TOC_OK && snprintf(out, TOC_PATH_MOST, "%s", name) >= TOC_PATH_MOST)
        status = team_fail(TOC_BAD_INPUT, "%.200s: the path is too long", name);
    TOC_TRY(team_agree(status));
    team_share_bytes(out, TOC_PATH_MOST);
    return TOC_OK;
}

static toc_status open_table(check_run *run) {
    const char *c = check_given.contacts;
    run->has_table = c && !run->one_step && !run->bodies.one_frame && tool_step_table_fits(c);
    if (!run->has_table) return TOC_OK;
    return team_agree(tell_failure(team_rank() == 0 ? tool_step_table_open(c, "step", &run->table) : TOC_OK));
}

static toc_status close_table(check_run *run, toc_status status) {
    if (!run->has_table || team_rank() > 0) return team_agree(status);
    status = tell_failure(tool_step_table_close(&run->table, status));
    if (status == TOC_OK) status = tool_written_add(&run->written, check_given.contacts, check_given.contacts);
    return team_agree(status);
}

static toc_status write_rows(check_run *run, size_t step, const toc_mpi_contacts *contacts, const rank_step *bodies) {
    char rows[TOC_PATH_MOST] = "";
    TOC_TRY(share_name(TOC_OK, run->table.rows, rows));
    TOC_TRY(together_write(rows, run->bodies.scene, contacts, bodies));
    return team_agree(tell_failure(team_rank() == 0 ? tool_step_table_add(&run->table, step) : TOC_OK));
}

static toc_status write_file(check_run *run, const char *name, const toc_mpi_contacts *contacts,
                             const rank_step *bodies) {
    TOC_TRY(together_write(name, run->bodies.scene, contacts, bodies));
    return team_agree(team_rank() == 0 ? tool_written_add(&run->written, check_given.contacts, name) : TOC_OK);
}

static toc_status write_contacts(check_run *run, size_t step, const toc_mpi_contacts *contacts) {
    const rank_step bodies = bodies_step(&run->bodies);
    const char *path = check_given.contacts;
    char *numbered = NULL;
    if (!path) return TOC_OK;
    if (run->has_table) return write_rows(run, step, contacts, &bodies);
    if (run->one_step && !tool_path_has_number(path)) return write_file(run, path, contacts, &bodies);
    toc_status status = team_agree(tool_path_number(path, step, &numbered));
    if (status == TOC_OK) status = write_file(run, numbered, contacts, &bodies);
    free(numbered);
    return status;
}

static toc_status write_listing(check_run *run) {
    const tool_steps *w = &run->wanted;
    char *name = NULL;
    toc_status status =
        tool_listing_write(check_given.contacts, w->first, w->end - w->first, run->starts + w->first, &name);
    if (status == TOC_OK) status = tool_written_add(&run->written, ".pvd", name);
    free(name);
    return status;
}

// A sequence of .vtp or .pvtp gets a .pvd with the time at which each step begins.
static toc_status list_files(check_run *run) {
    const char *c = check_given.contacts;
    const bool is_vtk = c && (tool_path_ends(c, ".vtp") || tool_path_ends(c, ".pvtp"));
    if (!is_vtk || run->one_step || run->bodies.one_frame) return TOC_OK;
    return team_agree(team_rank() == 0 ? write_listing(run) : TOC_OK);
}

static toc_status write_parts(check_run *run) {
    const char *path = check_given.parts_out;
    toc_status status = TOC_OK;
    if (!path) return TOC_OK;
    if (team_rank() == 0) {
        tool_part_table_sort(&run->parts);
        status = tell_failure(tool_part_table_write(path, &run->parts, run->bodies.where.places));
        if (status == TOC_OK) status = tool_written_add(&run->written, path, path);
    }
    return team_agree(status);
}

// ---- questions

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
    toc_status status = check_given.extras.overlaps ? count_overlaps(scene, query, out) : TOC_OK;
    toc_mpi_near *near = NULL;
    if (status == TOC_OK && check_given.extras.near >= 0) {
        toc_near_query asked = toc_near_query_default();
        asked.distance = check_given.extras.near;
        if (check_given.extras.in_step) asked.time = TOC_NEAR_IN_STEP;
        status = toc_mpi_scene_find_near(scene, query, &asked, &near);
    }
    if (near) out->near = near->total;
    toc_mpi_near_destroy(near);
    if (status == TOC_OK && check_given.extras.safe_step)
        status = toc_mpi_scene_find_safe_step(scene, query, &out->safe_step);
    return status;
}

static toc_status check_step(check_run *run, const toc_query *query, size_t step) {
    assert(step < run->bodies.paths.steps);
    toc_mpi_contacts *contacts;
    check_extras extras = {0};
    toc_status status = bodies_advance(&run->bodies, step);
    run->starts[step] = run->bodies.start;
    if (status == TOC_OK) status = toc_mpi_scene_find_contacts(run->bodies.scene, query, &contacts);
    if (status != TOC_OK) return status;
    count_kinds(contacts, extras.kinds);
    status = find_extras(run->bodies.scene, query, &extras);
    if (status == TOC_OK) status = write_contacts(run, step, contacts);
    if (status == TOC_OK && check_given.parts_out) {
        const rank_step bodies = bodies_step(&run->bodies);
        status = together_count_parts(contacts, &bodies, step, &run->parts);
    }
    if (status == TOC_OK) status = tell(run, step, contacts, &extras);
    toc_mpi_contacts_destroy(contacts);
    return status;
}

// One frame has no contacts, but overlaps and near pairs.
static toc_status check_frame_alone(check_run *run, const toc_query *query) {
    assert(run->bodies.one_frame);
    check_extras extras = {0};
    TOC_TRY(bodies_advance(&run->bodies, 0));
    TOC_TRY(find_extras(run->bodies.scene, query, &extras));
    run->found += extras.overlaps + extras.elements;
    if (run->json) add_extras(run->json, &extras);
    if (!check_given.json && team_rank() == 0) print_extras(tool_output(), &extras);
    return TOC_OK;
}

static toc_status skip_steps(check_run *run) {
    for (size_t step = 0; step < run->wanted.first; step++) TOC_TRY(bodies_advance(&run->bodies, step));
    return TOC_OK;
}

static toc_status check_all_steps(check_run *run, const toc_query *query) {
    toc_status status = skip_steps(run);
    for (size_t step = run->wanted.first; step < run->wanted.end && status == TOC_OK; step++) {
        status = check_step(run, query, step);
        if (status == TOC_OK && prints_text() && !run->one_step) status = tell_failure(tool_output_flush());
        status = team_agree(status);
    }
    return status;
}

static toc_status check_steps(check_run *run) {
    toc_query query = check_query(&check_given, 1);
    query.memory_limit = 0; // --memory is that of reading
    if (run->bodies.one_frame) return check_frame_alone(run, &query);
    toc_status status = open_table(run);
    if (status == TOC_OK) status = check_all_steps(run, &query);
    status = close_table(run, status);
    if (status == TOC_OK) status = list_files(run);
    return status == TOC_OK ? write_parts(run) : status;
}

static void begin_text(const check_run *run) {
    if (!prints_text() || run->one_step || run->bodies.one_frame) return;
    fprintf(tool_output(), "%6s %10s %10s %8s  %s\n", "step", "contacts", "ms", "balance", "first");
}

static void end_report(const check_run *run) {
    if (run->json) tool_written_to_json(run->json, &run->written);
    if (!prints_text()) return;
    if (!run->one_step && !run->bodies.one_frame)
        fprintf(tool_output(), "\n%llu contacts in %llu of %zu steps\n", (unsigned long long)run->contacts,
                (unsigned long long)run->touching_steps, run->wanted.end - run->wanted.first);
    tool_written_print(tool_output(), &run->written);
}

static toc_status run_steps(check_run *run) {
    run->starts = calloc(run->bodies.paths.steps + 1, sizeof *run->starts);
    toc_status status = team_agree(run->starts ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status != TOC_OK) return status;
    if (check_given.json && team_rank() == 0) {
        run->json = tool_json_start();
        if (!run->one_step && !run->bodies.one_frame) run->steps = cJSON_AddArrayToObject(run->json, "steps");
    }
    begin_text(run);
    status = check_steps(run);
    if (status == TOC_OK) end_report(run);
    if (!run->json) return status;
    if (status == TOC_OK) return tool_json_print(run->json);
    cJSON_Delete(run->json);
    return status;
}

static toc_status check_output_name(void) {
    const char *c = check_given.contacts;
    if (!c || tool_path_ends(c, ".csv") || tool_path_ends(c, ".json") || tool_path_ends(c, ".vtp") ||
        tool_path_ends(c, ".pvtp"))
        return TOC_OK;
    return team_fail(TOC_BAD_INPUT, "%s: unknown extension; --contacts writes .csv, .json, .vtp or .pvtp", c);
}

static toc_status check_one_frame(const rank_bodies *bodies, const char *path) {
    if (!bodies->one_frame || check_given.extras.overlaps || check_given.extras.near >= 0) return TOC_OK;
    return team_fail(TOC_BAD_INPUT,
                     "%s: only one frame; check needs two or more; toccata-mpi overlaps and near take one", path);
}

static toc_status check_settings_given(void) {
    if (check_given.extras.in_step && check_given.extras.near < 0)
        return team_fail(TOC_BAD_INPUT, "--in-step needs a distance: --near D");
    TOC_TRY(tell_failure(tool_part_table_check(check_given.parts_out)));
    return check_output_name();
}

static toc_status open_bodies(int count, char **paths, rank_bodies *out) {
    return bodies_open(&(rank_bodies_wish){.frames = {(size_t)count, (const char *const *)paths, check_given.memory,
                                                      check_given.clip, check_given.rate},
                                           .with = &check_given.with,
                                           .filter = &check_given.filter,
                                           .parabolas = check_given.parabolas,
                                           .velocities = check_given.velocities,
                                           .dt = check_given.dt},
                       out);
}

static toc_status open_and_run(check_run *run, int count, char **paths) {
    TOC_TRY(check_settings_given());
    TOC_TRY(open_bodies(count, paths, &run->bodies));
    TOC_TRY(check_one_frame(&run->bodies, paths[0]));
    if (run->wants_frame && !run->bodies.one_frame)
        return team_fail(TOC_BAD_INPUT, "%s: has several frames; toccata-mpi overlaps and near take one", paths[0]);
    run->one_step = run->bodies.paths.steps == 1 && (size_t)count == run->bodies.files[0].frame_count;
    TOC_TRY(tell_failure(tool_steps_read(check_given.steps, run->bodies.paths.steps, "steps", &run->wanted)));
    TOC_TRY(run_steps(run));
    if (check_given.fail_on_contact && run->found > 0) tool_exit_with(TOOL_EXIT_FOUND);
    return TOC_OK;
}

static toc_status run_on_ranks(bool wants_frame, int count, char **paths) {
    assert(count > 0);
    check_run run = {.wants_frame = wants_frame};
    const toc_status status = open_and_run(&run, count, paths);
    free(run.starts);
    tool_written_free(&run.written);
    tool_part_table_free(&run.parts);
    bodies_close(&run.bodies);
    return status;
}

static toc_status check_main(int count, char **paths) {
    if (count > 0) return run_on_ranks(false, count, paths);
    return team_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
}

static toc_status overlaps_main(int count, char **paths) {
    if (count != 1) return team_fail(TOC_BAD_INPUT, "overlaps needs one frame, not %d files", count);
    check_given.extras.overlaps = true;
    return run_on_ranks(true, count, paths);
}

static toc_status near_main(int count, char **paths) {
    if (count != 1) return team_fail(TOC_BAD_INPUT, "near needs one frame, not %d files", count);
    if (check_given.extras.near < 0) return team_fail(TOC_BAD_INPUT, "near needs a distance: --distance D");
    return run_on_ranks(true, count, paths);
}

const tool_command tool_check = {
    .name = "check",
    .forms = check_forms,
    .what = "Find the contacts between two frames, or in every step of a sequence, on many ranks.",
    .more =
        "Files and contacts are those of toccata check, and the contacts are the same bytes for any number of ranks. "
        "Rank 0 reads single files and deals them. Of a file in pieces, a .pvtu or a decomposed Exodus file (given by "
        "any of its parts, name.e.4.0), each rank reads its share.\n"
        "Run with mpirun -n RANKS toccata-mpi check ...",
    .options = check_options,
    .who = TOOL_CHECK | TOOL_MPI,
    .run = check_main,
};

const tool_command tool_overlaps = {
    .name = "overlaps",
    .forms = (const char *const[]){"FRAME [OPTIONS]", NULL},
    .what = "Count crossing faces and overlapping volume elements of a frame, on many ranks.",
    .options = check_options,
    .who = TOOL_OVERLAPS | TOOL_MPI,
    .run = overlaps_main,
};

const tool_command tool_near = {
    .name = "near",
    .forms = (const char *const[]){"FRAME --distance D [OPTIONS]", NULL},
    .what = "Count the pairs of features of a frame within a distance of each other, on many ranks.",
    .options = check_options,
    .who = TOOL_NEAR | TOOL_MPI,
    .run = near_main,
};
