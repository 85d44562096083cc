// SPDX-License-Identifier: Apache-2.0
// Building and restructuring a tree of k-DOPs.
//
// Built top-down by the surface area heuristic over bins (Wald 2007, "On fast construction of SAH-based bounding volume
// hierarchies"), on boxes. A cut is moved to the nearest number of full blocks.
#include "index/bvh.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/backend.h"
#include "base/scatter.h"
#include "base/threads.h"

enum {
    BINS = 16,      // most bins
    SUBTREE = 2048, // most leaves of a subtree that is one piece of work
    FIT_LEAST = 512 // the same of a fit, in a small tree
};

static const toc_bvh_kernel *bvh_kernel(void) { return toc_backend_here()->bvh; }

// ---- fitting

typedef struct fitting {
    const toc_bvh *bvh;
    const toc_bvh_source *source;
    bool all; // resting nodes, too
    atomic_size_t fitted;
} fitting;

static void fit_nodes(fitting *f, size_t first, size_t last) {
    atomic_fetch_add(&f->fitted, bvh_kernel()->fit(f->bvh, f->source, f->all, first, last));
}

static toc_status fit_piece(void *user, size_t index, int thread) {
    (void)thread;
    fitting *f = user;
    const uint32_t node = f->bvh->pieces.at[index];
    fit_nodes(f, node, node + toc_bvh_nodes_over(f->bvh->nodes[node].leaves));
    return TOC_OK;
}

// Fit the subtrees in parallel, then the nodes above them, except the top level.
static void fit_trees(fitting *f, int threads) {
    const toc_bvh *bvh = f->bvh;
    toc_loop_run(&(toc_loop){.count = bvh->pieces.count, .threads = threads, .round = fit_piece, .user = f});
    for (size_t i = bvh->tops.count; i-- > 0;) fit_nodes(f, bvh->tops.at[i], bvh->tops.at[i] + 1);
}

// ---- building

// An item to build over: a primitive with its box in the first three directions, or the tree of a component.
typedef struct item {
    float low[3], high[3];
    uint32_t id; // the primitive, or the root of the tree
    uint32_t leaves;
} item;

// Primitives first .. first+count-1 of the order, which become the subtree at a node with blocks from `block` on.
typedef struct item_span {
    uint32_t node, first, count, block;
} item_span;

typedef struct builder {
    toc_bvh *bvh;
    const toc_bvh_source *source;
    toc_arena scratch;             // of the items
    item *items;                   // reordered during the build
    TOC_ARRAY(item_span) spans;    // to be built: the components, or the worn subtrees
    TOC_ARRAY(item_span) subtrees; // pieces of work
    TOC_ARRAY(uint32_t) tops;      // the nodes above them, parents first
} builder;

typedef struct bin {
    float low[3], high[3];
    uint32_t count;
} bin;

// Unlike fminf and fmaxf these are not calls, and do not handle NaN.
static inline float least_float(float a, float b) { return a < b ? a : b; }
static inline float most_float(float a, float b) { return a > b ? a : b; }

static inline void bin_put(bin *b, const float low[3], const float high[3], uint32_t count) {
    for (int c = 0; c < 3; c++) {
        b->low[c] = least_float(b->low[c], low[c]);
        b->high[c] = most_float(b->high[c], high[c]);
    }
    b->count += count;
}

static bin bin_empty(void) { return (bin){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0}; }

static float bin_area(const bin *b) {
    const float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return b->count ? x * y + y * z + z * x : 0;
}

// A cut: items in bins below `at` along an axis go left.
typedef struct cut {
    int axis, bins, at;
    float from, scale, cost;
} cut;

// Twice the centre; the factor does not matter for comparisons.
static inline float item_centre(const item *i, int axis) { return i->low[axis] + i->high[axis]; }

static inline int bin_of(const cut *c, const item *i) {
    const int at = (int)((item_centre(i, c->axis) - c->from) * c->scale);
    return at < 0 ? 0 : at >= c->bins ? c->bins - 1 : at;
}

// Put the items of a span into bins along an axis.
static void fill_bins(const builder *b, item_span s, const cut *along, bin bins[BINS]) {
    for (int i = 0; i < along->bins; i++) bins[i] = bin_empty();
    for (uint32_t i = s.first; i < s.first + s.count; i++) {
        const item *put = &b->items[i];
        bin_put(&bins[bin_of(along, put)], put->low, put->high, put->leaves);
    }
}

