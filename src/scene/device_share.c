// SPDX-License-Identifier: Apache-2.0
// Copying positions from memory of the device, and the entry for them.
#include "scene/device_share.h"

#include "device/device.h"
#include "device/gather.h"

struct toc_device_share {
    toc_allocator allocator;
    const toc_device *device;
    void *queue, *down;   // of the copy there; of that to the processor
    size_t count, room;   // vertices
    double *there, *here; // both ends; pinned on the processor
    bool is_under_way, is_lost;
};

static size_t bytes_of_ends(size_t count) { return 2 * 3 * count * sizeof(double); }

// ---- memory

static toc_status wait_for_copies(const toc_device_share *share) {
    if (share->queue) TOC_TRY(share->device->wait(share->queue));
    return share->down ? share->device->wait(share->down) : TOC_OK;
}

static void free_shared_positions(toc_device_share *share) {
    share->device->release(share->there, bytes_of_ends(share->room));
    if (share->here) share->device->unpin(share->here);
    toc_free(&share->allocator, share->here, share->room, bytes_of_ends(1));
    share->there = share->here = NULL;
    share->room = 0;
}

void toc_device_share_free(toc_device_share *share) {
    if (!share) return;
    const toc_allocator allocator = share->allocator;
    const bool entered = share->device->enter() == TOC_OK;
    if (entered) wait_for_copies(share);
    free_shared_positions(share);
    share->device->close(share->queue), share->device->close(share->down);
    if (entered) share->device->leave();
    toc_free(&allocator, share, 1, sizeof *share);
}

static toc_status need_share(toc_device_share **share, const toc_allocator *allocator) {
    const toc_device *device;
    TOC_TRY(toc_device_open(&device));
    if (*share && (*share)->device == device) return TOC_OK;
    toc_device_share *made = toc_new(allocator, 1, sizeof *made);
    if (!made) return TOC_OUT_OF_MEMORY;
    *made = (toc_device_share){.allocator = *allocator, .device = device, .is_lost = true};
    toc_device_share_free(*share);
    *share = made;
    return TOC_OK;
}

// Positions that are there stay where there is no room for more.
static toc_status make_room_for_positions(toc_device_share *share, size_t count) {
    const size_t room = count + count / 8;
    void *there = NULL;
    if (!share->queue) TOC_TRY(share->device->open(&share->queue));
    if (!share->down) TOC_TRY(share->device->open(&share->down));
    if (share->there && share->room >= count) return TOC_OK;
    TOC_TRY(share->device->allocate(bytes_of_ends(room), &there));
    double *here = toc_new(&share->allocator, room, bytes_of_ends(1));
    if (!here) {
        share->device->release(there, bytes_of_ends(room));
        return TOC_OUT_OF_MEMORY;
    }
    share->device->pin(here, bytes_of_ends(room));
    wait_for_copies(share);
    free_shared_positions(share);
    share->there = there, share->here = here, share->room = room;
    return TOC_OK;
}

// ---- copies

static toc_status check_ends(const toc_device *device, size_t count, const toc_shared_positions ends[2]) {
    for (int i = 0; i < 2 && count > 0; i++) {
        const toc_shared_positions *p = &ends[i];
        const size_t size = p->scalar == TOC_FLOAT ? sizeof(float) : sizeof(double);
        if ((uintptr_t)p->at % size || p->stride % size)
            return toc_fail(TOC_BAD_INPUT, "x%d: the device needs positions at multiples of %zu bytes; %p is %s", i,
                            size, p->at, (uintptr_t)p->at % size ? "not" : "one, but the stride is not");
        TOC_TRY(toc_fail_in(device->check_memory(p->at, (count - 1) * p->stride + 3 * size), "x%d", i));
    }
    return TOC_OK;
}

static toc_status gather_end(const toc_device_share *share, const toc_shared_positions *end, double *to) {
    const toc_device_gathering work = {.at = end->at,
                                       .stride = end->stride,
                                       .count = (uint32_t)share->count,
                                       .is_float = end->scalar == TOC_FLOAT,
                                       .to = to};
    return toc_device_launch(share->device, share->queue, TOC_DEVICE_KERNEL_gather, &work, sizeof work);
}

static toc_status copy_ends(toc_device_share *share, const toc_shared_positions ends[2], void *stream) {
    const toc_device *d = share->device;
    if (stream) TOC_TRY(d->order(stream, share->queue));
    TOC_TRY(d->order(share->down, share->queue)); // which may still read the positions of before
    for (size_t i = 0; i < 2; i++) TOC_TRY(gather_end(share, &ends[i], share->there + i * 3 * share->count));
    if (stream) TOC_TRY(d->order(share->queue, stream));
    TOC_TRY(d->order(share->queue, share->down));
    TOC_TRY(d->copy(share->down, share->here, share->there, bytes_of_ends(share->count)));
    return stream ? TOC_OK : wait_for_copies(share);
}

static toc_status take_ends(toc_device_share *share, size_t count, const toc_shared_positions ends[2], void *stream) {
    if (stream) TOC_TRY(share->device->check_stream(stream));
    TOC_TRY(check_ends(share->device, count, ends));
    TOC_TRY(make_room_for_positions(share, count));
    share->count = count;
    share->is_lost = true;
    TOC_TRY(copy_ends(share, ends, stream));
    share->is_lost = false;
    share->is_under_way = stream != NULL;
    return TOC_OK;
}

toc_status toc_device_share_take(toc_device_share **share, const toc_allocator *allocator, size_t count,
                                 const toc_shared_positions ends[2], void *stream) {
    TOC_TRY(need_share(share, allocator)); // an empty one counts as lost
    TOC_TRY((*share)->device->enter());
    const toc_status status = take_ends(*share, count, ends, stream);
    (*share)->device->leave();
    return status;
}

const double *toc_device_share_here(const toc_device_share *share) { return share->here; }

static toc_status refuse_lost(void) {
    return toc_fail(TOC_NO_DEVICE, "its positions were lost with the device (toc_scene_move_on_device); move it "
                                   "again, or end sharing (toc_scene_share_positions)");
}

toc_status toc_device_share_wait(toc_device_share *share) {
    if (share->is_lost) return refuse_lost();
    if (!share->is_under_way) return TOC_OK;
    TOC_TRY(share->device->enter());
    const toc_status status = wait_for_copies(share);
    share->device->leave();
    share->is_lost = status != TOC_OK;
    share->is_under_way = false;
    return status;
}

toc_status toc_device_share_find(const toc_device_share *share, const toc_device *device, void *queue,
                                 const double *ends[2]) {
    ends[0] = ends[1] = NULL;
    if (share->device != device) return TOC_OK;
    if (share->is_lost) return refuse_lost();
    TOC_TRY(device->order(share->queue, queue));
    for (size_t i = 0; i < 2; i++) ends[i] = share->there + i * 3 * share->count;
    return TOC_OK;
}
