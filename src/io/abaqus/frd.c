// SPDX-License-Identifier: Apache-2.0
// CalculiX results (.frd), text and binary: nodes, elements, and the displacements of each increment as frames.
//
// The format has columns of fixed width, and blocks in binary between lines of text. Opening a file finds its blocks;
// a frame is read on request. The state without displacements comes first. Names of parts are in the deck alone: the
// .inp file beside the result gives each element its group, by the number of the element. Modes of vibration and
// buckling are no motion, and are passed over.
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "io/core/card.h"
#include "io/core/fields.h"
#include "io/core/labels.h"
#include "io/core/solid.h"
#include "mesh/shape.h"

enum {
    KEY = 3,          // columns of " -1"
    NUMBER = 12,      // columns of a real
    MOST_NODES = 20,  // of an element
    MOST_FIELDS = 64, // of a result
    SHOWN_FIELDS = 6, // of a result at most, on one line of text
    SHORT = 0,        // formats: text in narrow columns,
    LONG = 1,         // text in wide columns,
    FLOATS = 2,       // binary,
    DOUBLES = 3,      // binary
};

/// A block of a value for each node.
typedef struct frd_block {
    const char *at; // its first value; NULL where there is none
    size_t count;   // nodes
    int format;
    int fields; // of a node
} frd_block;

typedef struct frd_frame {
    double time;
    int64_t increment;
    frd_block displacement, velocity;
} frd_frame;

/// Any other result, for the frame of its time and increment.
typedef struct frd_result {
    double time;
    int64_t increment;
    char name[9];
    frd_block block;
} frd_result;

typedef struct frd_material {
    int64_t number;
    char name[81];
} frd_material;

typedef struct frd {
    toc_allocator allocator;
    char *path;
    size_t path_size;
    toc_source source;
    bool is_open;
    frd_block nodes, elements;
    toc_labels labels; // of the nodes
    double *rest;      // 3 for each node
    bool rests_first;  // the state without displacements is a frame
    TOC_ARRAY(frd_frame) frames;
    TOC_ARRAY(frd_result) results;
    TOC_ARRAY(frd_material) materials;
} frd;

// ---- lines

static toc_text columns(const toc_source *s, size_t first, size_t width) {
    assert(s->at <= s->end);
    const char *end = memchr(s->at, '\n', (size_t)(s->end - s->at)), *at = s->at;
    if (!end) end = s->end;
    const size_t length = (size_t)(end - at);
    if (first >= length) return (toc_text){end, 0};
    at += first;
    if (width < (size_t)(end - at)) end = at + width;
    while (at < end && toc_is_blank(*at)) at++;
    while (end > at && toc_is_blank(end[-1])) end--;
    return (toc_text){at, (size_t)(end - at)};
}

static bool begins_with(const toc_source *s, const char *key) {
    return (size_t)(s->end - s->at) >= strlen(key) && memcmp(s->at, key, strlen(key)) == 0;
}

static toc_status column_integer(toc_source *s, size_t first, size_t width, const char *what, int64_t *out) {
    const toc_text field = columns(s, first, width);
    if (toc_field_integer(field, out)) return TOC_OK;
    return toc_field_fail(s, field, what);
}

/// The count and the format of a block, in the columns that all heads share.
static toc_status frd_read_head(toc_source *s, size_t format_column, frd_block *b) {
    int64_t count, format;
    TOC_TRY(column_integer(s, 24, 12, "a number of nodes or elements", &count));
    TOC_TRY(column_integer(s, format_column, 2, "a format", &format));
    if (count < 0) return toc_source_fail(s, "a block of %lld items cannot be", (long long)count);
    if (format < SHORT || format > DOUBLES) return toc_source_fail(s, "the format %lld is unknown", (long long)format);
    b->count = (uint64_t)count;
    b->format = (int)format;
    return toc_source_check_count(s, b->count, KEY + 1, "items");
}

static bool frd_in_text(const frd_block *b) { return b->format <= LONG; }

static toc_status expect_line(toc_source *s, const char *what) {
    return toc_source_next_line(s) ? TOC_OK : toc_source_fail(s, "the file ends within %s", what);
}

