// SPDX-License-Identifier: Apache-2.0
// Running the command itself, as a user does: through a shell, or at a terminal.
#ifndef TOC_TEST_COMMAND_H
#define TOC_TEST_COMMAND_H

#include "support/test.h"

/// What a run came to. Valid until the run after the next.
typedef struct test_run {
    int code; // as a shell sees it: 128 + the signal where one ended it
    char *out, *err;
} test_run;

/// Run "toccata ARGUMENTS" in a shell, with its redirections if there are any.
__attribute__((format(printf, 1, 2))) test_run test_command(const char *format, ...);

/// The run must fail with this code, say one line with these words on standard error, and nothing on standard output.
#define assert_refused(run, code, words) assert_refused_((run), (code), (words), __FILE__, __LINE__)
void assert_refused_(test_run run, int code, const char *words, const char *file, int line);
/// The run must succeed and have the words on standard output.
#define assert_says(run, words) assert_says_((run), (words), __FILE__, __LINE__)
void assert_says_(test_run run, const char *words, const char *file, int line);

/// Run "toccata ARGUMENTS" at a terminal of its own, where both outputs go: told in `out`. As soon as the words
/// appear, the keys are typed ("\003" for Ctrl-C); NULL for neither.
test_run test_terminal(const char *arguments, const char *words, const char *keys);

#endif
