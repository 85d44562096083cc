// SPDX-License-Identifier: Apache-2.0
// The map of the interior: which cells are neighbours, which cells have the primitives of the surface, and the stars.
//
// search/interior_flood.c walks over it. O(n) to make, O(n) a step to test the stars.
#include "search/interior.h"

#include <string.h>

#include "base/threads.h"
#include "cull/surface/components.h"

enum { STAR_ROUND = 512 };

// ---- links

void toc_interior_free(toc_interior *interior) {
    if (!interior) return;
    const toc_allocator allocator = interior->allocator;
    toc_stars_free(&allocator, &interior->stars);
    toc_array_free(&allocator, &interior->link_first);
    toc_array_free(&allocator, &interior->links);
    toc_array_free(&allocator, &interior->cells);
    toc_array_free(&allocator, &interior->roots);
    toc_free(&allocator, interior, 1, sizeof *interior);
}

// Links the cells around features: which of them can be reached over shared faces, and the rest.
typedef struct linker {
    const toc_allocator *allocator;
    const toc_cell_body *body;
    toc_cell_pairs pairs;
    toc_ids queue;
} linker;

static bool interior_is_listed(const toc_ids *ids, uint32_t id) {
    for (size_t i = 0; i < ids->count; i++)
        if (ids->at[i] == id) return true;
    return false;
}

static bool interior_is_around(const toc_around *around, uint32_t element) {
    for (size_t i = 0; i < around->count; i++)
        if (around->elements[i] == element) return true;
    return false;
}

static toc_status reach_over_faces(linker *l, const toc_around *around) {
    const toc_incidence *in = &l->body->incidence;
    TOC_TRY(toc_array_reserve(l->allocator, &l->queue, around->count));
    l->queue.at[l->queue.count++] = around->elements[0];
    for (size_t i = 0; i < l->queue.count; i++) {
        size_t faces, others;
        const uint32_t *face = toc_adjacency_items(&in->element_faces, l->queue.at[i], &faces);
        for (size_t f = 0; f < faces; f++) {
            const uint32_t *elements = toc_adjacency_items(&in->face_elements, face[f], &others);
            for (size_t k = 0; k < others; k++)
                if (interior_is_around(around, elements[k]) && !interior_is_listed(&l->queue, elements[k]))
                    l->queue.at[l->queue.count++] = elements[k];
        }
    }
    return TOC_OK;
}

static toc_status link_pair(linker *l, uint32_t a, uint32_t b) {
    TOC_TRY(toc_array_reserve(l->allocator, &l->pairs, 1));
    l->pairs.at[l->pairs.count++] = (toc_cell_pair){l->body->first_cell + a, l->body->first_cell + b};
    return TOC_OK;
}

static toc_status link_in_a_row(linker *l, const toc_around *around) {
    for (size_t i = 1; i < around->count; i++) TOC_TRY(link_pair(l, around->elements[i - 1], around->elements[i]));
    return TOC_OK;
}

// Link cells around a vertex or an edge in a row where faces do not connect them.
static toc_status link_around(linker *l, const toc_adjacency *adjacency) {
    for (uint32_t i = 0; i < adjacency->runs.count; i++) {
        const toc_around around = toc_around_of(l->body, adjacency, i);
        if (around.count < 2) continue;
        l->queue.count = 0;
        TOC_TRY(reach_over_faces(l, &around));
        if (l->queue.count < around.count) TOC_TRY(link_in_a_row(l, &around));
    }
    return TOC_OK;
}

static toc_status link_body(linker *l) {
    const toc_adjacency *faces = &l->body->incidence.face_elements;
    for (uint32_t i = 0; i < faces->runs.count; i++) {
        const toc_around around = toc_around_of(l->body, faces, i);
        TOC_TRY(link_in_a_row(l, &around));
    }
    TOC_TRY(link_around(l, &l->body->incidence.edge_elements));
    return link_around(l, &l->body->incidence.vertex_elements);
}

