// SPDX-License-Identifier: Apache-2.0
// Asking on the processor and on the device.
#include "support/device.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

const char *test_device_begin(void) {
    static char name[64];
    if (setenv("TOC_DEVICE", "emulated", 0) != 0) return NULL;
    snprintf(name, sizeof name, "%s", getenv("TOC_DEVICE"));
    test_device_restore();
    return name;
}

bool test_device_is_real(void) {
    const char *name = getenv("TOC_DEVICE");
    return name && strcmp(name, "emulated") != 0;
}

toc_query test_device_query(const char *preset, toc_answer answer, int threads, toc_device_choice device) {
    toc_query query = toc_query_default();
    query.preset = preset;
    query.answer = answer;
    query.threads = threads;
    query.device = device;
    return query;
}

void test_assert_same_bits(const char *what, const toc_contacts *got, const toc_contacts *wanted) {
    if (got->count != wanted->count) print_error("%s: %zu contacts, not %zu\n", what, got->count, wanted->count);
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < wanted->count; i++)
        assert_memory_equal(&got->contacts[i], &wanted->contacts[i], sizeof *wanted->contacts);
}

size_t test_ask_both(toc_scene *const scenes[2], toc_query query, const char *chosen) {
    toc_contacts *answers[2];
    for (int i = 0; i < 2; i++) {
        query.device = i ? TOC_DEVICE_GPU : TOC_DEVICE_CPU;
        assert_ok(toc_scene_find_contacts(scenes[i], &query, NULL, &answers[i]));
    }
    const size_t count = answers[0]->count;
    test_assert_same_bits(query.preset, answers[1], answers[0]);
    if (chosen) assert_string_equal(answers[1]->chosen, chosen);
    toc_contacts_destroy(answers[0]);
    toc_contacts_destroy(answers[1]);
    return count;
}

void test_ask_both_for_any(toc_scene *const scenes[2], toc_query query) {
    toc_contacts *all, *any;
    bool found = false;
    query.answer = TOC_ANSWER_ALL;
    query.device = TOC_DEVICE_CPU;
    assert_ok(toc_scene_find_contacts(scenes[0], &query, NULL, &all));
    query.answer = TOC_ANSWER_ANY;
    query.device = TOC_DEVICE_GPU;
    assert_ok(toc_scene_find_contacts(scenes[1], &query, NULL, &any));
    assert_int_equal(any->count, all->count > 0);
    for (size_t i = 0; i < all->count && !found; i++)
        found = memcmp(&all->contacts[i], any->contacts, sizeof *any->contacts) == 0;
    assert_true(found || all->count == 0);
    toc_contacts_destroy(all);
    toc_contacts_destroy(any);
}

static double no_time(void) { return 0; }

size_t test_device_launches(toc_scene *bodies, toc_device_kernel kernel) {
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1, TOC_DEVICE_GPU);
    toc_contacts *contacts;
    toc_device_times = (toc_device_clock){.now = no_time};
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    toc_device_times.now = NULL;
    toc_contacts_destroy(contacts);
    return toc_device_times.launches[kernel];
}

static void try_bytes(toc_scene *bodies, const char *chosen, toc_device_kernel last, const toc_contacts *wanted,
                      test_device_memory *tried) {
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_contacts *got = NULL;
    const toc_status status = toc_scene_find_contacts(bodies, &query, NULL, &got);
    if (status != TOC_OK) {
        tried->refused++;
        assert_int_equal(tried->on_device + tried->on_processor, 0);
        assert_int_equal(status, TOC_OUT_OF_MEMORY);
        assert_non_null(strstr(toc_message_get(), "no room"));
        return;
    }
    test_assert_same_bits("little memory", got, wanted);
    *(strcmp(got->chosen, chosen) == 0 ? &tried->on_device : &tried->on_processor) += 1;
    toc_contacts_destroy(got);
    const size_t ranges = test_device_launches(bodies, last);
    tried->ranges = ranges > tried->ranges ? ranges : tried->ranges;
}

test_device_memory test_device_try_memory(toc_scene *(*make)(void), const char *chosen, toc_device_kernel last,
                                          size_t limit, size_t slowly) {
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_CPU);
    test_device_memory tried = {0};
    toc_scene *plain = make();
    toc_contacts *wanted;
    assert_ok(toc_scene_find_contacts(plain, &query, NULL, &wanted));
    for (size_t bytes = 1 << 10; bytes < limit; bytes += bytes / slowly) {
        toc_scene *bodies = make();
        test_device_limit(bytes, TEST_ALL_CALLS);
        try_bytes(bodies, chosen, last, wanted, &tried);
        toc_scene_destroy(bodies);
        assert_int_equal(toc_emulated.bytes_left, bytes);
    }
    test_device_restore();
    toc_contacts_destroy(wanted);
    toc_scene_destroy(plain);
    return tried;
}
