// SPDX-License-Identifier: Apache-2.0
// Decomposed Exodus files: any part stands for the whole, which has the numbers and order of the file before the cut.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"
#include "toccata/io.h"

// Two tets that share the nodes 2, 3 and 4; numbers have gaps. Block 7 is "left", block 9 "right".
typedef struct tet_part {
    const char *file;
    int nodes, steps, block;
    const char *node_map, *element_map, *x[3], *connect;
} tet_part;

static const tet_part cut[2] = {
    {"a.e.2.1", 4, 3, 7, "5, 2, 3, 4", "11", {"1, 1, 0, 0", "1, 0, 1, 0", "1, 0, 0, 1"}, "1, 2, 3, 4"},
    {"a.e.2.0", 4, 2, 9, "2, 3, 4, 1", "30", {"1, 0, 0, 0", "0, 1, 0, 0", "0, 0, 1, 0"}, "4, 1, 2, 3"},
};

static bool write_part(const char *folder, const tet_part *p, bool mapped) {
    char text[4096], cdl[512], command[1400];
    const char *path = test_path(folder, p->file);
    int at = snprintf(text, sizeof text,
                      "netcdf a { dimensions: len_name = 33; time_step = UNLIMITED; num_dim = 3; num_nodes = %d; "
                      "num_elem = 1; num_el_blk = 1; num_el_in_blk1 = 1; num_nod_per_el1 = 4; num_nod_var = 1; "
                      "variables: double time_whole(time_step); int eb_prop1(num_el_blk); double coordx(num_nodes); "
                      "double coordy(num_nodes); double coordz(num_nodes); %s int connect1(num_el_in_blk1, "
                      "num_nod_per_el1); connect1:elem_type = \"TET4\"; char eb_names(num_el_blk, len_name); "
                      "char name_nod_var(num_nod_var, len_name); double vals_nod_var1(time_step, num_nodes); "
                      "data: time_whole = %s; eb_prop1 = %d; coordx = %s; coordy = %s; coordz = %s; connect1 = %s; "
                      "eb_names = \"%s\"; name_nod_var = \"disp_z\"; vals_nod_var1 = 0, 0, 0, 0, 1, 1, 1, 1%s; ",
                      p->nodes, mapped ? "int node_num_map(num_nodes); int elem_num_map(num_elem);" : "",
                      p->steps == 2 ? "0, 0.5" : "0, 0.5, 1", p->block, p->x[0], p->x[1], p->x[2], p->connect,
                      p->block == 7 ? "left" : "right", p->steps == 2 ? "" : ", 2, 2, 2, 2");
    if (mapped)
        at += snprintf(text + at, sizeof text - (size_t)at, "node_num_map = %s; elem_num_map = %s; ", p->node_map,
                       p->element_map);
    snprintf(text + at, sizeof text - (size_t)at, "}");
    snprintf(cdl, sizeof cdl, "%s.cdl", path);
    test_file_write(cdl, text, strlen(text));
    snprintf(command, sizeof command, "ncgen -k classic -o '%s' '%s' 2>/dev/null", path, cdl);
    if (system(command) == 0) return true;
    print_message("skipped: no ncgen (netcdf-bin)\n");
    return false;
}

static bool write_parts(const char *folder) {
    return write_part(folder, &cut[0], true) && write_part(folder, &cut[1], true);
}

static void check_whole(const toc_mesh *mesh) {
    static const int64_t nodes[5] = {1, 2, 3, 4, 5};
    int64_t label;
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 5);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    for (uint32_t v = 0; v < 5; v++) {
        assert_true(toc_mesh_get_vertex_label(mesh, v, &label));
        assert_int_equal(label, nodes[v]);
    }
    assert_true(toc_mesh_get_element_label(mesh, 1, &label));
    assert_int_equal(label, 30);
    assert_element(mesh, 0, TOC_TET, 4, 1, 2, 3);
    assert_element(mesh, 1, TOC_TET, 0, 1, 2, 3);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 7);
    assert_string_equal(toc_mesh_get_group_name(mesh, 9), "right");
}

// Any part, or all of them, as a shell lists them.
static void a_part_stands_for_the_whole(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *const paths[2] = {test_path(folder, "a.e.2.0"), test_path(folder, "a.e.2.1")};
    for (size_t first = 0; first < 2 && write_parts(folder); first++)
        for (size_t count = 1; count <= 2 - first; count++) {
            toc_sequence *sequence;
            toc_mesh *mesh;
            assert_ok(toc_sequence_open(count, paths + first, NULL, &sequence));
            assert_int_equal(toc_sequence_get_frame_count(sequence), 2); // part 0 has no third
            assert_ok(toc_sequence_read_first(sequence, &mesh));
            check_whole(mesh);
            assert_ok(toc_sequence_advance(sequence, 1, mesh));
            for (size_t v = 0; v < 5; v++)
                assert_double_same(toc_mesh_get_x1(mesh)[3 * v + 2], toc_mesh_get_x0(mesh)[3 * v + 2] + 1);
            toc_mesh_destroy(mesh);
            toc_sequence_close(sequence);
        }
    test_folder_remove(folder);
}

// All shares together have every element once; a share may be empty.
static void shares_of_the_parts(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.e.2.1");
    for (uint32_t shares = 1; shares <= 3 && write_parts(folder); shares++) {
        size_t elements = 0;
        for (uint32_t share = 0; share < shares; share++) {
            toc_read_options options = toc_read_options_default();
            toc_sequence *sequence;
            toc_mesh *mesh;
            options.share = share;
            options.shares = shares;
            assert_ok(toc_sequence_open(1, &path, &options, &sequence));
            assert_ok(toc_sequence_read_first(sequence, &mesh));
            assert_ok(toc_sequence_advance(sequence, 1, mesh));
            elements += toc_mesh_get_element_count(mesh);
            toc_mesh_destroy(mesh);
            toc_sequence_close(sequence);
        }
        assert_int_equal(elements, 2);
    }
    test_folder_remove(folder);
}

static void parts_that_do_not_fit(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.e.2.0");
    tet_part moved = cut[0];
    toc_mesh *mesh;
    if (write_parts(folder)) {
        moved.x[0] = "1, 1, 0, 0.5";
        write_part(folder, &moved, true);
        assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "nodes with the number 4 differ in");
        write_part(folder, &cut[0], false);
        assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "node_num_map");
        assert_int_equal(remove(test_path(folder, "a.e.2.1")), 0);
        assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "a.e.2.1: cannot be opened");
        assert_non_null(strstr(toc_message_get(), "a decomposed file of 2 parts"));
    }
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_stands_for_the_whole),
        cmocka_unit_test(shares_of_the_parts),
        cmocka_unit_test(parts_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
