// SPDX-License-Identifier: Apache-2.0
// The settings of a potential.
#ifndef TOC_POTENTIAL_POTENTIAL_H
#define TOC_POTENTIAL_POTENTIAL_H

#include "toccata/base.h"

/// Write the defaults of a toc_potential_query of `size` bytes.
toc_status toc_potential_begin(void *query, size_t size);

#endif
