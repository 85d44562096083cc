// SPDX-License-Identifier: Apache-2.0
// Making and following compact copies.
//
// A copy is made when at least half of the ids are dead, and shrunk when half of its own places are: between two of
// these as many elements were added or removed as the copy has, so that an edit costs O(1) amortised. Structures that
// follow the events of the body see the edits of the copy; a new copy begins a new history.
#include "scene/compact.h"

#include <assert.h>
#include <string.h>

#include "scene/scene.h"

enum { FEW = 256 }; // dead ids that do not matter

// ---- the dead

// The elements of a mesh that are not removed, and marks of the vertices that they use.
typedef struct living {
    size_t elements, vertices, corners;
    uint8_t *used; // by vertex id
} living;

static bool is_sparse(size_t ids, size_t alive) { return ids > 2 * alive + FEW; }

static bool is_mesh_sparse(const toc_mesh *mesh, const living *alive) {
    return is_sparse(mesh->shapes.count, alive->elements) ||
           is_sparse(toc_mesh_get_vertex_count(mesh), 2 * alive->vertices);
}

static void mark_living(const toc_mesh *mesh, size_t id, living *out) {
    const toc_element element = toc_mesh_get_element(mesh, (uint32_t)id);
    out->corners += (size_t)element.corner_count;
    for (int i = 0; i < element.corner_count; i++) {
        out->vertices += !out->used[element.corners[i]];
        out->used[element.corners[i]] = 1;
    }
}

// Neighbours share vertices, so elements far apart show sooner how many vertices are in use.
// @param ends as soon as the mesh is known not to be sparse. The vertices and corners are then not all counted.
static toc_status count_living(const toc_scene *scene, const toc_mesh *mesh, bool ends, living *out) {
    enum { STRIDE = 16 };
    const size_t count = mesh->shapes.count;
    *out = (living){.used = toc_new(&scene->allocator, toc_mesh_get_vertex_count(mesh), 1)};
    if (!out->used) return TOC_OUT_OF_MEMORY;
    for (size_t e = 0; e < count; e++) out->elements += mesh->shapes.at[e] != TOC_REMOVED;
    for (size_t first = 0; first < STRIDE; first++)
        for (size_t e = first; e < count && !(ends && !is_mesh_sparse(mesh, out)); e += STRIDE)
            mark_living(mesh, e, out);
    return TOC_OK;
}

// Whether enough has changed since the last count for another one to pay.
static bool may_be_sparse(const toc_body *body) {
    const toc_mesh *mesh = body->own;
    const size_t ids = mesh->shapes.count + mesh->x0.count / 3;
    const toc_compact *c = &body->compact;
    return (mesh->shapes.count >= FEW || mesh->x0.count >= 3 * FEW) &&
           (mesh->shapes.count >= c->least_elements || mesh->x0.count / 3 >= c->least_vertices ||
            toc_mesh_get_revision(mesh) - c->looked_at > FEW + ids / 8);
}

// ---- the copy

// Vertices that nobody uses stay in the copy unless there are many: an element may use them later.
static bool takes_vertex(const living *alive, size_t ids, size_t vertex) {
    return !is_sparse(ids, 2 * alive->vertices) || alive->used[vertex];
}

static toc_status list_living(const toc_scene *scene, const toc_mesh *mesh, const living *alive, toc_patch *ids) {
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    ids->elements.count = ids->vertices.count = 0;
    TOC_TRY(toc_array_reserve(&scene->allocator, &ids->elements, alive->elements));
    TOC_TRY(toc_array_reserve(&scene->allocator, &ids->vertices, vertices));
    for (uint32_t e = 0; e < mesh->shapes.count; e++)
        if (toc_mesh_shape(mesh, e) != TOC_REMOVED) ids->elements.at[ids->elements.count++] = e;
    for (size_t v = 0; v < vertices; v++)
        if (takes_vertex(alive, vertices, v)) ids->vertices.at[ids->vertices.count++] = (uint32_t)v;
    return TOC_OK;
}

static toc_status make_copy(toc_scene *scene, toc_body *body, const living *alive) {
    TOC_TRY(list_living(scene, body->own, alive, body->patch));
    TOC_TRY(toc_patch_fill(body->own, body->patch, alive->corners, body->mesh));
    toc_compact *c = &body->compact;
    c->revision = toc_mesh_get_revision(body->own);
    c->dead = 0;
    c->vertices_before = body->patch->vertices.count;
    c->is_stale = false;
    return TOC_OK;
}

// The first copy of a body. Its history begins after that of the mesh.
static toc_status make_copy_mesh(toc_scene *scene, toc_body *body) {
    toc_patch *ids = toc_new(&scene->allocator, 1, sizeof *ids);
    toc_mesh *mesh;
    if (!ids) return TOC_OUT_OF_MEMORY;
    const toc_status status = toc_mesh_create_at(&scene->allocator, toc_mesh_get_revision(body->own) + 1, &mesh);
    if (status != TOC_OK) {
        toc_free(&scene->allocator, ids, 1, sizeof *ids);
        return status;
    }
    mesh->owner = &scene->guard;
    body->mesh = mesh;
    body->patch = ids;
    body->compact.is_stale = true;
    return TOC_OK;
}

