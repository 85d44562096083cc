// SPDX-License-Identifier: Apache-2.0
// Standard input and output in the place of files: "-", or "-.ply" to name the format.
#ifndef TOOLS_STANDARD_H
#define TOOLS_STANDARD_H

#include "tools/command.h"

/// Whether a word stands for standard input or output.
bool tool_is_standard(const char *path);
/// Replace such words by a file that holds standard input; it is removed at the end. One of them at most.
toc_status tool_standard_input(int count, char **paths);
/// The path for an output: itself, or a temporary file with this extension (".csv") for "-".
/// @param out receives the path, which stays valid.
toc_status tool_standard_output(const char *path, const char *extension, const char **out);
/// After a file of tool_standard_output was written: put its bytes on standard output. Nothing for other paths.
toc_status tool_standard_flush(const char *path, const char *written);
/// A path as the user gave it.
const char *tool_standard_name(const char *path);
/// The file that stands for standard input, which messages do not show. @return the length of its path; 0 for none.
size_t tool_standard_hidden(const char **path);
/// Remove the temporary files. Safe in a handler of signals.
void tool_standard_remove(void);

#endif
