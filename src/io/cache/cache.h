// SPDX-License-Identifier: Apache-2.0
// Point caches: positions of the vertices of a mesh that is in a file of its own.
#ifndef TOC_IO_CACHE_CACHE_H
#define TOC_IO_CACHE_CACHE_H

#include "io/core/format.h"

/// The frames of a cache (.mdd or .pc2, as the name or the first bytes tell) whose mesh is in the file `mesh`; NULL: in
/// the file beside it. @param frames as those of toc_format_mdd.
toc_status toc_cache_open(const char *path, const char *mesh, const toc_allocator *allocator, void **frames);

#endif
