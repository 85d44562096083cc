// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_PAIR_H
#define TOCCATA_PAIR_H

#include <stdbool.h>

#include "toccata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The two elementary questions. Each has four vertices that move on straight lines from x0 to x1.
typedef enum toc_kind {
    TOC_VF = 0, ///< Vertex v against face f0 f1 f2, in this order.
    TOC_EE = 1  ///< Edge ea0 ea1 against edge eb0 eb1, in this order.
} toc_kind;

/// An answer is never a bare bool.
typedef enum toc_verdict {
    TOC_APART = 0,    ///< Certainly no contact in the step.
    TOC_HIT = 1,      ///< Contact, first at the reported time.
    TOC_UNDECIDED = 2 ///< Neither proved apart nor proved a contact; counts as a contact.
} toc_verdict;

/// The algorithm that answers an elementary question.
typedef enum toc_method {
    TOC_METHOD_OF_PRESET = -1, ///< In a toc_query only: the preset's own.
    TOC_METHOD_EXACT = 0,      ///< Exact arithmetic: right for any finite input, slow.
    TOC_METHOD_CERTIFIED,      ///< Separating axes with error bounds: misses nothing, fast.
    TOC_METHOD_CUBIC,          ///< Roots of the coplanarity cubic in floating point (Provot, Bridson): can miss, and
                               ///< its time may be later than the true one by a few roundings, more at double roots.
    TOC_METHOD_COUNT = 8       ///< With those of research, toccata/research.h: 3 to 7.
} toc_method;

/// An elementary method.
typedef struct toc_method_info {
    const char *name; ///< "exact", "certified", ...: as the command takes it. Never NULL.
    bool is_complete; ///< It misses no contact.
} toc_method_info;

/// A method; "unknown", which promises nothing, where there is none.
TOC_API toc_method_info toc_method_get(toc_method method);

/// How to test. Begin with toc_pair_test_default or toc_pair_test_init.
typedef struct toc_pair_test {
    uint32_t size;     ///< Set by toc_pair_test_init; do not change it.
    toc_method method; ///< Default TOC_METHOD_CERTIFIED.
    /// Distance that may be taken for touching, length, >= 0. Default 0: no method invents a contact. Pairs that a
    /// method cannot tell from a contact are undecided then, for exact arithmetic. Not used by TOC_METHOD_EXACT.
    double tolerance;
    double separation;  ///< Touching means this close, length, >= 0. Default 0. TOC_METHOD_CUBIC compares it with
                        ///< the distance at both ends and where the features are coplanar only, as Bridson et al. do.
    double from, to;    ///< The part of the step to look at, 0 <= from <= to <= 1. Default 0 and 1.
    bool exact;         ///< Send undecided pairs on to exact arithmetic. Default true. Else methods that approach a
                        ///< contact leave pairs undecided that come within about a millionth of their size, and
                        ///< TOC_METHOD_CUBIC calls them touching: it decides every pair alone, as published.
    double reserved[4]; ///< 0. Room for later fields: toc_query contains this structure, so its size stays.
} toc_pair_test;

/// Write the defaults named in toc_pair_test.
/// @param size sizeof *test as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_pair_test_init(toc_pair_test *test, size_t size) {
    return toc_defaults_write(TOC_DEFAULTS_PAIR_TEST, test, size);
}
/// The same as a value.
TOC_INLINE_API toc_pair_test toc_pair_test_default(void) {
    toc_pair_test test;
    toc_pair_test_init(&test, sizeof test);
    return test;
}

/// The answer to an elementary question. After TOC_APART only the verdict means anything.
typedef struct toc_hit {
    toc_verdict verdict;
    double toc;        ///< First time of contact in [from, to], never later than the true one (but for
                       ///< TOC_METHOD_CUBIC). TOC_METHOD_EXACT gives it to within 2^-32 of itself, and with a
                       ///< separation to within 1e-9.
    double weights[4]; ///< The place: VF 1 and the barycentrics of the face; EE 1-u, u, 1-w, w along the two edges. In
                       ///< [0, 1]; those of a feature sum to 1. Exact arithmetic gives those of the true time (G12).
    double point[3];   ///< The contact point: the weights applied to the second feature at `toc`.
    double normal[3];  ///< Unit normal of the contact, against the motion of the first feature relative to the second.
} toc_hit;

/// The four vertices of a question at the start and at the end, in the kind's order.
typedef struct toc_pair {
    double x0[4][3], x1[4][3];
} toc_pair;

/// Answer one elementary question. Non-finite coordinates are TOC_BAD_INPUT.
TOC_API toc_status toc_pair_find(toc_kind kind, const toc_pair *pair, const toc_pair_test *test, toc_hit *out);

/// Many questions of one kind. The corners of pair i, in the kind's order, are in columns or, if `vertices` is not
/// NULL, vertices of one or two bodies.
typedef struct toc_pair_batch {
    toc_kind kind;
    size_t count;
    const double *x0[12], *x1[12];     ///< Columns: coordinate c of corner k of pair i is x0[3 * k + c][i].
    const uint32_t (*vertices)[4];     ///< Vertex ids of pair i, or NULL.
    const double *body0[2], *body1[2]; ///< Positions at start and end of the bodies of the first and of the second
                                       ///< feature, 3 doubles a vertex. The two may be the same body.
    size_t vertex_count[2];            ///< Their number of vertices, which saves a pass over all ids; or 0. An id that
                                       ///< is not below it is the caller's mistake, and is not detected.
} toc_pair_batch;

