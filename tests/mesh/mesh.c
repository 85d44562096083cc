// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "support/grid.h"

static const double tet_positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static toc_mesh *one_tet(void) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, tet_positions, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (uint32_t[]){0, 1, 2, 3}, NULL));
    return mesh;
}

static void ids_continue_where_the_last_call_ended(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    uint32_t first = 99;
    assert_ok(toc_mesh_add_vertices(mesh, 2, tet_positions, &first));
    assert_int_equal(first, 4);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 6);
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 2, (uint32_t[]){4, 5, 5, 0}, &first));
    assert_int_equal(first, 1);
    assert_int_equal(toc_mesh_get_element_count(mesh), 3);
    const toc_element edge = toc_mesh_get_element(mesh, 2);
    assert_int_equal(edge.shape, TOC_EDGE);
    assert_int_equal(edge.corner_count, 2);
    assert_int_equal(edge.corners[0], 5);
    assert_int_equal(edge.corners[1], 0);
    assert_memory_equal(toc_mesh_get_x0(mesh) + 12, tet_positions, 6 * sizeof(double));
    assert_memory_equal(toc_mesh_get_x1(mesh) + 12, tet_positions, 6 * sizeof(double));
    toc_mesh_destroy(mesh);
}

// An empty file, or a loop over nothing, is no error and no event.
static void adding_nothing_changes_nothing(void **state) {
    (void)state;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    uint32_t first = 99;
    assert_ok(toc_mesh_add_vertices(mesh, 0, NULL, &first));
    assert_int_equal(first, 0);
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 0, NULL, NULL));
    assert_ok(test_mesh_move(mesh, NULL));
    assert_ok(test_mesh_set_motion(mesh, NULL, NULL));
    assert_int_equal(toc_mesh_get_revision(mesh), 0);
    toc_mesh *copy;
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_int_equal(toc_mesh_get_vertex_count(copy), 0);
    toc_mesh_destroy(copy);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(NULL);
}

static void positions_that_are_no_numbers_are_named(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    double bad[12];
    memcpy(bad, tet_positions, sizeof bad);
    bad[5] = NAN;
    assert_fails(toc_mesh_add_vertices(mesh, 4, bad, NULL), TOC_BAD_INPUT, "vertex 5: coordinate z is nan");
    assert_fails(test_mesh_move(mesh, bad), TOC_BAD_INPUT, "vertex 1: coordinate z is nan");
    bad[5] = -INFINITY;
    assert_fails(test_mesh_set_motion(mesh, tet_positions, bad), TOC_BAD_INPUT, "vertex 1: coordinate z is -inf");
    assert_fails(test_mesh_set_motion(mesh, bad, tet_positions), TOC_BAD_INPUT, "vertex 1: coordinate z is -inf");
    assert_fails(test_mesh_move(mesh, NULL), TOC_BAD_INPUT, "no positions given (NULL) for 4 vertices");
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_revision(mesh), 2);
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof tet_positions);
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof tet_positions);
    toc_mesh_destroy(mesh);
}

// The numbers and the motion in one call are those of the calls for each.
static void all_numbers_at_once(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    const toc_mesh_info none = toc_mesh_get_info(NULL), rests = toc_mesh_get_info(mesh);
    assert_true(none.vertex_count == 0 && none.element_count == 0 && none.revision == 0);
    assert_true(!none.x0 && !none.x1 && !none.acceleration);
    assert_true(rests.vertex_count == 4 && rests.element_count == 1 && rests.revision == 2);
    assert_memory_equal(rests.x0, tet_positions, sizeof tet_positions);
    assert_memory_equal(rests.x1, tet_positions, sizeof tet_positions);
    assert_null(rests.acceleration);
    assert_ok(toc_mesh_set_acceleration(mesh, 4, tet_positions));
    assert_memory_equal(toc_mesh_get_info(mesh).acceleration, tet_positions, sizeof tet_positions);
    toc_mesh_destroy(mesh);
}

