// SPDX-License-Identifier: Apache-2.0
// Point caches, MDD and PC2: the positions of all vertices in each frame, in single precision. The mesh is in the file
// beside the cache, under the same name with the ending of a mesh.
//
// MDD, of LightWave: the counts of frames and of vertices, the times, the frames; most significant byte first. PC2, of
// 3ds Max: a head with the count of vertices, the first frame, the distance of samples in frames, and their count;
// least significant byte first. Both have their length in the head. A frame is read on request.
#include "io/cache/cache.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/platform/platform.h"
#include "mesh/mesh.h"

static const char pc2_head[12] = "POINTCACHE2";

typedef struct cache {
    toc_allocator allocator;
    char *path, *mesh; // the mesh's path
    size_t path_size, mesh_size;
    toc_source source;
    bool is_open, big_endian;
    size_t vertices, frames;
    const char *times;  // of MDD, else NULL
    double start, rate; // of PC2: in frames
    const char *at;     // the first position
} cache;

static toc_status copy_cache_name(const cache *c, const char *text, size_t length, const char *end, char **out,
                                  size_t *size) {
    *size = length + strlen(end) + 1;
    *out = toc_new(&c->allocator, *size, 1);
    if (!*out) return TOC_OUT_OF_MEMORY;
    memcpy(*out, text, length);
    memcpy(*out + length, end, strlen(end));
    return TOC_OK;
}

/// The file of a mesh under the name of the cache.
static toc_status find_mesh(cache *c) {
    static const char *const endings[] = {".obj", ".ply", ".off", ".stl", ".vtk", ".vtu", ".glb", ".gltf", ".msh"};
    const size_t length = toc_path_unpacked(c->path), known = strlen(".mdd");
    for (size_t i = 0; i < sizeof endings / sizeof *endings && length > known; i++) {
        TOC_TRY(copy_cache_name(c, c->path, length - known, endings[i], &c->mesh, &c->mesh_size));
        if (toc_path_exists(c->mesh)) return TOC_OK;
        toc_free(&c->allocator, c->mesh, c->mesh_size, 1);
        c->mesh = NULL;
    }
    return toc_fail(TOC_BAD_INPUT,
                    "%s: holds no mesh, only positions: put its mesh beside it under the same name, ending in .obj "
                    "(or .ply .off .stl .vtk .vtu .glb .gltf .msh)",
                    c->path);
}

static toc_status check_cache_counts(const cache *c, int64_t vertices, int64_t frames) {
    if (vertices < 1 || frames < 1)
        return toc_source_fail_byte(&c->source, "%lld frames of %lld vertices cannot be", (long long)frames,
                                    (long long)vertices);
    return TOC_OK;
}

static toc_status check_room(const toc_source *s, uint64_t count, size_t bytes, const char *what) {
    if (count <= toc_source_left(s) / bytes) return TOC_OK;
    return toc_source_fail_byte(s, "%llu %s are promised, but only %zu bytes follow", (unsigned long long)count, what,
                                toc_source_left(s));
}

static toc_status read_mdd(cache *c) {
    toc_source *s = &c->source;
    if (toc_source_left(s) < 8) return toc_source_fail_byte(s, "the file ends within its head");
    const int64_t frames = (int32_t)toc_load_u32(s->at, true), vertices = (int32_t)toc_load_u32(s->at + 4, true);
    TOC_TRY(check_cache_counts(c, vertices, frames));
    c->frames = (size_t)frames;
    c->vertices = (size_t)vertices;
    c->big_endian = true;
    s->at += 8;
    TOC_TRY(check_room(s, c->frames, 4, "times"));
    c->times = s->at;
    for (size_t i = 0; i < c->frames; i++, s->at += 4)
        if (!isfinite(toc_load_f32(s->at, true)))
            return toc_source_fail_byte(s, "the time of frame %zu is no number", i);
    return TOC_OK;
}

static toc_status read_pc2(cache *c) {
    enum { HEAD = 32 };
    toc_source *s = &c->source;
    if (toc_source_left(s) < HEAD) return toc_source_fail_byte(s, "the file ends within its head");
    const int64_t version = (int32_t)toc_load_u32(s->at + 12, false);
    if (version != 1) return toc_source_fail_byte(s, "the version is %lld, not 1", (long long)version);
    const int64_t vertices = (int32_t)toc_load_u32(s->at + 16, false),
                  frames = (int32_t)toc_load_u32(s->at + 28, false);
    TOC_TRY(check_cache_counts(c, vertices, frames));
    c->start = (double)toc_load_f32(s->at + 20, false);
    c->rate = (double)toc_load_f32(s->at + 24, false);
    if (!isfinite(c->start) || !(c->rate > 0 && isfinite(c->rate)))
        return toc_source_fail_byte(s, "samples from frame %g on, each %g frames, cannot be", c->start, c->rate);
    c->frames = (size_t)frames;
    c->vertices = (size_t)vertices;
    s->at += HEAD;
    return TOC_OK;
}

