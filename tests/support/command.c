// SPDX-License-Identifier: Apache-2.0
// Runs of the command: a shell with its outputs in files, or a pseudo-terminal.
#include "support/command.h"

#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = TOC_BINARY_DIR "/toccata";
enum { OUTPUT_SIZE = 1 << 20 };

// Two alternating buffers for each output, so that two runs can be compared.
static struct { char out[OUTPUT_SIZE], err[OUTPUT_SIZE]; } kept[2];
static int turn;

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static void read_back(FILE *file, char *text) {
    rewind(file);
    const size_t count = fread(text, 1, OUTPUT_SIZE - 1, file);
    text[count] = 0;
    fclose(file);
}

test_run test_command(const char *format, ...) {
    char arguments[8192], line[16384];
    va_list values;
    va_start(values, format);
    assert_in_range(vsnprintf(arguments, sizeof arguments, format, values), 0, sizeof arguments - 1);
    va_end(values);
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    // The braces let redirections among the arguments apply last.
    snprintf(line, sizeof line, "{ '%s' %s ; } </dev/null >&%d 2>&%d", program, arguments, fileno(out), fileno(err));
    turn = !turn;
    const test_run run = {.code = exit_code(system(line)), .out = kept[turn].out, .err = kept[turn].err};
    read_back(out, run.out);
    read_back(err, run.err);
    return run;
}

static void show(test_run run) { print_error("exit code %d\nout: %s\nerr: %s\n", run.code, run.out, run.err); }

void assert_refused_(test_run run, int code, const char *words, const char *file, int line) {
    const size_t length = strlen(run.err);
    const bool one_line = length > 0 && strchr(run.err, '\n') == run.err + length - 1;
    const bool ours = strncmp(run.err, "toccata: ", 9) == 0 && strstr(run.err, words);
    if (run.code == code && one_line && ours && !*run.out) return;
    print_error("not refused with code %d and \"%s\"\n", code, words);
    show(run);
    _fail(file, line);
}

void assert_says_(test_run run, const char *words, const char *file, int line) {
    if (run.code == 0 && !*run.err && strstr(run.out, words)) return;
    print_error("does not say \"%s\"\n", words);
    show(run);
    _fail(file, line);
}

void assert_former_(test_run run, const char *words, const char *now, const char *file, int line) {
    const char *end = strchr(run.err, '\n');
    if (run.code == 0 && end && !end[1] && strstr(run.err, "is a former spelling; now: ") && strstr(run.err, now) &&
        strstr(run.out, words))
        return;
    print_error("does not say \"%s\", or not that it is now \"%s\"\n", words, now);
    show(run);
    _fail(file, line);
}

test_run test_terminal(const char *arguments, const char *words, const char *keys) {
    char line[16384];
    snprintf(line, sizeof line, "exec '%s' %s", program, arguments);
    turn = !turn;
    test_run run = {.out = kept[turn].out, .err = kept[turn].err};
    int terminal, status;
    const pid_t child = forkpty(&terminal, NULL, NULL, &(struct winsize){.ws_row = 24, .ws_col = 80});
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    size_t count = 0;
    for (ssize_t got; (got = read(terminal, run.out + count, OUTPUT_SIZE - 1 - count)) > 0;) {
        run.out[count += (size_t)got] = 0;
        if (!words || !strstr(run.out, words)) continue;
        assert_int_equal(write(terminal, keys, strlen(keys)), strlen(keys));
        words = NULL;
    }
    run.out[count] = run.err[0] = 0;
    waitpid(child, &status, 0);
    close(terminal);
    run.code = exit_code(status);
    return run;
}

void test_fall_write(int frames) {
    for (int i = 0; i < frames; i++) {
        char name[32], text[256];
        snprintf(name, sizeof name, "fall%d.off", i);
        snprintf(text, sizeof text, "OFF\n6 2 0\n-4 -4 0\n5 -4 0\n-4 5 0\n0.1 0.2 %s\n0 1 9\n1 0 9\n3 0 1 2\n3 3 4 5\n",
                 i == 0 ? "1" : "-3");
        test_text_write(name, text);
    }
}
