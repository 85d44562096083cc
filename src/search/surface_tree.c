// SPDX-License-Identifier: Apache-2.0
// Making and fitting the surface tree.
//
// One pass over the positions packs the vertices, a second one gathers them into the blocks of the tree, leaf by leaf.
// DOPs of features cost as much again and are made only for forms that compare them.
#include "search/surface_tree.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "base/vec.h"
#include "cull/surface/components.h"
#include "scene/scene.h"
#include "search/pipeline.h"
#include "search/sweep_ratio.h"

static toc_status allocate_tree(toc_surface_tree *tree) {
    const size_t count = tree->primitives.count, vertices = tree->features.vertex_count;
    tree->corners = toc_arena_new(&tree->arena, count + TOC_BLOCK, sizeof *tree->corners);
    tree->flat = toc_arena_new(&tree->arena, vertices, sizeof *tree->flat);
    tree->still = toc_arena_new(&tree->arena, count, sizeof *tree->still);
    TOC_TRY(toc_motion_make(&tree->arena, vertices, &tree->motion));
    tree->before_representatives = toc_arena_here(&tree->arena);
    if (!tree->corners || !tree->flat || !tree->still) return TOC_OUT_OF_MEMORY;
    memset(tree->corners + count, 0, TOC_BLOCK * sizeof *tree->corners);
    memset(tree->flat, 0, vertices);
    memset(tree->still, TOC_MOVES, count);
    return TOC_OK;
}

static float *new_tree_dops(toc_surface_tree *tree, size_t count) {
    return toc_dops_new(&tree->dops, &tree->kind, count);
}

