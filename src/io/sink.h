// SPDX-License-Identifier: Apache-2.0
// A file being written: buffered, beside its final name, and moved there only when it is whole.
#ifndef TOC_IO_SINK_H
#define TOC_IO_SINK_H

#include "base/memory.h"

typedef struct toc_sink toc_sink;

toc_status toc_sink_open(const char *path, const toc_allocator *allocator, toc_sink **out);
/// Errors are kept and told by toc_sink_commit, so that writers need not check each call.
void toc_sink_write(toc_sink *sink, const void *bytes, size_t count);
__attribute__((format(printf, 2, 3))) void toc_sink_print(toc_sink *sink, const char *format, ...);
/// A double in as few digits as give the same double back, whatever the locale.
void toc_sink_double(toc_sink *sink, double x);
/// Give the file its name. On failure nothing is left behind and the file that was there before is unharmed.
toc_status toc_sink_commit(toc_sink *sink);
/// Drop what was written. Either this or commit ends a sink.
void toc_sink_cancel(toc_sink *sink);

#endif
