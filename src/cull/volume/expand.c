// SPDX-License-Identifier: Apache-2.0
// Expanding pairs of elements.
//
// A feature must overlap the other element before it is compared with the features of that element. This leaves few of
// the 68 pairs of two tets, or of the 528 of two hexes. A feature is apart from the element along a direction if all
// its vertices are, on the same side: DOPs are joined only of features that overlap. The assignment is tested last,
// since it reads the most memory. No allocation.
#include "cull/volume/expand.h"

#include <assert.h>
#include <string.h>

#include "bound/span.h"
#include "cull/volume/assignment.h"
#include "toccata/research.h"

toc_status toc_expansion_make(toc_arena *arena, const toc_expander *expander, size_t room, toc_expansion *out) {
    assert(room > TOC_CELL_PAIRS);
    *out = (toc_expansion){.expander = expander, .room = room};
    for (int kind = 0; kind < 2; kind++) {
        out->pairs[kind] = toc_arena_new(arena, room, sizeof *out->pairs[kind]);
        if (!out->pairs[kind]) return TOC_OUT_OF_MEMORY;
    }
    toc_expansion_forget(out);
    return TOC_OK;
}

void toc_expansion_forget(toc_expansion *x) { x->parts[0].cell = x->parts[1].cell = UINT32_MAX; }

static bool is_wanted(const toc_expander *e, uint8_t flags) {
    if (e->surface_only && !(flags & TOC_FEATURE_ON_BOUNDARY)) return false;
    return !(e->skip & TOC_SKIP_DIAGONALS && flags & TOC_FEATURE_DIAGONAL);
}

// ---- the features of a cell

// The DOP of up to three vertices, or of all vertices of a cell.
static TOC_INLINE void join_vertices(const toc_expander *e, int lanes, const uint32_t *v, int count, float *dop) {
    const size_t floats = 2 * (size_t)lanes;
    toc_slabs *to = (toc_slabs *)dop;
    memcpy(dop, e->vertex_dops + v[0] * floats, floats * sizeof *dop);
    for (int i = 1; i < count; i++) {
        const toc_slabs *other = (const toc_slabs *)(e->vertex_dops + v[i] * floats);
        for (int k = 0; k < lanes / 4; k++) {
            to[k] = toc_slabs_least(to[k], other[k]);
            to[k + lanes / 4] = toc_slabs_most(to[k + lanes / 4], other[k + lanes / 4]);
        }
    }
}

static TOC_INLINE uint8_t corner_of(const toc_cell *cell, uint32_t vertex) {
    uint8_t corner = 0;
    while (corner + 1 < TOC_CELL_CORNERS && cell->v[corner] != vertex) corner++;
    assert(cell->v[corner] == vertex && corner < cell->corners);
    return corner;
}

static TOC_INLINE void add_part(const toc_cell *cell, const toc_cell_body *body, uint32_t id, uint64_t first,
                                const uint32_t *local, int corners, toc_parts *to) {
    assert(to->count < TOC_CELL_EDGES);
    to->first |= (first & 1) << to->count;
    for (int i = 0; i < corners; i++) {
        to->v[to->count][i] = body->first_vertex + local[i];
        to->corner[to->count][i] = corner_of(cell, to->v[to->count][i]);
    }
    to->id[to->count++] = id;
}

