// SPDX-License-Identifier: Apache-2.0
// Building, refitting and searching a tree of k-DOPs.
//
// Built top-down by the surface area heuristic over bins (Wald 2007, "On fast construction of SAH-based bounding volume
// hierarchies"), on the boxes of the first three directions.
#include "broad/bvh.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "bound/overlap.h"

enum { BINS = 16, SUBTREE = 4096 }; // bins at the most; leaves below which a subtree is one piece of work

// ---- building

// A primitive as the builder needs it, in one place: its box in the first three directions.
typedef struct item {
    float low[3], high[3];
    uint32_t primitive;
} item;

// Primitives first .. first+count-1 of the order, to become the subtree at a node.
typedef struct span {
    uint32_t node, first, count;
} span;

typedef struct builder {
    toc_bvh *bvh;
    const float *dops;        // of the primitives
    item *items;              // reordered as the tree takes shape
    TOC_ARRAY(span) decayed;  // to be built anew
    TOC_ARRAY(span) subtrees; // pieces of work
} builder;

typedef struct bin {
    float low[3], high[3];
    uint32_t count;
} bin;

// Without the calls and the care for NaN that fminf and fmaxf take.
static inline float least(float a, float b) { return a < b ? a : b; }
static inline float most(float a, float b) { return a > b ? a : b; }

static inline void bin_put(bin *b, const float low[3], const float high[3], uint32_t count) {
    for (int c = 0; c < 3; c++) {
        b->low[c] = least(b->low[c], low[c]);
        b->high[c] = most(b->high[c], high[c]);
    }
    b->count += count;
}

static bin bin_empty(void) { return (bin){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0}; }

static float bin_area(const bin *b) {
    const float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return b->count ? x * y + y * z + z * x : 0;
}

// Where to cut: items in bins below `at` along an axis go left.
typedef struct cut {
    int axis, bins, at;
    float from, scale, cost;
} cut;

// Twice the centre, which is as good.
static inline float centre(const item *i, int axis) { return i->low[axis] + i->high[axis]; }

static inline int bin_of(const cut *c, const item *i) {
    const int at = (int)((centre(i, c->axis) - c->from) * c->scale);
    return at < 0 ? 0 : at >= c->bins ? c->bins - 1 : at;
}

// The best cut along an axis, by expected number of overlaps: area times leaves on both sides.
static void try_axis(const builder *b, span s, cut *along) {
    bin bins[BINS], right[BINS];
    for (int i = 0; i < along->bins; i++) bins[i] = bin_empty();
    for (uint32_t i = s.first; i < s.first + s.count; i++) {
        const item *put = &b->items[i];
        bin_put(&bins[bin_of(along, put)], put->low, put->high, 1);
    }
    right[along->bins - 1] = bins[along->bins - 1];
    for (int i = along->bins - 2; i > 0; i--) {
        right[i] = bins[i];
        bin_put(&right[i], right[i + 1].low, right[i + 1].high, right[i + 1].count);
    }
    bin left = bins[0];
    for (int i = 1; i < along->bins; i++) {
        const float cost = bin_area(&left) * (float)left.count + bin_area(&right[i]) * (float)right[i].count;
        if (left.count && right[i].count && cost < along->cost) {
            along->cost = cost;
            along->at = i;
        }
        bin_put(&left, bins[i].low, bins[i].high, bins[i].count);
    }
}

static cut best_cut(const builder *b, span s) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = s.first; i < s.first + s.count; i++)
        for (int c = 0; c < 3; c++) {
            low[c] = least(low[c], centre(&b->items[i], c));
            high[c] = most(high[c], centre(&b->items[i], c));
        }
    const int bins = s.count < 8 ? 4 : s.count < 32 ? 8 : BINS; // most spans are small
    cut best = {.cost = INFINITY};
    for (int c = 0; c < 3; c++) {
        if (!(high[c] - low[c] > 0x1p-100f)) continue; // all in one place, or too close for a quotient
        cut along = {.axis = c, .bins = bins, .from = low[c], .cost = INFINITY};
        along.scale = (float)bins / (high[c] - low[c]);
        try_axis(b, s, &along);
        if (along.cost < best.cost) best = along;
    }
    return best;
}

