// SPDX-License-Identifier: Apache-2.0
// toccata scene: write the frames of a benchmark scene to files.
#include "base/platform/platform.h"
#include "base/status.h"
#include "scenes/scenes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/progress.h"

static struct {
    size_t size, frames;
    const char *folder, *format;
    bool list;
} settings;

static const char *scene_name(size_t i) { return scene_list(i) ? scene_list(i)->name : NULL; }

// The i-th format that can be written.
static const char *format_name(size_t wanted) {
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format); i++) {
        if (format.writes && wanted-- == 0) return format.name;
    }
    return NULL;
}

static toc_status list_scenes(void) {
    for (size_t i = 0; scene_list(i); i++) {
        const scene *s = scene_list(i);
        fprintf(tool_output(), "%-11s %s\n%12ssize: %s (default %zu); frames: %zu\n", s->name, s->what, "",
                s->size_what, s->size, s->frames);
    }
    return TOC_OK;
}

static toc_status make_folder(void) {
    if (toc_folder_make(settings.folder)) return TOC_OK;
    const toc_status status = errno == ENOSPC ? TOC_DISK_FULL : TOC_BAD_INPUT;
    return tool_fail(status, "%s: the folder cannot be created: %s", settings.folder, strerror(errno));
}

// The requested format, else one that can hold the elements: PLY has neither volumes nor thickness.
static const char *format_for(const toc_mesh *mesh) {
    if (settings.format) return settings.format;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape >= TOC_TET || element.thickness > 0) return "vtk";
    }
    return "ply";
}

// The first extension of the format.
static toc_status make_path(const scene *s, size_t frame, const char *name, char **out) {
    assert(settings.folder && name);
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format) && strcmp(format.name, name) != 0;) i++;
    const int extension = (int)strcspn(format.extensions, " ");
    if (asprintf(out, "%s/%s-%04zu%.*s", settings.folder, s->name, frame, extension, format.extensions) < 0) {
        return tool_fail_memory();
    }
    return TOC_OK;
}

static toc_status write_frame(const scene *s, size_t frame) {
    toc_mesh *mesh;
    char *path;
    toc_status status = scene_frame(s, settings.size, frame, &mesh);
    if (status != TOC_OK) return status;
    status = make_path(s, frame, format_for(mesh), &path);
    if (status == TOC_OK) {
        status = toc_mesh_write(path, mesh, TOC_AT_START);
        if (status == TOC_OK) fprintf(tool_output(), "%s\n", path);
        free(path);
    }
    toc_mesh_destroy(mesh);
    return status;
}

static toc_status find_scene(int count, char **names, const scene **out) {
    if (count != 1) return tool_fail(TOC_BAD_INPUT, "scene needs one name, not %d; see toccata scene --list", count);
    *out = scene_find(names[0]);
    if (!*out) return tool_fail(TOC_BAD_INPUT, "no scene \"%s\"; see toccata scene --list", names[0]);
    if (settings.size > (*out)->largest) {
        return tool_fail(TOC_BAD_INPUT, "--size %zu is above %zu, the largest size of %s", settings.size,
                         (*out)->largest, names[0]);
    }
    return TOC_OK;
}

static toc_status scene_run(int count, char **names) {
    if (settings.list) return list_scenes();
    const scene *s = NULL;
    TOC_TRY(find_scene(count, names, &s));
    if (!settings.folder) return tool_fail(TOC_BAD_INPUT, "scene needs a folder for its frames: give --out DIR");
    TOC_TRY(make_folder());
    const size_t frames = settings.frames ? settings.frames : s->frames;
    tool_progress_start(s->name, frames);
    for (size_t frame = 0; frame < frames; frame++) {
        TOC_TRY(tool_progress_part(frame));
        TOC_TRY(write_frame(s, frame));
    }
    return TOC_OK;
}

const tool_command tool_scene = {
    .name = "scene",
    .forms = (const char *const[]){"NAME --out DIR [--size N] [--frames N] [--format NAME]", "--list", NULL},
    .what = "Write the frames of a benchmark scene as numbered files and print their names.",
    .more = "Every run writes the same frames for the same scene and size. Check them with toccata check DIR/*.",
    .options =
        (const tool_option[]){
            {TOOL_FOLDER, "out", "DIR", "the output folder; created if missing", &settings.folder, NULL},
            {TOOL_COUNT, "size", "N", "the resolution of the scene (default: see --list)", &settings.size, NULL},
            {TOOL_COUNT, "frames", "N", "the number of frames (default: the whole motion)", &settings.frames, NULL},
            {TOOL_CHOICE, "format", "NAME", "the format of the files (default ply; vtk for volumes and thick shells)",
             &settings.format, format_name},
            {TOOL_ON, "list", NULL, "list the scenes", &settings.list, NULL},
            {0},
        },
    .words = scene_name,
    .run = scene_run,
};
