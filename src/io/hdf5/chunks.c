// SPDX-License-Identifier: Apache-2.0
// Items of arrays: rows out of a piece, or of the chunks that have some of them.
#include <assert.h>
#include <stdio.h>

#include "io/hdf5/inner.h"

#ifdef TOC_HAVE_ZLIB
#include <zlib.h>
#endif

/// Rows that are being read.
typedef struct rows {
    const toc_hdf5 *h;
    const toc_hdf5_array *array;
    uint64_t first, count, row_bytes;
    uint64_t chunk_bytes;
    char *to;            // of the first row
    char *packed, *open; // chunk_bytes each
    const char *chunk;   // that is unpacked, in the file
    uint64_t budget;
} rows;

// ---- filters, in the reverse order of writing

static toc_status inflate_chunk(const rows *r, const char *from, uint64_t size, char *to, uint64_t *got) {
#ifdef TOC_HAVE_ZLIB
    uLongf length = (uLongf)r->chunk_bytes;
    if (uncompress((Bytef *)to, &length, (const Bytef *)from, (uLong)size) != Z_OK)
        return toc_hdf5_fail(r->h, r->chunk, "a compressed chunk is damaged");
    *got = length;
    return TOC_OK;
#else
    (void)size, (void)to, (void)got;
    return toc_hdf5_fail(r->h, r->chunk, "compressed chunks are read by a library that this build is without: zlib");
#endif
}

/// The first bytes of all items, then the second ones, and so on.
static void unshuffle(const char *from, uint64_t size, uint64_t item, char *to) {
    const uint64_t count = size / item;
    for (uint64_t k = 0; k < item; k++)
        for (uint64_t i = 0; i < count; i++) to[i * item + k] = from[k * count + i];
    memcpy(to + count * item, from + count * item, size - count * item);
}

/// The chunk as written, in `open` if it was filtered.
static toc_status unpack_chunk(rows *r, const char **at, uint64_t size, uint32_t mask) {
    enum { DEFLATE = 1, SHUFFLE = 2, SUM = 3 };
    r->chunk = *at;
    for (int i = r->array->filter_count; i-- > 0;) {
        const toc_hdf5_filter *f = &r->array->filters[i];
        if (mask >> i & 1) continue;
        if (f->number == SUM) {
            if (size < 4) return toc_hdf5_fail(r->h, r->chunk, "a chunk is shorter than its sum");
            size -= 4;
            continue;
        }
        if (f->number == DEFLATE) {
            TOC_TRY(inflate_chunk(r, *at, size, r->open, &size));
        } else if (f->number == SHUFFLE) {
            if (size > r->chunk_bytes || f->value == 0) return toc_hdf5_fail(r->h, r->chunk, "a chunk is too long");
            unshuffle(*at, size, f->value, r->open);
        } else {
            return toc_hdf5_fail(r->h, r->chunk,
                                 "a filter is not read; deflate and shuffle are: convert the file with "
                                 "h5repack -f GZIP=6");
        }
        char *other = r->packed;
        r->packed = r->open;
        r->open = other;
        *at = r->packed;
    }
    if (size >= r->chunk_bytes) return TOC_OK;
    return toc_hdf5_fail(r->h, r->chunk, "a chunk is shorter than its items");
}

// ---- chunks

