// SPDX-License-Identifier: Apache-2.0
#include "support/twins.h"

#include <stdlib.h>
#include <string.h>

void test_twins_make(test_twins *t) {
    toc_scene **const scenes[] = {&t->copied, &t->shared};
    for (int s = 0; s < 2; s++) {
        assert_ok(toc_scene_create(NULL, scenes[s]));
        for (int b = 0; b < TEST_TWIN_BODIES; b++)
            assert_ok(toc_scene_add_body(*scenes[s], test_sheet_at(TEST_TWIN_CELLS, 0.1 * b), NULL));
    }
    t->count = toc_mesh_get_vertex_count(toc_scene_get_mesh(t->copied, 0));
    for (int i = 0; i < TEST_TWIN_BODIES * 2; i++) {
        t->x[i / 2][i % 2] = calloc(3 * t->count, sizeof(double));
        t->memory[i / 2][i % 2] = NULL;
    }
}

void test_twins_free(test_twins *t, void (*release)(void *at)) {
    toc_scene_destroy(t->copied);
    toc_scene_destroy(t->shared);
    for (int i = 0; i < TEST_TWIN_BODIES * 2; i++) {
        free(t->x[i / 2][i % 2]);
        release(t->memory[i / 2][i % 2]);
    }
}

void test_twins_place(test_twins *t, test_random *random) {
    for (int b = 0; b < TEST_TWIN_BODIES; b++) {
        const double *x = toc_mesh_get_x0(toc_scene_get_mesh(t->copied, (uint32_t)b));
        for (int end = 0; end < 2; end++)
            for (size_t i = 0; i < 3 * t->count; i++)
                t->x[b][end][i] = (float)(x[i] + test_random_between(random, -0.05, 0.05));
    }
}

void test_twins_copy(const test_twins *t, int body) {
    toc_mesh *mesh = toc_scene_edit_mesh(t->copied, (uint32_t)body);
    assert_ok(test_mesh_set_motion(mesh, t->x[body][0], t->x[body][1]));
}

size_t test_twins_stride(toc_scalar scalar, size_t stride) {
    return stride ? stride : 3 * (scalar == TOC_FLOAT ? sizeof(float) : sizeof(double));
}

void test_twins_write(const test_twins *t, int body, int end, toc_scalar scalar, size_t stride, char *to) {
    const size_t bytes = test_twins_stride(scalar, stride);
    for (size_t v = 0; v < t->count; v++)
        for (size_t c = 0; c < 3; c++) {
            const double x = t->x[body][end][3 * v + c];
            const float single = (float)x;
            if (scalar == TOC_FLOAT)
                memcpy(to + v * bytes + c * sizeof single, &single, sizeof single);
            else
                memcpy(to + v * bytes + c * sizeof x, &x, sizeof x);
        }
}

typedef struct answers {
    toc_contacts *contacts, *first;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    toc_room_step room;
} answers;

static void ask_all(toc_scene *bodies, toc_query query, answers *a) {
    memset(a, 0, sizeof *a);
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &a->contacts));
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.01, &a->near));
    assert_ok(toc_scene_find_overlaps(bodies, &query, TOC_AT_END, NULL, &a->overlaps));
    assert_ok(toc_scene_find_safe_step(bodies, &query, &a->fraction));
    assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &a->room));
    query.answer = TOC_ANSWER_FIRST;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &a->first));
}

static void free_answers(answers *a) {
    toc_contacts_destroy(a->contacts), toc_contacts_destroy(a->first);
    toc_near_destroy(a->near);
    toc_overlaps_destroy(a->overlaps);
}

void test_assert_same_contacts(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < wanted->count; i++)
        assert_memory_equal(&got->contacts[i], &wanted->contacts[i], sizeof *wanted->contacts);
}

void test_twins_assert_same(const test_twins *t, toc_device_choice device, int threads) {
    answers got, wanted;
    toc_query query = toc_query_default();
    query.threads = threads;
    ask_all(t->copied, query, &wanted);
    query.device = device;
    ask_all(t->shared, query, &got);
    assert_true(wanted.contacts->count > 0 && wanted.near->count > 0);
    test_assert_same_contacts(got.contacts, wanted.contacts);
    test_assert_same_contacts(got.first, wanted.first);
    assert_int_equal(got.near->count, wanted.near->count);
    assert_int_equal(got.overlaps->count, wanted.overlaps->count);
    for (size_t i = 0; i < wanted.near->count; i++)
        assert_memory_equal(&got.near->pairs[i], &wanted.near->pairs[i], sizeof *wanted.near->pairs);
    for (size_t i = 0; i < wanted.overlaps->count; i++)
        assert_memory_equal(&got.overlaps->pairs[i], &wanted.overlaps->pairs[i], sizeof *wanted.overlaps->pairs);
    assert_double_same(got.fraction, wanted.fraction);
    assert_double_same(got.room.fraction, wanted.room.fraction);
    free_answers(&got), free_answers(&wanted);
}
