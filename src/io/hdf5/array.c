// SPDX-License-Identifier: Apache-2.0
// Arrays and attributes: their shape, type and place, as the messages of an object tell them.
#include <assert.h>
#include <stdio.h>

#include "io/hdf5/inner.h"

/// A packed file may hold a thousand times its size; so deflate bounds it.
enum { MOST_PACKED = 1032 };

uint64_t toc_hdf5_row_items(const toc_hdf5_array *a) {
    uint64_t items = 1;
    assert(a->rank >= 0 && a->rank <= TOC_HDF5_RANK);
    for (int k = 1; k < a->rank; k++) items *= a->shape[k];
    return items;
}

static toc_status parse_space(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a) {
    uint64_t version, rank, flags, kind;
    if (!toc_hdf5_take(&b, 1, &version) || !toc_hdf5_take(&b, 1, &rank) || !toc_hdf5_take(&b, 1, &flags) ||
        !toc_hdf5_take(&b, 1, &kind) || !toc_hdf5_skip(&b, version == 1 ? 4 : 0))
        return toc_hdf5_fail(h, b.at, "the shape of an array is cut");
    if (rank > TOC_HDF5_RANK) return toc_hdf5_fail(h, b.at, "an array has more than 8 dimensions");
    a->rank = (int)rank;
    for (int k = 0; k < a->rank; k++)
        if (!toc_hdf5_take(&b, 8, &a->shape[k])) return toc_hdf5_fail(h, b.at, "the shape of an array is cut");
    if (version == 2 && kind == 2) { // no items
        a->rank = 1;
        a->shape[0] = 0;
    }
    return TOC_OK;
}

static toc_number number_of(unsigned class, unsigned bits, size_t size) {
    static const toc_number whole[2][4] = {{TOC_UINT8, TOC_UINT16, TOC_UINT32, TOC_UINT64},
                                           {TOC_INT8, TOC_INT16, TOC_INT32, TOC_INT64}};
    const int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    if (log < 0) return TOC_NUMBER_NONE;
    if (class == 1) return log == 2 ? TOC_FLOAT32 : log == 3 ? TOC_FLOAT64 : TOC_NUMBER_NONE;
    return whole[class == 8 || (bits & 8)][log];
}

static toc_status parse_type(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a) {
    enum { WHOLE = 0, REAL = 1, TEXT = 3, NAMED = 8 };
    uint64_t head, bits, size;
    if (!toc_hdf5_take(&b, 1, &head) || !toc_hdf5_take(&b, 3, &bits) || !toc_hdf5_take(&b, 4, &size))
        return toc_hdf5_fail(h, b.at, "the type of an array is cut");
    const unsigned class = head & 15;
    a->item = (size_t)size;
    a->is_text = class == TEXT;
    a->big_endian = class != NAMED && (bits & 1);
    a->type = class == WHOLE || class == REAL || class == NAMED ? number_of(class, (unsigned)bits, a->item) : 0;
    return TOC_OK;
}

static toc_status refuse_chunks(const toc_hdf5 *h, const char *at) {
    return toc_hdf5_fail(h, at,
                         "chunks with an index of HDF5 1.10 are not read: convert the file with h5repack "
                         "--high=V18, or without chunks: h5repack -l CONTI");
}

