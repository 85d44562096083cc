// SPDX-License-Identifier: Apache-2.0
// Blades that cut: elements part along faces, and none is lost; the sides of the cut touch each other and do not cross.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/sim.h"
#include "support/simulation.h"

static const double at_rest[3] = {0, 0, 0};

/// A block of tets or hexes, and a sheet in the plane x = 0 that comes from below and goes through it.
typedef struct cut_block {
    toc_shape shape;
    bool sharp, carve;
    double cut;
    size_t unused; // vertices of the block without elements
} cut_block;

static toc_sim *make_block(const cut_block *b, int threads) {
    toc_sim *sim = test_sim_without_gravity(threads);
    toc_sim_material soft = toc_sim_material_default(), blade = soft;
    blade.motion = TOC_SIM_GUIDED;
    blade.sharp = b->sharp;
    blade.friction = 0;
    soft.cut = b->cut;
    soft.carve = b->carve;
    soft.thickness = blade.thickness = 0.005;
    // The plane goes through the middles of tets, and next to faces of hexes.
    const uint32_t cells = b->shape == TOC_TET ? 5 : 4;
    const double end = 0.05 * cells;
    toc_mesh *block = test_mesh_place(test_grid_volume(b->shape, cells, 3, 2), 0.1, -end - 0.0001, 0, 0);
    for (size_t i = 0; i < b->unused; i++) assert_ok(toc_mesh_add_vertices(block, 1, at_rest, NULL));
    test_sim_add(sim, block, soft);
    for (uint32_t v = 0; v < (cells + 1) * 4 * 3; v++)
        if (fabs(toc_sim_get_positions(sim, 0)[3 * v]) > end - 0.01) assert_ok(toc_sim_pin_vertex(sim, 0, v));
    // In the plane x = 0, below the block, as a sheet in y and z.
    toc_mesh *sheet = test_mesh_turn(test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 4), 0.2, 0, -0.21, 0), 1.5707963);
    test_sim_add(sim, test_mesh_place(sheet, 1, 0, 0, -0.011), blade);
    assert_ok(toc_sim_set_velocity(sim, 1, (double[]){0, 0, 1}, at_rest, at_rest));
    return sim;
}

static size_t elements_left(toc_sim *sim) {
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), 0);
    size_t count = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        count += toc_mesh_get_element(mesh, e).shape != TOC_REMOVED;
    return count;
}

static toc_sim_report run_block(toc_sim *sim, int steps) {
    toc_sim_report report, sum = {0};
    for (int i = 0; i < steps; i++) {
        assert_ok(toc_sim_step(sim, &report));
        sum.splits += report.splits;
        sum.eroded += report.eroded;
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    return sum;
}

static void a_blade_parts_elements_and_loses_none(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_TET, true, false, 1000, 0}, 1);
    const size_t elements = elements_left(sim);
    const double mass = toc_sim_find_energy(sim).mass, volume = toc_sim_find_energy(sim).volume;
    const toc_sim_report sum = run_block(sim, 100);
    print_message("%zu vertices split, volume %g of %g\n", sum.splits, toc_sim_find_energy(sim).volume, volume);
    assert_true(sum.splits >= 12); // each of the 3 layers of vertices has 4 in the plane's cells
    assert_int_equal(sum.eroded, 0);
    assert_int_equal(elements_left(sim), elements);
    assert_double_near(toc_sim_find_energy(sim).mass, mass, 1e-12 * mass);
    // Teeth of the halves press on each other.
    assert_double_near(toc_sim_find_energy(sim).volume, volume, 0.1 * volume);
    toc_sim_destroy(sim);
}

static void a_blunt_sheet_and_a_tough_block_cut_nothing(void **state) {
    (void)state;
    const cut_block blocks[] = {{TOC_TET, false, false, 1000, 0}, {TOC_TET, true, false, 0, 0}};
    for (int i = 0; i < 2; i++) {
        toc_sim *sim = make_block(&blocks[i], 1);
        const toc_sim_report sum = run_block(sim, 30);
        assert_true(sum.splits == 0 && sum.eroded == 0);
        toc_sim_destroy(sim);
    }
}

static void carving_removes_the_elements_in_front(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_TET, true, true, 1000, 0}, 1);
    const toc_sim_report sum = run_block(sim, 60);
    print_message("%zu elements carved\n", sum.eroded);
    assert_true(sum.eroded > 3 && sum.eroded < 60 && sum.splits == 0);
    toc_sim_destroy(sim);
}

// Splits that crossed have used up ids: the blade would push a block that it should cut.
static void a_cut_without_vertex_ids_left_is_told(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_TET, true, false, 1000, 0}, 1);
    toc_status status = TOC_OK;
    sim->bodies.at[0].room = sim->bodies.at[0].count + 3;
    for (int i = 0; i < 100 && status == TOC_OK; i++) status = toc_sim_step(sim, NULL);
    assert_int_equal(status, TOC_UNSTABLE);
    assert_non_null(strstr(toc_message_get(), "body 0 has no vertex ids left to cut it: all 75 are in use"));
    assert_int_equal(test_sim_crossings(sim), 0);
    toc_sim_destroy(sim);
}