// The best cut between bins by the expected number of overlaps: the sum over both sides of area times leaves.
static void find_cut_between(const bin bins[BINS], cut *along) {
    bin right[BINS];
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

// The centres of the items of a span: `count` is their number.
static bin bound_centres(const builder *b, item_span s) {
    bin centres = bin_empty();
    for (uint32_t i = s.first; i < s.first + s.count; i++)
        for (int c = 0; c < 3; c++) {
            centres.low[c] = least_float(centres.low[c], item_centre(&b->items[i], c));
            centres.high[c] = most_float(centres.high[c], item_centre(&b->items[i], c));
        }
    centres.count = s.count;
    return centres;
}

// Bins between the centres along an axis. @return false where all centres are equal, or too close for a quotient.
static bool lay_bins(const bin *centres, int axis, cut *along) {
    const float length = centres->high[axis] - centres->low[axis];
    const int bins = centres->count < 8 ? 4 : centres->count < 32 ? 8 : BINS; // most spans are small
    *along = (cut){.axis = axis, .bins = bins, .from = centres->low[axis], .cost = INFINITY};
    along->scale = (float)bins / length;
    return length > 0x1p-100f;
}

static cut best_cut(const builder *b, item_span s) {
    const bin centres = bound_centres(b, s);
    cut best = {.cost = INFINITY}, along;
    for (int c = 0; c < 3; c++) {
        bin bins[BINS];
        if (!lay_bins(&centres, c, &along)) continue;
        fill_bins(b, s, &along, bins);
        find_cut_between(bins, &along);
        if (along.cost < best.cost) best = along;
    }
    return best;
}

static void swap_items(item *a, item *b) {
    const item c = *a;
    *a = *b;
    *b = c;
}

// Move the item with the largest centre along an axis to the end, or the one with the smallest to the beginning.
static void bring(item *items, uint32_t count, int axis, bool last) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (last == (item_centre(&items[i], axis) > item_centre(&items[best], axis))) best = i;
    swap_items(&items[best], &items[last ? count - 1 : 0]);
}

// Reorder a span by a cut. @return the number of items on the left.
static uint32_t partition(builder *b, item_span s, const cut *c) {
    uint32_t left = s.first, right = s.first + s.count;
    while (left < right) {
        if (bin_of(c, &b->items[left]) < c->at)
            left++;
        else
            swap_items(&b->items[left], &b->items[--right]);
    }
    return left - s.first;
}

// Reorder a span by its best cut, which may be known. @return the number of items on the left: a multiple of `unit`, at
// least one unit and not all.
static uint32_t divide(builder *b, item_span s, uint32_t unit, const cut *known) {
    assert(s.count > unit);
    const uint32_t units = (s.count + unit - 1) / unit;
    const cut c = known ? *known : best_cut(b, s);
    if (!(c.cost < INFINITY)) return units / 2 * unit; // no cut is better than another
    uint32_t left = partition(b, s, &c), wanted = (left + unit / 2) / unit;
    wanted = unit * (wanted < 1 ? 1 : wanted < units ? wanted : units - 1);
    for (; left > wanted; left--) bring(b->items + s.first, left, c.axis, true);
    for (; left < wanted; left++) bring(b->items + s.first + left, s.count - left, c.axis, false);
    return left;
}

// Make one node of a span, whose best cut may be known. @return the number of spans below it, 0 for a block.
static int make_node(builder *b, item_span s, const cut *known, item_span below[2]) {
    assert(s.count > 0 && s.node < b->bvh->node_count && (size_t)s.first + s.count <= b->bvh->count);
    toc_bvh_node *node = &b->bvh->nodes[s.node];
    node->leaves = s.count;
    if (s.count <= TOC_BLOCK) {
        assert(s.block < b->bvh->block_count);
        node->left = s.block;
        node->link = s.first;
        for (uint32_t i = s.first; i < s.first + s.count; i++) b->bvh->order[i] = b->items[i].id;
        return 0;
    }
    const uint32_t left = divide(b, s, TOC_BLOCK, known);
    node->left = s.node + 1;
    node->link = node->left + (uint32_t)toc_bvh_nodes_over(left);
    below[0] = (item_span){node->left, s.first, left, s.block};
    below[1] = (item_span){node->link, s.first + left, s.count - left, s.block + left / TOC_BLOCK};
    return 2;
}

