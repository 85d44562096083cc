// SPDX-License-Identifier: Apache-2.0
// Help texts from the tables of options.
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/command.h"

/// Print the usage of a subcommand.
toc_status tool_help_command(const tool_command *command);
/// Print what serves research: presets, methods and options of papers.
toc_status tool_help_research(void);
/// Print the list of subcommands.
toc_status tool_help_all(void);
/// The names of the subcommands, as a list.
tool_names tool_command_name;
/// The subcommand of a name; any other name is refused, with a guess.
toc_status tool_command_choose(const char *name, const tool_command **out);

#endif
