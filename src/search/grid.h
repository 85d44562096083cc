// SPDX-License-Identifier: Apache-2.0
// The way through the surface grid, as far as the questions of src/ask share it.
#ifndef TOC_SEARCH_GRID_H
#define TOC_SEARCH_GRID_H

#include "search/pipeline.h"

/// The plan of a question other than contacts, over toc_static_grid_index: the cells, primitives and features of the
/// preset, without the stages that can miss. The last stage of the question is yet to be added. As published, a feature
/// pair comes as often as two primitives have it.
/// @param thickness added around every point.
toc_status toc_grid_plan_question(toc_pipeline *pipeline, double thickness);
/// Prepare a worker: toc_way.hire.
toc_status toc_grid_hire(toc_worker *worker);

#endif
