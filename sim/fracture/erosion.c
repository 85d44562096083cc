// SPDX-License-Identifier: Apache-2.0
// Elements that are removed: stretched too far, or carved by a sharp body.
//
// The mass of a volume element goes with it. The mass of a triangle or quad stays on its vertices while they have
// another element, as in crash codes.
#include <assert.h>
#include <stdlib.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"

// ---- stretch

static double largest_stretch(const toc_sim *sim, const sim_tet *tet) {
    double f[3][3], strain[3][3], axis[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f[j][i] = 0; // by columns
            for (int k = 0; k < 3; k++)
                f[j][i] += (sim->x[tet->v[k + 1]][i] - sim->x[tet->v[0]][i]) * tet->inverse_rest[k][j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) strain[i][j] = sim_dot(f[i], f[j]);
    return sqrt(fmax(toc_sim_largest_eigenvalue(strain, axis), 0));
}

static toc_status erode_tets(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet *tet = &sim->tets.at[i];
        if (sim->owner[tet->v[0]] != id || toc_mesh_get_element(mesh, tet->element).shape == TOC_REMOVED) continue;
        if (largest_stretch(sim, tet) <= sim->bodies.at[id].material.erosion) continue;
        TOC_TRY(toc_sim_edit_remove(sim, id, tet->element));
        sim->eroded++;
    }
    return TOC_OK;
}

static double shell_stretch(const toc_sim *sim, uint32_t first, const toc_element *e) {
    double largest = 0;
    for (int k = 0; k < e->corner_count; k++) {
        const uint32_t a = first + e->corners[k], b = first + e->corners[(k + 1) % e->corner_count];
        double now[3], rest[3];
        sim_sub(sim->x[a], sim->x[b], now);
        sim_sub(sim->rest[a], sim->rest[b], rest);
        if (sim_length(rest) > 0) largest = fmax(largest, sim_length(now) / sim_length(rest));
    }
    return largest;
}

static toc_status erode_shells(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    const sim_body *body = &sim->bodies.at[id];
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape != TOC_TRIANGLE && e.shape != TOC_QUAD) continue;
        if (shell_stretch(sim, body->first, &e) <= body->material.erosion) continue;
        TOC_TRY(toc_sim_edit_remove(sim, id, i));
        sim->eroded++;
    }
    return TOC_OK;
}

// ---- carving

static toc_status carve_body(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    sim_stars stars = {0};
    sim_cuts cuts = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.at[id], &stars);
    if (status == TOC_OK) status = toc_sim_cuts_find(sim, id, &stars, &cuts);
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    for (size_t i = 0; i < cuts.count && status == TOC_OK; i++) {
        const uint32_t element = sim->tets.at[cuts.at[i].tet].element;
        if (toc_mesh_get_element(mesh, element).shape == TOC_REMOVED) continue;
        status = toc_sim_edit_remove(sim, id, element);
        sim->eroded += status == TOC_OK;
    }
    toc_sim_stars_free(sim, &stars);
    toc_array_free(&sim->memory, &cuts);
    return status;
}

// ---- constraints of removed elements

static bool is_removed(const toc_sim *sim, uint32_t body, uint32_t element) {
    assert(body < sim->bodies.count);
    return toc_mesh_get_element(toc_scene_get_mesh(sim->scene, body), element).shape == TOC_REMOVED;
}

static void drop_tets(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    size_t kept = 0;
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet tet = sim->tets.at[i];
        if (sim->owner[tet.v[0]] != id || !is_removed(sim, id, tet.element)) sim->tets.at[kept++] = tet;
    }
    sim->tets.count = kept;
    sim->tet_colours.stale = true;
}

static void drop_hinges(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    size_t kept = 0;
    for (size_t i = 0; i < sim->hinges.count; i++) {
        const sim_hinge h = sim->hinges.at[i];
        const bool gone =
            sim->owner[h.v[0]] == id && (is_removed(sim, id, h.element[0]) || is_removed(sim, id, h.element[1]));
        if (!gone) sim->hinges.at[kept++] = h;
    }
    sim->hinges.count = kept;
    sim->hinge_colours.stale = true;
}

static int compare_edges(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

// Edges without an element, and the mass of vertices without one.
static void drop_thin(toc_sim *sim, uint32_t id, const toc_features *f, bool *used) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    size_t kept = 0;
    for (size_t i = 0; i < sim->springs.count; i++) {
        const sim_spring s = sim->springs.at[i];
        const uint32_t a = s.v[0] - body->first, b = s.v[1] - body->first;
        const uint32_t edge[2] = {a < b ? a : b, a < b ? b : a};
        const bool here = sim->owner[s.v[0]] == id;
        if (!here || bsearch(edge, f->edges, f->edge_count, sizeof edge, compare_edges)) sim->springs.at[kept++] = s;
    }
    sim->springs.count = kept;
    sim->spring_colours.stale = true;
    for (size_t i = 0; i < f->vertex_count; i++) used[f->vertices[i]] = true;
    for (uint32_t i = 0; i < body->count; i++)
        if (!used[i]) sim->thin[body->first + i] = 0;
}

static toc_status drop_springs(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (sim->springs.count == 0) return TOC_OK;
    toc_features *features = NULL;
    TOC_ARRAY(bool) used = {0};
    toc_status status = toc_array_room(&sim->memory, &used, (size_t)sim->bodies.at[id].count + 1);
    if (status == TOC_OK) status = toc_mesh_find_features(toc_scene_get_mesh(sim->scene, id), &features);
    if (status == TOC_OK) drop_thin(sim, id, features, used.at);
    toc_features_destroy(features);
    toc_array_free(&sim->memory, &used);
    return status;
}

void toc_sim_body_weigh(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t end = body->first + body->count;
    for (uint32_t i = body->first; i < end; i++) {
        sim->w[i] = sim_is_pinned(sim, i) ? -1 : 0;
        sim->mass[i] = sim->thin[i];
    }
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet *tet = &sim->tets.at[i];
        for (int k = 0; k < 4 && sim->owner[tet->v[0]] == id; k++) sim->mass[tet->v[k]] += tet->mass / 4;
    }
    for (uint32_t i = body->first; i < end; i++) {
        sim->w[i] = sim->w[i] == 0 && sim->mass[i] > 0 ? 1 / sim->mass[i] : 0;
        if (sim->w[i] == 0) memset(sim->v[i], 0, sizeof *sim->v);
    }
}

toc_status toc_sim_body_erode(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    const size_t before = sim->eroded;
    if (sim->bodies.at[id].material.erosion > 0) {
        TOC_TRY(erode_tets(sim, id));
        TOC_TRY(erode_shells(sim, id));
    }
    if (sim->bodies.at[id].material.carve && toc_sim_body_can_be_cut(sim, id)) TOC_TRY(carve_body(sim, id));
    if (sim->eroded == before) return TOC_OK;
    sim->edited = true;
    TOC_TRY(drop_springs(sim, id));
    drop_hinges(sim, id);
    drop_tets(sim, id);
    toc_sim_body_weigh(sim, id);
    return TOC_OK;
}
