// SPDX-License-Identifier: Apache-2.0
// The settings of a query, checked once for every question.
#ifndef TOC_ASK_QUERY_H
#define TOC_ASK_QUERY_H

#include "search/preset.h"

/// Copy a caller's query, of this version or an older one, and refuse settings that make no sense.
/// @param preset receives the preset of the query.
toc_status toc_query_take(const toc_query *given, toc_query *query, const toc_preset **preset);

#endif
