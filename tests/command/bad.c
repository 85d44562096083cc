// SPDX-License-Identifier: Apache-2.0
// Defects of files in every format: each gives one sentence with the file and the line or byte, and exit code 1.
// Unusual but valid input is read: Windows line ends, names in no known encoding, a locale with a decimal comma.
#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/core/format.h"
#include "support/command.h"

static regex_t place; // "file:LINE: " or "file: byte N: ", also of a second file that the first one names

static int begin(void **state) {
    test_folder_begin(state);
    return regcomp(&place, "(:[0-9]+: |: byte [0-9]+: )", REG_EXTENDED | REG_NOSUB);
}

static int end(void **state) {
    regfree(&place);
    return test_folder_end(state);
}

// Read a file of one frame or of many.
static toc_status read_any(const char *path, toc_mesh **out) {
    toc_sequence *sequence;
    toc_status status = toc_sequence_open(1, &path, NULL, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, out);
    toc_sequence_close(sequence);
    return status;
}

static void assert_told(const char *path, const char *what) {
    const char *said = toc_message_get();
    const bool named = strncmp(said, path, strlen(path)) == 0;
    const bool whole = strstr(said, "is empty") || strstr(said, "holds no") || strstr(said, "is of no format") ||
                       strstr(said, "cannot be opened");
    if (!named || !(whole || regexec(&place, said, 0, NULL, 0) == 0)) fail_msg("%s: %s", what, said);
}

// The table: a good file of each format, and its defects.

typedef struct good_file {
    const char *name, *text;
} good_file;

static const good_file good_files[] = {
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0.5\ng NAME\nf 1 2 3\n"},
    {"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0.5\n3 0 1 2\n"},
    {"a.ply",
     "ply\nformat ascii 1.0\ncomment NAME\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
     "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0.5\n3 0 1 2\n"},
    {"a.stl",
     "solid NAME\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\nendloop\nendfacet\n"
     "endsolid NAME\n"},
    {"a.vtk",
     "# vtk DataFile Version 3.0\nNAME\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n0 0 0\n1 0 0\n0 1 0.5\n"
     "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n"},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
     "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" "
     "format=\"ascii\">\n0 0 0\n1 0 0\n0 1 0.5\n</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int32\" "
     "Name=\"connectivity\" format=\"ascii\">\n0 1 2\n</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" "
     "format=\"ascii\">\n3\n</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n5\n</DataArray>\n"
     "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"},
    {"a.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"NAME\"\n$EndPhysicalNames\n$Nodes\n3\n1 0 0 0\n"
     "2 1 0 0\n3 0 1 0.5\n$EndNodes\n$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n"},
    {"b.msh",
     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0.5\n$EndNodes\n"
     "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"},
    {"a.ele", "1 4 0\n1 1 2 3 4\n"}, // with a.node
    {"b.node", "3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0.5\n"},
    {"a.mesh",
     "MFEM mesh v1.0\ndimension\n2\nelements\n1\n1 2 0 1 2\nboundary\n0\nvertices\n3\n3\n0 0 0\n1 0 0\n0 1 0.5\n"},
    {"a.k", "*KEYWORD\n*PART\nNAME\n1,1,1\n*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0.5\n*ELEMENT_SHELL\n1,1,1,2,3,3\n*END\n"},
    {"a.inp",
     "*HEADING\nNAME\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0.5\n*ELEMENT, TYPE=S3, ELSET=PART\n1, 1, 2, 3\n"},
    {"a.gltf",
     "{\"asset\":{\"version\":\"2.0\"},\n\"buffers\":[{\"byteLength\":36,\n\"uri\":\"data:;base64,"
     "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAA/\"}],\n\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\n"
     "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\n\"meshes\":[{\"name\":"
     "\"NAME\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\n\"mode\":4}]}]}\n"},
};
enum { GOOD_FILES = sizeof good_files / sizeof *good_files };

