// SPDX-License-Identifier: Apache-2.0
// Making and searching the solid tree and the vertex tree.
//
// The DOP of an element holds its corners, rounding included, so elements without overlapping DOPs are apart
// (docs/guarantees.md, G1). O(n log n).
#include "search/solid_tree.h"

#include <assert.h>

#include "scene/scene.h"

static bool is_volume_shape(toc_shape shape) { return shape >= TOC_TET; }

static toc_status list_solids(const toc_pipeline *p, toc_solid_tree *tree) {
    const toc_scene *scene = p->request->scene;
    tree->at = toc_arena_new(&tree->arena, p->step->element_count, sizeof *tree->at);
    if (!tree->at) return TOC_OUT_OF_MEMORY;
    for (uint32_t body = 0; body < scene->bodies.count; body++) {
        const toc_mesh *mesh = scene->bodies.at[body].mesh;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if (!is_volume_shape(element.shape)) continue;
            toc_solid *to = &tree->at[tree->count++];
            *to = (toc_solid){.body = body, .element = e, .corners.count = element.corner_count};
            for (int i = 0; i < element.corner_count; i++)
                to->corners.v[i] = element.corners[i] + p->step->body_first[body];
        }
    }
    return TOC_OK;
}

static toc_status list_vertices(const toc_pipeline *p, toc_solid_tree *tree) {
    const toc_step *step = p->step;
    tree->at = toc_arena_new(&tree->arena, step->point_count, sizeof *tree->at);
    if (!tree->at) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < step->point_count; i++)
        tree->at[i] = (toc_solid){.body = toc_step_body(step, step->points[i]), .corners = {1, {step->points[i]}}};
    tree->count = step->point_count;
    return TOC_OK;
}

static toc_status build_solid_tree(const toc_pipeline *p, toc_solid_tree *tree) {
    const toc_step *step = p->step;
    toc_dop_kind kind;
    TOC_TRY(toc_dop_kind_make(toc_request_dop(p->request), &kind));
    const size_t floats = toc_dop_floats(&kind);
    float *points = toc_arena_new(&tree->arena, step->vertex_count, floats * sizeof *points);
    float *dops = toc_arena_new(&tree->arena, tree->count, floats * sizeof *dops);
    if (!points || !dops) return TOC_OUT_OF_MEMORY;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1, 1);
    toc_dop_of_points(&kind, &frame, step->vertex_count, step->x0, p->distance / 2, points); // on either side
    for (size_t i = 0; i < tree->count; i++)
        toc_dop_of_features(&kind, points, tree->at[i].corners.v, tree->at[i].corners.count, 1, dops + i * floats);
    toc_bvh_dops of = {&kind, dops};
    const toc_bvh_source source = toc_bvh_source_of(&of);
    const toc_bvh_input input = {.kind = &kind, .count = tree->count, .source = &source};
    return toc_bvh_build(&p->request->scene->memory, &input, p->threads, &tree->bvh);
}

static void free_solid_tree(toc_index *index) {
    toc_solid_tree *tree = (toc_solid_tree *)index;
    const toc_allocator allocator = index->allocator;
    if (tree->bvh.nodes) toc_bvh_free(&tree->bvh);
    toc_array_free(&allocator, &tree->pieces);
    toc_arena_free(&tree->arena);
    toc_free(&allocator, tree, 1, sizeof *tree);
}

static const toc_index_type solid_tree_type = {.is_kept = false, .free = free_solid_tree};

static toc_status make_solid_tree(toc_pipeline *p, toc_solid_tree **out) {
    assert(p->step->x0 == p->step->x1);
    toc_solid_tree *tree = toc_new(&p->request->scene->memory, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    tree->index = (toc_index){&solid_tree_type, p->request->scene->memory};
    tree->arena = toc_arena_make(&p->request->scene->memory);
    *p->index = &tree->index;
    toc_pipeline_enter(p, "build");
    *out = tree;
    return TOC_OK;
}

toc_status toc_solid_tree_fit(toc_pipeline *p) {
    toc_solid_tree *tree;
    TOC_TRY(make_solid_tree(p, &tree));
    TOC_TRY(list_solids(p, tree));
    return build_solid_tree(p, tree);
}

toc_status toc_vertex_tree_fit(toc_pipeline *p) {
    toc_solid_tree *tree;
    TOC_TRY(make_solid_tree(p, &tree));
    TOC_TRY(list_vertices(p, tree));
    return build_solid_tree(p, tree);
}

static toc_status split_solid_tree(toc_pipeline *p, size_t *rounds) {
    toc_solid_tree *tree = (toc_solid_tree *)*p->index;
    TOC_TRY(toc_bvh_split(&tree->bvh, TOC_SEARCH_PIECES, &tree->pieces));
    *rounds = tree->pieces.count;
    return TOC_OK;
}

static toc_status search_solid_tree(toc_worker *w, size_t round) {
    const toc_solid_tree *tree = (const toc_solid_tree *)*w->pipeline->index;
    return toc_bvh_search(&tree->bvh, &(toc_bvh_scope){0}, tree->pieces.at[round], toc_worker_take_leaves, w,
                          &w->search.in);
}

toc_status toc_solid_pairs_test(toc_worker *w, const toc_batch *batch,
                                toc_status (*test)(toc_worker *w, const toc_solid *a, const toc_solid *b)) {
    const toc_solid_tree *tree = (const toc_solid_tree *)*w->pipeline->index;
    assert(tree->index.type == &solid_tree_type);
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t a = tree->bvh.order[batch->leaves[i].a], b = tree->bvh.order[batch->leaves[i].b];
        TOC_TRY(test(w, &tree->at[a < b ? a : b], &tree->at[a < b ? b : a]));
    }
    return TOC_OK;
}

const toc_traversal toc_solid_traversal = {.split = split_solid_tree, .visit = search_solid_tree};
