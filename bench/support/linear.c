// SPDX-License-Identifier: Apache-2.0
// Codes of 30 bits, sorted by three passes of a radix sort; the hierarchy in one walk over them, without a stack of its
// own: an inner node ends where the next higher bit changes.
#include "bench/support/linear.h"

#include <stdlib.h>
#include <string.h>

#include "bench/support/measure.h"

// ---- codes

typedef struct coded {
    uint32_t code, item;
} coded;

// Bits of a number of 10 bits, two apart.
static uint32_t spread_bits(uint32_t x) {
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

bench_linear_box bench_linear_join(const bench_linear_box *a, const bench_linear_box *b) {
    bench_linear_box both;
    for (int c = 0; c < 3; c++) {
        both.low[c] = a->low[c] < b->low[c] ? a->low[c] : b->low[c];
        both.high[c] = a->high[c] > b->high[c] ? a->high[c] : b->high[c];
    }
    return both;
}

static void make_codes(const bench_linear_box *boxes, size_t count, coded *out) {
    bench_linear_box all = boxes[0];
    float scale[3];
    for (size_t i = 1; i < count; i++) all = bench_linear_join(&all, &boxes[i]);
    for (int c = 0; c < 3; c++) scale[c] = all.high[c] > all.low[c] ? 1023.99F / (all.high[c] - all.low[c]) : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t code = 0;
        for (int c = 0; c < 3; c++) {
            const float middle = 0.5F * (boxes[i].low[c] + boxes[i].high[c]);
            const float at = (middle - all.low[c]) * scale[c];
            code |= spread_bits(at > 0 ? at < 1023 ? (uint32_t)at : 1023 : 0) << c;
        }
        out[i] = (coded){code, (uint32_t)i};
    }
}

static void sort_codes(coded *codes, coded *room, size_t count) {
    enum { BITS = 10, DIGITS = 1 << BITS };
    for (int shift = 0; shift < 30; shift += BITS) {
        size_t places[DIGITS] = {0}, place = 0;
        for (size_t i = 0; i < count; i++) places[codes[i].code >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            const size_t of_digit = places[d];
            places[d] = place;
            place += of_digit;
        }
        for (size_t i = 0; i < count; i++) room[places[codes[i].code >> shift & (DIGITS - 1)]++] = codes[i];
        coded *const sorted = room;
        room = codes;
        codes = sorted;
    }
    memcpy(room, codes, count * sizeof *codes); // after an odd number of passes
}

// ---- nodes

typedef struct building {
    const bench_linear_box *boxes;
    const coded *codes;
    bench_linear *tree;
    uint32_t made; // nodes
} building;

// The first code of the second half: where the highest bit that changes is set; the middle of equal codes.
static size_t find_cut(const coded *codes, size_t first, size_t end) {
    const uint32_t change = codes[first].code ^ codes[end - 1].code;
    size_t low = first, high = end - 1;
    if (change == 0) return first + (end - first) / 2;
    const uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(change));
    while (high - low > 1) { // the bit is not set at `low`, and set at `high`
        const size_t middle = low + (high - low) / 2;
        if (codes[middle].code & bit)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// At most 30 + log2(count) deep: each level takes a bit, or half of the equal codes.
static uint32_t make_node(building *b, size_t first, size_t end) {
    const uint32_t at = b->made++;
    bench_linear_node *node = &b->tree->nodes[at];
    node->item = UINT32_MAX;
    if (end - first == 1) {
        node->item = b->codes[first].item;
        node->box = b->boxes[node->item];
    } else {
        const size_t cut = find_cut(b->codes, first, end);
        const uint32_t left = make_node(b, first, cut), right = make_node(b, cut, end);
        node->box = bench_linear_join(&b->tree->nodes[left].box, &b->tree->nodes[right].box);
    }
    node->next = b->made;
    return at;
}

bench_linear bench_linear_build(const bench_linear_box *boxes, size_t count) {
    bench_linear tree = {.count = count};
    if (count == 0) return tree;
    coded *codes = bench_must(malloc(2 * count * sizeof *codes));
    tree.nodes = bench_must(malloc((2 * count - 1) * sizeof *tree.nodes));
    make_codes(boxes, count, codes);
    sort_codes(codes, codes + count, count);
    make_node(&(building){.boxes = boxes, .codes = codes, .tree = &tree}, 0, count);
    free(codes);
    return tree;
}

size_t bench_linear_bytes(size_t count) { return 2 * count * (sizeof(coded) + sizeof(bench_linear_node)); }

void bench_linear_free(bench_linear *tree) {
    free(tree->nodes);
    *tree = (bench_linear){0};
}

// ---- pairs

static int boxes_meet(const bench_linear_box *a, const bench_linear_box *b) {
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

// The items of the nodes from `from` on that a box meets.
static void find_from(const bench_linear *tree, uint32_t from, const bench_linear_box *box, uint32_t item,
                      bench_linear_take *take, void *user) {
    const uint32_t end = (uint32_t)(2 * tree->count - 1);
    for (uint32_t at = from; at < end;) {
        const bench_linear_node *node = &tree->nodes[at];
        const int meets = boxes_meet(box, &node->box);
        if (meets && node->item != UINT32_MAX) take(user, item, node->item);
        at = meets ? at + 1 : node->next;
    }
}

void bench_linear_collide(const bench_linear *tree, const bench_linear_box *boxes, size_t count,
                          bench_linear_take *take, void *user) {
    for (size_t i = 0; i < count && tree->count > 0; i++) find_from(tree, 0, &boxes[i], (uint32_t)i, take, user);
}

void bench_linear_collide_itself(const bench_linear *tree, bench_linear_take *take, void *user) {
    for (size_t at = 0; tree->count > 0 && at < 2 * tree->count - 1; at++) {
        const bench_linear_node *node = &tree->nodes[at];
        if (node->item != UINT32_MAX) find_from(tree, (uint32_t)at + 1, &node->box, node->item, take, user);
    }
}
