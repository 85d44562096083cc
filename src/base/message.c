// SPDX-License-Identifier: Apache-2.0
// The sentence of the last failure, one for each thread: the only state that outlives a call. All libraries share it.
#include <stdio.h>
#include <string.h>

#include "toccata/base.h"

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char message[MESSAGE_SIZE];

const char *toc_message_get(void) { return message; }

toc_status toc_message_set(toc_status status, const char *text) {
    const size_t length = text ? strnlen(text, MESSAGE_SIZE - 1) : 0;
    if (length > 0) memmove(message, text, length); // the text may be the old message
    message[length] = 0;
    return status;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *toc_version_get(void) {
    return TEXT(TOC_VERSION_MAJOR) "." TEXT(TOC_VERSION_MINOR) "." TEXT(TOC_VERSION_PATCH);
}
