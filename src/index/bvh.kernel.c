// SPDX-License-Identifier: Apache-2.0
// Fitting and searching a tree of k-DOPs, compiled for each instruction set.
//
// Processors cannot predict whether two nodes overlap, so the code does not branch on it: every pair is written, and
// the next one overwrites it unless it is kept. To compare two blocks, each leaf of one that overlaps the other block
// as a whole is compared with all leaves of the other at a time.
#include <assert.h>
#include <string.h>

#include "index/bvh.h"

// The form of a tree and of its search: a constant in each compiled copy.
typedef struct tree_form {
    int lanes, directions;
    bool layers; // whether the tree has two layers
    bool whole;  // whether the window is the whole step, at least at the start of the search
} tree_form;

static TOC_INLINE size_t node_dop_floats(tree_form f) { return 2 * (size_t)f.lanes; }

static TOC_INLINE float *block_at(const toc_bvh *bvh, tree_form f, size_t number) {
    return bvh->blocks + number * (f.layers ? 4 : 2) * TOC_BLOCK * (size_t)f.directions;
}

// ---- fitting

static TOC_INLINE uint8_t stillness_of_block(const toc_bvh *bvh, const toc_bvh_node *node, const uint8_t *still) {
    uint8_t least = TOC_SETTLED, settled = 0;
    for (uint32_t i = 0; i < node->leaves; i++) {
        const uint8_t leaf = still[bvh->order[node->link + i]];
        least = leaf < least ? leaf : least;
        settled |= (uint8_t)((leaf == TOC_SETTLED) << i);
    }
    bvh->settled[node->left] = settled;
    return least;
}

static TOC_INLINE uint8_t stillness(const toc_bvh *bvh, size_t at, const uint8_t *still) {
    const toc_bvh_node *node = &bvh->nodes[at];
    if (!still) return TOC_MOVES;
    if (toc_bvh_is_block(bvh, at)) return stillness_of_block(bvh, node, still);
    const uint8_t left = bvh->still[node->left], right = bvh->still[node->link];
    return left < right ? left : right;
}

static TOC_INLINE void fit_block(const toc_bvh *bvh, tree_form f, const toc_bvh_source *source, size_t at) {
    const toc_bvh_node *node = &bvh->nodes[at];
    float *block = block_at(bvh, f, node->left), *dop = bvh->dops + at * node_dop_floats(f);
    source->bound(source->user, bvh->order + node->link, node->link, node->leaves, f.layers ? 2 : 1, block);
    toc_block_hold(block, f.directions, f.lanes, dop);
    if (!f.layers) return;
    float *moving = bvh->lower.dops + 2 * at * node_dop_floats(f);
    memcpy(moving, dop, node_dop_floats(f) * sizeof *dop);
    toc_block_hold(block + 2 * TOC_BLOCK * f.directions, f.directions, f.lanes, moving + node_dop_floats(f));
    toc_dop_hold(f.lanes, moving + node_dop_floats(f), dop);
}

// A DOP that holds two others.
static TOC_INLINE void join_dops(tree_form f, const float *left, const float *right, float *dop) {
    memcpy(dop, left, node_dop_floats(f) * sizeof *dop);
    toc_dop_hold(f.lanes, right, dop);
}

static TOC_INLINE void fit_node(const toc_bvh *bvh, tree_form f, size_t at) {
    const toc_bvh_node *node = &bvh->nodes[at];
    const size_t left = node->left * node_dop_floats(f), right = node->link * node_dop_floats(f),
                 to = at * node_dop_floats(f);
    float *moving = bvh->lower.dops;
    join_dops(f, bvh->dops + left, bvh->dops + right, bvh->dops + to);
    if (!f.layers || node->leaves > bvh->lower.most) return;
    join_dops(f, moving + 2 * left, moving + 2 * right, moving + 2 * to);
    join_dops(f, moving + 2 * left + node_dop_floats(f), moving + 2 * right + node_dop_floats(f),
              moving + 2 * to + node_dop_floats(f));
}

