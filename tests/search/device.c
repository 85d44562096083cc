// SPDX-License-Identifier: Apache-2.0
// Queries on the emulated device: the contacts, their order, times and places are those of the processor, bit for bit,
// for every preset, answer and number of threads. A device without room, or one that is lost, gives a sentence.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "device/pairs.h"
#include "support/answers.h"
#include "support/device.h"
#include "support/scenes.h"
#include "support/test.h"

// TOC_DEVICE. Whether it was set to something else than "emulated": the tests run on the device of the machine then.
static const char *device_name;
static bool is_real;
#define NEED_EMULATED() \
    if (is_real) skip()

static size_t ask_presets(toc_scene *const scenes[2]) {
    static const char *const presets[] = {"auto", "bvh", "voxel-safe", "volccd", "brute"};
    size_t contacts = 0;
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++)
        for (int threads = 1; threads <= 3; threads += 2) {
            contacts +=
                test_ask_both(scenes, test_device_query(presets[p], TOC_ANSWER_ALL, threads, TOC_DEVICE_AUTO), NULL);
            test_ask_both(scenes, test_device_query(presets[p], TOC_ANSWER_FIRST, threads, TOC_DEVICE_AUTO), NULL);
            const toc_query any = test_device_query(presets[p], TOC_ANSWER_ANY, threads, TOC_DEVICE_AUTO);
            if (p == 0)
                test_ask_both_for_any(scenes, any);
            else
                test_ask_both(scenes, any, NULL);
        }
    return contacts;
}

static void every_scene_has_the_same_bits(void **state) {
    (void)state;
    const scene *s;
    size_t contacts = 0;
    const uint32_t most = test_less(1200u, 200u);
    for (size_t i = 0; (s = scene_list(i)) != NULL; i++) {
        toc_scene *scenes[2];
        for (int k = 0; k < 2; k++) scenes[k] = test_scene_of(test_scene_step(s, most), NULL);
        contacts += ask_presets(scenes);
        toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
    }
    assert_true(contacts > 500);
}

// All methods, a separation, a tolerance, a part of the step, undecided pairs, thickness and filters.
static void settings_have_the_same_bits(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(24, 8); round++) {
        toc_scene *scenes[2];
        test_random again = random;
        scenes[0] = test_scene_of_soups(&random, round % 2 ? TOC_TET : TOC_TRIANGLE, 60, 90, 0.4);
        scenes[1] = test_scene_of_soups(&again, round % 2 ? TOC_TET : TOC_TRIANGLE, 60, 90, 0.4);
        toc_query query = test_device_query("auto", (toc_answer)(round % 3), 1 + round % 4, TOC_DEVICE_AUTO);
        query.test.separation = round % 4 == 1 ? 0.02 : 0;
        query.test.tolerance = round % 5 == 2 ? 1e-3 : 0;
        query.test.from = round % 6 == 3 ? 0.25 : 0;
        query.test.to = round % 6 >= 3 ? 0.75 : 1;
        query.test.exact = round % 7 != 4;
        for (int i = 0; i < 2; i++) {
            if (round % 8 == 5) assert_ok(toc_scene_set_body_thickness(scenes[i], 0, 0.03));
            if (round % 8 == 6) assert_ok(toc_scene_set_self_contact(scenes[i], 1, false));
        }
        test_ask_both(scenes, query, NULL);
        query.test.method = TOC_METHOD_EXACT;
        test_ask_both(scenes, query, NULL);
        toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
    }
}

