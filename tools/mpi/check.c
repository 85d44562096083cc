// SPDX-License-Identifier: Apache-2.0
// toccata-mpi check: the contacts of one step, or of every step of a sequence, on many ranks.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mpi/deal.h"
#include "tools/mpi/pieces.h"
#include "tools/mpi/together.h"
#include "tools/obstacles.h"
#include "tools/options.h"

static struct {
    const char *preset, *answer, *method, *contacts;
    size_t threads;
    double separation, near;
    uint64_t memory;
    bool surface, thin, overlaps, safe_step, json;
    tool_files with;
    tool_part_filter filter;
} settings = {.answer = "all", .near = -1, .threads = 1};

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
    uint64_t overlaps, near;
    double safe_step;
} check_extras;

typedef struct check_run {
    toc_sequence *frames;     // on rank 0, unless each rank reads its own
    where where;              // likewise: the scene and its parts
    tool_obstacles obstacles; // likewise
    pieces own;               // of partitioned files
    bool is_partitioned;
    toc_mpi_scene *scene;
    deal *dealt; // of each body
    size_t bodies;
    bool one_step;
    cJSON *json, *steps; // on rank 0
    uint64_t contacts, touching_steps;
} check_run;

// ---- reading

// A body of the file, on rank 0.
static const toc_mesh *mesh_here(const check_run *run, size_t body) {
    return run->where.scene ? toc_scene_get_mesh(run->where.scene, (uint32_t)body) : NULL;
}

static bool is_dealt(const check_run *run) {
    bool same = run->scene != NULL;
    for (size_t b = 0; b < run->bodies && same && run->where.scene; b++)
        same = toc_mesh_get_revision(mesh_here(run, b)) == run->dealt[b].revision;
    return same;
}

static void forget_deal(check_run *run) {
    toc_mpi_scene_destroy(run->scene);
    run->scene = NULL;
    for (size_t b = 0; b < run->bodies && run->dealt; b++) deal_free(&run->dealt[b]);
    free(run->dealt);
    run->dealt = NULL;
}

static toc_status deal_bodies(check_run *run) {
    forget_deal(run);
    run->bodies = (size_t)team_share(run->where.scene ? toc_scene_get_body_count(run->where.scene) : 0);
    run->dealt = calloc(run->bodies, sizeof *run->dealt);
    toc_status status = team_agree(run->dealt ? TOC_OK : team_fail(TOC_OUT_OF_MEMORY, "out of memory"));
    if (status == TOC_OK) status = toc_mpi_scene_create(MPI_COMM_WORLD, NULL, &run->scene);
    for (size_t b = 0; b < run->bodies && status == TOC_OK; b++)
        status = deal_mesh(mesh_here(run, b), run->scene, &run->dealt[b]);
    return status;
}

static bool selects_parts(void) {
    const tool_part_filter *f = &settings.filter;
    return f->no_self || f->parts.count + f->between.count + f->ignore.count > 0;
}

// The bodies of the current step, on all ranks: dealt anew where their topology has changed.
static toc_status hand_in(check_run *run) {
    const bool anew = !team_share(is_dealt(run));
    toc_status status = anew ? deal_bodies(run) : TOC_OK;
    if (status == TOC_OK && selects_parts()) status = where_apply(&run->where, run->scene, anew);
    for (size_t b = 0; b < run->bodies && status == TOC_OK; b++)
        status = deal_motion(mesh_here(run, b), run->scene, &run->dealt[b]);
    return status;
}

static toc_status advance_here(check_run *run, size_t frame) {
    toc_scene *scene = run->where.scene;
    const toc_status status = toc_sequence_advance(run->frames, frame, toc_scene_edit_mesh(scene, 0));
    run->where.start = toc_sequence_get_time(run->frames, frame - 1);
    run->where.end = toc_sequence_get_time(run->frames, frame);
    return status == TOC_OK ? tool_obstacles_advance(&run->obstacles, frame, scene) : status;
}

static toc_status advance(check_run *run, size_t frame) {
    if (run->is_partitioned) return pieces_advance(&run->own, frame, &run->scene);
    const toc_status status = team_agree(run->frames ? advance_here(run, frame) : TOC_OK);
    return status == TOC_OK ? hand_in(run) : status;
}