/// Chunks with an index of version 1.10.
static toc_status parse_new_chunks(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a, uint64_t *dimensions) {
    uint64_t flags, rank, size, kind, mask = 0;
    if (!toc_hdf5_take(&b, 1, &flags) || !toc_hdf5_take(&b, 1, &rank) || !toc_hdf5_take(&b, 1, &size) || size < 1 ||
        size > 8 || rank > TOC_HDF5_RANK + 1)
        return toc_hdf5_fail(h, b.at, "the chunks of an array cannot be");
    *dimensions = rank;
    uint64_t ignored;
    for (uint64_t k = 0; k < rank; k++)
        if (!toc_hdf5_take(&b, (unsigned)size, k < TOC_HDF5_RANK ? &a->chunk[k] : &ignored))
            return toc_hdf5_fail(h, b.at, "the chunks of an array cannot be");
    bool whole = toc_hdf5_take(&b, 1, &kind);
    a->layout = kind == 1 ? TOC_HDF5_SINGLE : kind == 2 ? TOC_HDF5_ROW : TOC_HDF5_LIST;
    if (kind == 1 && flags & 2) whole = whole && toc_hdf5_take(&b, 8, &a->bytes) && toc_hdf5_take(&b, 4, &mask);
    if (kind == 3) whole = whole && toc_hdf5_skip(&b, 1);
    a->mask = (uint32_t)mask;
    if (kind < 1 || kind > 3) return refuse_chunks(h, b.at);
    if (!whole || !toc_hdf5_take(&b, 8, &a->address)) return toc_hdf5_fail(h, b.at, "the chunks of an array are cut");
    return TOC_OK;
}

static toc_status parse_old_chunks(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a, uint64_t *dimensions) {
    uint64_t rank;
    if (!toc_hdf5_take(&b, 1, &rank) || rank > TOC_HDF5_RANK + 1 || !toc_hdf5_take(&b, 8, &a->address))
        return toc_hdf5_fail(h, b.at, "the chunks of an array cannot be");
    *dimensions = rank;
    uint64_t ignored;
    for (uint64_t k = 0; k < rank; k++)
        if (!toc_hdf5_take(&b, 4, k < TOC_HDF5_RANK ? &a->chunk[k] : &ignored))
            return toc_hdf5_fail(h, b.at, "the chunks of an array cannot be");
    a->layout = TOC_HDF5_TREE;
    return TOC_OK;
}

static toc_status parse_layout(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a, uint64_t *dimensions) {
    uint64_t version, kind, size;
    if (!toc_hdf5_take(&b, 1, &version) || !toc_hdf5_take(&b, 1, &kind))
        return toc_hdf5_fail(h, b.at, "the place of an array is cut");
    if ((version != 3 && version != 4) || kind > 2)
        return toc_hdf5_fail(h, b.at,
                             "arrays of another kind than pieces and chunks are not read: convert the file "
                             "with h5repack");
    if (kind == 2) return version == 3 ? parse_old_chunks(h, b, a, dimensions) : parse_new_chunks(h, b, a, dimensions);
    a->layout = TOC_HDF5_PIECE;
    if (kind == 0) {
        if (!toc_hdf5_take(&b, 2, &size)) return toc_hdf5_fail(h, b.at, "the place of an array is cut");
        a->address = (uint64_t)(b.at - h->source->begin);
        a->bytes = size < (uint64_t)(b.end - b.at) ? size : (uint64_t)(b.end - b.at);
        return TOC_OK;
    }
    if (!toc_hdf5_take(&b, 8, &a->address) || !toc_hdf5_take(&b, 8, &a->bytes))
        return toc_hdf5_fail(h, b.at, "the place of an array is cut");
    return TOC_OK;
}

static toc_status parse_filters(const toc_hdf5 *h, toc_hdf5_bytes b, toc_hdf5_array *a) {
    uint64_t version, count, number, name = 0, flags, values, value = 0;
    bool whole =
        toc_hdf5_take(&b, 1, &version) && toc_hdf5_take(&b, 1, &count) && toc_hdf5_skip(&b, version == 1 ? 6 : 0);
    if (whole && count > TOC_HDF5_FILTERS) return toc_hdf5_fail(h, b.at, "an array has more than 8 filters");
    for (uint64_t i = 0; whole && i < count; i++) {
        whole = toc_hdf5_take(&b, 2, &number);
        name = 0;
        if (whole && (version == 1 || number >= 256)) whole = toc_hdf5_take(&b, 2, &name);
        whole = whole && toc_hdf5_take(&b, 2, &flags) && toc_hdf5_take(&b, 2, &values);
        whole = whole && toc_hdf5_skip(&b, version == 1 ? (name + 7) / 8 * 8 : name);
        value = 0;
        const toc_hdf5_bytes first = b;
        whole = whole && toc_hdf5_skip(&b, 4 * (version == 1 ? (values + 1) / 2 * 2 : values));
        if (whole && values > 0) value = toc_load_u32(first.at, false);
        a->filters[a->filter_count++] = (toc_hdf5_filter){(unsigned)number, (uint32_t)value};
    }
    return whole ? TOC_OK : toc_hdf5_fail(h, b.at, "the filters of an array are cut");
}