static TOC_INLINE size_t fit_by(const toc_bvh *bvh, tree_form f, const toc_bvh_source *source, bool all, size_t first,
                                size_t last) {
    size_t fitted = 0;
    for (size_t i = last; i-- > first;) {
        bvh->still[i] = stillness(bvh, i, source->still);
        if (!source->bound || (bvh->still[i] != TOC_MOVES && !all)) continue;
        if (toc_bvh_is_block(bvh, i))
            fit_block(bvh, f, source, i);
        else
            fit_node(bvh, f, i);
        fitted++;
    }
    return fitted;
}

static size_t fit_all(const toc_bvh *bvh, const toc_bvh_source *source, bool all, size_t first, size_t last) {
    const toc_dop_kind *kind = &bvh->kind;
    const bool layers = bvh->lower.most > 0;
    if (kind->k != 16)
        return fit_by(bvh, (tree_form){kind->lanes, kind->directions, layers, true}, source, all, first, last);
    return layers ? fit_by(bvh, (tree_form){8, 8, true, true}, source, all, first, last)
                  : fit_by(bvh, (tree_form){8, 8, false, true}, source, all, first, last);
}

// ---- searching

// Open a pair of nodes: both of them, or only one if the other is a block or much smaller.
// @return the number of pairs written.
static TOC_INLINE int descend(const toc_bvh *bvh, toc_node_pair p, toc_node_pair below[4]) {
    const toc_bvh_node *a = &bvh->nodes[p.a], *b = &bvh->nodes[p.b];
    if (p.a == p.b) {
        below[0] = (toc_node_pair){a->left, a->left};
        below[1] = (toc_node_pair){a->link, a->link};
        below[2] = (toc_node_pair){a->left, a->link};
        return 3;
    }
    if (toc_bvh_is_block(bvh, p.b) || (a->leaves / 2 >= b->leaves && !toc_bvh_is_block(bvh, p.a))) {
        below[0] = (toc_node_pair){a->left, p.b};
        below[1] = (toc_node_pair){a->link, p.b};
        return 2;
    }
    if (toc_bvh_is_block(bvh, p.a) || b->leaves / 2 >= a->leaves) {
        below[0] = (toc_node_pair){p.a, b->left};
        below[1] = (toc_node_pair){p.a, b->link};
        return 2;
    }
    below[0] = (toc_node_pair){a->left, b->left};
    below[1] = (toc_node_pair){a->left, b->link};
    below[2] = (toc_node_pair){a->link, b->left};
    below[3] = (toc_node_pair){a->link, b->link};
    return 4;
}

static TOC_INLINE bool are_blocks(const toc_bvh *bvh, toc_node_pair p) {
    return toc_bvh_is_block(bvh, p.a) && toc_bvh_is_block(bvh, p.b);
}

static TOC_INLINE bool are_settled(const toc_bvh *bvh, toc_node_pair p) {
    return (bvh->still[p.a] == TOC_SETTLED) & (bvh->still[p.b] == TOC_SETTLED);
}

static TOC_INLINE bool is_hidden_node(const toc_bvh *bvh, int lanes, uint32_t node) {
    return bvh->dops[2 * (size_t)lanes * node] == TOC_BVH_HIDDEN;
}

static TOC_INLINE bool overlap(const toc_bvh *bvh, int lanes, toc_node_pair p) {
    const size_t floats = 2 * (size_t)lanes;
    if (p.a == p.b) return !is_hidden_node(bvh, lanes, p.a);
    return toc_dops_overlap(bvh->dops + p.a * floats, bvh->dops + p.b * floats, lanes);
}

// Split the pieces from `front` on that have too many leaves, and drop those before. A tree need not be balanced: one
// piece of a level can hold most of the pairs of a scene, which then wait for one thread.
static toc_status split_large(const toc_bvh *bvh, size_t front, size_t wanted, toc_node_pairs *out) {
    enum { LEAST = 64, PER_WANTED = 8 }; // leaves of a piece that is never split; pieces for each one wanted, at most
    const size_t even = 2 * bvh->count / wanted, limit = even > LEAST ? even : LEAST;
    size_t kept = 0;
    for (size_t i = front; i < out->count; i++) {
        toc_node_pair below[4];
        const toc_node_pair p = out->at[i];
        const size_t leaves = (size_t)bvh->nodes[p.a].leaves + bvh->nodes[p.b].leaves;
        const bool full = out->count - i + kept >= PER_WANTED * wanted;
        if (leaves <= limit || full || are_blocks(bvh, p)) {
            out->at[kept++] = p;
            continue;
        }
        TOC_TRY(toc_array_reserve(&bvh->allocator, out, 4));
        for (int k = 0, count = descend(bvh, p, below); k < count; k++)
            if (!are_settled(bvh, below[k]) && overlap(bvh, bvh->kind.lanes, below[k]))
                out->at[out->count++] = below[k];
    }
    out->count = kept;
    return TOC_OK;
}

