// SPDX-License-Identifier: Apache-2.0
// CPU time to find the features of a grid of a million elements, the best of three runs; Euler's formula checks the
// answer.
//
//     bench.features [ELEMENTS]
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "mesh/features.h"

// Cells of the grid cut into elements, by corner numbers of the cell: x + 2 y + 4 z.
typedef struct cut {
    const char *name;
    toc_shape shape;
    size_t parts;
    uint32_t corners[6][8];
} cut;

static const cut cuts[] = {
    {"triangles", TOC_TRIANGLE, 2, {{0, 1, 3}, {0, 3, 2}}},
    {"tets", TOC_TET, 6, {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}},
    {"hexes", TOC_HEX, 1, {{0, 1, 3, 2, 4, 5, 7, 6}}},
};

static toc_status add_vertices(toc_mesh *mesh, const size_t n[3]) {
    const size_t count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    double *x = malloc(3 * count * sizeof *x);
    if (!x) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        x[3 * i] = (double)(i % (n[0] + 1));
        x[3 * i + 1] = (double)(i / (n[0] + 1) % (n[1] + 1));
        x[3 * i + 2] = (double)(i / (n[0] + 1) / (n[1] + 1));
    }
    const toc_status status = toc_mesh_add_vertices(mesh, count, x, NULL);
    free(x);
    return status;
}

static size_t cell_corner(const size_t n[3], size_t cell, uint32_t corner) {
    const size_t layers = n[2] > 0 ? n[2] : 1, row = n[0] + 1, layer = row * (n[1] + 1);
    const size_t x = cell % n[0] + (corner & 1), y = cell / n[0] % n[1] + (corner >> 1 & 1);
    const size_t z = cell / n[0] / n[1] % layers + (corner >> 2 & 1);
    return x + row * y + layer * z;
}

static toc_status add_elements(toc_mesh *mesh, const cut *c, const size_t n[3]) {
    const size_t cells = n[0] * n[1] * (n[2] > 0 ? n[2] : 1), corners = (size_t)toc_shape_count_corners(c->shape);
    uint32_t *all = malloc(cells * c->parts * corners * sizeof *all), *next = all;
    if (!all) return TOC_OUT_OF_MEMORY;
    for (size_t cell = 0; cell < cells; cell++)
        for (size_t part = 0; part < c->parts; part++)
            for (size_t i = 0; i < corners; i++) *next++ = (uint32_t)cell_corner(n, cell, c->corners[part][i]);
    const toc_status status = toc_mesh_add_elements(mesh, c->shape, cells * c->parts, all, NULL);
    free(all);
    return status;
}

// A box and a sheet are connected and have no holes: vertices - edges + faces - volumes is 1.
static bool obeys_euler(const toc_mesh *mesh, const toc_features *f, bool volumes) {
    const size_t elements = volumes ? toc_mesh_get_element_count(mesh) : 0;
    return f->vertex_count - f->edge_count + f->face_count - elements == 1;
}

static toc_status time_features(const toc_mesh *mesh, bool neighbours, const cut *c, double *ms) {
    *ms = 1e300;
    for (int round = 0; round < 3; round++) {
        toc_features *f;
        const double start = bench_seconds();
        TOC_TRY(toc_features_make(mesh, neighbours, 1, &f));
        const double spent = 1e3 * (bench_seconds() - start);
        if (spent < *ms) *ms = spent;
        const bool right = obeys_euler(mesh, f, c->shape != TOC_TRIANGLE);
        toc_features_destroy(f);
        if (!right) return toc_fail(TOC_INTERNAL, "Euler's formula does not hold for %s", c->name);
    }
    return TOC_OK;
}

static toc_status measure(toc_mesh *mesh, const cut *c, const size_t n[3]) {
    double without, with;
    const double start = bench_seconds();
    TOC_TRY(add_vertices(mesh, n));
    TOC_TRY(add_elements(mesh, c, n));
    const double built = 1e3 * (bench_seconds() - start);
    TOC_TRY(time_features(mesh, false, c, &without));
    TOC_TRY(time_features(mesh, true, c, &with));
    printf("%9zu %-9s  built %6.0f ms  features %6.0f ms  and neighbours %6.0f ms\n", toc_mesh_get_element_count(mesh),
           c->name, built, without, with);
    return TOC_OK;
}

static toc_status measure_cut(const cut *c, size_t elements) {
    size_t n[3] = {1, 1, 0};
    const bool flat = c->shape == TOC_TRIANGLE;
    while ((flat ? n[0] * n[0] : n[0] * n[0] * n[0]) * c->parts < elements) n[0]++;
    n[1] = n[0];
    n[2] = flat ? 0 : n[0];
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(NULL, &mesh));
    const toc_status status = measure(mesh, c, n);
    toc_mesh_destroy(mesh);
    return status;
}

int main(int argc, char **argv) {
    const size_t elements = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (measure_cut(&cuts[i], elements) != TOC_OK) {
            fprintf(stderr, "bench.features: %s\n", toc_message_get());
            return 1;
        }
    return 0;
}
