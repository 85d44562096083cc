// SPDX-License-Identifier: Apache-2.0
// Files from elsewhere: read whole, and written and read again without a bit lost.
#include <stdio.h>
#include <string.h>

#include "support/meshes.h"

static void assert_counts(const char *name, size_t vertices, size_t triangles) {
    toc_mesh *mesh = NULL;
    assert_ok(toc_mesh_read(test_data("%s", name), NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), vertices);
    assert_int_equal(toc_mesh_get_element_count(mesh), triangles);
    for (size_t i = 0; i < triangles; i++) {
        assert_int_equal(toc_mesh_get_element(mesh, (uint32_t)i).shape, TOC_TRIANGLE);
    }
    toc_mesh_destroy(mesh);
}

static void steps_of_benchmark_scenes(void **state) {
    (void)state;
    test_need_data("frames/n-body/start.ply");
    assert_counts("frames/cloth-ball/start.ply", 46598, 92230);
    assert_counts("frames/cloth-ball/end.ply", 46598, 92230);
    assert_counts("frames/n-body/start.ply", 73960, 146480);
    assert_counts("frames/n-body/end.ply", 73960, 146480);
}

static void play(const char *format, int first, size_t count, size_t vertices, size_t triangles) {
    char names[32][1024];
    const char *paths[32];
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, format, first + (int)i);
        assert_non_null(test_data("%s", name));
        snprintf(names[i], sizeof names[i], "%s", test_data("%s", name));
        paths[i] = names[i];
    }
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(count, paths, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), vertices);
    assert_int_equal(toc_mesh_get_element_count(mesh), triangles);
    for (size_t i = 1; i < count; i++) {
        assert_ok(toc_sequence_advance(sequence, i, mesh));
        assert_memory_not_equal(toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), 3 * vertices * sizeof(double));
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void sequences_from_simulations(void **state) {
    (void)state;
    test_need_data("sequences/kick/40.obj");
    play("sequences/kick/%d.obj", 40, 6, 12811, 25472);
    play("sequences/tshirt/%d.obj", 60, 20, 1426, 2745);
    play("sequences/horse-collapse/%03d.ply", 24, 10, 8431, 16843);
}

static void round_trips_of_a_real_mesh(void **state) {
    (void)state;
    test_need_data("sequences/kick/40.obj");
    char *folder = test_folder_make();
    toc_mesh *mesh = NULL;
    assert_ok(toc_mesh_read(test_data("sequences/kick/40.obj"), NULL, &mesh));
    static const char *const names[] = {"a.ply", "a.off", "a.obj"};
    for (int i = 0; i < 3; i++) {
        toc_mesh *back = NULL;
        assert_ok(toc_mesh_write(test_path(folder, names[i]), mesh, TOC_AT_START));
        assert_ok(toc_mesh_read(test_path(folder, names[i]), NULL, &back));
        assert_same_mesh(mesh, back);
        toc_mesh_destroy(back);
    }
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_benchmark_scenes),
        cmocka_unit_test(sequences_from_simulations),
        cmocka_unit_test(round_trips_of_a_real_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