// No start means the old end, whichever array of the mesh the new end is.
static void a_motion_without_a_start_is_a_move(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    double there[12];
    for (int i = 0; i < 12; i++) there[i] = tet_positions[i] + 1;
    assert_ok(toc_mesh_set_motion(mesh, 4, NULL, there));
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof there);
    assert_memory_equal(toc_mesh_get_x1(mesh), there, sizeof there);
    assert_ok(toc_mesh_set_motion(mesh, 4, NULL, toc_mesh_get_x0(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), there, sizeof there);
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof there);
    assert_ok(toc_mesh_set_motion(mesh, 4, NULL, toc_mesh_get_x1(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof there);
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof there);
    assert_fails(toc_mesh_set_motion(mesh, 3, NULL, there), TOC_BAD_INPUT, "the array has 3 vertices, the mesh has 4");
    assert_fails(toc_mesh_set_motion(mesh, 4, there, NULL), TOC_BAD_INPUT, "no positions given (NULL)");
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof there);
    toc_mesh_destroy(mesh);
}

static void what_is_neither_vertex_nor_element_is_not_removed(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    assert_fails(toc_mesh_remove(mesh, (toc_mesh_item)2, 0), TOC_BAD_INPUT, "not item 2");
    assert_fails(toc_mesh_remove(NULL, TOC_MESH_VERTEX, 0), TOC_BAD_INPUT, "mesh is NULL");
    assert_int_equal(toc_mesh_get_revision(mesh), 2);
    assert_ok(toc_mesh_remove(mesh, TOC_MESH_ELEMENT, 0));
    assert_ok(toc_mesh_remove(mesh, TOC_MESH_VERTEX, 3));
    assert_int_equal(toc_mesh_get_element(mesh, 0).shape, TOC_REMOVED);
    assert_false(toc_mesh_has_vertex(mesh, 3));
    toc_mesh_destroy(mesh);
}

// An array from before an edit would be read past its end.
static void arrays_of_another_length_are_refused(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    assert_ok(toc_mesh_add_vertices(mesh, 1, tet_positions, NULL));
    assert_fails(toc_mesh_move(mesh, 4, tet_positions), TOC_BAD_INPUT, "the array has 4 vertices, the mesh has 5");
    assert_fails(toc_mesh_set_motion(mesh, 4, tet_positions, tet_positions), TOC_BAD_INPUT,
                 "the array has 4 vertices, the mesh has 5");
    assert_fails(toc_mesh_set_acceleration(mesh, 6, tet_positions), TOC_BAD_INPUT,
                 "acceleration: the array has 6 vertices, the mesh has 5");
    assert_ok(toc_mesh_set_acceleration(mesh, 0, NULL));
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof tet_positions);
    toc_mesh_destroy(mesh);
}

static void corners_out_of_range_are_named(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    uint32_t first = 99;
    const uint32_t corners[6] = {0, 1, 2, 3, 4, 0};
    assert_fails(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, &first), TOC_BAD_INPUT,
                 "element 2, corner 1: vertex 4, but there are 4 vertices");
    assert_fails(toc_mesh_add_elements(mesh, TOC_POINT, 1, (uint32_t[]){UINT32_MAX}, &first), TOC_BAD_INPUT,
                 "element 1, corner 0: vertex 4294967295, but there are 4 vertices");
    assert_fails(toc_mesh_add_elements(mesh, TOC_POINT, 1, NULL, &first), TOC_BAD_INPUT, "no corners given");
    assert_int_equal(first, 99);
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    toc_mesh_destroy(mesh);
}

