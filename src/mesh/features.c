// SPDX-License-Identifier: Apache-2.0
// The features of a mesh: every vertex, edge and triangulated face once, with the elements around it.
//
// Vertices are visited in ascending order. The features whose lowest vertex is the current one are collected from the
// elements around it and sorted: a stable sort of a short list, so memory is read in one sweep, elements stay in order,
// and the result depends only on the mesh. O(n log n), and O(n) if vertices have few elements. Stretches of vertices
// are walked in parallel, and their results are concatenated.
#include "mesh/features.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <string.h>

#include "base/scatter.h"
#include "base/shared.h"
#include "base/threads.h"
#include "mesh/plain.h"
#include "mesh/shape.h"

// Flags of the walk, besides those of the result.
enum {
    FLIPPED = 4, // a face in the order (lowest, highest, middle)
    OUTER = 8,   // a face that bounds a volume: its edges and vertices are not marked yet
};

// An edge or a face of one element. The key holds the vertices except the lowest.
typedef struct feature_entry {
    uint64_t key;
    uint32_t element, info;
} feature_entry;

typedef TOC_ARRAY(feature_entry) entry_array;
typedef TOC_ARRAY(uint8_t) flag_array;

typedef struct features {
    toc_features shown; // first, so that a pointer to it is a pointer to the whole
    toc_allocator allocator;
    toc_ids vertices;
    toc_edge_array edges;
    toc_face_array faces;
    flag_array vertex_flags, edge_flags, face_flags;
    toc_list_maker vertex_elements, edge_elements, face_elements, element_neighbours;
    toc_ids edge_first; // by vertex id and one more: the first edge whose lower vertex it is
} features;

static void free_lists(const toc_allocator *memory, toc_list_maker *lists) {
    toc_array_free(memory, &lists->first);
    toc_array_free(memory, &lists->items);
}

static void free_arrays(features *f) {
    const toc_allocator *memory = &f->allocator;
    toc_array_free(memory, &f->vertices);
    toc_array_free(memory, &f->edges);
    toc_array_free(memory, &f->faces);
    toc_array_free(memory, &f->edge_first);
    toc_array_free(memory, &f->vertex_flags);
    toc_array_free(memory, &f->edge_flags);
    toc_array_free(memory, &f->face_flags);
    free_lists(memory, &f->vertex_elements);
    free_lists(memory, &f->edge_elements);
    free_lists(memory, &f->face_elements);
    free_lists(memory, &f->element_neighbours);
}

// Bits of plan.forms, besides the shape.
enum { COLLAPSED = 0x40, THIN = 0x80, SHAPE_BITS = 0x3f };

// The data that all stretches of the walk share.
typedef struct plan {
    const toc_mesh *mesh;
    features *found;
    int threads;
    uint8_t *forms;         // by element: shape, COLLAPSED if a corner is used twice, THIN if it bounds no volume
    uint32_t *vertex_first; // by vertex id and one more: its first element in found->vertex_elements.items
    uint8_t *vertex_flags;  // by vertex id
    features *parts;        // by stretch: its result
    features *places;       // by stretch: the counts of all arrays before it
    toc_arena scratch;      // of all of these
} plan;

typedef struct walk {
    const plan *plan;
    features *found;                   // the result of the stretch
    entry_array edges, faces, scratch; // of the current vertex
} walk;

static size_t least_size(size_t a, size_t b) { return a < b ? a : b; }

// ---- the elements around each vertex

// Elements that are no volume, and volumes collapsed to a line, are on the boundary as a whole.
static uint8_t form_of(toc_shape shape, const uint32_t *corners, bool collapsed) {
    const bool thin = toc_shape_infos[shape].dimension < 3 || (collapsed && !toc_shape_has_side(shape, corners));
    return (uint8_t)(shape | (collapsed ? COLLAPSED : 0) | (thin ? THIN : 0));
}

enum { ELEMENTS_OF_ROUND = 8192 };

