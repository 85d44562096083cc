// SPDX-License-Identifier: Apache-2.0
// A program that is compiled and linked with -ffast-math: on x86 the C runtime then flushes subnormal numbers to zero,
// in every thread. The answers are those of any other program.
#include <string.h>

#include "base/arithmetic.h"
#include "support/test.h"

// Bits instead of doubles: this program takes subnormal numbers for zero.
static double power_of_two(int exponent, bool negative) {
    const uint64_t bits = (uint64_t)1 << (exponent + 1074) | (uint64_t)negative << 63;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// A vertex that passes a face, in units of 2^-1050.
static toc_pair tiny_pair(bool passes) {
    const double one = power_of_two(-1050, false), below = power_of_two(-1050, true), far = power_of_two(-1045, false);
    toc_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.x0[0][2] = one;
    memcpy(&pair.x1[0][2], passes ? &below : &one, sizeof one);
    for (int end = 0; end < 2; end++) {
        double(*x)[3] = end ? pair.x1 : pair.x0;
        memcpy(&x[2][0], &far, sizeof far);
        memcpy(&x[3][1], &far, sizeof far);
        const double before = power_of_two(-1045, true);
        memcpy(&x[1][0], &before, sizeof before);
        memcpy(&x[1][1], &before, sizeof before);
    }
    return pair;
}

static void tiny_contacts_are_found_and_none_invented(void **state) {
    (void)state;
    const toc_method methods[] = {TOC_METHOD_CERTIFIED, TOC_METHOD_EXACT};
#if defined(__SSE2__)
    const bool flushes = (toc_arithmetic_read() & 0x8000) != 0;
    print_message(flushes ? "the host flushes\n" : "the host does not flush: its linker has no crtfastmath.o\n");
#endif
    for (int m = 0; m < 2; m++)
        for (int passes = 0; passes < 2; passes++) {
            const toc_pair pair = tiny_pair(passes);
            toc_pair_test test = toc_pair_test_default();
            toc_hit hit;
            test.method = methods[m];
            assert_ok(toc_pair_find(TOC_VF, &pair, &test, &hit));
            assert_int_equal(hit.verdict, passes ? TOC_HIT : TOC_APART);
            if (passes) assert_true(hit.toc <= 0.5 && hit.toc > 0.499999);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiny_contacts_are_found_and_none_invented)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
