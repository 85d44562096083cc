// SPDX-License-Identifier: Apache-2.0
// Making temporary folders and files.
#include "tools/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/output.h"

// @return the folder that it is in.
static const char *name_template(char path[TOOL_TEMPORARY_PATH]) {
    const char *place = getenv("TMPDIR");
    if (!place || !*place || strlen(place) > TOOL_TEMPORARY_PATH - 40) place = "/tmp";
    snprintf(path, TOOL_TEMPORARY_PATH, "%s/toccata-XXXXXX", place);
    return place;
}

toc_status tool_temporary_make(char folder[TOOL_TEMPORARY_PATH]) {
    const char *place = name_template(folder);
    if (mkdtemp(folder)) return TOC_OK;
    folder[0] = 0;
    return tool_fail(TOC_BAD_INPUT, "%s: no folder can be made: %s", place, strerror(errno));
}

toc_status tool_temporary_file(FILE **out) {
    char path[TOOL_TEMPORARY_PATH];
    const char *place = name_template(path);
    const int number = mkstemp(path);
    if (number >= 0) unlink(path);
    FILE *file = number >= 0 ? fdopen(number, "w+b") : NULL;
    if (!file) {
        const int error = errno;
        if (number >= 0) close(number);
        return tool_fail(TOC_BAD_INPUT, "%s: no file can be made: %s", place, strerror(error));
    }
    *out = file;
    return TOC_OK;
}
