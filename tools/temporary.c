// SPDX-License-Identifier: Apache-2.0
// Making a temporary folder.
#include "tools/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

toc_status tool_temporary_make(char folder[TOOL_TEMPORARY_PATH]) {
    const char *place = getenv("TMPDIR");
    if (!place || !*place || strlen(place) > TOOL_TEMPORARY_PATH - 40) place = "/tmp";
    snprintf(folder, TOOL_TEMPORARY_PATH, "%s/toccata-XXXXXX", place);
    if (mkdtemp(folder)) return TOC_OK;
    folder[0] = 0;
    return tool_fail(TOC_BAD_INPUT, "%s: no folder can be made: %s", place, strerror(errno));
}
