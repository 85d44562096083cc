// SPDX-License-Identifier: Apache-2.0
// How fast files are written and read: each format on a waving sheet, and the real data where it is there. Every mesh
// that comes back is compared with the one that went out; the best of five rounds counts.
//
//     bench.readers [VERTICES]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/threads.h"
#include "toccata/toccata.h"

enum { ROUNDS = 5 };

static double megabytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? 1e-6 * (double)about.st_size : 0;
}

// A sheet of n * n vertices, of doubles in all their digits or of floats.
static toc_status make_sheet(size_t n, bool floats, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(NULL, &mesh));
    for (size_t i = 0; i < n * n; i++) {
        double x[3] = {(double)(i % n) / (double)n, (double)(i / n) / (double)n, 0};
        x[2] = 0.1 * sin(20 * x[0]) * cos(20 * x[1]);
        for (int k = 0; k < 3 && floats; k++) x[k] = 0x1p-20 * floor(0x1p20 * x[k]);
        TOC_TRY(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    for (size_t i = 0; i + n < n * n; i++) {
        if (i % n + 1 == n) continue;
        const uint32_t a = (uint32_t)i, b = a + 1, c = a + (uint32_t)n, d = c + 1;
        TOC_TRY(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){a, b, d, a, d, c}, NULL));
    }
    *out = mesh;
    return TOC_OK;
}

// The same triangles between the same places, bit for bit; ids may differ, since STL has none.
static bool same(const toc_mesh *a, const toc_mesh *b) {
    const size_t elements = toc_mesh_element_count(a);
    if (toc_mesh_vertex_count(a) != toc_mesh_vertex_count(b) || toc_mesh_element_count(b) != elements) return false;
    for (size_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_element(a, (uint32_t)i), f = toc_mesh_element(b, (uint32_t)i);
        for (int c = 0; c < e.corner_count && e.shape == f.shape; c++) {
            const double *x = toc_mesh_x0(a) + 3 * (size_t)e.corners[c], *y = toc_mesh_x0(b) + 3 * (size_t)f.corners[c];
            if (x[0] != y[0] || x[1] != y[1] || x[2] != y[2]) return false;
        }
        if (e.shape != f.shape) return false;
    }
    return true;
}

static toc_status time_reading(const char *path, const toc_mesh *wanted, double *seconds) {
    *seconds = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        toc_mesh *mesh;
        const double start = toc_seconds();
        TOC_TRY(toc_mesh_read(path, NULL, &mesh));
        *seconds = fmin(*seconds, toc_seconds() - start);
        const bool right = !wanted || same(wanted, mesh);
        toc_mesh_destroy(mesh);
        if (!right) return toc_fail(TOC_INTERNAL, "%s does not hold what was written", path);
    }
    return TOC_OK;
}

static toc_status time_writing(const char *path, const toc_mesh *mesh, double *seconds) {
    *seconds = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = toc_seconds();
        TOC_TRY(toc_mesh_write(path, mesh, TOC_START));
        *seconds = fmin(*seconds, toc_seconds() - start);
    }
    return TOC_OK;
}

static toc_status measure_format(const char *folder, const toc_format_info *format, const char *what,
                                 const toc_mesh *mesh) {
    char path[4096];
    snprintf(path, sizeof path, "%s/sheet%.*s", folder, (int)strcspn(format->extensions, " "), format->extensions);
    double writing, reading;
    toc_status status = time_writing(path, mesh, &writing);
    if (status == TOC_OK) status = time_reading(path, mesh, &reading);
    const double size = megabytes(path);
    unlink(path);
    if (status != TOC_OK) return status;
    printf("%-28s %8.1f %12.0f %12.0f\n", what, size, size / writing, size / reading);
    return TOC_OK;
}

static toc_status measure_formats(const char *folder, size_t n) {
    toc_mesh *doubles, *floats;
    TOC_TRY(make_sheet(n, false, &doubles));
    TOC_TRY(make_sheet(n, true, &floats));
    toc_format_info format;
    for (size_t i = 0; toc_format_list(i, &format); i++) {
        if (!format.reads || !format.writes) continue;
        TOC_TRY(measure_format(folder, &format, format.name, doubles));
        if (strcmp(format.name, "stl") == 0) TOC_TRY(measure_format(folder, &format, "stl of floats", floats));
    }
    toc_mesh_destroy(doubles);
    toc_mesh_destroy(floats);
    return TOC_OK;
}

static toc_status measure_real(void) {
    static const char *const names[] = {"frames/cloth-ball/start.ply", "frames/n-body/start.ply",
                                        "sequences/horse-collapse/024.ply", "sequences/kick/40.obj",
                                        "sequences/tshirt/60.obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", TOC_DATA_DIR, names[i]);
        if (access(path, R_OK) != 0) continue;
        double reading;
        TOC_TRY(time_reading(path, NULL, &reading));
        printf("%-28s %8.1f %12s %12.0f\n", names[i], megabytes(path), "", megabytes(path) / reading);
    }
    return TOC_OK;
}

int main(int count, char **arguments) {
    const double vertices = count > 1 ? strtod(arguments[1], NULL) : 250000;
    const char *base = getenv("TMPDIR");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/toccata-bench-XXXXXX", base ? base : P_tmpdir);
    if (!(vertices >= 4 && vertices < 1e9) || !mkdtemp(folder)) {
        fprintf(stderr, "give a number of vertices, and TMPDIR where files can be written\n");
        return EXIT_FAILURE;
    }
    printf("%-28s %8s %12s %12s\n", "file", "MB", "write MB/s", "read MB/s");
    toc_status status = measure_formats(folder, (size_t)sqrt(vertices));
    if (status == TOC_OK) status = measure_real();
    rmdir(folder);
    if (status != TOC_OK) fprintf(stderr, "%s\n", toc_message());
    return status == TOC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