static const struct {
    const char *name, *from, *to, *words;
} defects[] = {
    // Counts that lie.
    {"a.off", "3 1 0", "999999999 1 0", "a.off:2: "},
    {"a.ply", "vertex 3", "vertex 999999999", "a.ply:"},
    {"a.ply", "face 1", "face 5", "a.ply:"},
    {"a.vtk", "POINTS 3", "POINTS 999999999", "a.vtk:6: "},
    {"a.vtk", "CELLS 1 4", "CELLS 7 4", "a.vtk:"},
    {"a.vtu", "NumberOfPoints=\"3\"", "NumberOfPoints=\"999999999\"", "a.vtu:"},
    {"a.vtu", "NumberOfCells=\"1\"", "NumberOfCells=\"2\"", "a.vtu:"},
    {"a.msh", "$Nodes\n3", "$Nodes\n999999999", "a.msh:"},
    {"a.msh", "$Elements\n1", "$Elements\n7", "a.msh:"},
    {"b.msh", "1 3 1 3", "1 999999999 1 3", "b.msh:"},
    {"a.ele", "1 4 0", "999999999 4 0", "a.ele:1: "},
    {"b.node", "3 3 0 0", "999999999 3 0 0", "b.node:1: "},
    {"a.mesh", "elements\n1", "elements\n999999999", "a.mesh:"},
    {"a.gltf", "\"count\":3", "\"count\":999999999", "a.gltf:5: "},
    {"a.gltf", "\"byteLength\":36,", "\"byteLength\":999999999,", "a.gltf:3: "},
    // Unknown cells.
    {"a.vtk", "CELL_TYPES 1\n5", "CELL_TYPES 1\n99", "unknown type 99"},
    {"a.vtu", "\n5\n", "\n99\n", "unknown type 99"},
    {"a.msh", "1 2 2 1 1 1 2 3", "1 99 2 1 1 1 2 3", "a.msh:"},
    {"b.msh", "2 1 2 1\n", "2 1 99 1\n", "b.msh:"},
    {"a.mesh", "1 2 0 1 2", "1 99 0 1 2", "a.mesh:6: "},
    {"a.inp", "TYPE=S3", "TYPE=FROB3", "a.inp:7: "},
    {"a.gltf", "\"mode\":4", "\"mode\":9", "unknown mode"},
    {"a.ply", "element face", "element frobs", NULL},
    // Missing nodes.
    {"a.obj", "f 1 2 3", "f 1 2 9", "a.obj:5: "},
    {"a.off", "3 0 1 2", "3 0 1 9", "a.off:6: "},
    {"a.ply", "3 0 1 2", "3 0 1 9", "a.ply:14: "},
    {"a.vtk", "3 0 1 2", "3 0 1 9", "a.vtk:"},
    {"a.vtu", "\n0 1 2\n", "\n0 1 9\n", "a.vtu:"},
    {"a.msh", "1 1 1 2 3", "1 1 1 2 9", "a.msh:"},
    {"b.msh", "1 1 2 3\n$End", "1 1 2 9\n$End", "b.msh:"},
    {"a.ele", "1 1 2 3 4", "1 1 2 3 9", "a.ele:2: "},
    {"a.mesh", "1 2 0 1 2", "1 2 0 1 9", "a.mesh:"},
    {"a.k", "1,1,1,2,3,3", "1,1,1,2,9,9", "a.k:"},
    {"a.inp", "1, 1, 2, 3", "1, 1, 2, 9", "a.inp:"},
    // Coordinates that are not finite, or have a decimal comma.
    {"a.obj", "0 1 0.5", "0 1 nan", "a.obj:3: "},
    {"a.off", "0 1 0.5", "0 1 inf", "a.off:5: "},
    {"a.ply", "0 1 0.5", "0 1 nan", "a.ply:13: "},
    {"a.stl", "0 1 0.5", "0 1 nan", "a.stl:6: "},
    {"a.vtk", "0 1 0.5", "0 1 nan", "a.vtk:8: "},
    {"a.vtu", "0 1 0.5", "0 1 nan", "a.vtu:8: "},
    {"a.msh", "3 0 1 0.5", "3 0 1 nan", "a.msh:12: "},
    {"b.msh", "0 1 0.5", "0 1 nan", "b.msh:12: "},
    {"b.node", "0 1 0.5", "0 1 nan", "b.node:4: "},
    {"a.mesh", "0 1 0.5", "0 1 nan", "a.mesh:"},
    {"a.k", "3,0,1,0.5", "3,0,1,nan", "a.k:8: "},
    {"a.inp", "0, 1, 0.5", "0, 1, nan", "a.inp:6: "},
    {"a.gltf", "AAA/\"", "AMB/\"", "a.gltf:5: "},
    {"a.obj", "0 1 0.5", "0 1 0,5", "a.obj:3: "},
    {"a.off", "0 1 0.5", "0 1 0,5", "a.off:5: "},
    {"a.ply", "0 1 0.5", "0 1 0,5", "a.ply:13: "},
    {"a.stl", "0 1 0.5", "0 1 0,5", "a.stl:6: "},
    {"a.vtk", "0 1 0.5", "0 1 0,5", "a.vtk:8: "},
    {"a.vtu", "0 1 0.5", "0 1 0,5", "a.vtu:8: "},
    {"a.msh", "3 0 1 0.5", "3 0 1 0,5", "a.msh:12: "},
    {"b.msh", "0 1 0.5", "0 1 0,5", "b.msh:12: "},
    {"b.node", "0 1 0.5", "0 1 0,5", "b.node:4: "},
    {"a.mesh", "0 1 0.5", "0 1 0,5", "a.mesh:"},
};

