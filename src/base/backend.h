// SPDX-License-Identifier: Apache-2.0
// The backend: one table of the kernels of a query, a row for each number of lanes, chosen once for this machine.
//
// All rows give the same bits; the row of one lane is the reference. Modules ask toc_backend_here() for a kernel and
// know nothing else of the machine. Rows are filled where all kernels are known, in device/lanes.kernel.c.
#ifndef TOC_BASE_BACKEND_H
#define TOC_BASE_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "toccata/base.h"

struct toc_hash_search;
struct toc_triangle_axes;
struct toc_leaf_pair;
struct toc_represented_dops;
struct toc_primitive_dops;
struct toc_feature_pairs;
struct toc_ring_motion;
struct toc_tet;
struct toc_packed;
struct toc_prefilter_work;
struct toc_certified_work;
struct toc_place_work;

/// The arguments of each kernel are described with its type, toc_NAME_kernel, in the module that has it.
typedef struct toc_backend {
    int lanes; // doubles at once: 8, 4 or 1
    // Bounds of points and features, bounds of blocks, and the tree: fit, split, search (descent), find.
    const struct toc_dop_kernel *dop;
    const struct toc_block_kernel *block;
    const struct toc_bvh_kernel *bvh;
    toc_status (*hash)(struct toc_hash_search *search, size_t first, size_t end);
    // Culling: pairs of leaves, their feature pairs, surfaces without folds, elements that keep their volume.
    size_t (*triangle_axes)(const struct toc_triangle_axes *how, const struct toc_leaf_pair *pairs, size_t count,
                            struct toc_leaf_pair *kept);
    void (*features)(const struct toc_represented_dops *dops, const struct toc_leaf_pair *pairs, size_t count,
                     struct toc_feature_pairs *out);
    void (*primitive_features)(const struct toc_primitive_dops *dops, const struct toc_leaf_pair *pairs, size_t count,
                               struct toc_feature_pairs *out);
    void (*flat_rings)(const uint32_t *rings, size_t count, int size, const struct toc_ring_motion *motion,
                       uint8_t *flat);
    void (*stars)(const struct toc_tet *tets, size_t count, const struct toc_packed *packed, uint8_t *turns);
    // The elementary test: prefilter, certified, ties; and the places of contacts.
    size_t (*prefilter)(const struct toc_prefilter_work *work, uint32_t *rest);
    void (*certified)(const struct toc_certified_work *work);
    size_t (*tie)(const struct toc_place_work *work, uint32_t *left);
    size_t (*place)(const struct toc_place_work *work, uint32_t *left);
} toc_backend;

/// The rows. Only those that the build has are defined.
extern const toc_backend toc_backend1, toc_backend4, toc_backend8;

/// The row in use: that of the most lanes that this build and this machine have, or of fewer if TOC_SIMD in the
/// environment is avx512, avx2, neon or scalar. Other values are ignored. Chosen once for each process.
const toc_backend *toc_backend_here(void);
/// The row of 1, 4 or 8 lanes, whatever the environment says; NULL if this build or this machine has none.
const toc_backend *toc_backend_of(int lanes);

#endif
