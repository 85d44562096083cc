// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes for one reader (--format=NAME): it must return, leak nothing, and use no more memory than a small
// multiple of the input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/cache/cache.h"
#include "io/core/format.h"
#include "io/core/gzip.h"
#include "io/motion/capture_file.h"
#include "io/pairs/read.h"
#include "io/text/tetgen.h"
#include "mesh/mesh.h"
#include "support/sources.h"

// Arrays of a .vtu may hold a thousand times their size, and meshes of Alembic share theirs; gzip files hold 128 times
// it and a megabyte at most.
enum { MEMORY_BASE = 1 << 20, MEMORY_FACTOR = 64, PACKED_FACTOR = 4096, GZIP_BASE = 64 << 20, GZIP_FACTOR = 64 * 128 };
enum { MOST_FRAMES = 64 };

static const char *target = "";
static char target_path[32]; // a file name of the format

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// libFuzzer leaves words that begin with two dashes to the target.
int LLVMFuzzerInitialize(int *count, char ***words) {
    for (int i = 1; i < *count; i++)
        if (strncmp((*words)[i], "--format=", 9) == 0) target = (*words)[i] + 9;
    snprintf(target_path, sizeof target_path, strcmp(target, "gz") == 0 ? "fuzz.obj.%s" : "fuzz.%s", target);
    if (*target) return 0;
    fputs("--format=NAME is missing, the name of a folder in tests/fuzz/corpus\n", stderr);
    exit(2);
}

static bool is_target(const char *format) { return strcmp(target, format) == 0; }

static size_t memory_limit(size_t count) {
    // Instances of glTF multiply the contents of a file, and an animation keeps all its times in memory.
    if (is_target("gltf") || is_target("glb") || is_target("rig")) return 16 * MEMORY_BASE + PACKED_FACTOR * count;
    if (is_target("gz")) return GZIP_BASE + GZIP_FACTOR * count;
    if (is_target("pvtu")) return 16 * (MEMORY_BASE + PACKED_FACTOR * count); // a file may be listed by several names
    const bool packed = is_target("vtu") || is_target("vtkhdf") || is_target("med") || is_target("abc");
    return MEMORY_BASE + (packed ? PACKED_FACTOR : MEMORY_FACTOR) * count;
}

typedef struct meter {
    size_t alive, limit;
} meter;

