// SPDX-License-Identifier: Apache-2.0
#include "support/simulation.h"

#include <math.h>
#include <stdlib.h>

static void set_places(toc_mesh *mesh, double *x) {
    assert_ok(test_mesh_set_motion(mesh, x, x));
    free(x);
}

static double *copy_places(const toc_mesh *mesh) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = toc_mesh_get_x1(mesh)[i];
    return x;
}

toc_mesh *test_mesh_place(toc_mesh *mesh, double scale, double x, double y, double z) {
    const double shift[3] = {x, y, z};
    double *places = copy_places(mesh);
    for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++) places[i] = scale * places[i] + shift[i % 3];
    set_places(mesh, places);
    return mesh;
}

toc_mesh *test_mesh_turn(toc_mesh *mesh, double angle) {
    double *places = copy_places(mesh);
    for (size_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++) {
        double *p = places + 3 * i;
        const double x = p[0] * cos(angle) + p[2] * sin(angle), z = p[2] * cos(angle) - p[0] * sin(angle);
        p[0] = x, p[2] = z;
    }
    set_places(mesh, places);
    return mesh;
}

toc_mesh *test_floor(uint32_t cells, double half) {
    return test_mesh_place(test_grid_sheet(TOC_TRIANGLE, cells, cells), 2 * half / cells, -half, -half, 0);
}

toc_status test_sim_try(const toc_allocator *allocator, toc_sim **sim) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.threads = 1;
    return toc_sim_create(&settings, allocator, sim);
}

toc_sim *test_sim_without_gravity(int threads) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = 0;
    settings.step = 0.005;
    settings.threads = threads;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    return sim;
}

uint32_t test_sim_add(toc_sim *sim, toc_mesh *mesh, toc_sim_material material) {
    uint32_t body;
    assert_ok(toc_sim_add_body(sim, mesh, &material, &body));
    return body;
}

size_t test_sim_crossings(toc_sim *sim) {
    toc_query query = toc_query_default();
    query.surface_only = true;
    toc_overlaps *overlaps;
    assert_ok(toc_scene_find_overlaps(toc_sim_get_scene(sim), &query, TOC_AT_END, NULL, &overlaps));
    const size_t count = overlaps->count;
    toc_overlaps_destroy(overlaps);
    return count;
}

void test_sim_centre(const toc_sim *sim, uint32_t body, double out[3]) {
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene((toc_sim *)sim), body);
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const double *x = toc_sim_get_positions(sim, body);
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < 3 * count; i++) out[i % 3] += x[i] / (double)count;
}
