// SPDX-License-Identifier: Apache-2.0
// Write glTF as a .glb: the surface of a mesh. Each frame of a sequence is a morph target, with an animation that goes
// from one to the next in straight lines, as the vertices do.
//
// Coordinates are floats in glTF: the start of each frame is within half of a float's last digit. All data are in one
// buffer in the order of their declaration. A sequence is read twice, first for the bounds, which precede the data; no
// more than two frames are in memory. After the glTF 2.0 specification, Khronos 2021.
#include "io/gltf/write.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/core/decimal.h"
#include "io/core/source.h"
#include "io/core/surface.h"
#include "io/pairs/table.h"

enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
enum { FLOAT = 5126, UINT = 5125, VERTICES = 34962, INDICES = 34963, POINTS = 0, LINES = 1, TRIANGLES = 4 };
enum { VIEW_POSITIONS, VIEW_CORNERS, VIEW_SHIFTS, VIEW_TIMES, VIEW_ONES, VIEW_MARKS, VIEW_RECORDS, VIEWS };

/// Elements of one kind and group.
typedef struct glb_primitive {
    int mode;
    int32_t group;
    size_t corners;
} glb_primitive;

typedef struct glb_box {
    float low[3], high[3];
} glb_box;

typedef struct glb_writer {
    toc_allocator allocator;
    const toc_mesh *mesh;
    toc_surface surface;
    size_t vertices, frames; // frames is 1 for a mesh alone
    double rate;
    TOC_ARRAY(uint32_t) corners; // of all primitives
    TOC_ARRAY(glb_primitive) primitives;
    TOC_ARRAY(glb_box) boxes; // of the first frame's positions, then of the others' displacements
    TOC_ARRAY(double) base;   // positions of the first frame, where others follow
    TOC_ARRAY(char) json;
    // Contacts: floats for programs that show them, and exact arrays in the words of VTP.
    const toc_point_table *contacts; // NULL for none
    toc_point_array arrays[TOC_MOST_ARRAYS];
    size_t array_count;
} glb_writer;

/// A contact as the attributes of a point.
typedef struct glb_mark {
    float point[3], normal[3], toc, time, kind;
} glb_mark;

static void free_writer(glb_writer *writer) {
    toc_surface_free(&writer->surface);
    toc_array_free(&writer->allocator, &writer->corners);
    toc_array_free(&writer->allocator, &writer->primitives);
    toc_array_free(&writer->allocator, &writer->boxes);
    toc_array_free(&writer->allocator, &writer->base);
    toc_array_free(&writer->allocator, &writer->json);
}

// Primitives.

/// The primitive for elements of this mode and group: the last, or a new one.
static toc_status find_primitive(glb_writer *writer, int mode, int32_t group, glb_primitive **out) {
    const size_t count = writer->primitives.count;
    *out = count > 0 ? &writer->primitives.at[count - 1] : NULL;
    if (*out && (*out)->mode == mode && (*out)->group == group) return TOC_OK;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->primitives, 1));
    *out = &writer->primitives.at[writer->primitives.count++];
    **out = (glb_primitive){mode, group, 0};
    return TOC_OK;
}

static toc_status add_corners(glb_writer *writer, int mode, int32_t group, size_t count, const uint32_t *corners) {
    glb_primitive *primitive;
    if (count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->corners, count));
    TOC_TRY(find_primitive(writer, mode, group, &primitive));
    memcpy(writer->corners.at + writer->corners.count, corners, count * sizeof *corners);
    writer->corners.count += count;
    primitive->corners += count;
    return TOC_OK;
}

static toc_status gltf_add_face(glb_writer *writer, const toc_surface_face *face) {
    uint32_t triangles[2][3];
    if (face->corner_count == 3) return add_corners(writer, TRIANGLES, face->group, 3, face->corners);
    const size_t count = (size_t)toc_surface_split(face, triangles);
    return add_corners(writer, TRIANGLES, face->group, 3 * count, triangles[0]);
}

