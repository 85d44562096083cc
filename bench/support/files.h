// SPDX-License-Identifier: Apache-2.0
// Files in the forms of other programs, which Toccata reads but does not write.
#ifndef TOC_BENCH_FILES_H
#define TOC_BENCH_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "toccata/toccata.h"

typedef struct bench_file {
    const char *what, *name; // a description, and a file name with the right extension
    void (*write)(FILE *file, const toc_mesh *mesh);
    const char *beside; // a second file that belongs to it, or NULL
    void (*write_beside)(FILE *file, const toc_mesh *mesh);
} bench_file;

/// The i-th form; false past the last.
bool bench_file_list(size_t i, bench_file *out);
/// Write a mesh of triangles whose coordinates have six decimals. @return false if the file cannot be written.
bool bench_file_write(const bench_file *file, const char *folder, const toc_mesh *mesh);
void bench_file_remove(const bench_file *file, const char *folder);

#endif
