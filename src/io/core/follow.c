// SPDX-License-Identifier: Apache-2.0
// Topology changes from one frame to the next, derived from the corners alone.
//
// Files renumber the remaining elements from 0 and append new vertices. A frame of an eroded mesh thus has the elements
// of the mesh in the same order, with gaps; a frame of a torn mesh has elements with new corners. If a frame is both
// eroded and torn, elements are matched from the front and from the back; if the two differ, the match is ambiguous and
// the frame is refused. If elements were both removed and added, as in a cut, the remaining ones must be unchanged, and
// the added ones must follow them and have a new vertex, or be at most half as many as the removed ones and have
// vertices of these alone, as where two elements became one. More of them are elements whose vertices are numbered
// anew. A frame of a welded mesh still lists every vertex, but no element uses the welded ones; where the files number
// their vertices, it may leave them out (renumber.h). Welds are considered only if nothing else explains the frame. A
// new vertex that was not split off starts at p - s v (VolCCD, 6.3): its position, less the mean motion of the old
// vertices in its elements. O(n), and O(n log n) of the corners that changed. Nothing is allocated if nothing changed.
#include "io/core/follow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "io/core/renumber.h"
#include "mesh/mesh.h"
#include "mesh/parts.h"
#include "mesh/shape.h"

/// A corner of an element of the mesh that is another vertex in the frame: a new one after a tear, an old one after a
/// weld.
typedef struct changed_corner {
    uint32_t vertex, before, element;
} changed_corner;

/// The motion of the old vertices around a new one.
typedef struct start {
    double motion[3];
    size_t count;
} start;

typedef struct frame_follower {
    toc_mesh *mesh;
    const toc_mesh *frame;
    uint32_t vertices;           // of the mesh, before; higher ones are new
    size_t listed;               // vertices in the file of the frame
    size_t matched;              // elements of the frame that the mesh has; those behind are new
    TOC_ARRAY(uint32_t) alive;   // elements of the mesh
    TOC_ARRAY(uint32_t) matches; // by element of the frame: its element of the mesh
    TOC_ARRAY(changed_corner) changes;
    TOC_ARRAY(start) starts;   // by new vertex
    TOC_ARRAY(uint8_t) marks;  // by old vertex, see mark_vanished and mark_removed_corners
    TOC_ARRAY(uint32_t) welds; // by old vertex: the vertex it was welded to, or TOC_NONE
    bool welding;              // vanished vertices may have been welded
} frame_follower;

bool toc_element_is(toc_element a, toc_element b) {
    return a.shape == b.shape && memcmp(a.corners, b.corners, (size_t)a.corner_count * sizeof *a.corners) == 0;
}

static toc_element frame_element(const frame_follower *f, size_t i) {
    return toc_mesh_get_element(f->frame, (uint32_t)i);
}
static toc_element alive_element(const frame_follower *f, size_t i) {
    assert(i < f->alive.count);
    return toc_mesh_get_element(f->mesh, f->alive.at[i]);
}

/// Vertices and elements did not change: the common case.
static bool follow_is_same(const toc_mesh *mesh, const toc_mesh *frame) {
    const size_t count = toc_mesh_get_element_count(mesh);
    size_t next = 0;
    if (toc_mesh_get_vertex_count(mesh) != toc_mesh_get_vertex_count(frame)) return false;
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)i);
        if (element.shape == TOC_REMOVED) continue;
        if (!toc_element_is(element, toc_mesh_get_element(frame, (uint32_t)next++))) return false;
    }
    return next == toc_mesh_get_element_count(frame);
}

static void mark_corners(frame_follower *f, toc_element e, uint8_t mark) {
    for (int k = 0; k < e.corner_count; k++)
        if (e.corners[k] < f->vertices) f->marks.at[e.corners[k]] = mark;
}