static int by_value(const void *a, const void *b) {
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

/// Faces by their groups, and in their order within one: keys are the group, then the face.
static toc_status add_sorted(glb_writer *writer, uint64_t *keys) {
    const toc_surface_face *faces = writer->surface.faces.at;
    const size_t count = writer->surface.faces.count;
    for (size_t i = 0; i < count; i++) keys[i] = (uint64_t)((int64_t)faces[i].group - INT32_MIN) << 32 | i;
    qsort(keys, count, sizeof *keys, by_value);
    for (size_t i = 0; i < count; i++) TOC_TRY(gltf_add_face(writer, &faces[keys[i] & UINT32_MAX]));
    return TOC_OK;
}

static toc_status gltf_add_faces(glb_writer *writer) {
    const toc_surface_face *faces = writer->surface.faces.at;
    const size_t count = writer->surface.faces.count;
    size_t ascending = 1;
    while (ascending < count && faces[ascending - 1].group <= faces[ascending].group) ascending++;
    if (ascending < count) {
        uint64_t *keys = toc_new(&writer->allocator, count, sizeof *keys);
        const toc_status status = keys ? add_sorted(writer, keys) : TOC_OUT_OF_MEMORY;
        toc_free(&writer->allocator, keys, count, sizeof *keys);
        return status;
    }
    for (size_t i = 0; i < count; i++) TOC_TRY(gltf_add_face(writer, &faces[i]));
    return TOC_OK;
}

static toc_status make_primitives(glb_writer *writer) {
    const toc_surface *surface = &writer->surface;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->corners, 3 * surface->faces.count));
    TOC_TRY(gltf_add_faces(writer));
    TOC_TRY(add_corners(writer, LINES, 0, surface->edges.count, surface->edges.at));
    return add_corners(writer, POINTS, 0, surface->points.count, surface->points.at);
}

// Positions, and displacements of frames from the first.

enum { ROOM = 1024 };

/// Floats of the vertices from `first` on, less the base where there is one.
static void make_floats(const double *x, const double *base, size_t first, size_t count, float *to) {
    x += 3 * first;
    if (base) base += 3 * first;
    for (size_t i = 0; i < 3 * count; i++) to[i] = (float)(base ? x[i] - base[i] : x[i]);
}

static toc_status gltf_measure(glb_writer *writer, const double *x, const double *base) {
    float values[3 * ROOM];
    glb_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (size_t first = 0; first < writer->vertices; first += ROOM) {
        const size_t left = writer->vertices - first, count = left < ROOM ? left : ROOM;
        make_floats(x, base, first, count, values);
        for (size_t i = 0; i < 3 * count; i++) {
            if (!(fabsf(values[i]) <= FLT_MAX))
                return toc_fail(TOC_BAD_INPUT, "vertex %zu: its coordinate %g is more than a float can hold",
                                first + i / 3, x[3 * first + i]);
            if (values[i] < box.low[i % 3]) box.low[i % 3] = values[i];
            if (values[i] > box.high[i % 3]) box.high[i % 3] = values[i];
        }
    }
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->boxes, 1));
    writer->boxes.at[writer->boxes.count++] = box;
    return TOC_OK;
}

static void write_floats(toc_sink *sink, size_t vertices, const double *x, const double *base) {
    float values[3 * ROOM];
    for (size_t first = 0; first < vertices; first += ROOM) {
        const size_t count = vertices - first < ROOM ? vertices - first : ROOM;
        make_floats(x, base, first, count, values);
        toc_sink_little(sink, values, sizeof *values, 3 * count);
    }
}

// The JSON, composed in memory because its length precedes it.

static toc_status gltf_add_text(glb_writer *writer, const char *text, size_t count) {
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->json, count));
    memcpy(writer->json.at + writer->json.count, text, count);
    writer->json.count += count;
    return TOC_OK;
}

/// At most 511 bytes, of texts and integers.
__attribute__((format(printf, 2, 3))) static toc_status print(glb_writer *writer, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gltf_add_text(writer, text, (size_t)length);
}

static toc_status print_floats(glb_writer *writer, const char *name, const float x[3]) {
    char text[TOC_DECIMAL_SIZE];
    TOC_TRY(print(writer, ",\"%s\":[", name));
    for (int i = 0; i < 3; i++) {
        if (i > 0) TOC_TRY(gltf_add_text(writer, ",", 1));
        TOC_TRY(gltf_add_text(writer, text, toc_decimal_write(text, (double)x[i])));
    }
    return gltf_add_text(writer, "]", 1);
}

