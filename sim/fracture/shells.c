// SPDX-License-Identifier: Apache-2.0
// Shells of a body: its elements without a volume, with their masses, areas and normals.
#include <assert.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"

static bool is_shell(toc_shape shape) {
    return shape == TOC_POINT || shape == TOC_EDGE || shape == TOC_TRIANGLE || shape == TOC_QUAD;
}

toc_status toc_sim_shells_find(const toc_sim *sim, uint32_t id, sim_shells *shells) {
    assert(id < sim->bodies.count);
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, id);
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh);
    TOC_TRY(toc_array_reserve(&sim->memory, shells, count));
    for (uint32_t i = 0; i < count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (!is_shell(e.shape)) continue;
        sim_shell shell = {.v = {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE},
                           .corners = e.corner_count,
                           .element = i,
                           .origin = toc_sim_element_origin(sim, id, i)};
        for (int k = 0; k < e.corner_count; k++) shell.v[k] = sim->bodies.at[id].first + e.corners[k];
        shells->at[shells->count++] = shell;
    }
    return TOC_OK;
}

// As bodies are weighed when they are added: a quad is two triangles.
double toc_sim_shell_mass(const toc_sim *sim, const sim_shell *shell, int corner) {
    assert(corner >= 0 && corner < shell->corners);
    const toc_sim_material *m = &sim->bodies.at[shell->origin].material;
    const uint32_t *v = shell->v;
    if (shell->corners == 1) return m->line_density;
    if (shell->corners == 2) {
        double edge[3];
        sim_sub(sim->rest[v[0]], sim->rest[v[1]], edge);
        return m->line_density * sim_length(edge) / 2;
    }
    double(*x)[3] = sim->rest, area = corner == 3 ? 0 : sim_triangle_area(x[v[0]], x[v[1]], x[v[2]]);
    if (shell->corners == 4 && corner != 1) area += sim_triangle_area(x[v[0]], x[v[2]], x[v[3]]);
    return m->area_density * area / 3;
}

double toc_sim_shell_area(const toc_sim *sim, const sim_shell *shell) {
    const uint32_t *v = shell->v;
    double(*x)[3] = sim->x;
    if (shell->corners < 3) return 0;
    return sim_triangle_area(x[v[0]], x[v[1]], x[v[2]]) +
           (shell->corners == 4 ? sim_triangle_area(x[v[0]], x[v[2]], x[v[3]]) : 0);
}

static void corner_sides(const toc_sim *sim, const sim_shell *shell, int corner, double next[3], double last[3]) {
    assert(shell->corners > 2);
    const double *at = sim->x[shell->v[corner]];
    sim_sub(sim->x[shell->v[(corner + 1) % shell->corners]], at, next);
    sim_sub(sim->x[shell->v[(corner + shell->corners - 1) % shell->corners]], at, last);
}

void toc_sim_shell_normal(const toc_sim *sim, const sim_shell *shell, int corner, double out[3]) {
    double next[3], last[3];
    corner_sides(sim, shell, corner, next, last);
    sim_cross(next, last, out);
}

void toc_sim_shell_outward(const toc_sim *sim, const sim_shell *shell, int corner, double out[3]) {
    double next[3], last[3], side[3];
    corner_sides(sim, shell, corner, next, last);
    sim_sub(last, next, side);
    const double length = sim_normalize(side);
    for (int k = 0; k < 3; k++) out[k] = -next[k];
    sim_add(sim_dot(next, side), side, out); // the height on that side
    sim_normalize(out);
    for (int k = 0; k < 3; k++) out[k] *= length / 2;
}
