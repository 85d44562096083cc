// SPDX-License-Identifier: Apache-2.0
// Positions in memory of the device: the answers of every question are those of the same positions in the mesh.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "support/device.h"
#include "support/twins.h"

enum { BODIES = TEST_TWIN_BODIES };

// Tests of the emulated device alone; others run on the device of the machine where TOC_DEVICE says so.
static bool is_real;
#define NEED_EMULATED() \
    if (is_real) skip()

static const toc_device *the_device(void) {
    const toc_device *device;
    assert_ok(toc_device_open(&device));
    return device;
}

static const size_t vertex_bytes = 96; // of the memory of each end

static void make_twins(test_twins *t) {
    test_twins_make(t);
    for (int i = 0; i < BODIES * 2; i++) {
        void *memory;
        assert_ok(toc_device_allocate(vertex_bytes * t->count, &memory));
        t->memory[i / 2][i % 2] = memory;
    }
}

static void free_twins(test_twins *t) { test_twins_free(t, toc_device_release); }

// The positions of an end as a solver has them. The memory is the caller's.
static char *write_end(const test_twins *t, int body, int end, toc_scalar scalar, size_t stride) {
    char *memory = calloc(t->count, vertex_bytes);
    test_twins_write(t, body, end, scalar, stride, memory);
    return memory;
}

static void move_all(test_twins *t, toc_scalar scalar, size_t stride, size_t offset, void *stream) {
    for (int b = 0; b < BODIES; b++) {
        toc_shared_positions ends[2];
        for (int end = 0; end < 2; end++) {
            char *written = write_end(t, b, end, scalar, stride);
            assert_ok(toc_device_copy(t->memory[b][end] + offset, written, vertex_bytes * t->count - offset, stream));
            free(written);
            ends[end] = (toc_shared_positions){t->memory[b][end] + offset, stride, scalar};
        }
        assert_ok(toc_scene_move_on_device(t->shared, (uint32_t)b, t->count, &ends[0], &ends[1], stream));
        test_twins_copy(t, b);
    }
}

// Doubles and floats, without a gap and with one, behind an offset, on each default stream, on none; step after step.
static void any_layout_gives_the_same_answers(void **state) {
    (void)state;
    static const struct {
        toc_scalar scalar;
        size_t stride, offset;
    } layouts[] = {{TOC_DOUBLE, 0, 0}, {TOC_DOUBLE, 24, 8}, {TOC_DOUBLE, 32, 0},
                   {TOC_FLOAT, 0, 0},  {TOC_FLOAT, 16, 4},  {TOC_FLOAT, 80, 12}};
    test_random random = test_random_make(0);
    test_twins t;
    make_twins(&t);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        test_twins_place(&t, &random);
        move_all(&t, layouts[i].scalar, layouts[i].stride, layouts[i].offset, (void *)(uintptr_t)(i % 3));
        test_twins_assert_same(&t, i % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU, 1 + (int)(i % 3));
    }
    free_twins(&t);
}

// Copies that the stream has not done yet are read, and those that it is given later are not.
static void the_stream_has_its_order(void **state) {
    (void)state;
    const toc_device *device = the_device();
    test_random random = test_random_make(0);
    test_twins t;
    void *stream;
    char *written[BODIES][2];
    make_twins(&t);
    test_twins_place(&t, &random);
    assert_ok(device->enter());
    assert_ok(device->open(&stream));
    char *spoiled = malloc(vertex_bytes * t.count);
    memset(spoiled, 0xff, vertex_bytes * t.count); // NaN
    for (int b = 0; b < BODIES; b++) {
        toc_shared_positions ends[2];
        for (int end = 0; end < 2; end++) {
            assert_ok(toc_device_copy(t.memory[b][end], spoiled, vertex_bytes * t.count, NULL));
            written[b][end] = write_end(&t, b, end, TOC_DOUBLE, 24);
            assert_ok(device->copy(stream, t.memory[b][end], written[b][end], vertex_bytes * t.count));
            ends[end] = (toc_shared_positions){t.memory[b][end], 0, TOC_DOUBLE};
        }
        assert_ok(toc_scene_move_on_device(t.shared, (uint32_t)b, t.count, &ends[0], &ends[1], stream));
        for (int end = 0; end < 2; end++)
            assert_ok(device->copy(stream, t.memory[b][end], spoiled, vertex_bytes * t.count));
        test_twins_copy(&t, b);
    }
    assert_ok(device->wait(stream)); // the positions went before
    device->leave();
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 2);
    assert_ok(device->enter());
    device->close(stream);
    device->leave();
    for (int i = 0; i < BODIES * 2; i++) free(written[i / 2][i % 2]);
    free(spoiled);
    free_twins(&t);
}

