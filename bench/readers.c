// SPDX-License-Identifier: Apache-2.0
// Speed and memory of writing and reading files: each format on a waving sheet, and on the real data if present, on one
// core with the file in cache, beside meshio and VTK if Debian's python3 has them (bench/support/others.py). Every mesh
// read is compared with the mesh written. Times are the best of five rounds, in processor time.
//
//     bench.readers [VERTICES]
//
// MB are 10^6 bytes of the file. "memory" is the peak of allocations during reading, as a multiple of the mesh's
// memory. "resident" is the peak growth of the process in a second read, including the pages of the file, which the
// system keeps in its cache anyway. Memory beyond 1.5 times the mesh is an error for sheets with files larger than a
// megabyte; for smaller files constant costs dominate.
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "bench/bench.h"
#include "bench/support/files.h"
#include "tests/support/data.h"
#include "toccata/toccata.h"

enum { ROUNDS = 5 };

static double megabytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? 1e-6 * (double)about.st_size : 0;
}

/// The numbers of a sheet: doubles in all their digits, floats, or of six decimals.
typedef enum digits { DOUBLES, FLOATS, DECIMALS } digits;

static double round_to(double x, digits kind) {
    return kind == DOUBLES ? x : kind == FLOATS ? 0x1p-20 * floor(0x1p20 * x) : floor(1e6 * x) / 1e6;
}

// A sheet of n * n vertices.
static toc_status make_sheet(size_t n, digits kind, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(NULL, &mesh));
    for (size_t i = 0; i < n * n; i++) {
        double x[3] = {(double)(i % n) / (double)n, (double)(i / n) / (double)n, 0};
        x[2] = 0.1 * sin(20 * x[0]) * cos(20 * x[1]);
        for (int k = 0; k < 3; k++) x[k] = round_to(x[k], kind);
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

// The same triangles between the same positions, bit for bit; ids may differ, because STL has none.
static bool same(const toc_mesh *a, const toc_mesh *b) {
    const size_t elements = toc_mesh_get_element_count(a);
    if (toc_mesh_get_vertex_count(a) != toc_mesh_get_vertex_count(b) || toc_mesh_get_element_count(b) != elements)
        return false;
    for (size_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(a, (uint32_t)i), f = toc_mesh_get_element(b, (uint32_t)i);
        for (int c = 0; c < e.corner_count && e.shape == f.shape; c++) {
            const double *x = toc_mesh_get_x0(a) + 3 * (size_t)e.corners[c],
                         *y = toc_mesh_get_x0(b) + 3 * (size_t)f.corners[c];
            if (x[0] != y[0] || x[1] != y[1] || x[2] != y[2]) return false;
        }
        if (e.shape != f.shape) return false;
    }
    return true;
}

/// The allocated bytes, and their peak.
typedef struct meter {
    size_t alive, peak;
} meter;

static void *metered_resize(void *user, void *block, size_t old_size, size_t new_size) {
    meter *m = user;
    if (new_size == 0) {
        free(block);
        m->alive -= old_size;
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (!moved) return NULL;
    m->alive += new_size - old_size;
    if (m->alive > m->peak) m->peak = m->alive;
    return moved;
}

/// The measurements of a file; 0 for missing ones.
typedef struct figures {
    double megabytes, write, read; // seconds
    double memory, resident;       // multiples of the mesh's memory
    double others[4];              // meshio's write and read, VTK's, in seconds
} figures;

/// The memory of a mesh without spare capacity: that of a copy.
static toc_status mesh_bytes(const toc_mesh *mesh, meter *m, size_t *out) {
    toc_mesh *copy;
    const size_t before = m->alive;
    TOC_TRY(toc_mesh_copy(mesh, &copy));
    *out = m->alive - before;
    toc_mesh_destroy(copy);
    return TOC_OK;
}

/// A number of the process in bytes, such as "VmHWM:".
static double process_bytes(const char *what) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0) kilobytes = strtod(line + strlen(what), NULL);
    if (file) fclose(file);
    return 1024 * kilobytes;
}

