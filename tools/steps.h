// SPDX-License-Identifier: Apache-2.0
// The steps of a sequence that a user wants: "3", "3-7" or "3-", counted from 0.
#ifndef TOOLS_STEPS_H
#define TOOLS_STEPS_H

#include "tools/command.h"

typedef struct tool_steps {
    size_t first, end; // behind the last
} tool_steps;

/// Read the value of --steps. NULL stands for all.
/// @param count of the steps there are. @param what "steps" or "frames", for messages.
toc_status tool_steps_read(const char *text, size_t count, const char *what, tool_steps *out);

#endif
