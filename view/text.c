// SPDX-License-Identifier: Apache-2.0
#include "view/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

view_text toc_view_text_make(const toc_allocator *allocator) { return (view_text){.allocator = *allocator}; }

void toc_view_text_free(view_text *text) {
    toc_array_free(&text->allocator, &text->bytes);
    *text = (view_text){.allocator = text->allocator};
}

void toc_view_text_put(view_text *text, const char *bytes, size_t count) {
    assert(bytes || count == 0);
    if (text->status == TOC_OK) text->status = toc_array_reserve(&text->allocator, &text->bytes, count + 1);
    if (text->status != TOC_OK) return;
    if (count) memcpy(text->bytes.at + text->bytes.count, bytes, count);
    text->bytes.count += count;
    text->bytes.at[text->bytes.count] = 0;
}

void toc_view_text_print(view_text *text, const char *format, ...) {
    char piece[256];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(piece, sizeof piece, format, values);
    va_end(values);
    assert(0 <= length && length < (int)sizeof piece);
    toc_view_text_put(text, piece, (size_t)length);
}

// The bytes of a character in UTF-8 at a place; 0 for bytes that are none.
static size_t character_size(const unsigned char *at) {
    const size_t size = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : 4;
    if (size == 4 && (*at < 0xf0 || *at > 0xf4)) return 0;
    for (size_t k = 1; k < size; k++)
        if ((at[k] & 0xc0) != 0x80) return 0;
    return size;
}

void toc_view_text_string(view_text *text, const char *string) {
    toc_view_text_put(text, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)string; *at;) {
        const size_t size = character_size(at);
        if (size == 0) {
            toc_view_text_put(text, "?", 1);
        } else if (size == 1 && (*at < 0x20 || *at == '"' || *at == '\\' || *at == '<')) {
            toc_view_text_print(text, "\\u%04x", *at);
        } else {
            toc_view_text_put(text, (const char *)at, size);
        }
        at += size ? size : 1;
    }
    toc_view_text_put(text, "\"", 1);
}

void toc_view_text_double(view_text *text, double x) {
    if (!isfinite(x)) {
        toc_view_text_put(text, "null", 4);
        return;
    }
    char digits[40];
    for (int count = 15; count <= 17; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, x);
        if (strtod(digits, NULL) == x) break;
    }
    toc_view_text_put(text, digits, strlen(digits));
}
