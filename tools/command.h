// SPDX-License-Identifier: Apache-2.0
// A subcommand is one file and one row here. Its table of options is the only place where they are written: parsing,
// --help, the manual page and the shells' completion are all made from it, so they cannot disagree.
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "toccata/toccata.h"

/// What an option takes, and so the type behind `to`.
typedef enum tool_kind {
    TOOL_END = 0, // closes a table
    TOOL_ON,      // nothing; sets a bool
    TOOL_OFF,     // nothing; clears a bool
    TOOL_COUNT,   // an integer >= 0; a size_t
    TOOL_LENGTH,  // a number >= 0; a double
    TOOL_CHOICE,  // one of `choices`; a const char *
    TOOL_FILE,    // a path; a const char *
    TOOL_FOLDER   // a path; a const char *
} tool_kind;

/// The i-th name of a list; NULL past the last.
typedef const char *tool_names(size_t i);

typedef struct tool_option {
    tool_kind kind;
    const char *name;  // "preset" for --preset
    const char *value; // what --help calls the value
    const char *what;  // a sentence without a full stop
    void *to;
    tool_names *choices;
} tool_option;

typedef struct tool_command {
    const char *name;
    const char *const *forms; // what may follow the name, "START END", closed by NULL
    const char *what;         // a line
    const char *more;         // paragraphs, each a line
    const tool_option *options;
    tool_names *words; // what the arguments are chosen from; NULL for files
    toc_status (*run)(int count, char **arguments);
} tool_command;

/// The i-th subcommand; NULL past the last.
const tool_command *tool_command_list(size_t i);
const tool_command *tool_command_find(const char *name);

extern const tool_command tool_check, tool_info, tool_convert, tool_truth, tool_scene, tool_help, tool_completion,
    tool_man;

#endif
