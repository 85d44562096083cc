// SPDX-License-Identifier: Apache-2.0
// Hosts with another floating-point state: every rounding mode, flushing of subnormal numbers, threads and callbacks
// that change it. Answers are the same in every bit, and the host's state is as it was.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "support/answers.h"
#include "support/modes.h"

enum { PAIRS = 2000, CELLS = 6 };

// Coordinates of few bits, so that ties are frequent; half of the pairs near the smallest doubles.
static toc_pair random_pair(test_random *random, int i) {
    toc_pair pair;
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 12; k++)
            (end ? pair.x1 : pair.x0)[k / 3][k % 3] =
                ldexp(i % 4 < 2 ? (double)test_random_below(random, 5) - 2 : test_random_between(random, -1, 1),
                      i % 8 < 4 ? 0 : -1022 + i % 5);
    return pair;
}

static void pairs_are_decided_alike_in_every_state(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_method methods[] = {TOC_METHOD_CERTIFIED, TOC_METHOD_EXACT};
    int hits = 0;
    for (int i = 0; i < test_less(PAIRS, 400); i++) {
        const toc_pair pair = random_pair(&random, i);
        toc_pair_test test = toc_pair_test_default();
        test.method = methods[i / 2 % 2];
        toc_hit right, hit;
        memset(&right, 0, sizeof right);
        assert_ok(toc_pair_find((toc_kind)(i % 2), &pair, &test, &right));
        hits += right.verdict == TOC_HIT;
        for (int mode = 1; mode < MODES; mode++) {
            memset(&hit, 0, sizeof hit);
            enter_mode(mode);
            const toc_status status = toc_pair_find((toc_kind)(i % 2), &pair, &test, &hit);
            leave_mode(mode);
            assert_ok(status);
            assert_int_equal(hit.verdict, right.verdict);
            // Of an APART only the verdict is defined.
            if (hit.verdict != TOC_APART) assert_memory_equal(&hit, &right, sizeof hit);
        }
    }
    assert_true(hits > 20);
}

// ---- scenes

typedef struct host {
    int mode; // that threads and callbacks of the host are in
    toc_status status;
    size_t calls;
} host;

static int report_in_mode(void *user, double done) {
    host *h = user;
    (void)done;
    enter_mode(h->mode);
    h->calls++;
    return 0;
}

static bool want_in_mode(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const host *h = user;
    (void)kind, (void)body, (void)v;
    enter_mode(h->mode);
    return true;
}

typedef struct host_task {
    pthread_t thread;
    void (*work)(void *data);
    void *data;
    int mode;
} host_task;

static host_task host_tasks[8];
static int host_task_count;

static void *run_host_task(void *user) {
    const host_task *task = user;
    enter_mode(task->mode);
    task->work(task->data);
    return NULL;
}

static void *start_host_task(void *user, void (*work)(void *data), void *data) {
    const host *h = user;
    if (host_task_count == 8) return NULL;
    host_task *task = &host_tasks[host_task_count++];
    *task = (host_task){.work = work, .data = data, .mode = h->mode};
    enter_mode(h->mode);
    return pthread_create(&task->thread, NULL, run_host_task, task) == 0 ? task : NULL;
}

static void finish_host_task(void *user, void *task) {
    const host *h = user;
    pthread_join(((host_task *)task)->thread, NULL);
    host_task_count--;
    enter_mode(h->mode);
}

// Two folded sheets through each other, in units near the smallest doubles.
static toc_scene *make_sheets(double unit) {
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int b = 0; b < 2; b++) {
        toc_mesh *mesh = test_sheet_at(CELLS, 0.1 * b);
        const size_t count = toc_mesh_get_vertex_count(mesh);
        double x0[3 * (CELLS + 1) * (CELLS + 1)], x1[3 * (CELLS + 1) * (CELLS + 1)];
        assert_int_equal(count, (CELLS + 1) * (CELLS + 1));
        for (size_t i = 0; i < 3 * count; i++) {
            x0[i] = toc_mesh_get_x0(mesh)[i] * unit;
            x1[i] = x0[i] + (i % 3 == 2 ? (b ? -0.2 : 0.1 * sin((double)i)) * unit : 0);
        }
        assert_ok(test_mesh_set_motion(mesh, x0, x1));
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    return scene;
}

