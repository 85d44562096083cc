// SPDX-License-Identifier: Apache-2.0
// The head of an HDF5 file, and the heads of its objects: lists of messages, in blocks that continue each other. After
// "HDF5 File Format Specification", versions 1 to 3.
#include "io/hdf5/inner.h"

#include <assert.h>

static const char signature[] = "\211HDF\r\n\032\n";

bool toc_hdf5_view(const toc_hdf5 *h, uint64_t address, uint64_t size, toc_hdf5_bytes *out) {
    const toc_source *s = h->source;
    const uint64_t whole = (uint64_t)(s->end - s->begin);
    if (address > whole || size > whole - address) return false;
    *out = (toc_hdf5_bytes){s->begin + address, s->begin + address + size};
    return true;
}

toc_status toc_hdf5_fail(const toc_hdf5 *h, const char *at, const char *what) {
    h->source->at = at;
    return toc_source_fail_byte(h->source, "%s", what);
}

toc_status toc_hdf5_spend(const toc_hdf5 *h, uint64_t *budget, uint64_t bytes) {
    if (bytes > *budget) return toc_hdf5_fail(h, h->source->begin, "parts of this HDF5 file contain themselves");
    *budget -= bytes;
    return TOC_OK;
}

toc_status toc_hdf5_block(const toc_hdf5 *h, uint64_t address, const char *letters, uint64_t size, uint64_t *budget,
                          toc_hdf5_bytes *out) {
    if (!toc_hdf5_view(h, address, size, out) || size < 4)
        return toc_hdf5_fail(h, h->source->end, "the file ends, but an HDF5 file has parts behind it");
    TOC_TRY(toc_hdf5_spend(h, budget, size));
    if (memcmp(out->at, letters, 4) != 0) return toc_hdf5_fail(h, out->at, "a part of an HDF5 file is of another kind");
    out->at += 4;
    out->end = h->source->end;
    return TOC_OK;
}

bool toc_hdf5_take(toc_hdf5_bytes *b, unsigned size, uint64_t *out) {
    assert(size >= 1 && size <= 8);
    if ((size_t)(b->end - b->at) < size) return false;
    *out = 0;
    for (unsigned i = size; i-- > 0;) *out = *out << 8 | (uint8_t)b->at[i];
    b->at += size;
    return true;
}

bool toc_hdf5_skip(toc_hdf5_bytes *b, uint64_t size) {
    if (size > (uint64_t)(b->end - b->at)) return false;
    b->at += size;
    return true;
}

bool toc_hdf5_is(const toc_source *source) {
    return source->end - source->begin >= 8 && memcmp(source->begin, signature, 8) == 0;
}

/// The place of the sizes in the head of the file, and of the address of the root.
static toc_status hdf5_find_root(toc_hdf5 *h, toc_hdf5_bytes b) {
    uint64_t version, offsets, lengths, base;
    const char *begin = b.at;
    if (!toc_hdf5_skip(&b, 8) || !toc_hdf5_take(&b, 1, &version))
        return toc_hdf5_fail(h, b.end, "the file ends within the head of an HDF5 file");
    if (version > 3) return toc_hdf5_fail(h, b.at - 1, "the version of this HDF5 file is newer than 3");
    const bool old = version < 2;
    bool whole = toc_hdf5_skip(&b, old ? 4 : 0) && toc_hdf5_take(&b, 1, &offsets) && toc_hdf5_take(&b, 1, &lengths);
    b.at = begin + (old ? 24 + 4 * version : 12);
    whole = whole && b.at <= b.end && toc_hdf5_take(&b, 8, &base) && toc_hdf5_skip(&b, old ? 32 : 16) &&
            toc_hdf5_take(&b, 8, &h->root);
    if (!whole) return toc_hdf5_fail(h, b.end, "the file ends within the head of an HDF5 file");
    if (offsets != 8 || lengths != 8 || base != 0)
        return toc_hdf5_fail(h, begin,
                             "HDF5 files with addresses of 8 bytes from the first byte on are read: convert "
                             "it with h5repack");
    return TOC_OK;
}

toc_status toc_hdf5_open(toc_source *source, toc_hdf5 *out) {
    *out = (toc_hdf5){.source = source, .root = TOC_HDF5_NONE};
    if (!toc_hdf5_is(source)) return toc_hdf5_fail(out, source->begin, "this begins like no HDF5 file");
    return hdf5_find_root(out, (toc_hdf5_bytes){source->begin, source->end});
}

