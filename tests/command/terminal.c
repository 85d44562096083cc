// SPDX-License-Identifier: Apache-2.0
// At a terminal: the progress bar, colour, and Ctrl-C.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

static char *folder;

// Two frames whose brute check takes many seconds.
static int make_frames(void **state) {
    (void)state;
    folder = test_folder_make();
    return test_command("scene n-body --size 250 --frames 2 --out %s", folder).code;
}

static int remove_frames(void **state) {
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *long_check(void) {
    static char text[512];
    snprintf(text, sizeof text,
             "check --preset brute %s/n-body-0000.ply %s/n-body-0001.ply --contacts %s/hits.csv --picture %s/hits.png",
             folder, folder, folder, folder);
    return text;
}

static void ctrl_c_stops_and_leaves_nothing(void **state) {
    (void)state;
    const test_run run = test_terminal(long_check(), "check [", "\003");
    assert_int_equal(run.code, 130);
    assert_non_null(strstr(run.out, "stopped"));
    assert_null(strstr(run.out, "contacts"));
    assert_int_not_equal(access(test_path(folder, "hits.csv"), F_OK), 0);
    assert_int_not_equal(access(test_path(folder, "hits.png"), F_OK), 0);
}

// SIGTERM without a terminal, once the check runs for sure.
static void sigterm_stops_likewise(void **state) {
    (void)state;
    const test_run run = test_command("%s & sleep 1; kill -TERM $!; wait $!", long_check());
    assert_refused(run, 143, "stopped");
    assert_int_not_equal(access(test_path(folder, "hits.csv"), F_OK), 0);
}

static void no_progress_bar_without_a_terminal(void **state) {
    (void)state;
    const test_run run = test_command("%s & sleep 2; kill -INT $!; wait $!", long_check());
    assert_null(strchr(run.err, '\r'));
    assert_null(strchr(run.err, '['));
}

static void colour_at_a_terminal_only(void **state) {
    (void)state;
    unsetenv("NO_COLOR");
    assert_non_null(strstr(test_terminal("info none.ply", NULL, NULL).out, "\033[1;31mtoccata:\033[0m none.ply"));
    assert_null(strchr(test_command("info none.ply").err, '\033'));
    setenv("NO_COLOR", "1", 1);
    const test_run plain = test_terminal("info none.ply", NULL, NULL);
    assert_int_equal(plain.code, 1);
    assert_null(strchr(plain.out, '\033'));
    unsetenv("NO_COLOR");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctrl_c_stops_and_leaves_nothing),
        cmocka_unit_test(sigterm_stops_likewise),
        cmocka_unit_test(no_progress_bar_without_a_terminal),
        cmocka_unit_test(colour_at_a_terminal_only),
    };
    return cmocka_run_group_tests(tests, make_frames, remove_frames);
}
