// SPDX-License-Identifier: Apache-2.0
// Spatial hashing: pairs of primitives, of any kind that has a k-DOP, whose boxes share a cell of a grid.
//
// A primitive goes into every cell its box touches, on the finest level of the grid where these are few; the cells of a
// level are four times as large as those of the one below. Two that meet do so in cells of the coarser one's level, and
// are reported in the lowest of them only. No hierarchy and no topology: everything is put in anew in O(n). Memory is
// linear, however large a primitive is beside the others. After Jung and Choi, "A fast culling scheme for deformable
// object collision detection using spatial hashing"; Teschner et al. 2003; Eitz and Gu 2007 for the levels.
#ifndef TOC_BROAD_HASH_H
#define TOC_BROAD_HASH_H

#include "broad/bvh.h"

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
    uint8_t at[3]; // the cell, counted from the lowest of the primitive
    uint8_t level;
} toc_hash_item;

enum { TOC_HASH_LEVELS = 32, TOC_HASH_MIDDLE = 16 };

typedef struct toc_hash {
    toc_allocator allocator;
    toc_hash_form form;
    int lanes;              // of the DOPs
    const float *dops;      // the caller's, by primitive
    const uint32_t *stamps; // the caller's, by primitive, or NULL; items of primitives with another stamp are no more
    uint32_t stamp;
    float cells[TOC_HASH_LEVELS], per_length[TOC_HASH_LEVELS]; // edges, and cells a length
    int lowest, highest;                                       // levels that may be used
    uint32_t used;                                             // levels that are, as bits
    TOC_ARRAY(uint32_t) primitives;                            // in the table
    TOC_ARRAY(uint32_t) first;                                 // by voxel its first item; one more for the end
    TOC_ARRAY(toc_hash_item) items;
    TOC_ARRAY(uint32_t) counts; // of building, kept for the next time
    size_t voxel_count;
} toc_hash;

/// An empty table; free with toc_hash_free.
toc_hash toc_hash_make(const toc_allocator *allocator);
void toc_hash_free(toc_hash *hash);

/// The edge of cells to take where there is no other wish: the extent that primitives have, by their geometric mean, so
/// that a few that are large or small do not matter. O(1): at most 1024 of them are looked at.
float toc_hash_cell(const toc_dop_kind *kind, size_t count, const float *dops);
/// The longest extent of any along x, y or z: Jung and Choi's choice. O(n).
float toc_hash_longest(const toc_dop_kind *kind, size_t count, const float *dops);

/// Primitives to be put into a table.
typedef struct toc_hash_input {
    const toc_dop_kind *kind;
    const float *dops;      // of all primitives; they must stay as long as the table is searched
    size_t count;           // of those to be put in
    const uint32_t *ids;    // which ones; NULL for the first `count`
    const uint32_t *stamps; // by primitive, or NULL: one whose stamp is no longer `stamp` is not found any more
    uint32_t stamp;
} toc_hash_input;

/// Put primitives into the table instead of those it holds. O(n), in three passes (count, add up, fill) on as many
/// threads as told, without locks; the same table for any number. What was allocated is used again.
/// On failure the table must be built again before it is searched.
toc_status toc_hash_build(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, int threads);

/// How near to each other two primitives must be to be handed over.
typedef enum toc_hash_overlap {
    TOC_HASH_CELLS, ///< Their boxes touch the same cell.
    TOC_HASH_DOPS   ///< Their DOPs overlap.
} toc_hash_overlap;

typedef struct toc_hash_counts {
    uint64_t voxel_pairs; // pairs of items in the same voxel
    uint64_t box_pairs;   // pairs in the same cell, or of overlapping boxes there, each once
    uint64_t found;       // handed over
} toc_hash_counts;

/// A search within one table, or between two that have the same cells: every pair that is near enough, once.
typedef struct toc_hash_search {
    const toc_hash *hash, *other; // other: NULL to search within the first
    toc_hash_overlap overlap;
    toc_leaf_pairs_take *take; // pairs of primitives; within one table the lower one first, else that of `hash`
    void *user;
    toc_hash_counts counts; // added to
} toc_hash_search;

enum { TOC_HASH_PIECES = 256 }; // of a search, which may run side by side

/// Search a piece of it, 0 .. TOC_HASH_PIECES - 1.
toc_status toc_hash_run(toc_hash_search *search, size_t piece);

#endif
