// SPDX-License-Identifier: Apache-2.0
// Other programs as child processes.
#ifndef TOOLS_PROCESS_H
#define TOOLS_PROCESS_H

#include <sys/types.h>

#include "tools/command.h"

enum { TOOL_PROCESS_PATH = 4096 };

/// Find a program on the PATH. @param file receives its path. @return false if it is not there.
bool tool_process_find(const char *program, char file[TOOL_PROCESS_PATH]);

/// The end of a child process.
typedef struct tool_process_end {
    int status; // of waitpid
    bool late;  // it took too long and was ended
} tool_process_end;

/// Wait for a child. It is ended after `seconds`, and when the user asks to stop: TOC_STOPPED. If it leads a process
/// group of its own, the group is ended with it.
/// @param name of the program, for messages. @param seconds INFINITY for no limit.
toc_status tool_process_wait(const char *name, pid_t child, double seconds, tool_process_end *out);
/// Whether the program ended by itself with the code 0.
bool tool_process_succeeded(const tool_process_end *end);

#endif