/// A name of a group is UTF-8 without control characters.
static toc_status print_name(glb_writer *writer, const char *name) {
    TOC_TRY(gltf_add_text(writer, ",\"name\":\"", 9));
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') TOC_TRY(gltf_add_text(writer, "\\", 1));
        TOC_TRY(gltf_add_text(writer, name, 1));
    }
    return gltf_add_text(writer, "\"", 1);
}

static bool has_marks(const glb_writer *writer) { return writer->contacts && writer->contacts->count > 0; }

/// The bytes of an array of contacts, with those that fill it up to a multiple of 8.
static uint64_t array_bytes(const glb_writer *writer, size_t i) {
    return ((uint64_t)writer->arrays[i].size * writer->contacts->count + 7) / 8 * 8;
}

/// Accessors: the positions, the corners of each primitive, the displacements of each frame, times, weights, and the
/// attributes of contacts.
static size_t first_shift(const glb_writer *writer) { return 1 + writer->primitives.count; }
static size_t times_accessor(const glb_writer *writer) { return first_shift(writer) + writer->frames - 1; }

static toc_status print_primitive(glb_writer *writer, size_t i) {
    const glb_primitive *primitive = &writer->primitives.at[i];
    const char *name = toc_mesh_get_group_name(writer->mesh, primitive->group);
    TOC_TRY(print(writer, "%s{\"attributes\":{\"POSITION\":0},\"indices\":%zu,\"mode\":%d", i ? "," : "", i + 1,
                  primitive->mode));
    for (size_t k = 1; k < writer->frames; k++)
        TOC_TRY(print(writer, "%s{\"POSITION\":%zu}", k == 1 ? ",\"targets\":[" : ",", first_shift(writer) + k - 1));
    TOC_TRY(print(writer, "%s,\"extras\":{\"group\":%d", writer->frames > 1 ? "]" : "", (int)primitive->group));
    if (name) TOC_TRY(print_name(writer, name));
    return gltf_add_text(writer, "}}", 2);
}

static toc_status print_vectors(glb_writer *writer, int view, size_t place, const glb_box *box) {
    TOC_TRY(print(writer,
                  "%s{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"VEC3\"",
                  view == VIEW_POSITIONS ? "" : ",", view, 12 * writer->vertices * place, FLOAT, writer->vertices));
    TOC_TRY(print_floats(writer, "min", box->low));
    TOC_TRY(print_floats(writer, "max", box->high));
    return gltf_add_text(writer, "}", 1);
}

/// A frame's weight is 1 at its time and 0 at the others': all are 0 but one of each row.
static toc_status print_keys(glb_writer *writer) {
    const size_t frames = writer->frames;
    char end[TOC_DECIMAL_SIZE];
    toc_decimal_write(end, (double)(float)((double)(frames - 1) / writer->rate));
    TOC_TRY(print(writer, ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"", VIEW_TIMES,
                  FLOAT, frames));
    TOC_TRY(print(writer, ",\"min\":[0],\"max\":[%s]}", end));
    TOC_TRY(print(writer, ",{\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\",\"sparse\":{\"count\":%zu", FLOAT,
                  frames * (frames - 1), frames - 1));
    TOC_TRY(print(writer, ",\"indices\":{\"bufferView\":%d,\"componentType\":%d}", VIEW_ONES, UINT));
    return print(writer, ",\"values\":{\"bufferView\":%d,\"byteOffset\":%zu}}}", VIEW_ONES, 4 * (frames - 1));
}

/// Attributes of contacts: names that begin with an underscore are free in glTF.
static const struct {
    const char *name;
    int components;
    size_t offset;
} mark_attributes[] = {{"POSITION", 3, offsetof(glb_mark, point)},
                       {"NORMAL", 3, offsetof(glb_mark, normal)},
                       {"_TOC", 1, offsetof(glb_mark, toc)},
                       {"_TIME", 1, offsetof(glb_mark, time)},
                       {"_KIND", 1, offsetof(glb_mark, kind)}};

