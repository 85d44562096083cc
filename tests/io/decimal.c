// SPDX-License-Identifier: Apache-2.0
// Decimal numbers: right to the last bit, both ways, in every locale.
#include "io/core/decimal.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static void assert_reads(const char *text, double wanted, size_t used) {
    double x = 42;
    const char *end = toc_decimal_read(text, &x);
    assert_non_null(end);
    assert_int_equal(end - text, used);
    assert_memory_equal(&x, &wanted, sizeof x);
}

static void forms_of_numbers(void **state) {
    (void)state;
    assert_reads("0", 0.0, 1);
    assert_reads("-0", -0.0, 2);
    assert_reads("-0.000e5 ", -0.0, 8);
    assert_reads("+7", 7, 2);
    assert_reads(".5", 0.5, 2);
    assert_reads("5.", 5, 2);
    assert_reads("1e3x", 1000, 3);
    assert_reads("1E-3", 0.001, 4);
    assert_reads("1e", 1, 1);
    assert_reads("1e+", 1, 1);
    assert_reads("0x10", 0, 1);
    assert_reads("1e999999999999999999999", HUGE_VAL, 23);
    assert_reads("-Infinity", -HUGE_VAL, 9);
    assert_reads("1e-999999999999999999999", 0, 24);
}

static void what_is_no_number(void **state) {
    (void)state;
    double x;
    const char *const texts[] = {"", " 1", "-", "+", ".", "-.", "e5", "--1", "abc", "in", "-e"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_null(toc_decimal_read(texts[i], &x));
    assert_non_null(toc_decimal_read("nan", &x));
    assert_true(isnan(x));
}

// Halfway between two doubles, and a hair beside it: the digit that decides is the last of many.
static void ties_are_broken_by_the_last_digit(void **state) {
    (void)state;
    assert_reads("9007199254740993", 9007199254740992.0, 16);
    assert_reads("9007199254740993.0001", 9007199254740994.0, 21);
    assert_reads("9007199254740995", 9007199254740996.0, 16);
    assert_reads("0.500000000000000166533453693773481063544750213623046875", 0.5000000000000002, 56);
    assert_reads("1.7976931348623158e308", 1.7976931348623157e308, 22);
    assert_reads("2.4703282292062328e-324", 0x1p-1074, 23);
    assert_reads("4.9406564584124654e-324", 0x1p-1074, 23);
}

static double random_double(test_random *random, int round) {
    if (round % 3 == 0) return test_random_between(random, -1000, 1000);
    if (round % 3 == 1) return (double)test_random_below(random, 1000000) / 1000 * pow(10, (round / 3) % 40 - 20);
    const uint64_t bits = test_random_bits(random);
    double x;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 0;
}

static void reading_agrees_with_the_c_library(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 200000; i++) {
        char text[512];
        const int digits = (int)test_random_below(&random, 22);
        snprintf(text, sizeof text, i % 2 ? "%.*e" : "%.*f", digits, random_double(&random, i));
        double x;
        const char *end = toc_decimal_read(text, &x);
        assert_ptr_equal(end, text + strlen(text));
        const double wanted = strtod(text, NULL);
        if (memcmp(&x, &wanted, sizeof x) != 0) fail_msg("%s became %a, not %a", text, x, wanted);
    }
}

static void writing_gives_the_same_double_back(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 200000; i++) {
        const double x = random_double(&random, i);
        char text[TOC_DECIMAL_SIZE];
        const size_t length = toc_decimal_write(text, x);
        assert_int_equal(length, strlen(text));
        const double back = strtod(text, NULL);
        if (memcmp(&x, &back, sizeof x) != 0) fail_msg("%a became %s", x, text);
    }
}

static void assert_writes(double x, const char *wanted) {
    char text[TOC_DECIMAL_SIZE];
    toc_decimal_write(text, x);
    assert_string_equal(text, wanted);
}

static void short_numbers_stay_short(void **state) {
    (void)state;
    assert_writes(0.0, "0");
    assert_writes(-0.0, "-0");
    assert_writes(1, "1");
    assert_writes(-0.1, "-0.1");
    assert_writes(0.3, "0.3");
    assert_writes(1e-7, "1e-07");
    assert_writes(123456.789, "123456.789");
    assert_writes(100, "100");
    assert_writes(0.00025, "0.00025");
    assert_writes(9007199254740993e0, "9007199254740992");
    assert_writes(0x1p-1074, "4.94065645841247e-324");
    assert_writes(1e308, "1e+308");
}

static void decimal_comma_locales_change_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) found = setlocale(LC_ALL, names[i]);
    // musl knows the names, but has no comma.
    if (!found || *localeconv()->decimal_point != ',') {
        print_message("skipped: no locale with a decimal comma is installed\n");
        setlocale(LC_ALL, "C");
        skip();
    }
    assert_reads("0.5", 0.5, 3);
    assert_reads("1.5e300", 1.5e300, 7);
    assert_reads("0,5", 0, 1);
    assert_writes(0.5, "0.5");
    assert_writes(1.5e300, "1.5e+300");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_numbers),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(ties_are_broken_by_the_last_digit),
        cmocka_unit_test(reading_agrees_with_the_c_library),
        cmocka_unit_test(writing_gives_the_same_double_back),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(decimal_comma_locales_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
