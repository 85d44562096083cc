// SPDX-License-Identifier: Apache-2.0
// A folded sheet in waves: the lower half rests but for its waves, the upper half sinks through it.
#include "bench/support/folded.h"

#include <math.h>
#include <stdlib.h>

#include "bench/support/measure.h"

size_t bench_folded_vertices(uint32_t n) { return (size_t)(n + 1) * (n + 1); }

// The point (u, v) of the sheet; w is 0 on the lower half, 1 on the upper one, in between on the fold.
static void place_point(double u, double v, double t, bench_folded_lay lay, double x[3]) {
    const double pi = 3.141592653589793, height = fmax(0.30 - 0.016 * t, -0.02);
    const double low = 0.012 * sin(9 * u + 0.15 * t) * cos(7 * v + 0.1 * t);
    const double high = 0.012 * sin(8 * u - 0.12 * t + 1) * cos(10 * v - 0.2 * t);
    const double w = fmin(fmax((v - 0.45) / 0.1, 0), 1), sway = 0.004 * sin(13 * v + 0.1 * t);
    x[0] = u;
    x[1] = w == 0 ? v : w == 1 ? 1 - v : 0.45 + 0.05 * sin(w * pi);
    x[2] = w == 0 ? low : w == 1 ? height + high : height / 2 * (1 - cos(w * pi)) + low * (1 - w) + high * w;
    if (lay != BENCH_FOLDED_GENERIC) {
        x[0] += sway * (v > 0.5);
        return;
    }
    const double across = x[0], along = x[1];
    x[0] = across + w * (0.0031 + 0.05 * (along - 0.5) + sway);
    x[1] = along + w * (0.0023 - 0.04 * (across - 0.5));
}

// Planes of constant x and y become oblique. Of multiples of 2^-30 this is exact.
static void shear_point(double x[3]) {
    for (int c = 0; c < 3; c++) x[c] = ldexp(nearbyint(ldexp(x[c], 30)), -30);
    x[1] += x[0] / 4 + x[2] / 4;
    x[0] += x[2] / 2;
}

// Around two axes, by angles that are no part of a turn.
static void turn_point(double x[3]) {
    const double c = cos(0.7), s = sin(0.7), y = c * x[1] - s * x[2], z = s * x[1] + c * x[2];
    x[1] = s * x[0] + c * y;
    x[0] = c * x[0] - s * y;
    x[2] = z;
}

void bench_folded_place(uint32_t n, bench_folded_lay lay, int frame, double *x) {
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = 0; j <= n; j++) {
            double *at = x + 3 * (i * (n + 1) + j);
            place_point((double)i / n, (double)j / n, frame, lay, at);
            if (lay == BENCH_FOLDED_SHEARED) shear_point(at);
            if (lay == BENCH_FOLDED_TURNED) turn_point(at);
        }
}

toc_mesh *bench_folded_mesh(uint32_t n) {
    const size_t vertices = bench_folded_vertices(n);
    double *x = bench_must(calloc(3 * vertices, sizeof *x));
    toc_mesh *mesh;
    bench_check(toc_mesh_create(NULL, &mesh));
    bench_check(toc_mesh_add_vertices(mesh, vertices, x, NULL));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t a = i * (n + 1) + j, b = a + 1, c = a + n + 1, d = c + 1;
            const uint32_t odd[6] = {a, c, b, b, c, d}, even[6] = {a, c, d, a, d, b};
            bench_check(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (i + j) % 2 ? odd : even, NULL));
        }
    free(x);
    return mesh;
}
