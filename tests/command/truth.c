// SPDX-License-Identifier: Apache-2.0
// toccata truth: exact reading of fractions, refusal of malformed queries, counts of errors.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

// A vertex falls from x above a triangle in the plane z = 0 to below it. The first coordinate is the caller's.
static const char *write_query(const char *name, const char *x, int answer) {
    char text[8192];
    const int count = snprintf(text, sizeof text,
                               "%s,0,1,1,1,%d\n0,1,0,1,0,1,%d\n1,1,0,1,0,1,%d\n0,1,1,1,0,1,%d\n"
                               "1,4,1,4,-1,1,%d\n0,1,0,1,0,1,%d\n1,1,0,1,0,1,%d\n0,1,1,1,0,1,%d\n",
                               x, answer, answer, answer, answer, answer, answer, answer, answer);
    const char *path = test_path(test_folder, name);
    test_file_write(path, text, (size_t)count);
    return path;
}

static test_run ask(const char *x) {
    return test_command("truth --method exact --kind vf %s", write_query("query.csv", x, 1));
}

// The decimal digits of a power of two, by doubling.
static const char *power_of_two(int exponent) {
    static char digits[400];
    snprintf(digits, sizeof digits, "1");
    for (int i = 0; i < exponent; i++) {
        int carry = 0;
        for (size_t k = strlen(digits); k-- > 0;) {
            const int twice = 2 * (digits[k] - '0') + carry;
            digits[k] = (char)('0' + twice % 10);
            carry = twice / 10;
        }
        if (carry) {
            memmove(digits + 1, digits, strlen(digits) + 1);
            digits[0] = '1';
        }
    }
    return digits;
}

static const char *over_power(const char *numerator, int exponent) {
    static char text[1024];
    snprintf(text, sizeof text, "%s,%s", numerator, power_of_two(exponent));
    return text;
}

static void fractions_that_are_doubles_are_read(void **state) {
    (void)state;
    static const char *const good[] = {"1,4",  "2,8",
                                       "3,12", "-3,-12",
                                       "+1,4", "36893488147419103232,147573952589676412928",
                                       "0,7",  "9007199254740991,36028797018963968"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_says(ask(good[i]), "exact");
    assert_says(ask(over_power("1", 1074)), "exact"); // the smallest double
    assert_says(ask(over_power("9007199254740991", 1074)), "exact");
}

static void fractions_that_are_not_doubles_are_refused(void **state) {
    (void)state;
    assert_refused(ask("1,3"), 1, "query.csv:1: x is not exactly a double");
    assert_refused(ask("9007199254740993,1"), 1, "not exactly a double");
    assert_refused(ask("9007199254740993,9007199254740992"), 1, "not exactly a double");
    assert_refused(ask("36893488147419103233,36893488147419103232"), 1, "not exactly a double");
    assert_refused(ask(over_power("1", 1075)), 1, "not exactly a double");
    char huge[500];
    snprintf(huge, sizeof huge, "%s,1", power_of_two(1024));
    assert_refused(ask(huge), 1, "not exactly a double");
    assert_refused(ask("1,0"), 1, "denominator of 0");
    assert_refused(ask("1.5,1"), 1, "whole numbers");
    assert_refused(ask("nan,1"), 1, "whole numbers");
    assert_refused(ask(",1"), 1, "whole numbers");
    char long_one[1000];
    snprintf(long_one, sizeof long_one, "%0700d,1", 7);
    assert_refused(ask(long_one), 1, "more digits");
}

// A rounded coordinate changes the answer: the vertex lies on an edge, or outside of it by the smallest double.
static void a_coordinate_is_not_rounded(void **state) {
    (void)state;
    static const char *const rows = "%s,0,1,1,1,%d\n0,1,0,1,0,1,%d\n1,1,0,1,0,1,%d\n0,1,1,1,0,1,%d\n"
                                    "%s,0,1,-1,1,%d\n0,1,0,1,0,1,%d\n1,1,0,1,0,1,%d\n0,1,1,1,0,1,%d\n";
    char text[4096], outside[512];
    snprintf(outside, sizeof outside, "-%s", over_power("1", 1074));
    const char *path = test_path(test_folder, "edge.csv");
    int count = snprintf(text, sizeof text, rows, outside, 0, 0, 0, 0, outside, 0, 0, 0, 0);
    count += snprintf(text + count, sizeof text - (size_t)count, rows, "0,1", 1, 1, 1, 1, "0,1", 1, 1, 1, 1);
    test_file_write(path, text, (size_t)count);
    const test_run run = test_command("truth --method exact --kind vf --json %s", path);
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "results"), 0);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "queries")), 2);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "missed")), 0);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "false_alarms")), 0);
    cJSON_Delete(json);
}

static test_run ask_text(const char *text) {
    const char *path = test_path(test_folder, "vertex-face.csv");
    test_file_write(path, text, strlen(text));
    return test_command("truth --method exact %s", path);
}

