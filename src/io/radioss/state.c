// SPDX-License-Identifier: Apache-2.0
// The layout of an animation file of OpenRadioss, and the mesh in it.
//
// Most significant byte first, numbers of 4 bytes: the time, three texts, ten flags, then shells with the nodes, solids
// and beams, each with parts, names and values. Values are passed over but for the velocities. A byte for each
// element is 1 while it lives.
#include "io/radioss/state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/core/solid.h"

enum { MAGIC = 0x542c, LONG_TEXT = 81, PART_TEXT = 50, FLAGS = 10 };
enum { HAS_MASSES, HAS_NUMBERS, HAS_SOLIDS, HAS_BEAMS, HAS_TREE, HAS_HISTORY, HAS_SKEWS, HAS_PARTICLES };

static const size_t corners_of[TOC_RADIOSS_KINDS] = {4, 8, 2};
static const size_t tensor_of[TOC_RADIOSS_KINDS] = {3, 6, 9};

bool toc_radioss_is(const toc_source *source) {
    return source->end - source->begin >= TOC_RADIOSS_HEAD + 3 * LONG_TEXT + 4 * FLAGS &&
           toc_load_u32(source->begin, true) == MAGIC;
}

// ---- layout

typedef struct layout {
    toc_source *source;
    bool flags[FLAGS];
} layout;

static toc_status fail_short(const layout *l, const char *what) {
    return toc_source_fail_byte(l->source, "the file ends within %s", what);
}

/// Pass over items of some bytes; their place.
static toc_status radioss_pass(layout *l, size_t count, size_t bytes, const char *what, const char **at) {
    if (at) *at = l->source->at;
    if (count > toc_source_left(l->source) / bytes) return fail_short(l, what);
    l->source->at += count * bytes;
    return TOC_OK;
}

/// The same for `count` times `each` items.
static toc_status pass_table(layout *l, size_t count, size_t each, size_t bytes, const char *what, const char **at) {
    if (each > 0 && count > toc_source_left(l->source) / each) return fail_short(l, what);
    return radioss_pass(l, count * each, bytes, what, at);
}

static toc_status take_count(layout *l, const char *what, size_t *out) {
    *out = 0;
    if (toc_source_left(l->source) < 4) return fail_short(l, "its counts");
    const int32_t value = (int32_t)toc_load_u32(l->source->at, true);
    if (value < 0) return toc_source_fail_byte(l->source, "%d %s cannot be", value, what);
    l->source->at += 4;
    *out = (size_t)value;
    return TOC_OK;
}

static toc_status pass_head(layout *l, double *time) {
    toc_source *s = l->source;
    if (!toc_radioss_is(s)) return toc_source_fail_byte(s, "this begins like no animation file of OpenRadioss");
    *time = toc_radioss_time(s->at);
    if (!isfinite(*time)) return toc_source_fail_byte(s, "the time is no number");
    s->at += TOC_RADIOSS_HEAD + 3 * LONG_TEXT;
    for (int i = 0; i < FLAGS; i++, s->at += 4) l->flags[i] = toc_load_u32(s->at, true) != 0;
    if (l->flags[HAS_PARTICLES])
        return toc_source_fail_byte(s, "particles (SPH) are not read: their contacts would be missing");
    return TOC_OK;
}

static toc_status pass_parts(layout *l, toc_radioss_block *b) {
    TOC_TRY(radioss_pass(l, b->parts, 4, "its parts", &b->ends));
    return radioss_pass(l, b->parts, PART_TEXT, "the names of its parts", &b->names);
}

/// The numbers of the user, and the tree of parts, behind the values of a kind of elements.
static toc_status pass_numbers(layout *l, toc_radioss_block *b) {
    if (l->flags[HAS_NUMBERS]) TOC_TRY(radioss_pass(l, b->count, 4, "the numbers of its elements", &b->numbers));
    return l->flags[HAS_TREE] ? pass_table(l, b->parts, 3, 4, "the tree of its parts", NULL) : TOC_OK;
}

