// SPDX-License-Identifier: Apache-2.0
// The emulated device: the kernels compiled for the processor, launched block by block and thread by thread in a random
// order. New memory holds random bytes. Work of a queue is done as late as it may be: when the queue is waited for, or
// when memory goes. Answers that depended on the order of threads, on memory that nobody wrote or on work that nobody
// waited for would differ from run to run; the sanitizers see every access.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

enum { BLOCKS = 13, BLOCK = 32, THREADS = BLOCKS * BLOCK };

typedef void emulated_kernel(const void *work, uint32_t thread, uint32_t threads);
#define DECLARE(name) emulated_kernel toc_device_##name;
TOC_DEVICE_KERNELS(DECLARE)
#undef DECLARE
#define ADDRESS(name) toc_device_##name,
static emulated_kernel *const kernels[] = {TOC_DEVICE_KERNELS(ADDRESS)};
#undef ADDRESS

toc_emulated_state toc_emulated = {.bytes_left = SIZE_MAX / 2, .calls_left = SIZE_MAX / 2};

// ---- random numbers: from TOC_SEED, another one each time

static uint64_t next_random(void) {
    if (toc_emulated.random == 0) {
        const char *seed = getenv("TOC_SEED");
        toc_emulated.random = (seed ? strtoull(seed, NULL, 0) : 0) * 2 + 1;
    }
    uint64_t x = atomic_fetch_add(&toc_emulated.random, UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// Numbers in a random order.
static void shuffle(uint32_t count, uint32_t *numbers) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = (uint32_t)(next_random() % (i + 1));
        numbers[i] = numbers[j];
        numbers[j] = i;
    }
}

// ---- calls

static toc_status emulated_call(void) {
    size_t left = toc_emulated.calls_left;
    do
        if (left == 0) return toc_fail(TOC_NO_DEVICE, "the device was lost: the emulated one, on request");
    while (!atomic_compare_exchange_weak(&toc_emulated.calls_left, &left, left - 1));
    return TOC_OK;
}

static toc_status emulated_enter(void) {
    if (!toc_emulated.is_forked) return TOC_OK;
    return toc_fail(TOC_NO_DEVICE,
                    "this process was forked from one that uses the device: the emulated one, on request");
}
static void emulated_leave(void) {}

// ---- queues: all work is done under one lock

typedef struct emulated_queue emulated_queue;

// A copy, a launch, or the work of another queue so far.
typedef struct emulated_work {
    struct emulated_work *next;
    void *to;
    const void *from;
    size_t bytes;
    emulated_kernel *kernel; // NULL for none; its structure is `work`
    emulated_queue *first;   // NULL for none
    uint64_t until;          // number of its work
    size_t size;             // of this structure
    _Alignas(16) char work[];
} emulated_work;

struct emulated_queue {
    emulated_queue *next, *before;
    emulated_work *head, **tail;
    uint64_t posted, done;
};

// Stands before each block of the device.
typedef struct emulated_block {
    struct emulated_block *next, *before;
    size_t bytes;
    _Alignas(16) char at[];
} emulated_block;

// Queues and blocks that there are: the queues begin with the default ones of the caller, 1 and 2.
static struct {
    pthread_mutex_t lock;
    emulated_queue queues[2];
    emulated_block *blocks;
} emulated = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .queues = {{.tail = &emulated.queues[0].head, .next = &emulated.queues[1]},
                         {.tail = &emulated.queues[1].head, .before = &emulated.queues[0]}}};

// @return NULL for a stream that is none of this device.
static emulated_queue *find_queue(void *stream) {
    const uintptr_t number = (uintptr_t)stream;
    if (number == 1 || number == 2) return &emulated.queues[number - 1];
    emulated_queue *queue = emulated.queues;
    while (queue && queue != stream) queue = queue->next;
    return queue;
}

