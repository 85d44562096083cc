// SPDX-License-Identifier: Apache-2.0
// Exodus II: files made here with the netCDF tool if it is installed, and refused files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

#ifdef TOC_HAVE_NETCDF

/// netCDF's own description of a file: a hex, a wedge and two shells, moving for three steps.
static const char description[] =
    "netcdf a { dimensions: len_string = 33; len_line = 81; four = 4; time_step = UNLIMITED; num_dim = 3; "
    "num_nodes = 8; num_elem = 4; num_el_blk = 3; num_el_in_blk1 = 1; num_nod_per_el1 = 8; num_el_in_blk2 = 1; "
    "num_nod_per_el2 = 6; num_el_in_blk3 = 2; num_nod_per_el3 = 4; num_att_in_blk3 = 1; num_nod_var = 3; len_name = "
    "33; "
    "variables: double time_whole(time_step); int eb_status(num_el_blk); int eb_prop1(num_el_blk); "
    "eb_prop1:name = \"ID\"; double coordx(num_nodes); double coordy(num_nodes); double coordz(num_nodes); int "
    "node_num_map(num_nodes); "
    "char eb_names(num_el_blk, len_name); int connect1(num_el_in_blk1, num_nod_per_el1); "
    "connect1:elem_type = \"HEX8\"; int connect2(num_el_in_blk2, num_nod_per_el2); connect2:elem_type = \"WEDGE6\"; "
    "int connect3(num_el_in_blk3, num_nod_per_el3); connect3:elem_type = \"SHELL4\"; "
    "double attrib3(num_el_in_blk3, num_att_in_blk3); char name_nod_var(num_nod_var, len_name); "
    "double vals_nod_var1(time_step, num_nodes); double vals_nod_var2(time_step, num_nodes); "
    "double vals_nod_var3(time_step, num_nodes); "
    ":api_version = 5.1f; :version = 5.1f; :floating_point_word_size = 8; :file_size = 1; :title = \"a\"; "
    "data: time_whole = 0, 0.5, 1; eb_status = 1, 1, 1; eb_prop1 = 10, 20, 35; "
    "coordx = 0, 1, 1, 0, 0, 1, 1, 0; coordy = 0, 0, 1, 1, 0, 0, 1, 1; coordz = 0, 0, 0, 0, 1, 1, 1, 1; "
    "node_num_map = 10, 20, 30, 40, 50, 60, 70, 81; "
    "eb_names = \"block\", \"\", \"skin\"; connect1 = 1, 2, 3, 4, 5, 6, 7, 8; connect2 = 1, 2, 3, 5, 6, 7; "
    "connect3 = 1, 2, 3, 4, %s, 6, 7, 8; attrib3 = 0.5, 0.25; name_nod_var = \"%s\", \"temperature\", \"disp_z\"; "
    "vals_nod_var1 = 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2; "
    "vals_nod_var2 = 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9; "
    "vals_nod_var3 = 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3, %s, 4, 4, 4, 4, 4, 4, 4; }";

/// False where there is no ncgen to make the file.
static bool make(const char *kind, const char *path, const char *node, const char *first, const char *last) {
    char text[8192], cdl[512], command[1200];
    snprintf(cdl, sizeof cdl, "%s.cdl", path);
    snprintf(text, sizeof text, description, node, first, last);
    test_file_write(cdl, text, strlen(text));
    snprintf(command, sizeof command, "ncgen -k %s -o '%s' '%s' 2>/dev/null", kind, path, cdl);
    if (system(command) == 0) return true;
    print_message("skipped: no ncgen (netcdf-bin)\n");
    return false;
}