static void make_subtree(builder *b, item_span whole) {
    item_span waiting[64]; // the smaller child goes first, so at most log2 of the blocks wait
    int count = 0;
    waiting[count++] = whole;
    while (count > 0) {
        item_span below[2];
        if (make_node(b, waiting[--count], NULL, below) == 0) continue;
        const int larger = below[0].count < below[1].count;
        waiting[count++] = below[larger];
        waiting[count++] = below[!larger];
    }
}

// ---- the cuts of large spans, in parallel: the items are put into the bins of their part, which are joined
//
// A union of boxes does not depend on the order, so the cut is the one that a single thread finds.

enum { LARGE = 1 << 16, PART = 1 << 14 }; // items of a span that is cut in parallel, and of a part of it

typedef struct cut_part {
    bin centres, bins[3][BINS];
} cut_part;

typedef struct cutting {
    const builder *builder;
    item_span span;
    cut along[3];
    bool cuts[3]; // axes with bins
    cut_part *parts;
} cutting;

static item_span part_of_span(const cutting *k, size_t part) {
    const uint32_t from = (uint32_t)part * PART, left = k->span.count - from;
    return (item_span){.first = k->span.first + from, .count = left < PART ? left : PART};
}

static toc_status bound_part_centres(void *user, size_t part, int thread) {
    (void)thread;
    const cutting *k = user;
    k->parts[part].centres = bound_centres(k->builder, part_of_span(k, part));
    return TOC_OK;
}

static toc_status fill_part_bins(void *user, size_t part, int thread) {
    (void)thread;
    const cutting *k = user;
    for (int c = 0; c < 3; c++)
        if (k->cuts[c]) fill_bins(k->builder, part_of_span(k, part), &k->along[c], k->parts[part].bins[c]);
    return TOC_OK;
}

static void join_bins(bin *to, const bin *from, int count) {
    for (int i = 0; i < count; i++) bin_put(&to[i], from[i].low, from[i].high, from[i].count);
}

static cut choose_large_cut(cutting *k, size_t parts) {
    cut best = {.cost = INFINITY};
    for (int c = 0; c < 3; c++) {
        if (!k->cuts[c]) continue;
        for (size_t i = 1; i < parts; i++) join_bins(k->parts[0].bins[c], k->parts[i].bins[c], k->along[c].bins);
        find_cut_between(k->parts[0].bins[c], &k->along[c]);
        if (k->along[c].cost < best.cost) best = k->along[c];
    }
    return best;
}

static toc_status cut_large(builder *b, item_span s, int threads, cut *out) {
    const size_t parts = (s.count + PART - 1) / PART;
    const toc_arena_mark mark = toc_arena_here(&b->scratch);
    cutting k = {.builder = b, .span = s, .parts = toc_arena_new(&b->scratch, parts, sizeof *k.parts)};
    if (!k.parts) return TOC_OUT_OF_MEMORY;
    toc_loop loop = {.count = parts, .threads = threads, .round = bound_part_centres, .user = &k};
    toc_loop_run(&loop);
    for (size_t i = 1; i < parts; i++) join_bins(&k.parts[0].centres, &k.parts[i].centres, 1);
    for (int c = 0; c < 3; c++) k.cuts[c] = lay_bins(&k.parts[0].centres, c, &k.along[c]);
    loop.round = fill_part_bins;
    toc_loop_run(&loop);
    *out = choose_large_cut(&k, parts);
    toc_arena_back(&b->scratch, mark);
    return TOC_OK;
}

// ---- the nodes above the subtrees, level by level; the nodes of a level in parallel

typedef struct level {
    builder *builder;
    TOC_ARRAY(item_span) spans, below; // two below each span
    TOC_ARRAY(cut) cuts;               // of the spans; those of large ones are known
} level;

static toc_status divide_piece(void *user, size_t index, int thread) {
    (void)thread;
    level *l = user;
    const item_span s = l->spans.at[index];
    make_node(l->builder, s, s.count >= LARGE ? &l->cuts.at[index] : NULL, l->below.at + 2 * index);
    return TOC_OK;
}

// List a span as a piece of work, or for a further division.
static toc_status place_span(builder *b, item_span s, level *l) {
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &b->subtrees, 1));
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &b->tops, 1));
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &l->spans, 1));
    if (s.count <= SUBTREE) {
        b->subtrees.at[b->subtrees.count++] = s;
    } else {
        b->tops.at[b->tops.count++] = s.node;
        l->spans.at[l->spans.count++] = s;
    }
    return TOC_OK;
}

