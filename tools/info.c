// SPDX-License-Identifier: Apache-2.0
// toccata info: describe a mesh and its defects.
#include <stdlib.h>

#include "tools/command.h"
#include "tools/output.h"
#include "tools/standard.h"

static struct {
    bool json, devices;
    uint64_t memory;
} settings;

typedef struct group_count {
    int32_t group;
    size_t elements;
} group_count;

// The description of a file.
typedef struct findings {
    const char *path;
    const toc_mesh *mesh; // the first frame
    const toc_sequence *sequence;
    size_t frames;
    toc_mesh_report report;
    group_count *groups;
    size_t group_count;
} findings;

static int compare_groups(const void *a, const void *b) {
    const int32_t x = ((const group_count *)a)->group, y = ((const group_count *)b)->group;
    return (x > y) - (x < y);
}

// The groups of the existing elements, each once. The caller frees them.
static toc_status count_groups(const toc_mesh *mesh, group_count **out, size_t *count) {
    const size_t elements = toc_mesh_get_element_count(mesh);
    group_count *groups = calloc(elements ? elements : 1, sizeof *groups);
    if (!groups) return tool_fail_memory();
    size_t used = 0;
    for (uint32_t e = 0; e < elements; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape != TOC_REMOVED) groups[used++] = (group_count){element.group, 1};
    }
    qsort(groups, used, sizeof *groups, compare_groups);
    *count = 0;
    for (size_t i = 0; i < used; i++) {
        if (*count && groups[*count - 1].group == groups[i].group) {
            groups[*count - 1].elements++;
        } else {
            groups[(*count)++] = groups[i];
        }
    }
    *out = groups;
    return TOC_OK;
}

static bool has_surface(const toc_mesh_report *r) {
    size_t faces = 0;
    for (int s = TOC_TRIANGLE; s < TOC_SHAPE_COUNT; s++) faces += r->shapes[s];
    return faces > 0;
}

static bool is_closed(const toc_mesh_report *r) { return has_surface(r) && !r->boundary_edges; }

static void print_defect(FILE *out, const char *what, size_t count, int64_t first) {
    fprintf(out, "  %-16s %zu", what, count);
    fprintf(out, count ? " (element %lld first)\n" : "\n", (long long)first);
}

static void print_groups(FILE *out, const findings *f) {
    enum { MOST = 12 };
    for (size_t i = 0; i < f->group_count && i < MOST; i++) {
        const group_count *group = &f->groups[i];
        const char *name = toc_mesh_get_group_name(f->mesh, group->group);
        if (f->group_count == 1 && group->group == 0 && !name) return; // the file has no groups
        fprintf(out, "  %-16s %d: %zu elements", i ? "" : "groups", (int)group->group, group->elements);
        fprintf(out, name ? ", %.60s\n" : "\n", name);
    }
    if (f->group_count > MOST) fprintf(out, "  %-16s and %zu more\n", "", f->group_count - MOST);
}

static void print_shapes(FILE *out, const toc_mesh_report *r) {
    fprintf(out, "  %-16s %zu", "elements", r->elements);
    for (int s = 1, shown = 0; s < TOC_SHAPE_COUNT; s++) {
        if (!r->shapes[s]) continue;
        fprintf(out, "%s %zu %s", shown++ ? "," : ":", r->shapes[s], toc_shape_get_name((toc_shape)s));
    }
    fputc('\n', out);
    if (r->higher_order) {
        fprintf(out, "  %-16s %zu cells of higher order, reduced to their corners\n", "note", r->higher_order);
    }
    if (r->skinned_vertices) {
        fprintf(out, "  %-16s %zu vertices\n", "skinned", r->skinned_vertices);
    }
}

static void print_clips(FILE *out, const toc_sequence *sequence) {
    const char *name;
    for (size_t i = 0; (name = toc_sequence_get_clip(sequence, i)); i++)
        fprintf(out, "  %-16s %s\n", i ? "" : "clips", name);
}

static void print_report(const findings *f) {
    FILE *out = tool_output();
    const toc_mesh_report *r = &f->report;
    fprintf(out, "%s\n", f->path);
    if (f->frames > 1) fprintf(out, "  %-16s %zu; the first is described here\n", "frames", f->frames);
    print_clips(out, f->sequence);
    fprintf(out, "  %-16s %zu", "vertices", r->vertices);
    fprintf(out, r->unused_vertices ? " (%zu unused)\n" : "\n", r->unused_vertices);
    print_shapes(out, r);
    print_groups(out, f);
    fprintf(out, "  %-16s [%g, %g] x [%g, %g] x [%g, %g]\n", "bounds", r->low[0], r->high[0], r->low[1], r->high[1],
            r->low[2], r->high[2]);
    fprintf(out, "  %-16s %g\n", "mean edge", r->mean_edge);
    fprintf(out, "  %-16s %s", "surface", !has_surface(r) ? "none" : is_closed(r) ? "closed" : "open");
    fprintf(out, r->boundary_edges ? " (%zu boundary edges)\n" : "\n", r->boundary_edges);
    if (r->nonmanifold_edges) fprintf(out, "  %-16s %zu edges\n", "non-manifold", r->nonmanifold_edges);
    print_defect(out, "degenerate", r->degenerate, r->first_degenerate);
    print_defect(out, "inverted", r->inverted, r->first_inverted);
    print_defect(out, "duplicate", r->duplicate, r->first_duplicate);
}

static void add_point(cJSON *object, const char *name, const double x[3]) {
    cJSON *point = cJSON_AddArrayToObject(object, name);
    for (int k = 0; k < 3; k++) cJSON_AddItemToArray(point, cJSON_CreateRaw(tool_double_text(x[k])));
}

