// SPDX-License-Identifier: Apache-2.0
// Animated .glb with contacts: each step gives its contacts back bit for bit, the motion is that of the mesh, and
// elements may go.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/contacts.h"
#include "support/grid.h"
#include "support/reading.h"

enum { STEPS = 3 };

static const toc_place place[2] = {{.element = {3, 9}, .part = {1, 2}, .time = 0.5}, {.element = {1, 2}, .time = 2}};

// Floats of a .glb have no 1e300.
static void moderate(toc_contact contacts[2]) {
    memcpy(contacts, test_two_contacts, sizeof test_two_contacts);
    contacts[0].point[2] = 0.5;
}

// Step 0 has two contacts, step 1 none, step 2 one. In step 2 a triangle is gone, if asked for.
static toc_status write_steps(const char *path, const toc_allocator *allocator, bool erodes, bool placed) {
    static const double x0[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3};
    static const size_t counts[STEPS] = {2, 0, 1};
    toc_mesh *mesh;
    toc_animation *animation = NULL;
    toc_contact contacts[2];
    moderate(contacts);
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_add_vertices(mesh, 4, x0, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL);
    if (status == TOC_OK) status = toc_animation_create(path, mesh, 4, &animation);
    for (int i = 0; i < STEPS && status == TOC_OK; i++) {
        double x[12];
        for (int k = 0; k < 12; k++) x[k] = x0[k] + (k % 3 == 2) * (i + 1);
        status = toc_mesh_move(mesh, 4, x);
        if (status == TOC_OK && i == 2 && erodes) status = toc_mesh_remove_element(mesh, 1);
        if (status == TOC_OK)
            status = toc_animation_add(animation, mesh, &(toc_contacts){.count = counts[i], .contacts = contacts},
                                       placed ? place : NULL);
    }
    if (status == TOC_OK) status = toc_animation_write(animation);
    toc_animation_destroy(animation);
    toc_mesh_destroy(mesh);
    return status;
}

static void every_step_gives_its_contacts_back(void **state) {
    (void)state;
    static const size_t counts[STEPS + 1] = {2, 0, 1, 0};
    const char *path = test_path(test_folder, "steps.glb");
    toc_contact wanted[2];
    moderate(wanted);
    for (int round = 0; round < 4; round++) {
        assert_ok(write_steps(path, NULL, round % 2, round / 2));
        for (uint64_t i = 0; i <= STEPS; i++) {
            toc_read_options options = toc_read_options_default();
            toc_contacts *read;
            options.step = &i;
            assert_ok(toc_contacts_read(path, &options, &read));
            assert_int_equal(read->count, counts[i]);
            if (counts[i]) assert_memory_equal(read->contacts, wanted, counts[i] * sizeof *wanted);
            toc_contacts_destroy(read);
        }
        toc_contacts *none;
        assert_fails(toc_contacts_read(path, NULL, &none), TOC_BAD_INPUT, "this is the table of a sequence");
    }
}

// A quarter of a second for each step.
static void the_motion_is_that_of_the_mesh(void **state) {
    (void)state;
    const char *path = test_path(test_folder, "steps.glb");
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(write_steps(path, NULL, false, true));
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_ok(toc_sequence_sample(sequence, 4));
    assert_int_equal(toc_sequence_get_frame_count(sequence), STEPS + 1);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    for (size_t i = 1; i <= STEPS; i++) {
        assert_ok(toc_sequence_advance(sequence, i, mesh));
        assert_double_same(toc_mesh_get_x1(mesh)[11], (double)i);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void a_motion_with_erosion_is_to_be_looked_at(void **state) {
    (void)state;
    const char *path = test_path(test_folder, "eroded.glb");
    toc_mesh *mesh;
    assert_ok(write_steps(path, NULL, true, true));
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "elements come and go in this animation");
}

static void mistakes_leave_no_file(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 2, 2);
    toc_contact contacts[2];
    toc_animation *animation = NULL;
    moderate(contacts);
    const toc_contacts two = {.count = 2, .contacts = contacts};
    const char *path = test_path(test_folder, "no.glb");
    assert_fails(toc_animation_create("no.obj", mesh, 1, &animation), TOC_BAD_INPUT, "written as .glb");
    assert_fails(toc_animation_create(path, mesh, 0, &animation), TOC_BAD_INPUT, "0 steps a second");
    assert_fails(toc_animation_create("/nowhere/a.glb", mesh, 1, &animation), TOC_BAD_INPUT, "/nowhere/a.glb");
    assert_null(animation);
    assert_ok(toc_animation_create(path, mesh, 1, &animation));
    assert_ok(toc_animation_add(animation, mesh, &two, place));
    assert_fails(toc_animation_add(animation, mesh, &two, NULL), TOC_BAD_INPUT, "some steps have places");
    contacts[1].point[0] = 1e300;
    assert_fails(toc_animation_add(animation, mesh, &two, place), TOC_BAD_INPUT, "contact 1: its coordinate 1e+300");
    toc_animation_destroy(animation);
    assert_int_not_equal(access(path, F_OK), 0);
    toc_animation_destroy(NULL);
    toc_mesh_destroy(mesh);
}

static toc_status starve(const toc_allocator *allocator, void *user) {
    return write_steps(user, allocator, true, true);
}

static void steps_starved_of_memory(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path(test_folder, "starved.glb"));
    assert_true(test_every_allocation(starve, path) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_gives_its_contacts_back),
        cmocka_unit_test(the_motion_is_that_of_the_mesh),
        cmocka_unit_test(a_motion_with_erosion_is_to_be_looked_at),
        cmocka_unit_test(mistakes_leave_no_file),
        cmocka_unit_test(steps_starved_of_memory),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
