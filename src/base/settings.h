// SPDX-License-Identifier: Apache-2.0
// Settings of callers that were compiled with another version: structures that begin with their size (base.h,
// "Growth").
#ifndef TOC_BASE_SETTINGS_H
#define TOC_BASE_SETTINGS_H

#include "base/status.h"

/// One kind of settings.
typedef struct toc_settings {
    const char *init;     // the function that initialises them, for messages
    size_t oldest, size;  // bytes of the first version, and of this one
    const void *defaults; // `size` bytes; the size in front is ignored
} toc_settings;

/// Write the defaults into a caller's structure of `size` bytes. Bytes that this version does not know become 0.
toc_status toc_settings_init(const toc_settings *kind, void *out, size_t size);

/// Copy a caller's settings into a structure of this version. Missing fields take the defaults. Settings of a later
/// version are refused, unless the bytes that this version does not know are 0. `out` may be half written on failure.
toc_status toc_settings_take(const toc_settings *kind, const void *given, void *out);

#endif
