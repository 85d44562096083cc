// SPDX-License-Identifier: Apache-2.0
// Scenes: moving meshes, each defined once and used by tests, benchmarks and the demo alike. A frame depends only on
// the scene, the size and the frame number, so any frame can be made alone. Most scenes have the same topology in every
// frame. In the others, elements are removed, added and torn; ids keep their meaning from frame to frame.
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include "toccata/toccata.h"

struct scene_builder;

typedef struct scene {
    const char *name;      ///< "cloth-ball"
    const char *what;      ///< A few words on the motion.
    const char *size_what; ///< The meaning of the size.
    size_t size, frames;   ///< Defaults: the size, and the frames that show the whole motion.
    size_t largest;        ///< No size above this one: ids of vertices must fit in 32 bits.
    void (*build)(struct scene_builder *builder, size_t size, double time);
    /// For scenes with edits, else NULL: apply the edits up to the time `until` to the mesh of `build`, and move the
    /// vertices to their positions at `time`. Edits are applied in the order of time, so ids are the same in all
    /// frames.
    toc_status (*happen)(toc_mesh *mesh, size_t size, double until, double time);
} scene;

/// The i-th scene; NULL past the last.
const scene *scene_list(size_t i);
/// The scene with a name; NULL if there is none.
const scene *scene_find(const char *name);

/// Make a frame: the mesh at rest there. The motion fills the default number of frames and then stays.
/// @param size 0 takes the default; one above the largest is TOC_BAD_INPUT.
toc_status scene_frame(const scene *s, size_t size, size_t frame, toc_mesh **out);
/// Make a step: the mesh moves from a frame to the next one, with the topology of the next one. A new vertex starts at
/// the previous position of its material.
toc_status scene_step(const scene *s, size_t size, size_t frame, toc_mesh **out);
/// The same from one time to another, 0 to 1 being the whole motion: for finer steps of finer meshes.
toc_status scene_motion(const scene *s, size_t size, double from, double to, toc_mesh **out);

extern const scene scene_cloth_ball, scene_n_body, scene_explosion, scene_bar, scene_organs, scene_tets, scene_hexes,
    scene_octopi, scene_bullet, scene_airbag, scene_liver, scene_car, scene_tori, scene_cloth_bunny, scene_letters,
    scene_lattices, scene_rods, scene_funnel;

#endif
