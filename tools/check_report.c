// SPDX-License-Identifier: Apache-2.0
// The report of toccata check, overlaps and near: text, JSON, or the stages as CSV.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "tools/check.h"
#include "tools/standard.h"

size_t check_frame(const check_session *all, size_t step) {
    assert(!all->by_frame);
    return tool_paths_frame(&all->paths, step);
}

double check_time(const check_session *all, size_t step, double fraction) {
    return tool_paths_time(&all->paths, all->frames, step, fraction);
}

// One frame that goes on at its velocity is the file of both ends.
static const char *frame_path(const check_session *all, size_t frame) {
    const size_t count = toc_sequence_get_frame_count(all->frames);
    const char *path = toc_sequence_get_path(all->frames, frame < count ? frame : count - 1);
    return path ? tool_standard_name(path) : "";
}

// The contact that counts as first; NULL if there is none.
static const toc_contact *first_of(const check_step_result *result) {
    return result->summary.count > 0 ? &result->summary.first : NULL;
}

// ---- text

// By the numbers of the file, or by ids where it has none.
static void print_features(FILE *out, toc_kind kind, const toc_place *place) {
    const int64_t *v = place->vertex_label;
    fprintf(out, kind == TOC_VF ? "vertex %lld meets face %lld %lld %lld" : "edge %lld %lld meets edge %lld %lld",
            (long long)v[0], (long long)v[1], (long long)v[2], (long long)v[3]);
}

static void print_mesh(FILE *out, const toc_mesh *mesh) {
    size_t shapes[TOC_SHAPE_COUNT] = {0};
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) shapes[toc_mesh_get_element(mesh, e).shape]++;
    fprintf(out, "%zu vertices", toc_mesh_get_vertex_count(mesh));
    for (int s = 1; s < TOC_SHAPE_COUNT; s++) {
        if (shapes[s]) fprintf(out, ", %zu %s elements", shapes[s], toc_shape_get_name((toc_shape)s));
    }
}

// One body is the mesh; several are listed with their files.
static void print_bodies(FILE *out, const check_session *all) {
    const toc_scene *scene = check_scene(all);
    const size_t count = toc_scene_get_body_count(scene);
    for (uint32_t b = 0; b < count; b++) {
        if (count == 1) {
            fputs("mesh      ", out);
        } else {
            fprintf(out, "%-9s %u: %s: ", b ? "" : "bodies", b, tool_standard_name(tool_places_file(all->places, b)));
        }
        print_mesh(out, toc_scene_get_mesh(scene, b));
        fputc('\n', out);
    }
}

// Preparation, threads that start and the ordering of results belong to no stage.
static double other_seconds(const toc_contacts *contacts) {
    double sum = 0;
    for (size_t i = 0; i < contacts->stage_count; i++) sum += contacts->stages[i].seconds;
    return contacts->seconds > sum ? contacts->seconds - sum : 0;
}

static void print_stages(FILE *out, const toc_contacts *contacts) {
    fprintf(out, "\n%-16s %14s %14s %12s\n", "stage", "in", "out", "ms");
    for (size_t i = 0; i < contacts->stage_count; i++) {
        const toc_stage *s = &contacts->stages[i];
        fprintf(out, "%-16s %14llu %14llu %12.3f\n", s->name, (unsigned long long)s->in, (unsigned long long)s->out,
                1e3 * s->seconds);
    }
    fprintf(out, "%-16s %14s %14s %12.3f\n", "preparation", "", "", 1e3 * other_seconds(contacts));
    fprintf(out, "%-16s %14s %14s %12.3f  preset %s\n", "total", "", "", 1e3 * contacts->seconds, contacts->preset);
}

// "node 4995 of element 17, Plate" by the numbers of the file.
static void print_side(FILE *out, const toc_place *place, int side, int first, int count) {
    assert(0 <= first && first < 4 && count > 0 && first + count <= 4);
    fputs(count > 1 ? "nodes" : "node", out);
    for (int k = first; k < first + count; k++) fprintf(out, " %lld", (long long)place->vertex_label[k]);
    fprintf(out, " of element %lld, %s", (long long)place->element_label[side], place->part_name[side]);
}

static void print_first_place(FILE *out, const check_session *all, const check_step_result *result,
                              const toc_contact *first) {
    const toc_place *place = &result->summary.first_place;
    const int second = first->kind == TOC_VF ? 1 : 2;
    if (!tool_places_have_labels(all->places)) return;
    fputs("\n          ", out);
    print_side(out, place, 0, 0, second);
    fputs(" - ", out);
    print_side(out, place, 1, second, 4 - second);
}

