// SPDX-License-Identifier: Apache-2.0
// Groups, arrays and attributes of an HDF5 file, read only, without HDF5's library.
//
// Read are files as that library writes them by default, or for version 1.8: both kinds of groups and of object heads,
// arrays of integers, floats and texts of a fixed length, in one piece or in chunks, with deflate, shuffle and
// Fletcher's sums. Refused, with advice: other filters, indices of chunks of version 1.10, sizes of offsets other than
// 8 bytes, links into other files. Every address and size is checked; a walk over the file is bounded by its length.
#ifndef TOC_IO_HDF5_HDF5_H
#define TOC_IO_HDF5_HDF5_H

#include "io/core/numbers.h"

enum { TOC_HDF5_RANK = 8, TOC_HDF5_FILTERS = 8 };

/// No object.
#define TOC_HDF5_NONE UINT64_MAX

typedef struct toc_hdf5 {
    toc_source *source; // the whole file
    uint64_t root;      // the group of all
} toc_hdf5;

typedef enum toc_hdf5_layout {
    TOC_HDF5_EMPTY, // all zeros
    TOC_HDF5_PIECE,
    TOC_HDF5_TREE,   // chunks in a tree
    TOC_HDF5_SINGLE, // one chunk
    TOC_HDF5_ROW,    // chunks one behind the other
    TOC_HDF5_LIST    // a list of chunks
} toc_hdf5_layout;

typedef struct toc_hdf5_filter {
    unsigned number;
    uint32_t value; // the first one of its values
} toc_hdf5_filter;

/// An array or an attribute.
typedef struct toc_hdf5_array {
    int rank; // 0 for a single value
    uint64_t shape[TOC_HDF5_RANK];
    toc_number type; // TOC_NUMBER_NONE for other types
    bool is_text, big_endian;
    size_t item; // bytes of an item
    toc_hdf5_layout layout;
    uint64_t address; // of the piece, the tree, the chunk or the list
    uint64_t bytes;   // stored in a piece or a single chunk
    uint32_t mask;    // filters left out of a single chunk
    uint64_t chunk[TOC_HDF5_RANK];
    int filter_count;
    toc_hdf5_filter filters[TOC_HDF5_FILTERS];
} toc_hdf5_array;

/// Whether the bytes are of an HDF5 file.
bool toc_hdf5_is(const toc_source *source);
/// Read the head. The source must stay open.
toc_status toc_hdf5_open(toc_source *source, toc_hdf5 *out);

/// Called with the name of each link; the object is TOC_HDF5_NONE for a link by name. Anything but TOC_OK ends the
/// list.
typedef toc_status toc_hdf5_link(void *user, toc_text name, uint64_t object);
toc_status toc_hdf5_list(const toc_hdf5 *h, uint64_t group, toc_hdf5_link *take, void *user);
/// The object of a path such as "Mesh/0/topology", from a group on; TOC_HDF5_NONE where there is none.
toc_status toc_hdf5_find(const toc_hdf5 *h, uint64_t group, const char *path, uint64_t *object);

/// Describe an array. Its items are checked to fit the file. Refused for a group.
toc_status toc_hdf5_describe(const toc_hdf5 *h, uint64_t object, toc_hdf5_array *out);
/// Describe an attribute of an object; *found is false where there is none.
toc_status toc_hdf5_attribute(const toc_hdf5 *h, uint64_t object, const char *name, toc_hdf5_array *out, bool *found);

/// The items of one index of the first dimension.
uint64_t toc_hdf5_row_items(const toc_hdf5_array *array);
/// Read rows, or one for a single value: row_items numbers each. Free the numbers.
toc_status toc_hdf5_numbers(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                            toc_numbers *out);
/// The same into an array of the caller. Rows of other than `components` numbers are refused: the file says how many
/// there are, the caller how many there is room for.
toc_status toc_hdf5_doubles(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                            uint64_t components, double *to);
toc_status toc_hdf5_integers(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t first, uint64_t count,
                             uint64_t components, int64_t *to);
/// Read a row of bytes, as those of a text.
toc_status toc_hdf5_row_bytes(const toc_hdf5 *h, const toc_hdf5_array *array, uint64_t row, char *to);

#endif
