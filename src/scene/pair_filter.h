// SPDX-License-Identifier: Apache-2.0
// Which pairs of features count at all: by bodies, by groups of elements, and by the caller's function.
//
// The one place where a pair can be left out on purpose. Nothing is derived and kept: groups are read from the meshes
// in their current state. O(1) a pair for bodies; for groups O(log n) and the pairs of elements around the two
// features.
#ifndef TOC_SCENE_PAIR_FILTER_H
#define TOC_SCENE_PAIR_FILTER_H

#include "scene/step.h"

struct toc_body;

/// Two groups whose elements ignore each other, the lower one first.
typedef struct toc_group_pair {
    int32_t low, high;
} toc_group_pair;

typedef struct toc_filter {
    const toc_scene *scene;
    toc_pair_filter caller;
    bool bodies, groups; // whether any body, any group is ignored by another
} toc_filter;

/// The filter of a scene whose step is up to date. Valid until the scene or the query changes.
toc_filter toc_filter_make(const toc_scene *scene, const toc_query *query);
/// Whether the filter or the thickness of features needs the elements around them (toc_step_list_elements).
bool toc_filter_needs_elements(const toc_scene *scene, const toc_query *query);
/// False when every pair passes.
bool toc_filter_is_active(const toc_filter *filter);
/// Whether a pair of features passes, given by its vertices as the step numbers them. For many threads at a time.
bool toc_filter_wants(const toc_filter *filter, toc_kind kind, const uint32_t vertices[4]);
/// The same for two faces; the caller's function is not called.
bool toc_filter_wants_faces(const toc_filter *filter, const uint32_t a[3], const uint32_t b[3]);
/// The same for two vertices.
bool toc_filter_wants_vertices(const toc_filter *filter, uint32_t a, uint32_t b);
/// The same for two elements.
bool toc_filter_wants_elements(const toc_filter *filter, const uint32_t bodies[2], const uint32_t elements[2]);

/// Whether two bodies, or the parts of one, can touch; groups of elements do not matter.
bool toc_filter_wants_bodies(const toc_filter *filter, uint32_t a, uint32_t b);

/// Whether a face of a body, which must exist, is on its boundary, by its vertices in the body.
bool toc_face_is_on_boundary(const struct toc_body *body, const uint32_t v[3]);

/// The elements around a vertex, an edge or a face, which must exist, by its vertices in its body. Ascending. They
/// must have been listed: toc_step_list_elements.
const uint32_t *toc_elements_around(const struct toc_body *body, int corners, const uint32_t *v, size_t *count);

/// Find the features of a caller's contact in the step, which must be up to date. O(log n).
/// @param number of the contact, for the message.
/// @param v receives the vertices, each in the mesh of its body.
/// @return TOC_BAD_INPUT if there is no such body or feature.
toc_status toc_contact_locate(const toc_scene *scene, const toc_contact *contact, size_t number, uint32_t v[4]);

#endif