static void print_contacts(FILE *out, const check_session *all, const check_step_result *result) {
    const check_summary *s = &result->summary;
    const toc_contact *first = first_of(result);
    fprintf(out, "\ncontacts  %zu", s->count);
    if (first) fprintf(out, " (%zu vertex-face, %zu edge-edge)", s->kinds[TOC_VF], s->kinds[TOC_EE]);
    if (s->undecided) fprintf(out, ", %zu of them undecided", s->undecided);
    if (first) {
        fprintf(out, "\n%s     t = %s", all->settings->answer[1] == 'n' ? "any  " : "first",
                tool_double_text(first->toc));
        if (all->paths.timed) fprintf(out, ", time %.9g", check_time(all, result->step, first->toc));
        fputs(": ", out);
        print_features(out, first->kind, &result->summary.first_place);
        print_first_place(out, all, result, first);
    }
    fputc('\n', out);
}

static void print_extras(FILE *out, const check_session *all, const check_step_result *result) {
    tool_extras_print(out, check_scene(all), result->extras);
    if (result->overlap_parts.count && (result->extras->overlaps || result->extras->elements))
        tool_part_table_print(out, &result->overlap_parts, all->places, false);
    if (result->near_parts.count) tool_part_table_print(out, &result->near_parts, all->places, false);
}

static void print_step(FILE *out, const check_session *all, const check_step_result *result) {
    fprintf(out, "start     %s\nend       %s\n", frame_path(all, 0), frame_path(all, check_frame(all, 1)));
    print_bodies(out, all);
    if (result->contacts) {
        print_stages(out, result->contacts);
        print_contacts(out, all, result);
        tool_against_print(out, &result->against);
        tool_part_table_print(out, &result->parts, all->places, false);
    } else {
        fputc('\n', out);
    }
    print_extras(out, all, result);
}

static void print_one_frame(FILE *out, const check_session *all, const check_step_result *result) {
    fprintf(out, "frame     %s\n", frame_path(all, 0));
    print_bodies(out, all);
    fputc('\n', out);
    print_extras(out, all, result);
}

// Of a question other than contacts: the step or the frame, its time, and the numbers.
static void print_pair_row(FILE *out, const check_session *all, const check_step_result *result) {
    fprintf(out, "%6zu  %-12.9g", result->step, check_time(all, result->step, 0));
    tool_extras_print_short(out, result->extras);
    fputc('\n', out);
}

static void print_step_row(FILE *out, const check_session *all, const check_step_result *result) {
    assert(result->contacts && !all->one_step);
    const toc_contacts *contacts = result->contacts;
    const check_summary *s = &result->summary;
    const toc_contact *first = first_of(result);
    fprintf(out, "%6zu %10zu %10zu %10zu %10.3f", result->step, s->count, s->kinds[TOC_VF], s->kinds[TOC_EE],
            1e3 * contacts->seconds);
    if (first) {
        const toc_place *place = &s->first_place;
        fprintf(out, "  t = %-22s ", tool_double_text(first->toc));
        if (all->paths.timed) fprintf(out, "%-12.9g ", place->time);
        print_features(out, first->kind, place);
        if (tool_places_part_count(all->places) > 1)
            fprintf(out, " (%s - %s)", place->part_name[0], place->part_name[1]);
    }
    tool_against_print_short(out, &result->against);
    tool_extras_print_short(out, result->extras);
    fputc('\n', out);
}

// Frames are separate files, or times of one file.
static void print_frames(FILE *out, const check_session *all) {
    const size_t given = toc_sequence_get_frame_count(all->frames);
    const size_t used = all->by_frame ? given : check_frame(all, all->steps) + 1;
    const size_t count = used < given ? used : given;
    const char *first = frame_path(all, 0), *last = frame_path(all, count - 1);
    const bool one_file = strcmp(first, last) == 0;
    fprintf(out, "frames    %zu: %s", count, first);
    if (!one_file) fprintf(out, " to %s", last);
    if (one_file || all->paths.timed) {
        fprintf(out, ", time %s", tool_double_text(toc_sequence_get_time(all->frames, 0)));
        fprintf(out, " to %s",
                tool_double_text(all->by_frame ? toc_sequence_get_time(all->frames, count - 1)
                                               : check_time(all, all->steps - 1, 1)));
    }
    fputc('\n', out);
}

