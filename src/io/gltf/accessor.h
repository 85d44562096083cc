// SPDX-License-Identifier: Apache-2.0
// An array of numbers in a glTF file, of any type, stride and sparseness, read as doubles.
#ifndef TOC_IO_GLTF_ACCESSOR_H
#define TOC_IO_GLTF_ACCESSOR_H

#include "io/core/numbers.h"
#include "io/gltf/document.h"

/// Items of 1 to 16 numbers. A view of the document's buffers: nothing to free.
typedef struct toc_accessor {
    toc_json_id id; // for messages
    toc_number type;
    bool normalized; // integers stand for 0 .. 1 or -1 .. 1
    size_t components, count, stride;
    const char *bytes; // NULL if all items but the sparse ones are 0
    size_t sparse_count;
    toc_numbers sparse_items; // ascending
    const char *sparse_bytes; // their values, one behind the other
} toc_accessor;

/// Open the accessor whose index is a member of an object, and check that all its bytes exist. It must have this many
/// components. A missing member gives the count 0.
toc_status toc_accessor_open(toc_gltf *file, toc_json_id object, const char *name, size_t components,
                             toc_accessor *out);

/// The numbers of the items first .. first+count-1.
void toc_accessor_read(const toc_accessor *accessor, size_t first, size_t count, double *to);
/// An item of one number.
static inline double toc_accessor_at(const toc_accessor *accessor, size_t item) {
    double x;
    toc_accessor_read(accessor, item, 1, &x);
    return x;
}
/// Fail at an item: the message names its byte if the file itself holds it, else the accessor.
toc_status toc_accessor_fail(const toc_gltf *file, const toc_accessor *accessor, size_t item, const char *sentence);

#endif
