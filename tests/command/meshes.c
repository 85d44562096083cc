// SPDX-License-Identifier: Apache-2.0
// toccata info, convert and scene: meshes in and out of files.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"

// A tetrahedron's surface, with one vertex that no face uses.
static const char *write_surface(void) {
    return test_text_write("surface.off",
                           "OFF\n5 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n5 5 5\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
}

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static void info_counts_vertices_and_elements(void **state) {
    (void)state;
    const char *path = write_surface();
    assert_says(test_command("info %s", path), "closed");
    assert_says(test_command("info %s", path), "(1 unused)");
    const test_run run = test_command("info --json %s", path);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "file")), path);
    assert_double_same(number(json, "vertices"), 5);
    assert_double_same(number(json, "elements"), 4);
    assert_double_same(number(cJSON_GetObjectItem(json, "shapes"), "triangle"), 4);
    assert_double_same(number(json, "unused_vertices"), 1);
    assert_double_same(cJSON_GetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "high"), 2)), 1);
    assert_double_near(number(json, "mean_edge"), (3 + 3 * 1.4142135623730951) / 6, 1e-15);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "closed")));
    cJSON_Delete(json);
}

static void empty_mesh_is_refused(void **state) {
    (void)state;
    assert_refused(test_command("info %s", test_text_write("empty.off", "OFF\n0 0 0\n")), 1, "holds no elements");
}

static void info_names_defective_elements(void **state) {
    (void)state;
    const char *path = test_text_write("odd.off", "OFF\n3 3 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 1\n3 0 1 2\n");
    assert_says(test_command("info %s", path), "degenerate       1 (element 1 first)");
    assert_says(test_command("info %s", path), "duplicate        1 (element 2 first)");
    assert_says(test_command("info %s", path), "open (3 boundary edges)");
}

static void info_reports_zero_defects(void **state) {
    (void)state;
    const char *path = write_surface();
    assert_says(test_command("info %s", path), "degenerate       0\n");
    assert_says(test_command("info %s", path), "inverted         0\n");
    assert_says(test_command("info %s", path), "duplicate        0\n");
}

static void info_counts_frames(void **state) {
    (void)state;
    assert_says(test_command("scene bar --size 2 --frames 3 --format vtu --out %s", test_folder), "-0002.vtu");
    const char *pvd = test_text_write("frames.pvd", "<VTKFile type=\"Collection\"><Collection>"
                                                    "<DataSet timestep=\"0\" file=\"bar-0000.vtu\"/>"
                                                    "<DataSet timestep=\"1\" file=\"bar-0001.vtu\"/>"
                                                    "</Collection></VTKFile>");
    assert_says(test_command("info %s", pvd), "frames           2; the first is described here");
    assert_says(test_command("info --json %s", pvd), "\"frames\":\t2,");
}

static void info_notes_cells_of_higher_order(void **state) {
    (void)state;
    const char *path = test_text_write("curved.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                                     "POINTS 6 float\n0 0 0 1 0 0 0 1 0 .5 0 0 .5 .5 0 0 .5 0\n"
                                                     "CELLS 1 7\n6 0 1 2 3 4 5\nCELL_TYPES 1\n22\n");
    assert_says(test_command("info %s", path), "note             1 cells of higher order, reduced to their corners");
    assert_says(test_command("info --json %s", path), "\"higher_order\":\t1,");
}

static void files_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    assert_refused(test_command("info %s/none.ply", test_folder), 1, "none.ply");
    const char *empty = test_path(test_folder, "empty");
    assert_int_equal(mkdir(empty, 0777), 0);
    assert_refused(test_command("info %s", empty), 1, "empty");
    assert_refused(test_command("info %s", test_text_write("broken.ply", "ply\nformat")), 1, "broken.ply");
    assert_refused(test_command("convert %s/none.ply %s/out.ply", test_folder, test_folder), 1, "none.ply");
    assert_int_not_equal(access(test_path(test_folder, "out.ply"), F_OK), 0);
}

static void convert_keeps_the_mesh(void **state) {
    (void)state;
    const char *from = write_surface(), *ply = test_path(test_folder, "there.ply"),
               *back = test_path(test_folder, "back.off");
    assert_says(test_command("convert %s %s", from, ply), "there.ply: 5 vertices, 4 elements");
    assert_says(test_command("convert %s %s", ply, back), "back.off");
    assert_says(test_command("info %s", back), "closed");
    assert_says(test_command("convert --list"), "ply");
}

// Convert a sequence to one file, and that file back to frames.
static void convert_keeps_the_frames(void **state) {
    (void)state;
    char frames[3][256];
    for (int i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "OFF\n3 1 0\n0 0 %d\n1 0 0\n0 1 0\n3 0 1 2\n", i);
        snprintf(frames[i], sizeof frames[i], "%s",
                 test_text_write((const char *[]){"0.off", "1.off", "2.off"}[i], text));
    }
    const char *glb = test_path(test_folder, "run.glb"), *pvd = test_path(test_folder, "run.pvd");
    assert_says(test_command("convert %s %s %s %s", frames[0], frames[1], frames[2], glb), "run.glb: 3 frames");
    assert_says(test_command("info %s", glb), "frames           3");
    assert_says(test_command("convert %s %s", glb, pvd), "run.pvd: 3 frames");
    assert_int_equal(access(test_path(test_folder, "run-0002.vtu"), F_OK), 0);
    assert_says(test_command("convert %s --rate 300 %s", glb, pvd), "run.pvd: 21 frames");
    assert_says(test_command("convert %s %s/first.ply", glb, test_folder),
                "3 vertices, 1 elements; the first of 3 frames");
    assert_refused(test_command("convert %s %s %s/two.ply", frames[0], frames[1], test_folder), 1, "two.ply");
}

