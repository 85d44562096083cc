// SPDX-License-Identifier: Apache-2.0
// Objects in a fractal heap, in the order of a tree of version 2 that lists them: links of large groups, and attributes
// of objects that have many.
#include "io/hdf5/inner.h"

typedef struct name_heap {
    const toc_hdf5 *h;
    uint64_t budget;
    unsigned id_size, offset_size, length_size;
    uint64_t width, start, most_direct, root, rows; // blocks in a row, bytes of the first, of the largest
    unsigned direct_rows;
} name_heap;

/// The bytes that hold numbers up to this one.
static unsigned bytes_of(uint64_t most) {
    unsigned size = 1;
    while (size < 8 && most >> (8 * size)) size++;
    return size;
}

static unsigned log_of(uint64_t x) {
    unsigned log = 0;
    while (x >>= 1) log++;
    return log;
}

static bool is_power(uint64_t x) { return x > 0 && (x & (x - 1)) == 0; }

static toc_status open_heap(name_heap *p, uint64_t address) {
    enum { SIZE = 142 };
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(p->h, address, "FRHP", SIZE, &p->budget, &b));
    const char *at = b.at - 4;
    const unsigned filters = toc_load_u16(at + 7, false), bits = toc_load_u16(at + 128, false);
    const uint64_t most_managed = toc_load_u32(at + 10, false);
    p->id_size = toc_load_u16(at + 5, false);
    p->width = toc_load_u16(at + 110, false);
    p->start = toc_load_u64(at + 112, false);
    p->most_direct = toc_load_u64(at + 120, false);
    p->root = toc_load_u64(at + 132, false);
    p->rows = toc_load_u16(at + 140, false);
    p->offset_size = (bits + 7) / 8;
    const unsigned direct = bytes_of(p->most_direct), managed = bytes_of(most_managed);
    p->length_size = direct < managed ? direct : managed;
    if (filters > 0) return toc_hdf5_fail(p->h, at, "compressed names are not read: convert the file with h5repack");
    if (!is_power(p->start) || !is_power(p->most_direct) || p->start > p->most_direct || p->width == 0 || bits == 0 ||
        bits > 63 || p->id_size < 1 + p->offset_size + p->length_size)
        return toc_hdf5_fail(p->h, at, "the sizes of a heap cannot be");
    p->direct_rows = log_of(p->most_direct) - log_of(p->start) + 2;
    return TOC_OK;
}

/// The block with an offset in the heap: rows of blocks, of which the first two have the same size, each further one
/// the double. Rows with blocks above the largest have tables of blocks in turn.
static toc_status find_heap_block(name_heap *p, uint64_t offset, uint64_t *block, uint64_t *within) {
    uint64_t at = p->root, rows = p->rows;
    toc_hdf5_bytes b;
    for (int depth = 0; rows > 0; depth++) {
        if (depth == 64) return toc_hdf5_fail(p->h, p->h->source->begin, "a heap is too deep");
        TOC_TRY(toc_hdf5_block(p->h, at, "FHIB", 13 + p->offset_size, &(uint64_t){UINT64_MAX}, &b));
        uint64_t row = 0, size = p->start;
        while (row < rows && offset >= p->width * size) {
            offset -= p->width * size;
            if (++row > 1) size *= 2;
            if (size > UINT64_MAX / 2 / p->width) row = rows;
        }
        const uint64_t index = row * p->width + offset / size;
        if (row >= rows || !toc_hdf5_skip(&b, 9 + p->offset_size + 8 * index) || !toc_hdf5_take(&b, 8, &at))
            return toc_hdf5_fail(p->h, b.at, "an item is outside of its heap");
        offset %= size;
        if (row < p->direct_rows) break;
        rows = log_of(size) - log_of(p->start * p->width) + 1;
        if (size < p->start * p->width) return toc_hdf5_fail(p->h, b.at, "the sizes of a heap cannot be");
    }
    *block = at;
    *within = offset;
    return TOC_OK;
}