/// Named vectors of the nodes; the velocity is one of them.
static toc_status pass_vectors(layout *l, size_t count, toc_radioss_state *state) {
    const char *names, *values;
    TOC_TRY(radioss_pass(l, count, LONG_TEXT, "the names of its vectors", &names));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(radioss_pass(l, state->nodes, 12, "its vectors", &values));
        if (strncmp(names + i * LONG_TEXT, "Velocity", 8) == 0 && !state->velocities) state->velocities = values;
    }
    return TOC_OK;
}

static toc_status pass_shells(layout *l, toc_radioss_state *state) {
    enum { PARTS, OF_NODES, OF_ELEMENTS, VECTORS, TENSORS, SKEWS, COUNTS };
    toc_radioss_block *b = &state->blocks[TOC_RADIOSS_SHELLS];
    size_t counts[COUNTS];
    TOC_TRY(take_count(l, "nodes", &state->nodes));
    TOC_TRY(take_count(l, "shells", &b->count));
    for (int i = 0; i < COUNTS; i++) TOC_TRY(take_count(l, "arrays", &counts[i]));
    b->parts = counts[PARTS];
    TOC_TRY(radioss_pass(l, counts[SKEWS], 12, "its skews", NULL));
    TOC_TRY(radioss_pass(l, state->nodes, 12, "its coordinates", &state->coordinates));
    TOC_TRY(radioss_pass(l, b->count, 16, "its shells", &b->corners));
    TOC_TRY(radioss_pass(l, b->count, 1, "its shells", &b->alive));
    TOC_TRY(pass_parts(l, b));
    TOC_TRY(radioss_pass(l, state->nodes, 6, "its normals", NULL));
    TOC_TRY(pass_table(l, counts[OF_NODES] + counts[OF_ELEMENTS], 1, LONG_TEXT, "the names of its values", NULL));
    TOC_TRY(pass_table(l, counts[OF_NODES], state->nodes, 4, "the values of its nodes", NULL));
    TOC_TRY(pass_table(l, counts[OF_ELEMENTS], b->count, 4, "the values of its shells", NULL));
    TOC_TRY(pass_vectors(l, counts[VECTORS], state));
    TOC_TRY(radioss_pass(l, counts[TENSORS], LONG_TEXT, "the names of its tensors", NULL));
    TOC_TRY(pass_table(l, counts[TENSORS], 3 * b->count, 4, "its tensors", NULL));
    if (l->flags[HAS_MASSES]) TOC_TRY(radioss_pass(l, b->count + state->nodes, 4, "its masses", NULL));
    if (l->flags[HAS_NUMBERS]) TOC_TRY(radioss_pass(l, state->nodes, 4, "the numbers of its nodes", &state->numbers));
    return pass_numbers(l, b);
}

static toc_status pass_others(layout *l, int kind, toc_radioss_block *b) {
    size_t scalars, tensors, skews = 0;
    assert(kind == TOC_RADIOSS_SOLIDS || kind == TOC_RADIOSS_BEAMS);
    TOC_TRY(take_count(l, "elements", &b->count));
    TOC_TRY(take_count(l, "parts", &b->parts));
    TOC_TRY(take_count(l, "arrays", &scalars));
    TOC_TRY(take_count(l, "arrays", &tensors));
    if (kind == TOC_RADIOSS_BEAMS) TOC_TRY(take_count(l, "arrays", &skews));
    TOC_TRY(radioss_pass(l, b->count, 4 * corners_of[kind], "its elements", &b->corners));
    TOC_TRY(radioss_pass(l, b->count, 1, "its elements", &b->alive));
    TOC_TRY(pass_parts(l, b));
    TOC_TRY(radioss_pass(l, scalars, LONG_TEXT, "the names of its values", NULL));
    TOC_TRY(pass_table(l, scalars, b->count, 4, "the values of its elements", NULL));
    TOC_TRY(radioss_pass(l, tensors, LONG_TEXT, "the names of its tensors", NULL));
    TOC_TRY(pass_table(l, tensors, tensor_of[kind] * b->count, 4, "its tensors", NULL));
    if (skews > 0) TOC_TRY(radioss_pass(l, b->count, 4, "its skews", NULL));
    if (l->flags[HAS_MASSES]) TOC_TRY(radioss_pass(l, b->count, 4, "its masses", NULL));
    return pass_numbers(l, b);
}