static void run_posted_kernel(const emulated_work *work) {
    uint32_t blocks[BLOCKS], threads[BLOCK];
    shuffle(BLOCKS, blocks);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        shuffle(BLOCK, threads);
        for (uint32_t t = 0; t < BLOCK; t++) work->kernel(work->work, blocks[b] * BLOCK + threads[t], THREADS);
    }
}

static void free_work(emulated_work *work) {
    const toc_allocator allocator = toc_allocator_get_default();
    toc_free(&allocator, work, 1, work->size);
}

static emulated_work *take_work(emulated_queue *queue) {
    emulated_work *work = queue->head;
    queue->head = work->next;
    if (!queue->head) queue->tail = &queue->head;
    queue->done++;
    return work;
}

// Queues wait only for work that others were given before: this ends.
static void run_queue(emulated_queue *queue, uint64_t until) {
    while (queue->head && queue->done < until) {
        emulated_work *work = take_work(queue);
        if (work->first) run_queue(work->first, work->until);
        if (work->kernel) run_posted_kernel(work);
        if (!work->kernel && work->bytes > 0) memcpy(work->to, work->from, work->bytes);
        free_work(work);
    }
}

static void run_all_queues(void) {
    pthread_mutex_lock(&emulated.lock);
    for (emulated_queue *queue = emulated.queues; queue; queue = queue->next) run_queue(queue, UINT64_MAX);
    pthread_mutex_unlock(&emulated.lock);
}

static toc_status post_work(void *stream, emulated_work work, const void *with, size_t bytes) {
    const toc_allocator allocator = toc_allocator_get_default();
    TOC_TRY(emulated_call());
    emulated_work *posted = toc_new(&allocator, 1, sizeof *posted + bytes);
    if (!posted) return TOC_OUT_OF_MEMORY;
    *posted = work;
    posted->size = sizeof *posted + bytes;
    if (bytes > 0) memcpy(posted->work, with, bytes);
    pthread_mutex_lock(&emulated.lock);
    emulated_queue *queue = find_queue(stream);
    posted->first = find_queue(work.first);
    posted->until = posted->first ? posted->first->posted : 0;
    *queue->tail = posted;
    queue->tail = &posted->next;
    queue->posted++;
    pthread_mutex_unlock(&emulated.lock);
    return TOC_OK;
}

static toc_status emulated_queue_open(void **out) {
    const toc_allocator allocator = toc_allocator_get_default();
    TOC_TRY(emulated_call());
    emulated_queue *queue = toc_new(&allocator, 1, sizeof *queue);
    if (!queue) return TOC_OUT_OF_MEMORY;
    queue->tail = &queue->head;
    pthread_mutex_lock(&emulated.lock);
    queue->before = &emulated.queues[1], queue->next = emulated.queues[1].next;
    if (queue->next) queue->next->before = queue;
    emulated.queues[1].next = queue;
    pthread_mutex_unlock(&emulated.lock);
    *out = queue;
    return TOC_OK;
}

// Others may wait for its work.
static void emulated_queue_close(void *stream) {
    const toc_allocator allocator = toc_allocator_get_default();
    if (!stream) return;
    run_all_queues();
    pthread_mutex_lock(&emulated.lock);
    emulated_queue *queue = stream;
    queue->before->next = queue->next;
    if (queue->next) queue->next->before = queue->before;
    pthread_mutex_unlock(&emulated.lock);
    toc_free(&allocator, queue, 1, sizeof *queue);
}

static toc_status emulated_copy(void *queue, void *to, const void *from, size_t bytes) {
    return post_work(queue, (emulated_work){.to = to, .from = from, .bytes = bytes}, NULL, 0);
}

static toc_status emulated_launch(void *queue, toc_device_kernel kernel, const void *work, size_t bytes) {
    return post_work(queue, (emulated_work){.kernel = kernels[kernel]}, work, bytes);
}

// A lost device does no more work.
static toc_status emulated_wait(void *stream) {
    const toc_status status = emulated_call();
    pthread_mutex_lock(&emulated.lock);
    emulated_queue *queue = find_queue(stream);
    if (status == TOC_OK) run_queue(queue, UINT64_MAX);
    while (queue->head) free_work(take_work(queue));
    pthread_mutex_unlock(&emulated.lock);
    return status;
}

