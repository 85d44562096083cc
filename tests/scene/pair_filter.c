// SPDX-License-Identifier: Apache-2.0
// Pair filters with every preset: the result equals the contacts found without a filter, filtered afterwards.
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

typedef bool rule(toc_scene *bodies, const toc_contact *contact);

static toc_contacts *find(toc_scene *bodies, const toc_query *query) {
    toc_contacts *contacts;
    assert_ok(toc_scene_find_contacts(bodies, query, NULL, &contacts));
    return contacts;
}

static const toc_stage *stage_named(const toc_contacts *contacts, const char *name) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return &contacts->stages[i];
    return NULL;
}

static void assert_filtered(toc_scene *bodies, const toc_contacts *got, const toc_contacts *all, rule *keep) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!keep(bodies, &all->contacts[i])) continue;
        assert_true(kept < got->count);
        assert_memory_equal(&got->contacts[kept++], &all->contacts[i], sizeof *all->contacts);
    }
    assert_int_equal(got->count, kept);
    const toc_stage *stage = stage_named(got, "filter");
    assert_non_null(stage);
    assert_true(stage->out < stage->in);
}

enum { BODIES = 3 };

static toc_scene *scene_of_soups(test_random *random) {
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    for (int i = 0; i < BODIES; i++) {
        toc_mesh *mesh = test_soup(random, TOC_REMOVED, 16, 30);
        test_shake(mesh, random, 0.1, 0.2);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
            assert_ok(toc_mesh_set_group(mesh, e, (int32_t)test_random_below(random, 3) - 1));
        assert_ok(toc_scene_add_body(bodies, mesh, NULL));
    }
    return bodies;
}

static void set_bodies(toc_scene *bodies) {
    assert_ok(toc_scene_set_body_layers(bodies, 0, 1, 2 | 4));
    assert_ok(toc_scene_set_body_layers(bodies, 1, 2, 1));
    assert_ok(toc_scene_set_body_layers(bodies, 2, 4, 2)); // wants 1, which does not want it
    assert_ok(toc_scene_set_self_contact(bodies, 1, false));
}

static bool keep_bodies(toc_scene *bodies, const toc_contact *c) {
    (void)bodies;
    const uint32_t a = c->body[0], b = c->body[1];
    return a == b ? a != 1 : a + b == 1;
}

static void set_groups(toc_scene *bodies) {
    assert_ok(toc_scene_set_group_contact(bodies, 1, -1, false));
    assert_ok(toc_scene_set_group_contact(bodies, 1, -1, false));
    assert_ok(toc_scene_set_group_contact(bodies, 0, 0, false));
    assert_ok(toc_scene_set_group_contact(bodies, 0, 1, false));
    assert_ok(toc_scene_set_group_contact(bodies, 5, 1, false));
    assert_ok(toc_scene_set_group_contact(bodies, 0, 1, true));
}

static bool has_all(toc_element element, int count, const uint32_t *v) {
    int found = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0, here = 0; j < element.corner_count && !here; j++)
            if (element.corners[j] == v[i]) here = 1, found++;
    return found == count;
}

// The features of the bodies during one test.
static toc_features *features[BODIES];

// Independent of the scene's lists: two corners of an element need not be joined by an edge, so look at its features.
static bool is_around(toc_scene *bodies, uint32_t body, uint32_t element, int count, const uint32_t *v) {
    const toc_features *f = features[body];
    if (!has_all(toc_mesh_get_element(toc_scene_edit_mesh(bodies, body), element), count, v)) return false;
    if (count == 1) return true;
    const toc_lists *lists = count == 2 ? &f->edge_elements : &f->face_elements;
    const size_t all = count == 2 ? f->edge_count : f->face_count;
    bool around = false;
    for (size_t i = 0; i < all; i++) {
        if (memcmp(count == 2 ? f->edges[i] : f->faces[i], v, (size_t)count * sizeof *v) != 0) continue;
        for (uint32_t j = lists->first[i]; j < lists->first[i + 1]; j++) around = around || lists->items[j] == element;
    }
    return around;
}

static bool ignored(int32_t a, int32_t b) { return (a == 0 && b == 0) || a * b == -1; }

static bool keep_groups(toc_scene *bodies, const toc_contact *c) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    const toc_mesh *mesh[2] = {toc_scene_edit_mesh(bodies, c->body[0]), toc_scene_edit_mesh(bodies, c->body[1])};
    bool groups[2][3] = {{false}};
    for (int side = 0; side < 2; side++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh[side]); e++)
            if (is_around(bodies, c->body[side], e, side ? 4 - second : second, c->v + side * second))
                groups[side][toc_mesh_get_element(mesh[side], e).group + 1] = true;
    for (int32_t a = 0; a < 3; a++)
        for (int32_t b = 0; b < 3; b++)
            if (groups[0][a] && groups[1][b] && !ignored(a - 1, b - 1)) return true;
    return false;
}

