// SPDX-License-Identifier: Apache-2.0
// Bodies of many components: each component has a tree of its own, which stays valid while components move past each
// other, and the contacts are right.
#include <string.h>

#include "cull/surface/components.h"
#include "scene/scene.h"
#include "search/search.h"
#include "search/surface_tree.h"
#include "support/answers.h"

enum { PARTS = 27, BALL = 18, MOST = 1000 }; // balls, vertices of one, vertices in all

// Append a mesh to another one at a position, and destroy it.
static void add_part(toc_mesh *mesh, toc_mesh *part, double x, double y, double z) {
    const uint32_t first = (uint32_t)toc_mesh_get_vertex_count(mesh);
    for (size_t v = 0; v < toc_mesh_get_vertex_count(part); v++) {
        const double *at = toc_mesh_get_x0(part) + 3 * v;
        assert_ok(toc_mesh_add_vertices(mesh, 1, (double[]){x + at[0], y + at[1], z + at[2]}, NULL));
    }
    for (uint32_t e = 0; e < toc_mesh_get_element_count(part); e++) {
        const toc_element element = toc_mesh_get_element(part, e);
        uint32_t corners[8];
        for (int i = 0; i < element.corner_count; i++) corners[i] = first + element.corners[i];
        assert_ok(toc_mesh_add_elements(mesh, element.shape, 1, corners, NULL));
    }
    toc_mesh_destroy(part);
}

// Balls of 8 and 32 triangles; and components smaller than a block: pairs of triangles, rings of edges, points.
static toc_mesh *balls_and_crumbs(void) {
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_EDGE, TOC_POINT};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < 5; i++) {
        add_part(mesh, test_sphere(i % 2), 3 * i, 0, 0);
        add_part(mesh, test_grid_sheet(shapes[i % 3], 1, 1), 0, 3 * i, 0.5);
    }
    return mesh;
}

static const toc_surface_tree *tree_of(const toc_scene *scene) {
    return (const toc_surface_tree *)scene->search->indexes[TOC_SLOT_SURFACE_TREE];
}

// Two primitives share a tree if they share a component, or if they share a body and their components fill no block.
static void assert_groups(const toc_surface_tree *tree, const toc_step *step) {
    const toc_primitives *primitives = &tree->primitives;
    uint32_t lowest[MOST], counts[MOST] = {0};
    toc_components_find(primitives, step->vertex_count, 2, lowest);
    for (size_t i = 0; i < primitives->count; i++) counts[lowest[primitives->at[i].vertices[0]]]++;
    for (size_t i = 0; i < primitives->count; i++)
        for (size_t j = 0; j < i; j++) {
            const uint32_t a = lowest[primitives->at[i].vertices[0]], b = lowest[primitives->at[j].vertices[0]];
            const bool crumbs = counts[a] < TOC_BLOCK && counts[b] < TOC_BLOCK;
            const bool together = a == b || (crumbs && toc_step_body(step, a) == toc_step_body(step, b));
            assert_int_equal(tree->components[i] == tree->components[j], together);
        }
}

static void primitives_of_a_component_share_a_tree(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(balls_and_crumbs(), balls_and_crumbs());
    toc_contacts_destroy(test_find_contacts(bodies, "bvh", TOC_ANSWER_ALL, 0, 1));
    const toc_surface_tree *tree = tree_of(bodies);
    assert_int_equal(tree->component_count, 2 + 2 * 5);
    assert_int_equal(tree->bvh.top_level, tree->component_count - 1);
    assert_groups(tree, &bodies->step);
    toc_scene_destroy(bodies);
}

// Balls of one body that fly through each other.
typedef struct swarm {
    toc_scene *bodies;
    double way[PARTS][3];
} swarm;

static swarm make_swarm(test_random *random) {
    swarm s;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < PARTS; i++) {
        add_part(mesh, test_sphere(1), 2.5 * (i % 3), 2.5 * (i / 3 % 3), 2.5 * (i / 9));
        for (int c = 0; c < 3; c++) s.way[i][c] = test_random_between(random, -0.6, 0.6);
    }
    assert_int_equal(toc_mesh_get_vertex_count(mesh), PARTS * BALL);
    s.bodies = test_scene_of(mesh, NULL);
    return s;
}

static void fly_on(const swarm *s) {
    toc_mesh *mesh = toc_scene_edit_mesh(s->bodies, 0);
    double x1[3 * PARTS * BALL];
    for (int i = 0; i < 3 * PARTS * BALL; i++) x1[i] = toc_mesh_get_x1(mesh)[i] + s->way[i / (3 * BALL)][i % 3];
    assert_ok(test_mesh_move(mesh, x1));
}

// Contacts equal those of exact arithmetic on every pair; once there is a tree, only the top level is rebuilt.
static void passing_components_keep_their_trees(void **state) {
    (void)state;
    const char *const presets[] = {"bvh", "local", "auto"};
    test_random random = test_random_make(0);
    uint64_t contacts = 0, top_levels = 0;
    for (int round = 0; round < 3; round++) {
        const swarm s = make_swarm(&random);
        for (int step = 0; step < 16; step++) {
            toc_bvh_node top_level[PARTS - 1];
            if (step > 1) memcpy(top_level, tree_of(s.bodies)->bvh.nodes, sizeof top_level);
            fly_on(&s);
            toc_contacts *got = test_find_contacts(s.bodies, presets[round], TOC_ANSWER_ALL, 0, 1 + step % 2),
                         *truth = test_find_contacts(s.bodies, "brute", TOC_ANSWER_ALL, 0, 2);
            test_assert_same_pairs(got, truth);
            if (step > 1) assert_int_equal(test_stage(got, "build").out, 0);
            if (step > 1) top_levels += memcmp(top_level, tree_of(s.bodies)->bvh.nodes, sizeof top_level) != 0;
            contacts += truth->count;
            toc_contacts_destroy(truth);
            toc_contacts_destroy(got);
        }
        toc_scene_destroy(s.bodies);
    }
    print_message("%llu contacts, %llu top levels\n", (unsigned long long)contacts, (unsigned long long)top_levels);
    assert_true(contacts > 500 && top_levels > 0);
}

// Large and small components, with enough queries to refit the tree and rebuild its top level.
static toc_status ask_swarm(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh = balls_and_crumbs();
    toc_scene *bodies = NULL;
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    for (int step = 0; step < 3 && status == TOC_OK; step++) {
        double x1[3 * MOST];
        for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++)
            x1[i] = i / 3 < 6 ? 3 * step + toc_mesh_get_x1(mesh)[i] : toc_mesh_get_x1(mesh)[i]; // the first ball goes
        assert_ok(test_mesh_move(mesh, x1));
        toc_contacts *contacts = NULL;
        status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    return status;
}

static void components_survive_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(ask_swarm, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_of_a_component_share_a_tree),
        cmocka_unit_test(passing_components_keep_their_trees),
        cmocka_unit_test(components_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