static void shapes_that_are_none_are_refused(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    const uint32_t corners[8] = {0};
    assert_fails(toc_mesh_add_elements(mesh, TOC_REMOVED, 1, corners, NULL), TOC_BAD_INPUT, "shape 0 cannot be added");
    assert_fails(toc_mesh_add_elements(mesh, TOC_SHAPE_COUNT, 1, corners, NULL), TOC_BAD_INPUT,
                 "shape 9 cannot be added");
    assert_fails(toc_mesh_add_elements(mesh, (toc_shape)-1, 1, corners, NULL), TOC_BAD_INPUT, "cannot be added");
    assert_string_equal(toc_shape_get_name((toc_shape)77), "removed");
    assert_string_equal(toc_shape_get_name(TOC_WEDGE), "wedge");
    toc_mesh_destroy(mesh);
}

// Ids have 32 bits: more would silently wrap round to other vertices.
static void counts_beyond_32_bits_are_refused(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    const double x = 0;
    const uint32_t v = 0;
    assert_fails(toc_mesh_add_vertices(mesh, UINT32_MAX - 4, &x, NULL), TOC_BAD_INPUT,
                 "4294967291 more vertices beside 4 are too many: a mesh holds 4294967294 at most");
    assert_fails(toc_mesh_add_vertices(mesh, SIZE_MAX, &x, NULL), TOC_BAD_INPUT, "too many");
    assert_fails(toc_mesh_add_elements(mesh, TOC_POINT, UINT32_MAX - 1, &v, NULL), TOC_BAD_INPUT,
                 "more elements beside 1 are too many");
    assert_fails(toc_mesh_add_elements(mesh, TOC_HEX, UINT32_MAX / 8 + 1, &v, NULL), TOC_BAD_INPUT,
                 "more corners beside 4 are too many");
    toc_mesh_destroy(mesh);
}

static void groups_and_thickness_default_to_zero(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
    assert_ok(toc_mesh_set_group(mesh, 0, -7));
    assert_ok(toc_mesh_set_thickness(mesh, 0, 0.25));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, -7);
    assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 0.25);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 0);
    assert_double_same(toc_mesh_get_element(mesh, 1).thickness, 0);
    assert_ok(toc_mesh_set_group(mesh, 1, 3));
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, -7);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 3);
    assert_fails(toc_mesh_set_group(mesh, 2, 1), TOC_BAD_INPUT, "element 2, but there are 2 elements");
    assert_fails(toc_mesh_set_thickness(mesh, 2, 1), TOC_BAD_INPUT, "element 2, but there are 2 elements");
    assert_fails(toc_mesh_set_thickness(mesh, 1, -1), TOC_BAD_INPUT, "element 1: thickness -1 is not a number >= 0");
    assert_fails(toc_mesh_set_thickness(mesh, 1, NAN), TOC_BAD_INPUT, "thickness nan");
    assert_fails(toc_mesh_set_thickness(mesh, 1, INFINITY), TOC_BAD_INPUT, "thickness inf");
    toc_mesh_destroy(mesh);
}

static void ids_never_given_are_nothing(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_REMOVED);
    assert_int_equal(toc_mesh_get_element(mesh, UINT32_MAX).corner_count, 0);
    assert_true(toc_mesh_has_vertex(mesh, 3));
    assert_false(toc_mesh_has_vertex(mesh, 4));
    toc_mesh_destroy(mesh);
}

static void the_old_end_becomes_the_start(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    double first[12], second[12];
    for (int i = 0; i < 12; i++) {
        first[i] = i;
        second[i] = -i;
    }
    assert_ok(test_mesh_move(mesh, first));
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof first);
    assert_memory_equal(toc_mesh_get_x1(mesh), first, sizeof first);
    assert_ok(test_mesh_move(mesh, second));
    assert_memory_equal(toc_mesh_get_x0(mesh), first, sizeof first);
    assert_memory_equal(toc_mesh_get_x1(mesh), second, sizeof first);
    toc_mesh_destroy(mesh);
}