static toc_status consider_copy(toc_scene *scene, toc_body *body, const living *alive) {
    const toc_mesh *own = body->own;
    toc_compact *c = &body->compact;
    c->looked_at = toc_mesh_get_revision(own);
    c->least_elements = own->shapes.count + own->shapes.count / 8 + FEW;
    c->least_vertices = own->x0.count / 3 + own->x0.count / 24 + FEW;
    if (body->mesh == own && !is_mesh_sparse(own, alive)) return TOC_OK;
    if (body->mesh == own) TOC_TRY(make_copy_mesh(scene, body));
    return make_copy(scene, body, alive);
}

static toc_status look_at_body(toc_scene *scene, toc_body *body) {
    living alive;
    TOC_TRY(count_living(scene, body->own, body->mesh == body->own, &alive));
    const toc_status status = consider_copy(scene, body, &alive);
    toc_free(&scene->allocator, alive.used, toc_mesh_get_vertex_count(body->own), 1);
    return status;
}

// ---- following edits

// The place of an id in an ascending list; where it would be inserted if it is not there.
static size_t place_of(const toc_ids *ids, uint32_t id) {
    size_t low = 0, high = ids->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids->at[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_in(const toc_ids *ids, size_t place, uint32_t id) { return place < ids->count && ids->at[place] == id; }

static toc_status note_copy(toc_mesh *copy, toc_event event) {
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->events, 1));
    toc_mesh_note(copy, event);
    return TOC_OK;
}

// The vertex of the copy for one of the mesh. New vertices stand behind all others; one that the copy left out when it
// was made does not, and makes it stale.
static toc_status copy_vertex(toc_scene *scene, toc_body *body, uint32_t vertex, uint32_t *out) {
    toc_ids *ids = &body->patch->vertices;
    toc_mesh *copy = body->mesh;
    const size_t place = place_of(ids, vertex);
    *out = (uint32_t)place;
    if (is_in(ids, place, vertex)) return TOC_OK;
    body->compact.is_stale = body->compact.is_stale || place < ids->count;
    if (body->compact.is_stale) return TOC_OK;
    TOC_TRY(toc_array_reserve(&scene->allocator, ids, 1));
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->x0, 3));
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->x1, 3));
    TOC_TRY(note_copy(copy, (toc_event){TOC_EVENT_VERTICES_ADDED, .first = (uint32_t)place, .count = 1}));
    ids->at[ids->count++] = vertex;
    copy->x0.count += 3;
    copy->x1.count += 3;
    return TOC_OK;
}

static toc_status add_copied(toc_scene *scene, toc_body *body, uint32_t element) {
    const toc_element e = toc_mesh_get_element(body->own, element);
    toc_mesh *copy = body->mesh;
    toc_ids *ids = &body->patch->elements;
    assert(ids->count == 0 || ids->at[ids->count - 1] < element);
    TOC_TRY(toc_array_reserve(&scene->allocator, ids, 1));
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->shapes, 1));
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->first, 1));
    TOC_TRY(toc_array_reserve(&copy->allocator, &copy->corners, (size_t)e.corner_count));
    const uint32_t first = (uint32_t)copy->corners.count, place = (uint32_t)ids->count;
    for (int i = 0; i < e.corner_count; i++)
        TOC_TRY(copy_vertex(scene, body, e.corners[i], &copy->corners.at[first + (uint32_t)i]));
    TOC_TRY(note_copy(copy, (toc_event){TOC_EVENT_ELEMENTS_ADDED, .first = place, .count = 1}));
    copy->corners.count += (size_t)e.corner_count;
    copy->shapes.at[copy->shapes.count++] = (uint8_t)e.shape;
    copy->first.at[copy->first.count++] = first;
    ids->at[ids->count++] = element;
    return TOC_OK;
}

static toc_status remove_copied(toc_body *body, uint32_t place) {
    if (toc_mesh_shape(body->mesh, place) == TOC_REMOVED) return TOC_OK;
    TOC_TRY(note_copy(body->mesh, (toc_event){TOC_EVENT_ELEMENT_REMOVED, .first = place, .count = 1}));
    body->mesh->shapes.at[place] = TOC_REMOVED;
    body->compact.dead++;
    return TOC_OK;
}

static toc_status change_copied(toc_scene *scene, toc_body *body, uint32_t element, uint32_t place) {
    const toc_element e = toc_mesh_get_element(body->own, element);
    toc_mesh *copy = body->mesh;
    for (uint32_t i = 0; i < (uint32_t)e.corner_count; i++) {
        uint32_t vertex;
        TOC_TRY(copy_vertex(scene, body, e.corners[i], &vertex));
        uint32_t *corner = &copy->corners.at[copy->first.at[place] + i];
        if (*corner == vertex) continue;
        TOC_TRY(note_copy(copy, (toc_event){TOC_EVENT_CORNER_CHANGED, place, 1, i, *corner, vertex}));
        *corner = vertex;
    }
    return TOC_OK;
}