static toc_status take_identity(name_heap *p, toc_hdf5_bytes id, toc_hdf5_take_item *take, void *user) {
    uint64_t kind, offset, length, block = 0, within = 0;
    toc_hdf5_bytes item;
    if (!toc_hdf5_take(&id, 1, &kind) || kind != 0 || !toc_hdf5_take(&id, p->offset_size, &offset) ||
        !toc_hdf5_take(&id, p->length_size, &length))
        return toc_hdf5_fail(p->h, id.at, "an item of a heap is of a kind that is not read");
    TOC_TRY(find_heap_block(p, offset, &block, &within));
    if (block > UINT64_MAX - within || !toc_hdf5_view(p->h, block + within, length, &item))
        return toc_hdf5_fail(p->h, id.at, "an item is outside of its heap");
    return take(user, item);
}

typedef struct tree {
    name_heap *heap;
    unsigned node_size, record_size, id; // the place of the identity
    unsigned count_size, all_size[16];   // bytes of counts of records, of a node and of all below it
    toc_hdf5_take_item *take;
    void *user;
} tree;

static toc_status walk(tree *t, uint64_t address, uint64_t count, unsigned depth) {
    name_heap *p = t->heap;
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(p->h, address, depth ? "BTIN" : "BTLF", t->node_size, &p->budget, &b));
    b.end = b.at - 4 + t->node_size;
    if (!toc_hdf5_skip(&b, 2) || count * t->record_size > (uint64_t)(b.end - b.at))
        return toc_hdf5_fail(p->h, b.at, "a node has more records than fit");
    for (uint64_t i = 0; i < count; i++, b.at += t->record_size)
        TOC_TRY(take_identity(p, (toc_hdf5_bytes){b.at + t->id, b.at + t->record_size}, t->take, t->user));
    for (uint64_t i = 0; depth > 0 && i <= count; i++) {
        uint64_t child, records;
        if (!toc_hdf5_take(&b, 8, &child) || !toc_hdf5_take(&b, t->count_size, &records) ||
            !toc_hdf5_skip(&b, depth > 1 ? t->all_size[depth - 1] : 0))
            return toc_hdf5_fail(p->h, b.at, "a node has more records than fit");
        TOC_TRY(walk(t, child, records, depth - 1));
    }
    return TOC_OK;
}

/// The sizes of counts follow from the largest possible ones, level by level.
static void size_counts(tree *t, unsigned depth) {
    uint64_t all = (t->node_size - 10) / t->record_size;
    t->count_size = bytes_of(all);
    t->all_size[0] = 0;
    for (unsigned level = 1; level <= depth; level++) {
        const uint64_t pointer = 8 + t->count_size + t->all_size[level - 1];
        const uint64_t room = t->node_size > 10 + pointer ? t->node_size - 10 - pointer : 0;
        const uint64_t most = room / (t->record_size + pointer);
        all = all < UINT32_MAX ? (most + 1) * all + most : all;
        t->all_size[level] = bytes_of(all);
    }
}

toc_status toc_hdf5_heap_list(const toc_hdf5 *h, uint64_t heap_address, uint64_t tree_address, unsigned id,
                              toc_hdf5_take_item *take, void *user) {
    enum { SIZE = 34, DEEPEST = 15 };
    name_heap p = {.h = h, .budget = toc_hdf5_budget(h)};
    toc_hdf5_bytes b;
    TOC_TRY(open_heap(&p, heap_address));
    TOC_TRY(toc_hdf5_block(h, tree_address, "BTHD", SIZE, &p.budget, &b));
    const char *at = b.at - 4;
    tree t = {.heap = &p, .id = id, .take = take, .user = user};
    t.node_size = toc_load_u32(at + 6, false);
    t.record_size = toc_load_u16(at + 10, false);
    const unsigned depth = toc_load_u16(at + 12, false);
    if (t.node_size < 16 || t.record_size == 0 || depth > DEEPEST || id + p.id_size > t.record_size)
        return toc_hdf5_fail(h, at, "the sizes of a tree cannot be");
    size_counts(&t, depth);
    const uint64_t root = toc_load_u64(at + 16, false), records = toc_load_u16(at + 24, false);
    return root == TOC_HDF5_NONE || records == 0 ? TOC_OK : walk(&t, root, records, depth);
}