static TOC_INLINE void list_parts(const toc_expander *e, int lanes, uint32_t cell, toc_cell_parts *to) {
    const toc_cell *of = &e->cells->at[cell];
    const toc_cell_body *body = &e->cells->bodies[of->body];
    const toc_incidence *in = &body->incidence;
    size_t edge_count, face_count;
    const uint32_t *edges = toc_adjacency_items(&in->element_edges, of->element, &edge_count);
    const uint32_t *faces = toc_adjacency_items(&in->element_faces, of->element, &face_count);
    to->cell = cell;
    to->points.count = to->edges.count = to->faces.count = 0;
    to->points.first = to->edges.first = to->faces.first = 0;
    for (int i = 0; i < of->corners; i++) {
        const uint32_t v = of->v[i] - body->first_vertex;
        if (is_wanted(e, in->vertex_flags.at[v]))
            add_part(of, body, v, of->first >> (TOC_FIRST_POINT + i), &v, 1, &to->points);
    }
    for (size_t i = 0; i < edge_count; i++)
        if (is_wanted(e, in->edge_flags.at[edges[i]]))
            add_part(of, body, edges[i], of->first >> (TOC_FIRST_EDGE + i), in->edges.at[edges[i]], 2, &to->edges);
    for (size_t i = 0; i < face_count; i++)
        if (is_wanted(e, in->face_flags.at[faces[i]]))
            add_part(of, body, faces[i], of->first >> (TOC_FIRST_FACE + i), in->faces.at[faces[i]], 3, &to->faces);
    join_vertices(e, lanes, of->v, of->corners, to->dop);
}

// ---- pairs of features

static toc_around around_of(const toc_expander *e, uint32_t cell, int corners, uint32_t id) {
    const toc_cell_body *body = &e->cells->bodies[e->cells->at[cell].body];
    const toc_incidence *in = &body->incidence;
    return toc_around_of(body,
                         corners == 1   ? &in->vertex_elements
                         : corners == 2 ? &in->edge_elements
                                        : &in->face_elements,
                         id);
}

// A feature of a cell.
typedef struct part {
    const uint32_t *v;
    int corners;
    uint32_t cell, id;
} part;

static bool belongs(const toc_expander *e, const part *a, const part *b) {
    if (e->skip & TOC_SKIP_ASSIGNMENT) return true;
    const toc_around x = around_of(e, a->cell, a->corners, a->id), y = around_of(e, b->cell, b->corners, b->id);
    if (e->skip & TOC_SKIP_DYNAMIC_ASSIGNMENT) return toc_assigned_statically(&x, &y, a->cell, b->cell);
    return toc_assigned(e->cells, &x, &y, a->cell, b->cell);
}

// Whether two features of one cell are orphans, and the cell is the lowest one that has both.
static bool is_inner(const toc_expander *e, const part *a, const part *b) {
    const toc_around x = around_of(e, a->cell, a->corners, a->id), y = around_of(e, b->cell, b->corners, b->id);
    uint32_t found[2];
    return toc_common_element(&x, &y) == e->cells->at[a->cell].element && !toc_assignment_find(e->cells, &x, &y, found);
}

static bool is_settled(const toc_expansion *x, const part *a, const part *b) {
    if (x->rule == TOC_EXPAND_FIRST) return true;
    return x->rule == TOC_EXPAND_INNER ? is_inner(x->expander, a, b) : belongs(x->expander, a, b);
}

static bool is_on_boundary(const toc_expander *e, const part *a) {
    const toc_incidence *in = &e->cells->bodies[e->cells->at[a->cell].body].incidence;
    const uint8_t *flags = a->corners == 1   ? in->vertex_flags.at
                           : a->corners == 2 ? in->edge_flags.at
                                             : in->face_flags.at;
    return flags[a->id] & TOC_FEATURE_ON_BOUNDARY;
}

static void keep_expanded(toc_expansion *x, toc_kind kind, const part *a, const part *b) {
    if (x->expander->inside_only && is_on_boundary(x->expander, a) && is_on_boundary(x->expander, b)) return;
    assert(x->pair_count[kind] < x->room);
    toc_feature_pair *pair = &x->pairs[kind][x->pair_count[kind]];
    x->counts[kind].overlapping += x->rule != TOC_EXPAND_INNER;
    if (!is_settled(x, a, b)) return;
    memcpy(pair->v, a->v, (size_t)a->corners * sizeof *a->v);
    memcpy(pair->v + a->corners, b->v, (size_t)b->corners * sizeof *b->v);
    x->pair_count[kind]++;
    x->counts[kind].out += x->rule != TOC_EXPAND_INNER;
}

