// SPDX-License-Identifier: Apache-2.0
// A file mapped into memory: its bytes stay in the page cache and take none of the allocator's memory.
#ifndef TOC_BASE_PLATFORM_MAPPING_H
#define TOC_BASE_PLATFORM_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct toc_mapping toc_mapping;

/// Map the first `size` bytes of an open file, with a 0 byte behind them; the file may then be closed. NULL if it
/// cannot be mapped: read it instead.
toc_mapping *toc_mapping_open(int file, size_t size);
const char *toc_mapping_bytes(const toc_mapping *mapping);
/// Whether another program has written into the file or made it shorter, so that the bytes read may be a mix of two
/// versions.
bool toc_mapping_was_changed(const toc_mapping *mapping);
/// Release the pages between two bytes. The system loads them again on access.
void toc_mapping_let_go(const toc_mapping *mapping, const char *from, const char *to);
/// The same for bytes anywhere: does nothing if no mapped file holds them.
void toc_mapping_let_go_of(const char *from, const char *to);
void toc_mapping_close(toc_mapping *mapping);

#endif
