// SPDX-License-Identifier: Apache-2.0
// A question leaves nothing behind: asked before and after any other one, failures included, it has the same bytes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/query.h"
#include "support/answers.h"

// Two shaken soups, one of them thick, over a world that they reach in parts.
static toc_scene *make_request_scene(void) {
    test_random random = {11};
    toc_scene *scene;
    toc_world *world;
    assert_ok(toc_scene_create(NULL, &scene));
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = test_soup(&random, TOC_TRIANGLE, 12, 12);
        test_shake(mesh, &random, 0, 0.5);
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
        assert_ok(toc_scene_set_body_thickness(scene, b, 0.05 * b));
    }
    assert_ok(toc_world_create(NULL, test_sheet_at(12, -2), &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    toc_world_destroy(world);
    return scene;
}

typedef enum request_question {
    ASK_ALL,
    ASK_FIRST,
    ASK_FAR,     // with a separation, of thin features, by another preset
    ASK_SKIPPED, // without some stages
    ASK_TIGHT,   // in the least memory
    ASK_REFUSED, // in too little memory
    ASK_STOPPED, // by the sink
    ASK_NEAR,
    ASK_NEAR_IN_STEP,
    ASK_NEAR_GRID,
    ASK_NEAR_VERTICES,
    ASK_OVERLAPS,
    ASK_SAFE_STEP,
    ASK_ROOM_STEP,
    ASK_CLOSEST,
    ASK_CONTAINING,
    ASK_BAD_END,
    REQUEST_QUESTIONS
} request_question;

// The bytes of an answer, and its status.
typedef struct request_answer {
    toc_status status;
    size_t bytes;
    char *at;
} request_answer;

static void take_bytes(request_answer *answer, const void *from, size_t bytes) {
    answer->bytes = bytes;
    answer->at = malloc(bytes + 1);
    assert_non_null(answer->at);
    if (bytes) memcpy(answer->at, from, bytes);
}

static int stop_the_sink(void *user, const toc_contact *contacts, size_t count) {
    (void)user, (void)contacts, (void)count;
    return 1;
}

static toc_query query_of(request_question question) {
    toc_query query = toc_query_default();
    if (question == ASK_FIRST) query.answer = TOC_ANSWER_FIRST;
    if (question == ASK_FAR) query.preset = "bvh", query.test.separation = 0.3, query.thin = true;
    static const toc_research skipped = {.skip = TOC_SKIP_TRIANGLE_AXES | TOC_SKIP_FEATURE_DOPS};
    if (question == ASK_SKIPPED) query.research = &skipped;
    if (question == ASK_NEAR_GRID) query.preset = "voxel-safe";
    if (question == ASK_REFUSED) query.memory_limit = 1;
    if (question == ASK_STOPPED) query.sink.take = stop_the_sink;
    return query;
}

static request_answer ask_contacts(toc_scene *scene, const toc_query *query) {
    toc_contacts *contacts = NULL;
    request_answer answer = {.status = toc_scene_find_contacts(scene, query, NULL, &contacts)};
    if (answer.status == TOC_OK) take_bytes(&answer, contacts->contacts, contacts->count * sizeof *contacts->contacts);
    toc_contacts_destroy(contacts);
    return answer;
}

static request_answer ask_near(toc_scene *scene, const toc_query *query, bool in_step) {
    toc_near *near = NULL;
    request_answer answer = {.status = in_step ? test_find_near_in_step(scene, query, 0.2, &near)
                                               : test_find_near(scene, query, TOC_AT_END, 0.2, &near)};
    if (answer.status == TOC_OK) take_bytes(&answer, near->pairs, near->count * sizeof *near->pairs);
    toc_near_destroy(near);
    return answer;
}

static request_answer ask_near_vertices(toc_scene *scene, const toc_query *query) {
    toc_vertex_pairs *pairs = NULL;
    request_answer answer = {.status = test_find_near_vertices(scene, query, TOC_AT_START, 0.4, &pairs)};
    if (answer.status == TOC_OK) take_bytes(&answer, pairs->pairs, pairs->count * sizeof *pairs->pairs);
    toc_vertex_pairs_destroy(pairs);
    return answer;
}

static request_answer ask_overlaps(toc_scene *scene, const toc_query *query, toc_end end) {
    toc_overlaps *overlaps = NULL;
    request_answer answer = {.status = toc_scene_find_overlaps(scene, query, end, NULL, &overlaps)};
    if (answer.status == TOC_OK) take_bytes(&answer, overlaps->pairs, overlaps->count * sizeof *overlaps->pairs);
    toc_overlaps_destroy(overlaps);
    return answer;
}

static request_answer ask_steps(toc_scene *scene, const toc_query *query, bool leaves_room) {
    request_answer answer;
    toc_room_step step;
    memset(&step, 0, sizeof step);
    answer.status = leaves_room ? toc_scene_find_room_step(scene, query, NULL, &step)
                                : toc_scene_find_safe_step(scene, query, &step.fraction);
    take_bytes(&answer, &step, sizeof step);
    return answer;
}

static request_answer ask_probes(toc_scene *scene, const toc_query *query, bool closest) {
    const double at[] = {0, 0, 5, 9, 9, 9, 0.5, 0.5, 0.5};
    const toc_probe probe = {.count = 3, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    toc_scene_point points[3];
    uint32_t bodies[3];
    request_answer answer;
    memset(points, 0, sizeof points);
    answer.status = closest ? toc_scene_find_closest(scene, query, TOC_AT_END, &probe, points)
                            : toc_scene_find_containing(scene, query, TOC_AT_END, &probe, bodies);
    if (closest)
        take_bytes(&answer, points, sizeof points);
    else
        take_bytes(&answer, bodies, sizeof bodies);
    return answer;
}

static request_answer ask_question(toc_scene *scene, request_question question) {
    const toc_query query = query_of(question);
    switch (question) {
    case ASK_NEAR:
    case ASK_NEAR_IN_STEP:
    case ASK_NEAR_GRID:
        return ask_near(scene, &query, question == ASK_NEAR_IN_STEP);
    case ASK_NEAR_VERTICES:
        return ask_near_vertices(scene, &query);
    case ASK_OVERLAPS:
    case ASK_BAD_END:
        return ask_overlaps(scene, &query, question == ASK_BAD_END ? (toc_end)7 : TOC_AT_END);
    case ASK_SAFE_STEP:
    case ASK_ROOM_STEP:
        return ask_steps(scene, &query, question == ASK_ROOM_STEP);
    case ASK_CLOSEST:
    case ASK_CONTAINING:
        return ask_probes(scene, &query, question == ASK_CLOSEST);
    default:
        break;
    }
    if (question == ASK_TIGHT) scene->thrifty_limit = SIZE_MAX, scene->thrifty_version = scene->step.version;
    const request_answer answer = ask_contacts(scene, &query);
    scene->thrifty_limit = 0;
    return answer;
}

static void assert_same_answer(const request_answer *got, const request_answer *wanted) {
    assert_int_equal(got->status, wanted->status);
    assert_int_equal(got->bytes, wanted->bytes);
    if (got->bytes) assert_memory_equal(got->at, wanted->at, got->bytes);
}

// Ask A, B, A of one scene: both A are those of a scene that is asked nothing else.
static void compare_around(const request_answer *alone, request_question a, request_question b) {
    toc_scene *scene = make_request_scene();
    for (int i = 0; i < 3; i++) {
        request_answer answer = ask_question(scene, i == 1 ? b : a);
        // Free blocks of earlier questions may be enough for a limit that refuses the first one.
        if ((i == 1 ? b : a) != ASK_REFUSED) assert_same_answer(&answer, &alone[i == 1 ? b : a]);
        free(answer.at);
    }
    toc_scene_destroy(scene);
}

static void a_question_between_two(void **state) {
    (void)state;
    request_answer alone[REQUEST_QUESTIONS];
    for (int a = 0; a < REQUEST_QUESTIONS; a++) {
        toc_scene *scene = make_request_scene();
        alone[a] = ask_question(scene, (request_question)a);
        toc_scene_destroy(scene);
    }
    assert_int_equal(alone[ASK_REFUSED].status, TOC_OUT_OF_MEMORY);
    assert_int_equal(alone[ASK_STOPPED].status, TOC_STOPPED);
    assert_int_equal(alone[ASK_BAD_END].status, TOC_BAD_INPUT);
    assert_same_answer(&alone[ASK_TIGHT], &alone[ASK_ALL]);
    assert_same_answer(&alone[ASK_SKIPPED], &alone[ASK_ALL]);
    assert_true(alone[ASK_ALL].bytes > alone[ASK_FIRST].bytes && alone[ASK_FAR].bytes != alone[ASK_ALL].bytes);
    for (int a = 0; a < REQUEST_QUESTIONS; a++)
        for (int b = 0; b < REQUEST_QUESTIONS; b++) compare_around(alone, (request_question)a, (request_question)b);
    for (int a = 0; a < REQUEST_QUESTIONS; a++) free(alone[a].at);
}

// ---- the tries of a question

typedef struct hungry_question {
    toc_scene_question question; // the first field
    int tries;
    toc_request seen[4];
} hungry_question;

// Note the request, and take more memory than there is.
static toc_status take_too_much(const toc_request *request, toc_scene_question *question) {
    hungry_question *hungry = (hungry_question *)question;
    hungry->seen[hungry->tries++] = *request;
    void *much = toc_new(&request->scene->memory, 1, 1 << 20);
    toc_free(&request->scene->memory, much, much ? 1 : 0, 1 << 20);
    return much ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// All tries see one request, but for their memory: as usual, without kept structures, with the least.
static void tries_differ_in_memory_alone(void **state) {
    (void)state;
    toc_scene *scene = make_request_scene();
    toc_query query = toc_query_default();
    query.memory_limit = 1 << 16;
    query.test.separation = 0.25;
    const toc_request request = toc_request_make(scene, &query, toc_preset_find("auto"));
    hungry_question hungry = {.question.run = take_too_much};
    assert_fails(toc_query_run(&request, &hungry.question), TOC_OUT_OF_MEMORY, "memory_limit of 65536");
    assert_int_equal(hungry.tries, 3);
    for (int i = 0; i < 3; i++) {
        toc_request same = hungry.seen[i];
        assert_true(same.thrifty == (i == 2));
        same.thrifty = request.thrifty;
        assert_memory_equal(&same, &request, sizeof same);
    }
    assert_true(request.reach >= 0.25 && isfinite(request.reach) && scene->pool.limit == SIZE_MAX);
    toc_scene_destroy(scene);
}

// A question that begins again counts its components anew.
static void containments_within_any_limit(void **state) {
    (void)state;
    int kept = 0, refused = 0;
    for (uint64_t limit = 1 << 12; limit < 1 << 22; limit += limit / 8) {
        toc_scene *scene = make_request_scene();
        toc_query query = toc_query_default();
        toc_containments *found = NULL;
        query.memory_limit = limit;
        const toc_status status = toc_scene_find_containments(scene, &query, TOC_AT_START, &found);
        if (status != TOC_OK) assert_fails(status, TOC_OUT_OF_MEMORY, "memory_limit");
        *(status == TOC_OK ? &kept : &refused) += 1;
        toc_containments_destroy(found);
        toc_scene_destroy(scene);
    }
    assert_true(kept > 0 && refused > 0);
}

// A wider question within another one reaches farther into worlds. One about all of a world stays so.
static void a_changed_request_has_a_reach_of_its_own(void **state) {
    (void)state;
    toc_scene *scene = make_request_scene();
    toc_query query = toc_query_default();
    toc_request request = toc_request_make(scene, &query, toc_preset_find("auto"));
    query.test.separation = 2;
    toc_request wide = toc_request_change(&request, &query);
    assert_true(request.query.test.separation == 0 && wide.reach == request.reach + 2);
    request.reach = INFINITY;
    wide = toc_request_change(&request, &query);
    assert_true(isinf(wide.reach));
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_between_two),
        cmocka_unit_test(containments_within_any_limit),
        cmocka_unit_test(tries_differ_in_memory_alone),
        cmocka_unit_test(a_changed_request_has_a_reach_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
