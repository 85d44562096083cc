// SPDX-License-Identifier: Apache-2.0
// The table of formats, and the choice of one: by content, then extension, for reading; by extension for writing.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "io/core/format.h"
#include "io/core/memory_limit.h"
#include "mesh/mesh.h"

static const toc_format *const formats[] = {
    &toc_format_ply,    &toc_format_off,     &toc_format_vtk,     &toc_format_pvtu,   &toc_format_vtu,
    &toc_format_msh,    &toc_format_mfem,    &toc_format_tetgen,  &toc_format_obj,    &toc_format_stl,
    &toc_format_d3plot, &toc_format_gltf,    &toc_format_dyna,    &toc_format_exodus, &toc_format_abaqus,
    &toc_format_frd,    &toc_format_mdd,     &toc_format_pc2,     &toc_format_vtkhdf, &toc_format_xdmf,
    &toc_format_med,    &toc_format_radioss, &toc_format_alembic,
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const toc_format *toc_format_at(size_t i) { return i < FORMAT_COUNT ? formats[i] : NULL; }

bool toc_format_get_sized(size_t i, toc_format_info *out, size_t size) {
    const toc_format *format = toc_format_at(i);
    if (!format || !out) return false;
    toc_format_info info = format->info;
    info.reads = format->read || format->frames;
    info.writes = format->write != NULL;
    memset(out, 0, size);
    memcpy(out, &info, size < sizeof info ? size : sizeof info);
    return true;
}

static bool ends_with(const char *path, size_t length, const char *extension, size_t count) {
    assert(path && extension);
    return length > count && strncasecmp(path + length - count, extension, count) == 0;
}

bool toc_path_has_extension(const char *path, const char *extension) {
    return ends_with(path, strlen(path), extension, strlen(extension));
}

size_t toc_path_unpacked(const char *path) {
    return strlen(path) - (toc_path_has_extension(path, ".gz") ? strlen(".gz") : 0);
}

static const toc_format *find_format(const char *path, size_t length) {
    assert(path);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        for (const char *e = formats[i]->info.extensions; *e; e += strspn(e, " ")) {
            const size_t count = strcspn(e, " ");
            if (ends_with(path, length, e, count)) return formats[i];
            e += count;
        }
    }
    return NULL;
}

static size_t without_number(const char *path, size_t length) {
    size_t end = length;
    while (end > 0 && path[end - 1] >= '0' && path[end - 1] <= '9') end--;
    return end > 1 && end < length && path[end - 1] == '.' ? end - 1 : length;
}

// The path of a decomposed file without its numbers: name.e of the part name.e.PARTS.PART.
static size_t without_part(const char *path, size_t length) {
    const size_t first = without_number(path, length), second = without_number(path, first);
    return second < first && first < length ? second : length;
}

const toc_format *toc_format_of_path(const char *path) {
    const size_t length = strlen(path);
    return find_format(path, without_part(path, length));
}

const toc_format *toc_format_of_packed_path(const char *path) { return find_format(path, toc_path_unpacked(path)); }

enum { HEAD_SIZE = 4096 }; // enough to tell any of these formats

static const toc_format *recognise_frames(const toc_source *head) {
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->frames && formats[i]->recognise && formats[i]->recognise(head)) return formats[i];
    return NULL;
}

// The format of a path; of its contents for a gzip file whose frames can be read.
static const toc_format *format_of_frames_path(const char *path) {
    const toc_format *format = toc_format_of_path(path), *packed = toc_format_of_packed_path(path);
    return !format && packed && packed->frames && packed->frames->unpacks ? packed : format;
}

toc_status toc_format_of_frames(const char *path, const toc_allocator *allocator, const toc_format **out) {
    const toc_format *format = format_of_frames_path(path);
    *out = format && format->frames ? format : NULL;
    if (format) return TOC_OK;
    toc_source head;
    const toc_status status = toc_source_open_part(path, 0, HEAD_SIZE, allocator, &head);
    if (status == TOC_BAD_INPUT) return TOC_OK;
    TOC_TRY(status);
    *out = recognise_frames(&head);
    toc_source_close(&head);
    return TOC_OK;
}

// Whether a file is the first one of a family of frames.
static bool begins_family(const char *path, const toc_allocator *allocator) {
    toc_source head;
    if (toc_source_open_part(path, 0, HEAD_SIZE, allocator, &head) != TOC_OK) return false;
    const toc_format *format = recognise_frames(&head);
    toc_source_close(&head);
    return format == &toc_format_d3plot;
}

toc_status toc_family_check(const char *path, const toc_allocator *allocator) {
    char first[1024];
    size_t length = strlen(path);
    const size_t whole = length;
    while (length > 0 && isdigit((unsigned char)path[length - 1])) length--;
    if (length == 0 || whole - length < 2 || length >= sizeof first) return TOC_OK;
    memcpy(first, path, length);
    first[length] = 0;
    if (path[length - 1] == '/' || !begins_family(first, allocator)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: is a later file of a d3plot family; give its first file, %s", path, first);
}

static const toc_format *format_choose(const toc_source *source) {
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->recognise && formats[i]->recognise(source)) return formats[i];
    }
    return toc_format_of_packed_path(source->path);
}

// Messages of the mesh module name no file.
toc_status toc_fail_file(toc_status status, const char *path) {
    return strncmp(toc_message_get(), path, strlen(path)) == 0 ? status : toc_fail_in(status, "%s", path);
}

