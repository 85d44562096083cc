// SPDX-License-Identifier: Apache-2.0
// The sentence of the last failure, one for each thread: the only state that outlives a call.
#include "base/status.h"
#include "base/shared.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char *toc_message_get(void) { return message; }

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *toc_version_get(void) {
    return TEXT(TOC_VERSION_MAJOR) "." TEXT(TOC_VERSION_MINOR) "." TEXT(TOC_VERSION_PATCH);
}

TOC_SHARED toc_status toc_fail(toc_status status, const char *format, ...) {
    char text[MESSAGE_SIZE]; // the arguments may point into the old message
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(message, text, sizeof text);
    return status;
}

toc_status toc_message_set(toc_status status, const char *text) { return toc_fail(status, "%s", text ? text : ""); }

TOC_SHARED toc_status toc_fail_in(toc_status status, const char *format, ...) {
    char prefix[MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    return toc_fail(status, "%s: %s", prefix, message);
}

TOC_SHARED toc_status toc_fail_memory(size_t bytes) {
    return toc_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", bytes);
}
