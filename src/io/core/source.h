// SPDX-License-Identifier: Apache-2.0
// A file being read: all its bytes, a position, and messages that name the file and the line or byte.
//
// A 0 byte follows the last one. No number, word or blank contains a 0 byte, so that scanning needs no bound.
#ifndef TOC_IO_CORE_SOURCE_H
#define TOC_IO_CORE_SOURCE_H

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/// The share of a file in pieces: number `index` of `count`, each of consecutive pieces; all of it for a count of 0.
typedef struct toc_piece_share {
    uint32_t index, count;
} toc_piece_share;

typedef struct toc_source {
    const char *path;
    toc_allocator allocator;
    const char *at, *begin, *end;  // the text is from begin to end; reading continues at `at`
    size_t size;                   // bytes allocated
    struct toc_mapping *mapping;   // if the system owns them instead
    const char *passed;            // the end of the pages released last
    uint64_t offset;               // of begin in the file, for messages that name a byte
    bool velocities;               // whether those of the vertices are wanted, in toc_mesh.velocities
    toc_piece_share share;         // to read of a file in pieces
    struct toc_field_list *fields; // where arrays of values go, or NULL
} toc_source;

/// Open a file, unpacked where it is compressed with gzip. A missing or unreadable file is TOC_BAD_INPUT. The path must
/// outlive the source.
toc_status toc_source_open(const char *path, const toc_allocator *allocator, toc_source *out);
/// The same without unpacking.
toc_status toc_source_open_as_is(const char *path, const toc_allocator *allocator, toc_source *out);
/// Read a part of a file; less if the file is shorter.
toc_status toc_source_open_part(const char *path, uint64_t offset, size_t count, const toc_allocator *allocator,
                                toc_source *out);
void toc_source_close(toc_source *source);
/// Fail if another program has changed the file since it was opened: the bytes read may be a mix of both versions.
toc_status toc_source_is_settled(const toc_source *source);

/// Fail at the present position: "file:LINE: sentence".
__attribute__((format(printf, 2, 3))) toc_status toc_source_fail(const toc_source *source, const char *format, ...);
/// Fail at the present position of a binary part: "file: byte N: sentence".
__attribute__((format(printf, 2, 3))) toc_status toc_source_fail_byte(const toc_source *source, const char *format,
                                                                      ...);

/// Bytes not read yet.
static inline size_t toc_source_left(const toc_source *source) { return (size_t)(source->end - source->at); }

/// Release the pages of a mapped file up to the present position. The system loads them again on access.
void toc_source_let_go(toc_source *source);

enum { TOC_SOURCE_KEPT = 1 << 20 }; // bytes that stay at hand

/// The same if it is worth the call, for loops over a file.
static inline void toc_source_pass(toc_source *source) {
    if (__builtin_expect((size_t)(source->at - source->passed) >= TOC_SOURCE_KEPT, 0)) toc_source_let_go(source);
}

// Text. Lines end with \n or \r\n.

/// A piece of the source, not ended by a 0 byte; print with %.*s.
typedef struct toc_text {
    const char *at;
    size_t count;
} toc_text;

static inline bool toc_text_is(toc_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.at, word, text.count) == 0;
}

/// Blank, tab, carriage return: separators of the words of a line.
static inline bool toc_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Go to the next word of the line, or to its end.
static inline void toc_source_skip_blanks(toc_source *source) {
    while (toc_is_blank(*source->at)) source->at++;
}

/// Go to the next word on any line; false where there is none.
static inline bool toc_source_skip_space(toc_source *source) {
    while (toc_is_blank(*source->at) || *source->at == '\n') source->at++;
    return source->at < source->end;
}

/// Go to the next word on any line that is no part of a comment, from a # to the end of its line.
void toc_source_skip_comments(toc_source *source);

/// Whether the rest of the line is blank; goes there.
static inline bool toc_source_line_ends(toc_source *source) {
    toc_source_skip_blanks(source);
    return source->at == source->end || *source->at == '\n';
}

/// Go to the start of the next line; false where there is none.
bool toc_source_next_line(toc_source *source);
/// The next word of the line; empty at its end.
toc_text toc_source_word(toc_source *source);
/// The rest of the line without blanks at either end; goes to the start of the next line.
toc_text toc_source_line(toc_source *source);

/// The next word of the line as a finite number. Fails, naming the line, where there is none.
toc_status toc_source_double(toc_source *source, double *out);
/// The next word of the line as an integer. Fails, naming the line, where there is none or it does not fit.
toc_status toc_source_integer(toc_source *source, int64_t *out);
/// Digits with an optional sign, up to any other byte, as in "3/1/2". False if there are none or too many.
bool toc_source_digits(toc_source *source, int64_t *out);

/// The next word behind comments as a count, checked by toc_source_check_count.
toc_status toc_source_count(toc_source *source, size_t least_bytes, const char *what, size_t *out);

/// Refuse a count that is too large: `count` items of at least `least_bytes` each must fit in the rest of the file.
/// @param what the items, for the message: "vertices".
toc_status toc_source_check_count(const toc_source *source, uint64_t count, size_t least_bytes, const char *what);

// Binary. Loads from any address; bytes are swapped if the byte order of the file is not the machine's.

enum { TOC_BIG_ENDIAN_HOST = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline uint16_t toc_load_u16(const void *from, bool big_endian) {
    uint16_t x;
    memcpy(&x, from, sizeof x);
    return big_endian == TOC_BIG_ENDIAN_HOST ? x : __builtin_bswap16(x);
}

static inline uint32_t toc_load_u32(const void *from, bool big_endian) {
    uint32_t x;
    memcpy(&x, from, sizeof x);
    return big_endian == TOC_BIG_ENDIAN_HOST ? x : __builtin_bswap32(x);
}

static inline uint64_t toc_load_u64(const void *from, bool big_endian) {
    uint64_t x;
    memcpy(&x, from, sizeof x);
    return big_endian == TOC_BIG_ENDIAN_HOST ? x : __builtin_bswap64(x);
}

static inline float toc_load_f32(const void *from, bool big_endian) {
    const uint32_t bits = toc_load_u32(from, big_endian);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double toc_load_f64(const void *from, bool big_endian) {
    const uint64_t bits = toc_load_u64(from, big_endian);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
