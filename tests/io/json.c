// SPDX-License-Identifier: Apache-2.0
// JSON as a list of values.
#include "io/core/json.h"

#include <math.h>
#include <stdlib.h>

#include "support/sources.h"
#include "support/test.h"

typedef struct fixture {
    toc_source source;
    toc_json json;
} fixture;

static toc_status parse(fixture *f, const char *text) {
    assert_ok(test_source_copy("a.json", text, strlen(text), NULL, &f->source));
    return toc_json_parse(&f->source, f->source.begin, f->source.end, false, &f->json);
}

static void drop(fixture *f) {
    toc_json_free(&f->json);
    toc_source_close(&f->source);
}

static void values_are_found_by_name_and_place(void **state) {
    (void)state;
    fixture f;
    assert_ok(parse(&f, " { \"a\" : [1, -2.5e1, [ ], {}], \"b\":{\"c\":true,\"a\":null} , \"d\":\"text\" } \n"));
    const toc_json *json = &f.json;
    const toc_json_id a = toc_json_member(json, 0, "a"), b = toc_json_member(json, 0, "b");
    assert_int_equal(toc_json_length(json, a), 4);
    double x;
    const toc_json_id second = toc_json_next(json, a, toc_json_first(json, a));
    assert_ok(toc_json_as_number(json, second, "a", &x));
    assert_double_same(x, -25);
    const toc_json_id third = toc_json_next(json, a, second), fourth = toc_json_next(json, a, third);
    assert_int_equal(toc_json_length(json, third), 0);
    assert_int_equal(toc_json_kind_of(json, fourth), TOC_JSON_OBJECT);
    assert_int_equal(toc_json_next(json, a, fourth), TOC_JSON_NONE);
    assert_int_equal(toc_json_kind_of(json, toc_json_member(json, b, "c")), TOC_JSON_TRUE);
    assert_int_equal(toc_json_kind_of(json, toc_json_member(json, b, "a")), TOC_JSON_NULL);
    assert_int_equal(toc_json_member(json, b, "d"), TOC_JSON_NONE);
    assert_int_equal(toc_json_member(json, a, "d"), TOC_JSON_NONE);
    assert_true(toc_json_is(json, toc_json_member(json, 0, "d"), "text"));
    assert_false(toc_json_is(json, toc_json_member(json, 0, "d"), "tex"));
    drop(&f);
}

// Names may be written with escapes, too: "POS\u0049TION" is POSITION.
static void escapes_mean_what_they_say(void **state) {
    (void)state;
    fixture f;
    char text[64];
    assert_ok(parse(&f, "{\"\\u0041b\":\"\\\"\\\\\\/\\n\\u00e4\\u20ac\\ud83d\\ude00\\ud800x\\uZZ\"}"));
    const toc_json_id value = toc_json_member(&f.json, 0, "Ab");
    assert_int_not_equal(value, TOC_JSON_NONE);
    static const char meant[] = "\"\\/\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdx\xef\xbf\xbd";
    assert_int_equal(toc_json_text(&f.json, value, NULL), sizeof meant - 1);
    toc_json_text(&f.json, value, text);
    assert_string_equal(text, meant);
    assert_true(toc_json_is(&f.json, value, meant));
    drop(&f);
}

static void whatever_is_wrong_has_a_line(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"", "a.json:1: the file ends within"},
        {"{\n", "a.json:2: the file ends within"},
        {"[1,\n2", "a.json:2: the file ends within"},
        {"[1 2]", "\",\" or the end"},
        {"[1,]", "a value was expected"},
        {"{\"a\" 1}", "\":\" was expected"},
        {"{a:1}", "name of a member"},
        {"{\"a\":1,}", "name of a member"},
        {"[tru]", "a value was expected"},
        {"[nan]", "a value was expected"},
        {"[-]", "a value was expected"},
        {"[+1]", "a value was expected"},
        {"\n\"abc", "a.json:2: this string does not end"},
        {"\"ab\nc\"", "this string does not end"},
        {"\"abc\\\"", "this string does not end"},
        {"[]]", "behind the end"},
        {"{} x", "behind the end"},
        {"[}", "a value was expected"},
        {"[1}", "\",\" or the end"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fixture f;
        assert_fails(parse(&f, texts[i][0]), TOC_BAD_INPUT, texts[i][1]);
        drop(&f);
    }
}

static void numbers_of_the_wrong_kind_are_refused(void **state) {
    (void)state;
    fixture f;
    double x[3] = {7, 7, 7};
    uint64_t n;
    assert_ok(parse(&f, "{\"a\":\"1\",\"b\":1e999,\"c\":-1,\"d\":1.5,\"e\":[1,2],\"f\":[1,2,true],\"g\":3}"));
    assert_fails(toc_json_as_number(&f.json, toc_json_member(&f.json, 0, "a"), "a", x), TOC_BAD_INPUT,
                 "\"a\" is not a finite number");
    assert_fails(toc_json_as_number(&f.json, toc_json_member(&f.json, 0, "b"), "b", x), TOC_BAD_INPUT,
                 "\"b\" is not a finite number");
    assert_fails(toc_json_count(&f.json, 0, "c", 0, &n), TOC_BAD_INPUT, "\"c\" is not a count");
    assert_fails(toc_json_count(&f.json, 0, "d", 0, &n), TOC_BAD_INPUT, "\"d\" is not a count");
    assert_fails(toc_json_count(&f.json, 0, "b", 0, &n), TOC_BAD_INPUT, "\"b\" is not a count");
    assert_fails(toc_json_numbers(&f.json, 0, "e", 3, x), TOC_BAD_INPUT, "3 numbers");
    assert_fails(toc_json_numbers(&f.json, 0, "e", 1, x), TOC_BAD_INPUT, "1 numbers");
    assert_fails(toc_json_numbers(&f.json, 0, "f", 3, x), TOC_BAD_INPUT, "\"f\" is not a finite number");
    assert_ok(toc_json_count(&f.json, 0, "g", 0, &n));
    assert_int_equal(n, 3);
    assert_ok(toc_json_count(&f.json, 0, "none", 9, &n));
    assert_int_equal(n, 9);
    assert_ok(toc_json_numbers(&f.json, 0, "none", 3, x));
    drop(&f);
}

// A million brackets must not exhaust the stack.
static void nesting_takes_no_stack(void **state) {
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = 0;
    fixture f;
    assert_ok(parse(&f, text));
    assert_int_equal(f.json.values.count, DEPTH);
    drop(&f);
    text[DEPTH + 10] = 0;
    assert_fails(parse(&f, text), TOC_BAD_INPUT, "ends within");
    drop(&f);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_by_name_and_place),
        cmocka_unit_test(escapes_mean_what_they_say),
        cmocka_unit_test(whatever_is_wrong_has_a_line),
        cmocka_unit_test(numbers_of_the_wrong_kind_are_refused),
        cmocka_unit_test(nesting_takes_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