static bool wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)user;
    return (body[0] + 3 * body[1] + v[0] + 5 * v[1] + 7 * v[2] + 11 * v[3] + kind) % 3 != 0;
}

static bool keep_wanted(toc_scene *bodies, const toc_contact *c) {
    (void)bodies;
    return wants(NULL, c->kind, c->body, c->v);
}

static bool keep_all_three(toc_scene *bodies, const toc_contact *c) {
    return keep_bodies(bodies, c) && keep_groups(bodies, c) && keep_wanted(bodies, c);
}

// For every preset and number of threads: set the filter, and compare with the filtered complete answer.
static void check(bool with_bodies, bool with_groups, bool with_caller, rule *keep) {
    test_random random = test_random_make(0);
    toc_scene *bodies = scene_of_soups(&random);
    for (uint32_t b = 0; b < BODIES; b++)
        assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(bodies, b), &features[b]));
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++) {
        toc_query query = toc_query_default();
        query.preset = preset;
        query.threads = 2;
        for (uint32_t b = 0; b < BODIES; b++) {
            assert_ok(toc_scene_set_body_layers(bodies, b, 1, UINT64_MAX));
            assert_ok(toc_scene_set_self_contact(bodies, b, true));
        }
        assert_ok(toc_scene_set_group_contact(bodies, -1, 1, true));
        assert_ok(toc_scene_set_group_contact(bodies, 0, 0, true));
        assert_ok(toc_scene_set_group_contact(bodies, 1, 5, true));
        toc_contacts *all = find(bodies, &query);
        assert_true(all->count > 200);
        assert_null(stage_named(all, "filter"));
        if (with_bodies) set_bodies(bodies);
        if (with_groups) set_groups(bodies);
        if (with_caller) query.filter.wants = wants;
        toc_contacts *got = find(bodies, &query);
        assert_filtered(bodies, got, all, keep);
        assert_true(got->count > 0);
        query.answer = TOC_ANSWER_FIRST;
        toc_contacts *first = find(bodies, &query);
        assert_memory_equal(first->contacts, toc_contacts_find_first(got), sizeof *first->contacts);
        toc_contacts_destroy(first);
        toc_contacts_destroy(got);
        toc_contacts_destroy(all);
    }
    for (uint32_t b = 0; b < BODIES; b++) toc_features_destroy(features[b]);
    toc_scene_destroy(bodies);
}

static void filter_bodies_by_mask(void **state) {
    (void)state;
    check(true, false, false, keep_bodies);
}

static void filter_elements_by_group(void **state) {
    (void)state;
    check(false, true, false, keep_groups);
}

static void filter_pairs_by_callback(void **state) {
    (void)state;
    check(false, false, true, keep_wanted);
}

static void all_filters_at_once(void **state) {
    (void)state;
    check(true, true, true, keep_all_three);
}

// Two sheets of one body that meet: a feature between two groups counts for both.
static void feature_between_groups_counts_for_both(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_scene *bodies;
    const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.5, 1};
    double x1[15];
    memcpy(x1, x0, sizeof x1);
    x1[14] = -1;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 5, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 1, 3, 2}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, (const uint32_t[]){4}, NULL));
    assert_ok(toc_mesh_set_group(mesh, 1, 1));
    assert_ok(toc_mesh_set_group(mesh, 2, 2));
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_add_body(bodies, mesh, NULL));
    const toc_query query = toc_query_default();
    for (int32_t groups = 0; groups < 4; groups++) { // the point hits the edge between the two faces, so both of them
        for (int32_t g = 0; g < 2; g++) assert_ok(toc_scene_set_group_contact(bodies, 2, g, !(groups >> g & 1)));
        toc_contacts *found = find(bodies, &query);
        assert_int_equal(found->count, (groups & 1 ? 0 : 1) + (groups & 2 ? 0 : 1));
        toc_contacts_destroy(found);
    }
    toc_scene_destroy(bodies);
}

static void missing_bodies_are_refused(void **state) {
    (void)state;
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_fails(toc_scene_set_body_layers(bodies, 0, 1, 1), TOC_BAD_INPUT, "no body 0");
    assert_fails(toc_scene_set_self_contact(bodies, 7, false), TOC_BAD_INPUT, "no body 7");
    toc_scene_destroy(bodies);
}

static toc_status ignore_groups(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies = NULL;
    toc_status status = toc_scene_create(allocator, &bodies);
    for (int32_t i = 0; i < 100 && status == TOC_OK; i++)
        status = toc_scene_set_group_contact(bodies, i, 100 - i, false);
    toc_scene_destroy(bodies);
    return status;
}

static void filters_survive_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(ignore_groups, NULL) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_bodies_by_mask),
        cmocka_unit_test(filter_elements_by_group),
        cmocka_unit_test(filter_pairs_by_callback),
        cmocka_unit_test(all_filters_at_once),
        cmocka_unit_test(feature_between_groups_counts_for_both),
        cmocka_unit_test(missing_bodies_are_refused),
        cmocka_unit_test(filters_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
