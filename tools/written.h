// SPDX-License-Identifier: Apache-2.0
// The names of the files that a run has written, for its report.
#ifndef TOOLS_WRITTEN_H
#define TOOLS_WRITTEN_H

#include <cjson/cJSON.h>

#include "tools/command.h"

typedef struct tool_written_file {
    const char *option; // the path that the user gave, which stands for all files of an option
    char *name;
} tool_written_file;

typedef struct tool_written {
    tool_written_file *files;
    size_t count, capacity;
} tool_written;

/// Note a file. @param option outlives the list.
toc_status tool_written_add(tool_written *written, const char *option, const char *name);
/// "written   c.csv", or "written   c-0000.vtp to c-0014.vtp, 15 files": a line for each option.
void tool_written_print(FILE *out, const tool_written *written);
/// Add the array "written" of all names, if there are any.
void tool_written_to_json(cJSON *object, const tool_written *written);
void tool_written_free(tool_written *written);

#endif
