// SPDX-License-Identifier: Apache-2.0
// Positions are floats relative to the centre of the first frame: half the digits of a double, but none of them spent
// on the distance from the origin. The bodies of a scene become one list of vertices, one body after the other. A
// surface is stored once for all steps in which the elements stay. O(n) for each step, and O(c log c) for c contacts.
#include "view/coder.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "view/skin.h"

typedef struct coder_body {
    view_parts parts;
    toc_features *features;
    uint64_t revision;
    uint32_t first_vertex, first_element, first_part; // in the lists of all bodies
} coder_body;

struct view_coder {
    toc_allocator allocator;
    view_store store;
    view_role role; // of the blocks that are put now
    int up;
    double centre[3];
    TOC_ARRAY(coder_body) bodies;
    TOC_ARRAY(view_text) frames; // each without its closing brace, since contacts may follow
    TOC_ARRAY(view_text) surfaces;
    TOC_ARRAY(view_text) steps;
    TOC_ARRAY(size_t) surface_of; // by step
    view_text title, parts;
    size_t vertex_count, element_count, part_count;
    TOC_ARRAY(uint32_t) vertex_parts;
    TOC_ARRAY(float) last; // the positions of the last frame
    bool needs_surface, keeps_owners;
};

size_t toc_view_numbers_size(view_numbers type) {
    static const size_t sizes[] = {1, 2, 4, 4, 8};
    return sizes[type];
}

// ---- blocks

static toc_status put_block(const view_coder *c, view_text *to, const char *name, view_numbers type, size_t count,
                            const void *numbers) {
    static const char *const names[] = {"u8", "u16", "u32", "f32", "f64"};
    size_t block;
    TOC_TRY(c->store.put(c->store.user, c->role, count * toc_view_numbers_size(type), numbers, &block));
    toc_view_text_print(to, ",\"%s\":{\"type\":\"%s\",\"count\":%zu,\"block\":%zu}", name, names[type], count, block);
    return to->status;
}

// Points at a stride of bytes, relative to the centre.
static void centre_points(const view_coder *c, size_t count, const void *first, size_t stride, float *out) {
    assert(stride >= 3 * sizeof(double) && (first || count == 0));
    for (size_t i = 0; i < count; i++) {
        double x[3];
        memcpy(x, (const char *)first + i * stride, sizeof x);
        for (int k = 0; k < 3; k++) out[3 * i + (size_t)k] = (float)(x[k] - c->centre[k]);
    }
}

static toc_status put_points(const view_coder *c, view_text *to, const char *name, size_t count, const void *first,
                             size_t stride) {
    float *out = toc_new(&c->allocator, 3 * count, sizeof *out);
    if (!out) return TOC_OUT_OF_MEMORY;
    centre_points(c, count, first, stride, out);
    const toc_status status = put_block(c, to, name, VIEW_F32, 3 * count, out);
    toc_free(&c->allocator, out, 3 * count, sizeof *out);
    return status;
}

// ---- bodies

static const toc_mesh *body_of(const toc_scene *scene, size_t body) {
    return toc_scene_get_mesh(scene, (uint32_t)body);
}

static toc_status update_body(view_coder *c, coder_body *body, const toc_mesh *mesh) {
    const uint64_t revision = toc_mesh_get_revision(mesh);
    if (body->features && body->revision == revision) return TOC_OK;
    c->needs_surface = true;
    toc_features *features;
    TOC_TRY(toc_mesh_find_features(mesh, &features));
    toc_features_destroy(body->features);
    body->features = features;
    body->revision = revision;
    return toc_view_parts_update(&body->parts, mesh);
}

static void forget_body(view_coder *c, coder_body *body) {
    if (body->features) c->needs_surface = true;
    toc_features_destroy(body->features);
    body->features = NULL;
}

