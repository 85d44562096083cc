// SPDX-License-Identifier: Apache-2.0
// Help, manual page and completions of the command, and its refusal of unknown words.
#include <stdio.h>
#include <string.h>

#include "support/command.h"

static void no_subcommand_is_refused(void **state) {
    (void)state;
    assert_refused(test_command(" "), 1, "subcommand");
    assert_refused(test_command("frobnicate"), 1, "\"frobnicate\"");
    assert_refused(test_command("help frobnicate"), 1, "\"frobnicate\"");
}

static void version_is_that_of_the_library(void **state) {
    (void)state;
    assert_says(test_command("--version"), toc_version_get());
}

static void every_subcommand_helps(void **state) {
    (void)state;
    static const char *const names[] = {"check", "overlaps", "near", "info",       "convert", "truth",
                                        "scene", "bench",    "help", "completion", "man"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_says(test_command("--help"), names[i]);
        assert_says(test_command("%s --help", names[i]), "usage: toccata ");
        const test_run by_option = test_command("%s --help", names[i]), by_name = test_command("help %s", names[i]);
        assert_string_equal(by_option.out, by_name.out);
    }
}

// The page of check has at most 30 lines of at most 80 columns.
static void help_of_check_fits_one_screen(void **state) {
    (void)state;
    const test_run help = test_command("help check");
    int lines = 0;
    assert_int_equal(help.code, 0);
    for (const char *at = help.out; *at; at += strcspn(at, "\n") + 1, lines++) assert_true(strcspn(at, "\n") <= 80);
    assert_true(lines > 20 && lines <= 30);
}

static int count_text(const char *in, const char *text) {
    int count = 0;
    for (const char *at = in; (at = strstr(at, text)); at += strlen(text)) count++;
    return count;
}

// Every option that check completes is on one page of its help.
static void every_option_of_check_is_on_one_page(void **state) {
    (void)state;
    static const char *const pages[] = {"help check", "help steps", "help research"};
    char words[8192], *rest = words;
    const test_run fish =
        test_command("completion fish | sed -n \"s/.*seen_subcommand_from check' -l \\([a-z-]*\\).*/\\1/p\"");
    assert_true(strlen(fish.out) < sizeof words);
    memcpy(words, fish.out, strlen(fish.out) + 1);
    int options = 0;
    for (char *name; (name = strsep(&rest, "\n")) && *name; options++) {
        char row[64];
        int seen = 0;
        for (int i = 0; i < 3; i++) {
            const test_run page = test_command("%s", pages[i]);
            snprintf(row, sizeof row, "\n  --%s ", name);
            seen += count_text(page.out, row);
        }
        if (seen != 1) print_error("--%s is on %d pages\n", name, seen);
        assert_int_equal(seen, 1);
    }
    assert_true(options > 30);
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    assert_refused(test_command("check a.ply b.ply --frob"), 1, "--frob");
    assert_refused(test_command("check a.ply b.ply --preset"), 1, "--preset needs a value");
    assert_refused(test_command("check a.ply b.ply --preset frob"), 1, "brute");
    assert_refused(test_command("check a.ply b.ply --method frob"), 1, "certified");
    assert_refused(test_command("check a.ply b.ply --skip frob"), 1, "element-axes");
    assert_refused(test_command("check a.ply b.ply --skip normals,frob"), 1, "\"frob\"");
    assert_refused(test_command("check a.ply b.ply --answer frob"), 1, "all, first and any");
    assert_refused(test_command("check a.ply b.ply --threads -1"), 1, "--threads takes");
    assert_refused(test_command("check a.ply b.ply --threads 1x"), 1, "--threads takes");
    assert_refused(test_command("check a.ply b.ply --threads 99999999999999999999"), 1, "--threads takes");
    assert_refused(test_command("check a.ply b.ply --tolerance -0.1"), 1, "--tolerance takes");
    assert_refused(test_command("check a.ply b.ply --tolerance nan"), 1, "--tolerance takes");
    assert_refused(test_command("check a.ply b.ply --contacts a.txt"), 1, ".csv, .vtp or .json");
    assert_refused(test_command("check a.ply b.ply --picture a.jpg"), 1, ".png");
    assert_refused(test_command("check"), 1, "needs two frames or more");
    assert_refused(test_command("info"), 1, "one file");
    assert_refused(test_command("info a b"), 1, "one file");
    assert_refused(test_command("convert a"), 1, "two files");
    assert_refused(test_command("truth"), 1, "at least one file");
    assert_refused(test_command("scene"), 1, "--list");
    assert_refused(test_command("scene frob --out x"), 1, "\"frob\"");
    assert_refused(test_command("scene tets"), 1, "--out");
    assert_refused(test_command("scene tets --size 100000 --out x"), 1, "--size 100000 is above 300");
    assert_refused(test_command("scene tets --out x --format frob"), 1, "ply");
    assert_refused(test_command("completion"), 1, "bash, zsh");
    assert_refused(test_command("completion frob"), 1, "bash, zsh");
    assert_refused(test_command("man chek"), 1, "no subcommand \"chek\"");
}

