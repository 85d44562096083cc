// SPDX-License-Identifier: Apache-2.0
// toccata research: the subcommands that compare methods of papers, with the page of help of these methods.
#include <string.h>

#include "base/status.h"
#include "tools/guess.h"
#include "tools/help.h"
#include "tools/output.h"

static const char *research_name(size_t i) {
    static const char *const names[] = {"check", "truth", "bench"};
    return i < 3 ? names[i] : NULL;
}

static bool asks_for_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static toc_status research_run(int count, char **words) {
    if (count == 0 || asks_for_help(words[0])) return tool_help_research();
    for (size_t i = 0; research_name(i); i++) {
        if (strcmp(research_name(i), words[0]) != 0) continue;
        if (i == 0 && count == 2 && asks_for_help(words[1])) return tool_help_research();
        return tool_command_run(tool_command_find(words[0]), count, words);
    }
    return tool_fail(TOC_BAD_INPUT, "no subcommand \"%s\" of research%s toccata help research", words[0],
                     tool_guess_text(research_name, "", words[0], "see"));
}

const tool_command tool_research = {
    .name = "research",
    .forms = (const char *const[]){"check|truth|bench [ARGUMENTS] [OPTIONS]", NULL},
    .what = "Compare presets and methods of papers; toccata help research lists them.",
    .options = (const tool_option[]){{0}},
    .words = research_name,
    .run = research_run,
    .is_prefix = true,
};
