// SPDX-License-Identifier: Apache-2.0
// Other programs as child processes.
#ifndef TOOLS_PROCESS_H
#define TOOLS_PROCESS_H

#include <sys/types.h>

#include "tools/command.h"

/// Whether a program is on the PATH.
bool tool_process_is_there(const char *program);

/// The end of a child process.
typedef struct tool_process_end {
    int status; // of waitpid
    bool late;  // it took too long and was ended
} tool_process_end;

/// Wait for a child. It is ended after `seconds`, and when the user asks to stop: TOC_STOPPED.
/// @param name of the program, for messages. @param seconds INFINITY for no limit.
toc_status tool_process_wait(const char *name, pid_t child, double seconds, tool_process_end *out);
/// Whether the program ended by itself with the code 0.
bool tool_process_succeeded(const tool_process_end *end);

#endif
