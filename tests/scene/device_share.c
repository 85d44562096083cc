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
#include "support/answers.h"
#include "support/device.h"

enum { CELLS = 10, BODIES = 2 };

// Tests of the emulated device alone; others run on the device of the machine where TOC_DEVICE says so.
static bool is_real;
#define NEED_EMULATED() \
    if (is_real) skip()

static const toc_device *the_device(void) {
    const toc_device *device;
    assert_ok(toc_device_open(&device));
    return device;
}

// The same two sheets twice: `copied` has its positions in the meshes, `there` takes them from memory of the device.
typedef struct twin_scenes {
    toc_scene *copied, *there;
    size_t count; // vertices of a sheet
    double *x[BODIES][2];
    char *memory[BODIES][2]; // of the device
    size_t bytes;            // of each
} twin_scenes;

static void make_twins(twin_scenes *t) {
    toc_scene **const scenes[] = {&t->copied, &t->there};
    for (int s = 0; s < 2; s++) {
        assert_ok(toc_scene_create(NULL, scenes[s]));
        for (int b = 0; b < BODIES; b++) assert_ok(toc_scene_add_body(*scenes[s], test_sheet_at(CELLS, 0.1 * b), NULL));
    }
    t->count = toc_mesh_get_vertex_count(toc_scene_get_mesh(t->copied, 0));
    t->bytes = 96 * t->count;
    for (int i = 0; i < BODIES * 2; i++) {
        void *memory;
        t->x[i / 2][i % 2] = calloc(3 * t->count, sizeof(double));
        assert_ok(toc_device_allocate(t->bytes, &memory));
        t->memory[i / 2][i % 2] = memory;
    }
}

static void free_twins(twin_scenes *t) {
    toc_scene_destroy(t->copied);
    toc_scene_destroy(t->there);
    for (int i = 0; i < BODIES * 2; i++) {
        free(t->x[i / 2][i % 2]);
        toc_device_release(t->memory[i / 2][i % 2]);
    }
}

// Positions that a float holds, too.
static void place_twins(twin_scenes *t, test_random *random) {
    for (int b = 0; b < BODIES; b++) {
        const double *x = toc_mesh_get_x0(toc_scene_get_mesh(t->copied, (uint32_t)b));
        for (int end = 0; end < 2; end++)
            for (size_t i = 0; i < 3 * t->count; i++)
                t->x[b][end][i] = (float)(x[i] + test_random_between(random, -0.05, 0.05));
    }
}

// The positions of an end as a solver has them. The memory is the caller's.
static char *write_end(const twin_scenes *t, int body, int end, toc_scalar scalar, size_t stride) {
    char *memory = calloc(1, t->bytes);
    for (size_t v = 0; v < t->count; v++)
        for (size_t c = 0; c < 3; c++) {
            const double x = t->x[body][end][3 * v + c];
            const float single = (float)x;
            if (scalar == TOC_FLOAT)
                memcpy(memory + v * stride + c * sizeof single, &single, sizeof single);
            else
                memcpy(memory + v * stride + c * sizeof x, &x, sizeof x);
        }
    return memory;
}

static size_t gap_free(toc_scalar scalar) { return 3 * (scalar == TOC_FLOAT ? sizeof(float) : sizeof(double)); }

static void move_all(twin_scenes *t, toc_scalar scalar, size_t stride, size_t offset, void *stream) {
    for (int b = 0; b < BODIES; b++) {
        toc_shared_positions ends[2];
        for (int end = 0; end < 2; end++) {
            char *written = write_end(t, b, end, scalar, stride ? stride : gap_free(scalar));
            assert_ok(toc_device_copy(t->memory[b][end] + offset, written, t->bytes - offset, stream));
            free(written);
            ends[end] = (toc_shared_positions){t->memory[b][end] + offset, stride, scalar};
        }
        assert_ok(toc_scene_move_on_device(t->there, (uint32_t)b, t->count, &ends[0], &ends[1], stream));
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t->copied, (uint32_t)b), t->x[b][0], t->x[b][1]));
    }
}

typedef struct answers {
    toc_contacts *contacts, *first;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    toc_room_step room;
} answers;

