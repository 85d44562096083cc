// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_BASE_H
#define TOCCATA_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "toccata/version.h"

#if defined(_WIN32) || defined(__CYGWIN__)
#define TOC_API __declspec(dllexport)
#else
#define TOC_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What a call came to. Anything but TOC_OK leaves its outputs untouched and a sentence in toc_message().
typedef enum toc_status {
    TOC_OK = 0,
    TOC_BAD_INPUT,     ///< The caller's fault: a wrong index, a NaN, a broken file, a missing file.
    TOC_INTERNAL,      ///< Toccata's fault; please report it.
    TOC_OUT_OF_MEMORY, ///< The allocator returned NULL.
    TOC_DISK_FULL,     ///< A file could not be written whole; nothing of it is left behind.
    TOC_STOPPED        ///< The caller's progress function asked to stop.
} toc_status;

/// One sentence on the last failure of this thread: what was wrong, and where. Never NULL; "" when nothing failed yet.
/// Valid until the next failing call of the same thread.
TOC_API const char *toc_message(void);

/// "0.1.0": the version of the library in use, which may differ from the header's TOC_VERSION_*.
TOC_API const char *toc_version(void);

/// Where memory comes from. Must be safe to call from several threads at once.
typedef struct toc_allocator {
    /// Like realloc: block NULL allocates, new_size 0 frees and returns NULL. Otherwise NULL means out of memory and
    /// leaves the block as it was. Blocks are aligned to 16 bytes at least.
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user; ///< Passed back to resize.
} toc_allocator;

/// The allocator used wherever NULL is given: the C library's.
TOC_API toc_allocator toc_allocator_default(void);

/// Told now and then how far a long call is, in [0, 1]. Return 0 to go on, anything else to stop with TOC_STOPPED.
/// Called from the calling thread only.
typedef struct toc_progress {
    int (*report)(void *user, double done);
    void *user;
} toc_progress;

#ifdef __cplusplus
}
#endif

#endif