/// Pass over the lines of a block in text, or the bytes of one in binary, which ends without a line of its own.
static toc_status pass_items(toc_source *s, const frd_block *b, size_t bytes, const char *what) {
    assert(frd_in_text(b) || bytes > 0);
    if (frd_in_text(b)) {
        while (!begins_with(s, " -3")) TOC_TRY(expect_line(s, what));
        toc_source_next_line(s);
        return TOC_OK;
    }
    if (b->count > toc_source_left(s) / bytes)
        return toc_source_fail_byte(s, "%zu %s of %zu bytes do not fit in the rest of the file", b->count, what, bytes);
    s->at += b->count * bytes;
    return TOC_OK;
}

static size_t bytes_of_real(const frd_block *b) { return b->format == DOUBLES ? 8 : 4; }

/// Fail at an item of a block.
static toc_status fail_node(toc_source *s, const frd_block *b, const char *at, const char *what, int64_t node) {
    s->at = at;
    return frd_in_text(b) ? toc_source_fail(s, "%s node %lld, which has no coordinates", what, (long long)node)
                          : toc_source_fail_byte(s, "%s node %lld, which has no coordinates", what, (long long)node);
}

/// The end of a block in text after all of its items.
static toc_status expect_end(toc_source *s, const frd_block *b) {
    if (!frd_in_text(b) || begins_with(s, " -3")) return TOC_OK;
    return toc_source_fail(s, "the block has more than the %zu items that its head promises", b->count);
}

// ---- elements

typedef struct frd_type {
    toc_shape shape;
    size_t nodes;
} frd_type;

/// By their numbers in the file, from 1.
static const frd_type types[] = {
    {TOC_REMOVED, 0},  {TOC_HEX, 8},      {TOC_WEDGE, 6}, {TOC_TET, 4},  {TOC_HEX, 20}, {TOC_WEDGE, 15}, {TOC_TET, 10},
    {TOC_TRIANGLE, 3}, {TOC_TRIANGLE, 6}, {TOC_QUAD, 4},  {TOC_QUAD, 8}, {TOC_EDGE, 2}, {TOC_EDGE, 3},
};

typedef struct frd_element {
    int64_t label, type, material, nodes[MOST_NODES];
} frd_element;

static toc_status check_type(toc_source *s, int64_t type) {
    if (type >= 1 && type < (int64_t)(sizeof types / sizeof *types)) return TOC_OK;
    return toc_source_fail(s, "elements of type %lld are not read", (long long)type);
}

/// The nodes are on lines of their own, as many as fit in 150 or 100 columns.
static toc_status read_element_text(toc_source *s, const frd_block *b, frd_element *e) {
    const size_t width = b->format == LONG ? 10 : 5, line = b->format == LONG ? 10 : 15;
    if (!begins_with(s, " -1")) return toc_source_fail(s, "an element was expected");
    TOC_TRY(column_integer(s, KEY, width, "the number of an element", &e->label));
    TOC_TRY(column_integer(s, KEY + width, 5, "the type of an element", &e->type));
    TOC_TRY(column_integer(s, KEY + width + 10, 5, "a material", &e->material));
    TOC_TRY(check_type(s, e->type));
    for (size_t i = 0; i < types[e->type].nodes; i++) {
        if (i % line == 0) {
            TOC_TRY(expect_line(s, "the elements"));
            if (!begins_with(s, " -2")) return toc_source_fail(s, "the nodes of an element were expected");
        }
        TOC_TRY(column_integer(s, KEY + i % line * width, width, "a node", &e->nodes[i]));
    }
    return expect_line(s, "the elements");
}

static toc_status frd_take_integer(toc_source *s, int64_t *out) {
    if (toc_source_left(s) < 4) return toc_source_fail_byte(s, "the file ends within the elements");
    *out = (int32_t)toc_load_u32(s->at, false);
    s->at += 4;
    return TOC_OK;
}

static toc_status read_element_binary(toc_source *s, frd_element *e) {
    int64_t group;
    TOC_TRY(frd_take_integer(s, &e->label));
    TOC_TRY(frd_take_integer(s, &e->type));
    TOC_TRY(frd_take_integer(s, &group));
    TOC_TRY(frd_take_integer(s, &e->material));
    if (e->type < 1 || e->type >= (int64_t)(sizeof types / sizeof *types))
        return toc_source_fail_byte(s, "elements of type %lld are not read", (long long)e->type);
    for (size_t i = 0; i < types[e->type].nodes; i++) TOC_TRY(frd_take_integer(s, &e->nodes[i]));
    return TOC_OK;
}

static toc_status read_element(toc_source *s, const frd_block *b, frd_element *e) {
    return frd_in_text(b) ? read_element_text(s, b, e) : read_element_binary(s, e);
}

