// SPDX-License-Identifier: Apache-2.0
// The exact decision of an elementary question with a separation, for vertices on straight paths.
#ifndef TOC_PAIR_SEPARATION_H
#define TOC_PAIR_SEPARATION_H

#include "pair/exact.h"

/// Whether the two features of a kind come as close as the separation at any s in [0, 1], and the first such s.
/// @param separation in the unit of the paths, above 0. Valid only if numbers->failed is not set.
bool toc_separation_first(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4], toc_integer separation,
                          toc_root *first);

#endif