enum { MARK_ATTRIBUTES = sizeof mark_attributes / sizeof *mark_attributes };

static toc_status print_mark_accessors(glb_writer *writer) {
    for (int i = 0; i < MARK_ATTRIBUTES; i++) {
        TOC_TRY(print(writer, ",{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%zu", VIEW_MARKS,
                      mark_attributes[i].offset, FLOAT, writer->contacts->count));
        TOC_TRY(print(writer, ",\"type\":\"%s\"", mark_attributes[i].components == 3 ? "VEC3" : "SCALAR"));
        if (i == 0) TOC_TRY(print_floats(writer, "min", writer->boxes.at[writer->boxes.count - 1].low));
        if (i == 0) TOC_TRY(print_floats(writer, "max", writer->boxes.at[writer->boxes.count - 1].high));
        TOC_TRY(print(writer, "}"));
    }
    return TOC_OK;
}

/// The mesh of the contacts: one point each. Its extras keep readers of ours from taking it for a body.
static toc_status print_marks(glb_writer *writer) {
    const size_t first = times_accessor(writer) + 2;
    TOC_TRY(print(writer, ",{\"name\":\"contacts\",\"extras\":{\"contacts\":true},\"primitives\":[{\"attributes\":{"));
    for (int i = 0; i < MARK_ATTRIBUTES; i++)
        TOC_TRY(print(writer, "%s\"%s\":%zu", i ? "," : "", mark_attributes[i].name, first + (size_t)i));
    return print(writer, "},\"mode\":%d}]}", POINTS);
}

/// The exact numbers of the contacts: where each array begins in its view.
static toc_status print_records(glb_writer *writer) {
    uint64_t offset = 0;
    TOC_TRY(print(writer, ",\"extras\":{\"contacts\":{\"count\":%zu", writer->contacts->count));
    if (has_marks(writer)) TOC_TRY(print(writer, ",\"bufferView\":%d", VIEW_RECORDS));
    TOC_TRY(print(writer, ",\"arrays\":["));
    for (size_t i = 0; i < writer->array_count && has_marks(writer); offset += array_bytes(writer, i++))
        TOC_TRY(print(writer, "%s{\"name\":\"%s\",\"type\":\"%s\",\"components\":%d,\"byteOffset\":%llu}", i ? "," : "",
                      writer->arrays[i].name, writer->arrays[i].type, writer->arrays[i].components,
                      (unsigned long long)offset));
    return print(writer, "]}}");
}

static toc_status print_accessors(glb_writer *writer) {
    size_t corner = 0;
    TOC_TRY(print(writer, ",\"accessors\":["));
    TOC_TRY(print_vectors(writer, VIEW_POSITIONS, 0, &writer->boxes.at[0]));
    for (size_t i = 0; i < writer->primitives.count; i++) {
        const size_t count = writer->primitives.at[i].corners;
        TOC_TRY(print(writer,
                      ",{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}",
                      VIEW_CORNERS, 4 * corner, UINT, count));
        corner += count;
    }
    for (size_t i = 1; i < writer->frames; i++)
        TOC_TRY(print_vectors(writer, VIEW_SHIFTS, i - 1, &writer->boxes.at[i]));
    if (writer->frames > 1) TOC_TRY(print_keys(writer));
    if (has_marks(writer)) TOC_TRY(print_mark_accessors(writer));
    return print(writer, "]");
}

/// The bytes of each part of the buffer, in order. @return the number of parts.
static int part_sizes(const glb_writer *writer, uint64_t sizes[VIEWS]) {
    const uint64_t frames = writer->frames;
    sizes[VIEW_POSITIONS] = 12 * (uint64_t)writer->vertices;
    sizes[VIEW_CORNERS] = 4 * (uint64_t)writer->corners.count;
    sizes[VIEW_SHIFTS] = sizes[VIEW_POSITIONS] * (frames - 1);
    sizes[VIEW_TIMES] = 4 * frames;
    sizes[VIEW_ONES] = 8 * (frames - 1);
    if (!has_marks(writer)) return frames > 1 ? VIEW_MARKS : VIEW_SHIFTS;
    sizes[VIEW_MARKS] = sizeof(glb_mark) * (uint64_t)writer->contacts->count;
    sizes[VIEW_RECORDS] = 0;
    for (size_t i = 0; i < writer->array_count; i++) sizes[VIEW_RECORDS] += array_bytes(writer, i);
    return VIEWS;
}

