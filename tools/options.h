// SPDX-License-Identifier: Apache-2.0
// Reading the command line by a subcommand's table, and telling what it holds.
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "tools/command.h"

/// Put the values of options where the table says.
/// @param arguments the words after the subcommand's name; what is no option is moved to the end.
/// @param first receives the index of the first word that is no option.
/// @param wants_help set when --help was given; the rest means nothing then.
toc_status tool_options_read(const tool_command *command, int count, char **arguments, int *first, bool *wants_help);

/// --help, the same for all subcommands.
extern const tool_option tool_option_help;

/// "--preset NAME", in a buffer that the next call overwrites.
const char *tool_option_text(const tool_option *option);
/// "a, b and c" of a list, for sentences; the caller frees it. NULL when memory is out.
char *tool_names_join(tool_names *names);
bool tool_names_have(tool_names *names, const char *name);

#endif
