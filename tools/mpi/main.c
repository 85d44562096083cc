// SPDX-License-Identifier: Apache-2.0
// The toccata-mpi command. All ranks read the same command line; rank 0 prints.
#include <mpi.h>
#include <signal.h>
#include <string.h>

#include "base/status.h"
#include "tools/help.h"
#include "tools/mpi/team.h"
#include "tools/options.h"
#include "tools/output.h"

static const tool_command *const commands[] = {&tool_check, &tool_overlaps, &tool_near};

const tool_command *tool_command_list(size_t i) { return i < sizeof commands / sizeof *commands ? commands[i] : NULL; }

const tool_command *tool_command_find(const char *name) {
    for (size_t i = 0; tool_command_list(i); i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

toc_status tool_command_run(const tool_command *command, int count, char **words) {
    int first = 0;
    bool wants_help = false;
    TOC_TRY(tool_options_read(command, &count, words, &first, &wants_help));
    if (wants_help) return tool_help_command(command);
    return command->run(count - first, words + first);
}

static toc_status dispatch(int count, char **words) {
    if (count < 2) return tool_fail(TOC_BAD_INPUT, "no subcommand given; see toccata-mpi check --help");
    if (strcmp(words[1], "--version") == 0) {
        fprintf(tool_output(), "toccata-mpi %s\n", toc_version_get());
        return TOC_OK;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) return tool_help_all();
    const tool_command *command = tool_command_find(words[1]);
    if (command) return tool_command_run(command, count - 1, words + 1);
    return tool_fail(TOC_BAD_INPUT, "no subcommand \"%s\"; toccata-mpi has check, overlaps and near", words[1]);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    signal(SIGPIPE, SIG_IGN);
    toc_status status = tool_output_start();
    if (status == TOC_OK) status = dispatch(count, words);
    const bool prints = team_rank() == 0;
    // Only rank 0 has written to the buffer, but for --help and --version.
    if (tool_output() && prints) status = tool_output_finish(status);
    if (prints) status == TOC_OK ? tool_former_print() : tool_failure_print(status);
    MPI_Finalize();
    // The exit status of mpirun is that of rank 0. A failing status of another rank could end rank 0 while it prints.
    return prints ? tool_exit_code(status) : 0;
}
