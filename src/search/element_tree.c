// SPDX-License-Identifier: Apache-2.0
// Making and fitting the element tree.
//
// O(n) a step for positions and bounds as long as the motion keeps the tree good. An edit updates incidence, cells and
// orphan pairs around the change only; where it needs more room, arrays grow, and nothing is found anew. A removed
// element leaves a ghost in the tree, bounded by the vertices it had; an added one is young, and stays beside the tree
// until rebuilding pays.
#include "search/element_tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "scene/scene.h"
#include "search/interior.h"

// Room for later elements, so that few edits need new arrays.
static size_t with_room(size_t count) { return count + count / 8 + 64; }

// ---- making

static toc_status make_incidence(const toc_body *body, toc_incidence *out) {
    const bool current = body->features && body->features_revision == toc_mesh_get_revision(body->mesh);
    if (current && toc_features_have_elements(body->features))
        return toc_incidence_make(body->mesh, body->features, out);
    toc_features *features;
    TOC_TRY(toc_features_make(body->mesh, false, 1, &features));
    const toc_status status = toc_incidence_make(body->mesh, features, out);
    toc_features_destroy(features);
    return status;
}

static void set_cells(toc_element_tree *tree, const toc_mesh *mesh, uint32_t body, size_t room) {
    const toc_cell_body *of = &tree->cells.bodies[body];
    for (size_t e = 0; e < room; e++) {
        toc_cell *cell = &tree->cells.at[of->first_cell + e];
        *cell = (toc_cell){.body = body, .element = (uint32_t)e, .leaf = UINT32_MAX};
        toc_cell_set(mesh, of->first_vertex, cell);
        if (cell->fours > tree->leaves.fours) tree->leaves.fours = cell->fours;
    }
}

// Whether the query asks about features of a cell. The vertices of its features are its own.
static bool is_live(const toc_element_tree *tree, const toc_cell *cell) {
    const toc_cell_body *body = &tree->cells.bodies[cell->body];
    for (int i = 0; i < cell->corners; i++)
        if (!tree->surface_only ||
            body->incidence.vertex_flags.at[cell->v[i] - body->first_vertex] & TOC_FEATURE_ON_BOUNDARY)
            return true;
    return false;
}

static float *new_cell_dops(toc_element_tree *tree, size_t count) {
    return toc_arena_new(&tree->arena, count, toc_dop_floats(&tree->kind) * sizeof(float));
}

static toc_status make_cells(toc_element_tree *tree, const toc_scene *scene) {
    toc_cells *cells = &tree->cells;
    for (uint32_t b = 0; b < cells->body_count; b++) {
        cells->bodies[b].first_cell = (uint32_t)cells->count;
        cells->count += with_room(toc_mesh_get_element_count(scene->bodies.at[b].mesh));
    }
    if (cells->count >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "the scene has too many elements");
    cells->at = toc_arena_new(&tree->arena, cells->count, sizeof *cells->at);
    if (!cells->at) return TOC_OUT_OF_MEMORY;
    for (uint32_t b = 0; b < cells->body_count; b++) {
        toc_cell_body *body = &cells->bodies[b];
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        body->first_vertex = scene->step.body_first[b];
        TOC_TRY(make_incidence(&scene->bodies.at[b], &body->incidence));
        set_cells(tree, mesh, b, with_room(toc_mesh_get_element_count(mesh)));
    }
    return toc_cells_join(&tree->index.allocator, cells);
}