static toc_status divide_level(level *l, int threads) {
    const size_t count = l->spans.count;
    l->below.count = l->cuts.count = 0;
    TOC_TRY(toc_array_reserve(&l->builder->bvh->allocator, &l->below, 2 * count));
    TOC_TRY(toc_array_reserve(&l->builder->bvh->allocator, &l->cuts, count));
    for (size_t i = 0; i < count; i++)
        if (l->spans.at[i].count >= LARGE) TOC_TRY(cut_large(l->builder, l->spans.at[i], threads, &l->cuts.at[i]));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = count, .threads = threads, .round = divide_piece, .user = l}));
    l->spans.count = 0;
    for (size_t i = 0; i < 2 * count; i++) TOC_TRY(place_span(l->builder, l->below.at[i], l));
    return TOC_OK;
}

// Make the nodes above the subtrees of some spans; the subtrees become pieces of work.
static toc_status make_tops(builder *b, const item_span *spans, size_t count, int threads) {
    level l = {.builder = b};
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) status = place_span(b, spans[i], &l);
    while (status == TOC_OK && l.spans.count > 0) status = divide_level(&l, threads);
    toc_array_free(&b->bvh->allocator, &l.spans);
    toc_array_free(&b->bvh->allocator, &l.below);
    toc_array_free(&b->bvh->allocator, &l.cuts);
    return status;
}

static void box_of(const toc_dop_kind *kind, const float *dops, size_t i, float low[3], float high[3]) {
    const float *dop = dops + i * toc_dop_floats(kind);
    memcpy(low, dop, 3 * sizeof *low);
    memcpy(high, dop + kind->lanes, 3 * sizeof *high);
}

enum { ITEMS_OF_ROUND = 4096 };

// Set the items of a part of the order to its primitives, where spans have them. Spans ascend.
static toc_status place_items(void *user, size_t round, int thread) {
    (void)thread;
    const builder *b = user;
    const size_t first = round * ITEMS_OF_ROUND, last = first + ITEMS_OF_ROUND;
    size_t low = 0, high = b->spans.count; // the first span that ends behind `first`
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((size_t)b->spans.at[middle].first + b->spans.at[middle].count <= first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < b->spans.count && b->spans.at[low].first < last; low++) {
        const item_span *s = &b->spans.at[low];
        assert(low == 0 || s[-1].first + s[-1].count <= s->first);
        const size_t end = (size_t)s->first + s->count;
        for (size_t i = s->first > first ? s->first : first; i < (end < last ? end : last); i++) {
            item *to = &b->items[i];
            to->id = b->bvh->order[i];
            to->leaves = 1;
            b->source->box(b->source->user, to->id, to->low, to->high);
        }
    }
    return TOC_OK;
}

static float half_area(const toc_bvh *bvh, size_t node) {
    bin b = {.count = 1};
    box_of(&bvh->kind, bvh->dops, node, b.low, b.high);
    return bin_area(&b);
}

static bool is_subtree_hidden(const toc_bvh *bvh, size_t node) {
    return bvh->dops[node * toc_dop_floats(&bvh->kind)] == TOC_BVH_HIDDEN;
}

// Whether a node has children to compare: hidden primitives say nothing about them.
static bool has_spread(const toc_bvh *bvh, size_t node) {
    return !toc_bvh_is_block(bvh, node) && !is_subtree_hidden(bvh, bvh->nodes[node].left) &&
           !is_subtree_hidden(bvh, bvh->nodes[node].link);
}

// The spread: about 1 if the children divide their parent's area, 2 if both are as large as the parent.
static float spread_of(const toc_bvh *bvh, size_t node) {
    const float whole = half_area(bvh, node);
    if (!has_spread(bvh, node) || !(whole > 0)) return 2;
    return (half_area(bvh, bvh->nodes[node].left) + half_area(bvh, bvh->nodes[node].link)) / whole;
}

// The part of a node that both children share along the axis that divides them best: 0 if they lie side by side, 1 if
// each is as large as the node.
static float common_part_of(const toc_bvh *bvh, size_t node) {
    bin whole, left, right;
    float least = 1;
    if (!has_spread(bvh, node)) return 1;
    box_of(&bvh->kind, bvh->dops, node, whole.low, whole.high);
    box_of(&bvh->kind, bvh->dops, bvh->nodes[node].left, left.low, left.high);
    box_of(&bvh->kind, bvh->dops, bvh->nodes[node].link, right.low, right.high);
    for (int c = 0; c < 3; c++) {
        const float length = whole.high[c] - whole.low[c];
        const float common = least_float(left.high[c], right.high[c]) - most_float(left.low[c], right.low[c]);
        if (length > 0) least = least_float(least, most_float(common, 0) / length);
    }
    return least;
}

