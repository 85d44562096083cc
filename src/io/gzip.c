// SPDX-License-Identifier: Apache-2.0
// Files compressed with gzip, of any number of members one behind the other (RFC 1952), by zlib.
//
// A text of a mesh shrinks to a fifth or so. What grows to more than MOST times its size is no such text but made to
// fill the memory, and refused as soon as it does. One block, as large as the end of the file says where that may be
// true.
#include "io/gzip.h"

#ifdef TOC_HAVE_ZLIB
#include <zlib.h>
#endif

#include "io/sized.h"

bool toc_gzip_is(const char *bytes, size_t count) { return count >= 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0; }

#ifdef TOC_HAVE_ZLIB

/// Times its own size that a file may unpack to, and what any file may.
enum { MOST = 128, MOST_SMALL = 1 << 20 };

typedef TOC_ARRAY(char) byte_array;

static void *zlib_new(void *user, unsigned count, unsigned size) {
    return toc_sized_resize(user, NULL, (size_t)count * size);
}

static void zlib_free(void *user, void *block) { toc_sized_free(user, block); }

static size_t limit_of(const toc_source *source) {
    const size_t count = (size_t)(source->end - source->begin);
    return count > (SIZE_MAX - MOST_SMALL) / MOST ? SIZE_MAX : MOST_SMALL + MOST * count;
}

/// The last four bytes are the length of the last member, modulo 2^32.
static size_t first_guess(const toc_source *source) {
    const size_t count = (size_t)(source->end - source->begin);
    const size_t length = count > 4 ? toc_load_u32(source->end - 4, false) : 0;
    return length > limit_of(source) || length < count ? count : length;
}

/// Room for more, at most up to the limit and one byte, so that going beyond shows.
static toc_status make_room(const toc_source *source, byte_array *to) {
    const size_t most = limit_of(source) - to->count, half = to->capacity / 2;
    return toc_array_reserve(&source->allocator, to, (half < most ? half : most) + 16);
}

static toc_status fail_broken(toc_source *source, const z_stream *zlib) {
    source->at = (const char *)zlib->next_in;
    if (source->at >= source->end) return toc_source_fail_byte(source, "the compressed file is cut short");
    return toc_source_fail_byte(source, "the compressed file is broken");
}

/// One call of zlib, on as much as its 32-bit counts hold. True at the end of a member.
static toc_status inflate_some(toc_source *source, z_stream *zlib, byte_array *to, bool *ended) {
    const size_t in = (size_t)(source->end - (const char *)zlib->next_in), out = to->capacity - to->count - 1;
    zlib->avail_in = in < UINT32_MAX ? (uInt)in : UINT32_MAX;
    zlib->avail_out = out < UINT32_MAX ? (uInt)out : UINT32_MAX;
    zlib->next_out = (Bytef *)to->at + to->count;
    const int result = inflate(zlib, Z_NO_FLUSH);
    to->count = (size_t)((char *)zlib->next_out - to->at);
    *ended = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END) return TOC_OK;
    return result == Z_MEM_ERROR ? toc_fail_memory(0) : fail_broken(source, zlib);
}

static toc_status inflate_member(toc_source *source, z_stream *zlib, byte_array *to) {
    for (bool ended = false; !ended;) {
        if (to->capacity - to->count < 2) TOC_TRY(make_room(source, to));
        TOC_TRY(inflate_some(source, zlib, to, &ended));
        if (to->count > limit_of(source))
            return toc_fail(TOC_BAD_INPUT, "%s: unpacks to more than %d times its size", source->path, MOST);
    }
    return TOC_OK;
}

/// Behind a member comes another one, or nothing but zeros.
static toc_status inflate_members(toc_source *source, z_stream *zlib, byte_array *to) {
    zlib->next_in = (Bytef *)source->begin;
    do {
        if (inflateReset(zlib) != Z_OK) return toc_fail_memory(0);
        TOC_TRY(inflate_member(source, zlib, to));
    } while (toc_gzip_is((const char *)zlib->next_in, (size_t)(source->end - (const char *)zlib->next_in)));
    for (const char *at = (const char *)zlib->next_in; at < source->end; at++)
        if (*at != 0) return fail_broken(source, zlib);
    return TOC_OK;
}

static toc_status inflate_all(toc_source *source, byte_array *to) {
    enum { GZIP_ONLY = 16 };
    TOC_TRY(toc_array_reserve(&source->allocator, to, first_guess(source) + 2));
    z_stream zlib = {.zalloc = zlib_new, .zfree = zlib_free, .opaque = &source->allocator};
    if (inflateInit2(&zlib, GZIP_ONLY + MAX_WBITS) != Z_OK) return toc_fail_memory(0);
    const toc_status status = inflate_members(source, &zlib, to);
    inflateEnd(&zlib);
    return status;
}

toc_status toc_gzip_unpack(toc_source *source) {
    byte_array bytes = {0};
    const toc_status status = inflate_all(source, &bytes);
    if (status != TOC_OK) {
        toc_array_free(&source->allocator, &bytes);
        return status;
    }
    toc_source_close(source);
    bytes.at[bytes.count] = 0;
    source->begin = source->at = bytes.at;
    source->end = bytes.at + bytes.count;
    source->size = bytes.capacity;
    return TOC_OK;
}

#else

toc_status toc_gzip_unpack(toc_source *source) {
    return toc_fail(TOC_BAD_INPUT, "%s: compressed files cannot be read: this library was built without zlib",
                    source->path);
}

#endif