// Each wrong argument has its sentence, and the body keeps its positions.
static void bad_input_changes_nothing(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    make_twins(&t);
    test_twins_place(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    char *m = t.memory[0][0];
    const toc_shared_positions good = {m, 0, TOC_DOUBLE}, null = {NULL, 0, TOC_DOUBLE}, odd = {m + 4, 0, TOC_DOUBLE},
                               odd_float = {m + 2, 0, TOC_FLOAT}, odd_stride = {m, 28, TOC_DOUBLE},
                               wide = {m, 104, TOC_DOUBLE}, wild = {(void *)(uintptr_t)8, 0, TOC_DOUBLE},
                               here = {toc_mesh_get_x0(toc_scene_get_mesh(t.copied, 0)), 0, TOC_DOUBLE},
                               late = {m + 88 * t.count, 0, TOC_DOUBLE}, huge = {m, SIZE_MAX - 7, TOC_DOUBLE};
    const struct {
        const toc_shared_positions *x1;
        const char *words;
    } wrong[] = {{NULL, "x1"},
                 {&null, "NULL"},
                 {&odd, "multiples of 8"},
                 {&odd_float, "multiples of 4"},
                 {&odd_stride, "stride"},
                 {&wide, "are needed"},
                 {&late, "are needed"},
                 {&wild, "not that of"},
                 {&here, "not that of"},
                 {&huge, "memory"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(toc_scene_move_on_device(t.shared, 0, t.count, &good, wrong[i].x1, NULL), TOC_BAD_INPUT,
                     wrong[i].words);
    assert_fails(toc_scene_move_on_device(t.shared, 0, t.count, NULL, &good, NULL), TOC_BAD_INPUT, "x0");
    assert_fails(toc_scene_move_on_device(t.shared, 0, t.count - 1, &good, &good, NULL), TOC_BAD_INPUT, "vertices");
    assert_fails(toc_scene_move_on_device(t.shared, 2, t.count, &good, &good, NULL), TOC_BAD_INPUT, "no body 2");
    assert_fails(toc_scene_move_on_device(NULL, 0, t.count, &good, &good, NULL), TOC_BAD_INPUT, "scene");
    if (!is_real)
        assert_fails(toc_scene_move_on_device(t.shared, 0, t.count, &good, &good, m), TOC_BAD_INPUT, "stream");
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    free_twins(&t);
}

// The question names the vertex; the next positions are fine.
static void nan_on_the_device_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    toc_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    make_twins(&t);
    for (int round = 0; round < 4; round++) {
        test_twins_place(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        const double bad[] = {NAN, INFINITY};
        const toc_shared_positions x0 = {t.memory[1][0], 0, TOC_DOUBLE}, x1 = {t.memory[1][1], 0, TOC_DOUBLE};
        char *at = t.memory[1][round / 2] + (3 * 17 + 1) * sizeof(double);
        assert_ok(toc_device_copy(at, &bad[round % 2], sizeof *bad, NULL));
        assert_ok(toc_scene_move_on_device(t.shared, 1, t.count, &x0, &x1, (void *)(uintptr_t)(round % 2)));
        query.device = round % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU;
        assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT,
                     round / 2 ? "x1, vertex 17: coordinate y" : "x0, vertex 17: coordinate y");
        test_twins_place(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    }
    free_twins(&t);
}

// Sharing ends, memory of the processor takes over, bodies go, the mesh changes: no position is stale.
static void other_positions_take_over(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    toc_contacts *contacts = NULL;
    const toc_query query = toc_query_default();
    make_twins(&t);
    test_twins_place(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    test_twins_place(&t, &random);
    const toc_shared_positions here[2] = {{t.x[0][0], 0, TOC_DOUBLE}, {t.x[0][1], 0, TOC_DOUBLE}};
    assert_ok(toc_scene_share_positions(t.shared, 0, t.count, &here[0], &here[1]));
    assert_ok(toc_scene_share_positions(t.shared, 1, 0, NULL, NULL));
    assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.shared, 1), t.x[1][0], t.x[1][1]));
    for (int b = 0; b < BODIES; b++) test_twins_copy(&t, b);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    test_twins_place(&t, &random);
    move_all(&t, TOC_FLOAT, 0, 0, NULL);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 2);
    assert_fails(toc_scene_merge_bodies(t.shared, 0, 1, NULL, NULL), TOC_BAD_INPUT, "shares positions");
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(t.shared, 0), 3));
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(t.copied, 0), 3));
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    assert_ok(toc_mesh_add_vertices(toc_scene_edit_mesh(t.shared, 0), 1, (const double[3]){0}, NULL));
    assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT, "shares the positions of");
    assert_ok(toc_scene_remove_body(t.shared, 0, NULL));
    assert_ok(toc_scene_find_contacts(t.shared, &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    free_twins(&t);
}

// Half of the ids are dead: the scene has a compact copy of the mesh, which takes the positions of its own ids.
static void compact_meshes_take_their_part(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    make_twins(&t);
    for (int s = 0; s < 2; s++) {
        toc_mesh *mesh = toc_scene_edit_mesh(s ? t.shared : t.copied, 0);
        for (uint32_t e = 0; e < TEST_TWIN_CELLS * TEST_TWIN_CELLS * 2 * 3 / 4; e++)
            assert_ok(toc_mesh_remove_element(mesh, e));
        for (uint32_t v = 0; v < t.count; v++) toc_mesh_remove_vertex(mesh, v); // those that have no element
    }
    for (int step = 0; step < 3; step++) {
        test_twins_place(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    }
    free_twins(&t);
}

// Lost at any call: a sentence, and right answers once the body is moved again or sharing ends.
static void a_lost_device_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    test_random random = test_random_make(0);
    test_twins t;
    bool done = false;
    make_twins(&t);
    test_twins_place(&t, &random);
    for (size_t calls = 0; !done; calls++) {
        toc_contacts *contacts = NULL;
        toc_query query = toc_query_default();
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        const toc_shared_positions ends[] = {{t.memory[0][0], 0, TOC_DOUBLE}, {t.memory[0][1], 0, TOC_DOUBLE}};
        test_device_limit((size_t)1 << 40, calls);
        toc_status status = toc_scene_move_on_device(t.shared, 0, t.count, &ends[0], &ends[1], (void *)(uintptr_t)1);
        if (status == TOC_OK) status = toc_scene_find_contacts(t.shared, &query, NULL, &contacts);
        done = status == TOC_OK;
        toc_contacts_destroy(contacts);
        test_device_restore();
        if (!done) {
            assert_int_equal(status, TOC_NO_DEVICE);
            assert_non_null(strstr(toc_message_get(), "lost"));
            contacts = NULL;
            status = toc_scene_find_contacts(t.shared, &query, NULL, &contacts);
            if (status != TOC_OK) assert_non_null(strstr(toc_message_get(), "lost with the device"));
            toc_contacts_destroy(contacts);
        }
        if (calls % 2) {
            assert_ok(toc_scene_share_positions(t.shared, 0, 0, NULL, NULL));
            assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.shared, 0), t.x[0][0], t.x[0][1]));
            test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
        }
    }
    free_twins(&t);
}

