// SPDX-License-Identifier: Apache-2.0
// Axes of the prefilter that are so short that products with them have no digits left. The source is included, because
// no scene is known that gives it such an axis.
#include "pair/prefilter.kernel.c"
#include "support/test.h"

// The vertex is the middle of the face. Seen along an axis of a few least floats all gaps are 0, and each is rounded to
// one of them.
static void gaps_of_the_least_floats_separate_nothing(void **state) {
    (void)state;
    const float corners[3][3] = {{.625f, .625f, .625f}, {.625f, -1.25f, -.3125f}, {-1.25f, .625f, -.3125f}};
    const toc_prefilter_work work = {.kind = TOC_VF, .to = 1};
    ends e;
    for (int k = 0; k < 3; k++)
        e.start[k] = e.end[k] =
            (wide3){toc_wide_all(corners[k][0]), toc_wide_all(corners[k][1]), toc_wide_all(corners[k][2])};
    const wide3 n = {toc_wide_all(0x1p-149f), toc_wide_all(0x1p-149f), toc_wide_all(-0x1p-148f)};
    const wide_axis a = axes_along(TOC_VF, &e, n);
    assert_true(a.gap[0] > 0);
    assert_false(all_clear(&work, &a));
}

// The bound of a gap holds the errors of packing, 2 u, and those of differences, mixtures and products, 16 u of the
// largest coordinate.
static void the_bound_grows_with_the_reach(void **state) {
    (void)state;
    const toc_prefilter_work work = {.kind = TOC_VF, .to = 1};
    for (float reach = 0x1p-30f; reach <= 2; reach *= 2)
        for (int k = 0; k < 6; k++) {
            ends e;
            memset(&e, 0, sizeof e);
            (k < 3 ? e.start : e.end)[k % 3] = (wide3){toc_wide_all(reach), toc_wide_all(-reach), toc_wide_all(reach)};
            const wide3 blur = blur_of(&work, &e);
            const float least = 0x2p-24f + 0x10p-24f * reach;
            assert_true(blur.x[0] >= least && blur.y[0] >= least && blur.z[0] >= least);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_the_least_floats_separate_nothing),
        cmocka_unit_test(the_bound_grows_with_the_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
