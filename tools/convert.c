// SPDX-License-Identifier: Apache-2.0
// toccata convert: convert a mesh to another format, or the frames of a sequence to one file.
#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/standard.h"

static struct {
    bool list;
    double rate;
    const char *clip;
    uint64_t memory;
} settings;

static toc_status list_formats(void) {
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format); i++) {
        const char *ways = format.reads && format.writes ? "reads, writes" : format.reads ? "reads" : "writes";
        fprintf(tool_output(), "%-10s %-18s %-14s %s\n", format.name, format.extensions, ways, format.what);
    }
    return TOC_OK;
}

static bool ends_with(const char *path, const char *extension) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

static toc_status write_first(toc_sequence *frames, const char *path) {
    assert(path && toc_sequence_get_frame_count(frames) > 0);
    const size_t count = toc_sequence_get_frame_count(frames);
    toc_mesh *mesh;
    toc_status status = toc_sequence_read_first(frames, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_write(path, mesh, TOC_AT_START);
    if (status == TOC_OK && path == tool_standard_name(path)) {
        fprintf(tool_output(), "%s: %zu vertices, %zu elements", path, toc_mesh_get_vertex_count(mesh),
                toc_mesh_get_element_count(mesh));
        fprintf(tool_output(), count > 1 ? "; the first of %zu frames\n" : "\n", count);
    }
    toc_mesh_destroy(mesh);
    return status;
}

static toc_status write_all(toc_sequence *frames, const char *path) {
    const toc_status status = toc_sequence_write(path, frames);
    if (status == TOC_OK && path == tool_standard_name(path))
        fprintf(tool_output(), "%s: %zu frames\n", path, toc_sequence_get_frame_count(frames));
    return status;
}

static toc_status convert_to(toc_sequence *frames, size_t files, const char *path) {
    assert(files > 0);
    TOC_TRY(settings.clip ? toc_sequence_play(frames, settings.clip) : TOC_OK);
    if (settings.rate > 0) TOC_TRY(toc_sequence_sample(frames, settings.rate));
    const bool several = toc_sequence_get_frame_count(frames) > 1 && ends_with(path, ".glb");
    return several || files > 1 || ends_with(path, ".pvd") ? write_all(frames, path) : write_first(frames, path);
}

static toc_status convert(toc_sequence *frames, size_t files, const char *path) {
    const char *written;
    if (strcmp(path, "-") == 0 || (tool_is_standard(path) && ends_with(path, ".pvd")))
        return tool_fail(TOC_BAD_INPUT, "%s: standard output needs the format of one file, as in -.ply", path);
    TOC_TRY(tool_standard_output(path, "", &written));
    TOC_TRY(convert_to(frames, files, written));
    return tool_standard_flush(path, written);
}

static toc_status convert_run(int count, char **paths) {
    if (settings.list) return list_formats();
    if (count < 2) return tool_fail(TOC_BAD_INPUT, "convert needs at least two files, IN and OUT, not %d", count);
    const size_t files = (size_t)count - 1;
    toc_sequence *frames;
    toc_read_options options = toc_read_options_default();
    options.memory = settings.memory;
    toc_status status = tool_standard_input((int)files, paths);
    if (status != TOC_OK) return status;
    status = toc_sequence_open(files, (const char *const *)paths, &options, &frames);
    if (status != TOC_OK) return status;
    status = convert(frames, files, paths[files]);
    toc_sequence_close(frames);
    return status;
}

const tool_command tool_convert = {
    .name = "convert",
    .forms = (const char *const[]){"IN OUT", "FRAME FRAME... OUT", "--list", NULL},
    .what = "Convert a mesh to the format of OUT's extension, or the frames of a sequence to one .pvd or .glb.",
    .more = "A .pvd, a d3plot or an animation contains all its frames; a format for one mesh receives the first.\n"
            "A .pvd is written together with one .vtu for each frame. - stands for standard input, -.ply for standard "
            "input or output in a format.",
    .options =
        (const tool_option[]){TOOL_OPTION_CLIP(&settings.clip),
                              {TOOL_LENGTH, "rate", "N", "read and write animations at N frames a second (default 30)",
                               &settings.rate, NULL},
                              TOOL_OPTION_MEMORY(&settings.memory),
                              {TOOL_ON, "list", NULL, "list the formats", &settings.list, NULL},
                              {0}},
    .run = convert_run,
};
