// SPDX-License-Identifier: Apache-2.0
// Fields for the page. O(file) for each frame.
#include "tools/frame_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "tools/output.h"

// Files of VTK's name their velocities as any other field.
static bool is_vtk(const char *path) {
    static const char *const ends[] = {".vtu", ".vtp", ".vtk", ".pvtu"};
    const size_t length = path ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t count = strlen(ends[i]);
        if (length > count && strcmp(path + length - count, ends[i]) == 0) return true;
    }
    return false;
}

toc_status tool_frame_fields_begin(toc_sequence *frames) {
    return is_vtk(toc_sequence_get_path(frames, 0)) ? TOC_OK : toc_sequence_take_velocities(frames, true);
}

// Whether a name is in a list with commas.
static bool is_listed(const char *only, const char *name) {
    const size_t length = strlen(name);
    if (!only) return true;
    for (const char *at = only;; at += strcspn(at, ",") + 1) {
        const size_t count = strcspn(at, ",");
        if (count == length && memcmp(at, name, length) == 0) return true;
        if (!at[count]) return false;
    }
}

static void add_field(tool_frame_fields *to, const char *only, const toc_view_field *field) {
    if (is_listed(only, field->name)) to->fields[to->count++] = *field;
}

static toc_status fail_no_field(const char *path, const char *only, const toc_fields *fields) {
    char names[400] = "";
    size_t length = 0;
    for (size_t i = 0; i < fields->count; i++) {
        const int room = (int)(sizeof names - length);
        const int more = snprintf(names + length, (size_t)room, "%s%s", i ? ", " : "", fields->fields[i].name);
        if (more >= room) break;
        length += (size_t)more;
    }
    return tool_fail(TOC_BAD_INPUT, "%s: no field is called \"%.80s\"; there are %s", path, only,
                     *names ? names : "none");
}

toc_status tool_frame_fields_find(const toc_sequence *frames, size_t frame, const toc_mesh *mesh, uint64_t memory,
                                  const char *only, tool_frame_fields *out) {
    *out = (tool_frame_fields){0};
    if (only && strcmp(only, "none") == 0) return TOC_OK;
    toc_read_options options = toc_read_options_default();
    options.memory = memory;
    TOC_TRY(toc_fields_read(toc_sequence_get_path(frames, frame), &options, mesh, &out->read));
    const double *velocities = toc_sequence_get_velocities(frames);
    out->fields = calloc(out->read->count + 1, sizeof *out->fields);
    if (!out->fields) return tool_fail_memory();
    for (size_t i = 0; i < out->read->count; i++) {
        const toc_field *field = &out->read->fields[i];
        add_field(out, only,
                  &(toc_view_field){field->name, field->components, field->of_elements, field->count, field->values});
    }
    if (velocities)
        add_field(out, only, &(toc_view_field){"velocity", 3, 0, toc_mesh_get_vertex_count(mesh), velocities});
    return frame == 0 && only && out->count == 0 ? fail_no_field(toc_sequence_get_path(frames, 0), only, out->read)
                                                 : TOC_OK;
}

void tool_frame_fields_free(tool_frame_fields *fields) {
    free(fields->fields);
    toc_fields_destroy(fields->read);
    *fields = (tool_frame_fields){0};
}