// Parts, features and places of all bodies as they are now.
static toc_status update_bodies(view_coder *c, const toc_scene *scene) {
    const size_t count = toc_scene_get_body_count(scene);
    size_t vertices = 0, elements = 0, parts = 0;
    TOC_TRY(toc_array_room(&c->allocator, &c->bodies, count));
    for (; c->bodies.count < count; c->bodies.count++)
        c->bodies.at[c->bodies.count] = (coder_body){.parts = toc_view_parts_make(&c->allocator)};
    for (size_t i = 0; i < c->bodies.count; i++) {
        coder_body *body = &c->bodies.at[i];
        const toc_mesh *mesh = i < count ? body_of(scene, i) : NULL;
        if (mesh)
            TOC_TRY(update_body(c, body, mesh));
        else
            forget_body(c, body);
        body->first_vertex = (uint32_t)vertices;
        body->first_element = (uint32_t)elements;
        body->first_part = (uint32_t)parts;
        vertices += mesh ? toc_mesh_get_vertex_count(mesh) : 0;
        elements += mesh ? toc_mesh_get_element_count(mesh) : 0;
        parts += body->parts.count;
    }
    if (vertices > UINT32_MAX || parts > VIEW_PARTS_MOST)
        return toc_fail(TOC_BAD_INPUT, "a page shows at most %u vertices in %d parts, not %zu in %zu", UINT32_MAX,
                        VIEW_PARTS_MOST, vertices, parts);
    c->vertex_count = vertices;
    c->element_count = elements;
    c->part_count = parts;
    return TOC_OK;
}

// "part 3" of a single body; "body 1: part 3" of several.
static toc_status write_parts(view_coder *c, const toc_scene *scene) {
    view_text text = toc_view_text_make(&c->allocator);
    for (size_t i = 0, first = 1; i < c->bodies.count; i++) {
        const coder_body *body = &c->bodies.at[i];
        for (size_t part = 0; part < body->parts.count; part++, first = 0) {
            char room[VIEW_PART_NAME], name[400];
            const toc_mesh *mesh = body->features ? body_of(scene, i) : NULL;
            const char *own = mesh ? toc_view_part_name(&body->parts, mesh, part, room) : "removed";
            const bool only = body->parts.count == 1;
            if (c->bodies.count == 1)
                snprintf(name, sizeof name, "%s", own);
            else
                snprintf(name, sizeof name, only && mesh ? "body %zu" : "body %zu: %s", i, own);
            if (!first) toc_view_text_put(&text, ",", 1);
            toc_view_text_string(&text, name);
        }
    }
    const toc_status status = text.status;
    if (status != TOC_OK) {
        toc_view_text_free(&text);
        return status;
    }
    toc_view_text_free(&c->parts);
    c->parts = text;
    return TOC_OK;
}

// ---- surfaces

// Faces of all bodies: those of the boundary, and those inside of volumes.
typedef struct all_faces {
    TOC_ARRAY(uint32_t) faces[2];
    TOC_ARRAY(uint32_t) owners[2];
    TOC_ARRAY(uint32_t) element_parts;
    bool has_volumes;
} all_faces;

static toc_status take_skin(view_coder *c, const coder_body *body, const view_skin *skin, all_faces *all) {
    for (int inside = 0; inside < 2; inside++) {
        const size_t from = inside ? skin->boundary_count : 0, to = inside ? skin->face_count : skin->boundary_count;
        TOC_TRY(toc_array_reserve(&c->allocator, &all->faces[inside], 4 * (to - from)));
        TOC_TRY(toc_array_reserve(&c->allocator, &all->owners[inside], 2 * (to - from)));
        for (size_t i = from; i < to; i++) {
            uint32_t *face = all->faces[inside].at + all->faces[inside].count;
            uint32_t *owners = all->owners[inside].at + all->owners[inside].count;
            for (int k = 0; k < 3; k++) face[k] = skin->faces[i][k] + body->first_vertex;
            face[3] = skin->faces[i][3] + body->first_part;
            for (int k = 0; k < 2; k++)
                owners[k] = skin->owners[i][k] == UINT32_MAX ? UINT32_MAX : skin->owners[i][k] + body->first_element;
            all->faces[inside].count += 4;
            all->owners[inside].count += 2;
        }
    }
    return TOC_OK;
}

