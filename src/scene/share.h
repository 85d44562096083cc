// SPDX-License-Identifier: Apache-2.0
// Positions that a body takes from memory of the caller, straight into the step.
#ifndef TOC_SCENE_SHARE_H
#define TOC_SCENE_SHARE_H

#include "toccata/scene.h"

struct toc_body;
struct toc_device_share;

/// The memory of both ends of the step; `on` is false for a body with the positions of its mesh.
typedef struct toc_share {
    bool on;
    size_t count; // vertex ids
    toc_shared_positions x0, x1;
    struct toc_device_share *device; // whose copy of memory of the device they are; NULL for none
} toc_share;

/// Whether the positions of all bodies are on a device, so that the processor may do without them.
bool toc_shares_are_there(const toc_scene *scene);
/// Wait for positions on their way from a device, unless they may come later, and refuse shared memory that does not
/// fit its mesh. Where a scene has worlds, positions that are not finite, too: the patches of worlds are found from
/// them before they are gathered.
toc_status toc_shares_check(const toc_scene *scene, bool later);
/// Of a body that goes.
void toc_share_free(toc_share *share);
/// Write the positions of the vertices first .. last - 1 of the mesh that queries see, 3 doubles each; refuse those
/// that are not finite. For many threads at a time.
toc_status toc_share_gather(const struct toc_body *body, size_t first, size_t last, double *x0, double *x1);
/// The motion of a vertex of the mesh that queries see, shared or not.
void toc_body_read_motion(const struct toc_body *body, uint32_t vertex, double x0[3], double x1[3]);
/// The position of a vertex id at one end.
void toc_position_read(const toc_shared_positions *positions, size_t vertex, double x[3]);

#endif
