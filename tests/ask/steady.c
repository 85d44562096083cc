// SPDX-License-Identifier: Apache-2.0
// The inner loop of a solver: steps that allocate nothing, results in memory that is used again, contacts in batches,
// threads of the caller, a limit on the memory.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/answers.h"

enum { CELLS = 8, FEW_CELLS = 2, WARM = 12, STEADY = 8 };

typedef struct loop_scene {
    test_allocator memory;
    toc_scene *scene;
    double *x;
    size_t count; // of vertices, in each of two sheets
} loop_scene;

static void make_loop(loop_scene *l, uint32_t cells) {
    test_allocator_make(&l->memory, 0);
    assert_ok(toc_scene_create(&l->memory.allocator, &l->scene));
    for (int b = 0; b < 2; b++) assert_ok(toc_scene_add_body(l->scene, test_sheet_at(cells, 0.1 * b), NULL));
    l->count = toc_mesh_get_vertex_count(toc_scene_get_mesh(l->scene, 0));
    l->x = calloc(3 * l->count, sizeof *l->x);
    assert_non_null(l->x);
}

static void free_loop(loop_scene *l) {
    toc_scene_destroy(l->scene);
    free(l->x);
    assert_int_equal(l->memory.alive, 0);
}

// A wave through both sheets that repeats after eight steps: some contacts in some steps.
static void wave(loop_scene *l, int step) {
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(l->scene, b);
        memcpy(l->x, toc_mesh_get_x1(mesh), 3 * l->count * sizeof *l->x);
        for (size_t i = 0; i < l->count; i++) {
            const double phase = 0.7853981633974483 * (step + (b ? 3 : 0));
            l->x[3 * i + 2] = 0.03 * sin(phase + 0.5 * (double)(i % 7)) + (b ? 0.01 : 0);
        }
        assert_ok(test_mesh_move(mesh, l->x));
    }
}

typedef struct answers {
    toc_contacts *contacts;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
} answers;

static toc_status update_answers(loop_scene *l, int threads, answers *a) {
    toc_query query = toc_query_default();
    const toc_near_query near = test_near(TOC_NEAR_AT_START, 0.005);
    query.threads = threads;
    toc_status status = toc_scene_find_contacts(l->scene, &query, a->contacts, &a->contacts);
    if (status == TOC_OK) status = toc_scene_find_near(l->scene, &query, &near, a->near, &a->near);
    if (status == TOC_OK) status = toc_scene_find_overlaps(l->scene, &query, TOC_AT_START, a->overlaps, &a->overlaps);
    if (status == TOC_OK) status = toc_scene_find_safe_step(l->scene, &query, &a->fraction);
    return status;
}

static void free_answers(answers *a) {
    toc_contacts_destroy(a->contacts);
    toc_near_destroy(a->near);
    toc_overlaps_destroy(a->overlaps);
}

static void a_steady_step_allocates_nothing(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        loop_scene l;
        answers a = {NULL, NULL, NULL, 0};
        size_t contacts = 0, near = 0, overlaps = 0;
        make_loop(&l, CELLS);
        for (int step = 0; step < WARM + STEADY; step++) {
            wave(&l, step);
            const uint64_t before = l.memory.calls;
            assert_ok(update_answers(&l, threads, &a));
            // Which thread gets how many contacts is chance, so several threads may need a little more now and then.
            if (step >= WARM && threads == 1) assert_int_equal(l.memory.calls, before);
            if (step >= WARM) assert_true(l.memory.calls <= before + 20);
            contacts += a.contacts->count;
            near += a.near->count;
            overlaps += a.overlaps->count;
        }
        assert_true(contacts > 0 && near > 0 && overlaps > 0);
        free_answers(&a);
        free_loop(&l);
    }
}

// The result handed back in has the same content as a new one, whatever it held before.
static void an_updated_result_is_a_new_one(void **state) {
    (void)state;
    loop_scene l;
    answers a = {NULL, NULL, NULL, 0};
    make_loop(&l, CELLS);
    for (int step = 0; step < 9; step++) {
        const toc_query query = toc_query_default();
        toc_contacts *contacts;
        toc_near *near;
        toc_overlaps *overlaps;
        wave(&l, step);
        assert_ok(update_answers(&l, 0, &a));
        assert_ok(toc_scene_find_contacts(l.scene, &query, NULL, &contacts));
        assert_ok(test_find_near(l.scene, &query, TOC_AT_START, 0.005, &near));
        assert_ok(toc_scene_find_overlaps(l.scene, &query, TOC_AT_START, NULL, &overlaps));
        assert_int_equal(a.contacts->count, contacts->count);
        assert_int_equal(a.contacts->found, contacts->count);
        assert_int_equal(a.near->count, near->count);
        assert_int_equal(a.overlaps->count, overlaps->count);
        for (size_t i = 0; i < contacts->count; i++)
            assert_memory_equal(&a.contacts->contacts[i], &contacts->contacts[i], sizeof *contacts->contacts);
        for (size_t i = 0; i < near->count; i++)
            assert_memory_equal(&a.near->pairs[i], &near->pairs[i], sizeof *near->pairs);
        for (size_t i = 0; i < overlaps->count; i++)
            assert_memory_equal(&a.overlaps->pairs[i], &overlaps->pairs[i], sizeof *overlaps->pairs);
        toc_contacts_destroy(contacts);
        toc_near_destroy(near);
        toc_overlaps_destroy(overlaps);
    }
    free_answers(&a);
    free_loop(&l);
}

