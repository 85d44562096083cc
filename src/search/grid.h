// SPDX-License-Identifier: Apache-2.0
// The way through the surface grid, as far as the questions of src/ask share it.
#ifndef TOC_SEARCH_GRID_H
#define TOC_SEARCH_GRID_H

#include "search/pipeline.h"

/// The plan of a question other than contacts, over a surface grid: the cells, primitives and features of the
/// preset, without the stages that can miss. The last stage of the question is yet to be added. As published, a feature
/// pair comes as often as two primitives have it.
/// @param thickness added around every point.
toc_status toc_grid_plan_question(toc_pipeline *pipeline, double thickness);
/// Prepare a worker: toc_way.hire.
toc_status toc_grid_hire(toc_worker *worker);
/// Fit the grid to the plan of the query: toc_way.fit.
toc_status toc_grid_fit(toc_pipeline *pipeline);
/// Pairs of primitives in the same cell. Resting pairs are searched, too, and not kept.
extern const toc_traversal toc_static_grid_traversal;

#endif
