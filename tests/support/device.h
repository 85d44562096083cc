// SPDX-License-Identifier: Apache-2.0
// Tests on a device: the emulated one, or that of the machine where TOC_DEVICE names another one.
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "device/device.h"

enum { TEST_ALL_CALLS = 1 << 30 };

/// The memory that the emulated device has left, and the calls after which it is lost.
static inline void test_device_limit(size_t bytes, size_t calls) {
    toc_emulated.bytes_left = bytes;
    toc_emulated.calls_left = calls;
}

static inline void test_device_restore(void) { test_device_limit((size_t)1 << 40, TEST_ALL_CALLS); }

#endif