/// Mark the old vertices that elements of the mesh use, but none of the frame.
static void mark_vanished(frame_follower *f) {
    const size_t count = toc_mesh_get_element_count(f->frame);
    memset(f->marks.at, 0, f->vertices);
    for (size_t i = 0; i < f->alive.count; i++) mark_corners(f, alive_element(f, i), 1);
    for (size_t i = 0; i < count; i++) mark_corners(f, frame_element(f, i), 0);
}

/// Whether a vertex can be another one in the frame: a new one, or one that it was welded to.
static bool can_become(const frame_follower *f, uint32_t before, uint32_t after) {
    return after == before || after >= f->vertices || (f->welding && f->marks.at[before]);
}

/// Whether an element can have become another: each vertex stays, or changes wherever it was used. A triangle or a tet
/// keeps all its corners apart.
static bool became(const frame_follower *f, toc_element before, toc_element after) {
    if (before.shape != after.shape) return false;
    const bool simplex = before.corner_count == toc_shape_infos[before.shape].dimension + 1;
    for (int i = 0; i < before.corner_count; i++) {
        if (!can_become(f, before.corners[i], after.corners[i])) return false;
        for (int k = 0; k < i; k++) {
            const bool were_same = before.corners[i] == before.corners[k], same = after.corners[i] == after.corners[k];
            if (were_same ? !same : same && simplex) return false;
        }
    }
    return true;
}

/// No element was removed: the elements of the mesh are the first ones of the frame.
static bool match_all(frame_follower *f) {
    f->matched = f->alive.count;
    for (size_t i = 0; i < f->matched; i++) {
        if (!became(f, alive_element(f, i), frame_element(f, i))) return false;
        f->matches.at[i] = (uint32_t)i;
    }
    return true;
}

/// No element was added: match each element of the frame with the first possible one of the mesh.
static bool match_forward(frame_follower *f) {
    size_t place = 0;
    f->matched = toc_mesh_get_element_count(f->frame);
    for (size_t i = 0; i < f->matched; i++) {
        while (place < f->alive.count && !became(f, alive_element(f, place), frame_element(f, i))) place++;
        if (place == f->alive.count) return false;
        f->matches.at[i] = (uint32_t)place++;
    }
    return true;
}

/// Match from the back, each with the last possible one. The result must equal that of match_forward.
static bool match_backward(const frame_follower *f) {
    size_t place = f->alive.count;
    for (size_t i = f->matched; i-- > 0;) {
        while (!became(f, alive_element(f, --place), frame_element(f, i))) continue;
        if (!toc_element_is(alive_element(f, place), alive_element(f, f->matches.at[i]))) return false;
    }
    return true;
}

static bool has_new_vertex(const frame_follower *f, toc_element e) {
    for (int i = 0; i < e.corner_count; i++)
        if (e.corners[i] >= f->vertices) return true;
    return false;
}

/// Mark the vertices of the elements that were removed: of the alive ones without a match.
static void mark_removed_corners(frame_follower *f) {
    size_t next = 0;
    memset(f->marks.at, 0, f->vertices);
    for (size_t i = 0; i < f->alive.count; i++) {
        if (next < f->matched && f->matches.at[next] == i)
            next++;
        else
            mark_corners(f, alive_element(f, i), 1);
    }
}

static bool is_marked(const frame_follower *f, toc_element e) {
    for (int i = 0; i < e.corner_count; i++)
        if (!f->marks.at[e.corners[i]]) return false;
    return true;
}

/// Whether each added element has a new vertex, or is one of a few that each stand for two removed ones or more.
static bool can_be_added(frame_follower *f, bool replacing) {
    const size_t count = toc_mesh_get_element_count(f->frame);
    size_t replaced = 0;
    if (replacing) mark_removed_corners(f);
    for (size_t i = f->matched; i < count; i++) {
        if (has_new_vertex(f, frame_element(f, i))) continue;
        if (!replacing || !is_marked(f, frame_element(f, i))) return false;
        replaced++;
    }
    return 2 * replaced <= f->alive.count - f->matched;
}

