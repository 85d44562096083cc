// SPDX-License-Identifier: Apache-2.0
// Small versions of the VolCCD scenes: the volume presets find the contacts of exact arithmetic before, during and
// after edits of the mesh. Defective meshes are searched completely, too.
#include <stdio.h>
#include <string.h>

#include "scenes/scenes.h"
#include "support/answers.h"
#include "support/test.h"

// The same pairs, each once: contacts are sorted.
static void assert_same_pairs(const char *preset, const toc_contacts *got, const toc_contacts *truth) {
    if (got->count != truth->count) print_error("%s: %zu contacts, not %zu\n", preset, got->count, truth->count);
    test_assert_same_pairs(got, truth);
}

static bool is_for_volumes(const char *preset) {
    const char *const names[] = {"auto", "volccd", "volccd-published", "navccd", "hashccd"};
    for (size_t i = 0; i < 5; i++)
        if (strcmp(names[i], preset) == 0) return true;
    return false;
}

// The volume presets on this scene against brute force on a new scene without previous steps.
static size_t assert_presets_find_all(toc_scene *bodies) {
    toc_mesh *copy;
    assert_ok(toc_mesh_copy(toc_scene_edit_mesh(bodies, 0), &copy));
    toc_scene *fresh = test_scene_of(copy, NULL);
    toc_contacts *truth = test_find_truth(fresh, 0);
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++) {
        if (!is_for_volumes(preset)) continue;
        for (int again = strcmp(preset, "auto") == 0 ? 4 : 1; again > 0; again--) { // auto changes its search later
            toc_contacts *contacts =
                test_find_contacts(bodies, preset, TOC_ANSWER_ALL, 0, 1 + (int)(i + (size_t)again) % 2);
            assert_same_pairs(preset, contacts, truth);
            toc_contacts_destroy(contacts);
        }
    }
    const size_t count = truth->count;
    toc_contacts_destroy(truth);
    toc_scene_destroy(fresh);
    return count;
}

static size_t check_mesh(toc_mesh *mesh) {
    toc_scene *bodies = test_scene_of(mesh, NULL);
    const size_t contacts = assert_presets_find_all(bodies);
    toc_scene_destroy(bodies);
    return contacts;
}

typedef struct small {
    const scene *scene;
    size_t size;
} small;
static const small scenes[] = {{&scene_octopi, 1},
                               {&scene_bullet, 2},
                               {&scene_airbag, 12}, //
                               {&scene_liver, 2},
                               {&scene_car, 3}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void every_scene_at_several_times(void **state) {
    (void)state;
    for (size_t i = 0; i < SCENES; i++) {
        const scene *s = scenes[i].scene;
        size_t contacts = 0;
        for (size_t frame = s->frames / 3; frame + 1 < s->frames; frame += s->frames / 2) {
            toc_mesh *mesh;
            assert_ok(scene_step(s, scenes[i].size, frame, &mesh));
            contacts += check_mesh(mesh);
        }
        print_message("%s: %zu contacts\n", s->name, contacts);
        assert_true(contacts > 0);
    }
}

// Write the frames of a scene as files and open them.
static toc_sequence *open_frames(const small *s, const char *folder) {
    enum { MOST = 100 };
    static char names[MOST][512];
    const char *paths[MOST];
    toc_sequence *sequence;
    assert_true(s->scene->frames <= MOST);
    for (size_t f = 0; f < s->scene->frames; f++) {
        toc_mesh *mesh;
        snprintf(names[f], sizeof names[f], "%s/%zu.vtk", folder, f);
        assert_ok(scene_frame(s->scene, s->size, f, &mesh));
        assert_ok(toc_mesh_write(names[f], mesh, TOC_AT_START));
        toc_mesh_destroy(mesh);
        paths[f] = names[f];
    }
    assert_ok(toc_sequence_open(s->scene->frames, paths, NULL, &sequence));
    return sequence;
}

// One scene is edited in place during the whole motion: its trees and orphan pairs must follow. Steps are checked at
// each change of topology, and some time after.
static void kept_scene_follows_edits(void **state) {
    (void)state;
    const small changing[] = {{&scene_bullet, 1}, {&scene_liver, 2}};
    for (int i = 0; i < 2; i++) {
        char *folder = test_folder_make();
        toc_sequence *sequence = open_frames(&changing[i], folder);
        toc_mesh *mesh;
        size_t contacts = 0, changes = 0;
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        toc_scene *bodies = test_scene_of(mesh, NULL);
        for (size_t f = 1; f < toc_sequence_get_frame_count(sequence); f++) {
            const uint64_t revision = toc_mesh_get_revision(mesh);
            assert_ok(toc_sequence_advance(sequence, f, mesh));
            const bool changed = toc_mesh_get_revision(mesh) != revision;
            changes += changed;
            if (changed || f % 20 == 0) contacts += assert_presets_find_all(bodies);
        }
        print_message("%s: %zu changes, %zu contacts\n", changing[i].scene->name, changes, contacts);
        assert_true(changes > 1 && contacts > 0);
        toc_scene_destroy(bodies);
        toc_sequence_close(sequence);
        test_folder_remove(folder);
    }
}

// ---- defective meshes

// Change the start positions of the vertices, and move them from there.
static void distort(toc_mesh *mesh, void (*change)(double x[3], size_t vertex), double motion) {
    test_random random = {5};
    enum { MOST = 600 };
    double x[2][3 * MOST];
    const size_t count = toc_mesh_get_vertex_count(mesh);
    assert_true(count <= MOST);
    memcpy(x[0], toc_mesh_get_x0(mesh), 24 * count);
    for (size_t v = 0; v < count; v++) change(x[0] + 3 * v, v);
    for (size_t k = 0; k < 3 * count; k++) x[1][k] = x[0][k] + test_random_between(&random, -motion, motion);
    assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
}

static void keep(double x[3], size_t vertex) { (void)x, (void)vertex; }
static void flatten(double x[3], size_t vertex) { x[2] = 0, (void)vertex; }
static void collapse(double x[3], size_t vertex) { x[0] = x[1] = x[2] = 1, (void)vertex; }
static void mirror(double x[3], size_t vertex) { x[0] = -x[0], (void)vertex; }
static void fold(double x[3], size_t vertex) {
    if (vertex % 5 == 0 && x[2] > 0.9) x[2] = -9;
}

static const toc_shape volumes[4] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};

