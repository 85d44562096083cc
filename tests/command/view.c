// SPDX-License-Identifier: Apache-2.0
// toccata view without a browser: refusals, and the data in the page. viewer/tests opens pages in a browser.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"

// A vertex falls through a triangle at t = 1/4.
static int write_meshes(void **state) {
    test_folder_begin(state);
    test_fall_write(2);
    return 0;
}

static test_run run_view(const char *more) {
    return test_command("view %s/fall0.off %s/fall1.off %s", test_folder, test_folder, more);
}

// A build without node has no viewer.
static bool has_viewer(void) {
    char more[512];
    snprintf(more, sizeof more, "--out %s/page.html", test_folder);
    const test_run run = run_view(more);
    if (run.code == 0) return true;
    assert_refused(run, 1, "this build has no viewer: install nodejs and npm");
    assert_int_not_equal(access(test_path(test_folder, "page.html"), F_OK), 0);
    return false;
}

static void an_output_is_asked_for_before_anything_is_read(void **state) {
    (void)state;
    assert_refused(test_command("view none.off"), 1, "view needs --out page.html, --png picture.png, or --serve");
    assert_refused(test_command("view none.off --out a.html --serve"), 1, "or --serve without these");
    assert_refused(test_command("view none.off --png a.png --serve"), 1, "or --serve without these");
    assert_refused(test_command("view none.off --png a.jpg"), 1, "a.jpg: unknown extension; --png writes .png");
    assert_refused(test_command("view --png a.png"), 1, "--png needs frames to draw");
    assert_refused(test_command("view none.off --png a.png --width 9"), 1, "a picture of 9 x 720 pixels");
    assert_refused(test_command("view none.off --out a.pdf"), 1, "a.pdf: unknown extension; --out writes .html");
    assert_refused(test_command("view --contacts a.csv --out a.html"), 1, "--contacts needs the frames");
}

static cJSON *read_page_data(const char *text) {
    const char *from = strstr(text, "id=\"toccata-data\">");
    assert_non_null(from);
    from += strlen("id=\"toccata-data\">");
    const char *to = strstr(from, "</script>");
    assert_non_null(to);
    cJSON *json = cJSON_ParseWithLength(from, (size_t)(to - from));
    assert_non_null(json);
    return json;
}

static char *read_whole(const char *name) {
    FILE *file = fopen(test_path(test_folder, name), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void the_page_holds_the_step_and_its_contacts(void **state) {
    (void)state;
    if (!has_viewer()) skip();
    char *text = read_whole("page.html");
    assert_null(strstr(text, "<!--toccata-data-->"));
    cJSON *json = read_page_data(text);
    const cJSON *steps = cJSON_GetObjectItem(json, "steps");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "frames")), 2);
    assert_int_equal(cJSON_GetArraySize(steps), 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "parts")), 2);
    const cJSON *contacts = cJSON_GetObjectItem(cJSON_GetArrayItem(steps, 0), "contacts");
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(contacts, "count")), 1);
    cJSON_Delete(json);
    free(text);
}

// The page is the same, whatever file the contacts come from; damaged files are refused.
static void contacts_come_from_every_format_that_check_writes(void **state) {
    (void)state;
    static const char *const formats[] = {"csv", "json", "vtp", "glb"};
    char more[512], *first = NULL;
    if (!has_viewer()) skip();
    for (int i = 0; i < 4; i++) {
        assert_int_equal(test_command("check %s/fall0.off %s/fall1.off --contacts %s/hits.%s", test_folder, test_folder,
                                      test_folder, formats[i])
                             .code,
                         0);
        snprintf(more, sizeof more, "--contacts %s/hits.%s --out %s/given.html", test_folder, formats[i], test_folder);
        assert_says(run_view(more), "1 steps, 1 contacts");
        char *text = read_whole("given.html");
        if (first) assert_string_equal(text, first);
        if (first) free(text);
        if (!first) first = text;
    }
    free(first);
    test_text_write("bad.vtp", "<VTKFile type=\"PolyData\">");
    test_text_write("bad.glb", "glTF");
    test_text_write("bad.json", "{\"kind\":\"vf\"}\n");
    static const char *const words[] = {"", "bad.json:1: ", "bad.vtp:1: ", "bad.glb"};
    for (int i = 1; i < 4; i++) {
        snprintf(more, sizeof more, "--contacts %s/bad.%s --out %s/bad.html", test_folder, formats[i], test_folder);
        assert_refused(run_view(more), 1, words[i]);
    }
}

