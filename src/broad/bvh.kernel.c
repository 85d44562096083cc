// SPDX-License-Identifier: Apache-2.0
// Refitting and searching a tree of k-DOPs, compiled for each instruction set.
//
// Whether two nodes overlap is a coin toss to the processor, so nothing here branches on it: every pair is written
// down, and the next one over it unless it was to be kept.
#include <string.h>

#include "base/lanes.h"
#include "bound/overlap.h"
#include "broad/bvh.h"

// ---- refitting

static TOC_INLINE uint8_t stillness(const toc_bvh *bvh, const toc_bvh_node *node, const uint8_t *still) {
    if (!still) return TOC_MOVES;
    if (node->leaves == 1) return still[bvh->order[node->link]];
    const uint8_t left = bvh->still[node->left], right = bvh->still[node->link];
    return left < right ? left : right;
}

static TOC_INLINE size_t refit_by(const toc_bvh *bvh, int lanes, const toc_bvh_leaves *leaves, bool all, size_t first,
                                  size_t last) {
    const size_t floats = 2 * (size_t)lanes;
    size_t fitted = 0;
    for (size_t i = last; i-- > first;) {
        const toc_bvh_node *node = &bvh->nodes[i];
        bvh->still[i] = stillness(bvh, node, leaves->still);
        if (bvh->still[i] != TOC_MOVES && !all) continue;
        const float *from =
            node->leaves == 1 ? leaves->dops + bvh->order[node->link] * floats : bvh->dops + node->left * floats;
        memcpy(bvh->dops + i * floats, from, floats * sizeof *from);
        if (node->leaves > 1) toc_dop_hold(lanes, bvh->dops + node->link * floats, bvh->dops + i * floats);
        fitted++;
    }
    return fitted;
}

static size_t refit(const toc_bvh *bvh, const toc_bvh_leaves *leaves, bool all, size_t first, size_t last) {
    return bvh->kind.lanes == 8 ? refit_by(bvh, 8, leaves, all, first, last)
                                : refit_by(bvh, 16, leaves, all, first, last);
}

static TOC_INLINE void fit_lower_by(const toc_bvh *bvh, int lanes, const toc_lower_layer *lower, size_t first,
                                    size_t last) {
    const size_t floats = 2 * (size_t)lanes;
    for (size_t i = last; i-- > first;) {
        const toc_bvh_node *node = &bvh->nodes[i];
        if (node->leaves == 1 || node->leaves > lower->most) continue;
        if (!lower->renew && !toc_bvh_needs(bvh, i)) continue;
        float *dops = lower->moving + 2 * i * floats;
        const float *left = lower->moving + 2 * node->left * floats, *right = lower->moving + 2 * node->link * floats;
        memcpy(dops, left, 2 * floats * sizeof *dops);
        toc_dop_hold(lanes, right, dops);
        toc_dop_hold(lanes, right + floats, dops + floats);
    }
}

static void fit_lower(const toc_bvh *bvh, const toc_lower_layer *lower, size_t first, size_t last) {
    bvh->kind.lanes == 8 ? fit_lower_by(bvh, 8, lower, first, last) : fit_lower_by(bvh, 16, lower, first, last);
}

// ---- searching

