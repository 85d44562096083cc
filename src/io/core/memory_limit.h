// SPDX-License-Identifier: Apache-2.0
// The memory that reading a file may take (docs/guarantees.md, G8).
//
// Readers allocate through an allocator that counts bytes and refuses blocks beyond the limit. A reader that knows the
// expanded size of its file, such as a mesh with many instances, checks it first (toc_memory_limit_check).
#ifndef TOC_IO_CORE_MEMORY_LIMIT_H
#define TOC_IO_CORE_MEMORY_LIMIT_H

#include <stdatomic.h>

#include "base/memory.h"
#include "io/core/source.h"
#include "toccata/io.h"

typedef struct toc_memory_limit {
    toc_allocator inner;       // the caller's: blocks of both allocators are the same blocks
    uint64_t limit;            // bytes that one call may hold at once
    atomic_int_least64_t used; // bytes allocated less bytes freed since the call began
    atomic_size_t refused;     // size of a block that was refused, 0 if none was
    toc_piece_share share;     // of the options
} toc_memory_limit;

/// The beginning of an object that is read from a file: its limit, and the allocator that counts.
typedef struct toc_limited {
    toc_memory_limit limit;
    toc_allocator memory;
} toc_limited;

/// An object of zeros that begins with a toc_limited, which is set up by the options. Free with the inner allocator.
toc_status toc_memory_limited_new(const toc_read_options *options, size_t size, void **out);

/// Set up the limit of the options. `limit` must not move while its allocator is in use.
/// @param options NULL for the defaults.
toc_status toc_memory_limit_begin(const toc_read_options *options, toc_memory_limit *limit);
/// A new call begins: count from zero.
void toc_memory_limit_restart(toc_memory_limit *limit);
/// An allocator that counts. The caller's allocator may free or resize its blocks.
toc_allocator toc_memory_limit_allocator(toc_memory_limit *limit);

/// Refuse `bytes` more than are allocated now where the limit is lower, naming the file and both numbers. An allocator
/// without a limit accepts any size.
toc_status toc_memory_limit_check(const toc_allocator *allocator, const char *path, uint64_t bytes);

/// Name the file and the limit in the message where the limit was the reason of TOC_OUT_OF_MEMORY.
/// @return the status as given.
toc_status toc_memory_limit_explain(const toc_memory_limit *limit, toc_status status, const char *path);

/// toc_mesh_read within a limit that is set up. The mesh has the inner allocator. @param velocities whether they are
/// wanted, too, in toc_mesh.velocities.
toc_status toc_mesh_read_limited(const char *path, toc_memory_limit *limit, bool velocities, toc_mesh **out);

/// Bytes of vertices and elements in the arrays of a mesh and of its builder, at their largest, saturated.
uint64_t toc_memory_of_mesh(uint64_t vertices, uint64_t elements, uint64_t corners);

#endif
