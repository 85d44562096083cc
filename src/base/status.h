// SPDX-License-Identifier: Apache-2.0
// Failures: a status up the call chain, and a sentence for each thread.
#ifndef TOC_BASE_STATUS_H
#define TOC_BASE_STATUS_H

#include "toccata/base.h"

/// Store the sentence for toc_message_get() and return the status: `return toc_fail(TOC_BAD_INPUT, "...", ...)`.
__attribute__((format(printf, 2, 3))) toc_status toc_fail(toc_status status, const char *format, ...);

/// Put "prefix: " before the stored sentence and return the status, for example to name the file of a failure.
__attribute__((format(printf, 2, 3))) toc_status toc_fail_in(toc_status status, const char *format, ...);

/// The sentence and the status for an allocation that failed.
toc_status toc_fail_memory(size_t bytes);

/// Leave the calling function with the status of an expression that failed. For functions that hold nothing to free.
#define TOC_TRY(expression)                     \
    do {                                        \
        const toc_status tried_ = (expression); \
        if (tried_ != TOC_OK) return tried_;    \
    } while (0)

/// Refuse a NULL: `TOC_NEED(mesh)` says "mesh is NULL".
#define TOC_NEED(pointer)                                                       \
    do {                                                                        \
        if (!(pointer)) return toc_fail(TOC_BAD_INPUT, "%s is NULL", #pointer); \
    } while (0)

#endif