typedef struct describer {
    const toc_hdf5 *h;
    toc_hdf5_array *array;
    bool has_space, has_type, has_layout;
    uint64_t dimensions; // of a chunk, the bytes of an item among them
} describer;

static toc_status take_array_message(void *user, const toc_hdf5_message *m) {
    describer *d = user;
    const bool shared = m->flags & 2;
    if (m->type == TOC_HDF5_SPACE || m->type == TOC_HDF5_TYPE || m->type == TOC_HDF5_FILTER) {
        if (shared) return toc_hdf5_fail(d->h, m->data.at, "named types are not read: convert the file with h5repack");
    }
    if (m->type == TOC_HDF5_SPACE) {
        d->has_space = true;
        return parse_space(d->h, m->data, d->array);
    }
    if (m->type == TOC_HDF5_TYPE) {
        d->has_type = true;
        return parse_type(d->h, m->data, d->array);
    }
    if (m->type == TOC_HDF5_LAYOUT) {
        d->has_layout = true;
        return parse_layout(d->h, m->data, d->array, &d->dimensions);
    }
    return m->type == TOC_HDF5_FILTER && d->array->filter_count == 0 ? parse_filters(d->h, m->data, d->array) : TOC_OK;
}

/// The bytes of all items; false where 64 bits do not hold them.
static bool count_bytes(const toc_hdf5_array *a, const uint64_t *shape, uint64_t *out) {
    *out = a->item;
    for (int k = 0; k < a->rank; k++)
        if (__builtin_mul_overflow(*out, shape[k], out)) return false;
    return true;
}

/// Items and chunks must be such as the file can hold.
static toc_status check_array(const toc_hdf5 *h, toc_hdf5_array *a, uint64_t dimensions) {
    const char *begin = h->source->begin;
    const uint64_t file = (uint64_t)(h->source->end - begin);
    const uint64_t most = file < UINT64_MAX / MOST_PACKED ? file * MOST_PACKED : UINT64_MAX;
    uint64_t all, chunk;
    if (!count_bytes(a, a->shape, &all) || all > most || a->item == 0)
        return toc_hdf5_fail(h, begin, "an array is promised that is larger than the file can hold");
    if (all == 0 || (a->address == TOC_HDF5_NONE && a->layout != TOC_HDF5_PIECE)) {
        a->layout = TOC_HDF5_EMPTY;
        return TOC_OK;
    }
    if (a->layout == TOC_HDF5_PIECE) {
        toc_hdf5_bytes b;
        if (a->address == TOC_HDF5_NONE) {
            a->layout = TOC_HDF5_EMPTY;
        } else if (a->bytes < all || !toc_hdf5_view(h, a->address, all, &b)) {
            return toc_hdf5_fail(h, h->source->end, "the file ends within an array");
        }
        return TOC_OK;
    }
    if (a->rank == 0 || dimensions != (uint64_t)a->rank + 1 || !count_bytes(a, a->chunk, &chunk) || chunk == 0 ||
        chunk > most)
        return toc_hdf5_fail(h, begin, "the chunks of an array cannot be");
    return TOC_OK;
}

toc_status toc_hdf5_describe(const toc_hdf5 *h, uint64_t object, toc_hdf5_array *out) {
    *out = (toc_hdf5_array){.rank = 0};
    describer d = {.h = h, .array = out};
    TOC_TRY(toc_hdf5_messages(h, object, take_array_message, &d));
    if (!d.has_space || !d.has_type || !d.has_layout)
        return toc_hdf5_fail(h, h->source->begin, "an array was expected in the place of a group");
    return check_array(h, out, d.dimensions);
}