static toc_status print_views(glb_writer *writer) {
    uint64_t sizes[VIEWS], offset = 0;
    const int count = part_sizes(writer, sizes);
    TOC_TRY(print(writer, ",\"bufferViews\":["));
    for (int i = 0; i < count; offset += sizes[i++]) {
        TOC_TRY(print(writer, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", i ? "," : "",
                      (unsigned long long)offset, (unsigned long long)sizes[i]));
        if (i == VIEW_SHIFTS) TOC_TRY(print(writer, ",\"byteStride\":12"));
        if (i == VIEW_MARKS) TOC_TRY(print(writer, ",\"byteStride\":%zu", sizeof(glb_mark)));
        if (i <= VIEW_SHIFTS || i == VIEW_MARKS)
            TOC_TRY(print(writer, ",\"target\":%d", i == VIEW_CORNERS ? INDICES : VERTICES));
        TOC_TRY(print(writer, "}"));
    }
    return print(writer, "],\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)offset);
}

static toc_status print_animation(glb_writer *writer) {
    const size_t times = times_accessor(writer);
    TOC_TRY(print(writer, ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"));
    return print(writer, "\"weights\"}}],\"samplers\":[{\"input\":%zu,\"output\":%zu}]}]", times, times + 1);
}

static toc_status print_all(glb_writer *writer) {
    TOC_TRY(print(writer, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"toccata\"},\"scene\":0"));
    if (has_marks(writer))
        TOC_TRY(print(writer,
                      ",\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},{\"mesh\":1,\"name\":\"contacts\"}]"));
    else
        TOC_TRY(print(writer, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]"));
    if (writer->contacts) TOC_TRY(print_records(writer));
    TOC_TRY(print(writer, ",\"meshes\":[{\"extras\":{\"weld\":false},\"primitives\":["));
    for (size_t i = 0; i < writer->primitives.count; i++) TOC_TRY(print_primitive(writer, i));
    TOC_TRY(print(writer, "]}"));
    if (has_marks(writer)) TOC_TRY(print_marks(writer));
    TOC_TRY(print(writer, "]"));
    TOC_TRY(print_accessors(writer));
    TOC_TRY(print_views(writer));
    if (writer->frames > 1) TOC_TRY(print_animation(writer));
    TOC_TRY(print(writer, "}"));
    while (writer->json.count % 4 != 0) TOC_TRY(print(writer, " "));
    return TOC_OK;
}

// The file.

static void write_u32(toc_sink *sink, uint32_t x) { toc_sink_little(sink, &x, sizeof x, 1); }

/// The header, the JSON and the beginning of the binary part.
static toc_status write_head(glb_writer *writer, toc_sink *sink) {
    uint64_t sizes[VIEWS], bytes = 0;
    const int count = part_sizes(writer, sizes);
    for (int i = 0; i < count; i++) bytes += sizes[i];
    const uint64_t whole = 12 + 8 + writer->json.count + 8 + bytes;
    if (whole > UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "%llu bytes, but a .glb holds 4 GB at most", (unsigned long long)whole);
    const uint32_t head[] = {MAGIC, 2, (uint32_t)whole, (uint32_t)writer->json.count, JSON_CHUNK};
    toc_sink_little(sink, head, sizeof *head, 5);
    toc_sink_write(sink, writer->json.at, writer->json.count);
    write_u32(sink, (uint32_t)bytes);
    write_u32(sink, BINARY_CHUNK);
    return TOC_OK;
}

static void write_keys(const glb_writer *writer, toc_sink *sink) {
    const float one = 1;
    for (size_t i = 0; i < writer->frames; i++) {
        const float time = (float)((double)i / writer->rate);
        toc_sink_little(sink, &time, sizeof time, 1);
    }
    for (size_t i = 1; i < writer->frames; i++) write_u32(sink, (uint32_t)(i * (writer->frames - 1) + i - 1));
    for (size_t i = 1; i < writer->frames; i++) toc_sink_little(sink, &one, sizeof one, 1);
}

static toc_status write_first(glb_writer *writer, toc_sink *sink, const double *x) {
    TOC_TRY(print_all(writer));
    TOC_TRY(write_head(writer, sink));
    write_floats(sink, writer->vertices, x, NULL);
    toc_sink_little(sink, writer->corners.at, sizeof *writer->corners.at, writer->corners.count);
    return TOC_OK;
}

static toc_status gltf_begin(glb_writer *writer, const toc_mesh *mesh, const double *x) {
    writer->mesh = mesh;
    writer->vertices = toc_mesh_get_vertex_count(mesh);
    TOC_TRY(toc_surface_find(mesh, &writer->allocator, &writer->surface));
    TOC_TRY(make_primitives(writer));
    return gltf_measure(writer, x, NULL);
}

toc_status toc_gltf_write(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    glb_writer writer = {.allocator = *toc_sink_allocator(sink), .frames = 1};
    writer.surface.allocator = writer.allocator;
    toc_status status = gltf_begin(&writer, mesh, x);
    if (status == TOC_OK) status = write_first(&writer, sink, x);
    free_writer(&writer);
    return status;
}

// Sequences.

/// Advance to a frame whose elements must be those of the first.
static toc_status gltf_advance(toc_sequence *sequence, size_t frame, toc_mesh *mesh) {
    const uint64_t before = toc_mesh_get_revision(mesh);
    TOC_TRY(toc_sequence_advance(sequence, frame, mesh));
    if (toc_mesh_get_revision(mesh) == before) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: elements come or go, which glTF cannot tell",
                    toc_sequence_get_path(sequence, frame));
}

static toc_status measure_frames(glb_writer *writer, toc_sequence *sequence, toc_mesh *mesh) {
    const double *x = toc_mesh_get_x0(mesh);
    TOC_TRY(gltf_begin(writer, mesh, x));
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->base, 3 * writer->vertices));
    memcpy(writer->base.at, x, 3 * writer->vertices * sizeof *x);
    for (size_t i = 1; i < writer->frames; i++) {
        TOC_TRY(gltf_advance(sequence, i, mesh));
        TOC_TRY(gltf_measure(writer, toc_mesh_get_x1(mesh), writer->base.at));
    }
    return TOC_OK;
}

static toc_status gltf_write_frames(glb_writer *writer, toc_sequence *sequence, toc_mesh *mesh, toc_sink *sink) {
    TOC_TRY(write_first(writer, sink, writer->base.at));
    for (size_t i = 1; i < writer->frames; i++) {
        TOC_TRY(gltf_advance(sequence, i, mesh));
        if (toc_mesh_get_vertex_count(mesh) != writer->vertices)
            return toc_fail(TOC_BAD_INPUT, "%s: changed while it was read", toc_sequence_get_path(sequence, i));
        write_floats(sink, writer->vertices, toc_mesh_get_x1(mesh), writer->base.at);
    }
    write_keys(writer, sink);
    return TOC_OK;
}

/// Once to measure, once to write; the mesh moves from frame to frame, so it is read again.
static toc_status write_twice(glb_writer *writer, toc_sequence *sequence, toc_sink *sink) {
    toc_mesh *mesh;
    TOC_TRY(toc_sequence_read_first(sequence, &mesh));
    toc_status status = measure_frames(writer, sequence, mesh);
    toc_mesh_destroy(mesh);
    if (status != TOC_OK) return status;
    TOC_TRY(toc_sequence_read_first(sequence, &mesh));
    writer->mesh = mesh;
    status = gltf_write_frames(writer, sequence, mesh, sink);
    toc_mesh_destroy(mesh);
    return status;
}

toc_status toc_gltf_write_frames(toc_sink *sink, toc_sequence *sequence, double rate) {
    enum { MOST = 65536 }; // of keys times targets 32 bits are counted
    glb_writer writer = {
        .allocator = *toc_sink_allocator(sink), .frames = toc_sequence_get_frame_count(sequence), .rate = rate};
    writer.surface.allocator = writer.allocator;
    if (writer.frames > MOST)
        return toc_fail(TOC_BAD_INPUT, "%zu frames, but glTF holds %d at most", writer.frames, MOST);
    const toc_status status = write_twice(&writer, sequence, sink);
    free_writer(&writer);
    return status;
}

// Steps with contacts.

static glb_mark mark_of(const toc_point_table *table, size_t i) {
    const toc_contact *c = (const toc_contact *)table->items + i;
    glb_mark mark = {.toc = (float)c->toc, .kind = c->kind == TOC_EE};
    mark.time = (float)(table->places ? table->places[i].time : c->toc);
    for (int k = 0; k < 3; k++) {
        mark.point[k] = (float)c->point[k];
        mark.normal[k] = (float)c->normal[k];
    }
    return mark;
}

/// Numbers of a .glb are finite floats.
static toc_status check_mark(const glb_mark *mark, const toc_point_table *table, size_t i) {
    const toc_contact *c = (const toc_contact *)table->items + i;
    const double wide[] = {c->point[0], c->point[1], c->point[2], table->places ? table->places[i].time : c->toc};
    const float narrow[] = {mark->point[0], mark->point[1], mark->point[2], mark->time};
    for (int k = 0; k < 4; k++)
        if (!(fabsf(narrow[k]) <= FLT_MAX))
            return toc_fail(TOC_BAD_INPUT, "contact %zu: its %s %g is more than a float can hold", i,
                            k < 3 ? "coordinate" : "time", wide[k]);
    return TOC_OK;
}

/// The bounds of the contacts, behind those of the frames.
static toc_status measure_marks(glb_writer *writer) {
    glb_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (size_t i = 0; i < writer->contacts->count; i++) {
        const glb_mark mark = mark_of(writer->contacts, i);
        TOC_TRY(check_mark(&mark, writer->contacts, i));
        for (int k = 0; k < 3; k++) {
            if (mark.point[k] < box.low[k]) box.low[k] = mark.point[k];
            if (mark.point[k] > box.high[k]) box.high[k] = mark.point[k];
        }
    }
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->boxes, 1));
    writer->boxes.at[writer->boxes.count++] = box;
    return TOC_OK;
}