// Store the measures of new nodes.
static void remember(const toc_bvh *bvh, size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
        bvh->spread[i] = spread_of(bvh, i);
        bvh->common[i] = common_part_of(bvh, i);
    }
}

// Small trees are fitted in small pieces, so that many threads have some; large ones have few nodes above the pieces.
static uint32_t fit_leaves_of(const toc_bvh *bvh) {
    const size_t leaves = bvh->count / 256;
    return leaves < FIT_LEAST ? FIT_LEAST : leaves < SUBTREE ? (uint32_t)leaves : SUBTREE;
}

// List the subtrees that are fitted in parallel and the nodes above them, except the top level.
static toc_status outline(toc_bvh *bvh) {
    const uint32_t most = fit_leaves_of(bvh);
    bvh->pieces.count = bvh->tops.count = 0;
    for (size_t i = bvh->top_level; i < bvh->node_count;) {
        const uint32_t leaves = bvh->nodes[i].leaves;
        const bool top = leaves > most;
        TOC_TRY(toc_array_reserve(&bvh->allocator, &bvh->pieces, 1));
        TOC_TRY(toc_array_reserve(&bvh->allocator, &bvh->tops, 1));
        if (top)
            bvh->tops.at[bvh->tops.count++] = (uint32_t)i;
        else
            bvh->pieces.at[bvh->pieces.count++] = (uint32_t)i;
        i += top ? 1 : toc_bvh_nodes_over(leaves);
    }
    return TOC_OK;
}

// ---- the top level

static uint32_t leaves_of(const builder *b, item_span s) {
    uint32_t leaves = 0;
    for (uint32_t i = s.first; i < s.first + s.count; i++) leaves += b->items[i].leaves;
    return leaves;
}

// Make the node above some trees. A span of n trees takes n - 1 nodes; a single tree takes none.
static void make_top_level_node(builder *b, item_span s, item_span below[2]) {
    toc_bvh_node *node = &b->bvh->nodes[s.node];
    const uint32_t leaves = leaves_of(b, s), left = divide(b, s, 1, NULL);
    below[0] = (item_span){s.node + 1, s.first, left, 0};
    below[1] = (item_span){s.node + left, s.first + left, s.count - left, 0};
    node->leaves = leaves;
    node->left = left == 1 ? b->items[s.first].id : below[0].node;
    node->link = below[1].count == 1 ? b->items[below[1].first].id : below[1].node;
}

// Join the trees, which must be fitted.
static void make_top_level(builder *b) {
    toc_bvh *bvh = b->bvh;
    uint32_t trees = 0;
    for (size_t root = bvh->top_level; root < bvh->node_count; root += toc_bvh_nodes_over(bvh->nodes[root].leaves)) {
        item *to = &b->items[trees++];
        *to = (item){.id = (uint32_t)root, .leaves = bvh->nodes[root].leaves};
        box_of(&bvh->kind, bvh->dops, root, to->low, to->high);
    }
    item_span waiting[64];
    int count = 0;
    waiting[count++] = (item_span){0, 0, trees, 0};
    while (count > 0) {
        item_span below[2];
        const item_span s = waiting[--count];
        if (s.count == 1) continue;
        make_top_level_node(b, s, below);
        const int larger = below[0].count < below[1].count;
        waiting[count++] = below[larger];
        waiting[count++] = below[!larger];
    }
}

// Rebuild and fit the top level, and store its spread.
static void renew_top_level(builder *b) {
    toc_bvh *bvh = b->bvh;
    make_top_level(b);
    bvh_kernel()->fit(bvh, b->source, true, 0, bvh->top_level);
    remember(bvh, 0, bvh->top_level);
}

// ---- building a whole tree

static toc_status add_span(builder *b, item_span s) {
    TOC_TRY(toc_array_reserve(&b->bvh->allocator, &b->spans, 1));
    b->spans.at[b->spans.count++] = s;
    return TOC_OK;
}

static size_t list_by_component(const void *user, size_t first, size_t last, toc_keyed *out) {
    const toc_bvh_input *input = user;
    for (size_t i = first; i < last; i++) {
        assert(input->components[i] < input->component_count);
        out[i - first] = (toc_keyed){input->components[i], (uint32_t)i};
    }
    return last - first;
}