static toc_status collect_faces(view_coder *c, const toc_scene *scene, all_faces *all) {
    c->vertex_parts.count = 0;
    TOC_TRY(toc_array_reserve(&c->allocator, &c->vertex_parts, c->vertex_count + 1));
    TOC_TRY(toc_array_reserve(&c->allocator, &all->element_parts, c->element_count + 1));
    for (size_t i = 0; i < c->bodies.count; i++) {
        const coder_body *body = &c->bodies.at[i];
        if (!body->features) continue;
        const toc_mesh *mesh = body_of(scene, i);
        view_skin skin;
        toc_status status = toc_view_skin_make(&c->allocator, mesh, body->features, &body->parts, &skin);
        if (status == TOC_OK) status = take_skin(c, body, &skin, all);
        all->has_volumes |= skin.has_volumes;
        toc_view_skin_free(&skin);
        TOC_TRY(status);
        for (size_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++)
            c->vertex_parts.at[c->vertex_parts.count++] = body->parts.vertices.at[v] + body->first_part;
        for (size_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
            all->element_parts.at[all->element_parts.count++] = body->parts.elements.at[e] + body->first_part;
    }
    return TOC_OK;
}

// Two lists as one block.
static toc_status put_lists(view_coder *c, view_text *to, const char *name, size_t first, const uint32_t *a,
                            size_t second, const uint32_t *b) {
    if (second == 0) return put_block(c, to, name, VIEW_U32, first, a);
    uint32_t *both = toc_new(&c->allocator, first + second, sizeof *both);
    if (!both) return TOC_OUT_OF_MEMORY;
    if (first) memcpy(both, a, first * sizeof *a);
    memcpy(both + first, b, second * sizeof *b);
    const toc_status status = put_block(c, to, name, VIEW_U32, first + second, both);
    toc_free(&c->allocator, both, first + second, sizeof *both);
    return status;
}

// The first vertex of each body, for ids within bodies; one body needs none.
static void write_bodies(const view_coder *c, view_text *to) {
    if (c->bodies.count < 2) return;
    toc_view_text_print(to, ",\"bodies\":[");
    for (size_t i = 0; i < c->bodies.count; i++)
        toc_view_text_print(to, i ? ",%u" : "%u", c->bodies.at[i].first_vertex);
    toc_view_text_print(to, "]");
}

static toc_status write_surface(view_coder *c, const all_faces *all, view_text *to) {
    const size_t boundary = all->faces[0].count, inside = all->faces[1].count;
    toc_view_text_print(to, "{\"boundary\":%zu", boundary / 4);
    TOC_TRY(put_lists(c, to, "faces", boundary, all->faces[0].at, inside, all->faces[1].at));
    TOC_TRY(put_block(c, to, "vertexParts", VIEW_U32, c->vertex_parts.count, c->vertex_parts.at));
    if (all->has_volumes || c->keeps_owners) {
        TOC_TRY(put_lists(c, to, "owners", boundary / 2, all->owners[0].at, inside / 2, all->owners[1].at));
        TOC_TRY(put_block(c, to, "elementParts", VIEW_U32, all->element_parts.count, all->element_parts.at));
    }
    toc_view_text_print(to, ",\"volumes\":%s", all->has_volumes ? "true" : "false");
    write_bodies(c, to);
    toc_view_text_print(to, "}");
    return to->status;
}

static toc_status add_surface(view_coder *c, const toc_scene *scene) {
    if (!c->needs_surface) return TOC_OK;
    c->role = VIEW_OF_SURFACE;
    all_faces all = {0};
    TOC_TRY(toc_array_reserve(&c->allocator, &c->surfaces, 1));
    c->surfaces.at[c->surfaces.count++] = toc_view_text_make(&c->allocator);
    toc_status status = collect_faces(c, scene, &all);
    if (status == TOC_OK) status = write_surface(c, &all, &c->surfaces.at[c->surfaces.count - 1]);
    if (status == TOC_OK) status = write_parts(c, scene);
    for (int k = 0; k < 2; k++) {
        toc_array_free(&c->allocator, &all.faces[k]);
        toc_array_free(&c->allocator, &all.owners[k]);
    }
    toc_array_free(&c->allocator, &all.element_parts);
    if (status == TOC_OK) c->needs_surface = false;
    return status;
}

// ---- frames

static void find_centre(view_coder *c, const toc_scene *scene) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t b = 0; b < c->bodies.count; b++) {
        if (!c->bodies.at[b].features) continue;
        const double *x = toc_mesh_get_x0(body_of(scene, b));
        for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(body_of(scene, b)); i++) {
            low[i % 3] = fmin(low[i % 3], x[i]);
            high[i % 3] = fmax(high[i % 3], x[i]);
        }
    }
    for (int k = 0; k < 3; k++) c->centre[k] = low[k] <= high[k] ? low[k] + 0.5 * (high[k] - low[k]) : 0;
}

static void take_positions(const view_coder *c, const toc_scene *scene, bool at_end, float *out) {
    for (size_t i = 0; i < c->bodies.count; i++) {
        const coder_body *body = &c->bodies.at[i];
        if (!body->features) continue;
        const toc_mesh *mesh = body_of(scene, i);
        centre_points(c, toc_mesh_get_vertex_count(mesh), at_end ? toc_mesh_get_x1(mesh) : toc_mesh_get_x0(mesh),
                      3 * sizeof(double), out + 3 * (size_t)body->first_vertex);
    }
}

