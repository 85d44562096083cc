// SPDX-License-Identifier: Apache-2.0
// The bytes of an array as VTK's XML files encode them. Raw bytes are used in place. Base64 and zlib cost one pass and
// one block each, allocated only if the file has enough bytes for it.
#include "io/vtk/payload.h"

#include <assert.h>

#ifdef TOC_HAVE_ZLIB
#include <zlib.h>
#endif

#include "io/core/base64.h"
#include "io/core/sized.h"

static size_t payload_room(const toc_payload *payload) {
    assert(payload->at <= payload->end);
    const size_t left = (size_t)(payload->end - payload->at);
    return payload->base64 ? left / 4 * 3 : left;
}

/// The first bytes of a payload: in place, or decoded into a block of their own.
typedef struct byte_block {
    const char *bytes;
    void *block;
    size_t size;
} byte_block;

static void free_block(const toc_allocator *allocator, byte_block *block) {
    toc_free(allocator, block->block, block->size, 1);
    *block = (byte_block){0};
}

static toc_status take_bytes(const toc_payload *payload, const toc_allocator *allocator, size_t count,
                             byte_block *out) {
    if (count > payload_room(payload))
        return toc_fail(TOC_BAD_INPUT, "this array is to have %zu bytes, but there is only room for %zu", count,
                        payload_room(payload));
    byte_block block = {.bytes = payload->at, .size = count};
    if (payload->base64) {
        block.bytes = block.block = toc_new(allocator, count, 1);
        if (!block.block) return TOC_OUT_OF_MEMORY;
        if (!toc_base64_decode(payload->at, payload->end, count, block.block)) {
            free_block(allocator, &block);
            return toc_fail(TOC_BAD_INPUT, "%zu bytes in base64 were expected here", count);
        }
    }
    *out = block;
    return TOC_OK;
}

/// The i-th number of the head.
static uint64_t head_number(const toc_payload *payload, const char *head, size_t i) {
    return payload->wide_heads ? toc_load_u64(head + 8 * i, payload->big_endian)
                               : toc_load_u32(head + 4 * i, payload->big_endian);
}

static toc_status payload_check_size(uint64_t size, toc_number type, size_t count) {
    if (size == (uint64_t)count * toc_number_size(type)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "this array has %llu bytes, but %zu numbers of %zu bytes are needed",
                    (unsigned long long)size, count, toc_number_size(type));
}

/// Uncompressed: the number of bytes, then the bytes.
static toc_status decode_plain(const toc_payload *payload, const toc_allocator *allocator, toc_number type,
                               size_t count, toc_numbers *out) {
    const size_t head = payload->wide_heads ? 8 : 4;
    byte_block block;
    TOC_TRY(take_bytes(payload, allocator, head, &block));
    const uint64_t size = head_number(payload, block.bytes, 0);
    free_block(allocator, &block);
    TOC_TRY(payload_check_size(size, type, count));
    if (size > payload_room(payload)) return toc_fail(TOC_BAD_INPUT, "the file ends within this array");
    TOC_TRY(take_bytes(payload, allocator, head + (size_t)size, &block));
    *out = (toc_numbers){type, payload->big_endian, count, block.bytes + head, block.block, block.size};
    return TOC_OK;
}

#ifdef TOC_HAVE_ZLIB

/// The division of an array into separately compressed blocks.
typedef struct block_list {
    uint64_t count, size, last_size; // the last one may be smaller
    uint64_t compressed;             // all of them
    size_t head;                     // bytes before the first
} block_list;

static toc_status payload_read_blocks(const toc_payload *payload, const toc_allocator *allocator, block_list *out) {
    const size_t width = payload->wide_heads ? 8 : 4, room = payload_room(payload);
    byte_block head;
    TOC_TRY(take_bytes(payload, allocator, width, &head));
    block_list list = {.count = head_number(payload, head.bytes, 0)};
    free_block(allocator, &head);
    if (list.count == 0) {
        *out = list;
        return TOC_OK;
    }
    if (list.count > room / width - 1)
        return toc_fail(TOC_BAD_INPUT, "this array is to have %llu blocks", (unsigned long long)list.count);
    list.head = (3 + (size_t)list.count) * width;
    TOC_TRY(take_bytes(payload, allocator, list.head, &head));
    list.size = head_number(payload, head.bytes, 1);
    list.last_size = head_number(payload, head.bytes, 2);
    if (list.last_size == 0) list.last_size = list.size;
    bool fits = true;
    for (size_t i = 0; i < list.count; i++)
        fits &= !__builtin_add_overflow(list.compressed, head_number(payload, head.bytes, 3 + i), &list.compressed);
    free_block(allocator, &head);
    if (!fits || list.compressed > room - list.head) return toc_fail(TOC_BAD_INPUT, "the file ends within this array");
    *out = list;
    return TOC_OK;
}

