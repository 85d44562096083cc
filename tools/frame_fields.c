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

static toc_status fail_no_field(const char *path, const char *wanted, size_t length, const tool_frame_fields *all) {
    char names[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < all->count; i++) {
        const int room = (int)(sizeof names - used);
        const int more = snprintf(names + used, (size_t)room, "%s%s", i ? ", " : "", all->fields[i].name);
        if (more >= room) break;
        used += (size_t)more;
    }
    return tool_fail(TOC_BAD_INPUT, "%s: no field is called \"%.*s\"; there are %s", path, (int)length, wanted,
                     *names ? names : "none");
}

// Each name of the list must be that of a field.
static toc_status check_names(const char *path, const char *only, const tool_frame_fields *all) {
    enum { MOST_NAME = 80 };
    for (const char *at = only;; at += strcspn(at, ",") + 1) {
        const size_t length = strcspn(at, ",");
        bool found = false;
        for (size_t i = 0; i < all->count && !found; i++)
            found = strlen(all->fields[i].name) == length && memcmp(all->fields[i].name, at, length) == 0;
        if (!found) return fail_no_field(path, at, length < MOST_NAME ? length : MOST_NAME, all);
        if (!at[length]) return TOC_OK;
    }
}

// Whether a frame tells which fields there are. Later frames may lack some; a first one at rest may have none.
static bool tells_names(const toc_sequence *frames, size_t frame, const tool_frame_fields *all) {
    return frame == 0 && (all->count > 0 || toc_sequence_get_frame_count(frames) == 1);
}

static void drop_others(const char *only, tool_frame_fields *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (is_listed(only, all->fields[i].name)) all->fields[kept++] = all->fields[i];
    all->count = kept;
}

toc_status tool_frame_fields_find(toc_sequence *frames, size_t frame, const toc_mesh *mesh, const char *only,
                                  tool_frame_fields *out) {
    *out = (tool_frame_fields){0};
    if (only && strcmp(only, "none") == 0) return TOC_OK;
    TOC_TRY(toc_sequence_read_fields(frames, frame, mesh, &out->read));
    const double *velocities = toc_sequence_get_velocities(frames);
    out->fields = calloc(out->read->count + 1, sizeof *out->fields);
    if (!out->fields) return tool_fail_memory();
    for (size_t i = 0; i < out->read->count; i++) {
        const toc_field *field = &out->read->fields[i];
        out->fields[out->count++] =
            (toc_view_field){field->name, field->components, field->of_elements, field->count, field->values};
    }
    if (velocities)
        out->fields[out->count++] = (toc_view_field){"velocity", 3, 0, toc_mesh_get_vertex_count(mesh), velocities};
    if (only && tells_names(frames, frame, out)) TOC_TRY(check_names(toc_sequence_get_path(frames, frame), only, out));
    drop_others(only, out);
    return TOC_OK;
}

void tool_frame_fields_free(tool_frame_fields *fields) {
    free(fields->fields);
    toc_fields_destroy(fields->read);
    *fields = (tool_frame_fields){0};
}
