// SPDX-License-Identifier: Apache-2.0
// Making and fitting the tree of a scene.
#include "query/tree.h"

#include "base/threads.h"

static float *new_dops(toc_tree *tree, size_t count) {
    return toc_arena_new(&tree->arena, count, toc_dop_floats(&tree->kind) * sizeof(float));
}

static toc_status allocate(toc_tree *tree) {
    const toc_feature_set *features = &tree->features;
    tree->vertex_dops = new_dops(tree, features->vertex_count);
    tree->end_dops = new_dops(tree, features->vertex_count);
    tree->primitive_dops = new_dops(tree, tree->primitives.count);
    tree->point_dops = new_dops(tree, features->point_count);
    tree->edge_dops = new_dops(tree, features->edge_count);
    tree->before_owners = toc_arena_here(&tree->arena);
    const bool all = tree->vertex_dops && tree->end_dops && tree->primitive_dops && tree->point_dops && tree->edge_dops;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status make(const toc_allocator *allocator, const toc_step *step, const toc_dop_kind *kind, toc_tree **out) {
    toc_tree *tree = toc_new(allocator, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    *out = tree;
    tree->allocator = *allocator;
    tree->version = step->version;
    tree->kind = *kind;
    tree->arena = toc_arena_make(allocator);
    tree->features = (toc_feature_set){.vertex_count = step->vertex_count,
                                       .point_count = step->point_count,
                                       .edge_count = step->edge_count,
                                       .face_count = step->face_count,
                                       .points = step->points,
                                       .edges = (const uint32_t(*)[2])step->edges,
                                       .faces = (const uint32_t(*)[3])step->faces};
    TOC_TRY(toc_primitives_list(&tree->arena, &tree->features, &tree->primitives));
    return allocate(tree);
}

void toc_tree_free(toc_tree *tree) {
    if (!tree) return;
    const toc_allocator allocator = tree->allocator;
    if (tree->bvh.nodes) toc_bvh_free(&tree->bvh);
    toc_arena_free(&tree->arena);
    toc_free(&allocator, tree, 1, sizeof *tree);
}

// Swept DOPs of the vertices, and of the primitives: three vertices of a face, fewer of what is loose.
static void bound(toc_tree *tree, const toc_step *step, double thickness) {
    const toc_dop_kind *kind = &tree->kind;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    toc_dop_of_points(kind, &frame, step->vertex_count, step->x0, thickness, tree->vertex_dops);
    toc_dop_of_points(kind, &frame, step->vertex_count, step->x1, thickness, tree->end_dops);
    toc_dop_join(kind, step->vertex_count, tree->end_dops, tree->vertex_dops);
    for (size_t i = 0; i < tree->primitives.count; i++) {
        const uint32_t *v = tree->primitives.at[i].vertices;
        const int corners = v[2] != UINT32_MAX ? 3 : v[1] != UINT32_MAX ? 2 : 1;
        toc_dop_of_features(kind, tree->vertex_dops, v, corners, 1, tree->primitive_dops + i * toc_dop_floats(kind));
    }
}

// Who owns what follows the order of the leaves.
static toc_status assign_owners(toc_tree *tree) {
    toc_arena_back(&tree->arena, tree->before_owners);
    TOC_TRY(toc_owners_assign(&tree->arena, &tree->features, &tree->primitives, tree->bvh.order, &tree->owners));
    tree->owned = (toc_owned_dops){
        .bvh = &tree->bvh, .owners = &tree->owners, .points = tree->point_dops, .edges = tree->edge_dops};
    return TOC_OK;
}

static toc_status build_or_refit(toc_tree *tree, int threads, size_t *rebuilt) {
    const float *dops = tree->primitive_dops;
    if (!tree->bvh.nodes) {
        *rebuilt = tree->primitives.count;
        return toc_bvh_build(&tree->allocator, &tree->kind, tree->primitives.count, dops, threads, &tree->bvh);
    }
    toc_bvh_refit(&tree->bvh, dops);
    return toc_bvh_restructure(&tree->bvh, dops, threads, rebuilt);
}

static toc_status fit(toc_tree *tree, const toc_step *step, double thickness, int threads, toc_tree_update *how) {
    const double start = toc_seconds();
    bound(tree, step, thickness);
    const double bounded = toc_seconds();
    TOC_TRY(build_or_refit(tree, threads, &how->rebuilt));
    if (!tree->owned.bvh || how->rebuilt) TOC_TRY(assign_owners(tree));
    const double built = toc_seconds();
    const toc_owners *owners = &tree->owners;
    toc_dop_of_features(&tree->kind, tree->vertex_dops, owners->points, 1, owners->point_count, tree->point_dops);
    toc_dop_of_features(&tree->kind, tree->vertex_dops, (const uint32_t *)owners->edges, 2, owners->edge_count,
                        tree->edge_dops);
    how->build_seconds = built - bounded;
    how->bound_seconds = bounded - start + toc_seconds() - built;
    return TOC_OK;
}

toc_status toc_tree_fit(const toc_allocator *allocator, const toc_step *step, const toc_dop_kind *kind,
                        double thickness, int threads, toc_tree **tree, toc_tree_update *how) {
    if (*tree && ((*tree)->version != step->version || (*tree)->kind.k != kind->k)) {
        toc_tree_free(*tree);
        *tree = NULL;
    }
    toc_status status = *tree ? TOC_OK : make(allocator, step, kind, tree);
    if (status == TOC_OK) status = fit(*tree, step, thickness, threads, how);
    if (status != TOC_OK) {
        toc_tree_free(*tree);
        *tree = NULL;
    }
    return status;
}
