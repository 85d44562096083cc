// SPDX-License-Identifier: Apache-2.0
// Tets that share a corner and are folded onto each other.
#ifndef TOC_CONVEX_FOLD_H
#define TOC_CONVEX_FOLD_H

#include <stdbool.h>

#include "base/memory.h"

/// Whether the interiors of two tets meet whose first corner is the same point. Exact for any finite coordinates. A tet
/// without volume has no interior. Faster if further corners that are the same vertex have the same address.
/// @return TOC_OK or TOC_OUT_OF_MEMORY.
toc_status toc_tets_are_folded(const double *const a[4], const double *const b[4], toc_arena *scratch, bool *folded);

#endif
