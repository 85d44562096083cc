// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_POTENTIAL_H
#define TOCCATA_POTENTIAL_H

#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Potentials over near pairs, as in incremental potential contact (Li et al. 2020): energy, gradient and Hessian.
//
// A pair of a vertex and a face, or of two edges, at the distance d adds k m b(d^2 - a^2), where
// - b(D) = -(D - E)^2 log(D / E) below E = (a + e)^2 - a^2, and 0 from there on;
// - e is the distance of the potential, a the thickness of the pair (its minimum distance), k the stiffness;
// - m is 1; for two edges that are nearly parallel it is c (2 - c), c being the square of the length of the product of
//   the edges, divided by a thousandth of the squares of their lengths at rest, up to 1.
// So pairs of an edge and a vertex, and of two vertices, count once for each face or edge that leads to them.
//
// Friction adds f L h(|u|), where u is the displacement of the step, start to end, between the two closest points
// across the normal of the pair, f the coefficient, L the force of the barrier at the distance of the pair, m
// included with the edges at the start of the step, and h(y) = y - s/3 for y of at least the slip s, else y^2/s -
// y^3/(3 s^2). Weights, normals and distances are those of the list of near pairs: they lag behind.

/// The kinds of potentials.
typedef enum toc_potential_kind { TOC_POTENTIAL_BARRIER = 0, TOC_POTENTIAL_FRICTION } toc_potential_kind;

/// The highest derivative to find; each includes those before it.
typedef enum toc_potential_order { TOC_ENERGY = 0, TOC_GRADIENT, TOC_HESSIAN } toc_potential_order;

/// A potential. Begin with toc_potential_query_default or toc_potential_query_init.
typedef struct toc_potential_query {
    uint32_t size;             ///< Set by toc_potential_query_init; do not change it.
    toc_potential_kind kind;   ///< Default TOC_POTENTIAL_BARRIER.
    toc_potential_order order; ///< Default TOC_HESSIAN.
    toc_end end;               ///< The positions of the barrier. Default TOC_AT_START. Friction takes both.
    bool indefinite;    ///< Keep negative eigenvalues. Default false: the Hessian of each pair is the nearest positive
                        ///< semidefinite matrix. Friction has none below 0.
    double distance;    ///< At which the barrier begins, length, > 0: that of the question that found the near pairs.
    double stiffness;   ///< Of the barrier, energy / length^4, >= 0. Default 1.
    double coefficient; ///< Of friction, >= 0. Default 0.3.
    double slip;        ///< Sliding below this is smoothed, length, > 0. No default; the barrier does not use it.
    const double *rest; ///< Positions at rest, 3 doubles a vertex in the order of the gradient: of the lengths in m.
                        ///< Default NULL: those at the start of the step.
} toc_potential_query;

/// Write the defaults named in toc_potential_query.
/// @param size sizeof *query as the caller knows it; base.h, "Growth".
TOC_INLINE_API toc_status toc_potential_query_init(toc_potential_query *query, size_t size) {
    return toc_defaults_write(TOC_DEFAULTS_POTENTIAL, query, size);
}
/// The same as a value.
TOC_INLINE_API toc_potential_query toc_potential_query_default(void) {
    toc_potential_query query;
    toc_potential_query_init(&query, sizeof query);
    return query;
}

/// The features on which the closest points of a pair lie, by the weights that are not 0.
typedef enum toc_pair_class {
    TOC_VERTEX_VERTEX = 0,
    TOC_EDGE_VERTEX,
    TOC_EDGE_EDGE,
    TOC_FACE_VERTEX,
    TOC_PAIR_CLASS_COUNT
} toc_pair_class;

/// A potential and its derivatives by the positions of all vertices. Row 3 v + c of the Hessian is coordinate c of
/// vertex v. A result: it may gain fields at the end.
typedef struct toc_potential {
    double energy;
    size_t body_count;
    const size_t *body_first; ///< The first vertex of each body, body_count + 1 of them. A world has none: it rests.
    size_t vertex_count;      ///< Of all bodies: body_first[body_count].
    const double *gradient;   ///< 3 doubles a vertex; NULL if not asked for, likewise below.
    size_t value_count;       ///< Of the Hessian.
    const size_t *rows;       ///< The first value of each row, 3 * vertex_count + 1 of them.
    const uint32_t *columns;  ///< Of each value, ascending in a row.
    const double *values;     ///< Both halves of the symmetric matrix; a 3 x 3 block for two vertices of a pair.
    size_t counts[TOC_PAIR_CLASS_COUNT]; ///< Pairs that add to the energy, by toc_pair_class.
    size_t mollified;                    ///< Those of them with m below 1.
    double seconds;                      ///< The whole call.
} toc_potential;

/// Find the energy of near pairs, its gradient and its Hessian, which are exact derivatives of each other in closed
/// form, m and the choice of closest points included. The same for any number of threads, bit for bit. O(pairs), and
/// 200 bytes a pair during the call, for a Hessian up to 0.5 kB, for nearly parallel edges 1 kB.
/// @param query threads, progress and tasks are used; NULL is refused.
/// @param near pairs of this scene at an end of its step, found with the distance of the potential. The barrier
/// measures them anew at its end; pairs that are not listed do not count.
/// @param out receives the result; free with toc_potential_destroy. Untouched on failure.
/// @return TOC_OK; TOC_BAD_INPUT, also for a pair at or below its minimum distance, where the barrier has no value;
/// TOC_OUT_OF_MEMORY or TOC_STOPPED.
TOC_API toc_status toc_scene_find_potential(toc_scene *scene, const toc_query *query, const toc_near *near,
                                            const toc_potential_query *potential, toc_potential **out);
/// Free the result; NULL is fine.
TOC_API void toc_potential_destroy(toc_potential *potential);

#ifdef __cplusplus
}
#endif

#endif
