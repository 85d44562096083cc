// SPDX-License-Identifier: Apache-2.0
// The same two sheets in two scenes: one has its positions in the meshes, the other takes them from memory, of the
// processor or of a device. Every answer must have the same bits.
#ifndef TOC_TEST_TWINS_H
#define TOC_TEST_TWINS_H

#include "support/answers.h"

enum { TEST_TWIN_CELLS = 10, TEST_TWIN_BODIES = 2 };

typedef struct test_twins {
    toc_scene *copied, *shared;
    size_t count; // vertices of a sheet
    double *x[TEST_TWIN_BODIES][2];
    char *memory[TEST_TWIN_BODIES][2]; // of the shared positions; NULL until the test makes it
} test_twins;

void test_twins_make(test_twins *twins);
/// @param release of the memory.
void test_twins_free(test_twins *twins, void (*release)(void *at));
/// New positions, which a float holds, too.
void test_twins_place(test_twins *twins, test_random *random);
/// Give them to a body of the scene that copies.
void test_twins_copy(const test_twins *twins, int body);
/// Write one end of a body with a stride; 0 for one without a gap.
void test_twins_write(const test_twins *twins, int body, int end, toc_scalar scalar, size_t stride, char *to);
/// The bytes of a vertex with a stride; 0 as above.
size_t test_twins_stride(toc_scalar scalar, size_t stride);
/// Ask both scenes all questions, the one that shares with a device.
void test_twins_assert_same(const test_twins *twins, toc_device_choice device, int threads);
void test_assert_same_contacts(const toc_contacts *got, const toc_contacts *wanted);

#endif