/// Elements in binary have no common length, so that each is read to find the next block.
static toc_status pass_elements(frd *f) {
    toc_source *s = &f->source;
    frd_element e;
    if (frd_in_text(&f->elements)) return pass_items(s, &f->elements, 0, "elements");
    TOC_TRY(toc_source_check_count(s, f->elements.count, 16, "elements"));
    for (size_t i = 0; i < f->elements.count; i++) TOC_TRY(read_element_binary(s, &e));
    return TOC_OK;
}

// ---- values of nodes

/// A node and its first values.
static toc_status frd_read_values(toc_source *s, const frd_block *b, size_t count, int64_t *label, double *values) {
    if (frd_in_text(b)) {
        const size_t width = b->format == LONG ? 10 : 5;
        if (!begins_with(s, " -1")) return toc_source_fail(s, "a node and its values were expected");
        TOC_TRY(column_integer(s, KEY, width, "the number of a node", label));
        for (size_t k = 0; k < count; k++) {
            const toc_text field = columns(s, KEY + width + NUMBER * k, NUMBER);
            if (!toc_field_real(field, &values[k]) || !isfinite(values[k])) return toc_field_fail(s, field, "a number");
        }
        return expect_line(s, "the values of nodes");
    }
    const size_t bytes = bytes_of_real(b);
    assert((size_t)b->fields >= count);
    if (toc_source_left(s) < 4 + bytes * (size_t)b->fields)
        return toc_source_fail_byte(s, "the file ends within the values of nodes");
    *label = (int32_t)toc_load_u32(s->at, false);
    for (size_t k = 0; k < count; k++) {
        const char *at = s->at + 4 + bytes * k;
        values[k] = bytes == 8 ? toc_load_f64(at, false) : (double)toc_load_f32(at, false);
        if (!isfinite(values[k]))
            return toc_source_fail_byte(s, "a value of node %lld is not finite", (long long)*label);
    }
    s->at += 4 + bytes * (size_t)b->fields;
    return TOC_OK;
}

/// Put the three values of every node where it belongs. A node that is missing is refused: its place would be unknown.
static toc_status read_block(frd *f, const frd_block *b, double *out) {
    toc_source *s = &f->source;
    assert(b->at);
    s->at = b->at;
    for (size_t i = 0; i < 3 * f->nodes.count; i++) out[i] = NAN;
    for (size_t i = 0; i < b->count; i++) {
        const char *at = s->at;
        int64_t label;
        double values[3];
        TOC_TRY(frd_read_values(s, b, 3, &label, values));
        const int64_t vertex = toc_labels_find(&f->labels, label);
        if (vertex == TOC_LABEL_MISSING) return fail_node(s, b, at, "there are values of", label);
        memcpy(out + 3 * vertex, values, sizeof values);
    }
    TOC_TRY(expect_end(s, b));
    s->at = b->at;
    for (size_t i = 0; i < f->nodes.count; i++)
        if (isnan(out[3 * i]))
            return toc_source_fail(s, "there are values of %zu nodes, not of all %zu: have them written for all nodes",
                                   b->count, f->nodes.count);
    return toc_source_is_settled(s);
}

/// Coordinates, with the numbers of the nodes.
static toc_status frd_read_nodes(frd *f) {
    toc_source *s = &f->source;
    s->at = f->nodes.at;
    TOC_TRY(toc_source_check_count(s, f->nodes.count, 4 + 3 * 4, "nodes"));
    f->rest = toc_new(&f->allocator, 3 * f->nodes.count, sizeof *f->rest);
    if (!f->rest) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->nodes.count; i++) {
        int64_t label;
        TOC_TRY(frd_read_values(s, &f->nodes, 3, &label, f->rest + 3 * i));
        TOC_TRY(toc_labels_add(&f->labels, label));
    }
    TOC_TRY(expect_end(s, &f->nodes));
    const toc_status status = toc_labels_finish(&f->labels);
    return status == TOC_BAD_INPUT ? toc_fail_in(status, "%s", f->path) : status;
}

// ---- the blocks of a file

static toc_status find_nodes(frd *f) {
    toc_source *s = &f->source;
    if (f->nodes.at) return toc_source_fail(s, "there is a second block of nodes: the mesh must stay the same");
    TOC_TRY(frd_read_head(s, 73, &f->nodes));
    f->nodes.fields = 3;
    TOC_TRY(expect_line(s, "the nodes"));
    f->nodes.at = s->at;
    return pass_items(s, &f->nodes, 4 + 3 * bytes_of_real(&f->nodes), "nodes");
}

