// SPDX-License-Identifier: Apache-2.0
// Arrays that grow: in memory of a device, and pinned in memory of the processor for copies.
//
// The numbers of all that is on a device change from step to step; an array is as large as the largest step asked.
#ifndef TOC_DEVICE_ARRAY_H
#define TOC_DEVICE_ARRAY_H

#include "device/device.h"

typedef struct toc_device_array {
    void *at;
    size_t bytes;
} toc_device_array;

/// Where the arrays of one user are, and the queue of their copies.
typedef struct toc_device_memory {
    toc_allocator allocator; // of the processor
    const toc_device *device;
    void *queue;  // NULL before toc_device_memory_open
    bool is_full; // the device refused memory
} toc_device_memory;

/// Open the queue, unless it is. The caller has entered the device.
toc_status toc_device_memory_open(toc_device_memory *memory);
/// Room on the device. Where there was less, its bytes are lost.
toc_status toc_device_array_need(toc_device_memory *memory, toc_device_array *array, size_t bytes);
/// Pinned room on the processor; the first `kept` bytes stay. A copy from or to it must have been waited for.
toc_status toc_device_array_need_here(const toc_device_memory *memory, toc_device_array *array, size_t bytes,
                                      size_t kept);
void toc_device_arrays_free(const toc_device_memory *memory, toc_device_array *arrays, size_t count);
void toc_device_array_free_here(const toc_device_memory *memory, toc_device_array *array);
/// Copy from memory of the processor, which must stay until the queue was waited for.
toc_status toc_device_array_send(const toc_device_memory *memory, const toc_device_array *to, const void *from,
                                 size_t bytes);

#endif
