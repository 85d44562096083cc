// SPDX-License-Identifier: Apache-2.0
// Loops in parts: every item once, for any number of items and threads.
#include <stdatomic.h>
#include <string.h>

#include "sim/core/loop.h"
#include "support/test.h"

enum { MOST = 5000 };

typedef struct visits {
    atomic_uchar times[MOST];
    atomic_size_t calls;
} visits;

static void visit(void *user, size_t first, size_t last) {
    visits *v = user;
    assert_true(first < last && last <= MOST);
    atomic_fetch_add(&v->calls, 1);
    for (size_t i = first; i < last; i++) atomic_fetch_add(&v->times[i], 1);
}

static void every_item_is_visited_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 1000, 4999}, leasts[] = {1, 2, 64, 1024, 6000};
    static const int threads[] = {1, 2, 3, 8, 16};
    static visits v;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t l = 0; l < sizeof leasts / sizeof *leasts; l++) {
                memset(&v, 0, sizeof v);
                toc_sim_loop_run(threads[t], counts[c], leasts[l], visit, &v);
                for (size_t i = 0; i < MOST; i++) assert_int_equal(atomic_load(&v.times[i]), i < counts[c]);
                assert_true(atomic_load(&v.calls) <= SIM_PARTS);
                if (counts[c] > 0 && (threads[t] == 1 || counts[c] < leasts[l]))
                    assert_int_equal(atomic_load(&v.calls), 1);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_is_visited_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
