// SPDX-License-Identifier: Apache-2.0
// Overlaps before any motion, against every pair tested one by one.
#include <stdlib.h>
#include <string.h>

#include "support/answers.h"
#include "support/fold.h"
#include "support/grid.h"
#include "support/test.h"
#include "toccata/convex.h"

static toc_query query_of(bool surface_only, int threads) {
    toc_query query = toc_query_default();
    query.surface_only = surface_only;
    query.threads = threads;
    return query;
}

static const double *positions(toc_scene *bodies, uint32_t body, toc_end end) {
    const toc_mesh *mesh = toc_scene_edit_mesh(bodies, body);
    return end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
}

typedef struct part {
    uint32_t body, element;
    int count;
    uint32_t v[8];
} part;

static bool have_common_vertex(const part *a, const part *b) {
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count && a->body == b->body; j++)
            if (a->v[i] == b->v[j]) return true;
    return false;
}

// Of the pairs with a common vertex, tets that are folded onto each other count.
static bool overlap(toc_scene *bodies, const part *a, const part *b, toc_end end, toc_overlap *out) {
    double x[2][8][3];
    const part *both[2] = {a, b};
    const double *at[2][8];
    const bool common = have_common_vertex(a, b);
    if (common && (a->count != 4 || b->count != 4)) return false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->count; i++) {
            memcpy(x[k][i], positions(bodies, both[k]->body, end) + 3 * (size_t)both[k]->v[i], sizeof x[k][i]);
            at[k][i] = x[k][i];
        }
    if (common && !test_tets_are_folded(at[0], at[1])) return false;
    assert_ok(toc_overlap_find(a->count, x[0][0], b->count, x[1][0], out));
    return out->verdict == TOC_HIT;
}

static size_t list_faces(toc_scene *bodies, bool surface_only, part *parts) {
    size_t count = 0;
    for (uint32_t body = 0; body < toc_scene_get_body_count(bodies); body++) {
        toc_features *f;
        assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(bodies, body), &f));
        for (size_t i = 0; i < f->face_count; i++) {
            if (surface_only && !(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
            const uint32_t element = f->face_elements.items[f->face_elements.first[i]];
            parts[count++] = (part){body, element, 3, {f->faces[i][0], f->faces[i][1], f->faces[i][2]}};
        }
        toc_features_destroy(f);
    }
    return count;
}

static size_t list_volumes(toc_scene *bodies, part *parts) {
    size_t count = 0;
    for (uint32_t body = 0; body < toc_scene_get_body_count(bodies); body++) {
        const toc_mesh *mesh = toc_scene_edit_mesh(bodies, body);
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if (element.shape < TOC_TET) continue;
            parts[count] = (part){body, e, element.corner_count, {0}};
            memcpy(parts[count++].v, element.corners, (size_t)element.corner_count * sizeof(uint32_t));
        }
    }
    return count;
}

static void assert_same_pair(const toc_overlap_pair *got, const part *a, const part *b, const toc_overlap *truth) {
    assert_int_equal(got->body[0], a->body);
    assert_int_equal(got->body[1], b->body);
    assert_int_equal(got->element[0], a->element);
    assert_int_equal(got->element[1], b->element);
    if (got->v[0][0] != UINT32_MAX) {
        assert_memory_equal(got->v[0], a->v, sizeof got->v[0]);
        assert_memory_equal(got->v[1], b->v, sizeof got->v[1]);
    }
    assert_double_same(got->depth, truth->depth);
    assert_memory_equal(got->normal, truth->normal, sizeof got->normal);
    assert_memory_equal(got->point, truth->point, sizeof got->point);
}

// Parts are listed in the order of the answer: bodies, then ids; so the pairs come sorted by bodies first.
static size_t assert_true_list(toc_scene *bodies, const part *parts, size_t count, toc_end end,
                               const toc_overlaps *got) {
    size_t at = 0;
    const uint32_t body_count = (uint32_t)toc_scene_get_body_count(bodies);
    for (uint32_t a = 0; a < body_count; a++)
        for (uint32_t b = a; b < body_count; b++)
            for (size_t i = 0; i < count; i++)
                for (size_t j = i + 1; j < count && parts[i].body == a; j++) {
                    toc_overlap truth;
                    if (parts[j].body != b || !overlap(bodies, &parts[i], &parts[j], end, &truth)) continue;
                    assert_true(at < got->count);
                    assert_same_pair(&got->pairs[at++], &parts[i], &parts[j], &truth);
                }
    assert_int_equal(at, got->count);
    return at;
}

typedef toc_status finder(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps *reuse,
                          toc_overlaps **out);

