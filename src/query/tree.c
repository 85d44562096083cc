// SPDX-License-Identifier: Apache-2.0
// Making and fitting the tree of a scene.
#include "query/tree.h"

#include <string.h>

#include "base/threads.h"

static float *new_dops(toc_tree *tree, size_t count) {
    return toc_arena_new(&tree->arena, count, toc_dop_floats(&tree->kind) * sizeof(float));
}

static toc_status allocate(toc_tree *tree) {
    const toc_feature_set *features = &tree->features;
    const size_t count = tree->primitives.count, nodes = count ? 2 * count - 1 : 0, ends = tree->has_room ? 2 : 1;
    tree->start_dops = new_dops(tree, features->vertex_count);
    tree->end_dops = new_dops(tree, features->vertex_count);
    tree->primitive_dops = new_dops(tree, count);
    tree->point_dops = new_dops(tree, ends * features->point_count);
    tree->edge_dops = new_dops(tree, ends * features->edge_count);
    tree->lower.moving = new_dops(tree, tree->has_room ? ends * nodes : 0);
    tree->before_owners = toc_arena_here(&tree->arena);
    const bool all = tree->start_dops && tree->end_dops && tree->primitive_dops && tree->point_dops &&
                     tree->edge_dops && tree->lower.moving;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status make(const toc_allocator *allocator, const toc_step *step, const toc_tree_form *form,
                       toc_tree **out) {
    toc_tree *tree = toc_new(allocator, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    *out = tree;
    tree->allocator = *allocator;
    tree->version = step->version;
    tree->kind = form->kind;
    tree->has_room = form->lower > 0;
    tree->arena = toc_arena_make(allocator);
    tree->features = toc_step_features(step);
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

static int corners_of(const toc_primitive *p) {
    return p->vertices[2] != UINT32_MAX ? 3 : p->vertices[1] != UINT32_MAX ? 2 : 1;
}

// The DOP of a feature at the start, and behind it the one at the end.
static void bound_moving(const toc_tree *tree, const uint32_t *vertices, int corners, float *dops) {
    toc_dop_of_features(&tree->kind, tree->start_dops, vertices, corners, 1, dops);
    toc_dop_of_features(&tree->kind, tree->end_dops, vertices, corners, 1, dops + toc_dop_floats(&tree->kind));
}

// Extents of a DOP along x, y and z together.
static double extent(const toc_dop_kind *kind, const float *dop) {
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += (double)dop[kind->lanes + c] - (double)dop[c];
    return sum;
}

// How many times their own extent the primitives sweep, on average.
static double bound_primitives(toc_tree *tree) {
    double still = 0, swept = 0;
    const toc_dop_kind *kind = &tree->kind;
    const size_t floats = toc_dop_floats(kind);
    for (size_t i = 0; i < tree->primitives.count; i++) {
        const toc_primitive *p = &tree->primitives.at[i];
        float moving[2 * TOC_DOP_FLOATS_MOST];
        bound_moving(tree, p->vertices, corners_of(p), moving);
        still += extent(kind, moving);
        toc_dop_join(kind, 1, moving + floats, moving);
        swept += extent(kind, moving);
        memcpy(tree->primitive_dops + i * floats, moving, floats * sizeof *moving);
    }
    return still > 0 ? swept / still : 1;
}

// The vertices at both ends, and the primitives swept: three vertices of a face, fewer of what is loose.
static double bound(toc_tree *tree, const toc_step *step, double thickness) {
    const toc_dop_kind *kind = &tree->kind;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    toc_dop_of_points(kind, &frame, step->vertex_count, step->x0, thickness, tree->start_dops);
    toc_dop_of_points(kind, &frame, step->vertex_count, step->x1, thickness, tree->end_dops);
    return bound_primitives(tree);
}

// The features that primitives own, and the leaves of the lower layer, moving.
static void bound_layer(toc_tree *tree) {
    const size_t floats = 2 * toc_dop_floats(&tree->kind);
    const toc_owners *owners = &tree->owners;
    for (size_t i = 0; i < owners->point_count; i++)
        bound_moving(tree, &owners->points[i], 1, tree->point_dops + i * floats);
    for (size_t i = 0; i < owners->edge_count; i++)
        bound_moving(tree, owners->edges[i], 2, tree->edge_dops + i * floats);
    for (size_t i = 0; i < toc_bvh_node_count(&tree->bvh); i++) {
        const toc_bvh_node *node = &tree->bvh.nodes[i];
        if (node->leaves > 1) continue;
        const toc_primitive *p = &tree->primitives.at[tree->bvh.order[node->link]];
        bound_moving(tree, p->vertices, corners_of(p), tree->lower.moving + i * floats);
    }
    toc_bvh_fit_lower_layer(&tree->bvh, &tree->lower);
}

// The features that primitives own, swept.
static void bound_swept(toc_tree *tree) {
    const toc_owners *owners = &tree->owners;
    toc_dop_join(&tree->kind, tree->features.vertex_count, tree->end_dops, tree->start_dops);
    toc_dop_of_features(&tree->kind, tree->start_dops, owners->points, 1, owners->point_count, tree->point_dops);
    toc_dop_of_features(&tree->kind, tree->start_dops, (const uint32_t *)owners->edges, 2, owners->edge_count,
                        tree->edge_dops);
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

static toc_status fit(toc_tree *tree, const toc_step *step, const toc_tree_form *form, int threads,
                      toc_tree_update *how) {
    const double start = toc_seconds();
    const double sweep = bound(tree, step, form->thickness);
    const double bounded = toc_seconds();
    TOC_TRY(build_or_refit(tree, threads, &how->rebuilt));
    if (!tree->owned.bvh || how->rebuilt) TOC_TRY(assign_owners(tree));
    const double built = toc_seconds();
    tree->lower.most = form->lower;
    tree->lower.window = form->window;
    tree->owned.lower = form->lower > 0 && sweep >= form->lower_from ? &tree->lower : NULL;
    tree->owned.lower ? bound_layer(tree) : bound_swept(tree);
    how->build_seconds = built - bounded;
    how->bound_seconds = bounded - start + toc_seconds() - built;
    return TOC_OK;
}

static bool suits(const toc_tree *tree, const toc_step *step, const toc_tree_form *form) {
    return tree->version == step->version && tree->kind.k == form->kind.k && (tree->has_room || form->lower == 0);
}

toc_status toc_tree_fit(const toc_allocator *allocator, const toc_step *step, const toc_tree_form *form, int threads,
                        toc_tree **tree, toc_tree_update *how) {
    if (*tree && !suits(*tree, step, form)) {
        toc_tree_free(*tree);
        *tree = NULL;
    }
    toc_status status = *tree ? TOC_OK : make(allocator, step, form, tree);
    if (status == TOC_OK) status = fit(*tree, step, form, threads, how);
    if (status != TOC_OK) {
        toc_tree_free(*tree);
        *tree = NULL;
    }
    return status;
}