static toc_status find_forms(void *user, size_t index, int thread) {
    (void)thread;
    const plan *p = user;
    const size_t first = index * ELEMENTS_OF_ROUND, last = least_size(first + ELEMENTS_OF_ROUND, p->mesh->shapes.count);
    for (size_t e = first; e < last; e++) {
        const toc_shape shape = toc_mesh_shape(p->mesh, (uint32_t)e);
        const uint32_t *corners = toc_mesh_corners(p->mesh, (uint32_t)e);
        uint32_t distinct[8];
        const int corner_count = toc_shape_count_corners(shape);
        p->forms[e] = form_of(shape, corners, toc_ids_distinct(corners, corner_count, distinct) < corner_count);
    }
    return TOC_OK;
}

// The vertices of elements, each once.
static size_t list_element_vertices(const void *user, size_t first, size_t last, toc_keyed *out) {
    const plan *p = user;
    size_t count = 0;
    for (size_t e = first; e < last; e++) {
        const uint8_t form = p->forms[e];
        const uint32_t *corners = toc_mesh_corners(p->mesh, (uint32_t)e);
        uint32_t distinct[8];
        int corner_count = toc_shape_infos[form & SHAPE_BITS].corner_count;
        if (form & COLLAPSED) {
            corner_count = toc_ids_distinct(corners, corner_count, distinct);
            corners = distinct;
        }
        for (int i = 0; i < corner_count; i++) out[count++] = (toc_keyed){corners[i], (uint32_t)e};
    }
    return count;
}

static toc_status run_features_loop(plan *p, size_t count, toc_status (*round)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){.count = count, .threads = p->threads, .round = round, .user = p});
}

static toc_status find_vertex_elements(plan *p) {
    const toc_scatter how = {.keys = toc_mesh_get_vertex_count(p->mesh),
                             .items = p->mesh->shapes.count,
                             .list = list_element_vertices,
                             .user = p,
                             .threads = p->threads};
    toc_list_maker *lists = &p->found->vertex_elements;
    toc_scattering s;
    TOC_TRY(run_features_loop(p, (how.items + ELEMENTS_OF_ROUND - 1) / ELEMENTS_OF_ROUND, find_forms));
    const toc_arena_mark mark = toc_arena_here(&p->scratch);
    TOC_TRY(toc_scatter_count(&how, &p->scratch, &s));
    TOC_TRY(toc_array_reserve(&p->mesh->allocator, &lists->items, s.total));
    lists->items.count = s.total;
    TOC_TRY(toc_list_maker_check(lists, "corners of elements"));
    TOC_TRY(toc_scatter_place(&s, &p->scratch, p->vertex_first, lists->items.at));
    toc_arena_back(&p->scratch, mark);
    return TOC_OK;
}

// ---- the features whose lowest vertex is v

static void push_entry(entry_array *entries, uint64_t key, uint32_t element, uint32_t info) {
    assert(entries->count < entries->capacity);
    entries->at[entries->count++] = (feature_entry){key, element, info};
}

// An element relative to the current vertex v: bit i of `lower` and `equal` tells whether corner i is lower than v, or
// v. A feature belongs to v if it has v and no lower vertex.
typedef struct view {
    const toc_shape_info *shape;
    const uint32_t *corners;
    uint32_t element, info; // info: TOC_FEATURE_ON_BOUNDARY if it bounds no volume
    unsigned lower, equal;
    bool collapsed;
} view;

static void collect_edges(walk *w, const view *at) {
    for (int i = 0; i < at->shape->edge_count; i++) {
        const unsigned a = at->shape->edges[i][0], b = at->shape->edges[i][1], mask = 1u << a | 1u << b;
        const unsigned mine = mask & at->equal;
        if ((mask & at->lower) || mine == 0 || mine == mask) continue;
        push_entry(&w->edges, at->corners[mine >> a & 1 ? b : a], at->element, at->info);
    }
}

static void push_face(walk *w, uint32_t element, uint32_t b, uint32_t c, uint32_t info) {
    const bool flipped = b > c;
    const uint64_t low = flipped ? c : b, high = flipped ? b : c;
    push_entry(&w->faces, low << 32 | high, element, info | (flipped ? FLIPPED : 0));
}

