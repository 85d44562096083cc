// SPDX-License-Identifier: Apache-2.0
// toccata check along velocities of files: parabolas from two frames, a straight path from one, and their refusals.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "support/command.h"

// Two triangles; vertex 3 of the second is at height z above the first, and moves with the velocity vz, unless that is
// NULL.
static void write_frame(const char *name, const char *z, const char *vz) {
    char text[1024], data[256] = "";
    if (vz)
        snprintf(data, sizeof data,
                 "POINT_DATA 6\nVECTORS velocity double\n0 0 0\n0 0 0\n0 0 0\n0 0 %s\n0 0 0\n0 0 0\n", vz);
    snprintf(text, sizeof text,
             "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 6 double\n-4 -4 0\n5 -4 0\n-4 5 0\n"
             "0.1 0.2 %s\n0 1 9\n1 0 9\nPOLYGONS 2 8\n3 0 1 2\n3 3 4 5\n%s",
             z, data);
    test_text_write(name, text);
}

static int write_frames(void **state) {
    test_folder_begin(state);
    write_frame("a.vtk", "1", "-16");
    write_frame("b.vtk", "1", "0");
    write_frame("plain.vtk", "1", NULL);
    test_text_write("times.pvd", "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"3\" file=\"a.vtk\"/>"
                                 "<DataSet timestep=\"3.5\" file=\"b.vtk\"/></Collection></VTKFile>");
    return 0;
}

// "check A B MORE" for two files of the folder; the second may be "".
static test_run check(const char *a, const char *b, const char *more) {
    return test_command("check %s/%s %s%s%s %s", test_folder, a, *b ? test_folder : "", *b ? "/" : "", b, more);
}

static void assert_first(test_run run, double toc, double time) {
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_double_near(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "first")), toc, 1e-9);
    assert_double_near(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "first_time")), time, 1e-9);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "contacts")), 1);
    cJSON_Delete(json);
}

// z = 1 - 8 t (1 - t), at 16 lengths a second for half of a second: 0 at t = (1 - sqrt(1/2)) / 2.
static void two_frames_are_a_parabola(void **state) {
    (void)state;
    static const double toc = 0.14644660940672624;
    assert_first(check("a.vtk", "b.vtk", "--parabolas --dt 0.5 --json"), toc, toc / 2);
    assert_first(check("a.vtk", "b.vtk", "--velocities --dt 0.5 --preset brute --json"), toc, toc / 2);
    assert_says(check("times.pvd", "", "--velocities"), "1 contacts in 1 of 1 steps");
    assert_says(check("times.pvd", "", "--velocities"), "time 3 to 3.5");
    assert_says(check("a.vtk", "b.vtk", ""), "contacts  0");
}

// An odd number of frames has middles, unless velocities are asked for.
static void three_frames_keep_their_middle(void **state) {
    (void)state;
    char more[512];
    snprintf(more, sizeof more, "%s/b.vtk", test_folder);
    assert_int_equal(check("a.vtk", "plain.vtk", more).code, 0);
    snprintf(more, sizeof more, "%s/b.vtk --parabolas", test_folder);
    assert_says(check("a.vtk", "plain.vtk", more), "contacts  0"); // middles, no velocities
    snprintf(more, sizeof more, "%s/b.vtk --velocities --dt 0.5", test_folder);
    const test_run failed = check("a.vtk", "plain.vtk", more);
    assert_int_equal(failed.code, 1);
    assert_non_null(strstr(failed.err, "plain.vtk: there are no velocities"));
    assert_non_null(strstr(failed.out, "\n     0          1 ")); // the row of the whole step stays
    assert_null(strstr(failed.out, "contacts in "));             // no sum of a run that failed
    snprintf(more, sizeof more, "%s/b.vtk --velocities --dt 0.5", test_folder);
    assert_says(check("a.vtk", "b.vtk", more), "1 contacts in 1 of 2 steps");
}

static void one_frame_goes_on_straight(void **state) {
    (void)state;
    assert_first(check("a.vtk", "", "--velocities --dt 0.125 --json"), 0.5, 0.0625);
    assert_first(check("a.vtk", "", "--parabolas --dt 0.125 --json"), 0.5, 0.0625);
    assert_says(check("a.vtk", "", "--velocities --dt 0.01"), "contacts  0");
    assert_refused(check("a.vtk", "", "--velocities"), 1, "the files do not tell the time of a step");
    assert_refused(check("a.vtk", "", "--parabolas"), 1, "only one frame");
    assert_refused(check("plain.vtk", "", "--velocities --dt 1"), 1, "there are no velocities");
}

static void refusals(void **state) {
    (void)state;
    assert_refused(check("plain.vtk", "b.vtk", "--parabolas --dt 1"), 1, "odd number of frames");
    assert_refused(check("a.vtk", "b.vtk", "--parabolas"), 1, "--dt TIME");
    assert_refused(check("a.vtk", "b.vtk", "--dt 1"), 1, "give --velocities");
    assert_refused(check("a.vtk", "b.vtk", "--velocities --dt 0"), 1, "must be above 0");
    assert_refused(check("a.vtk", "b.vtk", "--velocities --dt -1"), 1, "dt");
    assert_refused(check("a.vtk", "b.vtk", "--velocities --dt 1 --weld"), 1, "leave out --velocities");
    write_frame("bad.vtk", "1", "1e308");
    assert_refused(check("bad.vtk", "b.vtk", "--velocities --dt 1e9"), 1, "");
    test_text_write("back.pvd", "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"3\" file=\"a.vtk\"/>"
                                "<DataSet timestep=\"3\" file=\"b.vtk\"/></Collection></VTKFile>");
    assert_int_not_equal(check("back.pvd", "", "--velocities").code, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_frames_are_a_parabola),
        cmocka_unit_test(three_frames_keep_their_middle),
        cmocka_unit_test(one_frame_goes_on_straight),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, write_frames, test_folder_end);
}