static toc_status check_field(const view_coder *c, const toc_view_field *field) {
    const size_t ids = field->of_elements ? c->element_count : c->vertex_count;
    if (!field->name || !field->values) return toc_fail(TOC_BAD_INPUT, "a field has no name or no values");
    if (field->components != 1 && field->components != 3)
        return toc_fail(TOC_BAD_INPUT, "field %s: 1 or 3 components can be shown, not %u", field->name,
                        field->components);
    if (field->count != ids)
        return toc_fail(TOC_BAD_INPUT, "field %s: %llu values for %zu %s ids of all bodies", field->name,
                        (unsigned long long)field->count, ids, field->of_elements ? "element" : "vertex");
    return TOC_OK;
}

static toc_status write_field(const view_coder *c, const toc_view_field *field, view_text *to) {
    TOC_TRY(check_field(c, field));
    const size_t count = (size_t)field->count * field->components;
    float *values = toc_new(&c->allocator, count, sizeof *values);
    if (!values) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) values[i] = (float)field->values[i];
    toc_view_text_print(to, "{\"components\":%u,\"place\":\"%s\",\"name\":", field->components,
                        field->of_elements ? "element" : "vertex");
    toc_view_text_string(to, field->name);
    const toc_status status = put_block(c, to, "values", VIEW_F32, count, values);
    toc_view_text_print(to, "}");
    toc_free(&c->allocator, values, count, sizeof *values);
    return status;
}

// The frame at an end of the step. `last` has its positions.
static toc_status add_frame(view_coder *c, const view_frame *frame) {
    c->role = VIEW_OF_FRAME;
    TOC_TRY(toc_array_reserve(&c->allocator, &c->frames, 1));
    view_text *to = &c->frames.at[c->frames.count++];
    *to = toc_view_text_make(&c->allocator);
    toc_view_text_print(to, "{\"name\":");
    toc_view_text_string(to, frame->name ? frame->name : "");
    toc_view_text_print(to, ",\"time\":");
    toc_view_text_double(to, frame->time);
    TOC_TRY(put_block(c, to, "positions", VIEW_F32, c->last.count, c->last.at));
    if (frame->field_count) toc_view_text_print(to, ",\"fields\":[");
    for (size_t i = 0; i < frame->field_count; i++) {
        if (i) toc_view_text_print(to, ",");
        TOC_TRY(write_field(c, &frame->fields[i], to));
    }
    if (frame->field_count) toc_view_text_print(to, "]");
    return to->status;
}

// ---- contacts

// Columns of the contacts, copied together before they go into blocks.
typedef struct contact_columns {
    toc_allocator allocator;
    size_t count;
    uint8_t *kinds; // bit 0: edge-edge; bit 1: undecided
    uint32_t (*vertices)[4], (*bodies)[2];
    double *times; // distances for contacts of a simulation
    float (*normals)[3];
} contact_columns;

static void free_columns(contact_columns *c) {
    toc_free(&c->allocator, c->kinds, c->count, sizeof *c->kinds);
    toc_free(&c->allocator, c->vertices, c->count, sizeof *c->vertices);
    toc_free(&c->allocator, c->bodies, c->count, sizeof *c->bodies);
    toc_free(&c->allocator, c->times, c->count, sizeof *c->times);
    toc_free(&c->allocator, c->normals, c->count, sizeof *c->normals);
}

static toc_status make_columns(const toc_allocator *allocator, size_t count, contact_columns *c) {
    *c = (contact_columns){.allocator = *allocator, .count = count};
    c->kinds = toc_new(allocator, count, sizeof *c->kinds);
    c->vertices = toc_new(allocator, count, sizeof *c->vertices);
    c->bodies = toc_new(allocator, count, sizeof *c->bodies);
    c->times = toc_new(allocator, count, sizeof *c->times);
    c->normals = toc_new(allocator, count, sizeof *c->normals);
    if (c->kinds && c->vertices && c->bodies && c->times && c->normals) return TOC_OK;
    free_columns(c);
    return TOC_OUT_OF_MEMORY;
}

// The body of a corner of a pair: the second feature begins at the second corner of a vertex-face pair.
static uint32_t side_of(toc_kind kind, int corner) { return corner >= (kind == TOC_EE ? 2 : 1); }

