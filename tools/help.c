// SPDX-License-Identifier: Apache-2.0
// toccata help, and --help of every subcommand.
#include "tools/help.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "toccata/research.h"
#include "tools/guess.h"
#include "tools/options.h"
#include "tools/output.h"

enum { LINE = 80, NAME_COLUMN = 22 };

const char *tool_command_name(size_t i) {
    const tool_command *command = tool_command_list(i);
    return command ? command->name : NULL;
}

// Print words from a column on; later lines are indented to it.
static void print_wrapped(FILE *out, const char *text, int indent) {
    assert(0 <= indent && indent < LINE);
    int column = indent;
    for (const char *gap = ""; *text;) {
        const int length = (int)strcspn(text, " \n");
        if (*gap == '\n' || (*gap && column + 1 + length > LINE)) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (*gap) {
            column += fprintf(out, " ");
        }
        column += fprintf(out, "%.*s", length, text);
        gap = text += length;
        if (*text) text++;
    }
    fputc('\n', out);
}

static void print_help_row(FILE *out, const char *name, const char *what) {
    assert(name && what);
    const int width = fprintf(out, "  %s", name);
    if (width + 2 > NAME_COLUMN) {
        fprintf(out, "\n%*s", NAME_COLUMN, "");
    } else {
        fprintf(out, "%*s", NAME_COLUMN - width, "");
    }
    print_wrapped(out, what, NAME_COLUMN);
}

// "the search: auto, bvh and brute".
static toc_status print_choices(FILE *out, const char *name, const char *what, tool_names *choices) {
    char *names = tool_names_join(choices), *text = NULL;
    size_t size;
    FILE *into = names ? toc_stream_open_text(&text, &size) : NULL;
    if (into) {
        fprintf(into, "%s: %s", what, names);
        toc_stream_close_text(into, &text, &size);
        print_help_row(out, name, text);
    }
    free(text);
    free(names);
    return into ? TOC_OK : tool_fail_memory();
}

static toc_status print_option(FILE *out, const tool_option *option) {
    if (option->choices) return print_choices(out, tool_option_text(option), option->what, option->choices);
    print_help_row(out, tool_option_text(option), option->what);
    return TOC_OK;
}

static toc_status print_options(FILE *out, const tool_command *command, unsigned sections) {
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, sections));) TOC_TRY(print_option(out, o));
    return TOC_OK;
}

toc_status tool_help_command(const tool_command *command) {
    assert(command->forms && command->forms[0] && command->what);
    FILE *out = tool_output();
    for (size_t i = 0; command->forms[i]; i++) {
        fprintf(out, "%s toccata %s %s\n", i ? "   or:" : "usage:", command->name, command->forms[i]);
    }
    fputc('\n', out);
    print_wrapped(out, command->what, 0);
    if (command->more && !command->pages) {
        fputc('\n', out);
        print_wrapped(out, command->more, 0);
    }
    fputs("\nOptions\n", out);
    TOC_TRY(print_options(out, command, command->pages ? 1 << TOOL_DAILY : TOOL_SHOWN));
    TOC_TRY(print_option(out, &tool_option_help));
    if (!command->pages) return TOC_OK;
    fputc('\n', out);
    print_wrapped(out, command->pages, 0);
    return TOC_OK;
}

// ---- pages of check

static toc_status print_steps(FILE *out) {
    fputs("usage: toccata check START MIDDLE END --parabolas [OPTIONS]\n"
          "   or: toccata check START END --parabolas [--dt TIME] [OPTIONS]\n"
          "   or: toccata check START --velocities --dt TIME [OPTIONS]\n\n",
          out);
    print_wrapped(out, "Steps from animations, with velocities and along parabolas; more questions about a step.", 0);
    fputs("\nOptions\n", out);
    return print_options(out, &tool_check, 1 << TOOL_STEPS);
}

toc_status tool_help_research(void) {
    FILE *out = tool_output();
    fputs("usage: toccata research check|truth|bench [ARGUMENTS] [OPTIONS]\n\n", out);
    print_wrapped(out,
                  "Methods of papers beside our own, to compare them (docs/papers). The subcommands take the options "
                  "below with and without research before them; some of these presets and methods can miss contacts.",
                  0);
    fputs("\nFurther presets of --preset\n  ", out);
    char *names = tool_names_join(tool_paper_preset_name);
    if (!names) return tool_fail_memory();
    print_wrapped(out, toc_research_is_built() ? names : "none: this build leaves them out (TOC_RESEARCH=OFF)", 2);
    free(names);
    fputs("\nOptions of check\n", out);
    return print_options(out, &tool_check, 1 << TOOL_RESEARCH);
}

toc_status tool_help_all(void) {
    FILE *out = tool_output();
    fputs("usage: toccata SUBCOMMAND [ARGUMENTS] [OPTIONS]\n\n"
          "Find when and where deforming bodies touch between two frames. No contact is missed.\n\nSubcommands\n",
          out);
    for (size_t i = 0; tool_command_list(i); i++) {
        print_help_row(out, tool_command_list(i)->name, tool_command_list(i)->what);
    }
    fputs("\nSee toccata help SUBCOMMAND for its options, toccata help steps and toccata help research for more\n"
          "options of check, and toccata --version for the version.\n",
          out);
    return TOC_OK;
}

toc_status tool_command_choose(const char *name, const tool_command **out) {
    *out = tool_command_find(name);
    if (*out) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "no subcommand \"%s\"%s toccata help", name,
                     tool_guess_text(tool_command_name, "", name, "see"));
}

static toc_status help_run(int count, char **arguments) {
    if (count == 0) return tool_help_all();
    if (count > 1) return tool_fail(TOC_BAD_INPUT, "help takes at most one subcommand, not %d", count);
    if (strcmp(arguments[0], "steps") == 0) return print_steps(tool_output());
    if (strcmp(arguments[0], tool_research.name) == 0) return tool_help_research();
    const tool_command *command;
    TOC_TRY(tool_command_choose(arguments[0], &command));
    return tool_help_command(command);
}

const tool_command tool_help = {
    .name = "help",
    .forms = (const char *const[]){"[SUBCOMMAND]", NULL},
    .what = "Describe a subcommand and its options.",
    .options = (const tool_option[]){{0}},
    .words = tool_command_name,
    .run = help_run,
};
