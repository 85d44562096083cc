// SPDX-License-Identifier: Apache-2.0
// Spatial hashing: pairs of primitives, of any kind that has a k-DOP, whose boxes share a cell of a grid.
//
// A primitive goes into every cell its box touches: at home on the finest level of the grid where these are few, and as
// a guest on every coarser level where others are at home; the cells of a level are eight times as large as those of
// the one below. Two that meet do so in cells of the level where the coarser one is at home, and are reported in the
// lowest of them only. No hierarchy and no topology: everything is put in anew in O(n). Memory is linear, however large
// a primitive is beside the others. After Jung and Choi, "A fast culling scheme for deformable object collision
// detection using spatial hashing"; Teschner et al. 2003; Eitz and Gu 2007 for the levels.
#ifndef TOC_INDEX_HASH_H
#define TOC_INDEX_HASH_H

#include "index/bvh.h"

/// Which voxel, a slot of the table, a cell goes to.
typedef enum toc_hash_table {
    TOC_HASH_BLOCKS, ///< A power of two of them; 4 x 4 x 4 cells stay side by side.
    TOC_HASH_PRIME   ///< A prime number of them; Teschner's exclusive or of products.
} toc_hash_table;

typedef struct toc_hash_form {
    float cell;           // edge of the cells of the middle level, as the DOPs count; above 0
    bool finer;           // small primitives go to finer levels; else none is finer than the middle
    toc_hash_table table; //
    double voxels;        // for each primitive; above 0
} toc_hash_form;

/// A primitive in a cell.
typedef struct toc_hash_item {
    uint32_t primitive;
    uint32_t where; // as below
} toc_hash_item;

enum {
    TOC_HASH_CHUNKS = 8, // of primitives that are put in side by side
    TOC_HASH_LEVELS = 32,
    TOC_HASH_MIDDLE = 16,
    TOC_HASH_SPAN = 8, // cells that a primitive touches along an axis, at the most
    // Of an item: the level, and 4 bits of the cell along each axis. Two that touch the same cell are less than
    // 16 cells apart, so these tell whether the cells are one.
    TOC_HASH_CELL = 0x1ffff,
    // Along which axes the primitive has a lower cell: of two items that meet in the lowest cell they share, not both.
    TOC_HASH_NOT_BOTH = 0x700000,
};

/// An item on its way to where it stands: at home in a voxel (an even slot), or as a guest (the next one).
typedef struct toc_hash_draft {
    uint32_t slot;
    toc_hash_item item;
} toc_hash_draft;
typedef TOC_ARRAY(toc_hash_draft) toc_hash_drafts;

typedef struct toc_hash {
    toc_allocator allocator;
    toc_hash_form form;
    int lanes;              // of the DOPs
    const float *dops;      // the caller's, by primitive
    const uint32_t *stamps; // the caller's, by primitive, or NULL; items of primitives with another stamp are no more
    uint32_t stamp;
    float cells[TOC_HASH_LEVELS], per_length[TOC_HASH_LEVELS]; // edges, and cells a length
    int lowest, highest;                                       // levels that may be used
    uint32_t homes;                                            // levels where any is at home, as bits
    uint32_t levels;                                           // levels where guests are, too
    TOC_ARRAY(uint32_t) primitives;                            // in the table
    TOC_ARRAY(uint8_t) home;                                   // their levels
    size_t voxel_count;
    TOC_ARRAY(uint32_t) first; // by slot, two a voxel, its first item; one more for the end
    TOC_ARRAY(toc_hash_item) items;
    TOC_ARRAY(uint32_t) counts; // of building, kept for the next time, likewise
    toc_hash_drafts drafts[TOC_HASH_CHUNKS];
} toc_hash;

/// An empty table; free with toc_hash_free.
toc_hash toc_hash_make(const toc_allocator *allocator);
void toc_hash_free(toc_hash *hash);

