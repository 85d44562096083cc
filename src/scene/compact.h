// SPDX-License-Identifier: Apache-2.0
// Compact copies of meshes with many removed elements, so that the cost of a step follows the
// elements alive.
//
// Ids of a mesh are never used again, so the arrays of a mesh that is edited for ever grow for ever. Once more than
// half of them is dead, the scene works with a copy without the dead ones and follows the edits of the mesh there. The
// copy keeps the order of the ids, as the patch of a world does, and answers get the ids of the mesh (scene/world.h).
#ifndef TOC_SCENE_COMPACT_H
#define TOC_SCENE_COMPACT_H

#include "toccata/scene.h"

struct toc_body;

/// The state of a compact copy.
typedef struct toc_compact {
    uint64_t looked_at;                    // the revision of the mesh when its dead were last counted
    size_t least_elements, least_vertices; // ids from which on it pays to count again
    uint64_t revision;                     // the copy has followed the mesh up to here
    size_t dead, vertices_before;          // removed elements of the copy; its vertices when it was made
    bool is_stale;                         // the copy must be made anew
} toc_compact;

/// Bring the compact copies of a scene up to date with the meshes, and make them where they pay. O(the edits, and the
/// copies: their positions), amortised.
toc_status toc_compact_follow(toc_scene *scene);

#endif
