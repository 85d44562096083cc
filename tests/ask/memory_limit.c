// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of a query: it is kept, and the answer is the same bit for bit, or the status names the limit.
// Counts go beyond 32 bits.
#include <stdlib.h>
#include <string.h>

#include "index/hash.h"
#include "scene/scene.h"
#include "search/contacts.h"
#include "search/pipeline.h"
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

typedef enum limited_question {
    ASK_CONTACTS,
    ASK_NEAR,
    ASK_OVERLAPS,
    ASK_SAFE_STEP,
    ASK_ROOM,
    ASK_ROOM_ON_PARABOLAS,
    ASK_CANDIDATES,
    ASK_LISTED_CONTACTS, // among candidates found without a limit
    ASK_LISTED_NEAR,
    ASK_LISTED_ROOM,
    QUESTIONS
} limited_question;

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

static toc_status take_contacts(toc_status status, toc_contacts *contacts, limited_answer *out) {
    if (status != TOC_OK) return status;
    take_answer(out, contacts->contacts, contacts->count * sizeof *contacts->contacts);
    toc_contacts_destroy(contacts);
    return TOC_OK;
}

static toc_status take_near(toc_status status, toc_near *near, limited_answer *out) {
    if (status != TOC_OK) return status;
    take_answer(out, near->pairs, near->count * sizeof *near->pairs);
    toc_near_destroy(near);
    return TOC_OK;
}

static const toc_room limited_room = {.size = sizeof limited_room, .share = 0.3, .most = 0.2};

static toc_status take_room_step(toc_status status, const toc_room_step *step, limited_answer *out) {
    if (status == TOC_OK) take_answer(out, step, sizeof *step);
    return status;
}

static toc_status ask_room(toc_scene *scene, const toc_query *query, bool on_parabolas, limited_answer *out) {
    toc_room_step step;
    memset(&step, 0, sizeof step);
    for (uint32_t b = 0; b < 2 && on_parabolas; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(scene, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double *acceleration = calloc(count, sizeof *acceleration);
        assert_non_null(acceleration);
        for (size_t i = 0; i < count; i++) acceleration[i] = (double)(i % 7) / 10 - 0.3;
        assert_ok(test_mesh_accelerate(mesh, acceleration));
        free(acceleration);
    }
    const toc_status status = toc_scene_find_room_step(scene, query, &limited_room, &step);
    return take_room_step(status, &step, out);
}

// The candidates within the limit must be those that give all answers without it.
static toc_status ask_candidates(toc_scene *scene, const toc_query *query, limited_answer *out) {
    const toc_query plain = toc_query_default();
    toc_candidates *candidates;
    toc_contacts *contacts;
    const size_t peak = scene->pool.peak;
    const toc_status status = toc_scene_find_candidates(scene, query, 0.1, 0.3, &candidates);
    if (status != TOC_OK) return status;
    const size_t after = scene->pool.peak;
    assert_true(toc_candidates_get_count(candidates) > 0 && after >= peak);
    assert_ok(test_candidates_find_contacts(candidates, scene, &plain, &contacts));
    assert_ok(take_contacts(TOC_OK, contacts, out));
    scene->pool.peak = after;
    toc_candidates_destroy(candidates);
    return TOC_OK;
}

static toc_status ask_listed(toc_scene *scene, const toc_query *query, limited_question question, limited_answer *out) {
    const toc_query plain = toc_query_default();
    toc_candidates *candidates;
    toc_contacts *contacts;
    toc_near *near;
    toc_room_step step;
    toc_status status;
    memset(&step, 0, sizeof step);
    assert_ok(toc_scene_find_candidates(scene, &plain, 0.1, 0.5, &candidates));
    scene->pool.peak = 0; // of the question alone
    if (question == ASK_LISTED_CONTACTS) {
        status = test_candidates_find_contacts(candidates, scene, query, &contacts);
        status = take_contacts(status, contacts, out);
    } else if (question == ASK_LISTED_NEAR) {
        status = test_candidates_find_near(candidates, scene, query, TOC_AT_START, 0.5, &near);
        status = take_near(status, near, out);
    } else {
        status = test_candidates_find_room_step(candidates, scene, query, &limited_room, &step);
        status = take_room_step(status, &step, out);
    }
    toc_candidates_destroy(candidates);
    return status;
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
        status = toc_scene_find_contacts(scene, query, NULL, &contacts);
        return take_contacts(status, contacts, out);
    case ASK_NEAR:
        status = test_find_near(scene, query, TOC_AT_START, 0.5, &near);
        return take_near(status, near, out);
    case ASK_OVERLAPS:
        status = toc_scene_find_overlaps(scene, query, TOC_AT_START, NULL, &overlaps);
        if (status != TOC_OK) return status;
        take_answer(out, overlaps->pairs, overlaps->count * sizeof *overlaps->pairs);
        toc_overlaps_destroy(overlaps);
        return TOC_OK;
    case ASK_ROOM:
    case ASK_ROOM_ON_PARABOLAS:
        return ask_room(scene, query, question == ASK_ROOM_ON_PARABOLAS, out);
    case ASK_CANDIDATES:
        return ask_candidates(scene, query, out);
    case ASK_LISTED_CONTACTS:
    case ASK_LISTED_NEAR:
    case ASK_LISTED_ROOM:
        return ask_listed(scene, query, question, out);
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
        const uint32_t elements = question == ASK_CONTACTS            ? test_less(110, 24)
                                  : question == ASK_ROOM_ON_PARABOLAS ? 8
                                                                      : 24;
        const uint64_t lowest = assert_limits(TOC_TRIANGLE, elements, "auto", question, &bytes);
        print_message("question %d: an answer of %zu bytes within %llu\n", (int)question, bytes,
                      (unsigned long long)lowest);
        assert_true(lowest > 0);
        if (elements > 100) assert_true(lowest < bytes / 2); // the memory is not that of the answer
    }
}