static toc_status open_here(check_run *run, int count, char **paths) {
    toc_read_options options = toc_read_options_default();
    toc_mesh *mesh = NULL;
    options.memory = settings.memory;
    if (team_rank() != 0) return TOC_OK;
    toc_status status = toc_sequence_open((size_t)count, (const char *const *)paths, &options, &run->frames);
    if (status == TOC_OK) status = toc_sequence_read_first(run->frames, &mesh);
    if (status == TOC_OK) status = where_open(toc_sequence_get_path(run->frames, 0), mesh, &run->where);
    if (status != TOC_OK) return status;
    const size_t frames = toc_sequence_get_frame_count(run->frames);
    status =
        tool_obstacles_open(&run->obstacles, &settings.with, &options, frames, run->where.scene, run->where.places);
    return status == TOC_OK ? tool_places_select(run->where.places, &settings.filter) : status;
}

// Rank 0 knows the parts of the files that it reads, and no others. It can read a .pvtu as a whole.
static bool needs_whole(void) { return settings.with.count > 0 || selects_parts(); }

static toc_status check_partitioned(void) {
    if (!needs_whole()) return TOC_OK;
    return team_fail(TOC_BAD_INPUT,
                     "--with, --parts, --between, --ignore and --no-self take files that are not decomposed");
}

static toc_status open_frames(check_run *run, int count, char **paths, size_t *frames) {
    run->is_partitioned = pieces_are(count, paths) && !(needs_whole() && tool_path_ends(paths[0], ".pvtu"));
    if (run->is_partitioned && check_partitioned() != TOC_OK) return TOC_BAD_INPUT;
    toc_status status =
        run->is_partitioned ? pieces_open(count, paths, settings.memory, &run->own) : open_here(run, count, paths);
    status = team_agree(status);
    if (status != TOC_OK) return status;
    *frames = run->is_partitioned ? run->own.frame_count : team_share(toc_sequence_get_frame_count(run->frames));
    if (*frames < 2) return team_fail(TOC_BAD_INPUT, "%s: only one frame; check needs two or more", paths[0]);
    return TOC_OK;
}

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
    if (settings.near >= 0) fprintf(out, "near      %llu at the start\n", (unsigned long long)extras->near);
    if (settings.safe_step) fprintf(out, "safe step %s\n", tool_double_text(extras->safe_step));
}

static void add_extras(cJSON *object, const check_extras *extras) {
    if (settings.overlaps) tool_json_count(object, "overlaps", extras->overlaps);
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
    add_extras(object, extras);
    add_reports(object, all, team_size());
    if (!run->one_step) cJSON_AddItemToArray(run->steps, object);
}