static toc_status follow_element(toc_scene *scene, toc_body *body, uint32_t element) {
    const toc_ids *ids = &body->patch->elements;
    const size_t place = place_of(ids, element);
    const bool exists = toc_mesh_shape(body->own, element) != TOC_REMOVED;
    if (!is_in(ids, place, element)) return exists ? add_copied(scene, body, element) : TOC_OK;
    return exists ? change_copied(scene, body, element, (uint32_t)place) : remove_copied(body, (uint32_t)place);
}

static toc_status follow_events(toc_scene *scene, toc_body *body) {
    const toc_event *events;
    size_t count;
    if (toc_mesh_get_events(body->own, body->compact.revision, &events, &count) != TOC_OK) {
        body->compact.is_stale = true; // the caller has forgotten them
        return TOC_OK;
    }
    for (size_t i = 0; i < count && !body->compact.is_stale; i++) {
        if (events[i].kind == TOC_EVENT_VERTICES_ADDED || events[i].kind == TOC_EVENT_VERTEX_REMOVED) continue;
        for (uint32_t j = 0; j < events[i].count && !body->compact.is_stale; j++)
            TOC_TRY(follow_element(scene, body, events[i].first + j));
    }
    body->compact.revision = toc_mesh_get_revision(body->own);
    return TOC_OK;
}

// ---- shrinking

// Mark the vertices of the copy that its living elements use. @return their number.
static size_t mark_used(const toc_mesh *copy, uint8_t *used, size_t *corners) {
    size_t count = 0;
    *corners = 0;
    for (uint32_t e = 0; e < copy->shapes.count; e++) {
        const toc_element element = toc_mesh_get_element(copy, e);
        *corners += (size_t)element.corner_count;
        for (int i = 0; i < element.corner_count; i++) {
            count += !used[element.corners[i]];
            used[element.corners[i]] = 1;
        }
    }
    return count;
}

// Keep the ids of living elements, and of the vertices they use where many are unused.
static void drop_dead_ids(toc_body *body, const uint8_t *used, size_t used_count) {
    toc_ids *elements = &body->patch->elements, *vertices = &body->patch->vertices;
    const bool drops = is_sparse(vertices->count, 2 * used_count);
    size_t kept = 0;
    for (size_t i = 0; i < elements->count; i++)
        if (toc_mesh_shape(body->mesh, (uint32_t)i) != TOC_REMOVED) elements->at[kept++] = elements->at[i];
    elements->count = kept;
    kept = 0;
    for (size_t i = 0; i < vertices->count; i++)
        if (!drops || used[i]) vertices->at[kept++] = vertices->at[i];
    vertices->count = kept;
}

// Make the copy anew from itself: O(the copy), however many ids the mesh has.
static toc_status shrink_copy(toc_scene *scene, toc_body *body) {
    const size_t vertices = body->patch->vertices.count;
    size_t corners;
    uint8_t *used = toc_new(&scene->allocator, vertices, 1);
    if (!used) return TOC_OUT_OF_MEMORY;
    const size_t used_count = mark_used(body->mesh, used, &corners);
    drop_dead_ids(body, used, used_count);
    toc_free(&scene->allocator, used, vertices, 1);
    body->compact.is_stale = true;
    TOC_TRY(toc_patch_fill(body->own, body->patch, corners, body->mesh));
    body->compact.is_stale = false;
    body->compact.dead = 0;
    body->compact.vertices_before = body->patch->vertices.count;
    return TOC_OK;
}

static bool is_worn_out(const toc_body *body) {
    const size_t elements = body->patch->elements.count;
    return is_sparse(elements, elements - body->compact.dead) ||
           body->patch->vertices.count > 2 * body->compact.vertices_before + FEW;
}

static toc_status follow_copy(toc_scene *scene, toc_body *body) {
    if (!body->compact.is_stale && body->compact.revision != toc_mesh_get_revision(body->own)) {
        const toc_status status = follow_events(scene, body);
        if (status != TOC_OK) body->compact.is_stale = true;
        TOC_TRY(status);
    }
    if (body->compact.is_stale) return look_at_body(scene, body);
    return is_worn_out(body) ? shrink_copy(scene, body) : TOC_OK;
}

// ---- each call

toc_status toc_compact_follow(toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        toc_body *body = &scene->bodies.at[b];
        if (!body->own) continue;
        if (body->mesh != body->own)
            TOC_TRY(follow_copy(scene, body));
        else if (may_be_sparse(body))
            TOC_TRY(look_at_body(scene, body));
        if (body->mesh != body->own) TOC_TRY(toc_patch_place(body->own, body->patch, body->mesh));
    }
    return TOC_OK;
}
