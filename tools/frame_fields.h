// SPDX-License-Identifier: Apache-2.0
// The fields of a frame of a sequence, for the page: those of the file, and the velocities of results with many frames.
#ifndef TOOLS_FRAME_FIELDS_H
#define TOOLS_FRAME_FIELDS_H

#include "toccata/io.h"
#include "view/coder.h"

typedef struct tool_frame_fields {
    toc_fields *read; // owns the values
    toc_view_field *fields;
    size_t count;
} tool_frame_fields;

/// Before the first frame is read: whether the sequence has velocities that are not among the fields of its files.
toc_status tool_frame_fields_begin(toc_sequence *frames);
/// Find the fields of the frame that the mesh is at. @param only names with commas between them, "none", or NULL for
/// all. Free the result also after a failure.
toc_status tool_frame_fields_find(toc_sequence *frames, size_t frame, const toc_mesh *mesh, const char *only,
                                  tool_frame_fields *out);
void tool_frame_fields_free(tool_frame_fields *fields);

#endif
