// SPDX-License-Identifier: Apache-2.0
// The settings of questions about near features.
#ifndef TOC_ASK_NEAR_H
#define TOC_ASK_NEAR_H

#include "toccata/scene.h"

/// Write the defaults into a caller's settings of `size` bytes.
toc_status toc_near_query_begin(void *near, size_t size);
/// Copy a caller's settings, and refuse those that make no sense. NULL has the defaults.
toc_status toc_near_query_take(const toc_near_query *given, toc_near_query *near);

#endif
