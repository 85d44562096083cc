// SPDX-License-Identifier: Apache-2.0
// Items of a file that this library has written.
#ifndef TOC_IO_PAIRS_READ_H
#define TOC_IO_PAIRS_READ_H

#include "base/result.h"
#include "io/core/source.h"
#include "toccata/io.h"

/// Read the items of a source, in the format of its path's extension. Free them with the allocator of the source, also
/// on failure.
/// @param step as in toc_read_options.
toc_status toc_pairs_read(const toc_answer_type *type, toc_source *source, const uint64_t *step, toc_items *out);

#endif