// A device without room refuses the first positions; larger ones leave those that there are.
static void a_device_without_room_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    test_random random = test_random_make(0);
    test_twins t;
    make_twins(&t);
    test_twins_place(&t, &random);
    const toc_shared_positions ends[] = {{t.memory[0][0], 0, TOC_DOUBLE}, {t.memory[0][1], 0, TOC_DOUBLE}};
    test_device_limit(100, TEST_ALL_CALLS);
    assert_fails(toc_scene_move_on_device(t.shared, 0, t.count, &ends[0], &ends[1], NULL), TOC_OUT_OF_MEMORY,
                 "no room");
    void *memory = NULL;
    assert_fails(toc_device_allocate(101, &memory), TOC_OUT_OF_MEMORY, "no room");
    assert_null(memory);
    test_device_restore();
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    const size_t left = toc_emulated.bytes_left;
    toc_scene_destroy(t.shared);
    assert_true(toc_emulated.bytes_left > left);
    t.shared = NULL;
    free_twins(&t);
    assert_int_equal(toc_emulated.bytes_left,
                     ((size_t)1 << 40) + 4 * vertex_bytes * t.count); // taken before the limits
}

static void a_world_sees_positions_of_the_device(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    make_twins(&t);
    for (int s = 0; s < 2; s++) {
        toc_world *world;
        uint32_t body;
        assert_ok(toc_world_create(NULL, test_sheet_at(TEST_TWIN_CELLS, 0.05), &world));
        assert_ok(toc_scene_add_world(s ? t.shared : t.copied, world, &body));
        toc_world_destroy(world);
        const toc_shared_positions ends = {t.memory[0][0], 0, TOC_DOUBLE};
        assert_fails(toc_scene_move_on_device(t.shared, body, t.count, &ends, &ends, NULL), TOC_BAD_INPUT,
                     s ? "a world" : "no body");
    }
    for (int step = 0; step < 2; step++) {
        test_twins_place(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, (void *)(uintptr_t)1);
        test_twins_assert_same(&t, TOC_DEVICE_GPU, 2);
    }
    free_twins(&t);
}

