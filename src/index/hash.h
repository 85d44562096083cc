// SPDX-License-Identifier: Apache-2.0
// Spatial hashing: pairs of primitives, of any kind that has a k-DOP, whose boxes share a cell of a grid.
//
// A primitive is stored in each cell that its box touches: on its home level, the finest level of the grid where these
// cells are few, and as a coarse copy on every coarser level that is the home of other primitives. The cells of a level
// are eight times as large as those of the level below. Two primitives meet in cells of the coarser one's home level,
// and are reported only in the lowest common cell. There is no hierarchy and no topology: each build stores all
// primitives again, in O(n). Memory is linear, whatever the sizes of the primitives. After Jung and Choi, "A fast
// culling scheme for deformable object collision detection using spatial hashing"; Teschner et al. 2003; Eitz and Gu
// 2007 for the levels.
#ifndef TOC_INDEX_HASH_H
#define TOC_INDEX_HASH_H

#include "bound/moving.h"
#include "index/bvh.h"

/// The hash function from cells to voxels, the entries of the table.
typedef enum toc_hash_table {
    TOC_HASH_BLOCKS, ///< A power of two of voxels; 4 x 4 x 4 cells are consecutive.
    TOC_HASH_PRIME   ///< A prime number of voxels; Teschner's exclusive or of products.
} toc_hash_table;

typedef struct toc_hash_form {
    float cell;           // edge of the cells of the middle level, in the frame of the DOPs; above 0
    bool finer;           // small primitives go to finer levels; else the middle level is the finest
    toc_hash_table table; //
    double voxels;        // number of voxels for each primitive; above 0
} toc_hash_form;

/// A primitive in a cell.
typedef struct toc_hash_item {
    uint32_t primitive;
    uint32_t where; // TOC_HASH_CELL and TOC_HASH_NOT_BOTH below
} toc_hash_item;

enum {
    TOC_HASH_CHUNKS = 128, // most chunks of primitives that are stored in parallel
    TOC_HASH_LEVELS = 32,
    TOC_HASH_MIDDLE = 16,
    TOC_HASH_SPAN = 8, // most cells that a primitive touches along an axis
    // Bits of an item: the level, and 4 bits of the cell along each axis. Primitives that touch the same cell are less
    // than 16 cells apart, so equal bits mean the same cell.
    TOC_HASH_CELL = 0x1ffff,
    // Bits of an item: the axes along which the primitive has a lower cell. In the lowest cell that two primitives
    // share, no bit is set in both items.
    TOC_HASH_NOT_BOTH = 0x700000,
};

/// An item and its slot in the table: the even slot of a voxel on the home level, the next one for a coarse copy.
typedef struct toc_hash_draft {
    uint32_t slot;
    toc_hash_item item;
} toc_hash_draft;
typedef TOC_ARRAY(toc_hash_draft) toc_hash_drafts;

typedef struct toc_hash {
    toc_allocator allocator;
    toc_hash_form form;
    int lanes;              // of the DOPs
    const float *bounds;    // the caller's DOPs or boxes, by primitive
    size_t stride, high;    // floats from one to the next, and from its lows to its highs
    const uint32_t *stamps; // the caller's, by primitive, or NULL; items of primitives with another stamp are ignored
    uint32_t stamp;
    float cells[TOC_HASH_LEVELS], per_length[TOC_HASH_LEVELS]; // edges of cells, and their inverses
    int lowest, highest;                                       // levels that may be used
    uint32_t homes;                                            // bits: home levels of the primitives
    uint32_t levels;                                           // bits: levels with coarse copies, and the home levels
    TOC_ARRAY(uint32_t) primitives;                            // in the table
    TOC_ARRAY(uint8_t) home;                                   // their home levels
    size_t voxel_count;
    TOC_ARRAY(uint32_t) first; // by slot, two for each voxel: its first item; one more for the end
    TOC_ARRAY(toc_hash_item) items;
    TOC_ARRAY(uint32_t) counts;                      // by slot; scratch memory of builds, like the rest
    TOC_ARRAY(uint32_t) places;                      // by chunk, then range of slots
    toc_hash_drafts drafts[TOC_HASH_CHUNKS], sorted; // by chunk; by range of slots
} toc_hash;

/// An empty table; free with toc_hash_free.
toc_hash toc_hash_make(const toc_allocator *allocator);
void toc_hash_free(toc_hash *hash);

/// The primitives of a table.
typedef struct toc_hash_input {
    const toc_dop_kind *kind;
    const float *dops;   // of all primitives; they must stay valid while the table is searched
    const float *boxes;  // in their place (toc_packed_boxes), for searches that compare no swept DOPs; or NULL
    size_t count;        // number of primitives of this table
    size_t all;          // number of primitives of this and a second table, for the number of voxels; 0 for one table
    uint32_t beside;     // bits: home levels of the second table
    const uint32_t *ids; // the primitives; NULL for the first `count`
    const uint32_t *stamps; // by primitive, or NULL: primitives with another stamp than `stamp` are not found
    uint32_t stamp;
} toc_hash_input;

