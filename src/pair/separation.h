// SPDX-License-Identifier: Apache-2.0
// The exact decision of an elementary question with a separation, for vertices on straight paths and on parabolas.
#ifndef TOC_PAIR_SEPARATION_H
#define TOC_PAIR_SEPARATION_H

#include "pair/exact.h"

enum { TOC_DISTANCE_CASES = 9 }; // at most: two edges have lines, four vertices and edges, four pairs of vertices

/// One way for the nearest points of two features to lie: a vertex and a plane, two lines, and so on.
typedef struct toc_distance_case {
    toc_polynomial excess; // at most 0 when the points are within the separation of each other
    toc_polynomial spread; // above 0 where there are such points
    toc_polynomial inside[4];
    int inside_count; // all of these at least 0: they are points of the features
} toc_distance_case;

/// List the cases of a pair. @param separation as below. @return how many.
int toc_distance_cases(toc_number_scope *numbers, toc_kind kind, const toc_path p[4], toc_integer separation,
                       toc_distance_case cases[TOC_DISTANCE_CASES]);
/// Whether a case has points of the features within the separation at a time. May refine the time.
bool toc_distance_case_holds(toc_number_scope *numbers, const toc_distance_case *w, toc_root *time);

/// Whether the two features of a kind come as close as the separation at any s in [0, 1], and the first such s.
/// @param separation in the unit of the paths, above 0. Valid only if numbers->failed is not set.
bool toc_separation_first(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4], toc_integer separation,
                          toc_root *first);

#endif