/// Elements were removed and added; the remaining ones are unchanged. If `replacing`, added ones may stand for
/// two removed ones each, or more.
static bool match_same(frame_follower *f, bool replacing) {
    const size_t count = toc_mesh_get_element_count(f->frame);
    size_t place = 0;
    for (f->matched = 0; f->matched < count; f->matched++) {
        while (place < f->alive.count && !toc_element_is(alive_element(f, place), frame_element(f, f->matched)))
            place++;
        if (place == f->alive.count) break;
        f->matches.at[f->matched] = (uint32_t)place++;
    }
    return f->matched > 0 && can_be_added(f, replacing);
}

static bool match_changed(frame_follower *f) {
    if (toc_mesh_get_element_count(f->frame) >= f->alive.count) return match_all(f);
    return match_forward(f) && match_backward(f);
}

/// Vanished vertices were welded to others; one element at least is as it was.
static bool match_welded(frame_follower *f) {
    mark_vanished(f);
    f->welding = true;
    const bool matched = match_changed(f);
    for (size_t i = 0; matched && i < f->matched; i++)
        if (toc_element_is(alive_element(f, f->matches.at[i]), frame_element(f, i))) return true;
    f->welding = false;
    return false;
}

static toc_status match(frame_follower *f) {
    const size_t count = toc_mesh_get_element_count(f->frame);
    if (match_changed(f) || match_same(f, false) || match_welded(f) || match_same(f, true)) return TOC_OK;
    size_t i = 0;
    while (i < count && i < f->alive.count && toc_element_is(alive_element(f, i), frame_element(f, i))) i++;
    return toc_fail(TOC_BAD_INPUT,
                    "element %zu differs; it has %zu vertices and %zu elements in place of %zu and %zu%s", i, f->listed,
                    count, (size_t)f->vertices, f->alive.count,
                    toc_mesh_is_labelled(f->frame) ? "" : ", and no numbers to know vertices by, as .vtu has");
}

static toc_status list_alive(frame_follower *f) {
    const size_t count = toc_mesh_get_element_count(f->mesh);
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->alive, count));
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->matches, toc_mesh_get_element_count(f->frame)));
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->marks, f->vertices));
    for (size_t i = 0; i < count; i++)
        if (toc_mesh_shape(f->mesh, (uint32_t)i) != TOC_REMOVED) f->alive.at[f->alive.count++] = (uint32_t)i;
    return TOC_OK;
}

static int by_vertex(const void *a, const void *b) {
    const changed_corner *p = a, *q = b;
    if (p->vertex != q->vertex) return p->vertex < q->vertex ? -1 : 1;
    return (p->element > q->element) - (p->element < q->element);
}

static toc_status add_changes(frame_follower *f, size_t i) {
    const toc_element before = alive_element(f, f->matches.at[i]), after = frame_element(f, i);
    const uint32_t element = f->alive.at[f->matches.at[i]];
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->changes, 8));
    for (int k = 0; k < before.corner_count; k++)
        if (before.corners[k] != after.corners[k])
            f->changes.at[f->changes.count++] = (changed_corner){after.corners[k], before.corners[k], element};
    return TOC_OK;
}

/// A welded vertex has one other in all its elements. An element that has both must have the edge between them.
static toc_status add_weld(frame_follower *f, const changed_corner *change) {
    uint32_t *weld = &f->welds.at[change->before];
    if (*weld != TOC_NONE && *weld != change->vertex)
        return toc_fail(TOC_BAD_INPUT, "vertex %u is welded to both %u and %u", change->before, *weld, change->vertex);
    *weld = change->vertex;
    const toc_element e = toc_mesh_get_element(f->mesh, change->element);
    for (int i = 0; i < e.corner_count; i++)
        if (e.corners[i] == change->vertex &&
            !toc_element_has_edge(f->mesh, change->element, change->before, change->vertex))
            return toc_fail(TOC_BAD_INPUT, "vertices %u and %u are opposite corners of element %u, but welded",
                            change->before, change->vertex, change->element);
    return TOC_OK;
}

