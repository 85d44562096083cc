// SPDX-License-Identifier: Apache-2.0
// A binary tree of k-DOPs over the primitives of a step, which ends in blocks of eight.
//
// Primitives are the leaves, numbered from the left; up to eight consecutive leaves form a block (bound/block.h). One
// DOP is compared with a whole block at a time, so there are no nodes below blocks. Each component of the primitives
// has its own tree, and the nodes of the top level join these trees. The top level is stored first, then the trees. All
// blocks of a tree but the last are full, and its nodes are in preorder: the left child directly after its parent, the
// right child after the subtree of the left one. So a subtree over n blocks is 2n - 1 consecutive nodes, and subtrees
// are built and fitted in parallel.
//
// Resting primitives cost nothing: they are neither refitted nor rebuilt. Settled ones are not searched against each
// other.
#ifndef TOC_INDEX_BVH_H
#define TOC_INDEX_BVH_H

#include <assert.h>
#include <stdbool.h>

#include "bound/block.h"
#include "index/leaf_pairs.h"

typedef struct toc_bvh_node {
    uint32_t leaves; // number of leaves below this node
    uint32_t left;   // the left child; for a block, its number
    uint32_t link;   // the right child; for a block, its first leaf
} toc_bvh_node;

/// A low side beyond all others, and negated a high one. A primitive with such bounds is hidden: no search finds it.
#define TOC_BVH_HIDDEN 0x1p100f

/// Motion of a primitive, or of the least still primitive below a node. The caller knows the pairs of settled ones.
typedef enum toc_stillness { TOC_MOVES, TOC_RESTS, TOC_SETTLED } toc_stillness;

/// The lower of two layers of a tree: blocks, and nodes of few leaves, have moving DOPs (bound/span.h), which give the
/// time of their overlap. The nodes above have swept DOPs only: for large nodes, moving DOPs would overlap nearly as
/// often and cost twice as much. After Tang, Kim and Manocha 2010.
typedef struct toc_lower_layer {
    uint32_t most; // most leaves of a node of this layer; 0 if there is no such layer
    float *dops;   // by node, 2 DOPs each; undefined for larger nodes
} toc_lower_layer;

typedef struct toc_bvh {
    toc_allocator allocator;
    toc_arena arena; // of the arrays
    toc_dop_kind kind;
    size_t count; // primitives
    size_t node_count, block_count;
    size_t top_level;    // number of nodes above the trees of the components
    uint32_t *order;     // by leaf: its primitive
    toc_bvh_node *nodes; // NULL before the tree is built
    float *dops;         // by node, swept
    float *blocks;       // two DOPs for each leaf if there is a lower layer, else one
    toc_lower_layer lower;
    float *spread;                    // by node, when it was built: sum of its children's areas, relative to its own
    float *common;                    // likewise: the part that both children share along the best axis
    uint8_t *worn;                    // by node: whether it must be rebuilt
    uint8_t *still;                   // by node: toc_stillness of the last fit
    uint8_t *settled;                 // by block: bits of its settled places
    bool settles;                     // whether any place may be settled
    TOC_ARRAY(uint32_t) pieces, tops; // subtrees that are fitted in parallel; the nodes above them, in order
} toc_bvh;

/// The number of nodes of a tree over at least one leaf.
static inline size_t toc_bvh_nodes_over(uint32_t leaves) {
    assert(leaves > 0);
    return 2 * (((size_t)leaves + TOC_BLOCK - 1) / TOC_BLOCK) - 1;
}

/// Whether a node is a block. Nodes of the top level are not blocks, since their leaves are not consecutive.
static inline bool toc_bvh_is_block(const toc_bvh *bvh, size_t node) {
    assert(node < bvh->node_count);
    return (bvh->nodes[node].leaves <= TOC_BLOCK) & (node >= bvh->top_level);
}

/// The primitives of a tree, as callbacks. Several threads call them at the same time.
typedef struct toc_bvh_source {
    void *user;
    /// The box of a primitive, used to build the tree.
    void (*box)(void *user, uint32_t primitive, float low[3], float high[3]);
    /// Receives the primitives that consecutive leaves now have. May be NULL.
    void (*place)(void *user, const uint32_t *primitives, uint32_t first_leaf, uint32_t count);
    /// Set a block to the bounds of consecutive leaves: moving DOPs if there are two ends, else swept ones. NULL to
    /// keep the bounds.
    void (*bound)(void *user, const uint32_t *primitives, uint32_t first_leaf, uint32_t count, int ends, float *block);
    const uint8_t *still; // toc_stillness, by primitive; NULL if all move
} toc_bvh_source;

