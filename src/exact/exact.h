// SPDX-License-Identifier: Apache-2.0
// The exact decision of an elementary question, for vertices on polynomial paths.
#ifndef TOC_EXACT_EXACT_H
#define TOC_EXACT_EXACT_H

#include "exact/path.h"
#include "toccata/pair.h"

/// Whether the two features of a kind touch at any s in [0, 1] (touching at an end counts), and the first such s.
/// Right for any paths: flat or vanishing features, parallel edges, motion in one plane.
/// Look at numbers->failed before believing it.
bool toc_exact_first(toc_numbers *numbers, toc_kind kind, const toc_path vertices[4], toc_root *first);

#endif