static void print_stages_csv(FILE *out, const check_step_result *result) {
    assert(result->contacts);
    const toc_contacts *contacts = result->contacts;
    for (size_t i = 0; i < contacts->stage_count; i++) {
        const toc_stage *s = &contacts->stages[i];
        fprintf(out, "%zu,%s,%llu,%llu,%.6f\n", result->step, s->name, (unsigned long long)s->in,
                (unsigned long long)s->out, 1e3 * s->seconds);
    }
    fprintf(out, "%zu,preparation,,,%.6f\n", result->step, 1e3 * other_seconds(contacts));
    fprintf(out, "%zu,total,,%zu,%.6f\n", result->step, result->summary.count, 1e3 * contacts->seconds);
}

// ---- JSON

static void add_integers(cJSON *object, const char *name, const int64_t *x, int count) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int k = 0; k < count; k++) cJSON_AddItemToArray(array, cJSON_CreateNumber((double)x[k]));
}

static void add_reals(cJSON *object, const char *name, const double *x, int count) {
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (int k = 0; k < count; k++) cJSON_AddItemToArray(array, cJSON_CreateRaw(tool_double_text(x[k])));
}

static void add_first_pair(cJSON *object, const toc_contact *first, const toc_place *place) {
    cJSON *pair = cJSON_AddObjectToObject(object, "first_pair");
    const int64_t v[4] = {first->v[0], first->v[1], first->v[2], first->v[3]};
    const int64_t bodies[2] = {first->body[0], first->body[1]}, elements[2] = {place->element[0], place->element[1]};
    const int64_t parts[2] = {place->part[0], place->part[1]};
    cJSON_AddStringToObject(pair, "kind", first->kind == TOC_VF ? "vf" : "ee");
    add_integers(pair, "v", v, 4);
    add_integers(pair, "bodies", bodies, 2);
    add_integers(pair, "elements", elements, 2);
    add_integers(pair, "nids", place->vertex_label, 4);
    add_integers(pair, "eids", place->element_label, 2);
    add_integers(pair, "pids", parts, 2);
    cJSON *names = cJSON_AddArrayToObject(pair, "parts");
    for (int k = 0; k < 2; k++) cJSON_AddItemToArray(names, cJSON_CreateString(place->part_name[k]));
    add_reals(pair, "point", first->point, 3);
    add_reals(pair, "normal", first->normal, 3);
}

// The files and the times of the two ends.
static void add_ends(cJSON *object, const check_session *all, size_t step) {
    assert(!all->by_frame);
    cJSON_AddStringToObject(object, "file", frame_path(all, check_frame(all, step)));
    cJSON_AddStringToObject(object, "end_file", frame_path(all, check_frame(all, step + 1)));
    tool_json_double(object, "time", check_time(all, step, 0));
    tool_json_double(object, "end_time", check_time(all, step, 1));
}

// Counts by kind, the ends of the step, and the first pair.
static void add_details(cJSON *object, const check_session *all, const check_step_result *result) {
    const check_summary *s = &result->summary;
    const toc_contact *first = first_of(result);
    tool_json_count(object, "vf", s->kinds[TOC_VF]);
    tool_json_count(object, "ee", s->kinds[TOC_EE]);
    tool_json_count(object, "undecided", s->undecided);
    add_ends(object, all, result->step);
    if (first) {
        tool_json_double(object, "first_time", check_time(all, result->step, first->toc));
        add_first_pair(object, first, &s->first_place);
    } else {
        cJSON_AddNullToObject(object, "first_time");
        cJSON_AddNullToObject(object, "first_pair");
    }
    tool_part_table_to_json(object, "part_pairs", &result->parts, all->places, false);
}

static void add_extras(cJSON *object, const check_session *all, const check_step_result *result) {
    tool_extras_to_json(object, result->extras);
    if (result->extras->overlaps)
        tool_part_table_to_json(object, "overlap_parts", &result->overlap_parts, all->places, false);
    if (result->extras->near) tool_part_table_to_json(object, "near_parts", &result->near_parts, all->places, false);
}

static cJSON *step_object(cJSON *object, const check_session *all, const check_step_result *result) {
    assert(result->contacts);
    const toc_contacts *contacts = result->contacts;
    const toc_contact *first = first_of(result);
    cJSON_AddStringToObject(object, "preset", contacts->preset);
    cJSON_AddStringToObject(object, "chosen", contacts->chosen);
    cJSON_AddStringToObject(object, "answer", all->settings->answer);
    tool_json_count(object, "contacts", result->summary.count);
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
    add_details(object, all, result);
    tool_against_to_json(object, &result->against);
    add_extras(object, all, result);
    return object;
}

