// SPDX-License-Identifier: Apache-2.0
// Write glTF as a .glb: the surface of a mesh. Each frame of a motion is a morph target, with an animation that goes
// from one to the next in straight lines, as the vertices do. Faces that are not there in all steps, and the contacts
// of a step among others, are nodes of their own, whose scale is 0 while they are hidden.
//
// Coordinates are floats in glTF: the start of each frame is within half of a float's last digit. All data are in one
// buffer in the order of their declaration. After the glTF 2.0 specification, Khronos 2021.
#include "io/gltf/write.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "io/core/decimal.h"
#include "io/core/format.h"
#include "io/core/renumber.h"
#include "io/core/surface.h"
#include "io/gltf/collect.h"
#include "io/gltf/vertex_data.h"
#include "mesh/mesh.h"

enum { ROOM = 1024 };
typedef toc_animation glb_writer;
enum { MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942 };
enum {
    FLOAT = 5126,
    UINT = 5125,
    USHORT = 5123,
    VERTICES = 34962,
    INDICES = 34963,
    POINTS = 0,
    LINES = 1,
    TRIANGLES = 4
};
enum { VIEW_POSITIONS, VIEW_CORNERS, VIEW_SHIFTS, VIEW_TIMES, VIEW_ONES, VIEW_SHOWN, VIEW_MARKS, VIEW_RECORDS };
enum { VIEW_VELOCITIES = VIEW_RECORDS + 1, VIEW_LABELS, VIEWS };

// ---- primitives

static toc_status open_glb_body(glb_writer *writer, const toc_lifetime *item) {
    const size_t count = writer->bodies.count;
    const toc_glb_body *last = count > 0 ? &writer->bodies.at[count - 1] : NULL;
    if (last && last->span.birth == item->birth && last->span.death == item->death) return TOC_OK;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->bodies, 1));
    writer->bodies.at[writer->bodies.count++] =
        (toc_glb_body){.span = {item->birth, item->death}, .first = writer->primitives.count};
    return TOC_OK;
}

/// The primitive for elements of this mode and group: the last of the body, or a new one.
static toc_status find_primitive(glb_writer *writer, int mode, int32_t group, toc_glb_primitive **out) {
    assert(0 <= mode && mode <= 6);
    toc_glb_body *body = &writer->bodies.at[writer->bodies.count - 1];
    *out = body->count > 0 ? &writer->primitives.at[writer->primitives.count - 1] : NULL;
    if (*out && (*out)->mode == mode && (*out)->group == group) return TOC_OK;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->primitives, 1));
    *out = &writer->primitives.at[writer->primitives.count++];
    **out = (toc_glb_primitive){mode, group, 0};
    body->count++;
    return TOC_OK;
}

static toc_status add_corners(glb_writer *writer, int mode, int32_t group, size_t count, const uint32_t *corners) {
    assert(corners && count > 0);
    toc_glb_primitive *primitive;
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->corners, count));
    TOC_TRY(find_primitive(writer, mode, group, &primitive));
    memcpy(writer->corners.at + writer->corners.count, corners, count * sizeof *corners);
    writer->corners.count += count;
    primitive->corners += count;
    return TOC_OK;
}

static toc_status add_item(glb_writer *writer, const toc_lifetime *item) {
    uint32_t triangles[2][3];
    TOC_TRY(open_glb_body(writer, item));
    if (item->corner_count < 3)
        return add_corners(writer, item->corner_count == 2 ? LINES : POINTS, 0, item->corner_count, item->corners);
    if (item->corner_count == 3) return add_corners(writer, TRIANGLES, item->group, 3, item->corners);
    toc_surface_face face = {.group = item->group, .corner_count = 4};
    memcpy(face.corners, item->corners, sizeof face.corners);
    const size_t count = (size_t)toc_surface_split(&face, triangles);
    return add_corners(writer, TRIANGLES, item->group, 3 * count, triangles[0]);
}

