// SPDX-License-Identifier: Apache-2.0
// Meshes read from text, made for round trips, and compared.
#include "support/meshes.h"

#include <math.h>
#include <string.h>

#include "io/core/format.h"
#include "support/sources.h"

toc_status test_mesh_parse(const char *name, const void *bytes, size_t count, const toc_allocator *allocator,
                           toc_mesh **out) {
    toc_source source;
    const toc_status copied = test_source_copy(name, bytes, count, allocator, &source);
    if (copied != TOC_OK) return copied;
    const toc_status status = toc_format_read(NULL, &source, out);
    toc_source_close(&source);
    return status;
}

toc_mesh *test_mesh_of(const char *name, const char *text) {
    toc_mesh *mesh = NULL;
    assert_ok(test_mesh_parse(name, text, strlen(text), NULL, &mesh));
    return mesh;
}

void assert_element_(const toc_mesh *mesh, uint32_t element, toc_shape shape, size_t count, const uint32_t *corners,
                     const char *file, int line) {
    _assert_true(element < toc_mesh_get_element_count(mesh), "the element exists", file, line);
    const toc_element got = toc_mesh_get_element(mesh, element);
    _assert_int_equal((LargestIntegralType)got.shape, (LargestIntegralType)shape, file, line);
    _assert_int_equal((LargestIntegralType)got.corner_count, count, file, line);
    for (size_t i = 0; i < count; i++) _assert_int_equal(got.corners[i], corners[i], file, line);
}

void assert_vertex(const toc_mesh *mesh, uint32_t vertex, double x, double y, double z) {
    assert_true(vertex < toc_mesh_get_vertex_count(mesh));
    assert_memory_equal(toc_mesh_get_x0(mesh) + 3 * (size_t)vertex, ((double[]){x, y, z}), 3 * sizeof(double));
}

void assert_same_mesh(const toc_mesh *a, const toc_mesh *b) {
    const size_t vertices = toc_mesh_get_vertex_count(a), elements = toc_mesh_get_element_count(a);
    assert_int_equal(toc_mesh_get_vertex_count(b), vertices);
    assert_int_equal(toc_mesh_get_element_count(b), elements);
    assert_memory_equal(toc_mesh_get_x0(a), toc_mesh_get_x0(b), 3 * vertices * sizeof(double));
    for (size_t i = 0; i < elements; i++) {
        const toc_element e = toc_mesh_get_element(a, (uint32_t)i), f = toc_mesh_get_element(b, (uint32_t)i);
        assert_int_equal(e.shape, f.shape);
        assert_memory_equal(e.corners, f.corners, (size_t)e.corner_count * sizeof *e.corners);
    }
}

// Any finite double: half of them ordinary, the others random bits, sometimes special values.
static double random_double(test_random *random) {
    static const double traps[] = {0.0, -0.0, 0x1p-1074, -0x1p-1022, 1e308, -1.7976931348623157e308, 0.1, 1e15, 1e22};
    const uint32_t choice = test_random_below(random, 20);
    if (choice < 10) return test_random_between(random, -1, 1);
    if (choice < 12) return traps[test_random_below(random, sizeof traps / sizeof traps[0])];
    const uint64_t bits = test_random_bits(random);
    double x;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 1.0;
}

toc_mesh *test_mesh_random(test_random *random, const toc_shape *shapes, size_t shape_count, size_t count) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (size_t i = 0; i < count; i++) {
        const double x[3] = {random_double(random), random_double(random), random_double(random)};
        assert_ok(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    for (size_t s = 0; s < shape_count; s++) {
        for (size_t i = 0; i < count / 4; i++) {
            const uint32_t first = test_random_below(random, (uint32_t)count);
            uint32_t corners[8]; // all different: neighbours of a random first one
            for (uint32_t c = 0; c < 8; c++) corners[c] = (first + 7 * c) % (uint32_t)count;
            assert_ok(toc_mesh_add_elements(mesh, shapes[s], 1, corners, NULL));
        }
    }
    return mesh;
}

void test_assert_same_features(const toc_features *f, const toc_features *g) {
    assert_int_equal(f->vertex_count, g->vertex_count);
    assert_int_equal(f->edge_count, g->edge_count);
    assert_int_equal(f->face_count, g->face_count);
    assert_memory_equal(f->vertices, g->vertices, f->vertex_count * sizeof *f->vertices);
    assert_memory_equal(f->vertex_flags, g->vertex_flags, f->vertex_count);
    assert_memory_equal(f->edges, g->edges, f->edge_count * sizeof *f->edges);
    assert_memory_equal(f->edge_flags, g->edge_flags, f->edge_count);
    assert_memory_equal(f->faces, g->faces, f->face_count * sizeof *f->faces);
    assert_memory_equal(f->face_flags, g->face_flags, f->face_count);
}