// Turning a motion round, or stopping it, reads the arrays that are written.
static void positions_may_come_from_the_mesh_itself(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    double end[12];
    for (int i = 0; i < 12; i++) end[i] = i;
    assert_ok(test_mesh_set_motion(mesh, tet_positions, end));
    assert_ok(test_mesh_set_motion(mesh, toc_mesh_get_x1(mesh), toc_mesh_get_x0(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), end, sizeof end);
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof end);
    assert_ok(test_mesh_move(mesh, toc_mesh_get_x0(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof end);
    assert_memory_equal(toc_mesh_get_x1(mesh), end, sizeof end);
    assert_ok(test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), toc_mesh_get_x0(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), tet_positions, sizeof end);
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof end);
    assert_ok(test_mesh_move(mesh, end));
    assert_ok(test_mesh_move(mesh, toc_mesh_get_x1(mesh)));
    assert_memory_equal(toc_mesh_get_x0(mesh), end, sizeof end);
    assert_memory_equal(toc_mesh_get_x1(mesh), end, sizeof end);
    toc_mesh_destroy(mesh);
}

// To double a mesh within itself reads arrays that grow and move.
static void what_is_added_may_come_from_the_mesh_itself(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    for (int i = 0; i < 8; i++) {
        const size_t vertices = toc_mesh_get_vertex_count(mesh);
        const double *x = i % 2 ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
        assert_ok(toc_mesh_add_vertices(mesh, vertices, x, NULL));
        assert_memory_equal(toc_mesh_get_x0(mesh), toc_mesh_get_x0(mesh) + 3 * vertices, 3 * vertices * sizeof(double));
        const size_t elements = toc_mesh_get_element_count(mesh);
        const uint32_t *corners = toc_mesh_get_element(mesh, 0).corners;
        assert_ok(toc_mesh_add_elements(mesh, TOC_TET, elements, corners, NULL));
    }
    assert_int_equal(toc_mesh_get_element_count(mesh), 256);
    for (uint32_t i = 0; i < 256; i++)
        assert_memory_equal(toc_mesh_get_element(mesh, i).corners, ((uint32_t[]){0, 1, 2, 3}), 16);
    toc_mesh_destroy(mesh);
}

static void copies_share_nothing(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet(), *copy;
    assert_ok(toc_mesh_set_group(mesh, 0, 5));
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_int_equal(toc_mesh_get_revision(copy), 0);
    double moved[12] = {0};
    assert_ok(test_mesh_move(copy, moved));
    assert_ok(toc_mesh_set_group(copy, 0, 6));
    assert_memory_equal(toc_mesh_get_x1(mesh), tet_positions, sizeof moved);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 5);
    toc_mesh_destroy(mesh);
    assert_int_equal(toc_mesh_get_element(copy, 0).shape, TOC_TET);
    assert_int_equal(toc_mesh_get_element(copy, 0).corners[3], 3);
    assert_memory_equal(toc_mesh_get_x0(copy), tet_positions, sizeof moved);
    toc_mesh_destroy(copy);
}

static void events_are_kept_until_forgotten(void **state) {
    (void)state;
    toc_mesh *mesh = one_tet();
    const toc_event *events;
    size_t count;
    assert_ok(toc_mesh_get_events(mesh, 0, &events, &count));
    assert_int_equal(count, 2);
    assert_int_equal(events[0].kind, TOC_EVENT_VERTICES_ADDED);
    assert_int_equal(events[0].count, 4);
    assert_int_equal(events[1].kind, TOC_EVENT_ELEMENTS_ADDED);
    toc_mesh_forget_events(mesh, 1);
    assert_int_equal(toc_mesh_get_revision(mesh), 2);
    assert_fails(toc_mesh_get_events(mesh, 0, &events, &count), TOC_BAD_INPUT,
                 "since revision 0 were asked for, but the oldest one kept is 1");
    assert_ok(toc_mesh_get_events(mesh, 1, &events, &count));
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, TOC_EVENT_ELEMENTS_ADDED);
    toc_mesh_forget_events(mesh, UINT64_MAX);
    toc_mesh_forget_events(mesh, 1);
    assert_int_equal(toc_mesh_get_revision(mesh), 2);
    assert_ok(toc_mesh_get_events(mesh, 2, &events, &count));
    assert_int_equal(count, 0);
    assert_fails(toc_mesh_get_events(mesh, 3, &events, &count), TOC_BAD_INPUT, "but the mesh is at 2");
    assert_ok(toc_mesh_add_vertices(mesh, 1, tet_positions, NULL));
    assert_ok(toc_mesh_get_events(mesh, 2, &events, &count));
    assert_int_equal(count, 1);
    assert_int_equal(events[0].first, 4);
    toc_mesh_destroy(mesh);
}

