// SPDX-License-Identifier: Apache-2.0
// The benchmark scenes: stable ids from frame to frame, contacts, sound elements, refused sizes.
#include "scenes/scenes.h"

#include <string.h>

#include "support/test.h"

// A size small enough for brute force on every step.
static size_t small_size(const scene *s) {
    if (strcmp(s->name, "cloth-ball") == 0) return 16;
    return s->size > 8 ? 8 : s->size > 2 ? 2 : 1;
}

static void assert_same_elements(const toc_mesh *a, const toc_mesh *b) {
    assert_int_equal(toc_mesh_get_vertex_count(a), toc_mesh_get_vertex_count(b));
    assert_int_equal(toc_mesh_get_element_count(a), toc_mesh_get_element_count(b));
    for (uint32_t e = 0; e < toc_mesh_get_element_count(a); e++) {
        const toc_element x = toc_mesh_get_element(a, e), y = toc_mesh_get_element(b, e);
        assert_int_equal(x.shape, y.shape);
        assert_int_equal(x.group, y.group);
        assert_memory_equal(x.corners, y.corners, (size_t)x.corner_count * sizeof *x.corners);
    }
}

static void every_frame_has_the_same_elements(void **state) {
    (void)state;
    for (size_t i = 0; scene_list(i); i++) {
        const scene *s = scene_list(i);
        if (s->happen) continue;
        toc_mesh *first, *frame;
        assert_ok(scene_frame(s, small_size(s), 0, &first));
        for (size_t f = 1; f < s->frames + 2; f++) {
            assert_ok(scene_frame(s, small_size(s), f, &frame));
            assert_same_elements(first, frame);
            toc_mesh_destroy(frame);
        }
        toc_mesh_destroy(first);
    }
}

// An element of both frames keeps its vertices or has new ones. A removed element does not return.
static void assert_followed(const toc_mesh *a, const toc_mesh *b, size_t changes[3]) {
    const size_t vertices = toc_mesh_get_vertex_count(a), elements = toc_mesh_get_element_count(a);
    assert_true(toc_mesh_get_vertex_count(b) >= vertices && toc_mesh_get_element_count(b) >= elements);
    for (uint32_t e = 0; e < elements; e++) {
        const toc_element x = toc_mesh_get_element(a, e), y = toc_mesh_get_element(b, e);
        changes[0] += x.shape != y.shape;
        assert_true(y.shape == x.shape || y.shape == TOC_REMOVED);
        for (int i = 0; i < y.corner_count; i++) assert_true(y.corners[i] == x.corners[i] || y.corners[i] >= vertices);
    }
    changes[1] += toc_mesh_get_element_count(b) - elements;
    changes[2] += toc_mesh_get_vertex_count(b) - vertices;
}

// Ids stay when elements are removed and added and vertices split.
static void ids_keep_their_meaning_where_the_topology_changes(void **state) {
    (void)state;
    const scene *const changing[] = {&scene_bullet, &scene_liver};
    for (size_t i = 0; i < 2; i++) {
        const scene *s = changing[i];
        size_t changes[3] = {0, 0, 0};
        toc_mesh *before, *after;
        assert_ok(scene_frame(s, 2, 0, &before));
        for (size_t f = 1; f < s->frames; f++) {
            assert_ok(scene_frame(s, 2, f, &after));
            assert_followed(before, after, changes);
            toc_mesh_destroy(before);
            before = after;
        }
        toc_mesh_destroy(before);
        assert_true(changes[0] > 0 && changes[2] > 0);
        assert_int_equal(changes[1] > 0, s == &scene_liver);
    }
}

// A step has the topology of its second frame and the positions of both frames.
static void a_step_lies_between_its_frames(void **state) {
    (void)state;
    for (size_t i = 0; scene_list(i); i++) {
        const scene *s = scene_list(i);
        const size_t frame = s->frames / 2;
        toc_mesh *step, *start, *end;
        assert_ok(scene_step(s, small_size(s), frame, &step));
        assert_ok(scene_frame(s, small_size(s), frame, &start));
        assert_ok(scene_frame(s, small_size(s), frame + 1, &end));
        assert_same_elements(step, end);
        assert_memory_equal(toc_mesh_get_x0(step), toc_mesh_get_x0(start), 24 * toc_mesh_get_vertex_count(start));
        assert_memory_equal(toc_mesh_get_x1(step), toc_mesh_get_x0(end), 24 * toc_mesh_get_vertex_count(end));
        toc_mesh_destroy(step);
        toc_mesh_destroy(start);
        toc_mesh_destroy(end);
    }
}

// No element is inverted or flat in any frame of the scenes of volumes. (Octopi of size 1 are too coarse to curl.)
static void elements_of_volumes_stay_sound(void **state) {
    (void)state;
    const scene *const volumes[] = {&scene_octopi, &scene_bullet, &scene_bullet, &scene_liver, &scene_liver};
    const size_t sizes[] = {2, 2, 4, 2, 5};
    for (size_t i = 0; i < 5; i++) {
        for (size_t f = 0; f < volumes[i]->frames; f += 6) {
            toc_mesh *mesh;
            toc_mesh_report report;
            assert_ok(scene_frame(volumes[i], sizes[i], f, &mesh));
            assert_ok(toc_mesh_inspect(mesh, &report));
            if (report.inverted) print_error("%s, frame %zu: %zu inverted\n", volumes[i]->name, f, report.inverted);
            assert_int_equal(report.inverted + report.degenerate + report.duplicate, 0);
            toc_mesh_destroy(mesh);
        }
    }
}

