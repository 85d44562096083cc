// SPDX-License-Identifier: Apache-2.0
// An independent oracle for tets that share a corner: one is clipped by the faces of the other in rational numbers
// (GMP), without any code of the library.
#ifndef TOC_TEST_FOLD_H
#define TOC_TEST_FOLD_H

#include <stdbool.h>

/// Whether the interiors of two tets with a common corner meet. Exact; about 0.1 ms. Without GMP the
/// library answers.
bool test_tets_are_folded(const double *const a[4], const double *const b[4]);

#endif
