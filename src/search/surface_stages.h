// SPDX-License-Identifier: Apache-2.0
// The stages behind an index of surface primitives: triangle axes or normals, then features.
#ifndef TOC_SEARCH_SURFACE_STAGES_H
#define TOC_SEARCH_SURFACE_STAGES_H

#include "search/pipeline.h"

/// Drops pairs of triangles with a separating axis (cull/surface/triangle_axes.h).
extern const toc_pipeline_stage toc_triangle_axes_stage;
/// Drops neighbours on a smooth surface, as published by Jung and Choi; can miss (cull/surface/normals.h).
extern const toc_pipeline_stage toc_normals_stage;
/// From pairs of primitives to pairs of the features they represent, by toc_surface_view.cull.
extern const toc_pipeline_stage toc_features_stage;
/// The same by the culling steps for two triangles (cull/surface/triangle_culling.h), of a surface tree; a row of the
/// report for each step. The last stages of a pipeline.
void toc_triangle_culling_add(toc_pipeline *pipeline);
/// The same as toc_features_stage, named as Jung and Choi's element level.
extern const toc_pipeline_stage toc_element_level_stage;

#endif