/// Copy the items of a chunk, whose first one is at `offset`, that are in the array and in the rows.
static void copy_chunk(const rows *r, const char *from, const uint64_t offset[TOC_HDF5_RANK]) {
    const toc_hdf5_array *a = r->array;
    const int last = a->rank - 1;
    assert(a->rank > 0 && a->rank <= TOC_HDF5_RANK && a->item > 0);
    uint64_t low[TOC_HDF5_RANK], high[TOC_HDF5_RANK], at[TOC_HDF5_RANK];
    for (int k = 0; k <= last; k++) {
        const uint64_t end = a->shape[k] - offset[k] < a->chunk[k] ? a->shape[k] - offset[k] : a->chunk[k];
        low[k] = k == 0 && offset[0] < r->first ? r->first - offset[0] : 0;
        high[k] = k == 0 && end > r->first + r->count - offset[0] ? r->first + r->count - offset[0] : end;
        if (low[k] >= high[k]) return;
        at[k] = low[k];
    }
    for (;;) {
        uint64_t source = 0, target = 0;
        for (int k = 0; k <= last; k++) {
            source = source * a->chunk[k] + at[k];
            target = target * (k ? a->shape[k] : 1) + offset[k] + at[k] - (k ? 0 : r->first);
        }
        const uint64_t run = high[last] - low[last];
        memcpy(r->to + target * a->item, from + source * a->item, run * a->item);
        int k = last - 1;
        while (k >= 0 && ++at[k] == high[k]) {
            at[k] = low[k];
            k--;
        }
        if (k < 0) return;
    }
}

static toc_status hdf5_take_chunk(rows *r, uint64_t address, uint64_t size, uint32_t mask,
                                  const uint64_t offset[TOC_HDF5_RANK]) {
    toc_hdf5_bytes b;
    for (int k = 0; k < r->array->rank; k++)
        if (offset[k] >= r->array->shape[k]) return TOC_OK; // of a larger array before
    if (offset[0] >= r->first + r->count || (offset[0] < r->first && r->first - offset[0] >= r->array->chunk[0]))
        return TOC_OK;
    if (address == TOC_HDF5_NONE) return TOC_OK; // zeros
    if (!toc_hdf5_view(r->h, address, size, &b))
        return toc_hdf5_fail(r->h, r->h->source->end, "the file ends within a chunk");
    TOC_TRY(toc_hdf5_spend(r->h, &r->budget, size));
    TOC_TRY(unpack_chunk(r, &b.at, size, mask));
    copy_chunk(r, b.at, offset);
    return TOC_OK;
}

/// A node of the tree: keys and children in turn. A key has the size of its chunk, filters left out, and the place.
static toc_status walk_chunks(rows *r, uint64_t address, int level) {
    enum { HEAD = 24 };
    const toc_hdf5_array *a = r->array;
    const uint64_t key = 8 + 8 * ((uint64_t)a->rank + 1), step = key + 8;
    toc_hdf5_bytes b;
    TOC_TRY(toc_hdf5_block(r->h, address, "TREE", HEAD, &r->budget, &b));
    const int found = (uint8_t)b.at[1];
    const uint64_t count = toc_load_u16(b.at + 2, false);
    if (b.at[0] != 1 || (level >= 0 && found != level))
        return toc_hdf5_fail(r->h, b.at, "the levels of a tree are out of order");
    b.at += HEAD - 4;
    if (step * count + key > (uint64_t)(b.end - b.at)) return toc_hdf5_fail(r->h, b.at, "the file ends within a tree");
    TOC_TRY(toc_hdf5_spend(r->h, &r->budget, step * count));
    for (uint64_t i = 0; i < count; i++, b.at += step) {
        uint64_t offset[TOC_HDF5_RANK] = {0};
        for (int k = 0; k < a->rank; k++) offset[k] = toc_load_u64(b.at + 8 + 8 * k, false);
        const uint64_t next = toc_load_u64(b.at + step + 8, false), child = toc_load_u64(b.at + key, false);
        if (offset[0] >= r->first + r->count) break;
        if (found == 0) {
            TOC_TRY(hdf5_take_chunk(r, child, toc_load_u32(b.at, false), toc_load_u32(b.at + 4, false), offset));
        } else if (next >= r->first || r->first - next < a->chunk[0]) {
            TOC_TRY(walk_chunks(r, child, found - 1));
        }
    }
    return TOC_OK;
}

/// The place of a chunk by its number, in the order of the items.
static void place_chunk(const toc_hdf5_array *a, uint64_t number, uint64_t offset[TOC_HDF5_RANK]) {
    for (int k = a->rank; k-- > 0;) {
        assert(a->shape[k] > 0 && a->chunk[k] > 0);
        const uint64_t along = (a->shape[k] - 1) / a->chunk[k] + 1;
        offset[k] = number % along * a->chunk[k];
        number /= along;
    }
}