/// Whether this build can read the format.
static bool is_known(const char *name) {
#ifdef TOC_HAVE_EXPAT
    return name != NULL;
#else
    return !strstr(name, ".vtu");
#endif
}

static const char *good_text(const char *name) {
    for (size_t i = 0; i < GOOD_FILES; i++)
        if (strcmp(good_files[i].name, name) == 0) return good_files[i].text;
    fail_msg("no good file %s", name);
    return NULL;
}

/// Write a file of the table with every occurrence of one piece replaced.
static const char *write_changed(const char *name, const char *from, const char *to) {
    char text[4096];
    size_t count = 0;
    for (const char *c = good_text(name); *c;) {
        const bool here = strncmp(c, from, strlen(from)) == 0;
        const size_t size = here ? strlen(to) : 1;
        assert_true(count + size < sizeof text);
        memcpy(text + count, here ? to : c, size);
        count += size;
        c += here ? strlen(from) : 1;
    }
    text[count] = 0;
    const char *path = test_path(test_folder, name);
    test_file_write(path, text, count);
    return path;
}

static void write_nodes(void) {
    static const char nodes[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0.5\n4 0 0 1\n";
    test_file_write(test_path(test_folder, "a.node"), nodes, sizeof nodes - 1);
}

static void assert_read(const char *path) {
    toc_mesh *mesh;
    assert_ok(read_any(path, &mesh));
    assert_int_equal(toc_mesh_get_element_count(mesh), 1 + 2 * (strstr(path, ".node") != NULL));
    toc_mesh_destroy(mesh);
}

static void good_files_are_read(void **state) {
    (void)state;
    write_nodes();
    for (size_t i = 0; i < GOOD_FILES; i++)
        if (is_known(good_files[i].name)) assert_read(write_changed(good_files[i].name, "NAME", "name"));
}

static void every_defect_is_reported_with_its_place(void **state) {
    (void)state;
    write_nodes();
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        if (!is_known(defects[i].name)) continue;
        assert_non_null(strstr(good_text(defects[i].name), defects[i].from));
        const char *path = write_changed(defects[i].name, defects[i].from, defects[i].to);
        if (!defects[i].words) { // a file without cells is valid: its vertices become points
            toc_mesh *mesh;
            assert_ok(read_any(path, &mesh));
            toc_mesh_destroy(mesh);
            continue;
        }
        assert_refused(test_command("info %s", path), 1, defects[i].words);
        toc_mesh *mesh;
        assert_int_equal(read_any(path, &mesh), TOC_BAD_INPUT);
        assert_told(path, defects[i].to);
    }
}

// Names in Latin-1, or in no encoding at all, are read, and no control character reaches a terminal.
static void names_that_are_not_utf8_are_harmless(void **state) {
    (void)state;
    for (size_t i = 0; i < GOOD_FILES; i++) {
        if (!strstr(good_files[i].text, "NAME")) continue;
        const char *path = write_changed(good_files[i].name, "NAME", "M\xfcller \xff\xfe\x1b[2J");
        toc_mesh *mesh;
        const toc_status status = read_any(path, &mesh);
        if (status == TOC_OK) {
            const char *name = toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 0).group);
            if (name) assert_null(strpbrk(name, "\xfc\xff\xfe\x1b"));
            toc_mesh_destroy(mesh);
        } else { // XML and JSON may refuse such text
            assert_int_equal(status, TOC_BAD_INPUT);
            assert_told(path, "name");
        }
    }
}

static void windows_line_ends_are_read(void **state) {
    (void)state;
    static const char nodes[] = "4 3 0 0\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0.5\r\n4 0 0 1\r\n";
    test_file_write(test_path(test_folder, "a.node"), nodes, sizeof nodes - 1);
    for (size_t i = 0; i < GOOD_FILES; i++)
        if (is_known(good_files[i].name)) assert_read(write_changed(good_files[i].name, "\n", "\r\n"));
}

// Select a locale with a decimal comma: an installed one, or one made here.
static bool use_comma(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    char command[2048];
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", test_folder);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (setlocale(LC_ALL, names[i])) return *localeconv()->decimal_point == ',';
        if (system(command) != 0) print_message("localedef made no locale\n");
        setenv("LOCPATH", test_folder, 1);
    }
    return false;
}

