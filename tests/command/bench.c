// SPDX-License-Identifier: Apache-2.0
// toccata bench: tables of the programs beside the command. A copy of the command stands beside programs of the test.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

static void shell(const char *format, const char *folder) {
    char line[8192];
    snprintf(line, sizeof line, format, folder, folder);
    assert_int_equal(system(line), 0);
}

static int begin(void **state) {
    if (test_folder_begin(state) != 0) return -1;
    shell("mkdir '%s/bench' && cp '" TOC_BINARY_DIR "/toccata' '%s/'", test_folder);
    shell("cd '%s/bench' && printf '#!/bin/sh\\necho answer 42\\n' >bench.good && "
          "printf '#!/bin/sh\\necho half of it\\nexit 3\\n' >bench.wrong && "
          "printf '#!/bin/sh\\nkill -9 $$\\n' >bench.killed && chmod +x bench.* && echo no program >bench.text",
          test_folder);
    return 0;
}

// The copy runs behind a quiet run of the command itself.
static test_run bench(const char *arguments) {
    return test_command("--version >/dev/null; '%s/toccata' bench %s", test_folder, arguments);
}

static void programs_are_listed(void **state) {
    (void)state;
    assert_string_equal(bench("--list").out, "good\nkilled\nwrong\n");
}

static void a_table_is_printed_and_kept(void **state) {
    (void)state;
    const test_run run = bench("good");
    assert_string_equal(run.out, "answer 42\n");
    assert_string_equal(run.err, "== good\n");
    shell("grep -q '^answer 42$' '%s/bench/good.txt'", test_folder);
}

static void a_failed_program_keeps_the_old_table(void **state) {
    (void)state;
    shell("echo old >'%s/bench/wrong.txt'", test_folder);
    const test_run run = bench("good wrong");
    assert_int_equal(run.code, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "bench.wrong failed with the code 3"));
    shell("grep -q '^old$' '%s/bench/wrong.txt' && ! ls '%s/bench' | grep part", test_folder);
    assert_non_null(strstr(bench("killed").err, "bench.killed ended by signal 9"));
}

static void plots_are_drawn_or_the_reason_is_told(void **state) {
    (void)state;
    shell("echo exit 5 >'%s/bench/plot.sh'", test_folder);
    const test_run run = bench("good");
    assert_string_equal(run.out, "answer 42\n");
    assert_non_null(strstr(run.err, "no plots"));
    shell("rm '%s/bench/plot.sh'", test_folder);
}

static void wrong_names_are_refused(void **state) {
    (void)state;
    assert_refused(bench("good god"), 1, "no table \"god\"; did you mean \"good\"? See toccata bench --list");
    shell("mv '%s/bench' '%s/elsewhere'", test_folder);
    assert_refused(bench("good"), 1, "no benchmark programs beside the command");
    shell("mv '%s/elsewhere' '%s/bench'", test_folder);
}

// One table that fails must not cost the hour of the others.
static void all_tables_are_measured_though_one_fails(void **state) {
    (void)state;
    shell("rm -f '%s/bench/good.txt'", test_folder);
    shell("printf '#!/bin/sh\\necho last 7\\n' >'%s/bench/bench.zoo' && chmod +x '%s/bench/bench.zoo'", test_folder);
    const test_run run = bench("");
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, "bench.wrong failed with the code 3"));
    assert_non_null(strstr(run.err, "2 of 4 tables failed"));
    shell("grep -q 'answer 42' '%s/bench/good.txt' && grep -q 'last 7' '%s/bench/zoo.txt'", test_folder);
    shell("rm '%s/bench/bench.zoo'", test_folder);
}

static test_run program(const char *name, const char *arguments) {
    char path[4096];
    snprintf(path, sizeof path, TOC_BINARY_DIR "/bench/bench.%s", name);
    if (access(path, X_OK) != 0) skip(); // a build without benchmarks
    return test_command("--version >/dev/null; '%s' %s", path, arguments);
}

// A row that does not exist gave an empty table and success.
static void wrong_rows_are_refused_with_the_right_ones(void **state) {
    (void)state;
    static const char *const wrong[][3] = {
        {"volumes", "published car", "car-10K"},
        {"steps", "clot", "cloth-ball"},
        {"hashing", "pear", "pairs"},
        {"peer", "shirt", "t-shirt"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const test_run run = program(wrong[i][0], wrong[i][1]);
        assert_int_equal(run.code, 1);
        assert_string_equal(run.out, "");
        assert_non_null(strstr(run.err, "no row \""));
        assert_non_null(strstr(run.err, wrong[i][2]));
    }
}

// Without Embree the table of the peer had ratios of 0. The linear hierarchy is part of every build.
static void a_comparison_has_a_peer_in_every_build(void **state) {
    (void)state;
    const test_run run = program("peer", "'folded, free, 98'");
    const char *row = strstr(run.out, "| folded, free, 98 | 0 | ");
    double linear, warm, fresh;
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "peers: a linear hierarchy; "));
    assert_non_null(row);
    assert_int_equal(sscanf(row, "| folded, free, 98 | 0 | %lf | %*s | %lf | %lf |", &linear, &warm, &fresh), 3);
    assert_true(linear > 0 && warm > 0 && fresh > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_listed),
        cmocka_unit_test(a_table_is_printed_and_kept),
        cmocka_unit_test(a_failed_program_keeps_the_old_table),
        cmocka_unit_test(all_tables_are_measured_though_one_fails),
        cmocka_unit_test(wrong_rows_are_refused_with_the_right_ones),
        cmocka_unit_test(a_comparison_has_a_peer_in_every_build),
        cmocka_unit_test(plots_are_drawn_or_the_reason_is_told),
        cmocka_unit_test(wrong_names_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, test_folder_end);
}
