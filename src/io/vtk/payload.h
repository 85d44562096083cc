// SPDX-License-Identifier: Apache-2.0
// The bytes of an array as VTK's XML files encode them: raw or in base64, compressed or not, with their sizes in front.
#ifndef TOC_IO_VTK_PAYLOAD_H
#define TOC_IO_VTK_PAYLOAD_H

#include "io/core/numbers.h"

typedef struct toc_payload {
    const char *at, *end; // its beginning, and its limit
    bool base64;          // or raw
    bool big_endian;      // the sizes and the numbers
    bool wide_heads;      // sizes of 64 bits, not 32
    bool compressed;      // with zlib, in blocks
} toc_payload;

/// Decode an array that must have `count` numbers. Failures name no position in the file.
toc_status toc_payload_decode(const toc_payload *payload, const toc_allocator *allocator, toc_number type, size_t count,
                              toc_numbers *out);

#endif