// A quad is split through its lowest vertex, so all elements that share it split it equally, and both halves and the
// diagonal have that vertex as their lowest.
static void collect_side(walk *w, const view *at, uint32_t v, const uint32_t *side, int count) {
    if (count < 3) return;
    int i = 0;
    while (side[i] != v) i++;
    const uint32_t b = side[(i + 1) % count], c = side[(i + 2) % count];
    push_face(w, at->element, b, c, at->info);
    if (count == 3) return;
    push_face(w, at->element, c, side[(i + 3) % count], at->info);
    push_entry(&w->edges, c, at->element, at->info | TOC_FEATURE_DIAGONAL);
}

static void collect_sides(walk *w, const view *at, uint32_t v) {
    for (int i = 0; i < at->shape->side_count; i++) {
        const toc_side *side = &at->shape->sides[i];
        if ((side->mask & at->lower) || !(side->mask & at->equal)) continue;
        uint32_t ids[4];
        int count = side->corner_count;
        if (at->collapsed)
            count = toc_side_distinct(side, at->corners, ids);
        else
            for (int j = 0; j < count; j++) ids[j] = at->corners[side->corners[j]];
        collect_side(w, at, v, ids, count);
    }
}

// Reserve memory for the entries of one more element.
static inline toc_status reserve_entries(walk *w, entry_array *entries) {
    enum { MOST_ENTRIES = 12 + 6 }; // edges and diagonals of a hex; it has fewer faces
    if (entries->capacity - entries->count >= MOST_ENTRIES) return TOC_OK;
    return toc_array_reserve(&w->plan->mesh->allocator, entries, MOST_ENTRIES);
}

static toc_status collect_features(walk *w, uint32_t v, uint32_t element) {
    TOC_TRY(reserve_entries(w, &w->edges));
    TOC_TRY(reserve_entries(w, &w->faces));
    const uint8_t form = w->plan->forms[element];
    toc_shape shape = (toc_shape)(form & SHAPE_BITS);
    uint32_t reduced[8];
    view at = {.corners = toc_mesh_corners(w->plan->mesh, element), .element = element, .collapsed = form & COLLAPSED};
    if (at.collapsed) {
        shape = toc_shape_reduce(shape, at.corners, reduced);
        at.corners = reduced;
    }
    at.shape = &toc_shape_infos[shape];
    at.info = form & THIN ? TOC_FEATURE_ON_BOUNDARY : 0;
    for (int i = 0; i < at.shape->corner_count; i++) {
        at.lower |= (unsigned)(at.corners[i] < v) << i;
        at.equal |= (unsigned)(at.corners[i] == v) << i;
    }
    collect_edges(w, &at);
    collect_sides(w, &at, v);
    return TOC_OK;
}

// ---- sorting entries by key, stably

enum { SHORT_RUN = 16 };

static void sort_short(feature_entry *at, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const feature_entry moved = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1].key > moved.key; j--) at[j] = at[j - 1];
        at[j] = moved;
    }
}

static void merge_entries(const feature_entry *a, const feature_entry *b, const feature_entry *end, feature_entry *to) {
    const feature_entry *const a_end = b;
    while (a < a_end && b < end) *to++ = b->key < a->key ? *b++ : *a++;
    while (a < a_end) *to++ = *a++;
    while (b < end) *to++ = *b++;
}

static toc_status sort_entries(walk *w, entry_array *entries) {
    const size_t count = entries->count;
    for (size_t i = 0; i < count; i += SHORT_RUN) sort_short(entries->at + i, least_size(SHORT_RUN, count - i));
    if (count <= SHORT_RUN) return TOC_OK;
    TOC_TRY(toc_array_reserve(&w->plan->mesh->allocator, &w->scratch, count));
    feature_entry *from = entries->at, *to = w->scratch.at;
    for (size_t run = SHORT_RUN; run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run)
            merge_entries(from + i, from + least_size(i + run, count), from + least_size(i + 2 * run, count), to + i);
        feature_entry *merged = to;
        to = from;
        from = merged;
    }
    if (from != entries->at) memcpy(entries->at, from, count * sizeof *from);
    return TOC_OK;
}

// ---- from sorted entries to features