static toc_status three_steps(const toc_allocator *allocator, void *user) {
    (void)user;
    loop_scene l;
    answers a = {NULL, NULL, NULL, 0};
    toc_status status = TOC_OK;
    make_loop(&l, FEW_CELLS);
    toc_scene *scene; // of the failing allocator
    if (toc_scene_create(allocator, &scene) != TOC_OK) {
        free_loop(&l);
        return TOC_OUT_OF_MEMORY;
    }
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = NULL;
        if (status == TOC_OK) status = toc_scene_remove_body(l.scene, b, &mesh);
        if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    toc_scene_destroy(l.scene);
    l.scene = scene;
    for (int step = 0; step < 3 && status == TOC_OK; step++) {
        wave(&l, step);
        status = update_answers(&l, 1, &a);
    }
    free_answers(&a);
    toc_scene_destroy(scene);
    free(l.x);
    return status;
}

static void a_steady_loop_survives_failed_allocations(void **state) {
    (void)state;
    test_every_allocation(three_steps, NULL);
}

static void a_failed_update_leaves_the_result(void **state) {
    (void)state;
    loop_scene l;
    answers a = {NULL, NULL, NULL, 0};
    toc_query query = toc_query_default();
    make_loop(&l, CELLS);
    for (int step = 0; !a.contacts || a.contacts->count == 0; step++) {
        wave(&l, step);
        assert_ok(update_answers(&l, 1, &a));
    }
    const toc_contacts before = *a.contacts;
    toc_contact *copy = calloc(before.count, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, before.contacts, before.count * sizeof *copy);
    query.memory_limit = 1;
    assert_fails(toc_scene_find_contacts(l.scene, &query, a.contacts, &a.contacts), TOC_OUT_OF_MEMORY,
                 "memory_limit of 1 bytes");
    const toc_near_query near = test_near(TOC_NEAR_AT_START, 0.005);
    assert_fails(toc_scene_find_near(l.scene, &query, &near, a.near, &a.near), TOC_OUT_OF_MEMORY, "limit");
    assert_memory_equal(a.contacts, &before, sizeof before);
    assert_memory_equal(a.contacts->contacts, copy, before.count * sizeof *copy);
    free(copy);
    free_answers(&a);
    free_loop(&l);
}

// ---- contacts in batches

typedef struct collected {
    toc_contact *at;
    size_t count, most;
    size_t stop_at; // 0: never
    int inside;     // calls under way
} collected;

static int collect(void *user, const toc_contact *contacts, size_t count) {
    collected *c = user;
    c->inside++;
    assert_int_equal(c->inside, 1);
    assert_true(c->count + count <= c->most);
    memcpy(c->at + c->count, contacts, count * sizeof *contacts);
    c->count += count;
    c->inside--;
    return c->stop_at && c->count >= c->stop_at;
}

static int by_everything(const void *a, const void *b) {
    const toc_contact *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (x->body[i] != y->body[i]) return x->body[i] < y->body[i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (x->v[i] != y->v[i]) return x->v[i] < y->v[i] ? -1 : 1;
    return 0;
}

static void check_sink(toc_scene *scene, toc_query query) {
    toc_contacts *wanted, *got;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &wanted));
    collected c = {.most = wanted->count};
    c.at = calloc(c.most + 1, sizeof *c.at);
    assert_non_null(c.at);
    query.sink = (toc_contact_sink){collect, &c};
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &got));
    assert_int_equal(got->count, 0);
    assert_int_equal(got->found, wanted->count);
    assert_int_equal(c.count, wanted->count);
    qsort(c.at, c.count, sizeof *c.at, by_everything);
    for (size_t i = 0; i < c.count; i++) assert_memory_equal(&c.at[i], &wanted->contacts[i], sizeof *c.at);
    toc_contacts_destroy(wanted);
    toc_contacts_destroy(got);
    free(c.at);
}

static toc_scene *touching_sheets(void) {
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int b = 0; b < 3; b++) assert_ok(toc_scene_add_body(scene, test_sheet_at(10, 0.03 * b), NULL));
    return scene;
}

