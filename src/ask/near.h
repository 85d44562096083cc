// SPDX-License-Identifier: Apache-2.0
// Near pairs among given pairs of features.
#ifndef TOC_ASK_NEAR_H
#define TOC_ASK_NEAR_H

#include "scene/scene.h"
#include "search/listed.h"

/// As toc_scene_update_near, over the step if end is NULL, for the pairs of a list alone; NULL for all pairs of the
/// scene. The caller holds the scene.
/// @param query checked by toc_query_take.
toc_status toc_near_update_listed(toc_scene *scene, const toc_query *query, const toc_end *end, double thickness,
                                  const toc_pair_list *list, toc_near **near);

#endif
