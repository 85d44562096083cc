// SPDX-License-Identifier: Apache-2.0
// Building and restructuring a tree of k-DOPs.
//
// Built top-down by the surface area heuristic over bins (Wald 2007, "On fast construction of SAH-based bounding volume
// hierarchies"), on the boxes of the first three directions.
#include "broad/bvh.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/lanes.h"
#include "base/threads.h"

enum { BINS = 16, SUBTREE = 2048 }; // bins at the most; leaves below which a subtree is one piece of work

static const toc_bvh_kernel *kernel(void) { return TOC_KERNEL_HERE(toc_bvh_kernel); }

// ---- fitting

typedef struct fitting {
    const toc_bvh *bvh;
    const toc_bvh_leaves *leaves; // for swept nodes
    const toc_lower_layer *lower; // for moving ones
    atomic_size_t fitted;         // swept ones
} fitting;

static void fit_nodes(fitting *f, size_t first, size_t last) {
    if (f->lower)
        kernel()->fit_lower(f->bvh, f->lower, first, last);
    else
        atomic_fetch_add(&f->fitted, kernel()->refit(f->bvh, f->leaves, false, first, last));
}

static toc_status fit_piece(void *user, size_t index, int thread) {
    (void)thread;
    fitting *f = user;
    const uint32_t node = f->bvh->pieces.at[index];
    fit_nodes(f, node, node + 2 * (size_t)f->bvh->nodes[node].leaves - 1);
    return TOC_OK;
}

// Subtrees side by side, then what is above them, but for the crown.
static void fit_trees(fitting *f, int threads) {
    const toc_bvh *bvh = f->bvh;
    toc_loop_run(&(toc_loop){.count = bvh->pieces.count, .threads = threads, .round = fit_piece, .user = f});
    for (size_t i = bvh->tops.count; i-- > 0;) fit_nodes(f, bvh->tops.at[i], bvh->tops.at[i] + 1);
}

// ---- building

// A primitive as the builder needs it, in one place: its box in the first three directions. Or the tree of a group.
typedef struct item {
    float low[3], high[3];
    uint32_t id; // of the primitive; the root of the tree
    uint32_t leaves;
} item;

// Primitives first .. first+count-1 of the order, to become the subtree at a node.
typedef struct span {
    uint32_t node, first, count;
} span;

typedef struct builder {
    toc_bvh *bvh;
    toc_bvh_leaves leaves;
    item *items;              // reordered as the tree takes shape
    TOC_ARRAY(span) spans;    // to be built: the groups, or what decayed
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
        bin_put(&bins[bin_of(along, put)], put->low, put->high, put->leaves);
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
        b->bvh->order[s.first] = b->items[s.first].id;
        return 0;
    }
    const uint32_t left = divide(b, s);
    node->left = s.node + 1;
    node->link = s.node + 2 * left;
    below[0] = (span){node->left, s.first, left};
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

// ---- the nodes above the subtrees, level by level, those of a level side by side

typedef struct level {
    builder *builder;
    TOC_ARRAY(span) spans, below; // two below each span
} level;

static toc_status divide_piece(void *user, size_t index, int thread) {
    (void)thread;
    level *l = user;
    make_node(l->builder, l->spans.at[index], l->below.at + 2 * index);
    return TOC_OK;
}

// Where a span goes: one more piece of work, or one more to divide.
static toc_status place_span(builder *b, span s, level *l) {
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &b->subtrees, 1));
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &l->spans, 1));
    if (s.count <= SUBTREE)
        b->subtrees.at[b->subtrees.count++] = s;
    else
        l->spans.at[l->spans.count++] = s;
    return TOC_OK;
}

static toc_status divide_level(level *l, int threads) {
    const size_t count = l->spans.count;
    l->below.count = 0;
    TOC_TRY(toc_array_reserve(&l->builder->bvh->allocator, &l->below, 2 * count));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = count, .threads = threads, .round = divide_piece, .user = l}));
    l->spans.count = 0;
    for (size_t i = 0; i < 2 * count; i++) TOC_TRY(place_span(l->builder, l->below.at[i], l));
    return TOC_OK;
}

