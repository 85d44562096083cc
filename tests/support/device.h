// SPDX-License-Identifier: Apache-2.0
// Tests on a device: the emulated one, or that of the machine where TOC_DEVICE names another one.
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "device/device.h"
#include "toccata/toccata.h"

enum { TEST_ALL_CALLS = 1 << 30 };

/// The memory that the emulated device has left, and the calls after which it is lost.
static inline void test_device_limit(size_t bytes, size_t calls) {
    toc_emulated.bytes_left = bytes;
    toc_emulated.calls_left = calls;
}

static inline void test_device_restore(void) { test_device_limit((size_t)1 << 40, TEST_ALL_CALLS); }

/// Choose the device of the tests: the emulated one, or what TOC_DEVICE names. @return its name; NULL on failure.
const char *test_device_begin(void);
/// Whether TOC_DEVICE named another device than the emulated one.
bool test_device_is_real(void);

/// The default settings but these.
toc_query test_device_query(const char *preset, toc_answer answer, int threads, toc_device_choice device);
/// The same contacts in the same order, with the same bits. @param what of the message.
void test_assert_same_bits(const char *what, const toc_contacts *got, const toc_contacts *wanted);
/// Ask the same of two equal scenes: the first on the processor, the second on the device. Asserts the same bits.
/// @param chosen the way that the device must take; NULL for any. @return the number of contacts.
size_t test_ask_both(toc_scene *const scenes[2], toc_query query, const char *chosen);

/// The same where any contact is asked for: earlier queries may lead either search to another one, so the device's must
/// be one of all.
void test_ask_both_for_any(toc_scene *const scenes[2], toc_query query);
/// Ask for all contacts on the device. @return how often the kernel is launched.
size_t test_device_launches(toc_scene *bodies, toc_device_kernel kernel);

/// Outcomes of a question on a device with little memory.
typedef struct test_device_memory {
    size_t on_device, on_processor, refused;
    size_t ranges; // the most parts in which the device searched
} test_device_memory;

/// Ask for all contacts of a scene with 1 KB of memory on the emulated device, then more, up to a limit: the same bits
/// as without a device, or, up to some memory, a sentence. Asserts that all memory comes back.
/// @param chosen the way on the device. @param last its kernel that is launched once a range.
/// @param slowly a step is this part of the memory before it.
test_device_memory test_device_try_memory(toc_scene *(*make)(void), const char *chosen, toc_device_kernel last,
                                          size_t limit, size_t slowly);

#endif
