// SPDX-License-Identifier: Apache-2.0
// Reading the command line by the option table of a subcommand, and printing that table.
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include "tools/command.h"

/// Store the values of options at the addresses in the table.
/// @param word_count the number of words; less behind, since files of TOOL_FILES are taken out.
/// @param arguments the words after the subcommand's name; words that are not options are moved to the end.
/// @param first receives the index of the first word that is not an option.
/// @param wants_help set if --help was given; the other outputs are then undefined.
toc_status tool_options_read(const tool_command *command, int *word_count, char **arguments, int *first,
                             bool *wants_help);

/// The option of a command behind another one, in the table's order; NULL behind the last.
/// @param after NULL for the first. @param sections a set, TOOL_SHOWN or TOOL_ALL.
const tool_option *tool_options_next(const tool_command *command, const tool_option *after, unsigned sections);
/// The i-th name that an option accepts: its choices, then the rare ones. NULL past the last.
const char *tool_option_choice(const tool_option *option, size_t i);

/// --help, the same for all subcommands.
extern const tool_option tool_option_help;

/// "--preset NAME", in a buffer that the next call overwrites.
const char *tool_option_text(const tool_option *option);
/// The names of a list as "a, b and c"; the caller frees the text. NULL when memory is out.
char *tool_names_join(tool_names *names);
bool tool_names_have(tool_names *names, const char *name);
/// The index of a name in a list that contains it.
int tool_names_find(tool_names *names, const char *name);
/// The names of toc_answer, toc_device_choice and toc_method by value; NULL past the last.
const char *tool_answer_name(size_t answer);
const char *tool_device_name(size_t device);
const char *tool_method_name(size_t method);
/// The presets for users, and those of papers.
const char *tool_preset_name(size_t i);
const char *tool_paper_preset_name(size_t i);

#endif