/// Answer many elementary questions, several at a time in SIMD registers. Verdicts and times are those of
/// toc_pair_find, which also gives the place; only a pair that it leaves undecided may be apart here. Uses one thread
/// and, if there are more pairs than vertices, 32 bytes a vertex.
///
///     // All pairs of `vertices` between the features of one body of `n` vertices.
///     const toc_pair_batch batch = {.kind = TOC_EE, .count = count, .vertices = vertices,
///                                   .body0 = {x0, x0}, .body1 = {x1, x1}, .vertex_count = {n, n}};
///     const toc_pair_test test = toc_pair_test_default();
///     if (toc_pair_find_batch(&batch, &test, verdicts, times) != TOC_OK) puts(toc_message_get());
///
/// @param verdicts, times receive `count` answers; the time of a pair that is apart is undefined. On failure, all of
/// them are. They must not overlap the input. A non-finite coordinate is TOC_BAD_INPUT, with the pair named.
TOC_API toc_status toc_pair_find_batch(const toc_pair_batch *batch, const toc_pair_test *test, toc_verdict *verdicts,
                                       double *times);

/// Two triangles that move: the first has corners 0, 1, 2, the second 3, 4, 5. Edge i of a triangle runs from its
/// corner i to its next one. The two have 15 feature pairs, numbered
/// - 0 to 2: corner i of the first against the second triangle;
/// - 3 to 5: corner i of the six against the first triangle;
/// - 6 + 3 i + j: edge i of the first against edge j of the second.
typedef struct toc_triangle_pair {
    double x0[6][3], x1[6][3];
    uint32_t common; ///< Vertices in common: bit 3 i + j for corner i of the first and corner 3 + j of the second. 0
                     ///< for none. A feature pair with a common vertex on both sides is left out: 9 of 15 remain with
                     ///< one common vertex, 4 with two. Equal positions alone do not make a vertex common: they touch.
    uint32_t skip;   ///< Culling steps to leave out, bits 1 << toc_triangle_step: for comparisons. 0 runs all.
} toc_triangle_pair;

/// The culling steps of Zhang and Kim 2012, in the order of their Table 2.
typedef enum toc_triangle_step {
    TOC_TRIANGLE_STEP_PLANE = 0,   ///< Corollary 4.3: a vertex stays on one side of the other's plane.
    TOC_TRIANGLE_STEP_THREE,       ///< Corollary 6.2: all three do, on the same side.
    TOC_TRIANGLE_STEP_TWO,         ///< Corollary 6.1: two do, on the same side, and their edge with them.
    TOC_TRIANGLE_STEP_LINES,       ///< Lemma 5.1: two edges along their common normal.
    TOC_TRIANGLE_STEP_LINES_THIRD, ///< Corollary 6.3: the third corner joins its edge there.
    TOC_TRIANGLE_STEP_CIRCLE,      ///< Lemma 4.4: a vertex beside the face, in the face's plane.
    TOC_TRIANGLE_STEP_CIRCLES,     ///< Lemma 5.2: two edges side by side, in their common plane.
    TOC_TRIANGLE_STEP_COUNT
} toc_triangle_step;

/// The first contact of two triangles. A report: it may gain fields at the end (base.h, "Growth").
typedef struct toc_triangle_hit {
    toc_hit hit;       ///< The answer for the feature pair that touches first. After TOC_APART only `verdict`, `tested`
                       ///< and `removed` mean anything.
    toc_kind kind;     ///< Of that feature pair.
    int32_t pair;      ///< Its number, 0 to 14; the lowest of those that touch first at the same time. -1 if apart.
    int32_t corner[4]; ///< Its corners, 0 to 5, in the order of the kind and of `hit.weights`.
    uint32_t tested;   ///< Feature pairs that the method tested.
    uint32_t removed[TOC_TRIANGLE_STEP_COUNT]; ///< Feature pairs that each culling step removed.
} toc_triangle_hit;

/// Find the first contact of two triangles: the earliest answer that toc_pair_find gives for their feature pairs.
/// The culling steps come first, for every method. They remove only pairs that stay more than `separation` apart in
/// exact arithmetic, so they add no miss; they also spare false alarms of methods with a tolerance. The method tests
/// the rest, each up to the earliest contact so far. TOC_METHOD_EXACT and TOC_METHOD_CERTIFIED keep the promises of
/// toc_pair_find: complete, never late. TOC_METHOD_CULLING is the paper's: advancement of the remaining pairs.
/// TOC_METHOD_CA_TRIANGLE first advances the whole triangles, unless they have a common vertex. Triangles through each
/// other from the start, of which no feature pair touches, are apart: toc_overlap_find reports them.
/// @param size sizeof *out as the caller knows it; fields beyond it are left out, and unknown ones set to 0.
/// @return TOC_OK; TOC_BAD_INPUT for NULL, coordinates that are not finite, unknown bits, bad settings;
/// TOC_OUT_OF_MEMORY. On failure `out` is untouched.
TOC_API toc_status toc_triangles_find_sized(const toc_triangle_pair *pair, const toc_pair_test *test,
                                            toc_triangle_hit *out, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API toc_status toc_triangles_find(const toc_triangle_pair *pair, const toc_pair_test *test,
                                             toc_triangle_hit *out) {
    return toc_triangles_find_sized(pair, test, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