// Make the nodes above the subtrees of some spans; those become pieces of work.
static toc_status make_tops(builder *b, const span *spans, size_t count, int threads) {
    level l = {.builder = b};
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) status = place_span(b, spans[i], &l);
    while (status == TOC_OK && l.spans.count > 0) status = divide_level(&l, threads);
    toc_array_free(&b->bvh->allocator, &l.spans);
    toc_array_free(&b->bvh->allocator, &l.below);
    return status;
}

static const float *dop_at(const toc_dop_kind *kind, const float *dops, size_t i) {
    return dops + i * toc_dop_floats(kind);
}

static item item_of(const toc_dop_kind *kind, const float *dop, uint32_t id, uint32_t leaves) {
    item i = {.id = id, .leaves = leaves};
    memcpy(i.low, dop, sizeof i.low);
    memcpy(i.high, dop + kind->lanes, sizeof i.high);
    return i;
}

// The primitives of a span, in the order they have.
static void place_items(builder *b, span s) {
    const toc_dop_kind *kind = &b->bvh->kind;
    for (size_t i = s.first; i < (size_t)s.first + s.count; i++) {
        const uint32_t primitive = b->bvh->order[i];
        b->items[i] = item_of(kind, dop_at(kind, b->leaves.dops, primitive), primitive, 1);
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
    return (half_area(bvh, bvh->nodes[node].left) + half_area(bvh, bvh->nodes[node].link)) / whole;
}

// How good new nodes are.
static void remember(const toc_bvh *bvh, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) bvh->spread[i] = spread_of(bvh, i);
    memset(bvh->anew + first, true, last - first);
}

static toc_status remember_piece(void *user, size_t index, int thread) {
    (void)thread;
    const toc_bvh *bvh = user;
    const size_t first = bvh->pieces.at[index];
    remember(bvh, first, first + 2 * (size_t)bvh->nodes[first].leaves - 1);
    return TOC_OK;
}

// List the subtrees that are fitted side by side and the nodes above them, but for the crown.
static toc_status outline(toc_bvh *bvh) {
    bvh->pieces.count = bvh->tops.count = 0;
    for (size_t i = bvh->crown; i < toc_bvh_node_count(bvh);) {
        const uint32_t leaves = bvh->nodes[i].leaves;
        const bool top = leaves > SUBTREE;
        TOC_TRY(toc_array_reserve(&bvh->allocator, &bvh->pieces, 1));
        TOC_TRY(toc_array_reserve(&bvh->allocator, &bvh->tops, 1));
        if (top)
            bvh->tops.at[bvh->tops.count++] = (uint32_t)i;
        else
            bvh->pieces.at[bvh->pieces.count++] = (uint32_t)i;
        i += top ? 1 : 2 * (size_t)leaves - 1;
    }
    return TOC_OK;
}

// ---- the crown

static uint32_t leaves_of(const builder *b, span s) {
    uint32_t leaves = 0;
    for (uint32_t i = s.first; i < s.first + s.count; i++) leaves += b->items[i].leaves;
    return leaves;
}

// Make the node above some trees. A span of n trees takes n - 1 nodes: none where it is the tree itself.
static void make_crown_node(builder *b, span s, span below[2]) {
    toc_bvh_node *node = &b->bvh->nodes[s.node];
    const uint32_t leaves = leaves_of(b, s), left = divide(b, s);
    below[0] = (span){s.node + 1, s.first, left};
    below[1] = (span){s.node + left, s.first + left, s.count - left};
    node->leaves = leaves;
    node->left = left == 1 ? b->items[s.first].id : below[0].node;
    node->link = below[1].count == 1 ? b->items[below[1].first].id : below[1].node;
}

