// SPDX-License-Identifier: Apache-2.0
// The exact decision of an elementary question, for vertices on polynomial paths.
#ifndef TOC_PAIR_EXACT_H
#define TOC_PAIR_EXACT_H

#include "base/memory.h"
#include "number/path.h"
#include "toccata/pair.h"

/// A question in one form for both kinds.
typedef struct toc_question {
    toc_kind kind;
    const toc_path *p;        // the four vertices
    toc_path n;               // normal of the common plane, where the features span one
    toc_polynomial coplanar;  // zero when all four are in one plane
    toc_polynomial inside[4]; // with n not zero, all of these at least 0 means: over each other along n
    int inside_count;
    toc_polynomial n_squared;
} toc_question;

toc_question toc_question_of(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4]);

/// Vertex `point` of one feature and edge `from`-`to` of the other.
typedef struct toc_corner_case {
    int point, from, to;
} toc_corner_case;

/// All of a kind.
const toc_corner_case *toc_corner_cases(toc_kind kind, int *count);

/// The polynomial whose roots are the times at which a vertex can come to lie on an edge, or leave it, in flat motion.
/// Zero when it is at an end of the edge all the time.
toc_polynomial toc_corner_times(toc_number_scope *numbers, const toc_path *p, toc_corner_case at);

/// Whether the features touch at a time at which they are in one plane. May refine the time.
bool toc_question_touches(toc_number_scope *numbers, const toc_question *question, toc_root *time);

/// Whether the two features of a kind touch at any s in [0, 1] (touching at an end counts), and the first such s.
/// Right for any paths: flat or vanishing features, parallel edges, motion in one plane.
/// Valid only if numbers->failed is not set.
bool toc_exact_first(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4], toc_root *first);

/// Fill weights, point and normal of a contact that is first in [toc, toc (1 + 2^-30)] and where the features cross
/// each other: those of the true time of contact (docs/guarantees.md, G12).
toc_status toc_exact_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                            toc_arena *scratch, toc_hit *hit);

#endif