static TOC_INLINE void expand_points(toc_expansion *x, int lanes, const toc_cell_parts *a, const toc_cell_parts *b) {
    const size_t floats = 2 * (size_t)lanes;
    const bool all = x->expander->skip & TOC_SKIP_FEATURE_DOPS;
    for (int i = 0; i < a->points.near_count; i++)
        for (int j = 0; j < b->faces.near_count; j++) {
            const int p = a->points.near[i], f = b->faces.near[j];
            if (toc_vertex_in_face(a->points.v[p][0], b->faces.v[f])) continue;
            if (!all &&
                !toc_dops_overlap(a->points.dops + (size_t)p * floats, b->faces.dops + (size_t)f * floats, lanes))
                continue;
            keep_expanded(x, TOC_VF, &(part){a->points.v[p], 1, a->cell, a->points.id[p]},
                          &(part){b->faces.v[f], 3, b->cell, b->faces.id[f]});
        }
}

static inline uint64_t edge_key(const uint32_t edge[2]) { return (uint64_t)edge[0] << 32 | edge[1]; }

static TOC_INLINE void expand_edges(toc_expansion *x, int lanes, const toc_cell_parts *a, const toc_cell_parts *b) {
    const size_t floats = 2 * (size_t)lanes;
    const bool all = x->expander->skip & TOC_SKIP_FEATURE_DOPS;
    for (int i = 0; i < a->edges.near_count; i++)
        for (int j = a == b ? i + 1 : 0; j < b->edges.near_count; j++) {
            const int p = a->edges.near[i], q = b->edges.near[j];
            if (toc_edges_share(a->edges.v[p], b->edges.v[q])) continue;
            if (!all &&
                !toc_dops_overlap(a->edges.dops + (size_t)p * floats, b->edges.dops + (size_t)q * floats, lanes))
                continue;
            const part first = {a->edges.v[p], 2, a->cell, a->edges.id[p]};
            const part second = {b->edges.v[q], 2, b->cell, b->edges.id[q]};
            edge_key(first.v) < edge_key(second.v) ? keep_expanded(x, TOC_EE, &first, &second)
                                                   : keep_expanded(x, TOC_EE, &second, &first);
        }
}

// Bits of the sides on which the DOP of a vertex is apart from another DOP: two for each direction.
static TOC_INLINE uint32_t outside_bits(const float *dop, const float *other, int lanes) {
    const toc_slabs none = {0};
    uint32_t bits = 0;
    for (int i = 0; i < toc_dops_parts(lanes); i++)
        bits |= toc_slabs_bits(toc_slabs_above(toc_dops_gap(dop, other, lanes, i), none)) << i * TOC_SLABS;
    return bits;
}

// List the features that overlap the other cell: all, or only those whose first cell this is. @param outside of the
// corners of the cell.
static TOC_INLINE void find_near(const toc_expander *e, int lanes, int corners, const uint32_t *outside, bool first,
                                 toc_parts *parts) {
    const bool all = e->skip & TOC_SKIP_FEATURE_DOPS;
    parts->near_count = 0;
    for (int i = 0; i < parts->count; i++) {
        uint32_t apart = outside[parts->corner[i][0]];
        for (int j = 1; j < corners; j++) apart &= outside[parts->corner[i][j]];
        if ((first && !(parts->first >> i & 1)) || apart) continue;
        parts->near[parts->near_count++] = (uint8_t)i;
        if (!all) join_vertices(e, lanes, parts->v[i], corners, parts->dops + (size_t)i * 2 * (size_t)lanes);
    }
}

