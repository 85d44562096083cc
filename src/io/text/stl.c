// SPDX-License-Identifier: Apache-2.0
// STL, triangles without vertex ids, in text or binary. Corners at the very same place become one vertex, numbered in
// the order of the file; normals are passed over. Some binary files begin with "solid" as text does, so the length
// decides first. Binary files hold floats: written in binary where every coordinate is one, else in text, so that only
// the ids are lost. After the description of 3D Systems, 1989.
#include <assert.h>
#include <float.h>
#include <math.h>

#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/surface.h"
#include "io/core/weld.h"

enum { HEADER = 80, FACET = 50, BODY = HEADER + 4 };
enum { ROOM = 96 }; // corners in the buffer: a multiple of 3

static uint64_t promised_bytes(const toc_source *source) {
    return BODY + (uint64_t)FACET * toc_load_u32(source->begin + HEADER, false);
}

static bool is_binary_by_size(const toc_source *source) {
    assert(source->begin <= source->end);
    const size_t size = (size_t)(source->end - source->begin);
    return size >= BODY && size == promised_bytes(source);
}

// "solid NAME", and then a word that only a text can have there.
static bool is_text(const toc_source *source) {
    toc_source ahead = *source;
    ahead.at = ahead.begin;
    toc_source_skip_space(&ahead);
    if (!toc_text_is(toc_source_word(&ahead), "solid")) return false;
    toc_source_next_line(&ahead);
    toc_source_skip_space(&ahead);
    const toc_text word = toc_source_word(&ahead);
    return toc_text_is(word, "facet") || toc_text_is(word, "endsolid");
}

static bool stl_recognise(const toc_source *source) { return is_binary_by_size(source) || is_text(source); }

typedef struct stl_corner {
    double x[3];
    uint64_t hash;
} stl_corner;

// The vertices of positions, by their bits, with open addressing. Positions are searched several at a time, so that
// their memory accesses overlap. A slot also holds some bits of the position's hash, above those of its vertex, so that
// few vertices are compared in vain.
typedef struct stl_reader {
    toc_builder builder;
    uint32_t *slots;   // vertex + 1 below, hash above; 0 where free
    size_t slot_count; // a power of two, more than twice the vertices
    size_t waiting;
    stl_corner corners[ROOM];
    bool open; // of a text: "endsolid" has not come yet
} stl_reader;

static uint32_t hash_bits(const stl_reader *reader, uint64_t hash) {
    assert(reader->slot_count > 0);
    return (uint32_t)(hash >> 32) & ~(uint32_t)(reader->slot_count - 1);
}

static size_t slot_vertex(const stl_reader *reader, uint32_t slot) { return (slot & (reader->slot_count - 1)) - 1; }

static void put_slot(stl_reader *reader, size_t vertex) {
    assert(reader->slot_count > 0);
    const uint64_t hash = toc_place_hash(reader->builder.parts.positions.at + 3 * vertex);
    size_t i = hash & (reader->slot_count - 1);
    while (reader->slots[i]) i = (i + 1) & (reader->slot_count - 1);
    reader->slots[i] = hash_bits(reader, hash) | (uint32_t)(vertex + 1);
}

static toc_status grow_slots(stl_reader *reader, size_t more) {
    const toc_allocator *memory = &reader->builder.source->allocator;
    const size_t old_count = reader->slot_count, vertices = toc_builder_vertex_count(&reader->builder);
    size_t count = old_count ? old_count : 256;
    while (count <= 2 * (vertices + more)) count *= 2;
    if (count == old_count) return TOC_OK;
    if (count - 1 > UINT32_MAX)
        return toc_source_fail_byte(reader->builder.source, "more vertices than can be counted");
    uint32_t *slots = toc_new(memory, count, sizeof *slots);
    if (!slots) return TOC_OUT_OF_MEMORY;
    toc_free(memory, reader->slots, old_count, sizeof *slots);
    reader->slots = slots;
    reader->slot_count = count;
    for (size_t i = 0; i < vertices; i++) put_slot(reader, i);
    return TOC_OK;
}

static size_t stl_find_vertex(stl_reader *reader, const stl_corner *corner) {
    assert(reader->slot_count > 0);
    const size_t mask = reader->slot_count - 1, count = toc_builder_vertex_count(&reader->builder);
    const double *positions = reader->builder.parts.positions.at;
    const uint32_t bits = hash_bits(reader, corner->hash);
    size_t i = corner->hash & mask;
    for (; reader->slots[i]; i = (i + 1) & mask) {
        const size_t vertex = slot_vertex(reader, reader->slots[i]);
        if (((reader->slots[i] ^ bits) & ~(uint32_t)mask) == 0 &&
            memcmp(corner->x, positions + 3 * vertex, sizeof corner->x) == 0)
            return vertex;
    }
    toc_builder_put_vertex(&reader->builder, corner->x);
    reader->slots[i] = bits | (uint32_t)(count + 1);
    return count;
}

