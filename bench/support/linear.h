// SPDX-License-Identifier: Apache-2.0
// A linear bounding volume hierarchy: boxes in the order of a space-filling curve, nodes where the bits of their codes
// differ. It is built in a fraction of the time of a tree that weighs areas. After Lauterbach et al. 2009, "Fast BVH
// construction on GPUs", and Karras 2012, "Maximizing parallelism in the construction of BVHs, octrees, and k-d trees".
#ifndef BENCH_SUPPORT_LINEAR_H
#define BENCH_SUPPORT_LINEAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_linear_box {
    float low[3], high[3];
} bench_linear_box;

bench_linear_box bench_linear_join(const bench_linear_box *a, const bench_linear_box *b);

/// A node in preorder: the next one is its left child, or what follows a leaf.
typedef struct bench_linear_node {
    bench_linear_box box;
    uint32_t next; // where to go on if the box is not met
    uint32_t item; // UINT32_MAX for an inner node
} bench_linear_node;

typedef struct bench_linear {
    size_t count; // of the items; there are 2 * count - 1 nodes
    bench_linear_node *nodes;
} bench_linear;

/// Ends the program when memory is out.
bench_linear bench_linear_build(const bench_linear_box *boxes, size_t count);
/// The memory of a hierarchy while it is built, without the boxes.
size_t bench_linear_bytes(size_t count);
void bench_linear_free(bench_linear *tree);

/// Takes a pair of items whose boxes overlap.
typedef void bench_linear_take(void *user, uint32_t a, uint32_t b);
/// Find the items of a tree that boxes meet: for each box all of them.
void bench_linear_collide(const bench_linear *tree, const bench_linear_box *boxes, size_t count,
                          bench_linear_take *take, void *user);
/// Find the pairs of a tree with itself, each once.
void bench_linear_collide_itself(const bench_linear *tree, bench_linear_take *take, void *user);

#endif
