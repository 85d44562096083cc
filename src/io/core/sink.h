// SPDX-License-Identifier: Apache-2.0
// A file being written: buffered, beside its final name, and moved there only when it is whole.
// A device or a pipe that stands at the path already (/dev/stdout) is written into directly.
#ifndef TOC_IO_CORE_SINK_H
#define TOC_IO_CORE_SINK_H

#include "base/memory.h"

typedef struct toc_sink toc_sink;

toc_status toc_sink_open(const char *path, const toc_allocator *allocator, toc_sink **out);
/// Errors are kept and reported by toc_sink_commit, so that writers need not check each call.
void toc_sink_write(toc_sink *sink, const void *bytes, size_t count);
/// A piece of at most 1023 bytes, in the "C" locale.
__attribute__((format(printf, 2, 3))) void toc_sink_print(toc_sink *sink, const char *format, ...);
/// A text of any length.
void toc_sink_text(toc_sink *sink, const char *text);
/// A double in the fewest digits that give the same double back, in every locale.
void toc_sink_double(toc_sink *sink, double x);
void toc_sink_integer(toc_sink *sink, int64_t x);
/// A line of text: at most 31 bytes, three doubles in the fewest digits that give the same doubles back, in every
/// locale.
void toc_sink_point(toc_sink *sink, const char *before, const double x[3]);
/// A line of text: at most 31 bytes, up to 8 corners counted from `first`.
void toc_sink_corners(toc_sink *sink, const char *before, size_t count, const uint32_t *corners, uint64_t first);
/// Numbers of the machine, of at most 8 bytes each, in little-endian order.
void toc_sink_little(toc_sink *sink, const void *numbers, size_t size, size_t count);
/// Between begin and end all that is written goes out in base64, padded at the end.
void toc_sink_begin_base64(toc_sink *sink);
void toc_sink_end_base64(toc_sink *sink);
/// Velocities of the vertices to write, where the format holds them; NULL for none.
void toc_sink_set_velocities(toc_sink *sink, const double *velocities);
const double *toc_sink_velocities(const toc_sink *sink);
/// For the writer's own scratch.
const toc_allocator *toc_sink_allocator(const toc_sink *sink);
/// Give the file its name. On failure nothing is left behind and the file that was there before is unharmed.
toc_status toc_sink_commit(toc_sink *sink);
/// Discard the file. Either this or commit ends a sink.
void toc_sink_cancel(toc_sink *sink);

#endif