static toc_status find_elements(frd *f) {
    toc_source *s = &f->source;
    if (f->elements.at) return toc_source_fail(s, "there is a second block of elements: the mesh must stay the same");
    TOC_TRY(frd_read_head(s, 73, &f->elements));
    TOC_TRY(expect_line(s, "the elements"));
    f->elements.at = s->at;
    return pass_elements(f);
}

static toc_status find_material(frd *f) {
    frd_material m = {.number = 0};
    const toc_text name = columns(&f->source, 14, sizeof m.name - 1);
    if (!toc_field_integer(columns(&f->source, 9, 5), &m.number)) return TOC_OK;
    memcpy(m.name, name.at, name.count);
    TOC_TRY(toc_array_reserve(&f->allocator, &f->materials, 1));
    f->materials.at[f->materials.count++] = m;
    return TOC_OK;
}

/// The fields of a result: those that are marked as computed are not in the file.
static toc_status frd_count_fields(toc_source *s, int *fields) {
    int64_t wanted, kind, computed;
    *fields = 0;
    TOC_TRY(column_integer(s, 13, 5, "a number of fields", &wanted));
    TOC_TRY(column_integer(s, 18, 5, "a kind of result", &kind));
    if (wanted < 0 || wanted > MOST_FIELDS || kind != 1)
        return toc_source_fail(s, "a result of kind %lld with %lld fields is not read", (long long)kind,
                               (long long)wanted);
    for (int64_t i = 0; i < wanted; i++) {
        TOC_TRY(expect_line(s, "the head of a result"));
        if (!begins_with(s, " -5")) return toc_source_fail(s, "a field of the result was expected");
        *fields += !toc_field_integer(columns(s, 33, 5), &computed) || computed != 1;
    }
    return TOC_OK;
}

/// The frame of an increment, which is the last one if it is there.
static toc_status find_frame(frd *f, double time, int64_t increment, frd_frame **out) {
    frd_frame *last = f->frames.count ? &f->frames.at[f->frames.count - 1] : NULL;
    if (!last || last->increment != increment || last->time != time) {
        TOC_TRY(toc_array_reserve(&f->allocator, &f->frames, 1));
        last = &f->frames.at[f->frames.count++];
        *last = (frd_frame){.time = time, .increment = increment};
    }
    *out = last;
    return TOC_OK;
}

static toc_status frd_find_result(frd *f) {
    toc_source *s = &f->source;
    frd_block b = {.at = NULL};
    double time;
    int64_t kind, increment;
    const toc_text value = columns(s, 12, 12);
    if (!toc_field_real(value, &time) || !isfinite(time)) return toc_field_fail(s, value, "a time");
    TOC_TRY(column_integer(s, 56, 2, "a kind of analysis", &kind));
    TOC_TRY(column_integer(s, 58, 5, "an increment", &increment));
    TOC_TRY(frd_read_head(s, 73, &b));
    TOC_TRY(expect_line(s, "a result"));
    if (!begins_with(s, " -4")) return toc_source_fail(s, "the name of a result was expected");
    const toc_text name = columns(s, 5, 8);
    const bool moves = toc_text_is(name, "DISP"), speeds = toc_text_is(name, "VELO");
    TOC_TRY(frd_count_fields(s, &b.fields));
    TOC_TRY(expect_line(s, "a result"));
    b.at = s->at;
    if (kind != 2 && kind != 4 && (moves || speeds)) { // neither modes of vibration nor of buckling
        frd_frame *frame;
        if (b.fields < 3) return toc_source_fail(s, "a vector has %d fields", b.fields);
        TOC_TRY(find_frame(f, time, increment, &frame));
        *(moves ? &frame->displacement : &frame->velocity) = b;
    } else if (kind != 2 && kind != 4 && (b.fields == 1 || b.fields == 3 || b.fields == SHOWN_FIELDS)) {
        frd_result result = {.time = time, .increment = increment, .block = b};
        memcpy(result.name, name.at, name.count);
        TOC_TRY(toc_array_reserve(&f->allocator, &f->results, 1));
        f->results.at[f->results.count++] = result;
    }
    return pass_items(s, &b, 4 + (size_t)b.fields * bytes_of_real(&b), "values");
}

