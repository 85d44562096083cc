// SPDX-License-Identifier: Apache-2.0
// Blades that cut: tets are divided along the plane that the blade sweeps, other elements part along faces, and nothing
// is lost; the sides of the cut touch each other and do not cross.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/vector.h"
#include "sim/fracture/divide.h"
#include "support/simulation.h"
#include "support/test.h"

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
        sum.divided += report.divided;
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    return sum;
}

// How far the vertices of a cut are from the plane x = 0, at rest: pairs of vertices at one place.
static double find_roughness(const toc_sim *sim, double *mean) {
    double largest = 0, sum = 0, count = 0;
    for (uint32_t v = 0; v < sim->bodies.at[0].count; v++)
        for (uint32_t w = 0; w < v; w++) {
            if (memcmp(sim->rest[v], sim->rest[w], sizeof *sim->rest) != 0) continue;
            largest = fmax(largest, fabs(sim->rest[v][0]));
            sum += sim->rest[v][0] * sim->rest[v][0];
            count++;
        }
    *mean = sqrt(sum / fmax(count, 1));
    return largest;
}

static double volume_at_rest(const toc_sim *sim) {
    double sum = 0;
    for (size_t i = 0; i < sim->tets.count; i++) sum += sim->tets.at[i].volume;
    return sum;
}

// Cells are 0.1 wide, and the plane goes through their middles: along faces, each vertex of the cut is 0.05 off.
static void a_cut_follows_the_blade_and_loses_nothing(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_TET, true, false, 1000, 0}, 1);
    const double mass = toc_sim_find_energy(sim).mass, volume = toc_sim_find_energy(sim).volume;
    const double rest = volume_at_rest(sim);
    const toc_sim_report sum = run_block(sim, 100);
    double mean;
    const double roughness = find_roughness(sim, &mean);
    print_message("%zu vertices split, %zu edges divided, volume %g of %g, %g from the plane, rms %g\n", sum.splits,
                  sum.divided, toc_sim_find_energy(sim).volume, volume, roughness, mean);
    assert_true(sum.splits >= 12 && sum.divided >= 12); // each of the 3 layers of vertices has 4 edges across
    assert_int_equal(sum.eroded, 0);
    assert_int_equal(elements_left(sim), sim->tets.count);
    assert_double_near(toc_sim_find_energy(sim).mass, mass, 1e-13 * mass);
    assert_double_near(volume_at_rest(sim), rest, 1e-13 * rest);
    assert_double_near(toc_sim_find_energy(sim).volume, volume, 0.02 * volume);
    assert_true(roughness < 0.005);
    toc_sim_destroy(sim);
}

static void hexes_part_along_faces_and_none_is_lost(void **state) {
    (void)state;
    toc_sim *sim = make_block(&(cut_block){TOC_HEX, true, false, 1000, 0}, 1);
    const size_t elements = elements_left(sim);
    const double mass = toc_sim_find_energy(sim).mass;
    const toc_sim_report sum = run_block(sim, 100);
    assert_true(sum.splits >= 12 && sum.divided == 0 && sum.eroded == 0);
    assert_int_equal(elements_left(sim), elements);
    assert_double_near(toc_sim_find_energy(sim).mass, mass, 1e-12 * mass);
    toc_sim_destroy(sim);
}

// ---- division alone

static void deformation(const toc_sim *sim, const sim_tet *tet, double out[3][3]) {
    memset(out, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++)
            out[i / 3][i % 3] +=
                (sim->x[tet->v[k + 1]][i / 3] - sim->x[tet->v[0]][i / 3]) * tet->inverse_rest[k][i % 3];
}

