// SPDX-License-Identifier: Apache-2.0
// Worlds: resting bodies with a tree, shared by scenes without copies.
//
// A scene keeps a patch of each of its worlds: a mesh of the elements within reach of its other bodies. Queries see the
// patch as the mesh of the body, so each question and each preset takes worlds, and the cost of a step follows the
// moving bodies and the elements near them. Vertices and elements of a patch keep the order of the world, so that
// sorted answers stay sorted when their ids are replaced by those of the world.
#ifndef TOC_SCENE_WORLD_H
#define TOC_SCENE_WORLD_H

#include <stdatomic.h>

#include "base/guard.h"
#include "bound/box.h"
#include "index/bvh.h"
#include "mesh/features.h"
#include "toccata/scene.h"

struct toc_world {
    toc_allocator allocator;
    atomic_size_t holders; // the caller, and each scene for each of its bodies
    toc_guard guard;       // owned for ever, so that nobody changes the mesh
    toc_mesh *mesh;
    toc_box box;
    double thickest;    // of the elements
    toc_arena arena;    // of `elements`
    size_t count;       // elements that are not removed
    uint32_t *elements; // ascending
    toc_dop_kind kind;
    toc_frame frame;
    toc_bvh bvh; // over `elements`; not built if there are none
};

/// The part of a world that a scene works with, or of a mesh of which little is alive (scene/compact.h).
typedef struct toc_patch {
    toc_ids elements, vertices; // ids in the world, ascending
    toc_ids found;              // of the search under way: leaves, then their elements
    toc_ids spare;              // to sort with
    uint64_t *marks;            // bits by leaf of the world: in `found`; NULL for other patches
} toc_patch;

/// Take one more hold of a world, and give one back. The last one frees it.
void toc_world_hold(toc_world *world);

/// Set a mesh to the elements and vertices of another one that a patch lists, and begin a new history. On failure the
/// mesh may only be filled again. @param corners of the elements, in all.
toc_status toc_patch_fill(const toc_mesh *from, const toc_patch *patch, size_t corners, toc_mesh *mesh);
/// Bring positions, groups and thicknesses up to date.
toc_status toc_patch_place(const toc_mesh *from, const toc_patch *patch, toc_mesh *mesh);

toc_status toc_patch_make(const toc_allocator *allocator, const toc_world *world, toc_patch **out);
void toc_patch_free(const toc_allocator *allocator, const toc_world *world, toc_patch *patch);

/// Bring the patches of a scene up to date for a question that is about features within a reach; infinite for all of
/// each world.
toc_status toc_worlds_gather(toc_scene *scene, double reach);
/// Whether any body of a scene is a world.
bool toc_scene_has_worlds(const toc_scene *scene);
/// Whether queries see other ids than the caller for any body.
bool toc_scene_has_patches(const toc_scene *scene);
/// Extend a box to all positions of a scene, at both ends of the step and with all of its worlds.
toc_box toc_scene_bounds(const toc_scene *scene);
/// The largest coordinate of these positions, without its sign; rounding errors are parts of it. 0 for none. The step
/// lacks the parts of worlds that are out of reach.
double toc_scene_largest_coordinate(const toc_scene *scene);

/// The id in the mesh of the caller of a vertex or an element of the mesh that queries see.
uint32_t toc_scene_vertex_id(const toc_scene *scene, uint32_t body, uint32_t vertex);
uint32_t toc_scene_element_id(const toc_scene *scene, uint32_t body, uint32_t element);
/// The reverse: the vertex of the mesh that queries see. False where that mesh has no such vertex. O(log n) for worlds.
bool toc_scene_find_vertex(const toc_scene *scene, uint32_t body, uint32_t id, uint32_t *vertex);
/// Replace the vertices of a pair of features by these ids.
void toc_scene_name_vertices(const toc_scene *scene, toc_kind kind, const uint32_t body[2], uint32_t v[4]);

#endif
