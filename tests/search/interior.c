// SPDX-License-Identifier: Apache-2.0
// The interior search of volumes finds the contacts that exact arithmetic finds on every pair.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/test.h"

enum { ASKS = 4 }; // the first queries use the element tree

static toc_contacts *find(toc_scene *bodies, toc_answer answer, int threads) {
    return test_find_contacts(bodies, "auto", answer, 0, threads);
}

static bool has_stage(const toc_contacts *contacts, const char *name) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return true;
    return false;
}

typedef struct tally {
    size_t contacts, inside; // found contacts; scenes with an interior search
} tally;

// A search that ends early also reports all its stages.
static void assert_stages_are_named(const toc_contacts *contacts) {
    for (size_t i = 0; i < contacts->stage_count; i++) assert_non_null(contacts->stages[i].name);
}

static void check_answers(toc_scene *bodies, const toc_contacts *truth) {
    toc_contacts *first = find(bodies, TOC_ANSWER_FIRST, 1), *any = find(bodies, TOC_ANSWER_ANY, 1);
    assert_int_equal(first->count, truth->count > 0);
    assert_int_equal(any->count, truth->count > 0);
    assert_stages_are_named(any);
    if (truth->count > 0) assert_double_near(first->contacts[0].toc, toc_contacts_find_first(truth)->toc, 1e-9);
    toc_contacts_destroy(first);
    toc_contacts_destroy(any);
}

// Takes the scene.
static void check(toc_scene *bodies, tally *sum) {
    toc_contacts *truth = test_find_truth(bodies, 0);
    for (int i = 0; i < ASKS; i++) {
        toc_contacts *contacts = find(bodies, TOC_ANSWER_ALL, 1 + (i + 1 == ASKS));
        test_assert_same_pairs(contacts, truth);
        if (i + 1 == ASKS) sum->inside += has_stage(contacts, "inside");
        toc_contacts_destroy(contacts);
    }
    check_answers(bodies, truth);
    sum->contacts += truth->count;
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

// The motion of a body in a step: rotated, bent, perturbed a little, translated.
typedef struct course {
    double at[3], way[3], scale, turn, bend, shake;
} course;

static void put(toc_mesh *mesh, test_random *random, const course *c) {
    enum { MOST = 600 };
    double x[2][3 * MOST];
    const size_t count = toc_mesh_get_vertex_count(mesh);
    assert_true(count <= MOST);
    for (size_t v = 0; v < count; v++)
        for (int end = 0; end < 2; end++) {
            const double *p = toc_mesh_get_x0(mesh) + 3 * v, angle = c->turn * (1 + 0.3 * end);
            const double a = c->scale * (p[0] + c->bend * p[2] * p[2]), b = c->scale * p[1];
            double *to = x[end] + 3 * v;
            to[0] = cos(angle) * a - sin(angle) * b;
            to[1] = sin(angle) * a + cos(angle) * b;
            to[2] = c->scale * p[2];
            for (int k = 0; k < 3; k++)
                to[k] += c->at[k] + end * c->way[k] + c->scale * test_random_between(random, -c->shake, c->shake);
        }
    assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
}

static course random_course(test_random *random, double scale, double shake) {
    course c = {.scale = scale,
                .turn = test_random_between(random, -3, 3),
                .bend = test_random_between(random, -0.1, 0.1),
                .shake = shake};
    for (int k = 0; k < 3; k++) {
        c.at[k] = test_random_between(random, -1, 2.5);
        c.way[k] = test_random_between(random, -0.7, 0.7);
    }
    return c;
}

// Two bodies at any position: side by side, through each other, one inside the other. Larger perturbations break more
// stars.
static void interior_of_overlapping_bodies(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 24; i++) {
        toc_mesh *a = test_grid_volume((toc_shape)(TOC_TET + i % 4), 3, 3, 3);
        toc_mesh *b = test_grid_volume((toc_shape)(TOC_TET + i / 4 % 4), 2, 1 + (uint32_t)i % 2, 2);
        const double shake = 0.004 * (i % 20);
        const course ca = random_course(&random, 1, shake), cb = random_course(&random, 0.3 + 0.1 * (i % 5), shake);
        put(a, &random, &ca);
        put(b, &random, &cb);
        check(test_scene_of(a, b), &sum);
    }
    print_message("%zu contacts, inside %zu of 24 times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 100 && sum.inside > 5);
}

// A body inside another one from the start has no surface contact.
static void body_inside_another_from_the_start(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 12; i++) {
        toc_mesh *a = test_grid_volume(TOC_TET, 3, 3, 3);
        toc_mesh *b =
            i % 3 ? test_grid_volume(TOC_TET, 2, 1, 1) : test_grid_sheet(i % 2 ? TOC_TRIANGLE : TOC_QUAD, 2, 2);
        const course rest = {.scale = 1}, c = {.at = {1.1, 1.2, 1.3}, .way = {0.2, 0.1, 0.15}, .scale = 0.3};
        put(a, &random, &rest);
        put(b, &random, &c);
        check(test_scene_of(a, b), &sum);
    }
    print_message("%zu contacts\n", sum.contacts);
    assert_true(sum.contacts > 20);
    assert_int_equal(sum.inside, 12);
}