// Make room for DOPs of vertices and features, once they are needed.
static toc_status allocate_dops(toc_surface_tree *tree) {
    const toc_feature_set *features = &tree->features;
    const size_t ends = tree->has_room ? 2 : 1;
    if (tree->face_dops) return TOC_OK;
    tree->vertex_dops = new_tree_dops(tree, 2 * features->vertex_count);
    tree->point_dops = new_tree_dops(tree, ends * features->point_count);
    tree->edge_dops = new_tree_dops(tree, ends * features->edge_count);
    tree->face_dops = new_tree_dops(tree, ends * tree->primitives.count);
    const bool all = tree->vertex_dops && tree->point_dops && tree->edge_dops && tree->face_dops;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// ---- components

enum { NUMBER_ROUND = 8192 };

// Number the components. Scratch arrays by vertex: `lowest` names the component of a vertex by its lowest vertex;
// `numbers` holds, by that vertex, the primitives of the component, TOC_BLOCK or more of them for all larger ones, then
// its number. Components smaller than a block get the number of their body.
typedef struct component_numbering {
    toc_surface_tree *tree;
    const toc_step *step;
    uint32_t *lowest, *numbers;
} component_numbering;

static size_t numbering_end(size_t round, size_t count) {
    return (round + 1) * NUMBER_ROUND < count ? (round + 1) * NUMBER_ROUND : count;
}

static uint32_t lowest_of_primitive(const component_numbering *n, size_t primitive) {
    return n->lowest[n->tree->primitives.at[primitive].vertices[0]];
}

static toc_status clear_numbers(void *user, size_t round, int thread) {
    (void)thread;
    const component_numbering *n = user;
    const size_t first = round * NUMBER_ROUND;
    memset(n->numbers + first, 0, (numbering_end(round, n->step->vertex_count) - first) * sizeof *n->numbers);
    return TOC_OK;
}

static toc_status count_in_components(void *user, size_t round, int thread) {
    (void)thread;
    const component_numbering *n = user;
    for (size_t i = round * NUMBER_ROUND; i < numbering_end(round, n->tree->primitives.count); i++) {
        uint32_t *number = &n->numbers[lowest_of_primitive(n, i)];
        if (__atomic_load_n(number, __ATOMIC_RELAXED) < TOC_BLOCK) __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
    }
    return TOC_OK;
}

static void number_in_order(const component_numbering *n) {
    toc_surface_tree *tree = n->tree;
    tree->component_count = (uint32_t)n->step->body_count;
    for (uint32_t v = 0; v < n->step->vertex_count; v++)
        if (n->numbers[v] > 0)
            n->numbers[v] = n->numbers[v] < TOC_BLOCK ? toc_step_body(n->step, v) : tree->component_count++;
}

static toc_status keep_numbers(void *user, size_t round, int thread) {
    (void)thread;
    const component_numbering *n = user;
    for (size_t i = round * NUMBER_ROUND; i < numbering_end(round, n->tree->primitives.count); i++)
        n->tree->components[i] = n->numbers[lowest_of_primitive(n, i)];
    return TOC_OK;
}

static void number_components(component_numbering *n, int threads) {
    const toc_primitives *primitives = &n->tree->primitives;
    const size_t vertices = n->step->vertex_count, rounds = (primitives->count + NUMBER_ROUND - 1) / NUMBER_ROUND;
    toc_loop loop = {.count = (vertices + NUMBER_ROUND - 1) / NUMBER_ROUND, .threads = threads, .user = n};
    toc_components_find(primitives, vertices, threads, n->lowest);
    loop.round = clear_numbers;
    toc_loop_run(&loop);
    loop.count = rounds;
    loop.round = count_in_components;
    toc_loop_run(&loop);
    number_in_order(n);
    loop.round = keep_numbers;
    toc_loop_run(&loop);
}

static toc_status list_components(toc_surface_tree *tree, const toc_step *step, int threads) {
    toc_arena *arena = &tree->arena;
    tree->components = toc_arena_new(arena, tree->primitives.count, sizeof *tree->components);
    const toc_arena_mark mark = toc_arena_here(arena);
    component_numbering n = {tree, step, toc_arena_new(arena, step->vertex_count, sizeof *n.lowest),
                             toc_arena_new(arena, step->vertex_count, sizeof *n.numbers)};
    const bool all = tree->components && n.lowest && n.numbers;
    if (all) number_components(&n, threads);
    toc_arena_back(arena, mark);
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

void toc_surface_tree_free(toc_surface_tree *tree) {
    if (!tree) return;
    const toc_allocator allocator = tree->index.allocator;
    if (tree->bvh.nodes) toc_bvh_free(&tree->bvh);
    toc_array_free(&allocator, &tree->resting_pairs);
    toc_arena_free(&tree->dops);
    toc_arena_free(&tree->arena);
    toc_free(&allocator, tree, 1, sizeof *tree);
}

static void free_surface_tree_index(toc_index *index) { toc_surface_tree_free((toc_surface_tree *)index); }

const toc_index_type toc_surface_tree_type = {.is_kept = true, .free = free_surface_tree_index};

static toc_status make_tree(const toc_allocator *allocator, const toc_step *step, const toc_surface_tree_form *form,
                            int threads, toc_surface_tree **out) {
    toc_surface_tree *tree = toc_new(allocator, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    *out = tree;
    tree->index = (toc_index){&toc_surface_tree_type, *allocator};
    tree->version = step->version;
    tree->kind = form->kind;
    tree->has_room = form->lower > 0;
    tree->arena = toc_arena_make(allocator);
    tree->dops = toc_arena_make(allocator);
    tree->features = toc_step_features(step);
    tree->primitives = step->primitives;
    tree->rings = step->rings;
    TOC_TRY(list_components(tree, step, threads));
    return allocate_tree(tree);
}

// ---- bounds, in parallel

enum { FIT_ROUND = 2048, RING_ROUND = 512 }; // fixed, so that rounds are the same for any number of threads

typedef struct tree_fit {
    toc_surface_tree *tree;
    const toc_step *step;
    const toc_surface_tree_form *form;
    int threads;
    atomic_size_t resting, settled; // primitives
    size_t fitted, rebuilt;         // nodes; leaves below rebuilt nodes, all of a new tree
    bool renew;                     // whether to bound resting features too
    float grown;                    // how much packed vertices are grown
    float low[3], high[3];          // the region in the frame, rounded outward
    void (*each)(struct tree_fit *fit, size_t first, size_t last); // of `count`
    size_t count;
} tree_fit;

static toc_status run_fit_round(void *user, size_t index, int thread) {
    (void)thread;
    tree_fit *w = user;
    const size_t first = index * FIT_ROUND, last = first + FIT_ROUND;
    w->each(w, first, last < w->count ? last : w->count);
    return TOC_OK;
}

static void for_all(tree_fit *w, size_t count, void (*each)(tree_fit *w, size_t first, size_t last)) {
    w->each = each;
    w->count = count;
    toc_loop_run(&(toc_loop){
        .count = (count + FIT_ROUND - 1) / FIT_ROUND, .threads = w->threads, .round = run_fit_round, .user = w});
}

static int primitive_corners(const toc_primitive *p) {
    return p->vertices[2] != UINT32_MAX ? 3 : p->vertices[1] != UINT32_MAX ? 2 : 1;
}

static void bound_moving_vertices(const tree_fit *w, size_t first, size_t count, const double *x1, double thickness) {
    const toc_dop_kind *kind = &w->tree->kind;
    toc_dop_of_moving_points(kind, &w->tree->motion.frame, count, w->step->x0 + 3 * first, x1, thickness,
                             w->tree->vertex_dops + 2 * first * toc_dop_floats(kind));
}

// The same up to a time. With u = 2^-53 and coordinates of at most M, the error of a position at that time is 4 u M.
static void bound_cut_vertices(const tree_fit *w, size_t first, size_t last, double until) {
    enum { SOME = 256 };
    const toc_frame *frame = &w->tree->motion.frame;
    const double most = toc_vec_max(toc_vec_of(frame->centre)) + 1 / frame->scale;
    for (size_t next; first < last; first = next) {
        double x1[3 * SOME];
        next = last - first < SOME ? last : first + SOME;
        for (size_t i = 3 * first; i < 3 * next; i++)
            x1[i - 3 * first] = (1 - until) * w->step->x0[i] + until * w->step->x1[i];
        bound_moving_vertices(w, first, next - first, x1, w->form->thickness + 0x1p-50 * most);
    }
}

static void bound_tree_vertices(void *user, size_t first, size_t last) {
    const tree_fit *w = user;
    if (w->form->bare) return;
    if (w->form->until < 1)
        bound_cut_vertices(w, first, last, w->form->until);
    else
        bound_moving_vertices(w, first, last - first, w->step->x1 + 3 * first, w->form->thickness);
}

static void classify_stillness(tree_fit *w, size_t first, size_t last) {
    const toc_surface_tree *tree = w->tree;
    size_t resting = 0, settled = 0;
    for (size_t i = first; i < last; i++) {
        const toc_primitive *p = &tree->primitives.at[i];
        const bool rests = toc_motion_rests(&tree->motion, p->vertices, primitive_corners(p));
        tree->still[i] = !rests ? TOC_MOVES : tree->still[i] == TOC_SETTLED ? TOC_SETTLED : TOC_RESTS;
        resting += rests;
        settled += tree->still[i] == TOC_SETTLED;
    }
    atomic_fetch_add(&w->resting, resting);
    atomic_fetch_add(&w->settled, settled);
}

// Bound features of `corners` vertices each, one run of moving ones after the other.
static void bound_features(const tree_fit *w, const uint32_t *vertices, int corners, size_t count, float *dops) {
    const toc_surface_tree *tree = w->tree;
    const size_t floats = (tree->bvh.lower.most > 0 ? 2 : 1) * toc_dop_floats(&tree->kind);
    size_t run = 0;
    for (size_t i = 0; i <= count; i++) {
        const uint32_t *v = vertices + i * (size_t)corners;
        if (i < count && (w->renew || !toc_motion_rests(&tree->motion, v, corners))) continue;
        (tree->bvh.lower.most > 0 ? toc_dop_of_moving : toc_dop_of_swept)(
            &tree->kind, tree->vertex_dops, vertices + run * (size_t)corners, corners, i - run, dops + run * floats);
        run = i + 1;
    }
}

// Bound the represented features: moving DOPs where there is a lower layer, else swept ones.
static void bound_points(tree_fit *w, size_t first, size_t last) {
    const toc_surface_tree *tree = w->tree;
    const size_t floats = (tree->bvh.lower.most > 0 ? 2 : 1) * toc_dop_floats(&tree->kind);
    bound_features(w, tree->representatives.points + first, 1, last - first, tree->point_dops + first * floats);
}

static void bound_edges(tree_fit *w, size_t first, size_t last) {
    const toc_surface_tree *tree = w->tree;
    const size_t floats = (tree->bvh.lower.most > 0 ? 2 : 1) * toc_dop_floats(&tree->kind);
    bound_features(w, tree->representatives.edges[first], 2, last - first, tree->edge_dops + first * floats);
}

static void bound_faces(tree_fit *w, size_t first, size_t last) {
    const toc_surface_tree *tree = w->tree;
    const size_t floats = (tree->bvh.lower.most > 0 ? 2 : 1) * toc_dop_floats(&tree->kind);
    for (size_t i = first; i < last; i++) {
        const toc_primitive *p = &tree->primitives.at[i];
        if (primitive_corners(p) == 3) bound_features(w, p->vertices, 3, 1, tree->face_dops + i * floats);
    }
}

// Resting rings keep their flag.
static void test_rings(const tree_fit *w, toc_ring_range range) {
    const int corners = range.size + 1;
    const uint32_t *ring = w->tree->rings.of[range.size].rings + range.first * (size_t)corners;
    bool rest = true;
    for (size_t i = 0; i < range.count && rest; i++, ring += corners)
        rest = toc_motion_rests(&w->tree->motion, ring, corners);
    if (rest) return;
    const toc_ring_motion motion = {w->step->x0, w->step->x1, w->form->until};
    toc_flat_rings_tell(&w->tree->rings, range, &motion, w->tree->flat);
}

static size_t ring_rounds_of(const toc_surface_tree *tree, int size) {
    return (tree->rings.of[size].count + RING_ROUND - 1) / RING_ROUND;
}

// Rounds of the smallest rings, then of larger ones.
static toc_status test_ring_round(void *user, size_t index, int thread) {
    (void)thread;
    const tree_fit *w = user;
    int size = TOC_RING_LEAST;
    while (index >= ring_rounds_of(w->tree, size)) index -= ring_rounds_of(w->tree, size++);
    assert(size <= TOC_RING_MOST);
    const size_t first = index * RING_ROUND, left = w->tree->rings.of[size].count - first;
    test_rings(w, (toc_ring_range){size, first, left < RING_ROUND ? left : RING_ROUND});
    return TOC_OK;
}

// ---- boxes

static void grow_box(const float x[3], float low[3], float high[3]) {
    for (int c = 0; c < 3; c++) {
        low[c] = x[c] < low[c] ? x[c] : low[c];
        high[c] = x[c] > high[c] ? x[c] : high[c];
    }
}

// The box of a primitive at the start of the step, or of its whole motion. Overflowed coordinates get an empty box at
// 0.
static void primitive_box_of(const toc_surface_tree *tree, uint32_t primitive, bool swept, float low[3],
                             float high[3]) {
    const toc_primitive *p = &tree->primitives.at[primitive];
    const int corners = tree->motion.far < INFINITY ? primitive_corners(p) : 0;
    for (int c = 0; c < 3; c++) low[c] = high[c] = corners ? tree->motion.packed[p->vertices[0]].x0[c] : 0;
    for (int i = 0; i < corners; i++) {
        const toc_packed *packed = &tree->motion.packed[p->vertices[i]];
        grow_box(packed->x0, low, high);
        if (swept) grow_box(packed->x1, low, high);
    }
}

// ---- the tree

static void box_primitive(void *user, uint32_t primitive, float low[3], float high[3]) {
    primitive_box_of(((const tree_fit *)user)->tree, primitive, true, low, high);
}

// Repeat vertices where a primitive has fewer than three. Its represented features move with it.
static void place_leaves(void *user, const uint32_t *primitives, uint32_t first, uint32_t count) {
    const toc_surface_tree *tree = ((const tree_fit *)user)->tree;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *v = tree->primitives.at[primitives[i]].vertices;
        for (int j = 0; j < 3; j++) tree->corners[first + i][j] = v[j] != UINT32_MAX ? v[j] : v[0];
    }
    if (tree->represented.bvh) toc_representatives_move(&tree->representatives, primitives, first, count);
}

// The region in the frame. Differences and products of doubles have a relative error of 2^-52, and the next float is
// farther away than that beyond the nearest one.
static void place_region(tree_fit *w) {
    const toc_frame *frame = &w->tree->motion.frame;
    for (int c = 0; c < 3 && w->form->has_region; c++) {
        w->low[c] = nextafterf((float)((w->form->region.low[c] - frame->centre[c]) * frame->scale), -INFINITY);
        w->high[c] = nextafterf((float)((w->form->region.high[c] - frame->centre[c]) * frame->scale), INFINITY);
    }
}

// Give the leaves of a block that do not meet the region bounds that meet nothing, at both ends, and that add nothing
// to those of the nodes above. The whole path counts: a bound of a part of the step can miss the region earlier.
static void hide_outside(const tree_fit *w, int ends, float *block) {
    const int directions = w->tree->kind.directions, half = TOC_BLOCK * directions;
    const float *last = block + (ends == 2 ? 2 * half : 0);
    int hidden[TOC_BLOCK] = {0}, any = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < TOC_BLOCK; i++) {
            const int at = TOC_BLOCK * c + i;
            hidden[i] |= ((block[at] > w->high[c]) & (last[at] > w->high[c])) |
                         ((block[half + at] < w->low[c]) & (last[half + at] < w->low[c]));
        }
    for (int i = 0; i < TOC_BLOCK; i++) any |= hidden[i];
    for (int at = 0; at < 2 * ends * half && any; at++)
        if (hidden[at % TOC_BLOCK]) block[at] = at / half % 2 ? -TOC_BVH_HIDDEN : TOC_BVH_HIDDEN;
}

static void bound_block(void *user, const uint32_t *primitives, uint32_t first, uint32_t count, int ends,
                        float *block) {
    (void)primitives;
    const tree_fit *w = user;
    // rounded up: the bounded part is a little longer
    const float until = w->form->until < 1 ? (float)w->form->until * (1 + 0x1p-20f) : 1;
    const toc_packed_bounds how = {w->tree->motion.packed, w->grown, until};
    toc_block_of_triangles(&w->tree->kind, &how, (const uint32_t(*)[3])w->tree->corners + first, count, ends, block);
    if (w->form->has_region && until == 1) hide_outside(w, ends, block);
}

static toc_bvh_source tree_source_of(tree_fit *w) {
    return (toc_bvh_source){.user = w,
                            .box = box_primitive,
                            .place = place_leaves,
                            .bound = bound_block,
                            .still = w->tree->rests ? w->tree->still : NULL};
}

// Have the resting pairs searched again.
static void unsettle_tree(toc_surface_tree *tree) {
    for (size_t i = 0; i < tree->primitives.count; i++)
        if (tree->still[i] == TOC_SETTLED) tree->still[i] = TOC_RESTS;
    tree->resting_pairs.count = 0;
}

// Representatives follow the order of the leaves. Where less than half of the order changed, place_leaves has moved
// them. Resting pairs are kept by representative, so a new assignment drops them.
static toc_status assign_representatives(tree_fit *w, size_t rebuilt) {
    toc_surface_tree *tree = w->tree;
    if (tree->represented.bvh && rebuilt < tree->primitives.count / 2) return TOC_OK;
    toc_arena_back(&tree->arena, tree->before_representatives);
    TOC_TRY(toc_representatives_assign(&tree->arena, &tree->features, &tree->primitives, tree->bvh.order, w->threads,
                                       &tree->representatives));
    tree->represented = (toc_represented_dops){.bvh = &tree->bvh, .representatives = &tree->representatives};
    w->renew = true;
    if (w->settled == 0) return TOC_OK;
    unsettle_tree(tree);
    toc_bvh_fit(&tree->bvh, &(toc_bvh_source){.still = tree->still}, tree->bvh.lower.most, w->threads);
    return TOC_OK;
}

static toc_status build_or_fit(tree_fit *w) {
    toc_surface_tree *tree = w->tree;
    const toc_bvh_source source = tree_source_of(w);
    const bool moves = w->form->lower > 0 && w->form->until == 1 &&
                       toc_sweep_ratio(w->step, &tree->primitives, false) >= w->form->lower_from;
    const uint32_t lower = moves ? w->form->lower : 0;
    const toc_bvh_input input = {.kind = &tree->kind,
                                 .count = tree->primitives.count,
                                 .source = &source,
                                 .components = tree->components,
                                 .component_count = tree->component_count,
                                 .lower = lower,
                                 .has_room = tree->has_room};
    w->renew = (lower > 0) != (tree->bvh.lower.most > 0);
    if (tree->bvh.nodes) {
        w->fitted = toc_bvh_fit(&tree->bvh, &source, lower, w->threads);
        return toc_bvh_restructure(&tree->bvh, &source, w->threads, &w->rebuilt);
    }
    TOC_TRY(toc_bvh_build(&tree->index.allocator, &input, w->threads, &tree->bvh));
    w->rebuilt = tree->primitives.count;
    w->fitted = tree->bvh.node_count;
    return TOC_OK;
}

// Bound the represented features; resting ones too where their DOPs were of another kind.
static void bound_represented(tree_fit *w) {
    toc_surface_tree *tree = w->tree;
    tree->represented.window = w->form->window;
    tree->represented.points = tree->point_dops;
    tree->represented.edges = tree->edge_dops;
    tree->represented.faces = tree->face_dops;
    if (w->form->bare) return;
    for_all(w, tree->representatives.point_count, bound_points);
    for_all(w, tree->representatives.edge_count, bound_edges);
    for_all(w, tree->primitives.count, bound_faces);
}

// ---- resting primitives

// Start settling where enough primitives came to rest since the last time.
static void settle_later(tree_fit *w) {
    toc_surface_tree *tree = w->tree;
    tree->crowded &= w->resting > 0;
    if (tree->crowded) return;
    if (tree->settling || (w->form->settles && (w->resting - w->settled) * TOC_REST_SHARE > tree->primitives.count)) {
        tree->settling = true;
        unsettle_tree(tree);
    }
}

void toc_surface_tree_settle(toc_surface_tree *tree, bool crowded, int threads) {
    assert(tree->settling && tree->form.settles);
    tree->settling = false;
    tree->crowded = crowded;
    if (crowded) return;
    for (size_t i = 0; i < tree->primitives.count; i++)
        if (tree->still[i] == TOC_RESTS) tree->still[i] = TOC_SETTLED;
    toc_bvh_fit(&tree->bvh, &(toc_bvh_source){.still = tree->still}, tree->bvh.lower.most, threads);
}

void toc_surface_tree_bound(const toc_surface_tree *tree, const toc_step *step, const uint32_t *vertices, int count,
                            float *dop) {
    const size_t floats = toc_dop_floats(&tree->kind);
    for (int i = 0; i < count; i++) {
        float moving[2 * TOC_DOP_FLOATS_MOST];
        toc_dop_of_moving_points(&tree->kind, &tree->motion.frame, 1, step->x0 + 3 * (size_t)vertices[i],
                                 step->x1 + 3 * (size_t)vertices[i], tree->form.thickness, moving);
        if (i == 0) memcpy(dop, moving, floats * sizeof *dop);
        toc_dop_join(&tree->kind, 1, moving, dop);
        toc_dop_join(&tree->kind, 1, moving + floats, dop);
    }
}

// ---- all of it

static void test_all_rings(tree_fit *w) {
    size_t rounds = 0;
    for (int size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++) rounds += ring_rounds_of(w->tree, size);
    toc_loop_run(&(toc_loop){.count = rounds, .threads = w->threads, .round = test_ring_round, .user = w});
}

// Drop all kept bounds.
static void forget_tree_motion(toc_surface_tree *tree) {
    toc_motion_forget(&tree->motion);
    memset(tree->still, TOC_MOVES, tree->primitives.count);
    tree->resting_pairs.count = 0;
}

static bool same_region(const toc_surface_tree_form *a, const toc_surface_tree_form *b) {
    if (a->has_region != b->has_region) return false;
    return !a->has_region || memcmp(&a->region, &b->region, sizeof a->region) == 0;
}

static toc_status bound_moving(tree_fit *w) {
    toc_surface_tree *tree = w->tree;
    const toc_surface_tree_form *was = &tree->form, *is = w->form;
    if (was->thickness != is->thickness || was->bare != is->bare || was->rings != is->rings ||
        was->settles != is->settles || !same_region(was, is))
        forget_tree_motion(tree);
    tree->form = *is;
    if (!is->bare) TOC_TRY(allocate_dops(tree));
    toc_motion_follow(&tree->motion, w->step, &(toc_motion_follower){bound_tree_vertices, w}, w->threads);
    w->grown = toc_packed_grown(&tree->motion.frame, is->thickness, tree->motion.far);
    place_region(w);
    if (tree->rests || tree->motion.resting > 0) for_all(w, tree->primitives.count, classify_stillness);
    tree->rests = w->resting > 0;
    settle_later(w);
    return TOC_OK;
}

static toc_status fit_tree_bounds(toc_pipeline *p, tree_fit *w) {
    toc_surface_tree *tree = w->tree;
    toc_pipeline_enter(p, "bound");
    TOC_TRY(bound_moving(w));
    toc_pipeline_enter(p, "build");
    TOC_TRY(build_or_fit(w));
    TOC_TRY(assign_representatives(w, w->rebuilt));
    toc_pipeline_enter(p, "bound");
    bound_represented(w);
    if (w->form->rings) test_all_rings(w);
    toc_pipeline_count(p, "bound", tree->primitives.count, tree->primitives.count - w->resting);
    toc_pipeline_count(p, "build", w->fitted, w->rebuilt);
    return TOC_OK;
}

// Whether a kept tree can be fitted to a step.
static bool tree_suits(const toc_surface_tree *tree, const toc_step *step, const toc_surface_tree_form *form) {
    return tree && tree->version == step->version && tree->kind.k == form->kind.k &&
           (tree->has_room || form->lower == 0);
}

static toc_status make_and_fit_tree(toc_pipeline *p, const toc_surface_tree_form *form, toc_surface_tree **tree) {
    if (!*tree) TOC_TRY(make_tree(&p->request->scene->memory, p->step, form, p->threads, tree));
    return fit_tree_bounds(p, &(tree_fit){.tree = *tree, .step = p->step, .form = form, .threads = p->threads});
}

toc_status toc_surface_tree_fit(toc_pipeline *pipeline, const toc_surface_tree_form *form) {
    toc_surface_tree *tree = (toc_surface_tree *)*pipeline->index;
    toc_pipeline_enter(pipeline, "bound");
    if (tree && !tree_suits(tree, pipeline->step, form)) {
        toc_surface_tree_free(tree);
        tree = NULL;
    }
    const toc_status status = make_and_fit_tree(pipeline, form, &tree);
    if (status != TOC_OK) {
        toc_surface_tree_free(tree);
        tree = NULL;
    }
    *pipeline->index = tree ? &tree->index : NULL;
    return status;
}