static void ask_all(toc_scene *bodies, toc_query query, answers *a) {
    memset(a, 0, sizeof *a);
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &a->contacts));
    assert_ok(test_find_near(bodies, &query, TOC_AT_START, 0.01, &a->near));
    assert_ok(toc_scene_find_overlaps(bodies, &query, TOC_AT_END, NULL, &a->overlaps));
    assert_ok(toc_scene_find_safe_step(bodies, &query, &a->fraction));
    assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &a->room));
    query.answer = TOC_ANSWER_FIRST;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &a->first));
}

static void free_answers(answers *a) {
    toc_contacts_destroy(a->contacts), toc_contacts_destroy(a->first);
    toc_near_destroy(a->near);
    toc_overlaps_destroy(a->overlaps);
}

static void assert_same_contacts(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < wanted->count; i++)
        assert_memory_equal(&got->contacts[i], &wanted->contacts[i], sizeof *wanted->contacts);
}

static void assert_same_answers(const twin_scenes *t, toc_device_choice device, int threads) {
    answers got, wanted;
    toc_query query = toc_query_default();
    query.threads = threads;
    ask_all(t->copied, query, &wanted);
    query.device = device;
    ask_all(t->there, query, &got);
    assert_true(wanted.contacts->count > 0 && wanted.near->count > 0);
    assert_same_contacts(got.contacts, wanted.contacts);
    assert_same_contacts(got.first, wanted.first);
    assert_int_equal(got.near->count, wanted.near->count);
    assert_int_equal(got.overlaps->count, wanted.overlaps->count);
    for (size_t i = 0; i < wanted.near->count; i++)
        assert_memory_equal(&got.near->pairs[i], &wanted.near->pairs[i], sizeof *wanted.near->pairs);
    for (size_t i = 0; i < wanted.overlaps->count; i++)
        assert_memory_equal(&got.overlaps->pairs[i], &wanted.overlaps->pairs[i], sizeof *wanted.overlaps->pairs);
    assert_double_same(got.fraction, wanted.fraction);
    assert_double_same(got.room.fraction, wanted.room.fraction);
    free_answers(&got), free_answers(&wanted);
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
    twin_scenes t;
    make_twins(&t);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        place_twins(&t, &random);
        move_all(&t, layouts[i].scalar, layouts[i].stride, layouts[i].offset, (void *)(uintptr_t)(i % 3));
        assert_same_answers(&t, i % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU, 1 + (int)(i % 3));
    }
    free_twins(&t);
}

// Copies that the stream has not done yet are read, and those that it is given later are not.
static void the_stream_has_its_order(void **state) {
    (void)state;
    const toc_device *device = the_device();
    test_random random = test_random_make(0);
    twin_scenes t;
    void *stream;
    char *written[BODIES][2];
    make_twins(&t);
    place_twins(&t, &random);
    assert_ok(device->enter());
    assert_ok(device->open(&stream));
    char *spoiled = malloc(t.bytes);
    memset(spoiled, 0xff, t.bytes); // NaN
    for (int b = 0; b < BODIES; b++) {
        toc_shared_positions ends[2];
        for (int end = 0; end < 2; end++) {
            assert_ok(toc_device_copy(t.memory[b][end], spoiled, t.bytes, NULL));
            written[b][end] = write_end(&t, b, end, TOC_DOUBLE, 24);
            assert_ok(device->copy(stream, t.memory[b][end], written[b][end], t.bytes));
            ends[end] = (toc_shared_positions){t.memory[b][end], 0, TOC_DOUBLE};
        }
        assert_ok(toc_scene_move_on_device(t.there, (uint32_t)b, t.count, &ends[0], &ends[1], stream));
        for (int end = 0; end < 2; end++) assert_ok(device->copy(stream, t.memory[b][end], spoiled, t.bytes));
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.copied, (uint32_t)b), t.x[b][0], t.x[b][1]));
    }
    assert_ok(device->wait(stream)); // the positions went before
    device->leave();
    assert_same_answers(&t, TOC_DEVICE_GPU, 2);
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
    twin_scenes t;
    make_twins(&t);
    place_twins(&t, &random);
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
        assert_fails(toc_scene_move_on_device(t.there, 0, t.count, &good, wrong[i].x1, NULL), TOC_BAD_INPUT,
                     wrong[i].words);
    assert_fails(toc_scene_move_on_device(t.there, 0, t.count, NULL, &good, NULL), TOC_BAD_INPUT, "x0");
    assert_fails(toc_scene_move_on_device(t.there, 0, t.count - 1, &good, &good, NULL), TOC_BAD_INPUT, "vertices");
    assert_fails(toc_scene_move_on_device(t.there, 2, t.count, &good, &good, NULL), TOC_BAD_INPUT, "no body 2");
    assert_fails(toc_scene_move_on_device(NULL, 0, t.count, &good, &good, NULL), TOC_BAD_INPUT, "scene");
    if (!is_real) assert_fails(toc_scene_move_on_device(t.there, 0, t.count, &good, &good, m), TOC_BAD_INPUT, "stream");
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    free_twins(&t);
}