// One vertex leaves the body or passes through it: the search tries the elements around it with all others.
static void stray_vertex_breaks_its_stars(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 20; i++) {
        toc_mesh *a = test_grid_volume(TOC_TET, 4, 4, 5), *b = test_grid_volume(TOC_TET, 2, 2, 2);
        const course rest = {.scale = 1}, beside = {.at = {4.2, 0.8, 1}, .scale = 1};
        put(a, &random, &rest);
        put(b, &random, &beside);
        double x[2][3 * 150];
        const size_t count = toc_mesh_get_vertex_count(a), inner = 62 + test_random_below(&random, 3); // 2, 2, 2 and on
        const size_t v = i % 2 ? inner : test_random_below(&random, (uint32_t)count);
        memcpy(x[0], toc_mesh_get_x0(a), 24 * count);
        memcpy(x[1], toc_mesh_get_x1(a), 24 * count);
        x[i % 4 > 1][3 * v] += test_random_between(&random, 1, 4);
        x[i % 4 > 1][3 * v + 1] += test_random_between(&random, -2, 2);
        assert_ok(test_mesh_set_motion(a, x[0], x[1]));
        check(test_scene_of(a, b), &sum);
    }
    print_message("%zu contacts, inside %zu of 20 times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 100 && sum.inside > 5);
}

// Elements are removed, so that some are connected by an edge or a vertex only, without a common face.
static void elements_joined_at_a_vertex_only(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 20; i++) {
        toc_mesh *a = test_grid_volume(TOC_TET, 4, 4, 3), *b = test_grid_volume(TOC_TET, 2, 2, 2);
        for (int k = 0; k < 1 + i % 10; k++) {
            const uint32_t e = test_random_below(&random, (uint32_t)toc_mesh_get_element_count(a));
            if (toc_mesh_get_element(a, e).shape != TOC_REMOVED) assert_ok(toc_mesh_remove_element(a, e));
        }
        const course rest = {.scale = 1}, c = random_course(&random, 0.7, 0.01);
        put(a, &random, &rest);
        put(b, &random, &c);
        check(test_scene_of(a, b), &sum);
    }
    print_message("%zu contacts, inside %zu of 20 times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 500 && sum.inside > 5);
}

// Resting elements are not checked again, except in a body that moved while queries asked about its surface only.
static void body_that_moved_between_surface_queries(void **state) {
    (void)state;
    toc_mesh *a = test_grid_volume(TOC_TET, 3, 3, 3);
    double x[3 * 64], y[3 * 64];
    const size_t count = toc_mesh_get_vertex_count(a), inner = 21; // at 1, 1, 1
    memcpy(x, toc_mesh_get_x0(a), sizeof x);
    toc_scene *bodies = test_scene_of(a, NULL);
    assert_ok(test_mesh_set_motion(a, x, x));
    for (int i = 0; i < ASKS; i++) toc_contacts_destroy(find(bodies, TOC_ANSWER_ALL, 1));
    assert_int_equal(count, 64);
    memcpy(y, x, sizeof y);
    y[3 * inner] = 2.5, y[3 * inner + 1] = 1.5, y[3 * inner + 2] = 1.5; // onto a face that splits a cube
    assert_ok(test_mesh_set_motion(a, y, y));
    toc_query surface = toc_query_default();
    surface.surface_only = true;
    surface.threads = 1;
    for (int i = 0; i < 3; i++) {
        toc_contacts *contacts;
        assert_ok(toc_scene_find_contacts(bodies, &surface, NULL, &contacts));
        toc_contacts_destroy(contacts);
    }
    tally sum = {0, 0};
    check(bodies, &sum);
    assert_true(sum.contacts > 0);
    assert_int_equal(sum.inside, 1);
}

