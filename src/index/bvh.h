// SPDX-License-Identifier: Apache-2.0
// A binary tree of k-DOPs over the primitives of a step, which ends in blocks of eight.
//
// Primitives are the leaves, numbered from the left; up to eight in a row are a block (bound/block.h), which one DOP is
// compared with at a time, so there are no nodes below blocks. Primitives may be of several groups, as of bodies: each
// group has a tree of its own, and a crown of nodes above these trees joins them. The crown comes first, then the
// trees. All blocks of a tree but the last are full, and its nodes stand in preorder: the left child right behind its
// parent, the right one behind the left one's subtree. So a subtree over n blocks is 2n - 1 nodes in a row, and
// subtrees are built and fitted side by side.
//
// What rests costs nothing: it is neither fitted nor built anew, and what is settled is not searched against itself.
#ifndef TOC_INDEX_BVH_H
#define TOC_INDEX_BVH_H

#include <stdbool.h>

#include "bound/block.h"
#include "index/leaf_pairs.h"

typedef struct toc_bvh_node {
    uint32_t leaves; // below this node
    uint32_t left;   // the left child; of a block: its number
    uint32_t link;   // the right child; of a block: its first leaf
} toc_bvh_node;

/// How still a primitive is, or the least still one below a node. Pairs of settled ones are known to the caller.
typedef enum toc_stillness { TOC_MOVES, TOC_RESTS, TOC_SETTLED } toc_stillness;

/// The lower of two layers of a tree: blocks, and nodes of few leaves, are moving DOPs (bound/span.h), which tell when
/// they overlap. The nodes above are swept ones only: up there, moving ones would overlap nearly as much and cost
/// twice. After Tang, Kim and Manocha 2010.
typedef struct toc_lower_layer {
    uint32_t most; // leaves of its largest nodes; 0 where there is no such layer
    float *dops;   // by node, 2 DOPs each; those of larger nodes have no meaning
} toc_lower_layer;

typedef struct toc_bvh {
    toc_allocator allocator;
    toc_arena arena; // of the arrays
    toc_dop_kind kind;
    size_t count; // primitives
    size_t node_count, block_count;
    size_t crown;        // nodes above the trees of the groups
    uint32_t *order;     // the primitives, leaf by leaf
    toc_bvh_node *nodes; // NULL before it is built
    float *dops;         // of the nodes, swept
    float *blocks;       // of two DOPs a leaf where there is a lower layer, else of one
    toc_lower_layer lower;
    float *spread;    // of the nodes, as they were built: how much of a node its children cover together
    uint8_t *worn;    // of the nodes: whether they are to be built anew
    uint8_t *still;   // of the nodes: toc_stillness, as of the last fit
    uint8_t *settled; // of the blocks: the places, as bits, that are
    bool settles;     // whether some of them may be
    TOC_ARRAY(uint32_t) pieces, tops; // subtrees that are fitted side by side; the nodes above them, in order
} toc_bvh;

/// Nodes of a tree over so many leaves.
static inline size_t toc_bvh_nodes_over(uint32_t leaves) {
    return 2 * (((size_t)leaves + TOC_BLOCK - 1) / TOC_BLOCK) - 1;
}

/// Nodes of the crown never are: what is below them is not in a row.
static inline bool toc_bvh_is_block(const toc_bvh *bvh, size_t node) {
    return (bvh->nodes[node].leaves <= TOC_BLOCK) & (node >= bvh->crown);
}

/// What a tree is over, asked from several threads at once.
typedef struct toc_bvh_source {
    void *user;
    /// The box of a primitive, to build by.
    void (*box)(void *user, uint32_t primitive, float low[3], float high[3]);
    /// Be told which primitives some leaves have become; NULL for who does not care.
    void (*place)(void *user, const uint32_t *primitives, uint32_t first_leaf, uint32_t count);
    /// Set a block to some leaves in a row: swept, or moving where there are two ends. NULL where bounds are to stay.
    void (*bound)(void *user, const uint32_t *primitives, uint32_t first_leaf, uint32_t count, int ends, float *block);
    const uint8_t *still; // toc_stillness, by primitive; NULL where all move
} toc_bvh_source;