// The question names the vertex; the next positions are fine.
static void nan_on_the_device_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    twin_scenes t;
    toc_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    make_twins(&t);
    for (int round = 0; round < 4; round++) {
        place_twins(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        const double bad[] = {NAN, INFINITY};
        const toc_shared_positions x0 = {t.memory[1][0], 0, TOC_DOUBLE}, x1 = {t.memory[1][1], 0, TOC_DOUBLE};
        char *at = t.memory[1][round / 2] + (3 * 17 + 1) * sizeof(double);
        assert_ok(toc_device_copy(at, &bad[round % 2], sizeof *bad, NULL));
        assert_ok(toc_scene_move_on_device(t.there, 1, t.count, &x0, &x1, (void *)(uintptr_t)(round % 2)));
        query.device = round % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU;
        assert_fails(toc_scene_find_contacts(t.there, &query, NULL, &contacts), TOC_BAD_INPUT,
                     round / 2 ? "x1, vertex 17: coordinate y" : "x0, vertex 17: coordinate y");
        place_twins(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    }
    free_twins(&t);
}

// Sharing ends, memory of the processor takes over, bodies go, the mesh changes: no position is stale.
static void other_positions_take_over(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    twin_scenes t;
    toc_contacts *contacts = NULL;
    const toc_query query = toc_query_default();
    make_twins(&t);
    place_twins(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    place_twins(&t, &random);
    const toc_shared_positions here[2] = {{t.x[0][0], 0, TOC_DOUBLE}, {t.x[0][1], 0, TOC_DOUBLE}};
    assert_ok(toc_scene_share_positions(t.there, 0, t.count, &here[0], &here[1]));
    assert_ok(toc_scene_share_positions(t.there, 1, 0, NULL, NULL));
    assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.there, 1), t.x[1][0], t.x[1][1]));
    for (uint32_t b = 0; b < BODIES; b++)
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.copied, b), t.x[b][0], t.x[b][1]));
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    place_twins(&t, &random);
    move_all(&t, TOC_FLOAT, 0, 0, NULL);
    assert_same_answers(&t, TOC_DEVICE_GPU, 2);
    assert_fails(toc_scene_merge_bodies(t.there, 0, 1, NULL, NULL), TOC_BAD_INPUT, "shares positions");
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(t.there, 0), 3));
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(t.copied, 0), 3));
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    assert_ok(toc_mesh_add_vertices(toc_scene_edit_mesh(t.there, 0), 1, (const double[3]){0}, NULL));
    assert_fails(toc_scene_find_contacts(t.there, &query, NULL, &contacts), TOC_BAD_INPUT, "shares the positions of");
    assert_ok(toc_scene_remove_body(t.there, 0, NULL));
    assert_ok(toc_scene_find_contacts(t.there, &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    free_twins(&t);
}

// Half of the ids are dead: the scene has a compact copy of the mesh, which takes the positions of its own ids.
static void compact_meshes_take_their_part(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    twin_scenes t;
    make_twins(&t);
    for (int s = 0; s < 2; s++) {
        toc_mesh *mesh = toc_scene_edit_mesh(s ? t.there : t.copied, 0);
        for (uint32_t e = 0; e < CELLS * CELLS * 2 * 3 / 4; e++) assert_ok(toc_mesh_remove_element(mesh, e));
        for (uint32_t v = 0; v < t.count; v++) toc_mesh_remove_vertex(mesh, v); // those that have no element
    }
    for (int step = 0; step < 3; step++) {
        place_twins(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    }
    free_twins(&t);
}

// Lost at any call: a sentence, and right answers once the body is moved again or sharing ends.
static void a_lost_device_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    test_random random = test_random_make(0);
    twin_scenes t;
    bool done = false;
    make_twins(&t);
    place_twins(&t, &random);
    for (size_t calls = 0; !done; calls++) {
        toc_contacts *contacts = NULL;
        toc_query query = toc_query_default();
        move_all(&t, TOC_DOUBLE, 0, 0, NULL);
        const toc_shared_positions ends[] = {{t.memory[0][0], 0, TOC_DOUBLE}, {t.memory[0][1], 0, TOC_DOUBLE}};
        test_device_limit((size_t)1 << 40, calls);
        toc_status status = toc_scene_move_on_device(t.there, 0, t.count, &ends[0], &ends[1], (void *)(uintptr_t)1);
        if (status == TOC_OK) status = toc_scene_find_contacts(t.there, &query, NULL, &contacts);
        done = status == TOC_OK;
        toc_contacts_destroy(contacts);
        test_device_restore();
        if (!done) {
            assert_int_equal(status, TOC_NO_DEVICE);
            assert_non_null(strstr(toc_message_get(), "lost"));
            contacts = NULL;
            status = toc_scene_find_contacts(t.there, &query, NULL, &contacts);
            if (status != TOC_OK) assert_non_null(strstr(toc_message_get(), "lost with the device"));
            toc_contacts_destroy(contacts);
        }
        if (calls % 2) {
            assert_ok(toc_scene_share_positions(t.there, 0, 0, NULL, NULL));
            assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.there, 0), t.x[0][0], t.x[0][1]));
            assert_same_answers(&t, TOC_DEVICE_GPU, 1);
        }
    }
    free_twins(&t);
}

