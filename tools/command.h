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

typedef struct tool_option {
    tool_kind kind;
    const char *name;  // "preset" for --preset
    const char *value; // the name of the value in --help; NULL for none
    const char *what;  // a sentence without a full stop
    void *to;
    tool_names *choices;
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

/// The options of commands that check steps on paths of any kind; `s` has the fields parabolas, velocities, dt, clip
/// and rate.
#define TOOL_OPTIONS_PATHS(s)                                                                                        \
    {                                                                                                                \
        TOOL_ON,                                                                                                     \
        "parabolas",                                                                                                 \
        NULL,                                                                                                        \
        "paths with an acceleration: each second frame is the middle of a step, or files have velocities",           \
        &(s).parabolas,                                                                                              \
        NULL},                                                                                                       \
        {TOOL_ON, "velocities", NULL, "begin each path with the velocity that the file has", &(s).velocities, NULL}, \
        {TOOL_LENGTH, "dt", "TIME", "time of a step along velocities (default by the times of the files)",           \
         &(s).dt,     NULL},                                                                                         \
        TOOL_OPTION_CLIP(&(s).clip), {                                                                               \
        TOOL_LENGTH, "rate", "N", "sample animations at N frames a second (default 30)", &(s).rate, NULL             \
    }

typedef struct tool_command {
    const char *name;
    const char *const *forms; // the arguments, "START END"; closed by NULL
    const char *what;         // a line
    const char *more;         // paragraphs, each a line
    const tool_option *options;
    tool_names *words; // the valid arguments; NULL for files
    toc_status (*run)(int count, char **arguments);
} tool_command;

/// The i-th subcommand; NULL past the last.
const tool_command *tool_command_list(size_t i);
const tool_command *tool_command_find(const char *name);

extern const tool_command tool_check, tool_view_command, tool_info, tool_probe, tool_convert, tool_truth, tool_scene,
    tool_bench, tool_simulate, tool_character, tool_help, tool_completion, tool_man;

#endif
