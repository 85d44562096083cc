// SPDX-License-Identifier: Apache-2.0
// The program, its terminal and its interrupts, by POSIX.
#include <signal.h>
#include <unistd.h>

#include "base/platform/platform.h"

void toc_program_begin(int *count, char ***words) {
    (void)count;
    (void)words;
    signal(SIGPIPE, SIG_IGN);
}

bool toc_error_output_is_terminal(void) { return isatty(STDERR_FILENO); }

void toc_interrupts_watch(void (*note)(int signal)) {
    // After the first signal, the default action applies again.
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void toc_interrupt_write(const char *text, size_t length) { (void)!write(STDERR_FILENO, text, length); }
void toc_interrupt_end(int code) { _exit(code); }