// Make the waiting corners corners of the current polygon.
static toc_status stl_settle(stl_reader *reader) {
    toc_builder *builder = &reader->builder;
    TOC_TRY(grow_slots(reader, reader->waiting));
    TOC_TRY(toc_builder_reserve(builder, reader->waiting, reader->waiting));
    for (size_t i = 0; i < reader->waiting; i++) {
        const uint32_t slot = reader->slots[reader->corners[i].hash & (reader->slot_count - 1)];
        if (slot) __builtin_prefetch(builder->parts.positions.at + 3 * slot_vertex(reader, slot));
    }
    for (size_t i = 0; i < reader->waiting; i++) {
        const size_t vertex = stl_find_vertex(reader, &reader->corners[i]);
        if (!toc_builder_put_corner(builder, (int64_t)vertex)) return toc_builder_fail_corner(builder, (int64_t)vertex);
    }
    reader->waiting = 0;
    return TOC_OK;
}

static void add_corner(stl_reader *reader, const double x[3]) {
    stl_corner *corner = &reader->corners[reader->waiting++];
    for (int i = 0; i < 3; i++) corner->x[i] = x[i] + 0.0; // -0 is the same place as 0
    corner->hash = toc_place_hash(corner->x);
    __builtin_prefetch(&reader->slots[corner->hash & (reader->slot_count - 1)]);
}

static toc_status read_corner_bytes(stl_reader *reader) {
    toc_source *source = reader->builder.source;
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = (double)toc_load_f32(source->at + 4 * i, false);
    if (!isfinite(x[0] + x[1] + x[2])) return toc_source_fail_byte(source, "a coordinate is not a finite number");
    add_corner(reader, x);
    source->at += 12;
    return TOC_OK;
}

static toc_status read_facets(stl_reader *reader, uint32_t count) {
    toc_source *source = reader->builder.source;
    for (uint32_t i = 0; i < count; i++) {
        source->at += 12; // the normal
        for (int c = 0; c < 3; c++) TOC_TRY(read_corner_bytes(reader));
        source->at += 2; // the "attribute byte count"
    }
    TOC_TRY(stl_settle(reader));
    return toc_builder_close_elements(&reader->builder, TOC_TRIANGLE, count);
}

static toc_status read_binary(stl_reader *reader) {
    toc_source *source = reader->builder.source;
    reader->builder.binary = true;
    if (toc_source_left(source) < BODY) return toc_source_fail_byte(source, "shorter than the header of an STL file");
    const uint32_t count = toc_load_u32(source->begin + HEADER, false);
    source->at = source->begin + BODY;
    if (count > toc_source_left(source) / FACET) {
        return toc_source_fail_byte(source, "%lu triangles are promised, but only %zu bytes follow",
                                    (unsigned long)count, toc_source_left(source));
    }
    TOC_TRY(grow_slots(reader, count / 2)); // about the number of a closed surface
    TOC_TRY(toc_builder_reserve(&reader->builder, 0, 3 * (size_t)count));
    for (uint32_t left = count; left > 0;) {
        const uint32_t some = left < ROOM / 3 ? left : ROOM / 3;
        TOC_TRY(read_facets(reader, some));
        left -= some;
    }
    return TOC_OK;
}

static toc_status read_vertex_line(stl_reader *reader) {
    double x[3];
    for (int i = 0; i < 3; i++) TOC_TRY(toc_source_double(reader->builder.source, &x[i]));
    if (reader->waiting == ROOM) TOC_TRY(stl_settle(reader));
    add_corner(reader, x);
    return TOC_OK;
}

static toc_status end_loop(stl_reader *reader) {
    TOC_TRY(stl_settle(reader));
    const size_t corners = reader->builder.parts.corners.count - reader->builder.closed;
    if (corners < 3) return toc_source_fail(reader->builder.source, "a loop of %zu corners", corners);
    return toc_builder_close_polygon(&reader->builder);
}

static toc_status read_text(stl_reader *reader) {
    toc_source *source = reader->builder.source;
    TOC_TRY(grow_slots(reader, 0));
    while (toc_source_skip_space(source)) {
        const toc_text word = toc_source_word(source);
        if (toc_text_is(word, "vertex")) {
            TOC_TRY(read_vertex_line(reader));
        } else if (toc_text_is(word, "endloop")) {
            TOC_TRY(end_loop(reader));
        } else if (toc_text_is(word, "facet")) {
            toc_source_next_line(source); // the normal
        } else if (toc_text_is(word, "solid") || toc_text_is(word, "endsolid")) {
            reader->open = word.at[0] == 's';
            toc_source_next_line(source); // the name
        } else if (!toc_text_is(word, "outer") && !toc_text_is(word, "loop") && !toc_text_is(word, "endfacet")) {
            return toc_source_fail(source, "\"%.*s\" does not belong in an STL file", (int)(word.count % 100), word.at);
        }
    }
    if (reader->waiting > 0 || reader->builder.parts.corners.count > reader->builder.closed)
        return toc_source_fail(source, "the file ends inside of a facet");
    return reader->open ? toc_source_fail(source, "the file ends before \"endsolid\"") : TOC_OK;
}

