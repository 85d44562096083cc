// SPDX-License-Identifier: Apache-2.0
// toccata bench: tables of the programs beside the command. A copy of the command stands beside programs of the test.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_listed),
        cmocka_unit_test(a_table_is_printed_and_kept),
        cmocka_unit_test(a_failed_program_keeps_the_old_table),
        cmocka_unit_test(plots_are_drawn_or_the_reason_is_told),
        cmocka_unit_test(wrong_names_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, test_folder_end);
}
