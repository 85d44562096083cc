// SPDX-License-Identifier: Apache-2.0
// A file being read, as one block without seams. A large file is mapped (base/platform/mapping.h) and takes no memory
// beside its mesh; small and compressed files and pipes are read at once. Lines are counted only for a message.
#include "io/core/source.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/platform/mapping.h"
#include "base/platform/platform.h"
#include "io/core/decimal.h"
#include "io/core/gzip.h"

enum { MAPPED_FROM = 1 << 16 }; // bytes; smaller files are copied faster than mapped

typedef TOC_ARRAY(char) byte_array;

// Read to the end, with room for one 0 byte behind it. The size is a hint: pipes and /proc do not know theirs.
static toc_status read_all(const char *path, int file, size_t size, const toc_allocator *allocator, byte_array *bytes) {
    TOC_TRY(toc_array_reserve(allocator, bytes, size + 2));
    for (;;) {
        TOC_TRY(toc_array_reserve(allocator, bytes, 2));
        const ptrdiff_t got = toc_file_read(file, bytes->at + bytes->count, bytes->capacity - bytes->count - 1);
        if (got < 0) return toc_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0) return TOC_OK;
        bytes->count += (size_t)got;
    }
}

static void set_bytes(toc_source *source, const char *path, const toc_allocator *allocator, byte_array bytes) {
    bytes.at[bytes.count] = 0;
    *source = (toc_source){.path = path,
                           .allocator = *allocator,
                           .at = bytes.at,
                           .begin = bytes.at,
                           .end = bytes.at + bytes.count,
                           .passed = bytes.at,
                           .size = bytes.capacity};
}

static toc_status read_bytes(const char *path, int file, size_t size, const toc_allocator *allocator, toc_source *out) {
    byte_array bytes = {0};
    const toc_status status = read_all(path, file, size, allocator, &bytes);
    if (status == TOC_OK)
        set_bytes(out, path, allocator, bytes);
    else
        toc_array_free(allocator, &bytes);
    return status;
}

static void set_mapping(toc_source *source, const char *path, const toc_allocator *allocator, toc_mapping *mapping,
                        size_t size) {
    assert(mapping);
    const char *bytes = toc_mapping_bytes(mapping);
    *source = (toc_source){.path = path,
                           .allocator = *allocator,
                           .at = bytes,
                           .begin = bytes,
                           .end = bytes + size,
                           .passed = bytes,
                           .mapping = mapping};
}

static toc_status read_open(const char *path, int file, const toc_allocator *allocator, toc_source *out) {
    toc_file_facts about;
    if (!toc_file_facts_of(file, &about))
        return toc_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (about.kind == TOC_FILE_FOLDER) return toc_fail(TOC_BAD_INPUT, "%s: is a folder, not a file", path);
    if (about.kind == TOC_FILE_DEVICE) // may never end
        return toc_fail(TOC_BAD_INPUT, "%s: is a device; meshes are read from files and pipes", path);
    const size_t size = (size_t)about.size;
    toc_mapping *mapping = about.kind == TOC_FILE_PLAIN && size >= MAPPED_FROM ? toc_mapping_open(file, size) : NULL;
    if (!mapping) return read_bytes(path, file, size, allocator, out);
    set_mapping(out, path, allocator, mapping, size);
    return TOC_OK;
}

static toc_status unpack(toc_source *source) {
    if (!toc_gzip_is(source->begin, (size_t)(source->end - source->begin))) return TOC_OK;
    const toc_status status = toc_gzip_unpack(source);
    if (status != TOC_OK) toc_source_close(source);
    return status;
}

toc_status toc_source_open_as_is(const char *path, const toc_allocator *allocator, toc_source *out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    const int file = toc_file_open(path, TOC_OPEN_READ);
    if (file < 0) return toc_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    const toc_status status = read_open(path, file, &memory, out);
    toc_file_close(file);
    return status;
}

toc_status toc_source_open(const char *path, const toc_allocator *allocator, toc_source *out) {
    TOC_TRY(toc_source_open_as_is(path, allocator, out));
    return unpack(out);
}

static toc_status source_read_part(const char *path, int file, uint64_t offset, size_t count, byte_array *bytes) {
    assert(bytes);
    while (bytes->count < count) {
        const ptrdiff_t got =
            toc_file_read_at(file, bytes->at + bytes->count, count - bytes->count, offset + bytes->count);
        if (got < 0) return toc_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0) return TOC_OK;
        bytes->count += (size_t)got;
    }
    return TOC_OK;
}

