// SPDX-License-Identifier: Apache-2.0
// The toccata command: find the subcommand, run it, and convert its status to an exit code.
#include <assert.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/status.h"
#include "tools/check_html.h"
#include "tools/guess.h"
#include "tools/help.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/standard.h"

static const tool_command *const commands[] = {&tool_check,    &tool_overlaps,  &tool_near,       &tool_view_command,
                                               &tool_info,     &tool_probe,     &tool_convert,    &tool_scene,
                                               &tool_simulate, &tool_character, &tool_truth,      &tool_bench,
                                               &tool_research, &tool_help,      &tool_completion, &tool_man};

const tool_command *tool_command_list(size_t i) { return i < sizeof commands / sizeof *commands ? commands[i] : NULL; }

const tool_command *tool_command_find(const char *name) {
    for (size_t i = 0; tool_command_list(i); i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    }
    return NULL;
}

toc_status tool_command_run(const tool_command *command, int count, char **words) {
    assert(count > 0 && strcmp(words[0], command->name) == 0);
    if (command->is_prefix) return command->run(count - 1, words + 1);
    int first = 0;
    bool wants_help = false;
    TOC_TRY(tool_options_read(command, &count, words, &first, &wants_help));
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
    return tool_command_run(command, count - 1, words + 1);
}

int main(int count, char **words) {
    toc_program_begin(&count, &words);
    check_html_note_words(count, words);
    tool_stop_watch();
    toc_status status = tool_output_start();
    if (status == TOC_OK) {
        status = dispatch(count, words);
        tool_progress_end(); // the lines below begin where the bar was
        status = tool_output_finish(status);
    }
    tool_standard_remove();
    status == TOC_OK ? tool_former_print() : tool_failure_print(status);
    return tool_exit_code(status);
}