// Numbers with few bits, so that the arithmetic is exact: volume, mass, stiffness and deformation stay, bit for bit.
static void a_divided_tet_keeps_all_exactly(void **state) {
    (void)state;
    double x[5][3] = {{0, 0, 0}, {3, 1, 0}, {0.5, 2, 0.25}, {-1, 0, 4}};
    toc_sim sim = {.x = x};
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            sim_tet tet = {.v = {0, 1, 2, 3},
                           .inverse_rest = {{0.5, 0, 0}, {0.25, 1, 0}, {0, -2, 0.125}},
                           .shear_compliance = 2,
                           .volume_compliance = 0.5,
                           .volume = 8,
                           .mass = 24};
            sim_tet rest;
            double whole[3][3], parts[2][3][3];
            if (a == b) continue;
            deformation(&sim, &tet, whole);
            for (int k = 0; k < 3; k++) x[4][k] = 0.5 * (x[a][k] + x[b][k]);
            toc_sim_tet_divide(&tet, a, b, 4, 0.5, &rest);
            assert_int_equal(tet.v[b], 4);
            assert_int_equal(rest.v[a], 4);
            assert_true(tet.volume + rest.volume == 8 && tet.mass + rest.mass == 24);
            assert_true(1 / tet.shear_compliance + 1 / rest.shear_compliance == 1 / 2.0);
            assert_true(1 / tet.volume_compliance + 1 / rest.volume_compliance == 1 / 0.5);
            deformation(&sim, &tet, parts[0]);
            deformation(&sim, &rest, parts[1]);
            for (int k = 0; k < 2; k++) assert_memory_equal(parts[k], whole, sizeof whole);
        }
}

/// Sums over a body, and its boundary.
typedef struct body_sums {
    double mass, centre[3], momentum[3], volume, smallest, area;
    size_t faces; // of the boundary
} body_sums;

static int compare_faces(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

// Faces that one tet has alone; no face may have three.
static void sum_boundary(const toc_sim *sim, body_sums *sums) {
    uint32_t(*faces)[3] = malloc(4 * sim->tets.count * sizeof *faces);
    const size_t count = 4 * sim->tets.count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0, n = 0; k < 4; k++)
            if (k != i % 4) faces[i][n++] = sim->tets.at[i / 4].v[k];
    for (size_t i = 0; i < 3 * count; i++) { // sort the corners of each
        uint32_t *f = faces[i / 3];
        const size_t k = i % 3 % 2;
        const uint32_t low = f[k] < f[k + 1] ? f[k] : f[k + 1];
        f[k + 1] = f[k] + f[k + 1] - low;
        f[k] = low;
    }
    qsort(faces, count, sizeof *faces, compare_faces);
    for (size_t i = 0, end; i < count; i = end) {
        double u[3], v[3], n[3];
        for (end = i + 1; end < count && compare_faces(faces[i], faces[end]) == 0;) end++;
        assert_true(end - i <= 2);
        if (end - i == 2) continue;
        sim_sub(sim->x[faces[i][1]], sim->x[faces[i][0]], u);
        sim_sub(sim->x[faces[i][2]], sim->x[faces[i][0]], v);
        sim_cross(u, v, n);
        sums->area += 0.5 * sim_length(n);
        sums->faces++;
    }
    free(faces);
}

static body_sums sum_body(const toc_sim *sim) {
    body_sums sums = {.smallest = 1};
    for (uint32_t v = 0; v < sim->bodies.at[0].count; v++) {
        sums.mass += sim->mass[v];
        sim_add(sim->mass[v], sim->x[v], sums.centre);
        sim_add(sim->mass[v], sim->v[v], sums.momentum);
    }
    for (size_t i = 0; i < sim->tets.count; i++) {
        double edges[3][3];
        for (int k = 0; k < 3; k++) sim_sub(sim->x[sim->tets.at[i].v[k + 1]], sim->x[sim->tets.at[i].v[0]], edges[k]);
        const double volume = sim_determinant(edges) / 6;
        sums.volume += volume;
        sums.smallest = fmin(sums.smallest, volume);
    }
    sum_boundary(sim, &sums);
    return sums;
}