// The processor gathers positions of the device while that searches them: those that are no numbers, or leave the
// frame, are told and followed all the same.
static void positions_are_searched_before_they_are_read(void **state) {
    (void)state;
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -0.1, 0.3, 0.2, -0.1, 0.2, 0.3, -0.1};
    double x1[18], *const z = &x1[5];
    void *memory[2];
    toc_scene *bodies;
    toc_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    query.device = TOC_DEVICE_GPU;
    assert_ok(test_scene_of_triangles(NULL, x, &bodies));
    for (int end = 0; end < 2; end++) assert_ok(toc_device_allocate(sizeof x, &memory[end]));
    assert_ok(toc_device_copy(memory[0], x, sizeof x, NULL));
    memcpy(x1, x, sizeof x);
    for (int v = 3; v < 6; v++) x1[3 * v + 2] += 0.2;
    for (int step = 0; step < 8; step++) {
        const toc_shared_positions ends[] = {{memory[0], 0, TOC_DOUBLE}, {memory[1], 0, TOC_DOUBLE}};
        *z = step == 3 ? NAN : step == 5 ? 100 : 0.01 * step;
        assert_ok(toc_device_copy(memory[1], x1, sizeof x, NULL));
        assert_ok(toc_scene_move_on_device(bodies, 0, 6, &ends[0], &ends[1], NULL));
        const toc_status status = toc_scene_find_contacts(bodies, &query, contacts, &contacts);
        if (step == 3) {
            assert_int_equal(status, TOC_BAD_INPUT);
            assert_non_null(strstr(toc_message_get(), "x1, vertex 1: coordinate z"));
            continue;
        }
        assert_ok(status);
        assert_int_equal(contacts->count, step == 5 ? 0 : 3);
        if (step == 7) assert_ok(toc_scene_move_on_device(bodies, 0, 6, &ends[1], &ends[0], NULL));
    }
    double fraction;
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_true(fraction < 1);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    for (int end = 0; end < 2; end++) toc_device_release(memory[end]);
}

static void *move_again_and_again(void *user) {
    test_random random = {(uint64_t)(uintptr_t)user};
    test_twins t;
    make_twins(&t);
    for (int step = 0; step < test_less(4, 2); step++) {
        test_twins_place(&t, &random);
        move_all(&t, step % 2 ? TOC_FLOAT : TOC_DOUBLE, 0, 0, (void *)(uintptr_t)(step % 3));
        test_twins_assert_same(&t, TOC_DEVICE_GPU, 1 + step % 2);
    }
    free_twins(&t);
    return NULL;
}

