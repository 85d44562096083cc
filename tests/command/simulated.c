// SPDX-License-Identifier: Apache-2.0
// Simulations that are built in: they start free of crossings at any size, and stay so; threads and a pause change no
// bit.
#include <stdio.h>
#include <stdlib.h>

#include "support/command.h"

static void assert_same_frame(const char *name, int frame) {
    char *bytes[2];
    size_t counts[2];
    for (int k = 0; k < 2; k++) {
        char file[128];
        snprintf(file, sizeof file, "%s-%d/%s-%04d.vtu", name, k + 1, name, frame);
        FILE *f = fopen(test_path(test_folder, file), "rb");
        assert_non_null(f);
        bytes[k] = malloc(1 << 22);
        counts[k] = fread(bytes[k], 1, 1 << 22, f);
        fclose(f);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(bytes[0], bytes[1], counts[0]);
    free(bytes[0]);
    free(bytes[1]);
}

// Run on one thread with the check: `says` is among the last lines. A run on two threads that ends halfway and is
// resumed has the same last frame.
static void assert_runs(const char *name, int size, int frames, const char *says) {
    const test_run one = test_command("simulate %s --size %d --frames %d --threads 1 --check --out %s/%s-1", name, size,
                                      frames, test_folder, name);
    assert_says(one, "crossings  0");
    assert_says(one, says);
    for (int part = 1; part <= 2; part++)
        assert_says(test_command("simulate %s --size %d --frames %d --threads 2 --resume --out %s/%s-2", name, size,
                                 part * frames / 2, test_folder, name),
                    "to time");
    assert_same_frame(name, frames - 1);
}

static void two_bodies_glue(void **state) {
    (void)state;
    assert_runs("merging", 4, 30, "vertices glued");
}

static void tape_is_peeled(void **state) {
    (void)state;
    assert_runs("tape", 10, 40, "45 vertices glued, 10 came apart");
}

static void a_blade_cuts_a_liver(void **state) {
    (void)state;
    assert_runs("liver", 2, 110, "elements eroded");
}

static void a_ball_explodes(void **state) {
    (void)state;
    assert_runs("explosion", 3, 20, "vertices split");
}

static void a_car_meets_a_wall(void **state) {
    (void)state;
    assert_runs("car", 3, 40, "impacts resolved");
}

// The ground was above the lowest torus of one or two, and tori beside each other crossed in towers of 55 and more,
// which take long under the sanitizers.
static void tori_start_free_at_any_size(void **state) {
    (void)state;
    const int sizes[] = {1, 2, 3, 14, 55, 60};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes - test_less(0, 2); i++)
        assert_says(test_command("simulate tori --size %d --frames 1 --check --out %s/tori", sizes[i], test_folder),
                    "crossings  0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bodies_glue),      cmocka_unit_test(tape_is_peeled),
        cmocka_unit_test(a_blade_cuts_a_liver), cmocka_unit_test(a_ball_explodes),
        cmocka_unit_test(a_car_meets_a_wall),   cmocka_unit_test(tori_start_free_at_any_size),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