// Two layers that touch wherever they overlap: every pair is undecided or a tie.
static void ties_have_the_same_bits(void **state) {
    (void)state;
    toc_scene *scenes[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(toc_scene_create(NULL, &scenes[i]));
        assert_ok(toc_scene_add_body(scenes[i], test_sheet_at(12, 0), NULL));
        assert_ok(toc_scene_add_body(scenes[i], test_sheet_at(12, 0.25), NULL));
    }
    assert_true(ask_presets(scenes) > 1000);
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static toc_scene *crowd_of(uint32_t elements) {
    test_random random = {5};
    return test_scene_of_soups(&random, TOC_TRIANGLE, elements, elements, 0.5);
}

static toc_scene *crowd(void) { return crowd_of(400); }

// A device with little memory takes the pairs in more rounds; one with less gives a sentence, and nothing is lost.
static void little_memory_takes_rounds(void **state) {
    (void)state;
    NEED_EMULATED();
    toc_scene *const scenes[] = {crowd(), crowd()};
    toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1, TOC_DEVICE_GPU);
    toc_contacts *contacts = NULL;
    test_device_limit(1000, TEST_ALL_CALLS);
    assert_fails(toc_scene_find_contacts(scenes[1], &query, NULL, &contacts), TOC_OUT_OF_MEMORY, "no room");
    assert_null(contacts);
    test_device_limit(1 << 19, TEST_ALL_CALLS); // a quarter of the largest rooms
    assert_true(test_ask_both(scenes, query, NULL) > 1000);
    test_device_restore();
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static toc_scene *small_crowd(void) { return crowd_of(80); }

// From no memory to all: in parts, in smaller rooms, by the processor's search, or a sentence.
static void every_bit_of_memory_gives_the_same_bits(void **state) {
    (void)state;
    NEED_EMULATED();
    const test_device_memory tried =
        test_device_try_memory(small_crowd, "device", TOC_DEVICE_KERNEL_features, 1 << 24, test_less(2u, 1u));
    assert_true(tried.on_device + tried.on_processor > 3 && tried.refused > 3);
    assert_true(tried.ranges > 3); // parts of the leaves
}

// The counts of a step that does not fit say how large its rooms must be; the next step has them.
static void rooms_that_fill_grow_once(void **state) {
    (void)state;
    NEED_EMULATED();
    toc_scene *bodies = crowd();
    assert_true(test_device_launches(bodies, TOC_DEVICE_KERNEL_features) > 1);
    assert_int_equal(test_device_launches(bodies, TOC_DEVICE_KERNEL_features), 1);
    assert_int_equal(toc_device_times.launches[TOC_DEVICE_KERNEL_certified], TOC_DEVICE_PASSES);
    toc_scene_destroy(bodies);
}

static void orders_of_threads_give_the_same_bits(void **state) {
    (void)state;
    NEED_EMULATED();
    for (uint64_t seed = 1; seed <= test_less(6u, 2u); seed++) {
        toc_scene *const scenes[] = {crowd_of(150), crowd_of(150)};
        toc_emulated.random = seed * UINT64_C(0x9e3779b97f4a7c15);
        assert_true(test_ask_both(scenes, test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_AUTO), NULL) > 100);
        test_ask_both(scenes, test_device_query("auto", TOC_ANSWER_FIRST, 2, TOC_DEVICE_AUTO), NULL);
        toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
    }
}

// Contacts of a scene on the device, step after step, are those that were wanted.
typedef struct asker {
    pthread_t thread;
    const toc_contacts *wanted;
    size_t right;
} asker;

static bool is_wanted(const toc_contacts *got, const toc_contacts *wanted) {
    return got->count == wanted->count &&
           memcmp(got->contacts, wanted->contacts, wanted->count * sizeof *wanted->contacts) == 0;
}

static void *ask_again_and_again(void *user) {
    asker *a = user;
    toc_scene *bodies = crowd_of(150);
    for (int i = 0; i < 3; i++) {
        const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1 + i, TOC_DEVICE_GPU);
        toc_contacts *got = NULL;
        if (toc_scene_find_contacts(bodies, &query, NULL, &got) == TOC_OK) a->right += is_wanted(got, a->wanted);
        toc_contacts_destroy(got);
    }
    toc_scene_destroy(bodies);
    return NULL;
}

static void scenes_of_several_threads_share_a_device(void **state) {
    (void)state;
    toc_scene *bodies = crowd_of(150);
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_CPU);
    asker askers[4] = {{0}};
    toc_contacts *wanted;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
    for (int i = 0; i < 4; i++) {
        askers[i].wanted = wanted;
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_again_and_again, &askers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_int_equal(askers[i].right, 3);
    }
    toc_contacts_destroy(wanted);
    toc_scene_destroy(bodies);
}

