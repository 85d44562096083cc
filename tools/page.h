// SPDX-License-Identifier: Apache-2.0
// The page that shows a result in a browser: the built viewer (viewer/), the data, and nothing from elsewhere.
//
// The viewer contains a mark. In its place come blocks of bytes, each in a script element of its own, and one JSON
// object that refers to blocks by number. A block is base64 and the object escapes "<" (view/text.h), so names in
// files cannot close a script element.
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include "tools/output.h"
#include "view/coder.h"

typedef struct tool_page tool_page;

/// Begin a page, which becomes a file at the end of tool_page_write. Fails in a build without the viewer.
/// @param path NULL for a page that is served: blocks are kept in a temporary file.
toc_status tool_page_begin(const char *path, tool_page **out);
/// Fail if the viewer has no engine: a page without frames could do nothing.
toc_status tool_page_check_engine(void);
/// Where the blocks of the page go, as the coder of its data takes it.
view_store tool_page_store(tool_page *page);
/// Complete the page with its object, a text of JSON; NULL for a page without data.
toc_status tool_page_write(tool_page *page, const char *object);
/// Size of the page so far in bytes.
uint64_t tool_page_size(const tool_page *page);
/// Delete a page; of an incomplete one no file remains. NULL is fine.
void tool_page_destroy(tool_page *page);

/// Serve a complete page on the loopback interface until the command is stopped.
/// @param port 0 for any free one.
toc_status tool_page_serve(tool_page *page, size_t port);

#endif
