// SPDX-License-Identifier: Apache-2.0
// Faces have the steps in which the surface has them, and no others, whatever elements come and go.
#include <stdlib.h>
#include <string.h>

#include "io/core/surface.h"
#include "io/gltf/lifetimes.h"
#include "support/grid.h"

static toc_lifetimes begin(void) { return (toc_lifetimes){.allocator = toc_allocator_get_default()}; }

static size_t count_spans(const toc_lifetimes *l, uint32_t birth, uint32_t death) {
    size_t count = 0;
    for (size_t i = 0; i < l->ended.count; i++) count += l->ended.at[i].birth == birth && l->ended.at[i].death == death;
    return count;
}

// Two tets with a common face: when one goes, its three faces go, and the common one appears.
static void a_face_behind_an_element_appears(void **state) {
    (void)state;
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
    static const uint32_t tets[] = {0, 1, 2, 3, 0, 2, 1, 4};
    toc_lifetimes l = begin();
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 5, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 2, tets, NULL));
    assert_ok(toc_lifetimes_follow(&l, mesh, 0));
    assert_ok(toc_mesh_remove_element(mesh, 1));
    assert_ok(toc_lifetimes_follow(&l, mesh, 2));
    assert_ok(toc_lifetimes_finish(&l, 5));
    assert_int_equal(l.ended.count, 7);
    assert_int_equal(count_spans(&l, 0, 5), 3);
    assert_int_equal(count_spans(&l, 0, 2), 3);
    assert_int_equal(count_spans(&l, 2, 5), 1);
    for (size_t i = 1; i < l.ended.count; i++) assert_true(l.ended.at[i - 1].birth <= l.ended.at[i].birth);
    toc_lifetimes_free(&l);
    toc_mesh_destroy(mesh);
}

static int compare_rows(const void *a, const void *b) { return memcmp(a, b, 6 * sizeof(uint32_t)); }

static size_t put_row(uint32_t (*rows)[6], size_t at, int32_t group, uint32_t count, const uint32_t *corners) {
    memset(rows[at], 0, sizeof rows[at]);
    rows[at][0] = count;
    rows[at][1] = (uint32_t)group;
    memcpy(rows[at] + 2, corners, count * sizeof *corners);
    return at + 1;
}

// The rows that a step must have, from its surface.
static size_t list_truth(const toc_mesh *mesh, uint32_t (*rows)[6]) {
    toc_surface s;
    const toc_allocator memory = toc_allocator_get_default();
    size_t count = 0;
    assert_ok(toc_surface_find(mesh, &memory, &s));
    for (size_t i = 0; i < s.faces.count; i++)
        count = put_row(rows, count, s.faces.at[i].group, s.faces.at[i].corner_count, s.faces.at[i].corners);
    for (size_t i = 0; i < s.edges.count / 2; i++) count = put_row(rows, count, 0, 2, s.edges.at + 2 * i);
    for (size_t i = 0; i < s.points.count; i++) count = put_row(rows, count, 0, 1, s.points.at + i);
    toc_surface_free(&s);
    if (count) qsort(rows, count, sizeof *rows, compare_rows);
    return count;
}

static size_t list_alive(const toc_lifetimes *l, uint32_t step, uint32_t (*rows)[6]) {
    size_t count = 0;
    for (size_t i = 0; i < l->ended.count; i++) {
        const toc_lifetime *item = &l->ended.at[i];
        assert_true(item->birth < item->death);
        if (item->birth <= step && step < item->death)
            count = put_row(rows, count, item->group, item->corner_count, item->corners);
    }
    if (count) qsort(rows, count, sizeof *rows, compare_rows);
    return count;
}

enum { STEPS = 12, ROWS = 4096 };

static void any_edits_give_the_surface_of_each_step(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    static uint32_t truth[STEPS][ROWS][6], alive[ROWS][6];
    for (int round = 0; round < 20; round++) {
        size_t counts[STEPS];
        toc_lifetimes l = begin();
        toc_mesh *mesh = round % 2 ? test_soup(&random, TOC_REMOVED, 40, 30) : test_grid_volume(TOC_TET, 3, 3, 2);
        for (uint32_t step = 0; step < STEPS; step++) {
            for (int i = 0; i < 3 * (int)(step % 3); i++) test_random_edit(mesh, &random);
            assert_ok(toc_lifetimes_follow(&l, mesh, step));
            counts[step] = list_truth(mesh, truth[step]);
        }
        assert_ok(toc_lifetimes_finish(&l, STEPS));
        for (uint32_t step = 0; step < STEPS; step++) {
            assert_int_equal(list_alive(&l, step, alive), counts[step]);
            if (counts[step]) assert_memory_equal(alive, truth[step], counts[step] * sizeof *alive);
        }
        toc_lifetimes_free(&l);
        toc_mesh_destroy(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_face_behind_an_element_appears),
        cmocka_unit_test(any_edits_give_the_surface_of_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