static void swap_items(item *a, item *b) {
    const item c = *a;
    *a = *b;
    *b = c;
}

// Reorder a span and return how many go left: at least 1, at most all but 1.
static uint32_t divide(builder *b, span s) {
    if (s.count == 2) return 1;
    const cut c = best_cut(b, s);
    if (!(c.cost < INFINITY)) return s.count / 2; // any half is as good
    uint32_t left = s.first, right = s.first + s.count;
    while (left < right) {
        if (bin_of(&c, &b->items[left]) < c.at)
            left++;
        else
            swap_items(&b->items[left], &b->items[--right]);
    }
    return left - s.first;
}

// Make one node of a span. @return the number of spans left below it, 0 for a leaf.
static int make_node(builder *b, span s, span below[2]) {
    toc_bvh_node *node = &b->bvh->nodes[s.node];
    node->leaves = s.count;
    if (s.count == 1) {
        node->link = s.first;
        b->bvh->order[s.first] = b->items[s.first].primitive;
        return 0;
    }
    const uint32_t left = divide(b, s);
    node->link = s.node + 2 * left;
    below[0] = (span){s.node + 1, s.first, left};
    below[1] = (span){node->link, s.first + left, s.count - left};
    return 2;
}

static void make_subtree(builder *b, span whole) {
    span waiting[64]; // the smaller part goes first: no more than log2 of the leaves wait
    int count = 0;
    waiting[count++] = whole;
    while (count > 0) {
        span below[2];
        if (make_node(b, waiting[--count], below) == 0) continue;
        const int larger = below[0].count < below[1].count;
        waiting[count++] = below[larger];
        waiting[count++] = below[!larger];
    }
}

static toc_status build_piece(void *user, size_t index, int thread) {
    (void)thread;
    builder *b = user;
    make_subtree(b, b->subtrees.at[index]);
    return TOC_OK;
}

// Make the nodes above the subtrees; those become pieces of work.
static toc_status make_top(builder *b, span whole) {
    span waiting[64];
    int count = 0;
    waiting[count++] = whole;
    while (count > 0) {
        const span s = waiting[--count];
        if (s.count <= SUBTREE) {
            TOC_TRY(toc_array_reserve(&b->bvh->allocator, &b->subtrees, 1));
            b->subtrees.at[b->subtrees.count++] = s;
            continue;
        }
        span below[2];
        make_node(b, s, below);
        const int larger = below[0].count < below[1].count;
        waiting[count++] = below[larger];
        waiting[count++] = below[!larger];
    }
    return TOC_OK;
}

static const float *dop_at(const toc_dop_kind *kind, const float *dops, size_t i) {
    return dops + i * toc_dop_floats(kind);
}

// The primitives of a span, in the order they have.
static void place_items(builder *b, span s) {
    const toc_dop_kind *kind = &b->bvh->kind;
    for (size_t i = s.first; i < (size_t)s.first + s.count; i++) {
        item *to = &b->items[i];
        to->primitive = b->bvh->order[i];
        const float *dop = dop_at(kind, b->dops, to->primitive);
        memcpy(to->low, dop, sizeof to->low);
        memcpy(to->high, dop + kind->lanes, sizeof to->high);
    }
}

static toc_status make_subtrees(builder *b, int threads) {
    return toc_loop_run(&(toc_loop){.count = b->subtrees.count, .threads = threads, .round = build_piece, .user = b});
}

static float half_area(const toc_bvh *bvh, size_t node) {
    const float *dop = dop_at(&bvh->kind, bvh->dops, node);
    const int lanes = bvh->kind.lanes;
    const float x = dop[lanes] - dop[0], y = dop[lanes + 1] - dop[1], z = dop[lanes + 2] - dop[2];
    return x * y + y * z + z * x;
}