static toc_status set_contact(const view_coder *c, contact_columns *to, size_t i, toc_kind kind, bool undecided,
                              const uint32_t body[2], const uint32_t v[4], double time, const double normal[3]) {
    to->kinds[i] = (uint8_t)((kind == TOC_EE ? 1 : 0) | (undecided ? 2 : 0));
    for (int k = 0; k < 4; k++) {
        const uint32_t owner = body[side_of(kind, k)];
        const uint64_t id = owner < c->bodies.count ? (uint64_t)v[k] + c->bodies.at[owner].first_vertex : UINT64_MAX;
        if (id >= c->vertex_count)
            return toc_fail(TOC_BAD_INPUT, "contact %zu: vertex %u of body %u is not in the scene", i, v[k], owner);
        to->vertices[i][k] = (uint32_t)id;
    }
    for (int k = 0; k < 2; k++) to->bodies[i][k] = body[k];
    to->times[i] = time;
    for (int k = 0; k < 3; k++) to->normals[i][k] = (float)normal[k];
    return TOC_OK;
}

// One contact between two parts, the lower one first.
typedef struct part_pair {
    uint32_t a, b;
    double time;
    size_t contact;
} part_pair;

static int compare_part_pairs(const void *left, const void *right) {
    const part_pair *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->contact > y->contact) - (x->contact < y->contact);
}

// Rows [part, part, contacts, least time, its contact].
static toc_status write_part_pairs(const view_coder *c, const contact_columns *from, view_text *to) {
    part_pair *pairs = toc_new(&c->allocator, from->count, sizeof *pairs);
    if (!pairs) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < from->count; i++) {
        const uint32_t a = c->vertex_parts.at[from->vertices[i][0]];
        const uint32_t b = c->vertex_parts.at[from->vertices[i][from->kinds[i] & 1 ? 2 : 1]];
        pairs[i] = (part_pair){.a = a < b ? a : b, .b = a < b ? b : a, .time = from->times[i], .contact = i};
    }
    qsort(pairs, from->count, sizeof *pairs, compare_part_pairs);
    toc_view_text_print(to, ",\"pairs\":[");
    for (size_t i = 0, end; i < from->count; i = end) {
        for (end = i; end < from->count && pairs[end].a == pairs[i].a && pairs[end].b == pairs[i].b;) end++;
        toc_view_text_print(to, "%s[%u,%u,%zu,", i ? "," : "", pairs[i].a, pairs[i].b, end - i);
        toc_view_text_double(to, pairs[i].time);
        toc_view_text_print(to, ",%zu]", pairs[i].contact);
    }
    toc_view_text_print(to, "]");
    toc_free(&c->allocator, pairs, from->count, sizeof *pairs);
    return to->status;
}

// The columns that contacts of a step and of a frame have in common. @param times the name of the last column.
static toc_status put_columns(const view_coder *c, const contact_columns *from, const char *times, view_text *to) {
    const size_t count = from->count;
    toc_view_text_print(to, ",\"contacts\":{\"count\":%zu", count);
    TOC_TRY(put_block(c, to, "kinds", VIEW_U8, count, from->kinds));
    TOC_TRY(put_block(c, to, "vertices", VIEW_U32, 4 * count, from->vertices));
    TOC_TRY(put_block(c, to, times, VIEW_F64, count, from->times));
    TOC_TRY(put_block(c, to, "normals", VIEW_F32, 3 * count, from->normals));
    if (c->bodies.count > 1) TOC_TRY(put_block(c, to, "bodies", VIEW_U32, 2 * count, from->bodies));
    return write_part_pairs(c, from, to);
}

static toc_status write_contacts(const view_coder *c, const view_step *step, view_text *to) {
    const size_t count = step->count;
    const toc_contact *contacts = step->contacts;
    contact_columns columns;
    toc_status status = make_columns(&c->allocator, count, &columns);
    if (status != TOC_OK) return status;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        const toc_contact *from = &contacts[i];
        status = set_contact(c, &columns, i, from->kind, from->verdict == TOC_UNDECIDED, from->body, from->v, from->toc,
                             from->normal);
    }
    if (status == TOC_OK) status = put_columns(c, &columns, "times", to);
    free_columns(&columns);
    if (status == TOC_OK) status = put_points(c, to, "points", count, count ? contacts->point : NULL, sizeof *contacts);
    toc_view_text_print(to, step->unasked ? ",\"unasked\":true}" : "}");
    return status;
}