// Join the trees, which are fitted.
static void make_crown(builder *b) {
    toc_bvh *bvh = b->bvh;
    uint32_t trees = 0;
    for (size_t root = bvh->crown; root < toc_bvh_node_count(bvh); root += 2 * (size_t)bvh->nodes[root].leaves - 1)
        b->items[trees++] =
            item_of(&bvh->kind, dop_at(&bvh->kind, bvh->dops, root), (uint32_t)root, bvh->nodes[root].leaves);
    span waiting[64];
    int count = 0;
    waiting[count++] = (span){0, 0, trees};
    while (count > 0) {
        span below[2];
        const span s = waiting[--count];
        if (s.count == 1) continue;
        make_crown_node(b, s, below);
        const int larger = below[0].count < below[1].count;
        waiting[count++] = below[larger];
        waiting[count++] = below[!larger];
    }
}

// Make the crown anew, fit it and remember how good it is.
static void renew_crown(builder *b) {
    toc_bvh *bvh = b->bvh;
    make_crown(b);
    kernel()->refit(bvh, &b->leaves, true, 0, bvh->crown);
    remember(bvh, 0, bvh->crown);
}

// ---- building all of it

// Give each group that has primitives a span of them, and a tree behind that of the group before.
static toc_status place_groups(builder *b, const toc_bvh_input *input, uint32_t *first) {
    toc_bvh *bvh = b->bvh;
    for (size_t i = 0; i < input->count; i++) first[input->groups[i] + 1]++;
    for (size_t g = 0; g < input->group_count; g++) first[g + 1] += first[g];
    for (size_t g = 0; g < input->group_count; g++) {
        if (first[g] == first[g + 1]) continue;
        TOC_TRY(toc_array_reserve(&bvh->allocator, &b->spans, 1));
        b->spans.at[b->spans.count++] = (span){0, first[g], first[g + 1] - first[g]};
    }
    for (size_t i = 0; i < input->count; i++) bvh->order[first[input->groups[i]]++] = (uint32_t)i;
    bvh->crown = b->spans.count - 1;
    uint32_t node = (uint32_t)bvh->crown;
    for (size_t i = 0; i < b->spans.count; i++) {
        b->spans.at[i].node = node;
        node += 2 * b->spans.at[i].count - 1;
    }
    return TOC_OK;
}

static toc_status place_all(builder *b, const toc_bvh_input *input) {
    const toc_allocator *allocator = &b->bvh->allocator;
    if (!input->groups) {
        TOC_TRY(toc_array_reserve(allocator, &b->spans, 1));
        b->spans.at[b->spans.count++] = (span){0, 0, (uint32_t)input->count};
        for (uint32_t i = 0; i < input->count; i++) b->bvh->order[i] = i;
        return TOC_OK;
    }
    uint32_t *first = toc_new(allocator, input->group_count + 1, sizeof *first);
    const toc_status status = first ? place_groups(b, input, first) : TOC_OUT_OF_MEMORY;
    toc_free(allocator, first, input->group_count + 1, sizeof *first);
    return status;
}

static toc_status build(builder *b, const toc_bvh_input *input, int threads) {
    toc_bvh *bvh = b->bvh;
    TOC_TRY(place_all(b, input));
    place_items(b, (span){0, 0, (uint32_t)bvh->count});
    TOC_TRY(make_tops(b, b->spans.at, b->spans.count, threads));
    TOC_TRY(make_subtrees(b, threads));
    TOC_TRY(outline(bvh));
    fit_trees(&(fitting){.bvh = bvh, .leaves = &b->leaves}, threads);
    toc_loop_run(&(toc_loop){.count = bvh->pieces.count, .threads = threads, .round = remember_piece, .user = bvh});
    for (size_t i = 0; i < bvh->tops.count; i++) remember(bvh, bvh->tops.at[i], bvh->tops.at[i] + 1);
    renew_crown(b);
    return TOC_OK;
}

