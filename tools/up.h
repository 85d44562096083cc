// SPDX-License-Identifier: Apache-2.0
// The axis that points up.
#ifndef TOOLS_UP_H
#define TOOLS_UP_H

#include "tools/command.h"

/// "x", "y", "z", as a list of choices.
tool_names tool_up_name;
/// The index of one of these names.
int tool_up_index(const char *name);
/// The axis that files of this format use: y for glTF, where the standard says so, and OBJ, where most programs write
/// it; else z.
int tool_up_guess(const char *path);

#endif