static toc_status put_weights(const view_coder *c, size_t count, const toc_near_pair *pairs, view_text *to) {
    float(*weights)[4] = toc_new(&c->allocator, count, sizeof *weights);
    if (!weights) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < 4 * count; i++) weights[i / 4][i % 4] = (float)pairs[i / 4].weights[i % 4];
    const toc_status status = put_block(c, to, "weights", VIEW_F32, 4 * count, weights);
    toc_free(&c->allocator, weights, count, sizeof *weights);
    return status;
}

static toc_status write_frame_contacts(const view_coder *c, size_t count, const toc_near_pair *pairs, view_text *to) {
    contact_columns columns;
    toc_status status = make_columns(&c->allocator, count, &columns);
    if (status != TOC_OK) return status;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        const toc_near_pair *from = &pairs[i];
        status = set_contact(c, &columns, i, from->kind, false, from->body, from->v, from->distance, from->normal);
    }
    if (status == TOC_OK) status = put_columns(c, &columns, "distances", to);
    free_columns(&columns);
    if (status == TOC_OK) status = put_weights(c, count, pairs, to);
    if (status == TOC_OK) status = put_points(c, to, "points", count, count ? pairs->points[0] : NULL, sizeof *pairs);
    toc_view_text_print(to, "}");
    return status == TOC_OK ? to->status : status;
}

// ---- steps

static void write_stages(const toc_contacts *result, view_text *to) {
    toc_view_text_print(to, ",\"preset\":");
    toc_view_text_string(to, result->preset);
    toc_view_text_print(to, ",\"chosen\":");
    toc_view_text_string(to, result->chosen);
    toc_view_text_print(to, ",\"ms\":");
    toc_view_text_double(to, 1e3 * result->seconds);
    toc_view_text_print(to, ",\"stages\":[");
    for (size_t i = 0; i < result->stage_count; i++) {
        const toc_stage *stage = &result->stages[i];
        toc_view_text_print(to, i ? ",{\"name\":" : "{\"name\":");
        toc_view_text_string(to, stage->name);
        toc_view_text_print(to, ",\"in\":%llu,\"out\":%llu,\"ms\":", (unsigned long long)stage->in,
                            (unsigned long long)stage->out);
        toc_view_text_double(to, 1e3 * stage->seconds);
        toc_view_text_print(to, "}");
    }
    toc_view_text_print(to, "]");
}

// A vertex of each component that is inside of a body.
static toc_status write_inside(const view_coder *c, const toc_scene *scene, const toc_containments *inside,
                               view_text *to) {
    double(*points)[3] = toc_new(&c->allocator, inside->count, sizeof *points);
    if (!points) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < inside->count; i++) {
        const toc_containment *pair = &inside->pairs[i];
        const double *x0 = toc_mesh_get_x0(toc_scene_get_mesh(scene, pair->body[0]));
        memcpy(points[i], x0 + 3 * (size_t)pair->vertex, sizeof points[i]);
    }
    toc_view_text_print(to, ",\"inside\":{\"count\":%zu", inside->count);
    const toc_status status = put_points(c, to, "points", inside->count, points[0], sizeof points[0]);
    toc_view_text_print(to, "}");
    toc_free(&c->allocator, points, inside->count, sizeof *points);
    return status;
}

// Two ends of a line for each near pair; a point for each overlap.
static toc_status write_layers(const view_coder *c, const toc_scene *scene, const view_step *step, view_text *to) {
    const toc_overlaps *o = step->overlaps;
    const toc_near *n = step->near;
    if (o) {
        toc_view_text_print(to, ",\"overlaps\":{\"count\":%zu", o->count);
        TOC_TRY(put_points(c, to, "points", o->count, o->count ? o->pairs->point : NULL, sizeof *o->pairs));
        toc_view_text_print(to, "}");
    }
    if (step->inside && step->inside->count > 0) TOC_TRY(write_inside(c, scene, step->inside, to));
    if (n) {
        toc_view_text_print(to, ",\"near\":{\"count\":%zu,\"distance\":", n->count);
        toc_view_text_double(to, step->distance);
        TOC_TRY(put_points(c, to, "from", n->count, n->count ? n->pairs->points[0] : NULL, sizeof *n->pairs));
        TOC_TRY(put_points(c, to, "to", n->count, n->count ? n->pairs->points[1] : NULL, sizeof *n->pairs));
        toc_view_text_print(to, "}");
    }
    return to->status;
}