static toc_status build(toc_mesh *mesh, toc_mesh **copy) {
    TOC_TRY(toc_mesh_add_vertices(mesh, 4, tet_positions, NULL));
    TOC_TRY(toc_mesh_add_elements(mesh, TOC_TET, 1, (uint32_t[]){0, 1, 2, 3}, NULL));
    TOC_TRY(toc_mesh_set_group(mesh, 0, 1));
    TOC_TRY(toc_mesh_set_thickness(mesh, 0, 1));
    TOC_TRY(test_mesh_move(mesh, tet_positions));
    return toc_mesh_copy(mesh, copy);
}

static toc_status build_and_destroy(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh, *copy = NULL;
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const toc_status status = build(mesh, &copy);
    assert_true((status == TOC_OK) == (copy != NULL));
    toc_mesh_destroy(copy);
    toc_mesh_destroy(mesh);
    return status;
}

static void any_failed_allocation_is_survived(void **state) {
    (void)state;
    assert_true(test_every_allocation(build_and_destroy, NULL) > 10);
}

// A mesh whose memory ran out is as it was, and the same call succeeds when there is memory again.
static void failed_adding_changes_nothing(void **state) {
    (void)state;
    double positions[300] = {0};
    uint32_t corners[300] = {0};
    for (uint64_t n = 1; n < 8; n++) {
        test_allocator memory;
        test_allocator_make(&memory, 0);
        toc_mesh *mesh;
        assert_ok(toc_mesh_create(&memory.allocator, &mesh));
        memory.fail_at = memory.calls + n;
        toc_status status = toc_mesh_add_vertices(mesh, 100, positions, NULL);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), status == TOC_OK ? 100 : 0);
        if (status != TOC_OK) assert_ok(toc_mesh_add_vertices(mesh, 100, positions, NULL));
        memory.fail_at = memory.calls + n;
        status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 100, corners, NULL);
        assert_int_equal(toc_mesh_get_element_count(mesh), status == TOC_OK ? 100 : 0);
        if (status != TOC_OK) assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 100, corners, NULL));
        assert_int_equal(toc_mesh_get_revision(mesh), 2);
        toc_mesh_destroy(mesh);
        assert_int_equal(memory.alive, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_continue_where_the_last_call_ended),
        cmocka_unit_test(adding_nothing_changes_nothing),
        cmocka_unit_test(positions_that_are_no_numbers_are_named),
        cmocka_unit_test(all_numbers_at_once),
        cmocka_unit_test(a_motion_without_a_start_is_a_move),
        cmocka_unit_test(what_is_neither_vertex_nor_element_is_not_removed),
        cmocka_unit_test(arrays_of_another_length_are_refused),
        cmocka_unit_test(corners_out_of_range_are_named),
        cmocka_unit_test(shapes_that_are_none_are_refused),
        cmocka_unit_test(counts_beyond_32_bits_are_refused),
        cmocka_unit_test(groups_and_thickness_default_to_zero),
        cmocka_unit_test(ids_never_given_are_nothing),
        cmocka_unit_test(the_old_end_becomes_the_start),
        cmocka_unit_test(positions_may_come_from_the_mesh_itself),
        cmocka_unit_test(what_is_added_may_come_from_the_mesh_itself),
        cmocka_unit_test(copies_share_nothing),
        cmocka_unit_test(events_are_kept_until_forgotten),
        cmocka_unit_test(any_failed_allocation_is_survived),
        cmocka_unit_test(failed_adding_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