// The element counts of the paper.
static void default_sizes_are_the_papers(void **state) {
    (void)state;
    const struct {
        const scene *scene;
        size_t first, last; // elements in the first and in the last frame
    } papers[] = {{&scene_octopi, 17600, 17600},
                  {&scene_bullet, 12000, 11800},
                  {&scene_airbag, 9100, 9100}, //
                  {&scene_liver, 3874, 4338}};
    for (size_t i = 0; i < 4; i++)
        for (size_t last = 0; last < 2; last++) {
            toc_mesh *mesh;
            toc_mesh_report report;
            assert_ok(scene_frame(papers[i].scene, 0, last ? papers[i].scene->frames : 0, &mesh));
            assert_ok(toc_mesh_inspect(mesh, &report));
            const double wanted = (double)(last ? papers[i].last : papers[i].first);
            assert_double_near((double)report.elements, wanted, 0.02 * wanted);
            toc_mesh_destroy(mesh);
        }
}

// The sizes that the list of scenes names: rods of 80K triangles, closed, and a funnel of 18K.
static void rods_and_funnel_have_the_triangles_they_say(void **state) {
    (void)state;
    const struct {
        const scene *scene;
        size_t size;
        double triangles;
        size_t boundary; // edges: four sides of the cloth, and two ends of the funnel
    } named[] = {{&scene_rods, 18, 80000, 0}, {&scene_funnel, 80, 18000, 4 * 80 + 2 * (13 * 80 / 16 + 3)}};
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(scene_frame(named[i].scene, named[i].size, named[i].scene->frames - 1, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_double_near((double)report.elements, named[i].triangles, 0.03 * named[i].triangles);
        assert_int_equal(report.boundary_edges, named[i].boundary);
        assert_int_equal(report.nonmanifold_edges + report.degenerate + report.duplicate + report.unused_vertices, 0);
        toc_mesh_destroy(mesh);
    }
}

static size_t count_contacts(toc_mesh *mesh) {
    toc_scene *bodies;
    toc_contacts *contacts;
    uint32_t body;
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_add_body(bodies, mesh, &body));
    toc_query query = toc_query_default();
    query.preset = "brute";
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return count;
}

// Bodies touch in the second half of every scene, and a step ends at the positions of the next frame.
static void every_scene_makes_contacts(void **state) {
    (void)state;
    for (size_t i = 0; scene_list(i); i++) {
        const scene *s = scene_list(i);
        size_t contacts = 0;
        for (size_t f = s->frames / 2; f + 1 < s->frames; f += test_less(2u, 4u)) {
            toc_mesh *step, *end;
            assert_ok(scene_step(s, small_size(s), f, &step));
            assert_ok(scene_frame(s, small_size(s), f + 1, &end));
            assert_memory_equal(toc_mesh_get_x1(step), toc_mesh_get_x0(end), 24 * toc_mesh_get_vertex_count(end));
            toc_mesh_destroy(end);
            contacts += count_contacts(step);
        }
        print_message("%s: %zu contacts\n", s->name, contacts);
        assert_true(contacts > 0);
    }
}

static void the_sphere_is_closed_for_any_number_of_splits(void **state) {
    (void)state;
    for (size_t size = 1; size < 30; size += 4) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(scene_frame(&scene_cloth_ball, size, 0, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.boundary_edges, 4 * size); // the cloth's alone
        assert_int_equal(report.nonmanifold_edges, 0);
        assert_int_equal(report.degenerate + report.duplicate + report.unused_vertices, 0);
        toc_mesh_destroy(mesh);
    }
}

static void bodies_of_boxes_and_spheres_are_closed(void **state) {
    (void)state;
    const scene *const closed[] = {&scene_n_body, &scene_explosion, &scene_bar, &scene_organs};
    for (size_t i = 0; i < 4 * 3; i++) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(scene_frame(closed[i / 3], i % 3 + 1, closed[i / 3]->frames / 2, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.boundary_edges + report.nonmanifold_edges, 0);
        assert_int_equal(report.degenerate + report.duplicate + report.unused_vertices, 0);
        toc_mesh_destroy(mesh);
    }
}

static void a_size_above_the_largest_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; scene_list(i); i++) {
        toc_mesh *mesh = NULL;
        assert_int_equal(scene_frame(scene_list(i), scene_list(i)->largest + 1, 0, &mesh), TOC_BAD_INPUT);
        assert_null(mesh);
        assert_ptr_equal(scene_find(scene_list(i)->name), scene_list(i));
    }
    assert_null(scene_find("none"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_has_the_same_elements),
        cmocka_unit_test(ids_keep_their_meaning_where_the_topology_changes),
        cmocka_unit_test(a_step_lies_between_its_frames),
        cmocka_unit_test(elements_of_volumes_stay_sound),
        cmocka_unit_test(default_sizes_are_the_papers),
        cmocka_unit_test(rods_and_funnel_have_the_triangles_they_say),
        cmocka_unit_test(every_scene_makes_contacts),
        cmocka_unit_test(the_sphere_is_closed_for_any_number_of_splits),
        cmocka_unit_test(bodies_of_boxes_and_spheres_are_closed),
        cmocka_unit_test(a_size_above_the_largest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