// The start of the step, if it is not the frame before.
static toc_status put_start(const view_coder *c, const float *start, view_text *to) {
    const size_t count = 3 * c->vertex_count;
    if (count == c->last.count && (count == 0 || memcmp(start, c->last.at, count * sizeof *start) == 0)) return TOC_OK;
    return put_block(c, to, "start", VIEW_F32, count, start);
}

static toc_status add_start(view_coder *c, const toc_scene *scene, view_text *to) {
    const size_t count = 3 * c->vertex_count;
    float *positions = toc_new(&c->allocator, count, sizeof *positions);
    if (!positions) return TOC_OUT_OF_MEMORY;
    take_positions(c, scene, false, positions);
    const toc_status status = put_start(c, positions, to);
    toc_free(&c->allocator, positions, count, sizeof *positions);
    return status;
}

static toc_status move_last(view_coder *c, const toc_scene *scene, bool at_end) {
    c->last.count = 0;
    TOC_TRY(toc_array_reserve(&c->allocator, &c->last, 3 * c->vertex_count + 1));
    c->last.count = 3 * c->vertex_count;
    take_positions(c, scene, at_end, c->last.at);
    return TOC_OK;
}

static toc_status write_step(view_coder *c, const toc_scene *scene, const view_step *step) {
    TOC_TRY(update_bodies(c, scene));
    TOC_TRY(add_surface(c, scene));
    c->role = VIEW_OF_STEP;
    TOC_TRY(toc_array_reserve(&c->allocator, &c->steps, 1));
    TOC_TRY(toc_array_reserve(&c->allocator, &c->surface_of, 1));
    view_text *to = &c->steps.at[c->steps.count++];
    *to = toc_view_text_make(&c->allocator);
    toc_view_text_print(to, "{\"surface\":%zu", c->surfaces.count - 1);
    TOC_TRY(add_start(c, scene, to));
    TOC_TRY(write_contacts(c, step, to));
    TOC_TRY(write_layers(c, scene, step, to));
    if (step->result) write_stages(step->result, to);
    toc_view_text_print(to, "}");
    TOC_TRY(to->status);
    TOC_TRY(move_last(c, scene, true));
    return add_frame(c, &step->frame);
}

static bool has_element_fields(const view_frame *frame) {
    for (size_t i = 0; i < frame->field_count; i++)
        if (frame->fields[i].of_elements) return true;
    return false;
}

// Surfaces name the elements of their faces from the first field of elements on.
static void want_owners(view_coder *c, const view_frame *frame) {
    if (c->keeps_owners || !has_element_fields(frame)) return;
    c->keeps_owners = c->needs_surface = true;
}

toc_status toc_view_coder_add_step(view_coder *c, const toc_scene *scene, const view_step *step) {
    const size_t frames = c->frames.count, surfaces = c->surfaces.count, steps = c->steps.count;
    want_owners(c, &step->frame);
    const toc_plain_locale plain = toc_plain_locale_begin();
    const toc_status status = write_step(c, scene, step);
    toc_plain_locale_end(&plain);
    if (status == TOC_OK) {
        c->surface_of.at[c->surface_of.count++] = c->surfaces.count - 1;
        return TOC_OK;
    }
    // Half a step goes again; its surface is made anew, and the next step has a start of its own.
    while (c->frames.count > frames) toc_view_text_free(&c->frames.at[--c->frames.count]);
    while (c->steps.count > steps) toc_view_text_free(&c->steps.at[--c->steps.count]);
    while (c->surfaces.count > surfaces) toc_view_text_free(&c->surfaces.at[--c->surfaces.count]);
    c->needs_surface = true;
    c->last.count = 0;
    return status;
}

toc_status toc_view_coder_add_frame_contacts(view_coder *c, size_t count, const toc_near_pair *pairs) {
    assert(c->frames.count > 0);
    const toc_plain_locale plain = toc_plain_locale_begin();
    const toc_status status = write_frame_contacts(c, count, pairs, &c->frames.at[c->frames.count - 1]);
    toc_plain_locale_end(&plain);
    return status;
}

static toc_status begin(view_coder *c, const toc_scene *scene, const char *title, const view_frame *frame) {
    if (title) {
        toc_view_text_string(&c->title, title);
        TOC_TRY(c->title.status);
    }
    want_owners(c, frame);
    TOC_TRY(update_bodies(c, scene));
    find_centre(c, scene);
    TOC_TRY(add_surface(c, scene));
    TOC_TRY(move_last(c, scene, false));
    return add_frame(c, frame);
}

