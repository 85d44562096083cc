// SPDX-License-Identifier: Apache-2.0
// Measures of a simulation.
#include "scenes/simulated/measure.h"

#include <math.h>
#include <stdlib.h>

toc_status measure_crossings(toc_sim *sim, int threads, bool inside, size_t *count) {
    toc_query query = toc_query_default();
    query.surface_only = !inside;
    query.threads = threads;
    toc_overlaps *overlaps;
    const toc_status status = toc_scene_find_overlaps(toc_sim_get_scene(sim), &query, TOC_AT_END, &overlaps);
    if (status != TOC_OK) return status;
    *count += overlaps->count;
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

// ---- pieces: a union of the vertices of each element

static uint32_t piece_root(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void join_corners(uint32_t *parent, const toc_element *e) {
    for (int k = 1; k < e->corner_count; k++) {
        const uint32_t a = piece_root(parent, e->corners[0]), b = piece_root(parent, e->corners[k]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
}

// `parent` and `sizes` have room for the vertices.
static void count_pieces(const toc_mesh *mesh, uint32_t *parent, size_t *sizes, measure_pieces *out) {
    const uint32_t vertices = (uint32_t)toc_mesh_get_vertex_count(mesh);
    const uint32_t elements = (uint32_t)toc_mesh_get_element_count(mesh);
    size_t largest = 0, all = 0;
    for (uint32_t v = 0; v < vertices; v++) parent[v] = v, sizes[v] = 0;
    for (uint32_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape != TOC_REMOVED) join_corners(parent, &e);
    }
    for (uint32_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape == TOC_REMOVED) continue;
        const size_t size = ++sizes[piece_root(parent, e.corners[0])];
        out->pieces += size == 1;
        if (size > largest) largest = size;
        all++;
    }
    out->bodies += all > 0;
    out->elements += all;
    out->debris += all - largest;
}

toc_status measure_debris(toc_sim *sim, measure_pieces *out) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    *out = (measure_pieces){0};
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, b);
        if (!mesh) continue; // glued to another one
        const size_t count = toc_mesh_get_vertex_count(mesh);
        uint32_t *parent = malloc(count * sizeof *parent + 1);
        size_t *sizes = malloc(count * sizeof *sizes + 1);
        if (parent && sizes) count_pieces(mesh, parent, sizes, out);
        const bool done = parent && sizes;
        free(parent);
        free(sizes);
        if (!done) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    }
    return TOC_OK;
}

toc_status measure_penetration(toc_sim *sim, int threads, measure_overlaps *out) {
    toc_query query = toc_query_default();
    query.threads = threads;
    toc_overlaps *overlaps;
    const toc_status status = toc_scene_find_element_overlaps(toc_sim_get_scene(sim), &query, TOC_AT_END, &overlaps);
    if (status != TOC_OK) return status;
    out->pairs += overlaps->count;
    for (size_t i = 0; i < overlaps->count; i++) {
        out->deepest = fmax(out->deepest, overlaps->pairs[i].depth);
        out->sum += overlaps->pairs[i].depth;
    }
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}
