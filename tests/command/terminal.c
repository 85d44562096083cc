// SPDX-License-Identifier: Apache-2.0
// At a terminal: the progress bar, colour, and Ctrl-C.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

static char *folder;

// Triangles that all overlap: nearly every feature pair goes to the elementary test, some ten million pairs.
static void write_crowd(const char *name, test_random *random) {
    enum { TRIANGLES = 3000 };
    FILE *file = fopen(test_path(folder, name), "w");
    assert_non_null(file);
    for (int i = 0; i < 3 * TRIANGLES; i++)
        fprintf(file, "v %.6f %.6f %.6f\n", test_random_between(random, 0, 1), test_random_between(random, 0, 1),
                test_random_between(random, 0, 1));
    for (int i = 0; i < TRIANGLES; i++) fprintf(file, "f %d %d %d\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    assert_int_equal(fclose(file), 0);
}

// Two frames whose brute check on one thread takes many seconds.
static int make_frames(void **state) {
    (void)state;
    test_random random = test_random_make(1);
    folder = test_folder_make();
    write_crowd("start.obj", &random);
    write_crowd("end.obj", &random);
    return 0;
}

static int remove_frames(void **state) {
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *long_check(void) {
    static char text[512];
    snprintf(text, sizeof text,
             "check --preset brute --threads 1 %s/start.obj %s/end.obj --contacts %s/hits.csv --picture %s/hits.png",
             folder, folder, folder, folder);
    return text;
}

// The answer of simulate followed the bar on its line.
static void the_bar_is_cleared_before_the_answer(void **state) {
    (void)state;
    char text[512];
    snprintf(text, sizeof text, "simulate liver --size 4 --frames 40 --threads 1 --out %s/liver", folder);
    const test_run run = test_terminal(text, NULL, NULL);
    assert_int_equal(run.code, 0);
    char *answer = strstr(run.out, "frames     40");
    assert_non_null(answer);
    *answer = 0;
    const char *bar = strrchr(run.out, '#'); // none if it took less than a second
    if (bar) assert_non_null(strstr(bar, "\r\033[K"));
}

static void ctrl_c_stops_and_leaves_no_file(void **state) {
    (void)state;
    const test_run run = test_terminal(long_check(), "check [", "\003");
    assert_int_equal(run.code, 130);
    assert_non_null(strstr(run.out, "stopped"));
    assert_null(strstr(run.out, "contacts"));
    assert_int_not_equal(access(test_path(folder, "hits.csv"), F_OK), 0);
    assert_int_not_equal(access(test_path(folder, "hits.png"), F_OK), 0);
}

// SIGTERM without a terminal, after the check has started.
static void sigterm_stops_and_leaves_no_file(void **state) {
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

static void colour_only_at_a_terminal(void **state) {
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
        cmocka_unit_test(the_bar_is_cleared_before_the_answer),
        cmocka_unit_test(ctrl_c_stops_and_leaves_no_file),
        cmocka_unit_test(sigterm_stops_and_leaves_no_file),
        cmocka_unit_test(no_progress_bar_without_a_terminal),
        cmocka_unit_test(colour_only_at_a_terminal),
    };
    return cmocka_run_group_tests(tests, make_frames, remove_frames);
}
