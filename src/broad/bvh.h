// SPDX-License-Identifier: Apache-2.0
// A binary tree of k-DOPs over the primitives of a step.
//
// A leaf is one primitive. Primitives may be of several groups, as of bodies: each group has a tree of its own, and a
// crown of nodes above these trees joins them. The crown comes first, then the trees. Nodes of a tree stand in
// preorder: the left child right behind its parent, the right one behind the left one's subtree, so a subtree of n
// leaves is 2n - 1 nodes in a row and subtrees are built and refitted side by side.
//
// What rests costs nothing: it is neither fitted nor built anew, and what is settled is not searched against itself.
#ifndef TOC_BROAD_BVH_H
#define TOC_BROAD_BVH_H

#include <stdbool.h>

#include "base/memory.h"
#include "bound/dop.h"
#include "bound/span.h"

typedef struct toc_bvh_node {
    uint32_t leaves; // below this node; 1 for a leaf
    uint32_t left;   // the left child; none of a leaf
    uint32_t link;   // of a leaf: its number, counted from the left; else the right child
} toc_bvh_node;

/// How still a primitive is, or the least still one below a node. Pairs of settled ones are known to the caller.
typedef enum toc_stillness { TOC_MOVES, TOC_RESTS, TOC_SETTLED } toc_stillness;

typedef struct toc_bvh {
    toc_allocator allocator;
    toc_dop_kind kind;
    size_t count;        // primitives
    size_t crown;        // nodes above the trees of the groups
    uint32_t *order;     // the primitives, leaf by leaf
    toc_bvh_node *nodes; // 2 * count - 1, or none
    float *dops;         // of the nodes
    float *spread;       // of the nodes, as they were built: how much of a node its children cover together
    uint8_t *anew;       // of the nodes: whether the last build or restructuring put them there
    uint8_t *still;      // of the nodes: toc_stillness, as of the last refit
    bool settles;        // whether some of them may be settled
    TOC_ARRAY(uint32_t) pieces, tops; // subtrees that are fitted side by side; the nodes above them, in order
} toc_bvh;

static inline size_t toc_bvh_node_count(const toc_bvh *bvh) { return bvh->count ? 2 * bvh->count - 1 : 0; }

/// What a tree is over, by primitive.
typedef struct toc_bvh_leaves {
    const float *dops;
    const uint8_t *still; // toc_stillness; NULL where all move
} toc_bvh_leaves;

/// What a tree is built over.
typedef struct toc_bvh_input {
    const toc_dop_kind *kind;
    size_t count; // primitives
    const float *dops;
    const uint32_t *groups; // by primitive, below group_count; NULL where all are of one
    size_t group_count;
} toc_bvh_input;

/// Build over the DOPs of primitives. O(n log n), on as many threads as told, the same tree for any number.
/// Free with toc_bvh_free.
toc_status toc_bvh_build(const toc_allocator *allocator, const toc_bvh_input *input, int threads, toc_bvh *out);
void toc_bvh_free(toc_bvh *bvh);

/// Fit the nodes to primitives that moved; the shape of the tree stays. O(n), no allocation. @return how many were
/// fitted: those above something that does not rest.
size_t toc_bvh_refit(toc_bvh *bvh, const toc_bvh_leaves *leaves, int threads);

/// Build anew the subtrees whose nodes have come to overlap more than when they were built. Costs no more than a
/// build, and next to nothing while the motion keeps the tree good. After Yoon et al. 2007, "Ray tracing dynamic
/// scenes using selective restructuring".
/// @param rebuilt receives the number of leaves below what was built anew; where it is not 0 the order has changed.
toc_status toc_bvh_restructure(toc_bvh *bvh, const toc_bvh_leaves *leaves, int threads, size_t *rebuilt);

/// The lower of two layers of a tree: nodes of few leaves are moving DOPs (bound/span.h), which tell when they overlap.
/// The nodes above stay swept ones: up there, moving ones would overlap nearly as much and cost twice. After Tang, Kim
/// and Manocha 2010.
typedef struct toc_lower_layer {
    uint32_t most;            // leaves of its largest nodes
    float *moving;            // by node, 2 DOPs each; those of larger nodes have no meaning
    bool renew;               // whether those of nodes that rest are to be fitted, too
    const toc_window *window; // what cannot overlap then is left out (toc_dops_may_meet)
} toc_lower_layer;

/// Fit the moving DOPs of the layer's inner nodes to those of the leaves, which the caller has set: of nodes that do
/// not rest or are new. O(n).
void toc_bvh_fit_lower_layer(const toc_bvh *bvh, const toc_lower_layer *lower, int threads);

/// Whether something about a node is to be made anew for this step.
static inline bool toc_bvh_needs(const toc_bvh *bvh, size_t node) {
    return bvh->still[node] == TOC_MOVES || bvh->anew[node];
}

/// Two nodes to be looked at against each other; a node with itself stands for all pairs below it.
typedef struct toc_node_pair {
    uint32_t a, b;
} toc_node_pair;

/// Takes pairs of overlapping leaves, given by their nodes, as traversal finds them. Anything but TOC_OK ends the
/// traversal.
typedef toc_status toc_leaf_pairs_take(void *user, const toc_node_pair *pairs, size_t count);

enum { TOC_LEAF_PAIRS = 1024 }; // the most that are handed over at once: memory does not grow with the pairs

/// Split the search of a tree against itself into pieces of work, about `wanted` of them, in a fixed order.
/// @param out receives the pieces, allocated with the tree's allocator.
typedef TOC_ARRAY(toc_node_pair) toc_node_pairs;
toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);

/// Find the pairs of overlapping leaves below two nodes, or below one node when both are the same; pairs of which both
/// are settled are left out.
/// @param lower NULL where all nodes are swept.
/// @param visited receives the number of node pairs looked at, added to what it holds.
toc_status toc_bvh_search(const toc_bvh *bvh, const toc_lower_layer *lower, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited);

// ---- what is compiled for each instruction set

/// Who takes what is found.
typedef struct toc_leaf_taker {
    toc_leaf_pairs_take *take;
    void *user;
} toc_leaf_taker;

typedef struct toc_bvh_kernel {
    /// Nodes from one to before another, those behind first; those that rest only where `all` says so. @return how
    /// many.
    size_t (*refit)(const toc_bvh *bvh, const toc_bvh_leaves *leaves, bool all, size_t first, size_t last);
    void (*fit_lower)(const toc_bvh *bvh, const toc_lower_layer *lower, size_t first, size_t last);
    toc_status (*split)(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);
    toc_status (*search)(const toc_bvh *bvh, const toc_lower_layer *lower, toc_node_pair nodes,
                         const toc_leaf_taker *taker, uint64_t *visited);
} toc_bvh_kernel;

extern const toc_bvh_kernel toc_bvh_kernel1, toc_bvh_kernel4, toc_bvh_kernel8;

#endif
