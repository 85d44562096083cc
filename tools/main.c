// SPDX-License-Identifier: Apache-2.0
// The toccata command: find the subcommand, run it, and convert its status to an exit code.
#include <signal.h>
#include <string.h>

#include "tools/guess.h"
#include "tools/help.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/standard.h"

static const tool_command *const commands[] = {
    &tool_check, &tool_view_command, &tool_info,      &tool_probe, &tool_convert,    &tool_truth, &tool_scene,
    &tool_bench, &tool_simulate,     &tool_character, &tool_help,  &tool_completion, &tool_man};

const tool_command *tool_command_list(size_t i) { return i < sizeof commands / sizeof *commands ? commands[i] : NULL; }

const tool_command *tool_command_find(const char *name) {
    for (size_t i = 0; tool_command_list(i); i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

static toc_status run_command(const tool_command *command, int count, char **words) {
    int first = 0;
    bool wants_help = false;
    const toc_status status = tool_options_read(command, &count, words, &first, &wants_help);
    if (status != TOC_OK) return status;
    if (wants_help) return tool_help_command(command);
    return command->run(count - first, words + first);
}

static toc_status dispatch(int count, char **words) {
    if (count < 2) return tool_fail(TOC_BAD_INPUT, "no subcommand given; see toccata help");
    const char *word = words[1];
    if (strcmp(word, "--version") == 0) {
        fprintf(tool_output(), "toccata %s\n", toc_version_get());
        return TOC_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return tool_help_all();
    const tool_command *command = tool_command_find(word);
    if (!command)
        return tool_fail(TOC_BAD_INPUT, "no subcommand \"%s\"%s toccata help", word,
                         tool_guess_text(tool_command_name, "", word, "see"));
    return run_command(command, count - 1, words + 1);
}

int main(int count, char **words) {
    tool_stop_watch();
    // A closed pipe is then a write error, reported like any other.
    signal(SIGPIPE, SIG_IGN);
    toc_status status = tool_output_start();
    if (status == TOC_OK) status = tool_output_finish(dispatch(count, words));
    tool_progress_end();
    tool_standard_remove();
    if (status != TOC_OK) tool_failure_print(status);
    return tool_exit_code(status);
}
