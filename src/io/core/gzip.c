// SPDX-License-Identifier: Apache-2.0
// Files compressed with gzip, of any number of members one behind the other (RFC 1952), by zlib.
//
// Text of a mesh shrinks to about a fifth. A file that grows to more than MOST times its size was made to fill the
// memory, and is refused at that point. A small file is unpacked into one block, of the size that its last bytes give
// if that is possible; a large one into an unnamed temporary file, which is mapped (base/platform/mapping.h), or into
// memory if the disk has no room.
#include "io/core/gzip.h"

#ifdef TOC_HAVE_ZLIB
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#endif

#include "base/platform/mapping.h"
#include "base/platform/platform.h"
#include "io/core/sized.h"

bool toc_gzip_is(const char *bytes, size_t count) { return count >= 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0; }

#ifdef TOC_HAVE_ZLIB

/// The largest ratio of unpacked to packed size, and the unpacked size that is always allowed.
enum { MOST = 128, MOST_SMALL = 1 << 20 };
/// The least size of a file that is unpacked to disk, and the bytes of one write.
enum { LARGE = 1 << 20, PART = 1 << 18 };

/// The unpacked bytes.
typedef struct unpacked {
    TOC_ARRAY(char) bytes; // all of them, or those not in the file yet
    int file;              // -1 if the bytes stay in memory
    size_t written;        // bytes in the file
    bool full;             // the disk is full
} unpacked;

static void *gzip_zlib_new(void *user, unsigned count, unsigned size) {
    return toc_sized_resize(user, NULL, (size_t)count * size);
}

static void gzip_zlib_free(void *user, void *block) { toc_sized_free(user, block); }

static size_t limit_of(const toc_source *source) {
    assert(source->begin <= source->end);
    const size_t count = (size_t)(source->end - source->begin);
    return count > (SIZE_MAX - MOST_SMALL) / MOST ? SIZE_MAX : MOST_SMALL + MOST * count;
}

/// The last four bytes are the length of the last member, modulo 2^32; deflate packs 258 bytes in two bits at the best.
static size_t first_guess(const toc_source *source) {
    enum { MOST_PACKED = 4 * 258 };
    assert(source->begin <= source->end);
    const size_t count = (size_t)(source->end - source->begin);
    const size_t length = count > 4 ? toc_load_u32(source->end - 4, false) : 0;
    return length > limit_of(source) || length / MOST_PACKED > count || length < count ? count : length;
}

static toc_status put_into_file(unpacked *to) {
    for (size_t done = 0; done < to->bytes.count;) {
        const ptrdiff_t some = toc_file_write(to->file, to->bytes.at + done, to->bytes.count - done);
        to->full = some <= 0;
        if (to->full) return toc_fail(TOC_BAD_INPUT, "no room for what is unpacked: %s", strerror(errno));
        done += (size_t)some;
    }
    to->written += to->bytes.count;
    to->bytes.count = 0;
    return TOC_OK;
}

/// Make room for more bytes, up to one byte beyond the limit, so that an excess is noticed.
static toc_status gzip_make_room(const toc_source *source, unpacked *to) {
    if (to->file >= 0) return put_into_file(to);
    const size_t most = limit_of(source) - to->bytes.count, half = to->bytes.capacity / 2;
    return toc_array_reserve(&source->allocator, &to->bytes, (half < most ? half : most) + 16);
}

static toc_status fail_broken(toc_source *source, const z_stream *zlib) {
    source->at = (const char *)zlib->next_in;
    if (source->at >= source->end) return toc_source_fail_byte(source, "the compressed file is cut short");
    return toc_source_fail_byte(source, "the compressed file is broken");
}