static void broken_files_are_refused_with_the_line(void **state) {
    (void)state;
    assert_refused(ask_text("0,1,0,1,0,1,0\n0,1,0,1,0,1\n"), 1, "vertex-face.csv:2: 6 columns");
    assert_refused(ask_text("0,1,0,1,0,1,0,0\n"), 1, "vertex-face.csv:1: 8 columns");
    assert_refused(ask_text("0,1,0,1,0,1,2\n"), 1, "neither 0 nor 1");
    assert_refused(ask_text("0,1,0,1,0,1,1\n0,1,0,1,0,1,0\n"), 1,
                   ":2: the answer differs from the row before: 0, not 1");
    assert_refused(ask_text("0,1,0,1,0,1,1\n\n0,1,0,1,0,1,1\n"), 1, ":3: the last query has 2 rows, not 8");
    assert_refused(ask_text("0,1,0,1,1,3,1\n"), 1, ":1: z is not");
    assert_refused(test_command("truth %s", test_folder), 1, "--kind");
    assert_refused(test_command("truth --kind vf %s", test_folder), 1, test_folder);
    assert_refused(test_command("truth %s/vertex-face-none.csv", test_folder), 1, "vertex-face-none.csv");
    assert_refused(test_command("truth --kind both x.csv"), 1, "vf and ee");
    assert_refused(test_command("truth --method frob x.csv"), 1, "exact");
}

static void an_empty_file_has_no_queries(void **state) {
    (void)state;
    assert_says(ask_text(""), " 0 ");
}

// The expected answer is inverted, so a right answer counts as a miss or a false alarm.
static void wrong_answers_are_counted(void **state) {
    (void)state;
    const char *path = write_query("vertex-face-wrong.csv", "1,4", 0);
    const test_run run = test_command("truth --method exact --json %s", path);
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "results"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(result, "file")), path);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(result, "method")), "exact");
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "queries")), 1);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "missed")), 0);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "false_alarms")), 1);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "ns_per_query")) > 0);
    cJSON_Delete(json);
}

// Only exact arithmetic can tell a fall onto an edge of the face from a fall past it.
static void undecided_queries_are_counted(void **state) {
    (void)state;
    const char *path = write_query("vertex-face-edge.csv", "-1,4", 1);
    for (int exact = 0; exact < 2; exact++) {
        const test_run run = test_command("truth --method certified --json %s %s", exact ? "" : "--no-exact", path);
        cJSON *json = cJSON_Parse(run.out);
        const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "results"), 0);
        assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "missed")), 0);
        assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "undecided")), 1);
        cJSON_Delete(json);
    }
    assert_says(test_command("truth --method certified %s", path), "undecided");
}

static void windows_line_ends_are_read(void **state) {
    (void)state;
    assert_says(ask_text("0,1,0,1,1,1,0\r\n0,1,0,1,0,1,0\r\n1,1,0,1,0,1,0\r\n0,1,1,1,0,1,0\r\n"
                         "0,1,0,1,1,1,0\r\n0,1,0,1,0,1,0\r\n1,1,0,1,0,1,0\r\n0,1,1,1,0,1,0\r\n"),
                "exact");
}

static void published_queries_are_answered_right(void **state) {
    (void)state;
    test_need_data("queries/unit-tests/vertex-face_data_0_0.csv");
    static const char *const kinds[] = {"vertex-face", "edge-edge"};
    for (int i = 0; i < 2; i++) {
        char name[80];
        snprintf(name, sizeof name, "queries/unit-tests/%s_data_0_0.csv", kinds[i]);
        const test_run run = test_command("truth --method exact --json %s", test_data("%s", name));
        cJSON *json = cJSON_Parse(run.out);
        const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "results"), 0);
        assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "queries")) > 50);
        assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "missed")), 0);
        assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(result, "false_alarms")), 0);
        cJSON_Delete(json);
    }
}

static void all_omits_methods_that_are_not_built(void **state) {
    (void)state;
    const char *path = write_query("vertex-face-all.csv", "1,4", 1);
    const test_run run = test_command("truth --json %s %s", path, path);
    assert_int_equal(run.code, 0);
    cJSON *json = cJSON_Parse(run.out);
    const int count = cJSON_GetArraySize(cJSON_GetObjectItem(json, "results"));
    assert_true(count >= 2 && count % 2 == 0);
    cJSON_Delete(json);
    assert_says(test_command("truth %s %s", path, path), "\ntotal");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_that_are_doubles_are_read),
        cmocka_unit_test(fractions_that_are_not_doubles_are_refused),
        cmocka_unit_test(a_coordinate_is_not_rounded),
        cmocka_unit_test(broken_files_are_refused_with_the_line),
        cmocka_unit_test(an_empty_file_has_no_queries),
        cmocka_unit_test(wrong_answers_are_counted),
        cmocka_unit_test(undecided_queries_are_counted),
        cmocka_unit_test(windows_line_ends_are_read),
        cmocka_unit_test(published_queries_are_answered_right),
        cmocka_unit_test(all_omits_methods_that_are_not_built),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
