// SPDX-License-Identifier: Apache-2.0
// Features on their way to a device, and the launches that make the tree there.
#include "search/device_tree.h"

#include <assert.h>
#include <string.h>

#include "bound/block.h"
#include "search/device_cells.h"

enum { FRAME_STEPS = 64 }; // before a frame is fitted again, for scenes that shrink

void toc_device_tree_clear(toc_device_tree *tree) {
    tree->version = UINT64_MAX;
    tree->frame_steps = 0;
    tree->sorted_pairs = UINT32_MAX;
}

void toc_device_tree_free(const toc_device_memory *memory, toc_device_tree *tree) {
    toc_device_positions_free(memory, &tree->positions);
    toc_device_arrays_free(memory, tree->there, TOC_DEVICE_TREE_ARRAYS);
    toc_device_array_free_here(memory, &tree->counts);
    toc_device_tree_clear(tree);
}

// ---- features

static toc_status put_there(toc_device_memory *memory, toc_device_tree *tree, int which, const void *from,
                            size_t bytes) {
    toc_device_array *array = &tree->there[which];
    TOC_TRY(toc_device_array_need(memory, array, bytes ? bytes : 1));
    return toc_device_array_send(memory, array, from, bytes);
}

static toc_status send_bodies(toc_device_memory *memory, const toc_step *step, toc_device_tree *tree) {
    const size_t bytes = (step->body_count + 1) * sizeof *step->body_first;
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_BODIES, step->body_first, bytes));
    return memory->device->wait(memory->queue);
}

static toc_status new_features(toc_device_memory *memory, const toc_step *step, toc_arena *arena, int threads,
                               toc_device_tree *tree) {
    const toc_feature_set features = toc_step_features(step);
    const toc_primitives *primitives = &step->primitives;
    const size_t count = primitives->count;
    toc_representatives r;
    TOC_TRY(toc_representatives_assign(arena, &features, primitives, NULL, threads, &r));
    uint32_t(*corners)[3] = toc_arena_new(arena, count, sizeof *corners);
    if (!corners) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = primitives->at[i].vertices;
        for (int k = 0; k < 3; k++) corners[i][k] = v[k] != UINT32_MAX ? v[k] : v[0];
    }
    tree->count = (uint32_t)count;
    tree->corner_count = 3;
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_CORNERS, corners, count * sizeof *corners));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_FEATURES, r.of, count * sizeof *r.of));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_EDGES, r.edges, r.edge_count * sizeof *r.edges));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_POINTS, r.points, r.point_count * sizeof *r.points));
    return send_bodies(memory, step, tree);
}

static toc_status new_elements(toc_device_memory *memory, const toc_scene *scene, toc_arena *arena,
                               toc_device_tree *tree) {
    toc_device_cells c;
    TOC_TRY(toc_device_cells_make(arena, scene, &c));
    tree->count = (uint32_t)c.count;
    tree->corner_count = c.corner_count;
    const size_t corners = c.count * c.corner_count * sizeof *c.corners;
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_CORNERS, c.corners, corners));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_FEATURES, c.at, c.count * sizeof *c.at));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_EDGES, c.edges, c.edge_count * sizeof *c.edges));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_POINTS, c.points, c.point_count * sizeof *c.points));
    TOC_TRY(put_there(memory, tree, TOC_DEVICE_TREE_FACES, c.faces, c.face_count * sizeof *c.faces));
    return send_bodies(memory, &scene->step, tree);
}

// Whether primitives of this kind, with the features of the step, are there. Else nothing is.
static bool has_features(const toc_step *step, bool elements, toc_device_tree *tree) {
    if (tree->version == step->version && tree->is_of_elements == elements) return true;
    toc_device_tree_clear(tree);
    tree->is_of_elements = elements;
    return false;
}

toc_status toc_device_tree_send_features(toc_device_memory *memory, const toc_step *step, toc_arena *arena, int threads,
                                         toc_device_tree *tree) {
    if (has_features(step, false, tree)) return TOC_OK;
    const toc_arena_mark mark = toc_arena_here(arena);
    const toc_status status = new_features(memory, step, arena, threads, tree);
    toc_arena_back(arena, mark);
    if (status == TOC_OK) tree->version = step->version;
    return status;
}

