// SPDX-License-Identifier: Apache-2.0
// A sheet of triangles whose vertices move at random.
#include "bench/support/sheet.h"

#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/support/measure.h"

static double rounded_to(double x, int parts) { return parts ? nearbyint(x * parts) / parts : x; }

// Without rounding, for multiples of a power of two.
static void flatten_point(double x[3], int dimensions) {
    if (dimensions < 2) x[0] += x[1] / 8, x[1] = x[0] / 2;
    if (dimensions < 3) x[2] = x[0] / 2 + x[1] / 4;
}

toc_scene *bench_random_sheet(uint32_t n, double far) {
    return bench_degenerate_sheet(n, far, (bench_degenerate){.dimensions = 3});
}

toc_scene *bench_degenerate_sheet(uint32_t n, double far, bench_degenerate how) {
    const size_t vertices = (size_t)(n + 1) * (n + 1);
    double *x0 = bench_must(malloc(vertices * 3 * sizeof *x0)), *x1 = bench_must(malloc(vertices * 3 * sizeof *x1));
    bench_random random = {20};
    toc_scene *sheet;
    toc_mesh *mesh;
    for (size_t v = 0; v < vertices; v++) {
        const double at[3] = {(double)(v % (n + 1)), (double)(v / (n + 1)), 0};
        for (size_t k = 0; k < 3; k++) {
            x0[3 * v + k] = at[k];
            x1[3 * v + k] = at[k] + rounded_to(bench_between(&random, -far, far), how.parts);
        }
        flatten_point(x0 + 3 * v, how.dimensions);
        flatten_point(x1 + 3 * v, how.dimensions);
    }
    bench_check(toc_mesh_create(NULL, &mesh));
    bench_check(toc_mesh_add_vertices(mesh, vertices, x0, NULL));
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = j * (n + 1) + i, b = a + n + 1, corners[6] = {a, a + 1, b + 1, a, b + 1, b};
            bench_check(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL));
        }
    bench_check(bench_mesh_move(mesh, x1));
    bench_check(toc_scene_create(NULL, &sheet));
    bench_check(toc_scene_add_body(sheet, mesh, NULL));
    free(x0);
    free(x1);
    return sheet;
}
