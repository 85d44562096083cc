// SPDX-License-Identifier: Apache-2.0
// Scenes: moving meshes, each defined once and used by tests, benchmarks and the demo alike. A frame depends on the
// scene, the size and its number only, so any frame can be made alone; the topology is the same in every frame.
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include "toccata/toccata.h"

struct scene_builder;

typedef struct scene {
    const char *name;      ///< "cloth-ball"
    const char *what;      ///< A few words on what moves.
    const char *size_what; ///< What the size counts.
    size_t size, frames;   ///< Defaults: the size, and the frames that show the whole motion.
    size_t largest;        ///< No size above this one: ids of vertices must fit in 32 bits.
    void (*build)(struct scene_builder *builder, size_t size, double time);
} scene;

/// The i-th scene; NULL past the last.
const scene *scene_list(size_t i);
/// The scene of a name; NULL where there is none.
const scene *scene_find(const char *name);

/// Make a frame: the mesh at rest there. The motion fills the default number of frames and then stays.
/// @param size 0 takes the default; one above the largest is TOC_BAD_INPUT.
toc_status scene_frame(const scene *s, size_t size, size_t frame, toc_mesh **out);
/// Make a step: the mesh moving from a frame to the next one.
toc_status scene_step(const scene *s, size_t size, size_t frame, toc_mesh **out);

extern const scene scene_cloth_ball, scene_n_body, scene_explosion, scene_bar, scene_organs, scene_tets, scene_hexes;

#endif
