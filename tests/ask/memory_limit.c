// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of a query: it is kept, and the answer is the same bit for bit, or the status names the limit.
// Counts go beyond 32 bits.
#include <stdlib.h>
#include <string.h>

#include "index/hash.h"
#include "scene/scene.h"
#include "search/pipeline.h"
#include "search/result.h"
#include "support/answers.h"

// A small mesh of far motion: many contacts for each element.
static toc_scene *busy_scene(const toc_allocator *allocator, toc_shape shape, uint32_t elements) {
    test_random random = {7};
    toc_scene *scene;
    assert_ok(toc_scene_create(allocator, &scene));
    for (int b = 0; b < 2; b++) {
        toc_mesh *mesh = test_soup(&random, shape, elements, elements);
        test_shake(mesh, &random, 0, 1.5);
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    return scene;
}

typedef enum limited_question { ASK_CONTACTS, ASK_NEAR, ASK_OVERLAPS, ASK_SAFE_STEP, QUESTIONS } limited_question;

// The bytes of an answer.
typedef struct limited_answer {
    size_t bytes;
    void *at;
} limited_answer;

static void take_answer(limited_answer *out, const void *at, size_t bytes) {
    out->bytes = bytes;
    out->at = malloc(bytes + 1);
    assert_non_null(out->at);
    if (bytes) memcpy(out->at, at, bytes);
}

static toc_status ask_limited(toc_scene *scene, const toc_query *query, limited_question question,
                              limited_answer *out) {
    toc_contacts *contacts;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    toc_status status;
    switch (question) {
    case ASK_CONTACTS:
        status = toc_scene_find_contacts(scene, query, &contacts);
        if (status != TOC_OK) return status;
        take_answer(out, contacts->contacts, contacts->count * sizeof *contacts->contacts);
        toc_contacts_destroy(contacts);
        return TOC_OK;
    case ASK_NEAR:
        status = toc_scene_find_near(scene, query, TOC_AT_START, 0.5, &near);
        if (status != TOC_OK) return status;
        take_answer(out, near->pairs, near->count * sizeof *near->pairs);
        toc_near_destroy(near);
        return TOC_OK;
    case ASK_OVERLAPS:
        status = toc_scene_find_overlaps(scene, query, TOC_AT_START, &overlaps);
        if (status != TOC_OK) return status;
        take_answer(out, overlaps->pairs, overlaps->count * sizeof *overlaps->pairs);
        toc_overlaps_destroy(overlaps);
        return TOC_OK;
    default:
        status = toc_scene_find_safe_step(scene, query, &fraction);
        if (status == TOC_OK) take_answer(out, &fraction, sizeof fraction);
        return status;
    }
}

// Ask with limits from far too low to plenty. @return the lowest limit that was kept.
static uint64_t assert_limits(toc_shape shape, uint32_t elements, const char *preset, limited_question question,
                              size_t *bytes) {
    limited_answer truth = {0}, limited = {0};
    toc_query query = toc_query_default();
    query.preset = preset;
    toc_scene *scene = busy_scene(NULL, shape, elements);
    assert_ok(ask_limited(scene, &query, question, &truth));
    toc_scene_destroy(scene);
    uint64_t lowest = 0;
    for (uint64_t limit = 1 << 14; limit < UINT64_C(1) << 24; limit += test_less(limit / 2, limit)) {
        scene = busy_scene(NULL, shape, elements);
        query.threads = limit % 3 == 0 ? 3 : 1;
        for (int again = 0; again < 2; again++) { // the second time with kept structures
            query.memory_limit = limit;
            const toc_status status = ask_limited(scene, &query, question, &limited);
            assert_true(scene->pool.peak <= limit);
            if (status != TOC_OK) assert_fails(status, TOC_OUT_OF_MEMORY, "memory_limit");
            if (status != TOC_OK) assert_int_equal(lowest, 0); // more memory never fails where less is enough
            if (status != TOC_OK) continue;
            if (!lowest) lowest = limit;
            assert_int_equal(limited.bytes, truth.bytes);
            assert_memory_equal(limited.at, truth.at, truth.bytes);
            free(limited.at);
        }
        toc_scene_destroy(scene);
    }
    *bytes = truth.bytes;
    free(truth.at);
    return lowest;
}

static void answers_are_the_same_within_any_limit(void **state) {
    (void)state;
    size_t bytes;
    for (limited_question question = ASK_CONTACTS; question < QUESTIONS; question++) {
        const uint32_t elements = question == ASK_CONTACTS ? test_less(110, 24) : 24;
        const uint64_t lowest = assert_limits(TOC_TRIANGLE, elements, "auto", question, &bytes);
        print_message("question %d: an answer of %zu bytes within %llu\n", (int)question, bytes,
                      (unsigned long long)lowest);
        assert_true(lowest > 0);
        if (elements > 100) assert_true(lowest < bytes / 2); // the memory is not that of the answer
    }
}

static void presets_within_any_limit(void **state) {
    (void)state;
    static const char *const presets[] = {"local", "voxel-safe", "voxel", "brute"};
    size_t bytes;
    for (size_t i = 0; i < test_less(4, 2); i++)
        assert_true(assert_limits(TOC_TRIANGLE, 40, presets[i], ASK_CONTACTS, &bytes) > 0);
    assert_true(assert_limits(TOC_TET, 24, "auto", ASK_CONTACTS, &bytes) > 0);
}

// ---- the sink

typedef struct sink_sum {
    uint64_t count, sum;
} sink_sum;

static int add_up(void *user, const toc_contact *contacts, size_t count) {
    sink_sum *s = user;
    s->count += count;
    for (size_t i = 0; i < count; i++) s->sum += (contacts[i].v[0] + 1) * (uint64_t)(contacts[i].v[3] + 7);
    return 0;
}

// A query that is asked again within its limit gives each contact once.
static void the_sink_within_a_limit(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    sink_sum truth = {0};
    int kept = 0;
    for (uint64_t limit = 0; limit < UINT64_C(1) << 26; limit = limit ? 2 * limit : 1 << 14) {
        toc_scene *scene = busy_scene(NULL, TOC_TRIANGLE, 24);
        toc_contacts *contacts = NULL;
        sink_sum sum = {0};
        query.memory_limit = limit;
        query.threads = 2;
        query.sink = (toc_contact_sink){add_up, &sum};
        const toc_status status = toc_scene_find_contacts(scene, &query, &contacts);
        if (limit == 0) truth = sum;
        if (status != TOC_OK) assert_fails(status, TOC_OUT_OF_MEMORY, "memory_limit");
        if (status == TOC_OK) {
            assert_true(sum.count == truth.count && sum.sum == truth.sum && contacts->found == sum.count);
            kept += limit > 0;
        }
        toc_contacts_destroy(contacts);
        toc_scene_destroy(scene);
    }
    assert_true(kept > 0 && truth.count > 0);
}

// ---- failing allocations

static toc_status ask_within_a_limit(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .2, .2, 0, 1, .1, 1, .1, 1, 1};
    toc_query query = toc_query_default();
    toc_scene *scene;
    toc_contacts *contacts = NULL;
    query.memory_limit = *(const uint64_t *)user;
    query.threads = 1;
    toc_status status = test_scene_of_triangles(allocator, x, &scene);
    if (status != TOC_OK) return status;
    status = toc_scene_find_contacts(scene, &query, &contacts);
    if (status == TOC_OK) assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    uint64_t limit = 1 << 12;
    const toc_allocator allocator = toc_allocator_get_default();
    while (ask_within_a_limit(&allocator, &limit) != TOC_OK) limit += limit / 16;
    assert_true(test_every_allocation(ask_within_a_limit, &limit) > 0);
}

