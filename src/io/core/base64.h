// SPDX-License-Identifier: Apache-2.0
#ifndef TOC_IO_CORE_BASE64_H
#define TOC_IO_CORE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/// Decode the first `count` bytes of a text in base64. Blanks are skipped, and so is padding in the middle, where two
/// encodings adjoin. False if the text ends too early or has other letters.
bool toc_base64_decode(const char *at, const char *end, size_t count, void *to);
/// Letters of `count` bytes in base64, with padding.
size_t toc_base64_length(size_t count);
/// Encode `count` bytes with padding. `to` has room for toc_base64_length(count) letters; no terminating zero.
void toc_base64_encode(const void *bytes, size_t count, char *to);

#endif