static void blocks_and_time_steps(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.e");
    toc_sequence *sequence;
    toc_mesh *mesh;
    if (make("classic", path, "5", "DISPLX", "4")) {
        assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
        assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
        assert_double_same(toc_sequence_get_time(sequence, 1), 0.5);
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        assert_element(mesh, 0, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
        assert_element(mesh, 1, TOC_WEDGE, 0, 2, 1, 4, 6, 5);
        assert_element(mesh, 3, TOC_QUAD, 4, 5, 6, 7);
        assert_int_equal(toc_mesh_get_element(mesh, 3).group, 35);
        assert_double_same(toc_mesh_get_element(mesh, 3).thickness, 0.25);
        assert_string_equal(toc_mesh_get_group_name(mesh, 35), "skin");
        int64_t label;
        assert_true(toc_mesh_get_vertex_label(mesh, 2, &label) && label == 30);
        assert_true(toc_mesh_get_element_label(mesh, 1, &label) && label == 2); // without a map
        for (size_t i = 1; i < 3; i++) assert_ok(toc_sequence_advance(sequence, i, mesh));
        const double *x0 = toc_mesh_get_x0(mesh), *x1 = toc_mesh_get_x1(mesh);
        assert_double_same(x0[3 * 6], 2);
        assert_double_same(x0[3 * 6 + 2], 4);
        assert_double_same(x1[3 * 6], 3);
        assert_double_same(x1[3 * 6 + 1], 1);
        assert_double_same(x1[3 * 6 + 2], 5);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
    }
    test_folder_remove(folder);
}

// The displacement is along z only; the velocity along x is that of each step.
static void velocities_of_time_steps(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.e");
    static const char *const names[] = {"VELX", "vel_x", "velocity_x", "vx"};
    for (size_t i = 0; i < sizeof names / sizeof *names && make("classic", path, "5", names[i], "4"); i++) {
        toc_sequence *sequence;
        toc_mesh *mesh;
        assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
        assert_ok(toc_sequence_take_velocities(sequence, true));
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        for (size_t frame = 0; frame < 3; frame++) {
            if (frame > 0) assert_ok(toc_sequence_advance(sequence, frame, mesh));
            const double *v = toc_sequence_get_velocities(sequence);
            assert_non_null(v);
            for (size_t k = 0; k < 24; k++) assert_double_same(v[k], k % 3 == 0 ? (double)frame : 0);
        }
        assert_double_same(toc_mesh_get_x1(mesh)[2], 4);
        assert_double_same(toc_mesh_get_x1(mesh)[0], 0);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
    }
    test_folder_remove(folder);
}

/// The text of the description with one part of it in place of another.
static void replace(char *text, const char *from, const char *to) {
    char *at = strstr(text, from);
    assert_non_null(at);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
}

/// Two variables of elements: the second one is in the last block alone.
static bool make_with_elements(const char *path) {
    char text[8192], cdl[512], command[1200];
    snprintf(cdl, sizeof cdl, "%s.cdl", path);
    snprintf(text, sizeof text, description, "5", "flow_x", "4");
    replace(text, "num_nod_var = 3;", "num_nod_var = 3; num_elem_var = 2;");
    replace(text, "char name_nod_var",
            "char name_elem_var(num_elem_var, len_name); double vals_elem_var1eb1(time_step, num_el_in_blk1); double "
            "vals_elem_var1eb2(time_step, num_el_in_blk2); double vals_elem_var1eb3(time_step, num_el_in_blk3); double "
            "vals_elem_var2eb3(time_step, num_el_in_blk3); char name_nod_var");
    replace(text, "vals_nod_var1 = 0,",
            "name_elem_var = \"stress\", \"wear\"; vals_elem_var1eb1 = 1, 2, 3; vals_elem_var1eb2 = 4, 5, 6; "
            "vals_elem_var1eb3 = 7, 8, 9, 10, 11, 12; vals_elem_var2eb3 = 1, 2, 3, 4, 5, 6; vals_nod_var1 = 0,");
    test_file_write(cdl, text, strlen(text));
    snprintf(command, sizeof command, "ncgen -k classic -o '%s' '%s' 2>/dev/null", path, cdl);
    if (system(command) == 0) return true;
    print_message("skipped: no ncgen (netcdf-bin)\n");
    return false;
}

static void assert_values(const toc_fields *fields, const char *name, size_t count, const double *values) {
    for (size_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->fields[i].name, name) != 0) continue;
        assert_int_equal(fields->fields[i].count * fields->fields[i].components, count);
        for (size_t k = 0; k < count; k++)
            assert_true(fields->fields[i].values[k] == values[k] ||
                        (isnan(values[k]) && isnan(fields->fields[i].values[k])));
        return;
    }
    fail_msg("no field %s", name);
}

