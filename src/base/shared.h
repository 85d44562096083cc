// SPDX-License-Identifier: Apache-2.0
// Symbols that libtoccata exports for libtoccata-io alone. They are no part of the interface: the two libraries are
// built together and must have the same version. tests/house/interface.txt lists them.
#ifndef TOC_BASE_SHARED_H
#define TOC_BASE_SHARED_H

#include "toccata/base.h"

/// In front of a definition, not of the declaration in a header.
#define TOC_SHARED TOC_API

#endif
