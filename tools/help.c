// SPDX-License-Identifier: Apache-2.0
// toccata help, and --help of every subcommand.
#include "tools/help.h"

#include <stdlib.h>
#include <string.h>

#include "tools/guess.h"
#include "tools/options.h"
#include "tools/output.h"

enum { LINE = 80, NAME_COLUMN = 26 };

const char *tool_command_name(size_t i) {
    const tool_command *command = tool_command_list(i);
    return command ? command->name : NULL;
}

// Print words from a column on; later lines are indented to it.
static void print_wrapped(FILE *out, const char *text, int indent) {
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
    const int width = fprintf(out, "  %s", name);
    if (width + 2 > NAME_COLUMN) {
        fprintf(out, "\n%*s", NAME_COLUMN, "");
    } else {
        fprintf(out, "%*s", NAME_COLUMN - width, "");
    }
    print_wrapped(out, what, NAME_COLUMN);
}

static toc_status print_choices(FILE *out, tool_names *choices) {
    char *names = tool_names_join(choices);
    if (!names) return tool_fail_memory();
    fprintf(out, "%*s", NAME_COLUMN, "");
    print_wrapped(out, names, NAME_COLUMN);
    free(names);
    return TOC_OK;
}

static toc_status print_options(FILE *out, const tool_option *option) {
    toc_status status = TOC_OK;
    for (; option->kind != TOOL_END && status == TOC_OK; option++) {
        print_help_row(out, tool_option_text(option), option->what);
        if (option->choices) status = print_choices(out, option->choices);
    }
    print_help_row(out, tool_option_text(&tool_option_help), tool_option_help.what);
    return status;
}

toc_status tool_help_command(const tool_command *command) {
    FILE *out = tool_output();
    for (size_t i = 0; command->forms[i]; i++) {
        fprintf(out, "%s toccata %s %s\n", i ? "   or:" : "usage:", command->name, command->forms[i]);
    }
    fputc('\n', out);
    print_wrapped(out, command->what, 0);
    if (command->more) {
        fputc('\n', out);
        print_wrapped(out, command->more, 0);
    }
    fputs("\nOptions\n", out);
    return print_options(out, command->options);
}

toc_status tool_help_all(void) {
    FILE *out = tool_output();
    fputs("usage: toccata SUBCOMMAND [ARGUMENTS] [OPTIONS]\n\n"
          "Find when and where deforming bodies touch between two frames. No contact is missed.\n\nSubcommands\n",
          out);
    for (size_t i = 0; tool_command_list(i); i++) {
        print_help_row(out, tool_command_list(i)->name, tool_command_list(i)->what);
    }
    fputs("\nSee toccata help SUBCOMMAND for its options, and toccata --version for the version.\n", out);
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
    const tool_command *command;
    const toc_status status = tool_command_choose(arguments[0], &command);
    return status == TOC_OK ? tool_help_command(command) : status;
}

const tool_command tool_help = {
    .name = "help",
    .forms = (const char *const[]){"[SUBCOMMAND]", NULL},
    .what = "Describe a subcommand and its options.",
    .options = (const tool_option[]){{0}},
    .words = tool_command_name,
    .run = help_run,
};
