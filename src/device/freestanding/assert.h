// SPDX-License-Identifier: Apache-2.0
// The device has no C library: these headers hold the few of its names that kernels use. Assertions are checked by the
// same kernels on the processor.
#ifndef TOC_DEVICE_FREESTANDING_ASSERT_H
#define TOC_DEVICE_FREESTANDING_ASSERT_H
#define assert(condition) ((void)0)
#endif
