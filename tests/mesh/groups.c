// SPDX-License-Identifier: Apache-2.0
// Names of groups.
#include <stdio.h>
#include <string.h>

#include "support/test.h"

static toc_mesh *empty_mesh(void) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    return mesh;
}

static void names_are_kept_changed_and_taken_away(void **state) {
    (void)state;
    toc_mesh *mesh = empty_mesh();
    assert_null(toc_mesh_get_group_name(mesh, 0));
    assert_ok(toc_mesh_set_group_name(mesh, 7, "wing"));
    assert_ok(toc_mesh_set_group_name(mesh, INT32_MIN, "lowest"));
    assert_ok(toc_mesh_set_group_name(mesh, INT32_MAX, "highest"));
    assert_ok(toc_mesh_set_group_name(mesh, 0, "none"));
    assert_string_equal(toc_mesh_get_group_name(mesh, 7), "wing");
    assert_string_equal(toc_mesh_get_group_name(mesh, INT32_MIN), "lowest");
    assert_string_equal(toc_mesh_get_group_name(mesh, INT32_MAX), "highest");
    assert_null(toc_mesh_get_group_name(mesh, 6));
    assert_ok(toc_mesh_set_group_name(mesh, 7, "tail"));
    assert_string_equal(toc_mesh_get_group_name(mesh, 7), "tail");
    assert_ok(toc_mesh_set_group_name(mesh, 7, NULL));
    assert_ok(toc_mesh_set_group_name(mesh, 0, ""));
    assert_ok(toc_mesh_set_group_name(mesh, 5, NULL));
    assert_null(toc_mesh_get_group_name(mesh, 7));
    assert_null(toc_mesh_get_group_name(mesh, 0));
    assert_string_equal(toc_mesh_get_group_name(mesh, INT32_MAX), "highest");
    toc_mesh_destroy(mesh);
}

static void labels_are_kept_copied_and_taken_away(void **state) {
    (void)state;
    static const int64_t consecutive[] = {5, 6, 7, 8}, others[] = {900, -3, INT64_MAX, 7};
    toc_mesh *mesh = empty_mesh(), *copy;
    int64_t label;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){0, 1, 2, 3}, NULL));
    assert_false(toc_mesh_get_vertex_label(mesh, 2, &label));
    assert_int_equal(label, 2);
    assert_ok(toc_mesh_set_vertex_labels(mesh, 4, consecutive));
    assert_true(toc_mesh_get_vertex_label(mesh, 2, &label));
    assert_int_equal(label, 7);
    assert_ok(toc_mesh_set_vertex_labels(mesh, 4, others));
    assert_ok(toc_mesh_set_element_labels(mesh, 1, others));
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_true(toc_mesh_get_vertex_label(copy, 1, &label));
    assert_int_equal(label, -3);
    assert_true(toc_mesh_get_element_label(copy, 0, &label));
    assert_int_equal(label, 900);
    assert_false(toc_mesh_get_vertex_label(copy, 4, NULL));
    assert_fails(toc_mesh_set_element_labels(mesh, 2, others), TOC_BAD_INPUT, "2 labels, but there are 1 elements");
    assert_fails(toc_mesh_set_vertex_labels(mesh, 1, NULL), TOC_BAD_INPUT, "NULL");
    assert_ok(toc_mesh_set_vertex_labels(mesh, 0, NULL));
    assert_false(toc_mesh_get_vertex_label(mesh, 0, &label));
    toc_mesh_destroy(copy);
    toc_mesh_destroy(mesh);
}

static void many_names_in_any_order(void **state) {
    (void)state;
    toc_mesh *mesh = empty_mesh();
    for (int i = 0; i < 1000; i++) {
        char name[32];
        const int group = i * 7919 % 1000;
        snprintf(name, sizeof name, "part %d", group);
        assert_ok(toc_mesh_set_group_name(mesh, group, name));
    }
    for (int group = 0; group < 1000; group++) {
        char name[32];
        snprintf(name, sizeof name, "part %d", group);
        assert_string_equal(toc_mesh_get_group_name(mesh, group), name);
    }
    toc_mesh_destroy(mesh);
}

// The room for names moves when it grows, and the name given with it.
static void a_name_of_the_mesh_itself_can_be_given(void **state) {
    (void)state;
    toc_mesh *mesh = empty_mesh();
    assert_ok(toc_mesh_set_group_name(mesh, 0, "a name that is handed on"));
    for (int i = 1; i < 200; i++) assert_ok(toc_mesh_set_group_name(mesh, i, toc_mesh_get_group_name(mesh, i - 1)));
    assert_string_equal(toc_mesh_get_group_name(mesh, 199), "a name that is handed on");
    toc_mesh_destroy(mesh);
}

static void assert_cleaned(const char *name, const char *wanted) {
    toc_mesh *mesh = empty_mesh();
    assert_ok(toc_mesh_set_group_name(mesh, 1, name));
    assert_string_equal(toc_mesh_get_group_name(mesh, 1), wanted);
    toc_mesh_destroy(mesh);
}

// A name goes to terminals and into JSON.
static void only_characters_that_print_are_kept(void **state) {
    (void)state;
    assert_cleaned("Fl\xc3\xbcgel \xe7\xbf\xbc \xf0\x9f\xaa\xbd", "Fl\xc3\xbcgel \xe7\xbf\xbc \xf0\x9f\xaa\xbd");
    assert_cleaned("Fl\xfcgel", "Fl?gel");             // Latin-1
    assert_cleaned("a\x1b[2Jb\nc\x7f", "a?[2Jb?c?");   // control characters
    assert_cleaned("\xc2\x9b", "??");                  // and those behind ASCII
    assert_cleaned("\xc0\xaf \xe0\x80\xaf", "?? ???"); // longer than need be
    assert_cleaned("\xed\xa0\x80", "???");             // half of a pair
    assert_cleaned("\xf4\x90\x80\x80", "????");        // beyond the last character
    assert_cleaned("cut \xe7\xbf", "cut ??");
}

static void copies_have_the_names(void **state) {
    (void)state;
    toc_mesh *mesh = empty_mesh(), *copy;
    assert_ok(toc_mesh_set_group_name(mesh, 3, "wing"));
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_ok(toc_mesh_set_group_name(mesh, 3, "tail"));
    assert_string_equal(toc_mesh_get_group_name(copy, 3), "wing");
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(copy);
}

static toc_status name_two(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status != TOC_OK) return status;
    for (int i = 0; i < 20 && status == TOC_OK; i++) status = toc_mesh_set_group_name(mesh, i, "a name");
    toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_true(test_every_allocation(name_two, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_kept_changed_and_taken_away),
        cmocka_unit_test(labels_are_kept_copied_and_taken_away),
        cmocka_unit_test(many_names_in_any_order),
        cmocka_unit_test(a_name_of_the_mesh_itself_can_be_given),
        cmocka_unit_test(only_characters_that_print_are_kept),
        cmocka_unit_test(copies_have_the_names),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
