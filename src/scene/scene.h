// SPDX-License-Identifier: Apache-2.0
// The inner structure of a scene.
#ifndef TOC_SCENE_SCENE_H
#define TOC_SCENE_SCENE_H

#include "base/guard.h"
#include "base/pool.h"
#include "scene/compact.h"
#include "scene/pair_filter.h"
#include "scene/share.h"
#include "scene/world.h"

/// A body with the features of a revision of its mesh.
typedef struct toc_body {
    toc_mesh *own;          // of the caller; NULL for a world and for a removed body
    toc_mesh *mesh;         // that queries see: the caller's, a compact copy of it, or the patch of a world; never NULL
    toc_features *features; // NULL before they are first needed
    uint64_t features_revision;
    uint64_t gathered_revision; // of the features in the step of the scene
    uint64_t layers, mask;      // of toc_scene_set_body_layers
    bool ignores_itself;
    bool is_removed;  // the mesh is an empty one of the scene's
    double thickness; // of toc_scene_set_body_thickness
    toc_world *world; // NULL for a body with a mesh of its own
    toc_patch *patch; // of the world or the compact copy; NULL for neither
    toc_compact compact;
    toc_share share;
} toc_body;

#define TOC_DEFAULT_LAYERS UINT64_C(1)
#define TOC_DEFAULT_MASK UINT64_MAX

struct toc_scene {
    toc_allocator allocator; // the caller's: of the scene, its bodies and results
    toc_pool pool;
    toc_allocator memory; // the pool's: of the step, the search and everything that a query needs
    toc_guard guard;      // owned by a call that queries or changes the scene, shared by calls that change a mesh of it
    TOC_ARRAY(toc_body) bodies;
    TOC_ARRAY(toc_group_pair) ignored; // ascending, each once
    bool is_steady;                    // of toc_scene_set_steady
    bool has_region;                   // of toc_scene_set_region
    toc_box region;
    toc_step step;
    size_t thrifty_limit;      // the highest memory limit that only a thrifty request could keep; 0 for none
    uint64_t thrifty_version;  // of the features of the step then
    struct toc_search *search; // kept by queries (search/search.h); NULL before the first one
    void (*free_search)(struct toc_search *search);
};

/// Whether any body is on parabolic paths.
bool toc_scene_is_accelerated(const toc_scene *scene);
/// Refuse accelerated bodies, for questions that take straight paths only.
toc_status toc_scene_need_straight(const toc_scene *scene);

/// Enter a call that queries or changes the scene; TOC_BUSY while another call does, or NULL refused.
toc_status toc_scene_begin(toc_scene *scene, toc_hold *hold);

/// Hold a scene to the end of the function.
#define TOC_USE_SCENE(scene)     \
    TOC_SCOPED_HOLD(scene_use_); \
    TOC_TRY(toc_scene_begin((scene), &scene_use_))

/// The number of threads for a `threads` setting; for 0 as many as the vertices keep busy (G4: the answer is the same).
int toc_scene_threads(const toc_scene *scene, int threads);
/// Refuse a thickness that is negative or no number.
toc_status toc_thickness_check(double thickness);
/// Refuse one more body than ids can count.
toc_status toc_scene_check_room(const toc_scene *scene);
/// Refuse a body that was removed or never added.
toc_status toc_scene_need_body(const toc_scene *scene, uint32_t body);

#endif