static toc_status emulated_order(void *first, void *then) {
    return first == then ? TOC_OK : post_work(then, (emulated_work){.first = first}, NULL, 0);
}

static toc_status emulated_check_stream(void *stream) {
    pthread_mutex_lock(&emulated.lock);
    const bool is_known = find_queue(stream) != NULL;
    pthread_mutex_unlock(&emulated.lock);
    if (is_known) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the stream %p is none of the emulated device, which has 1, 2 and its own", stream);
}

// ---- memory

static toc_status take_device_bytes(size_t bytes) {
    size_t left = toc_emulated.bytes_left;
    do
        if (bytes > left)
            return toc_fail(TOC_OUT_OF_MEMORY, "the device has no room for %zu bytes: it has %zu left", bytes, left);
    while (!atomic_compare_exchange_weak(&toc_emulated.bytes_left, &left, left - bytes));
    return TOC_OK;
}

static toc_status emulated_allocate(size_t bytes, void **out) {
    const toc_allocator allocator = toc_allocator_get_default();
    TOC_TRY(emulated_call());
    TOC_TRY(take_device_bytes(bytes));
    emulated_block *block = toc_new(&allocator, 1, sizeof *block + bytes);
    if (!block) return TOC_OUT_OF_MEMORY;
    block->bytes = bytes;
    memset(block->at, (int)(next_random() & 0xff), bytes);
    pthread_mutex_lock(&emulated.lock);
    block->next = emulated.blocks;
    if (block->next) block->next->before = block;
    emulated.blocks = block;
    pthread_mutex_unlock(&emulated.lock);
    *out = block->at;
    return TOC_OK;
}

static void emulated_release(void *at, size_t bytes) {
    (void)bytes;
    const toc_allocator allocator = toc_allocator_get_default();
    if (!at) return;
    run_all_queues();
    emulated_block *block = (emulated_block *)(void *)((char *)at - offsetof(emulated_block, at));
    pthread_mutex_lock(&emulated.lock);
    *(block->before ? &block->before->next : &emulated.blocks) = block->next;
    if (block->next) block->next->before = block->before;
    pthread_mutex_unlock(&emulated.lock);
    toc_emulated.bytes_left += block->bytes;
    toc_free(&allocator, block, 1, sizeof *block + block->bytes);
}

static toc_status emulated_check_memory(const void *at, size_t bytes) {
    size_t left = 0;
    pthread_mutex_lock(&emulated.lock);
    for (const emulated_block *block = emulated.blocks; block && left == 0; block = block->next) {
        const uintptr_t from = (uintptr_t)at - (uintptr_t)block->at;
        if (from < block->bytes) left = block->bytes - from;
    }
    pthread_mutex_unlock(&emulated.lock);
    if (left == 0) return toc_fail(TOC_BAD_INPUT, "the memory at %p is not that of the emulated device", at);
    if (bytes <= left) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the memory at %p has %zu bytes there, and %zu are needed", at, left, bytes);
}

static void emulated_pin(void *at, size_t bytes) { (void)at, (void)bytes; }
static void emulated_unpin(void *at) {
    (void)at;
    run_all_queues();
}

toc_status toc_emulated_open(const toc_device **out) {
    static const toc_device device = {.info = {.name = "emulated", .processors = 1},
                                      .enter = emulated_enter,
                                      .leave = emulated_leave,
                                      .allocate = emulated_allocate,
                                      .release = emulated_release,
                                      .pin = emulated_pin,
                                      .unpin = emulated_unpin,
                                      .open = emulated_queue_open,
                                      .close = emulated_queue_close,
                                      .copy = emulated_copy,
                                      .launch = emulated_launch,
                                      .wait = emulated_wait,
                                      .order = emulated_order,
                                      .check_stream = emulated_check_stream,
                                      .check_memory = emulated_check_memory};
    *out = &device;
    return TOC_OK;
}