// Random planes through a block with random velocities: sums stay to rounding, and neighbours stay conforming, since
// the boundary has the area that it had.
static void divided_neighbours_conform(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int trial = 0; trial < test_less(100, 20); trial++) {
        toc_sim *sim = make_block(&(cut_block){TOC_TET, true, false, 1000, 0}, 1);
        for (uint32_t i = 0; i < 3 * sim->bodies.at[0].count; i++)
            sim->v[i / 3][i % 3] = sim->w[i / 3] > 0 ? test_random_between(&random, -1, 1) : 0;
        const body_sums before = sum_body(sim);
        sim_division d = {0};
        sim_cut cut = {.tet = test_random_below(&random, (uint32_t)sim->tets.count)};
        toc_sim_tet_middle(sim, &sim->tets.at[cut.tet], cut.edge);
        for (int k = 0; k < 3; k++) cut.normal[k] = test_random_between(&random, -1, 1);
        sim_normalize(cut.normal);
        assert_ok(toc_sim_division_make(sim, 0, &d));
        assert_ok(toc_sim_division_run(sim, &d, &cut));
        assert_true(d.edges > 0 && d.opened.count > 0);
        toc_sim_division_free(sim, &d);
        toc_sim_body_weigh(sim, 0);
        const body_sums after = sum_body(sim);
        assert_double_near(after.mass, before.mass, 1e-13 * before.mass);
        for (int k = 0; k < 3; k++) assert_double_near(after.centre[k], before.centre[k], 1e-12 * before.mass);
        for (int k = 0; k < 3; k++) assert_double_near(after.momentum[k], before.momentum[k], 1e-12 * before.mass);
        assert_double_near(after.volume, before.volume, 1e-13);
        assert_double_near(after.area, before.area, 1e-12);
        assert_true(after.smallest > 1e-4 * before.smallest);
        toc_sim_destroy(sim);
    }
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

// Any allocation may fail, also in the middle of an edit: the meshes have the vertices of the simulation then, and all
// mass.
static toc_status cut_starved(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = 0;
    settings.step = 0.005;
    settings.threads = 1;
    toc_sim *sim;
    toc_status status = toc_sim_create(&settings, allocator, &sim);
    if (status != TOC_OK) return status;
    toc_sim_material soft = toc_sim_material_default(), blade = soft;
    blade.motion = TOC_SIM_GUIDED;
    blade.sharp = true;
    soft.cut = 1000;
    toc_mesh *sheet = test_mesh_turn(test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 1), 0.3, 0, -0.01, 0), 1.5707963);
    toc_mesh *meshes[2] = {test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 0.2, -0.09, 0, 0),
                           test_mesh_place(sheet, 1, 0, 0, -0.011)};
    for (int i = 0; i < 2; i++) {
        if (status == TOC_OK) status = toc_sim_add_body(sim, meshes[i], i ? &blade : &soft, NULL);
        if (status != TOC_OK) toc_mesh_destroy(meshes[i]);
    }
    if (status == TOC_OK) status = toc_sim_set_velocity(sim, 1, (double[]){0, 0, 1}, at_rest, at_rest);
    for (int i = 0; i < 4 && status == TOC_OK; i++) status = toc_sim_step(sim, NULL);
    if (sim->bodies.count == 2 && toc_sim_find_energy(sim).mass > 0) {
        assert_int_equal(toc_mesh_get_vertex_count(toc_scene_get_mesh(sim->scene, 0)), sim->bodies.at[0].count);
        assert_double_near(toc_sim_find_energy(sim).mass, 8, 1e-12);
    }
    if (status == TOC_OK) assert_true(sim->bodies.at[0].count > 8);
    toc_sim_destroy(sim);
    return status;
}

static void memory_may_end_in_a_cut(void **state) {
    (void)state;
    assert_true(test_every_allocation(cut_starved, NULL) > 20);
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
        cmocka_unit_test(a_cut_follows_the_blade_and_loses_nothing),
        cmocka_unit_test(hexes_part_along_faces_and_none_is_lost),
        cmocka_unit_test(a_divided_tet_keeps_all_exactly),
        cmocka_unit_test(divided_neighbours_conform),
        cmocka_unit_test(a_blunt_sheet_and_a_tough_block_cut_nothing),
        cmocka_unit_test(carving_removes_the_elements_in_front),
        cmocka_unit_test(a_cut_without_vertex_ids_left_is_told),
        cmocka_unit_test(unused_vertices_leave_room_for_a_cut),
        cmocka_unit_test(memory_may_end_in_a_cut),
        cmocka_unit_test(the_sides_of_a_cut_meet_again),
        cmocka_unit_test(a_cut_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