static toc_status split_search(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out) {
    out->count = 0;
    if (!bvh->count) return TOC_OK;
    TOC_TRY(toc_array_reserve(&bvh->allocator, out, 1));
    out->at[out->count++] = (toc_node_pair){0, 0};
    // Breadth first: replace the front piece by the pairs below it until there are enough.
    size_t front = 0;
    while (front < out->count && out->count - front < wanted) {
        toc_node_pair below[4];
        const toc_node_pair p = out->at[front];
        if (are_blocks(bvh, p)) break;
        TOC_TRY(toc_array_reserve(&bvh->allocator, out, 4));
        front++;
        for (int i = 0, count = descend(bvh, p, below); i < count; i++)
            if (!are_settled(bvh, below[i]) && overlap(bvh, bvh->kind.lanes, below[i]))
                out->at[out->count++] = below[i];
    }
    return split_large(bvh, front, wanted, out);
}

// Pairs that wait in a tree of a million leaves; deeper trees take them from the allocator.
enum { FEW_WAITING = 512 };

typedef struct tree_search {
    const toc_bvh *bvh;
    toc_bvh_scope scope;
    const toc_leaf_taker *taker;
    toc_node_pairs waiting; // at first in `few`
    toc_node_pair few[FEW_WAITING];
    toc_leaf_pair found[TOC_LEAF_PAIRS];
    size_t found_count;
    uint64_t visited;
} tree_search;

static TOC_INLINE bool is_in_lower_layer(const tree_search *s, tree_form f, uint32_t node) {
    return f.layers && s->bvh->nodes[node].leaves <= s->bvh->lower.most;
}

// Whether two different nodes may overlap: at some time of the window if both are in the lower layer, else as swept
// DOPs.
static TOC_INLINE bool nodes_may_meet(const tree_search *s, tree_form f, toc_look look, uint32_t a, uint32_t b) {
    const size_t floats = node_dop_floats(f);
    if (!is_in_lower_layer(s, f, a) || !is_in_lower_layer(s, f, b))
        return toc_dops_overlap(s->bvh->dops + a * floats, s->bvh->dops + b * floats, f.lanes);
    const float *dop_a = s->bvh->lower.dops + 2 * a * floats, *dop_b = s->bvh->lower.dops + 2 * b * floats;
    return f.whole ? toc_dops_may_meet_at_all(dop_a, dop_b, f.lanes) : toc_dops_may_meet(dop_a, dop_b, f.lanes, look);
}

static toc_status hand_over(tree_search *s) {
    assert(s->found_count <= TOC_LEAF_PAIRS);
    const size_t count = s->found_count;
    s->found_count = 0;
    return count ? s->taker->take(s->taker->user, s->found, count) : TOC_OK;
}

// ---- blocks

static TOC_INLINE unsigned all_of(const toc_bvh_node *block) { return (1U << block->leaves) - 1; }

// The places of a block whose leaves a DOP may meet.
static TOC_INLINE unsigned places_that_meet(tree_form f, toc_look look, const float *block, toc_slabs_of dop) {
    return f.layers ? toc_block_may_meet(block, f.directions, dop, look, f.whole)
                    : toc_block_overlap(block, f.directions, dop);
}

// The leaves of a block that may meet another block as a whole.
static TOC_INLINE unsigned leaves_near(const tree_search *s, tree_form f, toc_look look, uint32_t block,
                                       uint32_t other) {
    const toc_bvh *bvh = s->bvh;
    if (f.layers && !is_in_lower_layer(s, f, other)) return all_of(&bvh->nodes[block]);
    const float *dop =
        f.layers ? bvh->lower.dops + 2 * other * node_dop_floats(f) : bvh->dops + other * node_dop_floats(f);
    return all_of(&bvh->nodes[block]) &
           places_that_meet(f, look, block_at(bvh, f, bvh->nodes[block].left), toc_slabs_of_dop(dop, f.lanes));
}

