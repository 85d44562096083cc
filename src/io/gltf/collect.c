// SPDX-License-Identifier: Apache-2.0
// Frames and contacts as they come. O(vertices) a frame; a surface is looked at where elements have changed.
#include "io/gltf/collect.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>

#include "base/platform/platform.h"

enum { MOST_FRAMES = 65536 }; // of keys times targets 32 bits are counted
enum { ROOM = 1024 };

void toc_glb_free(toc_animation *writer) {
    const toc_allocator *memory = &writer->allocator;
    toc_lifetimes_free(&writer->lifetimes);
    toc_arena_free(&writer->arena);
    toc_array_free(memory, &writer->names);
    toc_array_free(memory, &writer->base);
    toc_array_free(memory, &writer->boxes);
    toc_array_free(memory, &writer->counts);
    toc_array_free(memory, &writer->last);
    toc_array_free(memory, &writer->contacts);
    toc_array_free(memory, &writer->places);
    toc_array_free(memory, &writer->marks);
    toc_array_free(memory, &writer->by_step);
    toc_array_free(memory, &writer->corners);
    toc_array_free(memory, &writer->primitives);
    toc_array_free(memory, &writer->bodies);
    toc_array_free(memory, &writer->shown);
    toc_array_free(memory, &writer->json);
    if (writer->before) fclose(writer->before);
}

// ---- frames as they come

/// Floats of the vertices from `first` on, less the base where there is one.
void toc_glb_make_floats(const double *x, const double *base, size_t first, size_t count, float *to) {
    assert(to);
    x += 3 * first;
    if (base) base += 3 * first;
    for (size_t i = 0; i < 3 * count; i++) to[i] = (float)(base ? x[i] - base[i] : x[i]);
}

/// The bounds of the positions, or of the displacements from a base.
static toc_status find_box(size_t vertices, const double *x, const double *base, toc_glb_box *out) {
    float values[3 * ROOM];
    for (size_t first = 0; first < vertices; first += ROOM) {
        const size_t left = vertices - first, count = left < ROOM ? left : ROOM;
        toc_glb_make_floats(x, base, first, count, values);
        for (size_t i = 0; i < 3 * count; i++) {
            if (!(fabsf(values[i]) <= FLT_MAX))
                return toc_fail(TOC_BAD_INPUT, "vertex %zu: its coordinate %g is more than a float can hold",
                                first + i / 3, x[3 * first + i]);
            if (values[i] < out->low[i % 3]) out->low[i % 3] = values[i];
            if (values[i] > out->high[i % 3]) out->high[i % 3] = values[i];
        }
    }
    return TOC_OK;
}

static const toc_glb_box empty_box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

/// Take the vertices that the mesh has beyond those known, where they are at `x`.
static toc_status take_new_vertices(toc_animation *writer, const toc_mesh *mesh, const double *x) {
    const size_t count = toc_mesh_get_vertex_count(mesh), known = writer->vertices;
    if (count < known)
        return toc_fail(TOC_BAD_INPUT, "%zu vertices in place of %zu: vertices of a motion stay", count, known);
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->base, 3 * (count - known)));
    memcpy(writer->base.at + 3 * known, x + 3 * known, 3 * (count - known) * sizeof *x);
    TOC_TRY(find_box(count - known, x + 3 * known, NULL, &writer->boxes.at[0]));
    writer->base.count = 3 * count;
    writer->vertices = count;
    return TOC_OK;
}

const char *toc_glb_find_name(const toc_animation *writer, int32_t group) {
    for (size_t i = 0; i < writer->names.count; i++)
        if (writer->names.at[i].group == group) return writer->names.at[i].text;
    return NULL;
}

static toc_status keep_group_name(toc_animation *writer, int32_t group, const char *name) {
    if (!name || toc_glb_find_name(writer, group)) return TOC_OK;
    const size_t size = strlen(name) + 1;
    char *copy = toc_arena_new(&writer->arena, size, 1);
    if (!copy) return TOC_OUT_OF_MEMORY;
    memcpy(copy, name, size);
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->names, 1));
    writer->names.at[writer->names.count++] = (toc_glb_name){group, copy};
    return TOC_OK;
}

static toc_status add_names(toc_animation *writer, const toc_mesh *mesh) {
    int32_t last = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const int32_t group = toc_mesh_get_element(mesh, e).group;
        if (e > 0 && group == last) continue;
        TOC_TRY(keep_group_name(writer, group, toc_mesh_get_group_name(mesh, group)));
        last = group;
    }
    return TOC_OK;
}

/// The surface of the mesh from a step on.
static toc_status follow_surface(toc_animation *writer, const toc_mesh *mesh, size_t step) {
    writer->mesh = mesh;
    writer->revision = toc_mesh_get_revision(mesh);
    TOC_TRY(toc_lifetimes_follow(&writer->lifetimes, mesh, (uint32_t)step));
    return add_names(writer, mesh);
}

toc_status toc_glb_begin(toc_animation *writer, const toc_mesh *mesh, const double *x) {
    writer->frames = 1;
    writer->lifetimes.allocator = writer->allocator;
    writer->arena = toc_arena_make(&writer->allocator);
    TOC_TRY(toc_array_reserve(&writer->allocator, &writer->boxes, 1));
    writer->boxes.at[writer->boxes.count++] = empty_box;
    TOC_TRY(take_new_vertices(writer, mesh, x));
    return follow_surface(writer, mesh, 0);
}