// A device without room refuses the first positions; larger ones leave those that there are.
static void a_device_without_room_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    test_random random = test_random_make(0);
    twin_scenes t;
    make_twins(&t);
    place_twins(&t, &random);
    const toc_shared_positions ends[] = {{t.memory[0][0], 0, TOC_DOUBLE}, {t.memory[0][1], 0, TOC_DOUBLE}};
    test_device_limit(100, TEST_ALL_CALLS);
    assert_fails(toc_scene_move_on_device(t.there, 0, t.count, &ends[0], &ends[1], NULL), TOC_OUT_OF_MEMORY, "no room");
    void *memory = NULL;
    assert_fails(toc_device_allocate(101, &memory), TOC_OUT_OF_MEMORY, "no room");
    assert_null(memory);
    test_device_restore();
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    const size_t left = toc_emulated.bytes_left;
    toc_scene_destroy(t.there);
    assert_true(toc_emulated.bytes_left > left);
    t.there = NULL;
    free_twins(&t);
    assert_int_equal(toc_emulated.bytes_left, ((size_t)1 << 40) + 4 * t.bytes); // taken before the limits
}

static void a_world_sees_positions_of_the_device(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    twin_scenes t;
    make_twins(&t);
    for (int s = 0; s < 2; s++) {
        toc_world *world;
        uint32_t body;
        assert_ok(toc_world_create(NULL, test_sheet_at(CELLS, 0.05), &world));
        assert_ok(toc_scene_add_world(s ? t.there : t.copied, world, &body));
        toc_world_destroy(world);
        const toc_shared_positions ends = {t.memory[0][0], 0, TOC_DOUBLE};
        assert_fails(toc_scene_move_on_device(t.there, body, t.count, &ends, &ends, NULL), TOC_BAD_INPUT,
                     s ? "a world" : "no body");
    }
    for (int step = 0; step < 2; step++) {
        place_twins(&t, &random);
        move_all(&t, TOC_DOUBLE, 0, 0, (void *)(uintptr_t)1);
        assert_same_answers(&t, TOC_DEVICE_GPU, 2);
    }
    free_twins(&t);
}