// Make a span of the primitives of each component that has any.
static toc_status place_components(builder *b, const toc_bvh_input *input, int threads, toc_arena *scratch) {
    const toc_scatter how = {.keys = input->component_count,
                             .items = input->count,
                             .list = list_by_component,
                             .user = input,
                             .threads = threads};
    toc_scattering s;
    uint32_t *first = toc_arena_new(scratch, input->component_count + 1, sizeof *first);
    if (!first) return TOC_OUT_OF_MEMORY;
    TOC_TRY(toc_scatter_count(&how, scratch, &s));
    TOC_TRY(toc_scatter_place(&s, scratch, first, b->bvh->order));
    for (size_t g = 0; g < input->component_count; g++)
        if (first[g] < first[g + 1]) TOC_TRY(add_span(b, (item_span){0, first[g], first[g + 1] - first[g], 0}));
    return TOC_OK;
}

static toc_status place_primitives(builder *b, const toc_bvh_input *input, int threads) {
    if (!input->components) {
        for (uint32_t i = 0; i < input->count; i++) b->bvh->order[i] = i;
        return add_span(b, (item_span){0, 0, (uint32_t)input->count, 0});
    }
    toc_arena scratch = toc_arena_make(&b->bvh->allocator);
    const toc_status status = place_components(b, input, threads, &scratch);
    toc_arena_free(&scratch);
    return status;
}

// Number the nodes and blocks of the trees, component by component.
static void number_nodes(builder *b) {
    toc_bvh *bvh = b->bvh;
    bvh->node_count = bvh->top_level = b->spans.count - 1;
    for (size_t i = 0; i < b->spans.count; i++) {
        item_span *s = &b->spans.at[i];
        const size_t nodes = toc_bvh_nodes_over(s->count);
        s->node = (uint32_t)bvh->node_count;
        s->block = (uint32_t)bvh->block_count;
        bvh->node_count += nodes;
        bvh->block_count += (nodes + 1) / 2;
    }
}

static toc_status allocate_bvh(toc_bvh *bvh, bool has_room) {
    toc_arena *arena = &bvh->arena;
    const size_t nodes = bvh->node_count, blocks = bvh->block_count;
    const int ends = has_room ? 2 : 1;
    bvh->nodes = toc_arena_new(arena, nodes, sizeof *bvh->nodes);
    bvh->dops = toc_dops_new(arena, &bvh->kind, nodes);
    bvh->blocks = toc_arena_new(arena, blocks, toc_block_floats(&bvh->kind, ends) * sizeof *bvh->blocks);
    bvh->lower.dops = toc_dops_new(arena, &bvh->kind, has_room ? 2 * nodes : 0);
    bvh->spread = toc_arena_new(arena, nodes, sizeof *bvh->spread);
    bvh->common = toc_arena_new(arena, nodes, sizeof *bvh->common);
    bvh->worn = toc_arena_new(arena, nodes, sizeof *bvh->worn);
    bvh->still = toc_arena_new(arena, nodes, sizeof *bvh->still);
    bvh->settled = toc_arena_new(arena, blocks, sizeof *bvh->settled);
    const bool all = bvh->nodes && bvh->dops && bvh->blocks && bvh->lower.dops && bvh->spread && bvh->common &&
                     bvh->worn && bvh->still && bvh->settled;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status fit_span(void *user, size_t index, int thread) {
    (void)thread;
    const builder *b = user;
    const toc_bvh_source *source = b->source;
    const item_span s = b->subtrees.at[index];
    const size_t last = s.node + toc_bvh_nodes_over(s.count);
    if (source->place) source->place(source->user, b->bvh->order + s.first, s.first, s.count);
    bvh_kernel()->fit(b->bvh, source, true, s.node, last);
    remember(b->bvh, s.node, last);
    return TOC_OK;
}

static toc_status make_piece(void *user, size_t index, int thread) {
    const builder *b = user;
    make_subtree(user, b->subtrees.at[index]);
    return fit_span(user, index, thread);
}

// Make the trees of all spans: the nodes above the subtrees, the subtrees, and then the bounds of the nodes above.
static toc_status make_trees(builder *b, int threads) {
    toc_bvh *bvh = b->bvh;
    const size_t rounds = (bvh->count + ITEMS_OF_ROUND - 1) / ITEMS_OF_ROUND;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = place_items, .user = b}));
    TOC_TRY(make_tops(b, b->spans.at, b->spans.count, threads));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = b->subtrees.count, .threads = threads, .round = make_piece, .user = b}));
    for (size_t i = b->tops.count; i-- > 0;) {
        bvh_kernel()->fit(bvh, b->source, true, b->tops.at[i], b->tops.at[i] + 1);
        remember(bvh, b->tops.at[i], b->tops.at[i] + 1);
    }
    return outline(bvh);
}

