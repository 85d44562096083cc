// SPDX-License-Identifier: Apache-2.0
// toccata probe: the closest point of a mesh to a point, and the first hit of a segment.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/output.h"
#include "tools/standard.h"

static struct {
    tool_texts points, segments;
    size_t frame;
    const char *reach, *clip;
    uint64_t memory;
    bool surface, json;
} settings;

// The probes and their answers.
typedef struct probe_run {
    const char *path;
    double points[TOOL_MOST_TEXTS][3], segments[TOOL_MOST_TEXTS][6], reach;
    toc_scene_point closest[TOOL_MOST_TEXTS];
    uint32_t inside[TOOL_MOST_TEXTS];
    toc_segment_hit hits[TOOL_MOST_TEXTS];
} probe_run;

// ---- numbers

static bool read_coordinates(const char *text, int count, double *out) {
    assert(count > 0);
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i]) || *end != (i + 1 < count ? ',' : 0)) return false;
        text = end + 1;
    }
    return true;
}

static toc_status read_probes(probe_run *run) {
    run->reach = INFINITY;
    if (settings.points.count + settings.segments.count == 0)
        return tool_fail(TOC_BAD_INPUT, "probe needs --point X,Y,Z or --segment X,Y,Z,X,Y,Z");
    for (size_t i = 0; i < settings.points.count; i++)
        if (!read_coordinates(settings.points.at[i], 3, run->points[i]))
            return tool_fail(TOC_BAD_INPUT, "--point takes three numbers with commas between them, not \"%s\"",
                             settings.points.at[i]);
    for (size_t i = 0; i < settings.segments.count; i++)
        if (!read_coordinates(settings.segments.at[i], 6, run->segments[i]))
            return tool_fail(TOC_BAD_INPUT, "--segment takes six numbers with commas between them, not \"%s\"",
                             settings.segments.at[i]);
    if (settings.reach && (!read_coordinates(settings.reach, 1, &run->reach) || run->reach < 0))
        return tool_fail(TOC_BAD_INPUT, "--reach takes a finite number of at least 0, not \"%s\"", settings.reach);
    return TOC_OK;
}

// ---- questions

static toc_status ask_probes(toc_scene *scene, probe_run *run) {
    toc_query query = toc_query_default();
    query.surface_only = settings.surface;
    toc_probe probe = {.count = settings.points.count, .at = run->points[0], .reach = run->reach, .mask = UINT64_MAX};
    toc_status status = TOC_OK;
    if (probe.count) status = toc_scene_find_closest(scene, &query, TOC_AT_END, &probe, run->closest);
    if (status == TOC_OK && probe.count)
        status = toc_scene_find_containing(scene, &query, TOC_AT_END, &probe, run->inside);
    probe.count = settings.segments.count;
    probe.at = run->segments[0];
    if (status == TOC_OK && probe.count) status = toc_scene_find_hits(scene, &query, TOC_AT_END, &probe, run->hits);
    return status;
}

// ---- output

static int corner_count(const uint32_t v[3]) {
    int count = 1;
    while (count < 3 && v[count] != UINT32_MAX) count++;
    return count;
}

static void print_numbers(FILE *out, const char *name, int count, const double *x) {
    fprintf(out, "%s", name);
    for (int i = 0; i < count; i++) fprintf(out, "%s%s", i ? "," : " ", tool_double_text(x[i]));
}

static void print_corners(FILE *out, const uint32_t v[3], const double weights[3]) {
    fprintf(out, "  vertices");
    for (int i = 0; i < corner_count(v); i++) fprintf(out, "%s%u", i ? "," : " ", (unsigned)v[i]);
    print_numbers(out, "  weights", corner_count(v), weights);
}

static void print_closest(FILE *out, const probe_run *run, size_t i) {
    assert(run->closest);
    const toc_scene_point *c = &run->closest[i];
    print_numbers(out, "point", 3, run->points[i]);
    if (c->body == UINT32_MAX) {
        fprintf(out, "  nothing within reach");
    } else {
        fprintf(out, "  distance %s", tool_double_text(c->distance));
        print_numbers(out, "  closest", 3, c->point);
        print_corners(out, c->v, c->weights);
    }
    fprintf(out, run->inside[i] != UINT32_MAX ? "  inside\n" : "\n");
}

static void print_hit(FILE *out, const probe_run *run, size_t i) {
    assert(run->hits);
    const toc_segment_hit *h = &run->hits[i];
    print_numbers(out, "segment", 6, run->segments[i]);
    if (h->body == UINT32_MAX) {
        fprintf(out, "  no hit\n");
        return;
    }
    fprintf(out, "  hit %s", tool_double_text(h->time));
    print_numbers(out, "  at", 3, h->point);
    print_corners(out, h->v, h->weights);
    print_numbers(out, "  normal", 3, h->normal);
    fputc('\n', out);
}

static void add_numbers(cJSON *object, const char *name, int count, const double *x) {
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; i++) cJSON_AddItemToArray(list, cJSON_CreateRaw(tool_double_text(x[i])));
}

static void add_corners(cJSON *object, const uint32_t v[3], const double weights[3]) {
    cJSON *list = cJSON_AddArrayToObject(object, "vertices");
    for (int i = 0; i < corner_count(v); i++) cJSON_AddItemToArray(list, cJSON_CreateNumber(v[i]));
    add_numbers(object, "weights", corner_count(v), weights);
}

