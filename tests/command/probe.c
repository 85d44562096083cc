// SPDX-License-Identifier: Apache-2.0
// toccata probe: closest points and hits of segments.
#include <cjson/cJSON.h>
#include <string.h>

#include "support/command.h"

// The surface of a tetrahedron.
static const char *write_corner(void) {
    return test_text_write("corner.off",
                           "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
}

static double number_at(const cJSON *list, int i) { return cJSON_GetNumberValue(cJSON_GetArrayItem(list, i)); }

static void answers_in_words(void **state) {
    (void)state;
    const char *path = write_corner();
    assert_says(test_command("probe %s --point 0.25,0.25,-2", path),
                "point 0.25,0.25,-2  distance 2  closest 0.25,0.25,0  vertices 0,2,1  weights 0.5,0.25,0.25\n");
    assert_says(test_command("probe %s --point 0.125,0.125,0.125", path), "inside\n");
    assert_says(test_command("probe %s --segment 0.25,0.25,-1,0.25,0.25,1", path),
                "  at 0.25,0.25,0  vertices 0,2,1  weights 0.5,0.25,0.25  normal 0,0,-1\n");
    assert_says(test_command("probe %s --segment 5,5,5,6,6,6", path), "segment 5,5,5,6,6,6  no hit\n");
    assert_says(test_command("probe %s --point 9,9,9 --reach 1", path), "nothing within reach\n");
}

static void answers_in_json(void **state) {
    (void)state;
    const test_run run =
        test_command("probe %s --point -1,0,0 --point 9,9,9 --reach 2 --segment 0.25,0.25,-1,0.25,0.25,1 "
                     "--segment 5,5,5,6,6,6 --json",
                     write_corner());
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    const cJSON *points = cJSON_GetObjectItem(json, "points"), *segments = cJSON_GetObjectItem(json, "segments");
    assert_int_equal(cJSON_GetArraySize(points), 2);
    assert_int_equal(cJSON_GetArraySize(segments), 2);
    const cJSON *near = cJSON_GetArrayItem(points, 0), *far = cJSON_GetArrayItem(points, 1);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetObjectItem(near, "distance")), 1);
    assert_double_same(number_at(cJSON_GetObjectItem(near, "closest"), 0), 0);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(near, "inside")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(far, "distance")) && !cJSON_GetObjectItem(far, "vertices"));
    const cJSON *hit = cJSON_GetArrayItem(segments, 0), *miss = cJSON_GetArrayItem(segments, 1);
    assert_double_near(cJSON_GetNumberValue(cJSON_GetObjectItem(hit, "time")), 0.5, 1e-9);
    assert_double_same(number_at(cJSON_GetObjectItem(hit, "normal"), 2), -1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(hit, "vertices")), 3);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(miss, "time")));
    cJSON_Delete(json);
}

// The frame asked about, not the first one, and no frame in between.
static void a_frame_of_a_sequence(void **state) {
    (void)state;
    const char *path = write_corner();
    const char *moved =
        test_text_write("moved.off", "OFF\n4 4 0\n0 0 3\n1 0 3\n0 1 3\n0 0 4\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
    assert_says(test_command("probe %s %s --point 0.25,0.25,2", path, moved), "distance 1.06066");
    assert_says(test_command("probe %s %s --frame 1 --point 0.25,0.25,2", path, moved), "distance 1 ");
    assert_refused(test_command("probe %s %s --frame 2 --point 0,0,0", path, moved), 1, "no frame 2; the last is 1");
}

static void mistakes_are_named(void **state) {
    (void)state;
    const char *path = write_corner();
    assert_refused(test_command("probe --point 0,0,0"), 1, "needs a file");
    assert_refused(test_command("probe %s", path), 1, "--point X,Y,Z or --segment");
    assert_refused(test_command("probe %s --point 1,2", path), 1, "three numbers");
    assert_refused(test_command("probe %s --point 1,2,nan", path), 1, "three numbers");
    assert_refused(test_command("probe %s --segment 1,2,3", path), 1, "six numbers");
    assert_refused(test_command("probe %s --point 1,2,3 --reach -1", path), 1, "--reach");
    assert_refused(test_command("probe absent.off --point 1,2,3"), 1, "absent.off");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_in_words),
        cmocka_unit_test(answers_in_json),
        cmocka_unit_test(a_frame_of_a_sequence),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
