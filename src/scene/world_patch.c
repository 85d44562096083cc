// SPDX-License-Identifier: Apache-2.0
// The patch of a world: the elements within reach of the bodies that may move.
//
// The tree of the world is asked for the elements that a few elements of a body can meet; the box of each answer, which
// the tree has along the axes of its DOPs, is then compared with the box of each of these elements, in the frame of the
// world. Boxes hold the whole path of an element, grown by the reach, and are rounded outward. An element is left out
// only if its box is apart from all of them, so no pair of features within reach is missed, and all elements around
// such a feature are in the patch (docs/guarantees.md, G1). Whether the feature is on the boundary is thus known from
// the patch, for volumes, too. O(elements that move * log of the world) and the patch; a patch that stays the same
// costs nothing more.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "toccata/convex.h"

enum { SOME = 8 }; // elements of a body that are searched for together

// ---- room

static size_t mark_words(const toc_world *world) { return toc_mesh_get_element_count(world->mesh) / 64 + 1; }

toc_status toc_patch_make(const toc_allocator *allocator, const toc_world *world, toc_patch **out) {
    toc_patch *patch = toc_new(allocator, 1, sizeof *patch);
    if (!patch) return TOC_OUT_OF_MEMORY;
    patch->marks = toc_new(allocator, mark_words(world), sizeof *patch->marks);
    if (patch->marks) {
        *out = patch;
        return TOC_OK;
    }
    toc_free(allocator, patch, 1, sizeof *patch);
    return TOC_OUT_OF_MEMORY;
}

void toc_patch_free(const toc_allocator *allocator, const toc_world *world, toc_patch *patch) {
    if (!patch) return;
    toc_array_free(allocator, &patch->elements);
    toc_array_free(allocator, &patch->vertices);
    toc_array_free(allocator, &patch->found);
    toc_array_free(allocator, &patch->spare);
    if (world) toc_free(allocator, patch->marks, mark_words(world), sizeof *patch->marks);
    toc_free(allocator, patch, 1, sizeof *patch);
}

// ---- the search

// The box of an element that moves, in the frame of the world: its low and high corners go straight from the start to
// the end of the step. Paths on parabolas have the same box at both ends, which holds all of them.
typedef struct moving_box {
    toc_box ends[2];
    toc_box swept; // holds both
} moving_box;

// Some elements of a body that are searched for in a world.
typedef struct patch_search {
    const toc_allocator *allocator;
    const toc_world *world;
    toc_patch *patch;
    double reach;
    size_t count;
    moving_box boxes[SOME];
    moving_box all; // holds them
} patch_search;

static void join_box(toc_box *box, const toc_box *more) {
    for (int c = 0; c < 3; c++) {
        box->low[c] = toc_smaller(box->low[c], more->low[c]);
        box->high[c] = toc_larger(box->high[c], more->high[c]);
    }
}

// A box in the frame of a world, grown by a distance and moved outward by more than all rounding on the way: a sum of
// three numbers and a product are off by less than 4 roundings of the sum of their magnitudes. Bounds that might
// overflow are open.
static toc_box box_in_frame(const toc_frame *frame, const toc_box *box, double reach) {
    toc_box in;
    for (int c = 0; c < 3; c++) {
        const double centre = frame->centre[c], far = fabs(centre) + reach;
        const double low = (box->low[c] - centre - reach) * frame->scale;
        const double high = (box->high[c] - centre + reach) * frame->scale;
        const double under = (fabs(box->low[c]) + far) * frame->scale * 0x1p-50 + 0x1p-1000;
        const double over = (fabs(box->high[c]) + far) * frame->scale * 0x1p-50 + 0x1p-1000;
        in.low[c] = under < 0x1p900 ? low - under : -INFINITY;
        in.high[c] = over < 0x1p900 ? high + over : INFINITY;
    }
    return in;
}

static moving_box bound_element(const patch_search *s, const toc_body *body, const toc_element *element) {
    const toc_mesh *mesh = body->mesh;
    toc_box ends[2] = {toc_box_empty(), toc_box_empty()};
    moving_box box;
    for (int i = 0; i < element->corner_count; i++) {
        double x0[3], x1[3], control[3];
        toc_body_read_motion(body, element->corners[i], x0, x1);
        toc_box_put(&ends[0], x0);
        toc_box_put(&ends[1], x1);
        if (mesh->acceleration.count == 0) continue;
        toc_path_find_control(1, x0, x1, mesh->acceleration.at + 3 * (size_t)element->corners[i], control);
        toc_box_put(&ends[0], control);
    }
    if (mesh->acceleration.count) {
        join_box(&ends[0], &ends[1]);
        ends[1] = ends[0];
    }
    for (int end = 0; end < 2; end++) box.ends[end] = box_in_frame(&s->world->frame, &ends[end], s->reach);
    box.swept = box.ends[0];
    join_box(&box.swept, &box.ends[1]);
    return box;
}