static toc_status build(builder *b, const toc_bvh_input *input, int threads) {
    toc_bvh *bvh = b->bvh;
    bvh->order = toc_arena_new(&bvh->arena, bvh->count, sizeof *bvh->order);
    b->items = toc_arena_new(&b->scratch, bvh->count, sizeof *b->items);
    if (!bvh->order || !b->items) return TOC_OUT_OF_MEMORY;
    if (bvh->count > 0) {
        TOC_TRY(place_primitives(b, input, threads));
        number_nodes(b);
    }
    TOC_TRY(allocate_bvh(bvh, input->has_room));
    if (bvh->count == 0) return TOC_OK;
    TOC_TRY(make_trees(b, threads));
    renew_top_level(b);
    return TOC_OK;
}

static void free_builder(builder *b) {
    const toc_allocator *allocator = &b->bvh->allocator;
    toc_array_free(allocator, &b->spans);
    toc_array_free(allocator, &b->subtrees);
    toc_array_free(allocator, &b->tops);
    toc_arena_free(&b->scratch);
}

toc_status toc_bvh_build(const toc_allocator *allocator, const toc_bvh_input *input, int threads, toc_bvh *out) {
    assert(input->lower == 0 || input->has_room);
    toc_bvh bvh = {.allocator = *allocator,
                   .arena = toc_arena_make(allocator),
                   .kind = *input->kind,
                   .count = input->count,
                   .lower.most = input->lower};
    builder b = {.bvh = &bvh, .source = input->source, .scratch = toc_arena_make(allocator)};
    const toc_status status = build(&b, input, threads);
    free_builder(&b);
    if (status == TOC_OK)
        *out = bvh;
    else
        toc_bvh_free(&bvh);
    return status;
}

void toc_bvh_free(toc_bvh *bvh) {
    toc_array_free(&bvh->allocator, &bvh->pieces);
    toc_array_free(&bvh->allocator, &bvh->tops);
    toc_arena_free(&bvh->arena);
    *bvh = (toc_bvh){0};
}

// ---- fitting and searching: dispatch to the kernel of this machine

size_t toc_bvh_fit(toc_bvh *bvh, const toc_bvh_source *source, uint32_t lower, int threads) {
    assert(bvh->nodes);
    fitting f = {.bvh = bvh, .source = source, .all = lower != bvh->lower.most};
    bvh->lower.most = lower;
    bvh->settles = source->still != NULL;
    fit_trees(&f, threads);
    fit_nodes(&f, 0, bvh->top_level);
    return f.fitted;
}

toc_status toc_bvh_split(const toc_bvh *bvh, size_t wanted, toc_node_pairs *out) {
    return bvh_kernel()->split(bvh, wanted, out);
}

toc_status toc_bvh_search(const toc_bvh *bvh, const toc_bvh_scope *scope, toc_node_pair nodes,
                          toc_leaf_pairs_take *take, void *user, uint64_t *visited) {
    assert(nodes.a < bvh->node_count && nodes.b < bvh->node_count);
    assert(!scope->ties || scope->corners);
    return bvh_kernel()->search(bvh, scope, nodes, &(toc_leaf_taker){take, user}, visited);
}

toc_status toc_bvh_find(const toc_bvh *bvh, const float *dop, toc_leaf_take *take, void *user, uint64_t *visited) {
    assert(bvh->lower.most == 0);
    return bvh_kernel()->find(bvh, dop, take, user, visited);
}

// ---- a source of DOPs

static void box_of_dops(void *user, uint32_t primitive, float low[3], float high[3]) {
    const toc_bvh_dops *dops = user;
    box_of(dops->kind, dops->at, primitive, low, high);
}

static void bound_by_dops(void *user, const uint32_t *primitives, uint32_t first_leaf, uint32_t count, int ends,
                          float *block) {
    (void)first_leaf;
    (void)ends;
    const toc_bvh_dops *dops = user;
    toc_block_of_dops(dops->kind, dops->at, primitives, count, block);
}

toc_bvh_source toc_bvh_source_of(toc_bvh_dops *dops) {
    return (toc_bvh_source){.user = dops, .box = box_of_dops, .bound = bound_by_dops};
}

