// SPDX-License-Identifier: Apache-2.0
// A mapped file of Windows cannot be replaced or made shorter by another program, and WebAssembly maps none: readers
// copy files instead.
#include "base/platform/mapping.h"

toc_mapping *toc_mapping_open(int file, size_t size) {
    (void)file;
    (void)size;
    return NULL;
}

const char *toc_mapping_bytes(const toc_mapping *mapping) { return (const char *)mapping; }

bool toc_mapping_was_changed(const toc_mapping *mapping) {
    (void)mapping;
    return false;
}

void toc_mapping_let_go(const toc_mapping *mapping, const char *from, const char *to) {
    (void)mapping;
    (void)from;
    (void)to;
}

void toc_mapping_let_go_of(const char *from, const char *to) {
    (void)from;
    (void)to;
}

void toc_mapping_close(toc_mapping *mapping) { (void)mapping; }
