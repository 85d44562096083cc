// SPDX-License-Identifier: Apache-2.0
// toccata bench: run the benchmark programs of a build, which lie beside the command, and draw their tables.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "tools/guess.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/process.h"

static struct { bool list; } settings;

enum { MOST_TABLES = 128, MOST_NAME = 64, MOST_PATH = 4096 };

// The programs: FOLDER/bench.NAME for each name.
static struct {
    char folder[MOST_PATH];
    char names[MOST_TABLES][MOST_NAME];
    size_t count;
} tables;

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

// ---- the programs beside the command

static bool find_folder(void) {
    const ssize_t length = readlink("/proc/self/exe", tables.folder, sizeof tables.folder - 16);
    if (length <= 0) return false;
    tables.folder[length] = 0;
    char *name = strrchr(tables.folder, '/');
    if (!name) return false;
    snprintf(name, sizeof "/bench", "/bench");
    return true;
}

static void table_file(const char *name, const char *extension, char path[MOST_PATH + 2 * MOST_NAME]) {
    snprintf(path, MOST_PATH + 2 * MOST_NAME, "%s/%s%s%s", tables.folder, *extension ? "" : "bench.", name, extension);
}

static void find_tables(void) {
    DIR *folder = find_folder() ? opendir(tables.folder) : NULL;
    char path[MOST_PATH + 2 * MOST_NAME];
    for (const struct dirent *entry; folder && (entry = readdir(folder)) && tables.count < MOST_TABLES;) {
        if (strncmp(entry->d_name, "bench.", 6) != 0 || strlen(entry->d_name) >= MOST_NAME) continue;
        char *name = tables.names[tables.count];
        snprintf(name, MOST_NAME, "%s", entry->d_name + 6);
        table_file(name, "", path);
        tables.count += access(path, X_OK) == 0;
    }
    if (folder) closedir(folder);
    qsort(tables.names, tables.count, sizeof *tables.names, compare_names);
}

static const char *table_name(size_t i) {
    if (tables.count == 0) find_tables();
    return i < tables.count ? tables.names[i] : NULL;
}

// ---- running them

// In the child: the program, with its standard output in a file.
static void become_program(const char *program, const char *argument, const char *out) {
    const int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (to < 0 || dup2(to, 1) < 0) _exit(126);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execlp(program, program, argument, (char *)NULL);
    _exit(127);
}

static toc_status run_program(const char *program, const char *argument, const char *out) {
    const pid_t child = fork();
    if (child < 0) return tool_fail(TOC_BAD_INPUT, "%s cannot be started: %s", program, strerror(errno));
    if (child == 0) become_program(program, argument, out);
    tool_process_end end;
    const toc_status status = tool_process_wait(program, child, INFINITY, &end);
    if (status != TOC_OK || tool_process_succeeded(&end)) return status;
    if (WIFSIGNALED(end.status))
        return tool_fail(TOC_BAD_INPUT, "%s ended by signal %d", program, WTERMSIG(end.status));
    return tool_fail(TOC_BAD_INPUT, "%s failed with the code %d", program, WEXITSTATUS(end.status));
}

static toc_status print_table(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return tool_fail(TOC_BAD_INPUT, "%s: %s", path, strerror(errno));
    char bytes[4096];
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;) fwrite(bytes, 1, count, tool_output());
    const bool bad = ferror(file);
    fclose(file);
    return bad ? tool_fail(TOC_BAD_INPUT, "%s cannot be read", path) : TOC_OK;
}

// The table is whole or keeps its old text.
static toc_status run_table(const char *name) {
    char program[MOST_PATH + 2 * MOST_NAME], text[MOST_PATH + 2 * MOST_NAME], part[MOST_PATH + 2 * MOST_NAME];
    table_file(name, "", program);
    table_file(name, ".txt", text);
    table_file(name, ".txt.part", part);
    fprintf(stderr, "== %s\n", name);
    const toc_status status = run_program(program, NULL, part);
    if (status != TOC_OK) {
        unlink(part);
        return status;
    }
    if (rename(part, text) != 0) return tool_fail(TOC_BAD_INPUT, "%s: %s", text, strerror(errno));
    return print_table(text);
}

// A table that fails, as that of a missing library does, leaves the others to be measured.
static toc_status run_all(void) {
    size_t failed = 0;
    for (size_t i = 0; i < tables.count; i++) {
        const toc_status status = run_table(tables.names[i]);
        if (status == TOC_STOPPED) return status;
        if (status == TOC_OK) continue;
        char why[1024];
        tool_failure_forget(why, sizeof why);
        fprintf(stderr, "%s\n", why);
        failed++;
    }
    if (failed == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "%zu of %zu tables failed, see above", failed, tables.count);
}

// A table without a plot is still a table, so failures here are notes.
static void draw_plots(void) {
    char script[MOST_PATH + 2 * MOST_NAME], gnuplot[TOOL_PROCESS_PATH];
    table_file("plot", ".sh", script);
    if (access(script, R_OK) != 0) return;
    if (!tool_process_find("gnuplot", gnuplot)) {
        fputs("no plots, since gnuplot is missing; on Debian: apt-get install gnuplot-nox\n", stderr);
        return;
    }
    char why[256];
    if (run_program("sh", script, "/dev/null") == TOC_OK)
        fprintf(stderr, "plots: %s/plots\n", tables.folder);
    else {
        tool_failure_forget(why, sizeof why);
        fprintf(stderr, "no plots: %s\n", why);
    }
}

// ---- the subcommand

static toc_status list_tables(void) {
    for (size_t i = 0; i < tables.count; i++) fprintf(tool_output(), "%s\n", tables.names[i]);
    return TOC_OK;
}

static toc_status bench_run(int count, char **names) {
    if (!table_name(0))
        return tool_fail(TOC_BAD_INPUT,
                         "no benchmark programs beside the command; ./run build makes them in a checkout");
    if (settings.list) return list_tables();
    for (int i = 0; i < count; i++)
        if (!tool_names_have(table_name, names[i]))
            return tool_fail(TOC_BAD_INPUT, "no table \"%s\"%s toccata bench --list", names[i],
                             tool_guess_text(table_name, "", names[i], "see"));
    TOC_TRY(count == 0 ? run_all() : TOC_OK);
    for (int i = 0; i < count; i++) TOC_TRY(run_table(names[i]));
    draw_plots();
    return TOC_OK;
}

// The completion scripts are made before the programs, so they offer no names.
static const char *no_name(size_t i) {
    (void)i;
    return NULL;
}

const tool_command tool_bench = {
    .name = "bench",
    .forms = (const char *const[]){"[TABLE...]", "--list", NULL},
    .what = "Measure a table of the papers or of our own, check its answers, and draw its plot.",
    .more =
        "Without a TABLE all are measured, which takes an hour or more. Tables also go to bench/TABLE.txt beside the "
        "command, and plots to bench/plots where gnuplot is installed. A table with a wrong answer fails. "
        "bench/README.md explains the tables. Benchmarks are part of a build, not of the packages.",
    .options =
        (const tool_option[]){
            {TOOL_ON, "list", NULL, "print the names of the tables", &settings.list, NULL},
            {0},
        },
    .words = no_name,
    .run = bench_run,
};
