// SPDX-License-Identifier: Apache-2.0
// Temporary folders and files, below TMPDIR or /tmp.
#ifndef TOOLS_TEMPORARY_H
#define TOOLS_TEMPORARY_H

#include <stdio.h>

#include "tools/command.h"

enum { TOOL_TEMPORARY_PATH = 600 };

/// Make an empty folder of the caller's own, who removes it. A TMPDIR that is too long counts as none.
toc_status tool_temporary_make(char folder[TOOL_TEMPORARY_PATH]);

/// Open a temporary file to write and read. It has no name any more: it goes when it is closed, or the program ends.
toc_status tool_temporary_file(FILE **out);

#endif