static void scenes_of_several_threads_move(void **state) {
    (void)state;
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, move_again_and_again, (void *)(i + 1)), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static toc_status move_triangles(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.3, 0.2, 1, 0.2, 0.3, 1};
    const toc_shared_positions ends = {user, 0, TOC_DOUBLE};
    toc_query query = toc_query_default();
    toc_scene *bodies;
    toc_contacts *contacts = NULL;
    toc_device_contacts *there = NULL;
    query.device = TOC_DEVICE_GPU;
    query.threads = 1;
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    for (int i = 0; i < 2 && status == TOC_OK; i++) status = toc_scene_move_on_device(bodies, 0, 6, &ends, &ends, NULL);
    if (status == TOC_OK) status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    for (int i = 0; i < 2 && status == TOC_OK; i++)
        status = toc_scene_find_contacts_on_device(bodies, &query, NULL, there, &there);
    toc_contacts_destroy(contacts);
    toc_device_contacts_destroy(there);
    toc_scene_destroy(bodies);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    NEED_EMULATED();
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.3, 0.2, 1, 0.2, 0.3, 1};
    void *memory;
    assert_ok(toc_device_allocate(sizeof x, &memory));
    assert_ok(toc_device_copy(memory, x, sizeof x, NULL));
    assert_true(test_every_allocation(move_triangles, memory) > 10);
    toc_device_release(memory);
}

// A child that inherited a started device: the driver's sentence, on request from the emulated one, too; the scene's
// other positions, and the processor's search, still work.
static void a_child_is_told(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip(); // the sanitizers have threads of their own
    test_random random = test_random_make(0);
    test_twins t;
    int status = -1;
    make_twins(&t);
    test_twins_place(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    const pid_t child = fork();
    if (child == 0) {
        alarm(400);
        toc_emulated.is_forked = true;
        toc_contacts *contacts = NULL;
        const toc_shared_positions ends = {t.memory[0][0], 0, TOC_DOUBLE};
        toc_query query = toc_query_default();
        bool right = toc_scene_move_on_device(t.shared, 0, t.count, &ends, &ends, NULL) == TOC_NO_DEVICE &&
                     strstr(toc_message_get(), "forked");
        query.device = TOC_DEVICE_GPU;
        right = right && toc_scene_find_contacts(t.shared, &query, NULL, &contacts) == TOC_NO_DEVICE &&
                strstr(toc_message_get(), "forked");
        query.device = TOC_DEVICE_AUTO;
        right = right && toc_scene_find_contacts(t.shared, &query, NULL, &contacts) == TOC_OK && contacts->count > 0;
        toc_contacts_destroy(contacts);
        toc_scene_destroy(t.shared);
        toc_scene_destroy(t.copied);
        _exit(right ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    test_twins_assert_same(&t, TOC_DEVICE_GPU, 1);
    free_twins(&t);
}

static void assert_contacts_there(const toc_device_contacts *got, const toc_contacts *wanted) {
    toc_contact *fetched = calloc(wanted->count + 1, sizeof *fetched);
    assert_int_equal(got->count, wanted->count);
    assert_ok(toc_device_copy(fetched, got->contacts, got->count * sizeof *fetched, NULL));
    assert_true(wanted->count == 0 || memcmp(fetched, wanted->contacts, wanted->count * sizeof *fetched) == 0);
    test_assert_same_contacts(toc_device_contacts_get(got), wanted);
    free(fetched);
}

// The bytes there are those of the list here, step after step, in the same memory; none, few and many contacts.
static void contacts_stay_on_the_device(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    toc_device_contacts *there = NULL;
    make_twins(&t);
    for (int step = 0; step < 6; step++) {
        toc_contacts *wanted;
        toc_query query = toc_query_default();
        void *const stream = (void *)(uintptr_t)(step % 3);
        query.device = step % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU;
        query.answer = step == 3 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL;
        test_twins_place(&t, &random);
        for (size_t i = 0; step == 2 && i < 3 * t.count; i++) t.x[0][1][i] = t.x[0][0][i] += i % 3 == 2 ? 9 : 0;
        move_all(&t, TOC_DOUBLE, 0, 0, stream);
        assert_ok(toc_scene_find_contacts(t.copied, &query, NULL, &wanted));
        assert_ok(toc_scene_find_contacts_on_device(t.shared, &query, stream, there, &there));
        assert_contacts_there(there, wanted);
        toc_contacts_destroy(wanted);
    }
    toc_device_contacts_destroy(there);
    toc_device_contacts_destroy(NULL);
    assert_null(toc_device_contacts_get(NULL));
    free_twins(&t);
}

static int sink_none(void *user, const toc_contact *contacts, size_t count) {
    (void)user, (void)contacts, (void)count;
    return 0;
}

// Contacts of the step before stay where the next question fails.
static void failures_keep_the_contacts_there(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    toc_contacts *wanted;
    toc_device_contacts *there, *none = NULL;
    toc_query query = toc_query_default();
    make_twins(&t);
    test_twins_place(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    assert_ok(toc_scene_find_contacts(t.copied, &query, NULL, &wanted));
    assert_ok(toc_scene_find_contacts_on_device(t.shared, &query, NULL, NULL, &there));
    assert_fails(toc_scene_find_contacts_on_device(NULL, &query, NULL, there, &none), TOC_BAD_INPUT, "scene");
    assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, NULL, there, NULL), TOC_BAD_INPUT, "out");
    query.preset = "no such";
    assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, NULL, there, &none), TOC_BAD_INPUT, "no such");
    query = toc_query_default();
    query.sink.take = sink_none;
    assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, NULL, there, &none), TOC_BAD_INPUT, "sink");
    query.sink.take = NULL;
    if (!is_real) {
        assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, &t, there, &none), TOC_BAD_INPUT, "stream");
        test_device_limit(10, TEST_ALL_CALLS);
        assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, NULL, NULL, &none), TOC_OUT_OF_MEMORY,
                     "no room");
        test_device_limit((size_t)1 << 40, 0);
        assert_fails(toc_scene_find_contacts_on_device(t.shared, &query, NULL, there, &none), TOC_NO_DEVICE, "lost");
        test_device_restore();
    }
    assert_null(none);
    assert_contacts_there(there, wanted);
    toc_contacts_destroy(wanted);
    toc_device_contacts_destroy(there);
    free_twins(&t);
}