static toc_status read_stl(toc_source *source, toc_mesh *mesh) {
    stl_reader reader = {.builder = toc_builder_begin(source)};
    const bool text = !is_binary_by_size(source) && is_text(source);
    toc_status status = text ? read_text(&reader) : read_binary(&reader);
    if (status == TOC_OK) status = toc_builder_finish(&reader.builder, mesh);
    toc_free(&source->allocator, reader.slots, reader.slot_count, sizeof *reader.slots);
    toc_builder_free(&reader.builder);
    return status;
}

// The unit normal, or 0 if the triangle is too thin for one.
static void find_normal(const double *const corners[3], double n[3]) {
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = corners[1][i] - corners[0][i];
        v[i] = corners[2][i] - corners[0][i];
    }
    for (int i = 0; i < 3; i++) n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) n[i] = isnormal(length) ? n[i] / length : 0;
}

typedef struct stl_writer {
    toc_sink *sink;
    const double *x;
    bool text;
} stl_writer;

static void write_triangle(const stl_writer *writer, uint32_t a, uint32_t b, uint32_t c) {
    const double *x = writer->x;
    const double *const corners[3] = {x + 3 * (size_t)a, x + 3 * (size_t)b, x + 3 * (size_t)c};
    double normal[3];
    find_normal(corners, normal);
    if (writer->text) {
        toc_sink_point(writer->sink, "facet normal ", normal);
        toc_sink_text(writer->sink, "outer loop\n");
        for (int i = 0; i < 3; i++) toc_sink_point(writer->sink, "vertex ", corners[i]);
        toc_sink_text(writer->sink, "endloop\nendfacet\n");
    } else {
        float values[12];
        for (int i = 0; i < 12; i++) values[i] = (float)(i < 3 ? normal[i] : corners[i / 3 - 1][i % 3]);
        toc_sink_little(writer->sink, values, sizeof values[0], 12);
        toc_sink_write(writer->sink, "\0\0", 2);
    }
}

static void stl_write_face(const stl_writer *writer, const toc_surface_face *face) {
    uint32_t triangles[2][3];
    const int count = toc_surface_split(face, triangles);
    for (int i = 0; i < count; i++) write_triangle(writer, triangles[i][0], triangles[i][1], triangles[i][2]);
}

static bool is_float(double x) { return fabs(x) <= (double)FLT_MAX && (double)(float)x == x; }

static bool fits_floats(const toc_surface *surface, const double *x) {
    for (size_t i = 0; i < surface->faces.count; i++) {
        const toc_surface_face *face = &surface->faces.at[i];
        for (size_t c = 0; c < face->corner_count; c++) {
            const double *at = x + 3 * (size_t)face->corners[c];
            if (!(is_float(at[0]) && is_float(at[1]) && is_float(at[2]))) return false;
        }
    }
    return true;
}

static toc_status stl_write_all(toc_sink *sink, const toc_surface *surface, const double *x) {
    const size_t loose = surface->edges.count / 2 + surface->points.count;
    if (loose > 0)
        return toc_fail(TOC_BAD_INPUT, "STL holds triangles only, and the mesh has %zu edges and points", loose);
    size_t triangles = 0;
    for (size_t i = 0; i < surface->faces.count; i++) triangles += surface->faces.at[i].corner_count - 2u;
    const stl_writer writer = {sink, x, triangles > UINT32_MAX || !fits_floats(surface, x)};
    if (writer.text) {
        toc_sink_text(sink, "solid toccata\n");
    } else {
        const char header[HEADER] = "binary STL, written by toccata";
        const uint32_t count = (uint32_t)triangles;
        toc_sink_write(sink, header, HEADER);
        toc_sink_little(sink, &count, sizeof count, 1);
    }
    for (size_t i = 0; i < surface->faces.count; i++) stl_write_face(&writer, &surface->faces.at[i]);
    if (writer.text) toc_sink_text(sink, "endsolid toccata\n");
    return TOC_OK;
}

static toc_status write_stl(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    toc_surface surface;
    toc_status status = toc_surface_find(mesh, toc_sink_allocator(sink), &surface);
    if (status == TOC_OK) status = stl_write_all(sink, &surface, x);
    toc_surface_free(&surface);
    return status;
}

const toc_format toc_format_stl = {
    .info = {.name = "stl", .extensions = ".stl", .what = "triangles, merged where corners meet; text, binary"},
    .recognise = stl_recognise,
    .read = read_stl,
    .write = write_stl,
};