// The entries of one feature: their number, the number of elements, and the flags of all and of any of them.
typedef struct entry_group {
    size_t size, elements;
    uint32_t all, any;
} entry_group;

// Read the group at the front, and append its elements to the items.
static entry_group take_group(const feature_entry *at, const feature_entry *end, toc_ids *items) {
    entry_group g = {.all = at->info, .any = at->info};
    for (const feature_entry *i = at; i < end && i->key == at->key; i++) {
        g.size++;
        g.all &= i->info;
        g.any |= i->info;
        if (g.elements > 0 && items->at[items->count - 1] == i->element) continue;
        items->at[items->count++] = i->element;
        g.elements++;
    }
    return g;
}

// Reserve memory for the lists of `entries` entries.
static toc_status reserve_lists(features *f, toc_list_maker *lists, size_t entries) {
    TOC_TRY(toc_array_reserve(&f->allocator, &lists->first, entries));
    return toc_array_reserve(&f->allocator, &lists->items, entries);
}

static void end_list(toc_list_maker *lists) { lists->first.at[lists->first.count++] = (uint32_t)lists->items.count; }

static toc_status add_edges(walk *w, uint32_t v) {
    features *f = w->found;
    const feature_entry *at = w->edges.at, *end = at + w->edges.count;
    TOC_TRY(sort_entries(w, &w->edges));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->edges, w->edges.count));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->edge_flags, w->edges.count));
    TOC_TRY(reserve_lists(f, &f->edge_elements, w->edges.count));
    while (at < end) {
        const entry_group g = take_group(at, end, &f->edge_elements.items);
        end_list(&f->edge_elements);
        uint32_t *edge = f->edges.at[f->edges.count++];
        edge[0] = v;
        edge[1] = (uint32_t)at->key;
        f->edge_flags.at[f->edge_flags.count++] =
            (uint8_t)((g.all & TOC_FEATURE_DIAGONAL) | (g.any & TOC_FEATURE_ON_BOUNDARY));
        at += g.size;
    }
    return TOC_OK;
}

// Faces were sorted by ascending vertices; give them the winding of their first element.
static void wind_faces(entry_array *faces) {
    for (size_t i = 0, j; i < faces->count; i = j) {
        const uint64_t key = faces->at[i].key;
        const uint64_t wound = faces->at[i].info & FLIPPED ? key << 32 | key >> 32 : key;
        for (j = i; j < faces->count && faces->at[j].key == key; j++) faces->at[j].key = wound;
    }
}

static bool contains_corners(const toc_mesh *mesh, uint32_t outer, uint32_t inner) {
    const toc_element a = toc_mesh_get_element(mesh, outer), b = toc_mesh_get_element(mesh, inner);
    for (int i = 0; i < b.corner_count; i++) {
        int j = 0;
        while (j < a.corner_count && a.corners[j] != b.corners[i]) j++;
        if (j == a.corner_count) return false;
    }
    return true;
}

bool toc_elements_are_duplicates(const toc_mesh *mesh, const uint32_t *elements, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (!contains_corners(mesh, elements[0], elements[i]) || !contains_corners(mesh, elements[i], elements[0]))
            return false;
    return true;
}

// A face is on the boundary if a surface element has it, or only one volume, which may have duplicates.
static uint8_t side_flags(const walk *w, entry_group g) {
    const toc_ids *items = &w->found->face_elements.items;
    if (g.any & TOC_FEATURE_ON_BOUNDARY)
        return TOC_FEATURE_ON_BOUNDARY; // and so are its edges and vertices, by the same element
    const bool outer = toc_elements_are_duplicates(w->plan->mesh, items->at + items->count - g.elements, g.elements);
    return outer ? TOC_FEATURE_ON_BOUNDARY | OUTER : 0;
}

