// SPDX-License-Identifier: Apache-2.0
// Velocities of vertices in files: read only when they are asked for, by vertex id, and refused when they are broken.
#include <stdio.h>
#include <string.h>

#include "support/reading.h"

// A triangle whose vertices are listed in the order of `labels`.
static const char vtu[] =
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">"
    "<PointData><DataArray type=\"Int32\" Name=\"vertex_labels\">%s</DataArray>"
    "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\">%s</DataArray></PointData>"
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray></Points>"
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\">%s</DataArray>"
    "<DataArray type=\"Int32\" Name=\"offsets\">3</DataArray><DataArray type=\"UInt8\" Name=\"types\">5</DataArray>"
    "</Cells></Piece></UnstructuredGrid></VTKFile>";

static char *folder;

// Numbers as frames of simulations have them, above 32 bits, and one below 0.
static const int64_t large_labels[3] = {INT64_C(10000000000), INT64_C(20000000007), -5};

static int begin_folder(void **state) {
    (void)state;
    folder = test_folder_make();
    return 0;
}

static int end_folder(void **state) {
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static void write_text(const char *name, const char *text) {
    test_file_write(test_path(folder, name), text, strlen(text));
}

static void write_vtu(const char *name, const char *array, int components, const char *values) {
    char text[2048];
    snprintf(text, sizeof text, vtu, "1 2 3", array, components, values, "0 1 2");
    write_text(name, text);
}

static toc_status open_first(const char *name, bool on, toc_sequence **sequence, toc_mesh **mesh) {
    const char *path = test_path(folder, name);
    assert_ok(toc_sequence_open(1, &path, NULL, sequence));
    assert_ok(toc_sequence_take_velocities(*sequence, on));
    const toc_status status = toc_sequence_read_first(*sequence, mesh);
    if (status != TOC_OK) toc_sequence_close(*sequence);
    return status;
}

// Whether a file has velocities: 1 to 9 in a row.
static bool has_velocities(const char *name, bool on) {
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(open_first(name, on, &sequence, &mesh));
    const double *v = toc_sequence_get_velocities(sequence);
    for (int i = 0; v && i < 9; i++) assert_double_same(v[i], i + 1);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return v != NULL;
}

static void names_of_the_array(void **state) {
    (void)state;
    static const char *const names[] = {"velocity", "Velocity", "v", "V", "vel", "velocities"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_vtu("a.vtu", names[i], 3, "1 2 3 4 5 6 7 8 9");
        assert_true(has_velocities("a.vtu", true));
        assert_false(has_velocities("a.vtu", false));
    }
    write_vtu("a.vtu", "speed", 3, "1 2 3 4 5 6 7 8 9");
    assert_false(has_velocities("a.vtu", true));
    write_vtu("a.vtu", "velocity", 1, "1 2 3");
    assert_false(has_velocities("a.vtu", true));
}

static void legacy_files(void **state) {
    (void)state;
    static const char *const arrays[] = {
        "POINT_DATA 3\nVECTORS velocity float\n1 2 3 4 5 6 7 8 9\n",
        "POINT_DATA 3\nSCALARS a int 1\n1 2 3\nFIELD f 2\nt 1 3 int\n1 2 3\nVelocity 3 3 double\n1 2 3 4 5 6 7 8 9\n",
        "POINT_DATA 3\nVECTORS v double\n1 2 3 4 5 6 7 8 9\nVECTORS velocity float\n0 0 0 0 0 0 0 0 0\n",
        "CELL_DATA 1\nVECTORS velocity double\n1 2 3\n",
        "POINT_DATA 3\nFIELD f 1\nvelocity 3 2 double\n1 2 3 4 5 6\n",
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
                 "POLYGONS 1 4\n3 0 1 2\n%s",
                 arrays[i]);
        write_text("a.vtk", text);
        assert_int_equal(has_velocities("a.vtk", true), i < 3);
        assert_false(has_velocities("a.vtk", false));
    }
}

// A mesh of two pieces has velocities if both have.
static void pieces_without(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        char text[4096] = "<VTKFile type=\"PolyData\"><PolyData>";
        for (int piece = 0; piece < 2; piece++) {
            const char *values = piece ? "4 5 6 7 8 9" : "1 2 3";
            snprintf(
                text + strlen(text), sizeof text - strlen(text),
                "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\"><PointData><DataArray type=\"Float32\" "
                "Name=\"%s\" NumberOfComponents=\"3\">%s</DataArray></PointData><Points><DataArray "
                "type=\"Float32\" NumberOfComponents=\"3\">%s</DataArray></Points><Verts><DataArray type=\"Int32\" "
                "Name=\"connectivity\">%s</DataArray><DataArray type=\"Int32\" Name=\"offsets\">%s</DataArray>"
                "</Verts></Piece>",
                1 + piece, 1 + piece, way >> piece & 1 ? "velocity" : "other", values, values, piece ? "0 1" : "0",
                piece ? "1 2" : "1");
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "</PolyData></VTKFile>");
        write_text("a.vtp", text);
        assert_int_equal(has_velocities("a.vtp", true), way == 3);
    }
}

