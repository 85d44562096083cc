// SPDX-License-Identifier: Apache-2.0
// Formats that are only read, written by meshio: the mesh must come back bit for bit, with every corner in its place.
// (Wedges are left out: meshio hands them on from VTK as they are, though these formats number them the other way.)
#include <stdio.h>
#include <stdlib.h>

#include "support/meshes.h"

static const char convert[] = "import meshio, sys; m = meshio.read(sys.argv[1]); "
                              "meshio.Mesh(m.points, m.cells).write(sys.argv[2])";

/// False where meshio cannot be asked.
static bool ask_meshio(const char *from, const char *to) {
    char command[2048];
    snprintf(command, sizeof command, "/usr/bin/python3 -c '%s' '%s' '%s' >/dev/null 2>&1", convert, from, to);
    if (system(command) == 0) return true;
    print_message("skipped: no meshio that writes %s\n", to);
    return false;
}

static toc_mesh *make(size_t shape_count) {
    static const toc_shape shapes[] = {TOC_TRIANGLE, TOC_QUAD, TOC_EDGE, TOC_TET, TOC_HEX, TOC_PYRAMID};
    test_random random = test_random_make(0);
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < 40; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = test_random_between(&random, -1e3, 1e3);
        assert_ok(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    for (size_t s = 0; s < shape_count; s++)
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t corners[8];
            for (uint32_t c = 0; c < 8; c++) corners[c] = (9 * i + 3 * c + test_random_below(&random, 3)) % 40;
            assert_ok(toc_mesh_add_elements(mesh, shapes[s], 1, corners, NULL));
        }
    return mesh;
}

static void written_by_meshio(const char *name, size_t shape_count) {
    char *folder = test_folder_make();
    char from[256], to[256];
    snprintf(from, sizeof from, "%s", test_path(folder, "a.vtu"));
    snprintf(to, sizeof to, "%s", test_path(folder, name));
    toc_mesh *mesh = make(shape_count), *back;
    assert_ok(toc_mesh_write(from, mesh, TOC_AT_START));
    if (ask_meshio(from, to)) {
        assert_ok(toc_mesh_read(to, NULL, &back));
        assert_same_mesh(mesh, back);
        toc_mesh_destroy(back);
    }
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void abaqus(void **state) {
    (void)state;
    written_by_meshio("a.inp", 5); // it knows no pyramids there
}

static void exodus(void **state) {
    (void)state;
#ifdef TOC_HAVE_NETCDF
    written_by_meshio("a.e", 6);
#else
    print_message("skipped: no libnetcdf\n");
#endif
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: no expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(abaqus), cmocka_unit_test(exodus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
