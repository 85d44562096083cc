// SPDX-License-Identifier: Apache-2.0
// Arrays of values that stand in a file beside the mesh. Readers hand over those that they do not use themselves.
#ifndef TOC_IO_CORE_FIELDS_H
#define TOC_IO_CORE_FIELDS_H

#include "io/core/numbers.h"
#include "toccata/io.h"

/// Fields on their way out of a file. Names and values are in the arena.
typedef struct toc_field_list {
    toc_arena *arena;
    TOC_ARRAY(toc_field) fields; // by the points and cells of the file
} toc_field_list;

/// Whether an array of the source becomes a field: they are asked for, and it has a name, numbers, and 1 or 3 of them.
bool toc_fields_want(const toc_source *source, toc_text name, toc_number type, size_t components);
/// Add such an array. The numbers stay with the caller.
toc_status toc_fields_add(const toc_source *source, toc_text name, bool of_elements, size_t components,
                          const toc_numbers *values);

#endif
