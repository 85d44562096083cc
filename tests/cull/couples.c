// SPDX-License-Identifier: Apache-2.0
// The error bound of gaps between two triangles. The source is included, with two lanes.
#include "cull/surface/triangle_axes.kernel.c"
#include "support/test.h"

// It holds the errors of packing, 2 u, and those of differences, mixtures and products, 16 u of the largest coordinate
// relative to the first corner, whichever corner and end has it.
static void the_bound_grows_with_the_reach(void **state) {
    (void)state;
    const uint32_t corners[2][3] = {{0, 1, 2}, {3, 4, 5}};
    for (float reach = 0x1p-30f; reach <= 2; reach *= 2)
        for (int far = 2; far < 12; far++) {
            toc_packed packed[6] = {0};
            const toc_window window = {0, 1};
            const toc_triangle_axes how = {.corners = corners, .packed = packed, .window = &window};
            toc_leaf_pair pairs[TOC_WIDTH];
            for (int i = 0; i < TOC_WIDTH; i++) pairs[i] = (toc_leaf_pair){0, 1};
            for (int k = 0; k < 3; k++) {
                float *start = packed[0].x0, *end = packed[0].x1;
                start[k] = end[k] = -reach / 2;
                for (int i = 1; i < 6; i++) packed[i].x0[k] = packed[i].x1[k] = -reach / 2;
                (far % 2 ? packed[far / 2].x1 : packed[far / 2].x0)[k] = reach / 2;
            }
            const couple c = load_couple(&how, toc_window_look(&window), pairs);
            const float least = 0x2p-24f + 0x10p-24f * reach;
            assert_true(c.blur.x[0] >= least && c.blur.y[0] >= least && c.blur.z[0] >= least);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bound_grows_with_the_reach)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
