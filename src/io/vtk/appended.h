// SPDX-License-Identifier: Apache-2.0
// Writing VTK's XML files: arrays are declared one after the other, then their bytes follow in the same order.
#ifndef TOC_IO_VTK_APPENDED_H
#define TOC_IO_VTK_APPENDED_H

#include "io/core/sink.h"

typedef struct toc_appended {
    toc_sink *sink;
    uint64_t offset; // of the next array
} toc_appended;

/// Begin a file of a type: "UnstructuredGrid".
toc_appended toc_appended_begin(toc_sink *sink, const char *type);
/// Declare an array of `bytes` bytes.
void toc_appended_declare(toc_appended *file, const char *type, const char *name, int components, uint64_t bytes);
/// All arrays are declared and all elements closed but VTKFile: the bytes follow.
void toc_appended_begin_data(toc_appended *file);
/// Before the bytes of each array.
void toc_appended_begin_array(toc_appended *file, uint64_t bytes);
void toc_appended_end(toc_appended *file);

#endif