// ---- restructuring

// The growth of both measures at which a node is rebuilt. With a fifth of spread, half of a folding cloth is rebuilt in
// each step, which takes longer than the search gains; from 0.3 to 0.4 steps take the same time. Spread alone does not
// tell: that of a thin node grows with its thickness, though its children lie side by side. With 0.3 of the common part
// trees over wandering points are worse by a tenth, with 0.2 they are as good as by spread alone.
static const float SPREAD_GROWTH = 0.3f, COMMON_GROWTH = 0.2f;

static bool is_worn(const toc_bvh *bvh, size_t node) {
    return bvh->still[node] == TOC_MOVES && has_spread(bvh, node) &&
           spread_of(bvh, node) > bvh->spread[node] + SPREAD_GROWTH &&
           common_part_of(bvh, node) > bvh->common[node] + COMMON_GROWTH;
}

// Marks of worn nodes, and of the pieces that have one.
typedef struct wear {
    const toc_bvh *bvh;
    uint8_t *pieces;
} wear;

static toc_status find_worn(void *user, size_t index, int thread) {
    (void)thread;
    const wear *w = user;
    const toc_bvh *bvh = w->bvh;
    const size_t piece = bvh->pieces.at[index], last = piece + toc_bvh_nodes_over(bvh->nodes[piece].leaves);
    uint8_t any = 0;
    for (size_t i = piece; i < last; i++) any |= bvh->worn[i] = is_worn(bvh, i);
    w->pieces[index] = any;
    return TOC_OK;
}

static const toc_bvh_node *first_block(const toc_bvh *bvh, size_t node) {
    while (!toc_bvh_is_block(bvh, node)) node = bvh->nodes[node].left;
    return &bvh->nodes[node];
}

// List the highest worn nodes as spans.
static toc_status find_decayed(builder *b, int threads, size_t *rebuilt) {
    toc_bvh *bvh = b->bvh;
    wear w = {bvh, toc_arena_new(&b->scratch, bvh->pieces.count, 1)};
    if (!w.pieces) return TOC_OUT_OF_MEMORY;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = bvh->pieces.count, .threads = threads, .round = find_worn, .user = &w}));
    for (size_t i = 0; i < bvh->tops.count; i++) bvh->worn[bvh->tops.at[i]] = is_worn(bvh, bvh->tops.at[i]);
    for (size_t i = bvh->top_level, piece = 0; i < bvh->node_count;) {
        const uint32_t leaves = bvh->nodes[i].leaves;
        while (piece < bvh->pieces.count && bvh->pieces.at[piece] < i) piece++;
        const bool intact = piece < bvh->pieces.count && bvh->pieces.at[piece] == i && !w.pieces[piece];
        const bool whole = intact || bvh->worn[i] || bvh->still[i] != TOC_MOVES; // the second to be rebuilt
        if (bvh->worn[i]) {
            const toc_bvh_node *first = first_block(bvh, i);
            TOC_TRY(add_span(b, (item_span){(uint32_t)i, first->link, leaves, first->left}));
            *rebuilt += leaves;
        }
        i += whole ? toc_bvh_nodes_over(leaves) : 1;
    }
    return TOC_OK;
}

// The top level is small, so a single worn node causes its rebuild. The trees do not move.
static bool is_top_level_worn(const toc_bvh *bvh) {
    bool worn = false;
    for (size_t i = 0; i < bvh->top_level; i++) worn |= is_worn(bvh, i);
    return worn;
}

static toc_status restructure(builder *b, int threads, size_t *rebuilt) {
    TOC_TRY(find_decayed(b, threads, rebuilt));
    const bool top_level = is_top_level_worn(b->bvh);
    if (*rebuilt == 0 && !top_level) return TOC_OK;
    b->items = toc_arena_new(&b->scratch, b->bvh->count, sizeof *b->items);
    if (!b->items) return TOC_OUT_OF_MEMORY;
    if (*rebuilt > 0) TOC_TRY(make_trees(b, threads));
    if (!top_level) return TOC_OK;
    renew_top_level(b);
    return TOC_OK;
}

toc_status toc_bvh_restructure(toc_bvh *bvh, const toc_bvh_source *source, int threads, size_t *rebuilt) {
    builder b = {.bvh = bvh, .source = source, .scratch = toc_arena_make(&bvh->allocator)};
    *rebuilt = 0;
    const toc_status status = restructure(&b, threads, rebuilt);
    free_builder(&b);
    return status;
}