static size_t check(toc_scene *bodies, finder *find, bool surface_only, toc_end end) {
    static part parts[4000];
    const size_t count =
        find == toc_scene_find_overlaps ? list_faces(bodies, surface_only, parts) : list_volumes(bodies, parts);
    const toc_query one = query_of(surface_only, 1), many = query_of(surface_only, 3);
    toc_overlaps *got, *same;
    assert_ok(find(bodies, &one, end, NULL, &got));
    assert_ok(find(bodies, &many, end, NULL, &same));
    const size_t found = assert_true_list(bodies, parts, count, end, got);
    assert_int_equal(same->count, got->count);
    if (got->count) assert_memory_equal(same->pairs, got->pairs, got->count * sizeof *got->pairs);
    toc_overlaps_destroy(got);
    toc_overlaps_destroy(same);
    return found;
}

static size_t check_all(toc_scene *bodies) {
    return check(bodies, toc_scene_find_overlaps, false, TOC_AT_START) +
           check(bodies, toc_scene_find_overlaps, true, TOC_AT_START) +
           check(bodies, toc_scene_find_overlaps, false, TOC_AT_END) +
           check(bodies, toc_scene_find_element_overlaps, false, TOC_AT_START) +
           check(bodies, toc_scene_find_element_overlaps, true, TOC_AT_END);
}

static void soups_of_every_shape(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t found = 0;
    for (int shape = 0; shape < TOC_SHAPE_COUNT; shape++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)shape, 12, 30, 0.2);
        found += check_all(bodies);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 1000);
}

// Faces that share planes, edges and corners without sharing a vertex id: touching is overlapping.
static void grids_on_top_of_each_other(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    for (int i = 0; i < 4; i++) {
        toc_scene *bodies = test_scene_of(test_grid_volume(shapes[i], 1, 1, 2), test_grid_volume(TOC_HEX, 2, 1, 1));
        assert_true(check_all(bodies) > 10);
        toc_scene_destroy(bodies);
    }
}

// A contact on the way is no overlap at the start, and the other way round.
static void overlaps_are_not_contacts(void **state) {
    (void)state;
    toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 2, 2), *high = test_grid_sheet(TOC_TRIANGLE, 2, 2);
    double x0[27], x1[27];
    for (int i = 0; i < 27; i++) x0[i] = toc_mesh_get_x0(high)[i] + (i % 3 == 2 ? 1 : 0.25);
    for (int i = 0; i < 27; i++) x1[i] = x0[i] - (i % 3 == 2 ? 2 : 0);
    assert_ok(test_mesh_set_motion(high, x0, x1));
    toc_scene *bodies = test_scene_of(low, high);
    const toc_query query = toc_query_default();
    toc_overlaps *overlaps;
    toc_contacts *contacts;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    for (int end = TOC_AT_START; end <= TOC_AT_END; end++) {
        assert_ok(toc_scene_find_overlaps(bodies, &query, (toc_end)end, NULL, &overlaps));
        assert_int_equal(overlaps->count, 0);
        toc_overlaps_destroy(overlaps);
    }
    toc_scene_destroy(bodies);
}

// No face of the small one comes near a face of the large one: only the elements overlap.
static void one_tet_inside_of_another(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    toc_mesh *meshes[2];
    for (int i = 0; i < 2; i++) {
        double placed[12];
        for (int j = 0; j < 12; j++) placed[j] = i ? 0.2 + 0.01 * x[j] : x[j];
        assert_ok(toc_mesh_create(NULL, &meshes[i]));
        assert_ok(toc_mesh_add_vertices(meshes[i], 4, placed, NULL));
        assert_ok(toc_mesh_add_elements(meshes[i], TOC_TET, 1, (const uint32_t[]){0, 1, 2, 3}, NULL));
    }
    toc_scene *bodies = test_scene_of(meshes[0], meshes[1]);
    assert_int_equal(check(bodies, toc_scene_find_overlaps, false, TOC_AT_START), 0);
    assert_int_equal(check(bodies, toc_scene_find_element_overlaps, false, TOC_AT_START), 1);
    toc_scene_destroy(bodies);
}