toc_status toc_device_tree_send_elements(toc_device_memory *memory, const toc_scene *scene, toc_arena *arena,
                                         toc_device_tree *tree) {
    if (has_features(&scene->step, true, tree)) return TOC_OK;
    const toc_arena_mark mark = toc_arena_here(arena);
    const toc_status status = new_elements(memory, scene, arena, tree);
    toc_arena_back(arena, mark);
    if (status == TOC_OK) tree->version = scene->step.version;
    return status;
}

// ---- the tree

// The nodes of all levels. @return their number.
static size_t lay_out_levels(toc_device_tree *tree, uint32_t count) {
    toc_device_search *w = &tree->work;
    size_t nodes = 0;
    for (tree->levels = 0;; tree->levels++) {
        assert(tree->levels < TOC_DEVICE_LEVELS);
        w->nodes[tree->levels] = count;
        w->first[tree->levels] = (uint32_t)nodes;
        nodes += count;
        if (count == 1) return nodes;
        count = (count + TOC_DEVICE_ARITY - 1) / TOC_DEVICE_ARITY;
    }
}

static toc_status make_room_for_tree(toc_device_memory *memory, toc_device_tree *tree, size_t vertices, size_t nodes) {
    const size_t count = tree->work.count;
    const struct {
        int which;
        size_t bytes;
    } needs[] = {{TOC_DEVICE_TREE_PACKED, vertices * sizeof(toc_packed)},
                 {TOC_DEVICE_TREE_ENTRIES, count * sizeof(toc_device_entry)},
                 {TOC_DEVICE_TREE_MORE_ENTRIES, count * sizeof(toc_device_entry)},
                 {TOC_DEVICE_TREE_BOXES, nodes * sizeof(toc_device_box)},
                 {TOC_DEVICE_TREE_LEAVES, count * sizeof(toc_representative)},
                 {TOC_DEVICE_TREE_LEAF_CORNERS, count * tree->corner_count * sizeof *tree->work.leaf_corners},
                 {TOC_DEVICE_TREE_COUNTS, sizeof(toc_device_search_counts)}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        TOC_TRY(toc_device_array_need(memory, &tree->there[needs[i].which], needs[i].bytes));
    return toc_device_array_need_here(memory, &tree->counts, sizeof(toc_device_search_counts), 0);
}

static void aim_at_arrays(toc_device_tree *tree) {
    const toc_device_array *there = tree->there;
    toc_device_search *w = &tree->work;
    w->x0 = tree->positions.ends[0].at, w->x1 = tree->positions.ends[1].at;
    w->packed = there[TOC_DEVICE_TREE_PACKED].at;
    w->corners = there[TOC_DEVICE_TREE_CORNERS].at;
    if (tree->is_of_elements)
        w->cells = there[TOC_DEVICE_TREE_FEATURES].at, w->faces = there[TOC_DEVICE_TREE_FACES].at;
    else
        w->features = there[TOC_DEVICE_TREE_FEATURES].at;
    w->edges = there[TOC_DEVICE_TREE_EDGES].at;
    w->points = there[TOC_DEVICE_TREE_POINTS].at;
    w->entries = there[TOC_DEVICE_TREE_ENTRIES].at;
    w->boxes = there[TOC_DEVICE_TREE_BOXES].at;
    w->leaves = there[TOC_DEVICE_TREE_LEAVES].at;
    w->leaf_corners = there[TOC_DEVICE_TREE_LEAF_CORNERS].at;
    w->counts = there[TOC_DEVICE_TREE_COUNTS].at;
}

toc_status toc_device_tree_launch(const toc_device_memory *memory, const toc_device_tree *tree,
                                  toc_device_kernel kernel) {
    return toc_device_launch(memory->device, memory->queue, kernel, &tree->work, sizeof tree->work);
}

toc_status toc_device_sort_entries(const toc_device_memory *memory, toc_device_array *arrays, uint32_t count) {
    for (uint64_t run = 1; run < count; run *= TOC_DEVICE_WAYS) {
        const toc_device_sort sort = {arrays[0].at, arrays[1].at, count, (uint32_t)run};
        TOC_TRY(toc_device_launch(memory->device, memory->queue, TOC_DEVICE_KERNEL_merge, &sort, sizeof sort));
        const toc_device_array sorted = arrays[1];
        arrays[1] = arrays[0];
        arrays[0] = sorted;
    }
    return TOC_OK;
}

static toc_status sort_primitives(const toc_device_memory *memory, toc_device_tree *tree) {
    toc_device_array *entries = &tree->there[TOC_DEVICE_TREE_ENTRIES];
    if (tree->sorted_pairs != UINT32_MAX) return TOC_OK;
    TOC_TRY(toc_device_tree_launch(memory, tree, TOC_DEVICE_KERNEL_key));
    TOC_TRY(toc_device_sort_entries(memory, entries, tree->work.count));
    tree->work.entries = entries->at;
    return TOC_OK;
}

uint32_t toc_device_tree_top(const toc_device_tree *tree) {
    uint32_t level = (uint32_t)tree->levels;
    while (level > 1 && tree->work.nodes[level - 1] <= TOC_DEVICE_ROOTS) level--;
    return level;
}

static toc_status launch_all(const toc_device_memory *memory, toc_device_tree *tree) {
    toc_device_search *w = &tree->work;
    TOC_TRY(toc_device_tree_launch(memory, tree, TOC_DEVICE_KERNEL_pack));
    TOC_TRY(sort_primitives(memory, tree));
    TOC_TRY(toc_device_tree_launch(memory, tree, TOC_DEVICE_KERNEL_leaf));
    for (w->level = 1; w->level <= toc_device_tree_top(tree); w->level++)
        TOC_TRY(toc_device_tree_launch(memory, tree, TOC_DEVICE_KERNEL_node));
    return TOC_OK;
}

bool toc_device_tree_has_frame(const toc_device_tree *tree) { return tree->frame_steps > 0; }

// A new frame has room for a scene of twice the size.
static toc_frame choose_frame(toc_device_tree *tree, const toc_step *step, int threads) {
    if (toc_device_tree_has_frame(tree)) {
        tree->frame_steps--;
        return tree->work.frame;
    }
    toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1, threads);
    frame.scale /= 2;
    tree->frame_steps = FRAME_STEPS;
    return frame;
}