// More contacts than a batch, with every preset and answer.
static void the_sink_receives_each_contact_once(void **state) {
    (void)state;
    toc_scene *scene = touching_sheets();
    for (size_t p = 0; toc_preset_get(p).name; p++)
        for (int threads = 1; threads <= 3; threads += 2) {
            toc_query query = toc_query_default();
            query.preset = toc_preset_get(p).name;
            query.threads = threads;
            check_sink(scene, query);
            query.answer = TOC_ANSWER_FIRST;
            if (threads == 1) check_sink(scene, query);
        }
    toc_scene_destroy(scene);
}

static void the_sink_can_stop(void **state) {
    (void)state;
    toc_scene *scene = touching_sheets();
    toc_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    collected c = {.most = 1 << 20, .stop_at = 1};
    c.at = calloc(c.most, sizeof *c.at);
    query.sink = (toc_contact_sink){collect, &c};
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_STOPPED, "sink");
    assert_null(contacts);
    free(c.at);
    toc_scene_destroy(scene);
}

// ---- threads of the caller

typedef struct started_task {
    void (*work)(void *data);
    void *data;
    pthread_t thread;
    bool late; // runs when it is finished
} started_task;

typedef struct task_log {
    int started, finished, refused;
    int mode; // 0: threads; 1: refuse all; 2: run late; 3: by turns
} task_log;

static void *run_started(void *user) {
    started_task *task = user;
    task->work(task->data);
    return NULL;
}

static void *start_task(void *user, void (*work)(void *data), void *data) {
    task_log *log = user;
    const int mode = log->mode < 3 ? log->mode : (log->started + log->refused) % 3;
    if (mode == 1) {
        log->refused++;
        return NULL;
    }
    started_task *task = calloc(1, sizeof *task);
    *task = (started_task){.work = work, .data = data, .late = mode == 2};
    log->started++;
    if (!task->late) assert_int_equal(pthread_create(&task->thread, NULL, run_started, task), 0);
    return task;
}

static void finish_task(void *user, void *started) {
    task_log *log = user;
    started_task *task = started;
    if (task->late)
        task->work(task->data);
    else
        pthread_join(task->thread, NULL);
    log->finished++;
    free(task);
}

static void tasks_of_the_caller_give_the_same_answer(void **state) {
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        loop_scene l;
        task_log log = {.mode = mode};
        make_loop(&l, CELLS);
        for (int step = 0; step < 3; step++) {
            toc_query query = toc_query_default();
            toc_contacts *alone, *together;
            wave(&l, step);
            query.threads = 1;
            assert_ok(toc_scene_find_contacts(l.scene, &query, NULL, &alone));
            query.threads = 4;
            query.tasks = (toc_task_system){start_task, finish_task, &log};
            assert_ok(toc_scene_find_contacts(l.scene, &query, NULL, &together));
            assert_int_equal(alone->count, together->count);
            for (size_t i = 0; i < alone->count; i++)
                assert_memory_equal(&alone->contacts[i], &together->contacts[i], sizeof *alone->contacts);
            toc_contacts_destroy(alone);
            toc_contacts_destroy(together);
        }
        assert_int_equal(log.started, log.finished);
        assert_true(log.started + log.refused > 0);
        free_loop(&l);
    }
}

static void a_task_system_needs_both_functions(void **state) {
    (void)state;
    loop_scene l;
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    make_loop(&l, CELLS);
    query.tasks.start = start_task;
    assert_fails(toc_scene_find_contacts(l.scene, &query, NULL, &contacts), TOC_BAD_INPUT, "finish");
    free_loop(&l);
}

// ---- a limit on the memory

static void a_limit_is_kept_or_named(void **state) {
    (void)state;
    bool fits = false;
    for (uint64_t limit = 1 << 10; !fits; limit *= 2) {
        toc_scene *scene = touching_sheets();
        test_allocator memory;
        test_allocator_make(&memory, 0);
        toc_query query = toc_query_default();
        toc_contacts *contacts = NULL, *again;
        query.memory_limit = limit;
        query.threads = 1;
        const toc_status status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
        fits = status == TOC_OK;
        if (!fits) assert_fails(status, TOC_OUT_OF_MEMORY, "memory_limit");
        query.memory_limit = 0; // the scene is as good as before
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &again));
        if (fits) assert_int_equal(contacts->count, again->count);
        toc_contacts_destroy(contacts);
        toc_contacts_destroy(again);
        toc_scene_destroy(scene);
        assert_true(limit < (uint64_t)1 << 30);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_step_allocates_nothing),
        cmocka_unit_test(an_updated_result_is_a_new_one),
        cmocka_unit_test(a_steady_loop_survives_failed_allocations),
        cmocka_unit_test(a_failed_update_leaves_the_result),
        cmocka_unit_test(the_sink_receives_each_contact_once),
        cmocka_unit_test(the_sink_can_stop),
        cmocka_unit_test(tasks_of_the_caller_give_the_same_answer),
        cmocka_unit_test(a_task_system_needs_both_functions),
        cmocka_unit_test(a_limit_is_kept_or_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