static toc_status add_faces(walk *w, uint32_t v) {
    features *f = w->found;
    const feature_entry *at = w->faces.at, *end = at + w->faces.count;
    TOC_TRY(sort_entries(w, &w->faces));
    wind_faces(&w->faces);
    TOC_TRY(sort_entries(w, &w->faces));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->faces, w->faces.count));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->face_flags, w->faces.count));
    TOC_TRY(reserve_lists(f, &f->face_elements, w->faces.count));
    while (at < end) {
        const entry_group g = take_group(at, end, &f->face_elements.items);
        end_list(&f->face_elements);
        uint32_t *face = f->faces.at[f->faces.count++];
        face[0] = v;
        face[1] = (uint32_t)(at->key >> 32);
        face[2] = (uint32_t)at->key;
        f->face_flags.at[f->face_flags.count++] = side_flags(w, g);
        at += g.size;
    }
    return TOC_OK;
}

static toc_status add_vertex(features *f, uint32_t v, uint32_t elements_end) {
    TOC_TRY(toc_array_reserve(&f->allocator, &f->vertices, 1));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->vertex_elements.first, 1));
    f->vertices.at[f->vertices.count++] = v;
    f->vertex_elements.first.at[f->vertex_elements.first.count++] = elements_end;
    return TOC_OK;
}

static toc_status visit_vertex(walk *w, uint32_t v) {
    const plan *p = w->plan;
    const uint32_t from = p->vertex_first[v], to = p->vertex_first[v + 1];
    uint8_t forms = 0;
    w->edges.count = w->faces.count = 0;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t element = p->found->vertex_elements.items.at[i];
        TOC_TRY(collect_features(w, v, element));
        forms |= p->forms[element];
    }
    p->vertex_flags[v] = forms & THIN ? TOC_FEATURE_ON_BOUNDARY : 0;
    if (from == to) return TOC_OK;
    TOC_TRY(add_vertex(w->found, v, to));
    TOC_TRY(add_edges(w, v));
    return add_faces(w, v);
}

// ---- stretches

enum { STRETCH = 1024 }; // vertices; fixed, so that the result does not depend on the number of threads

static size_t stretches_of(const toc_mesh *mesh) { return (toc_mesh_get_vertex_count(mesh) + STRETCH - 1) / STRETCH; }

// Room for the features of a mesh of triangles or quads. Others need more, and arrays grow.
static toc_status reserve_stretch(features *f, size_t vertices, size_t corners) {
    TOC_TRY(toc_array_reserve(&f->allocator, &f->edge_first, vertices));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->vertices, vertices));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->vertex_elements.first, vertices));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->edges, corners / 2));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->edge_flags, corners / 2));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->faces, corners / 2));
    TOC_TRY(toc_array_reserve(&f->allocator, &f->face_flags, corners / 2));
    TOC_TRY(reserve_lists(f, &f->edge_elements, corners));
    return reserve_lists(f, &f->face_elements, corners / 2);
}

static toc_status walk_vertices(walk *w, size_t first, size_t last) {
    features *f = w->found;
    TOC_TRY(reserve_stretch(f, last - first, w->plan->vertex_first[last] - w->plan->vertex_first[first]));
    for (size_t v = first; v < last; v++) {
        TOC_TRY(visit_vertex(w, (uint32_t)v));
        TOC_TRY(toc_list_maker_check(&f->edge_elements, "edges of elements"));
        f->edge_first.at[f->edge_first.count++] = (uint32_t)f->edges.count;
    }
    return toc_list_maker_check(&f->face_elements, "faces of elements");
}

static toc_status walk_stretch(void *user, size_t index, int thread) {
    (void)thread;
    const plan *p = user;
    const size_t count = toc_mesh_get_vertex_count(p->mesh), first = index * STRETCH,
                 last = least_size(first + STRETCH, count);
    walk w = {.plan = p, .found = &p->parts[index]};
    const toc_status status = walk_vertices(&w, first, last);
    toc_array_free(&p->mesh->allocator, &w.edges);
    toc_array_free(&p->mesh->allocator, &w.faces);
    toc_array_free(&p->mesh->allocator, &w.scratch);
    return status;
}

// All arrays of the result of a stretch.
#define EACH_ARRAY(DO)        \
    DO(vertices)              \
    DO(edges)                 \
    DO(faces)                 \
    DO(edge_flags)            \
    DO(face_flags)            \
    DO(edge_first)            \
    DO(vertex_elements.first) \
    DO(edge_elements.first)   \
    DO(edge_elements.items)   \
    DO(face_elements.first)   \
    DO(face_elements.items)

