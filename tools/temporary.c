// SPDX-License-Identifier: Apache-2.0
// Making temporary folders and files.
#include "tools/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/output.h"

// @return the folder that it is in.
static const char *name_template(char path[TOOL_TEMPORARY_PATH]) {
    const char *place = toc_folder_of_temporary();
    snprintf(path, TOOL_TEMPORARY_PATH, "%s/toccata-XXXXXX", place);
    return place;
}

toc_status tool_temporary_make(char folder[TOOL_TEMPORARY_PATH]) {
    const char *place = name_template(folder);
    if (toc_folder_make_unique(folder)) return TOC_OK;
    folder[0] = 0;
    return tool_fail(TOC_BAD_INPUT, "%s: no folder can be made: %s", place, strerror(errno));
}

toc_status tool_temporary_file(FILE **out) {
    *out = toc_temporary_open_stream(NULL);
    if (*out) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%s: no file can be made: %s", toc_folder_of_temporary(), strerror(errno));
}