static toc_status list_welds(frame_follower *f) {
    if (!f->welding) return TOC_OK;
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->welds, f->vertices));
    memset(f->welds.at, 0xff, f->vertices * sizeof *f->welds.at);
    for (size_t i = 0; i < f->changes.count && f->changes.at[i].vertex < f->vertices; i++)
        TOC_TRY(add_weld(f, &f->changes.at[i]));
    return TOC_OK;
}

/// The corners that changed, by vertex; each new vertex must come from one old one.
static toc_status list_changes(frame_follower *f) {
    for (size_t i = 0; i < f->matched; i++) TOC_TRY(add_changes(f, i));
    changed_corner *at = f->changes.at;
    if (f->changes.count > 0) qsort(at, f->changes.count, sizeof *at, by_vertex);
    for (size_t i = 1; i < f->changes.count; i++)
        if (at[i].vertex >= f->vertices && at[i].vertex == at[i - 1].vertex && at[i].before != at[i - 1].before)
            return toc_fail(TOC_BAD_INPUT, "the new vertex %u is in the place of both %u and %u", at[i].vertex,
                            at[i - 1].before, at[i].before);
    return list_welds(f);
}

/// The elements that have a new vertex as a corner, each once, in the array of the matches.
static size_t follow_take_elements(frame_follower *f, uint32_t vertex, size_t *next, uint32_t *before) {
    size_t count = 0;
    for (; *next < f->changes.count && f->changes.at[*next].vertex == vertex; ++*next) {
        const changed_corner *change = &f->changes.at[*next];
        *before = change->before;
        if (count == 0 || f->matches.at[count - 1] != change->element) f->matches.at[count++] = change->element;
    }
    return count;
}

/// Add the motion of the old vertices of an added element to its new vertices.
static void add_motion(frame_follower *f, toc_element e) {
    start mean = {{0, 0, 0}, 0};
    for (int i = 0; i < e.corner_count; i++) {
        if (e.corners[i] >= f->vertices) continue;
        const size_t at = 3 * (size_t)e.corners[i];
        for (size_t k = 0; k < 3; k++) mean.motion[k] += f->frame->x0.at[at + k] - f->mesh->x1.at[at + k];
        mean.count++;
    }
    for (int i = 0; i < e.corner_count; i++) {
        if (e.corners[i] < f->vertices) continue;
        start *to = &f->starts.at[e.corners[i] - f->vertices];
        for (int k = 0; k < 3; k++) to->motion[k] += mean.motion[k];
        to->count += mean.count;
    }
}

static toc_status find_starts(frame_follower *f) {
    const size_t count = toc_mesh_get_vertex_count(f->frame) - f->vertices,
                 elements = toc_mesh_get_element_count(f->frame);
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->starts, count));
    for (size_t i = 0; i < count; i++) f->starts.at[i] = (start){{0, 0, 0}, 0};
    for (size_t i = f->matched; i < elements; i++) add_motion(f, frame_element(f, i));
    return TOC_OK;
}

static toc_status follow_add_vertex(const frame_follower *f, uint32_t vertex) {
    const start *s = &f->starts.at[vertex - f->vertices];
    double x[3];
    for (size_t k = 0; k < 3; k++)
        x[k] = f->frame->x0.at[3 * (size_t)vertex + k] - (s->count ? s->motion[k] / (double)s->count : 0);
    return toc_mesh_add_vertices(f->mesh, 1, x, NULL);
}

/// The matches are overwritten from here on.
static toc_status follow_add_vertices(frame_follower *f) {
    const size_t count = toc_mesh_get_vertex_count(f->frame);
    size_t next = 0;
    while (next < f->changes.count && f->changes.at[next].vertex < f->vertices) next++;
    for (uint32_t v = f->vertices; v < count; v++) {
        uint32_t before = 0;
        const size_t elements = follow_take_elements(f, v, &next, &before);
        TOC_TRY(elements > 0 ? toc_mesh_split_vertex(f->mesh, before, elements, f->matches.at, NULL)
                             : follow_add_vertex(f, v));
    }
    return TOC_OK;
}