// Find the place of each stretch in the result, and reserve memory for all.
static toc_status make_places(plan *p) {
    features *f = p->found, total = {.edge_first.count = 1};
    total.vertex_elements.first.count = total.edge_elements.first.count = total.face_elements.first.count = 1;
    for (size_t i = 0; i < stretches_of(p->mesh); i++) {
        const features *part = &p->parts[i];
        p->places[i] = total;
#define ADD(array) total.array.count += part->array.count;
        EACH_ARRAY(ADD)
#undef ADD
        TOC_TRY(toc_list_maker_check(&total.edge_elements, "edges of elements"));
        TOC_TRY(toc_list_maker_check(&total.face_elements, "faces of elements"));
    }
#define RESERVE(array)                                                       \
    TOC_TRY(toc_array_reserve(&f->allocator, &f->array, total.array.count)); \
    f->array.count = total.array.count;
    EACH_ARRAY(RESERVE)
#undef RESERVE
    f->edge_first.at[0] = f->vertex_elements.first.at[0] = f->edge_elements.first.at[0] = 0;
    f->face_elements.first.at[0] = 0;
    return TOC_OK;
}

static void shift_ids(toc_ids *ids, size_t by) {
    for (size_t i = 0; i < ids->count; i++) ids->at[i] += (uint32_t)by;
}

static toc_status place_stretch(void *user, size_t index, int thread) {
    (void)thread;
    const plan *p = user;
    features *part = &p->parts[index];
    const features *place = &p->places[index], *f = p->found;
    shift_ids(&part->edge_first, place->edges.count);
    shift_ids(&part->edge_elements.first, place->edge_elements.items.count);
    shift_ids(&part->face_elements.first, place->face_elements.items.count);
#define COPY(array)        \
    if (part->array.count) \
        memcpy(f->array.at + place->array.count, part->array.at, part->array.count * sizeof *part->array.at);
    EACH_ARRAY(COPY)
#undef COPY
    free_arrays(part);
    return TOC_OK;
}

static toc_status walk_all(plan *p) {
    const size_t stretches = stretches_of(p->mesh);
    if (!p->parts || !p->places) return TOC_OUT_OF_MEMORY;
    TOC_TRY(run_features_loop(p, stretches, walk_stretch));
    TOC_TRY(make_places(p));
    return run_features_loop(p, stretches, place_stretch);
}

// ---- the boundary, from its faces to their edges and vertices

enum { FACES_OF_ROUND = 16384 };

// The last edge of its lower vertex that is not behind the edge, or the first one; the end of the edges if there is
// none.
static size_t place_of_edge(const features *f, uint32_t low, uint32_t high) {
    size_t from = f->edge_first.at[low], to = f->edge_first.at[low + 1];
    while (to - from > 1) {
        const size_t middle = (from + to) / 2;
        if (f->edges.at[middle][1] <= high)
            from = middle;
        else
            to = middle;
    }
    return from;
}

bool toc_features_has_edge(const toc_features *shown, uint32_t a, uint32_t b) {
    const features *f = (const features *)shown;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    assert((size_t)low + 1 < f->edge_first.count);
    const size_t at = place_of_edge(f, low, high);
    return at < f->edges.count && f->edges.at[at][0] == low && f->edges.at[at][1] == high;
}

size_t toc_features_find_edge(const toc_features *shown, uint32_t a, uint32_t b) {
    assert(toc_features_has_edge(shown, a, b));
    return place_of_edge((const features *)shown, a < b ? a : b, a < b ? b : a);
}

