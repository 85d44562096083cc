// SPDX-License-Identifier: Apache-2.0
// toccata man: print the manual page toccata(1), or that of a subcommand, from the tables of options.
#include <assert.h>
#include <string.h>

#include "tools/help.h"
#include "tools/options.h"
#include "tools/output.h"

// roff reads a dot or an apostrophe at the start of a line as a request, and a plain hyphen as a soft hyphen.
static void print_text(FILE *out, const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        line_start = *text == '\n';
        if (*text == '-' || *text == '\\') fputc('\\', out);
        fputs(*text == '\n' ? "\n.PP\n" : (char[]){*text, 0}, out);
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const tool_option *option) {
    fputs(".TP\n.B ", out);
    print_text(out, tool_option_text(option));
    print_text(out, option->what);
    if (!option->choices) return;
    fputs(".br\nOne of", out);
    for (size_t i = 0; tool_option_choice(option, i); i++)
        fprintf(out, "%s \\fB%s\\fR", i ? "," : "", tool_option_choice(option, i));
    fputs(".\n", out);
}

static void print_forms(FILE *out, const tool_command *command) {
    for (size_t i = 0; command->forms[i]; i++) {
        if (i) fputs(".br\n", out);
        fprintf(out, "\\fBtoccata %s\\fR ", command->name);
        print_text(out, command->forms[i]);
    }
}

static void print_description(FILE *out, const tool_command *command) {
    print_text(out, command->what);
    if (!command->more) return;
    fputs(".PP\n", out);
    print_text(out, command->more);
}

static void print_options(FILE *out, const tool_command *command) {
    static const char *const titles[] = {
        [TOOL_STEPS] = "Steps", [TOOL_RESEARCH] = "Research", [TOOL_FORMER] = "Former spellings"};
    tool_section section = TOOL_DAILY;
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_ALL));) {
        if (o->section != section) fprintf(out, ".PP\n\\fI%s\\fR\n", titles[o->section]);
        section = o->section;
        print_option(out, o);
    }
    if (section != TOOL_DAILY) fputs(".PP\n\\fIHelp\\fR\n", out);
    print_option(out, &tool_option_help);
}

static void print_command(FILE *out, const tool_command *command) {
    fprintf(out, ".SS %s\n", command->name);
    print_forms(out, command);
    fputs(".PP\n", out);
    print_description(out, command);
    print_options(out, command);
}

static const char opening[] =
    ".SH NAME\ntoccata \\- find when and where deforming bodies touch\n"
    ".SH SYNOPSIS\n\\fBtoccata\\fR \\fISUBCOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
    ".SH DESCRIPTION\nToccata reads two frames of a mesh, or a sequence of frames. It finds every contact between a "
    "vertex and a face and between two edges while all vertices move on straight lines from each frame to the next. "
    "No contact is missed.\n.SH SUBCOMMANDS\n";

static const char closing[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\nSuccess, with or without contacts.\n"
    ".TP\n1\nThe command line or an input is wrong.\n"
    ".TP\n2\nToccata failed; please report it.\n"
    ".TP\n3\nMemory or the disk is full.\n"
    ".TP\n4\nA contact or an overlap was found, with \\-\\-fail\\-on\\-contact.\n"
    ".TP\n130\nStopped by Ctrl\\-C (143: by SIGTERM). 141: the reader of standard output is gone.\n"
    ".PP\nA failure prints one line on standard error. Standard output is then empty, and no partial file "
    "remains.\n"
    ".SH ENVIRONMENT\n.TP\nNO_COLOR\nIf set, failures are printed without colour.\n";

static void print_all(FILE *out) {
    fprintf(out, ".TH TOCCATA 1 \"\" \"toccata %s\" \"User Commands\"\n%s", toc_version_get(), opening);
    for (size_t i = 0; tool_command_list(i); i++) print_command(out, tool_command_list(i));
    fputs(closing, out);
}

// toccata-check(1): the brief of NAME has no capital and no full stop.
static void print_one(FILE *out, const tool_command *command) {
    assert('A' <= command->what[0] && command->what[0] <= 'Z');
    fprintf(out, ".TH toccata-%s 1 \"\" \"toccata %s\" \"User Commands\"\n.SH NAME\ntoccata-%s \\- ", command->name,
            toc_version_get(), command->name);
    char brief[128];
    snprintf(brief, sizeof brief, "%c%.*s", command->what[0] + ('a' - 'A'), (int)strcspn(command->what + 1, "."),
             command->what + 1);
    print_text(out, brief);
    fputs(".SH SYNOPSIS\n", out);
    print_forms(out, command);
    fputs(".SH DESCRIPTION\n", out);
    print_description(out, command);
    fputs(".SH OPTIONS\n", out);
    print_options(out, command);
    fputs(closing, out);
    fputs(".SH SEE ALSO\n.BR toccata (1)\n", out);
}

static toc_status man_run(int count, char **arguments) {
    if (count > 1) return tool_fail(TOC_BAD_INPUT, "man takes at most one subcommand, not %d", count);
    const tool_command *command = NULL;
    if (count == 1) {
        const toc_status status = tool_command_choose(arguments[0], &command);
        if (status != TOC_OK) return status;
    }
    if (command) {
        print_one(tool_output(), command);
    } else {
        print_all(tool_output());
    }
    return TOC_OK;
}

const tool_command tool_man = {
    .name = "man",
    .forms = (const char *const[]){"[SUBCOMMAND]", NULL},
    .what = "Print the manual page, or that of a subcommand.",
    .more = "Read it with toccata man | man -l -.",
    .options = (const tool_option[]){{0}},
    .words = tool_command_name,
    .run = man_run,
};