static void *move_again_and_again(void *user) {
    test_random random = {(uint64_t)(uintptr_t)user};
    twin_scenes t;
    make_twins(&t);
    for (int step = 0; step < test_less(4, 2); step++) {
        place_twins(&t, &random);
        move_all(&t, step % 2 ? TOC_FLOAT : TOC_DOUBLE, 0, 0, (void *)(uintptr_t)(step % 3));
        assert_same_answers(&t, TOC_DEVICE_GPU, 1 + step % 2);
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
    twin_scenes t;
    int status = -1;
    make_twins(&t);
    place_twins(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    const pid_t child = fork();
    if (child == 0) {
        alarm(400);
        toc_emulated.is_forked = true;
        toc_contacts *contacts = NULL;
        const toc_shared_positions ends = {t.memory[0][0], 0, TOC_DOUBLE};
        toc_query query = toc_query_default();
        bool right = toc_scene_move_on_device(t.there, 0, t.count, &ends, &ends, NULL) == TOC_NO_DEVICE &&
                     strstr(toc_message_get(), "forked");
        query.device = TOC_DEVICE_GPU;
        right = right && toc_scene_find_contacts(t.there, &query, NULL, &contacts) == TOC_NO_DEVICE &&
                strstr(toc_message_get(), "forked");
        query.device = TOC_DEVICE_AUTO;
        right = right && toc_scene_find_contacts(t.there, &query, NULL, &contacts) == TOC_OK && contacts->count > 0;
        toc_contacts_destroy(contacts);
        toc_scene_destroy(t.there);
        toc_scene_destroy(t.copied);
        _exit(right ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_same_answers(&t, TOC_DEVICE_GPU, 1);
    free_twins(&t);
}

static void assert_contacts_there(const toc_device_contacts *got, const toc_contacts *wanted) {
    toc_contact *fetched = calloc(wanted->count + 1, sizeof *fetched);
    assert_int_equal(got->count, wanted->count);
    assert_ok(toc_device_copy(fetched, got->contacts, got->count * sizeof *fetched, NULL));
    assert_true(wanted->count == 0 || memcmp(fetched, wanted->contacts, wanted->count * sizeof *fetched) == 0);
    assert_same_contacts(toc_device_contacts_get(got), wanted);
    free(fetched);
}

// The bytes there are those of the list here, step after step, in the same memory; none, few and many contacts.
static void contacts_stay_on_the_device(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    twin_scenes t;
    toc_device_contacts *there = NULL;
    make_twins(&t);
    for (int step = 0; step < 6; step++) {
        toc_contacts *wanted;
        toc_query query = toc_query_default();
        void *const stream = (void *)(uintptr_t)(step % 3);
        query.device = step % 2 ? TOC_DEVICE_CPU : TOC_DEVICE_GPU;
        query.answer = step == 3 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL;
        place_twins(&t, &random);
        for (size_t i = 0; step == 2 && i < 3 * t.count; i++) t.x[0][1][i] = t.x[0][0][i] += i % 3 == 2 ? 9 : 0;
        move_all(&t, TOC_DOUBLE, 0, 0, stream);
        assert_ok(toc_scene_find_contacts(t.copied, &query, NULL, &wanted));
        assert_ok(toc_scene_find_contacts_on_device(t.there, &query, stream, there, &there));
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
    twin_scenes t;
    toc_contacts *wanted;
    toc_device_contacts *there, *none = NULL;
    toc_query query = toc_query_default();
    make_twins(&t);
    place_twins(&t, &random);
    move_all(&t, TOC_DOUBLE, 0, 0, NULL);
    assert_ok(toc_scene_find_contacts(t.copied, &query, NULL, &wanted));
    assert_ok(toc_scene_find_contacts_on_device(t.there, &query, NULL, NULL, &there));
    assert_fails(toc_scene_find_contacts_on_device(NULL, &query, NULL, there, &none), TOC_BAD_INPUT, "scene");
    assert_fails(toc_scene_find_contacts_on_device(t.there, &query, NULL, there, NULL), TOC_BAD_INPUT, "out");
    query.preset = "no such";
    assert_fails(toc_scene_find_contacts_on_device(t.there, &query, NULL, there, &none), TOC_BAD_INPUT, "no such");
    query = toc_query_default();
    query.sink.take = sink_none;
    assert_fails(toc_scene_find_contacts_on_device(t.there, &query, NULL, there, &none), TOC_BAD_INPUT, "sink");
    query.sink.take = NULL;
    if (!is_real) {
        assert_fails(toc_scene_find_contacts_on_device(t.there, &query, &t, there, &none), TOC_BAD_INPUT, "stream");
        test_device_limit(10, TEST_ALL_CALLS);
        assert_fails(toc_scene_find_contacts_on_device(t.there, &query, NULL, NULL, &none), TOC_OUT_OF_MEMORY,
                     "no room");
        test_device_limit((size_t)1 << 40, 0);
        assert_fails(toc_scene_find_contacts_on_device(t.there, &query, NULL, there, &none), TOC_NO_DEVICE, "lost");
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
