// SPDX-License-Identifier: Apache-2.0
// The choice of the device: the first of the driver, or the emulated one by the environment.
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

toc_device_clock toc_device_times;
#define NAME(name) #name,
const char *const toc_device_kernel_names[] = {TOC_DEVICE_KERNELS(NAME)};
#undef NAME

toc_status toc_device_open(const toc_device **out) {
#ifndef __wasm__
    const char *name = getenv("TOC_DEVICE");
    if (name && strcmp(name, "emulated") == 0) return toc_emulated_open(out);
#endif
    return toc_driver_open(out);
}

static toc_status launch_timed(const toc_device *device, void *queue, toc_device_kernel kernel, const void *work,
                               size_t bytes) {
    TOC_TRY(device->wait(queue));
    const double start = toc_device_times.now();
    TOC_TRY(device->launch(queue, kernel, work, bytes));
    TOC_TRY(device->wait(queue));
    toc_device_times.seconds[kernel] += toc_device_times.now() - start;
    toc_device_times.launches[kernel]++;
    return TOC_OK;
}

toc_status toc_device_launch(const toc_device *device, void *queue, toc_device_kernel kernel, const void *work,
                             size_t bytes) {
    if (toc_device_times.now) return launch_timed(device, queue, kernel, work, bytes);
    return device->launch(queue, kernel, work, bytes);
}

toc_status toc_device_list(size_t room, toc_device_info *devices, size_t *count) {
    const toc_device *device;
    TOC_NEED(count);
    if (room > 0) TOC_NEED(devices);
    TOC_TRY(toc_device_open(&device));
    if (room > 0) devices[0] = device->info;
    *count = 1;
    return TOC_OK;
}