static void unwritable_output_is_refused(void **state) {
    (void)state;
    const char *from = write_surface();
    assert_refused(test_command("convert %s %s/none/out.ply", from, test_folder), 1, "none/out.ply");
    assert_refused(test_command("convert %s %s/out.frob", from, test_folder), 1, "out.frob");
    assert_refused(test_command("scene tets --out %s/surface.off", test_folder), 1, "surface.off");
}

static void full_disk_exits_with_3(void **state) {
    (void)state;
    const char *from = write_surface(), *full = test_path(test_folder, "full.ply");
    assert_refused(test_command("info %s >/dev/full", from), 3, "standard output");
    assert_refused(test_command("help >/dev/full"), 3, "standard output");
    assert_int_equal(symlink("/dev/full", full), 0);
    assert_refused(test_command("convert %s %s", from, full), 3, "full.ply");
}

// The sanitizer needs more address space than any limit leaves.
#ifndef __SANITIZE_ADDRESS__
static void lack_of_memory_exits_with_3(void **state) {
    (void)state;
    const test_run run =
        test_command("--version >/dev/null; ulimit -v 400000; '%s/toccata' scene n-body --size 1000000 "
                     "--frames 1 --out %s/large",
                     TOC_BINARY_DIR, test_folder);
    assert_refused(run, 3, "memory");
    assert_int_not_equal(access(test_path(test_folder, "large/n-body-0000.ply"), F_OK), 0);
}
#endif

static void closed_pipe_is_an_error(void **state) {
    (void)state;
    assert_refused(test_command("man >&-"), 1, "standard output");
}

static void scenes_are_the_same_on_every_run(void **state) {
    (void)state;
    static const char *const names[] = {"cloth-ball", "n-body", "explosion", "bar", "organs", "tets", "hexes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_says(test_command("scene --list"), names[i]);
        const char *run = "scene %s --size 2 --frames 2 --format vtk --out %s/%s";
        assert_says(test_command(run, names[i], test_folder, "once"), "-0001.vtk");
        assert_says(test_command(run, names[i], test_folder, "twice"), "-0000.vtk");
        assert_int_equal(test_command("--version && cmp %s/once/%s-0001.vtk %s/twice/%s-0001.vtk", test_folder,
                                      names[i], test_folder, names[i])
                             .code,
                         0);
        assert_int_not_equal(test_command("--version && cmp %s/once/%s-0000.vtk %s/once/%s-0001.vtk", test_folder,
                                          names[i], test_folder, names[i])
                                 .code,
                             0);
    }
}

// Scenes of volumes are written with their elements by default; the check follows removed, added and torn elements.
static void scenes_whose_topology_changes_are_checked_from_files(void **state) {
    (void)state;
    assert_says(test_command("scene bullet --size 1 --out %s/bullet", test_folder), "-0069.vtk");
    assert_says(test_command("check --preset volccd %s/bullet/*.vtk", test_folder), " of 69 steps");
    assert_says(test_command("scene liver --size 2 --out %s/liver", test_folder), "-0059.vtk");
    assert_says(test_command("check --preset volccd %s/liver/*.vtk", test_folder), " of 59 steps");
}

static void scenes_of_volumes_are_sound(void **state) {
    (void)state;
    static const char *const names[] = {"tets", "hexes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_says(test_command("scene %s --size 3 --format vtk --out %s", names[i], test_folder), "-0019.vtk");
        for (int frame = 0; frame < 20; frame++) {
            const test_run run = test_command("info --json %s/%s-%04d.vtk", test_folder, names[i], frame);
            cJSON *json = cJSON_Parse(run.out);
            assert_double_same(number(json, "inverted"), 0);
            assert_double_same(number(json, "degenerate"), 0);
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "closed")));
            cJSON_Delete(json);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_counts_vertices_and_elements),
        cmocka_unit_test(empty_mesh_is_refused),
        cmocka_unit_test(info_reports_zero_defects),
        cmocka_unit_test(info_counts_frames),
        cmocka_unit_test(info_notes_cells_of_higher_order),
        cmocka_unit_test(info_names_defective_elements),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(convert_keeps_the_mesh),
        cmocka_unit_test(convert_keeps_the_frames),
        cmocka_unit_test(unwritable_output_is_refused),
        cmocka_unit_test(full_disk_exits_with_3),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(lack_of_memory_exits_with_3),
#endif
        cmocka_unit_test(closed_pipe_is_an_error),
        cmocka_unit_test(scenes_are_the_same_on_every_run),
        cmocka_unit_test(scenes_whose_topology_changes_are_checked_from_files),
        cmocka_unit_test(scenes_of_volumes_are_sound),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
