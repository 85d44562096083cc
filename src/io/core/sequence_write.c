// SPDX-License-Identifier: Apache-2.0
// A sequence written as a whole: into one file of a format that holds frames, or as a .pvd with a .vtu for each frame
// beside it. Frames are read and written one by one.
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "io/core/format.h"

/// The frames of a .pvd: their names and times.
typedef struct frame_list {
    toc_arena arena; // of the names
    const char **names;
    double *times;
    size_t count;
} frame_list;

/// "run-0007.vtu" for frame 7 of "there/run.pvd"; the numbers have as many digits as the last one needs.
static const char *name_frame(frame_list *list, const char *path, size_t frame) {
    assert(path);
    const size_t stem = strlen(path) - strlen(".pvd"), room = stem + 32;
    char *name = toc_arena_new(&list->arena, room, 1);
    int digits = 4;
    for (size_t most = 10000; most < list->count; most *= 10) digits++;
    if (name) snprintf(name, room, "%.*s-%0*zu.vtu", (int)stem, path, digits, frame);
    return name;
}

static toc_status write_frame(frame_list *list, const char *path, size_t frame, const toc_mesh *mesh) {
    const char *name = name_frame(list, path, frame), *slash;
    if (!name) return TOC_OUT_OF_MEMORY;
    slash = strrchr(name, '/');
    list->names[frame] = slash ? slash + 1 : name;
    return toc_mesh_write(name, mesh, TOC_AT_END);
}

/// The times of the sequence, or the numbers of the frames where times do not ascend.
static void find_times(const toc_sequence *sequence, frame_list *list) {
    bool ascending = true;
    for (size_t i = 0; i < list->count; i++) {
        list->times[i] = toc_sequence_get_time(sequence, i);
        ascending = ascending && isfinite(list->times[i]) && (i == 0 || list->times[i] > list->times[i - 1]);
    }
    for (size_t i = 0; i < list->count && !ascending; i++) list->times[i] = (double)i;
}

static toc_status sequence_write_each(toc_sequence *sequence, frame_list *list, const char *path, toc_mesh *mesh) {
    TOC_TRY(write_frame(list, path, 0, mesh));
    for (size_t i = 1; i < list->count; i++) {
        TOC_TRY(toc_sequence_advance(sequence, i, mesh));
        TOC_TRY(write_frame(list, path, i, mesh));
    }
    return TOC_OK;
}

static toc_status write_listed(toc_sequence *sequence, frame_list *list, const char *path) {
    toc_mesh *mesh;
    list->names = toc_arena_new(&list->arena, list->count, sizeof *list->names);
    list->times = toc_arena_new(&list->arena, list->count, sizeof *list->times);
    if (!list->names || !list->times) return TOC_OUT_OF_MEMORY;
    find_times(sequence, list);
    TOC_TRY(toc_sequence_read_first(sequence, &mesh));
    const toc_status status = sequence_write_each(sequence, list, path, mesh);
    toc_mesh_destroy(mesh);
    return status == TOC_OK ? toc_sequence_write_pvd(path, list->count, list->names, list->times) : status;
}

static toc_status write_collection(toc_sequence *sequence, const char *path) {
    frame_list list = {.arena = toc_arena_make(toc_sequence_allocator(sequence)),
                       .count = toc_sequence_get_frame_count(sequence)};
    const toc_status status = write_listed(sequence, &list, path);
    toc_arena_free(&list.arena);
    return status;
}

toc_status toc_sequence_write(const char *path, toc_sequence *sequence) {
    TOC_SCOPED_ARITHMETIC;
    if (!path || !sequence)
        return toc_fail(TOC_BAD_INPUT, "toc_sequence_write: %s is NULL", path ? "sequence" : "path");
    if (toc_path_has_extension(path, ".pvd")) return write_collection(sequence, path);
    const toc_format *format = toc_format_of_path(path);
    if (!format || !format->write_frames)
        return toc_fail(TOC_BAD_INPUT, "%s: a sequence is written as .pvd or .glb", path);
    toc_sink *sink;
    TOC_TRY(toc_sink_open(path, toc_sequence_allocator(sequence), &sink));
    const toc_status status = format->write_frames(sink, sequence, toc_sequence_rate(sequence));
    if (status == TOC_OK) return toc_sink_commit(sink);
    toc_sink_cancel(sink);
    return status;
}