toc_status toc_bvh_build(const toc_allocator *allocator, const toc_bvh_input *input, int threads, toc_bvh *out) {
    toc_bvh bvh = {.allocator = *allocator, .kind = *input->kind, .count = input->count};
    builder b = {.bvh = &bvh, .leaves = {.dops = input->dops}};
    const size_t nodes = toc_bvh_node_count(&bvh);
    bvh.order = toc_new(allocator, bvh.count, sizeof *bvh.order);
    bvh.nodes = toc_new(allocator, nodes, sizeof *bvh.nodes);
    bvh.dops = toc_new(allocator, nodes, toc_dop_floats(&bvh.kind) * sizeof *bvh.dops);
    bvh.spread = toc_new(allocator, nodes, sizeof *bvh.spread);
    bvh.anew = toc_new(allocator, nodes, sizeof *bvh.anew);
    bvh.still = toc_new(allocator, nodes, sizeof *bvh.still);
    b.items = toc_new(allocator, bvh.count, sizeof *b.items);
    const bool all = bvh.order && bvh.nodes && bvh.dops && bvh.spread && bvh.anew && bvh.still && b.items;
    const toc_status status = !all ? TOC_OUT_OF_MEMORY : bvh.count ? build(&b, input, threads) : TOC_OK;
    toc_array_free(allocator, &b.spans);
    toc_array_free(allocator, &b.subtrees);
    toc_free(allocator, b.items, bvh.count, sizeof *b.items);
    if (status == TOC_OK)
        *out = bvh;
    else
        toc_bvh_free(&bvh);
    return status;
}

void toc_bvh_free(toc_bvh *bvh) {
    const size_t nodes = toc_bvh_node_count(bvh);
    toc_free(&bvh->allocator, bvh->order, bvh->count, sizeof *bvh->order);
    toc_free(&bvh->allocator, bvh->nodes, nodes, sizeof *bvh->nodes);
    toc_free(&bvh->allocator, bvh->dops, nodes, toc_dop_floats(&bvh->kind) * sizeof *bvh->dops);
    toc_free(&bvh->allocator, bvh->spread, nodes, sizeof *bvh->spread);
    toc_free(&bvh->allocator, bvh->anew, nodes, sizeof *bvh->anew);
    toc_free(&bvh->allocator, bvh->still, nodes, sizeof *bvh->still);
    toc_array_free(&bvh->allocator, &bvh->pieces);
    toc_array_free(&bvh->allocator, &bvh->tops);
    *bvh = (toc_bvh){0};
}

// ---- refitting and searching, as compiled for this machine

size_t toc_bvh_refit(toc_bvh *bvh, const toc_bvh_leaves *leaves, int threads) {
    fitting f = {.bvh = bvh, .leaves = leaves};
    bvh->settles = leaves->still != NULL;
    fit_trees(&f, threads);
    fit_nodes(&f, 0, bvh->crown);
    return f.fitted;
}

void toc_bvh_fit_lower_layer(const toc_bvh *bvh, const toc_lower_layer *lower, int threads) {
    fitting f = {.bvh = bvh, .lower = lower};
    fit_trees(&f, threads);
    fit_nodes(&f, 0, bvh->crown);
}

toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out) {
    return kernel()->split(bvh, wanted, out);
}

toc_status toc_bvh_search(const toc_bvh *bvh, const toc_lower_layer *lower, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited) {
    return kernel()->search(bvh, lower, nodes, &(toc_leaf_taker){take, user}, visited);
}

// ---- restructuring

// How much more a node's children may spread before it is built anew: a fifth of its own area.
static const float DECAY = 0.2f;

static bool is_worn(const toc_bvh *bvh, size_t node) {
    return bvh->still[node] == TOC_MOVES && bvh->nodes[node].leaves > 2 &&
           spread_of(bvh, node) > bvh->spread[node] + DECAY;
}