static TOC_INLINE void find_all_near(const toc_expander *e, int lanes, toc_cell_parts *parts, const float *other,
                                     bool first) {
    const toc_cell *cell = &e->cells->at[parts->cell];
    uint32_t outside[TOC_CELL_CORNERS] = {0};
    _Static_assert(TOC_DOP_FLOATS_MOST <= 32, "a bit for each low and each high");
    for (int i = 0; i < cell->corners && !(e->skip & TOC_SKIP_FEATURE_DOPS); i++)
        outside[i] = outside_bits(e->vertex_dops + cell->v[i] * 2 * (size_t)lanes, other, lanes);
    find_near(e, lanes, 1, outside, first, &parts->points);
    find_near(e, lanes, 2, outside, first, &parts->edges);
    find_near(e, lanes, 3, outside, first, &parts->faces);
}

// Corollary 2: drop the points of one cell that an axis separates from the other one.
static void separate_points(const toc_expander *e, toc_cell_parts *of, const toc_cell_parts *other) {
    const toc_cell *cell = &e->cells->at[other->cell];
    toc_parts *points = &of->points;
    int kept = 0;
    for (int i = 0; i < points->near_count && other->faces.count > 0; i++) {
        const uint32_t v = points->v[points->near[i]][0];
        const int face = toc_csat_pick(of->cell, other->cell, v, other->faces.count);
        points->near[kept] = points->near[i];
        kept += !toc_csat_vertex_apart(e->axes, v, cell->v, cell->corners, other->faces.v[face]);
    }
    points->near_count = kept;
}

// Corollary 4, likewise for edges.
static void separate_edges(const toc_expander *e, toc_cell_parts *of, const toc_cell_parts *other) {
    const toc_cell *cell = &e->cells->at[other->cell];
    toc_parts *edges = &of->edges;
    int kept = 0;
    for (int i = 0; i < edges->near_count && other->edges.count > 0; i++) {
        const uint32_t *v = edges->v[edges->near[i]];
        const int pick = toc_csat_pick(of->cell, other->cell, v[0] ^ v[1] << 8, other->edges.count);
        edges->near[kept] = edges->near[i];
        kept += !toc_csat_edge_apart(e->axes, v, cell->v, cell->corners, other->edges.v[pick]);
    }
    edges->near_count = kept;
}

// Algorithm 2 of VolCCD: points of either cell, edges of the second one.
static void separate_features(toc_expansion *x, toc_cell_parts *a, toc_cell_parts *b) {
    separate_points(x->expander, a, b);
    separate_points(x->expander, b, a);
    separate_edges(x->expander, b, a);
    x->cells_left += a->points.near_count > 0 || b->points.near_count > 0 || b->edges.near_count > 0;
}

// Count the pairs of points and faces, and of edges, that share no vertex.
static void count_in(toc_expansion *x, const toc_cell_parts *a, const toc_cell_parts *b, bool adjacent) {
    uint64_t *vf = &x->counts[TOC_VF].in, *ee = &x->counts[TOC_EE].in;
    if (!adjacent) {
        *vf += (uint64_t)(a->points.count * b->faces.count + b->points.count * a->faces.count);
        *ee += (uint64_t)(a->edges.count * b->edges.count);
        return;
    }
    for (int i = 0; i < a->points.count; i++)
        for (int j = 0; j < b->faces.count; j++) *vf += !toc_vertex_in_face(a->points.v[i][0], b->faces.v[j]);
    for (int i = 0; a != b && i < b->points.count; i++)
        for (int j = 0; j < a->faces.count; j++) *vf += !toc_vertex_in_face(b->points.v[i][0], a->faces.v[j]);
    for (int i = 0; i < a->edges.count; i++)
        for (int j = a == b ? i + 1 : 0; j < b->edges.count; j++) *ee += !toc_edges_share(a->edges.v[i], b->edges.v[j]);
}

