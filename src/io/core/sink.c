// SPDX-License-Identifier: Apache-2.0
// A file being written. Until it is complete it has no name (O_TMPFILE), or a temporary one beside the target where the
// filesystem has no unnamed files. No reader ever sees a partial file, and a full disk leaves the older file intact.
#include "io/core/sink.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/platform/platform.h"
#include "io/core/base64.h"
#include "io/core/decimal.h"

enum { BUFFER_SIZE = 1 << 16, PIECE_SIZE = 1024 };

struct toc_sink {
    toc_allocator allocator;
    int file;
    int error;                   // errno of the first write that failed
    bool direct;                 // a device or a pipe: no final name to give
    char path[TOC_PATH_MOST];    // as the caller said it
    char target[TOC_PATH_MOST];  // the same with links followed, so that a link stays a link
    char passing[TOC_PATH_MOST]; // the name until then; "" while there is none
    const double *velocities;
    bool base64;
    size_t rest_count; // in base64: bytes that wait for the third one
    unsigned char rest[3];
    size_t used;
    char buffer[BUFFER_SIZE];
};

static toc_status fail_errno(const char *path, int error) {
    return toc_fail(toc_error_is_full(error) ? TOC_DISK_FULL : TOC_BAD_INPUT, "%s: cannot be written: %s", path,
                    strerror(error));
}

// The folder of the target, "." if it names none.
static void find_folder(const toc_sink *sink, char folder[TOC_PATH_MOST]) {
    const char *slash = strrchr(sink->target, '/');
    const size_t count = slash ? (size_t)(slash - sink->target) + 1 : 0;
    memcpy(folder, count ? sink->target : "./", count ? count : 2);
    folder[count ? count : 2] = 0;
}

// A name beside the target that is unlikely to be in use; opening and naming fail if it is.
static bool name_passing(toc_sink *sink, unsigned attempt) {
    char folder[TOC_PATH_MOST];
    find_folder(sink, folder);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const unsigned long long tick =
        1000000000ull * (unsigned long long)now.tv_sec + (unsigned long long)now.tv_nsec + attempt;
    const int length = snprintf(sink->passing, sizeof sink->passing, "%s.toccata-%lu-%llx~", folder,
                                toc_process_number(), tick ^ (unsigned long long)(uintptr_t)sink);
    return length < TOC_PATH_MOST;
}

enum { NAME_ATTEMPTS = 100 };

static int create_named(toc_sink *sink) {
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        errno = ENAMETOOLONG;
        if (!name_passing(sink, i)) break;
        const int file = toc_file_open(sink->passing, TOC_OPEN_NEW);
        if (file >= 0) return file;
        if (errno != EEXIST) break;
    }
    sink->passing[0] = 0;
    return -1;
}

static int create_unnamed(const toc_sink *sink) {
    char folder[TOC_PATH_MOST];
    find_folder(sink, folder);
    return toc_file_open_unnamed(folder);
}

// An existing file is replaced only if the caller may write to it; its permissions stay.
static toc_status sink_open_beside(toc_sink *sink, const toc_file_facts *existing) {
    if (existing && !toc_path_is_writable(sink->target)) return fail_errno(sink->path, errno);
    sink->file = create_unnamed(sink);
    if (sink->file < 0) sink->file = create_named(sink);
    if (sink->file < 0) return fail_errno(sink->path, errno);
    if (existing) toc_file_set_mode(sink->file, existing->mode);
    return TOC_OK;
}