// Vertices without elements must not take the room of the cut.
static void unused_vertices_leave_room_for_a_cut(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_TET, true, false, 1000, 2000}, 1);
    assert_true(run_block(sim, 100).splits >= 12);
    toc_sim_destroy(sim);
}

// ---- the sides of the cut

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

// The piece of each vertex, named by one of its vertices.
static uint32_t *find_pieces(toc_sim *sim) {
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), 0);
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    uint32_t *parent = malloc(count * sizeof *parent);
    for (uint32_t v = 0; v < count; v++) parent[v] = v;
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        for (int k = 1; k < e.corner_count; k++) parent[root_of(parent, e.corners[k])] = root_of(parent, e.corners[0]);
    }
    for (uint32_t v = 0; v < count; v++) parent[v] = root_of(parent, v);
    return parent;
}

// Contacts of the block with itself, between two of its pieces.
static size_t contacts_between_pieces(toc_sim *sim, const uint32_t *pieces) {
    size_t found = 0, count = toc_sim_get_contacts(sim, NULL);
    toc_near_pair *pairs = malloc((count + 1) * sizeof *pairs);
    count = toc_sim_get_contacts(sim, pairs);
    for (size_t i = 0; i < count; i++)
        found += pairs[i].body[0] == 0 && pairs[i].body[1] == 0 && pieces[pairs[i].v[0]] != pieces[pairs[i].v[3]];
    free(pairs);
    return found;
}

static void push_together(toc_sim *sim) {
    const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), 0));
    double *v = calloc(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) v[3 * i] = toc_sim_get_positions(sim, 0)[3 * i] > 0 ? -0.4 : 0.4;
    assert_ok(toc_sim_set_velocities(sim, 0, count, v));
    assert_fails(toc_sim_set_velocities(sim, 0, count + 1, v), TOC_BAD_INPUT, "vertices, body 0 has");
    free(v);
}

// The blade goes through and leaves. Then the halves, which are one body still, are thrown at each other.
static void the_sides_of_a_cut_meet_again(void **state) {
    (void)state;
    for (int shape = 0; shape < test_less(2, 1); shape++) {
        toc_sim *sim = make_block(&(cut_block){shape ? TOC_HEX : TOC_TET, true, false, 1000, 0}, 1);
        run_block(sim, 100);
        uint32_t *pieces = find_pieces(sim);
        assert_int_not_equal(pieces[0], pieces[shape ? 4 : 5]); // the two ends along x
        size_t contacts = 0;
        push_together(sim);
        for (int i = 0; i < 40; i++) {
            run_block(sim, 1);
            contacts += contacts_between_pieces(sim, pieces);
        }
        print_message("%zu contacts between the sides\n", contacts);
        assert_true(contacts > 0);
        free(pieces);
        toc_sim_destroy(sim);
    }
}

// A state in the middle of the cut, taken over with another number of threads.
static void a_cut_goes_on_with_the_same_bits(void **state) {
    (void)state;
    const cut_block block = {TOC_TET, true, false, 1000, 0};
    toc_sim *whole = make_block(&block, 1), *resumed = make_block(&block, 2);
    assert_true(run_block(whole, 25).splits > 0);
    size_t count = toc_sim_get_state(whole, NULL);
    double *states[2] = {malloc(count * sizeof(double)), NULL};
    toc_sim_get_state(whole, states[0]);
    assert_ok(toc_sim_set_state(resumed, states[0], count));
    free(states[0]);
    assert_true(run_block(whole, 25).splits > 0);
    run_block(resumed, 25);
    count = toc_sim_get_state(whole, NULL);
    assert_int_equal(toc_sim_get_state(resumed, NULL), count);
    for (int k = 0; k < 2; k++) {
        states[k] = malloc(count * sizeof(double));
        toc_sim_get_state(k ? resumed : whole, states[k]);
    }
    assert_memory_equal(states[0], states[1], count * sizeof(double));
    for (int k = 0; k < 2; k++) free(states[k]);
    toc_sim_destroy(whole);
    toc_sim_destroy(resumed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blade_parts_elements_and_loses_none),
        cmocka_unit_test(a_blunt_sheet_and_a_tough_block_cut_nothing),
        cmocka_unit_test(carving_removes_the_elements_in_front),
        cmocka_unit_test(a_cut_without_vertex_ids_left_is_told),
        cmocka_unit_test(unused_vertices_leave_room_for_a_cut),
        cmocka_unit_test(the_sides_of_a_cut_meet_again),
        cmocka_unit_test(a_cut_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
