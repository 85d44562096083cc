// SPDX-License-Identifier: Apache-2.0
// What the user sees: answers on standard output, all at once and only when all went well; failures as one line on
// standard error.
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <cjson/cJSON.h>

#include "tools/command.h"

/// Keep a sentence for the line on standard error and return the status.
__attribute__((format(printf, 2, 3))) toc_status tool_fail(toc_status status, const char *format, ...);
toc_status tool_fail_memory(void);
/// Print the failure - tool_fail's sentence, else the library's - as "toccata: sentence".
void tool_failure_print(toc_status status);
/// What a status means to the shell.
int tool_exit_code(toc_status status);

/// Standard output's stand-in: written out by tool_output_finish, or never. NULL before tool_output_start.
FILE *tool_output(void);
toc_status tool_output_start(void);
/// Write it out if the status is TOC_OK, drop it otherwise; returns the status of both.
toc_status tool_output_finish(toc_status status);

/// A number with as few digits as give the same double back, "null" where JSON has none; the next call overwrites it.
/// cJSON's own printing is not exact.
const char *tool_double_text(double x);

/// The object of --json.
cJSON *tool_json_start(void);
void tool_json_double(cJSON *object, const char *name, double x);
void tool_json_count(cJSON *object, const char *name, uint64_t count);
/// Print the object and delete it; fails if memory was ever out since tool_json_start.
toc_status tool_json_print(cJSON *object);

/// Write a file, whole or not at all.
toc_status tool_file_write(const char *path, const void *bytes, size_t count);

/// path with "-0042" before the extension.
toc_status tool_path_number(const char *path, size_t number, char **out);
/// "file" of "folder/file".
const char *tool_path_name(const char *path);
bool tool_path_ends(const char *path, const char *extension);
/// Seconds on a clock that only goes forward.
double tool_seconds(void);

#endif
