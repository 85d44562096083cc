// SPDX-License-Identifier: Apache-2.0
// A device: memory, queues of work and kernels, behind one table of functions. There are two: a graphics processor
// through its driver (driver.c), and the emulated one (emulated.c).
//
// Work of one queue runs in order; memory of the processor that a copy reads or writes must stay until the queue was
// waited for. Several threads may use one device, each with queues of its own. A device lives as long as the process.
#ifndef TOC_DEVICE_DEVICE_H
#define TOC_DEVICE_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"
#include "toccata/device.h"

/// The kernels, one file NAME.device.c each: those of the elementary test (device/pairs.h), of the search
/// (device/search.h), of near pairs (device/near.h), of the answer (device/answer.h), of sorting (device/sort.h) and of
/// positions of the caller (device/gather.h).
#define TOC_DEVICE_KERNELS(row)                                                                                       \
    row(prefilter) row(certified) row(place) row(pack) row(key) row(merge) row(leaf) row(node) row(descend) row(axes) \
        row(features) row(separate) row(expand) row(first) row(rank) row(contact) row(join) row(gather) row(locate)   \
            row(near) row(near_pair)
#define TOC_DEVICE_NUMBER(name) TOC_DEVICE_KERNEL_##name,
typedef enum toc_device_kernel { TOC_DEVICE_KERNELS(TOC_DEVICE_NUMBER) TOC_DEVICE_KERNEL_COUNT } toc_device_kernel;
#undef TOC_DEVICE_NUMBER

typedef struct toc_device {
    toc_device_info info;
    /// Use the device in the calling thread, and leave it to others: all other calls come in between.
    toc_status (*enter)(void);
    void (*leave)(void);
    /// Memory of the device. TOC_OUT_OF_MEMORY when there is no room.
    toc_status (*allocate)(size_t bytes, void **out);
    void (*release)(void *at, size_t bytes); // of allocate; may be NULL
    /// Let copies from and to memory of the processor run beside other work. A failure only makes them slower.
    void (*pin)(void *at, size_t bytes);
    void (*unpin)(void *at);
    toc_status (*open)(void **queue);
    void (*close)(void *queue); // may be NULL
    toc_status (*copy)(void *queue, void *to, const void *from, size_t bytes);
    /// Run the threads of a kernel: enough to keep the device busy, each taking its share of the work.
    /// @param work the structure of the kernel, `bytes` long; copied.
    toc_status (*launch)(void *queue, toc_device_kernel kernel, const void *work, size_t bytes);
    toc_status (*wait)(void *queue);
    /// Let the later work of a queue wait for the work of another so far. Either may be a stream of the caller.
    toc_status (*order)(void *first, void *then);
    /// Refuse a stream of the caller that is none of this device; memory that is not all of this device's.
    toc_status (*check_stream)(void *stream);
    toc_status (*check_memory)(const void *at, size_t bytes);
} toc_device;

/// The device that queries use. @return TOC_NO_DEVICE with a sentence.
toc_status toc_device_open(const toc_device **out);
/// device->launch, with its time where toc_device_times has a clock.
toc_status toc_device_launch(const toc_device *device, void *queue, toc_device_kernel kernel, const void *work,
                             size_t bytes);

/// Launches and seconds of each kernel, for benchmarks: with a clock, each launch waits for the work before it and for
/// its own end. One thread.
typedef struct toc_device_clock {
    double (*now)(void); // seconds; NULL: no launch is counted
    size_t launches[TOC_DEVICE_KERNEL_COUNT];
    double seconds[TOC_DEVICE_KERNEL_COUNT];
} toc_device_clock;
extern toc_device_clock toc_device_times;
extern const char *const toc_device_kernel_names[TOC_DEVICE_KERNEL_COUNT];

/// The two devices.
toc_status toc_driver_open(const toc_device **out);
toc_status toc_emulated_open(const toc_device **out);

/// The state of the emulated device. Tests lower the bytes of memory that it has left, and the number of calls after
/// which it is lost.
typedef struct toc_emulated_state {
    _Atomic size_t bytes_left, calls_left;
    _Atomic uint64_t random;
    _Atomic bool is_forked; // set in the child of a fork: it refuses to work, as the driver does
} toc_emulated_state;
extern toc_emulated_state toc_emulated;

/// A kernel as the driver takes it: PTX, assembled by the driver for its processor; count 0 in a build without clang.
typedef struct toc_device_text {
    const char *name; // of the kernel
    const unsigned char *text;
} toc_device_text;
extern const toc_device_text toc_device_texts[];
extern const size_t toc_device_text_count;

#endif
