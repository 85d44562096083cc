// SPDX-License-Identifier: Apache-2.0
// An animation of a glTF file: the pose of its scene at a time.
#ifndef TOC_IO_GLTF_ANIMATION_H
#define TOC_IO_GLTF_ANIMATION_H

#include "io/core/format.h"
#include "io/gltf/scene.h"

/// The moving property of a node, and the interpolation between keys.
typedef struct toc_gltf_channel {
    uint32_t node; // of the scene
    uint8_t path, way;
    size_t components; // numbers a key
    toc_accessor times, values;
} toc_gltf_channel;

typedef struct toc_gltf_animation {
    TOC_ARRAY(toc_gltf_channel) channels;
    double start, end; // the first and the last key
    double rate;       // frames a second
    size_t frame_count;
} toc_gltf_animation;

/// An animation of the file.
typedef struct toc_gltf_clip {
    toc_json_id id;
    size_t name; // where it begins among the names
} toc_gltf_clip;

/// All animations of a file. One without a name is called by its number, counted from 0.
typedef struct toc_gltf_clips {
    TOC_ARRAY(toc_gltf_clip) list;
    TOC_ARRAY(char) names; // each with a 0 behind it
} toc_gltf_clips;

/// List the animations. Free with toc_gltf_clips_free, also on failure.
toc_status toc_gltf_animation_list(const toc_gltf *file, toc_gltf_clips *out);
void toc_gltf_clips_free(toc_gltf_clips *clips, const toc_allocator *allocator);

/// Open the animation of a name; without a wish the first one that moves a vertex of the scene. Without one there is
/// one frame, the scene at rest. A frame stands at the last key, too, so that no motion is left out. Free with
/// toc_gltf_animation_free, also on failure.
toc_status toc_gltf_animation_open(toc_gltf_scene *scene, const toc_gltf_clips *clips, const toc_frame_wish *wish,
                                   toc_gltf_animation *out);
void toc_gltf_animation_free(toc_gltf_animation *animation, const toc_allocator *allocator);

/// The place of a clip by name. Fails with the names of all clips.
toc_status toc_gltf_clips_find(const toc_gltf_clips *clips, const char *name, size_t *out);

double toc_gltf_animation_time(const toc_gltf_animation *animation, size_t frame);
/// Move the scene to its pose at a time.
void toc_gltf_animation_pose(const toc_gltf_animation *animation, double time, toc_gltf_scene *scene);

#endif
