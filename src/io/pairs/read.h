// SPDX-License-Identifier: Apache-2.0
// Contacts and near pairs of a file that this library has written.
#ifndef TOC_IO_PAIRS_READ_H
#define TOC_IO_PAIRS_READ_H

#include "io/core/source.h"
#include "toccata/io.h"

/// A kind of items: toc_contact or toc_near_pair.
typedef struct toc_pair_layout toc_pair_layout;
extern const toc_pair_layout toc_contact_layout, toc_near_layout;

/// Items as bytes.
typedef TOC_ARRAY(char) toc_read_items;

/// Read the items of a source, in the format of its path's extension. Free them with the allocator of the source, also
/// on failure.
toc_status toc_pairs_read(const toc_pair_layout *layout, toc_source *source, toc_read_items *out);

#endif
