// SPDX-License-Identifier: Apache-2.0
// The first contact of two moving triangles.
#ifndef TOC_PAIR_TRIANGLE_PAIR_H
#define TOC_PAIR_TRIANGLE_PAIR_H

#include "pair/pair.h"

/// As toc_triangles_find, without checking the input and with the caller's scratch memory.
toc_status toc_triangles_find_unchecked(const toc_triangle_pair *pair, const toc_pair_test *test, toc_arena *scratch,
                                        toc_triangle_hit *out);

#endif
