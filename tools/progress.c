// SPDX-License-Identifier: Apache-2.0
// The progress bar and the request to stop.
#include "tools/progress.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/platform/platform.h"
#include "tools/output.h"
#include "tools/standard.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t working, reading; // between begin and end of either

static const char *volatile passing_name; // of a file that is removed if a signal ends the program
static char kept_name[1024];              // of a file that stays
static volatile sig_atomic_t bar_shown;

static void clear_line(void) {
    static const char clear[] = "\r\033[K";
    if (bar_shown) toc_interrupt_write(clear, sizeof clear - 1);
    bar_shown = 0;
}

const char *tool_stop_text(void) {
    return *kept_name ? "stopped; whole steps are in " : "stopped; no partial file remains";
}

const char *tool_stop_kept(void) { return kept_name; }

// Other files being written have no name yet, so that nothing is left to remove.
static void note_signal(int signal_number) {
    stop_signal = signal_number;
    if (working && !reading) return;
    tool_standard_remove();
    if (passing_name) toc_path_remove(passing_name);
    clear_line();
    const char *const line[] = {"toccata: ", tool_stop_text(), kept_name, "\n"};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) toc_interrupt_write(line[i], strlen(line[i]));
    toc_interrupt_end(128 + signal_number);
}

void tool_stop_watch(void) { toc_interrupts_watch(note_signal); }

void tool_stop_removes(const char *path) { passing_name = path; }

void tool_stop_keeps(const char *path) { snprintf(kept_name, sizeof kept_name, "%s", path); }

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
    bool is_seen;          // by someone at a terminal; otherwise no round of a search reads the clock for it
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
    bar.is_seen = toc_error_output_is_terminal();
}

static void draw_bar(double done) {
    enum { WIDTH = 30 };
    if (!bar.is_seen) return;
    const double now = tool_seconds();
    if (now - bar.drawn < redraw) return;
    bar.drawn = now;
    bar_shown = 1;
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

void tool_progress_hide(void) { clear_line(); }

void tool_progress_end(void) {
    clear_line();
    working = 0;
}
