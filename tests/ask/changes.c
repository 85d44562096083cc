// SPDX-License-Identifier: Apache-2.0
// Begin and end of touching pairs, against sets kept by hand.
#include <math.h>
#include <string.h>

#include "support/answers.h"

static toc_contacts *contacts_of(toc_scene *bodies, int threads) {
    return test_find_contacts(bodies, "bvh", TOC_ANSWER_ALL, 0, threads);
}

static toc_touching *touching_of(toc_scene *bodies, const toc_contacts *contacts, toc_level level) {
    toc_touching *list;
    assert_ok(toc_scene_find_touching(bodies, contacts, level, &list));
    assert_int_equal(list->level, level);
    return list;
}

static bool has_pair(const toc_contacts *contacts, const toc_touching_pair *pair, toc_level level) {
    for (size_t i = 0; contacts && i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        if (level == TOC_LEVEL_FEATURES) {
            if (c->kind == pair->kind && memcmp(c->body, pair->body, sizeof c->body) == 0 &&
                memcmp(c->v, pair->v, sizeof c->v) == 0)
                return true;
        } else if ((c->body[0] == pair->body[0] && c->body[1] == pair->body[1]) ||
                   (c->body[1] == pair->body[0] && c->body[0] == pair->body[1])) {
            return true;
        }
    }
    return false;
}

// Every change is true, and the counts are those of brute force.
static void assert_changes(const toc_contacts *before, const toc_contacts *after, const toc_pair_changes *changes,
                           toc_level level) {
    size_t counts[3] = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const toc_pair_change *change = &changes->changes[i];
        const bool was = has_pair(before, &change->pair, level), is = has_pair(after, &change->pair, level);
        counts[change->kind]++;
        assert_int_equal(was, change->kind != TOC_CHANGE_BEGAN);
        assert_int_equal(is, change->kind != TOC_CHANGE_ENDED);
    }
    assert_memory_equal(counts, changes->counts, sizeof counts);
    if (level != TOC_LEVEL_FEATURES) return;
    assert_int_equal(counts[TOC_CHANGE_BEGAN] + counts[TOC_CHANGE_PERSISTS], after->count);
    assert_int_equal(counts[TOC_CHANGE_ENDED] + counts[TOC_CHANGE_PERSISTS], before ? before->count : 0);
}

static void steps_of_moving_soups(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t seen[3] = {0};
    const toc_level levels[] = {TOC_LEVEL_BODIES, TOC_LEVEL_FEATURES};
    for (int l = 0; l < 2; l++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 10, 30, 0.1);
        toc_contacts *before = NULL;
        toc_touching *was = NULL;
        for (int step = 0; step < 6; step++) {
            toc_contacts *after = contacts_of(bodies, 1 + step);
            toc_touching *is = touching_of(bodies, after, levels[l]);
            toc_pair_changes *changes;
            assert_ok(toc_touching_compare(was, is, &changes));
            assert_changes(before, after, changes, levels[l]);
            for (int k = 0; k < 3; k++) seen[k] += changes->counts[k];
            toc_pair_changes_destroy(changes);
            toc_contacts_destroy(before);
            toc_touching_destroy(was);
            before = after, was = is;
            for (uint32_t b = 0; b < 2; b++) test_step_body(bodies, b, &random, 0.2);
        }
        toc_contacts_destroy(before);
        toc_touching_destroy(was);
        toc_scene_destroy(bodies);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

// The earliest contact of two bodies stands for them, whichever body comes first.
static void bodies_have_their_earliest_contact(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TET, 10, 30, 0.3);
    toc_contacts *contacts = contacts_of(bodies, 1);
    toc_touching *list = touching_of(bodies, contacts, TOC_LEVEL_BODIES);
    toc_body_pair pairs[4096];
    assert_true(contacts->count <= 4096);
    const size_t count = toc_contacts_find_body_pairs(contacts, pairs);
    assert_int_equal(list->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(list->pairs[i].body, pairs[i].body, sizeof pairs[i].body);
        assert_double_same(list->pairs[i].toc, pairs[i].toc);
    }
    toc_touching_destroy(list);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

// A sheet of two groups above another: each pair of groups begins when its features touch.
static void groups_around_the_features(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_sheet_at(1, 0), test_sheet_at(1, 0.25));
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 1);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_ok(toc_mesh_set_group(mesh, 0, 5));
    assert_ok(toc_mesh_set_group(mesh, 1, -3));
    toc_contacts *contacts = contacts_of(bodies, 1);
    toc_touching *list = touching_of(bodies, contacts, TOC_LEVEL_GROUPS);
    assert_int_equal(list->count, 2);
    assert_true(list->pairs[0].group[0] == 0 && list->pairs[0].group[1] == -3);
    assert_true(list->pairs[1].group[0] == 0 && list->pairs[1].group[1] == 5);
    toc_touching_destroy(list);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_sheet_at(1, 0), test_sheet_at(1, 0.25)), *empty;
    toc_contacts *contacts = contacts_of(bodies, 1);
    toc_touching *list, *other;
    toc_pair_changes *changes;
    assert_ok(toc_scene_create(NULL, &empty));
    assert_fails(toc_scene_find_touching(NULL, contacts, TOC_LEVEL_BODIES, &list), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_touching(bodies, NULL, TOC_LEVEL_BODIES, &list), TOC_BAD_INPUT, "contacts is NULL");
    assert_fails(toc_scene_find_touching(bodies, contacts, (toc_level)9, &list), TOC_BAD_INPUT, "level");
    assert_fails(toc_scene_find_touching(empty, contacts, TOC_LEVEL_BODIES, &list), TOC_BAD_INPUT, "no body");
    assert_ok(toc_scene_find_touching(bodies, contacts, TOC_LEVEL_BODIES, &list));
    assert_ok(toc_scene_find_touching(bodies, contacts, TOC_LEVEL_FEATURES, &other));
    assert_fails(toc_touching_compare(list, other, &changes), TOC_BAD_INPUT, "levels");
    assert_fails(toc_touching_compare(list, NULL, &changes), TOC_BAD_INPUT, "after is NULL");
    assert_fails(toc_touching_compare(list, list, NULL), TOC_BAD_INPUT, "out is NULL");
    const toc_contact odd = {.kind = (toc_kind)2};
    toc_contacts *made;
    assert_fails(toc_contacts_create(NULL, 1, &odd, &made), TOC_BAD_INPUT, "no pair kind number 2");
    toc_touching_destroy(list);
    toc_touching_destroy(other);
    toc_touching_destroy(NULL);
    toc_pair_changes_destroy(NULL);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(empty);
    toc_scene_destroy(bodies);
}