static void a_child_asks_the_emulated_device(void **state) {
    (void)state;
    NEED_EMULATED();
    if (TEST_SANITIZED) skip(); // the sanitizers have threads of their own
    toc_scene *bodies = crowd_of(80);
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_contacts *wanted, *got;
    int status = -1;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
    const pid_t child = fork();
    if (child == 0) {
        alarm(400);
        const toc_status asked = toc_scene_find_contacts(bodies, &query, NULL, &got);
        _exit(asked == TOC_OK && is_wanted(got, wanted) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    toc_contacts_destroy(wanted);
    toc_scene_destroy(bodies);
}

static int stop_at_once(void *user, double done) {
    (void)done;
    ++*(int *)user;
    return 1;
}

static void a_search_is_stopped(void **state) {
    (void)state;
    toc_scene *bodies = crowd();
    toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_contacts *contacts = NULL;
    int calls = 0;
    query.progress = (toc_progress){stop_at_once, &calls};
    assert_int_equal(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_STOPPED);
    assert_int_equal(calls, 1);
    assert_null(contacts);
    toc_scene_destroy(bodies);
}

// TEST_HAS_KERNELS: whether cmake/device.cmake found a clang for them.
static void the_library_has_all_kernels(void **state) {
    (void)state;
    assert_int_equal(toc_device_text_count, TEST_HAS_KERNELS ? TOC_DEVICE_KERNEL_COUNT : 0);
    for (size_t i = 0; i < toc_device_text_count; i++) {
        char entry[80];
        snprintf(entry, sizeof entry, ".visible .entry toc_device_%s(", toc_device_kernel_names[i]);
        assert_string_equal(toc_device_texts[i].name, toc_device_kernel_names[i]);
        assert_non_null(strstr((const char *)toc_device_texts[i].text, entry));
    }
}

// Lost at any call: the status says so, and the next query answers.
static void a_lost_device_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    toc_scene *const scenes[] = {crowd(), crowd()};
    toc_query query = test_device_query("bvh", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    bool done = false;
    for (size_t calls = 0; !done; calls += 1 + calls / test_less(8u, 2u)) {
        toc_contacts *contacts = NULL;
        test_device_limit((size_t)1 << 40, calls);
        const toc_status status = toc_scene_find_contacts(scenes[1], &query, NULL, &contacts);
        done = status == TOC_OK;
        if (!done) {
            assert_int_equal(status, TOC_NO_DEVICE);
            assert_non_null(strstr(toc_message_get(), "lost"));
            assert_null(contacts);
        }
        toc_contacts_destroy(contacts);
    }
    test_device_restore();
    assert_true(test_ask_both(scenes, query, NULL) > 1000);
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static void a_limit_on_memory_counts_the_rooms(void **state) {
    (void)state;
    toc_scene *const scenes[] = {crowd_of(150), crowd_of(150)};
    toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_contacts *contacts = NULL;
    size_t searched = 0, limited = 0;
    for (query.memory_limit = 3 << 18; query.memory_limit <= 3 << 24; query.memory_limit *= 4) {
        const toc_status status = toc_scene_find_contacts(scenes[1], &query, NULL, &contacts);
        if (status != TOC_OK) {
            assert_int_equal(status, TOC_OUT_OF_MEMORY);
            assert_null(contacts);
            continue;
        }
        *(strcmp(contacts->chosen, "device") == 0 ? &searched : &limited) += 1;
        toc_contacts_destroy(contacts);
        contacts = NULL;
        assert_true(test_ask_both(scenes, query, NULL) > 100);
    }
    assert_true(is_real || (searched > 0 && limited > 0)); // the least memory is the processor's
    query.memory_limit = 100 << 10;
    assert_fails(toc_scene_find_contacts(scenes[1], &query, NULL, &contacts), TOC_OUT_OF_MEMORY, "memory_limit");
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static toc_status ask_crowd_on_device(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.3, 0.2, 1, 0.2, 0.3, 1};
    const toc_query query = test_device_query(user, TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_scene *bodies;
    toc_contacts *contacts = NULL;
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    NEED_EMULATED();
    assert_true(test_every_allocation(ask_crowd_on_device, "bvh") > 10);
}

static int count_sunk(void *user, const toc_contact *contacts, size_t count) {
    (void)contacts;
    *(size_t *)user += count;
    return 0;
}

static void a_sink_receives_all_contacts(void **state) {
    (void)state;
    toc_scene *bodies = crowd();
    toc_query query = test_device_query("bvh", TOC_ANSWER_ALL, 3, TOC_DEVICE_CPU);
    toc_contacts *contacts;
    size_t sunk = 0;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    const size_t wanted = contacts->count;
    toc_contacts_destroy(contacts);
    query.device = TOC_DEVICE_GPU;
    query.sink = (toc_contact_sink){count_sunk, &sunk};
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_int_equal(sunk, wanted);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

// The steps of one scene, with edits between them: positions and rooms of an earlier step are not used.
static void a_scene_follows_its_steps(void **state) {
    (void)state;
    toc_scene *const scenes[] = {crowd(), crowd()};
    test_random randoms[] = {{9}, {9}};
    for (int step = 0; step < 5; step++) {
        for (int i = 0; i < 2; i++) {
            test_step_body(scenes[i], 0, &randoms[i], step % 2 ? 0.3 : 0);
            if (step == 3) assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scenes[i], 1), 7));
        }
        assert_true(test_ask_both(scenes, test_device_query("auto", (toc_answer)(step % 3), 2, TOC_DEVICE_AUTO), NULL) >
                    0);
    }
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static void scale_scene(toc_scene *bodies, double by) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(bodies); b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
        const size_t numbers = 3 * toc_mesh_get_vertex_count(mesh);
        double *x = malloc(2 * numbers * sizeof *x);
        for (size_t i = 0; i < numbers; i++) {
            x[i] = by * toc_mesh_get_x0(mesh)[i];
            x[i + numbers] = by * toc_mesh_get_x1(mesh)[i];
        }
        assert_ok(test_mesh_set_motion(mesh, x, x + numbers));
        free(x);
    }
}

// The frame of single precision is kept for later steps; vertices that leave it are told, and the step has a new one.
static void a_scene_leaves_its_frame(void **state) {
    (void)state;
    static const struct {
        double by;
        size_t trees;
    } steps[] = {{1, 1}, {1.25, 1}, {8, 2}, {1.25, 1}, {0x1p-8, 1}, {0x1p60, 2}, {0x1p-70, 1}};
    toc_scene *const scenes[] = {crowd_of(80), crowd_of(80)};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        for (int s = 0; s < 2; s++) scale_scene(scenes[s], steps[i].by);
        assert_int_equal(test_device_launches(scenes[1], TOC_DEVICE_KERNEL_pack), steps[i].trees);
        const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1, TOC_DEVICE_GPU);
        assert_true(test_ask_both(scenes, query, "device") > 10);
    }
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

