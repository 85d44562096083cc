// SPDX-License-Identifier: Apache-2.0
// The emulated device: the kernels compiled for the processor, launched block by block and thread by thread in a random
// order. New memory holds random bytes. Answers that depended on the order of threads, or on memory that nobody wrote,
// would differ from run to run; the sanitizers see every access.
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

// ---- the functions of a device

static toc_status emulated_call(void) {
    size_t left = toc_emulated.calls_left;
    do
        if (left == 0) return toc_fail(TOC_NO_DEVICE, "the device was lost: the emulated one, on request");
    while (!atomic_compare_exchange_weak(&toc_emulated.calls_left, &left, left - 1));
    return TOC_OK;
}

static toc_status emulated_enter(void) { return TOC_OK; }
static void emulated_leave(void) {}

static toc_status emulated_allocate(size_t bytes, void **out) {
    const toc_allocator allocator = toc_allocator_get_default();
    TOC_TRY(emulated_call());
    size_t left = toc_emulated.bytes_left;
    do
        if (bytes > left)
            return toc_fail(TOC_OUT_OF_MEMORY, "the device has no room for %zu bytes: it has %zu left", bytes, left);
    while (!atomic_compare_exchange_weak(&toc_emulated.bytes_left, &left, left - bytes));
    *out = toc_new(&allocator, bytes, 1);
    if (!*out) return TOC_OUT_OF_MEMORY;
    memset(*out, (int)(next_random() & 0xff), bytes);
    return TOC_OK;
}

static void emulated_release(void *at, size_t bytes) {
    const toc_allocator allocator = toc_allocator_get_default();
    if (at) toc_emulated.bytes_left += bytes;
    toc_free(&allocator, at, bytes, 1);
}

static void emulated_pin(void *at, size_t bytes) { (void)at, (void)bytes; }
static void emulated_unpin(void *at) { (void)at; }
static toc_status emulated_queue_open(void **queue) {
    *queue = NULL;
    return emulated_call();
}
static void emulated_queue_close(void *queue) { (void)queue; }

static toc_status emulated_copy(void *queue, void *to, const void *from, size_t bytes) {
    (void)queue;
    TOC_TRY(emulated_call());
    if (bytes > 0) memcpy(to, from, bytes);
    return TOC_OK;
}

static toc_status emulated_launch(void *queue, toc_device_kernel kernel, const void *work, size_t bytes) {
    uint32_t blocks[BLOCKS], threads[BLOCK];
    (void)queue, (void)bytes;
    TOC_TRY(emulated_call());
    shuffle(BLOCKS, blocks);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        shuffle(BLOCK, threads);
        for (uint32_t t = 0; t < BLOCK; t++) kernels[kernel](work, blocks[b] * BLOCK + threads[t], THREADS);
    }
    return TOC_OK;
}

static toc_status emulated_wait(void *queue) {
    (void)queue;
    return emulated_call();
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
                                      .wait = emulated_wait};
    *out = &device;
    return TOC_OK;
}