// Several faces may mark the same edge or vertex at the same time.
static toc_status mark_boundary(void *user, size_t index, int thread) {
    (void)thread;
    const plan *p = user;
    features *f = p->found;
    const size_t last = least_size((index + 1) * FACES_OF_ROUND, f->faces.count);
    for (size_t i = index * FACES_OF_ROUND; i < last; i++) {
        if (!(f->face_flags.at[i] & OUTER)) continue;
        const uint32_t *face = f->faces.at[i];
        f->face_flags.at[i] = TOC_FEATURE_ON_BOUNDARY;
        for (int j = 0; j < 3; j++) {
            uint8_t *flags = &f->edge_flags.at[toc_features_find_edge(&f->shown, face[j], face[(j + 1) % 3])];
            __atomic_store_n(&p->vertex_flags[face[j]], TOC_FEATURE_ON_BOUNDARY, __ATOMIC_RELAXED);
            __atomic_fetch_or(flags, TOC_FEATURE_ON_BOUNDARY, __ATOMIC_RELAXED);
        }
    }
    return TOC_OK;
}

static toc_status keep_vertex_flags(void *user, size_t index, int thread) {
    (void)thread;
    const plan *p = user;
    const features *f = p->found;
    const size_t last = index + 1 < stretches_of(p->mesh) ? p->places[index + 1].vertices.count : f->vertices.count;
    for (size_t i = p->places[index].vertices.count; i < last; i++)
        f->vertex_flags.at[i] = p->vertex_flags[f->vertices.at[i]];
    return TOC_OK;
}

static toc_status find_boundary(plan *p) {
    features *f = p->found;
    TOC_TRY(toc_array_reserve(&f->allocator, &f->vertex_flags, f->vertices.count));
    f->vertex_flags.count = f->vertices.count;
    TOC_TRY(run_features_loop(p, (f->faces.count + FACES_OF_ROUND - 1) / FACES_OF_ROUND, mark_boundary));
    return run_features_loop(p, stretches_of(p->mesh), keep_vertex_flags);
}

// ---- the whole

static toc_status find_features(plan *p, bool neighbours) {
    features *f = p->found;
    if (!p->forms || !p->vertex_first || !p->vertex_flags) return TOC_OUT_OF_MEMORY;
    TOC_TRY(find_vertex_elements(p));
    TOC_TRY(walk_all(p));
    TOC_TRY(find_boundary(p));
    if (!neighbours) return TOC_OK;
    return toc_neighbours_find(p->mesh, p->vertex_first, f->vertex_elements.items.at, &f->element_neighbours);
}

static toc_status fill_features(features *f, const toc_mesh *mesh, bool neighbours, int threads) {
    const toc_allocator *memory = &f->allocator;
    const size_t ids = toc_mesh_get_vertex_count(mesh) + 1, elements = mesh->shapes.count, parts = stretches_of(mesh);
    plan p = {.mesh = mesh, .found = f, .threads = threads > 1 ? threads : 1, .scratch = toc_arena_make(memory)};
    p.forms = toc_arena_new(&p.scratch, elements, sizeof *p.forms);
    p.vertex_first = toc_arena_new(&p.scratch, ids, sizeof *p.vertex_first);
    p.vertex_flags = toc_arena_new(&p.scratch, ids, sizeof *p.vertex_flags);
    p.parts = toc_new(memory, parts, sizeof *p.parts);
    p.places = toc_new(memory, parts, sizeof *p.places);
    for (size_t i = 0; i < parts && p.parts; i++) p.parts[i].allocator = *memory;
    const toc_status status = find_features(&p, neighbours);
    for (size_t i = 0; i < parts && p.parts; i++) free_arrays(&p.parts[i]);
    toc_free(memory, p.parts, parts, sizeof *p.parts);
    toc_free(memory, p.places, parts, sizeof *p.places);
    toc_arena_free(&p.scratch);
    return status;
}

toc_status toc_list_maker_check(const toc_list_maker *lists, const char *what) {
    if (lists->items.count < TOC_NONE) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the mesh has more than %u %s", TOC_NONE - 1, what);
}

static toc_lists show_lists(const toc_list_maker *made) {
    const size_t ends = made->first.count;
    return (toc_lists){.count = ends > 0 ? ends - 1 : 0, .first = made->first.at, .items = made->items.at};
}

