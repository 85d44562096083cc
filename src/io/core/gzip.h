// SPDX-License-Identifier: Apache-2.0
// Files compressed with gzip, unpacked while they are opened.
#ifndef TOC_IO_CORE_GZIP_H
#define TOC_IO_CORE_GZIP_H

#include "io/core/source.h"

/// Whether the bytes are of a gzip file.
bool toc_gzip_is(const char *bytes, size_t count);

/// Replace the bytes of a gzip file by their unpacked content and a 0 byte. A damaged file, or one that unpacks to too
/// much, is refused; the source must still be closed then.
toc_status toc_gzip_unpack(toc_source *source);

#endif
