// SPDX-License-Identifier: Apache-2.0
// The page that shows a result in a browser: the built viewer (viewer/), the data, and nothing from elsewhere.
//
// The viewer contains a mark. In its place come blocks of bytes, each in a script element of its own, and one JSON
// object that refers to blocks by number. A block is base64 and the object escapes "<", so names in files cannot close
// a script element.
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include "tools/output.h"

typedef struct tool_page tool_page;

/// The type of the numbers in a block, little endian.
typedef enum tool_numbers { TOOL_U8, TOOL_U16, TOOL_U32, TOOL_F32, TOOL_F64 } tool_numbers;

/// Begin a page, which becomes a file at the end of tool_page_write. Fails in a build without the viewer.
/// @param path NULL for a page that is served: blocks are kept in a temporary file.
toc_status tool_page_begin(const char *path, tool_page **out);
/// Add a block. The first failure is kept, and tool_page_write reports it. The bytes may go when this returns.
/// @return the reference to the block, for the JSON object.
cJSON *tool_page_block(tool_page *page, tool_numbers type, size_t count, const void *numbers);
/// Complete the page with its object, which is deleted.
toc_status tool_page_write(tool_page *page, cJSON *object);
/// Size of the page so far in bytes.
uint64_t tool_page_size(const tool_page *page);
/// Delete a page; of an incomplete one no file remains. NULL is fine.
void tool_page_destroy(tool_page *page);

/// Serve a complete page on the loopback interface until the command is stopped.
/// @param port 0 for any free one.
toc_status tool_page_serve(tool_page *page, size_t port);

#endif