typedef struct sheet_answers {
    toc_contacts *contacts;
    toc_near *near;
    double safe;
    toc_room_step room;
} sheet_answers;

static toc_status ask_sheets(const toc_query *query, double unit, int mode, sheet_answers *a) {
    toc_scene *scene = make_sheets(unit);
    volatile double distance = 0.12 * unit; // before the mode: flushing makes it 0
    enter_mode(mode);
    toc_status status = toc_scene_find_contacts(scene, query, NULL, &a->contacts);
    if (status == TOC_OK) status = test_find_near(scene, query, TOC_AT_START, distance, &a->near);
    if (status == TOC_OK) status = toc_scene_find_safe_step(scene, query, &a->safe);
    if (status == TOC_OK) status = toc_scene_find_room_step(scene, query, NULL, &a->room);
    leave_mode(mode);
    toc_scene_destroy(scene);
    return status;
}

static void free_sheets(sheet_answers *a) {
    toc_contacts_destroy(a->contacts);
    toc_near_destroy(a->near);
}

static void assert_sheets_equal(const sheet_answers *a, const sheet_answers *b) {
    assert_int_equal(a->contacts->count, b->contacts->count);
    assert_memory_equal(a->contacts->contacts, b->contacts->contacts,
                        a->contacts->count * sizeof *a->contacts->contacts);
    assert_int_equal(a->near->count, b->near->count);
    for (size_t i = 0; i < a->near->count; i++) {
        assert_memory_equal(a->near->pairs[i].v, b->near->pairs[i].v, sizeof a->near->pairs[i].v);
        assert_double_same(a->near->pairs[i].distance, b->near->pairs[i].distance);
    }
    assert_double_same(a->safe, b->safe);
    assert_double_same(a->room.fraction, b->room.fraction);
}

static void scenes_answer_alike_in_every_state(void **state) {
    (void)state;
    const double units[] = {1, 0x1p-1030};
    const char *presets[] = {"auto", "brute", "voxel-safe"};
    for (int i = 0; i < 6; i += test_less(1, 3))
        for (int threads = 1; threads <= 3; threads += 2) {
            toc_query query = toc_query_default();
            sheet_answers right = {.safe = 0};
            query.threads = threads;
            query.preset = presets[i % 3];
            assert_ok(ask_sheets(&query, units[i / 3], 0, &right));
            assert_true(right.contacts->count > 10 && right.near->count > 10 && right.safe < 1);
            for (int mode = 1; mode < MODES; mode++) {
                sheet_answers a = {.safe = 0};
                assert_ok(ask_sheets(&query, units[i / 3], mode, &a));
                assert_sheets_equal(&a, &right);
                free_sheets(&a);
            }
            free_sheets(&right);
        }
}

// Callbacks that leave another state behind, and threads of the caller that begin in one.
static void callbacks_and_tasks_change_no_answer(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    sheet_answers right = {.safe = 0};
    query.threads = 3;
    assert_ok(ask_sheets(&query, 0x1p-1030, 0, &right));
    for (int mode = 1; mode < MODES; mode++) {
        host h = {.mode = mode};
        sheet_answers a = {.safe = 0};
        query.progress = (toc_progress){report_in_mode, &h};
        query.filter.wants = want_in_mode;
        query.filter.user = &h;
        query.tasks = (toc_task_system){start_host_task, finish_host_task, &h};
        assert_ok(ask_sheets(&query, 0x1p-1030, 0, &a));
        assert_true(h.calls > 0);
        assert_sheets_equal(&a, &right);
        free_sheets(&a);
    }
    free_sheets(&right);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_decided_alike_in_every_state),
                                       cmocka_unit_test(scenes_answer_alike_in_every_state),
                                       cmocka_unit_test(callbacks_and_tasks_change_no_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
