// SPDX-License-Identifier: Apache-2.0
// The solid tree: a k-DOP tree over the volume elements of a scene at an instant, made for one question. The vertex
// tree is the same over its vertices: elements with one corner.
#ifndef TOC_SEARCH_SOLID_TREE_H
#define TOC_SEARCH_SOLID_TREE_H

#include "convex/overlap.h"
#include "index/bvh.h"
#include "index/index.h"
#include "search/pipeline.h"

/// The corners of an element, as the step numbers vertices.
typedef struct toc_solid_corners {
    int count;
    uint32_t v[TOC_HULL_CORNERS];
} toc_solid_corners;

typedef struct toc_solid {
    uint32_t body, element; // element of the vertex tree: 0
    toc_solid_corners corners;
} toc_solid;

typedef struct toc_solid_tree {
    toc_index index; // the first field
    toc_arena arena; // of the elements
    size_t count;
    toc_solid *at; // body after body
    toc_bvh bvh;   // its primitives are these
    toc_node_pairs pieces;
} toc_solid_tree;

/// Make the tree of the volume elements, or of the vertices: toc_way.fit.
toc_status toc_solid_tree_fit(toc_pipeline *p);
toc_status toc_vertex_tree_fit(toc_pipeline *p);
/// Pairs of leaves of either tree.
extern const toc_traversal toc_solid_traversal;

/// Test the pairs of elements, or of vertices, of a batch of leaves: the lower one first, whatever the tree.
toc_status toc_solid_pairs_test(toc_worker *w, const toc_batch *batch,
                                toc_status (*test)(toc_worker *w, const toc_solid *a, const toc_solid *b));

#endif
