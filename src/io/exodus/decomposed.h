// SPDX-License-Identifier: Apache-2.0
// Decomposed Exodus files: one file for each processor, name.e.4.0 to name.e.4.3.
#ifndef TOC_IO_EXODUS_DECOMPOSED_H
#define TOC_IO_EXODUS_DECOMPOSED_H

#include "io/core/format.h"

/// The name of a part: name.e.COUNT.NUMBER.
typedef struct toc_part_name {
    size_t stem; // its length up to the number, without the dot
    int width;   // digits of the number
    uint32_t count, number;
} toc_part_name;

/// Whether a path is that of a part.
bool toc_part_name_read(const char *path, toc_part_name *out);
/// Whether both paths are parts of the same decomposed file.
bool toc_part_name_same(const char *a, const char *b);

/// Frames of one file.
extern const toc_frame_methods toc_exodus_file;
/// Frames of a file, or of all parts of a decomposed one where the path is that of a part.
extern const toc_frame_methods toc_exodus_decomposed;

#endif