static toc_status find_blocks(frd *f) {
    toc_source *s = &f->source;
    while (s->at < s->end && !begins_with(s, " 9999")) {
        if (begins_with(s, "    2C")) {
            TOC_TRY(find_nodes(f));
        } else if (begins_with(s, "    3C")) {
            TOC_TRY(find_elements(f));
        } else if (begins_with(s, "  100C")) {
            TOC_TRY(frd_find_result(f));
        } else {
            if (begins_with(s, "    1UMAT")) TOC_TRY(find_material(f));
            if (!toc_source_next_line(s)) s->at = s->end;
        }
        toc_source_pass(s);
    }
    if (s->at == s->end) return toc_source_fail(s, "the file has no end: its last line is not 9999");
    if (!f->nodes.at || !f->elements.at || f->nodes.count == 0)
        return toc_fail(TOC_BAD_INPUT, "%s: holds no nodes or no elements", f->path);
    return TOC_OK;
}

/// Increments without displacements are no frames.
static void drop_still_frames(frd *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.at[i].displacement.at) f->frames.at[kept++] = f->frames.at[i];
    f->frames.count = kept;
    f->rests_first = kept == 0 || f->frames.at[0].time > 0;
}

// ---- frames

static void close_frd(void *frames) {
    frd *f = frames;
    const toc_allocator memory = f->allocator;
    if (f->is_open) toc_source_close(&f->source);
    toc_labels_free(&f->labels);
    toc_free(&memory, f->rest, 3 * f->nodes.count, sizeof *f->rest);
    toc_array_free(&memory, &f->frames);
    toc_array_free(&memory, &f->results);
    toc_array_free(&memory, &f->materials);
    toc_free(&memory, f->path, f->path_size, 1);
    toc_free(&memory, f, 1, sizeof *f);
}

static toc_status open_file(frd *f, const char *path) {
    f->path_size = strlen(path) + 1;
    f->path = toc_new(&f->allocator, f->path_size, 1);
    if (!f->path) return TOC_OUT_OF_MEMORY;
    memcpy(f->path, path, f->path_size);
    TOC_TRY(toc_source_open(f->path, &f->allocator, &f->source));
    f->is_open = true;
    TOC_TRY(find_blocks(f));
    drop_still_frames(f);
    return frd_read_nodes(f);
}

static toc_status open_frd(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator,
                           void **frames) {
    (void)wish;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    frd *f = toc_new(&memory, 1, sizeof *f);
    if (!f) return TOC_OUT_OF_MEMORY;
    f->allocator = memory;
    f->labels = toc_labels_begin(&memory);
    const toc_status status = open_file(f, path);
    if (status == TOC_OK) {
        *frames = f;
    } else {
        close_frd(f);
    }
    return status;
}

static size_t count_frd_frames(const void *frames) {
    const frd *f = frames;
    return f->frames.count + f->rests_first;
}

/// The increment of a frame; NULL for the state without displacements.
static const frd_frame *frd_frame_of(const frd *f, size_t frame) {
    assert(frame < f->frames.count + f->rests_first);
    return f->rests_first && frame == 0 ? NULL : &f->frames.at[frame - f->rests_first];
}

static double frd_time_of(const void *frames, size_t frame) {
    const frd_frame *of = frd_frame_of(frames, frame);
    return of ? of->time : 0;
}

static toc_status frd_read_positions(void *frames, size_t frame, double *x) {
    frd *f = frames;
    const frd_frame *of = frd_frame_of(f, frame);
    if (!of) {
        memcpy(x, f->rest, 3 * f->nodes.count * sizeof *x);
        return TOC_OK;
    }
    TOC_TRY(read_block(f, &of->displacement, x));
    for (size_t i = 0; i < 3 * f->nodes.count; i++) x[i] += f->rest[i];
    return TOC_OK;
}

/// Bodies rest in the state without displacements as far as the file tells.
static toc_status frd_read_velocities(void *frames, size_t frame, double *v, bool *known) {
    frd *f = frames;
    const frd_frame *of = frd_frame_of(f, frame);
    *known = of && of->velocity.at;
    return *known ? read_block(f, &of->velocity, v) : TOC_OK;
}