static cJSON *frame_object(cJSON *object, const check_session *all, const check_step_result *result) {
    assert(all->by_frame);
    cJSON_AddStringToObject(object, "file", frame_path(all, result->step));
    tool_json_double(object, "time", toc_sequence_get_time(all->frames, result->step));
    add_extras(object, all, result);
    return object;
}

// A step or a frame.
static cJSON *result_object(cJSON *object, const check_session *all, const check_step_result *result) {
    if (all->by_frame) return frame_object(object, all, result);
    if (result->contacts) return step_object(object, all, result);
    add_ends(object, all, result->step);
    add_extras(object, all, result);
    return object;
}

static void add_bodies(const check_session *all) {
    cJSON *list = cJSON_AddArrayToObject(all->json, "bodies");
    for (uint32_t b = 0; b < tool_places_body_count(all->places); b++) {
        cJSON *body = cJSON_CreateObject(), *parts = cJSON_CreateArray();
        cJSON_AddItemToArray(list, body);
        tool_json_count(body, "body", b);
        cJSON_AddStringToObject(body, "file", tool_standard_name(tool_places_file(all->places, b)));
        cJSON_AddItemToObject(body, "parts", parts);
        for (size_t i = 0; i < tool_places_part_count(all->places); i++) {
            const tool_part *part = tool_places_part(all->places, i);
            if (part->body != b) continue;
            cJSON *object = cJSON_CreateObject();
            cJSON_AddNumberToObject(object, "pid", part->number);
            cJSON_AddStringToObject(object, "part", part->label);
            cJSON_AddItemToArray(parts, object);
        }
    }
}

// ---- all of it

static void print_head(FILE *out, const check_session *all) {
    if (all->question == CHECK_CONTACTS)
        fprintf(out, "\n%6s %10s %10s %10s %10s  %-26s %s%s\n", "step", "contacts", "vf", "ee", "ms", "first",
                all->paths.timed ? "time         " : "", "features");
    else
        fprintf(out, "\n%6s  time\n", all->by_frame ? "frame" : "step");
}

void check_report_begin(check_session *all) {
    FILE *out = tool_output();
    if (all->settings->csv) fputs("step,stage,in,out,ms\n", out);
    if (all->json && !check_is_one(all))
        all->list = cJSON_AddArrayToObject(all->json, all->by_frame ? "frames" : "steps");
    if (all->quiet || all->json || all->settings->csv || check_is_one(all)) return;
    print_frames(out, all);
    print_bodies(out, all);
    print_head(out, all);
}

static void report_json(check_session *all, const check_step_result *result) {
    assert(all->json);
    if (check_is_one(all)) {
        result_object(all->json, all, result);
        return;
    }
    cJSON *object = cJSON_CreateObject();
    tool_json_count(object, all->by_frame ? "frame" : "step", result->step);
    cJSON_AddItemToArray(all->list, result_object(object, all, result));
}

static void report_text(const check_session *all, const check_step_result *result) {
    FILE *out = tool_output();
    if (all->one_frame)
        print_one_frame(out, all, result);
    else if (all->one_step)
        print_step(out, all, result);
    else if (result->contacts)
        print_step_row(out, all, result);
    else
        print_pair_row(out, all, result);
}

void check_report_step(check_session *all, const check_step_result *result) {
    if (all->settings->csv && result->contacts)
        print_stages_csv(tool_output(), result);
    else if (all->json)
        report_json(all, result);
    else if (!all->quiet)
        report_text(all, result);
}

static void end_text(check_session *all) {
    FILE *out = tool_output();
    if (!check_is_one(all) && all->question == CHECK_CONTACTS) {
        fprintf(out, "\n%zu contacts in %zu of %zu steps\n", all->contacts, all->touching_steps,
                all->wanted.end - all->wanted.first);
        tool_against_print(out, &all->against);
        tool_part_table_print(out, &all->parts, all->places, true);
    }
    if (!check_is_one(all) && all->question != CHECK_CONTACTS) {
        fputc('\n', out);
        tool_part_table_print(out, check_pairs_of_parts(all), all->places, true);
    }
    tool_written_print(out, &all->written);
    tool_hints_print(out, &all->hints);
}

void check_report_end(check_session *all) {
    if (all->json) {
        if (!check_is_one(all) && all->question == CHECK_CONTACTS) tool_against_to_json(all->json, &all->against);
        if (!check_is_one(all))
            tool_part_table_to_json(all->json, "part_pairs", check_pairs_of_parts(all), all->places, true);
        add_bodies(all);
        tool_written_to_json(all->json, &all->written);
        tool_hints_to_json(all->json, &all->hints);
    } else if (!all->quiet && !all->settings->csv) {
        end_text(all);
    }
}