// Reduce the times from *from to *to to those at which a distance that goes from a to b is not positive. Both are
// differences of two doubles, so their signs are exact and they have a relative error of 2^-53; that of the quotient is
// below 2^-50. Distances that overflow reduce nothing.
static void reduce_times(double a, double b, double *from, double *to) {
    const double way = a - b;
    if (a > 0 && b > 0) *to = -1;
    if ((a > 0) == (b > 0) || !isfinite(way)) return;
    if (a > 0)
        *from = toc_larger(*from, a / way - 0x1p-48);
    else
        *to = toc_smaller(*to, a / way + 0x1p-48);
}

// Whether a moving box meets a resting one at some time.
static bool is_met(const moving_box *moving, const toc_box *box) {
    const toc_box *start = &moving->ends[0], *end = &moving->ends[1];
    double from = 0, to = 1;
    if (!toc_box_overlaps(&moving->swept, box)) return false;
    for (int c = 0; c < 3; c++) {
        reduce_times(start->low[c] - box->high[c], end->low[c] - box->high[c], &from, &to);
        reduce_times(box->low[c] - start->high[c], box->low[c] - end->high[c], &from, &to);
    }
    return from <= to;
}

static bool meets_any(const patch_search *s, const toc_box *box) {
    if (!is_met(&s->all, box)) return false;
    for (size_t i = 0; i < s->count; i++)
        if (is_met(&s->boxes[i], box)) return true;
    return false;
}

// The box of a leaf of the world, from its block: the tree has one component, whose blocks are full but for the last.
static toc_box box_of_leaf(const toc_world *world, uint32_t leaf) {
    const int directions = world->kind.directions;
    const float *block = world->bvh.blocks + leaf / TOC_BLOCK * toc_block_floats(&world->kind, 1);
    const toc_slabs_of slabs = toc_slabs_of_place(block, directions, leaf % TOC_BLOCK);
    toc_box box;
    assert(directions >= 3 && world->bvh.lower.most == 0 && world->bvh.top_level == 0);
    for (size_t c = 0; c < 3; c++) {
        box.low[c] = (double)slabs.low[c * slabs.stride];
        box.high[c] = (double)slabs.high[c * slabs.stride];
    }
    return box;
}

static toc_status keep_if_near(void *user, uint32_t leaf) {
    patch_search *s = user;
    uint64_t *word = &s->patch->marks[leaf / 64];
    const uint64_t bit = (uint64_t)1 << leaf % 64;
    if (*word & bit) return TOC_OK;
    const toc_box box = box_of_leaf(s->world, leaf);
    if (!meets_any(s, &box)) return TOC_OK;
    TOC_TRY(toc_array_reserve(s->allocator, &s->patch->found, 1));
    s->patch->found.at[s->patch->found.count++] = leaf;
    *word |= bit;
    return TOC_OK;
}

// The DOP of a box in the frame, along the axes only; the slabs along other directions hold everything. Bounds are
// moved outward by 2^-22 of themselves, more than their rounding to single precision; those far outside are open.
static void bound_search(const toc_world *world, const toc_box *box, float dop[TOC_DOP_FLOATS_MOST]) {
    const int lanes = world->kind.lanes;
    for (int d = 0; d < lanes; d++) dop[d] = -INFINITY, dop[lanes + d] = INFINITY;
    for (int c = 0; c < 3; c++) {
        const double low = box->low[c] - fabs(box->low[c]) * 0x1p-22 - 0x1p-120;
        const double high = box->high[c] + fabs(box->high[c]) * 0x1p-22 + 0x1p-120;
        if (fabs(low) < 0x1p100) dop[c] = (float)low;
        if (fabs(high) < 0x1p100) dop[lanes + c] = (float)high;
    }
}

static toc_status search_some(patch_search *s) {
    float dop[TOC_DOP_FLOATS_MOST];
    uint64_t visited = 0;
    s->all = s->boxes[0];
    for (size_t i = 1; i < s->count; i++) {
        for (int end = 0; end < 2; end++) join_box(&s->all.ends[end], &s->boxes[i].ends[end]);
        join_box(&s->all.swept, &s->boxes[i].swept);
    }
    bound_search(s->world, &s->all.swept, dop);
    TOC_TRY(toc_bvh_find(&s->world->bvh, dop, keep_if_near, s, &visited));
    s->count = 0;
    return TOC_OK;
}

static toc_status search_body(patch_search *s, const toc_body *body) {
    const toc_mesh *mesh = body->mesh;
    for (uint32_t e = 0; e < mesh->shapes.count; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        if (element.shape == TOC_REMOVED) continue;
        s->boxes[s->count++] = bound_element(s, body, &element);
        if (s->count == SOME) TOC_TRY(search_some(s));
    }
    return s->count > 0 ? search_some(s) : TOC_OK;
}

