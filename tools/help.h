// SPDX-License-Identifier: Apache-2.0
// Help, from the tables.
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/command.h"

/// How a subcommand is used, on the output.
toc_status tool_help_command(const tool_command *command);
/// What subcommands there are.
toc_status tool_help_all(void);
/// The names of the subcommands, as a list.
tool_names tool_command_name;

#endif