// Bits 0, 3, 6, ... of 24, compacted to 8 bits.
static TOC_INLINE unsigned every_third(uint32_t bits) {
    bits &= 0x249249;
    bits = (bits | bits >> 2) & 0x0c30c3;
    bits = (bits | bits >> 4) & 0x00f00f;
    return (bits | bits >> 8) & 0xff;
}

// The leaves of a block that share a vertex with a flat ring with another leaf. The corners of all eight leaves are
// compared as they are stored.
static TOC_INLINE unsigned tied(const toc_bvh_scope *scope, uint32_t leaf, uint32_t first) {
    const uint32_t *row = scope->corners[first];
    uint32_t common = 0, corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = scope->corners[leaf][k];
        corner[k] |= scope->ties[corner[k]] - 1U; // UINT32_MAX, which is no vertex, if the ring is not flat
    }
    for (int i = 0; i < 3; i++, row += TOC_BLOCK)
        common |= toc_places_bits(toc_places_equal(row, corner[0]) | toc_places_equal(row, corner[1]) |
                                  toc_places_equal(row, corner[2]))
                  << TOC_BLOCK * i;
    return every_third(common | common >> 1 | common >> 2);
}

// Write the pairs of a leaf and the leaves of another block that it meets.
static TOC_INLINE void keep_leaf_pairs(tree_search *s, const toc_bvh_node *a, unsigned place, const toc_bvh_node *b,
                                       unsigned places) {
    const toc_bvh *bvh = s->bvh;
    if (bvh->settles && bvh->settled[a->left] >> place & 1) places &= ~(unsigned)bvh->settled[b->left];
    if (places && s->scope.ties) places &= ~tied(&s->scope, a->link + place, b->link);
    for (; places; places &= places - 1)
        s->found[s->found_count++] = (toc_leaf_pair){a->link + place, b->link + (unsigned)__builtin_ctz(places)};
}

// Compare the leaves of two blocks: each near leaf of the block that has fewer of them with the whole other block.
static TOC_INLINE void compare_leaf_blocks(tree_search *s, tree_form f, toc_look look, toc_node_pair p) {
    const toc_bvh_node *a = &s->bvh->nodes[p.a], *b = &s->bvh->nodes[p.b];
    unsigned in_a = leaves_near(s, f, look, p.a, p.b), in_b = leaves_near(s, f, look, p.b, p.a);
    if (__builtin_popcount(in_b) < __builtin_popcount(in_a)) {
        const toc_bvh_node *node = a;
        const unsigned leaves = in_a;
        a = b, in_a = in_b;
        b = node, in_b = leaves;
    }
    const float *block_a = block_at(s->bvh, f, a->left), *block_b = block_at(s->bvh, f, b->left);
    s->visited += 2 + (unsigned)__builtin_popcount(in_a);
    for (; in_a; in_a &= in_a - 1) {
        const unsigned place = (unsigned)__builtin_ctz(in_a);
        keep_leaf_pairs(s, a, place, b,
                        in_b & places_that_meet(f, look, block_b, toc_slabs_of_place(block_a, f.directions, place)));
    }
}

// Compare the leaves of a block with each other.
static TOC_INLINE void compare_within(tree_search *s, tree_form f, toc_look look, uint32_t node) {
    const toc_bvh_node *a = &s->bvh->nodes[node];
    const float *block = block_at(s->bvh, f, a->left);
    s->visited += a->leaves - 1;
    for (unsigned place = 0; place + 1 < a->leaves; place++)
        keep_leaf_pairs(s, a, place, a,
                        all_of(a) & (~1U << place) &
                            places_that_meet(f, look, block, toc_slabs_of_place(block, f.directions, place)));
}

// ---- the whole search

// Make room for the pairs below one node pair.
static toc_status grow_waiting(tree_search *s) {
    toc_node_pairs more = {0};
    if (s->waiting.at != s->few) return toc_array_reserve(&s->bvh->allocator, &s->waiting, 4);
    TOC_TRY(toc_array_reserve(&s->bvh->allocator, &more, (size_t)2 * FEW_WAITING));
    memcpy(more.at, s->few, s->waiting.count * sizeof *more.at);
    more.count = s->waiting.count;
    s->waiting = more;
    return TOC_OK;
}