static cJSON *closest_object(const probe_run *run, size_t i) {
    const toc_scene_point *c = &run->closest[i];
    cJSON *object = cJSON_CreateObject();
    add_numbers(object, "point", 3, run->points[i]);
    tool_json_double(object, "distance", c->distance); // null where nothing is within reach
    if (c->body != UINT32_MAX) {
        add_numbers(object, "closest", 3, c->point);
        add_corners(object, c->v, c->weights);
    }
    cJSON_AddBoolToObject(object, "inside", run->inside[i] != UINT32_MAX);
    return object;
}

static cJSON *hit_object(const probe_run *run, size_t i) {
    const toc_segment_hit *h = &run->hits[i];
    cJSON *object = cJSON_CreateObject();
    add_numbers(object, "segment", 6, run->segments[i]);
    tool_json_double(object, "time", h->time); // null where nothing is hit
    if (h->body != UINT32_MAX) {
        add_numbers(object, "point", 3, h->point);
        add_corners(object, h->v, h->weights);
        add_numbers(object, "normal", 3, h->normal);
    }
    return object;
}

static toc_status tell_probes(const probe_run *run) {
    if (!settings.json) {
        for (size_t i = 0; i < settings.points.count; i++) print_closest(tool_output(), run, i);
        for (size_t i = 0; i < settings.segments.count; i++) print_hit(tool_output(), run, i);
        return TOC_OK;
    }
    cJSON *object = tool_json_start();
    cJSON_AddStringToObject(object, "file", run->path);
    tool_json_count(object, "frame", settings.frame);
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < settings.points.count; i++) cJSON_AddItemToArray(points, closest_object(run, i));
    cJSON *segments = cJSON_AddArrayToObject(object, "segments");
    for (size_t i = 0; i < settings.segments.count; i++) cJSON_AddItemToArray(segments, hit_object(run, i));
    return tool_json_print(object);
}

// ---- input

// Go on to the frame asked about: the end of the step of the mesh.
static toc_status advance_to_frame(toc_sequence *sequence, const char *path, toc_mesh *mesh) {
    const size_t frames = toc_sequence_get_frame_count(sequence);
    toc_status status = TOC_OK;
    if (settings.frame >= frames)
        return tool_fail(TOC_BAD_INPUT, "%s: there is no frame %zu; the last is %zu", path, settings.frame, frames - 1);
    for (size_t i = 1; i <= settings.frame && status == TOC_OK; i++) status = toc_sequence_advance(sequence, i, mesh);
    return status;
}

static toc_status probe_sequence(toc_sequence *sequence, probe_run *run) {
    toc_mesh *mesh;
    toc_scene *scene;
    toc_status status = settings.clip ? toc_sequence_play(sequence, settings.clip) : TOC_OK;
    if (status == TOC_OK) status = toc_sequence_read_first(sequence, &mesh);
    if (status != TOC_OK) return status;
    status = advance_to_frame(sequence, run->path, mesh);
    if (status == TOC_OK) status = toc_scene_create(NULL, &scene);
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return status;
    }
    status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    if (status == TOC_OK) status = ask_probes(scene, run);
    if (status == TOC_OK) status = tell_probes(run);
    toc_scene_destroy(scene);
    return status;
}

static toc_status probe_file(int count, char **paths) {
    static probe_run run;
    toc_sequence *sequence;
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    toc_status status = read_probes(&run);
    if (status == TOC_OK) status = tool_standard_input(count, paths);
    if (status == TOC_OK) status = toc_sequence_open((size_t)count, (const char *const *)paths, &options, &sequence);
    if (status != TOC_OK) return status;
    run.path = tool_standard_name(paths[0]);
    status = probe_sequence(sequence, &run);
    toc_sequence_close(sequence);
    return status;
}

static toc_status probe_start(int count, char **paths) {
    if (count == 0) return tool_fail(TOC_BAD_INPUT, "probe needs a file; none given");
    return probe_file(count, paths);
}

const tool_command tool_probe = {
    .name = "probe",
    .forms = (const char *const[]){"FILE --point X,Y,Z [OPTIONS]", "FILE --segment X,Y,Z,X,Y,Z [OPTIONS]",
                                   "SEQUENCE... --frame N ...", NULL},
    .what = "Find the closest point of a mesh to a point, and the first hit of a segment.",
    .more =
        "Give --point and --segment as often as you like. The answer names the vertices of the face, by their ids in "
        "the file from 0 on, and the weights of the point on it. A segment is hit at a time from 0, its start, to 1, "
        "its end; for a ray give an end beyond the mesh. A point is inside where closed surfaces wind around it.",
    .options =
        (const tool_option[]){
            {TOOL_TEXTS, "point", "X,Y,Z", "find the closest point of the mesh, and whether the point is inside",
             &settings.points, NULL},
            {TOOL_TEXTS, "segment", "X,Y,Z,X,Y,Z", "find the first hit of the segment from one point to another",
             &settings.segments, NULL},
            {TOOL_TEXT, "reach", "D", "look for closest points within this distance only", &settings.reach, NULL},
            {TOOL_COUNT, "frame", "N", "the frame of a sequence (default 0, the first)", &settings.frame, NULL},
            {TOOL_ON, "surface", NULL, "leave out faces inside of volumes", &settings.surface, NULL},
            TOOL_OPTION_CLIP(&settings.clip),
            TOOL_OPTION_MEMORY(&settings.memory),
            {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
            {0},
        },
    .run = probe_start,
};