static uint64_t count_chunks(const toc_hdf5_array *a) {
    uint64_t count = 1;
    for (int k = 0; k < a->rank; k++) count *= (a->shape[k] - 1) / a->chunk[k] + 1;
    return count;
}

/// Chunks of the same size, one behind the other.
static toc_status hdf5_take_row(rows *r) {
    uint64_t offset[TOC_HDF5_RANK] = {0}, at;
    for (uint64_t i = 0; i < count_chunks(r->array); i++) {
        place_chunk(r->array, i, offset);
        if (__builtin_mul_overflow(i, r->chunk_bytes, &at) || __builtin_add_overflow(at, r->array->address, &at))
            return toc_hdf5_fail(r->h, r->h->source->end, "the file ends within a chunk");
        TOC_TRY(hdf5_take_chunk(r, at, r->chunk_bytes, 0, offset));
    }
    return TOC_OK;
}

/// A list of fixed length, with the sizes of chunks where they are packed.
static toc_status hdf5_take_list(rows *r) {
    enum { HEAD = 28, ITEMS = 14 };
    toc_hdf5_bytes b;
    uint64_t offset[TOC_HDF5_RANK] = {0}, at = 0, size = r->chunk_bytes, mask = 0;
    TOC_TRY(toc_hdf5_block(r->h, r->array->address, "FAHD", HEAD, &r->budget, &b));
    const unsigned packed = (uint8_t)b.at[1], item = (uint8_t)b.at[2], bits = (uint8_t)b.at[3];
    const uint64_t most = toc_load_u64(b.at + 4, false), list = toc_load_u64(b.at + 12, false);
    if (list == TOC_HDF5_NONE) return TOC_OK;
    if (bits > 63 || most > UINT64_C(1) << bits)
        return toc_hdf5_fail(r->h, b.at,
                             "lists of chunks in pages are not read: convert the file with h5repack "
                             "--high=V18");
    if (item < (packed ? 13U : 8U) || item > 20) return toc_hdf5_fail(r->h, b.at, "a list of chunks cannot be");
    TOC_TRY(toc_hdf5_block(r->h, list, "FADB", ITEMS, &r->budget, &b));
    b.at += ITEMS - 4;
    for (uint64_t i = 0; i < count_chunks(r->array); i++) {
        place_chunk(r->array, i, offset);
        if (!toc_hdf5_take(&b, 8, &at) ||
            (packed && (!toc_hdf5_take(&b, item - 12, &size) || !toc_hdf5_take(&b, 4, &mask))))
            return toc_hdf5_fail(r->h, b.at, "the file ends within a list of chunks");
        TOC_TRY(hdf5_take_chunk(r, at, size, (uint32_t)mask, offset));
    }
    return TOC_OK;
}

static toc_status hdf5_take_chunks(rows *r) {
    const toc_hdf5_array *a = r->array;
    const uint64_t origin[TOC_HDF5_RANK] = {0};
    const bool packed = a->filter_count > 0;
    switch (a->layout) {
    case TOC_HDF5_TREE:
        return walk_chunks(r, a->address, -1);
    case TOC_HDF5_SINGLE:
        return hdf5_take_chunk(r, a->address, packed ? a->bytes : r->chunk_bytes, a->mask, origin);
    case TOC_HDF5_ROW:
        return hdf5_take_row(r);
    case TOC_HDF5_LIST:
        return hdf5_take_list(r);
    default:
        return TOC_OK;
    }
}