static void *metered_resize(void *user, void *block, size_t old_size, size_t new_size) {
    meter *m = user;
    m->alive += new_size - old_size;
    if (m->alive > m->limit) {
        fprintf(stderr, "%zu bytes in use\n", m->alive);
        abort();
    }
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

static toc_status ignore_frame(void *user, const char *path, double time) {
    (void)user, (void)time;
    return path[0] ? TOC_OK : TOC_BAD_INPUT;
}

static toc_status read_mesh(const toc_format *format, toc_source *source) {
    toc_mesh *mesh;
    const toc_status status = toc_format_read(format, source, &mesh);
    if (status == TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

// TetGen elements need a second file with nodes: here, the bytes before the first 0 byte.
static toc_status read_pair(toc_source *source) {
    toc_source nodes;
    toc_mesh *mesh;
    const size_t count = strnlen(source->begin, toc_source_left(source));
    if (test_source_copy("fuzz.node", source->begin, count, &source->allocator, &nodes) != TOC_OK) abort();
    source->at = source->begin + count;
    if (source->at < source->end) source->at++;
    if (toc_mesh_create(&source->allocator, &mesh) != TOC_OK) abort();
    const toc_status status = toc_tetgen_read(source, &nodes, mesh);
    toc_mesh_destroy(mesh);
    toc_source_close(&nodes);
    return status;
}

// An index of pieces, and behind 0 bytes the pieces: files in memory whose names are the numbers from FIRST_PIECE on.
static toc_status read_index(toc_source *source) {
    enum { FIRST_PIECE = 100, PIECES = 3 };
    static int files[PIECES];
    const char *at = source->begin + strnlen(source->begin, toc_source_left(source)), *end = source->end;
    toc_source index;
    if (test_source_copy("/proc/self/fd/fuzz.pvtu", source->begin, (size_t)(at - source->begin), &source->allocator,
                         &index) != TOC_OK)
        abort();
    for (int i = 0; i < PIECES; i++) {
        if (at < end) at++;
        const size_t count = strnlen(at, (size_t)(end - at));
        if (!files[i]) files[i] = dup2(memfd_create("piece", 0), FIRST_PIECE + i);
        if (ftruncate(files[i], 0) != 0 || pwrite(files[i], at, count, 0) != (ssize_t)count) abort();
        at += count;
    }
    const toc_status status = read_mesh(&toc_format_pvtu, &index);
    toc_source_close(&index);
    return status;
}

static toc_status read_capture(toc_source *source) {
    toc_capture_file capture;
    const toc_status status = toc_capture_file_read(source, &capture);
    toc_capture_file_free(&capture, &source->allocator);
    return status;
}

static bool is_of_contacts(void) {
    return is_target("csv") || is_target("jsonl") || is_target("vtp") || is_target("glb");
}

// As contacts, of all steps and of the second one, and as near pairs.
static toc_status read_contacts(toc_source *source) {
    static const uint64_t second = 1;
    const struct {
        toc_item item;
        const uint64_t *step;
    } ways[] = {{TOC_ITEM_CONTACT, NULL}, {TOC_ITEM_CONTACT, &second}, {TOC_ITEM_NEAR, NULL}};
    toc_status status = TOC_BAD_INPUT;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && status == TOC_BAD_INPUT; i++) {
        toc_items items = {0};
        source->at = source->begin;
        status = toc_pairs_read(toc_answer_type_of(ways[i].item), source, ways[i].step, &items);
        toc_array_free(&source->allocator, &items);
    }
    return status;
}

static toc_status read_source(toc_source *source) {
    if (is_of_contacts()) return read_contacts(source);
    if (is_target("bvh")) return read_capture(source);
    if (is_target("ele") || is_target("face")) return read_pair(source);
    if (is_target("pvtu")) return read_index(source);
    if (is_target("pvd")) return toc_pvd_list(source, ignore_frame, NULL);
    const toc_format *format = toc_format_of_packed_path(source->path);
    if (!format) abort();
    if (!is_target("gz")) return read_mesh(format, source);
    if (!toc_gzip_is(source->begin, toc_source_left(source))) return TOC_OK;
    TOC_TRY(toc_gzip_unpack(source));
    return read_mesh(NULL, source);
}

static toc_status read_fields(toc_sequence *sequence, size_t frame, const toc_mesh *mesh) {
    toc_fields *fields;
    const toc_status status = toc_sequence_read_fields(sequence, frame, mesh, &fields);
    if (status == TOC_OK) toc_fields_destroy(fields);
    return status;
}

// All frames of a file, for formats that read it in parts: it needs a name then.
static toc_status read_frames(const char *path, const toc_allocator *allocator) {
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_status status = toc_sequence_open(
        1, &path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) status = read_fields(sequence, 0, mesh);
    for (size_t i = 1; i < toc_sequence_get_frame_count(sequence) && i < MOST_FRAMES && status == TOC_OK; i++) {
        status = toc_sequence_advance(sequence, i, mesh);
        if (status == TOC_OK) status = read_fields(sequence, i, mesh);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return status;
}

static toc_status read_each_frame(const toc_frame_methods *methods, void *frames, toc_mesh *mesh) {
    TOC_TRY(methods->first(frames, mesh));
    const toc_allocator memory = mesh->allocator;
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x = toc_new(&memory, count, sizeof *x);
    toc_status status = x ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < methods->count(frames) && i < MOST_FRAMES && status == TOC_OK; i++)
        status = methods->positions(frames, i, x);
    toc_free(&memory, x, count, sizeof *x);
    return status;
}

// The same for a format that is recognised by its file name only, which this input lacks.
static toc_status read_unnamed(const toc_format *format, const char *path, const toc_allocator *allocator) {
    void *frames;
    toc_mesh *mesh;
    TOC_TRY(format->frames->open(path, &(toc_frame_wish){.rate = 1}, allocator, &frames));
    if (toc_mesh_create(allocator, &mesh) != TOC_OK) abort();
    const toc_status status = read_each_frame(format->frames, frames, mesh);
    toc_mesh_destroy(mesh);
    format->frames->close(frames);
    return status;
}

// One file in memory for all inputs, because creating one takes longer than reading it.
static toc_status read_named(const toc_format *format, const uint8_t *bytes, size_t count,
                             const toc_allocator *allocator) {
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, count, 0) != (ssize_t)count) abort();
    return format->recognise ? read_frames(path, allocator) : read_unnamed(format, path, allocator);
}

