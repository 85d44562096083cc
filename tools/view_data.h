// SPDX-License-Identifier: Apache-2.0
// The data of the page: frames, surfaces, contacts and layers as blocks, and the object that describes them.
// viewer/src/data.ts reads the same layout.
#ifndef TOOLS_VIEW_DATA_H
#define TOOLS_VIEW_DATA_H

#include "tools/extras.h"
#include "tools/page.h"
#include "tools/skin.h"

typedef struct tool_view tool_view;

/// Begin with the first frame. @param up the axis that points up: 0, 1 or 2.
toc_status tool_view_begin(tool_page *page, const toc_sequence *frames, const toc_mesh *mesh, int up, tool_view **out);
/// The features of the mesh as it is now, derived again after edits. Valid until the next call.
toc_status tool_view_follow(tool_view *view, const toc_mesh *mesh, const toc_features **out);
/// Add a step: the mesh is at the end of it.
/// @param result its stages and times; NULL for contacts from a file. @param extras may be NULL.
toc_status tool_view_add_step(tool_view *view, const toc_mesh *mesh, size_t count, const toc_contact *contacts,
                              const toc_contacts *result, const tool_extras *extras);
/// Add the contacts of a simulation to the last frame.
toc_status tool_view_add_frame_contacts(tool_view *view, size_t count, const toc_near_pair *pairs);
/// The complete object; NULL when memory is out. The view is empty then.
cJSON *tool_view_finish(tool_view *view);
void tool_view_destroy(tool_view *view);

#endif
