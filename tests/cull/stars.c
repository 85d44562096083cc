// SPDX-License-Identifier: Apache-2.0
// Stars that are called whole have no contacts of their own and no tets that overlap, whatever was done to them.
#include "cull/stars.h"

#include <stdlib.h>
#include <string.h>

#include "cull/cells.h"
#include "support/grid.h"
#include "support/test.h"

// The cells of one body, and its stars.
typedef struct world {
    toc_mesh *mesh;
    toc_cells cells;
    toc_features *features;
    toc_stars stars;
} world;

static world open_world(toc_mesh *mesh) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    const size_t count = toc_mesh_element_count(mesh);
    world w = {.mesh = mesh, .cells = {.count = count, .body_count = 1}};
    w.cells.at = calloc(count + 1, sizeof *w.cells.at);
    w.cells.bodies = calloc(1, sizeof *w.cells.bodies);
    assert_ok(toc_mesh_find_features(mesh, &w.features));
    assert_ok(toc_incidence_make(mesh, w.features, &w.cells.bodies[0].incidence));
    for (size_t e = 0; e < count; e++) {
        w.cells.at[e].element = (uint32_t)e;
        toc_cell_set(mesh, 0, &w.cells.at[e]);
    }
    assert_ok(toc_stars_find(&memory, &w.cells, &w.stars));
    return w;
}

static void close_world(world *w) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    toc_stars_free(&memory, &w->stars);
    toc_incidence_free(&w->cells.bodies[0].incidence);
    toc_features_destroy(w->features);
    free(w->cells.bodies);
    free(w->cells.at);
    toc_mesh_destroy(w->mesh);
}

static void tell(world *w) {
    enum { MOST = 200 };
    static toc_packed packed[MOST];
    const size_t count = toc_mesh_vertex_count(w->mesh);
    assert_true(count <= MOST);
    const toc_frame frame = toc_frame_around(count, toc_mesh_x0(w->mesh), toc_mesh_x1(w->mesh));
    assert_true(toc_packed_set(&frame, count, toc_mesh_x0(w->mesh), toc_mesh_x1(w->mesh), packed) <= 1);
    toc_stars_tell(&w->stars, 0, w->stars.stars.count, packed, NULL);
}

// The tets around one vertex, alone.
static toc_scene *star_alone(const toc_mesh *mesh, uint32_t vertex) {
    toc_mesh *star;
    assert_ok(toc_mesh_copy(mesh, &star));
    for (uint32_t e = 0; e < toc_mesh_element_count(mesh); e++) {
        const toc_element element = toc_mesh_element(mesh, e);
        bool around = false;
        for (int i = 0; i < element.corner_count; i++) around = around || element.corners[i] == vertex;
        if (!around && element.shape != TOC_REMOVED) assert_ok(toc_mesh_remove_element(star, e));
    }
    return test_scene_of(star, NULL);
}

