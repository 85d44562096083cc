// SPDX-License-Identifier: Apache-2.0
// Memory follows the mesh, not the coordinates (docs/guarantees.md, G15).
#include <math.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"
#include "toccata/toccata.h"

// Of a query on one thread: the workers, and tables for a few elements.
enum { BASE_BYTES = 32 << 20 };

typedef struct wild_scene {
    test_allocator memory;
    toc_scene *scene;
} wild_scene;

static void add_body(wild_scene *w, toc_shape shape, uint32_t corners, uint32_t elements, const double *x) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(&w->memory.allocator, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, corners * elements, x, NULL));
    for (uint32_t e = 0; e < elements; e++) {
        uint32_t v[4];
        for (uint32_t k = 0; k < corners; k++) v[k] = e * corners + k;
        assert_ok(toc_mesh_add_elements(mesh, shape, 1, v, NULL));
    }
    assert_ok(toc_scene_add_body(w->scene, mesh, NULL));
}

static void ask(wild_scene *w, const char *preset) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.threads = 1;
    query.preset = preset;
    assert_ok(toc_scene_find_contacts(w->scene, &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    if (w->memory.peak > BASE_BYTES) fail_msg("%s takes %zu bytes for a few elements", preset, w->memory.peak);
}

// Resting elements that begin to sweep far have a level of the grid that is much too fine for them.
static void elements_that_leave_the_table_of_resting_ones(void **state) {
    (void)state;
    for (size_t p = 0; toc_preset_get(p).name; p++) {
        wild_scene w;
        double tiny[9] = {0, 0, 0, 1e-6, 0, 0, 0, 1e-6, 0}, rest[36];
        for (int i = 0; i < 36; i++) rest[i] = (i * 7 % 13) * 1e-6 + (i % 3 == 0 ? 1 : 0);
        test_allocator_make(&w.memory, 0);
        assert_ok(toc_scene_create(&w.memory.allocator, &w.scene));
        add_body(&w, TOC_TRIANGLE, 3, 1, tiny);
        add_body(&w, TOC_TRIANGLE, 3, 4, rest);
        for (int step = 0; step < 8; step++) {
            for (int i = 0; i < 9; i++) tiny[i] += step < 5 ? 1e-7 * (i + 1) : 0.5 * (i % 3 + 1);
            if (step == 5) rest[0] += 0.9, rest[4] -= 0.8, rest[8] += 0.7; // one of them sweeps the whole scene
            assert_ok(test_mesh_move(toc_scene_edit_mesh(w.scene, 0), tiny));
            assert_ok(test_mesh_move(toc_scene_edit_mesh(w.scene, 1), rest));
            ask(&w, toc_preset_get(p).name);
        }
        toc_scene_destroy(w.scene);
        assert_int_equal(w.memory.alive, 0);
    }
}

// Coordinates of all sizes, and elements that rest now and then.
static void any_coordinates_in_every_preset(void **state) {
    (void)state;
    enum { ELEMENTS = 6, STEPS = 6 };
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(40, 10); round++)
        for (size_t p = 0; toc_preset_get(p).name; p++) {
            wild_scene w;
            double x[2][12 * ELEMENTS];
            test_allocator_make(&w.memory, 0);
            assert_ok(toc_scene_create(&w.memory.allocator, &w.scene));
            for (uint32_t body = 0; body < 2; body++) {
                for (int i = 0; i < 12 * ELEMENTS; i++)
                    x[body][i] = ldexp(test_random_between(&random, -1, 1), -(int)test_random_below(&random, 40));
                add_body(&w, body ? TOC_TET : TOC_TRIANGLE, 3 + body, ELEMENTS, x[body]);
            }
            for (int step = 0; step < STEPS; step++) {
                for (uint32_t body = 0; body < 2; body++) {
                    for (int i = 0; i < 12 * ELEMENTS; i++)
                        if (test_random_below(&random, 40) == 0)
                            x[body][i] =
                                ldexp(test_random_between(&random, -1, 1), -(int)test_random_below(&random, 40));
                    assert_ok(test_mesh_move(toc_scene_edit_mesh(w.scene, body), x[body]));
                }
                ask(&w, toc_preset_get(p).name);
            }
            toc_scene_destroy(w.scene);
        }
}

// The rooms of a new scene grow with its primitives: one of 98 triangles took half a megabyte.
static void a_small_scene_takes_little(void **state) {
    (void)state;
    test_allocator memory;
    toc_scene *scene;
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.threads = 1;
    test_allocator_make(&memory, 0);
    assert_ok(toc_scene_create(&memory.allocator, &scene));
    assert_ok(toc_scene_add_body(scene, test_grid_sheet(TOC_TRIANGLE, 7, 7), NULL));
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    assert_true(memory.peak < 250000);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_that_leave_the_table_of_resting_ones),
        cmocka_unit_test(any_coordinates_in_every_preset),
        cmocka_unit_test(a_small_scene_takes_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