// A point cache has its mesh in another file: here, a quad.
static toc_status read_cache(const uint8_t *bytes, size_t count, const toc_allocator *allocator) {
    static const char quad[] = "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    static char path[64], mesh_path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("cache", 0);
        const int other = memfd_create("mesh", 0);
        if (write(other, quad, sizeof quad - 1) != sizeof quad - 1) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        snprintf(mesh_path, sizeof mesh_path, "/proc/self/fd/%d", other);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, count, 0) != (ssize_t)count) abort();
    void *frames;
    toc_mesh *mesh;
    TOC_TRY(toc_cache_open(path, mesh_path, allocator, &frames));
    if (toc_mesh_create(allocator, &mesh) != TOC_OK) abort();
    const toc_status status = read_each_frame(toc_format_mdd.frames, frames, mesh);
    toc_mesh_destroy(mesh);
    toc_format_mdd.frames->close(frames);
    return status;
}

// A character of glTF: the mesh, its joints, and a pose of each of the first clips.
static toc_status read_rig(const uint8_t *bytes, size_t count, const toc_allocator *allocator) {
    enum { MOST_CLIPS = 4 };
    static int file = -1;
    static char path[64];
    const toc_read_options options = {.size = sizeof options, .allocator = allocator};
    toc_rig *rig;
    if (file < 0) {
        file = memfd_create("rig", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, count, 0) != (ssize_t)count) abort();
    TOC_TRY(toc_rig_read(path, &options, &rig));
    const size_t vertices = toc_mesh_get_vertex_count(rig->mesh), doubles = 12 * rig->joint_count + 3 * vertices;
    double *room = toc_new(allocator, doubles, sizeof *room), start, end;
    toc_status status = room ? TOC_OK : TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i <= rig->clip_count && i < MOST_CLIPS && status == TOC_OK; i++) {
        const size_t clip = i < rig->clip_count ? i : SIZE_MAX;
        if (i < rig->clip_count) status = toc_rig_find_times(rig, clip, &start, &end);
        if (status == TOC_OK) status = toc_rig_pose(rig, clip, 0.5, rig->joint_count, room);
        if (status == TOC_OK) status = toc_rig_morph(rig, clip, 0.5, vertices, room + 12 * rig->joint_count);
    }
    toc_free(allocator, room, doubles, sizeof *room);
    toc_rig_destroy(rig);
    return status;
}

static toc_status read_bytes(const uint8_t *bytes, size_t count, const toc_allocator *allocator) {
    if (is_target("mdd") || is_target("pc2")) return read_cache(bytes, count, allocator);
    if (is_target("rig")) return read_rig(bytes, count, allocator);
    const toc_format *format = is_target("gz") ? NULL : toc_format_of_path(target_path);
    const bool named = format && format->frames && !format->read;
    toc_source source;
    if (test_source_copy(target_path, bytes, count, allocator, &source) != TOC_OK) abort();
    toc_status status = TOC_BAD_INPUT;
    if (!named || !format->recognise || format->recognise(&source)) status = named ? TOC_OK : read_source(&source);
    toc_source_close(&source);
    return status == TOC_OK && format && format->frames ? read_named(format, bytes, count, allocator) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    meter m = {0, memory_limit(count)};
    const toc_allocator allocator = {metered_resize, &m};
    const toc_status status = read_bytes(bytes, count, &allocator);
    if (m.alive != 0 || (status != TOC_OK && status != TOC_BAD_INPUT)) abort();
    return 0;
}
