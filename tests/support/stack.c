// SPDX-License-Identifier: Apache-2.0
#include "support/stack.h"

#include <pthread.h>
#include <string.h>

#include "support/test.h"

enum { STACK_BYTES = 1 << 20, SMALL_BYTES = 128 << 10, PAINT = 0xa5, TASKS_MOST = 16 };

typedef struct painted_thread {
    pthread_t thread;
    unsigned char *stack;
    void *(*run)(void *self);
    test_stack_call *call; // of a measured call
    void *user;
    toc_status status;
    void (*work)(void *data); // of a task
    void *data;
    bool is_used;
} painted_thread;

static void start_painted(painted_thread *t) {
    pthread_attr_t attributes;
    t->stack = aligned_alloc(4096, STACK_BYTES);
    assert_non_null(t->stack);
    memset(t->stack, PAINT, STACK_BYTES);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, t->stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&t->thread, &attributes, t->run, t), 0);
    pthread_attr_destroy(&attributes);
}

// Wait for the thread. @return the bytes that are no longer painted.
static size_t end_painted(painted_thread *t) {
    size_t clean = 0;
    assert_int_equal(pthread_join(t->thread, NULL), 0);
    while (clean < STACK_BYTES && t->stack[clean] == PAINT) clean++;
    free(t->stack);
    t->stack = NULL;
    return STACK_BYTES - clean;
}

static void *run_call(void *self) {
    painted_thread *t = self;
    t->status = t->call(t->user);
    return NULL;
}

static toc_status do_nothing(void *user) {
    (void)user;
    return TOC_OK;
}

// The C library keeps data of a thread at the top of its stack.
static size_t bytes_of_a_thread(void) {
    static size_t bytes;
    if (bytes == 0) {
        painted_thread t = {.run = run_call, .call = do_nothing};
        start_painted(&t);
        bytes = end_painted(&t);
    }
    return bytes;
}

static void check_stack(const char *name, size_t bytes) {
    static size_t most;
    if (bytes > most) print_message("%.1f KiB of stack: %s\n", (double)bytes / 1024, name);
    if (bytes > most) most = bytes;
    if (bytes > (size_t)TEST_STACK_KIB << 10) fail_msg("%s takes %zu bytes of stack", name, bytes);
}

size_t test_stack_measure(const char *name, test_stack_call *call, void *user) {
    painted_thread t = {.run = run_call, .call = call, .user = user};
    const size_t own = bytes_of_a_thread();
    start_painted(&t);
    const size_t bytes = end_painted(&t) - own;
    if (t.status != TOC_OK) fail_msg("%s: status %d", name, (int)t.status);
    check_stack(name, bytes);
    return bytes;
}

void test_stack_run_small(test_stack_call *call, void *user) {
    painted_thread t = {.run = run_call, .call = call, .user = user};
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_BYTES), 0);
    assert_int_equal(pthread_create(&t.thread, &attributes, run_call, &t), 0);
    assert_int_equal(pthread_join(t.thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(t.status, TOC_OK);
}

// ---- tasks

static painted_thread tasks[TASKS_MOST];
static size_t tasks_most_bytes;

static void *run_painted_task(void *self) {
    painted_thread *t = self;
    t->work(t->data);
    return NULL;
}

static void *start_painted_task(void *user, void (*work)(void *data), void *data) {
    (void)user;
    painted_thread *free_one = NULL;
    for (int i = 0; i < TASKS_MOST && !free_one; i++)
        if (!tasks[i].is_used) free_one = &tasks[i];
    if (!free_one) return NULL;
    *free_one = (painted_thread){.run = run_painted_task, .work = work, .data = data, .is_used = true};
    start_painted(free_one);
    return free_one;
}

static void finish_painted_task(void *user, void *task) {
    painted_thread *t = task;
    (void)user;
    const size_t bytes = end_painted(t);
    if (bytes > tasks_most_bytes) tasks_most_bytes = bytes;
    t->is_used = false;
}

const toc_task_system test_stack_tasks = {start_painted_task, finish_painted_task, NULL};

void test_stack_tasks_end(void) {
    assert_true(tasks_most_bytes > 0);
    // Tasks that begin late find no work, and take no more than any thread.
    if (tasks_most_bytes > bytes_of_a_thread()) check_stack("a task", tasks_most_bytes - bytes_of_a_thread());
    tasks_most_bytes = 0;
}
