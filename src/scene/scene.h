// SPDX-License-Identifier: Apache-2.0
// The inside of a scene.
#ifndef TOC_SCENE_SCENE_H
#define TOC_SCENE_SCENE_H

#include "scene/pair_filter.h"

/// A body and what is derived from it, as of a revision of its mesh.
typedef struct toc_body {
    toc_mesh *mesh;         // never NULL
    toc_features *features; // NULL before they are first needed
    uint64_t features_revision;
    uint64_t gathered_revision; // as the scene's step has it
    uint64_t groups, mask;      // of toc_scene_set_body_filter
    bool ignores_itself;
    bool is_removed;  // the mesh is an empty one of the scene's
    void *user;       // of toc_scene_set_body_user
    double thickness; // of toc_scene_set_body_thickness
} toc_body;

#define TOC_DEFAULT_GROUPS UINT64_C(1)
#define TOC_DEFAULT_MASK UINT64_MAX

struct toc_scene {
    toc_allocator allocator;
    TOC_ARRAY(toc_body) bodies;
    TOC_ARRAY(toc_group_pair) ignored; // ascending, each once
    toc_step step;
    struct toc_surface_tree *tree;        // of contacts; NULL before it is first needed
    struct toc_surface_tree *static_tree; // of near pairs and overlaps; likewise
    struct toc_element_tree *volume;      // likewise
    struct toc_surface_grid *hashed;      // likewise
    void (*free_kept)(toc_scene *scene);  // frees these; NULL before the first query
    uint64_t asked_version;               // of the features that `auto` was last asked about
};

/// Refuse a body that was removed or never added.
toc_status toc_scene_need_body(const toc_scene *scene, uint32_t body);

#endif
