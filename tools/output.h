// SPDX-License-Identifier: Apache-2.0
// Output to the user: results on standard output, all at once and only on success, or whole steps of a sequence as they
// come; failures as one line on standard error.
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <cjson/cJSON.h>

#include "tools/command.h"

/// Keep a sentence for the line on standard error and return the status.
__attribute__((format(printf, 2, 3))) toc_status tool_fail(toc_status status, const char *format, ...);
toc_status tool_fail_memory(void);
/// Take back the last failure, for work that goes on another way: its sentence, cut to the size.
void tool_failure_forget(char *to, size_t size);
/// Print the failure - tool_fail's sentence, else the library's - as "toccata: sentence".
void tool_failure_print(toc_status status);
/// Note that a former spelling of an option was used; printed after success, a line for each, once.
void tool_former(const char *option, const char *now);
void tool_former_print(void);
/// The exit code for a status.
int tool_exit_code(toc_status status);
/// Exit codes of success beside 0: something was found with --fail-on-contact; the reader of a pipe is gone.
enum { TOOL_EXIT_FOUND = 4, TOOL_EXIT_PIPE = 128 + 13 };
void tool_exit_with(int code);

/// A buffer for standard output, which tool_output_finish writes or drops. NULL before tool_output_start.
FILE *tool_output(void);
toc_status tool_output_start(void);
/// Write what the buffer has so far: whole rows of a run that goes on. They stay if it fails later.
toc_status tool_output_flush(void);
/// Write the rest of the buffer if the status is TOC_OK, else drop it. @return the first failure of both.
toc_status tool_output_finish(toc_status status);

/// A number in the fewest digits that give the same double back; "null" for values that JSON lacks. The next call
/// overwrites the text. cJSON's own printing is not exact.
const char *tool_double_text(double x);

/// The object of --json.
cJSON *tool_json_start(void);
void tool_json_double(cJSON *object, const char *name, double x);
void tool_json_count(cJSON *object, const char *name, uint64_t count);
/// The object as text without blanks; the caller frees it with cJSON_free. Fails as tool_json_print.
toc_status tool_json_text(const cJSON *object, char **out);
/// Print the object and delete it. Fails if any allocation has failed since tool_json_start.
toc_status tool_json_print(cJSON *object);

/// Refuse a path where no file can be written, before the work for it begins; NULL is fine.
toc_status tool_file_try(const char *path);
/// Write a complete file or none.
toc_status tool_file_write(const char *path, const void *bytes, size_t count);

/// Whether a path has a place for a number: %d, or %04d with any digits.
bool tool_path_has_number(const char *path);
/// path with the number in this place, else with "-0042" before the extension.
toc_status tool_path_number(const char *path, size_t number, char **out);
/// "c.csv" of "c-%04d.csv": path without the place for a number.
toc_status tool_path_unnumbered(const char *path, char **out);
/// "file" of "folder/file".
const char *tool_path_name(const char *path);
bool tool_path_ends(const char *path, const char *extension);
/// Seconds of a monotonic clock.
double tool_seconds(void);

#endif
