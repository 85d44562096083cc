// SPDX-License-Identifier: Apache-2.0
// Settings of callers that were compiled with another version. A copy of a few dozen bytes; no allocation.
#include "base/settings.h"

#include <assert.h>
#include <string.h>

// toc_settings_init never writes a larger size: bytes after it are not read.
enum { LARGEST_SETTINGS = 4096 };

static void write_size(void *settings, size_t size) {
    const uint32_t value = (uint32_t)size;
    memcpy(settings, &value, sizeof value);
}

static toc_status check_size(const toc_settings *kind, size_t size) {
    assert(kind->oldest <= kind->size && kind->size <= LARGEST_SETTINGS);
    if (kind->oldest <= size && size <= LARGEST_SETTINGS) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the settings have a size of %zu bytes; %s gives them one of %zu", size, kind->init,
                    kind->size);
}

toc_status toc_settings_init(const toc_settings *kind, void *out, size_t size) {
    if (!out) return toc_fail(TOC_BAD_INPUT, "%s: the settings are NULL", kind->init);
    TOC_TRY(check_size(kind, size));
    memset(out, 0, size);
    memcpy(out, kind->defaults, size < kind->size ? size : kind->size);
    write_size(out, size);
    return TOC_OK;
}

toc_status toc_settings_take(const toc_settings *kind, const void *given, void *out) {
    if (!given) return toc_fail(TOC_BAD_INPUT, "the settings are NULL; %s gives them", kind->init);
    uint32_t size;
    memcpy(&size, given, sizeof size);
    TOC_TRY(check_size(kind, size));
    const unsigned char *bytes = given;
    for (size_t i = kind->size; i < size; i++)
        if (bytes[i])
            return toc_fail(TOC_BAD_INPUT,
                            "the settings have %u bytes, and this version %s knows %zu of them; byte %zu must be 0",
                            size, toc_version_get(), kind->size, i);
    memcpy(out, kind->defaults, kind->size);
    memcpy(out, given, size < kind->size ? size : kind->size);
    write_size(out, kind->size);
    return TOC_OK;
}