// Allocates no more than the file holds, for any size of the request.
static toc_status reserve_part(const char *path, int file, uint64_t offset, size_t *count,
                               const toc_allocator *allocator, byte_array *bytes) {
    toc_file_facts about;
    if (!toc_file_facts_of(file, &about))
        return toc_fail(TOC_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    const uint64_t size = about.kind == TOC_FILE_PLAIN ? about.size : 0;
    const uint64_t left = size > offset ? size - offset : 0;
    if (*count > left) *count = (size_t)left;
    return toc_array_reserve(allocator, bytes, *count + 1);
}

toc_status toc_source_open_part(const char *path, uint64_t offset, size_t count, const toc_allocator *allocator,
                                toc_source *out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    const int file = toc_file_open(path, TOC_OPEN_AT_ONCE);
    if (file < 0) return toc_fail(TOC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    byte_array bytes = {0};
    toc_status status = reserve_part(path, file, offset, &count, &memory, &bytes);
    if (status == TOC_OK) status = source_read_part(path, file, offset, count, &bytes);
    toc_file_close(file);
    if (status == TOC_OK) {
        set_bytes(out, path, &memory, bytes);
        out->offset = offset;
    } else {
        toc_array_free(&memory, &bytes);
    }
    return status;
}

void toc_source_close(toc_source *source) {
    byte_array bytes = {(char *)source->begin, 0, source->size};
    if (source->mapping)
        toc_mapping_close(source->mapping);
    else
        toc_array_free(&source->allocator, &bytes);
    source->mapping = NULL;
    source->size = 0;
    source->begin = source->at = source->end = NULL;
}

toc_status toc_source_is_settled(const toc_source *source) {
    if (!source->mapping || !toc_mapping_was_changed(source->mapping)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: was changed by another program while it was read", source->path);
}

void toc_source_let_go(toc_source *source) {
    const char *from = source->passed > source->begin ? source->passed : source->begin;
    if (source->mapping && from < source->at) toc_mapping_let_go(source->mapping, from, source->at);
    source->passed = source->at;
}

// If the file was changed meanwhile, that is the reason of any error.
static toc_status source_fail_at(const toc_source *source, const char *place, const char *sentence) {
    TOC_TRY(toc_source_is_settled(source));
    return toc_fail(TOC_BAD_INPUT, "%s%s: %s", source->path, place, sentence);
}

toc_status toc_source_fail(const toc_source *source, const char *format, ...) {
    assert(source->begin <= source->at && source->at <= source->end);
    char place[32];
    size_t line = 1;
    for (const char *c = source->begin; (c = memchr(c, '\n', (size_t)(source->at - c))); c++) line++;
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, ":%zu", line);
    return source_fail_at(source, place, sentence);
}

toc_status toc_source_fail_byte(const toc_source *source, const char *format, ...) {
    assert(source->begin <= source->at && source->at <= source->end);
    char place[32], sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, ": byte %llu",
             (unsigned long long)(source->offset + (uint64_t)(source->at - source->begin)));
    return source_fail_at(source, place, sentence);
}

bool toc_source_next_line(toc_source *source) {
    toc_source_pass(source);
    const char *end = memchr(source->at, '\n', toc_source_left(source));
    source->at = end ? end + 1 : source->end;
    return source->at < source->end;
}

void toc_source_skip_comments(toc_source *source) {
    while (toc_source_skip_space(source) && *source->at == '#') toc_source_next_line(source);
}

toc_text toc_source_word(toc_source *source) {
    assert(source->begin <= source->at && source->at <= source->end);
    toc_source_skip_blanks(source);
    const char *first = source->at;
    while (source->at < source->end && !toc_is_blank(*source->at) && *source->at != '\n') source->at++;
    return (toc_text){first, (size_t)(source->at - first)};
}

toc_text toc_source_line(toc_source *source) {
    assert(source->begin <= source->at && source->at <= source->end);
    toc_source_pass(source);
    toc_source_skip_blanks(source);
    const char *first = source->at;
    const char *last = memchr(first, '\n', toc_source_left(source));
    if (!last) last = source->end;
    source->at = last < source->end ? last + 1 : last;
    while (last > first && toc_is_blank(last[-1])) last--;
    return (toc_text){first, (size_t)(last - first)};
}

static bool word_ended(const toc_source *source) {
    return toc_is_blank(*source->at) || *source->at == '\n' || source->at == source->end;
}

// Stay at the word and quote it; a long one is cut in the message.
static toc_status fail_word(toc_source *source, const char *start, const char *wanted) {
    source->at = start;
    const toc_text word = toc_source_word(source);
    source->at = start;
    if (word.count == 0) {
        return toc_source_fail(source, "%s is missing here; the %s ends", wanted,
                               start < source->end ? "line" : "file");
    }
    return toc_source_fail(source, "%s was expected, not \"%.*s\"", wanted, word.count < 40 ? (int)word.count : 40,
                           word.at);
}

toc_status toc_source_double(toc_source *source, double *out) {
    toc_source_pass(source);
    toc_source_skip_blanks(source);
    const char *start = source->at;
    double x;
    source->at = toc_decimal_read(start, &x);
    if (!source->at || !word_ended(source)) return fail_word(source, start, "a number");
    if (!isfinite(x)) return fail_word(source, start, "a finite number");
    *out = x;
    return TOC_OK;
}

bool toc_source_digits(toc_source *source, int64_t *out) {
    const char *at = source->at;
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *first = at;
    int64_t x = 0;
    for (; (unsigned char)(*at - '0') < 10; at++) {
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, *at - '0', &x)) return false;
    }
    if (at == first) return false;
    source->at = at;
    *out = negative ? -x : x;
    return true;
}

toc_status toc_source_integer(toc_source *source, int64_t *out) {
    toc_source_pass(source);
    toc_source_skip_blanks(source);
    const char *start = source->at;
    int64_t x;
    if (!toc_source_digits(source, &x) || !word_ended(source)) return fail_word(source, start, "an integer");
    *out = x;
    return TOC_OK;
}

toc_status toc_source_count(toc_source *source, size_t least_bytes, const char *what, size_t *out) {
    int64_t count;
    toc_source_skip_comments(source);
    TOC_TRY(toc_source_integer(source, &count));
    if (count < 0) return toc_source_fail(source, "%lld %s cannot be", (long long)count, what);
    *out = (size_t)count;
    return toc_source_check_count(source, *out, least_bytes, what);
}

toc_status toc_source_check_count(const toc_source *source, uint64_t count, size_t least_bytes, const char *what) {
    assert(least_bytes > 0);
    if (count <= (toc_source_left(source) + 1) / least_bytes) return TOC_OK; // the last line may lack its end
    return toc_source_fail(source, "%llu %s are promised, but only %zu bytes follow", (unsigned long long)count, what,
                           toc_source_left(source));
}