static cJSON *group_object(const toc_mesh *mesh, const group_count *count) {
    cJSON *object = cJSON_CreateObject();
    const char *name = toc_mesh_get_group_name(mesh, count->group);
    cJSON_AddNumberToObject(object, "group", count->group);
    tool_json_count(object, "elements", count->elements);
    if (name) cJSON_AddStringToObject(object, "name", name);
    return object;
}

static cJSON *report_object(const findings *f) {
    const toc_mesh_report *r = &f->report;
    cJSON *object = tool_json_start();
    cJSON_AddStringToObject(object, "file", f->path);
    tool_json_count(object, "frames", f->frames);
    cJSON *clips = cJSON_AddArrayToObject(object, "clips");
    for (size_t i = 0; i < toc_sequence_get_clip_count(f->sequence); i++)
        cJSON_AddItemToArray(clips, cJSON_CreateString(toc_sequence_get_clip(f->sequence, i)));
    tool_json_count(object, "vertices", r->vertices);
    tool_json_count(object, "elements", r->elements);
    cJSON *shapes = cJSON_AddObjectToObject(object, "shapes");
    for (int s = 1; s < TOC_SHAPE_COUNT; s++) {
        if (r->shapes[s]) tool_json_count(shapes, toc_shape_get_name((toc_shape)s), r->shapes[s]);
    }
    cJSON *list = cJSON_AddArrayToObject(object, "groups");
    for (size_t i = 0; i < f->group_count; i++) cJSON_AddItemToArray(list, group_object(f->mesh, &f->groups[i]));
    add_point(object, "low", r->low);
    add_point(object, "high", r->high);
    tool_json_double(object, "mean_edge", r->mean_edge);
    tool_json_count(object, "unused_vertices", r->unused_vertices);
    tool_json_count(object, "higher_order", r->higher_order);
    tool_json_count(object, "skinned_vertices", r->skinned_vertices);
    tool_json_count(object, "degenerate", r->degenerate);
    tool_json_count(object, "inverted", r->inverted);
    tool_json_count(object, "duplicate", r->duplicate);
    tool_json_count(object, "boundary_edges", r->boundary_edges);
    tool_json_count(object, "nonmanifold_edges", r->nonmanifold_edges);
    cJSON_AddBoolToObject(object, "closed", is_closed(r));
    return object;
}

static toc_status info_tell(findings *f) {
    toc_status status = toc_mesh_inspect(f->mesh, &f->report);
    if (status == TOC_OK) status = count_groups(f->mesh, &f->groups, &f->group_count);
    if (status != TOC_OK) return status;
    if (settings.json) {
        status = tool_json_print(report_object(f));
    } else {
        print_report(f);
    }
    free(f->groups);
    return status;
}

static toc_status info_first_frame(const char *path, toc_sequence *sequence) {
    toc_mesh *mesh;
    toc_status status = toc_sequence_read_first(sequence, &mesh);
    if (status != TOC_OK) return status;
    findings f = {.path = path, .mesh = mesh, .sequence = sequence, .frames = toc_sequence_get_frame_count(sequence)};
    status = info_tell(&f);
    toc_mesh_destroy(mesh);
    return status;
}

static cJSON *device_object(const toc_device_info *device) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", device->name);
    tool_json_count(object, "memory", device->memory);
    tool_json_count(object, "processors", (size_t)device->processors);
    cJSON_AddNumberToObject(object, "driver", device->driver);
    return object;
}

// The devices that `check --device gpu` can use, the first of which it uses.
static toc_status list_devices(int count) {
    enum { MOST = 16 };
    toc_device_info devices[MOST];
    size_t found;
    if (count != 0) return tool_fail(TOC_BAD_INPUT, "info --devices takes no file");
    toc_status status = toc_device_list(MOST, devices, &found);
    if (status != TOC_OK) return status;
    if (settings.json) {
        cJSON *object = tool_json_start(), *list = cJSON_AddArrayToObject(object, "devices");
        for (size_t i = 0; i < found && i < MOST; i++) cJSON_AddItemToArray(list, device_object(&devices[i]));
        return tool_json_print(object);
    }
    for (size_t i = 0; i < found && i < MOST; i++)
        fprintf(tool_output(), "%s: %.1f GiB, %d processors, driver %d.%d\n", devices[i].name,
                (double)devices[i].memory * 0x1p-30, (int)devices[i].processors, (int)devices[i].driver / 1000,
                (int)devices[i].driver % 1000 / 10);
    return TOC_OK;
}

static toc_status info_run(int count, char **paths) {
    if (settings.devices) return list_devices(count);
    if (count != 1) return tool_fail(TOC_BAD_INPUT, "info needs one file, not %d", count);
    toc_sequence *sequence;
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    toc_status status = tool_standard_input(1, paths);
    if (status != TOC_OK) return status;
    status = toc_sequence_open(1, (const char *const *)paths, &options, &sequence);
    if (status != TOC_OK) return status;
    status = info_first_frame(tool_standard_name(paths[0]), sequence);
    toc_sequence_close(sequence);
    return status;
}

const tool_command tool_info = {
    .name = "info",
    .forms = (const char *const[]){"FILE [OPTIONS]", "--devices", NULL},
    .what = "Describe a file: frames, vertices, elements by shape, groups, bounds and defects.",
    .options = (const tool_option[]){TOOL_OPTION_MEMORY(&settings.memory),
                                     {TOOL_ON, "devices", NULL, "list the graphics processors that can be used",
                                      &settings.devices, NULL},
                                     {TOOL_ON, "json", NULL, "print one JSON object", &settings.json, NULL},
                                     {0}},
    .run = info_run,
};
