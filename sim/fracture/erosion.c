// SPDX-License-Identifier: Apache-2.0
// Elements that are removed: stretched too far, or cut by a sharp body.
//
// The mass of a volume element goes with it. The mass of a triangle or quad stays on its vertices while they have
// another element, as in crash codes.
#include <stdlib.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"
#include "sim/response/contact.h"

// A sharp body cuts where the way from it to the element is within 60 degrees of its motion: not along its flat sides.
static const double cutting_cosine = 0.5;
// Contacts count as touching up to this many thicknesses.
static const double touching = 1.01;
// How far ahead of the contact the element to cut is looked for, in cube roots of an element's volume.
static const double ahead = 0.05;

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
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet *tet = &sim->tets.items[i];
        if (sim->owner[tet->v[0]] != id || toc_mesh_get_element(mesh, tet->element).shape == TOC_REMOVED) continue;
        if (largest_stretch(sim, tet) <= sim->bodies.items[id].material.erosion) continue;
        SIM_TRY(toc_sim_edit_remove(sim, id, tet->element));
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
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    const sim_body *body = &sim->bodies.items[id];
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape != TOC_TRIANGLE && e.shape != TOC_QUAD) continue;
        if (shell_stretch(sim, body->first, &e) <= body->material.erosion) continue;
        SIM_TRY(toc_sim_edit_remove(sim, id, i));
        sim->eroded++;
    }
    return TOC_OK;
}

// ---- cutting

static double von_mises(const toc_sim *sim, const sim_tet *tet) {
    double s[3][3], sum = 0;
    toc_sim_tet_stress(sim, tet, s);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3;
        sum += 0.5 * (s[k][k] - s[l][l]) * (s[k][k] - s[l][l]) + 3 * s[k][l] * s[k][l];
    }
    return sqrt(sum);
}

static bool is_in_tet(const toc_sim *sim, const sim_tet *tet, const double at[3]) {
    double edges[3][3], inverse[3][3], from[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) edges[i][j] = sim->x[tet->v[j + 1]][i] - sim->x[tet->v[0]][i];
    if (sim_matrix_invert(edges, inverse) == 0) return false;
    sim_sub(at, sim->x[tet->v[0]], from);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double share = sim_dot(inverse[k], from);
        if (share < 0) return false;
        sum += share;
    }
    return sum <= 1;
}

/// A contact between a sharp body and a soft one: the point on the soft one, and the direction of the cut.
typedef struct sim_cut {
    double point[3], direction[3];
    int soft; // the side
} sim_cut;

static bool find_cut(const toc_sim *sim, const sim_contact *c, uint32_t id, sim_cut *cut) {
    const uint32_t owners[2] = {sim->owner[c->v[0]], sim->owner[c->v[3]]};
    if (owners[0] == owners[1] || (owners[0] != id && owners[1] != id)) return false;
    cut->soft = owners[1] == id;
    const toc_sim_material *blade = &sim->bodies.items[owners[!cut->soft]].material;
    if (!blade->sharp) return false;
    memset(cut->point, 0, sizeof cut->point);
    memset(cut->direction, 0, sizeof cut->direction);
    for (int k = 0; k < 4; k++) {
        const bool soft = (k >= c->split) == cut->soft;
        const double weight = fabs(c->weights[k]);
        if (soft) sim_add(weight, sim->x[c->v[k]], cut->point);
        if (!soft) sim_add(weight, sim->v[c->v[k]], cut->direction);
    }
    const double reach = 0.5 * touching * (blade->thickness + sim->bodies.items[id].material.thickness);
    if (sim_normalize(cut->direction) == 0 || toc_sim_contact_gap(sim, c, sim->x, 0) > reach) return false;
    return (cut->soft ? -1 : 1) * sim_dot(c->normal, cut->direction) >= cutting_cosine;
}

static toc_status cut_at(toc_sim *sim, uint32_t id, const sim_stars *stars, const sim_contact *c, const sim_cut *cut) {
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    for (int k = cut->soft ? c->split : 0; k < (cut->soft ? 4 : c->split); k++) {
        const uint32_t vertex = c->v[k] - sim->bodies.items[id].first;
        for (uint32_t i = stars->first.items[vertex]; i < stars->first.items[vertex + 1]; i++) {
            const sim_tet *tet = &sim->tets.items[stars->items.items[i]];
            double at[3];
            sim_copy(cut->point, at);
            sim_add(ahead * cbrt(tet->volume), cut->direction, at);
            if (toc_mesh_get_element(mesh, tet->element).shape == TOC_REMOVED || !is_in_tet(sim, tet, at)) continue;
            if (von_mises(sim, tet) < sim->bodies.items[id].material.cut) continue;
            SIM_TRY(toc_sim_edit_remove(sim, id, tet->element));
            sim->eroded++;
        }
    }
    return TOC_OK;
}

