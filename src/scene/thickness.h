// SPDX-License-Identifier: Apache-2.0
// Thickness of bodies and elements: how near two features must come to touch.
//
// A feature is as thick as the thickest of its body and the elements around it, half of it on either side. Two features
// touch within the sum of these halves and the separation of the query. One rule for contacts, the safe step and near
// pairs; toc_query.thin switches it off.
#ifndef TOC_SCENE_THICKNESS_H
#define TOC_SCENE_THICKNESS_H

#include "scene/step.h"

/// The largest thickness of a body or an element; 0 if the query takes features as thin. No two features have a larger
/// sum of halves. O(bodies and thick elements).
double toc_thickness_most(const toc_scene *scene, const toc_query *query);

/// Whether each feature is as thick as its body: no element has a thickness of its own. Worlds are not looked at.
bool toc_thickness_is_of_bodies(const toc_scene *scene);

/// The sum of the halves of two features, given by their vertices as the step numbers them. The features of the bodies
/// must be up to date (toc_step_update). For many threads at a time.
double toc_thickness_of_pair(const toc_scene *scene, toc_kind kind, const uint32_t vertices[4]);

/// The same for two vertices.
double toc_thickness_of_vertices(const toc_scene *scene, uint32_t a, uint32_t b);

/// The sum of two lengths, at most DBL_MAX.
double toc_thickness_add(double a, double b);

#endif