static toc_status make_primitives(glb_writer *writer) {
    toc_lifetimes *lifetimes = &writer->lifetimes;
    TOC_TRY(toc_lifetimes_finish(lifetimes, (uint32_t)toc_glb_count_steps(writer)));
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->corners, 3 * lifetimes->ended.count));
    for (size_t i = 0; i < lifetimes->ended.count; i++) TOC_TRY(add_item(writer, &lifetimes->ended.at[i]));
    if (writer->bodies.count > 0) return TOC_OK;
    return open_glb_body(writer, &(toc_lifetime){.death = (uint32_t)toc_glb_count_steps(writer)}); // no element at all
}

// ---- nodes that are hidden at times

static bool is_hidden_at_times(const glb_writer *writer, const toc_glb_span *span) {
    return span->birth > 0 || span->death < toc_glb_count_steps(writer);
}

static toc_glb_span span_of_marks(const glb_writer *writer, size_t i) {
    return (toc_glb_span){writer->marks.at[i].step, writer->marks.at[i].step + 1};
}

/// Keys: hidden at the start, unless it begins there; shown from its birth on; hidden at its death, if it has one.
static int list_keys(const glb_writer *writer, const toc_glb_span *span, float times[3], bool shown[3]) {
    int count = 0;
    if (span->birth > 0) {
        times[count] = 0;
        shown[count++] = false;
    }
    times[count] = (float)((double)span->birth / writer->rate);
    shown[count++] = true;
    if (span->death < toc_glb_count_steps(writer)) {
        times[count] = (float)((double)span->death / writer->rate);
        shown[count++] = false;
    }
    return count;
}

/// A length from which nothing is seen.
static float far_away(const glb_writer *writer) {
    const toc_glb_box *box = &writer->boxes.at[0];
    double size = 1;
    for (int k = 0; k < 3 && box->low[k] <= box->high[k]; k++) size += (double)box->high[k] - (double)box->low[k];
    return (float)fmin(1e4 * size, 1e30);
}

/// Faces of scale 0 have no pixel. A point would have one, so points go far away.
static bool is_marks(const glb_writer *writer, size_t node) { return node >= writer->bodies.count; }

static toc_status add_shown(glb_writer *writer, size_t node, const toc_glb_span *span) {
    float times[3];
    bool shown[3];
    const int count = list_keys(writer, span, times, shown);
    const float away = far_away(writer);
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->shown, 4 * (size_t)count));
    float *to = writer->shown.at + writer->shown.count;
    for (int i = 0; i < count; i++) *to++ = times[i];
    for (int i = 0; i < 3 * count; i++)
        *to++ = is_marks(writer, node) ? (shown[i / 3] ? 0 : away) : (float)shown[i / 3];
    writer->shown.count += 4 * (size_t)count;
    return TOC_OK;
}

/// Call for each node that is hidden at times, in the order of the nodes.
typedef toc_status hidden_call(glb_writer *writer, size_t node, const toc_glb_span *span);

static toc_status for_each_hidden(glb_writer *writer, hidden_call *call) {
    const size_t bodies = writer->bodies.count;
    for (size_t i = 0; i < bodies; i++)
        if (is_hidden_at_times(writer, &writer->bodies.at[i].span))
            TOC_TRY(call(writer, i, &writer->bodies.at[i].span));
    for (size_t i = 0; i < writer->marks.count; i++) {
        const toc_glb_span span = span_of_marks(writer, i);
        if (is_hidden_at_times(writer, &span)) TOC_TRY(call(writer, bodies + i, &span));
    }
    return TOC_OK;
}

static size_t count_hidden(const glb_writer *writer) {
    size_t count = 0;
    for (size_t i = 0; i < writer->bodies.count; i++) count += is_hidden_at_times(writer, &writer->bodies.at[i].span);
    for (size_t i = 0; i < writer->marks.count; i++) {
        const toc_glb_span span = span_of_marks(writer, i);
        count += is_hidden_at_times(writer, &span);
    }
    return count;
}

// ---- the JSON, composed in memory because its length precedes it