static void a_failed_run_leaves_no_page(void **state) {
    (void)state;
    if (!has_viewer()) skip();
    test_text_write("broken.off", "OFF\n3 1 0\n0 0 0\n");
    assert_refused(
        test_command("view %s/fall0.off %s/broken.off --out %s/broken.html", test_folder, test_folder, test_folder), 1,
        "broken.off");
    assert_int_not_equal(access(test_path(test_folder, "broken.html"), F_OK), 0);
}

// Ctrl-C before the first frame was read left page.html.PID~, and "no partial file remains" was not true.
static void a_signal_before_any_frame_leaves_no_page(void **state) {
    (void)state;
    if (!has_viewer()) skip();
    assert_int_equal(mkfifo(test_path(test_folder, "waits.off"), 0600), 0);
    const test_run run = test_command(
        "view %s/waits.off --out %s/stopped.html & until ls %s/stopped.html.*~ ; do sleep 0.1; done >/dev/null 2>&1; "
        "kill -TERM $!; wait $!",
        test_folder, test_folder, test_folder);
    assert_refused(run, 143, "no partial file remains");
    assert_int_equal(test_command("--version; ! ls %s/stopped.html*~ 2>/dev/null", test_folder).code, 0);
}

// Layers belong to steps: a single frame showed none.
static void a_single_frame_shows_its_overlaps(void **state) {
    (void)state;
    if (!has_viewer()) skip();
    test_text_write("cross.off", "OFF\n6 2 0\n-4 -4 0\n5 -4 0\n-4 5 0\n0 0 -1\n0 1 1\n1 0 1\n3 0 1 2\n3 3 4 5\n");
    const test_run run = test_command("view %s/cross.off --overlaps --out %s/cross.html", test_folder, test_folder);
    assert_says(run, "overlaps    1\n");
    char *text = read_whole("cross.html");
    cJSON *json = read_page_data(text);
    const cJSON *step = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "steps"), 0);
    const cJSON *overlaps = cJSON_GetObjectItem(step, "overlaps");
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(overlaps, "count")), 1);
    cJSON_Delete(json);
    free(text);
}

// A closed surface inside of another crosses nothing: the page tells of it, too.
static void a_surface_inside_of_another_is_told(void **state) {
    (void)state;
    if (!has_viewer()) skip();
    test_text_write("nested.off",
                    "OFF\n8 8 0\n0 0 0\n9 0 0\n0 9 0\n0 0 9\n1 1 1\n2 1 1\n1 2 1\n1 1 2\n3 0 2 1\n3 0 1 3\n3 0 3 2\n"
                    "3 1 2 3\n3 4 6 5\n3 4 5 7\n3 4 7 6\n3 5 6 7\n");
    const test_run run = test_command("view %s/nested.off --overlaps --out %s/nested.html", test_folder, test_folder);
    assert_says(run, "overlaps    0\n");
    assert_says(run, "inside      1 components wholly inside of a body\n");
    char *page = read_whole("nested.html");
    cJSON *json = read_page_data(page);
    const cJSON *step = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "steps"), 0);
    const cJSON *inside = cJSON_GetObjectItem(step, "inside");
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(inside, "count")), 1);
    cJSON_Delete(json);
    free(page);
}

// A page with neither frames nor an engine can do nothing.
static void a_page_without_engine_needs_frames(void **state) {
    (void)state;
#ifdef TEST_NO_ENGINE
    static const char other[] = "--version >/dev/null; '" TOC_BINARY_DIR "/" TEST_NO_ENGINE "'";
    assert_refused(test_command("%s view --out %s/idle.html", other, test_folder), 1,
                   "the page of this build has no engine");
    assert_int_not_equal(access(test_path(test_folder, "idle.html"), F_OK), 0);
    assert_refused(test_command("%s view --serve", other), 1, "the page of this build has no engine");
    assert_says(test_command("%s view %s/fall0.off %s/fall1.off --out %s/some.html", other, test_folder, test_folder,
                             test_folder),
                "1 steps, 1 contacts");
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_output_is_asked_for_before_anything_is_read),
        cmocka_unit_test(the_page_holds_the_step_and_its_contacts),
        cmocka_unit_test(contacts_come_from_every_format_that_check_writes),
        cmocka_unit_test(a_failed_run_leaves_no_page),
        cmocka_unit_test(a_signal_before_any_frame_leaves_no_page),
        cmocka_unit_test(a_single_frame_shows_its_overlaps),
        cmocka_unit_test(a_surface_inside_of_another_is_told),
        cmocka_unit_test(a_page_without_engine_needs_frames),
    };
    return cmocka_run_group_tests(tests, write_meshes, test_folder_end);
}
