// SPDX-License-Identifier: Apache-2.0
// Writing VTK's XML files: arrays in base64, each within its own element.
#ifndef TOC_IO_VTK_DATA_ARRAY_H
#define TOC_IO_VTK_DATA_ARRAY_H

#include "io/core/sink.h"

/// Begin a file of a type: "UnstructuredGrid".
void toc_data_file_begin(toc_sink *sink, const char *type);
void toc_data_file_end(toc_sink *sink);
/// A name as the value of an attribute.
void toc_data_name_write(toc_sink *sink, const char *name);
/// Begin an array of `bytes` bytes. Exactly that many are written to the sink before its end.
void toc_data_array_begin(toc_sink *sink, const char *type, const char *name, int components, uint64_t bytes);
void toc_data_array_end(toc_sink *sink);

/// Names as an array of the field data: the numbers of their characters, each ended by 0, as VTK reads strings.
void toc_field_names_begin(toc_sink *sink, const char *name, size_t count);
void toc_field_names_add(toc_sink *sink, const char *text);
void toc_field_names_end(toc_sink *sink);
/// Integers likewise.
void toc_field_integers_begin(toc_sink *sink, const char *name, size_t count);
void toc_field_integers_add(toc_sink *sink, int64_t x);
void toc_field_integers_end(toc_sink *sink);

#endif
