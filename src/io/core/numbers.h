// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in files: any type, either byte order, no alignment; read as doubles or as integers.
#ifndef TOC_IO_CORE_NUMBERS_H
#define TOC_IO_CORE_NUMBERS_H

#include "io/core/source.h"

typedef enum toc_number {
    TOC_NUMBER_NONE = 0,
    TOC_INT8,
    TOC_INT16,
    TOC_INT32,
    TOC_INT64,
    TOC_UINT8,
    TOC_UINT16,
    TOC_UINT32,
    TOC_UINT64,
    TOC_FLOAT32,
    TOC_FLOAT64
} toc_number;

size_t toc_number_size(toc_number type);
bool toc_number_is_integer(toc_number type);

/// An array: a view of a file's bytes, or of a block of its own.
typedef struct toc_numbers {
    toc_number type;
    bool big_endian;
    size_t count;
    const char *bytes;
    void *block; // to be freed, or NULL
    size_t block_size;
} toc_numbers;

/// Read `count` numbers of a type's kind as words of the text, on any number of lines; they get a block of their own.
toc_status toc_numbers_scan(toc_source *source, toc_number type, size_t count, toc_numbers *out);

/// Free the block, if the array has one.
void toc_numbers_free(const toc_allocator *allocator, toc_numbers *numbers);

/// The numbers first .. first+count-1.
void toc_numbers_as_doubles(const toc_numbers *numbers, size_t first, size_t count, double *to);
/// Likewise; all 0 if the type is not an integer. Values that do not fit an int64 become negative.
void toc_numbers_as_integers(const toc_numbers *numbers, size_t first, size_t count, int64_t *to);

enum { TOC_CURSOR_ROOM = 512 };

/// Walks over the integers of an array one by one.
typedef struct toc_cursor {
    const toc_numbers *numbers;
    size_t taken;        // the numbers left, those in the buffer included
    size_t passed;       // the numbers whose pages were released
    size_t next, filled; // of the buffer
    int64_t buffer[TOC_CURSOR_ROOM];
} toc_cursor;

void toc_cursor_begin(toc_cursor *cursor, const toc_numbers *numbers);
/// Fill the buffer again; for toc_cursor_next.
void toc_cursor_fill(toc_cursor *cursor);
static inline size_t toc_cursor_left(const toc_cursor *cursor) {
    return cursor->numbers->count - cursor->taken + cursor->filled - cursor->next;
}
/// The next integer; only when some are left.
static inline int64_t toc_cursor_next(toc_cursor *cursor) {
    if (cursor->next == cursor->filled) toc_cursor_fill(cursor);
    return cursor->buffer[cursor->next++];
}

#endif
