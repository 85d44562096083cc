// SPDX-License-Identifier: Apache-2.0
// Child processes that run trials and send a report for each through a pipe.
#include "campaign/runner.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Processor time of a trial, all threads together, after which it counts as without end. Trials take milliseconds.
enum { MOST_SECONDS = 60 };

const char *runner_with;
static int report_pipe;
static check_report present;

static void send_report(const check_report *report) {
    // Less than PIPE_BUF, so it arrives whole.
    _Static_assert(sizeof *report < 4096, "a report must fit into a pipe's buffer");
    if (write(report_pipe, report, sizeof *report) != (ssize_t)sizeof *report) _exit(3);
}

static void time_is_up(int signal) {
    (void)signal;
    present.failed = true;
    present.op = check_present_op;
    memcpy(present.check, "no end", sizeof "no end");
    send_report(&present);
    _exit(0);
}

static void set_watchdog(void) {
    signal(SIGPROF, time_is_up);
    const struct itimerval limit = {.it_value.tv_sec = MOST_SECONDS};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static void run_here(const trial *t) {
    memset(&present, 0, sizeof present);
    set_watchdog();
    if (!runner_with || trial_has(t, runner_with)) check_run(t, &present);
    send_report(&present);
}

// A child with the pipe's writing end; returns 0 in the child, which must leave with _exit.
static pid_t start_child(const char *lanes, int *from) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        close(ends[0]);
        report_pipe = ends[1];
        signal(SIGTERM, SIG_IGN); // the parent ends the run behind this batch
        signal(SIGINT, SIG_IGN);
        if (lanes) setenv("TOC_SIMD", lanes, 1);
        return 0;
    }
    close(ends[1]);
    *from = ends[0];
    return child;
}

static bool receive(int from, check_report *report) {
    ssize_t got;
    while ((got = read(from, report, sizeof *report)) < 0 && errno == EINTR) {
    }
    return got == (ssize_t)sizeof *report;
}

static void describe_death(pid_t child, check_report *report) {
    int status;
    waitpid(child, &status, 0);
    memset(report, 0, sizeof *report);
    report->failed = true;
    report->counts.trials = 1;
    snprintf(report->check, sizeof report->check, "crash");
    snprintf(report->text, sizeof report->text, WIFSIGNALED(status) ? "signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void runner_batch(uint64_t first, size_t count, const char *lanes, check_report *reports) {
    size_t done = 0;
    while (done < count) {
        int from = -1;
        const pid_t child = start_child(lanes, &from);
        if (child == 0) {
            for (size_t i = done; i < count; i++) {
                trial t = trial_generate(first + i);
                run_here(&t);
                trial_free(&t);
            }
            _exit(0);
        }
        while (done < count && receive(from, &reports[done])) done++;
        close(from);
        const bool ended = done > 0 && strcmp(reports[done - 1].check, "no end") == 0;
        if (done < count && !ended)
            describe_death(child, &reports[done++]);
        else
            waitpid(child, NULL, 0);
    }
}

void runner_one(const trial *t, const char *lanes, check_report *report) {
    int from = -1;
    const pid_t child = start_child(lanes, &from);
    if (child == 0) {
        run_here(t);
        _exit(0);
    }
    const bool received = receive(from, report);
    close(from);
    if (received)
        waitpid(child, NULL, 0);
    else
        describe_death(child, report);
}
