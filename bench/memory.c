// SPDX-License-Identifier: Apache-2.0
// The memory of a query against motion and contacts: with a list, with a sink, and the least limit that it can keep.
//
//     bench.memory                    the table, of a sheet of 5,000 triangles
//     bench.memory stream N FILE      all contacts of a sheet of N by N squares, streamed to a file of toc_contact
//     bench.memory command N TOCCATA FOLDER
//                                     the command toccata check of such a sheet: a list in memory, and --memory 64M
//     bench.memory lines N TOCCATA FOLDER
//                                     the command with --memory 512M, which writes its CSV into a pipe
//
// Answers within a limit must be those without, bit by bit. Every thousandth contact of the file is asked about again,
// by exact arithmetic. Files that the command writes within its limit must be those without, byte by byte. Lines in the
// pipe must be in ascending order, and as many as the command reports; every thousandth contact is asked about again.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/support/measure.h"
#include "bench/support/sheet.h"
#include "scene/scene.h"
#include "toccata/io.h"

static void fail_memory(const char *what) {
    fprintf(stderr, "memory: %s\n", what);
    exit(1);
}

// ---- the table

static int drop_contacts(void *user, const toc_contact *contacts, size_t count) {
    (void)contacts;
    *(uint64_t *)user += count;
    return 0;
}

typedef struct memory_run {
    toc_status status;
    toc_contacts *contacts; // NULL on failure
    size_t peak;            // of the memory of the query
    double cpu;
} memory_run;

static memory_run run_within(double far, uint64_t limit, uint64_t *sunk) {
    toc_scene *sheet = bench_random_sheet(50, far);
    toc_query query = toc_query_default();
    memory_run run = {.contacts = NULL};
    query.threads = 1;
    query.memory_limit = limit;
    if (sunk) query.sink = (toc_contact_sink){drop_contacts, sunk};
    const double start = bench_cpu();
    run.status = toc_scene_find_contacts(sheet, &query, NULL, &run.contacts);
    run.cpu = bench_cpu() - start;
    run.peak = sheet->pool.peak;
    if (run.status != TOC_OK && run.status != TOC_OUT_OF_MEMORY) bench_check(run.status);
    toc_scene_destroy(sheet);
    return run;
}

// The least limit, to within 2 %, and its run. The limit `high` is known to be enough.
static memory_run run_least(double far, size_t high, size_t *limit) {
    memory_run best = run_within(far, high, NULL);
    if (best.status != TOC_OK) fail_memory("the peak of a query is not enough for the query");
    for (size_t low = 0; high - low > high / 50;) {
        const size_t middle = low + (high - low) / 2;
        const memory_run run = run_within(far, middle, NULL);
        if (run.status == TOC_OK) {
            toc_contacts_destroy(best.contacts);
            best = run;
            high = middle;
        } else {
            low = middle;
        }
    }
    *limit = high;
    return best;
}

static void measure_motion(double far) {
    const double mega = 1 << 20;
    uint64_t sunk = 0;
    size_t limit;
    memory_run list = run_within(far, 0, NULL), sink = run_within(far, 0, &sunk);
    if (list.status != TOC_OK || sink.status != TOC_OK) fail_memory("out of memory without a limit");
    memory_run least = run_least(far, list.peak, &limit);
    const size_t count = list.contacts->count;
    if (sunk != count || sink.contacts->found != count) fail_memory("the sink received another number of contacts");
    if (least.contacts->count != count ||
        memcmp(least.contacts->contacts, list.contacts->contacts, count * sizeof *list.contacts->contacts) != 0)
        fail_memory("a limit changes the answer");
    printf("%6.1f %10zu %10.1f %10.2f %10.2f %10.2f %10.2f\n", far, count, (double)(count * sizeof(toc_contact)) / mega,
           (double)list.peak / mega, (double)sink.peak / mega, (double)limit / mega, least.cpu / list.cpu);
    fflush(stdout);
    toc_contacts_destroy(list.contacts);
    toc_contacts_destroy(sink.contacts);
    toc_contacts_destroy(least.contacts);
}

// ---- streaming

typedef struct contact_stream {
    FILE *file;
    uint64_t count;
} contact_stream;

static int write_contacts(void *user, const toc_contact *contacts, size_t count) {
    contact_stream *s = user;
    s->count += count;
    return fwrite(contacts, sizeof *contacts, count, s->file) != count;
}

static void check_record(const toc_mesh *mesh, const toc_contact *c) {
    toc_pair pair;
    toc_hit hit;
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    for (int j = 0; j < 4; j++) {
        memcpy(pair.x0[j], toc_mesh_get_x0(mesh) + 3 * (size_t)c->v[j], sizeof pair.x0[j]);
        memcpy(pair.x1[j], toc_mesh_get_x1(mesh) + 3 * (size_t)c->v[j], sizeof pair.x1[j]);
    }
    bench_check(toc_pair_find(c->kind, &pair, &test, &hit));
    if (hit.verdict != TOC_HIT || c->toc > hit.toc * (1 + 1e-9)) fail_memory("a contact of the file is none, or late");
}

