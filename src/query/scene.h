// SPDX-License-Identifier: Apache-2.0
// The inside of a scene.
#ifndef TOC_QUERY_SCENE_H
#define TOC_QUERY_SCENE_H

#include "query/step.h"

/// A body and what is derived from it, as of a revision of its mesh.
typedef struct toc_body {
    toc_mesh *mesh;
    toc_features *features; // NULL before they are first needed
    uint64_t features_revision;
    uint64_t gathered_revision; // as the scene's step has it
} toc_body;

struct toc_scene {
    toc_allocator allocator;
    TOC_ARRAY(toc_body) bodies;
    toc_step step;
    struct toc_tree *tree; // NULL before it is first needed
};

#endif