static void show_features(features *f) {
    f->shown = (toc_features){
        .vertex_count = f->vertices.count,
        .edge_count = f->edges.count,
        .face_count = f->faces.count,
        .vertices = f->vertices.at,
        .edges = (const uint32_t(*)[2])f->edges.at,
        .faces = (const uint32_t(*)[3])f->faces.at,
        .vertex_flags = f->vertex_flags.at,
        .edge_flags = f->edge_flags.at,
        .face_flags = f->face_flags.at,
        .vertex_elements = show_lists(&f->vertex_elements),
        .edge_elements = show_lists(&f->edge_elements),
        .face_elements = show_lists(&f->face_elements),
        .element_neighbours = show_lists(&f->element_neighbours),
    };
}

static toc_status begin_features(const toc_mesh *mesh, features **out) {
    features *f = toc_new(&mesh->allocator, 1, sizeof *f);
    if (!f) return TOC_OUT_OF_MEMORY;
    f->allocator = mesh->allocator;
    *out = f;
    return TOC_OK;
}

static toc_status end_features(features *f, toc_status status, toc_features **out) {
    show_features(f);
    if (status == TOC_OK)
        *out = &f->shown;
    else
        toc_features_destroy(&f->shown);
    return status;
}

TOC_SHARED toc_status toc_features_make(const toc_mesh *mesh, bool neighbours, int threads, toc_features **out) {
    features *f;
    TOC_TRY(begin_features(mesh, &f));
    return end_features(f, fill_features(f, mesh, neighbours, threads), out);
}

// ---- features alone

static toc_status flag_all(const toc_allocator *memory, size_t count, flag_array *flags) {
    TOC_TRY(toc_array_reserve(memory, flags, count));
    if (count > 0) memset(flags->at, TOC_FEATURE_ON_BOUNDARY, count);
    flags->count = count;
    return TOC_OK;
}

// Take the arrays of a plain mesh.
static toc_status take_plain(features *f, const toc_plain_features *plain) {
    f->vertices = plain->vertices;
    f->edges = plain->edges;
    f->faces = plain->faces;
    f->edge_first = plain->edge_first;
    TOC_TRY(flag_all(&f->allocator, f->vertices.count, &f->vertex_flags));
    TOC_TRY(flag_all(&f->allocator, f->edges.count, &f->edge_flags));
    return flag_all(&f->allocator, f->faces.count, &f->face_flags);
}

toc_status toc_features_make_bare(const toc_mesh *mesh, int threads, toc_features **out) {
    toc_plain_features plain = {.vertices.count = 0};
    bool found = false;
    features *f;
    const toc_status status = threads > 1 ? TOC_OK : toc_plain_find(mesh, &plain, &found);
    if (status != TOC_OK || !found) toc_plain_free(mesh, &plain);
    TOC_TRY(status);
    if (!found) return toc_features_make(mesh, false, threads, out);
    if (begin_features(mesh, &f) == TOC_OK) return end_features(f, take_plain(f, &plain), out);
    toc_plain_free(mesh, &plain);
    return TOC_OUT_OF_MEMORY;
}

static void swap_lists(toc_list_maker *a, toc_list_maker *b) {
    const toc_list_maker kept = *a;
    *a = *b;
    *b = kept;
}

toc_status toc_features_list_elements(toc_features *shown, const toc_mesh *mesh, int threads) {
    features *f = (features *)shown;
    toc_features *made;
    if (toc_features_have_elements(shown)) return TOC_OK;
    TOC_TRY(toc_features_make(mesh, false, threads, &made));
    features *all = (features *)made;
    assert(made->vertex_count == shown->vertex_count && made->edge_count == shown->edge_count);
    assert(made->face_count == shown->face_count);
    swap_lists(&f->vertex_elements, &all->vertex_elements);
    swap_lists(&f->edge_elements, &all->edge_elements);
    swap_lists(&f->face_elements, &all->face_elements);
    show_features(f);
    toc_features_destroy(made);
    return TOC_OK;
}

toc_status toc_mesh_find_features(const toc_mesh *mesh, toc_features **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    TOC_READ_MESH(mesh);
    return toc_features_make(mesh, true, 1, out);
}

void toc_features_destroy(toc_features *shown) {
    if (!shown) return;
    features *f = (features *)shown;
    const toc_allocator memory = f->allocator;
    free_arrays(f);
    toc_free(&memory, f, 1, sizeof *f);
}