static toc_mesh_report report_of(const toc_mesh *mesh) {
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    return report;
}

// All or some elements are inverted: the inspection names them, and the search is complete.
static void inverted_elements_are_searched_completely(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        toc_mesh *mesh = test_grid_volume(volumes[i], 2, 2, 1);
        distort(mesh, mirror, 0.1);
        assert_int_equal(report_of(mesh).inverted, report_of(mesh).elements);
        check_mesh(mesh);
        mesh = test_grid_volume(volumes[i], 2, 2, 1);
        distort(mesh, fold, 0.1);
        assert_true(report_of(mesh).inverted > 0);
        assert_true(check_mesh(mesh) > 0);
    }
}

// Elements without volume at the start, all in a plane or in a point, moving or resting.
static void elements_without_volume(void **state) {
    (void)state;
    for (int i = 0; i < 4 * 3; i++) {
        toc_mesh *mesh = test_grid_volume(volumes[i / 3], 2, 1, 1);
        distort(mesh, i % 3 == 2 ? collapse : flatten, i % 3 == 1 ? 0 : 0.2);
        assert_int_equal(report_of(mesh).degenerate, report_of(mesh).elements);
        assert_true(check_mesh(mesh) > 0);
    }
}

// Every element has vertices of its own at the positions of its neighbours' vertices: all of them touch at the start.
static void duplicate_nodes_touch_at_the_start(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        toc_mesh *grid = test_grid_volume(volumes[i], 2, 1, 1), *mesh;
        assert_ok(toc_mesh_create(NULL, &mesh));
        for (uint32_t e = 0; e < toc_mesh_get_element_count(grid); e++) {
            const toc_element element = toc_mesh_get_element(grid, e);
            uint32_t corners[8];
            for (int c = 0; c < element.corner_count; c++)
                assert_ok(toc_mesh_add_vertices(mesh, 1, toc_mesh_get_x0(grid) + 3 * (size_t)element.corners[c],
                                                &corners[c]));
            assert_ok(toc_mesh_add_elements(mesh, element.shape, 1, corners, NULL));
        }
        toc_mesh_destroy(grid);
        distort(mesh, keep, i % 2 ? 0.1 : 0);
        assert_true(check_mesh(mesh) > 50);
    }
}

// A large hex beside four small ones, whose middle vertices lie on its side and belong to no other element.
static void hanging_nodes_are_searched_completely(void **state) {
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        toc_mesh *mesh = test_grid_volume(TOC_HEX, 1, 2, 2);
        const double far[4][3] = {{3, 0, 0}, {3, 2, 0}, {3, 0, 2}, {3, 2, 2}};
        uint32_t added;
        assert_ok(toc_mesh_add_vertices(mesh, 4, far[0], &added));
        const uint32_t large[8] = {1, added, added + 1, 5, 13, added + 2, added + 3, 17};
        assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 1, large, NULL));
        distort(mesh, keep, moving ? 0.05 : 0);
        const size_t contacts = check_mesh(mesh);
        assert_true(moving || contacts > 10); // at rest they touch
    }
}

// Elements that overlap at the start are reported with depth and direction, separate from contacts.
static void overlaps_at_the_start_are_separate_from_contacts(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        toc_mesh *mesh = test_grid_volume(volumes[i], 1, 1, 1), *other = test_grid_volume(volumes[i], 1, 1, 1);
        double x[3 * 16];
        const size_t count = toc_mesh_get_vertex_count(other);
        for (size_t k = 0; k < 3 * count; k++) x[k] = toc_mesh_get_x0(other)[k] + (k % 3 == 2 ? 0.875 : 0.0625);
        assert_ok(test_mesh_set_motion(other, x, x));
        toc_scene *bodies = test_scene_of(mesh, other);
        const toc_query query = toc_query_default();
        toc_overlaps *overlaps;
        assert_ok(toc_scene_find_element_overlaps(bodies, &query, TOC_AT_START, NULL, &overlaps));
        assert_true(overlaps->count > 0);
        double deepest = 0;
        for (size_t k = 0; k < overlaps->count; k++) {
            assert_true(overlaps->pairs[k].depth <= 0.125 + 1e-12);
            if (overlaps->pairs[k].depth > deepest) deepest = overlaps->pairs[k].depth;
        }
        assert_double_near(deepest, 0.125, 1e-12);
        toc_overlaps_destroy(overlaps);
        toc_scene_destroy(bodies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_at_several_times),
        cmocka_unit_test(kept_scene_follows_edits),
        cmocka_unit_test(inverted_elements_are_searched_completely),
        cmocka_unit_test(elements_without_volume),
        cmocka_unit_test(duplicate_nodes_touch_at_the_start),
        cmocka_unit_test(hanging_nodes_are_searched_completely),
        cmocka_unit_test(overlaps_at_the_start_are_separate_from_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