// ---- messages

enum { MOST_BLOCKS = 256 };

/// Blocks of messages that are known.
typedef struct blocks {
    const toc_hdf5 *h;
    bool old, ordered; // of version 1; with the order of creation
    int count;
    toc_hdf5_bytes at[MOST_BLOCKS];
    uint64_t budget;
} blocks;

static toc_status hdf5_add_block(blocks *all, uint64_t address, uint64_t size) {
    toc_hdf5_bytes b;
    if (all->count == MOST_BLOCKS)
        return toc_hdf5_fail(all->h, all->at[0].at, "the head of an object has more than 256 pieces");
    if (!all->old) {
        TOC_TRY(toc_hdf5_block(all->h, address, "OCHK", size, &all->budget, &b));
        if (size < 8) return toc_hdf5_fail(all->h, b.at, "a piece of the head of an object is too short");
        b.end = b.at - 4 + size - 4; // a sum ends it
    } else {
        if (!toc_hdf5_view(all->h, address, size, &b))
            return toc_hdf5_fail(all->h, all->h->source->end, "the file ends within the head of an object");
        TOC_TRY(toc_hdf5_spend(all->h, &all->budget, size));
    }
    all->at[all->count++] = b;
    return TOC_OK;
}

/// The first block, behind the head of the head.
static toc_status hdf5_begin_head(blocks *all, uint64_t object) {
    toc_hdf5_bytes b;
    uint64_t flags, size;
    if (!toc_hdf5_view(all->h, object, 16, &b))
        return toc_hdf5_fail(all->h, all->h->source->end, "the file ends, but an object is behind it");
    all->old = memcmp(b.at, "OHDR", 4) != 0;
    if (all->old) {
        if (b.at[0] != 1) return toc_hdf5_fail(all->h, b.at, "an object of an HDF5 file has no head");
        return hdf5_add_block(all, object + 16, toc_load_u32(b.at + 8, false));
    }
    b.end = all->h->source->end;
    toc_hdf5_skip(&b, 5);
    if (!toc_hdf5_take(&b, 1, &flags)) flags = 0;
    all->ordered = flags & 4;
    if (!toc_hdf5_skip(&b, (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0)) ||
        !toc_hdf5_take(&b, 1U << (flags & 3), &size) || size > (uint64_t)(b.end - b.at))
        return toc_hdf5_fail(all->h, b.at, "the file ends within the head of an object");
    all->at[all->count++] = (toc_hdf5_bytes){b.at, b.at + size};
    return TOC_OK;
}

static toc_status hdf5_take_messages(blocks *all, toc_hdf5_bytes b, toc_hdf5_take_message *take, void *user) {
    const size_t head = all->old ? 8 : all->ordered ? 6 : 4;
    while ((size_t)(b.end - b.at) >= head) {
        const uint64_t size = toc_load_u16(b.at + (all->old ? 2 : 1), false);
        toc_hdf5_message m = {.type = all->old ? toc_load_u16(b.at, false) : (uint8_t)b.at[0],
                              .flags = (uint8_t)b.at[all->old ? 4 : 3]};
        b.at += head;
        m.data = (toc_hdf5_bytes){b.at, b.at + size};
        if (!toc_hdf5_skip(&b, size))
            return toc_hdf5_fail(all->h, b.at, "a message is longer than the head of its object");
        if (m.type == TOC_HDF5_CONTINUED) {
            uint64_t address, length;
            if (!toc_hdf5_take(&m.data, 8, &address) || !toc_hdf5_take(&m.data, 8, &length))
                return toc_hdf5_fail(all->h, b.at, "the head of an object is continued nowhere");
            TOC_TRY(hdf5_add_block(all, address, length));
        } else {
            TOC_TRY(take(user, &m));
        }
    }
    return TOC_OK;
}

toc_status toc_hdf5_messages(const toc_hdf5 *h, uint64_t object, toc_hdf5_take_message *take, void *user) {
    blocks all = {.h = h, .budget = toc_hdf5_budget(h)};
    TOC_TRY(hdf5_begin_head(&all, object));
    for (int i = 0; i < all.count; i++) TOC_TRY(hdf5_take_messages(&all, all.at[i], take, user));
    return TOC_OK;
}
