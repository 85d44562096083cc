// SPDX-License-Identifier: Apache-2.0
// An elementary method: one file in this folder, one row in pair.c.
#ifndef TOC_PAIR_PAIR_H
#define TOC_PAIR_PAIR_H

#include "base/memory.h"
#include "toccata/pair.h"

/// Answer one elementary question. The input is finite and the settings are valid: toc_pair_find has checked them.
/// Methods fill `verdict`, `toc` and, unless apart, the rest (toc_hit_locate does that from the time).
/// @param scratch memory for the time of the call; the method returns it to where it was.
typedef toc_status toc_pair_method(toc_kind kind, const double x0[4][3], const double x1[4][3],
                                   const toc_pair_test *test, toc_arena *scratch, toc_hit *out);

/// How sharp the times of a method are: at most 2^-29 of themselves early, and the same for any end of the part of the
/// step that is tested.
typedef enum toc_sharpness {
    TOC_SHARP_NEVER = 0,
    TOC_SHARP_IF_EXACT, // if exact arithmetic decides the undecided pairs, and the tolerance is 0
    TOC_SHARP_ALWAYS
} toc_sharpness;

/// A row of the table of methods in pair.c. A column that a row leaves out promises nothing.
typedef struct toc_method_row {
    const char *name;
    toc_pair_method *find;
    bool complete; // no contact is missed; without a tolerance none is invented by any method
    bool convex;   // also decides convex elements and parabolic paths (convex/)
    bool in_lanes; // batches pass the prefilter and the kernels (pair/batch.c)
    toc_sharpness sharp;
} toc_method_row;

/// The row of a method that exists.
const toc_method_row *toc_method_row_of(toc_method method);
/// Whether the times of a test are sharp.
bool toc_pair_test_is_sharp(const toc_pair_test *test);

/// Exact arithmetic alone, without predicates in floating point: the reference in the tests.
toc_pair_method toc_integer_pair;
toc_pair_method toc_exact_pair, toc_certified_pair, toc_cubic_pair, toc_ca_feature_pair, toc_ca_triangle_pair,
    toc_culling_pair, toc_inclusion_pair, toc_additive_pair;

/// Check that there is such a kind; fails with a message.
toc_status toc_kind_check(toc_kind kind);
/// Copy a caller's settings, of this version or an older one, and check them.
/// Write the defaults into a caller's structure of `size` bytes.
toc_status toc_pair_test_begin(void *test, size_t size);
toc_status toc_pair_test_take(const toc_pair_test *given, toc_pair_test *out);
/// Check the settings; fails with a message.
toc_status toc_pair_test_check(const toc_pair_test *test);

/// Bring the weights of a feature into [0, 1] and their sum to 1, up to rounding (G12).
void toc_weights_tidy(int count, double *weights);

/// Fill weights, point and normal of a hit by the closest points at its time, in floating point. For methods with a
/// tolerance or with early times.
void toc_hit_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);

/// Fill point and normal of a hit from its time and weights; weights are brought into [0, 1], their sums to 1.
void toc_hit_place(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);

/// As toc_pair_find, without checking the input and with the caller's scratch memory.
toc_pair_method toc_pair_find_unchecked;

/// As toc_pair_find_batch, with settings that are known to be valid and with the caller's scratch memory.
toc_status toc_pair_find_batch_unchecked(const toc_pair_batch *batch, const toc_pair_test *test, toc_arena *scratch,
                                         toc_verdict *verdicts, double *times);

#endif