static void the_emulated_device_is_listed(void **state) {
    (void)state;
    NEED_EMULATED();
    toc_device_info info;
    size_t count = 0;
    assert_ok(toc_device_list(0, NULL, &count));
    assert_int_equal(count, 1);
    assert_ok(toc_device_list(1, &info, &count));
    assert_string_equal(info.name, "emulated");
    assert_fails(toc_device_list(1, NULL, &count), TOC_BAD_INPUT, "devices");
    assert_fails(toc_device_list(0, NULL, NULL), TOC_BAD_INPUT, "count");
}

// A machine with a device takes it; others name the missing part, and the processor still answers.
static void without_a_device_the_query_says_why(void **state) {
    (void)state;
    toc_scene *const scenes[] = {crowd(), crowd()};
    toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_contacts *contacts = NULL;
    size_t count;
    assert_int_equal(unsetenv("TOC_DEVICE"), 0);
    if (toc_device_list(0, NULL, &count) == TOC_OK) {
        assert_true(test_ask_both(scenes, query, NULL) > 1000);
    } else {
        assert_fails(toc_device_list(0, NULL, &count), TOC_NO_DEVICE, " ");
        assert_fails(toc_scene_find_contacts(scenes[0], &query, NULL, &contacts), TOC_NO_DEVICE, "device");
    }
    query.device = TOC_DEVICE_AUTO;
    assert_ok(toc_scene_find_contacts(scenes[0], &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    query.device = (toc_device_choice)7;
    contacts = NULL;
    assert_fails(toc_scene_find_contacts(scenes[0], &query, NULL, &contacts), TOC_BAD_INPUT, "number 7");
    assert_int_equal(setenv("TOC_DEVICE", device_name, 1), 0);
    toc_scene_destroy(scenes[0]), toc_scene_destroy(scenes[1]);
}

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]); // a pattern of names
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_has_the_same_bits),
        cmocka_unit_test(settings_have_the_same_bits),
        cmocka_unit_test(ties_have_the_same_bits),
        cmocka_unit_test(little_memory_takes_rounds),
        cmocka_unit_test(every_bit_of_memory_gives_the_same_bits),
        cmocka_unit_test(rooms_that_fill_grow_once),
        cmocka_unit_test(orders_of_threads_give_the_same_bits),
        cmocka_unit_test(scenes_of_several_threads_share_a_device),
        cmocka_unit_test(a_child_asks_the_emulated_device),
        cmocka_unit_test(a_search_is_stopped),
        cmocka_unit_test(the_library_has_all_kernels),
        cmocka_unit_test(a_lost_device_is_told),
        cmocka_unit_test(a_limit_on_memory_counts_the_rooms),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_sink_receives_all_contacts),
        cmocka_unit_test(a_scene_follows_its_steps),
        cmocka_unit_test(a_scene_leaves_its_frame),
        cmocka_unit_test(the_emulated_device_is_listed),
        cmocka_unit_test(without_a_device_the_query_says_why),
    };
    device_name = test_device_begin();
    if (!device_name) return 1;
    is_real = test_device_is_real();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
