// SPDX-License-Identifier: Apache-2.0
// Memory of arrays on a device and of pinned ones.
#include "device/array.h"

#include <string.h>

toc_status toc_device_memory_open(toc_device_memory *memory) {
    return memory->queue ? TOC_OK : memory->device->open(&memory->queue);
}

void toc_device_arrays_free(const toc_device_memory *memory, toc_device_array *arrays, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memory->device->release(arrays[i].at, arrays[i].bytes);
        arrays[i] = (toc_device_array){0};
    }
}

void toc_device_array_free_here(const toc_device_memory *memory, toc_device_array *array) {
    if (array->at) memory->device->unpin(array->at);
    toc_free(&memory->allocator, array->at, array->bytes, 1);
    *array = (toc_device_array){0};
}

toc_status toc_device_array_need(toc_device_memory *memory, toc_device_array *array, size_t bytes) {
    if (array->bytes >= bytes) return TOC_OK;
    toc_device_arrays_free(memory, array, 1);
    const toc_status status = memory->device->allocate(bytes, &array->at);
    if (status == TOC_OK) array->bytes = bytes;
    memory->is_full = memory->is_full || status == TOC_OUT_OF_MEMORY;
    return status;
}

toc_status toc_device_array_need_here(const toc_device_memory *memory, toc_device_array *array, size_t bytes,
                                      size_t kept) {
    if (array->bytes >= bytes) return TOC_OK;
    toc_device_array larger = {toc_new(&memory->allocator, bytes, 1), bytes};
    if (!larger.at) return TOC_OUT_OF_MEMORY;
    memory->device->pin(larger.at, bytes);
    if (kept) memcpy(larger.at, array->at, kept);
    toc_device_array_free_here(memory, array);
    *array = larger;
    return TOC_OK;
}

toc_status toc_device_array_send(const toc_device_memory *memory, const toc_device_array *to, const void *from,
                                 size_t bytes) {
    return memory->device->copy(memory->queue, to->at, from, bytes);
}