static void names_with_line_breaks_stay_on_one_line(void **state) {
    (void)state;
    assert_refused(test_command("info 'a\nb'"), 1, "a b");
}

// The spelling of an option: the manual page escapes hyphens, fish has none before the name.
static void spell(const char *where, const char *option, char out[64]) {
    const int length = (int)strcspn(option, " \n");
    if (strcmp(where, "completion fish") == 0) {
        snprintf(out, 64, "-l %.*s", length, option);
    } else if (strncmp(where, "man", 3) == 0) {
        snprintf(out, 64, ".B \\-\\-%.*s", (int)strcspn(option, "- \n"), option);
    } else {
        snprintf(out, 64, "--%.*s", length, option);
    }
}

// Fail if a text lacks an option that --help lists. @return the number of options.
static int compare_options(const char *name, const char *where) {
    const test_run help = test_command("help %s", name), other = test_command("%s", where);
    int count = 0;
    assert_int_equal(other.code, 0);
    for (const char *at = help.out; (at = strstr(at, "\n  --")); at++, count++) {
        char option[64];
        spell(where, at + strlen("\n  --"), option);
        if (!strstr(other.out, option)) print_error("%s lacks %s\n", where, option);
        assert_non_null(strstr(other.out, option));
    }
    return count;
}

static void help_manual_and_completions_agree(void **state) {
    (void)state;
    static const char *const names[] = {"check", "overlaps", "near", "info", "convert", "truth", "scene"};
    int options = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char page[32];
        snprintf(page, sizeof page, "man %s", names[i]);
        options += compare_options(names[i], "man");
        options += compare_options(names[i], page);
        options += compare_options(names[i], "completion bash");
        options += compare_options(names[i], "completion zsh");
        options += compare_options(names[i], "completion fish");
    }
    assert_true(options > 4 * 20);
}

static void completion_is_valid_bash(void **state) {
    (void)state;
    assert_int_equal(test_command("completion bash | bash -n").code, 0);
}

static void completion_offers_the_names_of_scenes(void **state) {
    (void)state;
    const test_run run =
        test_command("completion bash | bash -c 'eval \"$(cat)\"; COMP_WORDS=(toccata scene cloth-ba); "
                     "COMP_CWORD=2; _toccata; echo \"${COMPREPLY[@]}\"'");
    assert_says(run, "cloth-ball\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_subcommand_is_refused),
        cmocka_unit_test(version_is_that_of_the_library),
        cmocka_unit_test(every_subcommand_helps),
        cmocka_unit_test(help_of_check_fits_one_screen),
        cmocka_unit_test(every_option_of_check_is_on_one_page),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(names_with_line_breaks_stay_on_one_line),
        cmocka_unit_test(help_manual_and_completions_agree),
        cmocka_unit_test(completion_is_valid_bash),
        cmocka_unit_test(completion_offers_the_names_of_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
