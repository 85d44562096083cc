// SPDX-License-Identifier: Apache-2.0
// WebAssembly cannot map files: readers copy them instead. Stands in for src/io/core/mapping.c.
#include "io/core/mapping.h"

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
