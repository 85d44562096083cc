// SPDX-License-Identifier: Apache-2.0
// Meshes read from text, made for round trips, and compared.
#ifndef TOC_TEST_MESHES_H
#define TOC_TEST_MESHES_H

#include "support/test.h"

/// Read bytes as if they were a file of this name.
toc_status test_mesh_parse(const char *name, const void *bytes, size_t count, const toc_allocator *allocator,
                           toc_mesh **out);
/// The same for a text that must be valid.
toc_mesh *test_mesh_of(const char *name, const char *text);
/// The text must be refused as TOC_BAD_INPUT with these words in the message.
#define assert_refused(name, text, words) \
    assert_fails(test_mesh_parse((name), (text), strlen(text), NULL, &(toc_mesh *){NULL}), TOC_BAD_INPUT, (words))

/// Shape and corners of an element: assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2).
#define assert_element(mesh, element, shape, ...)                                                                 \
    assert_element_((mesh), (element), (shape), sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__}, \
                    __FILE__, __LINE__)
void assert_element_(const toc_mesh *mesh, uint32_t element, toc_shape shape, size_t count, const uint32_t *corners,
                     const char *file, int line);

/// The start positions of a vertex, bit for bit.
void assert_vertex(const toc_mesh *mesh, uint32_t vertex, double x, double y, double z);
/// The same features with the same flags.
void test_assert_same_features(const toc_features *f, const toc_features *g);
/// The same vertices bit for bit and the same elements.
void assert_same_mesh(const toc_mesh *a, const toc_mesh *b);

/// Triangles, then quads, then edges, then points between random vertices with doubles of every magnitude.
toc_mesh *test_mesh_random(test_random *random, const toc_shape *shapes, size_t shape_count, size_t count);

#endif
