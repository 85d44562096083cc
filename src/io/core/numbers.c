// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in files. One loop for each type, written once as a macro; O(n), no allocation.
#include "io/core/numbers.h"

#include <assert.h>
#include <string.h>

#include "base/platform/mapping.h"

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

// Integers of a text are stored in the fewest bytes that hold them all: corners need four and types one, where the file
// may have 64 bits. The first block has the smallest type; a larger number makes a larger block.
static toc_number narrowest(int64_t x) {
    if (x == (uint8_t)x) return TOC_UINT8;
    return x == (int32_t)x ? TOC_INT32 : TOC_INT64;
}

static void numbers_put_integer(toc_numbers *numbers, size_t i, int64_t x) {
    assert(i < numbers->count);
    if (numbers->type == TOC_UINT8)
        ((uint8_t *)numbers->block)[i] = (uint8_t)x;
    else if (numbers->type == TOC_INT32)
        ((int32_t *)numbers->block)[i] = (int32_t)x;
    else
        ((int64_t *)numbers->block)[i] = x;
}

static toc_status make_block(const toc_allocator *allocator, toc_number type, size_t count, toc_numbers *out) {
    void *block = toc_new(allocator, count, toc_number_size(type));
    if (!block) return TOC_OUT_OF_MEMORY;
    *out = (toc_numbers){type, TOC_BIG_ENDIAN_HOST, count, block, block, count * toc_number_size(type)};
    return TOC_OK;
}

static toc_status widen(const toc_allocator *allocator, toc_numbers *numbers, size_t filled, toc_number type) {
    toc_numbers wide;
    TOC_TRY(make_block(allocator, type, numbers->count, &wide));
    for (size_t i = 0; i < filled; i++) {
        int64_t x;
        toc_numbers_as_integers(numbers, i, 1, &x);
        numbers_put_integer(&wide, i, x);
    }
    toc_numbers_free(allocator, numbers);
    *numbers = wide;
    return TOC_OK;
}

static toc_status scan_integers(toc_source *source, toc_numbers *numbers) {
    for (size_t i = 0; i < numbers->count; i++) {
        int64_t x;
        toc_source_skip_space(source);
        TOC_TRY(toc_source_integer(source, &x));
        const toc_number type = narrowest(x);
        if (toc_number_size(type) > toc_number_size(numbers->type))
            TOC_TRY(widen(&source->allocator, numbers, i, type));
        numbers_put_integer(numbers, i, x);
    }
    return TOC_OK;
}

static toc_status scan_doubles(toc_source *source, toc_numbers *numbers) {
    for (size_t i = 0; i < numbers->count; i++) {
        toc_source_skip_space(source);
        TOC_TRY(toc_source_double(source, (double *)numbers->block + i));
    }
    return TOC_OK;
}

toc_status toc_numbers_scan(toc_source *source, toc_number type, size_t count, toc_numbers *out) {
    const bool integer = toc_number_is_integer(type);
    toc_numbers numbers;
    TOC_TRY(toc_source_check_count(source, count, 2, "numbers"));
    TOC_TRY(make_block(&source->allocator, integer ? TOC_UINT8 : TOC_FLOAT64, count, &numbers));
    const toc_status status = integer ? scan_integers(source, &numbers) : scan_doubles(source, &numbers);
    if (status == TOC_OK)
        *out = numbers;
    else
        toc_numbers_free(&source->allocator, &numbers);
    return status;
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
    cursor->taken = cursor->passed = cursor->next = cursor->filled = 0;
}

// The pages of an array in a file are released behind the cursor: an array is read once.
static void pass(toc_cursor *cursor) {
    const toc_numbers *numbers = cursor->numbers;
    const size_t size = toc_number_size(numbers->type);
    if (numbers->block || (cursor->taken - cursor->passed) * size < TOC_SOURCE_KEPT) return;
    toc_mapping_let_go_of(numbers->bytes + cursor->passed * size, numbers->bytes + cursor->taken * size);
    cursor->passed = cursor->taken;
}

void toc_cursor_fill(toc_cursor *cursor) {
    const size_t left = cursor->numbers->count - cursor->taken;
    assert(left > 0);
    pass(cursor);
    cursor->filled = left < TOC_CURSOR_ROOM ? left : TOC_CURSOR_ROOM;
    toc_numbers_as_integers(cursor->numbers, cursor->taken, cursor->filled, cursor->buffer);
    cursor->taken += cursor->filled;
    cursor->next = 0;
}