/// The growth of a separate process while it reads a file.
static double grown_by_reading(const char *path) {
    double grown = 0;
    int ends[2];
    if (pipe(ends) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        toc_mesh *mesh;
        if (toc_mesh_read(path, NULL, &mesh) == TOC_OK) toc_mesh_destroy(mesh); // loads code and libraries
        malloc_trim(0);
        FILE *peak = fopen("/proc/self/clear_refs", "w"); // reset the peak
        if (peak) fputs("5", peak), fclose(peak);
        const double before = process_bytes("VmRSS:");
        if (toc_mesh_read(path, NULL, &mesh) == TOC_OK) grown = process_bytes("VmHWM:") - before;
        _exit(write(ends[1], &grown, sizeof grown) == sizeof grown ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    if (read(ends[0], &grown, sizeof grown) != sizeof grown) grown = 0;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return grown;
}

static toc_status measure_memory(const char *path, figures *f) {
    meter m = {0};
    const toc_allocator allocator = {metered_resize, &m};
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_read(path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &allocator}, &mesh));
    const double peak = (double)m.peak;
    size_t need = 0;
    const toc_status status = mesh_bytes(mesh, &m, &need);
    toc_mesh_destroy(mesh);
    f->memory = peak / (double)need;
    f->resident = grown_by_reading(path) / (double)need;
    return status;
}

static toc_status time_reading(const char *path, const toc_mesh *wanted, figures *f) {
    f->read = 1e300;
    f->megabytes = megabytes(path);
    for (int round = 0; round < ROUNDS; round++) {
        toc_mesh *mesh;
        const double start = bench_seconds();
        TOC_TRY(toc_mesh_read(path, NULL, &mesh));
        f->read = fmin(f->read, bench_seconds() - start);
        const bool right = !wanted || same(wanted, mesh);
        toc_mesh_destroy(mesh);
        if (!right) return toc_fail(TOC_INTERNAL, "%s does not hold what was written", path);
    }
    return measure_memory(path, f);
}

static toc_status time_writing(const char *path, const toc_mesh *mesh, figures *f) {
    f->write = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = bench_seconds();
        TOC_TRY(toc_mesh_write(path, mesh, TOC_AT_START));
        f->write = fmin(f->write, bench_seconds() - start);
    }
    return TOC_OK;
}

/// The same file with meshio and VTK; no result if python3 or the libraries are missing.
static void time_others(const char *path, figures *f) {
    char command[8192];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/bench/support/others.py' '%s' 2>/dev/null", TOC_SOURCE_DIR,
             path);
    FILE *answer = popen(command, "r");
    if (!answer) return;
    double *o = f->others;
    if (fscanf(answer, "%lf %lf %lf %lf", &o[0], &o[1], &o[2], &o[3]) != 4) memset(o, 0, sizeof f->others);
    pclose(answer);
}

static toc_status check_memory(const char *what, const figures *f) {
    if (f->megabytes < 1 || f->memory <= 1.5) return TOC_OK;
    return toc_fail(TOC_INTERNAL, "%s: reading took %.2f times the memory of the mesh", what, f->memory);
}

static void print_speed(double megabytes_done, double seconds) {
    if (seconds > 0)
        printf(" %8.0f", megabytes_done / seconds);
    else
        printf(" %8s", "-");
}

static void print_figures(const char *what, const figures *f) {
    printf("%-32s %7.1f", what, f->megabytes);
    print_speed(f->megabytes, f->write);
    print_speed(f->megabytes, f->others[0]);
    print_speed(f->megabytes, f->others[2]);
    print_speed(f->megabytes, f->read);
    print_speed(f->megabytes, f->others[1]);
    print_speed(f->megabytes, f->others[3]);
    printf(" %8.2f %9.2f\n", f->memory, f->resident);
    fflush(stdout);
}

