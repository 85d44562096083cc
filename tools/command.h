// SPDX-License-Identifier: Apache-2.0
// A subcommand is one file and one row here. Parsing, --help, the manual page and the shell completions all use its
// table of options, so they cannot disagree.
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "toccata/toccata.h"

/// The value of an option, and the type that `to` points to.
typedef enum tool_kind {
    TOOL_END = 0, // closes a table
    TOOL_ON,      // nothing; sets a bool
    TOOL_OFF,     // nothing; clears a bool
    TOOL_COUNT,   // an integer >= 0; a size_t
    TOOL_LENGTH,  // a number >= 0; a double
    TOOL_SIZE,    // bytes, as in 500M; a uint64_t
    TOOL_CHOICE,  // one of `choices`; a const char *
    TOOL_CHOICES, // several of `choices` with commas between them, or the option again; a uint32_t with bit i for name
                  // i
    TOOL_TEXT,    // any text; a const char *
    TOOL_FILE,    // a path; a const char *
    TOOL_FILES,   // one path or two, and the option again; a tool_files. Words that are no options precede it.
    TOOL_TEXTS,   // any text, and the option again; a tool_texts
    TOOL_FOLDER   // a path; a const char *
} tool_kind;

enum { TOOL_MOST_TEXTS = 32 };

/// The values of an option that may be given several times.
typedef struct tool_texts {
    size_t count;
    const char *at[TOOL_MOST_TEXTS];
} tool_texts;

/// Files of an option, each with a second one or NULL.
typedef struct tool_files {
    size_t count;
    const char *at[TOOL_MOST_TEXTS][2];
} tool_files;

/// The i-th name of a list; NULL past the last.
typedef const char *tool_names(size_t i);

/// The page of help that shows an option.
typedef enum tool_section {
    TOOL_DAILY = 0, // toccata help COMMAND
    TOOL_STEPS,     // toccata help steps
    TOOL_RESEARCH,  // toccata help research
    TOOL_FORMER     // none: a former spelling, which works and names the new one
} tool_section;

/// Sets of sections, with bit 1 << section.
enum { TOOL_SHOWN = 1 << TOOL_DAILY | 1 << TOOL_STEPS | 1 << TOOL_RESEARCH, TOOL_ALL = TOOL_SHOWN | 1 << TOOL_FORMER };

/// Commands that share a table of options, as bits. TOOL_MPI is set beside the others.
enum { TOOL_CHECK = 1, TOOL_OVERLAPS = 2, TOOL_NEAR = 4, TOOL_MPI = 8 };

// Tables of options leave out the columns that are 0.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef struct tool_option {
    tool_kind kind;
    const char *name;  // "preset" for --preset
    const char *value; // the name of the value in --help; NULL for none
    const char *what;  // a sentence without a full stop
    void *to;
    tool_names *choices;
    tool_section section;
    unsigned who;     // the commands that have it, of those that share the table; 0 for all
    const char *now;  // TOOL_FORMER: the new spelling
    tool_names *rare; // choices beside `choices`, on the page of research; may be NULL
} tool_option;

/// The option of every subcommand that reads meshes; `to` is a uint64_t, 0 to begin with.
#define TOOL_OPTION_MEMORY(to)                                                                                      \
    {                                                                                                               \
        TOOL_SIZE, "memory", "SIZE",                                                                                \
            "memory that reading a file may take, as in 500M or 4G (default a quarter of what is available)", (to), \
            NULL                                                                                                    \
    }

/// The option of every subcommand that plays animations; `to` is a const char *, NULL to begin with.
#define TOOL_OPTION_CLIP(to) \
    { TOOL_TEXT, "clip", "NAME", "play this animation of the file (default the first that moves)", (to), NULL }

typedef struct tool_command {
    const char *name;
    const char *const *forms; // the arguments, "START END"; closed by NULL
    const char *what;         // a line
    const char *more;         // paragraphs, each a line
    const char *pages;        // names of further pages of help; then `more` is left to the manual. NULL for one page
    const tool_option *options;
    unsigned who;      // which rows of the table it reads: a bit of tool_option.who, and TOOL_MPI; 0 for all
    tool_names *words; // the valid arguments; NULL for files
    toc_status (*run)(int count, char **arguments);
    bool is_prefix; // before another subcommand, whose words follow
} tool_command;

/// The i-th subcommand; NULL past the last.
const tool_command *tool_command_list(size_t i);
const tool_command *tool_command_find(const char *name);
/// Run a subcommand. @param words its name, and the words behind it.
toc_status tool_command_run(const tool_command *command, int count, char **words);

extern const tool_command tool_check, tool_overlaps, tool_near, tool_research, tool_view_command, tool_info, tool_probe,
    tool_convert, tool_truth, tool_scene, tool_bench, tool_simulate, tool_character, tool_help, tool_completion,
    tool_man;

#endif