/// A source of swept DOPs.
typedef struct toc_bvh_dops {
    const toc_dop_kind *kind;
    const float *at;
} toc_bvh_dops;
toc_bvh_source toc_bvh_source_of(toc_bvh_dops *dops);

/// The input of a build.
typedef struct toc_bvh_input {
    const toc_dop_kind *kind;
    size_t count; // primitives
    const toc_bvh_source *source;
    const uint32_t *components; // by primitive, below component_count; NULL if there is only one component
    size_t component_count;
    uint32_t lower; // toc_lower_layer.most
    bool has_room;  // whether the tree may have a lower layer, now or later
} toc_bvh_input;

/// Build and fit a tree. O(n log n). The tree does not depend on the number of threads. Free with toc_bvh_free.
toc_status toc_bvh_build(const toc_allocator *allocator, const toc_bvh_input *input, int threads, toc_bvh *out);
void toc_bvh_free(toc_bvh *bvh);

/// Fit the nodes to moved primitives without changing the shape of the tree. O(n), no allocation. Nodes above resting
/// primitives only are skipped, unless the height of the lower layer changes. @return the number of fitted nodes.
size_t toc_bvh_fit(toc_bvh *bvh, const toc_bvh_source *source, uint32_t lower, int threads);

/// Rebuild the subtrees whose nodes overlap more than when they were built. Costs no more than a build, and next to
/// nothing while the tree stays good. After Yoon et al. 2007, "Ray tracing dynamic scenes using selective
/// restructuring".
/// @param rebuilt receives the number of leaves below rebuilt nodes; if it is not 0, the order has changed.
toc_status toc_bvh_restructure(toc_bvh *bvh, const toc_bvh_source *source, int threads, size_t *rebuilt);

/// Two nodes of a tree to search against each other; a node with itself stands for all pairs below it.
typedef struct toc_node_pair {
    uint32_t a, b;
} toc_node_pair;

/// Split the search of a tree against itself into pieces of work, about `wanted` of them, in a fixed order; up to eight
/// times as many where some would be much larger than others.
/// @param out receives the pieces, allocated with the tree's allocator.
typedef TOC_ARRAY(toc_node_pair) toc_node_pairs;
toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);

/// Restrictions of a search.
typedef struct toc_bvh_scope {
    const toc_window *window; // the lower layer, if there is one, skips pairs that cannot overlap in this window
    /// Skip pairs of leaves that share a vertex whose ring is flat. Both are NULL to keep all pairs.
    const uint32_t (*corners)[3]; // by leaf; TOC_BLOCK more entries after the last one must be readable
    const uint8_t *ties;          // by vertex: 1 if its ring is flat
} toc_bvh_scope;

/// Find the pairs of overlapping leaves below two nodes, or below one node if both are the same. Pairs of two settled
/// leaves are skipped.
/// @param visited is increased by the number of comparisons of a node or leaf with another one or with a block.
toc_status toc_bvh_search(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited);

/// Find the leaves of a tree without a lower layer that overlap a DOP.
/// @param visited is increased by the number of nodes compared.
typedef toc_status toc_leaf_take(void *user, uint32_t leaf);
toc_status toc_bvh_find(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user, uint64_t *visited);

// ---- kernels, compiled for each instruction set

/// The receiver of the pairs found.
typedef struct toc_leaf_taker {
    toc_leaf_pairs_take *take;
    void *user;
} toc_leaf_taker;

typedef struct toc_bvh_kernel {
    /// Fit the nodes from `first` up to before `last`, in descending order; resting ones only if `all` is set. @return
    /// the number of fitted nodes.
    size_t (*fit)(const toc_bvh *bvh, const toc_bvh_source *source, bool all, size_t first, size_t last);
    toc_status (*split)(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);
    toc_status (*search)(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                         const toc_leaf_taker *taker, uint64_t *visited);
    toc_status (*find)(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user, uint64_t *visited);
} toc_bvh_kernel;

extern const toc_bvh_kernel toc_bvh_kernel1, toc_bvh_kernel4, toc_bvh_kernel8;

#endif