// The pairs of a step with room take more memory than the limit: none but those that can decide are kept.
static void room_within_less_than_its_pairs(void **state) {
    (void)state;
    const uint32_t elements = test_less(90, 24);
    toc_query query = toc_query_default();
    toc_scene *scene = busy_scene(NULL, TOC_TRIANGLE, elements);
    toc_contacts *contacts;
    limited_answer truth, limited;
    assert_ok(ask_room(scene, &query, false, &truth));
    toc_scene_destroy(scene);
    scene = busy_scene(NULL, TOC_TRIANGLE, elements);
    query.memory_limit = test_less(1500000, 1 << 24);
    assert_ok(ask_room(scene, &query, false, &limited));
    assert_true(scene->pool.peak <= query.memory_limit);
    assert_int_equal(limited.bytes, truth.bytes);
    assert_memory_equal(limited.at, truth.at, truth.bytes);
    query = toc_query_default();
    query.test.separation = limited_room.most;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    assert_true(elements < 90 || contacts->count * sizeof *contacts->contacts > 2 * 1500000);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    free(truth.at);
    free(limited.at);
}

static void presets_within_any_limit(void **state) {
    (void)state;
    static const char *const presets[] = {"local", "voxel-safe", "voxel", "brute"};
    size_t bytes;
    for (size_t i = 0; i < test_less(4, 2); i++)
        assert_true(assert_limits(TOC_TRIANGLE, 40, presets[i], ASK_CONTACTS, &bytes) > 0);
    assert_true(assert_limits(TOC_TET, 24, "auto", ASK_CONTACTS, &bytes) > 0);
}

// A question that leaves the limit out is not bound by that of the query before it.
static void a_limit_ends_with_its_query(void **state) {
    (void)state;
    toc_scene *scene = busy_scene(NULL, TOC_TRIANGLE, 40);
    toc_query query = toc_query_default();
    toc_contacts *contacts, *none = NULL;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    toc_touches *touches = calloc(contacts->count, sizeof *touches);
    assert_non_null(touches);
    query.memory_limit = 1 << 12;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &none), TOC_OUT_OF_MEMORY, "memory_limit");
    query.memory_limit = 0;
    assert_ok(toc_scene_find_touches(scene, &query, contacts, touches));
    free(touches);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
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

static int stop_at_once(void *user, const toc_contact *contacts, size_t count) {
    (void)contacts, (void)count;
    ++*(int *)user;
    return 1;
}

