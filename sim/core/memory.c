// SPDX-License-Identifier: Apache-2.0
// Arrays from the caller's allocator, and sentences for failures.
#include "sim/core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

toc_status toc_sim_array_resize_(const toc_allocator *memory, void **items, size_t *capacity, size_t count,
                                 size_t item) {
    if (count == *capacity) return TOC_OK;
    if (count > SIZE_MAX / item) return toc_sim_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu items", count);
    void *block = memory->resize(memory->user, *items, *capacity * item, count * item);
    if (!block && count > 0) return toc_sim_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", count * item);
    if (count > *capacity) memset((char *)block + *capacity * item, 0, (count - *capacity) * item);
    *items = block;
    *capacity = count;
    return TOC_OK;
}

toc_status toc_sim_array_reserve_(const toc_allocator *memory, void **items, size_t *capacity, size_t count,
                                  size_t item) {
    if (count <= *capacity) return TOC_OK;
    const size_t grown = *capacity + *capacity / 2;
    return toc_sim_array_resize_(memory, items, capacity, count > grown ? count : grown, item);
}

toc_status toc_sim_fail(toc_status status, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return toc_message_set(status, text);
}