static toc_status weld_vertices(const frame_follower *f) {
    for (uint32_t v = 0; f->welding && v < f->vertices; v++) {
        if (f->welds.at[v] == TOC_NONE) continue;
        toc_status status = toc_mesh_merge_vertices(f->mesh, f->welds.at[v], v);
        if (status == TOC_BAD_INPUT) status = toc_mesh_collapse_edge(f->mesh, f->welds.at[v], v);
        TOC_TRY(status);
    }
    return TOC_OK;
}

static toc_status remove_elements(frame_follower *f) {
    size_t next = 0;
    TOC_TRY(toc_array_reserve(&f->mesh->allocator, &f->mesh->events, f->alive.count - f->matched));
    for (size_t i = 0; i < f->alive.count; i++) {
        if (next < f->matched && f->matches.at[next] == i) {
            next++;
        } else {
            TOC_TRY(toc_mesh_remove_element(f->mesh, f->alive.at[i]));
        }
    }
    return TOC_OK;
}

static toc_status follow_add_elements(const frame_follower *f) {
    const size_t count = toc_mesh_get_element_count(f->frame);
    for (size_t i = f->matched; i < count; i++) {
        const toc_element element = frame_element(f, i);
        uint32_t id;
        TOC_TRY(toc_mesh_add_elements(f->mesh, element.shape, 1, element.corners, &id));
        if (element.group != 0) TOC_TRY(toc_mesh_set_group(f->mesh, id, element.group));
        if (element.thickness != 0) TOC_TRY(toc_mesh_set_thickness(f->mesh, id, element.thickness));
    }
    return TOC_OK;
}

static toc_status follow(frame_follower *f) {
    TOC_TRY(list_alive(f));
    TOC_TRY(match(f));
    TOC_TRY(list_changes(f));
    TOC_TRY(find_starts(f));
    TOC_TRY(remove_elements(f));
    TOC_TRY(follow_add_vertices(f));
    TOC_TRY(weld_vertices(f));
    return follow_add_elements(f);
}

static toc_status follow_frame(toc_mesh *mesh, const toc_mesh *frame, size_t listed) {
    const size_t before = toc_mesh_get_vertex_count(mesh);
    frame_follower f = {.mesh = mesh, .frame = frame, .vertices = (uint32_t)before, .listed = listed};
    const toc_status status = follow(&f);
    toc_array_free(&mesh->allocator, &f.alive);
    toc_array_free(&mesh->allocator, &f.matches);
    toc_array_free(&mesh->allocator, &f.changes);
    toc_array_free(&mesh->allocator, &f.starts);
    toc_array_free(&mesh->allocator, &f.marks);
    toc_array_free(&mesh->allocator, &f.welds);
    return status;
}

toc_status toc_mesh_follow(toc_mesh *mesh, toc_mesh *frame) {
    const size_t before = toc_mesh_get_vertex_count(mesh), listed = toc_mesh_get_vertex_count(frame);
    bool labelled = toc_mesh_is_labelled(mesh) && toc_mesh_is_labelled(frame);
    if (labelled && !toc_labels_agree(mesh, frame)) TOC_TRY(toc_frame_renumber(mesh, frame, &labelled));
    if (follow_is_same(mesh, frame)) return TOC_OK;
    if (toc_mesh_get_vertex_count(frame) < before)
        return toc_fail(TOC_BAD_INPUT,
                        "%zu vertices in place of %zu, and no numbers to know them by (welded ones stay in a file)",
                        listed, before);
    TOC_TRY(follow_frame(mesh, frame, listed));
    const bool grown = toc_mesh_get_vertex_count(mesh) > before;
    return labelled && grown ? toc_labels_copy(frame, mesh) : TOC_OK;
}
