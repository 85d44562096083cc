// SPDX-License-Identifier: Apache-2.0
// Incidence that follows edits: changed elements are removed in their old form and inserted in their new one, and the
// flags around them are updated.
//
// A feature is searched among those of the elements around its lowest vertex, so the cost of an edit depends on the
// neighbourhood of the changed elements, not on the size of the mesh; `work` counts it. After Tang et al. 2011,
// "VolCCD", section 5.1.
#include <assert.h>
#include <string.h>

#include "mesh/incidence.h"
#include "mesh/parts.h"

typedef struct edit_follower {
    toc_incidence *in;
    const toc_mesh *mesh;
    toc_changes *changes;
} edit_follower;

void toc_changes_free(const toc_allocator *allocator, toc_changes *changes) {
    toc_array_free(allocator, &changes->elements);
    toc_array_free(allocator, &changes->vertices);
    toc_array_free(allocator, &changes->edges);
    toc_array_free(allocator, &changes->faces);
}

// ---- lists of changes

static toc_status note(edit_follower *f, toc_ids *ids, uint32_t id) {
    TOC_TRY(toc_array_reserve(&f->in->allocator, ids, 1));
    ids->at[ids->count++] = id;
    f->in->work++;
    return TOC_OK;
}

static void sift(uint32_t *at, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && at[child + 1] > at[child]) child++;
        if (at[root] >= at[child]) return;
        const uint32_t moved = at[root];
        at[root] = at[child];
        at[child] = moved;
    }
}

// Sort ids in ascending order and remove duplicates.
static void sort_ids(toc_ids *ids) {
    uint32_t *at = ids->at;
    for (size_t i = ids->count / 2; i-- > 0;) sift(at, i, ids->count);
    for (size_t last = ids->count; last-- > 1;) {
        const uint32_t highest = at[0];
        at[0] = at[last];
        at[last] = highest;
        sift(at, 0, last);
    }
    size_t kept = 0;
    for (size_t i = 0; i < ids->count; i++)
        if (kept == 0 || at[kept - 1] != at[i]) at[kept++] = at[i];
    ids->count = kept;
}

static toc_status list_elements(edit_follower *f) {
    const toc_event *events;
    size_t count;
    TOC_TRY(toc_mesh_get_events(f->mesh, f->in->revision, &events, &count));
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind == TOC_EVENT_VERTICES_ADDED || events[i].kind == TOC_EVENT_VERTEX_REMOVED) continue;
        for (uint32_t j = 0; j < events[i].count; j++) TOC_TRY(note(f, &f->changes->elements, events[i].first + j));
    }
    sort_ids(&f->changes->elements);
    return TOC_OK;
}

// ---- removal

// Remove an element from the lists of its features. A feature without elements frees its place.
static toc_status detach_from(edit_follower *f, uint32_t element, toc_adjacency *own, toc_adjacency *around,
                              toc_ids *changed, toc_ids *free_places) {
    toc_adjacency_run *run = &own->runs.at[element];
    for (uint32_t i = 0; i < run->count; i++) {
        const uint32_t feature = own->items.at[run->first + i];
        toc_adjacency_erase(around, feature, element);
        TOC_TRY(note(f, changed, feature));
        if (free_places && around->runs.at[feature].count == 0) TOC_TRY(note(f, free_places, feature));
    }
    run->count = 0;
    return TOC_OK;
}

static toc_status detach_element(edit_follower *f, uint32_t element) {
    toc_incidence *in = f->in;
    toc_changes *c = f->changes;
    TOC_TRY(detach_from(f, element, &in->element_vertices, &in->vertex_elements, &c->vertices, NULL));
    TOC_TRY(detach_from(f, element, &in->element_edges, &in->edge_elements, &c->edges, &in->free_edges));
    return detach_from(f, element, &in->element_faces, &in->face_elements, &c->faces, &in->free_faces);
}

// ---- insertion

static bool is_edge(const uint32_t a[2], const uint32_t b[2]) { return a[0] == b[0] && a[1] == b[1]; }

static bool is_face(const uint32_t a[3], const uint32_t b[3]) {
    return a[0] == b[0] && ((a[1] == b[1] && a[2] == b[2]) || (a[1] == b[2] && a[2] == b[1]));
}

// Find the edge or face of these vertices, the lowest one first; TOC_NONE if no element has it yet.
static uint32_t find_feature(edit_follower *f, const uint32_t *v, int corners) {
    toc_incidence *in = f->in;
    size_t elements, count;
    assert(v[0] < v[1] && (corners == 2 || v[0] < v[2]));
    const uint32_t *around = toc_adjacency_items(&in->vertex_elements, v[0], &elements);
    for (size_t i = 0; i < elements; i++) {
        const uint32_t *ids =
            toc_adjacency_items(corners == 2 ? &in->element_edges : &in->element_faces, around[i], &count);
        for (size_t j = 0; j < count; j++)
            if (corners == 2 ? is_edge(in->edges.at[ids[j]], v) : is_face(in->faces.at[ids[j]], v)) return ids[j];
        in->work += count;
    }
    return TOC_NONE;
}