// A later file lists the vertices in another order.
static void vertices_are_known_by_their_numbers(void **state) {
    (void)state;
    char text[2048], first[512], second[512];
    toc_sequence *sequence;
    toc_mesh *mesh;
    write_vtu("a.vtu", "v", 3, "0 0 0 0 0 0 0 0 0");
    snprintf(text, sizeof text, vtu, "3 1 2", "v", 3, "7 8 9 1 2 3 4 5 6", "1 2 0");
    write_text("b.vtu", text);
    snprintf(first, sizeof first, "%s", test_path(folder, "a.vtu"));
    snprintf(second, sizeof second, "%s", test_path(folder, "b.vtu"));
    assert_ok(toc_sequence_open(2, (const char *const[]){first, second}, NULL, &sequence));
    assert_ok(toc_sequence_take_velocities(sequence, true));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_double_same(toc_sequence_get_velocities(sequence)[8], 0);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    for (int i = 0; i < 9; i++) assert_double_same(toc_sequence_get_velocities(sequence)[i], i + 1);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void broken_velocities(void **state) {
    (void)state;
    static const char *const values[] = {"1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9 10", "1 2 3 4 x 6 7 8 9",
                                         "1 2 3 4 5 6 nan 8 9", "1 2 3 4 5 6 7 8 inf"};
    toc_sequence *sequence;
    toc_mesh *mesh;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        write_vtu("a.vtu", "velocity", 3, values[i]);
        assert_false(has_velocities("a.vtu", false)); // nobody asked
        assert_fails(open_first("a.vtu", true, &sequence, &mesh), TOC_BAD_INPUT, "a.vtu");
    }
    assert_fails(toc_sequence_take_velocities(NULL, true), TOC_BAD_INPUT, "sequence is NULL");
    assert_null(toc_sequence_get_velocities(NULL));
}

// An infinite number, as bytes of a legacy file.
static void velocities_that_are_not_finite(void **state) {
    (void)state;
    const char head[] = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 1 float\n", mark[4] = {0};
    const char cells[] = "\nVERTICES 1 2\n\0\0\0\1\0\0\0\0\nPOINT_DATA 1\nVECTORS velocity float\n";
    const unsigned char infinite[12] = {0x3f, 0x80, 0, 0, 0x7f, 0x80, 0, 0, 0x3f, 0x80, 0, 0};
    char bytes[512];
    size_t count = 0;
    toc_sequence *sequence;
    toc_mesh *mesh;
    memcpy(bytes, head, sizeof head - 1), count += sizeof head - 1;
    for (int i = 0; i < 3; i++, count += 4) memcpy(bytes + count, mark, 4);
    memcpy(bytes + count, cells, sizeof cells - 1), count += sizeof cells - 1;
    memcpy(bytes + count, infinite, 12), count += 12;
    test_file_write(test_path(folder, "b.vtk"), bytes, count);
    assert_false(has_velocities("b.vtk", false));
    assert_fails(open_first("b.vtk", true, &sequence, &mesh), TOC_BAD_INPUT, "vertex 0: the velocity is not finite");
}

static toc_status play_with_velocities(const toc_allocator *allocator, void *user) {
    const char *const *paths = user;
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_read_options options = toc_read_options_default();
    options.allocator = allocator;
    toc_status status = toc_sequence_open(2, paths, &options, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_take_velocities(sequence, true);
    if (status == TOC_OK) status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) status = toc_sequence_advance(sequence, 1, mesh);
    assert_true(status != TOC_OK || toc_sequence_get_velocities(sequence));
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    char text[2048], first[512], second[512];
    write_vtu("a.vtu", "v", 3, "1 2 3 4 5 6 7 8 9");
    snprintf(text, sizeof text, vtu, "3 1 2", "v", 3, "7 8 9 1 2 3 4 5 6", "1 2 0");
    write_text("b.vtu", text);
    snprintf(first, sizeof first, "%s", test_path(folder, "a.vtu"));
    snprintf(second, sizeof second, "%s", test_path(folder, "b.vtu"));
    const char *paths[] = {first, second};
    assert_true(test_every_allocation(play_with_velocities, paths) > 5);
}

