// SPDX-License-Identifier: Apache-2.0
// toccata completion: print shell scripts that complete subcommands, options and values, from the tables of options.
#include <string.h>

#include "tools/help.h"
#include "tools/options.h"
#include "tools/output.h"

static void print_names(FILE *out, tool_names *names) {
    for (size_t i = 0; names(i); i++) fprintf(out, "%s%s", i ? " " : "", names(i));
}

static void print_choices(FILE *out, const tool_option *option) {
    for (size_t i = 0; tool_option_choice(option, i); i++)
        fprintf(out, "%s%s", i ? " " : "", tool_option_choice(option, i));
}

static void print_option_names(FILE *out, const tool_command *command) {
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_SHOWN));) fprintf(out, "--%s ", o->name);
    fprintf(out, "--%s", tool_option_help.name);
}

static bool takes_path(const tool_option *option) {
    return option->kind == TOOL_FOLDER || option->kind == TOOL_FILE || option->kind == TOOL_FILES;
}

// Escape single quotes within single quotes, for sh and zsh.
static void print_quoted(FILE *out, const char *text) {
    for (; *text; text++) fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
}

// The values that may follow an option.
static void print_bash_values(FILE *out, const tool_command *command) {
    for (const tool_option *option = NULL; (option = tool_options_next(command, option, TOOL_SHOWN));) {
        if (!option->value) continue;
        fprintf(out, "    %s:--%s) ", command->name, option->name);
        if (option->choices) {
            fputs("COMPREPLY=($(compgen -W \"", out);
            print_choices(out, option);
            fputs("\" -- \"$word\")) ;;\n", out);
        } else if (takes_path(option)) {
            fprintf(out, "COMPREPLY=($(compgen -%c -- \"$word\")) ;;\n", option->kind == TOOL_FOLDER ? 'd' : 'f');
        } else {
            fputs(";;\n", out);
        }
    }
}

static void print_bash_words(FILE *out, const tool_command *command) {
    fprintf(out, "    %s:*) words=\"", command->name);
    print_option_names(out, command);
    fputs(command->words ? "\" names=\"" : "\" files=1 ;;\n", out);
    if (!command->words) return;
    print_names(out, command->words);
    fputs("\" ;;\n", out);
}

static void print_bash(FILE *out) {
    fputs("# bash completion of toccata, made by: toccata completion bash\n"
          "_toccata() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= names= files=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    print_names(out, tool_command_name);
    fputs(" --help --version\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]}:$before in\n", out);
    for (size_t i = 0; tool_command_list(i); i++) print_bash_values(out, tool_command_list(i));
    for (size_t i = 0; tool_command_list(i); i++) print_bash_words(out, tool_command_list(i));
    fputs("    esac\n"
          "    case $word in\n"
          "    -*) COMPREPLY+=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
          "    *) [ -z \"$names\" ] || COMPREPLY+=($(compgen -W \"$names\" -- \"$word\"))\n"
          "       [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$word\")) ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _toccata toccata\n",
          out);
}

// '--preset[description]:NAME:(brute auto)'; brackets and colons within the description need an escape.
static void print_zsh_option(FILE *out, const tool_option *option) {
    fprintf(out, " \\\n            '--%s[", option->name);
    for (const char *c = option->what; *c; c++) {
        if (strchr("[]:", *c)) fputc('\\', out);
        print_quoted(out, (char[]){*c, 0});
    }
    fputc(']', out);
    if (option->value) {
        fprintf(out, ":%s:", option->value);
        if (option->choices) {
            fputc('(', out);
            print_choices(out, option);
            fputc(')', out);
        } else if (takes_path(option)) {
            fputs(option->kind == TOOL_FOLDER ? "_files -/" : "_files", out);
        }
    }
    fputc('\'', out);
}

static void print_zsh_command(FILE *out, const tool_command *command) {
    fprintf(out, "    %s)\n        _arguments", command->name);
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_SHOWN));) print_zsh_option(out, o);
    print_zsh_option(out, &tool_option_help);
    fputs(" \\\n            '*:argument:", out);
    if (command->words) {
        fputc('(', out);
        print_names(out, command->words);
        fputs(")'", out);
    } else {
        fputs("_files'", out);
    }
    fputs(" ;;\n", out);
}

static void print_zsh(FILE *out) {
    fputs("#compdef toccata\n# zsh completion of toccata, made by: toccata completion zsh\n"
          "_toccata() {\n    local -a subcommands=(\n",
          out);
    for (size_t i = 0; tool_command_list(i); i++) {
        fprintf(out, "        '%s:", tool_command_list(i)->name);
        print_quoted(out, tool_command_list(i)->what);
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe subcommand subcommands\n        return\n    fi\n"
          "    local subcommand=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $subcommand in\n",
          out);
    for (size_t i = 0; tool_command_list(i); i++) print_zsh_command(out, tool_command_list(i));
    fputs("    esac\n}\n_toccata \"$@\"\n", out);
}

static void print_fish_option(FILE *out, const char *command, const tool_option *option) {
    fprintf(out, "complete -c toccata -n '__fish_seen_subcommand_from %s' -l %s -d '", command, option->name);
    for (const char *c = option->what; *c; c++) fputs(*c == '\'' ? "\\'" : (char[]){*c, 0}, out);
    fputc('\'', out);
    if (option->choices) {
        fputs(" -x -a '", out);
        print_choices(out, option);
        fputc('\'', out);
    } else if (option->value) {
        fputs(takes_path(option) ? " -r -F" : " -x", out);
    }
    fputc('\n', out);
}

static void print_fish(FILE *out) {
    fputs("# fish completion of toccata, made by: toccata completion fish\n", out);
    for (size_t i = 0; tool_command_list(i); i++) {
        const tool_command *command = tool_command_list(i);
        fprintf(out, "complete -c toccata -f -n __fish_use_subcommand -a %s -d '%s'\n", command->name, command->what);
        for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_SHOWN));)
            print_fish_option(out, command->name, o);
        print_fish_option(out, command->name, &tool_option_help);
        if (!command->words) continue;
        fprintf(out, "complete -c toccata -f -n '__fish_seen_subcommand_from %s' -a '", command->name);
        print_names(out, command->words);
        fputs("'\n", out);
    }
}

static const char *shell_name(size_t i) {
    static const char *const shells[] = {"bash", "zsh", "fish"};
    return i < 3 ? shells[i] : NULL;
}

static toc_status completion_run(int count, char **arguments) {
    static void (*const printers[])(FILE *) = {print_bash, print_zsh, print_fish};
    if (count != 1) return tool_fail(TOC_BAD_INPUT, "completion needs one shell, bash, zsh or fish, not %d", count);
    for (size_t i = 0; shell_name(i); i++) {
        if (strcmp(shell_name(i), arguments[0]) != 0) continue;
        printers[i](tool_output());
        return TOC_OK;
    }
    return tool_fail(TOC_BAD_INPUT, "no completion for the shell \"%s\"; choose bash, zsh or fish", arguments[0]);
}

const tool_command tool_completion = {
    .name = "completion",
    .forms = (const char *const[]){"bash|zsh|fish", NULL},
    .what = "Print the completion script for a shell.",
    .more = "For bash, put eval \"$(toccata completion bash)\" in ~/.bashrc. For zsh and fish, save the script as "
            "_toccata or toccata.fish in a folder of completions.",
    .options = (const tool_option[]){{0}},
    .words = shell_name,
    .run = completion_run,
};