// About 1 where the children share out their parent, 2 where both are as large as it.
static float spread_of(const toc_bvh *bvh, size_t node) {
    const float whole = half_area(bvh, node);
    if (bvh->nodes[node].leaves == 1 || !(whole > 0)) return 2;
    return (half_area(bvh, node + 1) + half_area(bvh, bvh->nodes[node].link)) / whole;
}

static toc_status build(builder *b, int threads) {
    const span whole = {0, 0, (uint32_t)b->bvh->count};
    for (uint32_t i = 0; i < whole.count; i++) b->bvh->order[i] = i;
    place_items(b, whole);
    TOC_TRY(make_top(b, whole));
    return make_subtrees(b, threads);
}

toc_status toc_bvh_build(const toc_allocator *allocator, const toc_dop_kind *kind, size_t count, const float *dops,
                         int threads, toc_bvh *out) {
    toc_bvh bvh = {.allocator = *allocator, .kind = *kind, .count = count};
    builder b = {.bvh = &bvh, .dops = dops};
    const size_t nodes = toc_bvh_node_count(&bvh);
    bvh.order = toc_new(allocator, count, sizeof *bvh.order);
    bvh.nodes = toc_new(allocator, nodes, sizeof *bvh.nodes);
    bvh.dops = toc_new(allocator, nodes, toc_dop_floats(kind) * sizeof *bvh.dops);
    bvh.spread = toc_new(allocator, nodes, sizeof *bvh.spread);
    b.items = toc_new(allocator, count, sizeof *b.items);
    const bool all = bvh.order && bvh.nodes && bvh.dops && bvh.spread && b.items;
    const toc_status status = !all ? TOC_OUT_OF_MEMORY : count ? build(&b, threads) : TOC_OK;
    toc_array_free(allocator, &b.subtrees);
    toc_free(allocator, b.items, count, sizeof *b.items);
    if (status != TOC_OK) {
        toc_bvh_free(&bvh);
        return status;
    }
    toc_bvh_refit(&bvh, dops);
    for (size_t i = 0; i < nodes; i++) bvh.spread[i] = spread_of(&bvh, i);
    *out = bvh;
    return TOC_OK;
}

void toc_bvh_free(toc_bvh *bvh) {
    const size_t nodes = toc_bvh_node_count(bvh);
    toc_free(&bvh->allocator, bvh->order, bvh->count, sizeof *bvh->order);
    toc_free(&bvh->allocator, bvh->nodes, nodes, sizeof *bvh->nodes);
    toc_free(&bvh->allocator, bvh->dops, nodes, toc_dop_floats(&bvh->kind) * sizeof *bvh->dops);
    toc_free(&bvh->allocator, bvh->spread, nodes, sizeof *bvh->spread);
    *bvh = (toc_bvh){0};
}

// ---- refitting

void toc_bvh_refit(toc_bvh *bvh, const float *dops) {
    const toc_dop_kind *kind = &bvh->kind;
    const size_t floats = toc_dop_floats(kind);
    for (size_t i = toc_bvh_node_count(bvh); i-- > 0;) {
        const toc_bvh_node *node = &bvh->nodes[i];
        const float *from = node->leaves == 1 ? dops + bvh->order[node->link] * floats : bvh->dops + (i + 1) * floats;
        memcpy(bvh->dops + i * floats, from, floats * sizeof *from);
        if (node->leaves > 1) toc_dop_join(kind, 1, bvh->dops + node->link * floats, bvh->dops + i * floats);
    }
}

void toc_bvh_fit_lower_layer(const toc_bvh *bvh, const toc_lower_layer *lower) {
    const size_t floats = 2 * toc_dop_floats(&bvh->kind);
    for (size_t i = toc_bvh_node_count(bvh); i-- > 0;) {
        const toc_bvh_node *node = &bvh->nodes[i];
        if (node->leaves == 1 || node->leaves > lower->most) continue;
        float *dops = lower->moving + i * floats;
        memcpy(dops, lower->moving + (i + 1) * floats, floats * sizeof *dops);
        toc_dop_join(&bvh->kind, 2, lower->moving + node->link * floats, dops);
    }
}