// A tet turned over onto its neighbour, once with a common face, once with a common corner alone.
static void tets_folded_onto_their_neighbours(void **state) {
    (void)state;
    const double x[] = {0,  0,    0,    1,   0,   0,   0,   1,   0,   0,   0,   1,   0.25, 0.25,
                        -1, 0.25, 0.25, 0.5, 0.5, 0.3, 0.3, 0.3, 0.4, 0.3, 0.2, 0.2, 0.6};
    const uint32_t corners[][4] = {{0, 1, 2, 4}, {0, 1, 2, 5}, {0, 6, 7, 8}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        toc_mesh *mesh;
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, 9, x, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){1, 2, 3, 0}, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, corners[i], NULL));
        toc_scene *bodies = test_scene_of(mesh, NULL);
        assert_int_equal(check(bodies, toc_scene_find_element_overlaps, false, TOC_AT_START), i > 0);
        toc_scene_destroy(bodies);
    }
}

static void filters_are_heard(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of(test_soup(&random, TOC_TET, 12, 30), test_soup(&random, TOC_TET, 12, 30));
    const toc_query query = toc_query_default();
    finder *const finders[] = {toc_scene_find_overlaps, toc_scene_find_element_overlaps};
    for (uint32_t e = 0; e < 12; e += 2) assert_ok(toc_mesh_set_group(toc_scene_edit_mesh(bodies, 0), e, 1));
    for (int i = 0; i < 2; i++) {
        toc_overlaps *all, *some;
        assert_ok(finders[i](bodies, &query, TOC_AT_START, NULL, &all));
        assert_ok(toc_scene_set_self_contact(bodies, 1, false));
        assert_ok(toc_scene_set_group_contact(bodies, 0, 1, false));
        assert_ok(finders[i](bodies, &query, TOC_AT_START, NULL, &some));
        size_t kept = 0;
        for (size_t j = 0; j < all->count; j++) {
            const toc_overlap_pair *p = &all->pairs[j];
            const bool group[2] = {p->body[0] == 0 && p->element[0] % 2 == 0,
                                   p->body[1] == 0 && p->element[1] % 2 == 0};
            if (p->body[0] == 1 || group[0] != group[1]) continue; // no two of these tets share a face
            assert_true(kept < some->count);
            assert_memory_equal(&some->pairs[kept++], p, sizeof *p);
        }
        assert_int_equal(kept, some->count);
        assert_true(0 < kept && kept < all->count);
        toc_overlaps_destroy(all);
        toc_overlaps_destroy(some);
        assert_ok(toc_scene_set_self_contact(bodies, 1, true));
        assert_ok(toc_scene_set_group_contact(bodies, 0, 1, true));
    }
    toc_scene_destroy(bodies);
}

static void nothing_to_find_and_wrong_settings(void **state) {
    (void)state;
    toc_scene *bodies;
    toc_overlaps *overlaps = NULL;
    toc_query query = toc_query_default();
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_find_overlaps(bodies, &query, TOC_AT_START, NULL, &overlaps));
    assert_int_equal(overlaps->count, 0);
    toc_overlaps_destroy(overlaps);
    assert_ok(toc_scene_find_element_overlaps(bodies, &query, TOC_AT_END, NULL, &overlaps));
    assert_int_equal(overlaps->count, 0);
    toc_overlaps_destroy(overlaps);
    toc_overlaps_destroy(NULL);
    assert_fails(toc_scene_find_overlaps(bodies, &query, (toc_end)2, NULL, &overlaps), TOC_BAD_INPUT,
                 "no end number 2");
    query.size = 3;
    assert_fails(toc_scene_find_overlaps(bodies, &query, TOC_AT_END, NULL, &overlaps), TOC_BAD_INPUT, "toc_query_init");
    toc_scene_destroy(bodies);
}

static toc_status search(const toc_allocator *allocator, void *user) {
    test_random random = {5};
    toc_mesh *soup = test_soup(&random, TOC_TET, 12, 30);
    toc_scene *bodies = NULL;
    toc_overlaps *overlaps = NULL;
    const toc_query query = query_of(false, 1);
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, soup, NULL);
    if (status != TOC_OK) toc_mesh_destroy(soup);
    if (status == TOC_OK) status = (*(finder **)user)(bodies, &query, TOC_AT_START, NULL, &overlaps);
    toc_overlaps_destroy(overlaps);
    toc_scene_destroy(bodies);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    finder *faces = toc_scene_find_overlaps, *elements = toc_scene_find_element_overlaps;
    assert_true(test_every_allocation(search, &faces) > 10);
    assert_true(test_every_allocation(search, &elements) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_of_every_shape),
        cmocka_unit_test(grids_on_top_of_each_other),
        cmocka_unit_test(overlaps_are_not_contacts),
        cmocka_unit_test(one_tet_inside_of_another),
        cmocka_unit_test(tets_folded_onto_their_neighbours),
        cmocka_unit_test(filters_are_heard),
        cmocka_unit_test(nothing_to_find_and_wrong_settings),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
