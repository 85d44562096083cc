// SPDX-License-Identifier: Apache-2.0
// One step of a scene, all bodies side by side: the input of all stages.
#ifndef TOC_SCENE_STEP_H
#define TOC_SCENE_STEP_H

#include "cull/surface/flat_rings.h"
#include "toccata/scene.h"

/// Vertices of all bodies are numbered through, body after body, and so are features, each kind in ascending order.
typedef struct toc_step {
    size_t body_count, vertex_count;
    uint32_t *body_first;          // the first vertex of each body; body_count + 1 of them
    double *control;               // of parabolas (toc_hull), 3 a vertex; NULL where all paths are straight
    double *x0, *x1;               // 3 a vertex
    bool is_elsewhere;             // x0 and x1 are on a device only: toc_step_need_positions
    bool is_shortened;             // x1 is not the end that the bodies have
    toc_arena places;              // of these
    const struct toc_device *pins; // where x0 and x1 are pinned for copies; NULL for nowhere
    size_t body_room, vertex_room; // in them
    toc_arena arena, ring_arena;   // of the features, primitives and rings
    uint64_t version;              // changes whenever the features do
    bool surface_only;
    size_t gathered_bodies, element_count;
    size_t point_count, edge_count, face_count;
    uint32_t *points;
    uint32_t (*edges)[2];
    uint32_t (*faces)[3];
    toc_primitives primitives;
    toc_flat_rings rings;
} toc_step;

/// The part of a scene that a question needs.
typedef struct toc_step_scope {
    double reach; // of worlds, the elements this near to other bodies; infinite for all of them
    bool surface_only;
    int threads;
    bool positions_later; // positions that are all on a device may stay there
} toc_step_scope;

/// Bring the scene's step up to date with its bodies. O(n) for the positions; features are gathered anew only after a
/// change of topology, and derived anew only for the bodies that changed.
toc_status toc_step_update(toc_scene *scene, const toc_step_scope *scope);
/// List the elements around all features, for toc_elements_around, after toc_step_update. O(n) once for each version of
/// the features. The features stay in place.
toc_status toc_step_list_elements(toc_scene *scene, int threads);
/// The same for positions alone: the features may be out of date. O(n).
toc_status toc_step_place(toc_scene *scene, const toc_step_scope *scope);
/// Gather the positions that stayed on a device.
toc_status toc_step_need_positions(toc_scene *scene, int threads);
void toc_step_free(toc_step *step);
/// Pin the positions for copies to a device, which the calling thread has entered, for as long as their memory lives.
void toc_step_pin(toc_step *step, const struct toc_device *device);

/// How much closer two features on parabolas can come at a time than the straight paths between their ends; the control
/// points must be there. Bodies with the same acceleration do not count.
double toc_step_bend(const toc_step *step);

/// The features, for culling; valid until the step is gathered anew.
toc_feature_set toc_step_features(const toc_step *step);

/// Vertices of a feature pair in the order of toc_contact. For TOC_VF a is a point and b a face, else both are edges.
void toc_step_vertices(const toc_step *step, toc_kind kind, uint32_t a, uint32_t b, uint32_t vertices[4]);
/// The body that a vertex is of. O(log of the bodies).
uint32_t toc_step_body(const toc_step *step, uint32_t vertex);

#endif