static void tell_text(check_run *run, size_t step, const toc_mpi_contacts *contacts, const check_extras *extras,
                      const toc_mpi_report *all) {
    FILE *out = tool_output();
    if (run->one_step) {
        print_report(out, all, team_size());
        fprintf(out, "\ncontacts  %llu\n", (unsigned long long)contacts->total);
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
    run->touching_steps += contacts->total > 0;
    if (status == TOC_OK && team_rank() == 0) (settings.json ? tell_json : tell_text)(run, step, contacts, extras, all);
    free(all);
    return status;
}

// ---- steps

static toc_status write_contacts(const check_run *run, size_t step, const toc_mpi_contacts *contacts) {
    char *numbered = NULL;
    if (!settings.contacts) return TOC_OK;
    const where *w = run->is_partitioned ? NULL : &run->where;
    const pieces *p = run->is_partitioned ? &run->own : NULL;
    if (run->one_step) return together_write(settings.contacts, run->scene, contacts, w, p);
    toc_status status = team_agree(tool_path_number(settings.contacts, step, &numbered));
    if (status == TOC_OK) status = together_write(numbered, run->scene, contacts, w, p);
    free(numbered);
    return status;
}

static toc_status find_extras(toc_mpi_scene *scene, const toc_query *query, check_extras *out) {
    toc_status status = TOC_OK;
    toc_mpi_overlaps *overlaps = NULL;
    toc_mpi_near *near = NULL;
    if (settings.overlaps) status = toc_mpi_scene_find_overlaps(scene, query, TOC_AT_START, &overlaps);
    if (overlaps) out->overlaps = overlaps->total;
    toc_mpi_overlaps_destroy(overlaps);
    if (status == TOC_OK && settings.near >= 0)
        status = toc_mpi_scene_find_near(scene, query, TOC_AT_START, settings.near, &near);
    if (near) out->near = near->total;
    toc_mpi_near_destroy(near);
    if (status == TOC_OK && settings.safe_step) status = toc_mpi_scene_find_safe_step(scene, query, &out->safe_step);
    return status;
}

static toc_status check_step(check_run *run, const toc_query *query, size_t step) {
    toc_mpi_contacts *contacts;
    check_extras extras = {0};
    toc_status status = advance(run, step + 1);
    if (status == TOC_OK) status = toc_mpi_scene_find_contacts(run->scene, query, &contacts);
    if (status != TOC_OK) return status;
    status = find_extras(run->scene, query, &extras);
    if (status == TOC_OK) status = write_contacts(run, step, contacts);
    if (status == TOC_OK) status = tell(run, step, contacts, &extras);
    toc_mpi_contacts_destroy(contacts);
    return status;
}

static toc_status check_steps(check_run *run, size_t steps) {
    const toc_query query = make_query();
    const bool text = team_rank() == 0 && !settings.json && !run->one_step;
    toc_status status = TOC_OK;
    if (text) fprintf(tool_output(), "%6s %10s %10s %8s  %s\n", "step", "contacts", "ms", "balance", "first");
    for (size_t step = 0; step < steps && status == TOC_OK; step++) status = check_step(run, &query, step);
    if (text && status == TOC_OK)
        fprintf(tool_output(), "\n%llu contacts in %llu of %zu steps\n", (unsigned long long)run->contacts,
                (unsigned long long)run->touching_steps, steps);
    return status;
}

static toc_status run_steps(check_run *run, size_t steps) {
    if (settings.json && team_rank() == 0) {
        run->json = tool_json_start();
        if (!run->one_step) run->steps = cJSON_AddArrayToObject(run->json, "steps");
    }
    const toc_status status = check_steps(run, steps);
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

static toc_status check_main(int count, char **paths) {
    check_run run = {0};
    size_t frames = 0;
    if (count == 0)
        return team_fail(TOC_BAD_INPUT, "check needs two frames or more, or one file with several frames; none given");
    toc_status status = check_output_name();
    if (status == TOC_OK) status = open_frames(&run, count, paths, &frames);
    run.one_step = frames == 2 && count == 2;
    if (status == TOC_OK) status = run_steps(&run, frames - 1);
    forget_deal(&run);
    pieces_close(&run.own);
    tool_obstacles_close(&run.obstacles);
    where_close(&run.where);
    toc_sequence_close(run.frames);
    return status;
}

const tool_command tool_check = {
    .name = "check",
    .forms = (const char *const[]){"START END [OPTIONS]", "SEQUENCE... [OPTIONS]", NULL},
    .what = "Find the contacts between two frames, or in every step of a sequence, on many ranks.",
    .more =
        "Files and contacts are those of toccata check, and the contacts are the same bytes for any number of ranks. "
        "Rank 0 reads single files and deals them. A decomposed Exodus file, given by one of its parts (name.e.4.0), "
        "is "
        "read by the ranks, each its share of the parts; ids are then the numbers of the file less 1.\n"
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
            {TOOL_COUNT, "threads", "N", "use N threads on each rank, or all cores for 0 (default 1)",
             &settings.threads, NULL},
            {TOOL_CHOICE, "method", "NAME", "the elementary test: certified or exact (default the preset's own)",
             &settings.method, tool_method_name},
            {TOOL_LENGTH, "separation", "D", "distance that counts as contact, beside the thickness (default 0)",
             &settings.separation, NULL},
            {TOOL_ON, "thin", NULL, "leave out the thickness of shells", &settings.thin, NULL},
            {TOOL_ON, "surface", NULL, "search only the surface of volumes", &settings.surface, NULL},
            {TOOL_ON, "overlaps", NULL, "also count crossing faces at the start", &settings.overlaps, NULL},
            {TOOL_LENGTH, "near", "D", "also count feature pairs within distance D at the start", &settings.near, NULL},
            {TOOL_ON, "safe-step", NULL, "also find the largest part of the step without a contact",
             &settings.safe_step, NULL},
            TOOL_OPTION_MEMORY(&settings.memory),
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = check_main,
};