/// The values of the nodes that have any; others are not numbers. Of a stress it is the von Mises stress.
static toc_status frd_read_result(frd *f, const frd_block *b, size_t components, double *out) {
    toc_source *s = &f->source;
    s->at = b->at;
    for (size_t i = 0; i < components * f->nodes.count; i++) out[i] = NAN;
    for (size_t i = 0; i < b->count; i++) {
        int64_t label;
        double values[SHOWN_FIELDS];
        TOC_TRY(frd_read_values(s, b, (size_t)b->fields, &label, values));
        const int64_t vertex = toc_labels_find(&f->labels, label);
        if (b->fields == SHOWN_FIELDS) values[0] = toc_fields_von_mises(values);
        if (vertex != TOC_LABEL_MISSING) memcpy(out + components * (size_t)vertex, values, components * sizeof *out);
    }
    return TOC_OK;
}

/// Results that cannot be read, and tensors other than stresses, are left out: they do not concern the mesh.
static toc_status frd_take_result(frd *f, const frd_result *r, toc_field_list *list) {
    const bool is_tensor = r->block.fields == SHOWN_FIELDS;
    const toc_field shape = {.components = r->block.fields == 3 ? 3 : 1, .count = f->nodes.count};
    double *values;
    if (is_tensor && strcmp(r->name, "STRESS") != 0) return TOC_OK;
    TOC_TRY(toc_fields_new(list, is_tensor ? "von Mises stress" : r->name, shape, &values));
    const toc_status status = frd_read_result(f, &r->block, shape.components, values);
    if (status == TOC_BAD_INPUT) list->fields.count--;
    return status == TOC_BAD_INPUT ? TOC_OK : status;
}

static toc_status frd_read_fields(void *frames, size_t frame, struct toc_field_list *list) {
    frd *f = frames;
    const frd_frame *of = frd_frame_of(f, frame);
    for (size_t i = 0; of && i < f->results.count; i++) {
        const frd_result *r = &f->results.at[i];
        if (r->time == of->time && r->increment == of->increment) TOC_TRY(frd_take_result(f, r, list));
    }
    return toc_source_is_settled(&f->source);
}

// ---- the mesh

/// @param at its place, for a failure.
static toc_status frd_add_element(frd *f, const frd_element *e, const char *at, toc_mesh_parts *parts) {
    const toc_shape shape = types[e->type].shape;
    const int count = toc_shape_count_corners(shape);
    uint32_t corners[8];
    assert(count > 0 && count <= 8);
    for (int k = 0; k < count; k++) {
        const int64_t node = e->nodes[shape == TOC_WEDGE ? toc_wedge_turn[k] : k];
        const int64_t vertex = toc_labels_find(&f->labels, node);
        if (vertex == TOC_LABEL_MISSING) return fail_node(&f->source, &f->elements, at, "an element has", node);
        corners[k] = (uint32_t)vertex;
    }
    return toc_parts_add(parts, &f->allocator, shape, corners, (int32_t)e->material);
}

static toc_status frd_read_elements(frd *f, toc_mesh_parts *parts, toc_mesh *mesh) {
    toc_source *s = &f->source;
    s->at = f->elements.at;
    TOC_TRY(toc_array_reserve(&f->allocator, &mesh->element_labels.each, f->elements.count));
    for (size_t i = 0; i < f->elements.count; i++) {
        const char *at = s->at;
        frd_element e;
        TOC_TRY(read_element(s, &f->elements, &e));
        TOC_TRY(frd_add_element(f, &e, at, parts));
        mesh->higher_order += types[e.type].nodes > (size_t)toc_shape_count_corners(types[e.type].shape);
        mesh->element_labels.each.at[mesh->element_labels.each.count++] = e.label;
    }
    mesh->element_labels.count = mesh->element_labels.each.count;
    return expect_end(s, &f->elements);
}

static toc_status name_materials(const frd *f, toc_mesh *mesh) {
    for (size_t i = 0; i < f->materials.count; i++) {
        const frd_material *m = &f->materials.at[i];
        if (m->number == (int32_t)m->number) TOC_TRY(toc_mesh_set_group_name(mesh, (int32_t)m->number, m->name));
    }
    return TOC_OK;
}