/// Primitives to be put into a table.
typedef struct toc_hash_input {
    const toc_dop_kind *kind;
    const float *dops;      // of all primitives; they must stay as long as the table is searched
    size_t count;           // of those to be put in
    size_t all;             // that voxels are counted for, where there is another table beside; else 0
    uint32_t beside;        // levels where primitives of that one are at home
    const uint32_t *ids;    // which ones; NULL for the first `count`
    const uint32_t *stamps; // by primitive, or NULL: one whose stamp is no longer `stamp` is not found any more
    uint32_t stamp;
} toc_hash_input;

/// The edge of cells to take where there is no other wish: the extent that primitives have, by their geometric mean, so
/// that a few that are large or small do not matter. O(1): at most 1024 of them are looked at.
float toc_hash_cell(const toc_hash_input *input);
/// The longest extent of any along x, y or z: Jung and Choi's choice. O(n).
float toc_hash_longest(const toc_hash_input *input);

/// Put primitives into the table instead of those it holds. O(n), in three passes (count, add up, fill) on as many
/// threads as told, without locks; the same table for any number. What was allocated is used again.
/// On failure the table must be built again before it is searched.
toc_status toc_hash_build(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, int threads);
/// Make it ready for a table beside, built later, that has primitives at home on these levels. O(1) where it is.
toc_status toc_hash_admit(toc_hash *hash, uint32_t homes, int threads);

/// How near to each other two primitives must be to be handed over.
typedef enum toc_hash_overlap {
    TOC_HASH_CELLS, ///< Their boxes touch the same cell.
    TOC_HASH_DOPS,  ///< Their DOPs overlap.
    TOC_HASH_MOVING ///< And their moving DOPs may at some time of the window.
} toc_hash_overlap;

typedef struct toc_hash_counts {
    uint64_t voxel_pairs; // pairs of items in the same voxel
    uint64_t box_pairs;   // pairs in the same cell, or of overlapping boxes there, each once; no flat neighbours
    uint64_t found;       // handed over
} toc_hash_counts;

/// A search within one table, or between two that have the same cells and voxels and admit each other: every pair that
/// is near enough, once.
typedef struct toc_hash_search {
    const toc_hash *hash, *other; // other: NULL to search within the first
    toc_hash_overlap overlap;
    const float *moving;          // two DOPs a primitive (bound/span.h), and the window, for TOC_HASH_MOVING
    const toc_window *window;     //
    const uint32_t (*corners)[3]; // by primitive, where there is
    const uint8_t *flat;          // by corner: two primitives that share one where this is set are left out. Or NULL
    toc_leaf_pairs_take *take;    // pairs of primitives; within one table the lower one first, else that of `hash`
    void *user;
    toc_hash_counts counts; // added to
} toc_hash_search;

enum { TOC_HASH_PIECE = 512 }; // items of a piece, and where there are very many more of them

/// Pieces of a search, with as many items of `hash` each, which may run side by side.
static inline size_t toc_hash_pieces(const toc_hash *hash) {
    enum { MOST = 1024 };
    const size_t pieces = hash->items.count / TOC_HASH_PIECE + 1;
    return pieces < MOST ? pieces : MOST;
}
/// Search a piece of it, 0 .. toc_hash_pieces(search->hash) - 1.
toc_status toc_hash_run(toc_hash_search *search, size_t piece);

// ---- what is compiled for each instruction set

/// Items from one to before another, against what is in their voxels.
typedef toc_status toc_hash_kernel(toc_hash_search *search, size_t first, size_t end);
toc_hash_kernel toc_hash_kernel1, toc_hash_kernel4, toc_hash_kernel8;

/// Which cell of a level a coordinate is in. DOPs are about 1 or less in their frame; what is beyond is brought in.
static inline int32_t toc_hash_along(const toc_hash *hash, float x, int level) {
    const float origin = 4, end = 8, from = x + origin, below = from < end ? from : end;
    return (int32_t)((below > 0 ? below : 0) * hash->per_length[level]);
}

static inline const float *toc_hash_dop(const toc_hash *hash, uint32_t primitive) {
    return hash->dops + (size_t)primitive * 2 * (size_t)hash->lanes;
}

#endif