// From pairs to lists: each cell of a pair lists the other one.
static toc_status list_links(const toc_cell_pairs *pairs, size_t cell_count, toc_interior *out) {
    TOC_TRY(toc_array_reserve(&out->allocator, &out->link_first, cell_count + 2));
    TOC_TRY(toc_array_reserve(&out->allocator, &out->links, 2 * pairs->count));
    uint32_t *first = out->link_first.at;
    memset(first, 0, (cell_count + 2) * sizeof *first);
    for (size_t i = 0; i < pairs->count; i++) first[pairs->at[i].a + 2]++, first[pairs->at[i].b + 2]++;
    for (size_t i = 2; i < cell_count + 2; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < pairs->count; i++) {
        out->links.at[first[pairs->at[i].a + 1]++] = pairs->at[i].b;
        out->links.at[first[pairs->at[i].b + 1]++] = pairs->at[i].a;
    }
    out->link_first.count = cell_count + 1;
    out->links.count = 2 * pairs->count;
    return TOC_OK;
}

static toc_status make_links(const toc_cells *cells, toc_interior *out) {
    linker l = {.allocator = &out->allocator};
    toc_status status = TOC_OK;
    for (size_t b = 0; b < cells->body_count && status == TOC_OK; b++) {
        l.body = &cells->bodies[b];
        status = link_body(&l);
    }
    if (status == TOC_OK) status = list_links(&l.pairs, cells->count, out);
    toc_array_free(l.allocator, &l.pairs);
    toc_array_free(l.allocator, &l.queue);
    return status;
}

// ---- the surface

// Whether a feature, with ids of its body, has all vertices of a primitive, with ids of the step.
static bool has_all(const toc_cell_body *body, const uint32_t *feature, int corners, const uint32_t *v) {
    for (int i = 0; i < corners; i++) {
        bool found = false;
        for (int k = 0; k < corners; k++) found = found || body->first_vertex + feature[k] == v[i];
        if (!found) return false;
    }
    return true;
}

uint32_t toc_interior_cell(const toc_cell_body *body, const uint32_t v[3]) {
    const toc_incidence *in = &body->incidence;
    const toc_around around = toc_around_of(body, &in->vertex_elements, v[0] - body->first_vertex);
    const int corners = v[1] == UINT32_MAX ? 1 : v[2] == UINT32_MAX ? 2 : 3;
    for (size_t i = 0; i < around.count && corners > 1; i++) {
        size_t count;
        const uint32_t *ids =
            toc_adjacency_items(corners == 3 ? &in->element_faces : &in->element_edges, around.elements[i], &count);
        for (size_t k = 0; k < count; k++)
            if (has_all(body, corners == 3 ? in->faces.at[ids[k]] : in->edges.at[ids[k]], corners, v))
                return around.first_cell + around.elements[i];
    }
    return around.first_cell + around.elements[0];
}

static toc_status find_roots(const toc_step *step, const toc_primitives *primitives, toc_interior *out) {
    uint32_t *lowest = toc_new(&out->allocator, step->vertex_count, sizeof *lowest);
    if (!lowest) return TOC_OUT_OF_MEMORY;
    toc_components_find(primitives, step->vertex_count, 1, lowest);
    toc_status status = TOC_OK;
    for (uint32_t v = 0; v < step->vertex_count && status == TOC_OK; v++) {
        if (lowest[v] != v) continue;
        status = toc_array_reserve(&out->allocator, &out->roots, 1);
        if (status == TOC_OK) out->roots.at[out->roots.count++] = v;
    }
    toc_free(&out->allocator, lowest, step->vertex_count, sizeof *lowest);
    return status;
}

static toc_status place_surface(const toc_cells *cells, const toc_step *step, const toc_primitives *primitives,
                                toc_interior *out) {
    TOC_TRY(toc_array_reserve(&out->allocator, &out->cells, primitives->count));
    for (size_t i = 0; i < primitives->count; i++) {
        const uint32_t *v = primitives->at[i].vertices;
        out->cells.at[out->cells.count++] = toc_interior_cell(&cells->bodies[toc_step_body(step, v[0])], v);
    }
    return find_roots(step, primitives, out);
}

static toc_status map_interior(const toc_interior_search *s, toc_interior *out) {
    const toc_cells *cells = &s->elements->cells;
    TOC_TRY(toc_stars_find(&out->allocator, cells, &out->stars));
    TOC_TRY(make_links(cells, out));
    return place_surface(cells, s->pipeline->step, &s->surface->primitives, out);
}