/// The DOPs of primitives, swept, as a source.
typedef struct toc_bvh_dops {
    const toc_dop_kind *kind;
    const float *at;
} toc_bvh_dops;
toc_bvh_source toc_bvh_source_of(toc_bvh_dops *dops);

/// What a tree is built over.
typedef struct toc_bvh_input {
    const toc_dop_kind *kind;
    size_t count; // primitives
    const toc_bvh_source *source;
    const uint32_t *groups; // by primitive, below group_count; NULL where all are of one
    size_t group_count;
    uint32_t lower; // toc_lower_layer
    bool has_room;  // whether it may have a lower layer, then or later
} toc_bvh_input;

/// Build and fit a tree. O(n log n), on as many threads as told, the same tree for any number. Free with toc_bvh_free.
toc_status toc_bvh_build(const toc_allocator *allocator, const toc_bvh_input *input, int threads, toc_bvh *out);
void toc_bvh_free(toc_bvh *bvh);

/// Fit the nodes to primitives that moved; the shape of the tree stays. O(n), no allocation. All of them where the
/// lower layer is not as high as it was. @return how many were fitted: those above something that does not rest.
size_t toc_bvh_fit(toc_bvh *bvh, const toc_bvh_source *source, uint32_t lower, int threads);

/// Build anew the subtrees whose nodes have come to overlap more than when they were built. Costs no more than a
/// build, and next to nothing while the motion keeps the tree good. After Yoon et al. 2007, "Ray tracing dynamic
/// scenes using selective restructuring".
/// @param rebuilt receives the number of leaves below what was built anew; where it is not 0 the order has changed.
toc_status toc_bvh_restructure(toc_bvh *bvh, const toc_bvh_source *source, int threads, size_t *rebuilt);

/// Two nodes of a tree to search against each other; a node with itself stands for all pairs below it.
typedef struct toc_node_pair {
    uint32_t a, b;
} toc_node_pair;

/// Split the search of a tree against itself into pieces of work, about `wanted` of them, in a fixed order.
/// @param out receives the pieces, allocated with the tree's allocator.
typedef TOC_ARRAY(toc_node_pair) toc_node_pairs;
toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);

/// What of a tree is searched for.
typedef struct toc_bvh_scope {
    const toc_window *window; // what cannot overlap then is left out by the lower layer, where there is one
    /// Pairs of leaves that have a corner in common that ties are left out; NULL for none.
    const uint32_t (*corners)[3]; // by leaf; TOC_BLOCK more behind the last can be read
    const uint8_t *ties;          // by corner: 1 where it does
} toc_bvh_scope;

/// Find the pairs of overlapping leaves below two nodes, or below one node when both are the same; pairs of which both
/// are settled are left out.
/// @param visited receives the number of looks, of a node or leaf at another one or at a block, added to what it holds.
toc_status toc_bvh_search(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited);

/// Find the leaves of a tree without a lower layer that overlap a DOP.
/// @param visited receives the number of nodes looked at, added to what it holds.
typedef toc_status toc_leaf_take(void *user, uint32_t leaf);
toc_status toc_bvh_find(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user, uint64_t *visited);

// ---- what is compiled for each instruction set

/// Who takes what is found.
typedef struct toc_leaf_taker {
    toc_leaf_pairs_take *take;
    void *user;
} toc_leaf_taker;

typedef struct toc_bvh_kernel {
    /// Nodes from one to before another, those behind first; those that rest only where `all` says so. @return how
    /// many.
    size_t (*fit)(const toc_bvh *bvh, const toc_bvh_source *source, bool all, size_t first, size_t last);
    toc_status (*split)(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out);
    toc_status (*search)(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                         const toc_leaf_taker *taker, uint64_t *visited);
    toc_status (*find)(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user, uint64_t *visited);
} toc_bvh_kernel;

extern const toc_bvh_kernel toc_bvh_kernel1, toc_bvh_kernel4, toc_bvh_kernel8;

#endif
