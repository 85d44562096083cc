// SPDX-License-Identifier: Apache-2.0
// The progress bar and the request to stop.
#include "tools/progress.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "tools/output.h"
#include "tools/standard.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t working, reading; // between begin and end of either

// Files being written have no name yet, so that nothing is left to remove.
static void note_signal(int signal_number) {
    static const char line[] = "toccata: stopped; no partial file remains\n";
    stop_signal = signal_number;
    if (working && !reading) return;
    tool_standard_remove();
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    _exit(128 + signal_number);
}

void tool_stop_watch(void) {
    // After the first signal, the default action applies again.
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int tool_stop_signal(void) { return stop_signal; }

toc_status tool_reading_begin(void) {
    reading = 1;
    return stop_signal ? TOC_STOPPED : TOC_OK;
}

void tool_reading_end(void) { reading = 0; }

static struct {
    const char *what;
    size_t part, parts;
    double started, drawn; // seconds
    bool shown;
} bar;

static const double patience = 1.0; // seconds before a bar appears
static const double redraw = 0.1;   // seconds between redraws

void tool_progress_start(const char *what, size_t parts) {
    working = 1;
    bar.what = what;
    bar.part = 0;
    bar.parts = parts ? parts : 1;
    bar.started = tool_seconds();
    bar.drawn = bar.started + patience - redraw;
}

static void draw_bar(double done) {
    enum { WIDTH = 30 };
    const double now = tool_seconds();
    if (now - bar.drawn < redraw || !isatty(STDERR_FILENO)) return;
    bar.drawn = now;
    bar.shown = true;
    const int full = (int)lround(done * WIDTH);
    fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f %%", bar.what, full, "##############################", WIDTH - full, "",
            100 * done);
    if (done > 0.02) fprintf(stderr, "  %.0f s left", (now - bar.started) * (1 - done) / done);
    fflush(stderr);
}

static int report_progress(void *user, double done) {
    (void)user;
    draw_bar(((double)bar.part + fmin(fmax(done, 0), 1)) / (double)bar.parts);
    return stop_signal != 0;
}

toc_progress tool_progress(void) { return (toc_progress){.report = report_progress}; }

toc_status tool_progress_part(size_t part) {
    bar.part = part;
    return report_progress(NULL, 0) ? TOC_STOPPED : TOC_OK;
}

void tool_progress_end(void) {
    if (bar.shown) fputs("\r\033[K", stderr);
    bar.shown = false;
    working = 0;
}