// What a pair of nodes comes down to: both are opened, but for leaves and where one is much larger than the other.
// @return how many pairs below it were written.
static TOC_INLINE int descend(const toc_bvh *bvh, toc_node_pair p, toc_node_pair below[4]) {
    const toc_bvh_node *a = &bvh->nodes[p.a], *b = &bvh->nodes[p.b];
    if (p.a == p.b) {
        if (a->leaves == 1) return 0;
        below[0] = (toc_node_pair){a->left, a->left};
        below[1] = (toc_node_pair){a->link, a->link};
        below[2] = (toc_node_pair){a->left, a->link};
        return 3;
    }
    if (a->leaves / 2 >= b->leaves || b->leaves == 1) {
        below[0] = (toc_node_pair){a->left, p.b};
        below[1] = (toc_node_pair){a->link, p.b};
        return 2;
    }
    if (b->leaves / 2 >= a->leaves || a->leaves == 1) {
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

static TOC_INLINE bool is_leaf_pair(const toc_bvh *bvh, toc_node_pair p) {
    return (p.a != p.b) & (bvh->nodes[p.a].leaves == 1) & (bvh->nodes[p.b].leaves == 1);
}

static TOC_INLINE bool are_settled(const toc_bvh *bvh, toc_node_pair p) {
    return (bvh->still[p.a] == TOC_SETTLED) & (bvh->still[p.b] == TOC_SETTLED);
}

static TOC_INLINE bool overlap(const toc_bvh *bvh, int lanes, toc_node_pair p) {
    const size_t floats = 2 * (size_t)lanes;
    return p.a == p.b || toc_dops_overlap(bvh->dops + p.a * floats, bvh->dops + p.b * floats, lanes);
}

static toc_status split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out) {
    out->count = 0;
    if (!bvh->count) return TOC_OK;
    TOC_TRY(toc_array_reserve(&bvh->allocator, out, 1));
    out->at[out->count++] = (toc_node_pair){0, 0};
    // Breadth first: the front piece is replaced by what it comes down to, until there are enough.
    size_t front = 0;
    while (front < out->count && out->count - front < wanted) {
        toc_node_pair below[4];
        const toc_node_pair p = out->at[front];
        if (is_leaf_pair(bvh, p)) break;
        TOC_TRY(toc_array_reserve(&bvh->allocator, out, 4));
        front++;
        for (int i = 0, count = descend(bvh, p, below); i < count; i++)
            if (!are_settled(bvh, below[i]) && overlap(bvh, bvh->kind.lanes, below[i]))
                out->at[out->count++] = below[i];
    }
    memmove(out->at, out->at + front, (out->count - front) * sizeof *out->at);
    out->count -= front;
    return TOC_OK;
}

// Below this many leaves nodes are not opened any more: all their leaves are compared, which takes less than going
// down to them.
enum { BLOCK = 6 };

// How a tree is searched: known when compiling.
typedef struct form {
    int lanes;
    bool layers; // whether it has two
    bool whole;  // whether the window is the whole step, at least to begin with
} form;

typedef struct search {
    const toc_bvh *bvh;
    const toc_lower_layer *lower;
    const toc_leaf_taker *taker;
    toc_node_pairs waiting;
    toc_node_pair found[TOC_LEAF_PAIRS + 1];
    size_t found_count;
    uint64_t visited;
} search;

// Whether two different nodes are to be looked at: those of the lower layer that may overlap at some time of interest,
// or swept ones.
static TOC_INLINE bool near(const search *s, form f, bool lower, toc_look look, uint32_t a, uint32_t b) {
    const size_t floats = 2 * (size_t)f.lanes;
    if (!lower) return toc_dops_overlap(s->bvh->dops + a * floats, s->bvh->dops + b * floats, f.lanes);
    const float *dop_a = s->lower->moving + 2 * a * floats, *dop_b = s->lower->moving + 2 * b * floats;
    return f.whole ? toc_dops_may_meet_at_all(dop_a, dop_b, f.lanes) : toc_dops_may_meet(dop_a, dop_b, f.lanes, look);
}

// Blocks of leaves are compared whether or not some of them are settled.
static void drop_settled(search *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->found_count; i++) {
        s->found[kept] = s->found[i];
        kept += !are_settled(s->bvh, s->found[i]);
    }
    s->found_count = kept;
}

static toc_status hand_over(search *s) {
    if (s->bvh->settles) drop_settled(s);
    const size_t count = s->found_count;
    s->found_count = 0;
    return count ? s->taker->take(s->taker->user, s->found, count) : TOC_OK;
}

// Nodes of the crown are opened: what is below them is not in a row.
static TOC_INLINE bool is_block(const toc_bvh *bvh, uint32_t node) {
    return (bvh->nodes[node].leaves <= BLOCK) & (node >= bvh->crown);
}