/// One call of zlib, on as much as its 32-bit counts hold. True at the end of a member.
static toc_status inflate_some(toc_source *source, z_stream *zlib, unpacked *to, bool *ended) {
    const size_t in = (size_t)(source->end - (const char *)zlib->next_in);
    const size_t out = to->bytes.capacity - to->bytes.count - 1;
    zlib->avail_in = in < UINT32_MAX ? (uInt)in : UINT32_MAX;
    zlib->avail_out = out < UINT32_MAX ? (uInt)out : UINT32_MAX;
    zlib->next_out = (Bytef *)to->bytes.at + to->bytes.count;
    const int result = inflate(zlib, Z_NO_FLUSH);
    to->bytes.count = (size_t)((char *)zlib->next_out - to->bytes.at);
    *ended = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END) return TOC_OK;
    return result == Z_MEM_ERROR ? toc_fail_memory(0) : fail_broken(source, zlib);
}

static toc_status inflate_member(toc_source *source, z_stream *zlib, unpacked *to) {
    for (bool ended = false; !ended;) {
        if (to->bytes.capacity - to->bytes.count < 2) TOC_TRY(gzip_make_room(source, to));
        TOC_TRY(inflate_some(source, zlib, to, &ended));
        if (to->written + to->bytes.count > limit_of(source))
            return toc_fail(TOC_BAD_INPUT, "%s: unpacks to more than %d times its size", source->path, MOST);
    }
    return TOC_OK;
}

/// Behind a member comes another one, or nothing but zeros.
static toc_status inflate_members(toc_source *source, z_stream *zlib, unpacked *to) {
    zlib->next_in = (Bytef *)source->begin;
    do {
        if (inflateReset(zlib) != Z_OK) return toc_fail_memory(0);
        TOC_TRY(inflate_member(source, zlib, to));
    } while (toc_gzip_is((const char *)zlib->next_in, (size_t)(source->end - (const char *)zlib->next_in)));
    for (const char *at = (const char *)zlib->next_in; at < source->end; at++)
        if (*at != 0) return fail_broken(source, zlib);
    return TOC_OK;
}

static toc_status inflate_all(toc_source *source, unpacked *to) {
    enum { GZIP_ONLY = 16 };
    TOC_TRY(toc_array_reserve(&source->allocator, &to->bytes, to->file < 0 ? first_guess(source) + 2 : PART));
    z_stream zlib = {.zalloc = gzip_zlib_new, .zfree = gzip_zlib_free, .opaque = &source->allocator};
    if (inflateInit2(&zlib, GZIP_ONLY + MAX_WBITS) != Z_OK) return toc_fail_memory(0);
    const toc_status status = inflate_members(source, &zlib, to);
    inflateEnd(&zlib);
    return status;
}

/// Replace the packed bytes of the source by the unpacked ones.
static toc_status gzip_show(toc_source *source, unpacked *to) {
    if (to->file >= 0) TOC_TRY(put_into_file(to));
    toc_mapping *mapping = to->file >= 0 ? toc_mapping_open(to->file, to->written) : NULL;
    to->full = to->file >= 0 && !mapping;
    if (to->full) return toc_fail(TOC_BAD_INPUT, "what is unpacked cannot be mapped");
    toc_source_close(source);
    if (!mapping) to->bytes.at[to->bytes.count] = 0;
    source->mapping = mapping;
    source->begin = source->at = source->passed = mapping ? toc_mapping_bytes(mapping) : to->bytes.at;
    source->end = source->begin + to->written + to->bytes.count;
    source->size = mapping ? 0 : to->bytes.capacity;
    return TOC_OK;
}

static toc_status unpack_into(toc_source *source, unpacked *to) {
    toc_status status = inflate_all(source, to);
    if (status == TOC_OK) status = gzip_show(source, to);
    if (status != TOC_OK || source->mapping) toc_array_free(&source->allocator, &to->bytes);
    if (to->file >= 0) toc_file_close(to->file);
    return status;
}

toc_status toc_gzip_unpack(toc_source *source) {
    unpacked to = {.file = first_guess(source) >= LARGE ? toc_temporary_open(NULL) : -1};
    const toc_status status = unpack_into(source, &to);
    return to.full ? unpack_into(source, &(unpacked){.file = -1}) : status;
}

#else

toc_status toc_gzip_unpack(toc_source *source) {
    return toc_fail(TOC_BAD_INPUT, "%s: compressed files cannot be read: this library was built without zlib",
                    source->path);
}

#endif
