// SPDX-License-Identifier: Apache-2.0
// The way through the interior: the surface tree, then the cells behind the surface that may touch.
#include "search/interior.h"

#include <string.h>

#include "scene/scene.h"
#include "search/search.h"
#include "search/surface_stages.h"
#include "search/tree.h"

static toc_interior_search *interior_search_of(const toc_pipeline *p) { return p->tree->interior; }

// ---- seeds: the primitives that the triangle axes leave

static toc_status keep_seeds(toc_worker *w, size_t stage, const toc_batch *batch) {
    toc_primitive_pairs *seeds = &w->interior->seeds;
    TOC_TRY(toc_array_reserve(&w->pipeline->request->scene->memory, seeds, batch->count));
    for (size_t i = 0; i < batch->count; i++)
        seeds->at[seeds->count++] = toc_surface_primitives(&w->pipeline->surface, batch->leaves[i]);
    return toc_worker_pass(w, stage + 1, batch);
}

static toc_status join_seeds(toc_pipeline *p, toc_primitive_pairs *all) {
    for (int i = 0; i < p->threads; i++) {
        const toc_primitive_pairs *seeds = &p->workers[i].interior->seeds;
        TOC_TRY(toc_array_reserve(&p->request->scene->memory, all, seeds->count));
        if (seeds->count) memcpy(all->at + all->count, seeds->at, seeds->count * sizeof *seeds->at);
        all->count += seeds->count;
    }
    return TOC_OK;
}

// ---- the way

// All contacts of the surface say where to search, those that the filter drops too.
static toc_status plan_interior(toc_pipeline *p) {
    static const toc_pipeline_stage seeds = {NULL, keep_seeds};
    TOC_TRY(toc_tree_plan(p));
    toc_tree_query *q = p->tree;
    q->interior = toc_arena_new(&p->arena, 1, sizeof *q->interior);
    if (!q->interior) return TOC_OUT_OF_MEMORY;
    toc_element_tree *elements = (toc_element_tree *)p->kept->indexes[TOC_SLOT_ELEMENT_TREE];
    *q->interior = (toc_interior_search){.pipeline = p, .elements = elements};
    q->form.settles = false;    // resting surfaces are where the inside may touch
    q->form.has_region = false; // pairs of the surface anywhere lead to those behind it
    toc_narrow_phase_collect(&p->narrow);
    const toc_pipeline_stage *features = p->stages[--p->stage_count];
    toc_pipeline_add_stage(p, &seeds);
    toc_pipeline_add_stage(p, features);
    return TOC_OK;
}

static toc_status hire_interior_worker(toc_worker *w) {
    toc_interior_worker *own = toc_arena_new(&w->pipeline->arena, 1, sizeof *own);
    if (!own) return TOC_OUT_OF_MEMORY;
    memset(own, 0, sizeof *own);
    w->interior = own;
    return toc_expansion_make(&w->pipeline->arena, &interior_search_of(w->pipeline)->near, TOC_INTERIOR_BUFFER,
                              &own->expansion);
}

static toc_status update_interior(toc_pipeline *p, toc_stage *row) {
    return toc_interior_look(interior_search_of(p), row);
}

static toc_status accept_interior(toc_pipeline *p, bool *suits) {
    toc_interior_search *search = interior_search_of(p);
    search->surface = toc_tree_of(p);
    TOC_TRY(toc_pipeline_run_part(p, "stars", update_interior));
    *suits = search->suits;
    return TOC_OK;
}

static toc_status flood_interior(toc_pipeline *p, toc_stage *row) {
    return toc_interior_run(interior_search_of(p), row);
}

static toc_status search_interior(toc_pipeline *p) {
    toc_interior_search *search = interior_search_of(p);
    TOC_TRY(join_seeds(p, &search->seeds));
    TOC_TRY(toc_pipeline_run_part(p, "inside", flood_interior));
    toc_narrow_phase_filter(&p->narrow);
    return TOC_OK;
}

static void free_interior_search(toc_pipeline *p) {
    const toc_allocator *allocator = &p->request->scene->memory;
    for (int i = 0; p->workers && i < p->threads; i++) {
        toc_interior_worker *own = p->workers[i].interior;
        if (own) toc_array_free(allocator, &own->seeds);
    }
    if (p->tree && interior_search_of(p)) toc_array_free(allocator, &interior_search_of(p)->seeds);
    toc_tree_free(p);
}

const toc_way toc_interior_way = {.name = "interior",
                                  .search_name = "search",
                                  .slot = TOC_SLOT_SURFACE_TREE,
                                  .traversal = &toc_tree_traversal,
                                  .fit = toc_tree_fit,
                                  .input = TOC_INPUT_SURFACE,
                                  .plan = plan_interior,
                                  .hire = hire_interior_worker,
                                  .accept = accept_interior,
                                  .finish = search_interior,
                                  .free = free_interior_search};
