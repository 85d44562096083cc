// SPDX-License-Identifier: Apache-2.0
// Positions in memory of the device that is the caller's: what the kernel that copies them reads and writes.
#ifndef TOC_DEVICE_GATHER_H
#define TOC_DEVICE_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// All pointers are of the device.
typedef struct toc_device_gathering {
    const void *at;  // the first coordinate of vertex 0, aligned as its type
    uint64_t stride; // bytes, a multiple of that alignment
    uint32_t count;  // vertices
    bool is_float;
    double *to; // 3 a vertex
} toc_device_gathering;

// clang for the device and the compiler of the library lay out the same.
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_gathering) == 32, "work of the gathering");

#endif