static uint64_t check_stream(FILE *file, const toc_mesh *mesh) {
    static toc_contact block[1000];
    uint64_t count = 0;
    rewind(file);
    for (size_t got; (got = fread(block, sizeof *block, 1000, file)) > 0; count += got) check_record(mesh, block);
    return count;
}

static void stream_to(uint32_t n, const char *path) {
    toc_scene *sheet = bench_random_sheet(n, 20);
    contact_stream s = {.file = fopen(path, "w+b")};
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    if (!s.file) fail_memory("the file cannot be written");
    query.sink = (toc_contact_sink){write_contacts, &s};
    const double start = bench_cpu(), before = bench_peak_memory();
    bench_check(toc_scene_find_contacts(sheet, &query, NULL, &contacts));
    const double cpu = bench_cpu() - start, after = bench_peak_memory();
    if (fflush(s.file) != 0 || ferror(s.file)) fail_memory("the file cannot be written");
    const uint64_t read = check_stream(s.file, toc_scene_get_mesh(sheet, 0));
    if (read != contacts->found || read != s.count) fail_memory("the file has another number of contacts");
    printf("%u triangles, %llu contacts, %.1f GB in the file, %.0f CPU s\n", 2 * n * n, (unsigned long long)read,
           (double)read * sizeof(toc_contact) / 1e9, cpu);
    printf("peak memory of the process: %.0f MiB with the mesh alone, %.0f MiB with the query\n", before, after);
    for (size_t i = 0; i < contacts->stage_count; i++)
        printf("    %-16s %14llu %14llu\n", contacts->stages[i].name, (unsigned long long)contacts->stages[i].in,
               (unsigned long long)contacts->stages[i].out);
    fclose(s.file);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(sheet);
}

// ---- the command

typedef struct command_run {
    double peak, cpu; // MiB, seconds
} command_run;

// @param output receives the standard output.
static pid_t start_command(char *const words[], const char *output) {
    fflush(stdout); // once, not again by the child
    const pid_t child = fork();
    if (child == 0) {
        if (freopen(output, "w", stdout)) execv(words[0], words);
        _exit(127);
    }
    return child;
}

static command_run end_command(pid_t child) {
    struct rusage use;
    int status;
    if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0) fail_memory("the command fails");
    return (command_run){(double)use.ru_maxrss / 1024,
                         (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec};
}

static command_run run_command(char *const words[]) { return end_command(start_command(words, "/dev/null")); }

static bool are_same_files(const char *a, const char *b) {
    FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
    static char bytes[2][1 << 16];
    size_t got[2] = {1, 1};
    bool same = files[0] && files[1];
    while (same && got[0] > 0) {
        for (int i = 0; i < 2; i++) got[i] = fread(bytes[i], 1, sizeof bytes[i], files[i]);
        same = got[0] == got[1] && memcmp(bytes[0], bytes[1], got[0]) == 0;
    }
    for (int i = 0; i < 2; i++)
        if (files[i]) fclose(files[i]);
    return same;
}

static void compare_command(char *toccata, char *start, char *end, const char *folder, const char *extension) {
    char list[512], limited[512];
    snprintf(list, sizeof list, "%s/list.%s", folder, extension);
    snprintf(limited, sizeof limited, "%s/limited.%s", folder, extension);
    const command_run plain =
        run_command((char *[]){toccata, "check", start, end, "--threads", "1", "--contacts", list, NULL});
    const command_run tight = run_command(
        (char *[]){toccata, "check", start, end, "--threads", "1", "--memory", "64M", "--contacts", limited, NULL});
    if (!are_same_files(list, limited)) fail_memory("a limit changes the file");
    printf("%6s %10.0f %10.0f %10.2f\n", extension, plain.peak, tight.peak, tight.cpu / plain.cpu);
    fflush(stdout);
    remove(list);
    remove(limited);
}

typedef struct sheet_files {
    char start[512], end[512];
} sheet_files;

static toc_scene *write_sheet(uint32_t n, const char *folder, sheet_files *files) {
    toc_scene *sheet = bench_random_sheet(n, 20);
    snprintf(files->start, sizeof files->start, "%s/start.vtu", folder);
    snprintf(files->end, sizeof files->end, "%s/end.vtu", folder);
    bench_check(toc_mesh_write(files->start, toc_scene_get_mesh(sheet, 0), TOC_AT_START));
    bench_check(toc_mesh_write(files->end, toc_scene_get_mesh(sheet, 0), TOC_AT_END));
    return sheet;
}

static void remove_sheet(const sheet_files *files) {
    remove(files->start);
    remove(files->end);
}

