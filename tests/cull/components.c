// SPDX-License-Identifier: Apache-2.0
// Connected parts, beside a slow way to find them.
#include "cull/surface/components.h"

#include "support/test.h"

enum { MOST = 60 };

// A triangle, one that shares a vertex with it, an edge that hangs on; an edge and a point that are loose; a vertex of
// nothing.
static void parts_of_all_kinds(void **state) {
    (void)state;
    toc_primitive at[] = {{.vertices = {5, 1, 2}},
                          {.vertices = {4, 2, 3}},
                          {.vertices = {4, 7, UINT32_MAX}},
                          {.vertices = {8, 6, UINT32_MAX}},
                          {.vertices = {9, UINT32_MAX, UINT32_MAX}}};
    const uint32_t wanted[] = {UINT32_MAX, 1, 1, 1, 1, 1, 6, 1, 6, 9};
    uint32_t lowest[10];
    toc_components_find(&(toc_primitives){5, at}, 10, 1, lowest);
    assert_memory_equal(lowest, wanted, sizeof wanted);
    toc_components_find(&(toc_primitives){0, NULL}, 1, 1, lowest);
    assert_int_equal(lowest[0], UINT32_MAX);
    toc_components_find(&(toc_primitives){0, NULL}, 0, 1, NULL);
}

// Every primitive gives all its vertices the lowest number among them, until nothing changes.
static void spread(const toc_primitives *primitives, uint32_t *lowest) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < primitives->count; i++)
            for (int k = 0; k < 9; k++) {
                const uint32_t a = primitives->at[i].vertices[k / 3], b = primitives->at[i].vertices[k % 3];
                if (a == UINT32_MAX || b == UINT32_MAX) continue;
                const uint32_t of_a = lowest[a] < a ? lowest[a] : a;
                changed |= of_a < lowest[b];
                lowest[b] = of_a < lowest[b] ? of_a : lowest[b];
            }
    }
}

static void random_parts(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 500; round++) {
        const uint32_t vertices = 1 + test_random_below(&random, MOST - 1);
        toc_primitive at[MOST];
        const toc_primitives primitives = {test_random_below(&random, 1 + vertices / (1 + (uint32_t)round % 3)), at};
        uint32_t lowest[MOST], wanted[MOST];
        for (size_t i = 0; i < primitives.count; i++) {
            const uint32_t corners = 1 + test_random_below(&random, 3);
            for (uint32_t k = 0; k < 3; k++)
                at[i].vertices[k] = k < corners ? test_random_below(&random, vertices) : UINT32_MAX;
        }
        for (size_t v = 0; v < vertices; v++) wanted[v] = UINT32_MAX;
        spread(&primitives, wanted);
        toc_components_find(&primitives, vertices, 1, lowest);
        assert_memory_equal(lowest, wanted, vertices * sizeof *wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_all_kinds),
        cmocka_unit_test(random_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