// A sink that asked to stop is not called again, by no other thread that has contacts ready.
static void a_sink_that_stops_is_left_alone(void **state) {
    (void)state;
    toc_scene *scene = busy_scene(NULL, TOC_TRIANGLE, 4);
    toc_query query = toc_query_default();
    toc_narrow_phase phase;
    toc_contact contact = {.kind = TOC_VF};
    int calls = 0;
    query.sink = (toc_contact_sink){stop_at_once, &calls};
    const toc_request request = toc_request_make(scene, &query, toc_preset_find("auto"));
    assert_ok(toc_request_update_step(&request, false, false));
    assert_ok(toc_narrow_phase_make(&request, &scene->step, 2, &phase));
    for (int i = 0; i < 2; i++)
        assert_fails(toc_narrow_phase_sink(&phase, &contact, 1), TOC_STOPPED, "stopped on request");
    assert_int_equal(calls, 1);
    toc_narrow_phase_free(&phase);
    toc_scene_destroy(scene);
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
        const toc_status status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
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

// A step with room, and candidates, in the least memory: the limit of every query is known to be tight.
static toc_status ask_in_rounds(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .2, .2, 0, 1, .1, 1, .1, 1, 1};
    const toc_query query = toc_query_default();
    toc_scene *scene;
    toc_candidates *candidates = NULL;
    toc_room_step step;
    (void)user;
    toc_status status = test_scene_of_triangles(allocator, x, &scene);
    if (status != TOC_OK) return status;
    for (int k = 0; k < 3 && status == TOC_OK; k++) {
        scene->thrifty_limit = SIZE_MAX;
        scene->thrifty_version = scene->step.version;
        if (k == 0) status = toc_scene_find_room_step(scene, &query, &limited_room, &step);
        if (k == 1) status = toc_scene_find_candidates(scene, &query, 0, 0.2, &candidates);
        if (k == 2) status = test_candidates_find_room_step(candidates, scene, &query, &limited_room, &step);
    }
    if (status == TOC_OK) assert_true(step.limited);
    toc_candidates_destroy(candidates);
    toc_scene_destroy(scene);
    return status;
}

static void any_allocation_of_rounds_may_fail(void **state) {
    (void)state;
    assert_true(test_every_allocation(ask_in_rounds, NULL) > 0);
}

static toc_status ask_within_a_limit(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .2, .2, 0, 1, .1, 1, .1, 1, 1};
    toc_query query = toc_query_default();
    toc_scene *scene;
    toc_contacts *contacts = NULL;
    query.memory_limit = *(const uint64_t *)user;
    query.threads = 1;
    toc_status status = test_scene_of_triangles(allocator, x, &scene);
    if (status != TOC_OK) return status;
    status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
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
    const toc_request request = toc_request_make(scene, &query, toc_preset_find("auto"));
    assert_ok(toc_request_update_step(&request, false, false));
    assert_ok(toc_narrow_phase_make(&request, &scene->step, 2, &phase));
    for (int i = 0; i < 2; i++) phase.at[i].offered = phase.at[i].asked = phase.at[i].found = UINT32_MAX;
    phase.sunk = UINT32_MAX;
    const toc_feature_pair pair = {{0, 1, 2, 3}};
    assert_ok(toc_narrow_worker_test(&phase.at[0], TOC_EE, &pair, 1));
    assert_ok(toc_narrow_phase_sink(&phase, contacts, 2));
    assert_ok(toc_contacts_make(&scene->allocator, &result));
    const toc_stage search = {.name = "search", .in = UINT64_C(1) << 40, .out = UINT64_C(1) << 33};
    toc_contacts_report(&phase, &search, 1, result);
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
        cmocka_unit_test(room_within_less_than_its_pairs),
        cmocka_unit_test(presets_within_any_limit),
        cmocka_unit_test(a_limit_ends_with_its_query),
        cmocka_unit_test(a_sink_that_stops_is_left_alone),
        cmocka_unit_test(the_sink_within_a_limit),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(any_allocation_of_rounds_may_fail),
        cmocka_unit_test(counts_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