static toc_status format_fill(const toc_format *format, toc_source *source, toc_mesh *mesh) {
    TOC_TRY(format->read(source, mesh));
    TOC_TRY(toc_source_is_settled(source));
    if (toc_mesh_get_element_count(mesh) > 0 || source->share.count > 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: holds no elements", source->path);
}

static toc_status check_readable(const toc_format *format, const toc_source *source) {
    if (format && format->read) return TOC_OK;
    TOC_TRY(toc_family_check(source->path, &source->allocator));
    return toc_fail(TOC_BAD_INPUT, "%s: is of no format that can be read", source->path);
}

toc_status toc_format_fill(toc_source *source, toc_mesh *mesh) {
    if (source->begin == source->end) return toc_fail(TOC_BAD_INPUT, "%s: is empty", source->path);
    const toc_format *format = format_choose(source);
    TOC_TRY(check_readable(format, source));
    return format_fill(format, source, mesh);
}

toc_status toc_format_read(const toc_format *format, toc_source *source, toc_mesh **out) {
    if (source->begin == source->end) return toc_fail(TOC_BAD_INPUT, "%s: is empty", source->path);
    if (!format) format = format_choose(source);
    TOC_TRY(check_readable(format, source));
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(&source->allocator, &mesh));
    const toc_status status = format_fill(format, source, mesh);
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return toc_fail_file(status, source->path);
    }
    *out = mesh;
    return TOC_OK;
}

static toc_status format_read_velocities(const toc_format *format, void *frames, toc_mesh *mesh) {
    bool known = false;
    if (!format->frames->velocities) return TOC_OK;
    TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->velocities, mesh->x1.count));
    TOC_TRY(format->frames->velocities(frames, 0, mesh->velocities.at, &known));
    if (known) mesh->velocities.count = mesh->x1.count;
    return TOC_OK;
}

// A format that reads its file in parts, as the frames need.
static toc_status format_read_first(const toc_format *format, const char *path, toc_piece_share share, bool velocities,
                                    toc_mesh *mesh) {
    void *frames;
    TOC_TRY(format->frames->open(path, &(toc_frame_wish){.rate = 1, .share = share}, &mesh->allocator, &frames));
    toc_status status = format->frames->first(frames, mesh);
    if (status == TOC_OK && velocities) status = format_read_velocities(format, frames, mesh);
    format->frames->close(frames);
    return status;
}

static toc_status format_read_parts(const toc_format *format, const char *path, toc_piece_share share,
                                    const toc_allocator *allocator, bool velocities, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const toc_status status = format_read_first(format, path, share, velocities, mesh);
    if (status == TOC_OK) {
        *out = mesh;
        return TOC_OK;
    }
    toc_mesh_destroy(mesh);
    return toc_fail_file(status, path);
}

static toc_status read_path(const char *path, toc_piece_share share, const toc_allocator *allocator, bool velocities,
                            toc_mesh **out) {
    const toc_format *format;
    TOC_TRY(toc_format_of_frames(path, allocator, &format));
    if (format && !format->read) return format_read_parts(format, path, share, allocator, velocities, out);
    toc_source source;
    TOC_TRY(toc_source_open(path, allocator, &source));
    source.velocities = velocities;
    source.share = share;
    const toc_status status = toc_format_read(NULL, &source, out);
    toc_source_close(&source);
    return status;
}

toc_status toc_mesh_read_limited(const char *path, toc_memory_limit *limit, bool velocities, toc_mesh **out) {
    const toc_allocator memory = toc_memory_limit_allocator(limit);
    toc_mesh *mesh;
    const toc_status status = read_path(path, limit->share, &memory, velocities, &mesh);
    if (status != TOC_OK) return toc_memory_limit_explain(limit, status, path);
    mesh->allocator = limit->inner;
    *out = mesh;
    return TOC_OK;
}

toc_status toc_mesh_read(const char *path, const toc_read_options *options, toc_mesh **out) {
    TOC_SCOPED_ARITHMETIC;
    if (!path || !out) return toc_fail(TOC_BAD_INPUT, "toc_mesh_read: %s is NULL", path ? "out" : "path");
    toc_memory_limit limit;
    TOC_TRY(toc_memory_limit_begin(options, &limit));
    return toc_mesh_read_limited(path, &limit, false, out);
}

static toc_status check_write(const char *path, const toc_mesh *mesh, toc_end end) {
    if (!path || !mesh) return toc_fail(TOC_BAD_INPUT, "toc_mesh_write: %s is NULL", path ? "mesh" : "path");
    if (end == TOC_AT_START || end == TOC_AT_END) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "toc_mesh_write: %d is no end of the step", (int)end);
}

// "a.k: decks of LS-DYNA are only read; meshes are written as .ply .off ..."
static toc_status fail_write_format(const char *path, const toc_format *format) {
    char list[256];
    size_t length = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (!formats[i]->write) continue;
        const int room = (int)(sizeof list - length);
        const int more = snprintf(list + length, (size_t)room, " %s", formats[i]->info.extensions);
        if (more < room) length += (size_t)more;
    }
    list[length] = 0;
    if (format)
        return toc_fail(TOC_BAD_INPUT, "%s: files of the format %s are only read; meshes are written as%s", path,
                        format->info.name, list);
    return toc_fail(TOC_BAD_INPUT, "%s: the extension names no format; meshes are written as%s", path, list);
}

toc_status toc_mesh_write_moving(const char *path, const toc_mesh *mesh, toc_end end, const double *velocities) {
    TOC_SCOPED_ARITHMETIC;
    TOC_TRY(check_write(path, mesh, end));
    const toc_format *format = toc_format_of_path(path);
    if (!format || !format->write) return fail_write_format(path, format);
    toc_sink *sink;
    TOC_TRY(toc_sink_open(path, &mesh->allocator, &sink));
    toc_sink_set_velocities(sink, velocities);
    const toc_status status =
        format->write(sink, mesh, end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh));
    if (status == TOC_OK) return toc_sink_commit(sink);
    toc_sink_cancel(sink);
    return toc_fail_file(status, path);
}
