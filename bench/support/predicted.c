// SPDX-License-Identifier: Apache-2.0
#include "bench/support/predicted.h"

#include <math.h>
#include <stdlib.h>

// Append a body's mesh, and its positions at both ends, to those before.
static void add_body(toc_sim *sim, uint32_t body, double time, toc_mesh **mesh, double **x0, double **x1) {
    const toc_mesh *from = toc_scene_get_mesh(toc_sim_get_scene(sim), body);
    const toc_sim_body_motion motion = toc_sim_get_motion(sim, body);
    const size_t before = *mesh ? toc_mesh_get_vertex_count(*mesh) : 0, count = toc_mesh_get_vertex_count(from);
    bench_check(*mesh ? toc_mesh_append(*mesh, from, NULL, NULL) : toc_mesh_copy(from, mesh));
    *x0 = bench_must(realloc(*x0, (3 * (before + count) + 1) * sizeof **x0));
    *x1 = bench_must(realloc(*x1, (3 * (before + count) + 1) * sizeof **x1));
    for (size_t i = 0; i < 3 * count; i++) {
        (*x0)[3 * before + i] = motion.positions[i];
        (*x1)[3 * before + i] = motion.positions[i] + time * motion.velocities[i];
    }
}

static double mean_way(size_t vertices, const double *x0, const double *x1) {
    double sum = 0;
    size_t moving = 0;
    for (size_t i = 0; i < 3 * vertices; i += 3) {
        const double way = hypot(hypot(x1[i] - x0[i], x1[i + 1] - x0[i + 1]), x1[i + 2] - x0[i + 2]);
        moving += way > 0;
        sum += way;
    }
    return moving ? sum / (double)moving : 0;
}

bench_step bench_step_predicted(const char *name, toc_sim *sim, uint32_t bodies, double time, double *motion) {
    const uint32_t all = (uint32_t)toc_scene_get_body_count(toc_sim_get_scene(sim));
    toc_mesh *mesh = NULL;
    double *x0 = NULL, *x1 = NULL;
    for (uint32_t b = 0; b < (bodies ? bodies : all); b++)
        if (toc_scene_has_body(toc_sim_get_scene(sim), b)) add_body(sim, b, time, &mesh, &x0, &x1);
    if (motion) *motion = mean_way(toc_mesh_get_vertex_count(mesh), x0, x1);
    bench_check(bench_mesh_set_motion(mesh, x0, x1));
    free(x0);
    free(x1);
    return bench_step_of_mesh(name, mesh);
}