static void measure_command(uint32_t n, char *toccata, const char *folder) {
    sheet_files files;
    toc_scene *sheet = write_sheet(n, folder, &files);
    uint64_t found = 0;
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.sink = (toc_contact_sink){drop_contacts, &found};
    bench_check(toc_scene_find_contacts(sheet, &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    toc_scene_destroy(sheet);
    printf("# toccata check of %u triangles with %llu contacts: peak of the process in MiB with a list, with --memory "
           "64M,\n"
           "# and CPU time of the second over that of the first\n#  file       list    limited       time\n",
           2 * n * n, (unsigned long long)found);
    compare_command(toccata, files.start, files.end, folder, "csv");
    compare_command(toccata, files.start, files.end, folder, "vtp");
    remove_sheet(&files);
}

// ---- the command, and a pipe

// Of a row of a CSV: kind, bodies, vertices, in the order of contacts; and the contact as far as check_record asks.
static bool parse_row(const char *line, uint64_t key[7], toc_contact *c) {
    char kind[3];
    uint32_t v[4], body[2];
    const int taken =
        sscanf(line, "%2[a-z],%u,%u,%u,%u,%lf,%u,%u,", kind, &v[0], &v[1], &v[2], &v[3], &c->toc, &body[0], &body[1]);
    if (taken != 8 || (strcmp(kind, "vf") != 0 && strcmp(kind, "ee") != 0)) return false;
    c->kind = kind[0] == 'v' ? TOC_VF : TOC_EE;
    memcpy(c->v, v, sizeof v);
    key[0] = c->kind;
    for (int k = 0; k < 2; k++) key[1 + k] = body[k];
    for (int k = 0; k < 4; k++) key[3 + k] = v[k];
    return true;
}

static bool is_ascending(const uint64_t before[7], const uint64_t key[7]) {
    for (int k = 0; k < 7; k++)
        if (before[k] != key[k]) return before[k] < key[k];
    return false;
}

// @return the number of rows.
static uint64_t check_rows(FILE *pipe, const toc_mesh *mesh) {
    char line[4096];
    uint64_t count = 0, before[7] = {0}, key[7];
    toc_contact c;
    if (!fgets(line, sizeof line, pipe)) fail_memory("the pipe is empty");
    for (; fgets(line, sizeof line, pipe); count++) {
        if (!strchr(line, '\n') || !parse_row(line, key, &c)) fail_memory("a line of the pipe is no contact");
        if (count > 0 && !is_ascending(before, key)) fail_memory("the contacts of the pipe are out of order");
        if (count % 1000 == 0) check_record(mesh, &c);
        memcpy(before, key, sizeof key);
    }
    return count;
}

// The number of contacts of the JSON that the command prints.
static uint64_t count_told(const char *path) {
    FILE *file = fopen(path, "rb");
    char text[1 << 16];
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = 0;
    const char *at = strstr(text, "\"contacts\":");
    if (!at) fail_memory("the command tells no number of contacts");
    return strtoull(at + strlen("\"contacts\":"), NULL, 10);
}

static void measure_lines(uint32_t n, char *toccata, const char *folder) {
    sheet_files files;
    char name[512], told[512], number[32];
    int ends[2];
    toc_scene *sheet = write_sheet(n, folder, &files);
    snprintf(name, sizeof name, "%s/pipe.csv", folder); // the extension tells the format
    snprintf(told, sizeof told, "%s/told.json", folder);
    if (pipe(ends) != 0) fail_memory("no pipe can be made");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC); // the command must notice if no one reads
    snprintf(number, sizeof number, "/dev/fd/%d", ends[1]);
    if (symlink(number, name) != 0) fail_memory("the pipe cannot get a name");
    const pid_t child = start_command((char *[]){toccata, "check", files.start, files.end, "--threads", "1", "--memory",
                                                 "512M", "--json", "--contacts", name, NULL},
                                      told);
    close(ends[1]);
    FILE *rows = fdopen(ends[0], "rb");
    if (!rows) fail_memory("the pipe cannot be read");
    const uint64_t count = check_rows(rows, toc_scene_get_mesh(sheet, 0));
    fclose(rows);
    const command_run run = end_command(child);
    if (count != count_told(told)) fail_memory("the command tells another number of contacts than it writes");
    printf("%u triangles, %llu contacts in ascending order, %.0f CPU s, peak of the command: %.0f MiB\n", 2 * n * n,
           (unsigned long long)count, run.cpu, run.peak);
    toc_scene_destroy(sheet);
    remove_sheet(&files);
    remove(name);
    remove(told);
}

int main(int count, char **words) {
    if (count == 5 && strcmp(words[1], "command") == 0) {
        measure_command((uint32_t)strtoul(words[2], NULL, 10), words[3], words[4]);
        return 0;
    }
    if (count == 5 && strcmp(words[1], "lines") == 0) {
        measure_lines((uint32_t)strtoul(words[2], NULL, 10), words[3], words[4]);
        return 0;
    }
    if (count == 4 && strcmp(words[1], "stream") == 0) {
        stream_to((uint32_t)strtoul(words[2], NULL, 10), words[3]);
        return 0;
    }
    const double motions[] = {0, 0.1, 1, 5, 20};
    printf("# A sheet of 5,000 triangles, each vertex moved at random by up to so many edge lengths, one thread.\n"
           "# MiB of the list of contacts, of the query with a list, with a sink, at the least limit; CPU time there\n"
           "# over that without a limit\n"
           "#  far   contacts       list      query       sink      least       time\n");
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) measure_motion(motions[i]);
    return 0;
}