// ---- attributes

typedef struct attribute {
    const toc_hdf5 *h;
    const char *name;
    toc_hdf5_array *array;
    bool found;
    uint64_t heap, tree; // of many attributes
} attribute;

static toc_status parse_attribute(void *user, toc_hdf5_bytes b) {
    attribute *a = user;
    uint64_t version, flags, name, type, space, all;
    if (!toc_hdf5_take(&b, 1, &version) || !toc_hdf5_take(&b, 1, &flags) || !toc_hdf5_take(&b, 2, &name) ||
        !toc_hdf5_take(&b, 2, &type) || !toc_hdf5_take(&b, 2, &space) || !toc_hdf5_skip(&b, version == 3 ? 1 : 0))
        return toc_hdf5_fail(a->h, b.at, "an attribute is cut");
    const uint64_t round = version == 1 ? 7 : 0;
    const char *text = b.at;
    if (!toc_hdf5_skip(&b, (name + round) & ~round)) return toc_hdf5_fail(a->h, b.at, "an attribute is cut");
    if (strnlen(text, (size_t)name) != strlen(a->name) || memcmp(text, a->name, strlen(a->name)) != 0) return TOC_OK;
    const toc_hdf5_bytes of_type = {b.at, b.end};
    if (version != 1 && flags & 3)
        return toc_hdf5_fail(a->h, b.at, "named types are not read: convert the file with h5repack");
    if (!toc_hdf5_skip(&b, (type + round) & ~round)) return toc_hdf5_fail(a->h, b.at, "an attribute is cut");
    const toc_hdf5_bytes of_space = {b.at, b.end};
    if (!toc_hdf5_skip(&b, (space + round) & ~round)) return toc_hdf5_fail(a->h, b.at, "an attribute is cut");
    *a->array = (toc_hdf5_array){.layout = TOC_HDF5_PIECE};
    TOC_TRY(parse_type(a->h, of_type, a->array));
    TOC_TRY(parse_space(a->h, of_space, a->array));
    a->array->address = (uint64_t)(b.at - a->h->source->begin);
    a->array->bytes = (uint64_t)(b.end - b.at);
    if (!count_bytes(a->array, a->array->shape, &all) || all > a->array->bytes)
        return toc_hdf5_fail(a->h, b.at, "an attribute is cut");
    a->found = true;
    return TOC_OK;
}

static toc_status take_attribute_message(void *user, const toc_hdf5_message *m) {
    attribute *a = user;
    toc_hdf5_bytes b = m->data;
    uint64_t flags;
    if (m->type == TOC_HDF5_ATTRIBUTE && !(m->flags & 2)) return parse_attribute(user, b);
    if (m->type != TOC_HDF5_ATTRIBUTE_INFO) return TOC_OK;
    if (!toc_hdf5_skip(&b, 1) || !toc_hdf5_take(&b, 1, &flags) || !toc_hdf5_skip(&b, flags & 1 ? 2 : 0) ||
        !toc_hdf5_take(&b, 8, &a->heap) || !toc_hdf5_take(&b, 8, &a->tree))
        return toc_hdf5_fail(a->h, b.at, "the list of attributes is cut");
    return TOC_OK;
}

toc_status toc_hdf5_attribute(const toc_hdf5 *h, uint64_t object, const char *name, toc_hdf5_array *out, bool *found) {
    attribute a = {.h = h, .name = name, .array = out, .heap = TOC_HDF5_NONE};
    TOC_TRY(toc_hdf5_messages(h, object, take_attribute_message, &a));
    if (a.heap != TOC_HDF5_NONE && !a.found) TOC_TRY(toc_hdf5_heap_list(h, a.heap, a.tree, 0, parse_attribute, &a));
    *found = a.found;
    return TOC_OK;
}