static toc_status read_fields(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    const char *path = user;
    toc_sequence *sequence;
    toc_mesh *mesh;
    toc_fields *fields;
    options.allocator = allocator;
    toc_status status = toc_sequence_open(1, &path, &options, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) {
        status = toc_sequence_read_fields(sequence, 1, mesh, &fields);
        if (status == TOC_OK) {
            // The displacement is none; one x without y and z is a scalar.
            assert_int_equal(fields->count, 4);
            assert_values(fields, "flow_x", 8, (const double[]){1, 1, 1, 1, 1, 1, 1, 1});
            assert_values(fields, "temperature", 8, (const double[]){9, 9, 9, 9, 9, 9, 9, 9});
            assert_values(fields, "stress", 4, (const double[]){2, 5, 9, 10});
            assert_values(fields, "wear", 4, (const double[]){NAN, NAN, 3, 4});
            toc_fields_destroy(fields);
        }
        toc_mesh_destroy(mesh);
    }
    toc_sequence_close(sequence);
    return status;
}

static void fields_of_nodes_and_blocks(void **state) {
    (void)state;
    char *folder = test_folder_make(), path[256];
    snprintf(path, sizeof path, "%s", test_path(folder, "a.e"));
    if (make_with_elements(path)) test_every_allocation(read_fields, path);
    test_folder_remove(folder);
}

// x, y and z of one stem are a vector, whatever stands between them and the axis.
static void vectors_by_their_names(void **state) {
    (void)state;
    char *folder = test_folder_make(), text[8192], cdl[512], command[1200];
    const char *path = test_path(folder, "a.e");
    toc_fields *fields;
    snprintf(cdl, sizeof cdl, "%s.cdl", path);
    snprintf(text, sizeof text, description, "5", "FX", "4");
    replace(text, "\"temperature\", \"disp_z\"", "\"FY\", \"FZ\"");
    test_file_write(cdl, text, strlen(text));
    snprintf(command, sizeof command, "ncgen -k classic -o '%s' '%s' 2>/dev/null", path, cdl);
    if (system(command) == 0) {
        toc_sequence *sequence;
        toc_mesh *mesh = test_sequence_first(path, &sequence);
        assert_ok(toc_sequence_read_fields(sequence, 0, mesh, &fields));
        assert_int_equal(fields->count, 1);
        assert_string_equal(fields->fields[0].name, "F");
        assert_int_equal(fields->fields[0].components, 3);
        for (size_t i = 0; i < 24; i++) assert_double_same(fields->fields[0].values[i], i % 3 == 1 ? 9 : 0);
        toc_fields_destroy(fields);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
    }
    test_folder_remove(folder);
}

static void broken_files_and_little_memory(void **state) {
    (void)state;
    char *folder = test_folder_make();
    char path[256];
    snprintf(path, sizeof path, "%s", test_path(folder, "a.exo"));
    if (make("classic", path, "5", "disp_x", "4")) {
        test_every_allocation(test_play, path);
        size_t count;
        char *bytes = test_file_read(path, &count);
        for (size_t part = 0; part < 100; part++) {
            test_file_write(path, bytes, count * part / 100);
            assert_fails(test_play(NULL, path), TOC_BAD_INPUT, path);
        }
        free(bytes);
        assert_true(make("nc4", path, "5", "disp_x", "4"));
#ifdef TOC_NETCDF_LINKED
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "an HDF5 file, which this build of netCDF cannot read");
#else
        assert_ok(test_play(NULL, path));
        bytes = test_file_read(path, &count);
        test_file_write(path, bytes, count / 2);
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "the file ends, but should have");
        free(bytes);
