// SPDX-License-Identifier: Apache-2.0
// Arrays of values that stand in a file beside the mesh. Readers hand over those that they do not use themselves.
#ifndef TOC_IO_CORE_FIELDS_H
#define TOC_IO_CORE_FIELDS_H

#include "io/core/format.h"
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

/// Add a field of a frame; the caller writes its values. The shape has no name and no values.
toc_status toc_fields_new(toc_field_list *list, const char *name, toc_field shape, double **values);

/// A frame of a file that is open.
typedef struct toc_open_frame {
    const char *path;
    const toc_frame_methods *methods; // with fields
    void *frames;
    size_t frame;
} toc_open_frame;

/// Read its fields for a mesh with the ids of the first frame.
toc_status toc_fields_of_frame(const toc_open_frame *from, const toc_read_options *options, const toc_mesh *mesh,
                               toc_fields **out);
/// The von Mises stress of xx, yy, zz, xy, yz, zx.
double toc_fields_von_mises(const double stress[6]);

#endif
