// SPDX-License-Identifier: Apache-2.0
// Answers about scenes: comparisons, and queries under failing allocations.
#ifndef TOC_TEST_ANSWERS_H
#define TOC_TEST_ANSWERS_H

#include "support/grid.h"

/// The answer of a preset with the certified test, and without the normal test of `voxel`, which can miss. Destroy with
/// toc_contacts_destroy, likewise below. Features are thin, likewise below.
toc_contacts *test_find_contacts(toc_scene *bodies, const char *preset, toc_answer answer, double separation,
                                 int threads);

/// The contacts that exact arithmetic finds on every pair.
toc_contacts *test_find_truth(toc_scene *bodies, double separation);

/// Two soups that start at or near the positions of test_soup and end up to `end` away. Destroy with toc_scene_destroy.
toc_scene *test_scene_of_soups(test_random *random, toc_shape shape, uint32_t elements, uint32_t vertices, double end);

/// The same pairs in the same order; times may differ.
void test_assert_same_pairs(const toc_contacts *got, const toc_contacts *wanted);

/// The counts of a stage. Fails the test if there is no stage with that name.
toc_stage test_stage(const toc_contacts *contacts, const char *name);

/// Move each coordinate of a body by up to `by` from its last end; 0 leaves it there.
void test_step_body(toc_scene *bodies, uint32_t body, test_random *random, double by);

/// A flat sheet of triangles in the plane z = 0, at rest, shifted by x along both of its sides: two such sheets touch
/// wherever they overlap.
toc_mesh *test_sheet_at(uint32_t cells, double x);

/// Query a preset three times for the contacts of a small scene, for test_every_allocation; user is its name.
toc_status test_ask_three_times(const toc_allocator *allocator, void *user);

/// A scene with one body of two elements that share no vertex, for tests of failing allocations.
/// @param x of the corners of the first element, then of the second.
/// @param out untouched on failure.
toc_status test_scene_of_two(const toc_allocator *allocator, toc_shape shape, const double *x, toc_scene **out);
/// The same with triangles.
toc_status test_scene_of_triangles(const toc_allocator *allocator, const double x[18], toc_scene **out);

#endif