toc_status toc_view_coder_create(const toc_allocator *allocator, view_store store, const toc_scene *scene, int up,
                                 const char *title, const view_frame *frame, view_coder **out) {
    assert(0 <= up && up < 3);
    view_coder *c = toc_new(allocator, 1, sizeof *c);
    if (!c) return TOC_OUT_OF_MEMORY;
    *c = (view_coder){.allocator = *allocator, .store = store, .up = up, .needs_surface = true};
    c->title = c->parts = toc_view_text_make(allocator);
    const toc_plain_locale plain = toc_plain_locale_begin();
    const toc_status status = begin(c, scene, title, frame);
    toc_plain_locale_end(&plain);
    if (status == TOC_OK)
        *out = c;
    else
        toc_view_coder_destroy(c);
    return status;
}

void toc_view_coder_destroy(view_coder *c) {
    if (!c) return;
    for (size_t i = 0; i < c->bodies.count; i++) {
        toc_features_destroy(c->bodies.at[i].features);
        toc_view_parts_free(&c->bodies.at[i].parts);
    }
    for (size_t i = 0; i < c->frames.count; i++) toc_view_text_free(&c->frames.at[i]);
    for (size_t i = 0; i < c->surfaces.count; i++) toc_view_text_free(&c->surfaces.at[i]);
    for (size_t i = 0; i < c->steps.count; i++) toc_view_text_free(&c->steps.at[i]);
    toc_array_free(&c->allocator, &c->bodies);
    toc_array_free(&c->allocator, &c->frames);
    toc_array_free(&c->allocator, &c->surfaces);
    toc_array_free(&c->allocator, &c->steps);
    toc_array_free(&c->allocator, &c->surface_of);
    toc_array_free(&c->allocator, &c->vertex_parts);
    toc_array_free(&c->allocator, &c->last);
    toc_view_text_free(&c->title);
    toc_view_text_free(&c->parts);
    toc_free(&c->allocator, c, 1, sizeof *c);
}

size_t toc_view_coder_step_count(const view_coder *c) { return c->steps.count; }

size_t toc_view_coder_surface_of(const view_coder *c, size_t step) {
    assert(step < c->surface_of.count);
    return c->surface_of.at[step];
}

toc_status toc_view_coder_find_features(view_coder *c, const toc_scene *scene, uint32_t body,
                                        const toc_features **out) {
    TOC_TRY(update_bodies(c, scene));
    assert(body < c->bodies.count);
    *out = c->bodies.at[body].features;
    return TOC_OK;
}

// ---- the object

static void write_list(view_text *to, const char *name, size_t first, size_t count, const view_text *items,
                       const char *end) {
    toc_view_text_print(to, ",\"%s\":[", name);
    for (size_t i = first; i < count; i++) {
        if (i > first) toc_view_text_put(to, ",", 1);
        toc_view_text_put(to, items[i].bytes.at, items[i].bytes.count);
        toc_view_text_print(to, "%s", end);
    }
    toc_view_text_print(to, "]");
}

void toc_view_coder_write(const view_coder *c, size_t first_frame, size_t first_step, size_t first_surface,
                          const char *more, view_text *to) {
    const toc_plain_locale plain = toc_plain_locale_begin();
    toc_view_text_print(to, "{\"layout\":2,\"version\":\"%s\",\"up\":\"%c\"", toc_version_get(), "xyz"[c->up]);
    if (c->title.bytes.count) {
        toc_view_text_print(to, ",\"title\":");
        toc_view_text_put(to, c->title.bytes.at, c->title.bytes.count);
    }
    toc_view_text_print(to, ",\"centre\":[");
    for (int k = 0; k < 3; k++) {
        if (k) toc_view_text_print(to, ",");
        toc_view_text_double(to, c->centre[k]);
    }
    toc_view_text_print(to, "]");
    write_list(to, "frames", first_frame, c->frames.count, c->frames.at, "}");
    write_list(to, "surfaces", first_surface, c->surfaces.count, c->surfaces.at, "");
    write_list(to, "steps", first_step, c->steps.count, c->steps.at, "");
    toc_view_text_print(to, ",\"parts\":[");
    toc_view_text_put(to, c->parts.bytes.at, c->parts.bytes.count);
    toc_view_text_print(to, "]");
    toc_view_text_put(to, more, strlen(more));
    toc_view_text_put(to, "}", 1);
    toc_plain_locale_end(&plain);
}