// ---- restructuring

// How much more a node's children may spread before it is built anew: a fifth of its own area.
static const float DECAY = 0.2f;

// The highest nodes that decayed, as spans. Leaves stand in order, so a count of those passed places them.
static toc_status find_decayed(builder *b, size_t *rebuilt) {
    const toc_bvh *bvh = b->bvh;
    uint32_t passed = 0;
    for (size_t i = 0; i < toc_bvh_node_count(bvh);) {
        const uint32_t leaves = bvh->nodes[i].leaves;
        if (leaves > 2 && spread_of(bvh, i) > bvh->spread[i] + DECAY) {
            TOC_TRY(toc_array_reserve(&bvh->allocator, &b->decayed, 1));
            b->decayed.at[b->decayed.count++] = (span){(uint32_t)i, passed, leaves};
            *rebuilt += leaves;
            passed += leaves;
            i += 2 * (size_t)leaves - 1;
        } else {
            passed += leaves == 1;
            i++;
        }
    }
    return TOC_OK;
}

static toc_status restructure(builder *b, int threads, size_t *rebuilt) {
    TOC_TRY(find_decayed(b, rebuilt));
    if (*rebuilt == 0) return TOC_OK;
    for (size_t i = 0; i < b->decayed.count; i++) {
        place_items(b, b->decayed.at[i]);
        TOC_TRY(make_top(b, b->decayed.at[i]));
    }
    TOC_TRY(make_subtrees(b, threads));
    toc_bvh_refit(b->bvh, b->dops);
    for (size_t i = 0; i < b->decayed.count; i++) {
        const span s = b->decayed.at[i];
        for (size_t node = s.node; node < s.node + 2 * (size_t)s.count - 1; node++)
            b->bvh->spread[node] = spread_of(b->bvh, node);
    }
    return TOC_OK;
}

toc_status toc_bvh_restructure(toc_bvh *bvh, const float *dops, int threads, size_t *rebuilt) {
    builder b = {.bvh = bvh, .dops = dops};
    *rebuilt = 0;
    b.items = toc_new(&bvh->allocator, bvh->count, sizeof *b.items);
    if (!b.items) return TOC_OUT_OF_MEMORY;
    const toc_status status = restructure(&b, threads, rebuilt);
    toc_array_free(&bvh->allocator, &b.decayed);
    toc_array_free(&bvh->allocator, &b.subtrees);
    toc_free(&bvh->allocator, b.items, bvh->count, sizeof *b.items);
    return status;
}

// ---- searching

// What a pair of nodes comes down to. @return how many pairs below it were written.
static inline int descend(const toc_bvh *bvh, toc_node_pair p, toc_node_pair below[3]) {
    const toc_bvh_node *a = &bvh->nodes[p.a], *b = &bvh->nodes[p.b];
    if (p.a == p.b) {
        if (a->leaves == 1) return 0;
        below[0] = (toc_node_pair){p.a + 1, p.a + 1};
        below[1] = (toc_node_pair){a->link, a->link};
        below[2] = (toc_node_pair){p.a + 1, a->link};
        return 3;
    }
    const bool first = a->leaves >= b->leaves;
    below[0] = first ? (toc_node_pair){p.a + 1, p.b} : (toc_node_pair){p.a, p.b + 1};
    below[1] = first ? (toc_node_pair){a->link, p.b} : (toc_node_pair){p.a, b->link};
    return 2;
}

static inline bool is_leaf_pair(const toc_bvh *bvh, toc_node_pair p) {
    return p.a != p.b && bvh->nodes[p.a].leaves == 1 && bvh->nodes[p.b].leaves == 1;
}

static TOC_INLINE bool overlap(const toc_bvh *bvh, int lanes, toc_node_pair p) {
    const size_t floats = 2 * (size_t)lanes;
    return p.a == p.b || toc_dops_overlap(bvh->dops + p.a * floats, bvh->dops + p.b * floats, lanes);
}

toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out) {
    out->count = 0;
    if (!bvh->count) return TOC_OK;
    TOC_TRY(toc_array_reserve(&bvh->allocator, out, 1));
    out->at[out->count++] = (toc_node_pair){0, 0};
    // Breadth first: the front piece is replaced by what it comes down to, until there are enough.
    size_t front = 0;
    while (front < out->count && out->count - front < wanted) {
        toc_node_pair below[3];
        const toc_node_pair p = out->at[front];
        if (is_leaf_pair(bvh, p)) break;
        TOC_TRY(toc_array_reserve(&bvh->allocator, out, 3));
        front++;
        for (int i = 0, count = descend(bvh, p, below); i < count; i++)
            if (overlap(bvh, bvh->kind.lanes, below[i])) out->at[out->count++] = below[i];
    }
    memmove(out->at, out->at + front, (out->count - front) * sizeof *out->at);
    out->count -= front;
    return TOC_OK;
}

// Whether a pair is to be looked at: nodes of the lower layer that overlap at some time of interest, or swept ones.
static TOC_INLINE bool near(const toc_bvh *bvh, const toc_lower_layer *lower, int lanes, toc_node_pair p) {
    if (!lower || p.a == p.b || bvh->nodes[p.a].leaves > lower->most || bvh->nodes[p.b].leaves > lower->most)
        return overlap(bvh, lanes, p);
    const size_t floats = 4 * (size_t)lanes;
    return toc_dops_meet(lower->moving + p.a * floats, lower->moving + p.b * floats, lanes, lower->window);
}

typedef struct search {
    const toc_bvh *bvh;
    toc_node_pairs waiting;
    toc_node_pair found[TOC_LEAF_PAIRS];
    size_t found_count;
    uint64_t visited;
} search;

static TOC_INLINE toc_status search_all(search *s, const toc_lower_layer *lower, int lanes, toc_leaf_pairs_take *take,
                                        void *user) {
    const toc_bvh *bvh = s->bvh;
    while (s->waiting.count > 0) {
        const toc_node_pair p = s->waiting.at[--s->waiting.count];
        toc_node_pair below[3];
        if (is_leaf_pair(bvh, p)) {
            s->found[s->found_count++] = p;
            if (s->found_count < TOC_LEAF_PAIRS) continue;
            TOC_TRY(take(user, s->found, s->found_count));
            s->found_count = 0;
            continue;
        }
        TOC_TRY(toc_array_reserve(&bvh->allocator, &s->waiting, 3));
        const int count = descend(bvh, p, below);
        s->visited += (uint64_t)count;
        for (int i = 0; i < count; i++)
            if (near(bvh, lower, lanes, below[i])) s->waiting.at[s->waiting.count++] = below[i];
    }
    return s->found_count ? take(user, s->found, s->found_count) : TOC_OK;
}

// Compiled once for each number of lanes and layers.
static toc_status search_any(search *s, const toc_lower_layer *lower, toc_leaf_pairs_take *take, void *user) {
    if (!lower)
        return s->bvh->kind.lanes == 8 ? search_all(s, NULL, 8, take, user) : search_all(s, NULL, 16, take, user);
    return s->bvh->kind.lanes == 8 ? search_all(s, lower, 8, take, user) : search_all(s, lower, 16, take, user);
}

toc_status toc_bvh_search(const toc_bvh *bvh, const toc_lower_layer *lower, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited) {
    search s;
    s.bvh = bvh;
    s.found_count = 0;
    s.visited = 0;
    memset(&s.waiting, 0, sizeof s.waiting);
    TOC_TRY(toc_array_reserve(&bvh->allocator, &s.waiting, 256));
    s.waiting.at[s.waiting.count++] = nodes;
    const toc_status status = search_any(&s, lower, take, user);
    toc_array_free(&bvh->allocator, &s.waiting);
    *visited += s.visited;
    return status;
}
