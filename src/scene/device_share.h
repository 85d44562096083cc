// SPDX-License-Identifier: Apache-2.0
// Positions that a body takes from memory of the device.
//
// They are copied there, on the caller's stream, into memory of the scene; a copy of that follows to the processor on
// its own. Questions that need numbers wait for it: the body then shares that copy (scene/share.h). A search on the
// device takes the copy there.
#ifndef TOC_SCENE_DEVICE_SHARE_H
#define TOC_SCENE_DEVICE_SHARE_H

#include "base/memory.h"
#include "scene/share.h"

struct toc_device;
typedef struct toc_device_share toc_device_share;

/// Copy the positions of both ends. Every argument was checked but for the pointers to the device.
/// @param share NULL at first; as it was where the arguments are refused.
toc_status toc_device_share_take(toc_device_share **share, const toc_allocator *allocator, size_t count,
                                 const toc_shared_positions ends[2], void *stream);
/// NULL is fine.
void toc_device_share_free(toc_device_share *share);
/// The copy of the processor, x0 of all vertices, then x1; toc_device_share_wait fills it.
const double *toc_device_share_here(const toc_device_share *share);
/// Wait until that copy is there. Positions that are not finite are for its readers to refuse.
toc_status toc_device_share_wait(toc_device_share *share);
/// Let a queue of a device wait for the copy there. @param ends receives x0 and x1 of all vertices; NULL, both, where
/// it is another device.
toc_status toc_device_share_find(const toc_device_share *share, const struct toc_device *device, void *queue,
                                 const double *ends[2]);

#endif