static toc_status place_edge(toc_incidence *in, uint32_t *edge) {
    if (in->free_edges.count > 0) {
        *edge = in->free_edges.at[--in->free_edges.count];
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&in->allocator, &in->edges, 1));
    TOC_TRY(toc_array_reserve(&in->allocator, &in->edge_flags, 1));
    TOC_TRY(toc_adjacency_cover(&in->allocator, &in->edge_elements, in->edges.count + 1));
    in->edge_flags.at[in->edge_flags.count++] = 0;
    *edge = (uint32_t)in->edges.count++;
    return TOC_OK;
}

static toc_status place_face(toc_incidence *in, uint32_t *face) {
    if (in->free_faces.count > 0) {
        *face = in->free_faces.at[--in->free_faces.count];
        return TOC_OK;
    }
    TOC_TRY(toc_array_reserve(&in->allocator, &in->faces, 1));
    TOC_TRY(toc_array_reserve(&in->allocator, &in->face_flags, 1));
    TOC_TRY(toc_adjacency_cover(&in->allocator, &in->face_elements, in->faces.count + 1));
    in->face_flags.at[in->face_flags.count++] = 0;
    *face = (uint32_t)in->faces.count++;
    return TOC_OK;
}

static toc_status attach_edge(edit_follower *f, uint32_t element, const uint32_t v[2]) {
    toc_incidence *in = f->in;
    uint32_t edge = find_feature(f, v, 2);
    if (edge == TOC_NONE) {
        TOC_TRY(place_edge(in, &edge));
        memcpy(in->edges.at[edge], v, sizeof in->edges.at[edge]);
    }
    TOC_TRY(toc_adjacency_insert(&in->allocator, &in->edge_elements, edge, element));
    TOC_TRY(toc_adjacency_insert(&in->allocator, &in->element_edges, element, edge));
    return note(f, &f->changes->edges, edge);
}

static toc_status attach_face(edit_follower *f, uint32_t element, const uint32_t v[3]) {
    toc_incidence *in = f->in;
    uint32_t face = find_feature(f, v, 3);
    if (face == TOC_NONE) {
        TOC_TRY(place_face(in, &face));
        memcpy(in->faces.at[face], v, sizeof in->faces.at[face]);
    }
    TOC_TRY(toc_adjacency_insert(&in->allocator, &in->face_elements, face, element));
    TOC_TRY(toc_adjacency_insert(&in->allocator, &in->element_faces, element, face));
    return note(f, &f->changes->faces, face);
}

static toc_status attach_element(edit_follower *f, uint32_t element) {
    toc_incidence *in = f->in;
    toc_element_parts parts;
    toc_element_find_parts(f->mesh, element, &parts);
    for (int i = 0; i < parts.vertex_count; i++) {
        TOC_TRY(toc_adjacency_insert(&in->allocator, &in->vertex_elements, parts.vertices[i], element));
        TOC_TRY(toc_adjacency_insert(&in->allocator, &in->element_vertices, element, parts.vertices[i]));
        TOC_TRY(note(f, &f->changes->vertices, parts.vertices[i]));
    }
    for (int i = 0; i < parts.edge_count; i++) TOC_TRY(attach_edge(f, element, parts.edges[i]));
    for (int i = 0; i < parts.face_count; i++) TOC_TRY(attach_face(f, element, parts.faces[i]));
    return TOC_OK;
}

// ---- flags

// Give a face the winding of the lowest element that has it, and update its boundary flag.
static void update_face(edit_follower *f, uint32_t face) {
    toc_incidence *in = f->in;
    size_t count;
    const uint32_t *elements = toc_adjacency_items(&in->face_elements, face, &count);
    bool thin = false;
    for (size_t i = count; i-- > 0;) {
        toc_element_parts parts;
        toc_element_find_parts(f->mesh, elements[i], &parts);
        thin = thin || parts.thin;
        for (int j = parts.face_count; i == 0 && j-- > 0;)
            if (is_face(in->faces.at[face], parts.faces[j]))
                memcpy(in->faces.at[face], parts.faces[j], sizeof in->faces.at[face]);
    }
    const bool outside = thin || toc_elements_are_duplicates(f->mesh, elements, count);
    in->face_flags.at[face] = count > 0 && outside ? TOC_FEATURE_ON_BOUNDARY : 0;
    in->work += count;
}

static bool has_vertex(const uint32_t face[3], uint32_t v) { return face[0] == v || face[1] == v || face[2] == v; }