static void decimal_comma_locale_does_not_matter(void **state) {
    (void)state;
    if (!use_comma()) {
        print_message("skipped: no locale with a comma\n");
        skip();
    }
    for (size_t i = 0; i < GOOD_FILES; i++) {
        toc_mesh *mesh;
        if (strcmp(good_files[i].name, "a.ele") == 0 || !is_known(good_files[i].name)) continue;
        assert_ok(read_any(write_changed(good_files[i].name, "NAME", "name"), &mesh));
        assert_double_same(toc_mesh_get_x0(mesh)[8], 0.5);
        toc_mesh_destroy(mesh);
    }
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

// Truncation at every hundredth of the length, for every file of the fuzzing corpus: read, or refused with a place.

static char *load(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *count = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void cut_file(const char *from, const char *name) {
    size_t count;
    char *bytes = load(from, &count);
    const char *path = test_path(test_folder, name);
    for (size_t part = 0; part < 100; part++) {
        toc_mesh *mesh;
        test_file_write(path, bytes, count * part / 100);
        const toc_status status = read_any(path, &mesh);
        if (status == TOC_OK) {
            toc_mesh_destroy(mesh);
            continue;
        }
        assert_int_equal(status, TOC_BAD_INPUT);
        assert_told(path, name);
    }
    free(bytes);
}

static size_t each_file(const char *where, void (*act)(const char *path, const char *name)) {
    size_t count = 0;
    char here[2048]; // test_path uses its buffers again
    snprintf(here, sizeof here, "%s", where);
    DIR *listing = opendir(here);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        act(test_path(here, entry->d_name), entry->d_name);
        count++;
    }
    closedir(listing);
    return count;
}

static void cut_files_of(const char *path, const char *name) {
    (void)name;
    assert_true(each_file(path, cut_file) > 0);
}

static void copy_here(const char *path, const char *name) {
    size_t count;
    char *bytes = load(path, &count);
    test_file_write(test_path(test_folder, name), bytes, count);
    free(bytes);
}

static void truncated_files_are_read_or_refused(void **state) {
    (void)state;
    char corpus[1024], nodes[1040];
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus", TOC_SOURCE_DIR);
    snprintf(nodes, sizeof nodes, "%s/node", corpus);
    each_file(nodes, copy_here); // TetGen's elements need their nodes in the same folder
    assert_true(each_file(corpus, cut_files_of) >= 8);
}

// A NaN in each binary format that the library writes. A unique coordinate marks the bytes to replace.

static size_t replace_bytes(char *bytes, size_t count, const void *from, const void *to, size_t size) {
    size_t found = 0;
    for (size_t i = 0; i + size <= count; i++)
        if (memcmp(bytes + i, from, size) == 0) {
            memcpy(bytes + i, to, size);
            found++;
        }
    return found;
}

static bool spoil(const char *path) {
    const double x = 1.2345678806304932, no_number = NAN; // x is a float, too
    const float x_short = (float)x, no_short = NAN;
    size_t count;
    char *bytes = load(path, &count);
    size_t found = replace_bytes(bytes, count, &x, &no_number, sizeof x);
    if (found == 0) found = replace_bytes(bytes, count, &x_short, &no_short, sizeof x_short);
    test_file_write(path, bytes, count);
    free(bytes);
    return found > 0;
}

static void nan_in_binary_files_is_refused(void **state) {
    (void)state;
    toc_mesh *mesh, *again;
    size_t binary = 0;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 1.2345678806304932}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
    for (size_t i = 0; toc_format_at(i); i++) {
        const toc_format *format = toc_format_at(i);
        char name[64];
        if (!format->write || !format->read) continue;
        snprintf(name, sizeof name, "nan%.*s", (int)strcspn(format->info.extensions, " "), format->info.extensions);
        const char *path = test_path(test_folder, name);
        assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
        if (!spoil(path)) continue;
        binary++;
        assert_int_equal(read_any(path, &again), TOC_BAD_INPUT);
        assert_told(path, name);
        assert_refused(test_command("info %s", path), 1, name);
    }
    assert_true(binary >= 4);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(every_defect_is_reported_with_its_place),
        cmocka_unit_test(names_that_are_not_utf8_are_harmless),
        cmocka_unit_test(windows_line_ends_are_read),
        cmocka_unit_test(decimal_comma_locale_does_not_matter),
        cmocka_unit_test(truncated_files_are_read_or_refused),
        cmocka_unit_test(nan_in_binary_files_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