static toc_status cut_body(toc_sim *sim, uint32_t id) {
    sim_stars stars = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.items[id], &stars);
    const sim_contacts *lists[2] = {&sim->contacts, &sim->impacts};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count && status == TOC_OK; i++) {
            const sim_contact *c = &lists[l]->items[i];
            sim_cut cut;
            if (find_cut(sim, c, id, &cut)) status = cut_at(sim, id, &stars, c, &cut);
        }
    toc_sim_stars_free(sim, &stars);
    return status;
}

static bool has_sharp(const toc_sim *sim) {
    for (size_t b = 0; b < sim->bodies.count; b++)
        if (sim->bodies.items[b].material.sharp) return true;
    return false;
}

// ---- constraints of removed elements

static bool is_removed(const toc_sim *sim, uint32_t body, uint32_t element) {
    return toc_mesh_get_element(toc_scene_get_mesh(sim->scene, body), element).shape == TOC_REMOVED;
}

static void drop_tets(toc_sim *sim, uint32_t id) {
    size_t kept = 0;
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet tet = sim->tets.items[i];
        if (sim->owner[tet.v[0]] != id || !is_removed(sim, id, tet.element)) sim->tets.items[kept++] = tet;
    }
    sim->tets.count = kept;
    sim->tet_colours.stale = true;
}

static void drop_hinges(toc_sim *sim, uint32_t id) {
    size_t kept = 0;
    for (size_t i = 0; i < sim->hinges.count; i++) {
        const sim_hinge h = sim->hinges.items[i];
        const bool gone =
            sim->owner[h.v[0]] == id && (is_removed(sim, id, h.element[0]) || is_removed(sim, id, h.element[1]));
        if (!gone) sim->hinges.items[kept++] = h;
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
    const sim_body *body = &sim->bodies.items[id];
    size_t kept = 0;
    for (size_t i = 0; i < sim->springs.count; i++) {
        const sim_spring s = sim->springs.items[i];
        const uint32_t a = s.v[0] - body->first, b = s.v[1] - body->first;
        const uint32_t edge[2] = {a < b ? a : b, a < b ? b : a};
        const bool here = sim->owner[s.v[0]] == id;
        if (!here || bsearch(edge, f->edges, f->edge_count, sizeof edge, compare_edges)) sim->springs.items[kept++] = s;
    }
    sim->springs.count = kept;
    sim->spring_colours.stale = true;
    for (size_t i = 0; i < f->vertex_count; i++) used[f->vertices[i]] = true;
    for (uint32_t i = 0; i < body->count; i++)
        if (!used[i]) sim->thin[body->first + i] = 0;
}

static toc_status drop_springs(toc_sim *sim, uint32_t id) {
    if (sim->springs.count == 0) return TOC_OK;
    toc_features *features = NULL;
    SIM_ARRAY(bool) used = {0};
    toc_status status = sim_array_reserve(&sim->memory, &used, (size_t)sim->bodies.items[id].count + 1);
    if (status == TOC_OK) status = toc_mesh_find_features(toc_scene_get_mesh(sim->scene, id), &features);
    if (status == TOC_OK) drop_thin(sim, id, features, used.items);
    toc_features_destroy(features);
    sim_array_free(&sim->memory, &used);
    return status;
}

void toc_sim_body_weigh(toc_sim *sim, uint32_t id) {
    const sim_body *body = &sim->bodies.items[id];
    const uint32_t end = body->first + body->count;
    for (uint32_t i = body->first; i < end; i++) {
        sim->w[i] = sim_is_pinned(sim, i) ? -1 : 0;
        sim->mass[i] = sim->thin[i];
    }
    for (size_t i = 0; i < sim->tets.count; i++) {
        const sim_tet *tet = &sim->tets.items[i];
        for (int k = 0; k < 4 && sim->owner[tet->v[0]] == id; k++) sim->mass[tet->v[k]] += tet->mass / 4;
    }
    for (uint32_t i = body->first; i < end; i++) {
        sim->w[i] = sim->w[i] == 0 && sim->mass[i] > 0 ? 1 / sim->mass[i] : 0;
        if (sim->w[i] == 0) memset(sim->v[i], 0, sizeof *sim->v);
    }
}

toc_status toc_sim_body_erode(toc_sim *sim, uint32_t id) {
    const size_t before = sim->eroded;
    if (sim->bodies.items[id].material.erosion > 0) {
        SIM_TRY(erode_tets(sim, id));
        SIM_TRY(erode_shells(sim, id));
    }
    if (has_sharp(sim)) SIM_TRY(cut_body(sim, id));
    if (sim->eroded == before) return TOC_OK;
    sim->edited = true;
    SIM_TRY(drop_springs(sim, id));
    drop_hinges(sim, id);
    drop_tets(sim, id);
    toc_sim_body_weigh(sim, id);
    return TOC_OK;
}