// ---- counts

#define ASSERT_64_BITS(type, field) _Static_assert(sizeof(((type *)0)->field) == 8, #type "." #field)
ASSERT_64_BITS(toc_stage, in);
ASSERT_64_BITS(toc_stage, out);
ASSERT_64_BITS(toc_contacts, count);
ASSERT_64_BITS(toc_contacts, found);
ASSERT_64_BITS(toc_stage_count, in);
ASSERT_64_BITS(toc_stage_count, out);
ASSERT_64_BITS(toc_narrow_worker, offered);
ASSERT_64_BITS(toc_narrow_worker, asked);
ASSERT_64_BITS(toc_narrow_worker, found);
ASSERT_64_BITS(toc_narrow_phase, sunk);
ASSERT_64_BITS(toc_hash_counts, voxel_pairs);
ASSERT_64_BITS(toc_hash_counts, box_pairs);
ASSERT_64_BITS(toc_hash_counts, found);
ASSERT_64_BITS(toc_feature_pairs, asked);
ASSERT_64_BITS(toc_items, count);

// Counters that stand at 2^32 - 1 go on, and their sum over threads reaches the report.
static void counts_beyond_32_bits(void **state) {
    (void)state;
    toc_scene *scene = busy_scene(NULL, TOC_TRIANGLE, 4);
    toc_query query = toc_query_default();
    toc_narrow_phase phase;
    toc_contacts *result;
    sink_sum sum = {0};
    toc_contact contacts[2] = {{.kind = TOC_VF}, {.kind = TOC_EE}};
    query.sink = (toc_contact_sink){add_up, &sum};
    assert_ok(toc_step_update(scene, false, 1));
    assert_ok(toc_narrow_phase_make(scene, &scene->step, &query, TOC_METHOD_CERTIFIED, 2, &phase));
    for (int i = 0; i < 2; i++) phase.at[i].offered = phase.at[i].asked = phase.at[i].found = UINT32_MAX;
    phase.sunk = UINT32_MAX;
    const toc_feature_pair pair = {{0, 1, 2, 3}};
    assert_ok(toc_narrow_worker_test(&phase.at[0], TOC_EE, &pair, 1));
    assert_ok(toc_narrow_phase_sink(&phase, contacts, 2));
    assert_ok(toc_result_make(&scene->allocator, &result));
    const toc_stage search = {.name = "search", .in = UINT64_C(1) << 40, .out = UINT64_C(1) << 33};
    toc_result_report(&phase, &search, 1, result);
    assert_true(phase.sunk == UINT64_C(0x100000001));
    assert_true(test_stage(result, "search").in == UINT64_C(1) << 40);
    assert_true(test_stage(result, "certified").in == 2 * (uint64_t)UINT32_MAX + 1);
    assert_true(test_stage(result, "certified").out >= 2 * (uint64_t)UINT32_MAX);
    toc_result_free(result);
    toc_narrow_phase_free(&phase);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_within_any_limit),
        cmocka_unit_test(presets_within_any_limit),
        cmocka_unit_test(the_sink_within_a_limit),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(counts_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
