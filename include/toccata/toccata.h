// SPDX-License-Identifier: Apache-2.0
/// Toccata: which parts of deforming bodies touch between the start and the end of a time step, when and where.
#ifndef TOCCATA_TOCCATA_H
#define TOCCATA_TOCCATA_H

#include "toccata/base.h"
#include "toccata/convex.h"
#include "toccata/io.h"
#include "toccata/mesh.h"
#include "toccata/pair.h"
#include "toccata/scene.h"

#endif