static toc_status make_leaf_arrays(toc_element_tree *tree, size_t room) {
    toc_arena *arena = &tree->arena;
    tree->live_room = room;
    tree->live = toc_arena_new(arena, room, sizeof *tree->live);
    tree->leaf_cells = toc_arena_new(arena, room, sizeof *tree->leaf_cells);
    tree->leaves.at = toc_arena_new(arena, room, toc_leaf_bytes(tree->leaves.fours, tree->leaves.curved));
    tree->cell_dops = new_cell_dops(tree, room);
    return tree->live && tree->leaf_cells && tree->leaves.at && tree->cell_dops ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status make_vertex_arrays(toc_element_tree *tree, size_t room) {
    tree->vertex_room = room;
    tree->vertex_dops = new_cell_dops(tree, room);
    tree->end_dops = new_cell_dops(tree, room);
    return tree->vertex_dops && tree->end_dops ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// List the cells that the query asks about, for a new tree.
static void list_live(toc_element_tree *tree) {
    if (tree->bvh.nodes) toc_bvh_free(&tree->bvh);
    tree->bvh = (toc_bvh){.count = 0};
    tree->live_count = tree->ghosts = 0;
    for (size_t i = 0; i < tree->cells.count; i++) {
        toc_cell *cell = &tree->cells.at[i];
        cell->leaf = is_live(tree, cell) ? (uint32_t)tree->live_count : UINT32_MAX;
        if (cell->leaf != UINT32_MAX) tree->live[tree->live_count++] = (uint32_t)i;
    }
}

void toc_element_tree_free(toc_element_tree *tree) {
    if (!tree) return;
    const toc_allocator allocator = tree->index.allocator;
    for (size_t b = 0; b < tree->cells.body_count; b++) {
        toc_incidence_free(&tree->cells.bodies[b].incidence);
        toc_orphan_pairs_free(&tree->orphan_pairs[b]);
    }
    if (tree->bvh.nodes) toc_bvh_free(&tree->bvh);
    toc_hash_free(&tree->hash);
    toc_interior_free(tree->interior);
    toc_arena_free(&tree->arena);
    toc_free(&allocator, tree, 1, sizeof *tree);
}

static void free_element_tree_index(toc_index *index) { toc_element_tree_free((toc_element_tree *)index); }

const toc_index_type toc_element_tree_type = {.is_kept = true, .free = free_element_tree_index};

static toc_status make_element_tree(const toc_scene *scene, const toc_element_tree_form *form, toc_element_tree **out) {
    toc_element_tree *tree = toc_new(&scene->memory, 1, sizeof *tree);
    if (!tree) return TOC_OUT_OF_MEMORY;
    *out = tree;
    tree->index = (toc_index){&toc_element_tree_type, scene->memory};
    tree->kind = form->kind;
    tree->surface_only = form->surface_only;
    tree->hashes = form->hashes;
    tree->leaves.fours = 1;
    tree->leaves.curved = scene->step.control != NULL;
    tree->arena = toc_arena_make(&scene->memory);
    tree->hash = toc_hash_make(&scene->memory);
    const size_t bodies = scene->step.body_count;
    tree->cells.bodies = toc_arena_new(&tree->arena, bodies, sizeof *tree->cells.bodies);
    tree->orphan_pairs = toc_arena_new(&tree->arena, bodies, sizeof *tree->orphan_pairs);
    if (!tree->cells.bodies || !tree->orphan_pairs) return TOC_OUT_OF_MEMORY;
    tree->cells.body_count = bodies;
    for (size_t b = 0; b < bodies; b++) {
        tree->cells.bodies[b] = (toc_cell_body){.incidence.allocator = scene->memory};
        tree->orphan_pairs[b] = (toc_orphan_pairs){.allocator = scene->memory};
    }
    TOC_TRY(make_cells(tree, scene));
    TOC_TRY(make_leaf_arrays(tree, tree->cells.count));
    TOC_TRY(make_vertex_arrays(tree, with_room(scene->step.vertex_count)));
    list_live(tree);
    return TOC_OK;
}

// ---- following edits

static size_t cell_room_of(const toc_element_tree *tree, size_t body) {
    const toc_cells *cells = &tree->cells;
    const size_t end = body + 1 < cells->body_count ? cells->bodies[body + 1].first_cell : cells->count;
    return end - cells->bodies[body].first_cell;
}

// Whether the tree can follow the scene: same form, and all edits known.
static bool can_follow(const toc_element_tree *tree, const toc_scene *scene, const toc_element_tree_form *form) {
    if (tree->leaves.curved != (scene->step.control != NULL)) return false;
    if (tree->kind.k != form->kind.k || tree->surface_only != form->surface_only || tree->hashes != form->hashes ||
        tree->cells.body_count != scene->bodies.count)
        return false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        const toc_event *events;
        size_t count;
        if (toc_mesh_get_events(mesh, tree->cells.bodies[b].incidence.revision, &events, &count) != TOC_OK)
            return false;
    }
    return true;
}

// ---- growing

// Half as much again: the arrays left behind in the arena are then no more than twice the last ones.
static size_t with_more_room(size_t count) { return count + count / 2 + 64; }

// How far the cells of each body move on, and the cells there will be.
static size_t plan_cell_rooms(const toc_element_tree *tree, const toc_scene *scene, uint32_t *moves) {
    size_t count = 0;
    for (size_t b = 0; b < tree->cells.body_count; b++) {
        const size_t elements = toc_mesh_get_element_count(scene->bodies.at[b].mesh), room = cell_room_of(tree, b);
        moves[b] = (uint32_t)(count - tree->cells.bodies[b].first_cell);
        count += elements > room ? with_more_room(elements) : room;
    }
    return count;
}

// The cells of a body at their new places, and unused ones up to `end`.
static void move_cells(const toc_element_tree *tree, uint32_t body, uint32_t moved, uint32_t end, toc_cell *to) {
    const uint32_t first = tree->cells.bodies[body].first_cell + moved;
    const uint32_t used = (uint32_t)cell_room_of(tree, body);
    for (uint32_t i = first; i < end; i++) {
        if (i - first < used) {
            to[i] = tree->cells.at[i - moved];
            to[i].piece += moved;
        } else
            to[i] = (toc_cell){
                .body = body, .element = i - first, .leaf = UINT32_MAX, .piece = i, .shape = TOC_REMOVED, .fours = 1};
    }
}

static void move_leaves(const toc_element_tree *tree, const uint32_t *moves, const uint32_t *from, uint32_t *to) {
    for (size_t i = 0; i < tree->live_count; i++) to[i] = from[i] + moves[tree->cells.at[from[i]].body];
}

static toc_status grow_cells(toc_element_tree *tree, const toc_scene *scene, uint32_t *moves) {
    toc_cells *cells = &tree->cells;
    const uint32_t *live = tree->live, *leaf_cells = tree->leaf_cells;
    const size_t count = plan_cell_rooms(tree, scene, moves);
    if (count <= cells->count) return TOC_OK;
    if (count >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "the scene has too many elements");
    toc_cell *at = toc_arena_new(&tree->arena, count, sizeof *at);
    if (!at) return TOC_OUT_OF_MEMORY;
    TOC_TRY(make_leaf_arrays(tree, count));
    move_leaves(tree, moves, live, tree->live);
    move_leaves(tree, moves, leaf_cells, tree->leaf_cells);
    for (uint32_t b = 0; b < cells->body_count; b++) {
        const bool last = b + 1 == cells->body_count;
        move_cells(tree, b, moves[b], last ? (uint32_t)count : cells->bodies[b + 1].first_cell + moves[b + 1], at);
    }
    for (size_t b = 0; b < cells->body_count; b++) cells->bodies[b].first_cell += moves[b];
    cells->at = at;
    cells->count = count;
    return TOC_OK;
}

// Make room for added elements and vertices. The map of the interior names cells; the edit makes it stale anyway.
static toc_status grow_element_tree(toc_element_tree *tree, const toc_scene *scene) {
    const size_t vertices = scene->step.vertex_count, before = tree->cells.count;
    uint32_t *moves = toc_new(&tree->index.allocator, tree->cells.body_count, sizeof *moves);
    if (!moves) return TOC_OUT_OF_MEMORY;
    toc_status status = grow_cells(tree, scene, moves);
    toc_free(&tree->index.allocator, moves, tree->cells.body_count, sizeof *moves);
    if (status == TOC_OK && vertices > tree->vertex_room) status = make_vertex_arrays(tree, with_more_room(vertices));
    if (status != TOC_OK || tree->cells.count == before) return status;
    toc_interior_free(tree->interior);
    tree->interior = NULL;
    return TOC_OK;
}

// ---- following

bool toc_element_tree_is_current(const toc_element_tree *tree, const toc_scene *scene) {
    if (tree->cells.body_count != scene->bodies.count) return false;
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (tree->cells.bodies[b].incidence.revision != toc_mesh_get_revision(scene->bodies.at[b].mesh)) return false;
    return true;
}

// Vertices are numbered through: those of later bodies move on when earlier bodies get more.
static void renumber_cells(toc_element_tree *tree, const toc_step *step) {
    for (size_t b = 0; b < tree->cells.body_count; b++) {
        toc_cell_body *body = &tree->cells.bodies[b];
        const uint32_t moved = step->body_first[b] - body->first_vertex;
        body->first_vertex += moved;
        for (size_t e = 0; e < cell_room_of(tree, b) && moved > 0; e++)
            for (int i = 0; i < TOC_CELL_CORNERS; i++) tree->cells.at[body->first_cell + e].v[i] += moved;
    }
}

static void add_young(toc_element_tree *tree, uint32_t cell) {
    toc_cell *at = &tree->cells.at[cell];
    if (at->leaf != UINT32_MAX || !is_live(tree, at)) return;
    at->leaf = (uint32_t)tree->live_count;
    tree->leaf_cells[tree->live_count] = cell;
    tree->live[tree->live_count++] = cell;
}

// New cells, and those that came to the surface, are young; removed ones are ghosts.
static void place_changed(toc_element_tree *tree, const toc_cell_body *body, const toc_changes *changes) {
    for (size_t i = 0; i < changes->elements.count; i++) {
        const toc_cell *cell = &tree->cells.at[body->first_cell + changes->elements.at[i]];
        tree->ghosts += cell->corners == 0 && cell->leaf != UINT32_MAX;
        add_young(tree, body->first_cell + changes->elements.at[i]);
    }
    for (size_t i = 0; i < changes->vertices.count && tree->surface_only; i++) {
        const toc_around around = toc_around_of(body, &body->incidence.vertex_elements, changes->vertices.at[i]);
        for (size_t j = 0; j < around.count; j++) add_young(tree, around.first_cell + around.elements[j]);
    }
}

static uint64_t work_of(const toc_element_tree *tree, uint32_t body) {
    return tree->cells.bodies[body].incidence.work + tree->orphan_pairs[body].work;
}

static toc_status follow_body(toc_element_tree *tree, const toc_mesh *mesh, uint32_t body, toc_changes *changes) {
    toc_cell_body *of = &tree->cells.bodies[body];
    TOC_TRY(toc_incidence_follow(&of->incidence, mesh, changes));
    toc_cells_follow(&tree->cells, mesh, body, changes);
    place_changed(tree, of, changes);
    return tree->has_orphans ? toc_orphan_pairs_follow(&tree->orphan_pairs[body], &tree->cells, body, changes) : TOC_OK;
}

// The work to follow edits.
typedef struct followed_edits {
    bool changed;    // whether the tree is new, or followed an edit
    uint64_t edited; // elements changed by edits
    uint64_t work;   // features visited to follow them
} followed_edits;

static toc_status follow_edits(toc_element_tree *tree, const toc_scene *scene, followed_edits *how) {
    renumber_cells(tree, &scene->step);
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        const uint64_t before = work_of(tree, b);
        toc_changes changes;
        if (tree->cells.bodies[b].incidence.revision == toc_mesh_get_revision(mesh)) continue;
        memset(&changes, 0, sizeof changes);
        const toc_status status = follow_body(tree, mesh, b, &changes);
        how->edited += changes.elements.count;
        toc_changes_free(&tree->cells.bodies[b].incidence.allocator, &changes); // which allocated them
        TOC_TRY(status);
        how->work += work_of(tree, b) - before;
        how->changed = true;
    }
    return TOC_OK;
}