static toc_status map_or_keep_interior(toc_interior_search *s) {
    const uint64_t version = s->pipeline->step->version;
    const toc_allocator *allocator = &s->pipeline->request->scene->memory;
    toc_interior **interior = &s->elements->interior;
    if (*interior && (*interior)->version == version) return TOC_OK;
    toc_interior_free(*interior);
    *interior = toc_new(allocator, 1, sizeof **interior);
    if (!*interior) return TOC_OUT_OF_MEMORY;
    **interior = (toc_interior){.allocator = *allocator, .version = version};
    const toc_status status = map_interior(s, *interior);
    if (status == TOC_OK) return TOC_OK;
    toc_interior_free(*interior);
    *interior = NULL;
    return status;
}

// ---- stars

static toc_stars_step stars_step_of(const toc_interior_search *s) {
    const toc_step *step = s->pipeline->step;
    return (toc_stars_step){step->x0, step->x1, s->surface->motion.packed};
}

static size_t star_round_end(size_t index, size_t count) {
    const size_t last = (index + 1) * STAR_ROUND;
    return last < count ? last : count;
}

static toc_status look_at_tets(void *user, size_t index, int thread) {
    (void)thread;
    const toc_interior_search *s = user;
    toc_stars *stars = &s->elements->interior->stars;
    const toc_stars_step step = stars_step_of(s);
    toc_stars_look(stars, index * STAR_ROUND, star_round_end(index, stars->tets.count), &step);
    return TOC_OK;
}

static toc_status test_stars(void *user, size_t index, int thread) {
    (void)thread;
    const toc_interior_search *s = user;
    toc_stars *stars = &s->elements->interior->stars;
    const toc_stars_step step = stars_step_of(s);
    toc_stars_tell(stars, index * STAR_ROUND, star_round_end(index, stars->whole.count), &step);
    return TOC_OK;
}

static toc_status run_star_rounds(toc_interior_search *s, size_t count, toc_status (*round)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){
        .count = (count + STAR_ROUND - 1) / STAR_ROUND, .threads = s->pipeline->threads, .round = round, .user = s});
}

size_t toc_interior_count_broken(const toc_interior *interior) {
    size_t broken = 0;
    for (size_t v = 0; v < interior->stars.whole.count; v++) broken += !interior->stars.whole.at[v];
    return broken;
}

// @param broken receives the number of broken stars.
static toc_status update_stars(toc_interior_search *s, size_t *broken) {
    toc_interior *interior = s->elements->interior;
    toc_stars *stars = &interior->stars;
    const toc_stars_step step = stars_step_of(s);
    TOC_TRY(run_star_rounds(s, stars->tets.count, look_at_tets));
    if (!interior->stars_know_contacts) toc_stars_forget(stars);
    interior->stars_know_contacts = false;
    toc_stars_follow(stars, &step);
    TOC_TRY(run_star_rounds(s, stars->whole.count, test_stars));
    *broken = toc_interior_count_broken(interior);
    return TOC_OK;
}

// A search from the surface takes each pair of cells by itself, a tree many at a time: with many pairs the tree wins.
static bool interior_is_shallow(const toc_interior_search *s) {
    enum { DEEP = 4, ROOTS_MOST = 512 };
    const toc_interior *interior = s->elements->interior;
    return interior->found <= DEEP * s->elements->cells.count && interior->roots.count <= ROOTS_MOST;
}

toc_status toc_interior_look(toc_interior_search *search, toc_stage *row) {
    enum { BROKEN_SHARE = 4 };
    size_t broken;
    search->suits = false;
    search->stars = row;
    if (!search->surface->motion.fits) return TOC_OK;
    TOC_TRY(map_or_keep_interior(search));
    TOC_TRY(update_stars(search, &broken));
    toc_interior *interior = search->elements->interior;
    const size_t count = interior->stars.whole.count;
    search->suits = BROKEN_SHARE * broken <= count && interior_is_shallow(search);
    interior->found = 0;
    row->in = count;
    return TOC_OK;
}