static toc_status find_worn(void *user, size_t index, int thread) {
    (void)thread;
    const toc_bvh *bvh = user;
    const size_t piece = bvh->pieces.at[index], last = piece + 2 * (size_t)bvh->nodes[piece].leaves - 1;
    for (size_t i = piece; i < last; i++) bvh->anew[i] = is_worn(bvh, i);
    return TOC_OK;
}

// The highest nodes that decayed, as spans. Leaves stand in order, so a count of those passed places them.
static toc_status find_decayed(builder *b, int threads, size_t *rebuilt) {
    toc_bvh *bvh = b->bvh;
    uint32_t passed = 0;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = bvh->pieces.count, .threads = threads, .round = find_worn, .user = bvh}));
    for (size_t i = 0; i < bvh->tops.count; i++) bvh->anew[bvh->tops.at[i]] = is_worn(bvh, bvh->tops.at[i]);
    for (size_t i = bvh->crown; i < toc_bvh_node_count(bvh);) {
        const uint32_t leaves = bvh->nodes[i].leaves;
        const bool whole = bvh->anew[i] || bvh->still[i] != TOC_MOVES; // to be built anew, or left alone
        if (bvh->anew[i]) {
            TOC_TRY(toc_array_reserve(&bvh->allocator, &b->spans, 1));
            b->spans.at[b->spans.count++] = (span){(uint32_t)i, passed, leaves};
            *rebuilt += leaves;
        }
        passed += whole || leaves == 1 ? leaves : 0;
        i += whole ? 2 * (size_t)leaves - 1 : 1;
    }
    return TOC_OK;
}

// What is above a span holds the same.
static toc_status fit_span(void *user, size_t index, int thread) {
    (void)thread;
    const builder *b = user;
    const size_t first = b->spans.at[index].node, last = first + 2 * (size_t)b->spans.at[index].count - 1;
    kernel()->refit(b->bvh, &b->leaves, true, first, last);
    remember(b->bvh, first, last);
    return TOC_OK;
}

static toc_status rebuild(builder *b, int threads) {
    for (size_t i = 0; i < b->spans.count; i++) place_items(b, b->spans.at[i]);
    TOC_TRY(make_tops(b, b->spans.at, b->spans.count, threads));
    TOC_TRY(make_subtrees(b, threads));
    TOC_TRY(outline(b->bvh));
    return toc_loop_run(&(toc_loop){.count = b->spans.count, .threads = threads, .round = fit_span, .user = b});
}

// The crown is small beside what is below it: one worn node, and all of it is made anew. The trees stay where they are.
static bool is_crown_worn(const toc_bvh *bvh) {
    bool worn = false;
    for (size_t i = 0; i < bvh->crown; i++) worn |= bvh->anew[i] = is_worn(bvh, i);
    return worn;
}

static toc_status restructure(builder *b, int threads, size_t *rebuilt) {
    TOC_TRY(find_decayed(b, threads, rebuilt));
    const bool crown = is_crown_worn(b->bvh);
    if (*rebuilt == 0 && !crown) return TOC_OK;
    b->items = toc_new(&b->bvh->allocator, b->bvh->count, sizeof *b->items);
    if (!b->items) return TOC_OUT_OF_MEMORY;
    if (*rebuilt > 0) TOC_TRY(rebuild(b, threads));
    if (!crown) return TOC_OK;
    renew_crown(b);
    return TOC_OK;
}

toc_status toc_bvh_restructure(toc_bvh *bvh, const toc_bvh_leaves *leaves, int threads, size_t *rebuilt) {
    builder b = {.bvh = bvh, .leaves = *leaves};
    *rebuilt = 0;
    const toc_status status = restructure(&b, threads, rebuilt);
    toc_array_free(&bvh->allocator, &b.spans);
    toc_array_free(&bvh->allocator, &b.subtrees);
    toc_free(&bvh->allocator, b.items, bvh->count, sizeof *b.items);
    return status;
}