static toc_status fail_stream(void) {
    return toc_fail(toc_error_is_full(errno) ? TOC_DISK_FULL : TOC_BAD_INPUT, "the temporary file for frames: %s",
                    strerror(errno));
}

/// Move the last frame to the file of those before it.
static toc_status store_last(toc_animation *writer) {
    errno = 0;
    if (writer->last.count == 0) return TOC_OK;
    if (!writer->before) writer->before = toc_temporary_open_stream(NULL);
    if (!writer->before) return fail_stream();
    if (fwrite(writer->last.at, sizeof *writer->last.at, writer->last.count, writer->before) != writer->last.count)
        return fail_stream();
    writer->last.count = 0;
    return TOC_OK;
}

/// The frame to which the mesh has moved.
toc_status toc_glb_add_frame(toc_animation *writer, const toc_mesh *mesh) {
    const toc_allocator *memory = &writer->allocator;
    const double *x = toc_mesh_get_x1(mesh);
    toc_glb_box box = empty_box;
    if (writer->frames == MOST_FRAMES) return toc_fail(TOC_BAD_INPUT, "glTF holds %d frames at most", MOST_FRAMES);
    if (mesh != writer->mesh || toc_mesh_get_revision(mesh) != writer->revision) {
        TOC_TRY(follow_surface(writer, mesh, writer->frames - 1));
        TOC_TRY(take_new_vertices(writer, mesh, toc_mesh_get_x0(mesh)));
    }
    TOC_TRY(store_last(writer));
    TOC_TRY(toc_array_reserve(memory, &writer->last, 3 * writer->vertices));
    TOC_TRY(toc_array_reserve(memory, &writer->boxes, 1));
    TOC_TRY(toc_array_reserve(memory, &writer->counts, 1));
    TOC_TRY(find_box(writer->vertices, x, writer->base.at, &box));
    toc_glb_make_floats(x, writer->base.at, 0, writer->vertices, writer->last.at);
    writer->last.count = 3 * writer->vertices;
    writer->boxes.at[writer->boxes.count++] = box;
    writer->counts.at[writer->counts.count++] = writer->vertices;
    writer->frames++;
    return TOC_OK;
}

// ---- contacts as they come

toc_glb_mark toc_glb_make_mark(const toc_contact *c, const toc_place *place, size_t step, double rate) {
    toc_glb_mark mark = {.toc = (float)(((double)step + c->toc) / rate), .kind = c->kind == TOC_EE};
    mark.time = (float)(place ? place->time : c->toc);
    for (int k = 0; k < 3; k++) {
        mark.point[k] = (float)c->point[k];
        mark.normal[k] = (float)c->normal[k];
    }
    return mark;
}

/// Numbers of a .glb are finite floats.
static toc_status check_mark(const toc_glb_mark *mark, size_t i, const toc_contact *c, const toc_place *place) {
    const double wide[] = {c->point[0], c->point[1], c->point[2], place ? place->time : c->toc};
    const float narrow[] = {mark->point[0], mark->point[1], mark->point[2], mark->time};
    for (int k = 0; k < 4; k++)
        if (!(fabsf(narrow[k]) <= FLT_MAX))
            return toc_fail(TOC_BAD_INPUT, "contact %zu: its %s %g is more than a float can hold", i,
                            k < 3 ? "coordinate" : "time", wide[k]);
    return TOC_OK;
}

static toc_status find_marks_box(const toc_animation *writer, size_t step, const toc_contacts *contacts,
                                 const toc_place *places, toc_glb_box *box) {
    *box = empty_box;
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const toc_place *place = places ? &places[i] : NULL;
        const toc_glb_mark mark = toc_glb_make_mark(c, place, step, writer->rate);
        TOC_TRY(check_mark(&mark, i, c, place));
        for (int k = 0; k < 3; k++) {
            if (mark.point[k] < box->low[k]) box->low[k] = mark.point[k];
            if (mark.point[k] > box->high[k]) box->high[k] = mark.point[k];
        }
    }
    return TOC_OK;
}

toc_status toc_glb_add_contacts(toc_animation *writer, const toc_contacts *contacts, const toc_place *places) {
    const toc_allocator *memory = &writer->allocator;
    const size_t count = contacts->count, step = writer->frames - 2;
    toc_glb_marks marks = {.step = step, .first = writer->contacts.count, .count = count};
    writer->has_contacts = true;
    TOC_TRY(toc_array_reserve(memory, &writer->by_step, 1));
    writer->by_step.at[writer->by_step.count++] = count;
    if (count == 0) return TOC_OK;
    if (writer->contacts.count > 0 && !places != (writer->places.count == 0))
        return toc_fail(TOC_BAD_INPUT, "some steps have places of their contacts, and others have none");
    TOC_TRY(find_marks_box(writer, step, contacts, places, &marks.box));
    TOC_TRY(toc_array_reserve(memory, &writer->marks, 1));
    TOC_TRY(toc_array_reserve(memory, &writer->contacts, count));
    if (places) TOC_TRY(toc_array_reserve(memory, &writer->places, count));
    memcpy(writer->contacts.at + writer->contacts.count, contacts->contacts, count * sizeof *contacts->contacts);
    writer->contacts.count += count;
    if (places) memcpy(writer->places.at + writer->places.count, places, count * sizeof *places);
    if (places) writer->places.count += count;
    writer->marks.at[writer->marks.count++] = marks;
    return TOC_OK;
}