static void assert_refused_contact(toc_scene *bodies, const toc_contact *contact, const char *words) {
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    toc_touching *list;
    toc_touches touches;
    assert_ok(toc_contacts_create(NULL, 1, contact, &contacts));
    assert_fails(toc_scene_find_touching(bodies, contacts, TOC_LEVEL_GROUPS, &list), TOC_BAD_INPUT, words);
    assert_fails(toc_scene_find_touches(bodies, &query, contacts, &touches), TOC_BAD_INPUT, words);
    toc_contacts_destroy(contacts);
}

// Contacts of a file, of another scene or from before an edit: the vertices exist, the edge or the face does not. Ids
// before, between and behind those of the features, which a search without a check reads beyond the arrays for.
static void features_that_the_scene_lacks_are_refused(void **state) {
    (void)state;
    static const struct {
        toc_contact contact;
        const char *words;
    } wrong[] = {{{.kind = TOC_EE, .body = {0, 1}, .v = {0, 1, 3, 3}}, "contact 0: body 1 has no edge 3 3"},
                 {{.kind = TOC_EE, .body = {0, 1}, .v = {1, 2, 3, 0}}, "body 0 has no edge 1 2"},
                 {{.kind = TOC_EE, .body = {0, 9}, .v = {0, 1, 0, 1}}, "contact 0: there is no body 9"},
                 {{.kind = TOC_VF, .body = {0, 1}, .v = {0, 3, 3, 3}}, "body 1 has no face 3 3 3"},
                 {{.kind = TOC_VF, .body = {0, 1}, .v = {0, 0, 0, 0}}, "body 1 has no face 0 0 0"},
                 {{.kind = TOC_VF, .body = {0, 1}, .v = {4, 0, 1, 3}}, "body 0 has no vertex 4"},
                 {{.kind = TOC_VF, .body = {0, 1}, .v = {5, 0, 1, 3}}, "body 0 has no vertex 5"},
                 {{.kind = TOC_EE, .body = {2, 1}, .v = {0, 1, 0, 1}}, "body 2 has no edge 0 1"}};
    toc_scene *bodies = test_scene_of(test_sheet_at(1, 0), test_sheet_at(1, 0.25));
    toc_mesh *empty;
    assert_ok(toc_mesh_create(NULL, &empty));
    assert_ok(toc_mesh_add_vertices(empty, 2, (double[6]){0}, NULL));
    assert_ok(toc_scene_add_body(bodies, empty, NULL));
    assert_ok(toc_mesh_add_vertices(toc_scene_edit_mesh(bodies, 0), 1, (double[3]){0}, NULL)); // no element has it
    assert_ok(toc_mesh_set_thickness(toc_scene_edit_mesh(bodies, 1), 0, 0.1));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused_contact(bodies, &wrong[i].contact, wrong[i].words);
    toc_contacts *contacts = contacts_of(bodies, 1);
    assert_true(contacts->count > 0);
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(bodies, 1), 0));
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(bodies, 1), 1));
    assert_refused_contact(bodies, &contacts->contacts[0], "contact 0: body 1 has no ");
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

static toc_status ask_changes(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    const toc_query query = toc_query_default();
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 0.1, 0, 1, 0, 1, 0, 1, 1};
    toc_contacts *contacts = NULL;
    toc_touching *list = NULL;
    toc_pair_changes *changes = NULL;
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    if (status == TOC_OK) status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    if (status == TOC_OK) status = toc_scene_find_touching(bodies, contacts, TOC_LEVEL_GROUPS, &list);
    if (status == TOC_OK) status = toc_touching_compare(NULL, list, &changes);
    if (status == TOC_OK) assert_int_equal(changes->counts[TOC_CHANGE_BEGAN], 1);
    toc_pair_changes_destroy(changes);
    toc_touching_destroy(list);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_changes, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_moving_soups),
        cmocka_unit_test(bodies_have_their_earliest_contact),
        cmocka_unit_test(groups_around_the_features),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(features_that_the_scene_lacks_are_refused),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