bool toc_device_tree_forget_frame(toc_device_tree *tree) {
    const bool was_kept = tree->frame_steps < FRAME_STEPS;
    tree->frame_steps = 0;
    return was_kept;
}

toc_status toc_device_tree_build(toc_device_memory *memory, const toc_step *step, double distance,
                                 const toc_pair_test *test, int threads, toc_device_tree *tree) {
    toc_device_search *w = &tree->work;
    const toc_frame frame = choose_frame(tree, step, threads);
    *w = (toc_device_search){.vertex_count = (uint32_t)step->vertex_count,
                             .count = tree->count,
                             .corner_count = tree->corner_count,
                             .frame = frame};
    w->grown = toc_packed_grown(&w->frame, distance / 2, 1); // on either side
    w->distance = (float)(distance * w->frame.scale) * (1 + 0x1p-20f);
    w->look = (toc_look){.from = test->from, .until = test->to};
    TOC_TRY(make_room_for_tree(memory, tree, step->vertex_count, lay_out_levels(tree, w->count)));
    aim_at_arrays(tree);
    memset(tree->counts.at, 0, sizeof(toc_device_search_counts));
    TOC_TRY(toc_device_array_send(memory, &tree->there[TOC_DEVICE_TREE_COUNTS], tree->counts.at,
                                  sizeof(toc_device_search_counts)));
    return launch_all(memory, tree);
}

void toc_device_tree_judge(toc_device_tree *tree) {
    const uint32_t pairs = toc_device_tree_counts(tree)->pairs[0];
    if (tree->sorted_pairs == UINT32_MAX)
        tree->sorted_pairs = pairs;
    else if (pairs / 2 > tree->sorted_pairs)
        tree->sorted_pairs = UINT32_MAX;
}