// Young cells are searched by brute force and ghosts cost time for nothing: beyond these limits a rebuild pays.
static bool is_outgrown(const toc_element_tree *tree) {
    const double young = (double)toc_element_tree_young(tree), count = (double)tree->bvh.count;
    return tree->ghosts > tree->live_count / 4 || young > fmax(64, 4 * sqrt(count));
}

// Young cells may have more corners than the leaves have room for.
static toc_status widen_leaves(toc_element_tree *tree) {
    int fours = tree->leaves.fours;
    for (size_t i = tree->hashes ? 0 : tree->bvh.count; i < tree->live_count; i++) {
        const toc_cell *cell = &tree->cells.at[tree->live[i]];
        if (cell->fours > fours) fours = cell->fours;
    }
    if (fours == tree->leaves.fours) return TOC_OK;
    tree->leaves.fours = fours;
    tree->leaves.at = toc_arena_new(&tree->arena, tree->live_room, toc_leaf_bytes(fours, tree->leaves.curved));
    return tree->leaves.at ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// ---- each step

static void bound_cells(toc_element_tree *tree) {
    const size_t floats = toc_dop_floats(&tree->kind);
    for (size_t i = 0; i < tree->live_count; i++) {
        const toc_cell *cell = &tree->cells.at[tree->live[i]];
        const int corners = cell->corners ? cell->corners : TOC_CELL_CORNERS; // a ghost: those it had
        toc_dop_of_features(&tree->kind, tree->vertex_dops, cell->v, corners, 1, tree->cell_dops + i * floats);
    }
}

static void fill_leaves(toc_element_tree *tree, const toc_step *step, const double *x1, const toc_frame *frame) {
    const toc_leaves *leaves = &tree->leaves;
    for (uint32_t i = 0; i < tree->live_count; i++) {
        const toc_cell *cell = &tree->cells.at[tree->leaf_cells[i]];
        memcpy(toc_leaf_ids(leaves, i), cell->v, 4 * (size_t)leaves->fours * sizeof *cell->v);
        toc_vertex4 *to = toc_leaf_vertex4s(leaves, i);
        for (int b = 0; b < leaves->fours; b++) {
            toc_vertex4_fill(frame, step->x0, x1, cell->v + 4 * b, to + b);
            if (leaves->curved)
                toc_vertex4_fill(frame, step->control, step->control, cell->v + 4 * b, to + leaves->fours + b);
        }
    }
}

static void bound_cell_vertices(toc_element_tree *tree, const toc_step *step, const toc_element_tree_form *form,
                                const toc_frame *frame) {
    const toc_dop_kind *kind = &tree->kind;
    const double thickness = form->separation / 2; // on either side
    toc_dop_of_points(kind, frame, step->vertex_count, step->x0, thickness, tree->vertex_dops);
    toc_dop_of_points(kind, frame, step->vertex_count, form->x1, thickness, tree->end_dops);
    toc_dop_join(kind, step->vertex_count, tree->end_dops, tree->vertex_dops);
    if (step->control) {
        toc_dop_of_points(kind, frame, step->vertex_count, step->control, thickness, tree->end_dops);
        toc_dop_join(kind, step->vertex_count, tree->end_dops, tree->vertex_dops);
    }
}

static void order_leaves(toc_element_tree *tree) {
    const bool by_tree = !tree->hashes;
    for (size_t i = 0; i < tree->live_count; i++)
        tree->leaf_cells[i] = tree->live[by_tree && i < tree->bvh.count ? tree->bvh.order[i] : i];
}

static toc_status build_or_refit_cells(toc_element_tree *tree, int threads, size_t *rebuilt) {
    toc_bvh_dops dops = {&tree->kind, tree->cell_dops};
    const toc_bvh_source source = toc_bvh_source_of(&dops);
    const toc_bvh_input input = {.kind = &tree->kind, .count = tree->live_count, .source = &source};
    if (!tree->bvh.nodes) {
        *rebuilt = tree->live_count;
        return toc_bvh_build(&tree->index.allocator, &input, threads, &tree->bvh);
    }
    toc_bvh_fit(&tree->bvh, &source, 0, threads);
    return toc_bvh_restructure(&tree->bvh, &source, threads, rebuilt);
}

// Hash all cells again, as Teschner et al. 2003 do.
static toc_status build_cell_hash(toc_element_tree *tree, int threads, size_t *rebuilt) {
    const toc_hash_input input = {.kind = &tree->kind, .dops = tree->cell_dops, .count = tree->live_count};
    const toc_hash_form form = {.cell = toc_hash_cell(&input), .table = TOC_HASH_PRIME, .voxels = 1};
    *rebuilt = tree->live_count;
    return toc_hash_build(&tree->hash, &form, &input, threads);
}

// Worlds do not touch themselves, and get none.
static toc_status make_orphan_pairs(toc_element_tree *tree, const toc_scene *scene) {
    for (uint32_t b = 0; b < tree->cells.body_count; b++)
        if (!scene->bodies.at[b].world)
            TOC_TRY(toc_orphan_pairs_make(&tree->index.allocator, &tree->cells, b, &tree->orphan_pairs[b]));
    tree->has_orphans = true;
    return TOC_OK;
}

// A frame around all paths; those on parabolas are in the hulls of their control points.
static toc_frame frame_of_paths(const toc_step *step) {
    if (!step->control) return toc_frame_around(step->vertex_count, step->x0, step->x1, 1);
    toc_box box = toc_box_empty();
    for (size_t i = 0; i < 3 * step->vertex_count; i += 3) {
        toc_box_put(&box, step->x0 + i);
        toc_box_put(&box, step->control + i);
        toc_box_put(&box, step->x1 + i);
    }
    return toc_frame_of(&box);
}

static toc_status fit_element_bounds(toc_pipeline *p, toc_element_tree *tree, const toc_element_tree_form *form) {
    size_t rebuilt = 0;
    toc_pipeline_enter(p, "bound");
    const toc_frame frame = frame_of_paths(p->step);
    bound_cell_vertices(tree, p->step, form, &frame);
    bound_cells(tree);
    toc_pipeline_enter(p, "build");
    TOC_TRY((tree->hashes ? build_cell_hash : build_or_refit_cells)(tree, p->threads, &rebuilt));
    if (form->orphans && !tree->has_orphans) TOC_TRY(make_orphan_pairs(tree, p->request->scene));
    toc_pipeline_enter(p, "bound");
    if (rebuilt > 0) order_leaves(tree);
    fill_leaves(tree, p->step, form->x1, &frame);
    tree->csat = toc_csat_make(&frame, form->separation);
    tree->csat.curved = tree->leaves.curved;
    toc_pipeline_count(p, "bound", tree->live_count, tree->live_count);
    toc_pipeline_count(p, "build", tree->live_count, rebuilt);
    return TOC_OK;
}

static void drop_element_tree(toc_element_tree **tree) {
    toc_element_tree_free(*tree);
    *tree = NULL;
}

static toc_status follow_or_make(const toc_scene *scene, const toc_element_tree_form *form, toc_element_tree **tree,
                                 followed_edits *how) {
    if (*tree && can_follow(*tree, scene, form)) {
        TOC_TRY(grow_element_tree(*tree, scene));
        TOC_TRY(follow_edits(*tree, scene, how));
        TOC_TRY(widen_leaves(*tree));
        if (is_outgrown(*tree)) list_live(*tree);
        return TOC_OK;
    }
    drop_element_tree(tree);
    how->changed = true;
    return make_element_tree(scene, form, tree);
}

toc_status toc_element_tree_fit(toc_pipeline *pipeline, const toc_element_tree_form *form, bool *changed) {
    toc_element_tree *tree = (toc_element_tree *)*pipeline->index;
    followed_edits how = {0};
    assert(pipeline->step == &pipeline->request->scene->step);
    toc_pipeline_enter(pipeline, "follow");
    toc_status status = follow_or_make(pipeline->request->scene, form, &tree, &how);
    toc_pipeline_count(pipeline, "follow", how.edited, how.work);
    if (status == TOC_OK) status = fit_element_bounds(pipeline, tree, form);
    if (status != TOC_OK) drop_element_tree(&tree);
    *pipeline->index = tree ? &tree->index : NULL;
    *changed = how.changed;
    return status;
}