#endif
        assert_true(make("classic", path, "9", "disp_x", "4"));
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "block 35, element 2: node 9 is used, but there are 8");
        assert_true(make("classic", path, "5", "disp_x", "NaN"));
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "vertex 0: coordinate z is nan");
    }
    test_folder_remove(folder);
}

// Coordinates in one array and values in another, as older programs write them: of the fuzzer's files, for it needs no
// tool.
static void one_array_for_all_axes(void **state) {
    (void)state;
    const char *path = TOC_SOURCE_DIR "/tests/fuzz/corpus/exo/one-array.exo";
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_double_same(toc_sequence_get_time(sequence, 1), 2);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_EDGE, 2, 3);
    assert_double_same(toc_mesh_get_x0(mesh)[3 * 3 + 1], 5);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 3], 5);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 3 + 1], 9);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 3 + 2], 0);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

/// A false word of the head: the name that it follows, its value, and the message.
typedef struct lie {
    const char *name;
    int offset;
    unsigned char value;
    const char *message;
} lie;

// The library divides by the size of an unknown type, and fills arrays by the shape of the file's, not by ours.
static void heads_that_lie(void **state) {
    (void)state;
    static const lie lies[] = {
        {"CDF\1", 8, 11, "a netCDF file has its lists in order"},
        {"four", -4, 0, "a netCDF file has names of 1 to 256 bytes"},
        {"num_dim", 8, 0, "a netCDF file has one dimension without a length"},
        {"num_dim", 8, 4, "8 nodes in 4 dimensions cannot be"},
        {"coordy", 12, 4, "the coordinates cannot be read"},
        {"connect1", 12, 99, "a netCDF file has variables of dimensions that it lists"},
        {"connect1", 16, 3, "a netCDF file counts records in the first dimension"},
        {"connect1", 16, 8, "elements of type \"HEX8\" with 1 nodes are not read"},
        {"connect1", 8, 1, "a netCDF file has its lists in order"},
        {"connect3", 12, 8, "block 35: 2 elements of 4 nodes cannot be"},
        {"connect3", 60, 12, "the unknown type 12"},
    };
    char *folder = test_folder_make();
    char path[256];
    size_t count;
    snprintf(path, sizeof path, "%s", test_path(folder, "a.exo"));
    char *bytes = test_file_read(TOC_SOURCE_DIR "/tests/fuzz/corpus/exo/moving.exo", &count);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char *word = (char *)memmem(bytes, count, lies[i].name, strlen(lies[i].name)) + lies[i].offset;
        const char there = word[3];
        word[3] = (char)lies[i].value;
        test_file_write(path, bytes, count);
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, lies[i].message);
        word[3] = there;
    }
    free(bytes);
    test_folder_remove(folder);
}

#endif

// Refused in a sentence, with the library and without.
static void a_file_that_is_none(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.e");
    toc_mesh *mesh;
    test_file_write(path, "only rubbish", 12);
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "a.e: ");
#ifdef TOC_HAVE_NETCDF
    assert_non_null(strstr(toc_message_get(), "a.e: byte 0: this begins like no netCDF file"));
    test_file_write(path, "\x1f\x8b\x08 compressed", 14); // nothing is unpacked that the library cannot read
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "a.e: byte 0: this begins like no netCDF file");
    test_file_write(path, "CDF\1\0\0\0\0\0\0\0\12\0\0\0\1\100\0\0\0name", 24); // a name of 2^30 bytes
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT,
                 "a.e: byte 20: the head of this netCDF file promises more than there is");
#else
    assert_non_null(strstr(toc_message_get(), "install libnetcdf-dev"));
#endif
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef TOC_HAVE_NETCDF
        cmocka_unit_test(blocks_and_time_steps),
        cmocka_unit_test(velocities_of_time_steps),
        cmocka_unit_test(fields_of_nodes_and_blocks),
        cmocka_unit_test(vectors_by_their_names),
        cmocka_unit_test(broken_files_and_little_memory),
        cmocka_unit_test(one_array_for_all_axes),
        cmocka_unit_test(heads_that_lie),
#endif
        cmocka_unit_test(a_file_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
