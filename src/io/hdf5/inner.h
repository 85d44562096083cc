// SPDX-License-Identifier: Apache-2.0
// Shared by the files of this reader: bytes between bounds, and failures at an address.
#ifndef TOC_IO_HDF5_INNER_H
#define TOC_IO_HDF5_INNER_H

#include "io/hdf5/hdf5.h"

/// Bytes that are not read yet.
typedef struct toc_hdf5_bytes {
    const char *at, *end;
} toc_hdf5_bytes;

/// The bytes from an address on; false where the file has fewer.
bool toc_hdf5_view(const toc_hdf5 *h, uint64_t address, uint64_t size, toc_hdf5_bytes *out);
/// The bytes from an address to the end of the file, behind these four letters; takes `size` from the budget of a walk.
toc_status toc_hdf5_block(const toc_hdf5 *h, uint64_t address, const char *letters, uint64_t size, uint64_t *budget,
                          toc_hdf5_bytes *out);
/// The next integer of 1 to 8 bytes; false where there are fewer bytes.
bool toc_hdf5_take(toc_hdf5_bytes *b, unsigned size, uint64_t *out);
bool toc_hdf5_skip(toc_hdf5_bytes *b, uint64_t size);

/// The failure of a part at an address.
toc_status toc_hdf5_fail(const toc_hdf5 *h, const char *at, const char *what);

/// Refuse a walk that reads more than the file has: parts of it are then read several times.
toc_status toc_hdf5_spend(const toc_hdf5 *h, uint64_t *budget, uint64_t bytes);
static inline uint64_t toc_hdf5_budget(const toc_hdf5 *h) { return (uint64_t)(h->source->end - h->source->begin); }

/// A message of the head of an object.
typedef struct toc_hdf5_message {
    unsigned type, flags;
    toc_hdf5_bytes data;
} toc_hdf5_message;

enum {
    TOC_HDF5_SPACE = 1,
    TOC_HDF5_LINK_INFO = 2,
    TOC_HDF5_TYPE = 3,
    TOC_HDF5_LINK = 6,
    TOC_HDF5_LAYOUT = 8,
    TOC_HDF5_FILTER = 11,
    TOC_HDF5_ATTRIBUTE = 12,
    TOC_HDF5_CONTINUED = 16,
    TOC_HDF5_SYMBOLS = 17,
    TOC_HDF5_ATTRIBUTE_INFO = 21,
};

/// Called with each message; anything but TOC_OK ends the walk.
typedef toc_status toc_hdf5_take_message(void *user, const toc_hdf5_message *message);
toc_status toc_hdf5_messages(const toc_hdf5 *h, uint64_t object, toc_hdf5_take_message *take, void *user);

/// Called with each object of a heap that a tree lists.
typedef toc_status toc_hdf5_take_item(void *user, toc_hdf5_bytes item);
/// @param id the place of the identity in a record of the tree.
toc_status toc_hdf5_heap_list(const toc_hdf5 *h, uint64_t heap, uint64_t tree, unsigned id, toc_hdf5_take_item *take,
                              void *user);

#endif