/// Groups and their names of the elements with the same numbers in the deck. Decks with instances repeat numbers: their
/// groups stay unknown, as those of another deck do.
static toc_status take_groups(frd *f, const toc_mesh *deck, toc_mesh *mesh) {
    toc_labels labels = toc_labels_begin(&f->allocator);
    const size_t count = toc_mesh_get_element_count(mesh), there = toc_mesh_get_element_count(deck);
    toc_status status = TOC_OK;
    for (size_t i = 0; i < there && status == TOC_OK; i++) {
        int64_t label;
        toc_mesh_get_element_label(deck, (uint32_t)i, &label);
        status = toc_labels_add(&labels, label);
    }
    if (status == TOC_OK) status = toc_labels_finish(&labels);
    bool known = status == TOC_OK;
    for (size_t i = 0; i < count && known; i++)
        known = toc_labels_find(&labels, mesh->element_labels.each.at[i]) != TOC_LABEL_MISSING;
    for (size_t i = 0; i < count && known && status == TOC_OK; i++) {
        const uint32_t other = (uint32_t)toc_labels_find(&labels, mesh->element_labels.each.at[i]);
        const int32_t group = toc_mesh_get_element(deck, other).group;
        const char *name = toc_mesh_get_group_name(deck, group);
        status = toc_mesh_set_group(mesh, (uint32_t)i, group);
        if (status == TOC_OK) status = toc_mesh_set_group_name(mesh, group, name);
    }
    toc_labels_free(&labels);
    if (status == TOC_OK && !known) status = TOC_BAD_INPUT;
    return status;
}

/// The deck of a result: the same path with another ending.
static toc_status frd_read_deck(const frd *f, const char *path, toc_mesh **out) {
    toc_source source;
    TOC_TRY(toc_source_open(path, &f->allocator, &source));
    const toc_status status = toc_format_read(&toc_format_abaqus, &source, out);
    toc_source_close(&source);
    return status;
}

/// Groups of the deck where it is there and fits, else the materials.
static toc_status group_elements(frd *f, toc_mesh *mesh) {
    static const char old[] = ".frd", new[] = ".inp";
    toc_mesh *deck = NULL;
    toc_status status = TOC_BAD_INPUT;
    if (toc_path_has_extension(f->path, old)) {
        char *end = f->path + f->path_size - sizeof old, kept[sizeof old];
        memcpy(kept, end, sizeof old);
        memcpy(end, new, sizeof new);
        status = frd_read_deck(f, f->path, &deck);
        memcpy(end, kept, sizeof old);
    }
    if (status == TOC_OK) status = take_groups(f, deck, mesh);
    toc_mesh_destroy(deck);
    return status == TOC_BAD_INPUT ? name_materials(f, mesh) : status;
}

static toc_status build_frd(frd *f, toc_mesh_parts *parts, toc_mesh *mesh) {
    const size_t count = 3 * f->nodes.count;
    TOC_TRY(toc_array_reserve(&f->allocator, &parts->positions, count));
    TOC_TRY(frd_read_positions(f, 0, parts->positions.at));
    parts->positions.count = count;
    TOC_TRY(frd_read_elements(f, parts, mesh));
    TOC_TRY(toc_mesh_adopt(mesh, parts));
    TOC_TRY(toc_array_reserve(&f->allocator, &mesh->vertex_labels.each, f->nodes.count));
    for (size_t i = 0; i < f->nodes.count; i++)
        mesh->vertex_labels.each.at[i] = f->labels.labels.count ? f->labels.labels.at[i] : f->labels.first + (int64_t)i;
    mesh->vertex_labels.count = mesh->vertex_labels.each.count = f->nodes.count;
    return group_elements(f, mesh);
}

static toc_status frd_read_first(void *frames, toc_mesh *mesh) {
    frd *f = frames;
    toc_mesh_parts parts = {.positions = {0}};
    const toc_status status = build_frd(f, &parts, mesh);
    toc_parts_free(&parts, &f->allocator);
    return status;
}

static bool frd_recognise(const toc_source *source) {
    static const char head[] = "    1C", next[] = "    1U";
    toc_source look = *source;
    look.at = look.begin;
    return begins_with(&look, head) && toc_source_next_line(&look) && begins_with(&look, next);
}

static const toc_frame_methods frd_methods = {
    .unpacks = true,
    .open = open_frd,
    .close = close_frd,
    .count = count_frd_frames,
    .time = frd_time_of,
    .first = frd_read_first,
    .positions = frd_read_positions,
    .velocities = frd_read_velocities,
    .fields = frd_read_fields,
};

const toc_format toc_format_frd = {
    .info = {.name = "frd",
             .extensions = ".frd",
             .what = "results of CalculiX, increment by increment, parts by the deck; text and binary"},
    .recognise = frd_recognise,
    .frames = &frd_methods,
};