static void write_records(const glb_writer *writer, toc_sink *sink) {
    static const char zeros[8];
    for (size_t i = 0; i < writer->contacts->count; i++) {
        const glb_mark mark = mark_of(writer->contacts, i);
        toc_sink_little(sink, &mark, sizeof(float), sizeof mark / sizeof(float));
    }
    for (size_t k = 0; k < writer->array_count; k++) {
        for (size_t i = 0; i < writer->contacts->count; i++) writer->arrays[k].put(sink, writer->contacts, i);
        const uint64_t bytes = (uint64_t)writer->arrays[k].size * writer->contacts->count;
        toc_sink_write(sink, zeros, (size_t)(array_bytes(writer, k) - bytes));
    }
}

static toc_status write_step(glb_writer *writer, toc_sink *sink, const toc_mesh *mesh) {
    const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
    TOC_TRY(gltf_begin(writer, mesh, x0));
    TOC_TRY(gltf_measure(writer, x1, x0));
    if (has_marks(writer)) TOC_TRY(measure_marks(writer));
    TOC_TRY(write_first(writer, sink, x0));
    write_floats(sink, writer->vertices, x1, x0);
    write_keys(writer, sink);
    if (has_marks(writer)) write_records(writer, sink);
    return TOC_OK;
}

toc_status toc_gltf_write_step(toc_sink *sink, const toc_mesh *mesh, const toc_contacts *contacts,
                               const toc_place *places) {
    const toc_point_table table = {contacts->count, contacts->contacts, places, 4, NULL};
    glb_writer writer = {.allocator = *toc_sink_allocator(sink), .frames = 2, .rate = 1, .contacts = &table};
    writer.surface.allocator = writer.allocator;
    writer.array_count = toc_contact_arrays(&table, writer.arrays);
    const toc_status status = write_step(&writer, sink, mesh);
    free_writer(&writer);
    return status;
}