// Move a body from its last end towards a point, with a perturbation.
static void move_on(toc_mesh *mesh, test_random *random, const double to[3], double shake) {
    enum { MOST = 600 };
    double x[3 * MOST];
    const size_t count = toc_mesh_get_vertex_count(mesh);
    assert_true(count <= MOST);
    for (size_t i = 0; i < 3 * count; i++)
        x[i] = toc_mesh_get_x1(mesh)[i] + to[i % 3] + test_random_between(random, -shake, shake);
    assert_ok(test_mesh_move(mesh, x));
}

static void check_step(toc_scene *bodies, tally *sum) {
    toc_contacts *truth = test_find_truth(bodies, 0), *contacts = find(bodies, TOC_ANSWER_ALL, 1);
    test_assert_same_pairs(contacts, truth);
    sum->inside += has_stage(contacts, "inside");
    sum->contacts += truth->count;
    toc_contacts_destroy(contacts);
    toc_contacts_destroy(truth);
}

// The state of stars carries over from step to step: stars break and recover in bodies that pass through each other.
// Sometimes self-contacts are filtered out, which must not hide the broken stars.
static void stars_break_and_recover_over_steps(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 12; i++) {
        toc_mesh *a = test_grid_volume((toc_shape)(TOC_TET + i % 4), 2, 2, 2), *b = test_grid_volume(TOC_TET, 1, 2, 1);
        const course rest = {.scale = 1}, beside = {.at = {2.1, 0.4, 0.3}, .scale = 0.8};
        put(a, &random, &rest);
        put(b, &random, &beside);
        toc_scene *bodies = test_scene_of(a, b);
        assert_ok(toc_scene_set_self_contact(bodies, 0, i % 3 != 2));
        for (int step = 0; step < 8; step++) {
            const double shake = 0.02 * (i % 6), still[3] = {0, 0, 0}, way[3] = {-0.3, 0.02, 0.03};
            move_on(a, &random, still, shake);
            move_on(b, &random, way, shake);
            check_step(bodies, &sum);
        }
        toc_scene_destroy(bodies);
    }
    print_message("%zu contacts, inside %zu of 96 times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 200 && sum.inside > 40);
}

// A book of thick pages, hexes that share its back, opened by an angle. Ids are random, because the cut of hexes into
// tets depends on them.
enum { PAGES = 3, BOOK = 16 }; // vertices: the back, the sides of pages, and those between

typedef struct book {
    uint32_t id[BOOK];
} book;

// The first page keeps its angle, the others share the rest.
static double ray_at(double angle, double ray) { return ray < 1 ? ray : 1 + (angle - 1) * (ray - 1) / (PAGES - 1); }

static void open_book(const book *b, double angle, double *x) {
    for (int i = 0; i < BOOK; i++) {
        const int ray = (i - 2) / 2, page = (i - 10) / 2;
        const double a = ray_at(angle, i < 10 ? ray : page + 0.5), r = i < 2 ? 0 : i < 10 ? 1 : 1.3;
        double *to = x + 3 * b->id[i];
        to[0] = r * cos(a), to[1] = r * sin(a), to[2] = i % 2 + (i < 2 ? 0 : 0.05 * (i / 2));
    }
}

static toc_mesh *make_book(test_random *random, double angle, book *b) {
    toc_mesh *mesh;
    double x[3 * BOOK];
    for (uint32_t i = 0; i < BOOK; i++) {
        const uint32_t k = test_random_below(random, i + 1);
        b->id[i] = b->id[k], b->id[k] = i;
    }
    open_book(b, angle, x);
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, BOOK, x, NULL));
    for (uint32_t p = 0; p < PAGES; p++) {
        uint32_t corners[8];
        for (uint32_t up = 0; up < 2; up++) {
            const uint32_t quad[4] = {up, 2 + 2 * p + up, 10 + 2 * p + up, 4 + 2 * p + up};
            for (uint32_t k = 0; k < 4; k++) corners[4 * up + k] = b->id[quad[k]];
        }
        assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 1, corners, NULL));
    }
    return mesh;
}