static toc_status hdf5_read_rows(const toc_hdf5 *h, const toc_hdf5_array *a, uint64_t first, uint64_t count, char *to) {
    rows r = {.h = h, .array = a, .first = first, .count = count, .to = to, .budget = toc_hdf5_budget(h)};
    r.row_bytes = toc_hdf5_row_items(a) * a->item;
    if (a->layout == TOC_HDF5_PIECE) {
        memcpy(to, h->source->begin + a->address + first * r.row_bytes, count * r.row_bytes);
        return TOC_OK;
    }
    memset(to, 0, count * r.row_bytes);
    if (a->layout == TOC_HDF5_EMPTY || count == 0) return TOC_OK;
    assert(first <= a->shape[0] && count <= a->shape[0] - first);
    r.chunk_bytes = a->item;
    for (int k = 0; k < a->rank; k++) r.chunk_bytes *= a->chunk[k];
    const toc_allocator *memory = &h->source->allocator;
    char *blocks = a->filter_count ? toc_new(memory, 2 * r.chunk_bytes, 1) : NULL;
    if (a->filter_count && !blocks) return TOC_OUT_OF_MEMORY;
    r.packed = blocks;
    r.open = blocks ? blocks + r.chunk_bytes : NULL;
    const toc_status status = hdf5_take_chunks(&r);
    toc_free(memory, blocks, 2 * r.chunk_bytes, 1);
    return status;
}

static toc_status check_rows(const toc_hdf5 *h, const toc_hdf5_array *a, uint64_t first, uint64_t count) {
    const uint64_t there = a->rank ? a->shape[0] : 1;
    if (first <= there && count <= there - first) return TOC_OK;
    return toc_hdf5_fail(h, h->source->begin, "an array has fewer rows than another one promises");
}

toc_status toc_hdf5_row_bytes(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t row, char *to) {
    TOC_TRY(check_rows(h, array, row, 1));
    return hdf5_read_rows(h, array, row, 1, to);
}

toc_status toc_hdf5_numbers(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                            toc_numbers *out) {
    *out = (toc_numbers){.type = array->type, .big_endian = array->big_endian};
    TOC_TRY(check_rows(h, array, first, count));
    if (array->type == TOC_NUMBER_NONE) return toc_hdf5_fail(h, h->source->begin, "an array has no numbers");
    const uint64_t row = toc_hdf5_row_items(array) * array->item;
    out->count = (size_t)(count * toc_hdf5_row_items(array));
    if (array->layout == TOC_HDF5_PIECE) {
        out->bytes = h->source->begin + array->address + first * row;
        return TOC_OK;
    }
    out->block_size = (size_t)(count * row) + (count * row == 0);
    out->block = toc_new(&h->source->allocator, out->block_size, 1);
    if (!out->block) return TOC_OUT_OF_MEMORY;
    out->bytes = out->block;
    const toc_status status = hdf5_read_rows(h, array, first, count, out->block);
    if (status != TOC_OK) toc_numbers_free(&h->source->allocator, out);
    return status;
}

static toc_status check_components(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t components) {
    const uint64_t there = toc_hdf5_row_items(array);
    if (there == components) return TOC_OK;
    char what[96];
    snprintf(what, sizeof what, "the rows of an array have %llu numbers, not %llu", (unsigned long long)there,
             (unsigned long long)components);
    return toc_hdf5_fail(h, h->source->begin, what);
}

toc_status toc_hdf5_doubles(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                            uint64_t components, double *to) {
    toc_numbers numbers;
    TOC_TRY(check_components(h, array, components));
    TOC_TRY(toc_hdf5_numbers(h, array, first, count, &numbers));
    toc_numbers_as_doubles(&numbers, 0, numbers.count, to);
    toc_numbers_free(&h->source->allocator, &numbers);
    return TOC_OK;
}

toc_status toc_hdf5_integers(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                             uint64_t components, int64_t *to) {
    toc_numbers numbers;
    TOC_TRY(check_components(h, array, components));
    if (!toc_number_is_integer(array->type)) return toc_hdf5_fail(h, h->source->begin, "an array has no integers");
    TOC_TRY(toc_hdf5_numbers(h, array, first, count, &numbers));
    toc_numbers_as_integers(&numbers, 0, numbers.count, to);
    toc_numbers_free(&h->source->allocator, &numbers);
    return TOC_OK;
}