// Whether an element has a face on the boundary with these vertices.
static bool shows(const toc_incidence *in, uint32_t element, uint32_t a, uint32_t b) {
    size_t count;
    const uint32_t *faces = toc_adjacency_items(&in->element_faces, element, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *face = in->faces.at[faces[i]];
        if (in->face_flags.at[faces[i]] & TOC_FEATURE_ON_BOUNDARY && has_vertex(face, a) && has_vertex(face, b))
            return true;
    }
    return false;
}

static void update_edge(edit_follower *f, uint32_t edge) {
    toc_incidence *in = f->in;
    const uint32_t *v = in->edges.at[edge];
    size_t count;
    const uint32_t *elements = toc_adjacency_items(&in->edge_elements, edge, &count);
    bool outside = false, diagonal = count > 0;
    for (size_t i = 0; i < count; i++) {
        toc_element_parts parts;
        toc_element_find_parts(f->mesh, elements[i], &parts);
        outside = outside || parts.thin || shows(in, elements[i], v[0], v[1]);
        for (int j = 0; j < parts.edge_count; j++)
            if (is_edge(parts.edges[j], v)) diagonal = diagonal && parts.diagonal[j];
    }
    in->edge_flags.at[edge] =
        (uint8_t)((outside ? TOC_FEATURE_ON_BOUNDARY : 0) | (diagonal ? TOC_FEATURE_DIAGONAL : 0));
    in->work += count;
}

static void update_vertex(edit_follower *f, uint32_t vertex) {
    toc_incidence *in = f->in;
    size_t count;
    const uint32_t *elements = toc_adjacency_items(&in->vertex_elements, vertex, &count);
    bool outside = false;
    for (size_t i = 0; i < count && !outside; i++) {
        toc_element_parts parts;
        toc_element_find_parts(f->mesh, elements[i], &parts);
        outside = parts.thin || shows(in, elements[i], vertex, vertex);
    }
    in->vertex_flags.at[vertex] = outside ? TOC_FEATURE_ON_BOUNDARY : 0;
    in->work += count;
}

// Update the flags of changed faces first; then those of the edges and vertices that may change with them.
static toc_status update_flags(edit_follower *f) {
    toc_incidence *in = f->in;
    toc_changes *c = f->changes;
    sort_ids(&c->faces);
    for (size_t i = 0; i < c->faces.count; i++) {
        update_face(f, c->faces.at[i]);
        const uint32_t *v = in->faces.at[c->faces.at[i]];
        for (int j = 0; j < 3 && in->face_elements.runs.at[c->faces.at[i]].count > 0; j++) {
            const uint32_t a = v[j], b = v[(j + 1) % 3], edge[2] = {a < b ? a : b, a < b ? b : a};
            TOC_TRY(note(f, &c->edges, find_feature(f, edge, 2)));
            TOC_TRY(note(f, &c->vertices, v[j]));
        }
    }
    sort_ids(&c->edges);
    sort_ids(&c->vertices);
    for (size_t i = 0; i < c->edges.count; i++) update_edge(f, c->edges.at[i]);
    for (size_t i = 0; i < c->vertices.count; i++) update_vertex(f, c->vertices.at[i]);
    return TOC_OK;
}

// ---- the whole update

static toc_status cover_mesh(edit_follower *f) {
    toc_incidence *in = f->in;
    const toc_allocator *memory = &in->allocator;
    const size_t vertices = toc_mesh_get_vertex_count(f->mesh), elements = toc_mesh_get_element_count(f->mesh);
    TOC_TRY(toc_array_reserve(memory, &in->vertex_flags, vertices - in->vertex_flags.count));
    while (in->vertex_flags.count < vertices) in->vertex_flags.at[in->vertex_flags.count++] = 0;
    TOC_TRY(toc_adjacency_cover(memory, &in->vertex_elements, vertices));
    TOC_TRY(toc_adjacency_cover(memory, &in->element_vertices, elements));
    TOC_TRY(toc_adjacency_cover(memory, &in->element_edges, elements));
    return toc_adjacency_cover(memory, &in->element_faces, elements);
}

toc_status toc_incidence_follow(toc_incidence *incidence, const toc_mesh *mesh, toc_changes *changes) {
    assert(changes->elements.count == 0 && incidence->revision <= toc_mesh_get_revision(mesh));
    edit_follower f = {incidence, mesh, changes};
    TOC_TRY(list_elements(&f));
    TOC_TRY(cover_mesh(&f));
    for (size_t i = 0; i < changes->elements.count; i++) TOC_TRY(detach_element(&f, changes->elements.at[i]));
    for (size_t i = 0; i < changes->elements.count; i++) TOC_TRY(attach_element(&f, changes->elements.at[i]));
    TOC_TRY(update_flags(&f));
    incidence->revision = toc_mesh_get_revision(mesh);
    return TOC_OK;
}
