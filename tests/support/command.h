// SPDX-License-Identifier: Apache-2.0
// Run the command as a user does: through a shell, or at a terminal.
#ifndef TOC_TEST_COMMAND_H
#define TOC_TEST_COMMAND_H

#include "support/test.h"

/// The result of a run. Valid until the run after the next.
typedef struct test_run {
    int code; // the exit code of a shell: 128 + the signal after a signal
    char *out, *err;
} test_run;

/// Run "toccata ARGUMENTS" in a shell, with its redirections if there are any.
__attribute__((format(printf, 1, 2))) test_run test_command(const char *format, ...);

/// The run must fail with this code, print one line with these words on standard error, and nothing on standard output.
#define assert_refused(run, code, words) assert_refused_((run), (code), (words), __FILE__, __LINE__)
void assert_refused_(test_run run, int code, const char *words, const char *file, int line);
/// The run must succeed and have the words on standard output.
#define assert_says(run, words) assert_says_((run), (words), __FILE__, __LINE__)
void assert_says_(test_run run, const char *words, const char *file, int line);

/// The run must succeed, have the words on standard output, and name the new spelling of one option on standard error.
#define assert_former(run, words, now) assert_former_((run), (words), (now), __FILE__, __LINE__)
void assert_former_(test_run run, const char *words, const char *now, const char *file, int line);

/// Write the frames fall0.off, fall1.off and so on: a vertex of a small triangle falls from height 1 to -3, through a
/// large triangle at t = 1/4, and rests from then on.
void test_fall_write(int frames);

/// Run "toccata ARGUMENTS" at a pseudo-terminal, which receives both outputs; they are in `out`. When the words
/// appear, the keys are typed ("\003" for Ctrl-C). Both may be NULL.
test_run test_terminal(const char *arguments, const char *words, const char *keys);

#endif
