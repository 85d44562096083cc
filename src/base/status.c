// SPDX-License-Identifier: Apache-2.0
// Sentences of failures, for toc_message_set.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT_SIZE = 1024 };

toc_status toc_fail(toc_status status, const char *format, ...) {
    char text[TEXT_SIZE]; // the arguments may point into the old message
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return toc_message_set(status, text);
}

toc_status toc_fail_in(toc_status status, const char *format, ...) {
    char prefix[TEXT_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return toc_fail(status, "%s: %s", prefix, toc_message_get());
}

toc_status toc_fail_memory(size_t bytes) { return toc_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", bytes); }