// Pages with randomly moving outer corners that sometimes cross. They share the back, so every contact is an orphan
// pair, although the stars at the back may be whole.
static void orphan_pairs_of_a_book(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 40; i++) {
        book b;
        double x[3 * BOOK];
        toc_mesh *mesh = make_book(&random, 5.5, &b);
        toc_scene *bodies = test_scene_of(mesh, NULL);
        for (int step = 0; step < 6; step++) {
            open_book(&b, 5.5, x);
            for (int k = 10; k < BOOK && step > 1; k++)
                for (int c = 0; c < 3; c++) x[3 * b.id[k] + (uint32_t)c] += test_random_between(&random, -0.7, 0.7);
            assert_ok(test_mesh_move(mesh, x));
            check_step(bodies, &sum);
        }
        toc_scene_destroy(bodies);
    }
    print_message("%zu contacts, inside %zu times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 50 && sum.inside > 20);
}

// An open book with known stars.
static toc_scene *known_book(book *b) {
    test_random random = {3};
    toc_mesh *mesh = make_book(&random, 6, b);
    toc_scene *bodies = test_scene_of(mesh, NULL);
    for (int i = 0; i < ASKS; i++) toc_contacts_destroy(find(bodies, TOC_ANSWER_ALL, 1));
    return bodies;
}

static void close_book(toc_scene *bodies, const book *b) {
    double x[3 * BOOK];
    open_book(b, 6.4, x);
    assert_ok(test_mesh_move(toc_scene_edit_mesh(bodies, 0), x));
}

static uint64_t broken_stars(toc_scene *bodies) {
    uint64_t broken = UINT64_MAX;
    toc_contacts *contacts = find(bodies, TOC_ANSWER_ALL, 1);
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, "stars") == 0) broken = contacts->stages[i].out;
    toc_contacts_destroy(contacts);
    return broken;
}

// Contacts that a filter removes still break stars.
static void filtered_contacts_still_break_stars(void **state) {
    (void)state;
    uint64_t broken[2];
    for (int wanted = 0; wanted < 2; wanted++) {
        book b;
        toc_scene *bodies = known_book(&b);
        assert_ok(toc_scene_set_self_contact(bodies, 0, wanted));
        close_book(bodies, &b);
        broken[wanted] = broken_stars(bodies);
        toc_scene_destroy(bodies);
    }
    assert_true(broken[1] > 0 && broken[1] < BOOK);
    assert_int_equal(broken[0], broken[1]);
}

static int stop(void *user, double done) {
    (void)user;
    (void)done;
    return 1;
}

// After a stopped query the state of the stars is unknown in the next step.
static void stopped_query_forgets_the_stars(void **state) {
    (void)state;
    book b;
    toc_scene *bodies = known_book(&b);
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 0);
    toc_query query = toc_query_default();
    toc_contacts *contacts = NULL;
    query.threads = 1;
    query.progress.report = stop;
    close_book(bodies, &b);
    assert_int_equal(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_STOPPED);
    assert_ok(test_mesh_move(mesh, toc_mesh_get_x1(mesh)));
    assert_true(broken_stars(bodies) > 0); // the pages overlap, and rest
    toc_scene_destroy(bodies);
}

// Four hexes around vertex 1, 1, 1 of a grid of 27. Ids are random, because the cut of hexes into tets depends on them.
enum { GRID = 27 };

static uint32_t grid_place(uint32_t x, uint32_t y, uint32_t z) { return x + 3 * y + 9 * z; }

static toc_mesh *make_chain(const uint32_t id[GRID], const double *x0, const double *x1) {
    const uint32_t cells[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, GRID, x0, NULL));
    for (int e = 0; e < 4; e++) {
        const uint32_t *at = cells[e];
        uint32_t v[8];
        for (uint32_t k = 0; k < 8; k++)
            v[k] = id[grid_place(at[0] + (k % 4 == 1 || k % 4 == 2), at[1] + k % 4 / 2, at[2] + k / 4)];
        assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 1, v, NULL));
    }
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    return mesh;
}