toc_status toc_radioss_scan(toc_source *source, toc_radioss_state *out) {
    layout l = {.source = source};
    toc_radioss_state state = {.nodes = 0};
    source->at = source->begin;
    TOC_TRY(pass_head(&l, &state.time));
    TOC_TRY(pass_shells(&l, &state));
    if (l.flags[HAS_SOLIDS]) TOC_TRY(pass_others(&l, TOC_RADIOSS_SOLIDS, &state.blocks[TOC_RADIOSS_SOLIDS]));
    if (l.flags[HAS_BEAMS]) TOC_TRY(pass_others(&l, TOC_RADIOSS_BEAMS, &state.blocks[TOC_RADIOSS_BEAMS]));
    *out = state;
    return TOC_OK;
}

toc_status toc_radioss_compare(toc_source *source, const toc_radioss_state *state, const toc_radioss_state *first) {
    bool same = state->nodes == first->nodes;
    for (int kind = 0; kind < TOC_RADIOSS_KINDS && same; kind++) {
        const toc_radioss_block *a = &state->blocks[kind], *b = &first->blocks[kind];
        same = a->count == b->count &&
               (a->count == 0 || memcmp(a->corners, b->corners, 4 * corners_of[kind] * a->count) == 0);
    }
    if (same) return TOC_OK;
    source->at = source->begin;
    return toc_source_fail_byte(source,
                                "it has other elements than the first file: %zu nodes and %zu elements in place of %zu "
                                "and %zu, or other corners",
                                state->nodes, toc_radioss_element_count(state), first->nodes,
                                toc_radioss_element_count(first));
}

// ---- the mesh

toc_status toc_radioss_read_nodes(toc_source *source, const char *from, size_t nodes, double *x) {
    source->at = from;
    for (size_t i = 0; i < 3 * nodes; i++, source->at += 4) {
        x[i] = (double)toc_load_f32(source->at, true);
        if (!isfinite(x[i])) return toc_source_fail_byte(source, "a number of node %zu is not finite", i / 3);
        toc_source_pass(source);
    }
    return toc_source_is_settled(source);
}

static toc_status radioss_read_element(toc_source *source, int kind, const char *from, size_t nodes, uint32_t *out) {
    assert(kind >= 0 && kind < TOC_RADIOSS_KINDS);
    source->at = from;
    for (size_t k = 0; k < corners_of[kind]; k++, source->at += 4) {
        out[k] = toc_load_u32(source->at, true);
        if (out[k] >= nodes)
            return toc_source_fail_byte(source, "node %u is used, but there are %zu, counted from 0", out[k], nodes);
    }
    toc_source_pass(source);
    return TOC_OK;
}

static toc_shape radioss_shape(int kind, const uint32_t *nodes, uint32_t corners[8]) {
    if (kind == TOC_RADIOSS_SOLIDS) return toc_solid_of_radioss(nodes, corners);
    memcpy(corners, nodes, corners_of[kind] * sizeof *corners);
    return kind == TOC_RADIOSS_BEAMS ? TOC_EDGE : toc_shell_of(nodes);
}

/// The number of a part, which its text begins with: "  12 : bumper". Without one its place, from 1.
static int32_t part_number(const char *text, size_t place, const char **name) {
    int64_t number = 0;
    const char *at = text;
    while (*at == ' ') at++;
    const char *digits = at;
    while (*at >= '0' && *at <= '9' && number <= INT32_MAX) number = 10 * number + (*at++ - '0');
    if (at == digits || number > INT32_MAX) {
        *name = digits;
        return (int32_t)place + 1;
    }
    at += strspn(at, " ");
    at += *at == ':';
    *name = at + strspn(at, " ");
    return (int32_t)number;
}

static void copy_part_text(const toc_radioss_block *b, size_t part, char text[PART_TEXT + 1]) {
    assert(part < b->parts);
    memcpy(text, b->names + part * PART_TEXT, PART_TEXT);
    text[PART_TEXT] = 0;
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) text[length - 1] = 0;
}

