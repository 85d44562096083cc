// SPDX-License-Identifier: Apache-2.0
// Contacts that simulate --contacts has written beside its frames: DIR/contacts/NAME.vtp for DIR/NAME.vtu.
#ifndef TOOLS_FRAME_CONTACTS_H
#define TOOLS_FRAME_CONTACTS_H

#include "tools/command.h"

typedef enum tool_beside {
    TOOL_NONE_BESIDE,  ///< There is no such file.
    TOOL_FOUND_BESIDE, ///< It has the contacts of the frame.
    TOOL_OTHER_RUN,    ///< It belongs to other frames, is damaged, or has other contents.
} tool_beside;

typedef struct tool_frame_contacts {
    tool_beside found;
    size_t count;
    toc_near_pair *pairs; // in the vertex ids of the mesh
} tool_frame_contacts;

/// Read the contacts beside a frame. Free with tool_frame_contacts_free.
/// @param frame the path of the frame. @param mesh the one that follows the frames. @param x its positions at this one.
toc_status tool_frame_contacts_read(const char *frame, const toc_mesh *mesh, const double *x, tool_frame_contacts *out);
void tool_frame_contacts_free(tool_frame_contacts *contacts);

#endif