// The face between the first two hexes has a corner drawn out far. A corner of the last hex, drawn out as well, passes
// through that face near this corner.
static toc_scene *random_chain(test_random *random) {
    uint32_t id[GRID];
    double x0[3 * GRID], x1[3 * GRID];
    for (uint32_t i = 0; i < GRID; i++) {
        const uint32_t k = test_random_below(random, i + 1);
        id[i] = id[k], id[k] = i;
    }
    for (uint32_t i = 0; i < GRID; i++)
        for (uint32_t c = 0; c < 3; c++)
            x0[3 * id[i] + c] = (c == 0 ? i % 3 : c == 1 ? i / 3 % 3 : i / 9) + test_random_between(random, -0.1, 0.1);
    const uint32_t face[3] = {id[grid_place(1, 0, 0)], id[grid_place(1, 0, 1)], id[grid_place(1, 1, 0)]};
    const uint32_t corner = id[grid_place(2, 2, 2)];
    const double a = test_random_between(random, 0, 0.3), b = test_random_between(random, 0, 0.3);
    for (uint32_t c = 0; c < 3; c++) {
        const double half = test_random_between(random, -0.3, 0.3);
        x0[3 * face[0] + c] += test_random_between(random, 0, 1) * (c == 0 ? 8 : -2);
        const double to = (1 - a - b) * x0[3 * face[0] + c] + a * x0[3 * face[1] + c] + b * x0[3 * face[2] + c];
        x0[3 * corner + c] = to - half;
        x1[3 * corner + c] = to + half;
    }
    for (uint32_t i = 0; i < 3 * GRID; i++)
        if (i / 3 != corner) x1[i] = x0[i];
    return test_scene_of(make_chain(id, x0, x1), NULL);
}

// Elements share a vertex, all stars are whole, and yet tets away from that vertex touch, with orphan pairs inside.
static void far_tets_of_elements_that_share_a_vertex(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    tally sum = {0, 0};
    for (int i = 0; i < 120; i++) check(random_chain(&random), &sum);
    print_message("%zu contacts, inside %zu of 120 times\n", sum.contacts, sum.inside);
    assert_true(sum.contacts > 120 && sum.inside > 20);
}

static toc_status ask_often(const toc_allocator *allocator, void *user) {
    (void)user;
    test_random random = {7};
    toc_mesh *a = test_grid_volume(TOC_TET, 1, 1, 2), *b = test_grid_volume(TOC_TET, 1, 1, 1);
    const course rest = {.scale = 1}, c = {.at = {0.3, 0.2, 0.3}, .way = {0.4, 0.5, 0.1}, .scale = 0.6};
    put(a, &random, &rest);
    put(b, &random, &c);
    toc_scene *bodies = NULL;
    toc_query query = toc_query_default();
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    toc_mesh *const meshes[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (status == TOC_OK) status = toc_scene_add_body(bodies, meshes[i], NULL);
        if (status != TOC_OK) toc_mesh_destroy(meshes[i]);
    }
    for (int i = 0; i < ASKS && status == TOC_OK; i++) {
        toc_contacts *contacts = NULL;
        status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
        if (status == TOC_OK && i + 1 == ASKS) assert_true(has_stage(contacts, "inside") && contacts->count > 0);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    return status;
}

static void interior_survives_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(ask_often, NULL) > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interior_of_overlapping_bodies),
        cmocka_unit_test(body_inside_another_from_the_start),
        cmocka_unit_test(stray_vertex_breaks_its_stars),
        cmocka_unit_test(elements_joined_at_a_vertex_only),
        cmocka_unit_test(body_that_moved_between_surface_queries),
        cmocka_unit_test(stars_break_and_recover_over_steps),
        cmocka_unit_test(orphan_pairs_of_a_book),
        cmocka_unit_test(filtered_contacts_still_break_stars),
        cmocka_unit_test(stopped_query_forgets_the_stars),
        cmocka_unit_test(far_tets_of_elements_that_share_a_vertex),
        cmocka_unit_test(interior_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