// Written velocities are read again, bit for bit, of a .glb as floats; formats that hold none leave them out, and no
// velocities are fine.
static void written_velocities_are_read(void **state) {
    (void)state;
    static const char *const names[] = {"w.vtu", "w.vtk", "w.ply", "w.glb", "w.obj"};
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    for (size_t i = 0; i < 10; i++) {
        toc_mesh *mesh;
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, 3, x, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
        if (i >= 5) assert_ok(toc_mesh_set_vertex_labels(mesh, 3, (int64_t[]){11, 12, 13}));
        assert_ok(toc_mesh_write_moving(test_path(folder, names[i % 5]), mesh, TOC_AT_END, v));
        assert_true(has_velocities(names[i % 5], true) == (i % 5 < 4));
        assert_ok(toc_mesh_write(test_path(folder, names[i % 5]), mesh, TOC_AT_END));
        assert_false(has_velocities(names[i % 5], true));
        assert_ok(toc_mesh_write_moving(test_path(folder, names[i % 5]), mesh, TOC_AT_END, NULL));
        assert_false(has_velocities(names[i % 5], true));
        toc_mesh_destroy(mesh);
    }
}

static void write_ply_text(const char *properties, const char *numbers) {
    char text[1024];
    snprintf(text, sizeof text,
             "ply\nformat ascii 1.0\nelement vertex 3\n%s\nelement face 1\n"
             "property list uchar int vertex_indices\nend_header\n%s\n3 0 1 2\n",
             properties, numbers);
    write_text("t.ply", text);
}

// Values of a vertex in any order, beside others.
static void velocities_of_ply(void **state) {
    (void)state;
    write_ply_text("property float vz\nproperty double x\nproperty double y\nproperty int vertex_label\n"
                   "property double vx\nproperty uchar red\nproperty double vy\nproperty double z",
                   "3 0 0 11 1 9 2 0\n6 1 0 -12 4 9 5 0\n9 0 1 13 7 9 8 0");
    assert_true(has_velocities("t.ply", true));
    assert_false(has_velocities("t.ply", false));
    toc_mesh *mesh;
    int64_t label = 0;
    assert_ok(toc_mesh_read(test_path(folder, "t.ply"), NULL, &mesh));
    assert_true(toc_mesh_get_vertex_label(mesh, 1, &label) && label == -12);
    toc_mesh_destroy(mesh);
    // Two components only are none.
    write_ply_text("property double x\nproperty double y\nproperty double z\nproperty double vx\nproperty double vy",
                   "0 0 0 1 2\n1 0 0 4 5\n0 1 0 7 8");
    assert_false(has_velocities("t.ply", true));
    // A label that is no integer.
    write_ply_text("property double x\nproperty double y\nproperty double z\nproperty double vertex_label",
                   "0 0 0 1\n1 0 0 2.5\n0 1 0 1e300");
    assert_ok(toc_mesh_read(test_path(folder, "t.ply"), NULL, &mesh));
    assert_false(toc_mesh_get_vertex_label(mesh, 0, NULL));
    toc_mesh_destroy(mesh);
}

static toc_mesh *make_labelled(void) {
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
    assert_ok(toc_mesh_set_vertex_labels(mesh, 3, large_labels));
    return mesh;
}

static bool has_large_labels(const char *name) {
    toc_mesh *mesh;
    int64_t label;
    assert_ok(toc_mesh_read(test_path(folder, name), NULL, &mesh));
    const bool known = toc_mesh_get_vertex_label(mesh, 0, NULL);
    for (uint32_t v = 0; v < 3 && known; v++) {
        assert_true(toc_mesh_get_vertex_label(mesh, v, &label));
        assert_true(label == large_labels[v]);
    }
    toc_mesh_destroy(mesh);
    return known;
}

static void large_labels_are_kept(void **state) {
    (void)state;
    static const char *const names[] = {"l.ply", "l.glb"};
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh = make_labelled();
        assert_ok(toc_mesh_write(test_path(folder, names[i]), mesh, TOC_AT_END));
        toc_mesh_destroy(mesh);
        assert_true(has_large_labels(names[i]));
    }
}

// glTF with places for attributes, the parts of a primitive, and those of the node.
static void write_gltf(const char *attributes, const char *primitive, const char *node) {
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0%s}],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0%s}%s}]}],\"buffers\":[{\"byteLength\":132,\"uri\":"
        "\"data:application/"
        "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAAEAAAEBAAACAQAAAoEAAAMBA"
        "AADgQAAAAEEAABBBAOQLVAIAAAAHyBeoBAAAAPv/////////AACAPwAAAEAAAEBAAACAQAAAwH8AAMBAAADgQAAAAEEAABBB\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":96,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5123,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":3,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}]}";
    char all[2048];
    snprintf(all, sizeof all, text, node, attributes, primitive);
    write_text("t.gltf", all);
}