// Consecutive pairs often have a cell in common; its features are listed once.
static TOC_INLINE void expand(toc_expansion *x, int lanes, uint32_t cell_a, uint32_t cell_b) {
    const toc_expander *e = x->expander;
    toc_cell_parts *a = &x->parts[0], *b = cell_a == cell_b ? a : &x->parts[1];
    if (a->cell != cell_a) list_parts(e, lanes, cell_a, a);
    if (b->cell != cell_b) list_parts(e, lanes, cell_b, b);
    const toc_cell *of_a = &e->cells->at[cell_a], *of_b = &e->cells->at[cell_b];
    // If the cells are not connected, the first cells around two features are not adjacent: the pair belongs to them.
    const bool first = !(e->skip & TOC_SKIP_ASSIGNMENT) && !toc_cells_connected(e->cells, of_a, of_b);
    count_in(x, a, b, toc_cells_adjacent(of_a, of_b));
    find_all_near(e, lanes, a, b->dop, first);
    if (a != b) find_all_near(e, lanes, b, a->dop, first);
    if (e->axes && a != b) separate_features(x, a, b);
    x->rule = first ? TOC_EXPAND_FIRST : TOC_EXPAND_ASSIGNED;
    expand_points(x, lanes, a, b);
    if (a != b) expand_points(x, lanes, b, a);
    expand_edges(x, lanes, a, b);
}

// Compiled once for each number of lanes.
void toc_expand_cells(toc_expansion *expansion, uint32_t a, uint32_t b) {
    expansion->expander->kind->lanes == 8 ? expand(expansion, 8, a, b) : expand(expansion, 16, a, b);
}

static TOC_INLINE void expand_inner(toc_expansion *x, int lanes, uint32_t cell) {
    toc_cell_parts *a = &x->parts[0];
    x->rule = TOC_EXPAND_INNER;
    if (a->cell != cell) list_parts(x->expander, lanes, cell, a);
    find_all_near(x->expander, lanes, a, a->dop, false);
    expand_points(x, lanes, a, a);
    expand_edges(x, lanes, a, a);
}

void toc_expand_inner(toc_expansion *expansion, uint32_t cell) {
    expansion->expander->kind->lanes == 8 ? expand_inner(expansion, 8, cell) : expand_inner(expansion, 16, cell);
}

static TOC_INLINE bool orphan_overlaps(const toc_expander *e, int lanes, toc_kind kind, const uint32_t v[4]) {
    const int first = kind == TOC_VF ? 1 : 2;
    float a[TOC_DOP_FLOATS_MOST], b[TOC_DOP_FLOATS_MOST];
    join_vertices(e, lanes, v, first, a);
    join_vertices(e, lanes, v + first, 4 - first, b);
    return toc_dops_overlap(a, b, lanes);
}

bool toc_expand_orphan(toc_expansion *x, uint32_t body, toc_kind kind, toc_orphan orphan) {
    const toc_expander *e = x->expander;
    const toc_cell_body *of = &e->cells->bodies[body];
    const toc_incidence *in = &of->incidence;
    const uint32_t first = of->first_vertex, *face = in->faces.at[orphan.b], *high = in->edges.at[orphan.b];
    const uint32_t *low = kind == TOC_VF ? &orphan.a : in->edges.at[orphan.a];
    const uint8_t flags_a = (kind == TOC_VF ? in->vertex_flags.at : in->edge_flags.at)[orphan.a];
    const uint8_t flags_b = (kind == TOC_VF ? in->face_flags.at : in->edge_flags.at)[orphan.b];
    if (!is_wanted(e, flags_a) || !is_wanted(e, flags_b)) return false;
    if (e->inside_only && flags_a & flags_b & TOC_FEATURE_ON_BOUNDARY) return false;
    assert(x->pair_count[kind] < x->room);
    toc_feature_pair *pair = &x->pairs[kind][x->pair_count[kind]];
    *pair = kind == TOC_VF ? (toc_feature_pair){{first + *low, first + face[0], first + face[1], first + face[2]}}
                           : (toc_feature_pair){{first + low[0], first + low[1], first + high[0], first + high[1]}};
    const bool all = e->skip & TOC_SKIP_FEATURE_DOPS;
    const bool kept =
        all || (e->kind->lanes == 8 ? orphan_overlaps(e, 8, kind, pair->v) : orphan_overlaps(e, 16, kind, pair->v));
    x->pair_count[kind] += kept;
    return kept;
}
