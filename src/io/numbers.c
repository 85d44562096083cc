// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers as files hold them. One loop for each type, written once as a macro; O(n), no allocation.
#include "io/numbers.h"

#include <assert.h>
#include <string.h>

// The types: name, size, and the value of the bytes at `at`.
#define EACH_INTEGER(X)                             \
    X(TOC_INT8, 1, (int8_t)*at)                     \
    X(TOC_INT16, 2, (int16_t)toc_load_u16(at, big)) \
    X(TOC_INT32, 4, (int32_t)toc_load_u32(at, big)) \
    X(TOC_INT64, 8, (int64_t)toc_load_u64(at, big)) \
    X(TOC_UINT8, 1, (uint8_t)*at)                   \
    X(TOC_UINT16, 2, toc_load_u16(at, big))         \
    X(TOC_UINT32, 4, toc_load_u32(at, big))         \
    X(TOC_UINT64, 8, toc_load_u64(at, big))
#define EACH_NUMBER(X)                       \
    EACH_INTEGER(X)                          \
    X(TOC_FLOAT32, 4, toc_load_f32(at, big)) \
    X(TOC_FLOAT64, 8, toc_load_f64(at, big))

size_t toc_number_size(toc_number type) {
    switch (type) {
#define SIZE_CASE(NAME, SIZE, VALUE) \
    case NAME:                       \
        return SIZE;
        EACH_NUMBER(SIZE_CASE)
    default:
        return 0;
    }
}

bool toc_number_is_integer(toc_number type) { return type >= TOC_INT8 && type <= TOC_UINT64; }

// Integers are kept as int64 and the rest as doubles, the widest of their kind.
toc_status toc_numbers_scan(toc_source *source, toc_number type, size_t count, toc_numbers *out) {
    TOC_TRY(toc_source_check_count(source, count, 2, "numbers"));
    const bool integer = toc_number_is_integer(type);
    void *block = toc_new(&source->allocator, count, 8);
    if (!block) return TOC_OUT_OF_MEMORY;
    toc_status status = TOC_OK;
    for (size_t i = 0; i < count && status == TOC_OK; i++) {
        toc_source_skip_space(source);
        status =
            integer ? toc_source_integer(source, (int64_t *)block + i) : toc_source_double(source, (double *)block + i);
    }
    if (status != TOC_OK) {
        toc_free(&source->allocator, block, count, 8);
        return status;
    }
    *out = (toc_numbers){integer ? TOC_INT64 : TOC_FLOAT64, TOC_BIG_ENDIAN_HOST, count, block, block, count * 8};
    return TOC_OK;
}

void toc_numbers_free(const toc_allocator *allocator, toc_numbers *numbers) {
    toc_free(allocator, numbers->block, numbers->block_size, 1);
    *numbers = (toc_numbers){0};
}

#define CONVERT_CASE(NAME, SIZE, VALUE, OUT)                                 \
    case NAME:                                                               \
        for (size_t i = 0; i < count; i++, at += SIZE) to[i] = (OUT)(VALUE); \
        break;

void toc_numbers_as_doubles(const toc_numbers *numbers, size_t first, size_t count, double *to) {
    assert(first + count <= numbers->count);
    const bool big = numbers->big_endian;
    const char *at = numbers->bytes;
    if (first > 0) at += first * toc_number_size(numbers->type);
    switch (numbers->type) {
#define DOUBLE_CASE(NAME, SIZE, VALUE) CONVERT_CASE(NAME, SIZE, VALUE, double)
        EACH_NUMBER(DOUBLE_CASE)
    default:
        break;
    }
}

void toc_numbers_as_integers(const toc_numbers *numbers, size_t first, size_t count, int64_t *to) {
    assert(first + count <= numbers->count);
    const bool big = numbers->big_endian;
    const char *at = numbers->bytes;
    if (first > 0) at += first * toc_number_size(numbers->type);
    switch (numbers->type) {
#define INTEGER_CASE(NAME, SIZE, VALUE) CONVERT_CASE(NAME, SIZE, VALUE, int64_t)
        EACH_INTEGER(INTEGER_CASE)
    default:
        memset(to, 0, count * sizeof *to);
    }
}

void toc_cursor_begin(toc_cursor *cursor, const toc_numbers *numbers) {
    cursor->numbers = numbers;
    cursor->taken = cursor->next = cursor->filled = 0;
}

void toc_cursor_fill(toc_cursor *cursor) {
    const size_t left = cursor->numbers->count - cursor->taken;
    assert(left > 0);
    cursor->filled = left < TOC_CURSOR_ROOM ? left : TOC_CURSOR_ROOM;
    toc_numbers_as_integers(cursor->numbers, cursor->taken, cursor->filled, cursor->buffer);
    cursor->taken += cursor->filled;
    cursor->next = 0;
}