static toc_status gltf_add_text(glb_writer *writer, const char *text, size_t count) {
    assert(text || count == 0);
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

static bool has_marks(const glb_writer *writer) { return writer->contacts.count > 0; }

/// The bytes of an array of contacts, with those that fill it up to a multiple of 8.
static uint64_t array_bytes(const glb_writer *writer, size_t i) {
    return ((uint64_t)toc_column_bytes(&writer->arrays[i].column) * writer->contacts.count + 7) / 8 * 8;
}

/// The bytes of each part of the buffer; a part without any has no view.
static void find_view_sizes(const glb_writer *writer, uint64_t sizes[VIEWS]) {
    const uint64_t frames = writer->frames, marks = writer->contacts.count;
    memset(sizes, 0, VIEWS * sizeof *sizes);
    sizes[VIEW_POSITIONS] = 12 * (uint64_t)writer->vertices;
    sizes[VIEW_CORNERS] = 4 * (uint64_t)writer->corners.count;
    sizes[VIEW_SHIFTS] = sizes[VIEW_POSITIONS] * (frames - 1);
    sizes[VIEW_TIMES] = frames > 1 ? 4 * frames : 0;
    sizes[VIEW_ONES] = 8 * (frames - 1);
    sizes[VIEW_SHOWN] = sizeof(float) * (uint64_t)writer->shown.count;
    sizes[VIEW_MARKS] = sizeof(toc_glb_mark) * marks;
    for (size_t i = 0; i < writer->array_count && marks > 0; i++) sizes[VIEW_RECORDS] += array_bytes(writer, i);
    if (writer->velocities) sizes[VIEW_VELOCITIES] = TOC_GLTF_VELOCITY_BYTES * (uint64_t)writer->vertices;
    if (writer->labelled) sizes[VIEW_LABELS] = TOC_GLTF_LABEL_BYTES * (uint64_t)writer->vertices;
}

/// The number of a view among those that are there. Positions and corners always are.
static int view_index(const glb_writer *writer, int view) {
    const bool hides = count_hidden(writer) > 0;
    if (view <= VIEW_SHOWN) return view;
    if (view == VIEW_LABELS && !writer->velocities) view--;
    if (view >= VIEW_VELOCITIES && !has_marks(writer)) view -= 2;
    return view - (writer->frames > 1 ? 0 : 3) - !hides;
}

/// Accessors: the positions, the corners of each primitive, the displacements of each frame, times, weights, the keys
/// and scales of hidden nodes, the attributes of contacts, and the velocities and numbers of the vertices.
static size_t first_shift(const glb_writer *writer) { return 1 + writer->primitives.count; }
static size_t times_accessor(const glb_writer *writer) { return first_shift(writer) + writer->frames - 1; }
static size_t shown_accessor(const glb_writer *writer) { return times_accessor(writer) + (writer->frames > 1 ? 2 : 0); }

static size_t marks_accessor(const glb_writer *writer) { return shown_accessor(writer) + 2 * count_hidden(writer); }

enum { MARK_ATTRIBUTES = 5 };

static size_t vertex_data_accessor(const glb_writer *writer) {
    return marks_accessor(writer) + writer->marks.count * MARK_ATTRIBUTES;
}

static toc_status print_vertex_data(glb_writer *writer) {
    size_t accessor = vertex_data_accessor(writer);
    if (writer->velocities) TOC_TRY(print(writer, ",\"" TOC_GLTF_VELOCITY "\":%zu", accessor++));
    return writer->labelled ? print(writer, ",\"" TOC_GLTF_LABEL "\":%zu", accessor) : TOC_OK;
}

static toc_status print_vertex_accessor(glb_writer *writer, int view, int type, const char *shape) {
    return print(writer, ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"}",
                 view_index(writer, view), type, writer->vertices, shape);
}

static toc_status print_primitive(glb_writer *writer, size_t i, bool is_first) {
    assert(i < writer->primitives.count);
    const toc_glb_primitive *primitive = &writer->primitives.at[i];
    const char *name = toc_glb_find_name(writer, primitive->group);
    TOC_TRY(print(writer, "%s{\"attributes\":{\"POSITION\":0", is_first ? "" : ","));
    TOC_TRY(print_vertex_data(writer));
    TOC_TRY(print(writer, "},\"indices\":%zu,\"mode\":%d", i + 1, primitive->mode));
    for (size_t k = 1; k < writer->frames; k++)
        TOC_TRY(print(writer, "%s{\"POSITION\":%zu}", k == 1 ? ",\"targets\":[" : ",", first_shift(writer) + k - 1));
    TOC_TRY(print(writer, "%s,\"extras\":{\"group\":%d", writer->frames > 1 ? "]" : "", (int)primitive->group));
    if (name) TOC_TRY(print_name(writer, name));
    return gltf_add_text(writer, "}}", 2);
}

static toc_status print_vectors(glb_writer *writer, int view, size_t place, const toc_glb_box *box) {
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

static toc_status print_shown_accessors(glb_writer *writer, size_t node, const toc_glb_span *span) {
    float times[3];
    bool shown[3];
    char end[TOC_DECIMAL_SIZE];
    const int count = list_keys(writer, span, times, shown);
    toc_decimal_write(end, (double)times[count - 1]);
    TOC_TRY(print(writer, ",{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%d", VIEW_SHOWN,
                  writer->shown.count * sizeof(float), FLOAT, count));
    TOC_TRY(print(writer, ",\"type\":\"SCALAR\",\"min\":[0],\"max\":[%s]}", end));
    TOC_TRY(print(writer, ",{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%d", VIEW_SHOWN,
                  (writer->shown.count + (size_t)count) * sizeof(float), FLOAT, count));
    TOC_TRY(print(writer, ",\"type\":\"VEC3\"}"));
    return add_shown(writer, node, span);
}

/// Attributes of contacts: names that begin with an underscore are free in glTF.
static const struct {
    const char *name;
    int components;
    size_t offset;
} mark_attributes[] = {{"POSITION", 3, offsetof(toc_glb_mark, point)},
                       {"NORMAL", 3, offsetof(toc_glb_mark, normal)},
                       {"_TOC", 1, offsetof(toc_glb_mark, toc)},
                       {"_TIME", 1, offsetof(toc_glb_mark, time)},
                       {"_KIND", 1, offsetof(toc_glb_mark, kind)}};

_Static_assert(sizeof mark_attributes / sizeof *mark_attributes == MARK_ATTRIBUTES, "attributes of a contact");

static toc_status print_mark_accessors(glb_writer *writer, const toc_glb_marks *marks) {
    const size_t begin = marks->first * sizeof(toc_glb_mark);
    for (int i = 0; i < MARK_ATTRIBUTES; i++) {
        TOC_TRY(print(writer, ",{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"count\":%zu",
                      view_index(writer, VIEW_MARKS), begin + mark_attributes[i].offset, FLOAT, marks->count));
        TOC_TRY(print(writer, ",\"type\":\"%s\"", mark_attributes[i].components == 3 ? "VEC3" : "SCALAR"));
        if (i == 0) TOC_TRY(print_floats(writer, "min", marks->box.low));
        if (i == 0) TOC_TRY(print_floats(writer, "max", marks->box.high));
        TOC_TRY(print(writer, "}"));
    }
    return TOC_OK;
}

/// A mesh of contacts: one point each. Its extras keep readers of ours from taking it for a body.
static toc_status print_marks(glb_writer *writer, size_t m) {
    const size_t first = marks_accessor(writer) + m * MARK_ATTRIBUTES;
    TOC_TRY(print(writer, ",{\"name\":\"contacts\",\"extras\":{\"contacts\":true},\"primitives\":[{\"attributes\":{"));
    for (int i = 0; i < MARK_ATTRIBUTES; i++)
        TOC_TRY(print(writer, "%s\"%s\":%zu", i ? "," : "", mark_attributes[i].name, first + (size_t)i));
    return print(writer, "},\"mode\":%d}]}", POINTS);
}

/// The exact numbers of the contacts: where each array begins in its view, and of a sequence the number of each step.
static toc_status print_records(glb_writer *writer) {
    uint64_t offset = 0;
    TOC_TRY(print(writer, ",\"extras\":{\"contacts\":{\"count\":%zu", writer->contacts.count));
    for (size_t i = 0; i < writer->by_step.count && writer->is_sequence; i++)
        TOC_TRY(print(writer, "%s%zu", i ? "," : ",\"steps\":[", writer->by_step.at[i]));
    if (writer->is_sequence) TOC_TRY(print(writer, "]"));
    if (has_marks(writer)) TOC_TRY(print(writer, ",\"bufferView\":%d", view_index(writer, VIEW_RECORDS)));
    TOC_TRY(print(writer, ",\"arrays\":["));
    for (size_t i = 0; i < writer->array_count && has_marks(writer); offset += array_bytes(writer, i++))
        TOC_TRY(print(writer, "%s{\"name\":\"%s\",\"type\":\"%s\",\"components\":%d,\"byteOffset\":%llu}", i ? "," : "",
                      writer->arrays[i].column.name, toc_column_number_name(&writer->arrays[i].column),
                      (int)writer->arrays[i].column.count, (unsigned long long)offset));
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
    TOC_TRY(for_each_hidden(writer, print_shown_accessors));
    for (size_t i = 0; i < writer->marks.count; i++) TOC_TRY(print_mark_accessors(writer, &writer->marks.at[i]));
    if (writer->velocities) TOC_TRY(print_vertex_accessor(writer, VIEW_VELOCITIES, FLOAT, "VEC3"));
    if (writer->labelled) TOC_TRY(print_vertex_accessor(writer, VIEW_LABELS, USHORT, "VEC4"));
    return print(writer, "]");
}

static toc_status print_views(glb_writer *writer) {
    uint64_t sizes[VIEWS], offset = 0;
    find_view_sizes(writer, sizes);
    TOC_TRY(print(writer, ",\"bufferViews\":["));
    for (int i = 0; i < VIEWS; offset += sizes[i++]) {
        if (sizes[i] == 0 && i > VIEW_CORNERS) continue;
        TOC_TRY(print(writer, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", i ? "," : "",
                      (unsigned long long)offset, (unsigned long long)sizes[i]));
        if (i == VIEW_SHIFTS) TOC_TRY(print(writer, ",\"byteStride\":12"));
        if (i == VIEW_MARKS) TOC_TRY(print(writer, ",\"byteStride\":%zu", sizeof(toc_glb_mark)));
        if (i <= VIEW_SHIFTS || i == VIEW_MARKS || i > VIEW_RECORDS)
            TOC_TRY(print(writer, ",\"target\":%d", i == VIEW_CORNERS ? INDICES : VERTICES));
        TOC_TRY(print(writer, "}"));
    }
    return print(writer, "],\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)offset);
}

/// Its sampler is numbered behind that of the weights.
static toc_status print_hidden_channel(glb_writer *writer, size_t node, const toc_glb_span *span) {
    (void)span;
    return print(writer, ",{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", ++writer->sampler, node,
                 is_marks(writer, node) ? "translation" : "scale");
}

static toc_status print_hidden_sampler(glb_writer *writer, size_t node, const toc_glb_span *span) {
    const size_t input = shown_accessor(writer) + 2 * writer->sampler++;
    (void)node;
    (void)span;
    return print(writer, ",{\"input\":%zu,\"output\":%zu,\"interpolation\":\"STEP\"}", input, input + 1);
}

static toc_status print_animation(glb_writer *writer) {
    const size_t times = times_accessor(writer);
    TOC_TRY(print(writer, ",\"animations\":[{\"channels\":["));
    for (size_t i = 0; i < writer->bodies.count; i++)
        TOC_TRY(print(writer, "%s{\"sampler\":0,\"target\":{\"node\":%zu,\"path\":\"weights\"}}", i ? "," : "", i));
    writer->sampler = 0;
    TOC_TRY(for_each_hidden(writer, print_hidden_channel));
    TOC_TRY(print(writer, "],\"samplers\":[{\"input\":%zu,\"output\":%zu}", times, times + 1));
    writer->sampler = 0;
    TOC_TRY(for_each_hidden(writer, print_hidden_sampler));
    return print(writer, "]}]");
}

/// A node for each mesh. Readers of ours refuse bodies that are there in some steps only: they would be at one place
/// while they are hidden.
static toc_status print_nodes(glb_writer *writer) {
    const size_t bodies = writer->bodies.count, count = bodies + writer->marks.count;
    TOC_TRY(print(writer, ",\"scenes\":[{\"nodes\":["));
    for (size_t i = 0; i < count; i++) TOC_TRY(print(writer, "%s%zu", i ? "," : "", i));
    TOC_TRY(print(writer, "]}],\"nodes\":["));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(print(writer, "%s{\"mesh\":%zu", i ? "," : "", i));
        if (i >= bodies) TOC_TRY(print(writer, ",\"name\":\"contacts\""));
        if (i < bodies && is_hidden_at_times(writer, &writer->bodies.at[i].span))
            TOC_TRY(print(writer, ",\"extras\":{\"toccata_steps\":[%zu,%zu]}", writer->bodies.at[i].span.birth,
                          writer->bodies.at[i].span.death));
        TOC_TRY(print(writer, "}"));
    }
    return print(writer, "]");
}

static toc_status print_body(glb_writer *writer, size_t i) {
    const toc_glb_body *body = &writer->bodies.at[i];
    TOC_TRY(print(writer, "%s{\"extras\":{\"weld\":false},\"primitives\":[", i ? "," : ""));
    for (size_t k = 0; k < body->count; k++) TOC_TRY(print_primitive(writer, body->first + k, k == 0));
    return print(writer, "]}");
}

static toc_status print_all(glb_writer *writer) {
    TOC_TRY(print(writer, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"toccata\"},\"scene\":0"));
    TOC_TRY(print_nodes(writer));
    if (writer->has_contacts) TOC_TRY(print_records(writer));
    TOC_TRY(print(writer, ",\"meshes\":["));
    for (size_t i = 0; i < writer->bodies.count; i++) TOC_TRY(print_body(writer, i));
    for (size_t i = 0; i < writer->marks.count; i++) TOC_TRY(print_marks(writer, i));
    TOC_TRY(print(writer, "]"));
    TOC_TRY(print_accessors(writer));
    TOC_TRY(print_views(writer));
    if (writer->frames > 1) TOC_TRY(print_animation(writer));
    TOC_TRY(print(writer, "}"));
    while (writer->json.count % 4 != 0) TOC_TRY(print(writer, " "));
    return TOC_OK;
}

// ---- the file

static void write_u32(toc_sink *sink, uint32_t x) { toc_sink_little(sink, &x, sizeof x, 1); }

/// The header, the JSON and the beginning of the binary part.
static toc_status write_head(const glb_writer *writer, toc_sink *sink) {
    uint64_t sizes[VIEWS], bytes = 0;
    find_view_sizes(writer, sizes);
    for (int i = 0; i < VIEWS; i++) bytes += sizes[i];
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

static void write_base(const glb_writer *writer, toc_sink *sink) {
    float values[3 * ROOM];
    for (size_t first = 0; first < writer->vertices; first += ROOM) {
        const size_t count = writer->vertices - first < ROOM ? writer->vertices - first : ROOM;
        toc_glb_make_floats(writer->base.at, NULL, first, count, values);
        toc_sink_little(sink, values, sizeof *values, 3 * count);
    }
}

/// Vertices that come later do not move before.
static void write_absent(toc_sink *sink, size_t count) {
    static const float zeros[3];
    for (size_t i = 0; i < count; i++) toc_sink_little(sink, zeros, sizeof *zeros, 3);
}

static toc_status write_stored(glb_writer *writer, toc_sink *sink, size_t vertices) {
    float values[3 * ROOM];
    for (size_t left = 3 * vertices, count; left > 0; left -= count) {
        count = left < 3 * ROOM ? left : 3 * ROOM;
        if (fread(values, sizeof *values, count, writer->before) != count)
            return toc_fail(TOC_BAD_INPUT, "the temporary file for frames cannot be read: %s", strerror(errno));
        toc_sink_little(sink, values, sizeof *values, count);
    }
    return TOC_OK;
}

static toc_status write_shifts(glb_writer *writer, toc_sink *sink) {
    const size_t frames = writer->counts.count;
    errno = 0;
    if (writer->before) rewind(writer->before);
    for (size_t i = 0; i < frames; i++) {
        const size_t vertices = writer->counts.at[i];
        if (i + 1 < frames) TOC_TRY(write_stored(writer, sink, vertices));
        if (i + 1 == frames) toc_sink_little(sink, writer->last.at, sizeof *writer->last.at, writer->last.count);
        write_absent(sink, writer->vertices - vertices);
    }
    return TOC_OK;
}

static void write_keys(const glb_writer *writer, toc_sink *sink) {
    const float one = 1;
    if (writer->frames == 1) return;
    for (size_t i = 0; i < writer->frames; i++) {
        const float time = (float)((double)i / writer->rate);
        toc_sink_little(sink, &time, sizeof time, 1);
    }
    for (size_t i = 1; i < writer->frames; i++) write_u32(sink, (uint32_t)(i * (writer->frames - 1) + i - 1));
    for (size_t i = 1; i < writer->frames; i++) toc_sink_little(sink, &one, sizeof one, 1);
}

static void write_records(const glb_writer *writer, toc_sink *sink) {
    static const char zeros[8];
    for (size_t m = 0; m < writer->marks.count; m++) {
        const toc_glb_marks *marks = &writer->marks.at[m];
        for (size_t i = marks->first; i < marks->first + marks->count; i++) {
            const toc_place *place = writer->places.count ? &writer->places.at[i] : NULL;
            const toc_glb_mark mark = toc_glb_make_mark(&writer->contacts.at[i], place, marks->step, writer->rate);
            toc_sink_little(sink, &mark, sizeof(float), sizeof mark / sizeof(float));
        }
    }
    for (size_t k = 0; k < writer->array_count; k++) {
        for (size_t i = 0; i < writer->contacts.count; i++)
            toc_table_write(&writer->table, &writer->arrays[k], i, sink);
        const uint64_t bytes = (uint64_t)toc_column_bytes(&writer->arrays[k].column) * writer->contacts.count;
        toc_sink_write(sink, zeros, (size_t)(array_bytes(writer, k) - bytes));
    }
}

static void take_table(glb_writer *writer) {
    writer->table = (toc_table){toc_answer_type_of(TOC_ITEM_CONTACT), writer->contacts.count, writer->contacts.at,
                                writer->places.count ? writer->places.at : NULL, NULL};
    writer->array_count = toc_table_arrays(&writer->table, writer->arrays);
}

toc_status toc_glb_write(toc_animation *writer, toc_sink *sink) {
    take_table(writer);
    TOC_TRY(make_primitives(writer));
    TOC_TRY(print_all(writer));
    TOC_TRY(write_head(writer, sink));
    write_base(writer, sink);
    toc_sink_little(sink, writer->corners.at, sizeof *writer->corners.at, writer->corners.count);
    TOC_TRY(write_shifts(writer, sink));
    write_keys(writer, sink);
    toc_sink_little(sink, writer->shown.at, sizeof *writer->shown.at, writer->shown.count);
    if (has_marks(writer)) write_records(writer, sink);
    if (writer->velocities) TOC_TRY(toc_gltf_velocities_write(sink, writer->velocities, writer->vertices));
    if (writer->labelled) toc_gltf_labels_write(sink, writer->labelled, writer->vertices);
    return TOC_OK;
}

toc_status toc_gltf_write(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const bool vertices = toc_mesh_get_vertex_count(mesh) > 0;
    glb_writer writer = {.allocator = *toc_sink_allocator(sink),
                         .rate = 1,
                         .labelled = vertices && toc_mesh_is_labelled(mesh) ? mesh : NULL,
                         .velocities = vertices ? toc_sink_velocities(sink) : NULL};
    toc_status status = toc_glb_begin(&writer, mesh, x);
    if (status == TOC_OK) status = toc_glb_write(&writer, sink);
    toc_glb_free(&writer);
    return status;
}