static toc_status measure_format(const char *folder, const toc_format_info *format, const char *what,
                                 const toc_mesh *mesh) {
    char path[4096];
    figures f = {0};
    snprintf(path, sizeof path, "%s/sheet%.*s", folder, (int)strcspn(format->extensions, " "), format->extensions);
    toc_status status = time_writing(path, mesh, &f);
    if (status == TOC_OK) status = time_reading(path, mesh, &f);
    if (status == TOC_OK) time_others(path, &f);
    unlink(path);
    if (status == TOC_OK) print_figures(what, &f);
    return status == TOC_OK ? check_memory(what, &f) : status;
}

static toc_status measure_written(const char *folder, size_t n) {
    toc_mesh *doubles, *floats;
    TOC_TRY(make_sheet(n, DOUBLES, &doubles));
    TOC_TRY(make_sheet(n, FLOATS, &floats));
    toc_format_info format;
    for (size_t i = 0; toc_format_get(i, &format); i++) {
        if (!format.reads || !format.writes) continue;
        const bool stl = strcmp(format.name, "stl") == 0, gltf = strcmp(format.name, "gltf") == 0;
        TOC_TRY(measure_format(folder, &format, stl ? "stl, text" : format.name, gltf ? floats : doubles));
        if (stl) TOC_TRY(measure_format(folder, &format, "stl, binary", floats));
    }
    toc_mesh_destroy(doubles);
    toc_mesh_destroy(floats);
    return TOC_OK;
}

static toc_status measure_file(const char *folder, const bench_file *file, const toc_mesh *mesh) {
    char path[4096];
    figures f = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    if (!bench_file_write(file, folder, mesh)) return toc_fail(TOC_BAD_INPUT, "%s: cannot be written", path);
    const toc_status status = time_reading(path, mesh, &f);
    if (status == TOC_OK) time_others(path, &f);
    bench_file_remove(file, folder);
    f.others[0] = f.others[2] = 0; // they write another form
    if (status == TOC_OK) print_figures(file->what, &f);
    return status == TOC_OK ? check_memory(file->what, &f) : status;
}

static toc_status measure_others_files(const char *folder, size_t n) {
    toc_mesh *decimals;
    TOC_TRY(make_sheet(n, DECIMALS, &decimals));
    bench_file file;
    toc_status status = TOC_OK;
    for (size_t i = 0; bench_file_list(i, &file) && status == TOC_OK; i++)
        status = measure_file(folder, &file, decimals);
    toc_mesh_destroy(decimals);
    return status;
}

static toc_status measure_real(void) {
    static const char *const names[] = {"frames/cloth-ball/start.ply",
                                        "frames/n-body/start.ply",
                                        "sequences/horse-collapse/024.ply",
                                        "sequences/kick/40.obj",
                                        "sequences/tshirt/60.obj",
                                        "volumes/Armadillo13K.msh",
                                        "volumes/hexa.vtk",
                                        "volumes/fichera-mixed-p2.vtk",
                                        "characters/mannequiny.glb",
                                        "crash/car6.k",
                                        "crash/airbag.k",
                                        "crash/projectile/d3plot"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = test_data("%s", names[i]);
        figures f = {0};
        if (!path) continue;
        if (time_reading(path, NULL, &f) != TOC_OK) {
            printf("%-32s %s\n", names[i], toc_message_get());
            continue;
        }
        time_others(path, &f);
        print_figures(names[i], &f);
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
    printf("%-32s %7s %26s %26s\n", "", "", "write, MB/s", "read, MB/s");
    printf("%-32s %7s %8s %8s %8s %8s %8s %8s %8s %9s\n", "file", "MB", "toccata", "meshio", "VTK", "toccata", "meshio",
           "VTK", "memory", "resident");
    const size_t n = (size_t)sqrt(vertices);
    toc_status status = measure_written(folder, n);
    if (status == TOC_OK) status = measure_others_files(folder, n);
    if (status == TOC_OK) status = measure_real();
    rmdir(folder);
    if (status != TOC_OK) fprintf(stderr, "%s\n", toc_message_get());
    return status == TOC_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