static void memory_of_the_device_is_checked(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    double y[3] = {0};
    void *memory = NULL;
    assert_fails(toc_device_allocate(0, &memory), TOC_BAD_INPUT, "0 bytes");
    assert_fails(toc_device_allocate(8, NULL), TOC_BAD_INPUT, "out");
    assert_ok(toc_device_allocate(sizeof x, &memory));
    assert_ok(toc_device_copy(memory, x, sizeof x, NULL));
    assert_ok(toc_device_copy(y, memory, sizeof y, (void *)(uintptr_t)2));
    assert_memory_equal(x, y, sizeof x);
    assert_ok(toc_device_copy(NULL, NULL, 0, (void *)(uintptr_t)1));
    assert_fails(toc_device_copy(y, x, sizeof x, NULL), TOC_BAD_INPUT, "not that of");
    assert_fails(toc_device_copy(memory, NULL, 8, NULL), TOC_BAD_INPUT, "from");
    assert_fails(toc_device_copy(NULL, memory, 8, NULL), TOC_BAD_INPUT, "to");
    if (!is_real) assert_fails(toc_device_copy(memory, x, 8, y), TOC_BAD_INPUT, "stream");
    toc_device_release(memory);
    toc_device_release(NULL);
}

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]); // a pattern of names
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layout_gives_the_same_answers),
        cmocka_unit_test(the_stream_has_its_order),
        cmocka_unit_test(bad_input_changes_nothing),
        cmocka_unit_test(nan_on_the_device_is_told),
        cmocka_unit_test(other_positions_take_over),
        cmocka_unit_test(compact_meshes_take_their_part),
        cmocka_unit_test(a_lost_device_is_told),
        cmocka_unit_test(a_device_without_room_is_told),
        cmocka_unit_test(a_world_sees_positions_of_the_device),
        cmocka_unit_test(positions_are_searched_before_they_are_read),
        cmocka_unit_test(scenes_of_several_threads_move),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_child_is_told),
        cmocka_unit_test(contacts_stay_on_the_device),
        cmocka_unit_test(failures_keep_the_contacts_there),
        cmocka_unit_test(memory_of_the_device_is_checked),
    };
    if (setenv("TOC_DEVICE", "emulated", 0) != 0) return 1;
    is_real = strcmp(getenv("TOC_DEVICE"), "emulated") != 0;
    test_device_restore();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