enum { ZLIB_MOST = 1032 }; // the largest expansion of zlib (zlib's technical notes)

static toc_status check_blocks(const block_list *list, toc_number type, size_t count) {
    uint64_t size = 0;
    if (list->count > 0 && (__builtin_mul_overflow(list->count - 1, list->size, &size) ||
                            __builtin_add_overflow(size, list->last_size, &size)))
        size = UINT64_MAX;
    if (size / ZLIB_MOST > list->compressed)
        return toc_fail(TOC_BAD_INPUT, "this array claims %llu bytes out of %llu compressed ones",
                        (unsigned long long)size, (unsigned long long)list->compressed);
    return payload_check_size(size, type, count);
}

static void *payload_zlib_new(void *user, unsigned count, unsigned size) {
    return toc_sized_resize(user, NULL, (size_t)count * size);
}

static void payload_zlib_free(void *user, void *block) { toc_sized_free(user, block); }

static toc_status inflate_block(z_stream *zlib, const char *from, size_t count, char *to, size_t size) {
    if (count > UINT32_MAX || size > UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "a block of %zu bytes is too large", size);
    zlib->next_in = (Bytef *)from;
    zlib->avail_in = (uInt)count;
    zlib->next_out = (Bytef *)to;
    zlib->avail_out = (uInt)size;
    const int result = inflateReset(zlib) == Z_OK ? inflate(zlib, Z_FINISH) : Z_STREAM_ERROR;
    if (result == Z_MEM_ERROR) return toc_fail_memory(0);
    if (result == Z_STREAM_END && zlib->avail_out == 0) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "a compressed block is broken");
}

static toc_status inflate_blocks(const toc_payload *payload, const toc_allocator *allocator, const block_list *list,
                                 const char *bytes, char *to) {
    z_stream zlib = {.zalloc = payload_zlib_new, .zfree = payload_zlib_free, .opaque = (void *)allocator};
    if (inflateInit(&zlib) != Z_OK) return toc_fail_memory(0);
    const char *from = bytes + list->head;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < list->count && status == TOC_OK; i++) {
        const size_t count = (size_t)head_number(payload, bytes, 3 + i);
        const size_t size = (size_t)(i + 1 < list->count ? list->size : list->last_size);
        status = inflate_block(&zlib, from, count, to, size);
        from += count;
        to += size;
    }
    inflateEnd(&zlib);
    return status;
}

/// Compressed: the number of blocks, their size, the size of the last, the compressed size of each, then the blocks.
static toc_status decode_compressed(const toc_payload *payload, const toc_allocator *allocator, toc_number type,
                                    size_t count, toc_numbers *out) {
    block_list list = {0};
    byte_block bytes = {0};
    TOC_TRY(payload_read_blocks(payload, allocator, &list));
    TOC_TRY(check_blocks(&list, type, count));
    TOC_TRY(take_bytes(payload, allocator, list.head + (size_t)list.compressed, &bytes));
    const size_t size = count * toc_number_size(type);
    char *block = toc_new(allocator, size, 1);
    toc_status status = block ? inflate_blocks(payload, allocator, &list, bytes.bytes, block) : TOC_OUT_OF_MEMORY;
    free_block(allocator, &bytes);
    if (status == TOC_OK)
        *out = (toc_numbers){type, payload->big_endian, count, block, block, size};
    else
        toc_free(allocator, block, size, 1);
    return status;
}

#else

static toc_status decode_compressed(const toc_payload *payload, const toc_allocator *allocator, toc_number type,
                                    size_t count, toc_numbers *out) {
    (void)payload, (void)allocator, (void)type, (void)count, (void)out;
    return toc_fail(TOC_BAD_INPUT, "compressed arrays cannot be read: this library was built without zlib");
}

#endif

toc_status toc_payload_decode(const toc_payload *payload, const toc_allocator *allocator, toc_number type, size_t count,
                              toc_numbers *out) {
    if (count > SIZE_MAX / 8) return toc_fail(TOC_BAD_INPUT, "%zu numbers cannot be", count);
    return payload->compressed ? decode_compressed(payload, allocator, type, count, out)
                               : decode_plain(payload, allocator, type, count, out);
}