static toc_status radioss_add_elements(toc_source *source, const toc_radioss_state *state, int kind, bool all,
                                       const toc_allocator *memory, toc_mesh_parts *parts) {
    const toc_radioss_block *b = &state->blocks[kind];
    char text[PART_TEXT + 1];
    const char *name;
    size_t part = 0;
    int32_t group = 0;
    for (size_t i = 0; i < b->count; i++) {
        uint32_t nodes[8], corners[8];
        if (!all && b->alive[i] == 0) continue;
        while (part < b->parts && i >= toc_load_u32(b->ends + 4 * part, true)) part++;
        if (part < b->parts) {
            copy_part_text(b, part, text);
            group = part_number(text, part, &name);
        }
        TOC_TRY(radioss_read_element(source, kind, b->corners + 4 * corners_of[kind] * i, state->nodes, nodes));
        const toc_shape shape = radioss_shape(kind, nodes, corners);
        TOC_TRY(toc_parts_add(parts, memory, shape, corners, part < b->parts ? group : 0));
    }
    return TOC_OK;
}

static toc_status name_radioss_parts(const toc_radioss_state *state, toc_mesh *mesh) {
    char text[PART_TEXT + 1];
    const char *name;
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++) {
        const toc_radioss_block *b = &state->blocks[kind];
        for (size_t part = 0; part < b->parts; part++) {
            copy_part_text(b, part, text);
            const int32_t group = part_number(text, part, &name);
            if (name[0]) TOC_TRY(toc_mesh_set_group_name(mesh, group, name));
        }
    }
    return TOC_OK;
}

static toc_status label_radioss(const toc_radioss_state *state, bool all, toc_mesh *mesh) {
    const size_t elements = toc_radioss_element_count(state);
    if (!state->numbers) return TOC_OK;
    int64_t *labels = toc_new(&mesh->allocator, state->nodes + elements, sizeof *labels);
    if (!labels) return TOC_OUT_OF_MEMORY;
    size_t next = 0;
    for (size_t i = 0; i < state->nodes; i++) labels[next++] = (int32_t)toc_load_u32(state->numbers + 4 * i, true);
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++)
        for (size_t i = 0; i < state->blocks[kind].count; i++)
            if (all || state->blocks[kind].alive[i] != 0)
                labels[next++] = (int32_t)toc_load_u32(state->blocks[kind].numbers + 4 * i, true);
    assert(next <= state->nodes + elements);
    toc_status status = toc_mesh_set_vertex_labels(mesh, state->nodes, labels);
    if (status == TOC_OK) status = toc_mesh_set_element_labels(mesh, next - state->nodes, labels + state->nodes);
    toc_free(&mesh->allocator, labels, state->nodes + elements, sizeof *labels);
    return status;
}

static toc_status fill_parts(toc_source *source, const toc_radioss_state *state, bool all, const toc_allocator *memory,
                             toc_mesh_parts *parts) {
    TOC_TRY(toc_array_reserve(memory, &parts->positions, 3 * state->nodes));
    TOC_TRY(toc_radioss_read_nodes(source, state->coordinates, state->nodes, parts->positions.at));
    parts->positions.count = 3 * state->nodes;
    for (int kind = 0; kind < TOC_RADIOSS_KINDS; kind++)
        TOC_TRY(radioss_add_elements(source, state, kind, all, memory, parts));
    return parts->runs.count > 0 ? TOC_OK : toc_fail(TOC_BAD_INPUT, "%s: holds no elements", source->path);
}

toc_status toc_radioss_geometry(toc_source *source, const toc_radioss_state *state, bool all, toc_mesh *mesh) {
    toc_mesh_parts parts = {.positions = {0}};
    toc_status status = fill_parts(source, state, all, &mesh->allocator, &parts);
    if (status == TOC_OK) status = toc_mesh_adopt(mesh, &parts);
    toc_parts_free(&parts, &mesh->allocator);
    if (status == TOC_OK) status = name_radioss_parts(state, mesh);
    return status == TOC_OK ? label_radioss(state, all, mesh) : status;
}
