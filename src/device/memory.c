// SPDX-License-Identifier: Apache-2.0
// Memory of the device for programs that have no other source of it.
#include "device/device.h"

toc_status toc_device_allocate(size_t bytes, void **out) {
    const toc_device *device;
    TOC_NEED(out);
    if (bytes == 0) return toc_fail(TOC_BAD_INPUT, "0 bytes of memory of the device are none");
    TOC_TRY(toc_device_open(&device));
    TOC_TRY(device->enter());
    const toc_status status = device->allocate(bytes, out);
    device->leave();
    return status;
}

void toc_device_release(void *at) {
    const toc_device *device;
    if (!at || toc_device_open(&device) != TOC_OK || device->enter() != TOC_OK) return;
    device->release(at, 0);
    device->leave();
}

static toc_status copy_checked(const toc_device *device, void *to, const void *from, size_t bytes, void *stream) {
    TOC_TRY(device->check_stream(stream));
    if (bytes > 0) {
        TOC_NEED(to);
        TOC_NEED(from);
        if (device->check_memory(to, bytes) != TOC_OK) TOC_TRY(device->check_memory(from, bytes));
        TOC_TRY(device->copy(stream, to, from, bytes));
    }
    return device->wait(stream);
}

toc_status toc_device_copy(void *to, const void *from, size_t bytes, void *stream) {
    const toc_device *device;
    void *const default_stream = (void *)(uintptr_t)1;
    TOC_TRY(toc_device_open(&device));
    TOC_TRY(device->enter());
    const toc_status status = copy_checked(device, to, from, bytes, stream ? stream : default_stream);
    device->leave();
    return status;
}