/// The default edge of cells: twice the geometric mean of the primitives' extents, so that a few large or small ones do
/// not matter. O(1): samples at most 1024 primitives.
float toc_hash_cell(const toc_hash_input *input);
/// The longest extent of any primitive along a direction of its DOP, in units of length: Jung and Choi's choice. O(n).
float toc_hash_longest(const toc_hash_input *input);

/// Replace the primitives of the table. O(n), in passes without locks: chunks of primitives draft their items, drafts
/// go to their range of slots, ranges fill their slots. The table does not depend on the number of threads. Its memory
/// is reused. After a failure the table must be built again before it is searched.
toc_status toc_hash_build(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, int threads);
/// Prepare the table for searches with a second table that has these home levels. O(1) if it is prepared already.
toc_status toc_hash_admit(toc_hash *hash, uint32_t homes, int threads);

/// The condition for a pair to be reported.
typedef enum toc_hash_overlap {
    TOC_HASH_CELLS, ///< Their boxes touch the same cell.
    TOC_HASH_DOPS,  ///< Their DOPs overlap.
    TOC_HASH_MOVING ///< Their boxes overlap, and their moving DOPs may do so at some time of the window.
} toc_hash_overlap;

typedef struct toc_hash_counts {
    uint64_t voxel_pairs; // pairs of items in the same voxel
    uint64_t box_pairs;   // pairs in the same cell, or of overlapping boxes there, each once; without flat neighbours
    uint64_t found;       // reported pairs
} toc_hash_counts;

enum { TOC_HASH_LATELY = 128 };

/// Memory of a search, too large for the stack: moving DOPs of primitives that were compared lately. At the place of a
/// primitive is that of the last one there. Few primitives have a box that overlaps another, and each is in few cells,
/// so their DOPs are not stored beforehand.
typedef struct toc_hash_room {
    uint32_t primitives[TOC_HASH_LATELY];
    float dops[TOC_HASH_LATELY * 2 * TOC_DOP_FLOATS_MOST];
} toc_hash_room;

/// A search within one table, or between two tables with the same cells and voxels that are prepared for each other. It
/// reports each pair that meets the condition once.
typedef struct toc_hash_search {
    const toc_hash *hash, *other; // other: NULL to search within the first
    toc_hash_overlap overlap;
    const toc_dop_axes *axes;     // for TOC_HASH_MOVING, as the next two: moving DOPs are made from packed vertices
    const toc_packed *packed;     // by vertex
    const toc_window *window;     //
    const uint32_t (*corners)[3]; // by primitive; needed only with `flat` and for TOC_HASH_MOVING
    const uint8_t *flat;          // by vertex, or NULL: skip two primitives that share a vertex where this is set
    toc_hash_room *room;          // for this search alone; needed only for TOC_HASH_MOVING
    toc_leaf_pairs_take *take;    // pairs of primitives: within one table the lower one first, else that of `hash`
    void *user;
    toc_hash_counts counts; // added to
} toc_hash_search;

enum { TOC_HASH_PIECE = 128 }; // items of a piece; more if there are very many items

/// The number of pieces of a search, with equal numbers of items of `hash`. Pieces may run in parallel.
static inline size_t toc_hash_pieces(const toc_hash *hash) {
    enum { MOST = 4096 };
    const size_t pieces = hash->items.count / TOC_HASH_PIECE + 1;
    return pieces < MOST ? pieces : MOST;
}
/// Run one piece of a search, 0 .. toc_hash_pieces(search->hash) - 1.
toc_status toc_hash_run(toc_hash_search *search, size_t piece);

// ---- kernels, compiled for each instruction set

/// Compare the items from `first` up to before `end` with the items of their voxels.
typedef toc_status toc_hash_kernel(toc_hash_search *search, size_t first, size_t end);
toc_hash_kernel toc_hash_kernel1, toc_hash_kernel4, toc_hash_kernel8;

/// The cell of a level that contains a coordinate. DOPs are at most about 1 in their frame; larger values are clamped.
static inline int32_t toc_hash_along(const toc_hash *hash, float x, int level) {
    const float origin = 4, end = 8, from = x + origin, below = from < end ? from : end;
    return (int32_t)((below > 0 ? below : 0) * hash->per_length[level]);
}

/// The lows of a primitive along x, y and z; its highs are `high` floats behind.
static inline const float *toc_hash_bounds(const toc_hash *hash, uint32_t primitive) {
    return hash->bounds + primitive * hash->stride;
}

#endif