static size_t count_contacts(toc_scene *scene) {
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.threads = 1;
    assert_ok(toc_scene_find_contacts(scene, &query, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    return count;
}

static size_t count_overlaps(toc_scene *scene, toc_end end) {
    toc_overlaps *overlaps;
    toc_query query = toc_query_default();
    size_t count = 0;
    query.threads = 1;
    assert_ok(toc_scene_find_element_overlaps(scene, &query, end, &overlaps));
    for (size_t i = 0; i < overlaps->count; i++) count += overlaps->pairs[i].depth > 1e-9;
    toc_overlaps_destroy(overlaps);
    return count;
}

typedef struct tally {
    size_t whole, broken; // called whole; with contacts
} tally;

static void check(world *w, tally *sum) {
    tell(w);
    for (uint32_t v = 0; v < toc_mesh_vertex_count(w->mesh); v++) {
        toc_scene *scene = star_alone(w->mesh, v);
        const size_t contacts = count_contacts(scene);
        const size_t overlaps = count_overlaps(scene, TOC_START) + count_overlaps(scene, TOC_END);
        assert_false(w->stars.whole.at[v] && contacts + overlaps > 0);
        sum->whole += w->stars.whole.at[v];
        sum->broken += contacts + overlaps > 0;
        toc_scene_destroy(scene);
    }
}

// Bodies with bites taken out, shaken so that some stars fold, in two steps: the second one is told from the first.
static void check_shape(toc_shape shape) {
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < (shape == TOC_TET ? 40 : 12); i++) {
        toc_mesh *mesh = test_grid_volume(shape, 2, 2, 1 + (uint32_t)i % 2);
        for (int k = 0; k < i % 8; k++) {
            const uint32_t e = test_random_below(&random, (uint32_t)toc_mesh_element_count(mesh));
            if (toc_mesh_element(mesh, e).shape != TOC_REMOVED && (shape == TOC_TET || k < 3))
                assert_ok(toc_mesh_remove_element(mesh, e));
        }
        const double shake = test_random_between(&random, 0, 0.45);
        test_shake(mesh, &random, shake, shake);
        world w = open_world(mesh);
        check(&w, &sum);
        test_shake(mesh, &random, shake, shake);
        check(&w, &sum);
        close_world(&w);
    }
    print_message("%s: %zu whole, %zu with contacts\n", toc_shape_name(shape), sum.whole, sum.broken);
    assert_true(sum.whole > 60 && sum.broken > 60);
}

static void what_is_whole_has_no_contacts(void **state) {
    (void)state;
    check_shape(TOC_TET);
    check_shape(TOC_HEX);
}

// Hexes that get thinner from one to the next, and bend: far from cubes under any linear map, and yet whole.
static void hexes_of_different_sizes(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 3, 3, 3);
    double x[3 * 64];
    for (size_t v = 0; v < 64; v++) {
        const double *p = toc_mesh_x0(mesh) + 3 * v;
        for (size_t k = 0; k < 3; k++) x[3 * v + k] = p[k] * (1 + 0.15 * p[k]) + (k == 1 ? 0.1 * p[0] * p[0] : 0);
    }
    assert_ok(toc_mesh_set_motion(mesh, x, x));
    world w = open_world(mesh);
    tell(&w);
    for (size_t v = 0; v < 64; v++) assert_true(w.stars.whole.at[v]);
    close_world(&w);
}

// A ring of tets around an edge that goes round twice: all have a volume, each fits to the next, and yet they overlap.
static void a_star_that_goes_round_twice(void **state) {
    (void)state;
    enum { RING = 10 };
    for (int turns = 1; turns <= 2; turns++) {
        toc_mesh *mesh;
        double x[RING + 2][3] = {{0, 0, -1}, {0, 0, 1}};
        assert_ok(toc_mesh_create(NULL, &mesh));
        for (int i = 0; i < RING; i++) {
            const double angle = 6.283185307179586 * turns * i / RING;
            x[i + 2][0] = cos(angle), x[i + 2][1] = sin(angle), x[i + 2][2] = 0.01 * i;
        }
        assert_ok(toc_mesh_add_vertices(mesh, RING + 2, x[0], NULL));
        for (uint32_t i = 0; i < RING; i++) {
            const uint32_t tet[4] = {0, 1, 2 + i, 2 + (i + 1) % RING};
            assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, tet, NULL));
        }
        world w = open_world(mesh);
        tell(&w);
        assert_int_equal(w.stars.whole.at[0], turns == 1);
        assert_int_equal(w.stars.whole.at[1], turns == 1);
        close_world(&w);
    }
}

// A tet that was turned inside out lies over those beside it, though none of them touch in the step.
static void a_star_that_is_folded_from_the_start(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 2, 2, 2);
    const size_t count = toc_mesh_vertex_count(mesh), middle = 13;
    double x[3 * 27];
    memcpy(x, toc_mesh_x0(mesh), 24 * count);
    world w = open_world(mesh);
    tell(&w);
    for (size_t v = 0; v < count; v++) assert_true(w.stars.whole.at[v]);
    x[3 * middle] += 1.5;
    assert_ok(toc_mesh_set_motion(mesh, x, x));
    tell(&w);
    assert_false(w.stars.whole.at[middle]);
    close_world(&w);
}

static toc_status find_stars(const toc_allocator *allocator, void *user) {
    toc_stars stars;
    const toc_status status = toc_stars_find(allocator, user, &stars);
    toc_stars_free(allocator, &stars);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    world w = open_world(test_grid_volume(TOC_TET, 1, 1, 1));
    assert_true(test_every_allocation(find_stars, &w.cells) > 3);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_whole_has_no_contacts), cmocka_unit_test(hexes_of_different_sizes),
        cmocka_unit_test(a_star_that_goes_round_twice),  cmocka_unit_test(a_star_that_is_folded_from_the_start),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