static void velocities_of_gltf(void **state) {
    (void)state;
    toc_sequence *sequence;
    toc_mesh *mesh;
    write_gltf(",\"_VELOCITY\":1,\"_VERTEX_LABEL\":2", "", "");
    assert_true(has_velocities("t.gltf", true));
    assert_false(has_velocities("t.gltf", false));
    assert_true(has_large_labels("t.gltf"));
    // A node that turns x to y to z to x, twice as large and somewhere else.
    write_gltf(",\"_VELOCITY\":1", "", ",\"rotation\":[0.5,0.5,0.5,0.5],\"scale\":[2,2,2],\"translation\":[5,6,7]");
    assert_ok(open_first("t.gltf", true, &sequence, &mesh));
    const double *v = toc_sequence_get_velocities(sequence), turned[9] = {6, 2, 4, 12, 8, 10, 18, 14, 16};
    for (int i = 0; i < 9; i++) assert_double_near(v[i], turned[i], 1e-12);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    assert_false(has_large_labels("t.gltf"));
    // The vertices of a primitive with morph targets move by these.
    write_gltf(",\"_VELOCITY\":1", ",\"targets\":[{\"POSITION\":1}]", "");
    assert_false(has_velocities("t.gltf", true));
}

static void broken_attributes_of_gltf(void **state) {
    (void)state;
    static const struct {
        const char *attributes, *says;
    } broken[] = {{",\"_VELOCITY\":3", "2 items of \"_VELOCITY\" for 3 vertices"},
                  {",\"_VELOCITY\":5", "a velocity is not a finite number"},
                  {",\"_VELOCITY\":2", "takes 3 components"},
                  {",\"_VELOCITY\":9", "t.gltf"}};
    static const char *const labels[] = {",\"_VERTEX_LABEL\":4", ",\"_VERTEX_LABEL\":6", ",\"_VERTEX_LABEL\":9"};
    toc_sequence *sequence;
    toc_mesh *mesh;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        write_gltf(broken[i].attributes, "", "");
        assert_false(has_velocities("t.gltf", false)); // nobody asked
        assert_fails(open_first("t.gltf", true, &sequence, &mesh), TOC_BAD_INPUT, broken[i].says);
    }
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        write_gltf(labels[i], "", "");
        assert_fails(toc_mesh_read(test_path(folder, "t.gltf"), NULL, &mesh), TOC_BAD_INPUT, "t.gltf");
    }
}

static void velocities_beyond_floats_are_refused(void **state) {
    (void)state;
    const double v[9] = {0, 0, 0, 0, 1e39, 0, 0, 0, 0};
    toc_mesh *mesh = make_labelled();
    assert_fails(toc_mesh_write_moving(test_path(folder, "f.glb"), mesh, TOC_AT_END, v), TOC_BAD_INPUT,
                 "vertex 1: its velocity 1e+39 is more than a float can hold");
    toc_mesh_destroy(mesh);
}

static void memory_may_end_in_files_of_surfaces(void **state) {
    (void)state;
    const double v[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const char *const names[] = {"m.ply", "m.glb"};
    for (int i = 0; i < 2; i++) {
        char path[512];
        toc_mesh *mesh = make_labelled();
        snprintf(path, sizeof path, "%s", test_path(folder, names[i]));
        assert_ok(toc_mesh_write_moving(path, mesh, TOC_AT_END, v));
        toc_mesh_destroy(mesh);
        const char *paths[] = {path, path};
        assert_true(test_every_allocation(play_with_velocities, paths) > 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_of_ply),
        cmocka_unit_test(large_labels_are_kept),
        cmocka_unit_test(velocities_of_gltf),
        cmocka_unit_test(broken_attributes_of_gltf),
        cmocka_unit_test(velocities_beyond_floats_are_refused),
        cmocka_unit_test(memory_may_end_in_files_of_surfaces),
        cmocka_unit_test(names_of_the_array),
        cmocka_unit_test(legacy_files),
        cmocka_unit_test(pieces_without),
        cmocka_unit_test(vertices_are_known_by_their_numbers),
        cmocka_unit_test(broken_velocities),
        cmocka_unit_test(velocities_that_are_not_finite),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(written_velocities_are_read),
    };
    return cmocka_run_group_tests(tests, begin_folder, end_folder);
}
