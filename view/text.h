// SPDX-License-Identifier: Apache-2.0
// A growing text of JSON. The first failure is kept, so that writers need not check each call.
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include "base/memory.h"

typedef struct view_text {
    toc_allocator allocator;
    TOC_ARRAY(char) bytes; // ends with a 0, which is not counted
    toc_status status;
} view_text;

view_text toc_view_text_make(const toc_allocator *allocator);
void toc_view_text_free(view_text *text);
void toc_view_text_put(view_text *text, const char *bytes, size_t count);
/// A piece of at most 255 bytes. Numbers are written as in the locale of the thread.
__attribute__((format(printf, 2, 3))) void toc_view_text_print(view_text *text, const char *format, ...);
/// A string in quotes. "<" is escaped, so that no name closes a script element; bytes that are not UTF-8 become "?".
void toc_view_text_string(view_text *text, const char *string);
/// A double in the fewest digits that give the same double back; null for values that JSON lacks.
void toc_view_text_double(view_text *text, double x);

#endif