// Sort ids byte by byte, the lowest first. @param spare scratch memory.
static toc_status sort_patch_ids(const toc_allocator *allocator, toc_ids *ids, toc_ids *spare) {
    uint32_t all = 0;
    spare->count = 0;
    TOC_TRY(toc_array_reserve(allocator, spare, ids->count));
    for (size_t i = 0; i < ids->count; i++) all |= ids->at[i];
    for (int shift = 0; shift < 32 && all >> shift; shift += 8) {
        size_t first[257] = {0};
        for (size_t i = 0; i < ids->count; i++) first[(ids->at[i] >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++) first[k + 1] += first[k];
        for (size_t i = 0; i < ids->count; i++) spare->at[first[ids->at[i] >> shift & 255]++] = ids->at[i];
        spare->count = ids->count;
        const toc_ids sorted = *spare;
        *spare = *ids;
        *ids = sorted;
    }
    return TOC_OK;
}

// Forget the marks of the found leaves, and list their elements instead.
static void take_elements_of_leaves(const toc_world *world, toc_patch *patch) {
    for (size_t i = 0; i < patch->found.count; i++) {
        const uint32_t leaf = patch->found.at[i];
        patch->marks[leaf / 64] = 0;
        patch->found.at[i] = world->elements[world->bvh.order[leaf]];
    }
}

static toc_status find_all(const toc_scene *scene, const toc_world *world, toc_patch *patch) {
    TOC_TRY(toc_array_reserve(&scene->allocator, &patch->found, world->count));
    if (world->count) memcpy(patch->found.at, world->elements, world->count * sizeof *world->elements);
    patch->found.count = world->count;
    return TOC_OK;
}

// List the elements of a world within reach of the bodies that are no worlds.
static toc_status find_patch(const toc_scene *scene, const toc_body *body, double reach) {
    toc_patch *patch = body->patch;
    patch_search s = {.allocator = &scene->allocator, .world = body->world, .patch = patch, .reach = reach};
    patch->found.count = 0;
    if (!isfinite(reach)) return find_all(scene, body->world, patch);
    toc_status status = TOC_OK;
    for (size_t b = 0; b < scene->bodies.count && status == TOC_OK && body->world->count > 0; b++)
        if (!scene->bodies.at[b].world) status = search_body(&s, &scene->bodies.at[b]);
    take_elements_of_leaves(body->world, patch);
    TOC_TRY(status);
    return sort_patch_ids(&scene->allocator, &patch->found, &patch->spare);
}

// ---- the mesh

static bool is_same_patch(const toc_patch *patch) {
    return patch->found.count == patch->elements.count &&
           (patch->found.count == 0 ||
            memcmp(patch->found.at, patch->elements.at, patch->found.count * sizeof *patch->found.at) == 0);
}

// List the vertices of the found elements. @param corners receives the number of corners.
static toc_status list_patch_vertices(const toc_allocator *allocator, const toc_world *world, toc_patch *patch,
                                      size_t *corners) {
    toc_ids *vertices = &patch->vertices;
    vertices->count = *corners = 0;
    for (size_t i = 0; i < patch->found.count; i++) {
        const toc_element element = toc_mesh_get_element(world->mesh, patch->found.at[i]);
        TOC_TRY(toc_array_reserve(allocator, vertices, (size_t)element.corner_count));
        for (int j = 0; j < element.corner_count; j++) vertices->at[vertices->count++] = element.corners[j];
        *corners += (size_t)element.corner_count;
    }
    TOC_TRY(sort_patch_ids(allocator, vertices, &patch->spare));
    size_t kept = 0;
    for (size_t i = 0; i < vertices->count; i++)
        if (kept == 0 || vertices->at[kept - 1] != vertices->at[i]) vertices->at[kept++] = vertices->at[i];
    vertices->count = kept;
    return TOC_OK;
}

// On failure the patch is empty.
static toc_status renew_patch(const toc_scene *scene, const toc_body *body) {
    toc_patch *patch = body->patch;
    size_t corners;
    patch->elements.count = 0;
    TOC_TRY(list_patch_vertices(&scene->allocator, body->world, patch, &corners));
    const toc_ids kept = patch->elements;
    patch->elements = patch->found;
    patch->found = kept;
    const toc_status status = toc_patch_fill(body->world->mesh, patch, corners, body->mesh);
    if (status != TOC_OK) patch->elements.count = 0;
    return status;
}

toc_status toc_worlds_gather(toc_scene *scene, double reach) {
    toc_status status = TOC_OK;
    for (size_t b = 0; b < scene->bodies.count && status == TOC_OK; b++) {
        const toc_body *body = &scene->bodies.at[b];
        if (!body->world) continue;
        status = find_patch(scene, body, reach);
        if (status == TOC_OK && !is_same_patch(body->patch)) status = renew_patch(scene, body);
    }
    return status;
}