static TOC_INLINE void look_below(tree_search *s, tree_form f, toc_look look, toc_node_pair p) {
    toc_node_pair below[4];
    const int count = descend(s->bvh, p, below);
    for (int i = 0; i < count; i++) {
        const toc_node_pair q = below[i];
        s->waiting.at[s->waiting.count] = q;
        s->waiting.count += q.a == q.b ? !is_hidden_node(s->bvh, f.lanes, q.a) : nodes_may_meet(s, f, look, q.a, q.b);
    }
    s->visited += (uint64_t)count;
}

static TOC_INLINE toc_status search_node_pairs(tree_search *s, tree_form f) {
    toc_look look = {0, 1, 1};
    while (s->waiting.count > 0) {
        const toc_node_pair p = s->waiting.at[--s->waiting.count];
        if (s->bvh->settles && are_settled(s->bvh, p)) continue;
        if (f.layers && !f.whole) look = toc_window_look(s->scope.window);
        if (!are_blocks(s->bvh, p)) {
            if (s->waiting.capacity - s->waiting.count < 4) TOC_TRY(grow_waiting(s));
            look_below(s, f, look, p);
            continue;
        }
        if (s->found_count + TOC_BLOCK * TOC_BLOCK > TOC_LEAF_PAIRS) TOC_TRY(hand_over(s));
        if (p.a == p.b)
            compare_within(s, f, look, p.a);
        else
            compare_leaf_blocks(s, f, look, p);
    }
    return hand_over(s);
}

// Compiled once for each form.
static toc_status search_any(tree_search *s) {
    const toc_dop_kind *kind = &s->bvh->kind;
    const toc_window *window = s->scope.window;
    const bool layers = s->bvh->lower.most > 0, whole = !window || (window->from <= 0 && window->to >= 1);
    if (kind->k != 16) return search_node_pairs(s, (tree_form){kind->lanes, kind->directions, layers, whole});
    if (!layers) return search_node_pairs(s, (tree_form){8, 8, false, true});
    return whole ? search_node_pairs(s, (tree_form){8, 8, true, true})
                 : search_node_pairs(s, (tree_form){8, 8, true, false});
}

static toc_status search_below(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                               const toc_leaf_taker *taker, uint64_t *visited) {
    tree_search s;
    s.bvh = bvh;
    s.scope = *scope;
    s.taker = taker;
    s.found_count = 0;
    s.visited = 0;
    s.few[0] = nodes;
    s.waiting.at = s.few;
    s.waiting.count = 1;
    s.waiting.capacity = FEW_WAITING;
    const toc_status status = search_any(&s);
    if (s.waiting.at != s.few) toc_array_free(&bvh->allocator, &s.waiting);
    *visited += s.visited;
    return status;
}

// Nodes of a tree are in preorder, so the subtree of a node that does not overlap is skipped at once.
static toc_status find_leaves(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user,
                              uint64_t *visited) {
    const int lanes = bvh->kind.lanes, directions = bvh->kind.directions;
    for (size_t i = bvh->top_level; i < bvh->node_count; ++*visited) {
        const toc_bvh_node *node = &bvh->nodes[i];
        const bool is_near = toc_dops_overlap(bvh->dops + i * 2 * (size_t)lanes, dop, lanes);
        const float *block = bvh->blocks + node->left * toc_block_floats(&bvh->kind, 1);
        const bool open = is_near && toc_bvh_is_block(bvh, i);
        unsigned places = open ? all_of(node) & toc_block_overlap(block, directions, toc_slabs_of_dop(dop, lanes)) : 0;
        for (; places; places &= places - 1) TOC_TRY(take(user, node->link + (unsigned)__builtin_ctz(places)));
        i += is_near ? 1 : toc_bvh_nodes_over(node->leaves);
    }
    return TOC_OK;
}

const toc_bvh_kernel TOC_FOR_LANES(toc_bvh_kernel) = {fit_all, split_search, search_below, find_leaves};
