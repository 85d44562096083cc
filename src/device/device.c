// SPDX-License-Identifier: Apache-2.0
// The choice of the device: the first of the driver, or the emulated one by the environment.
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

toc_status toc_device_open(const toc_device **out) {
#ifndef __wasm__
    const char *name = getenv("TOC_DEVICE");
    if (name && strcmp(name, "emulated") == 0) return toc_emulated_open(out);
#endif
    return toc_driver_open(out);
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