// Names of open files may lead to a plain file (redirected standard output), which is appended to.
static bool is_stream(const char *path) {
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

static toc_status sink_open_file(toc_sink *sink) {
    toc_file_facts about;
    const bool exists = toc_path_facts(sink->path, &about);
    if (exists && about.kind == TOC_FILE_FOLDER) return fail_errno(sink->path, EISDIR);
    sink->direct = exists && (about.kind != TOC_FILE_PLAIN || is_stream(sink->path));
    if (sink->direct) {
        sink->file = toc_file_open(sink->path, TOC_OPEN_MORE);
        return sink->file < 0 ? fail_errno(sink->path, errno) : TOC_OK;
    }
    if (!exists || !toc_path_resolve(sink->path, sink->target)) memcpy(sink->target, sink->path, sizeof sink->target);
    return sink_open_beside(sink, exists ? &about : NULL);
}

toc_status toc_sink_open(const char *path, const toc_allocator *allocator, toc_sink **out) {
    const size_t length = strlen(path);
    if (length == 0) return toc_fail(TOC_BAD_INPUT, "a file without a name cannot be written");
    if (length >= TOC_PATH_MOST)
        return toc_fail(TOC_BAD_INPUT, "%.100s...: a path of %zu bytes is too long", path, length);
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_sink *sink = toc_new(&memory, 1, sizeof *sink);
    if (!sink) return TOC_OUT_OF_MEMORY;
    sink->allocator = memory;
    sink->file = -1;
    memcpy(sink->path, path, length);
    const toc_status status = sink_open_file(sink);
    if (status == TOC_OK) {
        *out = sink;
    } else {
        toc_free(&memory, sink, 1, sizeof *sink);
    }
    return status;
}

static void sink_put(toc_sink *sink, const char *bytes, size_t count) {
    assert(bytes || count == 0);
    while (count && !sink->error) {
        const ptrdiff_t written = toc_file_write(sink->file, bytes, count);
        if (written < 0) sink->error = errno;
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
}

static void sink_flush(toc_sink *sink) {
    sink_put(sink, sink->buffer, sink->used);
    sink->used = 0;
}

static void sink_encode(toc_sink *sink, const void *bytes, size_t count) {
    assert(sink->base64);
    const size_t length = toc_base64_length(count);
    if (length > BUFFER_SIZE - sink->used) sink_flush(sink);
    toc_base64_encode(bytes, count, sink->buffer + sink->used);
    sink->used += length;
}

static size_t fill_rest(toc_sink *sink, const unsigned char *bytes, size_t count) {
    assert(bytes || count == 0);
    size_t taken = 0;
    while (taken < count && sink->rest_count < 3) sink->rest[sink->rest_count++] = bytes[taken++];
    if (sink->rest_count == 3) {
        sink_encode(sink, sink->rest, 3);
        sink->rest_count = 0;
    }
    return taken;
}

static void write_base64(toc_sink *sink, const unsigned char *bytes, size_t count) {
    enum { BLOCK = BUFFER_SIZE / 4 * 3 };
    while (count > 0) {
        size_t taken = count - count % 3 < BLOCK ? count - count % 3 : BLOCK;
        if (sink->rest_count || count < 3) {
            taken = fill_rest(sink, bytes, count);
        } else {
            sink_encode(sink, bytes, taken);
        }
        bytes += taken;
        count -= taken;
    }
}

void toc_sink_begin_base64(toc_sink *sink) {
    assert(!sink->base64);
    sink->base64 = true;
}

void toc_sink_end_base64(toc_sink *sink) {
    assert(sink->base64);
    sink_encode(sink, sink->rest, sink->rest_count);
    sink->rest_count = 0;
    sink->base64 = false;
}

void toc_sink_write(toc_sink *sink, const void *bytes, size_t count) {
    assert(bytes || count == 0);
    if (sink->base64) {
        write_base64(sink, bytes, count);
        return;
    }
    if (count > BUFFER_SIZE - sink->used) sink_flush(sink);
    if (count > BUFFER_SIZE) {
        sink_put(sink, bytes, count);
    } else if (count) {
        memcpy(sink->buffer + sink->used, bytes, count);
        sink->used += count;
    }
}

void toc_sink_print(toc_sink *sink, const char *format, ...) {
    char piece[PIECE_SIZE];
    const toc_plain_locale plain = toc_plain_locale_begin();
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    toc_plain_locale_end(&plain);
    assert(length >= 0 && length < PIECE_SIZE);
    if (length < 0 || length >= PIECE_SIZE) {
        sink->error = EMSGSIZE;
    } else {
        toc_sink_write(sink, piece, (size_t)length);
    }
}

void toc_sink_text(toc_sink *sink, const char *text) { toc_sink_write(sink, text, strlen(text)); }

void toc_sink_double(toc_sink *sink, double x) {
    char text[TOC_DECIMAL_SIZE];
    toc_sink_write(sink, text, toc_decimal_write(text, x));
}

static char *sink_put_integer(char *at, uint64_t x) {
    char *end = at + 1;
    for (uint64_t rest = x; rest >= 10; rest /= 10) end++;
    for (char *digit = end; digit > at; x /= 10) *--digit = (char)('0' + x % 10);
    return end;
}

void toc_sink_integer(toc_sink *sink, int64_t x) {
    char text[24] = "-", *digits = text + (x < 0);
    const char *end = sink_put_integer(digits, x < 0 ? -(uint64_t)x : (uint64_t)x);
    toc_sink_write(sink, text, (size_t)(end - text));
}

// Lines are composed in the output buffer, since there are millions of them.
enum { BEFORE_SIZE = 32, LINE_SIZE = BEFORE_SIZE + 8 * TOC_DECIMAL_SIZE };

static char *begin_line(toc_sink *sink, const char *before) {
    assert(!sink->base64);
    if (BUFFER_SIZE - sink->used < LINE_SIZE) sink_flush(sink);
    const size_t length = strlen(before);
    return (char *)memcpy(sink->buffer + sink->used, before, length + 1) + length;
}

// The newline replaces the blank behind the last word.
static void end_line(toc_sink *sink, char *end) {
    end[-1] = '\n';
    sink->used = (size_t)(end - sink->buffer);
}

void toc_sink_point(toc_sink *sink, const char *before, const double x[3]) {
    assert(strlen(before) < BEFORE_SIZE);
    char *at = begin_line(sink, before);
    for (int i = 0; i < 3; i++) {
        at += toc_decimal_write(at, x[i]);
        *at++ = ' ';
    }
    end_line(sink, at);
}

void toc_sink_corners(toc_sink *sink, const char *before, size_t count, const uint32_t *corners, uint64_t first) {
    assert(count <= 8);
    char *at = begin_line(sink, before);
    for (size_t i = 0; i < count; i++) {
        at = sink_put_integer(at, corners[i] + first);
        *at++ = ' ';
    }
    end_line(sink, at);
}

void toc_sink_little(toc_sink *sink, const void *numbers, size_t size, size_t count) {
    assert(size == 1 || size == 2 || size == 4 || size == 8);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        toc_sink_write(sink, numbers, size * count);
        return;
    }
    const char *from = numbers;
    for (; count > 0; count--, from += size) {
        char turned[8];
        for (size_t i = 0; i < size; i++) turned[i] = from[size - 1 - i];
        toc_sink_write(sink, turned, size);
    }
}

void toc_sink_set_velocities(toc_sink *sink, const double *velocities) { sink->velocities = velocities; }
const double *toc_sink_velocities(const toc_sink *sink) { return sink->velocities; }

const toc_allocator *toc_sink_allocator(const toc_sink *sink) { return &sink->allocator; }

// Give an unnamed file its temporary name, which then replaces a file.
static bool link_passing(toc_sink *sink) {
    for (unsigned i = 0; i < NAME_ATTEMPTS; i++) {
        errno = ENAMETOOLONG;
        if (!name_passing(sink, i)) break;
        if (toc_file_give_name(sink->file, sink->passing)) return true;
        if (errno != EEXIST) break;
    }
    sink->passing[0] = 0;
    return false;
}

static void sink_finish(toc_sink *sink) {
    sink_flush(sink);
    if (!sink->error && !sink->direct && !sink->passing[0] && !link_passing(sink)) sink->error = errno;
    if (!toc_file_close(sink->file) && !sink->error) sink->error = errno;
    sink->file = -1;
    if (!sink->error && !sink->direct && !toc_path_replace(sink->passing, sink->target)) sink->error = errno;
    if (!sink->error) sink->passing[0] = 0;
}

toc_status toc_sink_commit(toc_sink *sink) {
    sink_finish(sink);
    const toc_status status = sink->error ? fail_errno(sink->path, sink->error) : TOC_OK;
    toc_sink_cancel(sink);
    return status;
}

void toc_sink_cancel(toc_sink *sink) {
    if (sink->file >= 0) toc_file_close(sink->file);
    if (sink->passing[0]) toc_path_remove(sink->passing);
    const toc_allocator memory = sink->allocator;
    toc_free(&memory, sink, 1, sizeof *sink);
}