// The leaves below a node that is a block. @return how many.
static TOC_INLINE int list_leaves(const toc_bvh_node *nodes, uint32_t node, uint32_t leaves[2 * BLOCK]) {
    int count = 0;
    for (uint32_t i = node, last = node + 2 * nodes[node].leaves - 1; i < last; i++) {
        leaves[count] = i;
        count += nodes[i].leaves == 1;
    }
    return count;
}

static TOC_INLINE bool is_lower(const search *s, form f, toc_node_pair p) {
    const toc_bvh_node *nodes = s->bvh->nodes;
    return f.layers && nodes[p.a].leaves <= s->lower->most && nodes[p.b].leaves <= s->lower->most;
}

// All leaves below one node against all below another, or among themselves.
static TOC_INLINE void compare_leaves(search *s, form f, toc_look look, toc_node_pair p) {
    uint32_t a[2 * BLOCK], b[2 * BLOCK];
    const int count_a = list_leaves(s->bvh->nodes, p.a, a), count_b = list_leaves(s->bvh->nodes, p.b, b);
    for (int i = 0; i < count_a; i++)
        for (int j = p.a == p.b ? i + 1 : 0; j < count_b; j++) {
            s->found[s->found_count] = (toc_node_pair){a[i], b[j]};
            s->found_count += near(s, f, f.layers, look, a[i], b[j]);
            s->visited++;
        }
}

static TOC_INLINE void look_below(search *s, form f, toc_look look, toc_node_pair p) {
    toc_node_pair below[4];
    const int count = descend(s->bvh, p, below);
    for (int i = 0; i < count; i++) {
        const toc_node_pair q = below[i];
        const bool lower = is_lower(s, f, q);
        s->waiting.at[s->waiting.count] = q;
        s->waiting.count += q.a == q.b || near(s, f, lower, look, q.a, q.b);
    }
    s->visited += (uint64_t)count;
}

static TOC_INLINE toc_status search_by(search *s, form f) {
    toc_look look = {0, 1, 1};
    while (s->waiting.count > 0) {
        const toc_node_pair p = s->waiting.at[--s->waiting.count];
        if (s->bvh->settles && are_settled(s->bvh, p)) continue;
        if (f.layers && !f.whole) look = toc_window_look(s->lower->window);
        if (is_block(s->bvh, p.a) && is_block(s->bvh, p.b)) {
            if (s->found_count + BLOCK * BLOCK > TOC_LEAF_PAIRS) TOC_TRY(hand_over(s));
            compare_leaves(s, f, look, p);
        } else {
            TOC_TRY(toc_array_reserve(&s->bvh->allocator, &s->waiting, 4));
            look_below(s, f, look, p);
        }
    }
    return hand_over(s);
}

// Compiled once for each form.
static toc_status search_any(search *s) {
    const bool few = s->bvh->kind.lanes == 8;
    if (!s->lower) return few ? search_by(s, (form){.lanes = 8}) : search_by(s, (form){.lanes = 16});
    if (s->lower->window->from <= 0 && s->lower->window->to >= 1)
        return few ? search_by(s, (form){8, true, true}) : search_by(s, (form){16, true, true});
    return few ? search_by(s, (form){8, true, false}) : search_by(s, (form){16, true, false});
}

static toc_status search_below(const toc_bvh *bvh, const toc_lower_layer *lower, toc_node_pair nodes,
                               const toc_leaf_taker *taker, uint64_t *visited) {
    search s;
    s.bvh = bvh;
    s.lower = lower;
    s.taker = taker;
    s.found_count = 0;
    s.visited = 0;
    memset(&s.waiting, 0, sizeof s.waiting);
    TOC_TRY(toc_array_reserve(&bvh->allocator, &s.waiting, 256));
    s.waiting.at[s.waiting.count++] = nodes;
    const toc_status status = search_any(&s);
    toc_array_free(&bvh->allocator, &s.waiting);
    *visited += s.visited;
    return status;
}

const toc_bvh_kernel TOC_FOR_LANES(toc_bvh_kernel) = {refit, fit_lower, split, search_below};