static bool pc2_recognise(const toc_source *source) {
    return source->end - source->begin >= (ptrdiff_t)sizeof pc2_head &&
           memcmp(source->begin, pc2_head, sizeof pc2_head) == 0;
}

static toc_status open_cache_file(cache *c, const char *path, const char *mesh) {
    TOC_TRY(copy_cache_name(c, path, strlen(path), "", &c->path, &c->path_size));
    TOC_TRY(toc_source_open(c->path, &c->allocator, &c->source));
    c->is_open = true;
    if (toc_source_left(&c->source) == 0) return toc_fail(TOC_BAD_INPUT, "%s: is empty", c->path);
    TOC_TRY(pc2_recognise(&c->source) ? read_pc2(c) : read_mdd(c));
    c->at = c->source.at;
    TOC_TRY(check_room(&c->source, (uint64_t)c->vertices * c->frames, 12, "positions"));
    return mesh ? copy_cache_name(c, mesh, strlen(mesh), "", &c->mesh, &c->mesh_size) : find_mesh(c);
}

static void close_cache(void *frames) {
    cache *c = frames;
    const toc_allocator memory = c->allocator;
    if (c->is_open) toc_source_close(&c->source);
    toc_free(&memory, c->path, c->path_size, 1);
    toc_free(&memory, c->mesh, c->mesh_size, 1);
    toc_free(&memory, c, 1, sizeof *c);
}

toc_status toc_cache_open(const char *path, const char *mesh, const toc_allocator *allocator, void **frames) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    cache *c = toc_new(&memory, 1, sizeof *c);
    if (!c) return TOC_OUT_OF_MEMORY;
    c->allocator = memory;
    const toc_status status = open_cache_file(c, path, mesh);
    if (status == TOC_OK)
        *frames = c;
    else
        close_cache(c);
    return status;
}

static toc_status open_cache(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                             void **frames) {
    (void)wish;
    return toc_cache_open(path, NULL, allocator, frames);
}

static size_t count_cache_frames(const void *frames) { return ((const cache *)frames)->frames; }

static double cache_time_of(const void *frames, size_t frame) {
    const cache *c = frames;
    assert(frame < c->frames);
    return c->times ? (double)toc_load_f32(c->times + 4 * frame, true) : c->start + (double)frame * c->rate;
}

static toc_status cache_read_positions(void *frames, size_t frame, double *x) {
    cache *c = frames;
    assert(frame < c->frames && x);
    c->source.at = c->at + 12 * c->vertices * frame;
    for (size_t i = 0; i < 3 * c->vertices; i++, c->source.at += 4) {
        x[i] = (double)toc_load_f32(c->source.at, c->big_endian);
        if (!isfinite(x[i])) return toc_source_fail_byte(&c->source, "frame %zu: vertex %zu is no place", frame, i / 3);
        toc_source_pass(&c->source);
    }
    return toc_source_is_settled(&c->source);
}

/// The mesh of the other file, at the positions of the first frame.
static toc_status read_mesh(cache *c, toc_mesh *mesh) {
    toc_source source;
    TOC_TRY(toc_source_open(c->mesh, &c->allocator, &source));
    const toc_status status = toc_format_fill(&source, mesh);
    toc_source_close(&source);
    if (status != TOC_OK) return toc_fail_file(status, c->mesh);
    const size_t there = toc_mesh_get_vertex_count(mesh);
    if (there == c->vertices) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: holds no positions for %s: it has %zu vertices, the mesh %zu", c->path, c->mesh,
                    c->vertices, there);
}

static toc_status cache_read_first(void *frames, toc_mesh *mesh) {
    cache *c = frames;
    TOC_TRY(read_mesh(c, mesh));
    const toc_allocator memory = mesh->allocator;
    double *x = toc_new(&memory, 3 * c->vertices, sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    toc_status status = cache_read_positions(c, 0, x);
    for (int i = 0; i < 2 && status == TOC_OK; i++) status = toc_mesh_move(mesh, c->vertices, x);
    toc_free(&memory, x, 3 * c->vertices, sizeof *x);
    return status;
}

static const toc_frame_methods cache_methods = {
    .unpacks = true,
    .open = open_cache,
    .close = close_cache,
    .count = count_cache_frames,
    .time = cache_time_of,
    .first = cache_read_first,
    .positions = cache_read_positions,
};

const toc_format toc_format_mdd = {
    .info = {.name = "mdd", .extensions = ".mdd", .what = "positions of the vertices of the mesh beside it, in frames"},
    .frames = &cache_methods,
};

const toc_format toc_format_pc2 = {
    .info = {.name = "pc2", .extensions = ".pc2", .what = "positions of the vertices of the mesh beside it, in frames"},
    .recognise = pc2_recognise,
    .frames = &cache_methods,
};
