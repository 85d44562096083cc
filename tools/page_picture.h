// SPDX-License-Identifier: Apache-2.0
// A picture of a page, drawn by an installed browser without a window.
#ifndef TOOLS_PAGE_PICTURE_H
#define TOOLS_PAGE_PICTURE_H

#include "tools/command.h"
#include "tools/temporary.h"

typedef struct tool_page_picture {
    size_t width, height; // pixels
    const char *link;     // the view: the text behind # in a link of the page; NULL for that of a fresh page
    char folder[TOOL_TEMPORARY_PATH];
    char page[TOOL_TEMPORARY_PATH + 16]; // a path in the folder, for a page that nobody keeps
} tool_page_picture;

/// Refuse sizes and links that no browser takes, and a machine without a browser. Then make the temporary folder.
toc_status tool_page_picture_begin(tool_page_picture *picture);
/// Draw a page. Writes a complete PNG or none.
/// @param page the one to draw: that in the folder, or any other.
toc_status tool_page_picture_draw(const tool_page_picture *picture, const char *page, const char *path);
/// Remove the temporary folder, if it was made.
void tool_page_picture_end(tool_page_picture *picture);

#endif
