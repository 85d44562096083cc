// SPDX-License-Identifier: Apache-2.0
// Files that the command should not wait for or expand: the memory limit, and signals while a pipe gives nothing.
#include <stdio.h>
#include <sys/stat.h>

#include "support/command.h"

/// 100 instances of a part of 1000 triangles: some 8 MB of mesh in a file of 50 kB.
static const char *write_instances(void) {
    const char *path = test_path(test_folder, "instances.inp");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("*Part, name=P\n*Node\n", file);
    for (int i = 1; i <= 1002; i++) fprintf(file, "%d, %d, %d, 0\n", i, i, i % 3);
    fputs("*Element, type=S3\n", file);
    for (int i = 1; i <= 1000; i++) fprintf(file, "%d, %d, %d, %d\n", i, i, i + 1, i + 2);
    fputs("*End Part\n*Assembly, name=A\n", file);
    for (int i = 0; i < 100; i++) fprintf(file, "*Instance, name=I%d, part=P\n*End Instance\n", i);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void memory_limit_of_every_subcommand_that_reads(void **state) {
    (void)state;
    const char *path = write_instances(), *words = "the limit is 1.0 MB; raise it with --memory";
    assert_refused(test_command("info --memory 1M %s", path), 3, words);
    assert_refused(test_command("convert --memory 1000000 %s %s/out.vtu", path, test_folder), 3, words);
    assert_refused(test_command("check --memory 1e3kB %s %s", path, path), 3, words);
    assert_says(test_command("info --memory 0.1G %s", path), "100200");
}

static void sizes_that_are_none(void **state) {
    (void)state;
    static const char *const sizes[] = {"4X", "-1", "0", "G", "1e30", "4GG", "nan", "''", "4G1"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_refused(test_command("info --memory %s a.ply", sizes[i]), 1, "--memory takes a number of bytes");
}

/// Wait for a pipe that nobody writes into, and send a signal.
static void stopped(const char *arguments, const char *signal_name, int code) {
    const test_run run = test_command("%s & sleep 1; kill -%s $!; wait $!", arguments, signal_name);
    assert_refused(run, code, "stopped");
}

static void signals_while_a_pipe_gives_nothing(void **state) {
    (void)state;
    char arguments[2048];
    const char *pipe = test_path(test_folder, "nobody.off");
    const char *mesh = test_text_write("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(arguments, sizeof arguments, "info %s", pipe);
    stopped(arguments, "TERM", 143);
    snprintf(arguments, sizeof arguments, "convert %s %s/out.vtu", pipe, test_folder);
    stopped(arguments, "TERM", 143);
    snprintf(arguments, sizeof arguments, "check %s %s", mesh, pipe);
    stopped(arguments, "TERM", 143);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_limit_of_every_subcommand_that_reads),
        cmocka_unit_test(sizes_that_are_none),
        cmocka_unit_test(signals_while_a_pipe_gives_nothing),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
